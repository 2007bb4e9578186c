//! How a shape moves while one looks for an impact: constant velocity, constant angular velocity.

use crate::Transform;
use crate::math::{rotation_from_vector, rotation_vector};
use glam::DVec3;

/// A rigid motion with constant velocities: one point of the body moves in a straight line and the body turns about it.
///
/// ```
/// use tumble_geometry::{Transform, glam::DVec3, query::Motion};
///
/// // A quarter turn about z per second, while the middle moves along x.
/// let motion = Motion {
///     start: Transform::IDENTITY,
///     center: DVec3::ZERO,
///     linear: DVec3::X * 3.0,
///     angular: DVec3::Z * std::f64::consts::FRAC_PI_2,
/// };
/// assert!((motion.at(1.0).point(DVec3::X) - DVec3::new(3.0, 1.0, 0.0)).length() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Motion {
    /// The pose at time zero.
    pub start: Transform,
    /// The point the body turns about, in its own frame: for a free body its centre of mass.
    pub center: DVec3,
    /// The velocity of that point in m/s, in outer coordinates.
    pub linear: DVec3,
    /// The angular velocity in rad/s, in outer coordinates.
    pub angular: DVec3,
}

impl Motion {
    /// No motion at all.
    pub fn still(pose: Transform) -> Self {
        Self::translating(pose, DVec3::ZERO)
    }

    /// Motion at `velocity` (m/s) without turning.
    pub fn translating(pose: Transform, velocity: DVec3) -> Self {
        Self { start: pose, center: DVec3::ZERO, linear: velocity, angular: DVec3::ZERO }
    }

    /// The motion from pose `from` to pose `to` in `duration` seconds: straight for the local point `center`, and the
    /// short way round (at most half a turn).
    ///
    /// A duration of zero gives velocities that are not finite, and such a motion has no impacts.
    pub fn between(from: Transform, to: Transform, duration: f64, center: DVec3) -> Self {
        let moved = (to.translation - from.translation) + (to.rotation * center - from.rotation * center);
        let turned = rotation_vector(to.rotation * from.rotation.conjugate());
        Self { start: from, center, linear: moved / duration, angular: turned / duration }
    }

    /// The pose after `time` seconds.
    pub fn at(&self, time: f64) -> Transform {
        let Self { start, center, linear, angular } = self;
        if *angular == DVec3::ZERO {
            return Transform::new(start.rotation, start.translation + *linear * time);
        }
        let rotation = rotation_from_vector(*angular * time) * start.rotation;
        // The centre moves by v t; the origin of the body is at −R c from it. Small numbers are added first.
        let moved = *linear * time + (start.rotation * *center - rotation * *center);
        Transform::new(rotation, start.translation + moved)
    }

    /// The motion of a part that is fixed to this body at `pose_in_body`.
    pub fn of_part(&self, pose_in_body: &Transform) -> Self {
        Self { start: self.start * *pose_in_body, center: pose_in_body.inverse_point(self.center), ..*self }
    }

    /// Whether every number is finite and the rotation has unit length. Motions that are not valid have no impacts.
    pub fn is_valid(&self) -> bool {
        let finite = self.center.is_finite() && self.linear.is_finite() && self.angular.is_finite();
        finite && self.start.is_valid()
    }

    /// Whether it can be computed with: valid, and no number so large that its square overflows.
    pub(crate) fn is_usable(&self) -> bool {
        let vectors = [self.start.translation, self.center, self.linear, self.angular];
        self.is_valid() && vectors.iter().all(|vector| vector.abs().max_element() < 1e60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Motion {
        Motion {
            start: Transform::new(rotation_from_vector(DVec3::new(0.3, -0.8, 0.4)), DVec3::new(1.0, -2.0, 0.5)),
            center: DVec3::new(0.2, 0.7, -0.1),
            linear: DVec3::new(3.0, 0.5, -1.0),
            angular: DVec3::new(0.4, 1.1, -0.9),
        }
    }

    #[test]
    fn the_centre_moves_straight_and_every_point_with_the_velocity_of_a_rigid_body() {
        let motion = sample();
        let center_at = |t: f64| motion.at(t).point(motion.center);
        assert!((center_at(0.8) - center_at(0.0) - motion.linear * 0.8).length() < 1e-14);
        let (t, h, point) = (0.6, 1e-5, DVec3::new(-1.0, 0.4, 0.3));
        let numerical = (motion.at(t + h).point(point) - motion.at(t - h).point(point)) / (2.0 * h);
        let expected = motion.linear + motion.angular.cross(motion.at(t).point(point) - center_at(t));
        assert!((numerical - expected).length() < 1e-9);
    }

    #[test]
    fn between_arrives() {
        let motion = sample();
        let again = Motion::between(motion.start, motion.at(1.5), 1.5, motion.center);
        assert!((again.linear - motion.linear).length() < 1e-14);
        assert!((again.angular - motion.angular).length() < 1e-14);
        assert!(!Motion::between(motion.start, motion.at(1.0), 0.0, motion.center).is_valid());
    }

    #[test]
    fn a_part_moves_with_its_body() {
        let motion = sample();
        let part = Transform::new(rotation_from_vector(DVec3::new(1.0, 0.2, 0.3)), DVec3::new(-0.4, 0.6, 2.0));
        let (of_part, with_body) = (motion.of_part(&part).at(1.3), motion.at(1.3) * part);
        assert!((of_part.translation - with_body.translation).length() < 1e-14);
        assert!(of_part.rotation.dot(with_body.rotation).abs() > 1.0 - 1e-15);
    }
}
