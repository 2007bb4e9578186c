//! How far a convex core reaches from the point and the axis it turns about.

use super::relative::Turning;
use crate::query::closest::as_convex;
use crate::shape::Convex;
use crate::{Shape, Triangle};
use glam::DVec3;

/// A convex shape or a triangle of a surface: what time of impact is found for, one pair at a time.
#[derive(Clone, Copy)]
pub(super) enum Solid<'a> {
    /// A shape that is convex.
    Shape(&'a Shape),
    #[expect(dead_code, reason = "the surfaces, about to land, use it")]
    Triangle(&'a Triangle),
}

impl<'a> Solid<'a> {
    /// Its support mapping; `None` for a shape that is not convex.
    pub(super) fn convex(self) -> Option<&'a dyn Convex> {
        match self {
            Self::Shape(shape) => as_convex(shape),
            Self::Triangle(triangle) => Some(triangle),
        }
    }

    /// Calls `visit` with the center and radius of discs (across the y axis) and points (discs of radius zero) whose convex
    /// hull contains the core.
    fn outline(self, mut visit: impl FnMut(DVec3, f64)) {
        let mut corners = |min: DVec3, max: DVec3| {
            for i in 0..8 {
                let pick = |bit: usize, low: f64, high: f64| if i >> bit & 1 == 0 { low } else { high };
                visit(DVec3::new(pick(0, min.x, max.x), pick(1, min.y, max.y), pick(2, min.z, max.z)), 0.0);
            }
        };
        match self {
            Self::Triangle(triangle) => triangle.vertices.into_iter().for_each(|vertex| visit(vertex, 0.0)),
            Self::Shape(Shape::Sphere(_)) => visit(DVec3::ZERO, 0.0),
            Self::Shape(Shape::Cuboid(cuboid)) => corners(-cuboid.half_extents(), cuboid.half_extents()),
            Self::Shape(Shape::Capsule(capsule)) => {
                visit(DVec3::Y * capsule.half_height(), 0.0);
                visit(DVec3::Y * -capsule.half_height(), 0.0);
            }
            Self::Shape(Shape::Cylinder(cylinder)) => {
                visit(DVec3::Y * cylinder.half_height(), cylinder.radius());
                visit(DVec3::Y * -cylinder.half_height(), cylinder.radius());
            }
            Self::Shape(Shape::Cone(cone)) => {
                visit(DVec3::Y * cone.half_height(), 0.0);
                visit(DVec3::Y * -cone.half_height(), cone.radius());
            }
            Self::Shape(Shape::Hull(hull)) => hull.vertices().iter().for_each(|&vertex| visit(vertex, 0.0)),
            Self::Shape(shape) => {
                let aabb = shape.local_aabb();
                corners(aabb.min, aabb.max);
            }
        }
    }
}

/// Bounds of a core relative to the centre it turns about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// No point is farther from the centre.
    pub(super) from_center: f64,
    /// No point is farther from the axis: ρ.
    pub(super) from_axis: f64,
    /// How far it extends along the axis, backwards (negative) and forwards.
    along_axis: (f64, f64),
}

impl Reach {
    pub(super) fn new(solid: Solid, turning: &Turning) -> Self {
        let mut reach = Self { from_center: 0.0, from_axis: 0.0, along_axis: (f64::INFINITY, f64::NEG_INFINITY) };
        // A disc reaches r √(1 − e_y²) along the axis e.
        let tilt = (1.0 - turning.axis.y * turning.axis.y).max(0.0).sqrt();
        solid.outline(|point, radius| {
            let r = point - turning.center;
            let along = r.dot(turning.axis);
            let across = (r - turning.axis * along).length();
            reach.from_center = reach.from_center.max(r.length() + radius);
            reach.from_axis = reach.from_axis.max(across + radius);
            let (back, forth) = reach.along_axis;
            reach.along_axis = (back.min(along - radius * tilt), forth.max(along + radius * tilt));
        });
        reach
    }

    /// How far the core reaches in a direction at any time of its turning: `along` and `across` are the parts of the
    /// direction's unit vector along the axis (signed) and across it.
    pub(super) fn of_envelope(&self, along: f64, across: f64) -> f64 {
        let (back, forth) = self.along_axis;
        (along * back).max(along * forth) + across * self.from_axis
    }
}
