//! A triangle of a mesh and a convex shape.
//!
//! Besides the manifold it is told which part of the triangle the normal belongs to: only normals within the range of a
//! face, edge or corner can occur on the surface the triangle is part of, and what to do with the others (the internal
//! edges of a floor) is decided by the callers, who know the neighbouring triangles.

use super::ManifoldOptions;
use super::cache::ConvexCache;
use super::contour::{Closeness, Contour, MAX_CORNERS, opposite};
use super::frame::Frame;
use super::general;
use super::meet::{closest_only, meet};
use super::name::{FACE_OF_A, Kind, pack};
use super::polytope::{BoxParts, Polytope, TriangleParts};
use super::round::capsule_polytope;
use crate::primitive::{Triangle, TriangleFeature};
use crate::query::closest::{Separation, as_convex, is_usable};
use crate::query::{ContactPoint, Feature, FeatureId, Manifold};
use crate::{Shape, Transform};
use glam::DVec3;

/// A normal within this angle (sine) of a face's or perpendicular to an edge belongs to the face or edge.
const BELONGS: f64 = 1e-3;

/// How a triangle touches a convex shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TriangleContact {
    /// The points; the normal points from the triangle to the shape. Contact is possible from both sides.
    pub(crate) manifold: Manifold,
    /// What part of the triangle reaches farthest along the normal.
    pub(crate) feature: TriangleFeature,
}

/// The contact of `triangle` and `shape`, placed at `pose` in the triangle's frame. `None` for a triangle without area,
/// and for shapes that are not convex solids (half-spaces included).
pub(crate) fn triangle_contact(
    triangle: &Triangle,
    shape: &Shape,
    pose: &Transform,
    options: &ManifoldOptions,
    cache: &mut ConvexCache,
) -> Option<TriangleContact> {
    if !is_usable(pose) {
        return None;
    }
    let frame = Frame::new(pose);
    let prediction = options.prediction;
    let parts = TriangleParts::new(triangle)?;
    let first = (&parts.as_polytope(), triangle);
    let manifold = match shape {
        Shape::Cuboid(cuboid) => {
            let parts = BoxParts::new(cuboid);
            general::polytopes(first, (&parts.as_polytope(), cuboid), pose, &frame, prediction, cache)
        }
        Shape::Hull(hull) => general::polytopes(first, (&hull.as_polytope(), &**hull), pose, &frame, prediction, cache),
        Shape::Sphere(sphere) => {
            let nearest = triangle.closest_point(frame.translation);
            let offset = frame.translation - nearest.point;
            let gap = offset.length();
            let distance = gap - sphere.radius();
            let normal = if gap > 0.0 { offset / gap } else { triangle.normal()? };
            let (point_a, point_b) = (nearest.point, nearest.point + normal * distance);
            let closest = Separation { distance, normal, point_a, point_b };
            let features = || [general::feature_of_polytope(first.0, normal), Feature::Ball];
            closest_only(&closest, FeatureId::default(), features, prediction)
        }
        Shape::Capsule(capsule) => capsule_polytope(first, capsule, pose, &frame, prediction, cache),
        Shape::Cylinder(_) | Shape::Cone(_) | Shape::Ellipsoid(_) | Shape::Custom(_) => {
            general_contact(first, shape, pose, &frame, prediction, cache)
        }
        Shape::HalfSpace(_) | Shape::Mesh(_) | Shape::HeightField(_) | Shape::Torus(_) | Shape::Compound(_) => None,
    }?;
    Some(TriangleContact { manifold, feature: feature_along(triangle, manifold.normal) })
}

fn general_contact(
    (polytope, triangle): (&Polytope, &Triangle),
    shape: &Shape,
    pose: &Transform,
    frame: &Frame,
    prediction: f64,
    cache: &mut ConvexCache,
) -> Option<Manifold> {
    let closest = general::search(triangle, as_convex(shape)?, pose, frame, prediction, cache)?;
    let (up, down) = (closest.normal, frame.inverse_vector(-closest.normal));
    let [contour_a, contour_b] = opposite(
        |closeness| Contour::of_polytope(polytope, up, closeness),
        |closeness| general::of_shape(shape, down, closeness).map(|p| frame.point(p)),
    );
    let features = || [general::feature_of_polytope(polytope, up), general::feature_of(shape, down)];
    meet(&contour_a, &contour_b, &closest, features, prediction)
}

/// The contact of a triangle and a shape along a normal that is given: a normal of the triangle's plane. What of the shape
/// looks against the normal is cut to what lies straight above or below the triangle, however deep.
pub(crate) fn triangle_contact_along(
    triangle: &Triangle,
    shape: &Shape,
    pose: &Transform,
    normal: DVec3,
    prediction: f64,
) -> Option<Manifold> {
    let frame = Frame::new(pose);
    let parts = TriangleParts::new(triangle)?;
    let face = Contour::of_polytope(&parts.as_polytope(), normal, Closeness::GENEROUS);
    let opposite = above(shape, &frame, normal);
    if let [corner] = opposite.corners() {
        return corner_on_face(triangle, (*corner, opposite.ids()[0]), &opposite, normal, prediction);
    }
    meet(&face, &opposite, &unknown(normal), || [Feature::Spot; 2], prediction)
}

/// Calls `visit` with the contact of each corner that `shape` turns towards the triangle, straight above or below it. A
/// manifold keeps four points of the triangle's contact; where triangles are merged, the corners are what counts.
pub(crate) fn corners_on_triangle(
    triangle: &Triangle,
    shape: &Shape,
    pose: &Transform,
    normal: DVec3,
    prediction: f64,
    visit: &mut dyn FnMut(Manifold),
) {
    let frame = Frame::new(pose);
    let opposite = above(shape, &frame, normal);
    for corner in opposite.all() {
        if let Some(manifold) = corner_on_face(triangle, corner, &opposite, normal, prediction) {
            visit(manifold);
        }
    }
}

/// What a shape turns towards a plane below it: the corners that may come to touch it.
pub(crate) struct Underside(Contour);

impl Underside {
    /// The underside of `shape`, placed at `pose`, towards a plane with this normal. `None` for shapes whose corners alone do not tell
    /// how deep they are: user-defined ones, and faces with so many corners that only some are looked at.
    pub(crate) fn new(shape: &Shape, pose: &Transform, normal: DVec3) -> Option<Self> {
        if matches!(shape, Shape::Custom(_)) {
            return None;
        }
        let contour = above(shape, &Frame::new(pose), normal);
        let is_thinned = contour.corners().len() == MAX_CORNERS;
        (!is_thinned).then_some(Self(contour))
    }

    /// The corners, with the names of their contacts with a face below and what they are corners of.
    pub(crate) fn corners(&self) -> impl Iterator<Item = (DVec3, FeatureId, Feature)> + '_ {
        let named = |(corner, id)| (corner, corner_name(id), self.0.carrier().corner(id));
        self.0.all().map(named)
    }
}

/// The name of the contact of a corner with a face of the first shape.
fn corner_name(id: u32) -> FeatureId {
    pack(Kind::IncidentCorner, FACE_OF_A, [id, 0, 0])
}

/// What a shape turns towards a face below it with this normal.
fn above(shape: &Shape, frame: &Frame, normal: DVec3) -> Contour {
    let down = frame.inverse_vector(-normal);
    general::of_shape(shape, down, Closeness::WIDE).map(|p| frame.point(p)).as_incident()
}

/// The contact of two triangles in one frame along a normal from the first to the second; `closest` are their closest points if
/// the normal is theirs.
pub(crate) fn triangles_contact(
    a: &Triangle,
    b: &Triangle,
    normal: DVec3,
    closest: Option<&Separation>,
    prediction: f64,
) -> Option<Manifold> {
    let (parts_a, parts_b) = (TriangleParts::new(a)?, TriangleParts::new(b)?);
    let (polytope_a, polytope_b) = (parts_a.as_polytope(), parts_b.as_polytope());
    let contour_a = Contour::of_polytope(&polytope_a, normal, Closeness::GENEROUS);
    let contour_b = Contour::of_polytope(&polytope_b, -normal, Closeness::GENEROUS);
    let features =
        || [general::feature_of_polytope(&polytope_a, normal), general::feature_of_polytope(&polytope_b, -normal)];
    if let Some(closest) = closest {
        return meet(&contour_a, &contour_b, closest, features, prediction);
    }
    match (contour_a.corners(), contour_b.corners()) {
        ([_, _, _], [corner]) => corner_on_face(a, (*corner, contour_b.ids()[0]), &contour_b, normal, prediction),
        ([corner], [_, _, _]) => {
            let mut manifold = corner_on_face(b, (*corner, contour_a.ids()[0]), &contour_a, -normal, prediction)?;
            manifold.normal = normal;
            for point in manifold.points_mut() {
                point.features.reverse();
            }
            Some(manifold)
        }
        _ => meet(&contour_a, &contour_b, &unknown(normal), features, prediction),
    }
}

/// Closest points that are nowhere near.
fn unknown(normal: DVec3) -> Separation {
    Separation { distance: f64::INFINITY, normal, point_a: DVec3::ZERO, point_b: DVec3::ZERO }
}

/// A single corner of a contour, with its number, straight above or below a triangle.
fn corner_on_face(
    triangle: &Triangle,
    (corner, id): (DVec3, u32),
    contour: &Contour,
    normal: DVec3,
    prediction: f64,
) -> Option<Manifold> {
    let inside = triangle.barycentric(corner)?.min_element() >= -1e-9;
    // Along the normal, which need not be that of the triangle's plane.
    let plane = triangle.normal()?;
    let height = plane.dot(corner - triangle.vertices[0]) / plane.dot(normal);
    if !inside || height > prediction {
        return None;
    }
    let mut manifold = Manifold::new(normal);
    let (feature, features) = (corner_name(id), [Feature::Face(0), contour.carrier().corner(id)]);
    manifold.push(ContactPoint { position: corner - normal * (0.5 * height), depth: -height, feature, features });
    Some(manifold)
}

/// The part of the triangle that reaches farthest along `direction`.
pub(crate) fn feature_along(triangle: &Triangle, direction: DVec3) -> TriangleFeature {
    let [a, b, c] = triangle.vertices;
    let level = |edge: DVec3| edge.dot(direction).abs() <= BELONGS * edge.length();
    let edges = [b - a, c - b, a - c].map(level);
    if edges.iter().filter(|&&level| level).count() >= 2 {
        return TriangleFeature::Face;
    }
    let reach = [a, b, c].map(|v| v.dot(direction));
    // The lowest corner does not take part: the edge opposite to it does, if it is level, else its higher end.
    let lowest = if reach[0] <= reach[1] && reach[0] <= reach[2] {
        0
    } else if reach[1] <= reach[2] {
        1
    } else {
        2
    };
    let (next, last) = ((lowest + 1) % 3, (lowest + 2) % 3);
    if edges[next] {
        TriangleFeature::Edge(next as u8)
    } else if reach[next] >= reach[last] {
        TriangleFeature::Vertex(next as u8)
    } else {
        TriangleFeature::Vertex(last as u8)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotation_about;
    use crate::query::closest::separation_within;

    /// A large triangle in the xz plane, its normal up.
    fn floor() -> Triangle {
        Triangle::new(DVec3::new(-5.0, 0.0, -5.0), DVec3::new(0.0, 0.0, 8.0), DVec3::new(5.0, 0.0, -5.0))
    }

    fn contact(shape: &Shape, pose: &Transform) -> Option<TriangleContact> {
        triangle_contact(&floor(), shape, pose, &ManifoldOptions::default(), &mut ConvexCache::default())
    }

    fn kinds() -> [Shape; 6] {
        let corners: Vec<DVec3> = (0..6).map(|i| DVec3::AXES[i % 3] * if i < 3 { 0.5 } else { -0.5 }).collect();
        [
            Shape::sphere(0.5).unwrap(),
            Shape::cuboid([0.5, 0.5, 0.5]).unwrap(),
            Shape::capsule(0.3, 0.2).unwrap(),
            Shape::cylinder(0.5, 0.3).unwrap(),
            Shape::cone(0.5, 0.3).unwrap(),
            Shape::hull(&corners).unwrap(),
        ]
    }

    #[test]
    fn bodies_on_a_triangle_touch_its_face() {
        assert_eq!(floor().normal(), Some(DVec3::Y));
        for (shape, points) in kinds().into_iter().zip([1, 4, 1, 4, 4, 1]) {
            for side in [1.0, -1.0] {
                let base = if matches!(shape, Shape::Cone(_)) && side < 0.0 {
                    rotation_about(DVec3::X, std::f64::consts::PI)
                } else {
                    glam::DQuat::IDENTITY
                };
                let pose = Transform::new(base, DVec3::Y * (0.499 * side));
                let found = contact(&shape, &pose).unwrap();
                assert_eq!(found.feature, TriangleFeature::Face, "{shape:?}");
                assert!((found.manifold.normal - DVec3::Y * side).length() < 1e-9, "{shape:?}");
                assert!((found.manifold.max_depth() - 1e-3).abs() < 1e-9, "{shape:?}");
                assert_eq!(found.manifold.points().len(), points, "{shape:?}");
            }
            assert!(contact(&shape, &Transform::from_translation(DVec3::Y * 0.53)).is_none(), "{shape:?}");
        }
    }

    #[test]
    fn bodies_beside_a_triangle_touch_its_edges_and_corners() {
        let [sphere, cuboid, ..] = kinds();
        let beside = |shape: &Shape, place: DVec3| contact(shape, &Transform::from_translation(place)).unwrap().feature;
        // Edge 2 runs along x at z = −5.
        assert_eq!(beside(&sphere, DVec3::new(0.3, 0.0, -5.49)), TriangleFeature::Edge(2));
        assert_eq!(beside(&cuboid, DVec3::new(0.3, 0.0, -5.49)), TriangleFeature::Edge(2));
        assert_eq!(beside(&sphere, DVec3::new(0.0, 0.0, 8.49)), TriangleFeature::Vertex(1));
        assert_eq!(beside(&sphere, DVec3::new(0.3, 0.35, -5.34)), TriangleFeature::Edge(2));
    }

    #[test]
    fn depth_agrees_with_the_general_algorithm() {
        let mut random = fastrand::Rng::with_seed(3);
        for case in 0..6000 {
            let shape = &kinds()[case % 6];
            let mut coordinate = || random.f64() * 2.0 - 1.0;
            let place = DVec3::new(7.0 * coordinate(), 0.6 * coordinate(), 7.0 * coordinate());
            let axis = DVec3::new(coordinate(), coordinate(), 1.1).normalize();
            let pose = Transform::new(rotation_about(axis, 3.0 * coordinate()), place);
            let found = contact(shape, &pose);
            let exact = separation_within(&floor(), as_convex(shape).unwrap(), &pose, 0.02);
            match (found, exact) {
                (Some(found), Some(exact)) => {
                    let error = found.manifold.max_depth() + exact.distance;
                    let slack = 0.04 * exact.distance.abs() + 2e-4;
                    // Apart, the gap along the normal of a face may be less than the distance.
                    let late = exact.distance.max(0.0);
                    assert!(error > -slack && error < slack.max(late), "{shape:?} {pose:?}: {error} of {exact:?}");
                }
                (None, None) => {}
                _ => {
                    assert!(exact.is_some_and(|e| e.distance > 0.02 - 1e-9), "{shape:?} {pose:?}: {found:?} {exact:?}")
                }
            }
        }
    }
}
