//! Shapes: named ones, built once and shared, and those given where they are used.

use super::{Context, Reported};
use crate::format::{HullFile, MeshFile, RotationFile, ShapeFile, ShapeRef};
use crate::mesh::{Files, MeshData};
use crate::nearest::suggestion;
use crate::source::Span;
use glam::{DQuat, DVec3};
use std::collections::BTreeMap;
use tumble_geometry::{GeometryError, Shape, Transform};

/// How deep compounds may be nested, through names too.
const MAX_DEPTH: usize = 16;
/// The most parts a compound may have, with those of its parts.
const MAX_PARTS: usize = 10_000;

pub(super) struct Shapes<'f> {
    files: &'f dyn Files,
    by_name: BTreeMap<String, Shape>,
    meshes: BTreeMap<(String, u64), MeshData>,
}

impl<'f> Shapes<'f> {
    pub(super) fn read(context: &mut Context<'_>, files: &'f dyn Files) -> Self {
        let mut shapes = Self { files, by_name: BTreeMap::new(), meshes: BTreeMap::new() };
        for entry in context.root.section("shapes") {
            let _reported = shapes.named(context, &entry.key, entry.key_span, 0);
        }
        shapes
    }

    /// A shape by name or as given; problems are reported at `span`.
    pub(super) fn get(&mut self, context: &mut Context<'_>, shape: &ShapeRef, span: Span) -> Result<Shape, Reported> {
        self.reference(context, shape, span, 0)
    }

    fn reference(
        &mut self,
        context: &mut Context<'_>,
        shape: &ShapeRef,
        span: Span,
        depth: usize,
    ) -> Result<Shape, Reported> {
        match shape {
            ShapeRef::Named(name) => self.named(context, name, span, depth),
            ShapeRef::Given(file) => self.build(context, file, span, depth),
        }
    }

    fn named(&mut self, context: &mut Context<'_>, name: &str, span: Span, depth: usize) -> Result<Shape, Reported> {
        if let Some(shape) = self.by_name.get(name) {
            return Ok(shape.clone());
        }
        let entries = context.root.section("shapes");
        let Some(entry) = entries.iter().find(|entry| entry.key == name) else {
            let help = suggestion(name, entries.iter().map(|entry| entry.key.as_str()));
            context.report.push(span, format!("there is no shape \"{name}\""), help);
            return Err(Reported);
        };
        if depth > MAX_DEPTH {
            let message = format!("the shape `{name}` contains itself, or is nested deeper than {MAX_DEPTH} levels");
            context.report.push(entry.key_span, message, "");
            return Err(Reported);
        }
        let file: ShapeFile = context.decode(entry.key_span, &entry.node)?;
        let shape = self.build(context, &file, entry.key_span, depth)?;
        self.by_name.insert(name.to_owned(), shape.clone());
        Ok(shape)
    }

    fn build(
        &mut self,
        context: &mut Context<'_>,
        file: &ShapeFile,
        span: Span,
        depth: usize,
    ) -> Result<Shape, Reported> {
        let simple = match *file {
            ShapeFile::Sphere { radius } => Shape::sphere(radius),
            ShapeFile::Box { size } => Shape::cuboid(0.5 * size),
            ShapeFile::Capsule { radius, height } => {
                Shape::capsule(0.5 * height - radius, radius).map_err(|_| GeometryError::OutOfRange {
                    what: "the height of a capsule",
                    value: height,
                    allowed: "more than twice its radius",
                })
            }
            ShapeFile::Cylinder { radius, height } => Shape::cylinder(0.5 * height, radius),
            ShapeFile::Cone { radius, height } => Shape::cone(0.5 * height, radius),
            ShapeFile::HalfSpace { normal } => Shape::half_space(normal),
            ShapeFile::HeightField { ref heights, spacing } => return context.accept(span, terrain(heights, spacing)),
            ShapeFile::Hull(ref hull) => {
                let points = self.hull_points(hull);
                let points = context.accept(span, points)?;
                Shape::hull(&points)
            }
            ShapeFile::Mesh(ref mesh) => {
                let mesh = self.mesh(mesh);
                let mesh = context.accept(span, mesh)?;
                Shape::mesh(mesh.vertices, mesh.triangles)
            }
            ShapeFile::Compound { ref parts } => {
                if depth > MAX_DEPTH {
                    context.report.push(span, format!("compounds are nested deeper than {MAX_DEPTH} levels"), "");
                    return Err(Reported);
                }
                let mut placed = Vec::new();
                for part in parts {
                    let pose = pose(context, span, part.position, part.rotation.as_ref())?;
                    placed.push((pose, self.reference(context, &part.shape, span, depth + 1)?));
                }
                let size = |shape: &Shape| if let Shape::Compound(inner) = shape { inner.parts().len() } else { 1 };
                if placed.iter().map(|(_, shape)| size(shape)).sum::<usize>() > MAX_PARTS {
                    context.report.push(span, format!("a compound has more than {MAX_PARTS} parts"), "");
                    return Err(Reported);
                }
                Shape::compound(placed)
            }
        };
        context.accept(span, simple)
    }

    fn hull_points(&mut self, hull: &HullFile) -> Result<Vec<DVec3>, String> {
        match (&hull.points, &hull.file) {
            (Some(points), None) => Ok(points.clone()),
            (None, Some(file)) => Ok(self.file(file, hull.scale)?.vertices),
            _ => Err("a hull has either `points` or a `file`".into()),
        }
    }

    fn mesh(&mut self, mesh: &MeshFile) -> Result<MeshData, String> {
        match (&mesh.file, &mesh.vertices, &mesh.triangles) {
            (Some(file), None, None) => self.file(file, mesh.scale),
            (None, Some(vertices), Some(triangles)) => {
                Ok(MeshData { vertices: vertices.clone(), triangles: triangles.clone() })
            }
            _ => Err("a mesh has either a `file`, or `vertices` and `triangles`".into()),
        }
    }

    fn file(&mut self, name: &str, scale: Option<f64>) -> Result<MeshData, String> {
        let scale = scale.unwrap_or(1.0);
        let key = (name.to_owned(), scale.to_bits());
        if let Some(known) = self.meshes.get(&key) {
            return Ok(known.clone());
        }
        let mut mesh = MeshData::read(self.files, name)?;
        mesh.vertices.iter_mut().for_each(|vertex| *vertex *= scale);
        self.meshes.insert(key, mesh.clone());
        Ok(mesh)
    }
}

fn terrain(heights: &[Vec<f64>], spacing: [f64; 2]) -> Result<Shape, String> {
    let columns = heights.first().map_or(0, Vec::len);
    if let Some(row) = heights.iter().position(|row| row.len() != columns) {
        return Err(format!("row {row} of the heights has {} numbers, but row 0 has {columns}", heights[row].len()));
    }
    Shape::height_field(heights.len(), columns, heights.concat(), spacing).map_err(|problem| problem.to_string())
}

/// Position and rotation as a transform.
pub(super) fn pose(
    context: &mut Context<'_>,
    span: Span,
    position: DVec3,
    rotation: Option<&RotationFile>,
) -> Result<Transform, Reported> {
    let rotation = rotation.map_or(Ok(DQuat::IDENTITY), RotationFile::to_quaternion);
    Ok(Transform::new(context.accept(span, rotation)?, position))
}
