//! Meshes from files (Wavefront OBJ, STL and glTF) and from a few numbers (spirals).
//!
//! The readers are our own and small, because files come from anywhere: every index and length is checked before it is
//! used, nothing allocates more than the file is long, and a bad file is an error that says what is wrong with it.

mod gltf;
mod obj;
mod polygon;
mod spiral;
mod stl;
mod visual;

pub use visual::{Binding, VisualMesh};

use glam::DVec3;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The largest file that is read, in bytes.
pub const MAX_FILE: u64 = 256 << 20;

/// Where the files that a scene refers to come from.
pub trait Files {
    /// The content of a file named in the scene.
    fn read(&self, name: &str) -> Result<Vec<u8>, String>;

    /// Where on disk that file is, if it is there.
    fn path(&self, _name: &str) -> Option<PathBuf> {
        None
    }
}

/// Files on disk, relative to a folder.
#[derive(Clone, Debug)]
pub struct Folder(
    /// The folder.
    pub PathBuf,
);

impl Folder {
    /// The folder a file is in.
    pub fn of(file: &Path) -> Self {
        Self(file.parent().unwrap_or(Path::new("")).to_path_buf())
    }
}

impl Files for Folder {
    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        read_limited(&self.0.join(name), MAX_FILE)
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        Some(self.0.join(name)).filter(|path| path.is_file())
    }
}

/// Files from elsewhere, with a list of those that were read.
pub(crate) struct Noted<'a> {
    files: &'a dyn Files,
    read: RefCell<Vec<PathBuf>>,
}

impl<'a> Noted<'a> {
    pub(crate) fn new(files: &'a dyn Files) -> Self {
        Self { files, read: RefCell::default() }
    }

    /// Where those are on disk that were read.
    pub(crate) fn list(self) -> Vec<PathBuf> {
        self.read.into_inner()
    }
}

impl Files for Noted<'_> {
    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        self.read.borrow_mut().extend(self.files.path(name));
        self.files.read(name)
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        self.files.path(name)
    }
}

/// The files that a file in a folder refers to: they are beside it, or where the scene is.
struct Beside<'a> {
    files: &'a dyn Files,
    folder: &'a Path,
}

impl Files for Beside<'_> {
    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        let beside = self.folder.join(name);
        let read = beside.to_str().map_or_else(|| self.files.read(name), |beside| self.files.read(beside));
        read.or_else(|problem| self.files.read(name).map_err(|_| problem))
    }
}

/// No files at all: scenes that refer to one are refused.
#[derive(Clone, Copy, Debug)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _name: &str) -> Result<Vec<u8>, String> {
        Err("this scene may not refer to files".into())
    }
}

/// Reads a file of at most `limit` bytes.
pub(crate) fn read_limited(path: &Path, limit: u64) -> Result<Vec<u8>, String> {
    let name = path.display();
    let kind = std::fs::metadata(path).map_err(|error| format!("cannot read {name}: {error}"))?;
    if !kind.is_file() {
        return Err(format!("cannot read {name}: it is not a file"));
    }
    let file = std::fs::File::open(path).map_err(|error| format!("cannot read {name}: {error}"))?;
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|error| format!("cannot read {name}: {error}"))?;
    if bytes.len() as u64 > limit {
        return Err(format!("{name} is larger than {} MB", limit >> 20));
    }
    Ok(bytes)
}

/// Vertices and triangles as read from a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshData {
    /// The vertices.
    pub vertices: Vec<DVec3>,
    /// The triangles, as indices of vertices.
    pub triangles: Vec<[u32; 3]>,
}

impl MeshData {
    /// Reads a mesh; the kind of file follows from the end of its name.
    pub fn read(files: &dyn Files, name: &str) -> Result<Self, String> {
        let ending = Path::new(name).extension().map(|ending| ending.to_string_lossy().to_lowercase());
        let reader: fn(&[u8], &dyn Files) -> Result<MeshData, String> = match ending.as_deref() {
            Some("obj") => |bytes, _| obj::read(bytes),
            Some("stl") => |bytes, _| stl::read(bytes),
            Some("gltf" | "glb") => gltf::read,
            _ => return Err(format!("\"{name}\" is no mesh file: known endings are .obj, .stl, .gltf and .glb")),
        };
        let beside = Beside { files, folder: Path::new(name).parent().unwrap_or(Path::new("")) };
        let mesh = reader(&files.read(name)?, &beside).map_err(|problem| format!("{name}: {problem}"))?;
        if mesh.triangles.is_empty() { Err(format!("{name} has no faces")) } else { Ok(mesh) }
    }

    /// The mesh as the text of an OBJ file.
    pub fn to_obj(&self) -> String {
        let mut text = String::new();
        for vertex in &self.vertices {
            text += &format!("v {} {} {}\n", vertex.x, vertex.y, vertex.z);
        }
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|index| index + 1);
            text += &format!("f {a} {b} {c}\n");
        }
        text
    }

    /// The same surface with vertices at the same place joined into one. Formats that repeat the corners of every face
    /// lose their connections otherwise.
    fn welded(self) -> Self {
        let mut known: BTreeMap<[u64; 3], u32> = BTreeMap::new();
        let mut vertices = Vec::new();
        let places: Vec<u32> = self
            .vertices
            .iter()
            .map(|vertex| {
                // Adding zero makes −0 and 0 the same place.
                let key = vertex.to_array().map(|x| (x + 0.0).to_bits());
                *known.entry(key).or_insert_with(|| {
                    vertices.push(*vertex);
                    vertices.len() as u32 - 1
                })
            })
            .collect();
        let triangles = self.triangles.iter().map(|triangle| triangle.map(|index| places[index as usize]));
        let triangles = triangles.filter(|[a, b, c]| a != b && b != c && c != a).collect();
        Self { vertices, triangles }
    }

    fn push_triangle(&mut self, corners: [u32; 3]) {
        self.triangles.push(corners);
    }
}
