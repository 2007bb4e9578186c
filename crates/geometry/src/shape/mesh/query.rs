//! Points and rays against a mesh.

use super::Mesh;
use crate::bvh::RaySlopes;
use crate::primitive::{Culling, RayFrame, TriangleHit};
use crate::query::{PointProjection, RayHit};
use crate::{Aabb, Ray, Triangle};
use glam::DVec3;

/// Directions in which containment is tested, one after the other until a ray meets no edge: arbitrary, far from axes and
/// from each other.
const PROBES: [DVec3; 6] = [
    DVec3::new(0.285_714_3, 0.428_571_4, 0.857_142_9),
    DVec3::new(-0.640_184_4, 0.384_110_7, 0.665_091_1),
    DVec3::new(0.731_055_1, -0.570_223_1, 0.374_686_7),
    DVec3::new(-0.173_648_2, -0.766_044_4, -0.618_848_1),
    DVec3::new(0.881_917_1, 0.340_719_8, -0.325_813_5),
    DVec3::new(-0.419_311_4, 0.812_776_9, -0.404_522_6),
];

impl Mesh {
    /// The first triangle the ray meets within `max_distance` metres, from either side. If the mesh is solid and the ray starts
    /// inside, it is met at once.
    pub fn cast_ray(&self, ray: &Ray, max_distance: f64) -> Option<RayHit> {
        if !(ray.origin.is_finite() && ray.direction.is_finite()) {
            return None;
        }
        // A ray from inside a solid leaves it through the back of a triangle, maybe beyond `max_distance`.
        let maybe_inside = self.is_solid() && self.aabb().contains_point(ray.origin);
        let limit = if maybe_inside { f64::INFINITY } else { max_distance };
        let (hit, part) = self.nearest_hit(ray, limit, Culling::None)?;
        if maybe_inside && self.starts_inside(ray, &hit) {
            return (max_distance >= 0.0).then_some(RayHit { distance: 0.0, normal: -ray.direction, part });
        }
        let normal = self.normal(part as usize)?;
        let normal = if hit.front { normal } else { -normal };
        (hit.distance <= max_distance).then_some(RayHit { distance: hit.distance, normal, part })
    }

    /// How far along a finite ray it first meets the back of a triangle: where it leaves a solid.
    pub(crate) fn first_exit(&self, ray: &Ray) -> Option<f64> {
        self.nearest_hit(ray, f64::INFINITY, Culling::FrontFaces).map(|(hit, _)| hit.distance)
    }

    fn nearest_hit(&self, ray: &Ray, max_distance: f64, culling: Culling) -> Option<(TriangleHit, u32)> {
        let (frame, slopes) = (RayFrame::new(ray), RaySlopes::new(ray));
        let mut nearest = None;
        self.bvh.nearest_first(
            max_distance,
            |boxes| boxes.ray_entry(&slopes),
            |range, mut limit| {
                for place in range {
                    let triangle = Triangle { vertices: self.ordered[place] };
                    if let Some(hit) = triangle.cast_ray_frame(&frame, limit, culling) {
                        limit = hit.distance;
                        nearest = Some((hit, self.bvh.items()[place]));
                    }
                }
                limit
            },
        );
        nearest
    }

    /// Whether a ray starts inside the solid, given its first hit. Outside it meets the front of a triangle, unless both
    /// sides are hit at once, at an edge, or pieces overlap and hide in each other. Where a surface folds through itself the
    /// back shows outside too, so that alone is no proof.
    fn starts_inside(&self, ray: &Ray, hit: &TriangleHit) -> bool {
        let maybe = !hit.front || is_at_edge(hit) || self.piece_vertices().len() > 1;
        maybe && self.contains_point(ray.origin)
    }

    /// The point of the surface closest to `point`, with the distance negative if the mesh is solid and `point` inside.
    /// `None` if `point` is not finite.
    pub fn closest_point(&self, point: DVec3) -> Option<PointProjection> {
        if !point.is_finite() {
            return None;
        }
        let at = Aabb::new(point, point);
        let mut nearest = None;
        self.bvh.nearest_first(
            f64::INFINITY,
            |boxes| boxes.distance_squared(&at),
            |range, mut limit| {
                for place in range {
                    let candidate = Triangle { vertices: self.ordered[place] }.closest_point(point).point;
                    let square = candidate.distance_squared(point);
                    if square < limit || nearest.is_none() {
                        limit = square;
                        nearest = Some((candidate, self.bvh.items()[place]));
                    }
                }
                limit
            },
        );
        let (closest, part) = nearest?;
        let normal = self.normal(part as usize)?;
        Some(projection(point, closest, normal, part, self.contains_point(point)))
    }

    /// Whether `point` lies in the solid the mesh encloses, or on its surface; `false` for a mesh that is not solid.
    ///
    /// A ray from the point to infinity leaves the solid once more often than it enters: the winding number, also
    /// for pieces that overlap. A ray that meets an edge or a corner may count it twice, so another is tried.
    pub fn contains_point(&self, point: DVec3) -> bool {
        if !self.is_solid() || !self.aabb().contains_point(point) {
            return false;
        }
        let mut winding = 0;
        for direction in PROBES {
            let Ok(ray) = Ray::new(point, direction) else { continue };
            let crossings = self.crossings(&ray);
            if crossings.on_surface {
                return true;
            }
            winding = crossings.winding;
            if !crossings.at_edge {
                break;
            }
        }
        winding > 0
    }

    fn crossings(&self, ray: &Ray) -> Crossings {
        let (frame, slopes) = (RayFrame::new(ray), RaySlopes::new(ray));
        let mut crossings = Crossings { winding: 0, at_edge: false, on_surface: false };
        self.bvh.nearest_first(
            f64::MAX,
            |boxes| boxes.ray_entry(&slopes),
            |range, limit| {
                for place in range {
                    let triangle = Triangle { vertices: self.ordered[place] };
                    if let Some(hit) = triangle.cast_ray_frame(&frame, f64::INFINITY, Culling::None) {
                        crossings.winding += if hit.front { -1 } else { 1 };
                        crossings.at_edge |= is_at_edge(&hit);
                        crossings.on_surface |= hit.distance == 0.0;
                    }
                }
                limit
            },
        );
        crossings
    }
}

/// Whether a hit is, as far as rounding can tell, on an edge.
fn is_at_edge(hit: &TriangleHit) -> bool {
    hit.barycentric.min_element() < 1e-12
}

/// What a ray to infinity meets.
struct Crossings {
    /// How often it leaves more than it enters.
    winding: i64,
    /// Whether it met an edge or a corner.
    at_edge: bool,
    /// Whether it starts on a triangle.
    on_surface: bool,
}

/// The answer for a point and the closest point of a surface whose triangle there has the given normal.
pub(in crate::shape) fn projection(
    point: DVec3,
    closest: DVec3,
    normal: DVec3,
    part: u32,
    inside: bool,
) -> PointProjection {
    let away = point - closest;
    let length = away.length();
    let sign = if inside { -1.0 } else { 1.0 };
    // On the surface, to the last few digits, the direction is noise; below 1e-150 the square of the length underflows.
    let resolution = 8.0 * f64::EPSILON * point.abs().max_element().max(closest.abs().max_element());
    let resolution = resolution.max(1e-150);
    let normal = if length > resolution { sign * away / length } else { normal };
    PointProjection { point: closest, distance: sign * length, normal, part }
}
