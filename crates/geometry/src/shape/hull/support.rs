//! The farthest vertex and the most parallel face of a hull.
//!
//! Small hulls are scanned. On large ones the search climbs from vertex to neighbouring vertex: a linear function on a
//! convex polyhedron has no local maximum but the global one. In floating point two things need care.
//! - Gains are products of the direction with *differences* of vertices, so that their sign is right to rounding of the
//!   (short) edge; all errors on the way add up to rounding of the size of the hull.
//! - Where faces are plane only to tolerance, a vertex may look like the top though there is a way up with a slope as small
//!   as that of their dents. Hulls where that could cost more than a fraction of the tolerance are scanned.

use super::Hull;
use crate::shape::Convex;
use glam::DVec3;

/// Hulls with more vertices than this are climbed rather than scanned.
const SCAN_LIMIT: usize = 80;
/// With a hint, climbing pays from this many vertices on.
const HINTED_SCAN_LIMIT: usize = 32;

impl Hull {
    /// A vertex farthest along `direction`, which need not have unit length.
    ///
    /// No other vertex is farther by more than rounding, or than a quarter of [`tolerance`](Self::tolerance) if there are
    /// more than 32 vertices and some faces are not exactly plane.
    pub fn support_vertex(&self, direction: DVec3) -> u32 {
        let count = self.vertices.len();
        if count <= SCAN_LIMIT || !self.climbable {
            return self.best_of(0..count, direction);
        }
        // About √n vertices, spread over the hull, and about as many steps from the best of them.
        let stride = (count as f64).sqrt() as usize;
        self.climb(direction, self.best_of((0..count).step_by(stride), direction))
    }

    /// As [`support_vertex`](Self::support_vertex), but climbs from the vertex `hint`: faster where the answer is near it,
    /// as the answer to a similar direction is.
    pub fn support_vertex_from(&self, direction: DVec3, hint: u32) -> u32 {
        let count = self.vertices.len();
        if count <= HINTED_SCAN_LIMIT || !self.climbable {
            return self.best_of(0..count, direction);
        }
        self.climb(direction, hint.min(count as u32 - 1))
    }

    /// The face whose normal is most along `direction`; of several the first.
    pub fn support_face(&self, direction: DVec3) -> usize {
        let mut best = (f64::NEG_INFINITY, 0);
        for (face, plane) in self.planes.iter().enumerate() {
            let along = plane.normal.dot(direction);
            if along > best.0 {
                best = (along, face);
            }
        }
        best.1
    }

    fn best_of(&self, indices: impl Iterator<Item = usize>, direction: DVec3) -> u32 {
        let mut best = (f64::NEG_INFINITY, 0);
        for index in indices {
            let reach = self.vertices[index].dot(direction);
            if reach > best.0 {
                best = (reach, index);
            }
        }
        best.1 as u32
    }

    /// Goes from `vertex` upwards as long as there is a way.
    fn climb(&self, direction: DVec3, mut vertex: u32) -> u32 {
        // Rounding could make it go round in circles on a plateau, hence the bound.
        for _ in 0..self.vertices.len() {
            match self.higher_neighbor(vertex, direction) {
                Some(higher) => vertex = higher,
                None => break,
            }
        }
        vertex
    }

    /// The neighbour farthest along the direction, if it is farther than `vertex`.
    fn higher_neighbor(&self, vertex: u32, direction: DVec3) -> Option<u32> {
        let from = self.vertex(vertex);
        let mut best = (0.0, None);
        for &neighbor in self.vertex_neighbors(vertex) {
            let gain = (self.vertex(neighbor) - from).dot(direction);
            if gain > best.0 {
                best = (gain, Some(neighbor));
            }
        }
        best.1
    }
}

impl Convex for Hull {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.vertex(self.support_vertex(direction))
    }

    fn center(&self) -> DVec3 {
        self.center
    }
}
