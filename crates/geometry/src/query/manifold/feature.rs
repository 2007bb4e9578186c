//! What of a shape meets another along a direction: a corner, an edge or side line, a flat face or cap.
//!
//! A face counts as met while its normal is within 3° of the direction, an edge while it is that close to perpendicular
//! to it: bodies that lie on each other are never perfectly aligned, and all corners of what they lie on belong to the
//! contact. How deep each point is (or how far off) is computed exactly afterwards, so nothing is lost by generosity.
//!
//! A round cap is represented by eight points of its rim, fixed in the shape so that they do not wander, which cover 90 % of
//! its area. If the cap is tilted by more than 1e-3 its deepest rim point, which slides along the rim, joins them;
//! below that the eight points miss at most 1e-3 · (1 − cos 22.5°) < 1e-4 radii of depth.

use super::polytope::Polytope;
use crate::math::orthonormal_pair;
use crate::shape::{Convex, Custom};
use glam::DVec3;

/// The sine of the angle up to which a face or an edge counts as met.
const FLAT: f64 = 0.0523;
/// The cosine of the same angle.
const FACING: f64 = 0.9986;
/// A cap tilted by more than this (sine) shows its deepest point.
const TILTED: f64 = 1e-3;
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
pub(super) struct Feature {
    corners: [DVec3; MAX_CORNERS],
    ids: [u16; MAX_CORNERS],
    count: usize,
}

impl Feature {
    fn new() -> Self {
        Self { corners: [DVec3::ZERO; MAX_CORNERS], ids: [0; MAX_CORNERS], count: 0 }
    }

    fn with(mut self, corner: DVec3, id: u16) -> Self {
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

    pub(super) fn ids(&self) -> &[u16] {
        &self.ids[..self.count]
    }

    /// The same feature moved.
    pub(super) fn map(mut self, motion: impl Fn(DVec3) -> DVec3) -> Self {
        for corner in &mut self.corners[..self.count] {
            *corner = motion(*corner);
        }
        self
    }

    /// A point.
    pub(super) fn point(corner: DVec3, id: u16) -> Self {
        Self::new().with(corner, id)
    }

    /// Both ends of a segment from −h to h on the y axis.
    pub(super) fn of_ends(half_height: f64) -> Self {
        let end = DVec3::new(0.0, half_height, 0.0);
        Self::new().with(end, 0).with(-end, 1)
    }

    /// The segment of a capsule from −h to h on the y axis, or one end of it.
    pub(super) fn of_segment(half_height: f64, direction: DVec3) -> Self {
        let end = DVec3::new(0.0, half_height, 0.0);
        if direction.y.abs() <= FLAT {
            Self::of_ends(half_height)
        } else if direction.y > 0.0 {
            Self::point(end, 0)
        } else {
            Self::point(-end, 1)
        }
    }

    /// A face of a polyhedron, thinned out evenly if it has too many corners (it is nearly round then).
    pub(super) fn of_face(polytope: &Polytope, face: usize) -> Self {
        let corners = polytope.face(face);
        let count = corners.len().min(MAX_CORNERS);
        (0..count).fold(Self::new(), |feature, i| {
            let corner = corners[i * corners.len() / count];
            feature.with(polytope.vertices[corner as usize], corner as u16)
        })
    }

    /// The face, edge or corner of a polyhedron that looks along `direction`.
    pub(super) fn of_polytope(polytope: &Polytope, direction: DVec3) -> Self {
        let face = polytope.facing(direction);
        if polytope.planes[face].normal.dot(direction) >= FACING {
            return Self::of_face(polytope, face);
        }
        let corner = polytope.support(direction);
        let mut flattest = (None, FLAT);
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
                Self::new().with(polytope.vertices[v as usize], v as u16).with(polytope.vertices[w as usize], w as u16)
            }
            None => Self::point(polytope.vertices[corner], corner as u16),
        }
    }

    /// The cap, side line or rim point of a cylinder.
    pub(super) fn of_cylinder(half_height: f64, radius: f64, direction: DVec3) -> Self {
        let across = outward(direction) * radius;
        if direction.y.abs() >= FACING {
            return Self::of_cap(half_height, radius, direction);
        }
        let up = DVec3::new(0.0, half_height, 0.0);
        if direction.y.abs() <= FLAT {
            Self::new().with(across + up, ID_SIDE_TOP).with(across - up, ID_SIDE_BOTTOM)
        } else if direction.y > 0.0 {
            Self::point(across + up, ID_RIM_TOP)
        } else {
            Self::point(across - up, ID_RIM_BOTTOM)
        }
    }

    /// The base, side line, rim point or apex of a cone.
    pub(super) fn of_cone(half_height: f64, radius: f64, direction: DVec3) -> Self {
        if direction.y <= -FACING {
            return Self::of_cap(half_height, radius, direction);
        }
        let apex = DVec3::new(0.0, half_height, 0.0);
        let rim = outward(direction) * radius - apex;
        let side = apex - rim;
        let along = side.dot(direction) / side.length();
        if along.abs() <= FLAT {
            Self::new().with(apex, ID_SIDE_TOP).with(rim, ID_SIDE_BOTTOM)
        } else if along > 0.0 {
            Self::point(apex, ID_SIDE_TOP)
        } else {
            Self::point(rim, ID_RIM_BOTTOM)
        }
    }

    /// A disc at height ±h, seen from outside.
    fn of_cap(half_height: f64, radius: f64, direction: DVec3) -> Self {
        const D: f64 = std::f64::consts::FRAC_1_SQRT_2;
        const RIM: [(f64, f64); 8] =
            [(1.0, 0.0), (D, D), (0.0, 1.0), (-D, D), (-1.0, 0.0), (-D, -D), (0.0, -1.0), (D, -D)];
        let y = half_height.copysign(direction.y);
        // From above (x, z) turns clockwise, from below counter-clockwise.
        let turn = -1.0_f64.copysign(direction.y);
        let first = if y > 0.0 { ID_CAP_TOP } else { ID_CAP_BOTTOM };
        let (deepest, tilt) = (outward(direction), (direction.x * direction.x + direction.z * direction.z).sqrt());
        // The deepest rim point comes between the two rim points it lies between.
        let angle = |x: f64, z: f64| {
            // Grows with the angle from the first rim point, as the polygon is listed.
            let z = turn * z;
            if z >= 0.0 { 1.0 - x } else { 3.0 + x }
        };
        let there = angle(deepest.x, deepest.z);
        let mut pending = tilt > TILTED;
        let mut feature = Self::new();
        for (i, &(x, z)) in RIM.iter().enumerate() {
            let z = turn * z;
            if pending && angle(x, z) >= there {
                feature = feature.with(DVec3::new(deepest.x * radius, y, deepest.z * radius), first + 8);
                pending = false;
            }
            feature = feature.with(DVec3::new(x * radius, y, z * radius), first + i as u16);
        }
        if pending {
            feature = feature.with(DVec3::new(deepest.x * radius, y, deepest.z * radius), first + 8);
        }
        feature
    }

    /// The deepest point of a user-defined shape; where directions around find others as deep up to a slope of
    /// [`FEEL_FLAT`], these too (then the shape is flat there).
    pub(super) fn of_custom(custom: &Custom, direction: DVec3) -> Self {
        let deepest = custom.support(direction);
        // Around the direction, starting where no usual direction has its discontinuity: names must not jump.
        let u = ASIDE.cross(direction).try_normalize().unwrap_or_else(|| orthonormal_pair(direction).0);
        let v = direction.cross(u);
        let mut flat = Self::new();
        for (i, around) in [u, u + v, v, v - u, -u, -u - v, -v, u - v].into_iter().enumerate() {
            let corner = custom.support(direction + around * FEEL);
            let offset = corner - deepest;
            let is_flat = offset.dot(direction).abs() <= FEEL_FLAT * offset.length();
            let known = flat.corners().iter().any(|c| (*c - corner).length() <= 1e-6 * corner.length());
            if is_flat && !known {
                flat = flat.with(corner, 1 + i as u16);
            }
        }
        if flat.count >= 2 { flat } else { Self::point(deepest, 0) }
    }
}

const ID_SIDE_TOP: u16 = 0;
const ID_SIDE_BOTTOM: u16 = 1;
const ID_RIM_TOP: u16 = 2;
const ID_RIM_BOTTOM: u16 = 3;
const ID_CAP_TOP: u16 = 16;
const ID_CAP_BOTTOM: u16 = 32;

/// The unit vector across the y axis towards `direction`; +x if there is none.
fn outward(direction: DVec3) -> DVec3 {
    DVec3::new(direction.x, 0.0, direction.z).try_normalize().unwrap_or(DVec3::X)
}
