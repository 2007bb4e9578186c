//! Convex polyhedron.

use super::Convex;
use crate::GeometryError;
use crate::error::checked_points;
use glam::DVec3;

/// A convex polyhedron: the smallest convex set around some points.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    vertices: Vec<DVec3>,
}

impl Hull {
    /// The convex hull of `points`.
    pub fn new(points: &[DVec3]) -> Result<Self, GeometryError> {
        checked_points("hull point", points)?;
        Ok(Self { vertices: points.to_vec() })
    }

    /// The corners.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }
}

impl Convex for Hull {
    fn support(&self, direction: DVec3) -> DVec3 {
        let mut best = (f64::NEG_INFINITY, DVec3::ZERO);
        for &vertex in &self.vertices {
            let reach = vertex.dot(direction);
            if reach > best.0 {
                best = (reach, vertex);
            }
        }
        best.1
    }
}
