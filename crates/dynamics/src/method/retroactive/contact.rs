//! A pair of colliders near each other, remembered from step to step.

use crate::constraint::contact::ContactGeometry;
use crate::model::ContactMaterial;
use crate::{BodyId, ColliderId, Wrench};
use glam::DVec3;
use serde::{Deserialize, Serialize};
use tumble_geometry::query::{FeatureId, PairCache};

/// The impulses at a contact point in one stage of a step. Directions are in world coordinates, so that they survive a
/// change of the tangents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactImpulses {
    /// Along the normal, in N s.
    pub normal: f64,
    /// Friction on the second body, in N s.
    pub friction: DVec3,
    /// Rolling friction on the second body, in N m s.
    pub rolling: DVec3,
    /// Spinning friction about the normal, in N m s.
    pub spinning: f64,
}

/// A contact point and what is remembered of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContactPointState {
    /// Which parts and features touch: the point is the same as one of the step before if these are.
    pub key: (u32, u32, FeatureId),
    /// Where, in world coordinates.
    pub geometry: ContactGeometry,
    /// The impulses at the beginning of the step, which keep the bodies apart.
    pub start: ContactImpulses,
    /// The impulses at the end of the step, which stop their approach or let them bounce.
    pub end: ContactImpulses,
    /// How fast the surfaces would meet, in m/s: their approach before the step, at the moment of touching.
    pub impact_speed: f64,
    /// The velocity of the point itself through space in the last step, in m/s; none for a new point.
    pub velocity: Option<DVec3>,
}

impl ContactPointState {
    pub(super) fn new(key: (u32, u32, FeatureId), geometry: ContactGeometry) -> Self {
        let none = ContactImpulses::default();
        Self { key, geometry, start: none, end: none, impact_speed: 0.0, velocity: None }
    }

    /// The same point after a step of `dt` seconds.
    pub(super) fn moved_to(&self, geometry: ContactGeometry, dt: f64) -> Self {
        let velocity = (geometry.position - self.geometry.position) / dt;
        Self { geometry, velocity: velocity.is_finite().then_some(velocity), ..*self }
    }

    /// The impulse on the second body during the step, in N s.
    pub fn impulse(&self) -> DVec3 {
        self.geometry.normal * (self.start.normal + self.end.normal) + self.start.friction + self.end.friction
    }
}

/// A pair of colliders near each other.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Contact {
    /// The colliders, the smaller id first.
    pub colliders: [ColliderId; 2],
    /// Their bodies.
    pub bodies: [BodyId; 2],
    /// The contact points; empty if they are too far apart, or one is a sensor.
    pub points: Vec<ContactPointState>,
    /// What the two materials give.
    pub material: ContactMaterial,
    /// Whether they touched in the last step (for sensors: overlapped).
    pub touching: bool,
    pub(super) touched_before: bool,
    pub(super) sensor: bool,
    pub(super) first_is_sensor: bool,
    pub(super) cache: PairCache,
    /// The revisions of the shapes the cache is about.
    pub(super) shapes: [u64; 2],
    /// The length of the step the impulses belong to, in seconds.
    pub(super) dt: f64,
    /// The tilt of the normals by rough surfaces, drawn when the contact began.
    pub(super) tilt: DVec3,
}

impl Contact {
    /// The impulse on the second body during the step, in N s.
    pub fn impulse(&self) -> DVec3 {
        self.points.iter().map(ContactPointState::impulse).sum()
    }

    /// The force on the second body at one of the points, in newtons: the mean over the step.
    pub fn force_at(&self, point: &ContactPointState) -> DVec3 {
        if self.dt > 0.0 { point.impulse() / self.dt } else { DVec3::ZERO }
    }

    /// Force and torque (about `center`, a world point) on the second body: the mean over the step.
    pub fn wrench_about(&self, center: DVec3) -> Wrench {
        let mut sum = Wrench::default();
        for point in self.points.iter().filter(|_| self.dt > 0.0) {
            let ContactPointState { geometry, start, end, .. } = point;
            let force = self.force_at(point);
            let twist = start.rolling + end.rolling + geometry.normal * (start.spinning + end.spinning);
            sum += Wrench { force, torque: (geometry.position - center).cross(force) + twist / self.dt };
        }
        sum
    }

    /// The normal of a rough surface whose ideal normal this is.
    pub(super) fn tilted(&self, ideal: DVec3) -> DVec3 {
        if self.tilt == DVec3::ZERO { ideal } else { (ideal + self.tilt).normalize_or(ideal) }
    }

    /// Forgets what was found for shapes other than those of these revisions.
    pub(super) fn forget_other_shapes(&mut self, shapes: [u64; 2]) {
        if self.shapes != shapes {
            (self.shapes, self.cache) = (shapes, PairCache::default());
            self.points.clear();
        }
    }

    /// The colliders, a sensor first.
    pub(super) fn sensor_first(&self) -> [ColliderId; 2] {
        let [a, b] = self.colliders;
        if self.first_is_sensor { [a, b] } else { [b, a] }
    }
}
