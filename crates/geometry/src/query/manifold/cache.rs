//! What a pair remembers.
//!
//! Along a unit axis n the shapes are apart by `s(n) = min_B n·x − max_A n·x`; the greatest s over all n is the signed
//! distance (negative: minus the penetration depth). Between two calls the pair moves little, so the axis that won last
//! time is tested first: if it still separates, nothing else need be looked at. If the shapes overlap, the axis that won
//! stays unless another is better by the [`Slack`], so that nearly equal axes do not take turns.

use glam::DVec3;

/// An axis between two convex shapes, named by the features that span it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Axis {
    /// Nothing is known.
    #[default]
    Unknown,
    /// The normal of a face of the first shape.
    FaceA(u32),
    /// The reversed normal of a face of the second.
    FaceB(u32),
    /// Perpendicular to an edge of each.
    Edges(u32, u32),
    /// A direction in the frame of the first shape.
    Direction(DVec3),
}

/// What one convex pair (or a convex shape and a triangle) remembers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct ConvexCache {
    /// The axis that won last time, be it that it separated or that the shapes overlapped least along it.
    pub(crate) axis: Axis,
}

/// By how much an axis must be better to be preferred: 2 % of the depth plus 1e-4 of the smaller shape's size.
///
/// It counts in favour of the axis used last, and of faces against pairs of edges (a face gives several points, an edge pair
/// one); half of it for faces of the first shape against those of the second (flat on flat, they tie). A reported
/// depth therefore exceeds the exact one by at most two slacks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slack {
    absolute: f64,
}

impl Slack {
    const RELATIVE: f64 = 0.02;

    /// `size`: the largest half extent of the smaller shape.
    #[inline]
    pub(super) fn new(size: f64) -> Self {
        Self { absolute: 1e-4 * size }
    }

    /// The preference of faces of the first shape, in slacks.
    pub(super) const FACE_A: f64 = 0.0;
    /// That of faces of the second.
    pub(super) const FACE_B: f64 = -0.5;
    /// That of pairs of edges.
    pub(super) const EDGES: f64 = -1.0;

    /// A separation corrected by its axis's preference; the axis with the highest score wins.
    #[inline(always)]
    pub(super) fn score(&self, separation: f64, preference: f64, is_last: bool) -> f64 {
        let preference = preference + f64::from(u8::from(is_last));
        separation + preference * (self.absolute + Self::RELATIVE * separation.abs())
    }
}
