//! Two motions as one: how the second body moves as seen from the first.
//!
//! The centres of rotation are apart by `D(t) = D₀ + v t`, and each body turns about its own centre at a constant rate
//! about a constant axis: `R(t) = R₀ · rot(e, ω t)` with e the axis in the frame of the body. World coordinates enter
//! only in the difference D₀, so that a pair far from the origin is computed as precisely as one near it.

use crate::Transform;
use crate::math::rotation_about;
use crate::query::Motion;
use glam::{DMat3, DQuat, DVec3};

/// A body turning about its centre.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turning {
    /// The point it turns about, in its own frame.
    pub(super) center: DVec3,
    /// The unit axis in its own frame; anything if it does not turn.
    pub(super) axis: DVec3,
    /// Radians per second, not negative.
    pub(super) rate: f64,
    start: DQuat,
    inverse_start: DMat3,
}

impl Turning {
    fn new(motion: &Motion) -> Self {
        let inverse_start = DMat3::from_quat(motion.start.rotation.conjugate());
        let rate = motion.angular.length();
        // Slower than that turns nothing by a rounding error in any time one can wait.
        let (axis, rate) =
            if rate > 1e-100 { (inverse_start * (motion.angular / rate), rate) } else { (DVec3::Y, 0.0) };
        Self { center: motion.center, axis, rate, start: motion.start.rotation, inverse_start }
    }

    /// A body that does not turn, with its centre anywhere.
    pub(super) fn still(center: DVec3) -> Self {
        Self::new(&Motion { center, ..Motion::still(Transform::IDENTITY) })
    }

    /// The rotation from the body to the world.
    pub(super) fn rotation(&self, time: f64) -> DQuat {
        if self.rate == 0.0 { self.start } else { self.start * rotation_about(self.axis, self.rate * time) }
    }

    /// How it turns, in world directions.
    pub(super) fn spin(&self) -> DVec3 {
        self.start * self.axis * self.rate
    }

    /// The same body seen as one of its parts, which is fixed to it at `pose`.
    fn of_part(&self, pose: &Transform) -> Self {
        let start = self.start * pose.rotation;
        Self {
            center: pose.inverse_point(self.center),
            axis: pose.inverse_vector(self.axis),
            start,
            inverse_start: DMat3::from_quat(start.conjugate()),
            ..*self
        }
    }

    /// The same body, taken to turn about another point of its own; only for bodies that do not turn. Also by how much the
    /// centre moves, in world directions.
    pub(super) fn recentered(&self, center: DVec3) -> (Self, DVec3) {
        debug_assert!(self.rate == 0.0);
        (Self { center, ..*self }, self.start * (center - self.center))
    }

    /// A direction that is fixed in the world, ready to be seen from the body at many times.
    pub(super) fn watch(&self, direction: DVec3) -> Watched {
        let local = self.inverse_start * direction;
        let along = self.axis * self.axis.dot(local);
        Watched { along, across: local - along, quarter: local.cross(self.axis), rate: self.rate }
    }
}

/// A world direction as a turning body sees it: it turns the other way round.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watched {
    /// The part along the axis.
    pub(super) along: DVec3,
    /// The part across the axis at time zero, and after a quarter turn.
    pub(super) across: DVec3,
    quarter: DVec3,
    rate: f64,
}

impl Watched {
    /// The direction in the frame of the body: `rot(e, −ω t) R₀ᵀ n`.
    pub(super) fn at(&self, time: f64) -> DVec3 {
        if self.rate == 0.0 {
            return self.along + self.across;
        }
        let (sin, cos) = libm::sincos(self.rate * time);
        self.along + self.across * cos + self.quarter * sin
    }
}

/// The motion of two bodies relative to each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Relative {
    pub(super) a: Turning,
    pub(super) b: Turning,
    /// From the centre of the first to that of the second at time zero, in world directions.
    offset: DVec3,
    /// Their relative velocity.
    pub(super) velocity: DVec3,
}

impl Relative {
    pub(super) fn new(a: &Motion, b: &Motion) -> Self {
        let offset =
            (b.start.translation - a.start.translation) + (b.start.rotation * b.center - a.start.rotation * a.center);
        Self { a: Turning::new(a), b: Turning::new(b), offset, velocity: b.linear - a.linear }
    }

    /// With first and second body exchanged.
    pub(super) fn exchanged(&self) -> Self {
        Self { a: self.b, b: self.a, offset: -self.offset, velocity: -self.velocity }
    }

    /// With a part of the first body, fixed to it at `pose`, in its place.
    pub(super) fn of_part_a(&self, pose: &Transform) -> Self {
        Self { a: self.a.of_part(pose), ..*self }
    }

    /// With a part of the second body in its place.
    pub(super) fn of_part_b(&self, pose: &Transform) -> Self {
        Self { b: self.b.of_part(pose), ..*self }
    }

    /// With other centres: those of `a` and `b`, which have moved by the given vectors.
    pub(super) fn with_centers(&self, (a, moved_a): (Turning, DVec3), (b, moved_b): (Turning, DVec3)) -> Self {
        Self { a, b, offset: self.offset + moved_b - moved_a, velocity: self.velocity }
    }

    /// From the centre of the first to that of the second: D(t).
    pub(super) fn offset(&self, time: f64) -> DVec3 {
        self.offset + self.velocity * time
    }

    /// The pose of the second body in the frame of the first.
    pub(super) fn b_in_a(&self, time: f64) -> Transform {
        let to_a = self.a.rotation(time).conjugate();
        let rotation_b = self.b.rotation(time);
        let translation = to_a * (self.offset(time) - rotation_b * self.b.center) + self.a.center;
        Transform::new(to_a * rotation_b, translation)
    }

    /// The times between which the centres are within `distance` of each other, from zero to `max_time`.
    pub(super) fn within(&self, distance: f64, max_time: f64) -> Option<(f64, f64)> {
        let speed = self.velocity.length();
        if speed == 0.0 {
            return (self.offset.length() <= distance).then_some((0.0, max_time));
        }
        // Closest at `middle`, where they pass at `miss`.
        let middle = -self.offset.dot(self.velocity / speed) / speed;
        let miss = self.offset(middle).length();
        // Rounding of numbers as large as the offset must not exclude anything.
        let distance = distance * (1.0 + 1e-9) + 1e-14 * self.offset.length();
        if miss > distance {
            return None;
        }
        let half = ((distance - miss) * (distance + miss)).sqrt() / speed;
        let (enter, leave) = ((middle - half).max(0.0), (middle + half).min(max_time));
        (enter <= leave).then_some((enter, leave))
    }

    /// The size of the rounding errors of a gap computed at `time` between bodies that reach `size` from their centres.
    pub(super) fn rounding(&self, time: f64, size: f64) -> f64 {
        let turned = (self.a.rate + self.b.rate) * time;
        let coordinates = self.a.center.length() + self.b.center.length() + self.offset.length();
        16.0 * f64::EPSILON * (coordinates + self.velocity.length() * time + (1.0 + turned) * size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotation_from_vector;

    #[test]
    fn the_relative_motion_is_the_difference_of_the_motions() {
        let pose = |r: DVec3, t: DVec3| Transform::new(rotation_from_vector(r), t);
        let a = Motion {
            start: pose(DVec3::new(0.1, 0.5, -0.3), DVec3::new(4.0, 0.3, 2.0)),
            center: DVec3::new(0.3, -0.2, 0.1),
            linear: DVec3::new(0.2, 0.1, 1.0),
            angular: DVec3::new(1.0, -2.0, 0.4),
        };
        let b = Motion {
            start: pose(DVec3::new(-1.1, 0.2, 0.9), DVec3::new(-1.0, 2.3, 0.7)),
            center: DVec3::new(-0.1, 0.4, 0.2),
            linear: DVec3::new(3.0, -1.0, 0.4),
            angular: DVec3::new(0.7, 0.1, -3.0),
        };
        let relative = Relative::new(&a, &b);
        for time in [0.0, 0.3, 2.0] {
            let (expected, found) = (a.at(time).to_local(&b.at(time)), relative.b_in_a(time));
            assert!((expected.translation - found.translation).length() < 1e-14);
            assert!(expected.rotation.dot(found.rotation).abs() > 1.0 - 1e-15);
            let direction = DVec3::new(0.3, 0.5, -0.8);
            let seen = relative.b.watch(direction).at(time);
            assert!((seen - b.at(time).inverse_vector(direction)).length() < 1e-14);
        }
    }

    #[test]
    fn centres_within_a_distance() {
        let a = Motion::still(Transform::IDENTITY);
        let b = Motion::translating(Transform::from_translation(DVec3::new(-10.0, 3.0, 0.0)), DVec3::X * 2.0);
        let (enter, leave) = Relative::new(&a, &b).within(5.0, f64::INFINITY).unwrap();
        assert!((enter - 3.0).abs() < 1e-8 && (leave - 7.0).abs() < 1e-8, "{enter} {leave}");
        assert!(Relative::new(&a, &b).within(2.9, f64::INFINITY).is_none());
        assert!(Relative::new(&a, &b).within(5.0, 2.9).is_none());
    }
}
