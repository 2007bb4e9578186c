//! Elementary figures that queries are made of: segment, ray, plane, triangle, tetrahedron.
//!
//! All are plain values without invariants that construction could break: degenerate ones (a segment without length,
//! a triangle without area) are answered as the point or segment they are.

mod plane;
mod ray;
mod segment;
mod tetrahedron;
mod triangle;
mod triangle_pair;
mod triangle_ray;

pub use plane::{Plane, Side};
pub use ray::Ray;
pub use segment::{Segment, SegmentPair};
pub use tetrahedron::{Tetrahedron, TetrahedronPoint};
pub use triangle::{Triangle, TriangleFeature, TrianglePoint};
pub use triangle_ray::{Culling, RayFrame, TriangleHit};

use glam::DVec3;

/// The point of a list that lies farthest along `direction`; the first of equals.
fn farthest_along(points: &[DVec3], direction: DVec3) -> DVec3 {
    let farther = |best: DVec3, &point: &DVec3| if point.dot(direction) > best.dot(direction) { point } else { best };
    points.iter().fold(points[0], farther)
}

/// The least and the greatest value of `axis · x` on a list of points.
fn projection(points: &[DVec3], axis: DVec3) -> (f64, f64) {
    points
        .iter()
        .map(|point| point.dot(axis))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), reach| (min.min(reach), max.max(reach)))
}

#[cfg(test)]
mod tests;
