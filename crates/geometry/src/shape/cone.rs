//! Circular cone along y, apex up.

use super::Convex;
use crate::GeometryError;
use crate::error::checked_length;
use glam::DVec3;

/// A circular cone: apex at `half_height` on the y axis, base circle at `−half_height`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    half_height: f64,
    radius: f64,
}

impl Cone {
    /// Both lengths in metres, 1e-9 to 1e9. The origin is half-way up; the centre of mass lies a quarter of the height
    /// above the base.
    pub fn new(half_height: f64, radius: f64) -> Result<Self, GeometryError> {
        Ok(Self {
            half_height: checked_length("cone half height", half_height)?,
            radius: checked_length("cone base radius", radius)?,
        })
    }

    /// Half the height in metres.
    pub fn half_height(&self) -> f64 {
        self.half_height
    }

    /// The radius of the base in metres.
    pub fn radius(&self) -> f64 {
        self.radius
    }
}

impl Convex for Cone {
    fn support(&self, direction: DVec3) -> DVec3 {
        let across = (direction.x * direction.x + direction.z * direction.z).sqrt();
        // Apex or rim, whichever reaches farther: h y against r √(x² + z²) − h y.
        if 2.0 * self.half_height * direction.y > self.radius * across {
            return DVec3::new(0.0, self.half_height, 0.0);
        }
        let scale = if across > 0.0 { self.radius / across } else { 0.0 };
        DVec3::new(direction.x * scale, -self.half_height, direction.z * scale)
    }
}
