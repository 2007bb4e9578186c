//! The node of a tree: a box in single precision with its links, in 32 bytes, so that two siblings fill a cache line and an
//! overlap is tested with two vector instructions.
//!
//! The coordinates are relative to an origin near the boxes and rounded outwards: the box of a node always contains the true
//! one. What the tree finds is therefore a candidate, and certain only if the boxes overlap by more than the
//! rounding; the rest is decided by the true boxes.

use super::coarse::CoarseMotion;
use crate::Aabb;
use glam::{DVec3, Vec4};

/// Set in the link of leaves. Links stay below 2³⁰, so that as bits of a float they are an ordinary number.
const LEAF: u32 = 1 << 29;
/// Set in the state of a node if it has moved; the rest is the height.
const MOVED: u32 = 1 << 8;
/// Outward rounding: more than the half unit in the last place (2⁻²⁴) of a conversion and that of the rounding itself.
const ROUNDING: f32 = 1.0 / (1 << 22) as f32;
/// The lanes of a vector that are coordinates.
const COORDINATES: u32 = 0b111;

/// A box with either two children or a proxy.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Node {
    /// The smallest coordinates, and as bits: the index of the first child, or [`LEAF`] and the id of the proxy.
    low: Vec4,
    /// The largest coordinates, and as bits: [`MOVED`] and the height.
    high: Vec4,
}

fn with_bits(coordinates: Vec4, bits: u32) -> Vec4 {
    let mut vector = coordinates;
    vector.w = f32::from_bits(bits);
    vector
}

impl Node {
    /// A leaf that has moved.
    pub(super) fn leaf(id: u32, fat: &Aabb, origin: DVec3) -> Self {
        // What single precision cannot hold becomes infinite, or, on the wrong side of the box, as large as can be.
        let low = (fat.min - origin).min(DVec3::splat(3e38)).as_vec3().extend(0.0);
        let high = (fat.max - origin).max(DVec3::splat(-3e38)).as_vec3().extend(0.0);
        let slack = |v: Vec4| v.abs() * ROUNDING + Vec4::splat(1e-37);
        Self { low: with_bits(low - slack(low), LEAF | id), high: with_bits(high + slack(high), MOVED) }
    }

    /// The node above two siblings that are found at `first`.
    pub(super) fn above(first: u32, [a, b]: &[Self; 2]) -> Self {
        let state = ((a.state() | b.state()) & MOVED) | (1 + a.height().max(b.height()));
        Self { low: with_bits(a.low.min(b.low), first), high: with_bits(a.high.max(b.high), state) }
    }

    /// The first of two children, or the id of the proxy as an error.
    pub(super) fn link(&self) -> Result<u32, u32> {
        let link = self.low.w.to_bits();
        if link & LEAF == 0 { Ok(link) } else { Err(link & !LEAF) }
    }

    fn state(&self) -> u32 {
        self.high.w.to_bits()
    }

    /// The largest number of steps from here down to a leaf.
    pub(super) fn height(&self) -> u32 {
        self.state() & !MOVED
    }

    /// Whether a leaf from here down has moved since the last update; up to date in inner nodes after a refit.
    pub(super) fn moved(&self) -> bool {
        self.state() & MOVED != 0
    }

    pub(super) fn set_moved(&mut self, moved: bool) {
        let state = if moved { self.state() | MOVED } else { self.state() & !MOVED };
        self.high.w = f32::from_bits(state);
    }

    /// Takes over the box of another node.
    pub(super) fn set_box(&mut self, other: &Self) {
        self.low = with_bits(other.low, self.low.w.to_bits());
        self.high = with_bits(other.high, self.high.w.to_bits());
    }

    /// Grows to contain the box of another node.
    pub(super) fn enlarge(&mut self, other: &Self) {
        self.low = with_bits(self.low.min(other.low), self.low.w.to_bits());
        self.high = with_bits(self.high.max(other.high), self.high.w.to_bits());
    }

    /// The box in double precision.
    pub(super) fn aabb(&self, origin: DVec3) -> Aabb {
        Aabb::new(origin + self.low.truncate().as_dvec3(), origin + self.high.truncate().as_dvec3())
    }

    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let apart = self.low.cmpgt(other.high) | other.low.cmpgt(self.high);
        apart.bitmask() & COORDINATES == 0
    }

    /// Whether the true boxes of two leaves that overlap must overlap too: they do by more than all roundings.
    pub(super) fn surely_overlaps(&self, other: &Self) -> bool {
        let surely = |low: Vec4, high: Vec4| {
            (high - low).cmpgt((high.abs() + low.abs()) * (4.0 * ROUNDING) + Vec4::splat(1e-36))
        };
        let sure = surely(self.low, other.high) & surely(other.low, self.high);
        sure.bitmask() & COORDINATES == COORDINATES
    }

    /// The earliest time at which a moving box may meet what is in the node.
    #[inline]
    pub(super) fn reach(&self, motion: &CoarseMotion) -> f32 {
        motion.reach(self.low, self.high)
    }

    pub(super) fn contains(&self, other: &Self) -> bool {
        let outside = other.low.cmplt(self.low) | other.high.cmpgt(self.high);
        outside.bitmask() & COORDINATES == 0
    }

    /// How far the box of another node sticks out of this one, in metres; zero if it does not. Two that reach equally far into infinity do not.
    pub(super) fn excess(&self, other: &Self) -> f32 {
        let below = Vec4::select(other.low.cmplt(self.low), self.low - other.low, Vec4::ZERO);
        let above = Vec4::select(other.high.cmpgt(self.high), other.high - self.high, Vec4::ZERO);
        below.max(above).truncate().max_element()
    }

    /// The shortest edge.
    pub(super) fn shortest_edge(&self) -> f32 {
        (self.high - self.low).truncate().min_element()
    }

    /// A measure of the surface that is finite for every box: edges are taken as 10¹⁸ m at most.
    pub(super) fn area(&self) -> f32 {
        area(self.low, self.high)
    }

    /// The area of the smallest box around both.
    pub(super) fn merged_area(&self, other: &Self) -> f32 {
        area(self.low.min(other.low), self.high.max(other.high))
    }

    /// Twice the centre, finite for unbounded boxes too.
    pub(super) fn double_center(&self) -> Vec4 {
        let bounded = |v: Vec4| v.clamp(Vec4::splat(-1e18), Vec4::splat(1e18));
        bounded(self.low) + bounded(self.high)
    }
}

fn area(low: Vec4, high: Vec4) -> f32 {
    let e = (high - low).truncate().min(glam::Vec3::splat(1e18));
    e.x * e.y + e.y * e.z + e.z * e.x
}
