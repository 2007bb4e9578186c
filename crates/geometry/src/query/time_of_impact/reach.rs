//! How far a convex core reaches from the point and the axis it turns about.

use super::relative::Turning;
use crate::query::closest::as_convex;
use crate::shape::Convex;
use crate::{Aabb, Shape, Triangle};
use glam::DVec3;

/// A shape of any kind or a triangle of a surface: what can have an impact.
#[derive(Clone, Copy)]
pub(super) enum Solid<'a> {
    Shape(&'a Shape),
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

    /// The box around it in its own frame.
    pub(super) fn aabb(self) -> Aabb {
        match self {
            Self::Shape(shape) => shape.local_aabb(),
            Self::Triangle(triangle) => triangle.aabb(),
        }
    }

    /// A point in its middle; for a shape that is not convex any point.
    pub(super) fn middle(self) -> DVec3 {
        match self {
            Self::Shape(shape) => as_convex(shape).map_or(DVec3::ZERO, |convex| convex.center()),
            Self::Triangle(triangle) => triangle.centroid(),
        }
    }

    /// Calls `visit` with the center and radius of discs (across the y axis) and points (discs of radius zero) whose convex
    /// hull contains the core.
    fn outline(self, mut visit: impl FnMut(DVec3, f64)) {
        match self {
            Self::Triangle(triangle) => triangle.vertices.into_iter().for_each(|vertex| visit(vertex, 0.0)),
            Self::Shape(Shape::Sphere(_)) => visit(DVec3::ZERO, 0.0),
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
            Self::Shape(shape) => corners(&shape.local_aabb()).into_iter().for_each(|corner| visit(corner, 0.0)),
        }
    }
}

fn corners(aabb: &Aabb) -> [DVec3; 8] {
    let pick = |i: usize, axis: usize| if i >> axis & 1 == 0 { aabb.min[axis] } else { aabb.max[axis] };
    std::array::from_fn(|i| DVec3::new(pick(i, 0), pick(i, 1), pick(i, 2)))
}

/// Bounds of a core relative to the centre it turns about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// No point is farther from the centre.
    pub(super) from_center: f64,
    /// No point is farther from the axis: ρ. This and the next only for a body that turns.
    pub(super) from_axis: f64,
    /// How far it extends along the axis, backwards (negative) and forwards.
    along_axis: (f64, f64),
}

impl Reach {
    pub(super) fn new(solid: Solid, turning: &Turning) -> Self {
        let mut reach = Self::NOTHING;
        solid.outline(|point, radius| reach.include(turning, point, radius));
        reach
    }

    /// Bounds of everything in a box.
    pub(super) fn of_box(aabb: &Aabb, turning: &Turning) -> Self {
        let mut reach = Self::NOTHING;
        corners(aabb).into_iter().for_each(|corner| reach.include(turning, corner, 0.0));
        reach
    }

    const NOTHING: Self = Self { from_center: 0.0, from_axis: 0.0, along_axis: (f64::INFINITY, f64::NEG_INFINITY) };

    /// Includes a disc across the y axis.
    fn include(&mut self, turning: &Turning, point: DVec3, radius: f64) {
        let r = point - turning.center;
        self.from_center = self.from_center.max(r.length() + radius);
        if turning.rate == 0.0 {
            return;
        }
        let along = r.dot(turning.axis);
        let across = (r - turning.axis * along).length();
        self.from_axis = self.from_axis.max(across + radius);
        // A disc reaches r √(1 − e_y²) along the axis e.
        let disc = radius * (1.0 - turning.axis.y * turning.axis.y).max(0.0).sqrt();
        let (back, forth) = self.along_axis;
        self.along_axis = (back.min(along - disc), forth.max(along + disc));
    }

    /// How far the core reaches in a direction at any time of its turning: `along` and `across` are the parts of the
    /// direction's unit vector along the axis (signed) and across it.
    pub(super) fn of_envelope(&self, along: f64, across: f64) -> f64 {
        let (back, forth) = self.along_axis;
        (along * back).max(along * forth) + across * self.from_axis
    }
}
