//! What meshes and height fields have in common: many triangles, numbered, in a hierarchy; and maybe an inside.

use crate::bvh::Bvh;
use crate::query::PointProjection;
use crate::shape::{HeightField, Mesh};
use crate::{Aabb, BoundingVolume, Ray, Shape, Transform, Triangle};
use glam::DVec3;

/// A mesh or a height field.
#[derive(Clone, Copy, Debug)]
pub(super) enum Surface<'a> {
    Mesh(&'a Mesh),
    Field(&'a HeightField),
}

impl<'a> Surface<'a> {
    /// The surface a shape is, if it is one.
    pub(super) fn of(shape: &'a Shape) -> Option<Self> {
        match shape {
            Shape::Mesh(mesh) => Some(Self::Mesh(mesh)),
            Shape::HeightField(field) => Some(Self::Field(field)),
            _ => None,
        }
    }

    /// The box around all triangles.
    pub(super) fn aabb(self) -> Aabb {
        self.bvh().aabb()
    }

    /// The hierarchy. Its items are triangles or sets of triangles: see [`Surface::triangles_of`].
    pub(super) fn bvh(self) -> &'a Bvh {
        match self {
            Self::Mesh(mesh) => mesh.bvh(),
            Self::Field(field) => field.tiles(),
        }
    }

    /// Calls `visit` with the triangles of some items of the hierarchy.
    pub(super) fn triangles_of(self, items: &[u32], mut visit: impl FnMut(u32)) {
        match self {
            Self::Mesh(_) => items.iter().for_each(|&triangle| visit(triangle)),
            Self::Field(field) => items.iter().for_each(|&tile| field.tile_triangles(tile).for_each(&mut visit)),
        }
    }

    pub(super) fn triangle(self, index: u32) -> Triangle {
        match self {
            Self::Mesh(mesh) => mesh.triangle(index as usize),
            Self::Field(field) => field.triangle(index as usize),
        }
    }

    /// The triangle and the edge on the other side of an edge.
    pub(super) fn neighbor(self, index: u32, edge: usize) -> Option<(u32, usize)> {
        let (neighbor, across) = match self {
            Self::Mesh(mesh) => mesh.neighbor(index as usize, edge),
            Self::Field(field) => field.neighbor(index as usize, edge),
        }?;
        Some((neighbor as u32, across))
    }

    /// The smooth patch a triangle belongs to: see [`Mesh::patch`].
    pub(super) fn patch(self, index: u32) -> u32 {
        match self {
            Self::Mesh(mesh) => mesh.patch(index as usize),
            Self::Field(field) => field.patch(index as usize),
        }
    }

    /// The seed (a triangle) of the flat region that a triangle belongs to.
    pub(super) fn flat_seed(self, index: u32) -> u32 {
        match self {
            Self::Mesh(mesh) => mesh.flat_seed(index as usize),
            Self::Field(field) => field.flat_seed(index as usize),
        }
    }

    /// Whether that region goes on all around the triangle.
    pub(super) fn is_amid_flat(self, index: u32) -> bool {
        match self {
            Self::Mesh(mesh) => mesh.is_amid_flat(index as usize),
            Self::Field(field) => field.is_amid_flat(index as usize),
        }
    }

    /// The edges of a triangle, as bits, beyond which that region goes on.
    pub(super) fn level_edges(self, index: u32) -> u8 {
        match self {
            Self::Mesh(mesh) => mesh.level_edges(index as usize),
            Self::Field(field) => field.level_edges(index as usize),
        }
    }

    /// The unit normal of a triangle; `None` if it has no area.
    pub(super) fn normal(self, index: u32) -> Option<DVec3> {
        match self {
            Self::Mesh(mesh) => Some(mesh.stored_normal(index as usize)).filter(|normal| *normal != DVec3::ZERO),
            Self::Field(field) => field.triangle(index as usize).normal(),
        }
    }

    /// The number of a corner of a triangle, the same for all triangles that name it.
    pub(super) fn vertex_number(self, index: u32, corner: usize) -> u32 {
        match self {
            Self::Mesh(mesh) => mesh.triangles()[index as usize][corner],
            Self::Field(field) => field.vertex_number(index as usize, corner),
        }
    }

    /// Calls `visit` with the triangles whose boxes overlap `region` until it answers `false`; answers `false` if stopped.
    pub(super) fn overlapping(self, region: &Aabb, visit: &mut dyn FnMut(u32) -> bool) -> bool {
        match self {
            Self::Mesh(mesh) => mesh.bvh().overlapping(region, &mut |triangle| {
                !mesh.triangle(triangle as usize).aabb().overlaps(region) || visit(triangle)
            }),
            Self::Field(field) => field.overlapping(region, visit),
        }
    }

    /// Whether there is an inside.
    pub(super) fn is_solid(self) -> bool {
        match self {
            Self::Mesh(mesh) => mesh.is_solid(),
            Self::Field(_) => true,
        }
    }

    pub(super) fn contains_point(self, point: DVec3) -> bool {
        match self {
            Self::Mesh(mesh) => mesh.contains_point(point),
            Self::Field(field) => field.contains_point(point),
        }
    }

    /// How far along a finite ray it first meets the back of a triangle: where it leaves a solid.
    pub(super) fn first_exit(self, ray: &Ray) -> Option<f64> {
        match self {
            Self::Mesh(mesh) => mesh.first_exit(ray),
            Self::Field(field) => field.first_exit(ray),
        }
    }

    /// The closest point of the surface, with the signed distance.
    pub(super) fn closest_point(self, point: DVec3) -> Option<PointProjection> {
        match self {
            Self::Mesh(mesh) => mesh.closest_point(point),
            Self::Field(field) => field.closest_point(point),
        }
    }

    /// A point of every connected piece.
    pub(super) fn piece_points(self) -> Vec<DVec3> {
        match self {
            Self::Mesh(mesh) if mesh.is_closed() => {
                mesh.piece_vertices().iter().map(|&v| mesh.vertices()[v as usize]).collect()
            }
            Self::Mesh(_) | Self::Field(_) => vec![self.triangle(self.any_triangle()).vertices[0]],
        }
    }

    fn any_triangle(self) -> u32 {
        match self {
            Self::Mesh(mesh) => mesh.bvh().items()[0],
            Self::Field(_) => 0,
        }
    }
}

/// A box around a shape with all its inside, placed at `pose`; quickly, for large shapes not the smallest.
pub(super) fn whole_box(shape: &Shape, pose: &Transform) -> Aabb {
    match shape {
        Shape::Mesh(mesh) => mesh.aabb().transformed(pose),
        Shape::Compound(compound) => compound.aabb().transformed(pose),
        _ => shape.aabb(pose),
    }
}
