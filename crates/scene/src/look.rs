//! How bodies look in pictures and exported animations: their surfaces as triangles with normals, and their colours.

use crate::load::{Color, Scene};
use crate::mesh::VisualMesh;
use glam::{DVec3, Vec3};
use std::collections::BTreeMap;
use tumble_dynamics::{BodyId, Id};
use tumble_geometry::{Shape, Transform};

/// Faces that meet at less than this angle look like one curved surface: cos 40°.
const SMOOTH: f64 = 0.766;
/// Half the width of the square that stands for an endless half-space, in metres.
const ENDLESS: f64 = 100.0;

/// Colours that go well together, for bodies that move.
const PALETTE: [Color; 8] = [
    [0xe0, 0x7a, 0x5f],
    [0x3d, 0x85, 0xb0],
    [0xf2, 0xcc, 0x8f],
    [0x81, 0xb2, 0x9a],
    [0x9c, 0x6b, 0xa8],
    [0xd1, 0x49, 0x5b],
    [0x6c, 0x8e, 0xbf],
    [0xe9, 0xc4, 0x6a],
];
/// The colour of what does not move.
const SCENERY: Color = [0xb8, 0xb4, 0xac];

/// A surface: three corners for each triangle, with the normal to shade it by.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// The corners.
    pub positions: Vec<Vec3>,
    /// The unit normals at the corners.
    pub normals: Vec<Vec3>,
    /// The colours at the corners; empty if all are of the body's colour.
    pub colors: Vec<Color>,
}

impl Surface {
    /// The surface of a shape at a pose. Edges that are sharp look sharp, round ones round.
    pub fn of(shape: &Shape, pose: &Transform) -> Self {
        let mut triangles: Vec<[DVec3; 3]> = Vec::new();
        shape.visit_surface(&mut |triangle| triangles.push(triangle.vertices));
        let mut surface = Self::of_triangles(triangles, shape);
        surface.place(pose);
        surface
    }

    /// A mesh with its colours at a pose, as many times as large.
    pub fn of_mesh(mesh: &VisualMesh, pose: &Transform, scale: f64) -> Self {
        let corners = || mesh.triangles.iter().flatten().map(|&index| index as usize);
        let mut surface = if mesh.normals.is_empty() || mesh.normals.contains(&Vec3::ZERO) {
            let corner = |index: u32| mesh.positions[index as usize];
            Self::shaded(mesh.triangles.iter().map(|triangle| triangle.map(corner)).collect())
        } else {
            Self {
                positions: corners().map(|index| mesh.positions[index].as_vec3()).collect(),
                normals: corners().map(|index| mesh.normals[index]).collect(),
                colors: Vec::new(),
            }
        };
        if !mesh.colors.is_empty() && surface.positions.len() == 3 * mesh.triangles.len() {
            surface.colors = corners().map(|index| mesh.colors[index]).collect();
        }
        surface.positions.iter_mut().for_each(|corner| *corner *= scale as f32);
        surface.place(pose);
        surface
    }

    fn place(&mut self, pose: &Transform) {
        if *pose == Transform::IDENTITY {
            return;
        }
        for corner in &mut self.positions {
            *corner = pose.point(corner.as_dvec3()).as_vec3();
        }
        for normal in &mut self.normals {
            *normal = pose.vector(normal.as_dvec3()).as_vec3().normalize_or(Vec3::Y);
        }
    }

    /// In one colour.
    pub(crate) fn painted(mut self, color: Color) -> Self {
        self.colors = vec![color; self.positions.len()];
        self
    }

    /// Adds another; if one of them has colours, the other gets `usual`.
    pub(crate) fn join(&mut self, mut other: Self, usual: Color) {
        if self.colors.is_empty() != other.colors.is_empty() {
            self.colors.resize(self.positions.len(), usual);
            other.colors.resize(other.positions.len(), usual);
        }
        self.positions.append(&mut other.positions);
        self.normals.append(&mut other.normals);
        self.colors.append(&mut other.colors);
    }

    fn of_triangles(mut triangles: Vec<[DVec3; 3]>, shape: &Shape) -> Self {
        if let Shape::HalfSpace(half_space) = shape {
            let normal = half_space.normal();
            let (u, v) = tumble_geometry::math::orthonormal_pair(normal);
            let corner = |a: f64, b: f64| (u * a + v * b) * ENDLESS;
            let [p, q, r, s] = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
            triangles.extend([[p, q, r], [p, r, s]]);
        }
        Self::shaded(triangles)
    }

    /// Triangles with normals that make flat edges look round.
    fn shaded(mut triangles: Vec<[DVec3; 3]>) -> Self {
        let mut surface = Self::default();
        let normal = |[a, b, c]: &[DVec3; 3]| (*b - *a).cross(*c - *a);
        triangles.retain(|triangle| normal(triangle).length_squared() > 0.0);
        let faces: Vec<DVec3> = triangles.iter().map(normal).collect();
        let mut around: BTreeMap<[u64; 3], Vec<usize>> = BTreeMap::new();
        let key = |corner: &DVec3| corner.to_array().map(|x| (x + 0.0).to_bits());
        for (face, triangle) in triangles.iter().enumerate() {
            triangle.iter().for_each(|corner| around.entry(key(corner)).or_default().push(face));
        }
        for (face, triangle) in triangles.iter().enumerate() {
            let own = faces[face].normalize_or_zero();
            for corner in triangle {
                let neighbours = around.get(&key(corner)).map_or(&[][..], Vec::as_slice);
                let alike = neighbours.iter().map(|&other| faces[other]).filter(|n| n.dot(own) > SMOOTH * n.length());
                let shaded = alike.sum::<DVec3>().normalize_or(own);
                surface.positions.push(corner.as_vec3());
                surface.normals.push(shaded.as_vec3().normalize_or(Vec3::Y));
            }
        }
        surface
    }

    /// The surface of a body in its own frame: what the scene shows in its place, or else all its colliders but sensors.
    pub fn of_body(scene: &Scene, id: BodyId) -> Self {
        if let Some(visual) = scene.visual(id) {
            return visual.as_ref().clone();
        }
        Self::of_colliders(scene, id)
    }

    /// The surface of what of a body collides, in its own frame.
    pub fn of_colliders(scene: &Scene, id: BodyId) -> Self {
        let model = scene.world.model();
        let mut whole = Self::default();
        let colliders = model.bodies().get(id).map_or(&[][..], |body| &body.colliders);
        for collider in colliders.iter().filter_map(|&id| model.colliders().get(id)).filter(|c| !c.sensor) {
            whole.join(Self::of(&collider.shape, &collider.pose), SCENERY);
        }
        whole
    }

    /// The lowest and the highest coordinates of its corners; nothing if it has none.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        let (first, rest) = self.positions.split_first()?;
        Some(rest.iter().fold((*first, *first), |(low, high), &corner| (low.min(corner), high.max(corner))))
    }
}

/// A text that is the same for bodies that look the same and differs for others, so that they can share a surface.
pub fn likeness(scene: &Scene, id: BodyId) -> String {
    if let Some(visual) = scene.visual(id) {
        return format!("visual {:p}", std::sync::Arc::as_ptr(visual));
    }
    let model = scene.world.model();
    let colliders = model.bodies().get(id).map_or(&[][..], |body| &body.colliders);
    let mut text = String::new();
    for collider in colliders.iter().filter_map(|&id| model.colliders().get(id)).filter(|c| !c.sensor) {
        let shape = match &collider.shape {
            Shape::Hull(hull) => format!("hull {:p}", std::sync::Arc::as_ptr(hull)),
            Shape::Mesh(mesh) => format!("mesh {:p}", std::sync::Arc::as_ptr(mesh)),
            Shape::HeightField(field) => format!("field {:p}", std::sync::Arc::as_ptr(field)),
            Shape::Compound(compound) => format!("compound {:p}", std::sync::Arc::as_ptr(compound)),
            Shape::Torus(torus) => format!("torus {} {}", torus.radius(), torus.tube()),
            simple => format!("{simple:?}"),
        };
        text += &format!("{shape} at {:?};", collider.pose);
    }
    text
}

/// The colour of a body: the one the scene gives it, or one from a palette.
pub fn color(scene: &Scene, id: BodyId) -> Color {
    // A body that came later, to the place of one of the scene, does not inherit its colour.
    let given = scene.colors.get(id.slot()).copied().flatten().filter(|_| id.generation() == 0);
    let moves = scene.world.model().bodies().get(id).is_some_and(|body| body.kind.moves());
    given.unwrap_or_else(|| usual_color(id, moves))
}

/// The colour of a body that is given none.
pub(crate) fn usual_color(id: BodyId, moves: bool) -> Color {
    if moves { PALETTE[id.slot() % PALETTE.len()] } else { SCENERY }
}
