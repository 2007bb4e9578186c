//! From a list of polygons to a polyhedron: finds the edges, who neighbours whom, and the measures of the whole.

use super::{Hull, HullEdge};
use crate::primitive::Plane;
use glam::DVec3;

/// The faces of a polyhedron as loops of vertex indices, counter-clockwise as seen from outside.
#[derive(Default)]
pub(super) struct Polygons {
    pub(super) planes: Vec<Plane>,
    /// Face `f` owns `loops[starts[f]..starts[f + 1]]`; starts with 0.
    pub(super) starts: Vec<u32>,
    pub(super) loops: Vec<u32>,
    /// The slope of the steepest dent in a face that is not exactly plane; zero if all are.
    pub(super) dent_slope: f64,
}

/// No edge yet.
const NONE: u32 = u32::MAX;

impl Hull {
    /// Assembles the polyhedron; `None` if the polygons do not form a closed surface.
    pub(super) fn assemble(vertices: Vec<DVec3>, polygons: Polygons, tolerance: f64) -> Option<Self> {
        let Polygons { planes, starts: face_starts, loops: side_vertices, dent_slope } = polygons;
        let sides = Sides::new(&face_starts, &side_vertices);
        let (vertex_starts, outgoing) = sides.by_vertex(vertices.len());
        let twins = sides.twins(&vertex_starts, &outgoing)?;

        let (edges, side_edges) = sides.edges(&twins);
        let side_faces = twins.iter().map(|&twin| sides.faces[twin as usize]).collect();
        let (vertex_neighbors, vertex_faces) = sides.fans(&vertex_starts, &outgoing, &twins)?;

        let mut hull = Self {
            vertices,
            planes,
            face_starts,
            side_vertices,
            side_edges,
            side_faces,
            edges,
            vertex_starts,
            vertex_neighbors,
            vertex_faces,
            center: DVec3::ZERO,
            inner_radius: 0.0,
            bounding_radius: 0.0,
            volume: 0.0,
            tolerance,
            climbable: false,
        };
        hull.measure();
        hull.climbable = dent_slope * hull.bounding_radius <= 0.125 * tolerance;
        Some(hull)
    }

    /// Volume and centroid: the pyramid from a point inside over a triangle of area A, h below it, has volume `A h/3` and
    /// its centroid 3/4 of the way to that of the triangle.
    ///
    /// All pyramids count positive, so that nothing cancels and the centroid is a mean of points inside, however thin
    /// the polyhedron is.
    fn measure(&mut self) {
        let inside = self.vertices.iter().sum::<DVec3>() / self.vertices.len() as f64;
        let (mut volume, mut moment) = (0.0, DVec3::ZERO);
        for face in 0..self.face_count() {
            let normal = self.planes[face].normal;
            let corners = self.face_vertices(face);
            let a = self.vertex(corners[0]) - inside;
            let height = normal.dot(a).max(0.0);
            for pair in corners[1..].windows(2) {
                let (b, c) = (self.vertex(pair[0]) - inside, self.vertex(pair[1]) - inside);
                let area = 0.5 * (b - a).cross(c - a).dot(normal).max(0.0);
                let pyramid = area * height / 3.0;
                volume += pyramid;
                moment += pyramid * 0.25 * (a + b + c);
            }
        }
        self.volume = volume;
        self.center = if volume > 0.0 { inside + moment / volume } else { inside };
        let center = self.center;
        // The height below each face from differences of positions, which keeps its digits far from the origin.
        let depth = |face: usize| self.planes[face].normal.dot(self.vertex(self.face_vertices(face)[0]) - center);
        self.inner_radius = (0..self.face_count()).map(depth).fold(f64::INFINITY, f64::min);
        let farthest = self.vertices.iter().map(|v| v.distance_squared(center)).fold(0.0, f64::max);
        self.bounding_radius = farthest.sqrt();
    }
}

/// The sides of all faces: side `s` runs from vertex `origins[s]` to `origins[next[s]]` with its face on the left.
struct Sides<'a> {
    origins: &'a [u32],
    next: Vec<u32>,
    previous: Vec<u32>,
    faces: Vec<u32>,
}

impl<'a> Sides<'a> {
    fn new(face_starts: &[u32], origins: &'a [u32]) -> Self {
        let (mut next, mut previous, mut faces) =
            (vec![0; origins.len()], vec![0; origins.len()], vec![0; origins.len()]);
        for (face, range) in face_starts.windows(2).enumerate() {
            let mut before = range[1].wrapping_sub(1);
            for side in range[0]..range[1] {
                previous[side as usize] = before;
                next[before as usize] = side;
                faces[side as usize] = face as u32;
                before = side;
            }
        }
        Self { origins, next, previous, faces }
    }

    fn origin(&self, side: u32) -> u32 {
        self.origins[side as usize]
    }

    fn target(&self, side: u32) -> u32 {
        self.origins[self.next[side as usize] as usize]
    }

    /// The sides that leave each vertex: those of `v` are `outgoing[starts[v]..starts[v + 1]]`.
    fn by_vertex(&self, vertex_count: usize) -> (Vec<u32>, Vec<u32>) {
        let mut starts = vec![0; vertex_count + 1];
        for &origin in self.origins {
            starts[origin as usize + 1] += 1;
        }
        for vertex in 0..vertex_count {
            starts[vertex + 1] += starts[vertex];
        }
        let mut end = starts.clone();
        let mut outgoing = vec![0; self.origins.len()];
        for (side, &origin) in self.origins.iter().enumerate() {
            outgoing[end[origin as usize] as usize] = side as u32;
            end[origin as usize] += 1;
        }
        (starts, outgoing)
    }

    /// The opposite side of each side.
    ///
    /// The opposite of `a → b` leaves `b`, and precedes in its face a side that leaves `a`: it is looked for at whichever
    /// vertex has fewer sides. In a planar graph that takes linear time altogether, whatever the degrees.
    fn twins(&self, starts: &[u32], outgoing: &[u32]) -> Option<Vec<u32>> {
        let around = |vertex: u32| {
            outgoing[starts[vertex as usize] as usize..starts[vertex as usize + 1] as usize].iter().copied()
        };
        let degree = |vertex: u32| starts[vertex as usize + 1] - starts[vertex as usize];
        let mut twins = vec![NONE; self.origins.len()];
        for side in 0..self.origins.len() as u32 {
            let (a, b) = (self.origin(side), self.target(side));
            if twins[side as usize] != NONE {
                continue;
            }
            let twin = if degree(a) < degree(b) {
                around(a).map(|s| self.previous[s as usize]).find(|&s| self.origin(s) == b)?
            } else {
                around(b).find(|&s| self.target(s) == a)?
            };
            if twin == side || twins[twin as usize] != NONE {
                return None;
            }
            twins[side as usize] = twin;
            twins[twin as usize] = side;
        }
        Some(twins)
    }

    /// The edges in order of their first side, and the edge of each side.
    fn edges(&self, twins: &[u32]) -> (Vec<HullEdge>, Vec<u32>) {
        let mut edges = Vec::with_capacity(twins.len() / 2);
        let mut side_edges = vec![NONE; twins.len()];
        for side in 0..twins.len() {
            let twin = twins[side] as usize;
            if side < twin {
                side_edges[side] = edges.len() as u32;
                side_edges[twin] = edges.len() as u32;
                edges.push(HullEdge {
                    vertices: [self.origins[side], self.origins[twin]],
                    faces: [self.faces[side], self.faces[twin]],
                });
            }
        }
        (edges, side_edges)
    }

    /// Neighbours and faces around each vertex, counter-clockwise; `None` where the faces at a vertex form more than
    /// one fan.
    fn fans(&self, starts: &[u32], outgoing: &[u32], twins: &[u32]) -> Option<(Vec<u32>, Vec<u32>)> {
        let mut neighbors = Vec::with_capacity(outgoing.len());
        let mut faces = Vec::with_capacity(outgoing.len());
        for range in starts.windows(2) {
            let first = *outgoing[range[0] as usize..range[1] as usize].first()?;
            let mut side = first;
            for _ in range[0]..range[1] {
                neighbors.push(self.target(side));
                faces.push(self.faces[side as usize]);
                // The side into this vertex that ends the same face, seen from its other side, leaves the vertex.
                side = twins[self.previous[side as usize] as usize];
                if side == first {
                    break;
                }
            }
            if side != first || neighbors.len() != range[1] as usize {
                return None;
            }
        }
        Some((neighbors, faces))
    }
}
