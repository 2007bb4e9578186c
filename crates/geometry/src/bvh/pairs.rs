//! Two hierarchies against each other.

use super::{Bvh, Child, gap_squared};
use crate::{Aabb, Transform};
use glam::DMat3;
use std::ops::Range;

/// The box around a turned and shifted box: the centre moves along, the half extents become `|R| h`.
#[derive(Clone, Copy)]
pub(crate) struct BoxMover {
    rotation: DMat3,
    absolute: DMat3,
    pose: Transform,
}

impl BoxMover {
    pub(crate) fn new(pose: &Transform) -> Self {
        let rotation = pose.matrix3();
        Self { rotation, absolute: rotation.abs(), pose: *pose }
    }

    /// The axis-aligned box around `aabb` placed at the pose.
    pub(crate) fn moved(&self, aabb: &Aabb) -> Aabb {
        let center = self.rotation * aabb.center() + self.pose.translation;
        Aabb::from_center(center, self.absolute * aabb.half_extents())
    }
}

/// A node or leaf of a hierarchy with its box, as it is or placed where the other hierarchy is at home.
#[derive(Clone, Copy)]
struct Side<T> {
    child: Child,
    /// The surface area of the box.
    area: f64,
    place: T,
}

impl Bvh {
    /// Calls `visit` with pairs of leaves, one of this hierarchy and one of `other` placed at `other_in_self`, whose boxes
    /// have a squared distance of at most the limit, nearest first as far as the hierarchies tell. `visit` answers with the limit
    /// from then on; a negative one ends the search. Answers with the last limit.
    pub(crate) fn nearest_pairs_first(
        &self,
        other: &Bvh,
        other_in_self: &Transform,
        limit: f64,
        visit: impl FnMut(Range<usize>, Range<usize>, f64) -> f64,
    ) -> f64 {
        let mover = BoxMover::new(other_in_self);
        self.pairs_by(other, limit, |aabb| mover.moved(aabb), gap_squared, visit)
    }

    /// Calls `visit` with pairs of leaves as [`nearest_pairs_first`](Self::nearest_pairs_first) does, in the order of any `key`
    /// that bounds what the pairs within two boxes can reach from below. `place` prepares the boxes of the other
    /// hierarchy for it.
    pub(crate) fn pairs_by<T: Copy>(
        &self,
        other: &Bvh,
        limit: f64,
        place: impl Fn(&Aabb) -> T,
        key: impl Fn(&Aabb, &T) -> f64,
        mut visit: impl FnMut(Range<usize>, Range<usize>, f64) -> f64,
    ) -> f64 {
        let mut limit = limit;
        if self.nodes.is_empty() || other.nodes.is_empty() {
            return limit;
        }
        let root = Child { index: 0, count: 0 };
        let start_a = Side { child: root, area: self.aabb.surface_area(), place: self.aabb };
        let start_b = Side { child: root, area: other.aabb.surface_area(), place: place(&other.aabb) };
        let mut waiting = vec![(f64::NEG_INFINITY, start_a, start_b)];
        let mut next = Vec::with_capacity(4);
        while let Some((nearest, a, b)) = waiting.pop() {
            if nearest > limit {
                continue;
            }
            if a.child.count > 0 && b.child.count > 0 {
                limit = visit(a.child.range(), b.child.range(), limit);
                continue;
            }
            // The larger of the two is opened, unless it is a leaf.
            let open_a = b.child.count > 0 || (a.child.count == 0 && a.area >= b.area);
            let (bvh, opened) = if open_a { (self, a.child) } else { (other, b.child) };
            let node = &bvh.nodes[opened.index as usize];
            next.clear();
            for (lane, &child) in node.children.iter().enumerate() {
                let aabb = node.boxes.lane(lane);
                if child.is_none() {
                    continue;
                }
                let area = aabb.surface_area();
                let (a, b) = if open_a {
                    (Side { child, area, place: aabb }, b)
                } else {
                    (a, Side { child, area, place: place(&aabb) })
                };
                let key = key(&a.place, &b.place);
                if key <= limit {
                    next.push((key, a, b));
                }
            }
            next.sort_by(|x, y| y.0.total_cmp(&x.0));
            waiting.append(&mut next);
        }
        limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotation_from_vector;
    use glam::DVec3;

    #[test]
    fn pairs_of_two_hierarchies_are_all_found() {
        let mut rng = fastrand::Rng::with_seed(4);
        let mut point = |scale: f64| DVec3::new(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5) * scale;
        let boxes = |point: &mut dyn FnMut(f64) -> DVec3| -> Vec<Aabb> {
            (0..150).map(|_| Aabb::from_center(point(6.0), point(0.8).abs())).collect()
        };
        let (a, b) = (boxes(&mut point), boxes(&mut point));
        let (tree_a, tree_b) = (Bvh::build(&a), Bvh::build(&b));
        for _ in 0..50 {
            let pose = Transform::new(rotation_from_vector(point(6.0)), point(8.0));
            let mover = BoxMover::new(&pose);
            let mut found = Vec::new();
            let mut nearest = f64::INFINITY;
            tree_a.nearest_pairs_first(&tree_b, &pose, 0.0, |range_a, range_b, limit| {
                for &i in &tree_a.items()[range_a] {
                    for &j in &tree_b.items()[range_b.clone()] {
                        if a[i as usize].overlaps(&mover.moved(&b[j as usize])) {
                            found.push((i, j));
                        }
                    }
                }
                limit
            });
            tree_a.nearest_pairs_first(&tree_b, &pose, f64::INFINITY, |range_a, range_b, limit| {
                for &i in &tree_a.items()[range_a] {
                    for &j in &tree_b.items()[range_b.clone()] {
                        nearest = nearest.min(gap_squared(&a[i as usize], &mover.moved(&b[j as usize])));
                    }
                }
                limit.min(nearest)
            });
            found.sort_unstable();
            let mut expected = Vec::new();
            let mut least = f64::INFINITY;
            for (i, box_a) in a.iter().enumerate() {
                for (j, box_b) in b.iter().enumerate() {
                    let moved = mover.moved(box_b);
                    least = least.min(gap_squared(box_a, &moved));
                    if box_a.overlaps(&moved) {
                        expected.push((i as u32, j as u32));
                    }
                }
            }
            assert_eq!(found, expected);
            assert_eq!(nearest, least);
        }
    }
}
