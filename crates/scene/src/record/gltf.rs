//! The run as a glTF 2.0 animation in one binary file (`.glb`), which Blender and web browsers open.
//!
//! Each body is a node with the mesh of its surface; bodies that move have a track of positions and one of orientations,
//! a key for each frame. Tracks lie one after the other in the file while frames come one after the other in time, so the
//! frames are recorded beside the file first and then read as often as it takes to fill the tracks with a bounded amount
//! of memory.

use super::tumble::{Header, RecordingWriter};
use super::{Output, RecordError, Recording, part_of};
use crate::Scene;
use crate::format::CameraFile;
use crate::load::Color;
use crate::look::{Surface, color, likeness};
use glam::{DVec3, Quat, Vec3};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tumble_dynamics::model::BodyModel;
use tumble_dynamics::{Id, World};
use tumble_geometry::Transform;

/// How many bytes of tracks are gathered in one pass over the frames.
const PASS: usize = 64 << 20;
/// Bytes of a key: three floats of position, four of orientation.
const KEY: usize = 28;

/// Writes an animation at the end of a run.
#[derive(Debug)]
pub struct GltfAnimation {
    path: PathBuf,
    part: PathBuf,
    recording: RecordingWriter,
    title: String,
    camera: Option<CameraFile>,
    bodies: Vec<BodyLook>,
    surfaces: Vec<Surface>,
}

/// How a body appears in the file.
#[derive(Debug)]
struct BodyLook {
    slot: usize,
    model: BodyModel,
    start: Transform,
    surface: usize,
    color: Color,
    moves: bool,
}

impl GltfAnimation {
    /// Takes the surfaces of all bodies and starts to record.
    pub fn create(path: &Path, scene: &Scene) -> Result<Self, RecordError> {
        File::create(path).map_err(RecordError::io(path))?;
        let part = part_of(path);
        let recording = RecordingWriter::create(&part, Header::of(scene))?;
        let (mut bodies, mut surfaces, mut known) = (Vec::new(), Vec::new(), BTreeMap::new());
        for (id, body) in scene.world.bodies() {
            let surface = *known.entry(likeness(scene, id)).or_insert_with(|| {
                surfaces.push(Surface::of_body(scene, id));
                surfaces.len() - 1
            });
            bodies.push(BodyLook {
                slot: id.slot(),
                model: body.model().clone(),
                start: body.pose(),
                surface,
                color: color(scene, id),
                moves: body.model().kind.moves(),
            });
        }
        let (path, title) = (path.to_path_buf(), scene.title.clone());
        Ok(Self { path, part, recording, title, camera: scene.camera, bodies, surfaces })
    }

    fn assemble(&self) -> Result<(), RecordError> {
        let mut recording = Recording::open(&self.part)?;
        let frames = usize::try_from(recording.len()).unwrap_or(usize::MAX);
        let moving: Vec<&BodyLook> = self.bodies.iter().filter(|body| body.moves).collect();
        let mut document = Document::new(&self.title);
        let meshes = self.describe_meshes(&mut document);
        self.describe_nodes(&mut document, &meshes);
        if let Some(camera) = self.camera {
            document.add_camera(&camera);
        }
        let tracks = document.length;
        if frames > 0 && !moving.is_empty() {
            let ends = [recording.frame(0)?.time as f32, recording.frame(frames as u64 - 1)?.time as f32];
            self.describe_animation(&mut document, frames, ends);
        }
        document.add_scene();
        let (json, binary) = document.finish();
        // A file without meshes and motion has no binary part.
        let total = 12 + 8 + json.len() as u64 + if binary > 0 { 8 + binary } else { 0 };
        if total > u64::from(u32::MAX) {
            let problem = format!("{frames} frames of {} bodies do not fit into a glTF file (4 GB)", moving.len());
            return Err(RecordError::format(&self.path, problem));
        }
        let mut file = BufWriter::new(File::create(&self.path).map_err(RecordError::io(&self.path))?);
        let mut write = |bytes: &[u8]| file.write_all(bytes).map_err(RecordError::io(&self.path));
        write(b"glTF\x02\0\0\0")?;
        write(&(total as u32).to_le_bytes())?;
        write(&(json.len() as u32).to_le_bytes())?;
        write(b"JSON")?;
        write(&json)?;
        if binary > 0 {
            write(&(binary as u32).to_le_bytes())?;
            write(b"BIN\0")?;
        }
        for surface in &self.surfaces {
            write(&vectors(&surface.positions))?;
            write(&vectors(&surface.normals))?;
        }
        if binary > tracks {
            let together = (PASS / (KEY * frames.max(1))).max(1);
            let mut times = Vec::new();
            for bodies in moving.chunks(together) {
                write(&tracks_of(bodies, &mut recording, &mut times)?)?;
            }
            write(&times)?;
        }
        file.flush().map_err(RecordError::io(&self.path))
    }

    /// A mesh for each pair of surface and colour; gives their numbers.
    fn describe_meshes(&self, document: &mut Document) -> BTreeMap<(usize, Color), usize> {
        let accessors: Vec<Option<[usize; 2]>> = self
            .surfaces
            .iter()
            .map(|surface| {
                let count = surface.positions.len();
                (count > 0).then(|| {
                    let bounds = surface
                        .positions
                        .iter()
                        .fold((Vec3::MAX, Vec3::MIN), |(low, high), &p| (low.min(p), high.max(p)));
                    let positions = document.add_accessor("VEC3", count, 12, Some(34962));
                    document.accessors[positions]["min"] = json!(bounds.0.to_array());
                    document.accessors[positions]["max"] = json!(bounds.1.to_array());
                    [positions, document.add_accessor("VEC3", count, 12, Some(34962))]
                })
            })
            .collect();
        let (mut meshes, mut materials) = (BTreeMap::new(), BTreeMap::new());
        for body in &self.bodies {
            let Some([positions, normals]) = accessors[body.surface] else { continue };
            let material = *materials.entry(body.color).or_insert_with(|| document.add_material(body.color));
            meshes.entry((body.surface, body.color)).or_insert_with(|| {
                document.meshes.push(json!({ "primitives": [{
                    "attributes": { "POSITION": positions, "NORMAL": normals }, "material": material,
                }] }));
                document.meshes.len() - 1
            });
        }
        meshes
    }

    fn describe_nodes(&self, document: &mut Document, meshes: &BTreeMap<(usize, Color), usize>) {
        for body in &self.bodies {
            let mut node = json!({
                "name": body.model.name,
                "translation": body.start.translation.as_vec3().to_array(),
                "rotation": body.start.rotation.as_quat().normalize().to_array(),
            });
            if let Some(mesh) = meshes.get(&(body.surface, body.color)) {
                node["mesh"] = json!(mesh);
            }
            document.nodes.push(node);
        }
    }

    /// The tracks of all bodies that move, and after them the times of the frames, between `ends`.
    fn describe_animation(&self, document: &mut Document, frames: usize, ends: [f32; 2]) {
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        for (node, _) in self.bodies.iter().enumerate().filter(|(_, body)| body.moves) {
            for (path, kind, size) in [("translation", "VEC3", 12), ("rotation", "VEC4", 16)] {
                let output = document.add_accessor(kind, frames, size, None);
                channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": path } }));
                samplers.push(json!({ "output": output, "interpolation": "LINEAR" }));
            }
        }
        let input = document.add_accessor("SCALAR", frames, 4, None);
        document.accessors[input]["min"] = json!([ends[0]]);
        document.accessors[input]["max"] = json!([ends[1]]);
        samplers.iter_mut().for_each(|sampler| sampler["input"] = json!(input));
        document.animation = Some(json!({ "name": self.title, "samplers": samplers, "channels": channels }));
    }
}

/// The tracks of some bodies: all positions of the first, all its orientations, and so on. The times of the frames come
/// into `times`.
fn tracks_of(bodies: &[&BodyLook], recording: &mut Recording, times: &mut Vec<u8>) -> Result<Vec<u8>, RecordError> {
    let frames = recording.len() as usize;
    times.clear();
    let mut bytes = vec![0; bodies.len() * frames * KEY];
    let mut last = vec![Quat::IDENTITY; bodies.len()];
    for frame in 0..frames {
        let state = recording.frame(frame as u64)?;
        times.extend((state.time as f32).to_le_bytes());
        for (index, body) in bodies.iter().enumerate() {
            let Some(body_state) = state.bodies.get(body.slot) else { continue };
            let pose = body.model.frame(body_state);
            let turned = pose.rotation.as_quat().normalize();
            // Of q and −q, which mean the same, the one nearer to the key before: programs interpolate between keys.
            last[index] = if turned.dot(last[index]) < 0.0 { -turned } else { turned };
            let start = index * frames * KEY;
            put(&mut bytes[start + frame * 12..], &pose.translation.as_vec3().to_array());
            put(&mut bytes[start + frames * 12 + frame * 16..], &last[index].to_array());
        }
    }
    Ok(bytes)
}

fn put(place: &mut [u8], numbers: &[f32]) {
    for (four, number) in place.chunks_exact_mut(4).zip(numbers) {
        four.copy_from_slice(&number.to_le_bytes());
    }
}

fn vectors(list: &[Vec3]) -> Vec<u8> {
    list.iter().flat_map(|vector| vector.to_array()).flat_map(f32::to_le_bytes).collect()
}

/// The JSON part of the file under construction.
struct Document {
    title: String,
    accessors: Vec<Value>,
    views: Vec<Value>,
    materials: Vec<Value>,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
    cameras: Vec<Value>,
    animation: Option<Value>,
    scene: Value,
    /// The length of the binary part so far, in bytes.
    length: u64,
}

impl Document {
    fn new(title: &str) -> Self {
        Self {
            title: title.to_owned(),
            accessors: Vec::new(),
            views: Vec::new(),
            materials: Vec::new(),
            meshes: Vec::new(),
            nodes: Vec::new(),
            cameras: Vec::new(),
            animation: None,
            scene: Value::Null,
            length: 0,
        }
    }

    /// Floats at the end of the binary part; gives the number of the accessor.
    fn add_accessor(&mut self, kind: &str, count: usize, size: usize, target: Option<u32>) -> usize {
        let bytes = (count * size) as u64;
        let mut view = json!({ "buffer": 0, "byteOffset": self.length, "byteLength": bytes });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.views.push(view);
        let view = self.views.len() - 1;
        self.accessors.push(json!({ "bufferView": view, "componentType": 5126, "type": kind, "count": count }));
        self.length += bytes;
        self.accessors.len() - 1
    }

    fn add_material(&mut self, color: Color) -> usize {
        // Colours are given as on a screen and stored as light: c^2.2.
        let light = color.map(|part| libm::pow(f64::from(part) / 255.0, 2.2));
        self.materials.push(json!({ "pbrMetallicRoughness": {
            "baseColorFactor": [light[0], light[1], light[2], 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.7,
        } }));
        self.materials.len() - 1
    }

    fn add_camera(&mut self, camera: &CameraFile) {
        let back = (camera.from - camera.to).normalize_or(DVec3::Z);
        let right = DVec3::Y.cross(back).try_normalize().unwrap_or(DVec3::X);
        let turned = glam::DQuat::from_mat3(&glam::DMat3::from_cols(right, back.cross(right), back));
        self.cameras.push(json!({ "type": "perspective", "perspective": {
            "yfov": camera.view_deg.to_radians(), "znear": 0.01, "zfar": 1000.0,
        } }));
        self.nodes.push(json!({
            "name": "camera", "camera": 0,
            "translation": camera.from.as_vec3().to_array(), "rotation": turned.as_quat().normalize().to_array(),
        }));
    }

    fn add_scene(&mut self) {
        self.scene = json!({ "name": self.title, "nodes": (0..self.nodes.len()).collect::<Vec<_>>() });
    }

    /// The JSON chunk, padded, and the length of the binary one, which is a multiple of four by construction.
    fn finish(self) -> (Vec<u8>, u64) {
        let mut root = json!({
            "asset": { "version": "2.0", "generator": "tumble" },
            "scene": 0, "scenes": [self.scene],
        });
        let lists = [
            ("nodes", self.nodes),
            ("meshes", self.meshes),
            ("materials", self.materials),
            ("cameras", self.cameras),
            ("animations", self.animation.into_iter().collect()),
            ("accessors", self.accessors),
            ("bufferViews", self.views),
        ];
        // Empty lists are not allowed.
        for (name, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
            root[name] = Value::Array(list);
        }
        if self.length > 0 {
            root["buffers"] = json!([{ "byteLength": self.length }]);
        }
        let mut json = root.to_string().into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        (json, self.length)
    }
}

fn kept(path: &Path, part: &Path, error: &RecordError) -> RecordError {
    let part = part.display();
    let error = match error {
        RecordError::Io { source, .. } => source.to_string(),
        RecordError::Format { problem, .. } => problem.clone(),
    };
    RecordError::format(path, format!("{error}; the run until then is kept as a recording in {part}"))
}

impl Output for GltfAnimation {
    fn path(&self) -> &Path {
        &self.path
    }

    fn frame(&mut self, world: &World) -> Result<(), RecordError> {
        self.recording.frame(world).map_err(|error| kept(&self.path, &self.part, &error))
    }

    fn finish(&mut self) -> Result<(), RecordError> {
        let done = self.recording.finish().and_then(|()| self.assemble());
        done.map_err(|error| kept(&self.path, &self.part, &error))?;
        std::fs::remove_file(&self.part).map_err(RecordError::io(&self.part))
    }
}
