//! Which pieces of two shapes touch, and which lie wholly inside the other shape.

use super::surface::{Surface, whole_box};
use crate::query::closest::{as_convex, overlap};
use crate::shape::Convex;
use crate::{Shape, Transform, Triangle};
use glam::DVec3;

/// One reason why two shapes share points.
pub(super) enum Touch<'a> {
    /// Two convex pieces share points.
    Pieces(Pieces<'a>),
    /// A point of one shape lies inside a solid surface of the other, whether they touch there or not.
    Inside(Inside<'a>),
}

/// Two convex pieces, in the frame of the first.
pub(super) struct Pieces<'a> {
    pub(super) a: &'a dyn Convex,
    pub(super) b: &'a dyn Convex,
    pub(super) b_in_a: Transform,
    /// The frame of the first piece in that of the first shape.
    pub(super) frame: Transform,
    /// Directions, in the frame of the first piece, in which its triangle (or that of the second) would push the second
    /// piece out.
    pub(super) pushes: [Option<DVec3>; 2],
}

/// A point in a solid surface.
pub(super) struct Inside<'a> {
    pub(super) surface: Surface<'a>,
    /// The frame of the surface in that of the first shape.
    pub(super) frame: Transform,
    /// A point of the other shape, in the frame of the surface.
    pub(super) point: DVec3,
    /// Whether the surface belongs to the second shape; then the point stays while the surface moves.
    pub(super) surface_moves: bool,
}

/// Calls `visit` with all touches until it answers `false`; answers `false` if it was stopped. Half-spaces touch nothing here.
pub(super) fn touching(a: &Shape, b: &Shape, b_in_a: &Transform, visit: &mut dyn FnMut(Touch) -> bool) -> bool {
    descend(a, b, &Transform::IDENTITY, b_in_a, visit)
}

/// [`touching`] for parts `a` and `b`; `frame` is the pose of `a` in the first shape.
fn descend(a: &Shape, b: &Shape, frame: &Transform, b_in_a: &Transform, visit: &mut dyn FnMut(Touch) -> bool) -> bool {
    if let Some(compound) = a.as_compound() {
        return compound.bvh().overlapping(&whole_box(b, b_in_a), &mut |part| {
            let (pose, part) = &compound.parts()[part as usize];
            descend(part, b, &(*frame * *pose), &pose.to_local(b_in_a), visit)
        });
    }
    if let Some(compound) = b.as_compound() {
        return compound.bvh().overlapping(&whole_box(a, &b_in_a.inverse()), &mut |part| {
            let (pose, part) = &compound.parts()[part as usize];
            descend(a, part, frame, &(*b_in_a * *pose), visit)
        });
    }
    match (Surface::of(a), Surface::of(b)) {
        (Some(a), Some(b)) => surface_surface(a, b, frame, b_in_a, visit),
        (Some(surface), None) => {
            let Some(convex) = as_convex(b) else { return true };
            let center = b_in_a.point(convex.center());
            let unstopped = surface.overlapping(&b.aabb(b_in_a), &mut |index| {
                let triangle = surface.triangle(index);
                if passes_by(&triangle, convex, b_in_a) || !overlap(&triangle, convex, b_in_a) {
                    return true;
                }
                let push = push(surface, &triangle, center);
                let pieces = Pieces { a: &triangle, b: convex, b_in_a: *b_in_a, frame: *frame, pushes: [push, None] };
                visit(Touch::Pieces(pieces))
            });
            unstopped
                && (!surface.contains_point(center) || {
                    let surface_moves = false;
                    visit(Touch::Inside(Inside { surface, frame: *frame, point: center, surface_moves }))
                })
        }
        (None, Some(surface)) => {
            let Some(convex) = as_convex(a) else { return true };
            let a_in_b = b_in_a.inverse();
            let center = a_in_b.point(convex.center());
            let unstopped = surface.overlapping(&a.aabb(&a_in_b), &mut |index| {
                let triangle = surface.triangle(index);
                if passes_by(&triangle, convex, &a_in_b) || !overlap(&triangle, convex, &a_in_b) {
                    return true;
                }
                let push = push(surface, &triangle, center).map(|n| b_in_a.vector(-n));
                let pieces = Pieces { a: convex, b: &triangle, b_in_a: *b_in_a, frame: *frame, pushes: [None, push] };
                visit(Touch::Pieces(pieces))
            });
            unstopped
                && (!surface.contains_point(center) || {
                    let surface_frame = *frame * *b_in_a;
                    visit(Touch::Inside(Inside { surface, frame: surface_frame, point: center, surface_moves: true }))
                })
        }
        (None, None) => {
            let (Some(a), Some(b)) = (as_convex(a), as_convex(b)) else { return true };
            !overlap(a, b, b_in_a)
                || visit(Touch::Pieces(Pieces { a, b, b_in_a: *b_in_a, frame: *frame, pushes: [None, None] }))
        }
    }
}

/// The part of the sizes by which rounding may make what touches seem apart.
const ROUNDING: f64 = 1e-9;

/// Whether a convex shape lies on one side of the plane of a triangle: most of those near it do, and two corners tell.
fn passes_by(triangle: &Triangle, convex: &dyn Convex, pose: &Transform) -> bool {
    let Some(normal) = triangle.normal() else { return false };
    let height = |point: DVec3| normal.dot(point - triangle.vertices[0]);
    let center = pose.point(convex.center());
    let way = if height(center) >= 0.0 { normal } else { -normal };
    let nearest = pose.point(convex.support(pose.inverse_vector(-way)));
    let rounding = ROUNDING * ((center - triangle.vertices[0]).length() + (nearest - center).length());
    way.dot(nearest - triangle.vertices[0]) - convex.radius() > rounding
}

/// The way in which a triangle pushes out what has its centre at `center`: outwards from a solid, to the side of the centre
/// from a sheet.
fn push(surface: Surface, triangle: &Triangle, center: DVec3) -> Option<DVec3> {
    let normal = triangle.normal()?;
    let above = surface.is_solid() || normal.dot(center - triangle.vertices[0]) >= 0.0;
    Some(if above { normal } else { -normal })
}

fn surface_surface(
    a: Surface,
    b: Surface,
    frame: &Transform,
    b_in_a: &Transform,
    visit: &mut dyn FnMut(Touch) -> bool,
) -> bool {
    let mut unstopped = true;
    let (bvh_a, bvh_b) = (a.bvh(), b.bvh());
    let (center_a, center_b) = (a.aabb().center(), b_in_a.point(b.aabb().center()));
    bvh_a.nearest_pairs_first(bvh_b, b_in_a, 0.0, |items_a, items_b, limit| {
        a.triangles_of(&bvh_a.items()[items_a], |i| {
            let triangle_a = a.triangle(i);
            let box_a = triangle_a.aabb();
            b.triangles_of(&bvh_b.items()[items_b.clone()], |j| {
                let local_b = b.triangle(j);
                let triangle_b = local_b.transformed(b_in_a);
                if !unstopped || !box_a.overlaps(&triangle_b.aabb()) || !triangle_a.intersects(&triangle_b) {
                    return;
                }
                let pushes = [push(a, &triangle_a, center_b), push(b, &triangle_b, center_a).map(|n| -n)];
                unstopped = visit(Touch::Pieces(Pieces {
                    a: &triangle_a,
                    b: &triangle_b,
                    b_in_a: Transform::IDENTITY,
                    frame: *frame,
                    pushes,
                }));
            });
        });
        if unstopped { limit } else { -1.0 }
    });
    if !unstopped {
        return false;
    }
    // Two terrains meet with their surfaces only: neither has an end below.
    if let (Surface::Field(_), Surface::Field(_)) = (a, b) {
        return true;
    }
    b.piece_points()
        .into_iter()
        .map(|p| b_in_a.point(p))
        .filter(|p| a.contains_point(*p))
        .all(|point| visit(Touch::Inside(Inside { surface: a, frame: *frame, point, surface_moves: false })))
        && a.piece_points().into_iter().map(|p| b_in_a.inverse_point(p)).filter(|p| b.contains_point(*p)).all(|point| {
            visit(Touch::Inside(Inside { surface: b, frame: *frame * *b_in_a, point, surface_moves: true }))
        })
}
