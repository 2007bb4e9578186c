//! A static bounding volume hierarchy (BVH, an AABB tree): which of many boxes that never move lie in a region, along a ray, near a point.
//!
//! Every node has up to four children whose boxes are stored coordinate by coordinate, so that one node is tested
//! with the same few instructions on four lanes. Children are inner nodes or leaves of up to [`MAX_LEAF`] items; the items
//! of a leaf lie side by side in [`Bvh::items`], so an owner may keep its data in that order too.
//!
//! The hierarchy is built from the top ([`build`]) with the surface area heuristic, and its depth is at most
//! [`MAX_DEPTH`] whatever the boxes are, so that traversals need a small fixed stack. Equal input gives equal trees.

mod boxes4;
mod build;
mod pairs;

pub(crate) use boxes4::{Boxes4, RaySlopes};
pub(crate) use pairs::BoxMover;

use crate::Aabb;
use glam::DVec3;
use std::ops::Range;

/// How many items a leaf holds at most.
pub(crate) const MAX_LEAF: usize = 4;
/// How many levels of nodes there are at most.
const MAX_DEPTH: usize = 32;
/// What a depth-first traversal has waiting at most: three siblings on every level.
const MAX_WAITING: usize = 3 * MAX_DEPTH + 1;

/// The squared distance of two boxes; zero if they overlap.
pub(crate) fn gap_squared(a: &Aabb, b: &Aabb) -> f64 {
    (a.min - b.max).max(b.min - a.max).max(DVec3::ZERO).length_squared()
}

/// What a child of a node is, in one word: an inner node, or a range of items.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Child {
    /// The number of the inner node, or the first item of the leaf.
    index: u32,
    /// The number of items of the leaf; zero for an inner node.
    count: u32,
}

impl Child {
    /// Whether the lane has no child. The index 0 stands for that: it is the root's, and the root is no child. Infinite regions
    /// reach even the empty box of such a lane.
    fn is_none(self) -> bool {
        self == Self::default()
    }

    fn range(self) -> Range<usize> {
        self.index as usize..(self.index + self.count) as usize
    }
}

/// Up to four children with their boxes; lanes without a child have an empty box.
#[derive(Clone, Debug, PartialEq)]
struct Node {
    boxes: Boxes4,
    children: [Child; 4],
}

/// A hierarchy over a fixed list of boxes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bvh {
    nodes: Vec<Node>,
    items: Vec<u32>,
    aabb: Aabb,
}

impl Bvh {
    /// The hierarchy over `boxes`, with the items numbered from zero in their order. At most 2³² boxes, all finite.
    pub(crate) fn build(boxes: &[Aabb]) -> Self {
        Self::build_numbered(boxes.iter().enumerate().map(|(item, aabb)| (item as u32, *aabb)))
    }

    /// The hierarchy over boxes with given item numbers.
    pub(crate) fn build_numbered(boxes: impl Iterator<Item = (u32, Aabb)>) -> Self {
        build::build(boxes)
    }

    /// The box around everything; [`Aabb::EMPTY`] if there is nothing.
    pub(crate) fn aabb(&self) -> Aabb {
        self.aabb
    }

    /// The item numbers, leaf by leaf.
    pub(crate) fn items(&self) -> &[u32] {
        &self.items
    }

    /// Calls `visit` with every item in a leaf whose box overlaps `region`, until it answers `false`. Answers `false` if it
    /// was stopped. An item may lie outside the region, only its leaf must overlap it.
    pub(crate) fn overlapping(&self, region: &Aabb, visit: &mut dyn FnMut(u32) -> bool) -> bool {
        if self.nodes.is_empty() {
            return true;
        }
        let mut waiting = [0_u32; MAX_WAITING];
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let node = &self.nodes[waiting[count] as usize];
            let overlaps = node.boxes.overlap(region);
            for (child, overlaps) in node.children.iter().zip(overlaps) {
                if !overlaps || child.is_none() {
                    continue;
                }
                if child.count == 0 {
                    waiting[count] = child.index;
                    count += 1;
                } else if !self.items[child.range()].iter().all(|&item| visit(item)) {
                    return false;
                }
            }
        }
        true
    }

    /// Calls `visit` with leaves (as ranges of [`Bvh::items`]) in the order of their `keys`, nearest first as far as the
    /// hierarchy tells, leaving out all whose key is above the limit. `visit` answers with the limit from then on; a
    /// limit below every key ends the search; an infinite key is never visited. Answers with the last limit.
    ///
    /// A key is a lower bound for what the items inside can reach: a distance along a ray, a squared distance.
    #[inline]
    pub(crate) fn nearest_first(
        &self,
        limit: f64,
        keys: impl Fn(&Boxes4) -> [f64; 4],
        mut visit: impl FnMut(Range<usize>, f64) -> f64,
    ) -> f64 {
        // An infinite key says that there is nothing to find.
        let mut limit = if limit > f64::MAX { f64::MAX } else { limit };
        if self.nodes.is_empty() {
            return limit;
        }
        let mut waiting = [(f64::NEG_INFINITY, Child::default()); MAX_WAITING];
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let (key, child) = waiting[count];
            if key > limit {
                continue;
            }
            if child.count > 0 {
                limit = visit(child.range(), limit);
                continue;
            }
            let node = &self.nodes[child.index as usize];
            let keys = keys(&node.boxes);
            // The farthest goes in first and comes out last: insertion into the end of the list, sorted downwards.
            let base = count;
            for (&key, &child) in keys.iter().zip(&node.children) {
                if key <= limit && !child.is_none() {
                    let mut place = count;
                    while place > base && waiting[place - 1].0 < key {
                        waiting[place] = waiting[place - 1];
                        place -= 1;
                    }
                    waiting[place] = (key, child);
                    count += 1;
                }
            }
        }
        limit
    }

    /// Checks what the traversals rely on; for tests.
    #[cfg(test)]
    pub(crate) fn validate(&self, boxes: &[Aabb]) {
        fn descend(bvh: &Bvh, node: usize, outer: &Aabb, depth: usize, boxes: &[Aabb], seen: &mut [bool]) {
            assert!(depth < MAX_DEPTH, "too deep");
            let node = &bvh.nodes[node];
            for lane in 0..4 {
                let aabb = node.boxes.lane(lane);
                let child = node.children[lane];
                if child.is_none() {
                    assert_eq!(aabb, Aabb::EMPTY);
                    continue;
                }
                assert!(outer.contains(&aabb));
                if child.count == 0 {
                    descend(bvh, child.index as usize, &aabb, depth + 1, boxes, seen);
                    continue;
                }
                for &item in &bvh.items[child.range()] {
                    assert!(aabb.contains(&boxes[item as usize]));
                    assert!(!std::mem::replace(&mut seen[item as usize], true), "item {item} is in two leaves");
                }
            }
        }
        let mut seen = vec![false; boxes.len()];
        if !boxes.is_empty() {
            descend(self, 0, &self.aabb, 0, boxes, &mut seen);
        }
        assert!(seen.iter().all(|&s| s), "an item is missing");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random_boxes(count: usize, size: f64, rng: &mut fastrand::Rng) -> Vec<Aabb> {
        let mut point = |scale: f64| DVec3::new(rng.f64(), rng.f64(), rng.f64()) * scale;
        (0..count).map(|_| Aabb::from_center(point(10.0), point(size))).collect()
    }

    #[test]
    fn hierarchies_are_sound_for_every_size_and_for_degenerate_boxes() {
        let mut rng = fastrand::Rng::with_seed(1);
        for count in [0, 1, 2, 3, 4, 5, 16, 17, 100, 5000] {
            let boxes = random_boxes(count, 0.5, &mut rng);
            Bvh::build(&boxes).validate(&boxes);
        }
        let equal = vec![Aabb::from_center(DVec3::ONE, DVec3::ONE); 10_000];
        Bvh::build(&equal).validate(&equal);
        // Sizes and places over the whole range of exponents: the heuristic alone would peel off one box per level.
        let shrinking: Vec<_> =
            (0..20_000).map(|i| Aabb::from_points([DVec3::splat(libm::exp2(-0.05 * f64::from(i)))])).collect();
        Bvh::build(&shrinking).validate(&shrinking);
        let line: Vec<_> = (0..3000).map(|i| Aabb::from_points([DVec3::X * f64::from(i % 7)])).collect();
        Bvh::build(&line).validate(&line);
    }

    #[test]
    fn overlap_finds_exactly_the_items_in_a_region() {
        let mut rng = fastrand::Rng::with_seed(2);
        let boxes = random_boxes(700, 0.3, &mut rng);
        let bvh = Bvh::build(&boxes);
        for region in random_boxes(300, 2.0, &mut rng) {
            let mut found = Vec::new();
            bvh.overlapping(&region, &mut |item| {
                if boxes[item as usize].overlaps(&region) {
                    found.push(item);
                }
                true
            });
            found.sort_unstable();
            let expected: Vec<u32> = (0..700).filter(|&i| boxes[i as usize].overlaps(&region)).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn an_endless_region_holds_everything_once() {
        for count in [1, 5, 50] {
            let boxes = vec![Aabb::from_center(DVec3::ONE, DVec3::ONE); count];
            let mut calls = 0;
            Bvh::build(&boxes).overlapping(&Aabb::EVERYTHING, &mut |_| {
                calls += 1;
                true
            });
            assert_eq!(calls, count);
            let mut seen = 0;
            Bvh::build(&boxes).nearest_first(
                f64::INFINITY,
                |b| b.distance_squared(&Aabb::EVERYTHING),
                |range, limit| {
                    seen += range.len();
                    limit
                },
            );
            assert_eq!(seen, count);
        }
    }

    #[test]
    fn a_region_without_end_is_near_every_item_once() {
        let boxes = random_boxes(9, 1.0, &mut fastrand::Rng::with_seed(3));
        let bvh = Bvh::build(&boxes);
        let mut seen = Vec::new();
        bvh.nearest_first(
            f64::INFINITY,
            |boxes| boxes.distance_squared(&Aabb::EVERYTHING),
            |range, limit| {
                seen.extend_from_slice(&bvh.items()[range]);
                limit
            },
        );
        seen.sort_unstable();
        assert_eq!(seen, (0..9).collect::<Vec<_>>());
    }

    #[test]
    fn overlap_stops_when_told() {
        let boxes = vec![Aabb::from_center(DVec3::ZERO, DVec3::ONE); 50];
        let mut calls = 0;
        let finished = Bvh::build(&boxes).overlapping(&boxes[0], &mut |_| {
            calls += 1;
            calls < 7
        });
        assert!(!finished);
        assert_eq!(calls, 7);
    }

    #[test]
    fn nearest_first_finds_the_nearest_box_and_leaves_most_out() {
        let mut rng = fastrand::Rng::with_seed(3);
        let boxes = random_boxes(5000, 0.1, &mut rng);
        let bvh = Bvh::build(&boxes);
        for query in random_boxes(200, 0.2, &mut rng) {
            let mut tested = 0;
            let nearest = bvh.nearest_first(
                f64::INFINITY,
                |b| b.distance_squared(&query),
                |range, limit| {
                    tested += range.len();
                    bvh.items()[range]
                        .iter()
                        .fold(limit, |limit, &i| limit.min(gap_squared(&boxes[i as usize], &query)))
                },
            );
            let expected = boxes.iter().map(|b| gap_squared(b, &query)).fold(f64::INFINITY, f64::min);
            assert_eq!(nearest, expected);
            assert!(tested < 1500, "{tested} of 5000 items looked at");
        }
    }
}
