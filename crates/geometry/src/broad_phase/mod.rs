//! Broad phase: which of many boxes are near each other, and which lie along a ray or in a region.
//!
//! Five interchangeable implementations of one trait. All follow the same rule and therefore give the same pairs: a
//! proxy keeps the box it was given last (tight) and a box with a margin (fat); the fat box is renewed only when the
//! tight one leaves it, and two proxies are a pair while their fat boxes overlap and at least one of them can move.

use crate::{Aabb, Ray};
use glam::DVec3;

/// A box in a broad phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ProxyId(pub u32);

/// Whether a proxy can move. Two fixed proxies never form a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Mobility {
    /// Stays where it is: scenery.
    Fixed,
    /// May move every step.
    Moving,
}

/// Two proxies near each other, the smaller id first.
pub type ProxyPair = (ProxyId, ProxyId);

/// The pairs that came and went in one update, each list sorted.
#[derive(Clone, Copy, Debug)]
pub struct PairChanges<'a> {
    /// Pairs whose fat boxes began to overlap.
    pub new: &'a [ProxyPair],
    /// Pairs whose fat boxes ceased to overlap, or of which a member was removed.
    pub lost: &'a [ProxyPair],
}

/// A structure that knows many boxes and finds those that are near each other, along a ray or in a region.
pub trait BroadPhase: std::fmt::Debug + Send + Sync {
    /// Adds a box. Ids are reused after removal, the most recently freed first, so that equal histories give equal ids.
    fn insert(&mut self, aabb: Aabb, mobility: Mobility) -> ProxyId;

    /// Removes a box; `false` if there is none with this id.
    fn remove(&mut self, id: ProxyId) -> bool;

    /// Tells where a box is now and how far it is expected to move until the next update (the fat box is stretched that
    /// way); `false` if there is none with this id.
    fn relocate(&mut self, id: ProxyId, aabb: Aabb, displacement: DVec3) -> bool;

    /// Brings the pairs up to date and says what changed since the last update.
    fn update_pairs(&mut self) -> PairChanges<'_>;

    /// All pairs as of the last update, sorted.
    fn pairs(&self) -> &[ProxyPair];

    /// Calls `visit` for every proxy whose tight box overlaps `region` until it returns `false`.
    fn query_box(&self, region: &Aabb, visit: &mut dyn FnMut(ProxyId) -> bool);

    /// Calls `visit` for proxies whose tight box the ray meets within `max_distance`; `visit` answers with the distance
    /// that is still of interest (the nearest hit so far, or `max_distance` to see them all, or a negative number to stop).
    fn query_ray(&self, ray: &Ray, max_distance: f64, visit: &mut dyn FnMut(ProxyId) -> f64);

    /// Rebuilds the structure from scratch for best queries. The pairs do not change.
    fn rebuild(&mut self);

    /// The tight box of a proxy.
    fn aabb(&self, id: ProxyId) -> Option<Aabb>;

    /// The fat box of a proxy.
    fn fat_aabb(&self, id: ProxyId) -> Option<Aabb>;

    /// How many boxes there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The boxes of the structure itself (cells, nodes), for drawing.
    fn structure(&self, visit: &mut dyn FnMut(Aabb));
}
