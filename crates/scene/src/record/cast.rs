//! Which bodies are there. A recording begins with those of its scene; where some go, or others come that the scene does not
//! know of (a ball that was shot, say), it says so, with all it takes to draw them.

use crate::load::Color;
use crate::look::{Surface, usual_color};
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};
use tumble_dynamics::{BodyId, BodyState, Id, Model};
use tumble_geometry::{Shape, Transform};

/// A change of who is there, from a frame on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Change {
    /// The first frame for which it holds.
    pub(super) frame: u64,
    /// Who is there no more.
    pub(super) gone: Vec<BodyId>,
    /// Who is new.
    pub(super) came: Vec<Newcomer>,
}

impl Change {
    /// What changes when the bodies of a model follow those that were there; `None` if nothing does.
    pub(super) fn between(known: &[BodyId], model: &Model, frame: u64) -> Option<Self> {
        let bodies = model.bodies();
        if bodies.ids().eq(known.iter().copied()) {
            return None;
        }
        let gone = known.iter().copied().filter(|&id| bodies.get(id).is_none()).collect();
        // In the order of their ids, as a model has them.
        let new = bodies.ids().filter(|id| known.binary_search(id).is_err());
        Some(Self { frame, gone, came: new.map(|id| Newcomer::of(model, id)).collect() })
    }
}

/// A body that the scene does not know of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Newcomer {
    /// Its id; the slot says which row of the states is its own.
    pub id: BodyId,
    /// Its name.
    pub name: String,
    /// Whether it ever moves.
    pub moves: bool,
    /// Its colour.
    pub color: Color,
    /// Where its centre of mass is, in its own frame.
    center: DVec3,
    parts: Vec<Part>,
}

/// A shape in the frame of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Part {
    shape: Figure,
    position: DVec3,
    rotation: DQuat,
}

/// A shape by its numbers, or by its surface.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Figure {
    /// The radius.
    Sphere(f64),
    /// Half the size.
    Box(DVec3),
    /// The radius and half the height.
    Capsule(f64, f64),
    Cylinder(f64, f64),
    Cone(f64, f64),
    /// The normal.
    HalfSpace(DVec3),
    /// The semi-axes.
    Ellipsoid(DVec3),
    /// The radius of the ring and that of the tube.
    Torus(f64, f64),
    /// The corners of triangles, and the normals there.
    Surface(Vec<glam::Vec3>, Vec<glam::Vec3>),
}

impl Figure {
    fn of(shape: &Shape) -> Self {
        match shape {
            Shape::Sphere(ball) => Self::Sphere(ball.radius()),
            Shape::Cuboid(cuboid) => Self::Box(cuboid.half_extents()),
            Shape::Capsule(c) => Self::Capsule(c.radius(), c.half_height()),
            Shape::Cylinder(c) => Self::Cylinder(c.radius(), c.half_height()),
            Shape::Cone(c) => Self::Cone(c.radius(), c.half_height()),
            Shape::Ellipsoid(ellipsoid) => Self::Ellipsoid(ellipsoid.radii()),
            Shape::Torus(torus) => Self::Torus(torus.radius(), torus.tube()),
            Shape::HalfSpace(half_space) => Self::HalfSpace(half_space.normal()),
            other => {
                let Surface { positions, normals, .. } = Surface::of(other, &Transform::IDENTITY);
                Self::Surface(positions, normals)
            }
        }
    }

    /// Its surface at a pose. Numbers that make no shape, from a file that makes no sense, have none.
    fn surface(&self, pose: &Transform) -> Surface {
        let shape = match *self {
            Self::Sphere(radius) => Shape::sphere(radius),
            Self::Box(half) => Shape::cuboid(half),
            Self::Capsule(radius, half_height) => Shape::capsule(half_height, radius),
            Self::Cylinder(radius, half_height) => Shape::cylinder(half_height, radius),
            Self::Cone(radius, half_height) => Shape::cone(half_height, radius),
            Self::Ellipsoid(radii) => Shape::ellipsoid(radii),
            Self::Torus(radius, tube) => Shape::torus(radius, tube),
            Self::HalfSpace(normal) => Shape::half_space(normal),
            Self::Surface(ref positions, ref normals) => return placed(positions, normals, pose),
        };
        shape.map_or_else(|_| Surface::default(), |shape| Surface::of(&shape, pose))
    }
}

/// Whole triangles at a pose.
fn placed(positions: &[glam::Vec3], normals: &[glam::Vec3], pose: &Transform) -> Surface {
    let count = positions.len().min(normals.len()) / 3 * 3;
    Surface {
        positions: positions[..count].iter().map(|p| pose.point(p.as_dvec3()).as_vec3()).collect(),
        normals: normals[..count].iter().map(|n| pose.vector(n.as_dvec3()).as_vec3()).collect(),
        colors: Vec::new(),
    }
}

impl Newcomer {
    fn of(model: &Model, id: BodyId) -> Self {
        let body = model.bodies().get(id);
        let moves = body.is_some_and(|body| body.kind.moves());
        let colliders = body.map_or(&[][..], |body| &body.colliders).iter();
        let solid = colliders.filter_map(|&id| model.colliders().get(id)).filter(|collider| !collider.sensor);
        let part = |collider: &tumble_dynamics::model::ColliderModel| Part {
            shape: Figure::of(&collider.shape),
            position: collider.pose.translation,
            rotation: collider.pose.rotation,
        };
        Self {
            id,
            name: body.map_or(String::new(), |body| body.name.clone()),
            moves,
            color: usual_color(id, moves),
            center: body.map_or(DVec3::ZERO, |body| body.mass.center),
            parts: solid.map(part).collect(),
        }
    }

    /// Its surface, in its own frame.
    pub fn surface(&self) -> Surface {
        let mut whole = Surface::default();
        for part in &self.parts {
            let surface = part.shape.surface(&Transform::new(part.rotation, part.position));
            whole.positions.extend(surface.positions);
            whole.normals.extend(surface.normals);
        }
        whole
    }

    /// The row of the states that is its own.
    pub fn slot(&self) -> usize {
        self.id.slot()
    }

    /// Where its centre of mass is, in its own frame.
    pub fn center(&self) -> DVec3 {
        self.center
    }

    /// The pose of its frame when it moves as `state` says.
    pub fn frame(&self, state: &BodyState) -> Transform {
        Transform::new(state.rotation, state.position - state.rotation * self.center)
    }
}
