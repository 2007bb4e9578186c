//! The common part of two faces: the incident polygon cut by the sides of the reference polygon (Sutherland–Hodgman).
//!
//! Everything happens in coordinates of the reference plane: x and y in the plane, z the height above it. A corner of
//! the result is one of three things, and that is what its name says, so that a small motion changes no name:
//! a corner of the incident polygon, a corner of the reference polygon, or a crossing of an edge of each.
//! Where polygons almost share a corner (a stack of equal boxes) the last digit decides which of these a point is;
//! therefore a point within 1 % of the extent of a corner is named after that corner.

use super::contour::Carrier;
use super::name::{FACE_OF_B, Kind, pack};
use super::select::select;
use crate::query::{Feature, FeatureId};
use glam::{DVec2, DVec3};

/// A point this close to a corner, relative to the extent of the contact, bears the corner's name.
const NEAR_CORNER: f64 = 1e-2;

/// Points closer to each other than this share of the smaller polygon's extent are one.
const GRAIN: f64 = 1e-4;

/// The sine of the slope up to which a segment is level: 3°.
const LEVEL: f64 = 0.0523;

/// A polygon whose corners have numbers in the shape they belong to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outline<'a, P> {
    /// The corners, counter-clockwise for the reference, either way for the incident polygon. One or two make a point
    /// or a segment.
    pub(super) corners: &'a [P],
    /// Their numbers in the shape.
    pub(super) ids: &'a [u32],
    /// What the numbers mean.
    pub(super) carrier: Carrier,
    /// The feature that the polygon is.
    pub(super) whole: Feature,
    /// A further corner of the incident polygon, within it, with its number.
    pub(super) inner: Option<(P, u32)>,
}

impl<P> Outline<'_, P> {
    fn corner(&self, i: u16) -> Feature {
        self.carrier.corner(self.ids[usize::from(i)])
    }

    /// The side after a corner.
    fn side(&self, i: u16) -> Feature {
        let next = self.ids[(usize::from(i) + 1) % self.ids.len()];
        self.carrier.side([self.ids[usize::from(i)], next], self.whole)
    }
}

/// A point in coordinates of the reference plane, with its name and what it is made of.
pub(super) type PatchPoint = (DVec3, FeatureId, [Feature; 2]);

/// Up to four points in coordinates of the reference plane.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Patch {
    points: [PatchPoint; 4],
    count: usize,
}

impl Patch {
    pub(super) fn points(&self) -> &[PatchPoint] {
        &self.points[..self.count]
    }
}

/// What a point is made of, in positions within the outlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    /// A corner of the incident polygon.
    Incident(u16),
    /// The corner within the incident polygon.
    Inner,
    /// A corner of the reference polygon above or below the incident one.
    Reference(u16),
    /// The edge of the incident polygon after its corner, across the edge of the reference polygon after its corner.
    Crossing(u16, u16),
}

/// An edge of the polygon being cut: a piece of the incident polygon's edge after a corner, or of a cutting line.
#[derive(Clone, Copy, Debug)]
enum Side {
    Incident(u16),
    Cut(u16),
}

#[derive(Clone, Copy, Debug)]
struct Corner {
    at: DVec3,
    name: Name,
    /// The edge to the next corner.
    side: Side,
}

const BLANK: Corner = Corner { at: DVec3::ZERO, name: Name::Incident(0), side: Side::Incident(0) };

/// A polygon of at most N corners.
struct Polygon<const N: usize> {
    corners: [Corner; N],
    count: usize,
}

impl<const N: usize> Polygon<N> {
    fn new() -> Self {
        Self { corners: [BLANK; N], count: 0 }
    }

    fn push(&mut self, corner: Corner) {
        if self.count < N {
            self.corners[self.count] = corner;
            self.count += 1;
        }
    }

    /// Writes what lies to the left of the line through the reference corner `line` along `edge` to `result`; `false`
    /// (and nothing written) if that is all of it.
    #[inline]
    fn cut(&self, start: DVec2, edge: DVec2, line: u16, result: &mut Self) -> bool {
        // Twice the area of (edge, corner): positive inside. The scale does not matter.
        let mut inside = [0.0; N];
        let mut lowest = f64::INFINITY;
        for (value, corner) in inside.iter_mut().zip(&self.corners[..self.count]) {
            *value = edge.perp_dot(corner.at.truncate() - start);
            lowest = lowest.min(*value);
        }
        if lowest >= 0.0 {
            return false;
        }
        result.count = 0;
        for i in 0..self.count {
            let j = if i + 1 == self.count { 0 } else { i + 1 };
            let (corner, next) = (&self.corners[i], &self.corners[j]);
            let crossing = |side| Corner {
                at: corner.at + (next.at - corner.at) * (inside[i] / (inside[i] - inside[j])),
                name: match corner.side {
                    Side::Incident(edge) => Name::Crossing(edge, line),
                    // Two consecutive cuts meet at a corner of the reference polygon.
                    Side::Cut(other) => Name::Reference(if other + 1 == line { line } else { other }),
                },
                side,
            };
            if inside[i] >= 0.0 {
                result.push(*corner);
                if inside[j] < 0.0 {
                    if inside[i] > 0.0 {
                        result.push(crossing(Side::Cut(line)));
                    } else {
                        // On the line: from here on it runs along it.
                        result.corners[result.count - 1].side = Side::Cut(line);
                    }
                }
            } else if inside[j] > 0.0 {
                result.push(crossing(corner.side));
            }
        }
        true
    }
}

/// The points of `incident` above and below `reference`, none higher than `prediction`, at most four.
///
/// N must be at least the number of corners of both together. `tag` (14 bits) goes into the names.
pub(super) fn clip<const N: usize>(
    reference: Outline<DVec2>,
    incident: Outline<DVec3>,
    tag: u16,
    prediction: f64,
) -> Patch {
    let (mut first, mut second) = (Polygon::<N>::new(), Polygon::<N>::new());
    let (mut polygon, mut other) = (&mut first, &mut second);
    for (i, &at) in incident.corners.iter().enumerate() {
        polygon.push(Corner { at, name: Name::Incident(i as u16), side: Side::Incident(i as u16) });
    }
    let mut start = reference.corners[0];
    for i in 0..reference.corners.len() {
        let end = reference.corners[if i + 1 == reference.corners.len() { 0 } else { i + 1 }];
        if polygon.cut(start, end - start, i as u16, other) {
            std::mem::swap(&mut polygon, &mut other);
        }
        start = end;
    }
    if let Some((at, _)) = incident.inner.filter(|(at, _)| contains(reference.corners, at.truncate())) {
        polygon.push(Corner { at, name: Name::Inner, side: Side::Incident(0) });
    }

    let mut kept = 0;
    // A capsule or cone whose side is not level is lowest at its ends; what lies between is not where the line between these is.
    let is_side = incident.corners.len() == 2 && matches!(incident.carrier, Carrier::Capsule | Carrier::Cone);
    let ends_only = is_side && !is_level(incident.corners);
    for i in 0..polygon.count {
        let is_end = matches!(polygon.corners[i].name, Name::Incident(_));
        if polygon.corners[i].at.z <= prediction && (is_end || !ends_only) {
            polygon.corners[kept] = polygon.corners[i];
            kept += 1;
        }
    }
    let corners = &polygon.corners[..kept];
    let smaller = extent(reference.corners.iter().copied()).min(extent(incident.corners.iter().map(|p| p.truncate())));
    let mut selection = select(kept, GRAIN * smaller, |i| corners[i].at);
    if let Some(inner) = corners.iter().position(|corner| corner.name == Name::Inner) {
        selection.include(inner, |i| corners[i].at.z);
    }

    let near = NEAR_CORNER * selection.extent;
    let chosen = selection.indices();
    let mut names = [Name::Incident(u16::MAX); 4];
    for (name, &i) in names.iter_mut().zip(chosen) {
        *name = corners[i].name;
    }
    let mut patch = Patch { count: chosen.len(), ..Patch::default() };
    for (k, &i) in chosen.iter().enumerate() {
        let coarse = coarse_name(&corners[i], reference, incident, near);
        if !names[..chosen.len()].contains(&coarse) {
            names[k] = coarse;
        }
        let mut features = features(corners[i].name, &reference, &incident);
        if tag & FACE_OF_B != 0 {
            features.reverse();
        }
        patch.points[k] = (corners[i].at, feature_id(names[k], &reference, &incident, tag), features);
    }
    patch
}

/// Whether a segment is as level as what bodies lie on.
fn is_level(ends: &[DVec3]) -> bool {
    let along = ends[ends.len() - 1] - ends[0];
    along.z.abs() <= LEVEL * along.length()
}

/// Whether a convex polygon, counter-clockwise, contains a point.
fn contains(polygon: &[DVec2], point: DVec2) -> bool {
    let next = |i: usize| polygon[(i + 1) % polygon.len()];
    polygon.iter().enumerate().all(|(i, &start)| (next(i) - start).perp_dot(point - start) >= 0.0)
}

/// How far the corners reach from the first.
fn extent(mut corners: impl Iterator<Item = DVec2>) -> f64 {
    let Some(first) = corners.next() else { return 0.0 };
    corners.fold(0.0, |square: f64, p| square.max(p.distance_squared(first))).sqrt()
}

/// A point's name, or that of a corner nearby: of the incident polygon first.
fn coarse_name(corner: &Corner, reference: Outline<DVec2>, incident: Outline<DVec3>, near: f64) -> Name {
    let at = corner.at.truncate();
    let is_near = |p: DVec2| at.distance_squared(p) <= near * near;
    let ends = |i: u16, count: usize| [usize::from(i), (usize::from(i) + 1) % count];
    match corner.name {
        Name::Incident(_) | Name::Inner => corner.name,
        Name::Reference(_) => {
            let nearby = incident.corners.iter().position(|p| is_near(p.truncate()));
            nearby.map_or(corner.name, |i| Name::Incident(i as u16))
        }
        Name::Crossing(edge, line) => {
            for i in ends(edge, incident.corners.len()) {
                if is_near(incident.corners[i].truncate()) {
                    return Name::Incident(i as u16);
                }
            }
            for i in ends(line, reference.corners.len()) {
                if is_near(reference.corners[i]) {
                    return Name::Reference(i as u16);
                }
            }
            corner.name
        }
    }
}

/// What of the reference polygon and what of the incident one make a point.
fn features(name: Name, reference: &Outline<DVec2>, incident: &Outline<DVec3>) -> [Feature; 2] {
    match name {
        Name::Incident(i) => [reference.whole, incident.corner(i)],
        Name::Inner => [reference.whole, incident.inner.map_or(Feature::Spot, |(_, id)| incident.carrier.corner(id))],
        Name::Reference(i) => [reference.corner(i), incident.whole],
        Name::Crossing(edge, line) => [reference.side(line), incident.side(edge)],
    }
}

fn feature_id(name: Name, reference: &Outline<DVec2>, incident: &Outline<DVec3>, tag: u16) -> FeatureId {
    let corner = |i: u16| incident.ids[usize::from(i)];
    match name {
        Name::Incident(i) => pack(Kind::IncidentCorner, tag, [corner(i), 0, 0]),
        Name::Inner => pack(Kind::IncidentCorner, tag, [incident.inner.map_or(0, |(_, id)| id), 0, 0]),
        Name::Reference(i) => pack(Kind::ReferenceCorner, tag, [reference.ids[usize::from(i)], 0, 0]),
        Name::Crossing(edge, line) => {
            let next = incident.ids[(usize::from(edge) + 1) % incident.ids.len()];
            pack(Kind::Crossing, tag, [corner(edge), next, reference.ids[usize::from(line)]])
        }
    }
}
