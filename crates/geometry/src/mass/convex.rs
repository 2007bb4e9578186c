//! Mass properties of a convex shape known only by its support mapping.
//!
//! First a polyhedron is grown inside the shape: the support points in the directions of its faces are added until no
//! face has anything beyond it (then the shape is this polyhedron and the result exact) or there are enough of them. What
//! is still missing are thin caps over the faces. Each face is therefore replaced by a quadratic patch through its three
//! corners and one more surface point over each edge, the support point half-way between the two faces there. The
//! patches of neighbouring faces share those, so the surface stays closed and the divergence theorem holds:
//!
//! ```text
//! ∫dV = ⅓ ∮ x·dA,    ∫x dV = ¼ ∮ x (x·dA),    ∫x xᵀ dV = ⅕ ∮ x xᵀ (x·dA).
//! ```
//!
//! For a smooth surface the patches are off by the fourth power of their size, a few 1e-6 of the result in all; where the
//! curvature jumps, as on a capsule, a few 1e-5.

use super::MassProperties;
use super::moments::MomentSum;
use crate::GeometryError;
use crate::shape::{Convex, Hull, HullEdge};
use glam::DVec3;

/// The polyhedron stops growing when it has this many vertices.
const ENOUGH_VERTICES: usize = 2000;
/// At most this many rounds; each may triple the vertices, so a handful does.
const MAX_ROUNDS: usize = 16;
/// A face has something beyond it if that rises by more than this fraction of the size.
const FLAT: f64 = 1e-10;

/// The properties of `shape` at unit density.
pub(super) fn from_support(shape: &dyn Convex) -> Result<MassProperties, GeometryError> {
    let hull = inscribed(shape)?;
    let reference = hull.center();
    let mut sum = MomentSum::default();
    let over_edges = edge_nodes(shape, &hull);
    for face in 0..hull.face_count() {
        let corners = hull.face_vertices(face);
        let nodes = hull.face_edges(face).iter().map(|&edge| over_edges[edge as usize] - reference);
        let boundary: Vec<_> = corners.iter().map(|&v| hull.vertex(v) - reference).zip(nodes).collect();
        // A fan from the first corner; its inner diagonals lie in the face.
        let last = boundary.len() - 2;
        let (first, first_node) = boundary[0];
        for k in 1..=last {
            let ((second, opposite), (third, third_node)) = (boundary[k], boundary[k + 1]);
            let from = if k == 1 { first_node } else { 0.5 * (first + second) };
            let back = if k == last { third_node } else { 0.5 * (third + first) };
            add_patch(&mut sum, [first, second, third], [from, opposite, back]);
        }
    }
    Ok(sum.moments().properties(reference))
}

/// A polyhedron whose corners lie on the surface of `shape`.
fn inscribed(shape: &dyn Convex) -> Result<Hull, GeometryError> {
    let signs = [-1.0, 0.0, 1.0];
    let directions = signs.iter().flat_map(|&x| signs.iter().flat_map(move |&y| signs.map(|z| DVec3::new(x, y, z))));
    let mut points: Vec<_> = directions.filter(|d| *d != DVec3::ZERO).map(|d| shape.support(d)).collect();
    let mut hull = Hull::new(&points)?;
    for _ in 0..MAX_ROUNDS {
        let flat = FLAT * hull.bounding_radius();
        points.clear();
        points.extend_from_slice(hull.vertices());
        for plane in hull.face_planes() {
            let support = shape.support(plane.normal);
            if plane.signed_distance(support) > flat {
                points.push(support);
            }
        }
        if points.len() == hull.vertices().len() {
            break;
        }
        hull = Hull::new(&points)?;
        if hull.vertices().len() >= ENOUGH_VERTICES {
            break;
        }
    }
    Ok(hull)
}

/// For every edge of the inscribed polyhedron the point where the surface faces half-way between its two faces; the
/// midpoint where nothing rises above the edge.
fn edge_nodes(shape: &dyn Convex, hull: &Hull) -> Vec<DVec3> {
    let flat = FLAT * hull.bounding_radius();
    let node = |edge: &HullEdge| {
        let middle = 0.5 * (hull.vertex(edge.vertices[0]) + hull.vertex(edge.vertices[1]));
        let [one, two] = edge.faces.map(|face| hull.face_plane(face as usize).normal);
        let outwards = (one + two).normalize_or_zero();
        if outwards == DVec3::ZERO {
            return middle;
        }
        let support = shape.support(outwards);
        if outwards.dot(support - middle) > flat { support } else { middle }
    };
    hull.edges().iter().map(node).collect()
}

/// Nodes and weights of Gauss' rule with five points on [0, 1], exact to degree nine.
const GAUSS: [(f64, f64); 5] = [
    (0.046_910_077_030_668_0, 0.118_463_442_528_094_54),
    (0.230_765_344_947_158_45, 0.239_314_335_249_683_24),
    (0.5, 0.284_444_444_444_444_44),
    (0.769_234_655_052_841_5, 0.239_314_335_249_683_24),
    (0.953_089_922_969_332, 0.118_463_442_528_094_54),
];

/// Adds the cone from the origin over a quadratic triangle with the given corners and the points over its edges (from
/// corner 0 to 1, 1 to 2, 2 to 0). The integrands have degree eight in the parameters, so the rule is exact.
fn add_patch(sum: &mut MomentSum, [a, b, c]: [DVec3; 3], [ab, bc, ca]: [DVec3; 3]) {
    for (u, u_weight) in GAUSS {
        for (along, along_weight) in GAUSS {
            // Barycentric coordinates (w, u, v): the square is collapsed onto the triangle.
            let v = along * (1.0 - u);
            let w = 1.0 - u - v;
            let position = a * (w * (2.0 * w - 1.0))
                + b * (u * (2.0 * u - 1.0))
                + c * (v * (2.0 * v - 1.0))
                + (ab * (w * u) + bc * (u * v) + ca * (v * w)) * 4.0;
            let by_u = a * (1.0 - 4.0 * w) + b * (4.0 * u - 1.0) + (ab * (w - u) + bc * v - ca * v) * 4.0;
            let by_v = a * (1.0 - 4.0 * w) + c * (4.0 * v - 1.0) + (ca * (w - v) + bc * u - ab * u) * 4.0;
            let area = by_u.cross(by_v) * (u_weight * along_weight * (1.0 - u));
            sum.add_cone(position, area);
        }
    }
}
