//! The pose of the second shape as a matrix: kernels turn many vectors, and a matrix turns them with half the
//! arithmetic of a quaternion.

use crate::Transform;
use glam::{DMat3, DVec3};

/// `x ↦ R x + t`: from the frame of the second shape to that of the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// R; its columns are the axes of the second frame as seen from the first.
    pub(super) rotation: DMat3,
    /// t, the origin of the second frame.
    pub(super) translation: DVec3,
}

impl Frame {
    #[inline]
    pub(super) fn new(pose: &Transform) -> Self {
        Self { rotation: pose.matrix3(), translation: pose.translation }
    }

    /// `x ↦ Rᵀ (x − t)`.
    #[inline]
    pub(super) fn inverse(&self) -> Self {
        Self { rotation: self.rotation.transpose(), translation: -self.inverse_vector(self.translation) }
    }

    #[inline]
    pub(super) fn point(&self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }

    #[inline]
    pub(super) fn vector(&self, vector: DVec3) -> DVec3 {
        self.rotation * vector
    }

    #[inline]
    pub(super) fn inverse_point(&self, point: DVec3) -> DVec3 {
        self.inverse_vector(point - self.translation)
    }

    #[inline]
    pub(super) fn inverse_vector(&self, vector: DVec3) -> DVec3 {
        let r = &self.rotation;
        DVec3::new(r.x_axis.dot(vector), r.y_axis.dot(vector), r.z_axis.dot(vector))
    }
}
