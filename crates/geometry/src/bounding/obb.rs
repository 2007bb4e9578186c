//! Oriented bounding box.

use crate::Transform;
use glam::DVec3;

/// A box of any orientation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Obb {
    /// The pose of its centre and axes.
    pub pose: Transform,
    /// Half the edge lengths along its axes.
    pub half_extents: DVec3,
}
