//! Where a joint lets an axis of its second body point, and how far it may turn about it there: a map to draw (K 3.3.4, Fig. 3.8).
//!
//! Any rotation is a twist τ about the axis, then the shortest swing that carries the axis to where it points. The directions are
//! taken from a map of the sphere, Lambert's azimuthal equal-area projection with the unturned axis in the middle:
//!
//! ```text
//! r = 2 sin(θ/2),     θ: how far the axis has swung,     r ≤ 2
//! ```
//!
//! Equal squares of the map are equal parts of the sphere, so that the part of the squares that are allowed is the part of all
//! directions; and since directions and twists that are both evenly spread make evenly spread rotations, the mean over the map of
//! the part of allowed twists is the part of all rotations.
//!
//! A joint may also hold rotations (a hinge holds two of three): then what is left is a surface or a line of rotations, which no
//! sample hits. Samples count as allowed if the held rows miss by no more than the samples are apart.

use super::allowed::{room, rows_when_turned};
use super::{BodyView, Constraint, Limit, Row};
use crate::ModelError;
use glam::{DQuat, DVec2, DVec3};
use std::f64::consts::{PI, TAU};
use tumble_geometry::math::{orthonormal_pair, rotation_from_vector};

/// How many twists are looked at for each direction.
const TWISTS: usize = 72;
/// In how many directions from the middle the reach is measured.
const AZIMUTHS: usize = 24;
/// How often the ends of a range of angles are halved: from 5° to less than a thousandth of a degree.
const HALVINGS: usize = 13;
/// How far a turn is followed to either side, in radians.
const FARTHEST: f64 = 2.0 * TAU;

/// A map of the directions an axis may have.
#[derive(Clone, Debug, PartialEq)]
pub struct Swings {
    /// Where the axis points unturned, a unit vector in the frame of the first body: the middle of the map.
    pub axis: DVec3,
    /// The directions of the map's two coordinates there, in the frame of the first body.
    pub across: [DVec3; 2],
    /// The edge of the map's squares; the map is a disc of radius 2.
    pub spacing: f64,
    /// How many of the three ways to turn the joint holds.
    pub held: usize,
    /// How far the axis may swing straight from the middle, in radians: towards the map's first coordinate, and from there
    /// counterclockwise in 24 equal steps.
    pub reach: Vec<f64>,
    /// The samples, row by row.
    pub samples: Vec<SwingSample>,
}

/// A direction of the axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SwingSample {
    /// Its place on the map.
    pub place: DVec2,
    /// The direction, a unit vector in the frame of the first body.
    pub direction: DVec3,
    /// How far the axis has swung, in radians from 0 to π.
    pub swing: f64,
    /// The smallest and the largest allowed twist there, in radians from −π to π; none if the direction is not allowed at all.
    pub twist: Option<[f64; 2]>,
    /// The part of all twists that is allowed, from 0 to 1.
    pub share: f64,
}

impl Swings {
    /// The part of all directions that is allowed, from 0 to 1; a line or a surface has none.
    pub fn part_of_directions(&self) -> Option<f64> {
        let allowed = self.samples.iter().filter(|sample| sample.twist.is_some()).count();
        (self.held == 0).then_some(allowed as f64 / self.samples.len().max(1) as f64)
    }

    /// The part of all rotations that is allowed, from 0 to 1; a line or a surface has none.
    pub fn part_of_rotations(&self) -> Option<f64> {
        let sum: f64 = self.samples.iter().map(|sample| sample.share).sum();
        (self.held == 0).then_some(sum / self.samples.len().max(1) as f64)
    }

    /// The smallest and the largest allowed twist of all directions, in radians.
    pub fn twist(&self) -> Option<[f64; 2]> {
        let twists = self.samples.iter().filter_map(|sample| sample.twist);
        twists.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])])
    }
}

/// A joint that turns about one axis only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turn {
    /// The axis, a unit vector in the frame of the first body.
    pub axis: DVec3,
    /// The angle now, in radians.
    pub angle: f64,
    /// The smallest and the largest angle, in radians; none where it is free for two turns.
    pub limits: [Option<f64>; 2],
}

/// Maps which directions of an axis of the second body, given in world coordinates, the joints between two bodies allow together:
/// all must, from the given poses on. The map is `resolution` squares wide, from 2 to 400.
pub fn allowed_swings(
    constraints: &[&dyn Constraint],
    bodies: &[BodyView; 2],
    axis: DVec3,
    resolution: usize,
) -> Result<Swings, ModelError> {
    let axis = super::check_direction("axis of a map of directions", axis)?;
    let resolution = resolution.clamp(2, 400);
    let (u, v) = orthonormal_pair(axis);
    let into_first = |direction: DVec3| bodies[0].pose.inverse_vector(direction);
    let spacing = 4.0 / resolution as f64;
    let held = 3 - free_turns(constraints, bodies).len();
    let probe = Probe { constraints, bodies, axis, tolerance: 0.5 * (spacing + TAU / TWISTS as f64), held };
    // Swinging towards a direction is turning about the one across it.
    let swung = |towards: DVec2, swing: f64| {
        let towards = (u * towards.x + v * towards.y).normalize_or_zero();
        rotation_from_vector(axis.cross(towards) * swing)
    };
    let reach = (0..AZIMUTHS).map(|index| {
        let (sin, cos) = libm::sincos(TAU * index as f64 / AZIMUTHS as f64);
        let is_allowed = |swing: f64| probe.twists(swung(DVec2::new(cos, sin), swing)).0.is_some();
        first_border(PI, PI / 60.0, is_allowed).unwrap_or(PI)
    });
    let reach = reach.collect();
    let mut samples = Vec::new();
    for row in 0..resolution {
        for column in 0..resolution {
            let at = |index: usize| (index as f64 + 0.5) * spacing - 2.0;
            let place = DVec2::new(at(column), -at(row));
            if place.length() > 2.0 {
                continue;
            }
            let swing = 2.0 * libm::asin(0.5 * place.length());
            let turn = swung(place, swing);
            let (twist, share) = probe.twists(turn);
            samples.push(SwingSample { place, direction: into_first(turn * axis), swing, twist, share });
        }
    }
    Ok(Swings { axis: into_first(axis), across: [into_first(u), into_first(v)], spacing, held, reach, samples })
}

/// The range of angles of a joint that turns about one axis only; none for others.
pub fn allowed_turn(constraints: &[&dyn Constraint], bodies: &[BodyView; 2]) -> Option<Turn> {
    let [axis] = free_turns(constraints, bodies)[..] else { return None };
    let angle = constraints.iter().find_map(|constraint| constraint.angle(bodies)).unwrap_or(0.0);
    let angle_at = |turn: DQuat| -> Option<f64> {
        let second = &bodies[1];
        let pose = tumble_geometry::Transform::new(turn * second.pose.rotation, second.pose.translation);
        constraints.iter().find_map(|constraint| constraint.angle(&[bodies[0], BodyView { pose, ..*second }]))
    };
    // The axis about which the joint's own angle grows.
    let grows = angle_at(rotation_from_vector(axis * 1e-3)).is_none_or(|after| after >= angle);
    let axis = if grows { axis } else { -axis };
    let is_allowed = |phi: f64| {
        let turn = rotation_from_vector(axis * (phi % TAU));
        constraints.iter().all(|one| room(&rows_when_turned(*one, bodies, turn, angle + phi)) >= 0.0)
    };
    let farthest =
        |sign: f64| first_border(FARTHEST, PI / 180.0, |phi| is_allowed(sign * phi)).map(|phi| angle + sign * phi);
    let limits = [farthest(-1.0), farthest(1.0)];
    Some(Turn { axis: bodies[0].pose.inverse_vector(axis), angle, limits })
}

/// Rotates the second body and asks the joints.
struct Probe<'a> {
    constraints: &'a [&'a dyn Constraint],
    bodies: &'a [BodyView; 2],
    axis: DVec3,
    /// How far held rows may miss.
    tolerance: f64,
    held: usize,
}

impl Probe<'_> {
    fn is_allowed(&self, swing: DQuat, twist: f64) -> bool {
        let turn = swing * rotation_from_vector(self.axis * twist);
        self.constraints.iter().all(|constraint| {
            let rows = rows_when_turned(*constraint, self.bodies, turn, 0.0);
            room(&rows) >= 0.0 && rows.iter().filter(|row| holds_turn(row)).all(|row| row.error.abs() <= self.tolerance)
        })
    }

    /// The smallest and the largest allowed twist after a swing, and the part that is allowed.
    fn twists(&self, swing: DQuat) -> (Option<[f64; 2]>, f64) {
        let spacing = TAU / TWISTS as f64;
        let at = |index: usize| (index as f64 + 0.5) * spacing - PI;
        let allowed: Vec<usize> = (0..TWISTS).filter(|&index| self.is_allowed(swing, at(index))).collect();
        let (Some(&first), Some(&last)) = (allowed.first(), allowed.last()) else { return (None, 0.0) };
        if self.held > 0 {
            return (Some([at(first), at(last)]), allowed.len() as f64 / TWISTS as f64);
        }
        let is_allowed = |twist: f64| self.is_allowed(swing, twist);
        let low = if first == 0 { -PI } else { border(at(first), at(first) - spacing, is_allowed) };
        let high = if last == TWISTS - 1 { PI } else { border(at(last), at(last) + spacing, is_allowed) };
        // Of each sample one spacing; the two at the ends reach to the borders.
        let ends = (at(first) - low) + (high - at(last)) - spacing;
        (Some([low, high]), (allowed.len() as f64 * spacing + ends) / TAU)
    }
}

/// Where `is_allowed` first ends on the way from 0 to a number, looked at in steps; none if it does not.
fn first_border(farthest: f64, step: f64, is_allowed: impl Fn(f64) -> bool) -> Option<f64> {
    let first = (0..=(farthest / step) as usize).find(|&k| !is_allowed(k as f64 * step))?;
    Some(border(first.saturating_sub(1) as f64 * step, first as f64 * step, is_allowed))
}

/// Where `is_allowed` ends between a number for which it holds and one for which it does not.
fn border(mut inside: f64, mut outside: f64, is_allowed: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..HALVINGS {
        let middle = 0.5 * (inside + outside);
        *(if is_allowed(middle) { &mut inside } else { &mut outside }) = middle;
    }
    inside
}

/// Whether a row holds a rotation and nothing else.
fn holds_turn(row: &Row) -> bool {
    row.limit == Limit::Equality && row.jacobian.linear == [DVec3::ZERO; 2]
}

/// The axes about which the second body may turn, in world coordinates, perpendicular to each other: what rows that hold
/// rotations leave.
fn free_turns(constraints: &[&dyn Constraint], bodies: &[BodyView; 2]) -> Vec<DVec3> {
    let rows = constraints.iter().flat_map(|constraint| rows_when_turned(*constraint, bodies, DQuat::IDENTITY, 0.0));
    let across = |basis: &[DVec3], v: DVec3| basis.iter().fold(v, |v, &b| v - b * v.dot(b));
    let mut held: Vec<DVec3> = Vec::new();
    for row in rows.filter(holds_turn) {
        let rest = across(&held, row.jacobian.angular[1]);
        if rest.length() > 1e-6 {
            held.push(rest.normalize());
        }
    }
    let mut free: Vec<DVec3> = Vec::new();
    while held.len() + free.len() < 3 {
        let known: Vec<DVec3> = held.iter().chain(&free).copied().collect();
        let candidates = DVec3::AXES.map(|axis| across(&known, across(&known, axis)));
        let longest = candidates.into_iter().fold(DVec3::ZERO, |a, b| if b.length() > a.length() { b } else { a });
        free.push(longest.normalize_or(DVec3::X));
    }
    free
}
