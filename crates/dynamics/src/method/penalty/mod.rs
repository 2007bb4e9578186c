//! The penalty method (G 2.6.3): springs and dampers keep bodies apart and joints together, and nothing is solved.
//!
//! Where bodies overlap by d, a damped spring along the normal pushes them apart (2.70); friction is a spring between the surfaces that
//! is stretched by their slip and slides when it would pull harder than Coulomb allows (2.71–2.74). Forces are integrated like any others.
//! Everybody's first method, and unstable in everybody's hands, because its numbers have to fit masses, step and sizes (G 6.2.2).
//! Here they follow from these:
//!
//! - **Stiffness.** With the mass m* that two bodies have for each other at a point, and a substep h, semi-implicit Euler is stable on a spring
//!   k with the damper c as long as `2γ + κ < 4`, where κ = k h²/m* and γ = c h/m*. Points that share a body add up: the matrix
//!   `K^½ J W Jᵀ K^½` has entries of at most κ/S if each point has `k = κ m*/(S h²)` with S the number of points (and rows of joints) on the busier of
//!   its bodies, and rows of at most 2S of them. κ = 0.05 and critical damping, γ = 2√κ, are stable with normal and friction springs together, whatever
//!   the masses: 2·4·0.447 + 4·0.05 = 3.8.
//! - **Restitution.** A damped spring gives back e of the speed if its damping ratio is `ζ = −ln e / √(π² + ln² e)`.
//! - **Substeps.** What lies on a spring sinks by its weight over k. So that nothing sinks by more than a hundredth of its size, heavy on
//!   light included, a step is divided until `h² ≤ κ m δ / (8 a M)`, with M the mass of all that hangs together, m the lightest body in it, δ
//!   the depth allowed and a the acceleration by forces. That is the price of the method: ten substeps for a ball at 60 Hz, three hundred for a
//!   ton on a kilogram.
//!
//! Joints are rows `c = 0` with a spring and a damper each (G's penalty-based solver).

mod springs;

use self::springs::{Numbers, Springs, contact_forces};
use super::classic::{Classic, Mark, Rule, Step};
use crate::constraint::Row;
use crate::force::Wrenches;
use crate::integrator::{Acceleration, EquationsOfMotion, Integrator, SemiImplicitEuler};
use crate::parts::free_motion::FreeMotion;
use crate::parts::islands::{Island, Islands};
use crate::parts::{forces, scripts};
use crate::report::Stopwatch;
use crate::schema::JsonSchema;
use crate::{BodyState, Id, Model, State, StepError};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// The penalty method. See the module's documentation.
pub type Penalty = Classic<PenaltySettings>;

/// κ: what a spring does to the mass it has, per substep.
const KAPPA: f64 = 0.05;

/// Bodies without colliders are taken to be of this size, in metres.
const USUAL_SIZE: f64 = 0.1;

/// Contacts and joints are stiff springs with dampers, which push apart what overlaps. A classic, for comparison.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PenaltySettings {
    /// How deep bodies may sink into each other at rest, as a part of their size. Default 0.01.
    #[schemars(range(min = 1e-6, max = 1.0), extend("unit" = "1"))]
    pub sink: f64,
    /// The stiffness of a contact point, in N/m; `null` (default) for one that follows from masses, step and size.
    #[schemars(range(min = 0.0), extend("unit" = "N/m"))]
    pub stiffness: Option<f64>,
    /// A step is divided into so many substeps at most. Default 2000.
    #[schemars(range(min = 1, max = 1000000))]
    pub most_substeps: u32,
}

impl Default for PenaltySettings {
    fn default() -> Self {
        Self { sink: 0.01, stiffness: None, most_substeps: 2000 }
    }
}

/// The stretched friction spring of a contact point (G's anchor a₀, as the slip p − a₀ since it was set).
///
/// G keeps a₀ itself; that of a ball that rolls would be left behind and pull. The sum of the slips is the same for what slides and
/// zero for what rolls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Anchor {
    /// By how much the second surface has slipped over the first, in metres.
    pub slip: DVec3,
}

impl Mark for Anchor {
    fn is_finite(&self) -> bool {
        self.slip.is_finite()
    }
}

/// Room to work in.
#[derive(Debug, Default)]
pub struct Room {
    islands: Islands,
    wrenches: Wrenches,
    springs: Springs,
    rows: Vec<Row>,
}

impl Rule for PenaltySettings {
    const NAME: &'static str = "penalty";
    type Mark = Anchor;
    type Memory = ();
    type Room = Room;

    fn advance(&self, step: &mut Step<'_, Self>, room: &mut Room) -> Result<(), StepError> {
        let watch = Stopwatch::start();
        step.contacts.find_pairs(step.model, step.state, step.dt, step.roster, step.index);
        let substeps = self.substeps(step, room);
        step.report.times.detect = watch.elapsed();
        step.report.solved.sweeps = substeps as usize;

        let watch = Stopwatch::start();
        let h = step.dt / f64::from(substeps);
        let start = step.state.time;
        let loads = State { applied: step.state.applied.clone(), ..State::default() };
        let moves = FreeMotion::new(step.model, step.state).into_moves();
        let mut result = Ok(());
        for substep in 0..substeps {
            step.state.time = start + h * f64::from(substep);
            self.substep(step, room, h, &FreeMotion::of_some(step.model, &loads, &moves));
            result = step.check_finite();
            if result.is_err() {
                break;
            }
        }
        step.state.time = start;
        step.reactions.iter_mut().for_each(|reaction| {
            reaction.force /= f64::from(substeps);
            reaction.torque /= f64::from(substeps);
        });
        step.report.times.solve = watch.elapsed();
        result
    }
}

impl PenaltySettings {
    /// In how many substeps the step is taken.
    fn substeps(&self, step: &Step<'_, Self>, room: &mut Room) -> u32 {
        let (model, state) = (step.model, &*step.state);
        forces::sum(model, state.time, &state.bodies, &mut room.wrenches);
        let pairs = step.contacts.list.iter().enumerate().map(|(index, pair)| (index, pair.bodies));
        room.islands.find(model, state, &step.roster.movable, pairs);
        room.springs.begin(model, state);
        room.springs.add_joints(model, state, &mut room.rows);
        let lightest = room.springs.lightest_by_joint(model.joints().slot_count());
        let wrenches = room.wrenches.as_slice();
        let need = |island: &Island| {
            let bodies = || island.bodies.iter().filter_map(|&id| Some((model.bodies().get(id)?, id.slot())));
            let total: f64 = bodies().map(|(body, _)| body.mass.mass).sum();
            let least = bodies().map(|(body, _)| body.mass.mass).fold(f64::INFINITY, f64::min);
            let pull =
                bodies().map(|(body, slot)| (wrenches[slot].force * body.inverse_mass).length()).fold(0.0, f64::max);
            let size =
                island.contacts.iter().map(|&index| step.contacts.list[index].size).filter(|size| size.is_finite());
            let size = size.fold(if island.joints.is_empty() { f64::INFINITY } else { USUAL_SIZE }, f64::min);
            // What a joint far from the centre of mass has to hold turns away: little mass, and several rows to share it.
            let turning = island.joints.iter().map(|id| lightest[id.slot()]).fold(f64::INFINITY, f64::min);
            let least = least.min(turning);
            match self.stiffness {
                // So many points as a box rests on, each with a quarter of its mass.
                Some(stiffness) => step.dt * (16.0 * stiffness / (KAPPA * least)).sqrt(),
                None => step.dt * (8.0 * pull * total / (KAPPA * least * self.sink * size)).sqrt(),
            }
        };
        let islands = room.islands.as_slice().iter().filter(|island| !island.is_free());
        let most = islands.map(need).filter(|need| need.is_finite()).fold(1.0, f64::max);
        most.ceil().min(f64::from(self.most_substeps)) as u32
    }

    /// Forces, then motion: semi-implicit Euler.
    fn substep(&self, step: &mut Step<'_, Self>, room: &mut Room, h: f64, free: &FreeMotion<'_>) {
        let model = step.model;
        step.contacts.find_points(model, step.state, 0.0);
        room.springs.begin(model, step.state);
        room.springs.add_joints(model, step.state, &mut room.rows);
        room.springs.count_contacts(step.contacts);
        let numbers = Numbers { h, kappa: KAPPA, stiffness: self.stiffness };
        room.wrenches.reset(step.state.bodies.len());
        contact_forces(&room.springs, step.contacts, step.state, &numbers, &mut room.wrenches);
        room.springs.joint_forces(model, step.state, &numbers, &mut room.wrenches, step.reactions);
        let mut bodies = std::mem::take(&mut step.state.bodies);
        let equations = Pushed { free, pushes: &room.wrenches };
        SemiImplicitEuler::default().advance(&equations, step.state.time, h, &mut bodies);
        scripts::follow(model, &step.roster.scripted, step.state.time + h, &mut bodies);
        step.state.bodies = bodies;
    }
}

/// Free motion with the forces of springs added.
struct Pushed<'a> {
    free: &'a FreeMotion<'a>,
    pushes: &'a Wrenches,
}

impl EquationsOfMotion for Pushed<'_> {
    fn accelerations(&self, time: f64, bodies: &[BodyState], accelerations: &mut [Acceleration]) {
        self.free.accelerations(time, bodies, accelerations);
        for (index, (acceleration, push)) in accelerations.iter_mut().zip(self.pushes.as_slice()).enumerate() {
            if let Some(body) = self.model().bodies().in_slot(index).filter(|_| self.moves(index)) {
                acceleration.linear += push.force * body.inverse_mass;
                acceleration.torque += push.torque;
            }
        }
    }

    fn model(&self) -> &Model {
        self.free.model()
    }

    fn moves(&self, index: usize) -> bool {
        self.free.moves(index)
    }
}
