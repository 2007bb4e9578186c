//! Building trees anew, whole or in parts.
//!
//! Top down: the items (leaves, or whole subtrees that stay as they are) are dealt into bins along the axis on which their
//! centres are spread widest, and cut between two bins where surface times number of leaves, summed over both sides, is
//! least. Where the tree would become too tall, it is cut in the middle instead.

use super::node::Node;
use super::tree::{Tree, tall_for};
use crate::broad_phase::proxies::Proxies;
use glam::{DVec3, Vec4};

const BINS: usize = 8;
/// Subtrees of at most this many leaves are mended in one go.
const PATCH: u32 = 256;
/// The top of the tree that is mended in one go ends at this many subtrees.
const TOP: usize = 256;
/// One leaf is built anew for so many changes.
const CHANGES_PER_LEAF: u32 = 8;
/// The top is built anew when so many changes have come for each leaf.
const CHANGES_PER_TOP: u32 = 2;

/// What has changed and has not been made good for.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Wear {
    /// Insertions since the last update.
    pub(super) insertions: u32,
    /// Changes not yet paid for by building leaves anew.
    pub(super) changes: u32,
    /// Changes since the top was built anew.
    pub(super) changes_below_top: u32,
    /// How many leaves lie before the next one to be built anew.
    cursor: u32,
}

/// What a tree is built of: a leaf or a subtree, with its number of leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    node: Node,
    leaves: u32,
}

/// The height of a tree of `n` items that is as balanced as can be.
fn balanced_height(n: usize) -> u32 {
    n.next_power_of_two().trailing_zeros()
}

impl Tree {
    /// Builds the whole tree anew from the true boxes, with the nodes in the order of a depth-first traversal.
    pub(super) fn rebuild(&mut self, proxies: &Proxies, origin: DVec3) {
        let mut items = std::mem::take(&mut self.items);
        if self.len() > 0 {
            self.take_leaves(0, &mut items);
        }
        self.clear();
        self.origin = origin;
        for item in &mut items {
            if let Err(id) = item.node.link() {
                let moved = item.node.moved();
                item.node = Node::leaf(id, proxies.fat(id), origin);
                item.node.set_moved(moved);
            }
        }
        if !items.is_empty() {
            self.build_root(0, &mut items);
        }
        self.items = items;
        self.slack = 0.0;
        self.wear = Wear::default();
    }

    /// Builds one subtree anew.
    pub(super) fn rebuild_subtree(&mut self, index: u32) {
        let (mut items, free) = (std::mem::take(&mut self.items), self.free.len());
        self.take_leaves(index, &mut items);
        // The nodes it had are used again in ascending order.
        self.free[free..].sort_unstable_by(|a, b| b.cmp(a));
        self.build_root(index, &mut items);
        self.items = items;
    }

    /// Whether so much is new that it is best to build everything anew.
    pub(super) fn is_mostly_new(&self) -> bool {
        self.wear.insertions > self.len() / 2
    }

    /// Fits all boxes and makes good for some of the changes since the last time.
    pub(super) fn maintain(&mut self, proxies: &Proxies, moved: impl Iterator<Item = u32>) {
        let leaves = self.len();
        if leaves == 0 {
            return;
        }
        if self.is_mostly_new() {
            self.rebuild(proxies, self.origin);
            return;
        }
        self.wear.insertions = 0;
        self.refit(moved);
        if self.wear.changes_below_top / CHANGES_PER_TOP >= leaves {
            self.wear.changes_below_top = 0;
            self.rebuild_top();
            if self.node(0).height() > tall_for(leaves) {
                self.rebuild(proxies, self.origin);
            }
        }
        let most = CHANGES_PER_LEAF.saturating_mul(leaves);
        self.wear.changes = self.wear.changes.min(most);
        while self.wear.changes > 0 && self.mend_patch() {}
    }

    /// Builds the next subtree of the round robin anew, unless there are too few changes to pay for it.
    fn mend_patch(&mut self) -> bool {
        let (mut index, mut before) = (0, 0);
        if self.wear.cursor >= self.len() {
            self.wear.cursor = 0;
        }
        while let (true, Ok(first)) = (self.leaves(index) > PATCH, self.node(index).link()) {
            let left = self.leaves(first);
            if self.wear.cursor < before + left {
                index = first;
            } else {
                before += left;
                index = first + 1;
            }
        }
        let leaves = self.leaves(index);
        let price = leaves.saturating_mul(CHANGES_PER_LEAF);
        let affordable = price <= self.wear.changes;
        if affordable {
            self.wear.changes -= price;
            self.wear.cursor = before + leaves;
            self.rebuild_subtree(index);
            self.mend_upwards(index);
        }
        affordable
    }

    /// Builds the top of the tree anew over its largest subtrees, which stay as they are.
    fn rebuild_top(&mut self) {
        let (mut items, free) = (std::mem::take(&mut self.items), self.free.len());
        // Surfaces are not negative, and such numbers are ordered as their bits are.
        let key = |tree: &Self, index: u32| (tree.node(index).area().to_bits(), index);
        let mut largest = std::mem::take(&mut self.largest);
        largest.push(key(self, 0));
        while let Some((_, index)) = largest.pop() {
            match self.node(index).link() {
                Ok(first) if items.len() + largest.len() < TOP => {
                    self.free.push(first);
                    largest.extend([key(self, first), key(self, first + 1)]);
                }
                _ => items.push(Item { node: *self.node(index), leaves: self.leaves(index) }),
            }
        }
        self.free[free..].sort_unstable_by(|a, b| b.cmp(a));
        self.build_root(0, &mut items);
        (self.items, self.largest) = (items, largest);
    }

    /// Takes the leaves of a subtree out of the tree and frees its inner nodes.
    fn take_leaves(&mut self, index: u32, items: &mut Vec<Item>) {
        let node = *self.node(index);
        match node.link() {
            Err(_) => items.push(Item { node, leaves: 1 }),
            Ok(first) => {
                self.free.push(first);
                self.take_leaves(first, items);
                self.take_leaves(first + 1, items);
            }
        }
    }

    fn build_root(&mut self, index: u32, items: &mut Vec<Item>) {
        let (parent, height) = (self.parent(index), balanced_height(items.len()) + 8);
        self.build(index, parent, items, height);
        items.clear();
    }

    /// Builds a tree at most `height` tall (not counting the height of the items) at `index`.
    fn build(&mut self, index: u32, parent: u32, items: &mut [Item], height: u32) {
        if let [Item { node, leaves }] = *items {
            self.place(index, parent, node, leaves);
            return;
        }
        let middle = cut(items, height);
        let (left, right) = items.split_at_mut(middle);
        let first = self.allocate_pair();
        self.build(first, index, left, height - 1);
        self.build(first + 1, index, right, height - 1);
        self.join(index, parent, first);
    }
}

/// Arranges two or more items so that a first and a second part are best apart, and says how long the first is.
fn cut(items: &mut [Item], height: u32) -> usize {
    if items.len() == 2 {
        return 1;
    }
    let center = |item: &Item| item.node.double_center();
    let (low, high) = items.iter().fold((Vec4::INFINITY, Vec4::NEG_INFINITY), |(low, high), item| {
        (low.min(center(item)), high.max(center(item)))
    });
    let spread = (high - low).truncate();
    let axis = spread.max_position();
    let (low, scale) = (low[axis], BINS as f32 / spread[axis]);
    if !scale.is_finite() {
        return items.len() / 2;
    }
    if height <= balanced_height(items.len()) {
        let middle = items.len() / 2;
        items.select_nth_unstable_by(middle, |a, b| center(a)[axis].total_cmp(&center(b)[axis]));
        return middle;
    }
    let bin_of = |item: &Item| (((center(item)[axis] - low) * scale) as usize).min(BINS - 1);
    let cut = best_cut(items, bin_of);
    // Both ends of the spread are taken, hence neither part is empty.
    let (mut start, mut end) = (0, items.len());
    while start < end {
        if bin_of(&items[start]) <= cut {
            start += 1;
        } else {
            end -= 1;
            items.swap(start, end);
        }
    }
    start
}

/// The box around some items and the number of their leaves.
type Bin = (Option<Node>, u32);

fn merged(a: Bin, b: Bin) -> Bin {
    let node = match (a.0, b.0) {
        (Some(mut a), Some(b)) => {
            a.enlarge(&b);
            Some(a)
        }
        (a, b) => a.or(b),
    };
    (node, a.1 + b.1)
}

/// The last bin of the first part when surface times leaves is least.
fn best_cut(items: &[Item], bin_of: impl Fn(&Item) -> usize) -> usize {
    let mut bins: [Bin; BINS] = [(None, 0); BINS];
    for item in items {
        let bin = &mut bins[bin_of(item)];
        *bin = merged(*bin, (Some(item.node), item.leaves));
    }
    let cost = |(node, leaves): Bin| node.map_or(0.0, |node| node.area() * leaves as f32);
    let mut costs = [0.0; BINS - 1];
    let (mut below, mut above) = ((None, 0), (None, 0));
    for i in 0..BINS - 1 {
        below = merged(below, bins[i]);
        costs[i] += cost(below);
        above = merged(above, bins[BINS - 1 - i]);
        costs[BINS - 2 - i] += cost(above);
    }
    (1..BINS - 1).fold(0, |best, i| if costs[i] < costs[best] { i } else { best })
}
