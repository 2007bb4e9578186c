//! glTF 2.0: the triangles of all meshes in the default scene, placed by their nodes, with their normals, colours and the bones
//! they are bound to. Textures and animations are passed over.

use super::visual::VisualMesh;
use super::{Files, MeshData};
use crate::load::Color;
use glam::{DMat4, DQuat, DVec3, DVec4, Vec3};
use serde_json::Value;
use tumble_geometry::Transform;

/// Joints and weights by vertex.
type Bound = (Vec<[u16; 4]>, Vec<[f32; 4]>);

/// How deep nodes may be nested.
const MAX_DEPTH: usize = 64;
/// How many triangles a file may place, since one mesh can be placed by many nodes.
const MAX_TRIANGLES: usize = 6_000_000;
/// How many joints a skin may have.
const MAX_JOINTS: usize = 4096;

/// The triangles alone, for collisions.
pub(super) fn read(bytes: &[u8], files: &dyn Files) -> Result<MeshData, String> {
    let VisualMesh { positions, triangles, .. } = read_visual(bytes, files)?;
    Ok(MeshData { vertices: positions, triangles }.welded())
}

/// All there is to see.
pub(super) fn read_visual(bytes: &[u8], files: &dyn Files) -> Result<VisualMesh, String> {
    let (json, binary) = split(bytes)?;
    let document: Value = serde_json::from_slice(json).map_err(|error| format!("not glTF: {error}"))?;
    let buffers = list(&document, "buffers").map(|buffer| load(buffer, binary, files)).collect::<Result<_, _>>()?;
    let mut reader =
        Reader { document: &document, buffers, mesh: VisualMesh::default(), visited: 0, bones: Vec::new() };
    let scene = index(document.get("scene")).unwrap_or(0);
    match list(&document, "scenes").nth(scene).and_then(|scene| scene.get("nodes")).and_then(Value::as_array) {
        Some(roots) => {
            for root in roots {
                reader.node(index(Some(root)), DMat4::IDENTITY, 0)?;
            }
        }
        // Without a scene every mesh is taken as it is.
        None => {
            for mesh in list(&document, "meshes") {
                reader.mesh(mesh, &DMat4::IDENTITY, None)?;
            }
        }
    }
    Ok(reader.mesh)
}

/// The JSON and the binary chunk: a `.glb` is a header of 12 bytes and chunks of length, kind and data.
fn split(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), String> {
    if !bytes.starts_with(b"glTF") {
        return Ok((bytes, None));
    }
    let word = |at: usize| {
        let four = bytes.get(at..at + 4).and_then(|four| <[u8; 4]>::try_from(four).ok());
        four.map(|four| u32::from_le_bytes(four) as usize).ok_or("the file ends too early")
    };
    if word(4)? != 2 {
        return Err(format!("this is glTF version {}; only version 2 is read", word(4)?));
    }
    let chunk = |at: usize| -> Result<&[u8], String> {
        let end = at.saturating_add(8).saturating_add(word(at)?);
        Ok(bytes.get(at + 8..end).ok_or("the file ends within a chunk")?)
    };
    let json = chunk(12)?;
    let next = 20 + json.len();
    Ok((json, if next + 8 <= bytes.len() { Some(chunk(next)?) } else { None }))
}

fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn index(value: Option<&Value>) -> Option<usize> {
    value?.as_u64().and_then(|index| usize::try_from(index).ok())
}

fn load(buffer: &Value, binary: Option<&[u8]>, files: &dyn Files) -> Result<Vec<u8>, String> {
    match buffer.get("uri").and_then(Value::as_str) {
        None => binary.map(<[u8]>::to_vec).ok_or_else(|| "a buffer has no data".into()),
        Some(uri) => match uri.strip_prefix("data:") {
            Some(data) => decode_base64(data.split_once(";base64,").ok_or("a data URI is not base64")?.1),
            None => files.read(uri),
        },
    }
}

fn decode_base64(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut held) = (0_u32, 0);
    for letter in text.bytes().filter(|&letter| letter != b'=') {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return Err("a data URI is not base64".into()),
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    Ok(bytes)
}

struct Reader<'a> {
    document: &'a Value,
    buffers: Vec<Vec<u8>>,
    mesh: VisualMesh,
    visited: usize,
    /// The nodes that the bones of the binding are.
    bones: Vec<usize>,
}

impl<'a> Reader<'a> {
    fn node(&mut self, node: Option<usize>, parent: DMat4, depth: usize) -> Result<(), String> {
        let nodes = list(self.document, "nodes").count();
        self.visited += 1;
        if depth > MAX_DEPTH || self.visited > nodes {
            return Err("the nodes form a cycle".into());
        }
        let node = node.and_then(|node| list(self.document, "nodes").nth(node)).ok_or("there is no such node")?;
        let placed = parent * local_matrix(node);
        if let Some(mesh) = index(node.get("mesh")) {
            let mesh = list(self.document, "meshes").nth(mesh).ok_or("there is no such mesh")?;
            match index(node.get("skin")) {
                // The joints place the vertices, not the node.
                Some(skin) => self.mesh(mesh, &DMat4::IDENTITY, Some(skin))?,
                None => self.mesh(mesh, &placed, None)?,
            }
        }
        for child in list(node, "children") {
            self.node(index(Some(child)), placed, depth + 1)?;
        }
        Ok(())
    }

    fn mesh(&mut self, mesh: &Value, placed: &DMat4, skin: Option<usize>) -> Result<(), String> {
        let skin = skin.map(|skin| self.skin(skin)).transpose()?;
        for primitive in list(mesh, "primitives") {
            let mode = index(primitive.get("mode")).unwrap_or(4);
            if !(4..=6).contains(&mode) {
                continue;
            }
            let positions = self.accessor(index(primitive.pointer("/attributes/POSITION")))?;
            if positions.component != 5126 || positions.width != 3 {
                return Err("positions are not three floats".into());
            }
            let first = self.mesh.positions.len();
            let indices: Vec<usize> = match primitive.get("indices") {
                Some(indices) => {
                    let indices = self.accessor(index(Some(indices)))?;
                    (0..indices.count).map(|i| indices.integer(i)).collect::<Result<_, _>>()?
                }
                None => (0..positions.count).collect(),
            };
            if let Some(bad) = indices.iter().find(|&&index| index >= positions.count) {
                return Err(format!("a triangle refers to vertex {bad}, but there are {}", positions.count));
            }
            if self.mesh.triangles.len() + indices.len() > MAX_TRIANGLES {
                return Err(format!("there are more than {MAX_TRIANGLES} triangles"));
            }
            let count = positions.count;
            let bound = skin.as_ref().map(|skin| self.bound(primitive, count, skin.bones.len())).transpose()?;
            let matrix = |i: usize| match (&skin, &bound) {
                (Some(skin), Some((joints, weights))) => skin.matrix(joints[i], weights[i]),
                _ => *placed,
            };
            let vertices = (0..count).map(|i| {
                let place = DVec3::from_array([0, 1, 2].map(|axis| positions.float(i, axis)));
                matrix(i).transform_point3(place)
            });
            let vertices: Vec<DVec3> = vertices.collect();
            let normals = self.normals(primitive, matrix, count)?;
            let colors = self.colors(primitive, count)?;
            self.mesh.positions.extend(vertices);
            self.mesh.normals.extend(normals);
            self.mesh.colors.extend(colors);
            if let (Some((joints, weights)), Some(binding), Some(skin)) = (bound, &mut self.mesh.binding, &skin) {
                // Parts that are not bound, before these, stay with the first joint.
                binding.joints.resize(first, [0; 4]);
                binding.weights.resize(first, [1.0, 0.0, 0.0, 0.0]);
                binding.joints.extend(joints.iter().map(|four| four.map(|joint| skin.bones[joint as usize])));
                binding.weights.extend(weights);
            }
            let corner = |i: usize| (first + indices[i]) as u32;
            let count = indices.len();
            let triangles: Vec<[u32; 3]> = match mode {
                5 => (2..count)
                    .map(|i| if i % 2 == 0 { [i - 2, i - 1, i] } else { [i - 1, i - 2, i] }.map(corner))
                    .collect(),
                6 => (2..count).map(|i| [0, i - 1, i].map(corner)).collect(),
                _ => (0..count / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2].map(corner)).collect(),
            };
            // A node that mirrors turns triangles inside out.
            let mirrored = skin.as_ref().map_or(*placed, |skin| skin.matrices[0]).determinant() < 0.0;
            self.mesh
                .triangles
                .extend(triangles.into_iter().map(|[a, b, c]| if mirrored { [a, c, b] } else { [a, b, c] }));
        }
        Ok(())
    }

    /// The unit normals of a primitive; zero where the file has none.
    fn normals(&self, primitive: &Value, matrix: impl Fn(usize) -> DMat4, count: usize) -> Result<Vec<Vec3>, String> {
        let Some(given) = primitive.pointer("/attributes/NORMAL") else { return Ok(vec![Vec3::ZERO; count]) };
        let normals = self.attribute(given, 3, count)?;
        // Normals turn like the cofactors of the matrix: stretching along x flattens slopes in x.
        let normal = |i: usize| {
            let turned = glam::DMat3::from_mat4(matrix(i));
            let turned = if turned.determinant() != 0.0 { turned.inverse().transpose() } else { turned };
            let normal = turned * DVec3::from_array([0, 1, 2].map(|axis| normals.float(i, axis)));
            normal.normalize_or_zero().as_vec3()
        };
        Ok((0..count).map(normal).collect())
    }

    /// The colours of a primitive: those of its vertices, times that of its material.
    fn colors(&self, primitive: &Value, count: usize) -> Result<Vec<Color>, String> {
        let material = index(primitive.get("material")).and_then(|i| list(self.document, "materials").nth(i));
        let factor =
            material.and_then(|m| m.pointer("/pbrMetallicRoughness/baseColorFactor")).and_then(Value::as_array);
        let factor = [0, 1, 2].map(|i| factor.and_then(|list| list.get(i)).and_then(Value::as_f64).unwrap_or(1.0));
        // Colours are stored as light and given as on a screen: c^(1/2.2).
        let shown = |light: f64| (255.0 * libm::pow(light.clamp(0.0, 1.0), 1.0 / 2.2)).round() as u8;
        let Some(given) = primitive.pointer("/attributes/COLOR_0") else {
            return Ok(vec![factor.map(shown); count]);
        };
        let colors = self.attribute(given, 3, count)?;
        Ok((0..count).map(|i| [0, 1, 2].map(|part| shown(colors.float(i, part) * factor[part]))).collect())
    }

    /// To which joints the vertices of a primitive are bound, and how much; the weights add up to one.
    fn bound(&self, primitive: &Value, count: usize, known: usize) -> Result<Bound, String> {
        let given = |name: &str| primitive.pointer(name).ok_or("a mesh with a skin has no joints or weights");
        let joints = self.attribute(given("/attributes/JOINTS_0")?, 4, count)?;
        let weights = self.attribute(given("/attributes/WEIGHTS_0")?, 4, count)?;
        let (mut all_joints, mut all_weights) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for i in 0..count {
            let mut four = [0; 4];
            let mut shares = [0, 1, 2, 3].map(|k| weights.float(i, k).clamp(0.0, 1.0));
            for (k, joint) in four.iter_mut().enumerate() {
                let number = joints.natural(i, k)?;
                if number < known {
                    *joint = number as u16;
                } else if shares[k] > 0.0 {
                    return Err(format!("a vertex is bound to joint {number}, but there are {known}"));
                }
            }
            let sum: f64 = shares.iter().sum();
            shares = if sum > 1e-6 { shares.map(|share| share / sum) } else { [1.0, 0.0, 0.0, 0.0] };
            all_joints.push(four);
            all_weights.push(shares.map(|share| share as f32));
        }
        Ok((all_joints, all_weights))
    }

    /// Reads a skin: its joints become bones of the binding, if they are none already. With G the place of a joint's node and B⁻¹ where the joint was
    /// when the mesh was bound, a vertex is at `Σ w G B v`, wherever its own node is. Modellers like to bind in centimetres, with z up, and to let
    /// an armature above the joints turn and shrink everything. So the mesh is taken as the nodes show it, and the bones are where their nodes are.
    fn skin(&mut self, skin: usize) -> Result<Skin, String> {
        let skin = list(self.document, "skins").nth(skin).ok_or("there is no such skin")?;
        let joints: Vec<usize> = list(skin, "joints").filter_map(|joint| index(Some(joint))).collect();
        let nodes: Vec<&Value> = list(self.document, "nodes").collect();
        if joints.is_empty() || joints.len() + self.bones.len() > MAX_JOINTS {
            return Err(format!("a skin has {} joints; 1 to {MAX_JOINTS} are allowed", joints.len()));
        }
        if joints.iter().any(|&joint| joint >= nodes.len()) {
            return Err("a skin names a node that is not there".into());
        }
        let mut over = vec![None; nodes.len()];
        for (number, node) in nodes.iter().enumerate() {
            for child in list(node, "children").filter_map(|child| index(Some(child))) {
                if let Some(over) = over.get_mut(child) {
                    *over = Some(number);
                }
            }
        }
        let inverses: Vec<DMat4> = match skin.get("inverseBindMatrices") {
            Some(given) => {
                let given = self.attribute(given, 16, joints.len())?;
                let matrix = |number| DMat4::from_cols_array(&std::array::from_fn(|i| given.float(number, i)));
                (0..joints.len()).map(matrix).collect()
            }
            None => vec![DMat4::IDENTITY; joints.len()],
        };
        let (mut bones, mut matrices, mut fresh) = (Vec::new(), Vec::new(), Vec::new());
        for (number, &joint) in joints.iter().enumerate() {
            let above = |node: usize| std::iter::successors(Some(node), |&node| over[node]).take(MAX_DEPTH);
            let place = above(joint).fold(DMat4::IDENTITY, |place, node| local_matrix(nodes[node]) * place);
            let name = nodes[joint].get("name").and_then(Value::as_str);
            let name = name.map_or_else(|| format!("bone{number}"), str::to_owned);
            let matrix = place * inverses[number];
            if !matrix.is_finite() || matrix.determinant() == 0.0 || place.determinant() == 0.0 {
                return Err(format!("the joint \"{name}\" has no place where it is bound"));
            }
            matrices.push(matrix);
            let bone = self.bones.iter().position(|&known| known == joint);
            bones.push(bone.unwrap_or(self.bones.len()) as u16);
            if bone.is_none() {
                self.bones.push(joint);
                let (_, rotation, translation) = place.to_scale_rotation_translation();
                fresh.push((name, Transform::new(rotation.normalize(), translation)));
            }
        }
        let binding = self.mesh.binding.get_or_insert_default();
        for (name, rest) in fresh {
            binding.bones.push(name);
            binding.rest.push(rest);
        }
        // Nodes that are no joints may stand between two that are.
        let bones_now = &self.bones;
        binding.parents = bones_now
            .iter()
            .map(|&bone| {
                let above = std::iter::successors(over[bone], |&node| over[node]).take(MAX_DEPTH);
                above.filter_map(|node| bones_now.iter().position(|&other| other == node)).next()
            })
            .collect();
        let still = matrices.iter().all(|matrix| matrix.abs_diff_eq(DMat4::IDENTITY, STILL));
        Ok(Skin { bones, matrices, still })
    }

    /// An attribute that has numbers for each of `count` vertices.
    fn attribute(&self, accessor: &Value, width: usize, count: usize) -> Result<Accessor<'_>, String> {
        let accessor = self.accessor(index(Some(accessor)))?;
        if accessor.count < count || accessor.width < width {
            return Err("an attribute has too few numbers".into());
        }
        Ok(accessor)
    }

    /// A typed view of a buffer, checked to lie inside it.
    fn accessor(&self, accessor: Option<usize>) -> Result<Accessor<'_>, String> {
        let accessor =
            accessor.and_then(|i| list(self.document, "accessors").nth(i)).ok_or("an accessor is missing")?;
        if accessor.get("sparse").is_some() {
            return Err("sparse accessors are not read".into());
        }
        let view = index(accessor.get("bufferView")).and_then(|i| list(self.document, "bufferViews").nth(i));
        let view = view.ok_or("a buffer view is missing")?;
        let buffer = index(view.get("buffer")).and_then(|i| self.buffers.get(i)).ok_or("a buffer is missing")?;
        let component = index(accessor.get("componentType")).unwrap_or(0);
        let size = match component {
            5120 | 5121 => 1,
            5122 | 5123 => 2,
            5125 | 5126 => 4,
            other => return Err(format!("component type {other} is unknown")),
        };
        let width = match accessor.get("type").and_then(Value::as_str) {
            Some("SCALAR") => 1,
            Some("VEC3") => 3,
            Some("VEC4") => 4,
            Some("MAT4") => 16,
            _ => return Err("only scalars, vectors of three and four and matrices of four are read".into()),
        };
        let number = |value: &Value, key: &str| index(value.get(key)).unwrap_or(0);
        let stride = match number(view, "byteStride") {
            0 => size * width,
            stride => stride,
        };
        let count = number(accessor, "count");
        let start = number(view, "byteOffset").saturating_add(number(accessor, "byteOffset"));
        let end = count.saturating_sub(1).saturating_mul(stride).saturating_add(size * width).saturating_add(start);
        if count == 0 || end > buffer.len() {
            return Err(format!("{count} elements do not fit into their buffer"));
        }
        Ok(Accessor { bytes: &buffer[start..end], count, stride, size, component, width })
    }
}

/// Matrices nearer to that of no motion than this are rounded ones.
const STILL: f64 = 1e-5;

/// The joints of a skin.
struct Skin {
    /// Which bones of the binding they are.
    bones: Vec<u16>,
    /// What takes vertices from where they were bound to where they are: `G B`.
    matrices: Vec<DMat4>,
    /// Whether all of these leave everything where it is.
    still: bool,
}

impl Skin {
    /// The matrix of a vertex.
    fn matrix(&self, joints: [u16; 4], weights: [f32; 4]) -> DMat4 {
        if self.still {
            return DMat4::IDENTITY;
        }
        let parts = joints.into_iter().zip(weights).filter(|(_, weight)| *weight > 0.0);
        parts.map(|(joint, weight)| self.matrices[joint as usize] * f64::from(weight)).sum()
    }
}

struct Accessor<'a> {
    bytes: &'a [u8],
    count: usize,
    stride: usize,
    size: usize,
    component: usize,
    width: usize,
}

impl Accessor<'_> {
    fn raw(&self, element: usize, axis: usize) -> [u8; 4] {
        let at = element * self.stride + axis * self.size;
        let mut four = [0; 4];
        four[..self.size].copy_from_slice(&self.bytes[at..at + self.size]);
        four
    }

    fn integer(&self, element: usize) -> Result<usize, String> {
        match (self.component, self.width) {
            (5121 | 5123 | 5125, 1) => Ok(u32::from_le_bytes(self.raw(element, 0)) as usize),
            _ => Err("indices are not unsigned integers".into()),
        }
    }

    /// A number from zero up.
    fn natural(&self, element: usize, axis: usize) -> Result<usize, String> {
        match self.component {
            5121 | 5123 | 5125 => Ok(u32::from_le_bytes(self.raw(element, axis)) as usize),
            _ => Err("joints are not unsigned integers".into()),
        }
    }

    /// A number; integers stand for the part of their largest value.
    fn float(&self, element: usize, axis: usize) -> f64 {
        let raw = self.raw(element, axis);
        match self.component {
            5121 => f64::from(raw[0]) / 255.0,
            5123 => f64::from(u16::from_le_bytes([raw[0], raw[1]])) / 65535.0,
            _ => f64::from(f32::from_le_bytes(raw)),
        }
    }
}

fn local_matrix(node: &Value) -> DMat4 {
    let numbers = |key: &str| -> Option<Vec<f64>> { node.get(key)?.as_array()?.iter().map(Value::as_f64).collect() };
    if let Some(Ok(columns)) = numbers("matrix").map(<[f64; 16]>::try_from) {
        return DMat4::from_cols_array(&columns);
    }
    let vector = |key: &str, default: DVec3| match numbers(key).as_deref() {
        Some(&[x, y, z]) => DVec3::new(x, y, z),
        _ => default,
    };
    let rotation = match numbers("rotation").as_deref() {
        Some(&[x, y, z, w]) => DVec4::new(x, y, z, w).try_normalize().map_or(DQuat::IDENTITY, DQuat::from_vec4),
        _ => DQuat::IDENTITY,
    };
    DMat4::from_scale_rotation_translation(vector("scale", DVec3::ONE), rotation, vector("translation", DVec3::ZERO))
}

#[cfg(test)]
mod tests {
    use super::super::NoFiles;
    use super::*;

    /// A triangle placed twice, once mirrored.
    const TWICE: &str = r#"{
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 1]}],
        "nodes": [{"mesh": 0, "translation": [0, 0, 5]}, {"mesh": 0, "scale": [-1, 1, 1]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "buffers": [{"byteLength": 36, "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}]
    }"#;

    #[test]
    fn nodes_place_and_mirror_meshes() {
        let mesh = read(TWICE.as_bytes(), &NoFiles).unwrap();
        assert_eq!(mesh.triangles.len(), 2);
        for (triangle, height) in mesh.triangles.iter().zip([5.0, 0.0]) {
            let [a, b, c] = triangle.map(|i| mesh.vertices[i as usize]);
            assert_eq!(a.z, height);
            assert!((b - a).cross(c - a).z > 0.0, "faces the same way");
        }
    }

    /// A folder `models` with a file and its numbers, which it names as seen from there.
    struct Models;

    impl Files for Models {
        fn read(&self, name: &str) -> Result<Vec<u8>, String> {
            let numbers = [0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
            let (start, end) = (TWICE.find("data:").unwrap(), TWICE.find("AAgD8AAAAA").unwrap() + 10);
            match name.replace('\\', "/").as_str() {
                "models/x.gltf" => Ok(TWICE.replace(&TWICE[start..end], "x.bin").into_bytes()),
                "models/x.bin" => Ok(numbers.iter().flat_map(|number| number.to_le_bytes()).collect()),
                _ => Err(format!("there is no file {name}")),
            }
        }
    }

    #[test]
    fn numbers_are_beside_their_file() {
        let mesh = crate::mesh::MeshData::read(&Models, "models/x.gltf").unwrap();
        assert_eq!(mesh, read(TWICE.as_bytes(), &NoFiles).unwrap());
        let problem = crate::mesh::MeshData::read(&Models, "models/y.gltf").unwrap_err();
        assert!(problem.contains("models/y.gltf"), "{problem}");
    }

    #[test]
    fn cycles_and_short_buffers_are_errors() {
        let cycle = TWICE.replace("\"translation\": [0, 0, 5]", "\"children\": [0]");
        assert_eq!(read(cycle.as_bytes(), &NoFiles).unwrap_err(), "the nodes form a cycle");
        let short = TWICE.replace("\"count\": 3", "\"count\": 300000000");
        assert!(read(short.as_bytes(), &NoFiles).unwrap_err().contains("do not fit"));
    }
}
