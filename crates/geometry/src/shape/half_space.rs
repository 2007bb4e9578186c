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
    /// `normal` points out of the solid; any length but zero.
    pub fn new(normal: DVec3) -> Result<Self, GeometryError> {
        match math::direction(normal) {
            Some(normal) => Ok(Self { normal }),
            None => Err(GeometryError::BadDirection { what: "half-space normal", value: normal }),
        }
    }

    /// The unit normal, pointing out of the solid.
    pub fn normal(&self) -> DVec3 {
        self.normal
    }
}
