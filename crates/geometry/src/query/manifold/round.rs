//! Spheres and capsules.
//!
//! A sphere touches in one point, that of the other surface closest to its centre: exact for every shape.
//! A capsule is a segment with a radius: two segments have a closed form, and against a polyhedron the face it lies on
//! is usually found, and proven to be the right one, with one product per face and end.

use super::cache::ConvexCache;
use super::contour::{Closeness, Contour, opposite};
use super::frame::Frame;
use super::general::{feature_of, feature_of_polytope, search};
use super::meet::{PARALLEL, closest_only, meet};
use super::name::{Kind, pack};
use super::polytope::Polytope;
use crate::primitive::Segment;
use crate::query::closest::Separation;
use crate::query::{Feature, FeatureId, Manifold, Pole};
use crate::shape::{Capsule, Convex, Sphere};
use crate::{Shape, Transform};
use glam::DVec3;

/// Nothing reaches beyond the closest point by more than this share of the size: rounding.
const CERTAIN: f64 = 1e-12;

/// Any convex shape and a sphere around `center`.
#[inline]
pub(super) fn sphere(other: &Shape, sphere: &Sphere, center: DVec3, prediction: f64) -> Option<Manifold> {
    let nearest = other.closest_point(center)?;
    let distance = nearest.distance - sphere.radius();
    let features = || [feature_of(other, nearest.normal), Feature::Ball];
    one_point(nearest.normal, nearest.point, distance, features, prediction)
}

/// A sphere and any convex shape.
#[inline]
pub(super) fn sphere_first(sphere: &Sphere, other: &Shape, pose: &Transform, prediction: f64) -> Option<Manifold> {
    let nearest = other.closest_point(pose.inverse_vector(-pose.translation))?;
    let distance = nearest.distance - sphere.radius();
    let normal = pose.vector(-nearest.normal);
    let features = || [Feature::Ball, feature_of(other, nearest.normal)];
    one_point(normal, normal * sphere.radius(), distance, features, prediction)
}

/// The manifold of a single pair of points: `point_a` and, `distance` from it along the normal, a point of B.
fn one_point(
    normal: DVec3,
    point_a: DVec3,
    distance: f64,
    features: impl FnOnce() -> [Feature; 2],
    prediction: f64,
) -> Option<Manifold> {
    let closest = Separation { distance, normal, point_a, point_b: point_a + normal * distance };
    closest_only(&closest, FeatureId::default(), features, prediction)
}

/// Two capsules.
pub(super) fn capsule_capsule(a: &Capsule, b: &Capsule, frame: &Frame, prediction: f64) -> Option<Manifold> {
    let up = DVec3::new(0.0, a.half_height(), 0.0);
    let (b0, b1) = ends(b, frame);
    let pair = Segment::new(up, -up).closest_to_segment(&Segment::new(b0, b1));
    let offset = pair.point_b - pair.point_a;
    let gap = offset.length();
    let reach = a.radius() + b.radius();
    if gap > reach + prediction {
        return None;
    }
    // Where the segments cross they come apart soonest along their common perpendicular.
    let normal = if gap > 1e-12 * reach { offset / gap } else { up.cross(b1 - b0).try_normalize().unwrap_or(DVec3::X) };
    let closest = Separation {
        distance: gap - reach,
        normal,
        point_a: pair.point_a + normal * a.radius(),
        point_b: pair.point_b - normal * b.radius(),
    };
    // How far each axis leans towards the other capsule.
    let leans = [normal.y, -frame.rotation.y_axis.dot(normal)];
    let features = || leans.map(|lean| segment_feature(lean, Closeness::STRICT));
    let across = |axis: DVec3| axis - normal * normal.dot(axis);
    let (axis_a, axis_b) = (across(DVec3::Y), across(frame.rotation.y_axis));
    let lie_alike = axis_a.cross(axis_b).length_squared()
        <= PARALLEL * PARALLEL * axis_a.length_squared() * axis_b.length_squared();
    if !lie_alike || leans.into_iter().any(|lean| segment_feature(lean, Closeness::GENEROUS) != Feature::Segment) {
        let numbers = leans.map(|lean| match segment_feature(lean, Closeness::GENEROUS) {
            Feature::End(Pole::Top) => 0,
            Feature::End(Pole::Bottom) => 1,
            _ => u32::MAX,
        });
        let feature = pack(Kind::EdgePair, 2, [numbers[0], numbers[1], 0]);
        return closest_only(&closest, feature, features, prediction);
    }
    let contour_a = Contour::of_ends(a.half_height()).map(|p| p + normal * a.radius());
    let contour_b = Contour::of_ends(b.half_height()).map(|p| frame.point(p) - normal * b.radius());
    meet(&contour_a, &contour_b, &closest, features, prediction)
}

/// What of a capsule looks along a unit vector with this part along its axis: its side or an end.
fn segment_feature(lean: f64, closeness: Closeness) -> Feature {
    if lean.abs() <= closeness.flat() {
        Feature::Segment
    } else {
        Feature::End(if lean > 0.0 { Pole::Top } else { Pole::Bottom })
    }
}

/// The ends of a capsule's segment in the frame of the first shape.
fn ends(capsule: &Capsule, frame: &Frame) -> (DVec3, DVec3) {
    let up = frame.vector(DVec3::new(0.0, capsule.half_height(), 0.0));
    (frame.translation + up, frame.translation - up)
}

/// What of a capsule, the second shape, looks against the normal; in the frame of the first shape.
fn capsule_contour(capsule: &Capsule, frame: &Frame, normal: DVec3, closeness: Closeness) -> Contour {
    Contour::of_segment(capsule.half_height(), frame.inverse_vector(-normal), closeness)
        .map(|p| frame.point(p) - normal * capsule.radius())
}

/// A polyhedron and a capsule.
pub(super) fn capsule_polytope(
    (polytope, convex): (&Polytope, &impl Convex),
    capsule: &Capsule,
    b_in_a: &Transform,
    frame: &Frame,
    prediction: f64,
    cache: &mut ConvexCache,
) -> Option<Manifold> {
    let (face, height, lower) = highest_face(polytope, ends(capsule, frame));
    if height > capsule.radius() + prediction {
        return None;
    }
    let (p, q) = ends(capsule, frame);
    let is_outside = height > 0.0;
    let known = if !is_outside {
        None
    } else if lies_above(polytope, face, lower) {
        let normal = polytope.planes[face].normal;
        Some((normal, lower - normal * height, height))
    } else {
        nearest_edge(polytope, face, &Segment::new(p, q))
    };
    let closest = match known {
        Some((normal, point_a, gap)) => {
            let distance = gap - capsule.radius();
            Separation { distance, normal, point_a, point_b: point_a + normal * distance }
        }
        None => search(convex, capsule, b_in_a, frame, prediction, cache)?,
    };
    let [contour, segment] = opposite(
        |closeness| Contour::of_polytope(polytope, closest.normal, closeness),
        |closeness| capsule_contour(capsule, frame, closest.normal, closeness),
    );
    let features = || {
        let of_capsule = capsule_contour(capsule, frame, closest.normal, Closeness::STRICT).whole();
        [feature_of_polytope(polytope, closest.normal), of_capsule]
    };
    if segment.corners().len() == 1 {
        let feature = pack(Kind::EdgePair, 2, [u32::MAX, segment.ids()[0], 0]);
        return closest_only(&closest, feature, features, prediction);
    }
    meet(&contour, &segment, &closest, features, prediction)
}

/// The closest points of a segment and the edges of a face: normal, point of the face, distance. `None` if the polyhedron
/// comes closer elsewhere.
///
/// The closest points x, y of two convex sets are those with nothing of the first beyond x along n = (y − x)/|y − x| and
/// nothing of the second before y. Of the segment that is so for each edge, of the polyhedron it is tested.
fn nearest_edge(polytope: &Polytope, face: usize, segment: &Segment) -> Option<(DVec3, DVec3, f64)> {
    let corners = polytope.face(face);
    let mut start = polytope.vertices[corners[corners.len() - 1] as usize];
    let mut best = (f64::INFINITY, DVec3::ZERO, DVec3::ZERO);
    for &corner in corners {
        let end = polytope.vertices[corner as usize];
        let pair = Segment::new(start, end).closest_to_segment(segment);
        let square = pair.distance_squared();
        if square < best.0 {
            best = (square, pair.point_a, pair.point_b);
        }
        start = end;
    }
    let (square, x, y) = best;
    let gap = square.sqrt();
    let normal = (y - x) / gap;
    let farthest = polytope.vertices[polytope.support(normal)];
    let is_nearest = normal.dot(farthest - x) <= CERTAIN * polytope.size && gap > CERTAIN * polytope.size;
    is_nearest.then_some((normal, x, gap))
}

/// The face above which the lower end of a segment is highest, that height, and that end.
///
/// No point of the segment is closer to the polyhedron than the height; if it is positive and the lower end lies straight above
/// the face, it is the distance.
fn highest_face(polytope: &Polytope, (p, q): (DVec3, DVec3)) -> (usize, f64, DVec3) {
    let mut best = (0, f64::NEG_INFINITY);
    for (i, plane) in polytope.planes[..polytope.face_count].iter().enumerate() {
        let lower = plane.normal.dot(p).min(plane.normal.dot(q)) - plane.offset;
        if lower > best.1 {
            best = (i, lower);
        }
    }
    let normal = polytope.planes[best.0].normal;
    (best.0, best.1, if normal.dot(p) <= normal.dot(q) { p } else { q })
}

/// Whether a point lies straight above a face.
fn lies_above(polytope: &Polytope, face: usize, point: DVec3) -> bool {
    let normal = polytope.planes[face].normal;
    let corners = polytope.face(face);
    let mut start = polytope.vertices[corners[corners.len() - 1] as usize];
    for &corner in corners {
        let end = polytope.vertices[corner as usize];
        if (end - start).cross(point - start).dot(normal) < 0.0 {
            return false;
        }
        start = end;
    }
    true
}
