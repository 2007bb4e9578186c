//! Saved worlds: model, state and method in one piece of data, for a file that needs nothing else to go on from.
//!
//! Bodies, colliders and the state are plain data. Parts behind traits (forces, joints, curves, scripts, shapes of your own, the method)
//! are written as the name they are registered under and their properties, and made anew by the registry: so a world with parts of your
//! own is saved once they are registered. Joints are attached anew to the bodies as they stood when they were made, which gives the same
//! bits; what was worked out from the rest (inverse masses, bounding spheres, compiled filters) is worked out again. Whatever cannot come
//! back the same, such as a closure, is refused when it is saved, by name.

use super::mass::{about_center, set_inverses};
use super::save::{pack, unpack};
use super::{Places, SavedState, World};
use crate::constraint::{Attach, AxisLock, BodyView, Freedom};
use crate::curve::{Aim, Program};
use crate::error::called;
use crate::model::{
    BodyKind, BodyModel, Breaking, ColliderModel, CollisionFilter, FilterMasks, JointEnd, JointModel, Locks, Made,
    MassChoice, MaterialMixing, MixingRules, Model,
};
use crate::registry::{Inside, Registry, Table};
use crate::{Arena, BodyId, Cancel, ColliderId, ForceId, Id, JointId, ModelError, Workers};
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tumble_geometry::shape::{Custom, HalfSpace, Hull};
use tumble_geometry::{Shape, Transform};

/// What a saved world begins with.
const MAGIC: &[u8; 7] = b"tumbleW";

/// A whole world as data: model, state, method and all it remembers. [`World::from_saved`] goes on from it bit for bit, and needs
/// nothing else but a registry with the parts of your own, if there are any. With the feature `registry`.
///
/// ```
/// use tumble_dynamics::registry::Registry;
/// use tumble_dynamics::{Body, SavedWorld, World, geometry::Shape};
///
/// let mut world = World::new();
/// world.add_body(Body::fixed().with_shape(Shape::half_space([0.0, 1.0, 0.0])?))?;
/// world.add_body(Body::dynamic().with_shape(Shape::sphere(0.5)?).at([0.0, 2.0, 0.0]))?;
/// world.step(1.0 / 60.0)?;
///
/// let registry = Registry::default();
/// let bytes: Vec<u8> = world.save_whole(&registry)?.to_bytes();
/// let mut other = World::from_saved(&SavedWorld::from_bytes(&bytes)?, &registry)?;
/// world.step(1.0 / 60.0)?;
/// other.step(1.0 / 60.0)?;
/// assert_eq!(world.state(), other.state());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedWorld {
    bodies: Arena<BodyId, BodyModel>,
    scripts: Vec<(BodyId, Part)>,
    colliders: Arena<ColliderId, ColliderModel>,
    /// Each shape once, however many colliders have it.
    shapes: Vec<SavedShape>,
    /// Which of them each collider has.
    shape_of: Vec<(ColliderId, u32)>,
    joints: Arena<JointId, SavedJoint>,
    forces: Arena<ForceId, Part>,
    gravity: ForceId,
    filter: CollisionFilter,
    /// None for the standard ones.
    mixing: Option<MixingRules>,
    revisions: [u64; 2],
    method: Part,
    behavior: Option<Part>,
    state: SavedState,
}

/// A part by the name it is registered under, and its properties as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Part {
    name: String,
    properties: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedJoint {
    name: String,
    ends: [JointEnd; 2],
    collide: bool,
    breaking: Breaking,
    attach: Part,
    frame: Option<Transform>,
    bodies: [BodyView; 2],
    /// What acts on its coordinates, as JSON.
    freedoms: Vec<(String, String)>,
    programs: Vec<(String, Aim, Part)>,
    /// The locks it holds, instead of a part.
    locks: Option<Locks>,
}

/// A shape by what it is made from.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum SavedShape {
    Sphere(f64),
    Cuboid(DVec3),
    Capsule(f64, f64),
    Cylinder(f64, f64),
    Cone(f64, f64),
    Hull(Box<Hull>),
    HalfSpace(DVec3),
    Mesh(Vec<DVec3>, Vec<[u32; 3]>),
    HeightField {
        rows: u64,
        columns: u64,
        heights: Vec<f64>,
        spacing: [f64; 2],
    },
    /// Shapes that stand before it in the list, at their poses.
    Compound(Vec<(Transform, u32)>),
    Custom(Part),
    Ellipsoid(DVec3),
    Torus(f64, f64),
}

impl SavedWorld {
    /// As bytes, compressed and with a checksum.
    pub fn to_bytes(&self) -> Vec<u8> {
        pack(MAGIC, self)
    }

    /// From bytes; refused if they are not what [`to_bytes`](Self::to_bytes) gave.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ModelError> {
        unpack(MAGIC, "saved world", bytes)
    }
}

impl Part {
    /// A part of a table; refused if the table could not make the same again. `whose` names it in the message.
    fn of<T: Inside + std::fmt::Debug>(table: &Table<T>, part: &T, whose: &str) -> Result<Self, ModelError> {
        let lost = |why: &str| ModelError::Invalid(format!("{whose} cannot be saved: {why}"));
        let Some((name, properties)) = table.describe(part) else {
            return Err(lost("it is of a kind that is not registered"));
        };
        let again = table.create(name, &properties).map_err(|error| lost(&error.to_string()))?;
        if format!("{again:?}") != format!("{part:?}") {
            return Err(lost("it would not come back the same"));
        }
        Ok(Self { name: name.to_owned(), properties: properties.to_string() })
    }

    fn create<T>(&self, table: &Table<T>) -> Result<T, ModelError> {
        table.create(&self.name, &self.value()?)
    }

    fn value(&self) -> Result<serde_json::Value, ModelError> {
        read_json(&self.name, &self.properties)
    }
}

fn read_json<T: serde::de::DeserializeOwned>(part: &str, text: &str) -> Result<T, ModelError> {
    serde_json::from_str(text)
        .map_err(|error| ModelError::BadProperties { part: part.to_owned(), problem: error.to_string() })
}

impl World {
    /// The whole world as data. Refused if a part of it is not registered or cannot be written: a closure, a filter that asks, a
    /// mixing or contact rule that asks one; the message names it.
    pub fn save_whole(&self, registry: &Registry) -> Result<SavedWorld, ModelError> {
        let model = &self.model;
        let lost = |what: &str| Err(ModelError::Invalid(format!("{what} cannot be saved")));
        if model.filter.asks() {
            return lost("a filter that asks a function of yours");
        }
        let mixing = match &model.mixing {
            MaterialMixing::Standard => None,
            MaterialMixing::Rules(rules) => Some(*rules),
            MaterialMixing::Custom(_) => return lost("a mixing rule that asks a function of yours"),
        };
        if model.contact_rule.0.is_some() {
            return lost("a contact rule of your own");
        }
        let mut scripts = Vec::new();
        for (id, body) in model.bodies.iter() {
            // The courses of kinematic bodies are part of the state.
            if let BodyKind::Scripted(script) = &body.kind
                && script.course().is_none()
            {
                let whose = format!("the script of {}", called(id, &body.name));
                scripts.push((id, Part::of(&registry.scripts, script, &whose)?));
            }
        }
        let mut shapes = Shapes::default();
        let mut shape_of = Vec::new();
        for (id, collider) in model.colliders.iter() {
            shape_of.push((id, shapes.add(&collider.shape, registry)?));
        }
        let forces =
            model.forces.try_map(|id, force| Part::of(&registry.forces, force, &format!("{id:?}, {force:?},")))?;
        let name = self.method.name();
        let Some(properties) = registry.properties_of(self.method.as_ref()) else {
            return lost(&format!("the method \"{name}\""));
        };
        let joints = model.joints.try_map(|id, _| self.saved_joint(id, registry))?;
        let saved = SavedWorld {
            bodies: model.bodies.clone(),
            scripts,
            colliders: model.colliders.clone(),
            shapes: shapes.list,
            shape_of,
            joints,
            forces,
            gravity: self.gravity,
            filter: (*model.filter).clone(),
            mixing,
            revisions: [model.revision, model.shape_revisions],
            method: Part { name: name.to_owned(), properties: properties.to_string() },
            behavior: self
                .behavior
                .as_ref()
                .map(|behavior| Part::of(&registry.behaviors, behavior, "the behaviour"))
                .transpose()?,
            state: self.save(),
        };
        // What cannot be read again is no use: better to hear of it now.
        Self::from_saved(&saved, registry)?;
        Ok(saved)
    }

    fn saved_joint(&self, id: JointId, registry: &Registry) -> Result<SavedJoint, ModelError> {
        let joint = self.joint(id)?;
        let JointModel { name, ends, collide, breaking, programs, made, .. } = joint.model();
        let locks = self.locks_held(id);
        let whose = if name.is_empty() { format!("{id:?}") } else { format!("the joint \"{name}\"") };
        let coordinates = joint.coordinates();
        let freedoms = coordinates.iter().map(|c| (c.name.to_owned(), serde_json::json!(c.freedom).to_string()));
        let program = |program: &Program| {
            let curve = Part::of(&registry.curves, &program.curve, &format!("the curve that {whose} follows"))?;
            Ok((program.coordinate.clone(), program.aim, curve))
        };
        Ok(SavedJoint {
            name: name.clone(),
            ends: *ends,
            collide: *collide,
            breaking: *breaking,
            attach: match locks {
                Some(_) => Part { name: String::new(), properties: String::new() },
                None => Part::of(&registry.joints, &made.attach, &whose)?,
            },
            frame: made.frame,
            bodies: made.bodies,
            freedoms: freedoms.collect(),
            programs: programs.iter().map(program).collect::<Result<_, ModelError>>()?,
            locks,
        })
    }

    /// The world that was saved, ready to go on from there. Parts of your own must be in the registry.
    pub fn from_saved(saved: &SavedWorld, registry: &Registry) -> Result<Self, ModelError> {
        let method = registry.method(&saved.method.name, &saved.method.value()?)?;
        let mut world = Self {
            model: Model::default(),
            state: saved.state.state().clone(),
            places: Places::new(method.new_broad_phase()),
            method,
            journal: crate::journal::Journal::everything(),
            events: Default::default(),
            coming: Default::default(),
            gravity: saved.gravity,
            contact_rate: 10.0,
            workers: Workers::default(),
            cancel: Cancel::new(),
            watchman: Default::default(),
            past: Default::default(),
            behavior: saved.behavior.as_ref().map(|part| part.create(&registry.behaviors)).transpose()?,
            inputs: Default::default(),
        };
        world.model.forces = saved.forces.try_map(|_, part| part.create(&registry.forces))?;
        world.read_bodies(saved, registry)?;
        world.read_joints(saved, registry)?;
        world.find_fuses();
        world.model.filter_masks = Arc::new(FilterMasks::new(&saved.filter, &world.model));
        world.model.filter = Arc::new(saved.filter.clone());
        world.model.mixing = saved.mixing.map_or(MaterialMixing::Standard, MaterialMixing::Rules);
        (world.model.revision, world.model.shape_revisions) = (saved.revisions[0], saved.revisions[1]);
        world.validate_model().map_err(|problem| ModelError::Invalid(format!("the saved world: {problem}")))?;
        world.load(&saved.state)?;
        Ok(world)
    }

    fn read_bodies(&mut self, saved: &SavedWorld, registry: &Registry) -> Result<(), ModelError> {
        let shapes = read_shapes(&saved.shapes, registry)?;
        self.model.bodies = saved.bodies.clone();
        for (id, script) in &saved.scripts {
            let script = script.create(&registry.scripts)?;
            let body = self.model.bodies.get_mut(*id).ok_or(ModelError::NoSuchBody(*id))?;
            body.kind = BodyKind::Scripted(script);
        }
        for (id, course) in saved.state.courses() {
            let body = self.model.bodies.get_mut(*id).ok_or(ModelError::NoSuchBody(*id))?;
            body.kind = BodyKind::Scripted(Arc::new(*course));
        }
        self.model.colliders = saved.colliders.clone();
        for (id, shape) in &saved.shape_of {
            let shape =
                shapes.get(*shape as usize).ok_or_else(|| ModelError::Invalid("a saved shape is not there".into()))?;
            let collider = self.model.colliders.get_mut(*id).ok_or(ModelError::NoSuchCollider(*id))?;
            collider.shape = shape.clone();
        }
        if saved.shape_of.len() != self.model.colliders.len() {
            return Err(ModelError::Invalid("a saved collider has no shape".into()));
        }
        for id in self.model.bodies.ids().collect::<Vec<_>>() {
            let Some(body) = self.model.bodies.get_mut(id) else { continue };
            body.mass_choice.validate()?;
            crate::error::checked("linear damping", body.linear_damping, 0.0.., "at least 0 per second")?;
            crate::error::checked("angular damping", body.angular_damping, 0.0.., "at least 0 per second")?;
            crate::error::checked("gravity scale", body.gravity_scale, .., "finite")?;
            let given = MassChoice::Given(body.mass);
            if body.kind.is_movable() {
                given.validate()?;
            }
            set_inverses(body);
        }
        for id in self.model.colliders.ids().collect::<Vec<_>>() {
            let owner = self.model.colliders.get(id).map(|collider| collider.body);
            let center = owner.and_then(|body| self.model.bodies.get(body)).map(|body| body.mass.center);
            let Some(collider) = self.model.colliders.get_mut(id) else { continue };
            super::edit::check_collider_pose(&collider.pose)?;
            super::edit::check_density(collider.density)?;
            collider.material.validate()?;
            collider.bounding_sphere = collider.shape.bounding_sphere();
            collider.center_pose = about_center(&collider.pose, center.unwrap_or(DVec3::ZERO));
            self.places.lend().changed(id.slot());
        }
        Ok(())
    }

    fn read_joints(&mut self, saved: &SavedWorld, registry: &Registry) -> Result<(), ModelError> {
        let mut programmed = Vec::new();
        self.model.joints = saved.joints.try_map(|_, joint| -> Result<JointModel, ModelError> {
            let sound = |view: &BodyView| {
                view.pose.is_valid()
                    && [view.center, view.velocity, view.angular_velocity].iter().all(|v| v.is_finite())
            };
            if !(joint.bodies.iter().all(sound) && joint.frame.is_none_or(|frame| frame.is_valid())) {
                return Err(ModelError::Invalid(format!(
                    "the saved joint \"{}\" was made where nothing can be",
                    joint.name
                )));
            }
            joint.breaking.validate()?;
            let attach: Arc<dyn Attach> = match joint.locks {
                Some(locks) => Arc::new(AxisLock(locks)),
                None => joint.attach.create(&registry.joints)?,
            };
            let made = Made { attach, frame: joint.frame, bodies: joint.bodies };
            let mut constraint = made.constraint()?;
            for (coordinate, freedom) in &joint.freedoms {
                let freedom: Freedom = read_json("what acts on a joint", freedom)?;
                freedom.validate()?;
                constraint = constraint.with_freedom(coordinate, freedom).ok_or_else(|| ModelError::UnknownName {
                    kind: "coordinate of a saved joint",
                    name: coordinate.clone(),
                    known: "others".into(),
                })?;
            }
            let programs = joint.programs.iter().map(|(coordinate, aim, curve)| {
                Ok(Program { coordinate: coordinate.clone(), aim: *aim, curve: curve.create(&registry.curves)? })
            });
            Ok(JointModel {
                name: joint.name.clone(),
                ends: joint.ends,
                turns: constraint.angle(&joint.bodies).is_some(),
                constraint,
                collide: joint.collide,
                breaking: joint.breaking,
                programs: programs.collect::<Result<_, ModelError>>()?,
                is_lock: joint.locks.is_some(),
                made,
            })
        })?;
        programmed.extend(self.model.joints.iter().filter(|(_, joint)| !joint.programs.is_empty()).map(|(id, _)| id));
        self.model.programmed = Arc::new(programmed);
        self.model.bodies.ids().collect::<Vec<_>>().into_iter().for_each(|body| self.share_load(body));
        Ok(())
    }
}

/// Shapes that are written once, however many colliders have them.
#[derive(Default)]
struct Shapes {
    list: Vec<SavedShape>,
    /// Where the data of shapes that are shared lies, and their numbers.
    known: Vec<(*const (), u32)>,
}

impl Shapes {
    /// The number of a shape, which is added if it is new.
    fn add(&mut self, shape: &Shape, registry: &Registry) -> Result<u32, ModelError> {
        let address: Option<*const ()> = match shape {
            Shape::Hull(hull) => Some(Arc::as_ptr(hull).cast()),
            Shape::Mesh(mesh) => Some(Arc::as_ptr(mesh).cast()),
            Shape::HeightField(field) => Some(Arc::as_ptr(field).cast()),
            Shape::Torus(torus) => Some(Arc::as_ptr(torus).cast()),
            Shape::Compound(compound) => Some(Arc::as_ptr(compound).cast()),
            _ => None,
        };
        if let Some(&(_, number)) = self.known.iter().find(|(known, _)| Some(*known) == address) {
            return Ok(number);
        }
        let saved = match shape {
            Shape::Sphere(sphere) => SavedShape::Sphere(sphere.radius()),
            Shape::Cuboid(cuboid) => SavedShape::Cuboid(cuboid.half_extents()),
            Shape::Capsule(capsule) => SavedShape::Capsule(capsule.half_height(), capsule.radius()),
            Shape::Cylinder(cylinder) => SavedShape::Cylinder(cylinder.half_height(), cylinder.radius()),
            Shape::Cone(cone) => SavedShape::Cone(cone.half_height(), cone.radius()),
            Shape::Ellipsoid(ellipsoid) => SavedShape::Ellipsoid(ellipsoid.radii()),
            Shape::Torus(torus) => SavedShape::Torus(torus.radius(), torus.tube()),
            Shape::Hull(hull) => SavedShape::Hull(Box::new((**hull).clone())),
            Shape::HalfSpace(plane) => SavedShape::HalfSpace(plane.normal()),
            Shape::Mesh(mesh) => SavedShape::Mesh(mesh.vertices().to_vec(), mesh.triangles().to_vec()),
            Shape::HeightField(field) => {
                let (rows, columns) = field.size();
                let (heights, spacing) = (field.heights().to_vec(), field.spacing());
                SavedShape::HeightField { rows: rows as u64, columns: columns as u64, heights, spacing }
            }
            Shape::Compound(compound) => {
                let parts = compound.members().iter().map(|(pose, part)| Ok((*pose, self.add(part, registry)?)));
                SavedShape::Compound(parts.collect::<Result<_, ModelError>>()?)
            }
            other => {
                let Shape::Custom(custom) = other else {
                    return Err(ModelError::Invalid(format!("the shape {other:?} cannot be saved")));
                };
                SavedShape::Custom(Part::of(&registry.shapes, custom.map(), &format!("the shape {:?}", custom.map()))?)
            }
        };
        let number = self.list.len() as u32;
        self.list.push(saved);
        self.known.extend(address.map(|address| (address, number)));
        Ok(number)
    }
}

/// All shapes, in order.
fn read_shapes(list: &[SavedShape], registry: &Registry) -> Result<Vec<Shape>, ModelError> {
    let mut shapes: Vec<Shape> = Vec::with_capacity(list.len());
    for saved in list {
        let shape = match saved {
            SavedShape::Sphere(radius) => Shape::sphere(*radius)?,
            SavedShape::Cuboid(half_extents) => Shape::cuboid(*half_extents)?,
            SavedShape::Capsule(half_height, radius) => Shape::capsule(*half_height, *radius)?,
            SavedShape::Cylinder(half_height, radius) => Shape::cylinder(*half_height, *radius)?,
            SavedShape::Cone(half_height, radius) => Shape::cone(*half_height, *radius)?,
            SavedShape::Ellipsoid(radii) => Shape::ellipsoid(*radii)?,
            SavedShape::Torus(radius, tube) => Shape::torus(*radius, *tube)?,
            SavedShape::Hull(hull) => {
                let damaged = |problem| ModelError::Invalid(format!("a saved hull is damaged: {problem}"));
                hull.validate_data().map_err(damaged)?;
                Shape::Hull(Arc::new((**hull).clone()))
            }
            SavedShape::HalfSpace(normal) => Shape::HalfSpace(HalfSpace::with_unit_normal(*normal)?),
            SavedShape::Mesh(vertices, triangles) => Shape::mesh(vertices.clone(), triangles.clone())?,
            SavedShape::HeightField { rows, columns, heights, spacing } => {
                Shape::height_field(*rows as usize, *columns as usize, heights.clone(), *spacing)?
            }
            SavedShape::Compound(parts) => {
                let part = |(pose, number): &(Transform, u32)| {
                    let before = shapes.get(*number as usize).cloned();
                    let missing = || ModelError::Invalid("a part of a saved compound is not there".into());
                    Ok((*pose, before.ok_or_else(missing)?))
                };
                Shape::compound(parts.iter().map(part).collect::<Result<_, ModelError>>()?)?
            }
            SavedShape::Custom(part) => Shape::Custom(Custom::new(part.create(&registry.shapes)?)?),
        };
        shapes.push(shape);
    }
    Ok(shapes)
}
