//! Meshes, height fields and compounds as what they are made of.

use super::reach::Solid;
use crate::bvh::{BoxMover, Bvh};
use crate::shape::{Compound, Convex, HeightField, Mesh};
use crate::{Aabb, Shape, Transform, Triangle};
use glam::DVec3;

/// A shape made of parts.
#[derive(Clone, Copy)]
pub(super) enum Parts<'a> {
    Mesh(&'a Mesh),
    HeightField(&'a HeightField),
    Compound(&'a Compound),
}

/// One of the parts.
pub(super) enum Part<'a> {
    /// A triangle, in the frame of the whole.
    Triangle(Triangle),
    /// A shape at its pose in the frame of the whole.
    Placed(&'a Transform, &'a Shape),
}

impl Part<'_> {
    pub(super) fn solid(&self) -> Solid<'_> {
        match self {
            Self::Triangle(triangle) => Solid::Triangle(triangle),
            Self::Placed(_, shape) => Solid::Shape(shape),
        }
    }

    /// The box around it in the frame of the whole.
    pub(super) fn aabb(&self) -> Aabb {
        match self {
            Self::Triangle(triangle) => triangle.aabb(),
            Self::Placed(pose, shape) => Parts::of(Solid::Shape(shape))
                .map_or_else(|| shape.aabb(pose), |parts| BoxMover::new(pose).moved(&parts.aabb())),
        }
    }
}

impl<'a> Parts<'a> {
    /// `None` if the shape is not made of parts.
    pub(super) fn of(solid: Solid<'a>) -> Option<Self> {
        match solid {
            Solid::Shape(Shape::Mesh(mesh)) => Some(Self::Mesh(mesh)),
            Solid::Shape(Shape::HeightField(field)) => Some(Self::HeightField(field)),
            Solid::Shape(shape) => shape.as_compound().map(Self::Compound),
            Solid::Triangle(_) => None,
        }
    }

    /// The box around all parts.
    pub(super) fn aabb(self) -> Aabb {
        self.bvh().aabb()
    }

    pub(super) fn bvh(self) -> &'a Bvh {
        match self {
            Self::Mesh(mesh) => mesh.bvh(),
            Self::HeightField(field) => field.tiles(),
            Self::Compound(compound) => compound.bvh(),
        }
    }

    /// Calls `visit` with the number of every part that belongs to an item of the hierarchy, and the part.
    pub(super) fn each(self, item: u32, visit: &mut dyn FnMut(u32, Part<'a>)) {
        match self {
            Self::Mesh(mesh) => visit(item, Part::Triangle(mesh.triangle(item as usize))),
            Self::HeightField(field) => {
                for triangle in field.tile_triangles(item) {
                    visit(triangle, Part::Triangle(field.triangle(triangle as usize)));
                }
            }
            Self::Compound(compound) => {
                let (pose, shape) = &compound.parts()[item as usize];
                visit(item, Part::Placed(pose, shape));
            }
        }
    }

    /// The corner of a surface that is farthest along `direction`, and its triangle.
    pub(super) fn farthest_corner(self, direction: DVec3) -> (u32, DVec3) {
        let mut farthest = (f64::NEG_INFINITY, 0, DVec3::ZERO);
        self.bvh().nearest_first(
            f64::INFINITY,
            |boxes| boxes.lowest_along(-direction),
            |range, _| {
                for &item in &self.bvh().items()[range] {
                    self.each(item, &mut |number, part| {
                        let Part::Triangle(triangle) = part else { return };
                        for corner in triangle.vertices {
                            let reach = corner.dot(direction);
                            if reach > farthest.0 {
                                farthest = (reach, number, corner);
                            }
                        }
                    });
                }
                -farthest.0
            },
        );
        (farthest.1, farthest.2)
    }
}

/// A surface as a half-space meets it: only its corners matter.
pub(super) struct Corners<'a>(pub(super) Parts<'a>);

impl Convex for Corners<'_> {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.0.farthest_corner(direction).1
    }
}
