//! Reading and changing one body of a world.

use super::World;
use crate::error::checked;
use crate::model::BodyModel;
use crate::{BodyId, BodyState, Id, ModelError, Wrench};
use glam::{DQuat, DVec3};
use tumble_geometry::Transform;

/// A body of a world, to read.
#[derive(Clone, Copy, Debug)]
pub struct BodyRef<'a> {
    model: &'a BodyModel,
    state: &'a BodyState,
}

impl<'a> BodyRef<'a> {
    /// What does not change.
    pub fn model(&self) -> &'a BodyModel {
        self.model
    }

    /// What does.
    pub fn state(&self) -> &'a BodyState {
        self.state
    }

    /// The pose of the body frame.
    pub fn pose(&self) -> Transform {
        self.model.frame(self.state)
    }

    /// Where the body frame's origin is, in metres.
    pub fn position(&self) -> DVec3 {
        self.pose().translation
    }

    /// The orientation.
    pub fn rotation(&self) -> DQuat {
        self.state.rotation
    }

    /// Where the centre of mass is, in metres.
    pub fn center_of_mass(&self) -> DVec3 {
        self.state.position
    }

    /// The velocity of the centre of mass in m/s.
    pub fn velocity(&self) -> DVec3 {
        self.state.velocity
    }

    /// The angular velocity in rad/s, in world coordinates.
    pub fn angular_velocity(&self) -> DVec3 {
        self.state.angular_velocity
    }

    /// The mass in kilograms; zero for bodies that forces do not move.
    pub fn mass(&self) -> f64 {
        if self.model.kind.is_movable() { self.model.mass.mass } else { 0.0 }
    }

    /// The kinetic energy in joules: `½ m v² + ½ ω·Iω`.
    pub fn kinetic_energy(&self) -> f64 {
        let spin = self.state.angular_velocity;
        0.5 * self.mass() * self.state.velocity.length_squared() + 0.5 * spin.dot(self.spin())
    }

    /// The momentum in kg m/s.
    pub fn momentum(&self) -> DVec3 {
        self.mass() * self.state.velocity
    }

    /// The angular momentum about the centre of mass in kg m²/s: `Iω`.
    pub fn spin(&self) -> DVec3 {
        if self.model.kind.is_movable() {
            self.model.world_inertia(self.state.rotation) * self.state.angular_velocity
        } else {
            DVec3::ZERO
        }
    }

    /// Whether it sleeps.
    pub fn is_asleep(&self) -> bool {
        self.state.asleep
    }
}

/// A body of a world, to change. Every change wakes it.
#[derive(Debug)]
pub struct BodyMut<'a> {
    pub(super) model: &'a mut BodyModel,
    pub(super) state: &'a mut BodyState,
    pub(super) applied: &'a mut Wrench,
}

impl World {
    /// A body, to read.
    pub fn body(&self, id: BodyId) -> Result<BodyRef<'_>, ModelError> {
        let model = self.model.bodies.get(id).ok_or(ModelError::NoSuchBody(id))?;
        Ok(BodyRef { model, state: &self.state.bodies[id.slot()] })
    }

    /// All bodies with their ids, in the order of their slots.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, BodyRef<'_>)> {
        self.model.bodies.iter().map(|(id, model)| (id, BodyRef { model, state: &self.state.bodies[id.slot()] }))
    }

    /// The first body with this name.
    pub fn body_named(&self, name: &str) -> Option<BodyId> {
        self.bodies().find(|(_, body)| body.model.name == name).map(|(id, _)| id)
    }

    /// A body, to change; it wakes up.
    pub fn body_mut(&mut self, id: BodyId) -> Result<BodyMut<'_>, ModelError> {
        let model = self.model.bodies.get_mut(id).ok_or(ModelError::NoSuchBody(id))?;
        let state = &mut self.state.bodies[id.slot()];
        state.asleep = false;
        state.quiet_time = 0.0;
        Ok(BodyMut { model, state, applied: &mut self.state.applied[id.slot()] })
    }
}

fn finite(what: &'static str, value: DVec3) -> Result<DVec3, ModelError> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(ModelError::OutOfRange { what, value: value.to_string(), allowed: "finite" })
    }
}

impl BodyMut<'_> {
    /// Moves the body frame to a pose.
    pub fn set_pose(&mut self, pose: Transform) -> Result<(), ModelError> {
        if !pose.is_valid() {
            let value = format!("{pose:?}");
            return Err(ModelError::OutOfRange { what: "body pose", value, allowed: "finite, with a unit quaternion" });
        }
        self.state.position = finite("centre of mass", pose.point(self.model.mass.center))?;
        self.state.rotation = pose.rotation.normalize();
        Ok(())
    }

    /// Moves the body frame's origin.
    pub fn set_position(&mut self, position: impl Into<DVec3>) -> Result<(), ModelError> {
        let pose = Transform::new(self.state.rotation, finite("body position", position.into())?);
        self.state.position = finite("centre of mass", pose.point(self.model.mass.center))?;
        Ok(())
    }

    /// Sets the velocity of the centre of mass in m/s.
    pub fn set_velocity(&mut self, velocity: impl Into<DVec3>) -> Result<(), ModelError> {
        self.state.velocity = finite("body velocity", velocity.into())?;
        Ok(())
    }

    /// Sets the angular velocity in rad/s, in world coordinates.
    pub fn set_angular_velocity(&mut self, angular_velocity: impl Into<DVec3>) -> Result<(), ModelError> {
        self.state.angular_velocity = finite("body angular velocity", angular_velocity.into())?;
        Ok(())
    }

    /// Adds a force in newtons through the centre of mass, for the next step only.
    pub fn apply_force(&mut self, force: impl Into<DVec3>) -> Result<(), ModelError> {
        self.applied.force = finite("sum of forces", self.applied.force + finite("force", force.into())?)?;
        Ok(())
    }

    /// Adds a force in newtons at a world point, for the next step only.
    pub fn apply_force_at(&mut self, force: impl Into<DVec3>, point: impl Into<DVec3>) -> Result<(), ModelError> {
        let (force, point) = (finite("force", force.into())?, finite("point of application", point.into())?);
        let torque = (point - self.state.position).cross(force);
        let torque = finite("sum of torques", self.applied.torque + torque)?;
        (self.applied.force, self.applied.torque) = (finite("sum of forces", self.applied.force + force)?, torque);
        Ok(())
    }

    /// Adds a torque in newton metres, for the next step only.
    pub fn apply_torque(&mut self, torque: impl Into<DVec3>) -> Result<(), ModelError> {
        self.applied.torque = finite("sum of torques", self.applied.torque + finite("torque", torque.into())?)?;
        Ok(())
    }

    /// Changes the velocity at once by an impulse in N s through the centre of mass.
    pub fn apply_impulse(&mut self, impulse: impl Into<DVec3>) -> Result<(), ModelError> {
        let impulse = finite("impulse", impulse.into())?;
        self.state.velocity =
            finite("velocity after the impulse", self.state.velocity + impulse * self.model.inverse_mass)?;
        Ok(())
    }

    /// Changes the velocities at once by an impulse in N s at a world point.
    pub fn apply_impulse_at(&mut self, impulse: impl Into<DVec3>, point: impl Into<DVec3>) -> Result<(), ModelError> {
        let (impulse, point) = (finite("impulse", impulse.into())?, finite("point of application", point.into())?);
        let lever = point - self.state.position;
        let turn = self.model.world_inverse_inertia(self.state.rotation) * lever.cross(impulse);
        let velocity = finite("velocity after the impulse", self.state.velocity + impulse * self.model.inverse_mass)?;
        let angular = finite("angular velocity after the impulse", self.state.angular_velocity + turn)?;
        (self.state.velocity, self.state.angular_velocity) = (velocity, angular);
        Ok(())
    }

    /// How fast the velocities decay by themselves, in 1/s.
    pub fn set_damping(&mut self, linear: f64, angular: f64) -> Result<(), ModelError> {
        let linear = checked("linear damping", linear, 0.0.., "at least 0 per second")?;
        let angular = checked("angular damping", angular, 0.0.., "at least 0 per second")?;
        (self.model.linear_damping, self.model.angular_damping) = (linear, angular);
        Ok(())
    }

    /// How strongly gravity acts on it, as a factor.
    pub fn set_gravity_scale(&mut self, factor: f64) -> Result<(), ModelError> {
        self.model.gravity_scale = checked("gravity scale", factor, .., "finite")?;
        Ok(())
    }

    /// Puts it to sleep: it is left alone until something wakes it.
    pub fn sleep(&mut self) {
        self.state.asleep = true;
        self.state.velocity = DVec3::ZERO;
        self.state.angular_velocity = DVec3::ZERO;
    }
}
