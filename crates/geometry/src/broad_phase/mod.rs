//! Broad phase: which of many axis-aligned boxes (AABBs) are near each other, and which lie along a ray or in a region. What
//! the shapes in them do is asked afterwards, pair by pair, in the *narrow phase* ([`query`](crate::query)).
//!
//! Five interchangeable implementations of one trait. All follow the same rule and therefore give the same ids, the same
//! pairs in the same order, and the same answers to queries (in an order of their own):
//!
//! - A proxy keeps the box it was given last (tight) and a box with a margin ([`FatMargin`]) around it (fat). The fat box
//!   is renewed only when the tight one leaves it or it has become far too large.
//! - Two proxies are a pair while their fat boxes overlap (touching counts) and at least one of them can move.
//! - Boxes may be infinite. A box that contains no point (reversed, NaN in any coordinate, or infinitely far away) counts
//!   as empty: its proxy exists, has no pairs and is never found.
//!
//! The rule is written down once, in [`Space`]; an implementation is a [`SpatialIndex`] and nothing else.
//!
//! Which one? The [`DynamicTree`] unless there is a reason: it is the best or close to it in every scene measured. The
//! [`KdTree`] is its equal where boxes are of similar size and few of them move, [`SweepAndPrune`] wins where everything
//! lies along one line, the [`HashGrid`] likes boxes of one size, and [`BruteForce`] is enough for a few dozen boxes. The
//! benchmark `broad_phases` compares them.

mod any;
mod brute_force;
mod dynamic_tree;
mod hash_grid;
mod kd_tree;
mod margin;
mod pairs;
mod probe;
mod proxies;
mod space;
mod sweep_and_prune;

pub use any::{AnyBroadPhase, BroadPhaseKind};
pub use brute_force::{AllBoxes, BruteForce};
pub use dynamic_tree::{DynamicTree, TwoTrees};
pub use hash_grid::{Grid, HashGrid};
pub use kd_tree::{Buckets, KdTree, TreeLimits};
pub use margin::FatMargin;
pub use pairs::FoundPairs;
pub use probe::{MovingBox, Nearness, Probe};
pub use proxies::Proxies;
pub use space::{Space, SpatialIndex};
pub use sweep_and_prune::{SortedLists, SweepAndPrune};

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

/// Workers who can do the parts of a search for pairs at the same time.
pub trait Crew {
    /// How many parts there should be.
    fn count(&self) -> usize;

    /// Calls `work` once with the number and the list of every part, in any order, perhaps several at once.
    fn for_each(&self, parts: &mut [FoundPairs], work: &(dyn Fn(usize, &mut FoundPairs) + Sync));
}

/// A structure that knows many boxes and finds those that are near each other, along a ray or in a region.
///
/// Queries see every change at once; pairs are those of the last [`update_pairs`](Self::update_pairs). Queries may run on
/// several threads at once.
///
/// ```
/// use tumble_geometry::broad_phase::{BroadPhase, DynamicTree, FatMargin, Mobility};
/// use tumble_geometry::glam::DVec3;
/// use tumble_geometry::{Aabb, Ray};
///
/// let cube = |x| Aabb::from_center(DVec3::new(x, 0.0, 0.0), DVec3::splat(0.5));
/// let mut space = DynamicTree::new(FatMargin::default());
/// let wall = space.insert(cube(0.0), Mobility::Fixed);
/// let ball = space.insert(cube(5.0), Mobility::Moving);
/// assert!(space.update_pairs().new.is_empty());
///
/// space.relocate(ball, cube(1.05), DVec3::ZERO);
/// assert_eq!(space.update_pairs().new, [(wall, ball)]);
///
/// let ray = Ray::new(DVec3::new(9.0, 0.0, 0.0), -DVec3::X).unwrap();
/// let mut nearest = None;
/// space.query_ray(&ray, 100.0, &mut |id| {
///     nearest = Some(id);
///     space.aabb(id).unwrap().max.distance(ray.origin)
/// });
/// assert_eq!(nearest, Some(ball));
/// ```
pub trait BroadPhase: std::any::Any + std::fmt::Debug + Send + Sync {
    /// What this implementation is called, e.g. "dynamic tree".
    fn name(&self) -> &'static str;

    /// Adds a box. Ids are reused after removal, the most recently freed first, so that equal histories give equal ids.
    fn insert(&mut self, aabb: Aabb, mobility: Mobility) -> ProxyId;

    /// Removes a box; `false` if there is none with this id.
    fn remove(&mut self, id: ProxyId) -> bool;

    /// Tells where a box is now and how far it is expected to move until the next update (the fat box is stretched that
    /// way); `false` if there is none with this id.
    fn relocate(&mut self, id: ProxyId, aabb: Aabb, displacement: DVec3) -> bool;

    /// Tells whether a box can move from now on; `false` if there is none with this id.
    fn set_mobility(&mut self, id: ProxyId, mobility: Mobility) -> bool;

    /// Brings the pairs up to date and says what changed since the last update. A pair with a member that was removed and
    /// whose id has been given to another box is reported as lost, and as new if the other box takes its place.
    fn update_pairs(&mut self) -> PairChanges<'_>;

    /// The same, unless there would be more than `most` pairs: then there is no answer, all pairs stay as they were, and what moved
    /// counts as moved until the next update. The search ends where it finds too many, so that it takes no more memory than `most`
    /// pairs do. (This default finds them all, and judges by how many are new.)
    fn update_pairs_within(&mut self, most: usize) -> Option<PairChanges<'_>> {
        let changes = self.update_pairs();
        (changes.new.len() <= most).then_some(changes)
    }

    /// The same with the search for pairs divided among a [`Crew`]. The answer is the same, whoever does it.
    fn update_pairs_with(&mut self, _crew: &dyn Crew) -> PairChanges<'_> {
        self.update_pairs()
    }

    /// All pairs as of the last update, sorted.
    fn pairs(&self) -> &[ProxyPair];

    /// Calls `visit` for every proxy whose tight box overlaps `region` until it returns `false`.
    fn query_box(&self, region: &Aabb, visit: &mut dyn FnMut(ProxyId) -> bool);

    /// Calls `visit` for every proxy whose tight box contains `point` until it returns `false`.
    fn query_point(&self, point: DVec3, visit: &mut dyn FnMut(ProxyId) -> bool) {
        self.query_box(&Aabb::new(point, point), visit);
    }

    /// Calls `visit` for proxies whose tight box the ray meets within `max_distance`; `visit` answers with the distance
    /// that is still of interest (the nearest hit so far, or `max_distance` to see them all, or a negative number to stop).
    fn query_ray(&self, ray: &Ray, max_distance: f64, visit: &mut dyn FnMut(ProxyId) -> f64);

    /// Calls `visit` for proxies whose tight box is touched by `aabb` on its way along `translation`; `visit` answers with
    /// the fraction of the way that is still of interest: 1 to see them all, negative to stop.
    fn query_sweep(&self, aabb: &Aabb, translation: DVec3, visit: &mut dyn FnMut(ProxyId) -> f64);

    /// Calls `visit` for proxies whose tight box is at most `max_distance` from `point`; `visit` answers with the distance
    /// that is still of interest (the nearest so far), negative to stop.
    fn query_nearest(&self, point: DVec3, max_distance: f64, visit: &mut dyn FnMut(ProxyId) -> f64);

    /// Rebuilds the structure from scratch for best queries. The pairs do not change.
    fn rebuild(&mut self);

    /// The tight box of a proxy; [`Aabb::EMPTY`] if it was given a box that contains no point.
    fn aabb(&self, id: ProxyId) -> Option<Aabb>;

    /// The fat box of a proxy.
    fn fat_aabb(&self, id: ProxyId) -> Option<Aabb>;

    /// Whether a proxy can move.
    fn mobility(&self, id: ProxyId) -> Option<Mobility>;

    /// How many boxes there are.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The boxes of the structure itself (cells, nodes), for drawing.
    fn structure(&self, visit: &mut dyn FnMut(Aabb));

    /// Checks the invariants of the structure in time proportional to its size; says which is violated. For tests.
    fn validate(&self) -> Result<(), String>;

    /// A copy that behaves exactly as this one from here on.
    fn clone_box(&self) -> Box<dyn BroadPhase>;
}

impl Clone for Box<dyn BroadPhase> {
    fn clone(&self) -> Self {
        self.clone_box()
    }
}
