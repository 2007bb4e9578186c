//! Whips: bodies that turn further within a step than their contacts foresee.
//!
//! The row of a contact point takes its gap as linear in the motion, `c + h J v ≥ 0`. A needle that hits a wall with one end is
//! turned by the impact, by a radian or more before the step is over, and its other end gets into the wall, or through it
//! (tunnelling), though all rows hold. So after the solve the points of bodies that turn much are carried along with the surfaces they lie on.
//! If one of them gets deep into the other body, the island takes the step in parts (`parts.rs`).

use super::contact::{PairState, PointState};
use super::parts::carried;
use crate::parts::course;
use crate::parts::islands::Island;
use crate::solver::SolverBody;
use crate::{BodyId, BodyState, Id, Model};
use std::ops::RangeInclusive;
use tumble_geometry::Transform;
use tumble_geometry::math::rotation_from_vector;

/// Bodies that turn by so many radians in a step are looked at. Beyond that, parts of a step do not help either.
const TURN: RangeInclusive<f64> = 0.2..=16.0;

/// How deep a point may get, relative to the size of the smaller collider.
const DEEP: f64 = 0.1;

/// Whether the solved mean velocities of an island make a point sink deep into the other body. `acts` tells it of the points, by
/// their numbers in the island, that are no ghosts.
pub(super) fn whips(
    model: &Model,
    states: &[BodyState],
    (island, contacts): (&Island, &[PairState]),
    acts: impl Fn(usize) -> bool,
    solved: &[SolverBody],
    dt: f64,
) -> bool {
    let turns = |id: &BodyId| TURN.contains(&(solved[id.slot()].angular_velocity.length() * dt));
    if !island.bodies.iter().any(turns) {
        return false;
    }
    let after = |id: BodyId| {
        let (start, body) = (states[id.slot()].center_pose(), &solved[id.slot()]);
        let turned = rotation_from_vector(body.angular_velocity * dt);
        Transform::new(turned * start.rotation, start.translation + body.velocity * dt)
    };
    let mut number = 0;
    for contact in island.contacts.iter().map(|&index| &contacts[index]) {
        let first = number;
        number += contact.points.len();
        let [Some(a), Some(b)] = contact.colliders.map(|id| model.colliders().get(id)) else { continue };
        if !contact.bodies.iter().any(turns) {
            continue;
        }
        let (deep, begin) = (DEEP * course::size([a, b]), contact.bodies.map(|id| states[id.slot()].center_pose()));
        let end = contact.bodies.map(after);
        let sinks = |(index, point): (usize, &PointState)| {
            let gap = carried(&point.geometry, &begin, &end).gap;
            gap < point.geometry.gap.min(0.0) - deep && acts(first + index)
        };
        if contact.points.iter().enumerate().any(sinks) {
            return true;
        }
    }
    false
}
