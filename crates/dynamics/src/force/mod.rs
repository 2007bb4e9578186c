//! Forces: what pushes bodies about, besides contacts and joints.

mod aerodynamic;
mod buoyancy;
mod central_gravity;
mod closure;
mod drag;
mod gravity;
mod pairwise;
mod point;
mod spring;
mod target;
mod timed;
mod vortex;

pub use aerodynamic::Aerodynamic;
pub use buoyancy::Buoyancy;
pub use central_gravity::CentralGravity;
pub use closure::FnForce;
pub use drag::Drag;
pub use gravity::Gravity;
pub use pairwise::{Coulomb, Gravitation};
pub use point::{Axes, PointForce};
pub use spring::{Spring, SpringEnd};
pub use target::Target;
pub use timed::TimedForce;
pub use vortex::Vortex;

#[cfg(feature = "registry")]
use crate::registry::Table;
use crate::{BodyId, BodyState, Id, Model, Wrench};
use glam::DVec3;
use std::fmt::Debug;
use std::sync::Arc;
use tumble_geometry::{Fuse, Plane};

/// What a force sees: the model, the time, and how the bodies move. The motions may be those of an integrator's
/// intermediate stage.
#[derive(Clone, Copy, Debug)]
pub struct ForceContext<'a> {
    /// The model.
    pub model: &'a Model,
    /// The time in seconds.
    pub time: f64,
    /// The motion of each body, by slot.
    pub bodies: &'a [BodyState],
}

impl ForceContext<'_> {
    /// The motion of a body, if it exists.
    pub fn body(&self, id: BodyId) -> Option<&BodyState> {
        self.model.bodies().get(id)?;
        self.bodies.get(id.slot())
    }
}

/// Sums of forces and torques, by slot of the body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wrenches {
    wrenches: Vec<Wrench>,
}

impl Wrenches {
    /// No force on any of `count` bodies.
    pub fn zero(count: usize) -> Self {
        Self { wrenches: vec![Wrench::default(); count] }
    }

    /// No force on any of `count` bodies; memory is used again.
    pub fn reset(&mut self, count: usize) {
        self.wrenches.clear();
        self.wrenches.resize(count, Wrench::default());
    }

    /// The sums.
    pub fn as_slice(&self) -> &[Wrench] {
        &self.wrenches
    }

    /// Adds a force (N) through the centre of mass of the body in slot `slot`.
    pub fn add_force(&mut self, slot: usize, force: DVec3) {
        if let Some(wrench) = self.wrenches.get_mut(slot) {
            wrench.force += force;
        }
    }

    /// Adds a torque (N m) to the body in slot `slot`.
    pub fn add_torque(&mut self, slot: usize, torque: DVec3) {
        if let Some(wrench) = self.wrenches.get_mut(slot) {
            wrench.torque += torque;
        }
    }

    /// Adds a force (N) that acts at the world point `point` on the body in slot `slot` whose centre of mass is `center`.
    pub fn add_force_at(&mut self, slot: usize, center: DVec3, force: DVec3, point: DVec3) {
        self.add_force(slot, force);
        self.add_torque(slot, (point - center).cross(force));
    }
}

/// A force on some or all bodies.
pub trait Force: std::any::Any + Debug + Send + Sync {
    /// Adds what it does to the sums.
    fn apply(&self, context: &ForceContext<'_>, wrenches: &mut Wrenches);

    /// The potential energy in joules stored in it, if it has one. Default: none.
    fn potential_energy(&self, _context: &ForceContext<'_>) -> Option<f64> {
        None
    }

    /// The acceleration in m/s² that it gives to every body alike, times the body's gravity scale, if that is all it does; a method
    /// can then integrate it exactly without asking for forces. Default: none.
    fn uniform_acceleration(&self) -> Option<DVec3> {
        None
    }

    /// The surface of the fluid it comes from, for pictures; the normal points out of the fluid. Default: none.
    fn surface(&self) -> Option<Plane> {
        None
    }

    /// The two points in the world between which it acts, for pictures. Default: none.
    fn ends(&self, _context: &ForceContext<'_>) -> Option<[DVec3; 2]> {
        None
    }

    /// The [fuse](Fuse) it blows when it fails, if it can fail: the world takes back the step in which that happens. Default: none.
    fn fuse(&self) -> Option<&Fuse> {
        None
    }
}

/// A shared force, as the registry makes them, is a force.
impl<F: Force + ?Sized> Force for Arc<F> {
    fn apply(&self, context: &ForceContext<'_>, wrenches: &mut Wrenches) {
        self.as_ref().apply(context, wrenches);
    }

    fn potential_energy(&self, context: &ForceContext<'_>) -> Option<f64> {
        self.as_ref().potential_energy(context)
    }

    fn uniform_acceleration(&self) -> Option<DVec3> {
        self.as_ref().uniform_acceleration()
    }

    fn surface(&self) -> Option<Plane> {
        self.as_ref().surface()
    }

    fn ends(&self, context: &ForceContext<'_>) -> Option<[DVec3; 2]> {
        self.as_ref().ends(context)
    }

    fn fuse(&self) -> Option<&Fuse> {
        self.as_ref().fuse()
    }
}

/// Registers the built-in forces.
#[cfg(feature = "registry")]
pub(crate) fn register(table: &mut Table<Arc<dyn Force>>) {
    table.register("gravity", |force: Gravity| Ok(Arc::new(force) as _));
    table.register("central_gravity", |force: CentralGravity| Ok(Arc::new(force) as _));
    table.register("aerodynamic", |force: Aerodynamic| Ok(Arc::new(force) as _));
    table.register("buoyancy", |force: Buoyancy| Ok(Arc::new(force) as _));
    table.register("coulomb", |force: Coulomb| Ok(Arc::new(force) as _));
    table.register("gravitation", |force: Gravitation| Ok(Arc::new(force) as _));
    table.register("timed", |force: TimedForce| {
        force.validate()?;
        Ok(Arc::new(force) as _)
    });
    table.register("drag", |force: Drag| Ok(Arc::new(force) as _));
    table.register("point", |force: PointForce| Ok(Arc::new(force) as _));
    table.register("spring", |force: Spring| Ok(Arc::new(force) as _));
    table.register("vortex", |force: Vortex| Ok(Arc::new(force) as _));
}
