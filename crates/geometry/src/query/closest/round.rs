//! Spheres and capsules, by closed formulas.
//!
//! A sphere is a point with a radius: its signed distance from any shape is that of its centre, less the radius. Two
//! capsules are two segments with radii.

use super::Separation;
use crate::shape::{Capsule, Sphere};
use crate::{Segment, Shape, Transform, math};
use glam::DVec3;

/// Any shape and a sphere.
pub(super) fn with_sphere(a: &Shape, sphere: &Sphere, b_in_a: &Transform) -> Option<Separation> {
    let nearest = a.closest_point(b_in_a.translation)?;
    let distance = nearest.distance - sphere.radius();
    let (normal, point_a) = (nearest.normal, nearest.point);
    Some(Separation { distance, normal, point_a, point_b: point_a + normal * distance })
}

/// Two capsules.
pub(super) fn capsules(a: &Capsule, b: &Capsule, b_in_a: &Transform) -> Separation {
    let up_a = DVec3::Y * a.half_height();
    let up_b = b_in_a.vector(DVec3::Y * b.half_height());
    let axis_a = Segment::new(-up_a, up_a);
    let axis_b = Segment::new(b_in_a.translation - up_b, b_in_a.translation + up_b);
    let pair = axis_a.closest_to_segment(&axis_b);
    let offset = pair.point_b - pair.point_a;
    let gap = offset.length();
    let normal = normal_between(offset, gap, up_a, up_b);
    Separation {
        distance: gap - a.radius() - b.radius(),
        normal,
        point_a: pair.point_a + normal * a.radius(),
        point_b: pair.point_b - normal * b.radius(),
    }
}

/// The direction of the shortest connection of two segments. Where they almost cross it is their common perpendicular,
/// which keeps its digits when the connection has none left; where they overlap on one line, any perpendicular.
fn normal_between(offset: DVec3, gap: f64, up_a: DVec3, up_b: DVec3) -> DVec3 {
    if gap > 1e-6 * (up_a.length() + up_b.length()) {
        return offset / gap;
    }
    let across = up_a.cross(up_b);
    if across.length() <= 1e-12 * up_a.length() * up_b.length() {
        return math::direction(offset).unwrap_or(DVec3::X);
    }
    let across = across.normalize();
    let along = offset.dot(across);
    // Past an end, the connection is not perpendicular to both.
    if along.abs() < 0.9 * gap { offset / gap } else { across * 1.0_f64.copysign(along) }
}
