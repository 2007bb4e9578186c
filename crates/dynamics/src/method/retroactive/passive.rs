//! What joints do to the energy of an island: nothing.
//!
//! Rigid joints exert no work, whatever they bear. So the kinetic energy of an island changes within a step by the work of the forces,
//!
//! ```text
//! ΔT = Σ ½ (F₀ + F₁)·Δx + ½ (τ₀ + τ₁)·Δθ,
//! ```
//!
//! and what is left over tells how wrong the step is. For an island without loops it may be neither more nor less. Limits, friction and
//! contacts take energy away, and so does a loop of joints that passes a dead point, where it cannot go on as it did; there only a gain
//! is wrong. Where motors, springs or scripts act, nothing can be said.
//!
//! It is compared with the kinetic energy and what it takes to lift the bodies by their own size. Where it must stay, the step is taken in parts and the island
//! hangs on the world, so that its momentum is not its own, what is wrong by less than that is put right: all velocities are multiplied by
//! a factor that differs from 1 by some 10⁻⁵ (projection; Hairer, Lubich and Wanner 2006, IV.4). Parts of changing length would
//! otherwise let the energy creep away.

use crate::constraint::{JointView, Limit, Row, Softness};
use crate::integrator::{Acceleration, EquationsOfMotion};
use crate::model::{BodyKind, JointEnd};
use crate::parts::islands::Island;
use crate::{BodyState, Id, Model, State};
use glam::DVec3;
use tumble_geometry::math::rotation_vector;

/// The part of the energy that an island without loops may gain or lose in a part of a step.
const WRONG: f64 = 2e-4;

/// The part of it that any other may gain.
const GAIN: f64 = 1e-2;

/// The part of the kinetic energy that may be put right by a factor for all velocities.
const SMALL: f64 = 1e-2;

/// What may happen to the energy of an island.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passivity {
    /// It stays.
    Keeps,
    /// It does not rise.
    Loses,
    /// Anything.
    Active,
}

impl Passivity {
    pub(super) fn of(model: &Model, state: &State, island: &Island) -> Self {
        let mut rows = Vec::new();
        for &id in &island.joints {
            let Some(joint) = model.joints().get(id) else { continue };
            if joint.ends.into_iter().any(|end| is_scripted(model, end)) {
                return Self::Active;
            }
            if let Some(view) = JointView::of(model, &state.bodies, &state.angles, id) {
                joint.constraint.rows(&view, &mut rows);
            }
        }
        let acts = |row: &Row| row.target_rate != 0.0 || row.softness != Softness::Rigid;
        if rows.iter().any(acts) {
            return Self::Active;
        }
        let holds = |row: &Row| row.limit == Limit::Equality;
        if !island.has_loops() && island.contacts.is_empty() && rows.iter().all(holds) {
            Self::Keeps
        } else {
            Self::Loses
        }
    }
}

/// Whether an island hangs on something that does not move.
pub(super) fn is_anchored(model: &Model, island: &Island) -> bool {
    let is_fixed = |end: JointEnd| match end {
        JointEnd::Body(id) => model.bodies().get(id).is_some_and(|body| !body.kind.moves()),
        JointEnd::World => true,
    };
    island.joints.iter().filter_map(|&id| model.joints().get(id)).any(|joint| joint.ends.into_iter().any(is_fixed))
}

fn is_scripted(model: &Model, end: JointEnd) -> bool {
    let JointEnd::Body(id) = end else { return false };
    model.bodies().get(id).is_some_and(|body| matches!(body.kind, BodyKind::Scripted(_)))
}

/// The energy of an island before a part of a step.
pub(super) struct Account {
    /// All bodies as they were.
    pub(super) bodies: Vec<BodyState>,
    accelerations: Vec<Acceleration>,
    kinetic: f64,
}

impl Account {
    pub(super) fn open(model: &Model, equations: &dyn EquationsOfMotion, state: &State, island: &Island) -> Self {
        let accelerations = accelerations(equations, state.time, &state.bodies);
        Self { bodies: state.bodies.clone(), accelerations, kinetic: kinetic(model, &state.bodies, island) }
    }

    /// By how much the energy is wrong after the part, in joules, and how much would be.
    pub(super) fn close(
        &self,
        model: &Model,
        equations: &dyn EquationsOfMotion,
        time: f64,
        bodies: &[BodyState],
        island: &Island,
        passivity: Passivity,
    ) -> Verdict {
        let now = accelerations(equations, time, bodies);
        let after = kinetic(model, bodies, island);
        let (mut work, mut size) = (0.0, self.kinetic.max(after));
        for id in &island.bodies {
            let (Some(body), slot) = (model.bodies().get(*id), id.slot()) else { continue };
            let (mass, [from, to]) = (body.mass.mass, [&self.bodies[slot], &bodies[slot]]);
            let moved = to.position - from.position;
            let turned = rotation_vector(to.rotation * from.rotation.conjugate());
            let [begin, end] = [self.accelerations[slot], now[slot]];
            work += 0.5 * mass * (begin.linear + end.linear).dot(moved);
            work += 0.5 * (begin.torque + end.torque).dot(turned);
            let gyration = (body.principal().moments.max_element() / mass).sqrt();
            size += mass * begin.linear.length() * if gyration.is_finite() { gyration } else { 0.0 };
        }
        let gain = after - self.kinetic - work;
        let (most, wrong) = match passivity {
            Passivity::Keeps => (WRONG * size, gain.abs() / (WRONG * size)),
            Passivity::Loses => (GAIN * size, gain / (GAIN * size)),
            Passivity::Active => (f64::INFINITY, 0.0),
        };
        let excess = if gain > most && after > 0.0 { (gain - most) / after } else { 0.0 };
        let wrong = if gain.is_finite() && size > 0.0 { wrong } else { 0.0 };
        let kept = (1.0 - excess).max(0.0).sqrt();
        let is_small = gain.abs() < SMALL * after;
        Verdict { wrong, kept, restored: if is_small { (1.0 - gain / after).sqrt() } else { 1.0 } }
    }
}

/// What became of the energy. All rows being homogeneous, velocities that obey them still do so when all are multiplied by a factor.
pub(super) struct Verdict {
    /// How wrong the energy is; beyond 1 it is too wrong.
    pub(super) wrong: f64,
    /// The factor for all velocities that takes out what rose too much.
    pub(super) kept: f64,
    /// The factor that makes the energy right.
    pub(super) restored: f64,
}

fn accelerations(equations: &dyn EquationsOfMotion, time: f64, bodies: &[BodyState]) -> Vec<Acceleration> {
    let mut list = vec![Acceleration::default(); bodies.len()];
    equations.accelerations(time, bodies, &mut list);
    list
}

fn kinetic(model: &Model, bodies: &[BodyState], island: &Island) -> f64 {
    let energy = |id: &crate::BodyId| {
        let (Some(body), state) = (model.bodies().get(*id), &bodies[id.slot()]) else { return 0.0 };
        let local: DVec3 = state.rotation.conjugate() * state.angular_velocity;
        0.5 * (body.mass.mass * state.velocity.length_squared() + local.dot(body.mass.inertia * local))
    };
    island.bodies.iter().map(energy).sum()
}
