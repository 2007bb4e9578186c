//! The surface point closest to a given point, for solids of every kind, in the frame of the shape.
//!
//! Round shapes are the same all around the y axis: their answer is found in the half-plane (ρ, y) with ρ the distance
//! from the axis, and turned back.

use super::ray::Point;
use super::{PointProjection, closest};
use crate::primitive::Triangle;
use crate::shape::{Capsule, Compound, Cone, Cuboid, Custom, Cylinder, HalfSpace, Hull, Sphere, Torus};
use crate::{Aabb, Segment, Transform, math};
use glam::{DVec2, DVec3};

/// The projection of `point` along a unit `normal` it lies `distance` out on.
fn along(point: DVec3, normal: DVec3, distance: f64) -> PointProjection {
    PointProjection { point: point - normal * distance, distance, normal, part: 0 }
}

pub(crate) fn sphere(point: DVec3, sphere: &Sphere) -> PointProjection {
    swollen_point(point, DVec3::ZERO, sphere.radius())
}

pub(crate) fn capsule(point: DVec3, capsule: &Capsule) -> PointProjection {
    let h = capsule.half_height();
    swollen_point(point, DVec3::Y * point.y.clamp(-h, h), capsule.radius())
}

pub(crate) fn torus(point: DVec3, torus: &Torus) -> PointProjection {
    swollen_point(point, torus.spine(point), torus.tube())
}

/// The ball around `center`, which is the point of a core closest to `point`. On the core every way out across y is as
/// short.
fn swollen_point(point: DVec3, center: DVec3, radius: f64) -> PointProjection {
    let offset = point - center;
    let normal = math::direction(offset).unwrap_or(DVec3::X);
    PointProjection { point: center + normal * radius, distance: offset.length() - radius, normal, part: 0 }
}

pub(crate) fn cuboid(point: DVec3, cuboid: &Cuboid) -> PointProjection {
    let half = cuboid.half_extents();
    let closest = point.clamp(-half, half);
    if closest != point {
        let offset = point - closest;
        return PointProjection { point: closest, distance: offset.length(), normal: offset.normalize(), part: 0 };
    }
    // Inside: out through the nearest face.
    let depths = half - point.abs();
    let axis = depths.min_position();
    let normal = DVec3::AXES[axis] * 1.0_f64.copysign(point[axis]);
    along(point, normal, -depths[axis])
}

pub(crate) fn half_space(point: DVec3, half_space: &HalfSpace) -> PointProjection {
    along(point, half_space.normal(), half_space.normal().dot(point))
}

pub(crate) fn cylinder(point: DVec3, cylinder: &Cylinder) -> PointProjection {
    let (h, r) = (cylinder.half_height(), cylinder.radius());
    round(point, |p| {
        let closest = DVec2::new(p.x.min(r), p.y.clamp(-h, h));
        if closest != p {
            let offset = p - closest;
            return (offset.normalize(), offset.length());
        }
        let (side, cap) = (p.x - r, p.y.abs() - h);
        if side > cap { (DVec2::X, side) } else { (DVec2::Y * 1.0_f64.copysign(p.y), cap) }
    })
}

pub(crate) fn cone(point: DVec3, cone: &Cone) -> PointProjection {
    let (h, r) = (cone.half_height(), cone.radius());
    // The outline in the half-plane: the side from the rim to the apex, and the base from the axis to the rim.
    let side_normal = DVec2::new(2.0 * h, r).normalize();
    round(point, |p| {
        let above_side = (p - DVec2::new(0.0, h)).dot(side_normal);
        let below_base = -h - p.y;
        if above_side <= 0.0 && below_base <= 0.0 {
            return if above_side > below_base { (side_normal, above_side) } else { (DVec2::NEG_Y, below_base) };
        }
        let side =
            Segment::new(DVec3::new(r, -h, 0.0), DVec3::new(0.0, h, 0.0)).closest_point(p.extend(0.0)).truncate();
        let base = DVec2::new(p.x.min(r), -h);
        let candidates = [(side, side_normal, above_side), (base, DVec2::NEG_Y, below_base)];
        let [first, second] = candidates.map(|(closest, normal, height)| {
            let offset = p - closest;
            let distance = offset.length();
            if height > 0.0 && is_straight(distance, height, h + r) {
                (normal, distance)
            } else {
                (offset.normalize_or(normal), distance)
            }
        });
        if first.1 < second.1 { first } else { second }
    })
}

/// Whether the normal at the closest point of a face is the face's own: the point lies straight above it, or so close to it
/// that the offset is too short to have a direction.
fn is_straight(distance: f64, height: f64, size: f64) -> bool {
    distance <= height * (1.0 + 1e-14) || distance <= 1e-12 * size
}

/// Solves in the half-plane (ρ, y): `outline` gives the normal and the signed distance there.
fn round(point: DVec3, outline: impl Fn(DVec2) -> (DVec2, f64)) -> PointProjection {
    let across = DVec3::new(point.x, 0.0, point.z);
    let radius = across.length();
    let radial = math::direction(across).unwrap_or(DVec3::X);
    let (normal, distance) = outline(DVec2::new(radius, point.y));
    along(point, radial * normal.x + DVec3::Y * normal.y, distance)
}

/// Inside, out through the nearest face; outside, the nearest point of the faces that look towards the point.
pub(crate) fn hull(point: DVec3, hull: &Hull) -> PointProjection {
    let mut highest = (f64::NEG_INFINITY, DVec3::Y);
    for plane in hull.face_planes() {
        let height = plane.signed_distance(point);
        if height > highest.0 {
            highest = (height, plane.normal);
        }
    }
    if highest.0 <= 0.0 {
        return along(point, highest.1, highest.0);
    }
    let mut best = (f64::INFINITY, highest.1, point);
    for face in 0..hull.face_count() {
        let plane = hull.face_plane(face);
        let height = plane.signed_distance(point);
        if height <= 0.0 || height >= best.0 {
            continue;
        }
        let closest = closest_on_face(point, hull, face);
        let distance = closest.distance(point);
        if distance < best.0 {
            let straight = is_straight(distance, height, hull.bounding_radius());
            let normal = if straight { plane.normal } else { (point - closest).normalize_or(plane.normal) };
            best = (distance, normal, closest);
        }
    }
    PointProjection { point: best.2, distance: best.0, normal: best.1, part: 0 }
}

/// The closest point of a face, which is a fan of triangles.
fn closest_on_face(point: DVec3, hull: &Hull, face: usize) -> DVec3 {
    let corners = hull.face_vertices(face);
    let first = hull.vertex(corners[0]);
    let fan = corners[1..].windows(2).map(|pair| Triangle::new(first, hull.vertex(pair[0]), hull.vertex(pair[1])));
    fan.map(|triangle| triangle.closest_point(point).point).fold(first, |best, candidate| {
        if candidate.distance_squared(point) < best.distance_squared(point) { candidate } else { best }
    })
}

/// By the general algorithms for convex pairs. `None` if the support mapping answers with numbers that are not finite.
pub(crate) fn custom(point: DVec3, custom: &Custom) -> Option<PointProjection> {
    let separation = closest::separation(custom, &Point, &Transform::from_translation(point))?;
    Some(along(point, separation.normal, separation.distance))
}

/// The part of least signed distance: the nearest from outside, the one the point lies deepest in from inside.
pub(crate) fn compound(point: DVec3, compound: &Compound) -> Option<PointProjection> {
    let at = Aabb::new(point, point);
    let mut nearest: Option<PointProjection> = None;
    compound.bvh().nearest_first(
        f64::INFINITY,
        |boxes| boxes.distance_squared(&at),
        |range, mut limit| {
            for &part in &compound.bvh().items()[range] {
                let (pose, shape) = &compound.parts()[part as usize];
                let Some(candidate) = shape.closest_point(pose.inverse_point(point)) else { continue };
                if nearest.is_none_or(|nearest| candidate.distance < nearest.distance) {
                    // Once inside a part, only boxes around the point are of interest.
                    let outside = candidate.distance.max(0.0);
                    limit = outside * outside;
                    nearest = Some(PointProjection { part, ..candidate.transformed(pose) });
                }
            }
            limit
        },
    );
    nearest
}
