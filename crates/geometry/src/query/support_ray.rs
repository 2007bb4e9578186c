//! Rays against a convex solid of which only the support mapping is known (van den Bergen 2004).
//!
//! As in GJK a simplex of points of the solid approaches the point closest to a place x, but x is not fixed: whenever a
//! support point p along v (the offset of x from the simplex) shows that the plane through p with normal v has x above it
//! and all of the solid below, the ray cannot enter before that plane, and x moves along the ray until it lies in it. So x
//! is never inside, and when the offset v has shrunk to nothing, x is where the ray enters.

use crate::primitive::{Tetrahedron, Triangle, TriangleFeature};
use crate::shape::Convex;
use crate::{Aabb, Ray, Segment};
use glam::DVec3;

use super::RayHit;

/// The rounds after which the search ends. Polytopes need about ten, curved shapes twenty.
const MAX_ROUNDS: usize = 100;
/// How close, relative to the size of the solid, x must come to count as touching.
const TOLERANCE: f64 = 1e-11;

/// Where the ray enters the solid (whose radius is ignored), within `max_distance`.
pub(crate) fn cast_ray(ray: &Ray, solid: &impl Convex, max_distance: f64) -> Option<RayHit> {
    let reach = |axis: DVec3| (-solid.support(-axis).dot(-axis), solid.support(axis).dot(axis));
    let [x, y, z] = DVec3::AXES.map(reach);
    let bounds = Aabb::new(DVec3::new(x.0, y.0, z.0), DVec3::new(x.1, y.1, z.1));
    let size = bounds.half_extents().length();
    // Begin at the box, which also keeps the digits of a ray that comes from afar.
    let mut distance = bounds.expanded(1e-9 * size).cast_ray(ray, max_distance)?;
    let mut at = ray.at(distance);
    let mut entered_through = -ray.direction;
    let mut simplex = Simplex::new(solid.center());
    let mut offset = at - solid.center();
    // The nearest the simplex has come at the present x.
    let mut nearest = f64::INFINITY;
    for _ in 0..MAX_ROUNDS {
        let Some(normal) = offset.try_normalize() else { break };
        let point = solid.support(normal);
        let height = (at - point).dot(normal);
        if height > 0.0 {
            let speed = normal.dot(ray.direction);
            distance -= height / speed;
            if speed >= 0.0 || distance > max_distance {
                return None;
            }
            at = ray.at(distance);
            entered_through = normal;
            nearest = f64::INFINITY;
        }
        simplex.push(point);
        offset = at - simplex.reduce(at);
        let gap = offset.length();
        // Touching, or as close as rounding allows.
        if gap <= TOLERANCE * size || gap >= nearest {
            break;
        }
        nearest = gap;
    }
    let touching = offset.length() <= 1e-9 * size;
    touching.then_some(RayHit { distance, normal: entered_through, part: 0 })
}

/// Up to four points of the solid.
struct Simplex {
    points: [DVec3; 4],
    count: usize,
}

impl Simplex {
    fn new(point: DVec3) -> Self {
        Self { points: [point; 4], count: 1 }
    }

    fn set(&mut self, points: &[DVec3]) {
        self.points[..points.len()].copy_from_slice(points);
        self.count = points.len();
    }

    fn push(&mut self, point: DVec3) {
        // After `reduce` there are at most three, unless x is inside the four; then the search has ended.
        let place = self.count.min(3);
        self.points[place] = point;
        self.count = place + 1;
    }

    /// The point of the simplex closest to `to`; keeps only the corners it lies between.
    fn reduce(&mut self, to: DVec3) -> DVec3 {
        let [a, b, c, d] = self.points;
        match self.count {
            1 => a,
            2 => self.reduce_segment(Segment::new(a, b), to),
            3 => self.reduce_triangle(Triangle::new(a, b, c), to),
            _ => {
                let solid = Tetrahedron::new(a, b, c, d);
                match solid.closest_point(to).face {
                    Some(face) => self.reduce_triangle(solid.face(face.into()), to),
                    None => to,
                }
            }
        }
    }

    fn reduce_segment(&mut self, segment: Segment, to: DVec3) -> DVec3 {
        let parameter = segment.closest_parameter(to);
        match parameter {
            0.0 => self.set(&[segment.a]),
            1.0 => self.set(&[segment.b]),
            _ => self.set(&[segment.a, segment.b]),
        }
        segment.at(parameter)
    }

    fn reduce_triangle(&mut self, triangle: Triangle, to: DVec3) -> DVec3 {
        let closest = triangle.closest_point(to);
        match closest.feature {
            TriangleFeature::Vertex(i) => self.set(&[triangle.vertices[usize::from(i)]]),
            TriangleFeature::Edge(i) => {
                let edge = triangle.edge(i.into());
                self.set(&[edge.a, edge.b]);
            }
            TriangleFeature::Face => self.set(&triangle.vertices),
        }
        closest.point
    }
}
