//! The mass of bodies: from their colliders or as given, kept up to date with both.

use super::World;
use crate::journal::{BodyChange, Change};
use crate::model::{BodyKind, BodyModel, ColliderModel, JointEnd, Locks, MassChoice, Script, ScriptMotion};
use crate::{BodyId, Id, ModelError};
use glam::{DMat3, DVec3};
use tumble_geometry::{MassProperties, Transform};

impl World {
    /// Makes a body of this kind and mass out of one that exists. Its frame stays where it is, and every point of it
    /// keeps its velocity as far as the kind allows.
    pub(super) fn rebuild_body(&mut self, id: BodyId, kind: BodyKind, choice: MassChoice) -> Result<(), ModelError> {
        let model = self.model.bodies.get(id).ok_or(ModelError::NoSuchBody(id))?;
        let mass = mass_of(&kind, choice, self.colliders_of(model))?;
        let script = match &kind {
            BodyKind::Scripted(script) => Some(script_motion(script.as_ref(), self.state.time)?),
            _ => None,
        };
        let stops = !matches!((&kind, &model.kind), (BodyKind::Fixed, BodyKind::Fixed)) && !kind.is_movable();
        let turns = !matches!(kind, BodyKind::Particle);
        if let Some(model) = self.model.bodies.get_mut(id) {
            (model.kind, model.mass_choice) = (kind, choice);
        }
        self.note(Change::Body(id, BodyChange::Kind));
        self.set_mass(id, mass);
        let state = &mut self.state.bodies[id.slot()];
        if stops {
            state.velocity = DVec3::ZERO;
        }
        if stops || !turns {
            state.angular_velocity = DVec3::ZERO;
        }
        if let Some(motion) = script {
            (state.position, state.rotation) = (motion.pose.point(mass.center), motion.pose.rotation);
            (state.velocity, state.angular_velocity) = (motion.velocity_at(state.position), motion.angular_velocity);
        }
        self.wake_touching(id);
        self.relock(id)
    }

    pub(super) fn colliders_of<'a>(&'a self, body: &'a BodyModel) -> impl Iterator<Item = &'a ColliderModel> {
        body.colliders.iter().filter_map(|&id| self.model.colliders.get(id))
    }

    /// Gives a body new mass properties; its frame stays where it is and every point of it keeps its velocity.
    pub(super) fn set_mass(&mut self, id: BodyId, mass: MassProperties) {
        let Some(model) = self.model.bodies.get_mut(id) else { return };
        let state = &mut self.state.bodies[id.slot()];
        let center = model.frame(state).point(mass.center);
        let velocity = state.velocity_at(center);
        // Only a motion at the limits of what numbers hold could overflow here; it is left as it was.
        if velocity.is_finite() && center.is_finite() {
            (state.velocity, state.position) = (velocity, center);
        }
        model.mass = mass;
        set_inverses(model);
        for collider in model.colliders.clone() {
            self.places.lend().changed(collider.slot());
            if let Some(collider) = self.model.colliders.get_mut(collider) {
                collider.center_pose = about_center(&collider.pose, mass.center);
            }
        }
        self.note(Change::Body(id, BodyChange::Mass));
        self.share_load(id);
        self.wake_ends([JointEnd::Body(id), JointEnd::World]);
    }
}

/// How a script moves its body, if that is a motion.
pub(super) fn script_motion(script: &dyn Script, time: f64) -> Result<ScriptMotion, ModelError> {
    let motion = script.motion(time);
    if motion.is_valid() {
        Ok(ScriptMotion { pose: motion.pose.normalized(), ..motion })
    } else {
        let value = format!("{motion:?} at {time} s");
        Err(ModelError::OutOfRange { what: "motion of the script", value, allowed: "finite, with a unit quaternion" })
    }
}

/// A pose in the body frame, seen from the frame at the centre of mass.
pub(super) fn about_center(pose: &Transform, center: DVec3) -> Transform {
    Transform::new(pose.rotation, pose.translation - center)
}

/// The mass properties of a body in its frame.
pub(super) fn mass_of<'a>(
    kind: &BodyKind,
    choice: MassChoice,
    colliders: impl Iterator<Item = &'a ColliderModel>,
) -> Result<MassProperties, ModelError> {
    if let MassChoice::Given(properties) = choice {
        return Ok(properties);
    }
    match (kind, choice) {
        (BodyKind::Fixed | BodyKind::Scripted(_), _) => Ok(MassProperties::point(0.0, DVec3::ZERO)),
        (BodyKind::Particle, MassChoice::Total(mass)) => Ok(MassProperties::point(mass, DVec3::ZERO)),
        _ => {
            let mut total: Option<MassProperties> = None;
            for collider in colliders.filter(|collider| !collider.sensor) {
                let part = collider.shape.mass_properties(collider.density)?.transformed(&collider.pose);
                total = Some(total.map_or(part, |sum| sum.combined(&part)));
            }
            match (total, choice) {
                (Some(sum), MassChoice::Total(mass)) => Ok(sum.scaled_to_mass(mass)?),
                (Some(sum), _) => Ok(sum),
                (None, MassChoice::Total(mass)) => Ok(MassProperties::point(mass, DVec3::ZERO)),
                (None, _) => Err(ModelError::Invalid(
                    "a body without solid colliders that forces move needs a mass: give it one, or mass properties"
                        .into(),
                )),
            }
        }
    }
}

/// Brings what follows from mass and kind up to date.
pub(super) fn set_inverses(model: &mut BodyModel) {
    model.principal = model.mass.principal();
    let movable = model.kind.is_movable();
    let turns = matches!(model.kind, BodyKind::Dynamic) && !model.locks.contains(Locks::TURNS);
    model.inverse_mass = if movable { model.mass.inverse_mass() } else { 0.0 };
    model.inverse_inertia = if turns { model.mass.inverse_inertia() } else { DMat3::ZERO };
}
