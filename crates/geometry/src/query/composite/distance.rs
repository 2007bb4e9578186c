//! The distance of two shapes: which two pieces are closest, by branch and bound. Boxes whose distance exceeds the best
//! so far are never opened.

use super::flipped;
use super::surface::{Surface, whole_box};
use crate::bvh::gap_squared;
use crate::query::ClosestPoints;
use crate::query::closest::{Separation, as_convex, separation_within};
use crate::{Shape, Transform};
use glam::DVec3;

/// The distance and the closest points if the distance is at most `limit`; `None` otherwise, and for half-spaces.
pub(super) fn within(a: &Shape, b: &Shape, b_in_a: &Transform, limit: f64) -> Option<ClosestPoints> {
    match (a.as_compound(), b.as_compound()) {
        (Some(compound), _) => {
            let region = whole_box(b, b_in_a);
            let mut best = Best::new(limit);
            compound.bvh().nearest_first(
                best.limit_squared(),
                |boxes| boxes.distance_squared(&region),
                |items, _| {
                    for &part in &compound.bvh().items()[items] {
                        let (pose, part) = &compound.parts()[part as usize];
                        best.offer(within(part, b, &pose.to_local(b_in_a), best.limit).map(|c| placed(&c, pose)));
                    }
                    best.limit_squared()
                },
            );
            best.found
        }
        (_, Some(_)) => within(b, a, &b_in_a.inverse(), limit).map(|c| flipped(&c, b_in_a)),
        _ => match (Surface::of(a), Surface::of(b)) {
            (Some(a), Some(b)) => surface_surface(a, b, b_in_a, limit),
            (Some(surface), None) => surface_convex(surface, b, b_in_a, limit),
            (None, Some(surface)) => surface_convex(surface, a, &b_in_a.inverse(), limit).map(|c| flipped(&c, b_in_a)),
            (None, None) => separation_within(as_convex(a)?, as_convex(b)?, b_in_a, limit).map(|s| closest(&s)),
        },
    }
}

/// The best so far.
struct Best {
    limit: f64,
    found: Option<ClosestPoints>,
}

impl Best {
    fn new(limit: f64) -> Self {
        Self { limit, found: None }
    }

    fn offer(&mut self, candidate: Option<ClosestPoints>) {
        if let Some(candidate) = candidate
            && (candidate.distance < self.limit || self.found.is_none() && candidate.distance <= self.limit)
        {
            self.limit = candidate.distance;
            self.found = Some(candidate);
        }
    }

    /// The limit for squared distances of boxes: negative, which ends the search, once a shared point is found.
    fn limit_squared(&self) -> f64 {
        if self.limit <= 0.0 && self.found.is_some() { -1.0 } else { self.limit * self.limit }
    }
}

/// An answer in the frame of a part, in the frame of the whole.
fn placed(c: &ClosestPoints, pose: &Transform) -> ClosestPoints {
    ClosestPoints { distance: c.distance, point_a: pose.point(c.point_a), point_b: pose.point(c.point_b) }
}

fn closest(s: &Separation) -> ClosestPoints {
    if s.distance > 0.0 {
        ClosestPoints { distance: s.distance, point_a: s.point_a, point_b: s.point_b }
    } else {
        shared(0.5 * (s.point_a + s.point_b))
    }
}

fn shared(point: DVec3) -> ClosestPoints {
    ClosestPoints { distance: 0.0, point_a: point, point_b: point }
}

fn surface_convex(surface: Surface, shape: &Shape, pose: &Transform, limit: f64) -> Option<ClosestPoints> {
    let convex = as_convex(shape)?;
    let region = shape.aabb(pose);
    let bvh = surface.bvh();
    let mut best = Best::new(limit);
    bvh.nearest_first(
        best.limit_squared(),
        |boxes| boxes.distance_squared(&region),
        |items, _| {
            surface.triangles_of(&bvh.items()[items], |index| {
                let triangle = surface.triangle(index);
                if gap_squared(&triangle.aabb(), &region) <= best.limit_squared() {
                    best.offer(separation_within(&triangle, convex, pose, best.limit).map(|s| closest(&s)));
                }
            });
            best.limit_squared()
        },
    );
    let center = pose.point(convex.center());
    let touching = best.found.is_some_and(|c| c.distance <= 0.0);
    if !touching && surface.contains_point(center) { Some(shared(center)) } else { best.found }
}

fn surface_surface(a: Surface, b: Surface, b_in_a: &Transform, limit: f64) -> Option<ClosestPoints> {
    let (bvh_a, bvh_b) = (a.bvh(), b.bvh());
    let mut best = Best::new(limit);
    bvh_a.nearest_pairs_first(bvh_b, b_in_a, best.limit_squared(), |items_a, items_b, _| {
        a.triangles_of(&bvh_a.items()[items_a], |i| {
            let triangle_a = a.triangle(i);
            let box_a = triangle_a.aabb();
            b.triangles_of(&bvh_b.items()[items_b.clone()], |j| {
                let triangle_b = b.triangle(j).transformed(b_in_a);
                if gap_squared(&box_a, &triangle_b.aabb()) <= best.limit_squared() {
                    let connection = triangle_a.closest_to_triangle(&triangle_b);
                    let (point_a, point_b) = (connection.a, connection.b);
                    best.offer(Some(ClosestPoints { distance: connection.length(), point_a, point_b }));
                }
            });
        });
        best.limit_squared()
    });
    let both_endless = matches!((a, b), (Surface::Field(_), Surface::Field(_)));
    if both_endless || best.found.is_some_and(|c| c.distance <= 0.0) {
        return best.found;
    }
    let inner_b = || b.piece_points().into_iter().map(|p| b_in_a.point(p)).find(|p| a.contains_point(*p));
    let inner_a = || a.piece_points().into_iter().find(|p| b.contains_point(b_in_a.inverse_point(*p)));
    inner_b().or_else(inner_a).map(shared).or(best.found)
}
