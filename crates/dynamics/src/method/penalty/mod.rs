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
//! - **Restitution.** A damped spring that does not pull gives back e of the speed if its damping ratio is ζ = sin φ with `(π − 2φ) tan φ = −ln e`; at
//!   most ζ = 1, so that e is at least 0.14.
//! - **Substeps.** What lies on a spring sinks by its weight over k. So that nothing sinks by more than a hundredth of its size, heavy on
//!   light included, a step is divided until `h² ≤ κ m δ / (8 a M)`, with M the mass of all that hangs together, m the lightest body in it, δ
//!   the depth allowed and a the acceleration by forces. That is the price of the method: ten substeps for a ball at 60 Hz, three hundred for a
//!   ton on a kilogram.
//!
//! - **Energy.** Springs give back no more than they took, whatever becomes of their stiffness (`cushion`).
//!
//! A substep is velocity Verlet: half a kick by the springs, free flight, the other half where the bodies are then. Joints are rows `c = 0` with
//! a spring and a damper each (G's penalty-based solver).
//!
//! The contacts alone are also the contact model "penalty" of the method [`retroactive`](super::retroactive), which holds joints with its solver.

mod cushion;
mod springs;

pub(in crate::method) use self::cushion::{Cushions, Moment, Press};
pub(in crate::method) use self::springs::{Numbers, Springs};

use self::springs::KAPPA;
use super::classic::{Classic, Contacts, Mark, Rule, Step};
use crate::constraint::Row;
use crate::force::Wrenches;
use crate::integrator::{Integrator, VelocityVerlet};
use crate::parts::free_motion::FreeMotion;
use crate::parts::islands::{Island, Islands};
use crate::parts::{forces, scripts};
use crate::report::Stopwatch;
use crate::schema::JsonSchema;
use crate::{Id, Model, State, StepError, Wrench};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// The penalty method. See the module's documentation.
pub type Penalty = Classic<PenaltySettings>;

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
    /// What the springs of the point have taken out of the motion and can give back, in joules.
    pub energy: f64,
}

impl Mark for Anchor {
    fn is_finite(&self) -> bool {
        self.slip.is_finite() && self.energy.is_finite()
    }
}

/// What joints hold at the end of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Held {
    /// The energy of their springs, in joules.
    pub energy: f64,
}

/// Room to work in.
#[derive(Debug, Default)]
pub struct Room {
    islands: Islands,
    wrenches: Wrenches,
    springs: Springs,
    cushions: Cushions,
    rows: Vec<Row>,
}

impl Rule for PenaltySettings {
    const NAME: &'static str = "penalty";
    type Mark = Anchor;
    type Memory = Held;
    type Room = Room;

    fn advance(&self, step: &mut Step<'_, Self>, room: &mut Room) -> Result<(), StepError> {
        let watch = Stopwatch::start();
        step.contacts.find_pairs(step.model, step.state, step.dt, step.roster, step.index)?;
        let substeps = self.divide(step, room);
        step.report.times.detect = watch.elapsed();
        step.report.solved.sweeps = substeps as usize;

        let watch = Stopwatch::start();
        let numbers = Numbers { h: step.dt / f64::from(substeps), stiffness: self.stiffness };
        let start = step.state.time;
        let loads = State { applied: step.state.applied.clone(), ..State::default() };
        let moves = FreeMotion::new(step.model, step.state).into_moves();
        let free = FreeMotion::of_some(step.model, &loads, &moves);
        let mut placed = step.changed;
        let mut result = Ok(());
        room.find(step);
        for substep in 0..substeps {
            step.state.time = start + numbers.h * f64::from(substep);
            room.kick(step, &numbers, Moment::Begin { placed });
            fly(step, &numbers, &free);
            result = step.check_finite();
            if result.is_err() {
                break;
            }
            room.find(step);
            room.kick(step, &numbers, Moment::End);
            placed = false;
        }
        step.state.time = start;
        step.memory.energy = room.springs.held_by_joints(&numbers);
        step.reactions.iter_mut().for_each(|reaction| {
            reaction.force /= f64::from(substeps);
            reaction.torque /= f64::from(substeps);
        });
        step.report.times.solve = watch.elapsed();
        result
    }

    fn stored_energy(contacts: &Contacts<Anchor>, held: &Held) -> f64 {
        let points = contacts.list.iter().flat_map(|pair| &pair.points);
        points.map(|point| point.mark.energy).sum::<f64>() + held.energy
    }

    fn check(held: &Held, _model: &Model, _state: &State) -> Result<(), String> {
        if held.energy.is_finite() { Ok(()) } else { Err(format!("joints hold {} J", held.energy)) }
    }
}

impl PenaltySettings {
    /// In how many substeps the step of a world is taken.
    fn divide(&self, step: &Step<'_, Self>, room: &mut Room) -> u32 {
        let (model, state) = (step.model, &*step.state);
        forces::sum(model, state.time, &state.bodies, &mut room.wrenches);
        let pairs = step.contacts.list.iter().enumerate().map(|(index, pair)| (index, pair.bodies));
        room.islands.find(model, state, &step.roster.movable, pairs);
        room.springs.begin(model, state);
        room.springs.add_joints(model, state, &mut room.rows);
        let lightest = room.springs.lightest_by_joint(model.joints().slot_count());
        // What a joint far from the centre of mass has to hold turns away: little mass, and several rows to share it.
        let turning =
            |island: &Island| island.joints.iter().map(|id| lightest[id.slot()]).fold(f64::INFINITY, f64::min);
        let size = |index: usize| step.contacts.list[index].size;
        let islands = room.islands.as_slice().iter().filter(|island| !island.is_free());
        self.substeps((model, step.dt), room.wrenches.as_slice(), islands, &size, &turning)
    }

    /// In how many substeps islands take a step of `dt` seconds, given the forces by slot of the body, the sizes of contacts by their
    /// numbers, and the least mass that springs besides those of contacts have to move.
    pub(in crate::method) fn substeps<'a>(
        &self,
        (model, dt): (&Model, f64),
        wrenches: &[Wrench],
        islands: impl Iterator<Item = &'a Island>,
        size: &dyn Fn(usize) -> f64,
        lightest: &dyn Fn(&Island) -> f64,
    ) -> u32 {
        let need = |island: &Island| {
            let bodies = || island.bodies.iter().filter_map(|&id| Some((model.bodies().get(id)?, id.slot())));
            let total: f64 = bodies().map(|(body, _)| body.mass.mass).sum();
            let least = bodies().map(|(body, _)| body.mass.mass).fold(lightest(island), f64::min);
            let pull =
                bodies().map(|(body, slot)| (wrenches[slot].force * body.inverse_mass).length()).fold(0.0, f64::max);
            let sizes = island.contacts.iter().map(|&index| size(index)).filter(|size| size.is_finite());
            let size = sizes.fold(if island.joints.is_empty() { f64::INFINITY } else { USUAL_SIZE }, f64::min);
            match self.stiffness {
                // So many points as a box rests on, each with a quarter of its mass.
                Some(stiffness) => dt * (16.0 * stiffness / (KAPPA * least)).sqrt(),
                None => dt * (8.0 * pull * total / (KAPPA * least * self.sink * size)).sqrt(),
            }
        };
        let most = islands.map(need).filter(|need| need.is_finite()).fold(1.0, f64::max);
        most.ceil().min(f64::from(self.most_substeps)) as u32
    }
}

impl Room {
    /// Finds what presses and what pulls where the bodies are now.
    fn find(&mut self, step: &mut Step<'_, PenaltySettings>) {
        let model = step.model;
        step.contacts.find_points(model, step.state, 0.0);
        self.springs.begin(model, step.state);
        self.springs.add_joints(model, step.state, &mut self.rows);
        let presses = &mut self.cushions.presses;
        presses.clear();
        for pair in &mut step.contacts.list {
            let (places, material) = (pair.bodies.map(Id::slot), pair.material);
            for point in &mut pair.points {
                match point.geometry.gap < 0.0 {
                    true => presses.push(Press::new(places, point.geometry, material, DVec3::ZERO, point.mark)),
                    false => point.mark = Anchor::default(),
                }
            }
        }
        self.springs.count_contacts(presses);
    }

    /// Half of what all springs do in a substep.
    fn kick(&mut self, step: &mut Step<'_, PenaltySettings>, numbers: &Numbers, moment: Moment) {
        let Self { springs, cushions, wrenches, islands, .. } = self;
        let bodies = &mut step.state.bodies;
        let pull = springs.joint_forces(step.model, bodies, numbers, moment, wrenches, step.reactions);
        let island = |slot: usize| islands.number_of(slot);
        cushions.kick(springs, bodies, numbers, moment, (islands.as_slice().len(), &island));
        springs.act(pull, 0.5 * numbers.h, bodies);
        let points = step.contacts.list.iter_mut().flat_map(|pair| &mut pair.points);
        for (point, press) in points.filter(|point| point.geometry.gap < 0.0).zip(&cushions.presses) {
            point.mark = press.anchor;
            point.impulse = point.impulse + press.impulse;
            point.met = point.met.max(press.speed);
        }
    }
}

/// Moves the bodies as if they touched nothing.
fn fly(step: &mut Step<'_, PenaltySettings>, numbers: &Numbers, free: &FreeMotion<'_>) {
    let mut bodies = std::mem::take(&mut step.state.bodies);
    VelocityVerlet::default().advance(free, step.state.time, numbers.h, &mut bodies);
    scripts::follow(step.model, &step.roster.scripted, step.state.time + numbers.h, &mut bodies);
    step.state.bodies = bodies;
}
