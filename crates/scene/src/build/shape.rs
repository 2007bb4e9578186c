//! Shapes: named ones, built once and shared, and those given where they are used.

use super::{Context, Reported};
use crate::format::{CompoundPart, HullFile, MeshFile, RotationFile, ShapeFile, ShapeRef, SpiralFile};
use crate::mesh::{Files, MeshData, VisualMesh};
use crate::nearest::suggestion;
use crate::schema::to_registry;
use crate::source::Span;
use crate::tree::Node;
use glam::{DQuat, DVec3};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use tumble_geometry::shape::Custom;
use tumble_geometry::{GeometryError, Shape, Transform};

/// How deep compounds may be nested, through names too.
const MAX_DEPTH: usize = 16;
/// The most parts a compound may have, with those of its parts.
const MAX_PARTS: usize = 10_000;

pub(super) struct Shapes<'f> {
    files: &'f dyn Files,
    /// None is one that was refused.
    by_name: BTreeMap<String, Option<Shape>>,
    /// The named shapes being built, to find those that contain themselves.
    open: Vec<String>,
    meshes: BTreeMap<(String, u64), Result<MeshData, String>>,
    visuals: BTreeMap<String, Result<Arc<VisualMesh>, String>>,
    /// How many triangles there are so far.
    triangles: usize,
    /// Whether there are too many, which has been reported.
    too_many: bool,
}

impl<'f> Shapes<'f> {
    pub(super) fn read(context: &mut Context<'_>, files: &'f dyn Files) -> Self {
        let mut shapes = Self {
            files,
            by_name: BTreeMap::new(),
            open: Vec::new(),
            meshes: BTreeMap::new(),
            visuals: BTreeMap::new(),
            triangles: 0,
            too_many: false,
        };
        shapes.count_spirals(context);
        for entry in context.root.section("shapes") {
            let _reported = shapes.named(context, &entry.key, entry.key_span, 0);
        }
        shapes
    }

    /// Where files come from.
    pub(super) fn files(&self) -> &'f dyn Files {
        self.files
    }

    /// How many triangles all shapes have.
    pub(super) fn triangles(&self) -> usize {
        self.triangles
    }

    /// Counts the triangles of all spirals before any is made, which takes long.
    fn count_spirals(&mut self, context: &mut Context<'_>) {
        let mut waiting = vec![context.root];
        while let Some(node) = waiting.pop() {
            waiting.extend(node.entries().iter().map(|entry| &entry.node).chain(node.elements()));
            let Some(spiral) = node.get("spiral").filter(|spiral| spiral.is_sound()) else { continue };
            let strips = spiral.decode::<SpiralFile>().map_or([0; 2], |spiral| spiral.strips);
            let count = (2 * u64::from(strips[0])).saturating_mul(u64::from(strips[1]));
            let room = self.afford(context, usize::try_from(count).unwrap_or(usize::MAX));
            if let Err(problem) = room {
                context.report.push(node.place(&["spiral"], node.span), problem, "");
                self.too_many = true;
                return;
            }
        }
    }

    /// A mesh to look at, read once.
    pub(super) fn visual(&mut self, context: &Context<'_>, name: &str) -> Result<Arc<VisualMesh>, String> {
        if let Some(known) = self.visuals.get(name) {
            return known.clone();
        }
        let mesh = VisualMesh::read(self.files, name).map(Arc::new);
        let mesh = mesh.and_then(|mesh| self.afford(context, mesh.triangles.len()).map(|()| mesh));
        self.visuals.insert(name.to_owned(), mesh.clone());
        mesh
    }

    /// Counts the triangles of a mesh that is about to be made of data.
    fn afford(&mut self, context: &Context<'_>, count: usize) -> Result<(), String> {
        let most = context.budget.triangles();
        self.triangles = self.triangles.saturating_add(count);
        if self.triangles > most {
            let all = self.triangles;
            return Err(format!(
                "the scene costs too much: with this mesh it has {all} triangles, and {most} are allowed"
            ));
        }
        Ok(())
    }

    /// A shape by name or as given at `node`.
    pub(super) fn get(&mut self, context: &mut Context<'_>, shape: &ShapeRef, node: &Node) -> Result<Shape, Reported> {
        self.reference(context, shape, node, 0)
    }

    fn reference(
        &mut self,
        context: &mut Context<'_>,
        shape: &ShapeRef,
        node: &Node,
        depth: usize,
    ) -> Result<Shape, Reported> {
        match shape {
            ShapeRef::Named(name) => self.named(context, name, node.span, depth),
            ShapeRef::Given(file) => self.build(context, file, node, depth),
        }
    }

    fn named(&mut self, context: &mut Context<'_>, name: &str, span: Span, depth: usize) -> Result<Shape, Reported> {
        if let Some(shape) = self.by_name.get(name) {
            return shape.clone().ok_or(Reported);
        }
        let entries = context.root.section("shapes");
        let Some(entry) = entries.iter().find(|entry| entry.key == name) else {
            if !context.root.has_lost("shapes") {
                let help = suggestion(name, entries.iter().map(|entry| entry.key.as_str()));
                context.report.push(span, format!("there is no shape \"{name}\""), help);
            }
            return Err(Reported);
        };
        if depth > MAX_DEPTH || self.open.iter().any(|open| open == name) {
            let message = format!("the shape `{name}` contains itself, or is nested deeper than {MAX_DEPTH} levels");
            context.report.push(entry.key_span, message, "");
            return Err(Reported);
        }
        self.open.push(name.to_owned());
        let file = context.decode::<ShapeFile>(entry.key_span, &entry.node);
        let shape = file.and_then(|file| self.build(context, &file, &entry.node, depth));
        self.open.pop();
        self.by_name.insert(name.to_owned(), shape.as_ref().ok().cloned());
        shape
    }

    /// The shape that stands at `node`, a table with one key, its kind. Problems are reported at the property at fault.
    fn build(
        &mut self,
        context: &mut Context<'_>,
        file: &ShapeFile,
        node: &Node,
        depth: usize,
    ) -> Result<Shape, Reported> {
        let (shape, at) = match *file {
            ShapeFile::Sphere { radius } => (Shape::sphere(radius), ["sphere", "radius"]),
            ShapeFile::Box { size } => {
                let shape = Shape::cuboid(0.5 * size).map_err(|_| GeometryError::OutOfRange {
                    what: "the size of a box",
                    value: if size.min_element() < 2e-9 { size.min_element() } else { size.max_element() },
                    allowed: "between 2e-9 and 2e9 metres along each axis",
                });
                (shape, ["box", "size"])
            }
            ShapeFile::Capsule { radius, height } => {
                let shape = Shape::capsule(0.5 * height - radius, radius).map_err(|_| GeometryError::OutOfRange {
                    what: "the height of a capsule",
                    value: height,
                    allowed: "more than twice its radius",
                });
                (shape, ["capsule", "height"])
            }
            ShapeFile::Cylinder { radius, height } => (Shape::cylinder(0.5 * height, radius), ["cylinder", ""]),
            ShapeFile::Cone { radius, height } => (Shape::cone(0.5 * height, radius), ["cone", ""]),
            ShapeFile::Ellipsoid { radii } => (Shape::ellipsoid(radii), ["ellipsoid", "radii"]),
            ShapeFile::Torus { radius, tube } => (Shape::torus(radius, tube), ["torus", ""]),
            ShapeFile::HalfSpace { normal } => (Shape::half_space(normal), ["half_space", "normal"]),
            ShapeFile::HeightField { ref heights, spacing } => return terrain(context, heights, spacing, node),
            ShapeFile::Hull(ref hull) => {
                let at = ["hull", if hull.file.is_some() { "file" } else { "points" }];
                let points = self.hull_points(hull);
                (Shape::hull(&accept_read(context, node, &at, points)?), at)
            }
            ShapeFile::Mesh(ref mesh) => {
                let keys = [("file", mesh.file.is_some()), ("spiral", mesh.spiral.is_some()), ("triangles", true)];
                let at = ["mesh", keys.into_iter().find(|(_, given)| *given).map_or("", |(key, _)| key)];
                if self.too_many {
                    return Err(Reported);
                }
                let is_counted = mesh.spiral.is_some();
                let mesh = self.mesh(mesh);
                let mesh = accept_read(context, node, &at, mesh)?;
                if !is_counted {
                    let room = self.afford(context, mesh.triangles.len());
                    accept_read(context, node, &at, room)?;
                }
                (Shape::mesh(mesh.vertices, mesh.triangles), at)
            }
            ShapeFile::Part(ref part) => return self.part(context, part, node),
            ShapeFile::Compound { ref parts } => {
                (Shape::compound(self.parts(context, parts, node, depth)?), ["compound", "parts"])
            }
        };
        context.accept_of(node, node.place(&at, node.span), shape)
    }

    /// The convex shape of the registry that stands at `node`.
    fn part(&self, context: &mut Context<'_>, part: &BTreeMap<String, Value>, node: &Node) -> Result<Shape, Reported> {
        let (Some((kind, given)), true) = (part.iter().next(), node.is_sound()) else { return Err(Reported) };
        let map = context.registry.shapes.create(kind, &to_registry(given));
        let map = context.accept(node.place(&[kind.as_str()], node.span), map)?;
        context.accept_of(node, node.span, Custom::new(map).map(Shape::Custom))
    }

    /// The parts of the compound that stands at `node`.
    fn parts(
        &mut self,
        context: &mut Context<'_>,
        parts: &[CompoundPart],
        node: &Node,
        depth: usize,
    ) -> Result<Vec<(Transform, Shape)>, Reported> {
        let span = node.place(&["compound", "parts"], node.span);
        if depth > MAX_DEPTH {
            context.report.push(span, format!("compounds are nested deeper than {MAX_DEPTH} levels"), "");
            return Err(Reported);
        }
        let mut placed = Vec::new();
        let nodes = node.at(&["compound", "parts"]).map_or(&[][..], Node::elements);
        for (part, node) in parts.iter().zip(nodes) {
            let pose = pose(context, node, node.span, part.position, part.rotation.as_ref());
            let shape = self.reference(context, &part.shape, node.get("shape").unwrap_or(node), depth + 1);
            placed.push(pose.and_then(|pose| Ok((pose, shape?))));
        }
        let placed = placed.into_iter().collect::<Result<Vec<_>, Reported>>()?;
        let size = |shape: &Shape| shape.as_compound().map_or(1, |inner| inner.parts().len());
        if placed.iter().map(|(_, shape)| size(shape)).sum::<usize>() > MAX_PARTS {
            context.report.push(span, format!("a compound has more than {MAX_PARTS} parts"), "");
            return Err(Reported);
        }
        Ok(placed)
    }

    fn hull_points(&mut self, hull: &HullFile) -> Result<Vec<DVec3>, String> {
        match (&hull.points, &hull.file) {
            (Some(points), None) => Ok(points.clone()),
            (None, Some(file)) => Ok(self.file(file, hull.scale)?.vertices),
            _ => Err("a hull has either `points` or a `file`".into()),
        }
    }

    fn mesh(&mut self, mesh: &MeshFile) -> Result<MeshData, String> {
        match (&mesh.file, &mesh.vertices, &mesh.triangles, &mesh.spiral) {
            (Some(file), None, None, None) => self.file(file, mesh.scale),
            (None, Some(vertices), Some(triangles), None) => {
                Ok(MeshData { vertices: vertices.clone(), triangles: triangles.clone() })
            }
            (None, None, None, Some(spiral)) => MeshData::spiral(spiral),
            _ => Err("a mesh has either a `file`, or `vertices` and `triangles`, or a `spiral`".into()),
        }
    }

    fn file(&mut self, name: &str, scale: Option<f64>) -> Result<MeshData, String> {
        let scale = scale.unwrap_or(1.0);
        let key = (name.to_owned(), scale.to_bits());
        let files = self.files;
        let read = || {
            let mut mesh = MeshData::read(files, name)?;
            mesh.vertices.iter_mut().for_each(|vertex| *vertex *= scale);
            Ok(mesh)
        };
        self.meshes.entry(key).or_insert_with(read).clone()
    }
}

/// What was read from the key `at` of the shape at `node`. A file that is missing is missing whatever else is wrong.
fn accept_read<T>(
    context: &mut Context<'_>,
    node: &Node,
    at: &[&str],
    result: Result<T, String>,
) -> Result<T, Reported> {
    let span = node.place(at, node.span);
    if at.contains(&"file") { context.accept(span, result) } else { context.accept_of(node, span, result) }
}

/// The height field that stands at `node`.
fn terrain(context: &mut Context<'_>, heights: &[Vec<f64>], spacing: [f64; 2], node: &Node) -> Result<Shape, Reported> {
    let span = |key: &str| node.place(&["height_field", key], node.span);
    let columns = heights.first().map_or(0, Vec::len);
    if !node.is_sound() {
        return Err(Reported);
    }
    if let Some(row) = heights.iter().position(|row| row.len() != columns) {
        let message = format!("row {row} of the heights has {} numbers, but row 0 has {columns}", heights[row].len());
        let rows = node.at(&["height_field", "heights"]).map_or(&[][..], Node::elements);
        context.report.push(rows.get(row).map_or(span("heights"), |row| row.span), message, "");
        return Err(Reported);
    }
    let at = if spacing.iter().all(|&distance| distance > 0.0) { "heights" } else { "spacing" };
    context.accept(span(at), Shape::height_field(heights.len(), columns, heights.concat(), spacing))
}

/// Position and rotation as a transform; `node` is the table both are keys of, and `span` where that stands.
pub(super) fn pose(
    context: &mut Context<'_>,
    node: &Node,
    span: Span,
    position: DVec3,
    rotation: Option<&RotationFile>,
) -> Result<Transform, Reported> {
    let turn = rotation.map_or(Ok(DQuat::IDENTITY), RotationFile::to_quaternion);
    let turn = context.accept_of(node.get("rotation").unwrap_or(node), node.place(&["rotation"], span), turn)?;
    Ok(Transform::new(turn, position))
}
