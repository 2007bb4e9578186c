//! A line segment.

use glam::DVec3;

/// The straight line between two points.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Segment {
    /// The start.
    pub a: DVec3,
    /// The end.
    pub b: DVec3,
}

impl Segment {
    /// The segment from `a` to `b`.
    pub const fn new(a: DVec3, b: DVec3) -> Self {
        Self { a, b }
    }
}
