//! Where to try a cut.

use crate::shape::{EdgeKind, Mesh};
use crate::{Aabb, Plane, math};
use glam::{DMat3, DVec3};

/// How many planes through concave edges are tried.
const MAX_CONCAVE: usize = 24;
/// How many evenly spaced planes are tried along each axis.
const PER_AXIS: usize = 7;

/// The planes of the triangles that meet in concave edges, those with the longest and sharpest ones first: cutting along
/// a wall where it meets the floor is what a person would do.
pub(super) fn along_concave_edges(mesh: &Mesh) -> Vec<Plane> {
    let mut planes: Vec<(f64, Plane)> = Vec::new();
    for index in 0..mesh.triangles().len() {
        let Some(normal) = mesh.normal(index) else { continue };
        let corners = mesh.triangle(index).vertices;
        let weight = (0..3).map(|edge| match (mesh.edge_kind(index, edge), mesh.neighbor(index, edge)) {
            (EdgeKind::Concave, Some((neighbor, _))) => {
                let angle = mesh.normal(neighbor).map_or(0.0, |other| math::angle_between(normal, other));
                angle * corners[edge].distance(corners[(edge + 1) % 3])
            }
            _ => 0.0,
        });
        let weight: f64 = weight.sum();
        if weight > 0.0 {
            planes.push((weight, Plane { normal, offset: normal.dot(corners[0]) }));
        }
    }
    // Stable, so that equal weights keep the order of the triangles.
    planes.sort_by(|(one, _), (two, _)| two.total_cmp(one));
    let size = mesh.aabb().extents().length();
    let mut distinct: Vec<Plane> = Vec::new();
    for (_, plane) in planes {
        if distinct.len() == MAX_CONCAVE {
            break;
        }
        if !distinct.iter().any(|other| coincide(other, &plane, size)) {
            distinct.push(plane);
        }
    }
    distinct
}

/// Whether two planes are the same up to direction, near the origin of a mesh of the given size.
fn coincide(one: &Plane, two: &Plane, size: f64) -> bool {
    let sign = 1.0_f64.copysign(one.normal.dot(two.normal));
    (one.normal - sign * two.normal).length() < 1e-6 && (one.offset - sign * two.offset).abs() < 1e-6 * size
}

/// A row of parallel planes.
pub(super) struct Row {
    normal: DVec3,
    from: f64,
    /// How far each is from the next.
    pub(super) spacing: f64,
}

impl Row {
    pub(super) fn planes(&self) -> impl Iterator<Item = Plane> {
        (1..=PER_AXIS).map(|k| Plane { normal: self.normal, offset: self.from + self.spacing * k as f64 })
    }
}

/// Rows of planes across the three `axes`, evenly spaced over the extent of `corners`.
pub(super) fn rows(axes: &DMat3, corners: &[DVec3]) -> [Row; 3] {
    let local = axes.transpose();
    let bounds = Aabb::from_points(corners.iter().map(|&corner| local * corner));
    let spacing = bounds.extents() / (PER_AXIS + 1) as f64;
    [0, 1, 2].map(|k| Row { normal: axes.col(k), from: bounds.min[k], spacing: spacing[k] })
}
