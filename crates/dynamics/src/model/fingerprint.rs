//! A number that differs, in practice, whenever two models do: so that a state is not loaded into another model.
//!
//! It is the FNV-1a hash of what every part says of itself (its `Debug`). What does not matter is left out: how often a model was
//! changed, what was worked out from it, and the present values of motors that follow curves. Of forces and scripts that are not
//! tumble's own only the kind counts: they may hold what changes while a world runs, such as the position of a joystick.

use super::{BodyKind, BodyModel, ColliderModel, JointModel, Model};
use crate::force::{
    Aerodynamic, Buoyancy, CentralGravity, Coulomb, Drag, Force, Gravitation, Gravity, PointForce, Spring, TimedForce,
    Vortex,
};
use std::any::Any;
use std::fmt::{Debug, Write};
use std::sync::Arc;

/// The 64-bit FNV-1a hash of a text that is never put together.
struct Hash(u64);

impl Write for Hash {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Ok(())
    }
}

/// The first word of what a part says of itself.
fn kind_of(part: &impl Debug) -> String {
    format!("{part:?}").split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default().to_owned()
}

/// Whether a force is one of tumble's own, which are nothing but numbers. A pointer to a force, as the registry makes them, is that force.
fn is_own(force: &dyn Force) -> bool {
    let force: &dyn Any = force;
    if let Some(inner) = force.downcast_ref::<Arc<dyn Force>>() {
        return is_own(inner.as_ref());
    }
    force.is::<Gravity>()
        || force.is::<Aerodynamic>()
        || force.is::<Coulomb>()
        || force.is::<Gravitation>()
        || force.is::<TimedForce>()
        || force.is::<Spring>()
        || force.is::<Drag>()
        || force.is::<PointForce>()
        || force.is::<Buoyancy>()
        || force.is::<CentralGravity>()
        || force.is::<Vortex>()
}

impl Model {
    /// A number that differs, in practice, whenever two models do, in a time proportional to their size. The same on every
    /// machine; not necessarily in another version of tumble.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = Hash(0xcbf2_9ce4_8422_2325);
        // Hashing never fails.
        let _ = self.write(&mut hash);
        hash.0
    }

    fn write(&self, hash: &mut Hash) -> std::fmt::Result {
        for (id, body) in self.bodies.iter() {
            let kind = match &body.kind {
                BodyKind::Scripted(script) => kind_of(script),
                other => format!("{other:?}"),
            };
            let BodyModel { name, mass, linear_damping, angular_damping, gravity_scale, sleep, groups, locks, .. } =
                body;
            write!(hash, "{id:?}{name:?}{kind:?}{mass:?}")?;
            write!(hash, "{linear_damping:?}{angular_damping:?}{gravity_scale:?}{sleep:?}{groups:?}{locks:?}")?;
        }
        for (id, collider) in self.colliders.iter() {
            let ColliderModel { body, shape, pose, density, material, sensor, layers, .. } = collider;
            write!(hash, "{id:?}{body:?}{shape:?}{pose:?}{density:?}{material:?}{sensor:?}{layers:?}")?;
        }
        for (id, joint) in self.joints.iter() {
            let JointModel { name, ends, constraint, collide, breaking, programs, .. } = joint;
            write!(hash, "{id:?}{name:?}{ends:?}{collide:?}{breaking:?}{programs:?}")?;
            if programs.is_empty() {
                write!(hash, "{constraint:?}")?;
            } else {
                write!(hash, "{:?}", joint.made)?;
            }
        }
        for (id, force) in self.forces.iter() {
            let kind = if is_own(force.as_ref()) { format!("{force:?}") } else { kind_of(force) };
            write!(hash, "{id:?}{kind}")?;
        }
        write!(hash, "{:?}{:?}{:?}", self.filter, self.mixing, self.contact_rule)
    }
}
