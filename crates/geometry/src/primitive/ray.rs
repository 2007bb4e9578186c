//! A half-line.

use crate::Transform;
use glam::DVec3;

/// A half-line from `origin` along `direction`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ray {
    /// Where the ray starts.
    pub origin: DVec3,
    /// Where it goes, a unit vector; distances along the ray are in metres.
    pub direction: DVec3,
}

impl Ray {
    /// The ray from `origin` along `direction`, which need not have unit length. `None` if it is zero or not finite.
    pub fn new(origin: DVec3, direction: DVec3) -> Option<Self> {
        let direction = direction.try_normalize()?;
        origin.is_finite().then_some(Self { origin, direction })
    }

    /// The point `distance` metres along the ray.
    pub fn at(&self, distance: f64) -> DVec3 {
        self.origin + self.direction * distance
    }

    /// This outer ray in the local coordinates of `pose`.
    pub fn to_local(&self, pose: &Transform) -> Self {
        Self { origin: pose.inverse_point(self.origin), direction: pose.inverse_vector(self.direction) }
    }
}
