//! Meshes to look at: triangles with normals and colours, and the bones they are bound to.

use super::{Beside, Files, MeshData};
use crate::load::Color;
use glam::{DVec3, Vec3};
use std::path::Path;
use tumble_geometry::Transform;

/// A mesh to look at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VisualMesh {
    /// The vertices.
    pub positions: Vec<DVec3>,
    /// The unit normals of the vertices; zero where the file has none.
    pub normals: Vec<Vec3>,
    /// The colours of the vertices; empty if the file has none.
    pub colors: Vec<Color>,
    /// The triangles, as indices of vertices.
    pub triangles: Vec<[u32; 3]>,
    /// The bones it is bound to, if it is.
    pub binding: Option<Binding>,
}

/// The bones of a mesh and how much each vertex goes with them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Binding {
    /// The names of the bones.
    pub bones: Vec<String>,
    /// On which bone each hangs; none for a root.
    pub parents: Vec<Option<usize>>,
    /// Where the bones are when the mesh is as it is.
    pub rest: Vec<Transform>,
    /// Four bones for each vertex.
    pub joints: Vec<[u16; 4]>,
    /// How much the vertex goes with each of the four; they add up to one.
    pub weights: Vec<[f32; 4]>,
}

impl VisualMesh {
    /// Reads a mesh to look at; the kind of file follows from the end of its name. Only glTF has colours and bones.
    pub fn read(files: &dyn Files, name: &str) -> Result<Self, String> {
        let ending = Path::new(name).extension().map(|ending| ending.to_string_lossy().to_lowercase());
        if !matches!(ending.as_deref(), Some("gltf" | "glb")) {
            let MeshData { vertices, triangles } = MeshData::read(files, name)?;
            return Ok(Self { positions: vertices, triangles, ..Self::default() });
        }
        let beside = Beside { files, folder: Path::new(name).parent().unwrap_or(Path::new("")) };
        let mesh =
            super::gltf::read_visual(&files.read(name)?, &beside).map_err(|problem| format!("{name}: {problem}"))?;
        if mesh.triangles.is_empty() { Err(format!("{name} has no faces")) } else { Ok(mesh) }
    }
}
