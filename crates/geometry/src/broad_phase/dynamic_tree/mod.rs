//! Dynamic tree (dynamic AABB tree): a binary hierarchy of boxes that follows its boxes as they move. The default.
//!
//! Fixed and moving proxies live in two trees, so that scenery, however much of it there is, costs nothing while it
//! rests: only the tree of the moving ones changes, and pairs are sought in it and between the two, never in the scenery.
//!
//! 1. **Insertion** descends to the sibling with which the boxes on the way grow least in surface (the measure of how
//!    likely a search enters a node: the surface area heuristic).
//! 2. **A move** overwrites the leaf and nothing else. How far leaves have come to stick out of the nodes above them
//!    is kept as one number for the whole tree, by which searches widen all boxes until the next update; so queries are right at any time
//!    and a move costs next to nothing. A leaf that goes further than it is long enlarges the nodes above at once, and one that jumps (its new fat box does not
//!    meet the old one) is inserted anew.
//! 3. **An update** fits the nodes above moved leaves to what they contain, then mends: leaf by leaf in a round robin, subtrees are
//!    built anew, and from time to time the top of the tree over subtrees that stay whole. How much is mended depends on how much
//!    has changed since; what rests costs nothing.
//! 4. **Pairs** come from a descent into both trees at once that follows only nodes above a moved leaf.
//!
//! Depth is bounded (a subtree too tall for its number of leaves is built anew), so that every traversal gets by with a
//! stack of fixed size.

mod build;
mod coarse;
mod node;
mod pairs;
mod tree;

use super::Mobility;
use super::pairs::FoundPairs;
use super::probe::Probe;
use super::proxies::Proxies;
use super::space::{Space, SpatialIndex};
use crate::Aabb;
use glam::DVec3;
use tree::Tree;

/// A broad phase with a dynamic tree: O(log n) for an insertion, a removal, a query; an update costs as much as moves.
pub type DynamicTree = Space<TwoTrees>;

/// The index of [`DynamicTree`]: one tree for the fixed boxes, one for the moving.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TwoTrees {
    fixed: Tree,
    moving: Tree,
}

impl TwoTrees {
    fn set_origin(&mut self, origin: DVec3) {
        self.fixed.origin = origin;
        self.moving.origin = origin;
    }

    fn tree_of(&mut self, proxies: &Proxies, id: u32) -> &mut Tree {
        match proxies.mobility(id) {
            Mobility::Fixed => &mut self.fixed,
            Mobility::Moving => &mut self.moving,
        }
    }
}

/// The centre of a box, if it has one.
fn center(aabb: &Aabb) -> DVec3 {
    let center = aabb.center();
    if center.is_finite() { center } else { DVec3::ZERO }
}

impl SpatialIndex for TwoTrees {
    const NAME: &'static str = "dynamic tree";

    fn insert(&mut self, proxies: &Proxies, id: u32) {
        if self.fixed.len() == 0 && self.moving.len() == 0 {
            self.set_origin(center(proxies.fat(id)));
        }
        self.tree_of(proxies, id).insert(id, proxies.fat(id));
    }

    fn remove(&mut self, proxies: &Proxies, id: u32, _fat: &Aabb) {
        self.tree_of(proxies, id).remove(id);
    }

    fn relocate(&mut self, proxies: &Proxies, id: u32, _old: &Aabb) {
        self.tree_of(proxies, id).relocate(id, proxies.fat(id));
    }

    fn rebuild(&mut self, proxies: &Proxies) {
        let size = |id: &u32| proxies.fat(*id).extents().max_element();
        let smallest = proxies.occupied().min_by(|a, b| size(a).total_cmp(&size(b)));
        let origin = smallest.map_or(DVec3::ZERO, |id| center(proxies.fat(id)));
        self.fixed.rebuild(proxies, origin);
        self.moving.rebuild(proxies, origin);
    }

    fn maintain(&mut self, proxies: &Proxies) {
        // Both trees at once: an opportunity to choose the origin.
        let renewable = |tree: &Tree| tree.len() == 0 || tree.is_mostly_new();
        if renewable(&self.fixed) && renewable(&self.moving) {
            self.rebuild(proxies);
            return;
        }
        let moved = |mobility| proxies.moved().filter(move |&id| proxies.mobility(id) == mobility);
        self.fixed.maintain(proxies, moved(Mobility::Fixed));
        self.moving.maintain(proxies, moved(Mobility::Moving));
    }

    fn moved_pairs(&self, proxies: &Proxies, found: &mut FoundPairs) {
        self.moving.pairs_within(proxies, found);
        self.moving.pairs_with(&self.fixed, proxies, found);
    }

    fn part_of_moved_pairs(&self, proxies: &Proxies, part: usize, parts: usize, found: &mut FoundPairs) {
        self.moving.part_of_pairs_within(proxies, (part, parts), found);
        self.moving.part_of_pairs_with(&self.fixed, proxies, (part, parts), found);
    }

    fn settle(&mut self) {
        self.fixed.settle();
        self.moving.settle();
    }

    fn search<P: Probe>(&self, _proxies: &Proxies, probe: &P, limit: f64, visit: &mut impl FnMut(u32) -> f64) {
        let limit = self.moving.search(probe, limit, visit);
        self.fixed.search(probe, limit, visit);
    }

    fn boxes(&self, _proxies: &Proxies, visit: &mut dyn FnMut(Aabb)) {
        self.fixed.boxes(visit);
        self.moving.boxes(visit);
    }

    fn validate(&self, proxies: &Proxies) -> Result<(), String> {
        let of = |mobility| proxies.occupied().filter(move |&id| proxies.mobility(id) == mobility);
        if self.fixed.origin != self.moving.origin {
            return Err("the trees have different origins".to_owned());
        }
        self.fixed.validate(proxies, of(Mobility::Fixed))?;
        self.moving.validate(proxies, of(Mobility::Moving))
    }
}

impl DynamicTree {
    /// Quality of the trees: the surfaces of all inner nodes summed, divided by the same sum right after a rebuild. One is
    /// as good as new, two makes queries about twice as expensive.
    pub fn wear(&self) -> f64 {
        let mut fresh = self.index().clone();
        fresh.rebuild(self.proxies());
        let cost = |trees: &TwoTrees| trees.fixed.inner_area() + trees.moving.inner_area();
        let (now, new) = (cost(self.index()), cost(&fresh));
        if new > 0.0 { now / new } else { 1.0 }
    }
}
