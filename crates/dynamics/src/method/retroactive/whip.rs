//! Whips: bodies that turn further within a step than their contacts foresee.
//!
//! The row of a contact point takes its gap as linear in the motion, `c + h J v ≥ 0`, and points are found where surfaces are near each
//! other at the beginning of the step. A needle that hits a wall with one end is turned by the impact, by a radian or more before
//! the step is over, and its other end gets into the wall, or through it (tunnelling), though all rows hold. So after the solve,
//! pairs with a body that turns much are looked at a second time, at some moments on their way. If they overlap deeply there, the
//! island takes the step in parts (`parts.rs`).

use super::contact::PairState;
use crate::parts::course;
use crate::parts::islands::Island;
use crate::solver::SolverBody;
use crate::{BodyId, BodyState, Id, Model};
use std::ops::RangeInclusive;
use tumble_geometry::Transform;
use tumble_geometry::math::rotation_from_vector;
use tumble_geometry::query::{self, ManifoldOptions, PairCache};

/// Bodies that turn by so many radians in a step are looked at. Where it is more, parts of a step do not help either.
const TURN: RangeInclusive<f64> = 0.2..=16.0;

/// At so many moments, the end of the step included.
const MOMENTS: u32 = 3;

/// How much deeper a pair may overlap than before, relative to the size of the smaller collider.
const DEEP: f64 = 0.1;

/// Whether the solved mean velocities of an island lead a pair that turns much into a deep overlap.
pub(super) fn whips(
    model: &Model,
    states: &[BodyState],
    (island, contacts): (&Island, &[PairState]),
    solved: &[SolverBody],
    dt: f64,
) -> bool {
    let turns = |id: &BodyId| TURN.contains(&(solved[id.slot()].angular_velocity.length() * dt));
    let turning = |contact: &&PairState| contact.bodies.iter().any(turns);
    let mut contacts = island.contacts.iter().map(|&index| &contacts[index]).filter(turning);
    contacts.any(|contact| gets_deep(model, states, contact, solved, dt))
}

fn gets_deep(model: &Model, states: &[BodyState], contact: &PairState, solved: &[SolverBody], dt: f64) -> bool {
    let [Some(a), Some(b)] = contact.colliders.map(|id| model.colliders().get(id)) else { return false };
    let before = contact.points.iter().map(|point| -point.geometry.gap).fold(0.0, f64::max);
    let limit = before + DEEP * course::size([a, b]);
    let options = ManifoldOptions { prediction: 0.0, ..ManifoldOptions::default() };
    let mut manifolds = Vec::new();
    (1..=MOMENTS).any(|moment| {
        let time = dt * f64::from(moment) / f64::from(MOMENTS);
        let [pose_a, pose_b] = [a, b].map(|collider| {
            let (start, motion) = (states[collider.body.slot()].center_pose(), &solved[collider.body.slot()]);
            let rotation = rotation_from_vector(motion.angular_velocity * time) * start.rotation;
            Transform::new(rotation, start.translation + motion.velocity * time) * collider.center_pose
        });
        manifolds.clear();
        let b_in_a = pose_a.to_local(&pose_b);
        query::contact_manifolds(&a.shape, &b.shape, &b_in_a, &options, &mut PairCache::default(), &mut manifolds);
        manifolds.iter().flat_map(|manifold| manifold.points()).any(|point| point.depth > limit)
    })
}
