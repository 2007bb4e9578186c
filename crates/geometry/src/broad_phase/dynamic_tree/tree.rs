//! The tree itself: insertion, removal, moves, searches.
//!
//! The two children of a node lie side by side in the array, at an even index and the odd one after it, so that the
//! sibling of node i is i ^ 1 and both are fetched together. The root is node 0; node 1 is never used.

use super::build::{Item, Wear};
use super::coarse::CoarseMotion;
use super::node::Node;
use crate::Aabb;
use crate::broad_phase::probe::Probe;
use crate::broad_phase::proxies::Proxies;
use glam::DVec3;
use std::collections::BinaryHeap;

/// No tree is taller: [`tall_for`] of the largest number of leaves there can be.
pub(super) const MAX_HEIGHT: usize = 80;
const NOWHERE: u32 = u32::MAX;

/// A subtree of so many leaves that is taller than this is built anew: twice as tall as it need be, and some.
pub(super) fn tall_for(leaves: u32) -> u32 {
    2 * (u32::BITS - leaves.leading_zeros()) + 16
}

/// Two nodes in one cache line.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(align(64))]
pub(super) struct Siblings(pub(super) [Node; 2]);

/// What traversals downwards do not need of a node.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Position {
    /// The node above; meaningless for the root.
    parent: u32,
    /// The number of leaves from here down.
    leaves: u32,
}

/// A binary tree of boxes.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Tree {
    /// The point to which the boxes of nodes are relative. May change only while there are none.
    pub(super) origin: DVec3,
    /// Nodes; none, or with at least a root (that has no leaves once the last proxy is gone).
    pub(super) pairs: Vec<Siblings>,
    /// One for each node.
    positions: Vec<Position>,
    /// First nodes of unused pairs of siblings; the last is used first.
    pub(super) free: Vec<u32>,
    /// The leaf of each proxy id.
    leaf_of: Vec<u32>,
    /// How far leaves may stick out of the nodes above them, in metres; zero after an update.
    pub(super) slack: f32,
    /// How many leaves have moved since the last update, at most.
    moved: u32,
    /// What mending has to make good for, and where it goes on.
    pub(super) wear: Wear,
    /// Room for building; empty in between.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) items: Vec<Item>,
    /// Subtrees by surface, while the top is built; empty in between.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) largest: BinaryHeap<(u32, u32)>,
}

impl Tree {
    pub(super) fn node(&self, index: u32) -> &Node {
        &self.pairs[index as usize / 2].0[index as usize % 2]
    }

    pub(super) fn node_mut(&mut self, index: u32) -> &mut Node {
        &mut self.pairs[index as usize / 2].0[index as usize % 2]
    }

    /// Both children of a node whose first is `first`.
    pub(super) fn siblings(&self, first: u32) -> &[Node; 2] {
        &self.pairs[first as usize / 2].0
    }

    pub(super) fn parent(&self, index: u32) -> u32 {
        self.positions[index as usize].parent
    }

    /// The number of leaves below a node.
    pub(super) fn leaves(&self, index: u32) -> u32 {
        self.positions[index as usize].leaves
    }

    /// The number of leaves in the tree.
    pub(super) fn len(&self) -> u32 {
        self.positions.first().map_or(0, |root| root.leaves)
    }

    /// Puts a node (of so many leaves) at `index` and tells its children or its proxy.
    pub(super) fn place(&mut self, index: u32, parent: u32, node: Node, leaves: u32) {
        *self.node_mut(index) = node;
        self.positions[index as usize] = Position { parent, leaves };
        match node.link() {
            Ok(first) => {
                self.positions[first as usize].parent = index;
                self.positions[first as usize + 1].parent = index;
            }
            Err(id) => {
                let id = id as usize;
                if self.leaf_of.len() <= id {
                    self.leaf_of.resize(id + 1, NOWHERE);
                }
                self.leaf_of[id] = index;
            }
        }
    }

    /// Makes an inner node of `index` over two children placed already.
    pub(super) fn join(&mut self, index: u32, parent: u32, first: u32) {
        *self.node_mut(index) = Node::above(first, self.siblings(first));
        let leaves = self.leaves(first) + self.leaves(first + 1);
        self.positions[index as usize] = Position { parent, leaves };
        self.positions[first as usize].parent = index;
        self.positions[first as usize + 1].parent = index;
    }

    /// Room for two siblings.
    pub(super) fn allocate_pair(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.pairs.push(Siblings::default());
            self.positions.extend([Position::default(); 2]);
            (self.positions.len() - 2) as u32
        })
    }

    /// Forgets all nodes but the root.
    pub(super) fn clear(&mut self) {
        self.pairs.truncate(1);
        self.positions.truncate(2);
        self.free.clear();
    }

    pub(super) fn insert(&mut self, id: u32, fat: &Aabb) {
        self.note_change();
        self.wear.insertions = self.wear.insertions.saturating_add(1);
        if self.pairs.is_empty() {
            self.allocate_pair();
        }
        let leaf = Node::leaf(id, fat, self.origin);
        if self.len() == 0 {
            self.place(0, 0, leaf, 1);
            return;
        }
        let sibling = self.best_sibling(&leaf);
        let (old, leaves, parent) = (*self.node(sibling), self.leaves(sibling), self.parent(sibling));
        let first = self.allocate_pair();
        self.place(first, sibling, old, leaves);
        self.place(first + 1, sibling, leaf, 1);
        self.join(sibling, parent, first);
        // Equal boxes are all put beside the root.
        let above = self.mend_upwards(sibling);
        let mut crooked = self.is_too_tall(sibling).then_some(sibling).or(above);
        while let Some(index) = crooked {
            self.rebuild_subtree(index);
            crooked = self.mend_upwards(index);
        }
    }

    fn note_change(&mut self) {
        self.moved = self.moved.saturating_add(1);
        self.wear.changes = self.wear.changes.saturating_add(1);
        self.wear.changes_below_top = self.wear.changes_below_top.saturating_add(1);
    }

    /// Descends to the node beside which a new leaf costs least: the surface of their new parent plus the growth of all
    /// above. Descent ends where no place below can be better than here.
    fn best_sibling(&self, leaf: &Node) -> u32 {
        let mut index = 0;
        loop {
            let node = self.node(index);
            let Ok(first) = node.link() else { return index };
            let here = node.merged_area(leaf);
            // Whatever is below, this node grows, and there is a new node at least as large as the smaller of two.
            let growth = here - node.area();
            let cost_below = |child: &Node| {
                let merged = child.merged_area(leaf);
                if child.link().is_err() { merged } else { merged - child.area() + leaf.area().min(child.area()) }
            };
            let [left, right] = self.siblings(first).each_ref().map(cost_below);
            if here <= growth + left.min(right) {
                return index;
            }
            index = if left <= right { first } else { first + 1 };
        }
    }

    /// Recomputes box, number of leaves, height and mark from the parent of `index` up, and says which node is the lowest
    /// that is too tall, if any.
    pub(super) fn mend_upwards(&mut self, mut index: u32) -> Option<u32> {
        let mut crooked = None;
        while index != 0 {
            index = self.parent(index);
            let (parent, node) = (self.parent(index), *self.node(index));
            if let Ok(first) = node.link() {
                self.join(index, parent, first);
                // Unmarking it here could leave others above marked in vain.
                if node.moved() {
                    self.node_mut(index).set_moved(true);
                }
            }
            if crooked.is_none() && self.is_too_tall(index) {
                crooked = Some(index);
            }
        }
        crooked
    }

    fn is_too_tall(&self, index: u32) -> bool {
        self.node(index).height() > tall_for(self.leaves(index))
    }

    pub(super) fn remove(&mut self, id: u32) {
        self.note_change();
        let leaf = std::mem::replace(&mut self.leaf_of[id as usize], NOWHERE);
        if leaf == 0 {
            self.positions[0].leaves = 0;
            return;
        }
        // The sibling takes the place of the parent.
        let (parent, sibling, leaves) = (self.parent(leaf), *self.node(leaf ^ 1), self.leaves(leaf ^ 1));
        self.free.push(leaf & !1);
        self.place(parent, self.parent(parent), sibling, leaves);
        self.mend_upwards(parent);
    }

    pub(super) fn relocate(&mut self, id: u32, fat: &Aabb) {
        let (index, node) = (self.leaf_of[id as usize], Node::leaf(id, fat, self.origin));
        let old = *self.node(index);
        if !old.overlaps(&node) {
            self.remove(id);
            self.insert(id, fat);
            return;
        }
        self.note_change();
        *self.node_mut(index) = node;
        if index != 0 {
            // The nodes above contain the old box, or if it had moved already, at least the node above does what it contains.
            let excess = if old.moved() { self.node(self.parent(index)).excess(&node) } else { old.excess(&node) };
            if excess.is_finite() && excess <= node.shortest_edge() {
                self.slack = self.slack.max(excess);
            } else {
                self.enlarge_above(index, &node);
            }
        }
    }

    /// Makes all nodes above `index` contain a box.
    fn enlarge_above(&mut self, mut index: u32, node: &Node) {
        while index != 0 {
            index = self.parent(index);
            self.node_mut(index).enlarge(node);
        }
    }

    /// Makes all boxes as small as they can be, and marks every node above a moved leaf.
    pub(super) fn refit(&mut self, moved: impl Iterator<Item = u32>) {
        self.slack = 0.0;
        if self.is_agitated() {
            self.refit_all_below(0);
            return;
        }
        for id in moved {
            let mut index = self.leaf_of[id as usize];
            while index != 0 {
                index = self.parent(index);
                let node = self.node_mut(index);
                if node.moved() {
                    break;
                }
                node.set_moved(true);
            }
        }
        self.refit_marked_below(0);
    }

    /// Whether so many leaves have moved that it is faster to look at all nodes than to look for those above them.
    fn is_agitated(&self) -> bool {
        self.moved > self.len() / 8
    }

    fn refit_all_below(&mut self, index: u32) {
        if let Ok(first) = self.node(index).link() {
            self.refit_all_below(first);
            self.refit_all_below(first + 1);
            *self.node_mut(index) = Node::above(first, self.siblings(first));
        }
    }

    fn refit_marked_below(&mut self, index: u32) {
        let node = self.node(index);
        if let (true, Ok(first)) = (node.moved(), node.link()) {
            self.refit_marked_below(first);
            self.refit_marked_below(first + 1);
            let above = Node::above(first, self.siblings(first));
            self.node_mut(index).set_box(&above);
        }
    }

    /// No leaf counts as moved any more.
    pub(super) fn settle(&mut self) {
        if self.is_agitated() {
            self.pairs.iter_mut().flat_map(|siblings| &mut siblings.0).for_each(|node| node.set_moved(false));
        } else if self.len() > 0 {
            self.unmark(0);
        }
        self.moved = 0;
    }

    fn unmark(&mut self, index: u32) {
        let node = self.node_mut(index);
        if node.moved() {
            node.set_moved(false);
            if let Ok(first) = node.link() {
                self.unmark(first);
                self.unmark(first + 1);
            }
        }
    }

    /// Visits the leaves within the limit, the nearer child first, and returns the limit that is left.
    pub(super) fn search<P: Probe>(&self, probe: &P, limit: f64, visit: &mut impl FnMut(u32) -> f64) -> f64 {
        // The slack was rounded; some more is as good.
        let slack = 1.001 * f64::from(self.slack);
        match probe.motion().and_then(|motion| CoarseMotion::new(motion, self.origin, slack)) {
            Some(motion) => self.descend(|node| f64::from(node.reach(&motion)), limit, visit),
            None => self.descend(|node| probe.reach(&node.aabb(self.origin).expanded(slack)), limit, visit),
        }
    }

    /// A search with a lower bound for how far away what is in a node is.
    #[inline]
    fn descend(&self, bound: impl Fn(&Node) -> f64, mut limit: f64, visit: &mut impl FnMut(u32) -> f64) -> f64 {
        if self.len() == 0 {
            return limit;
        }
        let reach = |node: &Node, index: u32| (bound(node), index);
        // A depth-first search holds at most one waiting node for each level.
        let mut waiting = [(0.0, 0); MAX_HEIGHT];
        let mut count = 0;
        let mut next = Some(reach(self.node(0), 0));
        while let Some((distance, index)) = next.take() {
            if distance <= limit {
                match self.node(index).link() {
                    Err(id) => limit = visit(id),
                    Ok(first) => {
                        let [a, b] = self.siblings(first);
                        let (a, b) = (reach(a, first), reach(b, first + 1));
                        let (near, far) = if b.0 < a.0 { (b, a) } else { (a, b) };
                        if far.0 <= limit {
                            waiting[count] = far;
                            count += 1;
                        }
                        next = Some(near);
                        continue;
                    }
                }
            }
            if count > 0 {
                count -= 1;
                next = Some(waiting[count]);
            }
        }
        limit
    }

    /// The boxes of all nodes in use.
    pub(super) fn boxes(&self, visit: &mut dyn FnMut(Aabb)) {
        self.for_each_node(|node| visit(node.aabb(self.origin)));
    }

    /// The surfaces of all inner nodes together.
    pub(super) fn inner_area(&self) -> f64 {
        let mut sum = 0.0;
        self.for_each_node(|node| sum += if node.link().is_ok() { f64::from(node.area()) } else { 0.0 });
        sum
    }

    fn for_each_node(&self, mut visit: impl FnMut(&Node)) {
        let mut waiting = Vec::new();
        if self.len() > 0 {
            waiting.push(0);
        }
        while let Some(index) = waiting.pop() {
            let node = self.node(index);
            visit(node);
            if let Ok(first) = node.link() {
                waiting.extend([first + 1, first]);
            }
        }
    }

    /// Checks that the tree holds exactly `ids`, and every link, box, count and height.
    pub(super) fn validate(&self, proxies: &Proxies, ids: impl Iterator<Item = u32>) -> Result<(), String> {
        let mut expected = 0;
        for id in ids {
            expected += 1;
            let index = self.leaf_of.get(id as usize).copied().filter(|&index| (index as usize) < self.positions.len());
            let leaf = self.node(index.ok_or_else(|| format!("proxy {id} has no leaf"))?);
            if leaf.link() != Err(id) || !leaf.aabb(self.origin).contains(proxies.fat(id)) {
                return Err(format!("the leaf of proxy {id} is {leaf:?}"));
            }
        }
        if self.len() != expected || self.pairs.len() * 2 != self.positions.len() {
            return Err(format!("{} leaves for {expected} proxies", self.len()));
        }
        let mut used = usize::from(!self.pairs.is_empty());
        let mut waiting = Vec::from_iter((expected > 0).then_some(0_u32));
        while let Some(index) = waiting.pop() {
            let node = self.node(index);
            if let Ok(first) = node.link() {
                used += 1;
                if first % 2 != 0 || first as usize >= self.positions.len() || used > self.pairs.len() {
                    return Err(format!("node {index} cannot have children at {first}"));
                }
                self.validate_node(index, first)?;
                waiting.extend([first, first + 1]);
            }
        }
        if used + self.free.len() == self.pairs.len() {
            Ok(())
        } else {
            Err(format!("{used} pairs in use and {} free of {}", self.free.len(), self.pairs.len()))
        }
    }

    fn validate_node(&self, index: u32, first: u32) -> Result<(), String> {
        let (node, children) = (self.node(index), self.siblings(first));
        let sound = (self.parent(first), self.parent(first + 1)) == (index, index)
            && self.leaves(index).checked_sub(self.leaves(first)) == Some(self.leaves(first + 1))
            && node.height() == 1 + children[0].height().max(children[1].height())
            && node.height() as usize <= MAX_HEIGHT
            && children.iter().all(|child| match child.link() {
                Err(_) => node.contains(child) || node.excess(child) <= self.slack,
                Ok(_) => node.contains(child) && (node.moved() || !child.moved()),
            });
        if sound { Ok(()) } else { Err(format!("node {index} {node:?} does not fit its children {children:?}")) }
    }
}
