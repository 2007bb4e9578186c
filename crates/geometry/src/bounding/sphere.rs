//! Bounding sphere.

use glam::DVec3;

/// The points at most `radius` from `center`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BoundingSphere {
    /// The centre.
    pub center: DVec3,
    /// The radius in metres; may be infinite.
    pub radius: f64,
}
