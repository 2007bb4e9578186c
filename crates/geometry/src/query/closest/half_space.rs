//! Half-spaces: the normal is known, so one support point answers everything exactly.

use super::Separation;
use crate::Transform;
use crate::shape::{Convex, HalfSpace};
use glam::DVec3;

/// A half-space and a convex shape: the distance of the lowest point of the shape from the plane.
pub(super) fn against_convex<B: Convex + ?Sized>(half_space: &HalfSpace, b: &B, b_in_a: &Transform) -> Separation {
    let normal = half_space.normal();
    let lowest = b_in_a.point(b.support(b_in_a.inverse_vector(-normal)));
    let point_b = lowest - normal * b.radius();
    let distance = normal.dot(lowest) - b.radius();
    Separation { distance, normal, point_a: point_b - normal * distance, point_b }
}

/// Two half-spaces: apart only if they look straight at each other, with a gap between their planes. Otherwise they share
/// points without end; the answer is then a distance of minus infinity, and one point they share.
pub(super) fn against_half_space(a: &HalfSpace, b: &HalfSpace, b_in_a: &Transform) -> Separation {
    let normal = a.normal();
    let facing = b_in_a.vector(b.normal());
    let apart = b_in_a.translation.dot(normal);
    // Planes at the least angle meet somewhere, however far away.
    let opposed = facing.cross(normal).length() <= 4.0 * f64::EPSILON && facing.dot(normal) < 0.0;
    if opposed && apart > 0.0 {
        return Separation { distance: apart, normal, point_a: DVec3::ZERO, point_b: normal * apart };
    }
    let shared = if opposed {
        normal * apart
    } else {
        // Along −(n + m) both get deeper at the same rate 1 + n·m; far enough for m·(p − t) ≤ 0 too.
        // 1 + n·f, which keeps its digits where the planes are almost opposed.
        let rate = 0.5 * (normal + facing).length_squared();
        -(normal + facing) * (-facing.dot(b_in_a.translation) / rate).max(0.0)
    };
    Separation { distance: f64::NEG_INFINITY, normal, point_a: shared, point_b: shared }
}
