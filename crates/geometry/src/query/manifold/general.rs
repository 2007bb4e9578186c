//! Pairs without a kernel of their own, and polyhedra: the axis first, then the features that meet along it.

use super::cache::{Axis, ConvexCache};
use super::contour::{Carrier, Closeness, Contour, opposite};
use super::face_contact;
use super::frame::Frame;
use super::meet::{closest_only, meet};
use super::name::{Kind, pack};
use super::polytope::{BoxParts, Polytope};
use super::sat::{MAX_FACES, Search};
use crate::query::closest::{Separation, as_convex, separation_within};
use crate::query::{Feature, Manifold};
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
    let (out_of_a, out_of_b) = (closest.normal, frame.inverse_vector(-closest.normal));
    let [contour_a, contour_b] = opposite(
        |closeness| of_shape(a, out_of_a, closeness),
        |closeness| of_shape(b, out_of_b, closeness).map(|p| frame.point(p)),
    );
    meet(&contour_a, &contour_b, &closest, || [feature_of(a, out_of_a), feature_of(b, out_of_b)], prediction)
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
        let (out_of_a, out_of_b) = (closest.normal, frame.inverse_vector(-closest.normal));
        let [contour_a, contour_b] = opposite(
            |closeness| Contour::of_polytope(a, out_of_a, closeness),
            |closeness| Contour::of_polytope(b, out_of_b, closeness).map(|p| frame.point(p)),
        );
        let features = || [feature_of_polytope(a, out_of_a), feature_of_polytope(b, out_of_b)];
        return meet(&contour_a, &contour_b, &closest, features, prediction);
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
        manifold = manifold.or_else(|| closest((a, convex_a), (b, convex_b), b_in_a, frame, prediction));
    }
    cache.axis = best.axis;
    manifold
}

/// One point at the closest points of two polyhedra, if these are within the prediction.
pub(super) fn closest(
    (a, convex_a): (&Polytope, &impl Convex),
    (b, convex_b): (&Polytope, &impl Convex),
    b_in_a: &Transform,
    frame: &Frame,
    prediction: f64,
) -> Option<Manifold> {
    let closest = separation_within(convex_a, convex_b, b_in_a, prediction)?;
    let features =
        || [feature_of_polytope(a, closest.normal), feature_of_polytope(b, frame.inverse_vector(-closest.normal))];
    closest_only(&closest, pack(Kind::EdgePair, 2, [u32::MAX; 3]), features, prediction)
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

/// The feature that the point of a shape farthest along `direction` belongs to.
pub(super) fn feature_of(shape: &Shape, direction: DVec3) -> Feature {
    match shape {
        Shape::HalfSpace(_) => Feature::Plane,
        _ => of_shape(shape, direction, Closeness::STRICT).whole(),
    }
}

/// The same for a polyhedron.
pub(super) fn feature_of_polytope(polytope: &Polytope, direction: DVec3) -> Feature {
    Contour::of_polytope(polytope, direction, Closeness::STRICT).whole()
}

/// What of a shape looks along the unit vector `direction`, with its radius.
pub(super) fn of_shape(shape: &Shape, direction: DVec3, closeness: Closeness) -> Contour {
    match shape {
        Shape::Cuboid(cuboid) => Contour::of_polytope(&BoxParts::new(cuboid).as_polytope(), direction, closeness),
        Shape::Hull(hull) => Contour::of_polytope(&hull.as_polytope(), direction, closeness),
        Shape::Capsule(c) => {
            Contour::of_segment(c.half_height(), direction, closeness).map(|p| p + direction * c.radius())
        }
        Shape::Cylinder(c) => Contour::of_cylinder(c.half_height(), c.radius(), direction, closeness),
        Shape::Cone(c) => Contour::of_cone(c.half_height(), c.radius(), direction, closeness),
        Shape::Ellipsoid(e) => Contour::point(Carrier::Custom, e.support(direction), 0),
        Shape::Custom(custom) => Contour::of_custom(custom, direction),
        Shape::Sphere(sphere) => Contour::point(Carrier::Sphere, direction * sphere.radius(), 0),
        Shape::HalfSpace(_) | Shape::Mesh(_) | Shape::HeightField(_) | Shape::Torus(_) | Shape::Compound(_) => {
            Contour::point(Carrier::Custom, DVec3::ZERO, 0)
        }
    }
}
