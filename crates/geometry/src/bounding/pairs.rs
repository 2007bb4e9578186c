//! Two bounding volumes: whether they meet, and when they meet on a straight way.
//!
//! - Sphere and anything: the other volume swollen by the radius, against the centre or the ray of its motion.
//! - Box and box: the separating axis test. Two convex polyhedra are apart exactly if their projections on one of a few
//!   axes are: the face normals of either and the cross products of their edges (15 axes for boxes). In motion each
//!   axis gives an interval of time in which the projections overlap; the volumes meet when all do. Any axis that
//!   separates is proof, so rounding in the axes themselves does no harm.

use super::{Aabb, BoundingSphere, BoundingVolume, Obb, Volume};
use crate::query::Span;
use crate::{Ray, Transform, Triangle};
use glam::DVec3;

pub(super) fn intersects(a: Volume, b: Volume) -> bool {
    match (a, b) {
        (Volume::Sphere(a), Volume::Sphere(b)) => {
            let radius = a.radius + b.radius;
            a.center.distance_squared(b.center) <= radius * radius
        }
        (Volume::Sphere(sphere), Volume::Aabb(aabb)) | (Volume::Aabb(aabb), Volume::Sphere(sphere)) => {
            sphere.contains_point(aabb.closest_point(sphere.center))
        }
        (Volume::Sphere(sphere), Volume::Obb(obb)) | (Volume::Obb(obb), Volume::Sphere(sphere)) => {
            sphere.contains_point(obb.closest_point(sphere.center))
        }
        (Volume::Aabb(a), Volume::Aabb(b)) => a.overlaps(&b),
        (Volume::Aabb(aabb), Volume::Obb(obb)) | (Volume::Obb(obb), Volume::Aabb(aabb)) => {
            sweep_boxes(aabb, DVec3::ZERO, &obb).is_some()
        }
        (Volume::Obb(a), Volume::Obb(b)) => {
            let (a, b) = in_frame_of(&a, &b);
            sweep_boxes(a, DVec3::ZERO, &b).is_some()
        }
    }
}

pub(super) fn sweep(a: Volume, motion: DVec3, b: Volume) -> Option<f64> {
    if !motion.is_finite() {
        return None;
    }
    match (a, b) {
        (Volume::Sphere(a), Volume::Sphere(b)) => {
            let swollen = BoundingSphere::new(b.center, a.radius + b.radius);
            swept_point(
                a.center,
                motion,
                |ray| Span::ball(ray, swollen.center, swollen.radius),
                || swollen.contains_point(a.center),
            )
        }
        (Volume::Sphere(sphere), Volume::Aabb(aabb)) => sweep_sphere_box(&sphere, motion, &aabb),
        (Volume::Sphere(sphere), Volume::Obb(obb)) => {
            let local = sphere.transformed(&obb.pose.inverse());
            sweep_sphere_box(&local, obb.pose.inverse_vector(motion), &obb.local())
        }
        (Volume::Aabb(a), Volume::Aabb(b)) => sweep_axes(&a, motion, &b, DVec3::AXES),
        (Volume::Aabb(aabb), Volume::Obb(obb)) => sweep_boxes(aabb, motion, &obb),
        (Volume::Obb(a), Volume::Obb(b)) => {
            let (local_a, local_b) = in_frame_of(&a, &b);
            sweep_boxes(local_a, a.pose.inverse_vector(motion), &local_b)
        }
        // The other way round: seen from the first, the second comes the opposite way.
        (Volume::Aabb(_), Volume::Sphere(_)) | (Volume::Obb(_), Volume::Sphere(_) | Volume::Aabb(_)) => {
            sweep(b, -motion, a)
        }
    }
}

/// The fraction of `motion` at which a point starting at `start` enters a set, given the span of a ray inside it and
/// whether it is inside from the start.
fn swept_point(
    start: DVec3,
    motion: DVec3,
    span: impl Fn(&Ray) -> Option<Span>,
    starts_inside: impl Fn() -> bool,
) -> Option<f64> {
    if starts_inside() {
        return Some(0.0);
    }
    let ray = Ray::new(start, motion).ok()?;
    let fraction = span(&ray)?.enter / motion.length();
    (0.0..=1.0).contains(&fraction).then_some(fraction)
}

/// A sphere against a box: its centre against the box with rounded edges, which is the union of three boxes (swollen
/// along one axis each), cylinders around the twelve edges and balls around the eight corners.
fn sweep_sphere_box(sphere: &BoundingSphere, motion: DVec3, aabb: &Aabb) -> Option<f64> {
    let radius = sphere.radius;
    let rounded = |ray: &Ray| {
        Span::cuboid(ray, aabb.min - DVec3::splat(radius), aabb.max + DVec3::splat(radius))?;
        let mut span = None;
        for axis in 0..3 {
            let margin = DVec3::AXES[axis] * radius;
            span = Span::unite(span, Span::cuboid(ray, aabb.min - margin, aabb.max + margin));
            let side = Span::slab(ray, axis, aabb.min[axis], aabb.max[axis]);
            for corner in [0, 1, 2, 3].map(|i| edge_corner(aabb, axis, i)) {
                let tube = Span::endless_cylinder(ray, axis, corner, radius);
                span = Span::unite(span, side.and_then(|side| side.intersect(tube?)));
            }
        }
        (0..8)
            .map(|i| aabb.corner(i))
            .filter(|corner| corner.is_finite())
            .fold(span, |span, corner| Span::unite(span, Span::ball(ray, corner, radius)))
    };
    swept_point(sphere.center, motion, rounded, || sphere.contains_point(aabb.closest_point(sphere.center)))
}

/// A point of edge `index` (0 to 3) along `axis`; its coordinate along the axis is zero.
fn edge_corner(aabb: &Aabb, axis: usize, index: usize) -> DVec3 {
    let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut corner = DVec3::ZERO;
    corner[j] = if index & 1 == 0 { aabb.min[j] } else { aabb.max[j] };
    corner[k] = if index & 2 == 0 { aabb.min[k] } else { aabb.max[k] };
    corner
}

/// Two oriented boxes in the frame of the first.
fn in_frame_of(a: &Obb, b: &Obb) -> (Aabb, Obb) {
    (a.local(), Obb { pose: a.pose.to_local(&b.pose), half_extents: b.half_extents })
}

/// An axis-aligned against an oriented box.
fn sweep_boxes(aabb: Aabb, motion: DVec3, obb: &Obb) -> Option<f64> {
    // Around the centre of the oriented box, so that nothing is lost far from the origin.
    let center = obb.pose.translation;
    let aabb = Aabb::new(aabb.min - center, aabb.max - center);
    let obb = Obb { pose: Transform::from_rotation(obb.pose.rotation), ..*obb };
    let turned = obb.pose.matrix3();
    let edges = [turned.x_axis, turned.y_axis, turned.z_axis];
    let axes = DVec3::AXES.into_iter().chain(edges).chain(crossed(DVec3::AXES, edges));
    sweep_axes(&aabb, motion, &obb, axes)
}

/// The nine cross products.
fn crossed(a: [DVec3; 3], b: [DVec3; 3]) -> impl Iterator<Item = DVec3> {
    (0..9).map(move |i| a[i / 3].cross(b[i % 3]))
}

/// When the projections of `a`, moving by `motion`, and of `b` first overlap on all axes at once.
fn sweep_axes(
    a: &impl BoundingVolume,
    motion: DVec3,
    b: &impl BoundingVolume,
    axes: impl IntoIterator<Item = DVec3>,
) -> Option<f64> {
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for axis in axes {
        let ((a_min, a_max), (b_min, b_max)) = (a.project(axis), b.project(axis));
        let speed = motion.dot(axis);
        // Motion along the axis that is only rounding does not count.
        if speed.abs() <= 1e-15 * motion.length() * axis.length() {
            if a_max < b_min || b_max < a_min {
                return None;
            }
            continue;
        }
        let (near, far) = ((b_min - a_max) / speed, (b_max - a_min) / speed);
        enter = enter.max(near.min(far));
        leave = leave.min(near.max(far));
        if enter > leave {
            return None;
        }
    }
    Some(enter)
}

/// Whether a box around the origin with edges along the axes meets a triangle: 13 axes.
pub(super) fn box_meets_triangle(half_extents: DVec3, triangle: &Triangle) -> bool {
    let edges = triangle.edge_offsets();
    let axes = DVec3::AXES.into_iter().chain([triangle.scaled_normal()]).chain(crossed(DVec3::AXES, edges));
    for axis in axes {
        let reach = axis.abs().dot(half_extents);
        let (min, max) = triangle.project(axis);
        if min > reach || max < -reach {
            return false;
        }
    }
    triangle.vertices.iter().all(|vertex| vertex.is_finite())
}
