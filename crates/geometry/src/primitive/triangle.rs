//! A triangle.

use glam::DVec3;

/// Three corners; counter-clockwise as seen from the side the normal points to.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Triangle {
    /// The corners.
    pub vertices: [DVec3; 3],
}

impl Triangle {
    /// The triangle with corners `a`, `b`, `c`.
    pub const fn new(a: DVec3, b: DVec3, c: DVec3) -> Self {
        Self { vertices: [a, b, c] }
    }
}
