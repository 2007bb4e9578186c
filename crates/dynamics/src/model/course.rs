//! The course of a kinematic body: a steady motion that input changes whenever it likes.
//!
//! A body that a game moves by hand (a lift, a door, the player's paddle) goes its way whatever it meets, like one with a
//! [script](super::Script). But its motion is not known beforehand: each frame says where it is to go next. Between two such
//! moments it moves steadily,
//!
//! ```text
//! x(t) = x₀ + v (t − t₀),   q(t) = exp(ω (t − t₀)) q₀,
//! ```
//!
//! up to the time it is to stop, if there is one. So all that it meets feels the velocity it really has. At the very moment of its
//! arrival it still has the velocity with which it arrives: a step that ends there has seen nothing else, and what it carries must not
//! be thrown off before the program had a chance to send it on. A course is a value: the world replaces it when it changes, and
//! nothing is shared with the program that steers.

use super::{Script, ScriptMotion};
use glam::DVec3;
use serde::{Deserialize, Serialize};
use tumble_geometry::Transform;
use tumble_geometry::math::{rotation_from_vector, rotation_vector};

/// How a kinematic body moves from some moment on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Course {
    /// The pose of the body frame at the beginning.
    pub from: Transform,
    /// When it begins, in seconds.
    pub start: f64,
    /// When it comes to rest, in seconds; infinite if it never does.
    pub end: f64,
    /// The velocity of the body frame's origin in m/s, in world axes.
    pub velocity: DVec3,
    /// The angular velocity in rad/s, in world axes.
    pub angular_velocity: DVec3,
}

impl Course {
    /// At rest.
    pub(crate) fn rest(pose: Transform, start: f64) -> Self {
        Self { from: pose, start, end: f64::INFINITY, velocity: DVec3::ZERO, angular_velocity: DVec3::ZERO }
    }

    /// Steadily to another pose within `duration` seconds, by the shorter turn, and rest there.
    pub(crate) fn to(from: Transform, target: Transform, start: f64, duration: f64) -> Self {
        let turn = rotation_vector(target.rotation * from.rotation.conjugate());
        Self {
            from,
            start,
            end: start + duration,
            velocity: (target.translation - from.translation) / duration,
            angular_velocity: turn / duration,
        }
    }

    /// Whether it has arrived, but for rounding.
    pub(crate) fn has_arrived(&self, time: f64) -> bool {
        time >= self.end - self.rounding()
    }

    /// By how much times may be off that are meant to be the same, in seconds.
    fn rounding(&self) -> f64 {
        if self.end.is_finite() { 1e-9 * (self.end - self.start) + 8.0 * f64::EPSILON * self.end.abs() } else { 0.0 }
    }

    /// Whether every number makes sense.
    pub(crate) fn is_valid(&self) -> bool {
        let numbers = self.start.is_finite() && !self.end.is_nan();
        numbers && self.from.is_valid() && self.velocity.is_finite() && self.angular_velocity.is_finite()
    }
}

impl Script for Course {
    fn pose(&self, time: f64) -> Transform {
        let passed = time.min(self.end) - self.start;
        let turn = rotation_from_vector(self.angular_velocity * passed);
        let rotation =
            if self.angular_velocity == DVec3::ZERO { self.from.rotation } else { turn * self.from.rotation };
        Transform::new(rotation, self.from.translation + self.velocity * passed)
    }

    fn motion(&self, time: f64) -> ScriptMotion {
        let rest = ScriptMotion::at_rest(self.pose(time));
        if time > self.end + self.rounding() {
            return rest;
        }
        ScriptMotion { velocity: self.velocity, angular_velocity: self.angular_velocity, ..rest }
    }

    fn next_break(&self, after: f64) -> Option<f64> {
        (after < self.end && self.end.is_finite()).then_some(self.end)
    }

    fn course(&self) -> Option<&Course> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumble_geometry::math::rotation_about;

    #[test]
    fn a_course_arrives_and_rests() {
        let from = Transform::new(rotation_about(DVec3::X, 0.3), DVec3::new(1.0, 2.0, 3.0));
        let target = Transform::new(rotation_about(DVec3::Z, -2.0), DVec3::new(-4.0, 0.0, 1.0));
        let course = Course::to(from, target, 7.0, 0.25);
        for time in [7.25, 7.26, 8.0] {
            let motion = course.motion(time);
            assert!((motion.pose.translation - target.translation).length() < 1e-14);
            assert!(motion.pose.rotation.dot(target.rotation).abs() > 1.0 - 1e-14);
            let speeds = (motion.velocity, motion.angular_velocity);
            let arrives = time == 7.25;
            assert_eq!(speeds == (course.velocity, course.angular_velocity), arrives);
            assert_eq!(speeds == (DVec3::ZERO, DVec3::ZERO), !arrives);
        }
        assert!(course.has_arrived(7.25) && !course.has_arrived(7.24));
        let half = course.motion(7.125);
        assert!((half.pose.translation - 0.5 * (from.translation + target.translation)).length() < 1e-14);
        assert_eq!(half.velocity, (target.translation - from.translation) / 0.25);
        assert_eq!((course.next_break(7.0), course.next_break(7.25)), (Some(7.25), None));
    }
}
