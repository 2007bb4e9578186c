//! What bodies look like: shapes in the words of the page, surfaces of those it cannot make itself as triangles.

use crate::strands::thickness;
use glam::{DQuat, DVec3};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use tumble_dynamics::model::{BodyKind, JointEnd};
use tumble_dynamics::{BodyId, Id};
use tumble_geometry::Shape;
use tumble_scene::Scene;
use tumble_scene::look::{Surface, color};
use tumble_scene::skin::{Figure, Skin};

/// The first byte of a surface.
const SURFACE: u8 = 2;

/// The first byte of a skin.
const SKIN: u8 = 7;

/// A surface as a message: kind, number and count of corners (`u32`), then positions and normals of all corners (`f32`), and, if it
/// has colours of its own, red, green and blue of all corners. Or a skin: kind, number, counts of vertices, triangles and bones
/// (`u32`), then positions, normals and weights (4) of all vertices, the inverses of the bones' poses at rest as matrices by columns
/// (`f32`), the corners of the triangles (`u32`), the bones (4) of all vertices (`u16`), and their colours.
pub(crate) type SurfaceBytes = Arc<[u8]>;

/// A body's look.
#[derive(Debug)]
pub(crate) struct BodyLook {
    pub(crate) id: BodyId,
    pub(crate) json: Value,
    /// The numbers of the surfaces it is made of.
    pub(crate) surfaces: Vec<u32>,
}

/// All bodies of a scene, and the surfaces they need.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bodies {
    /// Changes whenever bodies are added or removed.
    pub(crate) version: u64,
    pub(crate) list: Vec<Arc<BodyLook>>,
    pub(crate) surfaces: BTreeMap<u32, SurfaceBytes>,
}

impl Bodies {
    /// The bodies of a scene as they are now. Looks known from before are taken over.
    pub(crate) fn of(scene: &Scene, before: &Self) -> Self {
        let known: BTreeMap<BodyId, &Arc<BodyLook>> = before.list.iter().map(|look| (look.id, look)).collect();
        let mut surfaces = Surfaces::default();
        surfaces.made = before.surfaces.clone();
        let rods = rods(scene);
        let skins = skins(scene);
        let mut list = Vec::new();
        for id in scene.world.model().bodies().ids() {
            match known.get(&id) {
                Some(&look) => list.push(look.clone()),
                None => list.push(Arc::new(look(scene, id, &rods, &skins, &mut surfaces))),
            }
        }
        Self { version: before.version + 1, list, surfaces: surfaces.made }
    }
}

/// Surfaces by number, and the numbers of shapes that share one.
#[derive(Default)]
struct Surfaces {
    made: BTreeMap<u32, SurfaceBytes>,
    of_shape: BTreeMap<usize, u32>,
}

impl Surfaces {
    /// The number of what is at an address, made if it is new.
    fn shared(&mut self, address: usize, make: impl FnOnce(u32) -> SurfaceBytes) -> u32 {
        if let Some(&number) = self.of_shape.get(&address) {
            return number;
        }
        let number = self.made.keys().last().map_or(0, |last| last + 1);
        self.made.insert(number, make(number));
        self.of_shape.insert(address, number);
        number
    }

    fn number(&mut self, shape: &Shape) -> u32 {
        let data = match shape {
            Shape::Hull(hull) => Some(Arc::as_ptr(hull) as usize),
            Shape::Mesh(mesh) => Some(Arc::as_ptr(mesh) as usize),
            Shape::HeightField(field) => Some(Arc::as_ptr(field) as usize),
            Shape::Torus(torus) => Some(Arc::as_ptr(torus) as usize),
            Shape::Compound(compound) => Some(Arc::as_ptr(compound) as usize),
            _ => None,
        };
        if let Some(&number) = data.and_then(|data| self.of_shape.get(&data)) {
            return number;
        }
        let number = self.made.keys().last().map_or(0, |last| last + 1);
        let surface = Surface::of(shape, &tumble_geometry::Transform::IDENTITY);
        self.made.insert(number, surface_message(number, &surface));
        self.of_shape.extend(data.map(|data| (data, number)));
        number
    }
}

fn surface_message(number: u32, surface: &Surface) -> SurfaceBytes {
    let mut bytes = vec![SURFACE];
    bytes.extend(number.to_le_bytes());
    bytes.extend((surface.positions.len() as u32).to_le_bytes());
    for vector in surface.positions.iter().chain(&surface.normals) {
        vector.to_array().into_iter().for_each(|x| bytes.extend(x.to_le_bytes()));
    }
    bytes.extend(surface.colors.iter().flatten());
    bytes.into()
}

fn skin_message(number: u32, skin: &Skin) -> SurfaceBytes {
    let mut bytes = vec![SKIN];
    for count in [number, skin.positions.len() as u32, skin.triangles.len() as u32, skin.rest.len() as u32] {
        bytes.extend(count.to_le_bytes());
    }
    let vectors = skin.positions.iter().chain(&skin.normals).flat_map(|vector| vector.to_array());
    let inverses = skin.rest.iter().flat_map(|rest| {
        let inverse = rest.inverse();
        let (turn, place) = (inverse.rotation.as_quat(), inverse.translation.as_vec3());
        glam::Mat4::from_rotation_translation(turn, place).to_cols_array()
    });
    let weights = skin.weights.iter().flatten().copied();
    vectors.chain(weights).chain(inverses).for_each(|x| bytes.extend(x.to_le_bytes()));
    skin.triangles.iter().flatten().for_each(|index| bytes.extend(index.to_le_bytes()));
    skin.joints.iter().flatten().for_each(|bone| bytes.extend(bone.to_le_bytes()));
    bytes.extend(skin.colors.iter().flatten());
    bytes.into()
}

/// The figures by the body that stands for them: the first of their bones.
type Skins<'a> = BTreeMap<BodyId, &'a Figure>;

fn skins(scene: &Scene) -> Skins<'_> {
    scene.figures.iter().filter_map(|figure| Some((*figure.bodies.first()?, figure))).collect()
}

/// A word for the kind of a body.
pub(crate) fn kind(kind: &BodyKind) -> &'static str {
    match kind {
        BodyKind::Dynamic => "dynamic",
        BodyKind::Fixed => "fixed",
        BodyKind::Scripted(_) => "scripted",
        BodyKind::Particle => "particle",
    }
}

fn look(scene: &Scene, id: BodyId, rods: &Rods, skins: &Skins<'_>, surfaces: &mut Surfaces) -> BodyLook {
    let model = scene.world.model();
    let mut needed = Vec::new();
    let mut parts = Vec::new();
    let body = model.bodies().get(id);
    let colliders = body.map_or(&[][..], |body| &body.colliders);
    let visual = scene.visual(id);
    if let Some(visual) = visual.filter(|visual| !visual.positions.is_empty()) {
        let number = surfaces.shared(Arc::as_ptr(visual) as usize, |number| surface_message(number, visual));
        needed.push(number);
        let painted = !visual.colors.is_empty();
        parts.push(json!({
            "shape": "surface", "surface": number, "painted": painted, "position": [0, 0, 0], "rotation": [0, 0, 0, 1],
        }));
    }
    if let Some(figure) = skins.get(&id) {
        let skin = &figure.skin;
        let number = surfaces.shared(Arc::as_ptr(skin) as usize, |number| skin_message(number, skin));
        needed.push(number);
        let bones: Vec<usize> = figure.bodies.iter().map(|bone| bone.slot()).collect();
        parts.push(json!({
            "shape": "skin", "surface": number, "painted": !skin.colors.is_empty(), "bones": bones,
            "position": [0, 0, 0], "rotation": [0, 0, 0, 1],
        }));
    }
    let colliders = if visual.is_some() { &[][..] } else { colliders };
    for collider in colliders.iter().filter_map(|&collider| model.colliders().get(collider)) {
        let mut part = match &collider.shape {
            Shape::Sphere(ball) => json!({ "shape": "sphere", "size": [ball.radius(), ball.radius(), ball.radius()] }),
            Shape::Cuboid(cuboid) => json!({ "shape": "box", "size": cuboid.half_extents() }),
            Shape::Capsule(c) => json!({ "shape": "capsule", "size": [c.radius(), c.half_height(), c.radius()] }),
            Shape::Cylinder(c) => json!({ "shape": "cylinder", "size": [c.radius(), c.half_height(), c.radius()] }),
            Shape::Cone(c) => json!({ "shape": "cone", "size": [c.radius(), c.half_height(), c.radius()] }),
            Shape::Ellipsoid(e) => json!({ "shape": "sphere", "size": e.radii() }),
            Shape::HalfSpace(half_space) => json!({ "shape": "half_space", "normal": half_space.normal() }),
            other => {
                let number = surfaces.number(other);
                needed.push(number);
                json!({ "shape": "surface", "surface": number })
            }
        };
        part["position"] = json!(collider.pose.translation);
        part["rotation"] = json!(collider.pose.rotation);
        part["sensor"] = json!(collider.sensor);
        parts.push(part);
    }
    // A point mass without a shape is shown as a small ball.
    if parts.is_empty() && visual.is_none() && body.is_some_and(|body| body.kind.is_movable()) {
        parts.push(
            json!({ "shape": "sphere", "size": [0.03, 0.03, 0.03], "position": [0, 0, 0], "rotation": [0, 0, 0, 1] }),
        );
    }
    let rods = if visual.is_some() { None } else { rods.get(&id) };
    parts.extend(rods.into_iter().flatten().cloned());
    let json = json!({
        "id": id,
        "slot": id.slot(),
        "name": body.map_or("", |body| &body.name),
        "kind": body.map_or("", |body| kind(&body.kind)),
        "color": color(scene, id),
        "parts": parts,
    });
    BodyLook { id, json, surfaces: needed }
}

/// What shows how joints hold bodies: wires of pendulums, arms of hinges.
type Rods = BTreeMap<BodyId, Vec<Value>>;

/// Thin rods from the middle of each body to where joints hold it.
fn rods(scene: &Scene) -> Rods {
    let world = &scene.world;
    let thickness = thickness(scene);
    let mut rods = Rods::new();
    for (_, joint) in world.joints() {
        for (end, anchor) in joint.model().ends.into_iter().zip(joint.anchors()) {
            let JointEnd::Body(id) = end else { continue };
            let Ok(body) = world.body(id) else { continue };
            let (center, anchor) = (body.model().mass.center, body.pose().inverse_point(anchor));
            let along = anchor - center;
            if let Some(direction) = along.try_normalize().filter(|_| along.length() > 2.0 * thickness) {
                rods.entry(id).or_default().push(json!({
                    "shape": "cylinder",
                    "size": [thickness, 0.5 * along.length(), thickness],
                    "position": center + 0.5 * along,
                    "rotation": DQuat::from_rotation_arc(DVec3::Y, direction),
                    "rod": true,
                }));
            }
        }
    }
    rods
}
