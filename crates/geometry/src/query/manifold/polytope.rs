//! Boxes, hulls and triangles as one thing: corners, face planes, edges. Boxes and triangles are written out on the
//! stack; a hull lends its arrays.

use crate::primitive::{Plane, Triangle};
use crate::shape::{Cuboid, Hull, HullEdge};
use glam::DVec3;

/// A convex polyhedron, borrowed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Polytope<'a> {
    pub(super) vertices: &'a [DVec3],
    /// The planes of the faces, normals outwards; beyond `face_count`, planes through single edges (of a triangle).
    pub(super) planes: &'a [Plane],
    pub(super) face_count: usize,
    pub(super) edges: &'a [HullEdge],
    /// The corners of face f, counter-clockwise from outside, are `loops[starts[f]..starts[f + 1]]`.
    starts: &'a [u32],
    loops: &'a [u32],
    /// The edges from each of these corners to the next.
    sides: &'a [u32],
    /// The faces around vertex v are `fans[fan_starts[v]..fan_starts[v + 1]]`.
    fan_starts: &'a [u32],
    fans: &'a [u32],
    /// A point inside.
    pub(super) center: DVec3,
    /// Half its greatest extent, roughly.
    pub(super) size: f64,
}

impl<'a> Polytope<'a> {
    /// Where an edge begins.
    #[inline]
    pub(super) fn start(&self, edge: usize) -> DVec3 {
        self.vertices[self.edges[edge].vertices[0] as usize]
    }

    /// From the beginning of an edge to its end.
    #[inline]
    pub(super) fn along(&self, edge: usize) -> DVec3 {
        let [start, end] = self.edges[edge].vertices;
        self.vertices[end as usize] - self.vertices[start as usize]
    }

    /// The corners of a face, counter-clockwise from outside.
    pub(super) fn face(&self, face: usize) -> &'a [u32] {
        &self.loops[self.starts[face] as usize..self.starts[face + 1] as usize]
    }

    /// The point of a face nearest to `point`.
    pub(super) fn nearest_on_face(&self, face: usize, point: DVec3) -> DVec3 {
        let plane = &self.planes[face];
        let below = point - plane.normal * plane.signed_distance(point);
        let corners = self.face(face);
        let mut nearest = (below, f64::INFINITY);
        let mut start = self.vertices[corners[corners.len() - 1] as usize];
        for &corner in corners {
            let end = self.vertices[corner as usize];
            let (along, offset) = (end - start, below - start);
            if along.cross(offset).dot(plane.normal) < 0.0 {
                let on_edge = start + along * (along.dot(offset) / along.length_squared()).clamp(0.0, 1.0);
                let square = on_edge.distance_squared(below);
                if square < nearest.1 {
                    nearest = (on_edge, square);
                }
            }
            start = end;
        }
        nearest.0
    }

    /// The edges around a face.
    pub(super) fn sides(&self, face: usize) -> &'a [u32] {
        &self.sides[self.starts[face] as usize..self.starts[face + 1] as usize]
    }

    /// The index of the corner farthest along `direction`; the first of several.
    #[inline]
    pub(super) fn support(&self, direction: DVec3) -> usize {
        let mut best = (0, f64::NEG_INFINITY);
        for (i, vertex) in self.vertices.iter().enumerate() {
            let reach = vertex.dot(direction);
            if reach > best.1 {
                best = (i, reach);
            }
        }
        best.0
    }

    /// The face that looks most along `direction` among those around the corner that reaches farthest along it; the first
    /// of several.
    pub(super) fn facing(&self, direction: DVec3) -> usize {
        let corner = self.support(direction);
        let fan = &self.fans[self.fan_starts[corner] as usize..self.fan_starts[corner + 1] as usize];
        let mut best = (0, f64::NEG_INFINITY);
        for &face in fan {
            let along = self.planes[face as usize].normal.dot(direction);
            if along > best.1 {
                best = (face as usize, along);
            }
        }
        best.0
    }
}

impl Hull {
    pub(super) fn as_polytope(&self) -> Polytope<'_> {
        let (starts, loops, sides) = self.face_loops();
        let (fan_starts, fans) = self.vertex_fans();
        Polytope {
            vertices: self.vertices(),
            planes: self.face_planes(),
            face_count: self.face_count(),
            edges: self.edges(),
            starts,
            loops,
            sides,
            fan_starts,
            fans,
            center: self.center(),
            size: self.bounding_radius(),
        }
    }
}

/// A box written out. Corner i has positive x, y, z where bit 0, 1, 2 of i is set.
pub(super) struct BoxParts {
    vertices: [DVec3; 8],
    planes: [Plane; 6],
    size: f64,
}

const fn edge(a: u32, b: u32, first: u32, second: u32) -> HullEdge {
    HullEdge { vertices: [a, b], faces: [first, second] }
}

/// Faces +x −x +y −y +z −z.
const BOX_LOOPS: [u32; 24] = [1, 3, 7, 5, 0, 4, 6, 2, 2, 6, 7, 3, 0, 1, 5, 4, 4, 5, 7, 6, 0, 2, 3, 1];
const BOX_SIDES: [u32; 24] = [0, 1, 2, 3, 4, 5, 6, 7, 6, 8, 1, 9, 10, 3, 11, 4, 11, 2, 8, 5, 7, 9, 0, 10];
const BOX_STARTS: [u32; 7] = [0, 4, 8, 12, 16, 20, 24];
const BOX_FAN_STARTS: [u32; 9] = [0, 3, 6, 9, 12, 15, 18, 21, 24];
const BOX_FANS: [u32; 24] = [1, 3, 5, 0, 3, 5, 1, 2, 5, 0, 2, 5, 1, 3, 4, 0, 3, 4, 1, 2, 4, 0, 2, 4];
const BOX_EDGES: [HullEdge; 12] = [
    edge(1, 3, 0, 5),
    edge(3, 7, 0, 2),
    edge(7, 5, 0, 4),
    edge(5, 1, 0, 3),
    edge(0, 4, 1, 3),
    edge(4, 6, 1, 4),
    edge(6, 2, 1, 2),
    edge(2, 0, 1, 5),
    edge(6, 7, 2, 4),
    edge(3, 2, 2, 5),
    edge(0, 1, 3, 5),
    edge(5, 4, 3, 4),
];

impl BoxParts {
    pub(super) fn new(cuboid: &Cuboid) -> Self {
        let h = cuboid.half_extents();
        let side = |i: usize, bit: usize, length: f64| if i >> bit & 1 == 1 { length } else { -length };
        Self {
            vertices: std::array::from_fn(|i| DVec3::new(side(i, 0, h.x), side(i, 1, h.y), side(i, 2, h.z))),
            planes: std::array::from_fn(|i| {
                let axis = DVec3::AXES[i / 2];
                Plane { normal: if i % 2 == 0 { axis } else { -axis }, offset: h[i / 2] }
            }),
            size: h.max_element(),
        }
    }

    pub(super) fn as_polytope(&self) -> Polytope<'_> {
        Polytope {
            vertices: &self.vertices,
            planes: &self.planes,
            face_count: 6,
            edges: &BOX_EDGES,
            starts: &BOX_STARTS,
            loops: &BOX_LOOPS,
            sides: &BOX_SIDES,
            fan_starts: &BOX_FAN_STARTS,
            fans: &BOX_FANS,
            center: DVec3::ZERO,
            size: self.size,
        }
    }
}

/// A triangle written out as a flat polyhedron: face 0 on the side of its normal, face 1 on the other.
///
/// At an edge the normals of a flat body turn by half a circle, from face 0 through the outward direction in the plane to
/// face 1. Each edge is listed twice with the outward plane between, so that no pair of normals is opposite.
pub(super) struct TriangleParts {
    vertices: [DVec3; 3],
    planes: [Plane; 5],
    center: DVec3,
    size: f64,
}

const TRIANGLE_LOOPS: [u32; 12] = [0, 1, 2, 0, 2, 1, 0, 1, 1, 2, 2, 0];
const TRIANGLE_SIDES: [u32; 12] = [0, 1, 2, 5, 4, 3, 0, 3, 1, 4, 2, 5];
const TRIANGLE_STARTS: [u32; 6] = [0, 3, 6, 8, 10, 12];
const TRIANGLE_FAN_STARTS: [u32; 4] = [0, 2, 4, 6];
const TRIANGLE_FANS: [u32; 6] = [0, 1, 0, 1, 0, 1];
const TRIANGLE_EDGES: [HullEdge; 6] =
    [edge(0, 1, 0, 2), edge(1, 2, 0, 3), edge(2, 0, 0, 4), edge(1, 0, 1, 2), edge(2, 1, 1, 3), edge(0, 2, 1, 4)];

impl TriangleParts {
    /// `None` for a triangle without area.
    pub(super) fn new(triangle: &Triangle) -> Option<Self> {
        let normal = triangle.normal()?;
        let v = triangle.vertices;
        let through = |normal: DVec3, point: DVec3| Plane { normal, offset: normal.dot(point) };
        let outward = |i: usize| Some(through((v[(i + 1) % 3] - v[i]).cross(normal).try_normalize()?, v[i]));
        let center = (v[0] + v[1] + v[2]) / 3.0;
        Some(Self {
            vertices: v,
            planes: [through(normal, center), through(-normal, center), outward(0)?, outward(1)?, outward(2)?],
            center,
            size: v.iter().fold(0.0, |size: f64, p| size.max((*p - center).length())),
        })
    }

    pub(super) fn as_polytope(&self) -> Polytope<'_> {
        Polytope {
            vertices: &self.vertices,
            planes: &self.planes,
            face_count: 2,
            edges: &TRIANGLE_EDGES,
            starts: &TRIANGLE_STARTS,
            loops: &TRIANGLE_LOOPS,
            sides: &TRIANGLE_SIDES,
            fan_starts: &TRIANGLE_FAN_STARTS,
            fans: &TRIANGLE_FANS,
            center: self.center,
            size: self.size,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tables say the same thing about faces, edges and corners.
    fn check(polytope: &Polytope) {
        for (face, plane) in polytope.planes.iter().enumerate() {
            let (corners, sides) = (polytope.face(face), polytope.sides(face));
            for (k, &side) in sides.iter().enumerate() {
                let ends = [corners[k], corners[(k + 1) % corners.len()]];
                let edge = polytope.edges[side as usize];
                assert!(edge.faces.contains(&(face as u32)));
                assert!(ends.iter().all(|end| edge.vertices.contains(end)), "face {face} side {k}");
                // Counter-clockwise around the first face.
                if face < polytope.face_count && edge.faces[0] == face as u32 {
                    assert_eq!(edge.vertices, ends, "face {face} side {k}");
                }
            }
            for &corner in corners {
                assert!(plane.signed_distance(polytope.vertices[corner as usize]).abs() < 1e-12);
            }
        }
        for edge in polytope.edges {
            let along = polytope.vertices[edge.vertices[1] as usize] - polytope.vertices[edge.vertices[0] as usize];
            let [first, second] = edge.faces.map(|f| polytope.planes[f as usize].normal);
            assert!(first.cross(second).dot(along) > 0.0, "the normals turn about the edge");
        }
        for vertex in 0..polytope.vertices.len() {
            let fan = &polytope.fans[polytope.fan_starts[vertex] as usize..polytope.fan_starts[vertex + 1] as usize];
            for face in 0..polytope.face_count {
                assert_eq!(fan.contains(&(face as u32)), polytope.face(face).contains(&(vertex as u32)));
            }
        }
    }

    #[test]
    fn tables_of_boxes_and_triangles_are_consistent() {
        check(&BoxParts::new(&Cuboid::new(DVec3::new(1.0, 2.0, 3.0)).unwrap()).as_polytope());
        let triangle = Triangle::new(DVec3::new(0.0, 0.0, 0.0), DVec3::new(1.0, 0.2, 0.0), DVec3::new(0.1, 1.0, 0.5));
        check(&TriangleParts::new(&triangle).unwrap().as_polytope());
        let corners: Vec<DVec3> = (0..6).map(|i| DVec3::AXES[i % 3] * if i < 3 { 1.0 } else { -1.0 }).collect();
        check(&Hull::new(&corners).unwrap().as_polytope());
    }
}
