//! Ball around the origin.

use super::Convex;
use crate::GeometryError;
use crate::error::checked_length;
use glam::DVec3;

/// A ball around the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    radius: f64,
}

impl Sphere {
    /// `radius` in metres, 1e-9 to 1e9.
    pub fn new(radius: f64) -> Result<Self, GeometryError> {
        Ok(Self { radius: checked_length("sphere radius", radius)? })
    }

    /// The radius in metres.
    pub fn radius(&self) -> f64 {
        self.radius
    }
}

impl Convex for Sphere {
    fn support(&self, _direction: DVec3) -> DVec3 {
        DVec3::ZERO
    }

    fn radius(&self) -> f64 {
        self.radius
    }
}
