//! Pairs without a kernel of their own, and polyhedra: the axis first, then the features that meet along it.

use super::cache::{Axis, ConvexCache};
use super::face_contact;
use super::feature::Feature;
use super::frame::Frame;
use super::meet::{closest_only, meet};
use super::name::{Kind, pack};
use super::polytope::{BoxParts, Polytope};
use super::sat::{MAX_FACES, Search};
use crate::query::Manifold;
use crate::query::closest::{Separation, as_convex, separation_within};
use crate::shape::Convex;
use crate::{Shape, Transform};
use glam::DVec3;

/// Two convex shapes of any kind but half-spaces.
pub(super) fn shapes(
    a: &Shape,
    b: &Shape,
    b_in_a: &Transform,
    frame: &Frame,
    prediction: f64,
    cache: &mut ConvexCache,
) -> Option<Manifold> {
    let closest = search(as_convex(a)?, as_convex(b)?, b_in_a, frame, prediction, cache)?;
    let feature_a = of_shape(a, closest.normal);
    let feature_b = of_shape(b, frame.inverse_vector(-closest.normal)).map(|p| frame.point(p));
    meet(&feature_a, &feature_b, &closest, prediction)
}

/// Two polyhedra: by separating axes if they have few faces, else by GJK and EPA.
///
/// Where they are apart and nearest at corners, no face or edge lies opposite another; the closest points remain.
pub(super) fn polytopes(
    (a, convex_a): (&Polytope, &impl Convex),
    (b, convex_b): (&Polytope, &impl Convex),
    b_in_a: &Transform,
    frame: &Frame,
    prediction: f64,
    cache: &mut ConvexCache,
) -> Option<Manifold> {
    if a.face_count > MAX_FACES || b.face_count > MAX_FACES {
        let closest = search(convex_a, convex_b, b_in_a, frame, prediction, cache)?;
        let feature_a = Feature::of_polytope(a, closest.normal);
        let feature_b = Feature::of_polytope(b, frame.inverse_vector(-closest.normal)).map(|p| frame.point(p));
        return meet(&feature_a, &feature_b, &closest, prediction);
    }
    let mut best = Search::run(a, b, frame, prediction, cache.axis);
    let mut manifold = None;
    if best.separation <= prediction {
        manifold = face_contact::contact(a, b, frame, &best, prediction);
        // The remembered face may have slid away from under the deepest point while still nearly the best axis.
        if best.axis == cache.axis && manifold.is_none_or(|m| m.max_depth() < best.least_depth()) {
            best = Search::run(a, b, frame, prediction, Axis::Unknown);
            manifold = face_contact::contact(a, b, frame, &best, prediction);
        }
        manifold = manifold.or_else(|| closest(convex_a, convex_b, b_in_a, prediction));
    }
    cache.axis = best.axis;
    manifold
}

/// One point at the closest points of two shapes, if these are within the prediction.
pub(super) fn closest(a: &impl Convex, b: &impl Convex, b_in_a: &Transform, prediction: f64) -> Option<Manifold> {
    closest_only(&separation_within(a, b, b_in_a, prediction)?, pack(Kind::EdgePair, 2, [u16::MAX; 3]), prediction)
}

/// The signed distance if it is within the prediction. The normal found last time is tried as separating axis first.
pub(super) fn search<A, B>(
    a: &A,
    b: &B,
    b_in_a: &Transform,
    frame: &Frame,
    prediction: f64,
    cache: &mut ConvexCache,
) -> Option<Separation>
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    if let Axis::Direction(axis) = cache.axis {
        let nearest = frame.point(b.support(frame.inverse_vector(-axis)));
        if axis.dot(nearest - a.support(axis)) - a.radius() - b.radius() > prediction {
            return None;
        }
    }
    let closest = separation_within(a, b, b_in_a, prediction)?;
    cache.axis = Axis::Direction(closest.normal);
    Some(closest)
}

/// What of a shape looks along the unit vector `direction`, with its radius.
pub(super) fn of_shape(shape: &Shape, direction: DVec3) -> Feature {
    match shape {
        Shape::Cuboid(cuboid) => Feature::of_polytope(&BoxParts::new(cuboid).as_polytope(), direction),
        Shape::Hull(hull) => Feature::of_polytope(&hull.as_polytope(), direction),
        Shape::Capsule(c) => Feature::of_segment(c.half_height(), direction).map(|p| p + direction * c.radius()),
        Shape::Cylinder(c) => Feature::of_cylinder(c.half_height(), c.radius(), direction),
        Shape::Cone(c) => Feature::of_cone(c.half_height(), c.radius(), direction),
        Shape::Custom(custom) => Feature::of_custom(custom, direction),
        Shape::Sphere(sphere) => Feature::point(direction * sphere.radius(), 0),
        Shape::HalfSpace(_) | Shape::Mesh(_) | Shape::HeightField(_) | Shape::Compound(_) => {
            Feature::point(DVec3::ZERO, 0)
        }
    }
}
