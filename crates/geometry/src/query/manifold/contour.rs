//! What of a shape meets another along a direction: a corner, an edge or side line, a flat face or cap.
//!
//! A face counts as met while its normal is within 3° of the direction, an edge while it is that close to perpendicular
//! to it: bodies that lie on each other are never perfectly aligned, and all corners of what they lie on belong to the
//! contact. How deep each point is (or how far off) is computed exactly afterwards, so nothing is lost by generosity.
//!
//! Against a flat face, or the ground, that is not enough. A disc that falls tilted touches with one rim point, and within the
//! same step the rest of it slaps down; a rod comes down with one end and then with the other. So what lies opposite a face is
//! asked for [widely](Closeness::WIDE): the cap up to 45°, else the side line from end to end. Points too far off are left out
//! afterwards, by the prediction (they are *speculative contacts*).
//!
//! A round cap is represented by eight points of its rim, fixed in the shape so that they do not wander, which cover 90 % of
//! its area. If the cap is tilted by more than 1e-3 its deepest rim point, which slides along the rim, joins them;
//! below that the eight points miss at most 1e-3 · (1 − cos 22.5°) < 1e-4 radii of depth.
//!
//! If it is tilted by more than 3° the fixed points near the deepest one are left out. A rim that rolls on its lowest point never
//! gets deeper, but its points do, if their motion is taken for a straight one: the point at the angle φ ahead is R s (1 − cos φ)
//! high (s the sine of the tilt) and falls at ω R s sin φ. It seems to get below the ground within a step h if tan(φ/2) < ω h, and would
//! stop the wheel. From [`AHEAD`] on that takes more than 0.9 rad per step.

use super::polytope::Polytope;
use crate::math::orthonormal_pair;
use crate::query::feature::RIM;
use crate::query::{Feature, Pole};
use crate::shape::{Bow, Convex, Custom};
use glam::DVec3;

/// The angle up to which a face or an edge counts as met.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closeness {
    /// Its sine.
    flat: f64,
    /// Its cosine.
    facing: f64,
}

impl Closeness {
    /// 3°: what bodies that lie on each other share.
    pub(super) const GENEROUS: Self = Self { flat: 0.0523, facing: 0.9986 };
    /// 45° for caps, and any side line: what a face opposite may come to touch within a step. Polyhedra have their face that looks
    /// most along the direction, as with separating axes.
    pub(super) const WIDE: Self = Self { flat: 1.0, facing: std::f64::consts::FRAC_1_SQRT_2 };
    /// A millionth: what the closest points of two shapes, whose normal is known to rounding, belong to.
    pub(super) const STRICT: Self = Self { flat: 1e-6, facing: 1.0 - 5e-13 };

    /// The sine of the angle.
    pub(super) fn flat(self) -> f64 {
        self.flat
    }

    fn is_wide(self) -> bool {
        self.flat >= 1.0
    }
}

/// A cap tilted by more than this (sine) shows its deepest point.
const TILTED: f64 = 1e-3;
/// Of a cap tilted by more than 3°, only rim points count whose direction has at most this cosine with that of the deepest: 84°.
const AHEAD: f64 = 0.1;
/// A user-defined shape is felt out by directions this far off.
const FEEL: f64 = 0.02;
/// What rises by less than this (slope) around the deepest point of a user-defined shape belongs to a flat feature.
const FEEL_FLAT: f64 = 0.25 * FEEL;

/// A unit vector that no flat face is likely to look along.
const ASIDE: DVec3 = DVec3::new(0.36, 0.48, 0.8);

/// The most corners a feature has.
pub(super) const MAX_CORNERS: usize = 16;

/// A point, a segment or a convex polygon (counter-clockwise as seen from outside) on the surface of a shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contour {
    corners: [DVec3; MAX_CORNERS],
    ids: [u32; MAX_CORNERS],
    count: usize,
    /// A further corner within a polygon, with its number: the apex of a blunt cone that stands on it.
    inner: Option<(DVec3, u32)>,
    /// Whether it only lies opposite a face and need not look along the direction itself.
    incident: bool,
    /// What the corners are corners of.
    carrier: Carrier,
    /// The feature as a whole.
    whole: Feature,
}

/// Where the numbers of corners come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carrier {
    Polytope,
    Sphere,
    Capsule,
    Cylinder,
    Cone,
    Custom,
}

impl Carrier {
    /// The feature that a corner with this number is.
    pub(super) fn corner(self, id: u32) -> Feature {
        match (self, id) {
            (Self::Polytope, _) => Feature::Vertex(id),
            (Self::Sphere, _) => Feature::Ball,
            (Self::Capsule, 0) => Feature::End(Pole::Top),
            (Self::Capsule, _) => Feature::End(Pole::Bottom),
            (Self::Custom, 0) => Feature::Round,
            (Self::Custom, _) => Feature::Spot,
            (Self::Cone, ID_SIDE_TOP) => Feature::Apex,
            (Self::Cylinder | Self::Cone, ID_SIDE_TOP | ID_RIM_TOP) => Feature::Rim(Pole::Top),
            (Self::Cylinder | Self::Cone, ID_SIDE_BOTTOM | ID_RIM_BOTTOM) => Feature::Rim(Pole::Bottom),
            (Self::Cylinder | Self::Cone, _) => {
                let (pole, first) =
                    if id < ID_CAP_BOTTOM { (Pole::Top, ID_CAP_TOP) } else { (Pole::Bottom, ID_CAP_BOTTOM) };
                let k = id - first;
                if k < 8 { Feature::RimPoint(pole, k as u8) } else { Feature::Rim(pole) }
            }
        }
    }

    /// The side between two corners of a feature: an edge of a polyhedron; of anything else the feature itself, such as the
    /// cap of which two rim points cut off a piece.
    pub(super) fn side(self, ids: [u32; 2], whole: Feature) -> Feature {
        if self == Self::Polytope { Feature::edge(ids[0], ids[1]) } else { whole }
    }
}

/// What of two shapes meets: of what lies opposite a face of the other, all that the face may come to touch.
pub(super) fn opposite(of_a: impl Fn(Closeness) -> Contour, of_b: impl Fn(Closeness) -> Contour) -> [Contour; 2] {
    let (a, b) = (of_a(Closeness::GENEROUS), of_b(Closeness::GENEROUS));
    if a.is_face() {
        [a, of_b(Closeness::WIDE).as_incident()]
    } else if b.is_face() {
        [of_a(Closeness::WIDE).as_incident(), b]
    } else {
        [a, b]
    }
}

impl Contour {
    fn new(carrier: Carrier, whole: Feature) -> Self {
        Self {
            corners: [DVec3::ZERO; MAX_CORNERS],
            ids: [0; MAX_CORNERS],
            count: 0,
            inner: None,
            incident: false,
            carrier,
            whole,
        }
    }

    fn with(mut self, corner: DVec3, id: u32) -> Self {
        if self.count < MAX_CORNERS {
            self.corners[self.count] = corner;
            self.ids[self.count] = id;
            self.count += 1;
        }
        self
    }

    pub(super) fn corners(&self) -> &[DVec3] {
        &self.corners[..self.count]
    }

    pub(super) fn ids(&self) -> &[u32] {
        &self.ids[..self.count]
    }

    /// The corner within the polygon, if it has one, with its number.
    pub(super) fn inner(&self) -> Option<(DVec3, u32)> {
        self.inner
    }

    /// All corners, the inner one last, with their numbers.
    pub(super) fn all(&self) -> impl Iterator<Item = (DVec3, u32)> + '_ {
        self.corners().iter().copied().zip(self.ids().iter().copied()).chain(self.inner)
    }

    /// The same as what lies opposite a face.
    pub(super) fn as_incident(mut self) -> Self {
        self.incident = true;
        self
    }

    /// Whether others can be clipped by it: a polygon that looks along the direction.
    pub(super) fn is_face(&self) -> bool {
        self.count >= 3 && !self.incident
    }

    pub(super) fn carrier(&self) -> Carrier {
        self.carrier
    }

    /// The feature as a whole.
    pub(super) fn whole(&self) -> Feature {
        self.whole
    }

    /// The feature that one of its corners is.
    pub(super) fn corner(&self, index: usize) -> Feature {
        self.carrier.corner(self.ids[index])
    }

    /// The same feature moved.
    pub(super) fn map(mut self, motion: impl Fn(DVec3) -> DVec3) -> Self {
        for corner in &mut self.corners[..self.count] {
            *corner = motion(*corner);
        }
        self.inner = self.inner.map(|(corner, id)| (motion(corner), id));
        self
    }

    /// A point.
    pub(super) fn point(carrier: Carrier, corner: DVec3, id: u32) -> Self {
        Self::new(carrier, carrier.corner(id)).with(corner, id)
    }

    /// Both ends of a segment from −h to h on the y axis.
    pub(super) fn of_ends(half_height: f64) -> Self {
        let end = DVec3::new(0.0, half_height, 0.0);
        Self::new(Carrier::Capsule, Feature::Segment).with(end, 0).with(-end, 1)
    }

    /// The segment of a capsule from −h to h on the y axis, or one end of it.
    pub(super) fn of_segment(half_height: f64, direction: DVec3, closeness: Closeness) -> Self {
        let end = DVec3::new(0.0, half_height, 0.0);
        if direction.y.abs() <= closeness.flat {
            Self::of_ends(half_height)
        } else if direction.y > 0.0 {
            Self::point(Carrier::Capsule, end, 0)
        } else {
            Self::point(Carrier::Capsule, -end, 1)
        }
    }

    /// A face of a polyhedron, thinned out evenly if it has too many corners (it is nearly round then).
    pub(super) fn of_face(polytope: &Polytope, face: usize) -> Self {
        let corners = polytope.face(face);
        let count = corners.len().min(MAX_CORNERS);
        (0..count).fold(Self::new(Carrier::Polytope, Feature::Face(face as u32)), |feature, i| {
            let corner = corners[i * corners.len() / count];
            feature.with(polytope.vertices[corner as usize], corner)
        })
    }

    /// The face, edge or corner of a polyhedron that looks along `direction`.
    pub(super) fn of_polytope(polytope: &Polytope, direction: DVec3, closeness: Closeness) -> Self {
        let face = polytope.facing(direction);
        if closeness.is_wide() || polytope.planes[face].normal.dot(direction) >= closeness.facing {
            return Self::of_face(polytope, face);
        }
        let corner = polytope.support(direction);
        let mut flattest = (None, closeness.flat);
        for edge in polytope.edges {
            if edge.vertices.contains(&(corner as u32)) {
                let [start, end] = edge.vertices.map(|v| polytope.vertices[v as usize]);
                let along = end - start;
                let slope = along.dot(direction).abs() / along.length();
                if slope < flattest.1 {
                    flattest = (Some(edge.vertices), slope);
                }
            }
        }
        match flattest.0 {
            Some([v, w]) => {
                // In the order of the corners' numbers, whichever of the two was the deepest.
                let (v, w) = (v.min(w), v.max(w));
                let edge = Self::new(Carrier::Polytope, Feature::edge(v, w));
                edge.with(polytope.vertices[v as usize], v).with(polytope.vertices[w as usize], w)
            }
            None => Self::point(Carrier::Polytope, polytope.vertices[corner], corner as u32),
        }
    }

    /// The cap, side line or rim point of a cylinder.
    pub(super) fn of_cylinder(half_height: f64, radius: f64, direction: DVec3, closeness: Closeness) -> Self {
        let across = outward(direction) * radius;
        if direction.y.abs() >= closeness.facing {
            let pole = if direction.y > 0.0 { Pole::Top } else { Pole::Bottom };
            return Self::of_cap(Carrier::Cylinder, pole, half_height, radius, direction);
        }
        let up = DVec3::new(0.0, half_height, 0.0);
        if direction.y.abs() <= closeness.flat {
            let side = Self::new(Carrier::Cylinder, Feature::Side);
            side.with(across + up, ID_SIDE_TOP).with(across - up, ID_SIDE_BOTTOM)
        } else if direction.y > 0.0 {
            Self::point(Carrier::Cylinder, across + up, ID_RIM_TOP)
        } else {
            Self::point(Carrier::Cylinder, across - up, ID_RIM_BOTTOM)
        }
    }

    /// The base, side line, rim point or apex of a cone.
    pub(super) fn of_cone(half_height: f64, radius: f64, direction: DVec3, closeness: Closeness) -> Self {
        if direction.y <= -closeness.facing {
            return Self::of_cap(Carrier::Cone, Pole::Bottom, half_height, radius, direction);
        }
        let apex = DVec3::new(0.0, half_height, 0.0);
        // A blunt cone that stands on its apex may come down on any part of its rim.
        let is_blunt = radius > 2.0 * half_height;
        if is_blunt && closeness.is_wide() && direction.y >= closeness.facing {
            let rim = Self::of_cap(Carrier::Cone, Pole::Bottom, half_height, radius, direction);
            return Self { inner: Some((apex, ID_SIDE_TOP)), ..rim };
        }
        let rim = outward(direction) * radius - apex;
        let side = apex - rim;
        let along = side.dot(direction) / side.length();
        if along.abs() <= closeness.flat {
            Self::new(Carrier::Cone, Feature::Side).with(apex, ID_SIDE_TOP).with(rim, ID_SIDE_BOTTOM)
        } else if along > 0.0 {
            Self::point(Carrier::Cone, apex, ID_SIDE_TOP)
        } else {
            Self::point(Carrier::Cone, rim, ID_RIM_BOTTOM)
        }
    }

    /// A disc at height ±h, seen from outside.
    fn of_cap(carrier: Carrier, pole: Pole, half_height: f64, radius: f64, direction: DVec3) -> Self {
        // From above (x, z) turns clockwise, from below counter-clockwise.
        let (y, turn, first) = match pole {
            Pole::Top => (half_height, -1.0, ID_CAP_TOP),
            Pole::Bottom => (-half_height, 1.0, ID_CAP_BOTTOM),
        };
        let (deepest, tilt) = (outward(direction), (direction.x * direction.x + direction.z * direction.z).sqrt());
        // The deepest rim point comes between the two rim points it lies between.
        let angle = |x: f64, z: f64| {
            // Grows with the angle from the first rim point, as the polygon is listed.
            let z = turn * z;
            if z >= 0.0 { 1.0 - x } else { 3.0 + x }
        };
        let there = angle(deepest.x, deepest.z);
        let mut pending = tilt > TILTED;
        let all = tilt <= Closeness::GENEROUS.flat;
        let mut feature = Self::new(carrier, Feature::Cap(pole));
        for (i, &(x, z)) in RIM.iter().enumerate() {
            let z = turn * z;
            if pending && angle(x, z) >= there {
                feature = feature.with(DVec3::new(deepest.x * radius, y, deepest.z * radius), first + 8);
                pending = false;
            }
            if all || x * deepest.x + z * deepest.z <= AHEAD {
                feature = feature.with(DVec3::new(x * radius, y, z * radius), first + i as u32);
            }
        }
        if pending {
            feature = feature.with(DVec3::new(deepest.x * radius, y, deepest.z * radius), first + 8);
        }
        feature
    }

    /// The deepest point of a user-defined shape; where directions around find others as deep up to a slope of
    /// [`FEEL_FLAT`], these too (then the shape is flat there).
    pub(super) fn of_custom(custom: &Custom, direction: DVec3) -> Self {
        if let Some(bow) = Bow::of(custom) {
            let (points, count) = bow.outline(direction);
            return match count {
                1 => Self::point(Carrier::Custom, points[0], 0),
                _ => {
                    (0..count).fold(Self::new(Carrier::Custom, Feature::Spot), |flat, k| flat.with(points[k], k as u32))
                }
            };
        }
        let deepest = custom.support(direction);
        // Around the direction, starting where no usual direction has its discontinuity: names must not jump.
        let u = ASIDE.cross(direction).try_normalize().unwrap_or_else(|| orthonormal_pair(direction).0);
        let v = direction.cross(u);
        let mut flat = Self::new(Carrier::Custom, Feature::Spot);
        for (i, around) in [u, u + v, v, v - u, -u, -u - v, -v, u - v].into_iter().enumerate() {
            let corner = custom.support(direction + around * FEEL);
            let offset = corner - deepest;
            let is_flat = offset.dot(direction).abs() <= FEEL_FLAT * offset.length();
            let known = flat.corners().iter().any(|c| (*c - corner).length() <= 1e-6 * corner.length());
            if is_flat && !known {
                flat = flat.with(corner, 1 + i as u32);
            }
        }
        if flat.count >= 2 { flat } else { Self::point(Carrier::Custom, deepest, 0) }
    }
}

const ID_SIDE_TOP: u32 = 0;
const ID_SIDE_BOTTOM: u32 = 1;
const ID_RIM_TOP: u32 = 2;
const ID_RIM_BOTTOM: u32 = 3;
const ID_CAP_TOP: u32 = 16;
const ID_CAP_BOTTOM: u32 = 32;

/// The unit vector across the y axis towards `direction`; +x if there is none.
fn outward(direction: DVec3) -> DVec3 {
    DVec3::new(direction.x, 0.0, direction.z).try_normalize().unwrap_or(DVec3::X)
}
