//! How deep two shapes overlap, as unions of convex pieces: the shortest of several ways out.
//!
//! **What is found**: a unit direction n and a depth t ≥ 0 such that the second shape, moved by `t · n`, is free of the first
//! (to 1e-9 of their size), and was in contact all the way there. The depth is exact for its direction; whether another
//! direction is shorter still is known only as far as directions are tried:
//!
//! - the normals of the triangles that touch (outwards from solids, to the side of the other's centre from sheets),
//! - the shortest way out of each touching pair of convex pieces, the deepest first,
//! - from inside a solid, the way to the closest point of its surface.
//!
//! For a convex shape, or a part of one, that has sunk into a flat or convex region this is the true depth.
//!
//! **How far along n**: a pair of convex pieces overlaps for one interval of t. Its end is approached from beyond by
//! conservative advancement: at distance d with separating normal m the pieces stay apart for a way back of `d / (m · n)`. The end
//! of the interval of all pieces that touch now is the next t, until nothing touches any more.

use super::surface::whole_box;
use super::touch::{Inside, Pieces, Touch, touching};
use crate::query::Penetration;
use crate::query::closest::separation;
use crate::shape::Convex;
use crate::{Ray, Shape, Transform};
use glam::DVec3;

/// How many times more pieces may come into the way before a direction is given up.
const MAX_ROUNDS: usize = 32;
/// How many directions of triangles, and of pairs of pieces, are tried.
const MAX_PUSHES: usize = 16;
const MAX_WAYS: usize = 8;
/// How often a direction is improved.
const MAX_REFINEMENTS: usize = 8;

/// The shortest way out that was found; `None` if the shapes do not touch.
pub(super) fn shortest_way_out(a: &Shape, b: &Shape, b_in_a: &Transform) -> Option<Penetration> {
    let mut directions = Directions::default();
    touching(a, b, b_in_a, &mut |touch| {
        directions.learn(&touch);
        true
    });
    if directions.is_empty() {
        return None;
    }
    let size = size(a).min(size(b));
    let mut best: Option<Penetration> = None;
    for mut normal in directions.chosen() {
        // The last pieces to touch meet in a plane of their own; straight across it the way is shorter, for them at least.
        for _ in 0..MAX_REFINEMENTS {
            let way = Way { a, b, b_in_a, normal, size };
            let Some(end) = way.end(best.map_or(f64::MAX, |best| best.depth)) else { break };
            let (depth, point_a) = (end.length, end.point);
            best = Some(Penetration { depth, normal, point_a, point_b: point_a - normal * depth });
            if end.normal.dot(normal) > 1.0 - 1e-14 {
                break;
            }
            normal = end.normal;
        }
    }
    Some(best.unwrap_or_else(|| way_out_of_the_box(a, b, b_in_a)))
}

/// The shortest way along an axis that brings the box of `b` out of the box of `a`: what is left if nothing better is found.
fn way_out_of_the_box(a: &Shape, b: &Shape, b_in_a: &Transform) -> Penetration {
    let (box_a, box_b) = (whole_box(a, &Transform::IDENTITY), whole_box(b, b_in_a));
    let mut best = (f64::INFINITY, DVec3::Y);
    for axis in DVec3::AXES {
        let up = (box_a.max - box_b.min).dot(axis);
        let down = (box_b.max - box_a.min).dot(axis);
        for (depth, normal) in [(up, axis), (down, -axis)] {
            if depth < best.0 {
                best = (depth, normal);
            }
        }
    }
    let (depth, normal) = best;
    let point_a = (box_b.center() + normal * depth).clamp(box_a.min, box_a.max);
    Penetration { depth, normal, point_a, point_b: point_a - normal * depth }
}

/// The diagonal of a shape's box; of a height field's surface; of the largest part of a compound.
fn size(shape: &Shape) -> f64 {
    match shape {
        Shape::HeightField(field) => field.aabb().extents().length(),
        _ => match shape.as_compound() {
            Some(compound) => compound.parts().iter().map(|(_, part)| size(part)).fold(0.0, f64::max),
            None => shape.local_aabb().extents().length(),
        },
    }
}

/// Directions that may lead out, in the frame of the first shape, each with the depth of the pieces that suggest it.
#[derive(Default)]
struct Directions {
    pushes: Vec<(f64, DVec3)>,
    ways: Vec<(f64, DVec3)>,
}

impl Directions {
    fn is_empty(&self) -> bool {
        self.pushes.is_empty() && self.ways.is_empty()
    }

    fn learn(&mut self, touch: &Touch) {
        match touch {
            Touch::Pieces(pieces) => {
                let Some(overlap) = separation(pieces.a, pieces.b, &pieces.b_in_a) else { return };
                let depth = -overlap.distance;
                let pushes = pieces.pushes.iter().flatten();
                self.pushes.extend(pushes.map(|&push| (depth, pieces.frame.vector(push))));
                // A triangle alone does not know which of its sides is inside.
                if pieces.pushes.iter().flatten().all(|push| push.dot(overlap.normal) >= -1e-9) {
                    self.ways.push((depth, pieces.frame.vector(overlap.normal)));
                }
            }
            Touch::Inside(inside) => {
                if let Some(closest) = inside.surface.closest_point(inside.point) {
                    let out = inside.frame.vector(closest.normal);
                    self.pushes.push((-closest.distance, if inside.surface_moves { -out } else { out }));
                }
            }
        }
    }

    /// The directions of the deepest first, without those close to one that is there already.
    fn chosen(mut self) -> Vec<DVec3> {
        let mut chosen: Vec<DVec3> = Vec::new();
        for (list, most, alike) in [(&mut self.pushes, MAX_PUSHES, 0.98), (&mut self.ways, MAX_WAYS, 1.0 - 1e-6)] {
            let before = chosen.len();
            list.sort_by(|x, y| y.0.total_cmp(&x.0));
            for (_, direction) in list {
                if chosen.len() < before + most && chosen.iter().all(|known| known.dot(*direction) < alike) {
                    chosen.push(*direction);
                }
            }
        }
        chosen
    }
}

/// The end of a way.
#[derive(Clone, Copy)]
pub(super) struct End {
    /// How far it is.
    pub(super) length: f64,
    /// The last point of the first shape that was touched.
    pub(super) point: DVec3,
    /// Across the plane in which the last two pieces touched.
    normal: DVec3,
}

/// Where convex `b`, moved along the unit vector `n`, touches `a` for the last time, to within `tolerance`; `None` if never, or
/// not beyond `at_least`.
pub(super) fn last_touch(
    a: &dyn Convex,
    b: &dyn Convex,
    b_in_a: &Transform,
    n: DVec3,
    at_least: f64,
    tolerance: f64,
) -> Option<End> {
    let high = a.support(n).dot(n) + a.radius();
    let low = b_in_a.point(b.support(b_in_a.inverse_vector(-n))).dot(n) - b.radius();
    let mut end = End { length: high - low, point: a.support(n) + n * a.radius(), normal: n };
    for _ in 0..64 {
        if end.length <= at_least {
            return None;
        }
        let gap = separation(a, b, &Transform::new(b_in_a.rotation, b_in_a.translation + n * end.length))?;
        end.point = gap.point_a;
        if gap.distance <= tolerance {
            break;
        }
        end.normal = gap.normal;
        let closing = gap.normal.dot(n);
        if closing <= 1e-12 {
            return None;
        }
        end.length -= gap.distance / closing;
    }
    Some(end)
}

/// A direction in which the second shape is moved.
struct Way<'a> {
    a: &'a Shape,
    b: &'a Shape,
    b_in_a: &'a Transform,
    normal: DVec3,
    size: f64,
}

impl Way<'_> {
    /// Where the second shape is free; `None` if that is not before `limit`.
    fn end(&self, limit: f64) -> Option<End> {
        let tolerance = 1e-9 * self.size;
        let mut last: Option<End> = None;
        for round in 0..MAX_ROUNDS {
            // A little beyond the last contact, where it is clear which side of a surface things are on.
            let length = last.map_or(0.0, |last| last.length.max(0.0));
            let reached = if round == 0 { 0.0 } else { length + tolerance };
            let moved = Transform::new(self.b_in_a.rotation, self.b_in_a.translation + self.normal * reached);
            touching(self.a, self.b, &moved, &mut |touch| {
                // The first touch counts even if it ends at once.
                let at_least = last.map_or(-self.size, |last| last.length - reached);
                let end = match touch {
                    Touch::Pieces(pieces) => self.end_of_overlap(&pieces, at_least),
                    Touch::Inside(inside) => self.end_of_inside(&inside),
                };
                if let Some(end) = end.filter(|end| end.length > at_least) {
                    last = Some(End { length: reached + end.length, ..end });
                }
                last.is_none_or(|last| last.length < limit)
            });
            let end = last.filter(|last| last.length < limit)?;
            if end.length <= reached + tolerance {
                return Some(End { length: end.length.max(0.0), ..end });
            }
        }
        None
    }

    /// Where the second piece leaves the first, seen from where it is; `None` if not beyond `at_least`.
    fn end_of_overlap(&self, pieces: &Pieces, at_least: f64) -> Option<End> {
        let n = pieces.frame.inverse_vector(self.normal);
        let end = last_touch(pieces.a, pieces.b, &pieces.b_in_a, n, at_least, 1e-12 * self.size)?;
        Some(End { point: pieces.frame.point(end.point), normal: pieces.frame.vector(end.normal), ..end })
    }

    /// How far a point inside a solid has to go to its surface.
    fn end_of_inside(&self, inside: &Inside) -> Option<End> {
        let n = inside.frame.inverse_vector(self.normal);
        let direction = if inside.surface_moves { -n } else { n };
        // From a little behind, so as not to miss a triangle that the point has reached already.
        let behind = 1e-11 * self.size;
        let ray = Ray { origin: inside.point - direction * behind, direction };
        let distance = inside.surface.first_exit(&ray).map_or(f64::INFINITY, |distance| distance - behind);
        let at = if inside.surface_moves { inside.point } else { inside.point + direction * distance };
        Some(End { length: distance, point: inside.frame.point(at), normal: self.normal })
    }
}
