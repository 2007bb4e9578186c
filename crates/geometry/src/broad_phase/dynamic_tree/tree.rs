//! The tree itself: nodes, insertion, removal, moves, searches.
//!
//! The two children of a node lie side by side in the array, at an even index and the odd one after it, so that the
//! sibling of node i is i ^ 1 and both are fetched together. The root is node 0; node 1 is never used.

use super::build::{Item, Wear};
use crate::Aabb;
use crate::broad_phase::probe::Probe;
use crate::broad_phase::proxies::Proxies;
use glam::DVec3;

/// No tree is taller: [`tall_for`] of the largest number of leaves there can be.
const MAX_HEIGHT: usize = 80;

/// Set in `Node::link` of leaves.
const LEAF: u32 = 1 << 31;
const NOWHERE: u32 = u32::MAX;

/// A box with either two children or a proxy.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Node {
    /// The fat box of a leaf; a box around both children of an inner node, and after [`Tree::maintain`] the smallest.
    pub(super) aabb: Aabb,
    /// The first child, or [`LEAF`] and the id of the proxy.
    link: u32,
    /// The node above; meaningless for the root.
    pub(super) parent: u32,
    /// The number of leaves from here down.
    pub(super) leaves: u32,
    /// The largest number of steps from here down to a leaf.
    pub(super) height: u8,
    /// Whether a leaf from here down has moved since the last update.
    pub(super) moved: bool,
}

impl Node {
    pub(super) fn leaf(id: u32, aabb: Aabb) -> Self {
        Self { aabb, link: LEAF | id, parent: 0, leaves: 1, height: 0, moved: true }
    }

    /// The id of the proxy of a leaf.
    pub(super) fn proxy(&self) -> Option<u32> {
        (self.link & LEAF != 0).then_some(self.link & !LEAF)
    }

    /// The first of the two children of an inner node.
    pub(super) fn children(&self) -> Option<u32> {
        (self.link & LEAF == 0).then_some(self.link)
    }
}

/// A measure of the surface that is finite for every box: edges are taken as 10¹⁰⁰ at most.
pub(super) fn area(aabb: &Aabb) -> f64 {
    let e = aabb.extents().min(DVec3::splat(1e100));
    e.x * e.y + e.y * e.z + e.z * e.x
}

/// A subtree of so many leaves that is taller than this is built anew: twice as tall as it could be, and some.
pub(super) fn tall_for(leaves: u32) -> u32 {
    2 * (u32::BITS - leaves.leading_zeros()) + 16
}

/// A binary tree of boxes.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Tree {
    /// Nodes; empty, or with at least a root (that has no leaves once the last proxy is gone).
    pub(super) nodes: Vec<Node>,
    /// First nodes of unused pairs of siblings; the last is used first.
    pub(super) free: Vec<u32>,
    /// The leaf of each proxy id.
    leaf_of: Vec<u32>,
    /// What mending has to make good for, and where it goes on.
    pub(super) wear: Wear,
    /// Room for building; empty in between.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(super) items: Vec<Item>,
}

impl Tree {
    pub(super) fn node(&self, index: u32) -> &Node {
        &self.nodes[index as usize]
    }

    pub(super) fn node_mut(&mut self, index: u32) -> &mut Node {
        &mut self.nodes[index as usize]
    }

    /// The root, if the tree is not empty.
    pub(super) fn root(&self) -> Option<&Node> {
        self.nodes.first().filter(|root| root.leaves > 0)
    }

    /// Puts `node` at `index` and tells its children or its proxy.
    pub(super) fn place(&mut self, index: u32, parent: u32, node: Node) {
        *self.node_mut(index) = Node { parent, ..node };
        match node.children() {
            Some(first) => {
                self.node_mut(first).parent = index;
                self.node_mut(first + 1).parent = index;
            }
            None => {
                let id = (node.link & !LEAF) as usize;
                if self.leaf_of.len() <= id {
                    self.leaf_of.resize(id + 1, NOWHERE);
                }
                self.leaf_of[id] = index;
            }
        }
    }

    /// Makes an inner node of `index` over two children placed already.
    pub(super) fn join(&mut self, index: u32, parent: u32, first: u32) {
        let (a, b) = (*self.node(first), *self.node(first + 1));
        let node = Node {
            aabb: a.aabb.merged(&b.aabb),
            link: first,
            parent,
            leaves: a.leaves + b.leaves,
            height: 1 + a.height.max(b.height),
            moved: a.moved | b.moved,
        };
        self.place(index, parent, node);
    }

    /// Room for two siblings.
    pub(super) fn allocate_pair(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            let unused = Node { aabb: Aabb::EMPTY, link: 0, parent: 0, leaves: 0, height: 0, moved: false };
            self.nodes.extend([unused; 2]);
            (self.nodes.len() - 2) as u32
        })
    }

    pub(super) fn insert(&mut self, id: u32, aabb: Aabb) {
        self.note_change();
        self.wear.insertions = self.wear.insertions.saturating_add(1);
        let leaf = Node::leaf(id, aabb);
        if self.nodes.is_empty() {
            self.allocate_pair();
        }
        if self.nodes[0].leaves == 0 {
            self.place(0, 0, leaf);
            return;
        }
        let sibling = self.best_sibling(&aabb);
        let (old, first) = (*self.node(sibling), self.allocate_pair());
        self.place(first, sibling, old);
        self.place(first + 1, sibling, leaf);
        self.join(sibling, old.parent, first);
        let mut crooked = self.mend_upwards(sibling);
        while let Some(index) = crooked {
            self.rebuild_subtree(index);
            crooked = self.mend_upwards(index);
        }
    }

    fn note_change(&mut self) {
        self.wear.changes = self.wear.changes.saturating_add(1);
        self.wear.changes_below_top = self.wear.changes_below_top.saturating_add(1);
    }

    /// Descends to the node beside which a new leaf costs least: the surface of their new parent plus the growth of all above.
    /// Descent ends where no place below can be better than here.
    fn best_sibling(&self, aabb: &Aabb) -> u32 {
        let mut index = 0;
        loop {
            let node = self.node(index);
            let Some(first) = node.children() else { return index };
            let here = area(&node.aabb.merged(aabb));
            // Whatever is below, this node grows, and there is a new node at least as large as the new leaf.
            let growth = here - area(&node.aabb);
            let cost_below = |child: &Node| {
                let merged = area(&child.aabb.merged(aabb));
                if child.proxy().is_some() {
                    merged
                } else {
                    merged - area(&child.aabb) + area(aabb).min(area(&child.aabb))
                }
            };
            let (left, right) = (cost_below(self.node(first)), cost_below(self.node(first + 1)));
            if here <= growth + left.min(right) {
                return index;
            }
            index = if left <= right { first } else { first + 1 };
        }
    }

    /// Recomputes box, number of leaves and height from the parent of `index` up, and says which node is the lowest that is too
    /// tall, if any.
    pub(super) fn mend_upwards(&mut self, mut index: u32) -> Option<u32> {
        let mut crooked = None;
        while index != 0 {
            index = self.node(index).parent;
            if let Some(first) = self.node(index).children() {
                let moved = self.node(index).moved;
                let parent = self.node(index).parent;
                self.join(index, parent, first);
                // A removal may have left an ancestor marked in vain; unmarking it here could leave others unmarked.
                self.node_mut(index).moved |= moved;
            }
            let node = self.node(index);
            if crooked.is_none() && u32::from(node.height) > tall_for(node.leaves) {
                crooked = Some(index);
            }
        }
        crooked
    }

    pub(super) fn remove(&mut self, id: u32) {
        self.note_change();
        let leaf = std::mem::replace(&mut self.leaf_of[id as usize], NOWHERE);
        if leaf == 0 {
            self.nodes[0].leaves = 0;
            return;
        }
        // The sibling takes the place of the parent.
        let (parent, sibling) = (self.node(leaf).parent, *self.node(leaf ^ 1));
        let grandparent = self.node(parent).parent;
        self.free.push(leaf & !1);
        self.place(parent, grandparent, sibling);
        self.mend_upwards(parent);
    }

    pub(super) fn relocate(&mut self, id: u32, aabb: Aabb) {
        let leaf = self.leaf_of[id as usize];
        if !self.node(leaf).aabb.overlaps(&aabb) {
            self.remove(id);
            self.insert(id, aabb);
            return;
        }
        self.note_change();
        let node = self.node_mut(leaf);
        node.aabb = aabb;
        node.moved = true;
        let mut index = leaf;
        while index != 0 {
            index = self.node(index).parent;
            let node = self.node_mut(index);
            let contained = node.aabb.contains(&aabb);
            if contained && node.moved {
                break;
            }
            node.moved = true;
            if !contained {
                node.aabb = node.aabb.merged(&aabb);
            }
        }
    }

    /// Shrinks every node above a moved leaf to the boxes of its children.
    pub(super) fn shrink_to_fit(&mut self, index: u32) -> Aabb {
        let node = *self.node(index);
        if let (true, Some(first)) = (node.moved, node.children()) {
            let aabb = self.shrink_to_fit(first).merged(&self.shrink_to_fit(first + 1));
            self.node_mut(index).aabb = aabb;
            return aabb;
        }
        node.aabb
    }

    /// No leaf counts as moved any more.
    pub(super) fn settle(&mut self) {
        if self.root().is_some() {
            self.unmark(0);
        }
    }

    fn unmark(&mut self, index: u32) {
        let node = self.node_mut(index);
        if std::mem::replace(&mut node.moved, false)
            && let Some(first) = node.children()
        {
            self.unmark(first);
            self.unmark(first + 1);
        }
    }

    /// Visits the leaves within the limit, the nearer child first, and returns the limit that is left.
    pub(super) fn search<P: Probe>(&self, probe: &P, mut limit: f64, visit: &mut impl FnMut(u32) -> f64) -> f64 {
        let Some(root) = self.root() else { return limit };
        // A depth-first search holds at most one waiting node for each level.
        let mut waiting = [(0.0, 0); MAX_HEIGHT];
        let mut count = 0;
        let mut next = Some((probe.reach(&root.aabb), 0));
        while let Some((distance, index)) = next.take() {
            if distance <= limit {
                let node = self.node(index);
                match node.children() {
                    None => limit = visit(node.link & !LEAF),
                    Some(first) => {
                        let reach = |index| (probe.reach(&self.node(index).aabb), index);
                        let (a, b) = (reach(first), reach(first + 1));
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
        self.for_each_node(|node| visit(node.aabb));
    }

    /// The surfaces of all inner nodes together.
    pub(super) fn inner_area(&self) -> f64 {
        let mut sum = 0.0;
        self.for_each_node(|node| sum += if node.children().is_some() { area(&node.aabb) } else { 0.0 });
        sum
    }

    fn for_each_node(&self, mut visit: impl FnMut(&Node)) {
        let mut waiting = Vec::from_iter(self.root().map(|_| 0));
        while let Some(index) = waiting.pop() {
            visit(self.node(index));
            waiting.extend(self.node(index).children().into_iter().flat_map(|first| [first + 1, first]));
        }
    }

    /// Checks that the tree holds exactly `ids`, and every link, box, count and height.
    pub(super) fn validate(&self, proxies: &Proxies, ids: impl Iterator<Item = u32>) -> Result<(), String> {
        let mut expected = 0;
        for id in ids {
            expected += 1;
            let leaf = self.leaf_of.get(id as usize).and_then(|&leaf| self.nodes.get(leaf as usize));
            let leaf = leaf.ok_or_else(|| format!("proxy {id} has no leaf"))?;
            if leaf.proxy() != Some(id) || leaf.aabb != *proxies.fat(id) {
                return Err(format!("the leaf of proxy {id} is {leaf:?}"));
            }
        }
        let mut leaves = 0;
        let mut nodes = 0;
        let mut waiting = Vec::from_iter(self.root().map(|_| 0_u32));
        while let Some(index) = waiting.pop() {
            nodes += 1;
            let node = self.nodes.get(index as usize).ok_or_else(|| format!("there is no node {index}"))?;
            let Some(first) = node.children() else {
                leaves += 1;
                continue;
            };
            let (Some(a), Some(b)) = (self.nodes.get(first as usize), self.nodes.get(first as usize + 1)) else {
                return Err(format!("node {index} has no children at {first}"));
            };
            let sound = first % 2 == 0
                && (a.parent, b.parent) == (index, index)
                && node.leaves.checked_sub(a.leaves) == Some(b.leaves)
                && node.height == 1 + a.height.max(b.height)
                && usize::from(node.height) <= MAX_HEIGHT
                && (node.moved || !(a.moved || b.moved))
                && node.aabb.contains(&a.aabb.merged(&b.aabb));
            if !sound || nodes > self.nodes.len() {
                return Err(format!("node {index} {node:?} does not fit its children {a:?} and {b:?}"));
            }
            waiting.extend([first, first + 1]);
        }
        let used = nodes.max(usize::from(!self.nodes.is_empty())) + usize::from(!self.nodes.is_empty());
        if leaves != expected || used + 2 * self.free.len() != self.nodes.len() {
            return Err(format!(
                "{leaves} leaves for {expected} proxies; {used} + 2 · {} nodes of {}",
                self.free.len(),
                self.nodes.len()
            ));
        }
        Ok(())
    }
}
