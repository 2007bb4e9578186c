//! A rigid transform: rotate, then translate. Poses of bodies and shapes are transforms from local to outer
//! coordinates.

use crate::math;
use glam::{DMat3, DMat4, DQuat, DVec3};
use std::ops::Mul;

/// A rotation followed by a translation: `x ↦ R x + t`. As a pose it takes local points to outer coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Transform {
    /// The rotation R, a unit quaternion.
    pub rotation: DQuat,
    /// The translation t in metres.
    pub translation: DVec3,
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Transform {
    /// The transform that changes nothing.
    pub const IDENTITY: Self = Self { rotation: DQuat::IDENTITY, translation: DVec3::ZERO };

    /// The transform with the given rotation (a unit quaternion) and translation.
    #[inline]
    pub const fn new(rotation: DQuat, translation: DVec3) -> Self {
        Self { rotation, translation }
    }

    /// A translation by `translation` metres.
    #[inline]
    pub const fn from_translation(translation: DVec3) -> Self {
        Self::new(DQuat::IDENTITY, translation)
    }

    /// A rotation by a unit quaternion.
    #[inline]
    pub const fn from_rotation(rotation: DQuat) -> Self {
        Self::new(rotation, DVec3::ZERO)
    }

    /// A rotation by `angle` radians about the unit vector `axis` through the origin.
    pub fn from_axis_angle(axis: DVec3, angle: f64) -> Self {
        Self::from_rotation(math::rotation_about(axis, angle))
    }

    /// The transform that undoes this one.
    #[inline]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.conjugate();
        Self::new(rotation, rotation * -self.translation)
    }

    /// `other` as seen from the frame whose pose is `self`: `self⁻¹ · other`.
    ///
    /// The translations are subtracted before anything is rotated, so that two poses near each other and far from the
    /// origin lose no digits.
    #[inline]
    pub fn to_local(&self, other: &Transform) -> Self {
        let inverse = self.rotation.conjugate();
        Self::new(inverse * other.rotation, inverse * (other.translation - self.translation))
    }

    /// A local point in outer coordinates: `R p + t`.
    #[inline]
    pub fn point(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }

    /// A local vector (direction, velocity) in outer coordinates: `R v`.
    #[inline]
    pub fn vector(&self, vector: DVec3) -> DVec3 {
        self.rotation * vector
    }

    /// An outer point in local coordinates: `Rᵀ (p − t)`.
    #[inline]
    pub fn inverse_point(&self, point: DVec3) -> DVec3 {
        self.rotation.conjugate() * (point - self.translation)
    }

    /// An outer vector in local coordinates: `Rᵀ v`.
    #[inline]
    pub fn inverse_vector(&self, vector: DVec3) -> DVec3 {
        self.rotation.conjugate() * vector
    }

    /// Transforms every point of a list in place.
    pub fn points(&self, points: &mut [DVec3]) {
        let matrix = self.matrix3();
        for point in points {
            *point = matrix * *point + self.translation;
        }
    }

    /// The rotation as a matrix; cheaper than the quaternion when many vectors are turned.
    pub fn matrix3(&self) -> DMat3 {
        DMat3::from_quat(self.rotation)
    }

    /// The equivalent homogeneous 4×4 matrix.
    pub fn matrix4(&self) -> DMat4 {
        DMat4::from_rotation_translation(self.rotation, self.translation)
    }

    /// This transform with its rotation scaled back to unit length, to undo the drift of long products.
    pub fn normalized(&self) -> Self {
        Self::new(self.rotation.normalize(), self.translation)
    }

    /// Whether every number is finite and the rotation has unit length to 1e-6.
    pub fn is_valid(&self) -> bool {
        self.translation.is_finite() && (self.rotation.length_squared() - 1.0).abs() < 1e-6
    }
}

impl Mul for Transform {
    type Output = Transform;

    /// Composition: `(a * b).point(p) = a.point(b.point(p))`.
    #[inline]
    fn mul(self, other: Transform) -> Transform {
        Transform::new(self.rotation * other.rotation, self.point(other.translation))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> (Transform, Transform) {
        let a = Transform::new(math::rotation_about(DVec3::Y, 0.7), DVec3::new(1.0, 2.0, 3.0));
        let b = Transform::new(math::rotation_about(DVec3::X, -1.3), DVec3::new(-4.0, 0.5, 2.0));
        (a, b)
    }

    #[test]
    fn composition_applies_the_right_factor_first() {
        let (a, b) = sample();
        let p = DVec3::new(0.3, -0.2, 0.9);
        assert!(((a * b).point(p) - a.point(b.point(p))).length() < 1e-14);
    }

    #[test]
    fn inverse_undoes_points_and_vectors() {
        let (a, b) = sample();
        let p = DVec3::new(0.3, -0.2, 0.9);
        assert!((a.inverse().point(a.point(p)) - p).length() < 1e-14);
        assert!((a.inverse_point(a.point(p)) - p).length() < 1e-14);
        assert!((a.inverse_vector(a.vector(p)) - p).length() < 1e-14);
        let c = a.to_local(&b);
        let d = a.inverse() * b;
        assert!((c.translation - d.translation).length() < 1e-14);
    }

    #[test]
    fn relative_pose_keeps_its_digits_far_from_the_origin() {
        let far = DVec3::splat(1e6);
        let a = Transform::from_translation(far);
        let b = Transform::from_translation(far + DVec3::new(0.25, 0.5, 0.125));
        assert_eq!(a.to_local(&b).translation, DVec3::new(0.25, 0.5, 0.125));
    }

    #[test]
    fn matrix_and_quaternion_agree() {
        let (a, _) = sample();
        let p = DVec3::new(0.3, -0.2, 0.9);
        let mut list = [p];
        a.points(&mut list);
        assert!((list[0] - a.point(p)).length() < 1e-14);
        assert!((a.matrix4().transform_point3(p) - a.point(p)).length() < 1e-14);
    }
}
