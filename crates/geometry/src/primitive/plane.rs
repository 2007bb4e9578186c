//! An infinite plane.

use glam::DVec3;

/// The points x with `normal · x = offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Plane {
    /// The unit normal.
    pub normal: DVec3,
    /// The distance of the plane from the origin along the normal.
    pub offset: f64,
}

impl Plane {
    /// How far `point` lies above the plane (negative: below).
    pub fn signed_distance(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }
}
