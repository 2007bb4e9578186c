//! Pairs with a mesh, a height field or a compound: found through their hierarchies, answered part by part.
//!
//! All of them are unions of convex pieces: triangles, or the parts of a compound. Two questions are asked of a pair of
//! such unions, and all answers are made of these:
//!
//! - [`distance`]: which two pieces are closest? Branch and bound over the hierarchies.
//! - [`touch`]: which pieces touch, and is one wholly inside the other?
//!
//! Contact manifolds ([`manifolds`]) are made triangle by triangle ([`contact`], [`floor`], [`surface_pair`]), corrected where a triangle
//! does not know its neighbours ([`normals`]), merged ([`cluster`]), named ([`name`]) and remembered ([`cache`]).
//!
//! Whether a surface is solid decides what pushes where: a closed mesh (see [`Mesh::is_solid`](crate::shape::Mesh::is_solid)) and a height field
//! have an inside, and contacts push out of it, along the outward normals of the triangles. An open mesh is a sheet with
//! two sides; it pushes to the side on which the other shape's centre is.

mod cache;
mod cluster;
mod contact;
mod distance;
mod floor;
mod half_space;
mod manifolds;
mod name;
mod normals;
mod penetration;
mod scratch;
mod surface;
mod surface_pair;
mod touch;

pub(super) use cache::CompositeCache;
pub(super) use manifolds::{manifolds, recycle};

use super::closest::is_usable;
use super::{ClosestPoints, Penetration};
use crate::{Shape, Transform};
use glam::DVec3;

pub(super) fn intersects(a: &Shape, b: &Shape, b_in_a: &Transform) -> bool {
    if !is_usable(b_in_a) {
        return false;
    }
    match (a, b) {
        (Shape::HalfSpace(ground), other) => half_space::separation(ground, other, b_in_a).distance <= 0.0,
        (other, Shape::HalfSpace(ground)) => half_space::separation(ground, other, &b_in_a.inverse()).distance <= 0.0,
        _ => !touch::touching(a, b, b_in_a, &mut |_| false),
    }
}

pub(super) fn distance(a: &Shape, b: &Shape, b_in_a: &Transform) -> ClosestPoints {
    let nowhere = ClosestPoints { distance: f64::INFINITY, point_a: DVec3::ZERO, point_b: DVec3::ZERO };
    if !is_usable(b_in_a) {
        return nowhere;
    }
    let from_separation = |s: super::closest::Separation| {
        if s.distance > 0.0 {
            ClosestPoints { distance: s.distance, point_a: s.point_a, point_b: s.point_b }
        } else {
            // The half-space reaches up to the plane, so the lowest point of the other is in both.
            ClosestPoints { distance: 0.0, point_a: s.point_b, point_b: s.point_b }
        }
    };
    match (a, b) {
        (Shape::HalfSpace(ground), other) => from_separation(half_space::separation(ground, other, b_in_a)),
        (other, Shape::HalfSpace(ground)) => {
            let inverse = b_in_a.inverse();
            flipped(&from_separation(half_space::separation(ground, other, &inverse)), b_in_a)
        }
        _ => distance::within(a, b, b_in_a, f64::INFINITY).unwrap_or(nowhere),
    }
}

/// An answer for the pair (b, a), in the frame of b, as an answer for (a, b).
fn flipped(closest: &ClosestPoints, b_in_a: &Transform) -> ClosestPoints {
    ClosestPoints {
        distance: closest.distance,
        point_a: b_in_a.point(closest.point_b),
        point_b: b_in_a.point(closest.point_a),
    }
}

/// The translation that frees the second shape; see [`penetration`] for what its length means.
pub(super) fn penetration(a: &Shape, b: &Shape, b_in_a: &Transform) -> Option<Penetration> {
    if !is_usable(b_in_a) {
        return None;
    }
    let from_separation = |s: super::closest::Separation| {
        (s.distance <= 0.0).then_some(Penetration {
            depth: -s.distance,
            normal: s.normal,
            point_a: s.point_a,
            point_b: s.point_b,
        })
    };
    match (a, b) {
        (Shape::HalfSpace(ground), other) => from_separation(half_space::separation(ground, other, b_in_a)),
        (other, Shape::HalfSpace(ground)) => {
            let inverse = b_in_a.inverse();
            from_separation(half_space::separation(ground, other, &inverse).flipped(&inverse))
        }
        _ => penetration::shortest_way_out(a, b, b_in_a),
    }
}
