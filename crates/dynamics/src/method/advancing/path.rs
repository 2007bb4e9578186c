//! How bodies move between contacts, and when two of them meet: conservative advancement (Mirtich 1996, G 6.2.5).
//!
//! Between two contacts a body moves with the accelerations it had after the first:
//!
//! ```text
//! x(t) = x₀ + v t + ½ a t²,    R(t) = exp(ω t + ½ α t²) R₀
//! ```
//!
//! Two shapes at the distance d, with the unit vector n from the closest point of one to that of the other, cannot meet before the time Δ at which
//!
//! ```text
//! d = s Δ + ½ b Δ²,    s = −(v₂ − v₁)·n + |ω₁| ρ₁ + |ω₂| ρ₂,    b likewise with a and α
//! ```
//!
//! because a plane across n separates convex shapes, and no point of a shape with the reach ρ from its centre of mass moves along n faster
//! than that. (For surfaces and compounds, which no plane separates, s has the whole relative speed.) So time is advanced by Δ, d is measured
//! again, and so on: never too far, and for a ball on a floor it arrives at once, because there the bound is the motion.

use crate::model::ColliderModel;
use crate::{BodyState, Id, Model};
use glam::DVec3;
use tumble_geometry::math::rotation_from_vector;
use tumble_geometry::query::{distance, penetration};
use tumble_geometry::{Shape, Transform};

/// How often a distance is measured at most before two bodies are taken to meet.
const LOOKS: usize = 500;

/// Closer than this, relative to the size of the smaller collider, they have met.
pub(super) const MET: f64 = 1e-10;

/// How much closer bodies that touch may come before they are said to meet again, relative to the size.
const SLACK: f64 = 1e-8;

/// The deepest that slack may lead, relative to the size.
const DEEPEST: f64 = -2e-7;

/// The motion of a body from now on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    pub(super) start: BodyState,
    /// Linear and angular acceleration.
    pub(super) acceleration: [DVec3; 2],
}

impl Path {
    /// The body after `t` seconds.
    pub(super) fn at(&self, t: f64) -> BodyState {
        let Self { start, acceleration: [a, alpha] } = *self;
        let turned = start.angular_velocity * t + alpha * (0.5 * t * t);
        let rotation = match turned == DVec3::ZERO {
            true => start.rotation,
            false => (rotation_from_vector(turned) * start.rotation).normalize(),
        };
        BodyState {
            position: start.position + start.velocity * t + a * (0.5 * t * t),
            rotation,
            velocity: start.velocity + a * t,
            angular_velocity: start.angular_velocity + alpha * t,
            ..start
        }
    }
}

/// Two colliders on their paths.
pub(super) struct Approach<'a> {
    colliders: [&'a ColliderModel; 2],
    paths: [&'a Path; 2],
    /// Reach from the centre of mass that turning can move.
    reach: [f64; 2],
    size: f64,
    convex: bool,
}

/// Distance and direction between two shapes.
struct Gap {
    distance: f64,
    normal: DVec3,
}

impl<'a> Approach<'a> {
    pub(super) fn new(model: &'a Model, colliders: [crate::ColliderId; 2], paths: &'a [Path]) -> Option<Self> {
        let colliders = [model.colliders().get(colliders[0])?, model.colliders().get(colliders[1])?];
        let reach = colliders.map(|collider| {
            let offset = collider.center_pose.point(collider.bounding_sphere.center).length();
            match collider.shape {
                // A ball that turns about its own centre moves nothing.
                Shape::Sphere(_) => offset,
                // What is without end is not turned, or anything may happen.
                _ => offset + collider.bounding_sphere.radius,
            }
        });
        let convex =
            |shape: &Shape| shape.as_compound().is_none() && !matches!(shape, Shape::Mesh(_) | Shape::HeightField(_));
        Some(Self {
            colliders,
            paths: colliders.map(|collider| &paths[collider.body.slot()]),
            reach,
            size: crate::parts::course::size(colliders).min(1.0),
            convex: colliders.iter().all(|collider| convex(&collider.shape)),
        })
    }

    fn gap(&self, t: f64) -> Gap {
        let pose = |k: usize| -> Transform { self.paths[k].at(t).center_pose() * self.colliders[k].center_pose };
        let (first, second) = (pose(0), pose(1));
        let between = first.to_local(&second);
        let [a, b] = self.colliders.map(|collider| &collider.shape);
        let closest = distance(a, b, &between);
        if closest.distance > 0.0 {
            let normal = first.vector(closest.point_b - closest.point_a).normalize_or(DVec3::Y);
            return Gap { distance: closest.distance, normal };
        }
        match penetration(a, b, &between) {
            Some(deep) => Gap { distance: -deep.depth, normal: first.vector(deep.normal) },
            None => Gap { distance: 0.0, normal: DVec3::Y },
        }
    }

    /// How fast the shapes can approach each other along a direction from `t` on, and how much faster they can become per second.
    fn bounds(&self, t: f64, normal: DVec3) -> (f64, f64) {
        let [first, second] = self.paths.map(|path| path.at(t));
        let turning = |k: usize, rate: DVec3| if rate == DVec3::ZERO { 0.0 } else { rate.length() * self.reach[k] };
        let [a, b] = [0, 1].map(|k| self.paths[k].acceleration);
        let (velocity, acceleration) = (second.velocity - first.velocity, b[0] - a[0]);
        let spin = turning(0, first.angular_velocity) + turning(1, second.angular_velocity);
        let (mut speed, mut change) = (-velocity.dot(normal) + spin, -acceleration.dot(normal));
        if !self.convex {
            (speed, change) = (velocity.length() + spin, acceleration.length());
        }
        (speed, change + turning(0, a[1]) + turning(1, b[1]))
    }

    /// After how many seconds within `end` they meet; none if they do not.
    pub(super) fn meeting(&self, end: f64) -> Option<f64> {
        let Gap { distance: now, normal } = self.gap(0.0);
        // What touches and does not surely part may come a hair closer before it touches again.
        let wanted = match now > 2.0 * MET * self.size || self.bounds(0.0, normal).0 < 0.0 {
            true => MET * self.size,
            false => (now - SLACK * self.size).max(now.min(DEEPEST * self.size)),
        };
        let mut t = 0.0;
        for _ in 0..LOOKS {
            let Gap { distance, normal } = self.gap(t);
            let room = distance - wanted;
            if room <= 0.5 * MET * self.size && t > 0.0 {
                return Some(t);
            }
            let (speed, change) = self.bounds(t, normal);
            let wait = first_root(room.max(0.25 * MET * self.size), speed, change)?;
            if !wait.is_finite() || t + wait >= end {
                return None;
            }
            t += wait;
        }
        Some(t)
    }
}

/// The first time at which `room = speed t + ½ change t²`; none if never.
fn first_root(room: f64, speed: f64, change: f64) -> Option<f64> {
    let discriminant = speed * speed + 2.0 * change * room;
    if discriminant < 0.0 {
        return None;
    }
    let denominator = speed + discriminant.sqrt();
    (denominator > 0.0).then(|| 2.0 * room / denominator)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fall_takes_as_long_as_galilei_says() {
        assert!((first_root(5.0, 0.0, 10.0).unwrap() - 1.0).abs() < 1e-15);
        assert_eq!(first_root(1.0, -1.0, 0.0), None);
        // Thrown up and coming back.
        assert!((first_root(1e-9, -1.0, 10.0).unwrap() - 0.2).abs() < 1e-8);
        assert_eq!(first_root(1.0, 1.0, -10.0), None);
    }
}
