//! Rays against solids of every kind, in the frame of the shape.
//!
//! The simple solids are combinations of intervals (see [`super::span`]); the cone adds one quadratic equation.
//! User-defined solids are in [`super::support_ray`].

use super::{RayHit, Span};
use crate::Ray;
use crate::bvh::RaySlopes;
use crate::shape::{Capsule, Compound, Cone, Convex, Cylinder, Ellipsoid, Hull};
use glam::DVec3;

/// The hit that a span means for a ray of limited length.
pub(crate) fn hit(ray: &Ray, span: Option<Span>, max_distance: f64) -> Option<RayHit> {
    let span = span?;
    if span.leave < 0.0 || span.enter > max_distance {
        None
    } else if span.enter < 0.0 {
        Some(RayHit { distance: 0.0, normal: -ray.direction, part: 0 })
    } else {
        Some(RayHit { distance: span.enter, normal: span.normal, part: 0 })
    }
}

pub(crate) fn capsule(ray: &Ray, capsule: &Capsule) -> Option<Span> {
    let (h, r) = (capsule.half_height(), capsule.radius());
    let end = DVec3::Y * h;
    let caps = Span::unite(Span::ball(ray, end, r), Span::ball(ray, -end, r));
    Span::unite(tube(ray, h, r), caps)
}

pub(crate) fn cylinder(ray: &Ray, cylinder: &Cylinder) -> Option<Span> {
    tube(ray, cylinder.half_height(), cylinder.radius())
}

/// A cylinder along y between `−half_height` and `half_height`.
fn tube(ray: &Ray, half_height: f64, radius: f64) -> Option<Span> {
    let side = Span::endless_cylinder(ray, 1, DVec3::ZERO, radius)?;
    side.intersect(Span::slab(ray, 1, -half_height, half_height)?)
}

/// A cone: the points with `√(x² + z²) ≤ −k y`, `k = r / 2h`, as seen from the apex, and above the base.
///
/// Squared, the first condition is `f(t) = A t² + 2 B t + C ≤ 0`, which also holds in the mirror image of the cone above
/// its apex. Where `A > 0` the line is inside between the roots; where `A < 0`, a line steeper than the cone, it is inside
/// the lower of the two beyond one of the roots.
///
/// The discriminant `B² − A C` of a line `w + t d` is `k² (mₓ² + m_z²) − m_y²` with its moment `m = w × d` about the apex
/// (Lagrange's identity), which keeps its digits where the line passes close to the apex.
pub(crate) fn cone(ray: &Ray, cone: &Cone) -> Option<Span> {
    let (h, r) = (cone.half_height(), cone.radius());
    let k = r / (2.0 * h);
    let height = Span::slab(ray, 1, -h, h)?;
    let (apex, d) = (DVec3::Y * h, ray.direction);
    // From the point nearest the apex on, to keep the digits of a ray that comes from afar.
    let start = (apex - ray.origin).dot(d);
    let w = ray.at(start) - apex;
    let m = w.cross(d);
    let (across, along) = (k * (m.x * m.x + m.z * m.z).sqrt(), m.y.abs());
    let a = d.x * d.x + d.z * d.z - k * k * d.y * d.y;
    if across < along && a > 0.0 {
        return None;
    }
    let root = ((across - along).max(0.0) * (across + along)).sqrt();
    let b = w.x * d.x + w.z * d.z - k * k * w.y * d.y;
    let c = w.x * w.x + w.z * w.z - k * k * w.y * w.y;
    // Both roots without cancellation: q / A and C / q. If q = 0, the line passes through the apex at t = 0, or runs along
    // the side of the cone.
    let q = -(b + root.copysign(b));
    let (low, high) = if q != 0.0 {
        let (first, second) = (q / a, c / q);
        (first.min(second), first.max(second))
    } else if a == 0.0 {
        (f64::NEG_INFINITY, f64::INFINITY)
    } else {
        (0.0, 0.0)
    };
    let (enter, leave) = if a >= 0.0 {
        (low, high)
    } else if d.y < 0.0 {
        (high, f64::INFINITY)
    } else {
        (f64::NEG_INFINITY, low)
    };
    // At the apex itself, the normal of the side that faces the ray.
    let at = w + d * enter;
    let outward = if at.length_squared() > 1e-24 * (h * h + r * r) { at } else { -d };
    let normal = (DVec3::new(outward.x, 0.0, outward.z).normalize_or_zero() + DVec3::Y * k).normalize();
    let side = Span { enter: start + enter, leave: start + leave, normal };
    side.intersect(height)
}

/// A ball, stretched: distances along the ray are `|d/s|` times as long there, and a normal n becomes n/s.
pub(crate) fn ellipsoid(ray: &Ray, ellipsoid: &Ellipsoid) -> Option<Span> {
    // From the point nearest the middle on, to keep the digits of a ray that comes from afar.
    let start = -ray.origin.dot(ray.direction);
    let (origin, direction) = (ray.at(start) / ellipsoid.radii(), ray.direction / ellipsoid.radii());
    let length = direction.length();
    let shrunk = Ray { origin, direction: direction / length };
    let span = Span::ball(&shrunk, DVec3::ZERO, 1.0)?;
    let normal = (span.normal / ellipsoid.radii()).normalize_or_zero();
    Some(Span { enter: start + span.enter / length, leave: start + span.leave / length, normal })
}

/// A hull is the intersection of the half-spaces below its faces.
pub(crate) fn hull(ray: &Ray, hull: &Hull) -> Option<Span> {
    hull.face_planes()
        .iter()
        .try_fold(Span::LINE, |span, plane| span.intersect(Span::half_space(ray, plane.normal, plane.offset)?))
}

/// The first part the ray meets, found through the hierarchy.
pub(crate) fn compound(ray: &Ray, compound: &Compound, max_distance: f64) -> Option<RayHit> {
    let slopes = RaySlopes::new(ray);
    let mut nearest: Option<RayHit> = None;
    compound.bvh().nearest_first(
        max_distance,
        |boxes| boxes.ray_entry(&slopes),
        |range, mut limit| {
            for &part in &compound.bvh().items()[range] {
                let (pose, shape) = &compound.parts()[part as usize];
                let hit = shape.cast_ray(&ray.to_local(pose), limit);
                if let Some(hit) = hit.filter(|hit| nearest.is_none_or(|nearest| hit.distance < nearest.distance)) {
                    limit = hit.distance;
                    nearest = Some(RayHit { part, ..hit.transformed(pose) });
                }
            }
            limit
        },
    );
    nearest
}

/// A single point, as a convex set.
pub(crate) struct Point;

impl Convex for Point {
    fn support(&self, _direction: DVec3) -> DVec3 {
        DVec3::ZERO
    }
}
