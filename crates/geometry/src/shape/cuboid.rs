//! Rectangular box around the origin.

use super::Convex;
use crate::GeometryError;
use crate::error::checked_length;
use glam::DVec3;

/// A rectangular box around the origin with edges along the axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cuboid {
    half_extents: DVec3,
}

impl Cuboid {
    /// Half the edge lengths in metres, 1e-9 to 1e9 each.
    pub fn new(half_extents: DVec3) -> Result<Self, GeometryError> {
        for length in half_extents.to_array() {
            checked_length("box half extent", length)?;
        }
        Ok(Self { half_extents })
    }

    /// Half the edge lengths in metres.
    pub fn half_extents(&self) -> DVec3 {
        self.half_extents
    }
}

impl Convex for Cuboid {
    fn support(&self, direction: DVec3) -> DVec3 {
        DVec3::new(
            self.half_extents.x.copysign(direction.x),
            self.half_extents.y.copysign(direction.y),
            self.half_extents.z.copysign(direction.z),
        )
    }
}
