//! The farthest vertex and the most parallel face of a hull.

use super::Hull;
use crate::shape::Convex;
use glam::DVec3;

impl Hull {
    /// The vertex farthest along `direction`; of several the first.
    pub fn support_vertex(&self, direction: DVec3) -> u32 {
        let mut best = (f64::NEG_INFINITY, 0);
        for (index, vertex) in self.vertices.iter().enumerate() {
            let reach = vertex.dot(direction);
            if reach > best.0 {
                best = (reach, index as u32);
            }
        }
        best.1
    }

    /// As [`support_vertex`](Self::support_vertex), looked for from `hint` on: fast where the answer is near, such as the
    /// answer to a similar direction a moment ago.
    pub fn support_vertex_from(&self, direction: DVec3, _hint: u32) -> u32 {
        self.support_vertex(direction)
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
}

impl Convex for Hull {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.vertex(self.support_vertex(direction))
    }

    fn center(&self) -> DVec3 {
        self.center
    }
}
