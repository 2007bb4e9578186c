//! Two features against each other along a known normal: what they share, seen along it.
//!
//! - polygon and polygon, polygon and segment: the one clipped by the sides of the other,
//! - two segments that run alike (to 1°): the two ends of their common part,
//! - anything else: the one pair of closest points that is known already.

use super::clip::{Outline, Patch, clip};
use super::contour::{Contour, MAX_CORNERS};
use super::name::{FACE_OF_A, FACE_OF_B, Kind, pack};
use crate::math::orthonormal_pair;
use crate::query::closest::Separation;
use crate::query::{ContactPoint, Feature, FeatureId, Manifold};
use glam::{DVec2, DVec3};

/// The sine of the angle up to which segments count as parallel.
pub(super) const PARALLEL: f64 = 0.02;
/// Segments that share less than this part of the shorter one share a point.
const SHARED: f64 = 1e-3;
/// The closest points may be this much deeper than the deepest point found, relative to depth and extent, before they are
/// added.
const MISSED: f64 = 1e-3;

/// The manifold of two contours in the frame of the first shape, with the closest points of the shapes and what these belong
/// to.
pub(super) fn meet(
    a: &Contour,
    b: &Contour,
    closest: &Separation,
    features: impl FnOnce() -> [Feature; 2],
    prediction: f64,
) -> Option<Manifold> {
    let mut manifold = Manifold::new(closest.normal);
    match (a.corners().len(), b.corners().len()) {
        (3.., 2..) if a.is_face() => against_polygon(&mut manifold, a, b, FACE_OF_A, prediction),
        (2.., 3..) if b.is_face() => against_polygon(&mut manifold, b, a, FACE_OF_B, prediction),
        (2, 2) => segments(&mut manifold, a, b, prediction),
        _ => {}
    }
    include_closest(&mut manifold, a, b, closest, features, prediction);
    (!manifold.points().is_empty()).then_some(manifold)
}

/// One point at the closest points of the shapes.
pub(super) fn closest_only(
    closest: &Separation,
    feature: FeatureId,
    features: impl FnOnce() -> [Feature; 2],
    prediction: f64,
) -> Option<Manifold> {
    let depth = -closest.distance;
    let is_near = depth >= -prediction;
    if !is_near {
        return None;
    }
    let mut manifold = Manifold::new(closest.normal);
    let position = 0.5 * (closest.point_a + closest.point_b);
    manifold.push(ContactPoint { position, depth, feature, features: features() });
    Some(manifold)
}

/// The name of the closest points where no corner or edge is known.
pub(super) fn closest_id(a: &Contour, b: &Contour) -> FeatureId {
    let number = |f: &Contour| if f.corners().len() == 1 { f.ids()[0] } else { u32::MAX };
    pack(Kind::EdgePair, 2, [number(a), number(b), 0])
}

/// Makes sure that the deepest point is there.
fn include_closest(
    manifold: &mut Manifold,
    a: &Contour,
    b: &Contour,
    closest: &Separation,
    features: impl FnOnce() -> [Feature; 2],
    prediction: f64,
) {
    let Some(only) = closest_only(closest, closest_id(a, b), || [Feature::Spot; 2], prediction) else { return };
    let mut point = only.points()[0];
    let distance = |p: &ContactPoint| p.position.distance_squared(point.position);
    let mut extent = 0.0_f64;
    let mut nearest = (0, f64::INFINITY);
    for (i, p) in manifold.points().iter().enumerate() {
        extent = extent.max(distance(p));
        if distance(p) < nearest.1 {
            nearest = (i, distance(p));
        }
    }
    let tolerance = MISSED * (point.depth.abs() + extent.sqrt());
    if manifold.max_depth() >= point.depth - tolerance {
        return;
    }
    point.features = features();
    if !manifold.push(point) {
        manifold.points_mut()[nearest.0] = point;
    }
}

/// Clips `incident` by `reference`, a polygon of the first shape (tag [`FACE_OF_A`]) or the second.
fn against_polygon(manifold: &mut Manifold, reference: &Contour, incident: &Contour, tag: u16, prediction: f64) {
    let z = if tag == FACE_OF_A { manifold.normal } else { -manifold.normal };
    let (x, y) = orthonormal_pair(z);
    let origin = reference.corners()[0];
    let flat = |point: DVec3| {
        let p = point - origin;
        DVec3::new(x.dot(p), y.dot(p), z.dot(p))
    };
    let mut outline = [DVec2::ZERO; MAX_CORNERS];
    // The plane of the polygon may be inclined against the normal: its height is −(mₓ x + m_y y)/m_z, with m its area
    // vector.
    let mut area = DVec3::ZERO;
    let mut previous = DVec3::ZERO;
    for (corner, &point) in outline.iter_mut().zip(reference.corners()) {
        let p = flat(point);
        *corner = p.truncate();
        area += previous.cross(p);
        previous = p;
    }
    let faces_along = area.z > 0.0;
    if !faces_along {
        return;
    }
    let slope = -area.truncate() / area.z;
    let above = |point: DVec3| {
        let p = flat(point);
        DVec3::new(p.x, p.y, p.z - slope.dot(p.truncate()))
    };
    let mut corners = [DVec3::ZERO; MAX_CORNERS];
    for (corner, &point) in corners.iter_mut().zip(incident.corners()) {
        *corner = above(point);
    }
    let (sides, count) = (reference.corners().len(), incident.corners().len());
    let outline = Outline {
        corners: &outline[..sides],
        ids: reference.ids(),
        carrier: reference.carrier(),
        whole: reference.whole(),
        inner: None,
    };
    let incident = Outline {
        corners: &corners[..count],
        ids: incident.ids(),
        carrier: incident.carrier(),
        whole: incident.whole(),
        inner: incident.inner().map(|(corner, id)| (above(corner), id)),
    };
    let patch: Patch = if sides + count < 16 {
        clip::<16>(outline, incident, tag, prediction)
    } else {
        clip::<{ 2 * MAX_CORNERS + 1 }>(outline, incident, tag, prediction)
    };
    for &(at, feature, features) in patch.points() {
        let height = slope.dot(at.truncate()) + 0.5 * at.z;
        let position = origin + x * at.x + y * at.y + z * height;
        manifold.push(ContactPoint { position, depth: -at.z, feature, features });
    }
}

/// The ends of the common part of two segments that run alike.
fn segments(manifold: &mut Manifold, a: &Contour, b: &Contour, prediction: f64) {
    let normal = manifold.normal;
    let (a0, a1) = (a.corners()[0], a.corners()[1]);
    let (b0, b1) = (b.corners()[0], b.corners()[1]);
    let across = |v: DVec3| v - normal * normal.dot(v);
    let (along_a, along_b) = (across(a1 - a0), across(b1 - b0));
    let (length_a, length_b) = (along_a.length(), along_b.length());
    let run_alike = along_a.cross(along_b).length() <= PARALLEL * length_a * length_b;
    if !run_alike {
        return;
    }
    // Parameters of B's ends along A, and A's own ends 0 and 1.
    let project = |p: DVec3| along_a.dot(p - a0) / (length_a * length_a);
    let (s0, s1) = (project(b0), project(b1));
    let (from, to) = (s0.min(s1).max(0.0), s0.max(s1).min(1.0));
    let overlap = to - from > SHARED * (length_b / length_a).min(1.0);
    if !overlap {
        return;
    }
    for s in [from, to] {
        let on_a = a0 + (a1 - a0) * s;
        let on_b = b0 + (b1 - b0) * ((s - s0) / (s1 - s0));
        let depth = normal.dot(on_a - on_b);
        // Which end stops the common part here, of which segment.
        let (stop_a, stop_b) = (s <= 0.0 || s >= 1.0, usize::from((s - s1).abs() < (s - s0).abs()));
        let end_of_a = usize::from(s >= 1.0);
        let id = if stop_a { a.ids()[end_of_a] } else { b.ids()[stop_b] };
        let features = if stop_a { [a.corner(end_of_a), b.whole()] } else { [a.whole(), b.corner(stop_b)] };
        let feature = pack(Kind::EdgePair, 3 + u16::from(stop_a), [id, 0, 0]);
        if depth >= -prediction {
            manifold.push(ContactPoint { position: 0.5 * (on_a + on_b), depth, feature, features });
        }
    }
}
