//! How short a step must be for joints: how far they turn, and how fast they tremble.
//!
//! **Turning.** Within a step the lever of a joint, from the centre of mass to where it holds the body, turns by about |ω × r|/|r| h. Newton's
//! method for the positions takes it as nearly constant.
//!
//! **Trembling.** A body that is pulled apart by forces F at the ends of its levers r swings like a pendulum about their direction. With the
//! geometric stiffness Σ F·r its frequency is
//!
//! ```text
//! Ω² = Σ F·r / I.
//! ```
//!
//! A light link in a chain that bears a heavy weight trembles a hundred times a second, however exactly its joints are solved.
//! Velocity Verlet, and with it RATTLE, is stable for Ω h < 2; beyond that the trembling grows from rounding until the chain
//! flies apart. If the forces press, the body does not swing but falls over, at the same rate. What is held by more than two others does not
//! swing by itself; but the bodies of a net of ball joints do, each against its neighbours.

use super::assemble::{JointMemory, turning};
use crate::constraint::{BodyView, JointForm};
use crate::model::{JointEnd, JointModel};
use crate::parts::islands::Island;
use crate::{Id, Model, State};
use glam::DVec3;

/// Ω h in a part of a step.
const TREMBLE: f64 = 1.0;

/// What the joints of an island ask of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Demand {
    /// By how much a lever turns in the step, in radians, at most.
    pub(super) turn: f64,
    /// In how many parts the step has to be taken for nothing to tremble.
    pub(super) calm: f64,
    /// In how many parts the last step was taken.
    pub(super) before: f64,
}

impl Demand {
    pub(super) fn new(model: &Model, state: &State, dt: f64, island: &Island, memory: &[JointMemory]) -> Self {
        let mut demand = Self::default();
        let mut bodies = vec![Pulled::default(); island.bodies.len()];
        for &id in &island.joints {
            let Some(joint) = model.joints().get(id) else { continue };
            let memory = &memory[id.slot()];
            let known = memory.joint == Some(id) && memory.dt > 0.0;
            let force = if known { memory.reaction().force } else { DVec3::ZERO };
            if known {
                demand.before = larger(demand.before, (dt / memory.dt).round());
            }
            for (side, number, lever, turn) in levers(model, state, joint, island) {
                demand.turn = larger(demand.turn, dt * turn);
                bodies[number].pull(joint.ends[1 - side], if side == 1 { force } else { -force }, lever);
                bodies[number].is_held_stiffly |= !matches!(joint.constraint.form(), JointForm::Ball { .. });
            }
        }
        let is_net = island.has_loops();
        let swings = |pulled: &Pulled| !pulled.is_held || (is_net && !pulled.is_held_stiffly);
        for (id, pulled) in island.bodies.iter().zip(bodies).filter(|(_, pulled)| swings(pulled)) {
            let inertia = model.bodies().get(*id).map_or(0.0, |body| body.principal().moments.max_element());
            demand.calm = larger(demand.calm, dt * (pulled.stiffness.abs() / inertia).sqrt() / TREMBLE);
        }
        demand
    }
}

/// A body and those it is joined to.
#[derive(Clone, Copy, Debug, Default)]
struct Pulled {
    stiffness: f64,
    neighbours: [Option<JointEnd>; 2],
    /// Whether it is joined to more than two others.
    is_held: bool,
    /// Whether a joint of it holds more than a point.
    is_held_stiffly: bool,
}

impl Pulled {
    fn pull(&mut self, by: JointEnd, force: DVec3, lever: DVec3) {
        self.stiffness += force.dot(lever);
        if !self.neighbours.contains(&Some(by)) {
            match self.neighbours.iter_mut().find(|neighbour| neighbour.is_none()) {
                Some(free) => *free = Some(by),
                None => self.is_held = true,
            }
        }
    }
}

/// The larger of two numbers; the first if the second is none, such as the
/// trembling of a body without extent.
fn larger(one: f64, other: f64) -> f64 {
    if other > one && other.is_finite() { other } else { one }
}

/// For each end of a joint that is a body of the island: which end, the body's number there, the lever, and how fast that
/// turns, in rad/s. What is welded to another body does not swing by itself.
fn levers(
    model: &Model,
    state: &State,
    joint: &JointModel,
    island: &Island,
) -> impl Iterator<Item = (usize, usize, DVec3, f64)> {
    let views = joint.ends.map(|end| BodyView::of(model, &state.bodies, end));
    let anchors = joint.constraint.anchors(&views);
    let swings = !matches!(joint.constraint.form(), JointForm::Weld { .. } | JointForm::Slider { .. });
    let lever = move |side: usize| {
        let JointEnd::Body(id) = joint.ends[side] else { return None };
        let number = island.bodies.binary_search(&id).ok()?;
        let lever = anchors[side] - views[side].center;
        let turn = turning(&views[side], anchors[side]);
        Some((side, number, if swings { lever } else { DVec3::ZERO }, turn))
    };
    [0, 1].into_iter().filter_map(lever)
}
