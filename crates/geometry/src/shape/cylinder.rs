//! Circular cylinder along y.

use super::Convex;
use crate::GeometryError;
use crate::error::checked_length;
use glam::DVec3;

/// A circular cylinder around the origin with its axis along y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    half_height: f64,
    radius: f64,
}

impl Cylinder {
    /// The axis runs from `−half_height` to `half_height`; both lengths in metres, 1e-9 to 1e9.
    pub fn new(half_height: f64, radius: f64) -> Result<Self, GeometryError> {
        Ok(Self {
            half_height: checked_length("cylinder half height", half_height)?,
            radius: checked_length("cylinder radius", radius)?,
        })
    }

    /// Half the height in metres.
    pub fn half_height(&self) -> f64 {
        self.half_height
    }

    /// The radius in metres.
    pub fn radius(&self) -> f64 {
        self.radius
    }
}

impl Convex for Cylinder {
    fn support(&self, direction: DVec3) -> DVec3 {
        let across = (direction.x * direction.x + direction.z * direction.z).sqrt();
        let y = self.half_height.copysign(direction.y);
        if across > 0.0 {
            let scale = self.radius / across;
            DVec3::new(direction.x * scale, y, direction.z * scale)
        } else {
            DVec3::new(0.0, y, 0.0)
        }
    }
}
