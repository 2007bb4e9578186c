//! A half-space against meshes, height fields and compounds: the lowest point decides, exactly.
//!
//! A height field counts with its surface only: it and the half-space are both ground without a bottom.

use super::cluster::Candidate;
use super::scratch::Scratch;
use super::surface::Surface;
use crate::query::closest::{Separation, as_convex};
use crate::query::{ContactPoint, Feature, FeatureId, Manifold};
use crate::shape::HalfSpace;
use crate::{Shape, Transform};
use glam::DVec3;

/// The signed distance of the lowest point of `other` from the plane.
pub(super) fn separation(ground: &HalfSpace, other: &Shape, other_in_ground: &Transform) -> Separation {
    let normal = ground.normal();
    let lowest = other_in_ground.point(lowest(other, other_in_ground.inverse_vector(normal)));
    let distance = normal.dot(lowest);
    Separation { distance, normal, point_a: lowest - normal * distance, point_b: lowest }
}

/// Appends the vertices of a mesh or height field that lie lowest, up to four.
pub(super) fn manifold(
    ground: &HalfSpace,
    surface: Surface,
    pose: &Transform,
    prediction: f64,
    manifolds: &mut Vec<Manifold>,
) {
    let normal = ground.normal();
    let up = pose.inverse_vector(normal);
    // The height of the plane in the frame of the surface, along `up`.
    let level = -normal.dot(pose.translation);
    let bvh = surface.bvh();
    Scratch::with(|Scratch { candidates, .. }| {
        bvh.nearest_first(
            level + prediction,
            |boxes| boxes.lowest_along(up),
            |items, limit| {
                surface.triangles_of(&bvh.items()[items], |index| {
                    for (corner, vertex) in surface.triangle(index).vertices.into_iter().enumerate() {
                        let depth = level - up.dot(vertex);
                        if depth >= -prediction {
                            let position = pose.point(vertex) + normal * (0.5 * depth);
                            let feature = FeatureId(u64::from(surface.vertex_number(index, corner)));
                            let vertex = Feature::Vertex(corner as u32).of_triangle(index);
                            let point = ContactPoint { position, depth, feature, features: [Feature::Plane, vertex] };
                            candidates.push(Candidate { point, normal, part_a: 0, part_b: surface.patch(index) });
                        }
                    }
                });
                limit
            },
        );
        candidates.merge_into(manifolds);
    });
}

/// The point of a shape that lies lowest along the unit vector `up`.
fn lowest(shape: &Shape, up: DVec3) -> DVec3 {
    if let Some(surface) = Surface::of(shape) {
        let mut lowest = DVec3::ZERO;
        surface.bvh().nearest_first(
            f64::INFINITY,
            |boxes| boxes.lowest_along(up),
            |items, mut limit| {
                surface.triangles_of(&surface.bvh().items()[items], |index| {
                    for vertex in surface.triangle(index).vertices {
                        if vertex.dot(up) < limit {
                            limit = vertex.dot(up);
                            lowest = vertex;
                        }
                    }
                });
                limit
            },
        );
        return lowest;
    }
    match (shape.as_compound(), as_convex(shape)) {
        (Some(compound), _) => {
            let of_part = |(pose, part): &(Transform, Shape)| pose.point(self::lowest(part, pose.inverse_vector(up)));
            let least = |p: DVec3, q: DVec3| if q.dot(up) < p.dot(up) { q } else { p };
            compound.parts().iter().map(of_part).reduce(least).unwrap_or(DVec3::ZERO)
        }
        (_, Some(convex)) => convex.support(-up) - up * convex.radius(),
        (_, None) => DVec3::ZERO,
    }
}
