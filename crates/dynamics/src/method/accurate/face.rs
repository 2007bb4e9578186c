//! Flat faces and where they end: what slides or rolls over the border of a face leaves it at a moment of its own.
//!
//! A gap that is measured across a plane knows nothing of the face's end. The face of a box or hull is a convex polygon, and a place is
//! within it as far as it is from the nearest border line. The surface of a mesh goes on through triangles in one plane: they are
//! gathered into a region, and where that is convex, its borders are those of the face. At edges that rise a face does not end, since nothing
//! gets past them.

use crate::constraint::End;
use crate::constraint::feature::{ContactFeature, ContactSide, Gap};
use glam::DVec3;
use tumble_geometry::query::Feature;
use tumble_geometry::shape::{EdgeKind, Mesh};
use tumble_geometry::{Shape, Transform};

/// So many triangles in one plane are gathered at most; a face of more is as large as the triangle itself.
const REGION: usize = 64;

/// How far, of the size of a region, a corner may be beyond the border of a convex one.
const CONVEX: f64 = 1e-9;

/// A straight border of a face, in the frame of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Border {
    pub(super) point: DVec3,
    /// The unit vectors along it, and across it into the face.
    pub(super) direction: DVec3,
    pub(super) inward: DVec3,
}

impl Border {
    fn between(a: DVec3, b: DVec3, normal: DVec3, frame: &Transform) -> Option<Self> {
        let direction = (b - a).try_normalize()?;
        // Counter-clockwise as seen from outside.
        let inward = normal.cross(direction).try_normalize()?;
        Some(Self { point: frame.point(a), direction: frame.vector(direction), inward: frame.vector(inward) })
    }

    /// How far inside a point of the body's frame is, in metres.
    pub(super) fn within(&self, point: DVec3) -> f64 {
        (point - self.point).dot(self.inward)
    }
}

/// A face that something touches.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Face {
    /// Which body has it.
    pub(super) side: usize,
    pub(super) borders: Vec<Border>,
    /// How far its corners are apart at most, in metres.
    pub(super) size: f64,
}

impl Face {
    /// The face of a contact whose gap is measured across its plane; `parts` are the members of compounds that touch. None if it has no end.
    pub(super) fn of(feature: &ContactFeature, sides: &[ContactSide<'_>; 2], parts: [u32; 2]) -> Option<Self> {
        let (Gap::PointPlane { on, .. } | Gap::CirclePlane { on, .. } | Gap::EllipsoidPlane { on, .. }) = feature.gap
        else {
            return None;
        };
        let side = usize::from(on == End::Second);
        let (mut shape, mut frame) = (sides[side].shape, sides[side].frame);
        if let Shape::Compound(compound) = shape {
            let (pose, member) = compound.parts().get(parts[side] as usize)?;
            (shape, frame) = (member, frame * *pose);
        }
        let borders = match (shape, feature.features[side]) {
            (Shape::Cuboid(cuboid), Feature::Face(face)) => of_box(cuboid.half_extents(), face as usize, &frame),
            (Shape::Hull(hull), Feature::Face(face)) if (face as usize) < hull.face_count() => {
                let corners = hull.face_vertices(face as usize).iter().map(|&v| hull.vertex(v)).collect::<Vec<_>>();
                around(&corners, hull.face_plane(face as usize).normal, &frame)
            }
            (Shape::Mesh(mesh), Feature::Triangle { triangle, .. }) if (triangle as usize) < mesh.triangles().len() => {
                of_mesh(mesh, triangle as usize, &frame)
            }
            _ => return None,
        };
        (!borders.is_empty()).then(|| Self::new(side, borders))
    }

    fn new(side: usize, borders: Vec<Border>) -> Self {
        let apart = |a: &Border| borders.iter().map(|b| a.point.distance(b.point)).fold(0.0, f64::max);
        let size = borders.iter().map(apart).fold(0.0, f64::max);
        Self { side, borders, size }
    }

    /// How far within the face a point of the body's frame is, in metres.
    pub(super) fn within(&self, point: DVec3) -> f64 {
        self.borders.iter().map(|border| border.within(point)).fold(f64::INFINITY, f64::min)
    }

    /// The border that a point is nearest to, or farthest beyond.
    pub(super) fn nearest(&self, point: DVec3) -> Option<&Border> {
        self.borders.iter().min_by(|a, b| a.within(point).total_cmp(&b.within(point)))
    }
}

fn around(corners: &[DVec3], normal: DVec3, frame: &Transform) -> Vec<Border> {
    let next = |k: usize| corners[(k + 1) % corners.len()];
    corners.iter().enumerate().filter_map(|(k, &corner)| Border::between(corner, next(k), normal, frame)).collect()
}

fn of_box(half: DVec3, face: usize, frame: &Transform) -> Vec<Border> {
    let axis = face / 2;
    let (u, v) = (DVec3::AXES[(axis + 1) % 3] * half, DVec3::AXES[(axis + 2) % 3] * half);
    let (normal, v) = if face.is_multiple_of(2) { (DVec3::AXES[axis], v) } else { (-DVec3::AXES[axis], -v) };
    let center = normal * half;
    around(&[center + u + v, center - u + v, center - u - v, center + u - v], normal, frame)
}

/// The borders of the flat region around a triangle; if that is not convex or too large, those of the triangle.
fn of_mesh(mesh: &Mesh, triangle: usize, frame: &Transform) -> Vec<Border> {
    let Some(normal) = mesh.normal(triangle) else { return Vec::new() };
    let ends = |index: usize, edge: usize| matches!(mesh.edge_kind(index, edge), EdgeKind::Convex | EdgeKind::Boundary);
    let sides = |index: usize| {
        let corners = mesh.triangle(index).vertices;
        (0..3).map(move |edge| (edge, corners[edge], corners[(edge + 1) % 3]))
    };
    let (mut region, mut at) = (vec![triangle], 0);
    let (mut corners, mut borders): (Vec<DVec3>, Vec<Border>) = (Vec::new(), Vec::new());
    while let Some(&index) = region.get(at) {
        at += 1;
        for (edge, a, b) in sides(index) {
            corners.push(a);
            if ends(index, edge) {
                borders.extend(Border::between(a, b, normal, &Transform::IDENTITY));
            } else if mesh.edge_kind(index, edge) == EdgeKind::Flat
                && let Some((next, _)) = mesh.neighbor(index, edge)
                && !region.contains(&next)
            {
                region.push(next);
            }
        }
        if region.len() > REGION {
            break;
        }
    }
    let size = corners.iter().map(|corner| corner.distance(corners[0])).fold(0.0, f64::max);
    let is_convex = |border: &Border| corners.iter().all(|&corner| border.within(corner) >= -CONVEX * size);
    if region.len() > REGION || !borders.iter().all(is_convex) {
        borders = sides(triangle)
            .filter(|&(edge, ..)| ends(triangle, edge))
            .filter_map(|(_, a, b)| Border::between(a, b, normal, &Transform::IDENTITY))
            .collect();
    }
    // Collinear pieces of a border are one.
    let mut whole: Vec<Border> = Vec::new();
    for border in borders {
        let same = |other: &Border| {
            other.inward.dot(border.inward) > 1.0 - 1e-12 && other.within(border.point).abs() <= CONVEX * size
        };
        if !whole.iter().any(same) {
            whole.push(border);
        }
    }
    let placed = |border: &Border| Border {
        point: frame.point(border.point),
        direction: frame.vector(border.direction),
        inward: frame.vector(border.inward),
    };
    whole.iter().map(placed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The top of a table, as a box and as a mesh of twelve triangles: the same four borders, the same distance within.
    #[test]
    fn a_box_and_its_mesh_have_the_same_borders() {
        let (half, frame) = (DVec3::new(1.0, 0.1, 2.0), Transform::IDENTITY);
        let corner =
            |i: usize| half * DVec3::from_array([0, 1, 2].map(|bit| if i >> bit & 1 == 1 { 1.0 } else { -1.0 }));
        let quads = [[1, 3, 7, 5], [0, 4, 6, 2], [2, 6, 7, 3], [0, 1, 5, 4], [4, 5, 7, 6], [0, 2, 3, 1]];
        let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        let mesh = Mesh::new((0..8).map(corner).collect(), triangles).unwrap();
        for (face, quad) in quads.iter().enumerate() {
            let of_box = Face::new(0, of_box(half, face, &frame));
            assert_eq!(of_box.borders.len(), 4);
            for triangle in [2 * face, 2 * face + 1] {
                let of_mesh = Face::new(0, of_mesh(&mesh, triangle, &frame));
                assert_eq!(of_mesh.borders.len(), 4, "{face}");
                let center = corner(quad[0] as usize).midpoint(corner(quad[2] as usize));
                for point in [center, center + half * 0.3, center - half * 0.7, center + half * 1.2] {
                    assert!((of_box.within(point) - of_mesh.within(point)).abs() < 1e-12, "{face}: {point}");
                }
                assert!(of_box.within(center) > 0.09);
            }
        }
    }
}
