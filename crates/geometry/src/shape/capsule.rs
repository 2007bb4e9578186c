//! Capsule along y: a cylinder with half balls on its ends.

use super::Convex;
use crate::GeometryError;
use crate::error::checked_length;
use glam::DVec3;

/// The points within `radius` of a segment on the y axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    half_height: f64,
    radius: f64,
}

impl Capsule {
    /// The segment runs from `−half_height` to `half_height`; both lengths in metres, 1e-9 to 1e9.
    pub fn new(half_height: f64, radius: f64) -> Result<Self, GeometryError> {
        Ok(Self {
            half_height: checked_length("capsule half height", half_height)?,
            radius: checked_length("capsule radius", radius)?,
        })
    }

    /// Half the length of the segment in metres.
    pub fn half_height(&self) -> f64 {
        self.half_height
    }

    /// The radius in metres.
    pub fn radius(&self) -> f64 {
        self.radius
    }
}

impl Convex for Capsule {
    fn support(&self, direction: DVec3) -> DVec3 {
        DVec3::new(0.0, self.half_height.copysign(direction.y), 0.0)
    }

    fn radius(&self) -> f64 {
        self.radius
    }
}
