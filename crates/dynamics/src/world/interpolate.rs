//! Interpolation: where bodies are between the last two steps, for pictures.
//!
//! A game draws when the screen wants it and simulates in steps of one length (Fiedler, *Fix Your Timestep!*, 2004): the time that
//! has passed and is not yet simulated is a part α of a step. Drawn is what lies α of the way from the step before to the last one:
//! centres of mass along a straight line, orientations along the shorter arc. So pictures are smooth at every rate, at the price of
//! being late by up to a step.
//!
//! The poses before a step are kept from the first time on that somebody asks; a world that is never asked keeps nothing.

use super::World;
use crate::{BodyId, Id, ModelError};
use glam::{DQuat, DVec3};
use std::sync::atomic::{AtomicBool, Ordering};
use tumble_geometry::Transform;
use tumble_geometry::math::{rotation_from_vector, rotation_vector};

/// The poses before the last step.
#[derive(Debug, Default)]
pub(super) struct Past {
    /// Whether somebody has ever asked.
    asked: AtomicBool,
    /// By slot: centre of mass and orientation before the last step. Slots that are missing have not moved.
    before: Vec<(DVec3, DQuat)>,
    /// Those before the step under way.
    coming: Vec<(DVec3, DQuat)>,
}

impl Past {
    /// Notes where a body is that did not get there by moving.
    pub(super) fn set(&mut self, slot: usize, position: DVec3, rotation: DQuat) {
        if let Some(row) = self.before.get_mut(slot) {
            *row = (position, rotation);
        }
    }

    /// The past has nothing to do with the present any more.
    pub(super) fn forget(&mut self) {
        self.before.clear();
    }

    /// A step was taken.
    pub(super) fn step_taken(&mut self) {
        if *self.asked.get_mut() {
            std::mem::swap(&mut self.before, &mut self.coming);
        }
    }
}

impl World {
    /// Notes where all bodies are before a step, if somebody wants to know.
    pub(super) fn keep_past(&mut self) {
        if *self.past.asked.get_mut() {
            self.past.coming.clear();
            self.past.coming.extend(self.state.bodies.iter().map(|body| (body.position, body.rotation)));
        }
    }

    /// The pose of a body frame between the last two steps: where it was before the last step for `alpha` = 0, where it is for 1.
    /// Values outside of that range are brought into it; NaN counts as 1.
    ///
    /// The first call makes the world keep the poses it needs from the next step on; until then bodies are where they are. A body
    /// that was added, [teleported](crate::BodyMut::teleport) or loaded since is where it is.
    ///
    /// ```
    /// use tumble_dynamics::{Body, World};
    ///
    /// let mut world = World::new();
    /// world.set_gravity([0.0; 3]);
    /// let puck = world.add_body(Body::particle(1.0).with_velocity([6.0, 0.0, 0.0]))?;
    /// assert_eq!(world.interpolated(puck, 0.5)?.translation.x, 0.0); // no step yet
    /// world.step(0.5)?;
    /// assert!((world.interpolated(puck, 0.25)?.translation.x - 0.75).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn interpolated(&self, body: BodyId, alpha: f64) -> Result<Transform, ModelError> {
        self.past.asked.store(true, Ordering::Relaxed);
        self.model.bodies.get(body).ok_or(ModelError::NoSuchBody(body))?;
        Ok(self.between(body, sane(alpha)))
    }

    /// [Interpolated](Self::interpolated) poses of all bodies, in the order of their slots.
    pub fn interpolated_bodies(&self, alpha: f64) -> impl Iterator<Item = (BodyId, Transform)> {
        self.past.asked.store(true, Ordering::Relaxed);
        let alpha = sane(alpha);
        self.model.bodies.ids().map(move |id| (id, self.between(id, alpha)))
    }

    fn between(&self, id: BodyId, alpha: f64) -> Transform {
        let now = &self.state.bodies[id.slot()];
        let (position, rotation) = match self.past.before.get(id.slot()) {
            Some(&(position, rotation)) => {
                let turn = rotation_vector(now.rotation * rotation.conjugate());
                (position.lerp(now.position, alpha), (rotation_from_vector(turn * alpha) * rotation).normalize())
            }
            None => (now.position, now.rotation),
        };
        let center = self.model.bodies.get(id).map_or(DVec3::ZERO, |body| body.mass.center);
        Transform::new(rotation, position - rotation * center)
    }
}

fn sane(alpha: f64) -> f64 {
    if alpha.is_nan() { 1.0 } else { alpha.clamp(0.0, 1.0) }
}
