//! A tetrahedron.

use glam::DVec3;

/// Four corners.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Tetrahedron {
    /// The corners.
    pub vertices: [DVec3; 4],
}
