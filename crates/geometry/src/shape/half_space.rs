//! Everything below a plane through the origin.

use crate::GeometryError;
use crate::math;
use glam::DVec3;

/// The points x with `normal · x ≤ 0`: endless ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfSpace {
    normal: DVec3,
}

impl HalfSpace {
    /// Everything below the plane y = 0.
    pub const UP: Self = Self { normal: DVec3::Y };

    /// `normal` points out of the solid; any length but zero.
    pub fn new(normal: DVec3) -> Result<Self, GeometryError> {
        match math::direction(normal) {
            Some(normal) => Ok(Self { normal }),
            None => Err(GeometryError::BadDirection { what: "half-space normal", value: normal }),
        }
    }

    /// The half-space with exactly this normal, which has unit length to 1e-12: what [`normal`](Self::normal) told comes back to
    /// the last bit.
    pub fn with_unit_normal(normal: DVec3) -> Result<Self, GeometryError> {
        if (normal.length_squared() - 1.0).abs() < 1e-12 {
            Ok(Self { normal })
        } else {
            Err(GeometryError::BadDirection { what: "unit normal of a half-space", value: normal })
        }
    }

    /// The unit normal, pointing out of the solid.
    pub fn normal(&self) -> DVec3 {
        self.normal
    }
}
