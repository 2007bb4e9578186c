//! The run as a glTF 2.0 animation in one binary file (`.glb`), which Blender and web browsers open.
//!
//! Each body is a node with the mesh of its surface; bodies that move have a track of positions and one of orientations,
//! a key for each frame. Bodies that come later or go earlier have one of sizes, too: nothing while they are not there. Tracks lie one after the other in the file while frames come one after the other in time, so the
//! frames are recorded beside the file first and then read as often as it takes to fill the tracks with a bounded amount
//! of memory.

use super::tumble::{Header, RecordingWriter};
use super::{Output, RecordError, Recording};
use crate::Scene;
use crate::draft::Draft;
use crate::format::CameraFile;
use crate::load::Color;
use crate::look::{Surface, color, likeness};
use crate::skin::{Figure, Skin};
use glam::{DVec3, Quat, Vec3};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tumble_dynamics::{BodyId, BodyState, Id, World};
use tumble_geometry::Transform;

/// How many bytes of tracks are gathered in one pass over the frames.
const PASS: usize = 64 << 20;
/// What is animated: its name, the kind of its numbers, and the bytes of a key. The last is for bodies that come and go.
const TRACKS: [(&str, &str, usize); 3] = [("translation", "VEC3", 12), ("rotation", "VEC4", 16), ("scale", "VEC3", 12)];

/// Writes an animation at the end of a run.
#[derive(Debug)]
pub struct GltfAnimation {
    path: PathBuf,
    recording: Option<RecordingWriter>,
    cast: Cast,
}

/// Everything that appears.
#[derive(Clone, Debug)]
struct Cast {
    title: String,
    camera: Option<CameraFile>,
    bodies: Vec<BodyLook>,
    surfaces: Vec<Surface>,
    figures: Vec<FigureLook>,
}

/// How a skin appears in the file: its bones are the nodes of bodies, which hang on each other.
#[derive(Clone, Debug)]
struct FigureLook {
    name: String,
    skin: Arc<Skin>,
    /// Which bodies of the cast its bones are.
    bones: Vec<usize>,
    color: Color,
}

/// How a body appears in the file.
#[derive(Clone, Debug)]
struct BodyLook {
    id: BodyId,
    name: String,
    /// Where its centre of mass is, in its own frame.
    center: DVec3,
    start: Transform,
    /// The body of the cast it hangs on as a bone: its tracks are relative to that.
    parent: Option<usize>,
    surface: usize,
    color: Color,
    moves: bool,
    /// The frames in which it is there.
    stay: Range<u64>,
}

impl BodyLook {
    /// The tracks it has, in a film of so many frames.
    fn tracks(&self, frames: usize) -> &'static [(&'static str, &'static str, usize)] {
        match (self.comes_or_goes(frames), self.moves) {
            (true, _) => &TRACKS,
            (false, true) => &TRACKS[..2],
            (false, false) => &[],
        }
    }

    /// Where its frame is when it moves as `state` says.
    fn frame(&self, state: &BodyState) -> Transform {
        Transform::new(state.rotation, state.position - state.rotation * self.center)
    }

    fn comes_or_goes(&self, frames: usize) -> bool {
        self.stay.start > 0 || self.stay.end < frames as u64
    }
}

/// How much of a recording an animation shows, and how fast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pace {
    /// How many times slower than reality. Default: 1.
    pub slow: f64,
    /// The simulated time in seconds with which it ends: the last key is the first that is not before. Default: all there is.
    pub until: f64,
}

impl Default for Pace {
    fn default() -> Self {
        Self { slow: 1.0, until: f64::INFINITY }
    }
}

/// Writes a recording of a scene as an animation (`.glb`), with a key for each frame.
pub fn write_animation(path: &Path, scene: &Scene, recording: &mut Recording, pace: Pace) -> Result<(), RecordError> {
    Cast::of(scene).write(path, recording, pace)
}

impl GltfAnimation {
    /// Takes the surfaces of all bodies and starts to record.
    pub fn create(path: &Path, scene: &Scene) -> Result<Self, RecordError> {
        let draft = Draft::beside(path).map_err(RecordError::io(path))?;
        let recording = Some(RecordingWriter::in_draft(draft, &Header::of(scene))?);
        Ok(Self { path: path.to_path_buf(), recording, cast: Cast::of(scene) })
    }
}

impl Cast {
    fn of(scene: &Scene) -> Self {
        let (mut bodies, mut surfaces, mut known) = (Vec::new(), Vec::new(), BTreeMap::new());
        for (id, body) in scene.world.bodies() {
            let surface = *known.entry(likeness(scene, id)).or_insert_with(|| {
                surfaces.push(Surface::of_body(scene, id));
                surfaces.len() - 1
            });
            bodies.push(BodyLook {
                id,
                name: body.model().name.clone(),
                center: body.model().mass.center,
                start: body.pose(),
                parent: None,
                surface,
                color: color(scene, id),
                moves: body.model().kind.moves(),
                stay: 0..u64::MAX,
            });
        }
        let mut cast = Self { title: scene.title.clone(), camera: scene.camera, bodies, surfaces, figures: Vec::new() };
        scene.figures.iter().for_each(|figure| cast.add_figure(scene, figure));
        cast
    }

    fn add_figure(&mut self, scene: &Scene, figure: &Figure) {
        let place = |id: &BodyId| self.bodies.iter().position(|body| body.id == *id);
        let Some(bones) = figure.bodies.iter().map(place).collect::<Option<Vec<usize>>>() else { return };
        for (&bone, parent) in bones.iter().zip(&figure.skin.parents) {
            self.bodies[bone].parent = parent.map(|parent| bones[parent]);
        }
        let color = figure.bodies.first().map_or([255; 3], |&id| color(scene, id));
        self.figures.push(FigureLook { name: figure.name.clone(), skin: figure.skin.clone(), bones, color });
    }

    /// With those of a recording that come later, and go earlier.
    fn joined_by(mut self, recording: &Recording) -> Self {
        for body in &mut self.bodies {
            body.stay = recording.stay(body.id);
        }
        for (newcomer, stay) in recording.newcomers() {
            let surface = newcomer.surface();
            // Balls that were shot are all alike.
            let known = self.surfaces.iter().position(|known| *known == surface);
            let surface = known.unwrap_or_else(|| {
                self.surfaces.push(surface);
                self.surfaces.len() - 1
            });
            self.bodies.push(BodyLook {
                id: newcomer.id,
                name: newcomer.name.clone(),
                center: newcomer.center(),
                start: Transform::IDENTITY,
                parent: None,
                surface,
                color: newcomer.color,
                moves: newcomer.moves,
                stay,
            });
        }
        self
    }

    fn write(self, path: &Path, recording: &mut Recording, pace: Pace) -> Result<(), RecordError> {
        self.joined_by(recording).write_all(path, recording, pace)
    }

    fn write_all(&self, path: &Path, recording: &mut Recording, pace: Pace) -> Result<(), RecordError> {
        let shown = frames_until(recording, pace.until)?;
        let frames = usize::try_from(shown).unwrap_or(usize::MAX);
        let moving: Vec<&BodyLook> = self.bodies.iter().filter(|body| !body.tracks(frames).is_empty()).collect();
        let mut document = Document::new(&self.title);
        let meshes = self.describe_meshes(&mut document);
        self.describe_nodes(&mut document, &meshes);
        self.describe_figures(&mut document);
        if let Some(camera) = self.camera {
            document.add_camera(&camera);
        }
        let tracks = document.length;
        if frames > 0 && !moving.is_empty() {
            let mut time = |frame: u64| Ok((recording.frame(frame)?.time * pace.slow) as f32);
            self.describe_animation(&mut document, frames, [time(0)?, time(shown - 1)?]);
        }
        document.add_scene();
        let (json, binary) = document.finish();
        // A file without meshes and motion has no binary part.
        let total = 12 + 8 + json.len() as u64 + if binary > 0 { 8 + binary } else { 0 };
        if total > u64::from(u32::MAX) {
            let problem = format!("{frames} frames of {} bodies do not fit into a glTF file (4 GB)", moving.len());
            return Err(RecordError::format(path, problem));
        }
        let mut file = BufWriter::new(Draft::beside(path).map_err(RecordError::io(path))?);
        let mut write = |bytes: &[u8]| file.write_all(bytes).map_err(RecordError::io(path));
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
            write(&vectors(&lights(&surface.colors)))?;
        }
        for skin in self.skins() {
            write(&skin_bytes(skin))?;
        }
        if binary > tracks {
            let key: usize = TRACKS.iter().map(|(_, _, size)| size).sum();
            let together = (PASS / (key * frames.max(1))).max(1);
            let mut times = Vec::new();
            for bodies in moving.chunks(together) {
                write(&tracks_of(&self.bodies, bodies, recording, frames, pace.slow, &mut times)?)?;
            }
            write(&times)?;
        }
        file.flush().and_then(|()| file.get_mut().finish()).map_err(RecordError::io(path))
    }

    /// A mesh for each pair of surface and colour; gives their numbers.
    fn describe_meshes(&self, document: &mut Document) -> BTreeMap<(usize, Color), usize> {
        let accessors: Vec<Option<Value>> = self
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
                    let normals = document.add_accessor("VEC3", count, 12, Some(34962));
                    let mut attributes = json!({ "POSITION": positions, "NORMAL": normals });
                    if !surface.colors.is_empty() {
                        attributes["COLOR_0"] = json!(document.add_accessor("VEC3", count, 12, Some(34962)));
                    }
                    attributes
                })
            })
            .collect();
        let (mut meshes, mut materials) = (BTreeMap::new(), BTreeMap::new());
        for body in &self.bodies {
            let Some(attributes) = &accessors[body.surface] else { continue };
            // What has colours of its own is made of something white.
            let paint = if attributes.get("COLOR_0").is_some() { [255; 3] } else { body.color };
            let material = *materials.entry(paint).or_insert_with(|| document.add_material(paint));
            meshes.entry((body.surface, body.color)).or_insert_with(|| {
                document.meshes.push(json!({ "primitives": [{ "attributes": attributes, "material": material }] }));
                document.meshes.len() - 1
            });
        }
        meshes
    }

    /// The skins of all figures, each once.
    fn skins(&self) -> Vec<&Arc<Skin>> {
        let mut skins: Vec<&Arc<Skin>> = Vec::new();
        for figure in &self.figures {
            if !skins.iter().any(|known| Arc::ptr_eq(known, &figure.skin)) {
                skins.push(&figure.skin);
            }
        }
        skins
    }

    /// For each figure a node that its bones hang on, one with the mesh, and a skin that binds it to the bones.
    fn describe_figures(&self, document: &mut Document) {
        let skins = self.skins();
        let described: Vec<(Value, usize, usize)> = skins.iter().map(|skin| document.describe_skin(skin)).collect();
        for figure in &self.figures {
            let Some(index) = skins.iter().position(|known| Arc::ptr_eq(known, &figure.skin)) else { continue };
            let (attributes, indices, inverses) = &described[index];
            let paint = if figure.skin.colors.is_empty() { figure.color } else { [255; 3] };
            let material = document.add_material(paint);
            document.meshes.push(json!({ "name": figure.name, "primitives": [
                { "attributes": attributes, "indices": indices, "material": material },
            ] }));
            let mut hang = |child: usize, parent: usize| {
                document.held.insert(child);
                let children = &mut document.nodes[parent]["children"];
                match children.as_array_mut() {
                    Some(list) => list.push(json!(child)),
                    None => *children = json!([child]),
                }
            };
            for &bone in &figure.bones {
                if let Some(parent) = self.bodies[bone].parent {
                    hang(bone, parent);
                }
            }
            let roots: Vec<usize> =
                figure.bones.iter().copied().filter(|&bone| self.bodies[bone].parent.is_none()).collect();
            document.held.extend(&roots);
            document.nodes.push(json!({ "name": figure.name, "children": roots }));
            let root = document.nodes.len() - 1;
            document.skins.push(json!({
                "name": figure.name, "joints": figure.bones, "inverseBindMatrices": inverses, "skeleton": root,
            }));
            let skin = document.skins.len() - 1;
            let mesh = document.meshes.len() - 1;
            document.nodes.push(json!({ "name": format!("{} skin", figure.name), "mesh": mesh, "skin": skin }));
        }
    }

    fn describe_nodes(&self, document: &mut Document, meshes: &BTreeMap<(usize, Color), usize>) {
        for body in &self.bodies {
            let start = body.parent.map_or(body.start, |parent| self.bodies[parent].start.inverse() * body.start);
            let mut node = json!({
                "name": body.name,
                "translation": start.translation.as_vec3().to_array(),
                "rotation": start.rotation.as_quat().normalize().to_array(),
            });
            if let Some(mesh) = meshes.get(&(body.surface, body.color)) {
                node["mesh"] = json!(mesh);
            }
            if body.stay.start > 0 {
                node["scale"] = json!([0.0, 0.0, 0.0]);
            }
            document.nodes.push(node);
        }
    }

    /// The tracks of all bodies that move, and after them the times of the frames, between `ends`.
    fn describe_animation(&self, document: &mut Document, frames: usize, ends: [f32; 2]) {
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        for (node, body) in self.bodies.iter().enumerate() {
            for &(path, kind, size) in body.tracks(frames) {
                let output = document.add_accessor(kind, frames, size, None);
                channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": path } }));
                // One is there or not, nothing between.
                let interpolation = if path == "scale" { "STEP" } else { "LINEAR" };
                samplers.push(json!({ "output": output, "interpolation": interpolation }));
            }
        }
        let input = document.add_accessor("SCALAR", frames, 4, None);
        document.accessors[input]["min"] = json!([ends[0]]);
        document.accessors[input]["max"] = json!([ends[1]]);
        samplers.iter_mut().for_each(|sampler| sampler["input"] = json!(input));
        document.animation = Some(json!({ "name": self.title, "samplers": samplers, "channels": channels }));
    }
}

/// How many frames it takes to reach a time.
fn frames_until(recording: &mut Recording, time: f64) -> Result<u64, RecordError> {
    let frames = recording.len();
    if frames == 0 || time == f64::INFINITY {
        return Ok(frames);
    }
    let before = recording.frame_at(time)?;
    let reached = recording.frame(before)?.time >= time;
    Ok((before + if reached { 1 } else { 2 }).min(frames))
}

/// The tracks of some bodies: all positions of the first, all its orientations, and so on. The times of the frames come
/// into `times`, `slow` times as far apart. While a body is not there, it is where it will come, or where it went.
fn tracks_of(
    cast: &[BodyLook],
    bodies: &[&BodyLook],
    recording: &mut Recording,
    frames: usize,
    slow: f64,
    times: &mut Vec<u8>,
) -> Result<Vec<u8>, RecordError> {
    times.clear();
    let mut starts = Vec::with_capacity(bodies.len());
    let mut length = 0;
    for body in bodies {
        starts.push(length);
        length += frames * body.tracks(frames).iter().map(|(_, _, size)| size).sum::<usize>();
    }
    let mut bytes = vec![0; length];
    let start = |body: &&BodyLook| {
        let start = body.parent.map_or(body.start, |parent| cast[parent].start.inverse() * body.start);
        (start.translation.as_vec3(), start.rotation.as_quat())
    };
    let mut last: Vec<(Vec3, Quat)> = bodies.iter().map(start).collect();
    for frame in 0..frames {
        let state = recording.frame(frame as u64)?;
        times.extend(((state.time * slow) as f32).to_le_bytes());
        let states = &state.bodies;
        for ((body, last), &start) in bodies.iter().zip(&mut last).zip(&starts) {
            let is_there = body.stay.contains(&(frame as u64));
            if let Some(state) = states.get(body.id.slot()).filter(|_| is_there) {
                let pose = body.frame(state);
                let parent =
                    body.parent.and_then(|parent| Some(cast[parent].frame(states.get(cast[parent].id.slot())?)));
                let pose = parent.map_or(pose, |parent| parent.inverse() * pose);
                let turned = pose.rotation.as_quat().normalize();
                // Of q and −q, which mean the same, the one nearer to the key before: programs interpolate between keys.
                let turned = if turned.dot(last.1) < 0.0 { -turned } else { turned };
                *last = (pose.translation.as_vec3(), turned);
            }
            let arrives = frame as u64 == body.stay.start;
            for key in if arrives { 0 } else { frame }..=frame {
                put(&mut bytes[start + key * 12..], &last.0.to_array());
                put(&mut bytes[start + frames * 12 + key * 16..], &last.1.to_array());
            }
            if body.comes_or_goes(frames) {
                put(&mut bytes[start + frames * 28 + frame * 12..], &[f32::from(is_there); 3]);
            }
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

/// Colours as amounts of light: c^2.2.
fn lights(colors: &[Color]) -> Vec<Vec3> {
    let light = |part: u8| libm::pow(f64::from(part) / 255.0, 2.2) as f32;
    colors.iter().map(|color| Vec3::from(color.map(light))).collect()
}

/// The numbers of a skin, in the order in which [`Document::describe_skin`] speaks of them.
fn skin_bytes(skin: &Skin) -> Vec<u8> {
    let mut bytes = vectors(&skin.positions);
    bytes.extend(vectors(&skin.normals));
    bytes.extend(vectors(&lights(&skin.colors)));
    bytes.extend(skin.joints.iter().flatten().flat_map(|joint| joint.to_le_bytes()));
    bytes.extend(skin.weights.iter().flatten().flat_map(|weight| weight.to_le_bytes()));
    bytes.extend(skin.triangles.iter().flatten().flat_map(|index| index.to_le_bytes()));
    for rest in &skin.rest {
        let inverse = rest.inverse();
        let (turn, place) = (inverse.rotation.as_quat().normalize(), inverse.translation.as_vec3());
        let matrix = glam::Mat4::from_rotation_translation(turn, place).to_cols_array();
        bytes.extend(matrix.iter().flat_map(|number| number.to_le_bytes()));
    }
    bytes
}

/// The JSON part of the file under construction.
struct Document {
    title: String,
    accessors: Vec<Value>,
    views: Vec<Value>,
    materials: Vec<Value>,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
    /// The nodes that hang on others.
    held: BTreeSet<usize>,
    skins: Vec<Value>,
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
            held: BTreeSet::new(),
            skins: Vec::new(),
            cameras: Vec::new(),
            animation: None,
            scene: Value::Null,
            length: 0,
        }
    }

    /// Floats at the end of the binary part; gives the number of the accessor.
    fn add_accessor(&mut self, kind: &str, count: usize, size: usize, target: Option<u32>) -> usize {
        self.add_numbers(5126, kind, count, size, target)
    }

    /// Likewise for numbers of another type.
    fn add_numbers(&mut self, component: u32, kind: &str, count: usize, size: usize, target: Option<u32>) -> usize {
        let bytes = (count * size) as u64;
        let mut view = json!({ "buffer": 0, "byteOffset": self.length, "byteLength": bytes });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.views.push(view);
        let view = self.views.len() - 1;
        self.accessors.push(json!({ "bufferView": view, "componentType": component, "type": kind, "count": count }));
        self.length += bytes;
        self.accessors.len() - 1
    }

    /// The numbers of a skin: its attributes, the corners of its triangles, and the inverses of the poses of its bones at rest.
    fn describe_skin(&mut self, skin: &Skin) -> (Value, usize, usize) {
        let count = skin.positions.len();
        let place = |(low, high): (Vec3, Vec3), &p: &Vec3| (low.min(p), high.max(p));
        let (low, high) = skin.positions.iter().fold((Vec3::MAX, Vec3::MIN), place);
        let mut attributes = json!({ "POSITION": self.add_accessor("VEC3", count, 12, Some(34962)) });
        let positions = self.accessors.len() - 1;
        self.accessors[positions]["min"] = json!(low.to_array());
        self.accessors[positions]["max"] = json!(high.to_array());
        attributes["NORMAL"] = json!(self.add_accessor("VEC3", count, 12, Some(34962)));
        if !skin.colors.is_empty() {
            attributes["COLOR_0"] = json!(self.add_accessor("VEC3", count, 12, Some(34962)));
        }
        attributes["JOINTS_0"] = json!(self.add_numbers(5123, "VEC4", count, 8, Some(34962)));
        attributes["WEIGHTS_0"] = json!(self.add_accessor("VEC4", count, 16, Some(34962)));
        let indices = self.add_numbers(5125, "SCALAR", 3 * skin.triangles.len(), 4, Some(34963));
        let inverses = self.add_accessor("MAT4", skin.rest.len(), 64, None);
        (attributes, indices, inverses)
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
        let roots: Vec<usize> = (0..self.nodes.len()).filter(|node| !self.held.contains(node)).collect();
        self.scene = json!({ "name": self.title, "nodes": roots });
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
            ("skins", self.skins),
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
        let Some(recording) = &mut self.recording else { return Ok(()) };
        recording.frame(world).map_err(|error| kept(&self.path, recording.draft().path(), &error))
    }

    fn finish(&mut self) -> Result<(), RecordError> {
        let Some(recording) = &mut self.recording else { return Ok(()) };
        let done = recording.finish().and_then(|()| Recording::open(recording.draft().path()));
        let done = done.and_then(|mut recording| self.cast.clone().write(&self.path, &mut recording, Pace::default()));
        done.map_err(|error| kept(&self.path, recording.draft().path(), &error))?;
        let draft = self.recording.take().map(RecordingWriter::into_draft);
        draft.map_or(Ok(()), |draft| draft.and_then(Draft::remove)).map_err(RecordError::io(&self.path))
    }
}
