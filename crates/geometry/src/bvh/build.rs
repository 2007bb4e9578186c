//! Building a hierarchy from the top: a set of boxes is split in two where the surface area heuristic is least, the
//! largest part is split again until there are four, and so on down.
//!
//! The heuristic: a random ray that meets a box meets a box inside it with the probability of the ratio of their
//! surface areas A, so two parts with n₁ and n₂ boxes cost `A₁ n₁ + A₂ n₂`. It is evaluated at the borders of [`BINS`] bins of
//! the centres along each axis (in large sets, the longest): linear time per level.
//!
//! Clustered boxes can make the heuristic peel off a few boxes at a time. From level [`BALANCED_FROM`] on, sets are
//! split at the median instead: 16 levels of that suffice for 4¹⁶ = 2³² boxes, which bounds the depth.

use super::{Boxes4, Bvh, Child, MAX_DEPTH, MAX_LEAF, Node};
use crate::Aabb;
use glam::DVec3;

/// How many bins the heuristic looks at per axis at most; half as many as there are boxes in small sets.
const BINS: usize = 16;
/// Up to this size, sets are tried along all three axes.
const SMALL: usize = 4096;
/// The level from which on sets are split at the median.
const BALANCED_FROM: usize = MAX_DEPTH - 16;

/// A box that waits for its place.
#[derive(Clone, Copy)]
struct Entry {
    aabb: Aabb,
    item: u32,
}

impl Entry {
    /// Twice the centre, which orders boxes as the centre does.
    fn place(&self) -> DVec3 {
        self.aabb.min + self.aabb.max
    }
}

pub(super) fn build(boxes: impl Iterator<Item = (u32, Aabb)>) -> Bvh {
    let mut entries: Vec<_> = boxes.map(|(item, aabb)| Entry { aabb, item }).collect();
    let aabb = bounds(&entries);
    let mut nodes = Vec::with_capacity(entries.len() / 4 + 1);
    if !entries.is_empty() {
        build_node(&mut entries, 0, 0, &mut nodes);
    }
    Bvh { nodes, items: entries.iter().map(|e| e.item).collect(), aabb }
}

fn bounds(entries: &[Entry]) -> Aabb {
    entries.iter().fold(Aabb::EMPTY, |aabb, entry| aabb.merged(&entry.aabb))
}

/// A part of the set on its way to become a child: where it starts and ends, and its box.
#[derive(Clone, Copy)]
struct Part {
    start: usize,
    end: usize,
    aabb: Aabb,
}

impl Part {
    fn count(&self) -> usize {
        self.end - self.start
    }
}

/// Appends the node over `entries`, which are the items from number `first` on, and everything below it.
fn build_node(entries: &mut [Entry], first: usize, level: usize, nodes: &mut Vec<Node>) {
    let balanced = level >= BALANCED_FROM;
    let mut parts = [Part { start: 0, end: entries.len(), aabb: bounds(entries) }; 4];
    let mut count = 1;
    while count < 4 {
        let splittable = (0..count).filter(|&i| parts[i].count() > MAX_LEAF);
        let size = |i: &usize| if balanced { parts[*i].count() as f64 } else { parts[*i].aabb.surface_area() };
        let Some(widest) = splittable.max_by(|i, j| size(i).total_cmp(&size(j))) else { break };
        let part = parts[widest];
        let set = &mut entries[part.start..part.end];
        let middle = part.start + if balanced { split_at_median(set) } else { split_by_area(set) };
        parts[widest] = Part { start: part.start, end: middle, aabb: bounds(&entries[part.start..middle]) };
        parts[count] = Part { start: middle, end: part.end, aabb: bounds(&entries[middle..part.end]) };
        count += 1;
    }

    let number = nodes.len();
    nodes.push(Node { boxes: Boxes4::EMPTY, children: [Child::default(); 4] });
    for (lane, part) in parts[..count].iter().enumerate() {
        nodes[number].boxes.set(lane, &part.aabb);
        nodes[number].children[lane] = if part.count() <= MAX_LEAF {
            Child { index: (first + part.start) as u32, count: part.count() as u32 }
        } else {
            let child = Child { index: nodes.len() as u32, count: 0 };
            build_node(&mut entries[part.start..part.end], first + part.start, level + 1, nodes);
            child
        };
    }
}

/// Splits at the median along the axis on which the centres spread most; equal centres are split by their number.
fn split_at_median(entries: &mut [Entry]) -> usize {
    let spread = Aabb::from_points(entries.iter().map(Entry::place)).extents();
    let axis = spread.max_position();
    let middle = entries.len() / 2;
    entries
        .select_nth_unstable_by(middle, |a, b| a.place()[axis].total_cmp(&b.place()[axis]).then(a.item.cmp(&b.item)));
    middle
}

/// The boxes whose centres fall into one slice of the set.
#[derive(Clone, Copy)]
struct Bin {
    aabb: Aabb,
    count: usize,
}

/// Splits where the surface area heuristic is least; both parts have at least one entry.
fn split_by_area(entries: &mut [Entry]) -> usize {
    let places = Aabb::from_points(entries.iter().map(Entry::place));
    let extents = places.extents();
    let count = (entries.len() / 2).clamp(4, BINS);
    let scale = extents.map(|e| if e > 0.0 { count as f64 / e } else { 0.0 });
    if !scale.is_finite() {
        return split_at_median(entries);
    }
    let bin_of =
        |entry: &Entry, axis: usize| (((entry.place()[axis] - places.min[axis]) * scale[axis]) as usize).min(count - 1);

    let mut best = (f64::INFINITY, 0, 0);
    let mut bins = [Bin { aabb: Aabb::EMPTY, count: 0 }; BINS];
    // Large sets are split across their longest axis, which is nearly always best and saves two thirds of the work.
    let longest = extents.max_position();
    for axis in 0..3 {
        if extents[axis] > 0.0 && (axis == longest || entries.len() <= SMALL) {
            let bins = &mut bins[..count];
            bins.fill(Bin { aabb: Aabb::EMPTY, count: 0 });
            for entry in entries.iter() {
                let bin = &mut bins[bin_of(entry, axis)];
                bin.aabb = bin.aabb.merged(&entry.aabb);
                bin.count += 1;
            }
            let (cost, border) = cheapest_border(bins);
            if cost < best.0 {
                best = (cost, axis, border);
            }
        }
    }
    let (cost, axis, border) = best;
    if cost == f64::INFINITY {
        return split_at_median(entries);
    }
    partition(entries, |entry| bin_of(entry, axis) < border)
}

/// The least cost `A₁ n₁ + A₂ n₂` over the borders between bins, and the first bin after that border.
fn cheapest_border(bins: &[Bin]) -> (f64, usize) {
    // From the right: what lies behind each border.
    let mut behind = [(f64::INFINITY, 0); BINS];
    let mut right = Bin { aabb: Aabb::EMPTY, count: 0 };
    for border in (1..bins.len()).rev() {
        right = Bin { aabb: right.aabb.merged(&bins[border].aabb), count: right.count + bins[border].count };
        behind[border] = (right.aabb.surface_area(), right.count);
    }
    let mut best = (f64::INFINITY, 0);
    let mut left = Bin { aabb: Aabb::EMPTY, count: 0 };
    for border in 1..bins.len() {
        left = Bin { aabb: left.aabb.merged(&bins[border - 1].aabb), count: left.count + bins[border - 1].count };
        let (area, count) = behind[border];
        if left.count > 0 && count > 0 {
            let cost = left.aabb.surface_area() * left.count as f64 + area * count as f64;
            if cost < best.0 {
                best = (cost, border);
            }
        }
    }
    best
}

/// Brings the entries that pass `test` to the front and answers how many there are.
fn partition(entries: &mut [Entry], test: impl Fn(&Entry) -> bool) -> usize {
    let mut front = 0;
    for i in 0..entries.len() {
        if test(&entries[i]) {
            entries.swap(front, i);
            front += 1;
        }
    }
    front
}
