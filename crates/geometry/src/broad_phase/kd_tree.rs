//! KD-tree: space divided by planes, each perpendicular to an axis, into buckets of a few boxes.
//!
//! A box belongs to the bucket that contains its centre, whatever planes it straddles; every node keeps the bounds of the
//! boxes below it, which therefore overlap those of its sibling, and searches go by the bounds. A move that keeps the
//! centre on its side of the planes only widens bounds. Boxes without end (an infinite or an astronomical coordinate)
//! are kept in a list that every search goes through.
//!
//! A full bucket is split by a plane through the median of its centres, across the axis on which they are spread widest.
//! A subtree that has become too tall for what it holds is built anew at once. In an update the bounds are refit when as many changes have
//! come as half the boxes, and the planes are placed anew when twice as many have come as there are boxes.

use super::probe::Probe;
use super::proxies::Proxies;
use super::space::{Space, SpatialIndex};
use crate::Aabb;
use glam::DVec3;
use std::num::NonZeroU32;

/// A broad phase with a KD-tree: O(log n) for a query; best where most boxes stay where they are.
pub type KdTree = Space<Buckets>;

/// The waiting nodes of a search: more than the height of any tree, see [`tall_for`].
const STACK: usize = 96;
const NOWHERE: u32 = u32::MAX;

/// How large a KD-tree may grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TreeLimits {
    /// A bucket of more boxes is split, if it can be. Default 16.
    pub leaf_size: NonZeroU32,
    /// The most planes above a bucket. Default: as many as it takes, which is no more than twice the logarithm of the number of boxes and a few.
    pub depth: u32,
}

impl Default for TreeLimits {
    fn default() -> Self {
        Self { leaf_size: const { NonZeroU32::new(16).expect("sixteen is not zero") }, depth: u32::MAX }
    }
}

/// The index of [`KdTree`].
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Buckets {
    limits: TreeLimits,
    /// Nodes; siblings lie side by side. The root is node 0 and node 1 is not used.
    nodes: Vec<Node>,
    /// First nodes of unused pairs of siblings.
    free: Vec<u32>,
    unbounded: Vec<u32>,
    /// For each proxy id the bucket (or [`NOWHERE`] if unbounded) and the position in its list.
    places: Vec<(u32, u32)>,
    changes_since_refit: usize,
    changes_since_build: usize,
}

#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Node {
    /// A box around all fat boxes below.
    bounds: Aabb,
    parent: u32,
    /// How many boxes are below.
    count: u32,
    content: Content,
}

#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum Content {
    /// Centres with a smaller coordinate than `plane` are below the first child, the others below the one after.
    Split {
        axis: usize,
        plane: f64,
        first: u32,
    },
    Bucket(Vec<u32>),
}

impl Node {
    fn bucket(parent: u32) -> Self {
        Self { bounds: Aabb::EMPTY, parent, count: 0, content: Content::Bucket(Vec::new()) }
    }
}

/// A subtree of so many boxes that is taller than this is built anew.
fn tall_for(count: u32) -> u32 {
    2 * (u32::BITS - count.leading_zeros()) + 8
}

fn is_bounded(fat: &Aabb) -> bool {
    fat.min.min_element() > -1e100 && fat.max.max_element() < 1e100
}

impl Buckets {
    /// The limits.
    pub fn limits(&self) -> TreeLimits {
        self.limits
    }

    /// An empty tree with these limits.
    pub fn with_limits(limits: TreeLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// The most boxes of a bucket that is not split.
    fn leaf_size(&self) -> usize {
        self.limits.leaf_size.get() as usize
    }

    /// How many planes there are above a node.
    fn depth_of(&self, mut index: u32) -> u32 {
        let mut depth = 0;
        while index != 0 {
            (index, depth) = (self.node(index).parent, depth + 1);
        }
        depth
    }

    fn node(&self, index: u32) -> &Node {
        &self.nodes[index as usize]
    }

    fn node_mut(&mut self, index: u32) -> &mut Node {
        &mut self.nodes[index as usize]
    }

    /// The bucket for a centre.
    fn bucket_of(&self, center: DVec3) -> u32 {
        let mut index = 0;
        while let Content::Split { axis, plane, first } = self.node(index).content {
            index = first + u32::from(center[axis] >= plane);
        }
        index
    }

    /// Calls `change` for a node and all above it.
    fn upwards(&mut self, mut index: u32, mut change: impl FnMut(&mut Node)) {
        loop {
            let node = self.node_mut(index);
            change(node);
            if index == 0 {
                return;
            }
            index = node.parent;
        }
    }

    fn set_place(&mut self, id: u32, bucket: u32, position: usize) {
        if self.places.len() <= id as usize {
            self.places.resize(id as usize + 1, (NOWHERE, 0));
        }
        self.places[id as usize] = (bucket, position as u32);
    }

    /// The list an id is in: of a bucket, or of the unbounded.
    fn list(&mut self, bucket: u32) -> &mut Vec<u32> {
        match self.nodes.get_mut(bucket as usize) {
            Some(Node { content: Content::Bucket(ids), .. }) => ids,
            _ => &mut self.unbounded,
        }
    }

    /// Splits a bucket that holds too much. Tried only when it has doubled: boxes at one place cannot be parted.
    fn split_if_full(&mut self, proxies: &Proxies, bucket: u32) {
        let held = self.node(bucket).count as usize;
        let leaf = self.leaf_size();
        if held <= leaf || !(held - 1).is_multiple_of(leaf) || !((held - 1) / leaf).is_power_of_two() {
            return;
        }
        self.rebuild_subtree(proxies, bucket);
        let (mut index, mut height) = (bucket, 1);
        while index != 0 {
            index = self.node(index).parent;
            height += 1;
            if height > tall_for(self.node(index).count) {
                self.rebuild_subtree(proxies, index);
                return;
            }
        }
    }

    fn rebuild_subtree(&mut self, proxies: &Proxies, index: u32) {
        let mut ids = Vec::with_capacity(self.node(index).count as usize);
        self.take_ids(index, &mut ids);
        self.build(proxies, index, &mut ids, self.depth_of(index));
    }

    /// Takes the ids out of a subtree and frees all nodes below its root.
    fn take_ids(&mut self, index: u32, ids: &mut Vec<u32>) {
        match std::mem::replace(&mut self.node_mut(index).content, Content::Bucket(Vec::new())) {
            Content::Bucket(list) => ids.extend(list),
            Content::Split { first, .. } => {
                self.take_ids(first, ids);
                self.take_ids(first + 1, ids);
                self.free.push(first);
            }
        }
    }

    fn build(&mut self, proxies: &Proxies, index: u32, ids: &mut [u32], depth: u32) {
        self.node_mut(index).count = ids.len() as u32;
        self.node_mut(index).bounds = ids.iter().fold(Aabb::EMPTY, |sum, &id| sum.merged(proxies.fat(id)));
        let is_full = ids.len() > self.leaf_size() && depth < self.limits.depth;
        let Some((axis, plane)) = (if is_full { splitting_plane(proxies, ids) } else { None }) else {
            for (position, &id) in ids.iter().enumerate() {
                self.set_place(id, index, position);
            }
            self.node_mut(index).content = Content::Bucket(ids.to_vec());
            return;
        };
        let mut middle = 0;
        for i in 0..ids.len() {
            if proxies.fat(ids[i]).center()[axis] < plane {
                ids.swap(i, middle);
                middle += 1;
            }
        }
        let first = self.free.pop().unwrap_or(self.nodes.len() as u32);
        if first as usize == self.nodes.len() {
            self.nodes.extend([Node::bucket(index), Node::bucket(index)]);
        }
        self.node_mut(index).content = Content::Split { axis, plane, first };
        let (below, above) = ids.split_at_mut(middle);
        for (child, ids) in [(first, below), (first + 1, above)] {
            self.node_mut(child).parent = index;
            self.build(proxies, child, ids, depth + 1);
        }
    }

    /// Makes the bounds of all nodes as small as they can be.
    fn refit(&mut self, proxies: &Proxies, index: u32) -> Aabb {
        let bounds = match &self.node(index).content {
            Content::Bucket(ids) => ids.iter().fold(Aabb::EMPTY, |sum, &id| sum.merged(proxies.fat(id))),
            &Content::Split { first, .. } => self.refit(proxies, first).merged(&self.refit(proxies, first + 1)),
        };
        self.node_mut(index).bounds = bounds;
        bounds
    }
}

/// Axis and coordinate of the plane that halves the centres where they are spread widest; `None` if they coincide.
fn splitting_plane(proxies: &Proxies, ids: &mut [u32]) -> Option<(usize, f64)> {
    let center = |id: u32| proxies.fat(id).center();
    let centers = Aabb::from_points(ids.iter().map(|&id| center(id)));
    let axis = centers.extents().max_position();
    let middle = ids.len() / 2;
    ids.select_nth_unstable_by(middle, |&a, &b| center(a)[axis].total_cmp(&center(b)[axis]));
    let median = center(ids[middle])[axis];
    if median > centers.min[axis] {
        return Some((axis, median));
    }
    // More than half have the smallest coordinate: the plane goes through the next.
    let above = ids.iter().map(|&id| center(id)[axis]).filter(|&c| c > median).fold(f64::INFINITY, f64::min);
    above.is_finite().then_some((axis, above))
}

impl SpatialIndex for Buckets {
    const NAME: &'static str = "KD-tree";

    fn insert(&mut self, proxies: &Proxies, id: u32) {
        let fat = *proxies.fat(id);
        self.changes_since_refit += 1;
        self.changes_since_build += 1;
        if !is_bounded(&fat) {
            self.set_place(id, NOWHERE, self.unbounded.len());
            self.unbounded.push(id);
            return;
        }
        if self.nodes.is_empty() {
            self.nodes.extend([Node::bucket(0), Node::bucket(0)]);
        }
        let bucket = self.bucket_of(fat.center());
        self.upwards(bucket, |node| {
            node.bounds = node.bounds.merged(&fat);
            node.count += 1;
        });
        let list = self.list(bucket);
        list.push(id);
        let position = list.len() - 1;
        self.set_place(id, bucket, position);
        self.split_if_full(proxies, bucket);
    }

    fn remove(&mut self, _proxies: &Proxies, id: u32, _fat: &Aabb) {
        self.changes_since_refit += 1;
        self.changes_since_build += 1;
        let (bucket, position) = self.places[id as usize];
        let list = self.list(bucket);
        list.swap_remove(position as usize);
        if let Some(&last) = list.get(position as usize) {
            self.places[last as usize].1 = position;
        }
        if bucket != NOWHERE {
            self.upwards(bucket, |node| node.count -= 1);
        }
    }

    fn relocate(&mut self, proxies: &Proxies, id: u32, old: &Aabb) {
        let fat = *proxies.fat(id);
        let bucket = self.places[id as usize].0;
        let stays = bucket != NOWHERE && is_bounded(&fat) && self.bucket_of(fat.center()) == bucket;
        if stays {
            self.changes_since_refit += 1;
            self.upwards(bucket, |node| node.bounds = node.bounds.merged(&fat));
        } else {
            self.remove(proxies, id, old);
            self.insert(proxies, id);
        }
    }

    fn rebuild(&mut self, proxies: &Proxies) {
        *self = Self::with_limits(self.limits);
        let (mut bounded, unbounded): (Vec<u32>, Vec<u32>) =
            proxies.occupied().partition(|&id| is_bounded(proxies.fat(id)));
        for (position, &id) in unbounded.iter().enumerate() {
            self.set_place(id, NOWHERE, position);
        }
        self.unbounded = unbounded;
        self.nodes.extend([Node::bucket(0), Node::bucket(0)]);
        self.build(proxies, 0, &mut bounded, 0);
    }

    fn maintain(&mut self, proxies: &Proxies) {
        if self.changes_since_build > 2 * proxies.len() + self.leaf_size() {
            self.rebuild(proxies);
        } else if self.changes_since_refit > proxies.len() / 2 && !self.nodes.is_empty() {
            self.refit(proxies, 0);
            self.changes_since_refit = 0;
        }
    }

    fn search<P: Probe>(&self, _proxies: &Proxies, probe: &P, mut limit: f64, visit: &mut impl FnMut(u32) -> f64) {
        for &id in &self.unbounded {
            if limit < 0.0 {
                return;
            }
            limit = visit(id);
        }
        let Some(root) = self.nodes.first().filter(|root| root.count > 0) else { return };
        let reach = |index: u32| match self.node(index) {
            node if node.count > 0 => (probe.reach(&node.bounds), index),
            _ => (f64::INFINITY, index),
        };
        let mut waiting = [(0.0, 0); STACK];
        (waiting[0], waiting[1]) = ((probe.reach(&root.bounds), 0), (0.0, 0));
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let (distance, index) = waiting[count];
            if distance > limit {
                continue;
            }
            match &self.node(index).content {
                Content::Bucket(ids) => {
                    for &id in ids {
                        limit = visit(id);
                        if limit < 0.0 {
                            return;
                        }
                    }
                }
                &Content::Split { first, .. } => {
                    let (a, b) = (reach(first), reach(first + 1));
                    // The nearer child is on top.
                    let (near, far) = if b.0 < a.0 { (b, a) } else { (a, b) };
                    for child in [far, near] {
                        if child.0 <= limit {
                            waiting[count] = child;
                            count += 1;
                        }
                    }
                }
            }
        }
    }

    fn boxes(&self, proxies: &Proxies, visit: &mut dyn FnMut(Aabb)) {
        let mut waiting = Vec::from_iter(self.nodes.first().map(|_| 0));
        while let Some(index) = waiting.pop() {
            let node = self.node(index);
            if node.count > 0 {
                visit(node.bounds);
            }
            if let Content::Split { first, .. } = node.content {
                waiting.extend([first + 1, first]);
            }
        }
        self.unbounded.iter().for_each(|&id| visit(*proxies.fat(id)));
    }

    fn validate(&self, proxies: &Proxies) -> Result<(), String> {
        let mut known = 0;
        let mut meet = |id: u32, bucket: u32, position: usize| {
            known += 1;
            let sound = proxies.is_in_structure(id) && self.places[id as usize] == (bucket, position as u32);
            if sound { Ok(()) } else { Err(format!("proxy {id} is not in its place")) }
        };
        for (position, &id) in self.unbounded.iter().enumerate() {
            meet(id, NOWHERE, position)?;
        }
        let mut waiting = Vec::from_iter(self.nodes.first().map(|_| (0, 0)));
        while let Some((index, depth)) = waiting.pop() {
            let node = self.node(index);
            if depth + 2 > STACK {
                return Err(format!("node {index} is {depth} planes deep"));
            }
            match &node.content {
                Content::Bucket(ids) => {
                    for (position, &id) in ids.iter().enumerate() {
                        meet(id, index, position)?;
                        let fat = proxies.fat(id);
                        if !node.bounds.contains(fat) || self.bucket_of(fat.center()) != index {
                            return Err(format!(
                                "proxy {id} {fat:?} does not belong in bucket {index} {:?}",
                                node.bounds
                            ));
                        }
                    }
                    if ids.len() != node.count as usize {
                        return Err(format!("bucket {index} holds {} boxes, not {}", ids.len(), node.count));
                    }
                }
                &Content::Split { first, .. } => {
                    let (a, b) = (self.node(first), self.node(first + 1));
                    let bounds = a.bounds.merged(&b.bounds);
                    let empty = bounds == Aabb::EMPTY;
                    if a.count + b.count != node.count || !(empty || node.bounds.contains(&bounds)) {
                        return Err(format!("node {index} {node:?} does not fit its children {a:?} and {b:?}"));
                    }
                    waiting.extend([(first, depth + 1), (first + 1, depth + 1)]);
                }
            }
        }
        let expected = proxies.occupied().count();
        if known == expected { Ok(()) } else { Err(format!("{known} boxes in the tree instead of {expected}")) }
    }
}
