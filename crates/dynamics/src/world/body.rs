//! Reading and changing one body of a world.

use super::World;
use crate::error::checked;
use crate::journal::{BodyChange, Change};
use crate::model::{BodyKind, BodyModel, Course, MassChoice, Material, Sleep};
use crate::{BodyId, BodyState, Id, ModelError, Wrench};
use glam::{DQuat, DVec3};
use std::sync::Arc;
use tumble_geometry::{MassProperties, Transform};

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

    /// The number for your own use.
    pub fn user_data(&self) -> u64 {
        self.model.user_data
    }

    /// Whether it sleeps.
    pub fn is_asleep(&self) -> bool {
        self.state.asleep
    }
}

/// A body of a world, to change. It is awake from then on, and so is what it touches or is joined to.
#[derive(Debug)]
pub struct BodyMut<'a> {
    pub(super) world: &'a mut World,
    pub(super) id: BodyId,
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
        let model = self.model.bodies.get(id).ok_or(ModelError::NoSuchBody(id))?;
        // What touches a body that is awake and movable is awake already.
        if self.state.bodies[id.slot()].asleep || !model.kind.is_movable() {
            self.wake_touching(id);
        }
        self.wake(id);
        Ok(BodyMut { world: self, id })
    }
}

fn finite(what: &'static str, value: DVec3) -> Result<DVec3, ModelError> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(ModelError::OutOfRange { what, value: value.to_string(), allowed: "finite" })
    }
}

/// Where it is, how it moves and what pushes it.
impl BodyMut<'_> {
    /// The body, to read.
    pub fn read(&self) -> BodyRef<'_> {
        BodyRef { model: self.model(), state: &self.world.state.bodies[self.id.slot()] }
    }

    pub(super) fn model(&self) -> &BodyModel {
        self.world.model.bodies.get(self.id).expect("looked up when the BodyMut was made, which nobody can outrun")
    }

    pub(super) fn model_mut(&mut self) -> &mut BodyModel {
        self.world.model.bodies.get_mut(self.id).expect("looked up when the BodyMut was made, which nobody can outrun")
    }

    pub(super) fn state(&mut self) -> &mut BodyState {
        &mut self.world.state.bodies[self.id.slot()]
    }

    pub(super) fn note(&mut self, change: BodyChange) {
        self.world.note(Change::Body(self.id, change));
    }

    fn moved(&mut self) {
        self.world.places.lend().body_changed(&self.world.model, self.id);
        self.note(BodyChange::Moved);
    }

    fn applied(&self) -> Wrench {
        self.world.state.applied.get(self.id.slot())
    }

    fn apply(&mut self, wrench: Wrench) {
        self.world.state.applied.set(self.id.slot(), wrench);
        self.note(BodyChange::Loaded);
    }

    /// Moves the body frame to a pose. A body that follows a script is where the script says: an error. A kinematic one goes on from
    /// there.
    pub fn set_pose(&mut self, pose: Transform) -> Result<(), ModelError> {
        if !pose.is_valid() {
            let value = format!("{pose:?}");
            return Err(ModelError::OutOfRange { what: "body pose", value, allowed: "finite, with a unit quaternion" });
        }
        self.put(pose.normalized())
    }

    fn put(&mut self, pose: Transform) -> Result<(), ModelError> {
        let center = finite("centre of mass", pose.point(self.model().mass.center))?;
        if let Some(course) = self.steered()? {
            self.take(Course { from: pose, ..course })?;
        }
        (self.state().position, self.state().rotation) = (center, pose.rotation);
        self.moved();
        Ok(())
    }

    /// Moves the body frame's origin, like [`set_pose`](Self::set_pose).
    pub fn set_position(&mut self, position: impl Into<DVec3>) -> Result<(), ModelError> {
        let position = finite("body position", position.into())?;
        let rotation = self.state().rotation;
        self.put(Transform::new(rotation, position))
    }

    /// Turns the body about its frame's origin, to an orientation.
    pub fn set_rotation(&mut self, rotation: DQuat) -> Result<(), ModelError> {
        let state = *self.state();
        let origin = self.model().frame(&state).translation;
        self.set_pose(Transform::new(rotation, origin))
    }

    /// Sets the velocity of the centre of mass in m/s; nothing of it is left along [locked](crate::model::Locks) directions. A
    /// kinematic body goes on with it; for one that follows a script it is an error.
    pub fn set_velocity(&mut self, velocity: impl Into<DVec3>) -> Result<(), ModelError> {
        let velocity = finite("body velocity", velocity.into())?;
        if let Some(course) = self.steered()? {
            let arm = course.from.vector(self.model().mass.center);
            let velocity = velocity - course.angular_velocity.cross(arm);
            return self.take(Course { velocity, end: f64::INFINITY, ..course });
        }
        self.state().velocity = self.model().locks.leave(velocity, DVec3::ZERO)[0];
        self.note(BodyChange::Pushed);
        Ok(())
    }

    /// Sets the angular velocity in rad/s, in world coordinates; nothing of it is left about [locked](crate::model::Locks) axes. A
    /// particle has none but zero. A kinematic body goes on with it; for one that follows a script it is an error.
    pub fn set_angular_velocity(&mut self, angular_velocity: impl Into<DVec3>) -> Result<(), ModelError> {
        let angular_velocity = finite("body angular velocity", angular_velocity.into())?;
        if matches!(self.model().kind, BodyKind::Particle) && angular_velocity != DVec3::ZERO {
            return Err(ModelError::Invalid(format!(
                "{:?} is a particle and never turns, but its angular velocity would be {angular_velocity} rad/s",
                self.id
            )));
        }
        if let Some(course) = self.steered()? {
            return self.take(Course { angular_velocity, end: f64::INFINITY, ..course });
        }
        self.state().angular_velocity = self.model().locks.leave(DVec3::ZERO, angular_velocity)[1];
        self.note(BodyChange::Pushed);
        Ok(())
    }

    /// Adds a force in newtons through the centre of mass, for the next step only.
    pub fn apply_force(&mut self, force: impl Into<DVec3>) -> Result<(), ModelError> {
        let sum = self.applied().force + finite("force", force.into())?;
        self.apply(Wrench { force: finite("sum of forces", sum)?, ..self.applied() });
        Ok(())
    }

    /// Adds a force in newtons at a world point, for the next step only.
    pub fn apply_force_at(&mut self, force: impl Into<DVec3>, point: impl Into<DVec3>) -> Result<(), ModelError> {
        let (force, point) = (finite("force", force.into())?, finite("point of application", point.into())?);
        let torque = self.applied().torque + (point - self.state().position).cross(force);
        let torque = finite("sum of torques", torque)?;
        let force = finite("sum of forces", self.applied().force + force)?;
        self.apply(Wrench { force, torque });
        Ok(())
    }

    /// Adds a torque in newton metres, for the next step only.
    pub fn apply_torque(&mut self, torque: impl Into<DVec3>) -> Result<(), ModelError> {
        let sum = self.applied().torque + finite("torque", torque.into())?;
        self.apply(Wrench { torque: finite("sum of torques", sum)?, ..self.applied() });
        Ok(())
    }

    /// Takes back all forces and torques applied for the next step.
    pub fn clear_forces(&mut self) {
        self.apply(Wrench::default());
    }

    /// Changes the velocity at once by an impulse in N s through the centre of mass.
    pub fn apply_impulse(&mut self, impulse: impl Into<DVec3>) -> Result<(), ModelError> {
        let change = finite("impulse", impulse.into())? * self.model().inverse_mass;
        self.state().velocity = finite("velocity after the impulse", self.state().velocity + change)?;
        self.note(BodyChange::Pushed);
        Ok(())
    }

    /// Changes the velocities at once by an impulse in N s at a world point.
    pub fn apply_impulse_at(&mut self, impulse: impl Into<DVec3>, point: impl Into<DVec3>) -> Result<(), ModelError> {
        let (impulse, point) = (finite("impulse", impulse.into())?, finite("point of application", point.into())?);
        let before = *self.state();
        let turn = self.model().world_inverse_inertia(before.rotation) * (point - before.position).cross(impulse);
        let velocity = before.velocity + impulse * self.model().inverse_mass;
        let velocity = finite("velocity after the impulse", velocity)?;
        let angular = finite("angular velocity after the impulse", before.angular_velocity + turn)?;
        (self.state().velocity, self.state().angular_velocity) = (velocity, angular);
        self.note(BodyChange::Pushed);
        Ok(())
    }

    /// Puts it to sleep: it is left alone until something wakes it.
    pub fn sleep(&mut self) {
        let state = self.state();
        state.asleep = true;
        state.velocity = DVec3::ZERO;
        state.angular_velocity = DVec3::ZERO;
        self.world.places.lend().body_changed(&self.world.model, self.id);
        self.note(BodyChange::Slept);
    }
}

/// What it is.
impl BodyMut<'_> {
    /// Sets the name to find it by; may be empty.
    pub fn set_name(&mut self, name: impl Into<String>) {
        self.model_mut().name = name.into();
        self.note(BodyChange::Name);
    }

    /// How fast the velocities decay by themselves, in 1/s.
    pub fn set_damping(&mut self, linear: f64, angular: f64) -> Result<(), ModelError> {
        let linear = checked("linear damping", linear, 0.0.., "at least 0 per second")?;
        let angular = checked("angular damping", angular, 0.0.., "at least 0 per second")?;
        (self.model_mut().linear_damping, self.model_mut().angular_damping) = (linear, angular);
        self.note(BodyChange::Damping);
        Ok(())
    }

    /// How strongly gravity acts on it, as a factor.
    pub fn set_gravity_scale(&mut self, factor: f64) -> Result<(), ModelError> {
        self.model_mut().gravity_scale = checked("gravity scale", factor, .., "finite")?;
        self.note(BodyChange::GravityScale);
        Ok(())
    }

    /// Whether it may fall asleep.
    pub fn set_sleep(&mut self, sleep: Sleep) {
        self.model_mut().sleep = sleep;
        self.note(BodyChange::SleepAllowed);
    }

    /// Makes it a member of these collision groups and of no others.
    pub fn set_groups<G: Into<String>>(&mut self, groups: impl IntoIterator<Item = G>) {
        let groups: Vec<String> = groups.into_iter().map(Into::into).collect();
        Arc::make_mut(&mut self.world.model.filter_masks).add_body(self.id, &groups);
        self.model_mut().groups = groups;
        self.note(BodyChange::Groups);
        self.world.wake_touching(self.id);
    }

    /// Gives all its colliders this material and its density; the mass changes unless it was given.
    pub fn set_material(&mut self, material: Material) -> Result<(), ModelError> {
        for collider in self.model().colliders.clone() {
            self.world.collider_mut(collider)?.set_material(material)?;
        }
        Ok(())
    }

    /// Sets the mass in kilograms, distributed as the colliders' shapes and densities say, whatever they become.
    pub fn set_mass(&mut self, mass: f64) -> Result<(), ModelError> {
        self.choose_mass(MassChoice::Total(mass))
    }

    /// Sets mass, centre of mass and inertia in the body frame, whatever the colliders say.
    pub fn set_mass_properties(&mut self, properties: MassProperties) -> Result<(), ModelError> {
        self.choose_mass(MassChoice::Given(properties))
    }

    /// Lets the mass follow from the colliders' shapes and densities again.
    pub fn set_mass_from_colliders(&mut self) -> Result<(), ModelError> {
        self.choose_mass(MassChoice::FromColliders)
    }

    fn choose_mass(&mut self, choice: MassChoice) -> Result<(), ModelError> {
        choice.validate()?;
        let kind = self.model().kind.clone();
        self.world.rebuild_body(self.id, kind, choice)
    }

    /// Makes it dynamic, fixed, scripted or a particle. A fixed body stops; a particle stops turning; a scripted body
    /// goes where its script says it is now. A body that becomes movable needs a mass: solid colliders, or
    /// [`set_mass`](Self::set_mass) before.
    pub fn set_kind(&mut self, kind: BodyKind) -> Result<(), ModelError> {
        let choice = self.model().mass_choice;
        self.world.rebuild_body(self.id, kind, choice)
    }
}
