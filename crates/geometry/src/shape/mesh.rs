//! Triangle mesh.

use crate::error::checked_points;
use crate::{GeometryError, Triangle};
use glam::DVec3;

/// A surface of triangles, open or closed; counter-clockwise as seen from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// The mesh with the given corners and triangles (three indices into `vertices` each).
    pub fn new(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<Self, GeometryError> {
        checked_points("mesh vertex", &vertices)?;
        Ok(Self { vertices, triangles })
    }

    /// The corners.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// The triangles as indices into [`Mesh::vertices`].
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The triangle with number `index`.
    pub fn triangle(&self, index: usize) -> Triangle {
        Triangle { vertices: self.triangles[index].map(|i| self.vertices[i as usize]) }
    }
}
