//! Contacts as every method can tell them: who touches whom, where, how near and how hard.
//!
//! Every method finds and keeps its contacts in its own way. What it shows is a light view: [`Contact`] names the
//! two colliders and lends the points, which are put together only when they are read ([`ContactPoints`]), so that contacts
//! that are not read cost nothing.

use crate::model::ContactMaterial;
use crate::{BodyId, ColliderId, Wrench};
use glam::DVec3;
use serde::{Deserialize, Serialize};
use tumble_geometry::query::{Feature, FeatureId};

/// What acts at a contact point during a step. Directions are in world coordinates, on the second body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactImpulse {
    /// Along the normal, in N s.
    pub normal: f64,
    /// Friction, in N s.
    pub friction: DVec3,
    /// Rolling friction, in N m s.
    pub rolling: DVec3,
    /// Spinning friction about the normal, in N m s.
    pub spinning: f64,
}

impl std::ops::Add for ContactImpulse {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            normal: self.normal + other.normal,
            friction: self.friction + other.friction,
            rolling: self.rolling + other.rolling,
            spinning: self.spinning + other.spinning,
        }
    }
}

impl std::ops::Sub for ContactImpulse {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            normal: self.normal - other.normal,
            friction: self.friction - other.friction,
            rolling: self.rolling - other.rolling,
            spinning: self.spinning - other.spinning,
        }
    }
}

/// One point of a contact, in world coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactPoint {
    /// Where it is, half-way between the surfaces, in metres.
    pub position: DVec3,
    /// The unit normal out of the first body into the second.
    pub normal: DVec3,
    /// The gap between the surfaces in metres; negative for overlap.
    pub gap: f64,
    /// What the point exerted on the second body during the step.
    pub impulse: ContactImpulse,
    /// The parts of the two shapes that touch: smooth patches of meshes and height fields (by their lowest triangle), members of
    /// compounds; zero otherwise.
    pub parts: [u32; 2],
    /// A name: a point has the same parts and feature as long as it is the same point.
    pub feature: FeatureId,
    /// What of the two shapes touches, such as a corner and a triangle. A point that slides over a mesh keeps its name,
    /// and passes from triangle to triangle.
    pub features: [Feature; 2],
}

impl ContactPoint {
    /// The impulse on the second body during the step, in N s: along the normal and by friction.
    pub fn total_impulse(&self) -> DVec3 {
        self.normal * self.impulse.normal + self.impulse.friction
    }
}

/// The points of a contact, wherever a method keeps them.
pub trait ContactPoints {
    /// How many there are.
    fn count(&self) -> usize;

    /// One of them.
    fn point(&self, index: usize) -> ContactPoint;
}

/// Two colliders that touched in the last step.
#[derive(Clone, Copy)]
pub struct Contact<'a> {
    /// The colliders, the smaller id first.
    pub colliders: [ColliderId; 2],
    /// Their bodies.
    pub bodies: [BodyId; 2],
    /// What the two materials give.
    pub material: ContactMaterial,
    /// The length of the step the impulses belong to, in seconds.
    pub dt: f64,
    points: &'a dyn ContactPoints,
}

impl std::fmt::Debug for Contact<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let points: Vec<ContactPoint> = self.points().collect();
        f.debug_struct("Contact").field("colliders", &self.colliders).field("points", &points).finish_non_exhaustive()
    }
}

impl<'a> Contact<'a> {
    /// A view of a contact; `points` are lent.
    pub fn new(
        colliders: [ColliderId; 2],
        bodies: [BodyId; 2],
        material: ContactMaterial,
        dt: f64,
        points: &'a dyn ContactPoints,
    ) -> Self {
        Self { colliders, bodies, material, dt, points }
    }

    /// The points in which they touch.
    pub fn points(&self) -> impl ExactSizeIterator<Item = ContactPoint> + use<'a> {
        let points = self.points;
        (0..points.count()).map(|index| points.point(index))
    }

    /// The body on the other side.
    pub fn other(&self, body: BodyId) -> BodyId {
        if self.bodies[0] == body { self.bodies[1] } else { self.bodies[0] }
    }

    /// The impulse on the second body during the step, in N s.
    pub fn impulse(&self) -> DVec3 {
        self.points().map(|point| point.total_impulse()).sum()
    }

    /// The force on the second body at one of the points, in newtons: the mean over the step.
    pub fn force_at(&self, point: &ContactPoint) -> DVec3 {
        if self.dt > 0.0 { point.total_impulse() / self.dt } else { DVec3::ZERO }
    }

    /// Force and torque (about `center`, a world point) on the second body: the mean over the step.
    pub fn wrench_about(&self, center: DVec3) -> Wrench {
        let mut sum = Wrench::default();
        for point in self.points().filter(|_| self.dt > 0.0) {
            let force = self.force_at(&point);
            let twist = point.impulse.rolling + point.normal * point.impulse.spinning;
            sum += Wrench { force, torque: (point.position - center).cross(force) + twist / self.dt };
        }
        sum
    }
}
