//! Contact manifolds of two surfaces.
//!
//! 1. Every pair of triangles that cross or are close: the shortest way to part the two, if both surfaces can have that
//!    normal ([`normals`](super::normals)); for triangles that cross, otherwise the normal of the one of them along which the way
//!    is shorter, unless a neighbour's is shorter still. Cut against each other along it they give the outline of the contact:
//!    corners on faces, crossings of edges.
//! 2. Where solids overlap by more than a triangle's size, the deepest vertices of each inside the other, with the depth along
//!    the normals found in step 1: as far as a ray along the normal needs to come out, by the shortest of them.
//! 3. All merged by normal.

use super::cluster::{Candidate, Candidates};
use super::name::{Triangles, mixed, named_pair};
use super::normals::{Place, facing};
use super::scratch::Scratch;
use super::surface::Surface;
use crate::bvh::gap_squared;
use crate::query::closest::{Separation, separation_within};
use crate::query::manifold::{InternalEdges, feature_along, triangles_contact};
use crate::query::{ContactPoint, Feature, FeatureId, Manifold, ManifoldOptions};
use crate::{Aabb, BoundingVolume, Ray, Transform, Triangle};
use glam::DVec3;

/// How many normals, and how many of the deepest vertices along each, step 2 looks at.
const MAX_NORMALS: usize = 6;
const MAX_VERTICES: usize = 16;

/// Appends the manifolds of surfaces `a` and `b`.
pub(super) fn manifolds(
    a: Surface,
    b: Surface,
    b_in_a: &Transform,
    options: &ManifoldOptions,
    manifolds: &mut Vec<Manifold>,
) {
    let pair = Pair { a, b, b_in_a, options, centers: [a.aabb().center(), b_in_a.point(b.aabb().center())] };
    Scratch::with(|Scratch { candidates, .. }| {
        let mut crossing = false;
        let reach = options.prediction.max(0.0);
        let (bvh_a, bvh_b) = (a.bvh(), b.bvh());
        bvh_a.nearest_pairs_first(bvh_b, b_in_a, reach * reach, |items_a, items_b, limit| {
            a.triangles_of(&bvh_a.items()[items_a], |i| {
                let triangle_a = a.triangle(i);
                let box_a = triangle_a.aabb();
                b.triangles_of(&bvh_b.items()[items_b.clone()], |j| {
                    let local_b = b.triangle(j);
                    let triangle_b = local_b.transformed(b_in_a);
                    if gap_squared(&box_a, &triangle_b.aabb()) > limit {
                        return;
                    }
                    let Some(closest) = separation_within(&triangle_a, &triangle_b, &Transform::IDENTITY, reach) else {
                        return;
                    };
                    crossing |= closest.distance <= 0.0;
                    if let Some(mut manifold) = pair.contact((i, &triangle_a), (j, &triangle_b, &local_b), &closest) {
                        let (here, there) = (Triangles { surface: a, index: i }, Triangles { surface: b, index: j });
                        for point in manifold.points_mut() {
                            point.feature = named_pair(point.feature, here, there);
                            let [of_a, of_b] = point.features;
                            point.features = [of_a.of_triangle(i), of_b.of_triangle(j)];
                        }
                        candidates.extend(&manifold, a.patch(i), b.patch(j));
                    }
                });
            });
            limit
        });
        if crossing {
            pair.add_deep_vertices(candidates);
        }
        candidates.merge_into(manifolds);
    });
}

struct Pair<'a> {
    a: Surface<'a>,
    b: Surface<'a>,
    b_in_a: &'a Transform,
    options: &'a ManifoldOptions,
    /// The middles of the two, in the frame of the first.
    centers: [DVec3; 2],
}

impl Pair<'_> {
    /// The contact of two triangles in the frame of the first surface.
    fn contact(
        &self,
        (i, triangle_a): (u32, &Triangle),
        (j, triangle_b, local_b): (u32, &Triangle, &Triangle),
        closest: &Separation,
    ) -> Option<Manifold> {
        let u = closest.normal;
        let prediction = self.options.prediction;
        let place_a = Place { surface: self.a, index: i, triangle: triangle_a, feature: feature_along(triangle_a, u) };
        let place_b = Place { surface: self.b, index: j, triangle: local_b, feature: feature_along(triangle_b, -u) };
        let sheets = !self.a.is_solid() && !self.b.is_solid();
        let keep = self.options.internal_edges == InternalEdges::Keep && sheets;
        if keep || (place_a.admits(u) && place_b.admits(self.b_in_a.inverse_vector(-u))) {
            return triangles_contact(triangle_a, triangle_b, u, Some(closest), prediction);
        }
        if closest.distance > 0.0 {
            return None;
        }
        let out_of_a = facing(self.a, triangle_a, self.centers[1])?;
        let out_of_b = -facing(self.b, triangle_b, self.centers[0])?;
        let depth = |n: DVec3| triangle_a.project(n).1 - triangle_b.project(n).0;
        let normal = if depth(out_of_a) <= depth(out_of_b) { out_of_a } else { out_of_b };
        let depth_in_b = |n: DVec3| depth(self.b_in_a.vector(-n));
        let others_do_better = place_a.neighbors_part_sooner(depth(normal), depth)
            || place_b.neighbors_part_sooner(depth(normal), depth_in_b);
        if others_do_better {
            return None;
        }
        triangles_contact(triangle_a, triangle_b, normal, None, prediction)
    }

    /// Step 2.
    fn add_deep_vertices(&self, candidates: &mut Candidates) {
        let normals: Vec<DVec3> = candidates.normals().iter().take(MAX_NORMALS).copied().collect();
        if self.a.is_solid() {
            // Vertices of B that leave A upwards.
            for found in deep_vertices(self.a, self.b, self.b_in_a, &normals) {
                let position = found.vertex + found.normal * (0.5 * found.depth);
                let part_b = self.b.patch(found.triangle);
                candidates.push(found.candidate(position, [Feature::Spot, found.feature()], 0, part_b));
            }
        }
        if self.b.is_solid() {
            let a_in_b = self.b_in_a.inverse();
            let down: Vec<DVec3> = normals.iter().map(|n| a_in_b.vector(-*n)).collect();
            for mut found in deep_vertices(self.b, self.a, &a_in_b, &down) {
                found.normal = self.b_in_a.vector(-found.normal);
                let position = self.b_in_a.point(found.vertex) - found.normal * (0.5 * found.depth);
                let part_a = self.a.patch(found.triangle);
                candidates.push(found.candidate(position, [found.feature(), Feature::Spot], part_a, 0));
            }
        }
    }
}

/// A vertex inside a solid.
struct Deep {
    /// Where it is, in the frame of the solid.
    vertex: DVec3,
    number: u32,
    /// A triangle it belongs to, and which of its corners it is.
    triangle: u32,
    corner: u8,
    /// The way out, and how far.
    normal: DVec3,
    depth: f64,
}

impl Deep {
    fn feature(&self) -> Feature {
        Feature::Vertex(u32::from(self.corner)).of_triangle(self.triangle)
    }

    fn candidate(&self, position: DVec3, features: [Feature; 2], part_a: u32, part_b: u32) -> Candidate {
        let feature = mixed(FeatureId(0), self.number);
        let point = ContactPoint { position, depth: self.depth, feature, features };
        Candidate { point, normal: self.normal, part_a, part_b }
    }
}

/// A vertex of a surface: its number, a triangle it belongs to, which corner of that it is, and where it is.
#[derive(Clone, Copy)]
struct Vertex {
    number: u32,
    triangle: u32,
    corner: u8,
    at: DVec3,
}

/// The deepest vertices of `other` (placed in the frame of `solid`) along each of the normals, each with the shortest way out
/// along one of them.
fn deep_vertices(solid: Surface, other: Surface, other_in_solid: &Transform, normals: &[DVec3]) -> Vec<Deep> {
    let mut vertices: Vec<Vertex> = Vec::new();
    // A height field is solid far below its surface.
    let mut region = solid.aabb();
    if let Surface::Field(_) = solid {
        region.min.y = f64::NEG_INFINITY;
    }
    let region_in_other: Aabb = region.transformed(&other_in_solid.inverse());
    other.overlapping(&region_in_other, &mut |triangle| {
        for (corner, vertex) in other.triangle(triangle).vertices.into_iter().enumerate() {
            let at = other_in_solid.point(vertex);
            if region.contains_point(at) {
                vertices.push(Vertex {
                    number: other.vertex_number(triangle, corner),
                    triangle,
                    corner: corner as u8,
                    at,
                });
            }
        }
        true
    });
    vertices.sort_by_key(|vertex| (vertex.number, vertex.triangle));
    vertices.dedup_by_key(|vertex| vertex.number);
    let mut deepest: Vec<Vertex> = Vec::new();
    for normal in normals {
        vertices.sort_by(|x, y| x.at.dot(*normal).total_cmp(&y.at.dot(*normal)).then(x.number.cmp(&y.number)));
        deepest.extend(vertices.iter().copied().take(MAX_VERTICES));
    }
    deepest.sort_by_key(|vertex| vertex.number);
    deepest.dedup_by_key(|vertex| vertex.number);
    deepest.retain(|vertex| solid.contains_point(vertex.at));
    let way_out = |&Vertex { number, triangle, corner, at: vertex }: &Vertex| {
        let ways = normals.iter().filter_map(|&normal| {
            let depth = solid.first_exit(&Ray { origin: vertex, direction: normal })?;
            Some(Deep { vertex, number, triangle, corner, normal, depth })
        });
        ways.reduce(|x, y| if y.depth < x.depth { y } else { x })
    };
    deepest.iter().filter_map(way_out).collect()
}
