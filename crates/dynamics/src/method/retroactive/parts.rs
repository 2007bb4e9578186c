//! Steps in parts (adaptive substeps): an island whose joints do not close within a step takes it in several shorter ones.
//!
//! Newton's method for the positions (see `positions.rs`) follows arcs as far as its tangents reach: where bodies turn by half a
//! radian within a step it may run away, and five links let go level lose three quarters of their energy. And a joint
//! that bears much is a pendulum of its own (see `trembling.rs`). Both are cured by shorter steps, and by nothing else without loss. So
//! an island takes the step in as many parts as it is known to need, and wherever its joints still do not close, it goes
//! back to the beginning of the part and takes the rest in parts half as long. Only that island does: everybody else
//! takes the step at once.
//!
//! A part is a step of its own: positions, free motion, velocities. Contacts are not found anew in between, but move with the surfaces they
//! lie on: a point of each body, carried along, and the distance of the two along the normal that it had at the beginning.
//! At the end of the step, when contacts are found for everybody, the velocities are solved once more with the new ones.
//!
//! Islands without joints take a step in parts, too, if an impact turns a body further than its contacts foresee (`whip.rs`). Their
//! contacts are found anew at the end of each part.
//!
//! If the shortest parts do not help and a joint opens by more than it did before, the step is refused: nothing tears in silence.

use super::Retroactive;
use super::assemble::{JointMemory, lever, size};
use super::bounce::Budget;
use super::contact::{PairState, PointState};
use super::detect::Moment;
use super::passive::{Account, Passivity, is_anchored};
use super::trembling::Demand;
use crate::constraint::{JointView, Limit, Softness};
use crate::contact::ContactImpulse;
use crate::event::Reaction;
use crate::parts::free_motion::FreeMotion;
use crate::parts::islands::Island;
use crate::{BodyState, ColliderId, Id, JointId, Model, State, StepError};

/// In how many parts a step is taken at most; a power of two.
const MOST: u32 = 64;

/// In how many parts at most where a joint is open from the beginning.
const FEW: u32 = 2;

/// Among contacts, the parts times the joints and contact points are at most about this.
const WORK: u32 = 300;

/// The same where joints form loops: a net that bears a weight needs short parts, however many contacts it has.
const WORK_IN_LOOPS: u32 = 1000;

/// The same where there are contacts only: four parts for three hundred points.
const WORK_OF_CONTACTS: u32 = 1200;

/// Without joints, fewer parts than this are not worth their time.
const LEAST: u32 = 4;

/// A joint that opens by this part of its lever, or by this angle in radians, and was not as far open before, does not hold.
const OPEN: f64 = 0.05;

/// By how much, in radians, a lever may turn in a part of a step.
const TURN: f64 = 0.25;

/// If a lever turns by more than this, in radians, within a step, the energy is watched.
const WATCHED: f64 = 0.05;

/// If a part half as long has more than this of the error of the energy, shorter parts do not help.
const FUTILE: f64 = 0.6;

/// Whom a solve is about.
#[derive(Clone, Debug, Default)]
pub(super) struct Chosen {
    /// The numbers of the islands, which all need solving.
    pub(super) islands: Vec<usize>,
    /// By slot of the body, whether it moves.
    pub(super) moves: Vec<bool>,
    /// Whether it is about a part of a step.
    pub(super) in_parts: bool,
}

/// An island and the number of parts in which it takes the step.
type Divided = (usize, u32);

/// What is to be seen to in a part.
#[derive(Clone, Copy, Debug)]
struct Care {
    /// What may happen to the energy.
    passivity: Passivity,
    /// Whether there are no shorter parts.
    must: bool,
    /// Whether the energy is put right.
    restores: bool,
}

/// What a part puts back that has to be taken again.
struct Before {
    bodies: Vec<BodyState>,
    joints: Vec<JointMemory>,
    contacts: Vec<PairState>,
}

impl Before {
    fn new(island: &Island, state: &State, joints: &[JointMemory], contacts: &[PairState]) -> Self {
        Self {
            bodies: island.bodies.iter().map(|id| state.bodies[id.slot()]).collect(),
            joints: island.joints.iter().map(|id| joints[id.slot()].clone()).collect(),
            contacts: island.contacts.iter().map(|&index| contacts[index].clone()).collect(),
        }
    }

    fn put_back(self, island: &Island, state: &mut State, joints: &mut [JointMemory], contacts: &mut [PairState]) {
        island.bodies.iter().zip(self.bodies).for_each(|(id, body)| state.bodies[id.slot()] = body);
        island.joints.iter().zip(self.joints).for_each(|(id, joint)| joints[id.slot()] = joint);
        island.contacts.iter().zip(self.contacts).for_each(|(&index, contact)| contacts[index] = contact);
    }
}

impl Retroactive {
    /// Solves the positions of all islands that can take the step at once, and moves the others to its end. Who those are is noted
    /// in `finished`.
    pub(super) fn begin_step(&mut self, model: &Model, state: &mut State, dt: f64) -> Result<(), StepError> {
        self.find_islands(model, state);
        self.finished.clear();
        self.exerted = Exerted::default();
        self.finished.resize(state.bodies.len(), false);
        let (mut whole, mut divided) = (self.everybody(model, state), Vec::new());
        whole.islands.retain(|&index| match self.parts_needed(model, state, dt, index) {
            0 => true,
            parts => {
                divided.push((index, parts));
                false
            }
        });
        let must = self.integrator.remembers();
        let open = self.solve_positions(model, state, dt, &whole, must);
        self.cancel.check()?;
        if !must {
            divided.extend(open.into_iter().map(|index| (index, 2)));
            divided.sort_unstable();
        }
        self.take_parts(model, state, dt, &divided)
    }

    /// All islands that need solving, and all bodies that move.
    fn everybody(&self, model: &Model, state: &State) -> Chosen {
        let islands = self.islands.as_slice().iter().enumerate();
        Chosen {
            islands: islands.filter(|(_, island)| island.needs_solving()).map(|(index, _)| index).collect(),
            moves: FreeMotion::new(model, state).into_moves(),
            in_parts: false,
        }
    }

    /// In how many parts an island is known to need to take a step; zero if it can take it with everybody else.
    fn parts_needed(&self, model: &Model, state: &State, dt: f64, island: usize) -> u32 {
        let island = &self.islands.as_slice()[island];
        if island.joints.is_empty() || self.integrator.remembers() {
            return 0;
        }
        let demand = Demand::new(model, state, dt, island, &self.memory.joints);
        // What was needed a moment ago is given up by and by. What once needed parts and hangs freely keeps to two, and to its energy with
        // them: to put it right in some steps and not in others would let it creep away.
        let is_wild = demand.before > 1.0 && !island.has_loops() && island.contacts.is_empty();
        let before = if is_wild { (0.8 * demand.before).floor().max(2.0) } else { (0.5 * demand.before).floor() };
        let parts = (demand.turn / TURN).ceil().max(demand.calm.ceil()).max(before);
        let parts = parts.min(f64::from(MOST)) as u32;
        let is_watched = demand.turn > WATCHED && island.contacts.is_empty() && self.integrator.keeps_energy();
        if parts > 1 { parts } else { u32::from(is_watched) }
    }

    /// Moves islands to the end of the step, each in so many parts.
    fn take_parts(&mut self, model: &Model, state: &mut State, dt: f64, divided: &[Divided]) -> Result<(), StepError> {
        if divided.is_empty() {
            return Ok(());
        }
        let (pushes, budget) = (std::mem::take(&mut self.pushes), self.budget.clone());
        let scripted: Vec<BodyState> = self.roster.scripted.iter().map(|id| state.bodies[id.slot()]).collect();
        let start = state.time;
        for &(index, parts) in divided {
            let result = self.take_parts_of(model, state, dt, index, parts);
            state.time = start;
            self.roster.scripted.iter().zip(&scripted).for_each(|(id, body)| state.bodies[id.slot()] = *body);
            result?;
        }
        (self.pushes, self.budget) = (pushes, budget);
        Ok(())
    }

    /// Moves the bodies that have not taken the step in parts.
    pub(super) fn move_the_rest(&mut self, model: &Model, state: &mut State, dt: f64) {
        let mut moves = FreeMotion::new(model, state).into_moves();
        moves.iter_mut().zip(&self.finished).for_each(|(moves, finished)| *moves &= !finished);
        self.integrate(model, state, dt, &moves);
    }

    /// Solves for the velocities at the end of the step, with the contacts found there. Islands that took the step in parts and
    /// touch nothing have done so already.
    pub(super) fn end_step(&mut self, model: &Model, state: &mut State, dt: f64) {
        self.find_islands(model, state);
        // What does not act any more exerts nothing.
        let points = self.memory.contacts.list.iter_mut().flat_map(|contact| &mut contact.points);
        for point in points.filter(|point| !point.acts(self.settings.touch_distance)) {
            point.end = ContactImpulse::default();
        }
        let finished = std::mem::take(&mut self.finished);
        let mut chosen = self.everybody(model, state).islands;
        chosen.retain(|&index| {
            let Island { bodies, contacts, .. } = &self.islands.as_slice()[index];
            !contacts.is_empty() || !bodies.iter().all(|id| finished[id.slot()])
        });
        self.solve_velocities(model, state, dt, &chosen, &finished);
        self.finished = finished;
        self.exerted.store(&mut self.memory.contacts.list);
    }

    /// Moves an island to the end of the step.
    fn take_parts_of(
        &mut self,
        model: &Model,
        state: &mut State,
        dt: f64,
        index: usize,
        mut parts: u32,
    ) -> Result<(), StepError> {
        let island = self.islands.as_slice()[index].clone();
        let mut chosen = Chosen { islands: vec![index], moves: vec![false; state.bodies.len()], in_parts: true };
        for id in &island.bodies {
            chosen.moves[id.slot()] = true;
            self.finished[id.slot()] = true;
        }
        let start = state.time;
        // Contacts have a budget of energy of their own (`bounce.rs`).
        let has_joints = !island.joints.is_empty();
        let mut passivity = match has_joints && self.integrator.keeps_energy() {
            true => Passivity::of(model, state, &island),
            false => Passivity::Active,
        };
        let restorable = passivity == Passivity::Keeps && is_anchored(model, &island);
        let opened: Vec<f64> = island.joints.iter().map(|&id| opening(model, state, id).1).collect();
        let mut borne = vec![Reaction::default(); island.joints.len()];
        // Shorter parts do not close what somebody has torn open.
        let most = if opened.iter().any(|&before| before > OPEN) { FEW } else { self.most_parts(&island) };
        parts = parts.min(most);
        let (mut left, mut wrong) = (parts, f64::INFINITY);
        while left > 0 {
            self.cancel.check()?;
            let h = dt / f64::from(parts);
            state.time = start + (dt - h * f64::from(left));
            let before = Before::new(&island, state, &self.memory.joints, &self.memory.contacts.list);
            let care = Care { passivity, must: parts >= most, restores: parts > 1 && restorable };
            let outcome = self.take_part(model, state, h, &chosen, &island, care);
            if outcome > 1.0 && parts < most {
                before.put_back(&island, state, &mut self.memory.joints, &mut self.memory.contacts.list);
                self.pushes.clear();
                // An error of the energy that does not shrink with the step is none of the step.
                if passivity == Passivity::Keeps && outcome.is_finite() && outcome > FUTILE * wrong {
                    passivity = Passivity::Loses;
                    continue;
                }
                (parts, left, wrong) = (2 * parts, 2 * left, outcome);
                continue;
            }
            for (sum, id) in borne.iter_mut().zip(&island.joints) {
                let [begin, end] = self.memory.joints[id.slot()].impulses;
                sum.force += begin.force + end.force;
                sum.torque += begin.torque + end.torque;
            }
            if !has_joints {
                self.exerted.add(&island, &self.memory.contacts.list, dt - h * f64::from(left));
            }
            left -= 1;
        }
        if !has_joints {
            island.contacts.iter().for_each(|&index| forget(&mut self.memory.contacts.list[index], dt));
        }
        for (sum, id) in borne.into_iter().zip(&island.joints) {
            let share = 1.0 / f64::from(parts);
            let mean = Reaction { force: sum.force * share, torque: sum.torque * share };
            self.memory.joints[id.slot()].impulses = [mean, Reaction::default()];
        }
        check(model, state, &island, &opened)
    }

    /// How many parts are worth their time: among many contacts each costs a hundred sweeps.
    fn most_parts(&self, island: &Island) -> u32 {
        let points: usize = island.contacts.iter().map(|&index| self.memory.contacts.list[index].points.len()).sum();
        let work = match (island.joints.is_empty(), island.has_loops()) {
            (true, _) => WORK_OF_CONTACTS,
            (false, true) => WORK_IN_LOOPS,
            (false, false) => WORK,
        };
        if points == 0 { MOST } else { (work / (points + island.joints.len()) as u32).clamp(FEW, MOST) }
    }

    /// Whether an island without joints is small enough to take a step in parts.
    pub(super) fn is_worth_parts(&self, island: &Island) -> bool {
        self.most_parts(island) >= LEAST
    }

    /// Moves an island by a part of a step. How wrong the energy is, beyond 1 too wrong; infinite if joints do not close. If it `must` do,
    /// it is taken as it is.
    fn take_part(
        &mut self,
        model: &Model,
        state: &mut State,
        h: f64,
        chosen: &Chosen,
        island: &Island,
        Care { passivity, must, restores }: Care,
    ) -> f64 {
        let settings = self.settings;
        if island.joints.is_empty() {
            let moment = Moment { model, state, dt: h, settings: &settings };
            self.memory.contacts.remember_approach_of(&moment, &island.contacts);
        }
        if !island.contacts.is_empty() {
            self.budget = Budget::new(&FreeMotion::of_some(model, state, &chosen.moves), state.time, &state.bodies);
        }
        let account = Account::open(model, &FreeMotion::of_some(model, state, &chosen.moves), state, island);
        let open = self.solve_positions(model, state, h, chosen, must);
        if !must && !open.is_empty() {
            return f64::INFINITY;
        }
        self.integrate(model, state, h, &chosen.moves);
        if island.joints.is_empty() {
            let moment = Moment { model, state, dt: h, settings: &settings };
            self.memory.contacts.find_again(&moment, &island.contacts);
        } else {
            for &index in &island.contacts {
                carry(&mut self.memory.contacts.list[index], &account.bodies, &state.bodies, h);
            }
        }
        self.solve_velocities(model, state, h, &chosen.islands, &[]);
        let end = FreeMotion::of_some(model, state, &chosen.moves);
        let verdict = account.close(model, &end, state.time + h, &state.bodies, island, passivity);
        let factor = match restores {
            true => verdict.restored,
            false => {
                if must {
                    verdict.kept
                } else {
                    1.0
                }
            }
        };
        if factor != 1.0 {
            for id in &island.bodies {
                state.bodies[id.slot()].velocity *= factor;
                state.bodies[id.slot()].angular_velocity *= factor;
            }
        }
        verdict.wrong
    }
}

/// What contact points exerted in the parts of a step, and how they were met. It is kept apart until the end of the step: there the
/// velocities are solved once more, and what has bounced or has been held in a part has done so.
#[derive(Clone, Debug, Default)]
pub(super) struct Exerted {
    /// By their colliders. The impulses of all parts are in `start`.
    points: Vec<([ColliderId; 2], PointState)>,
}

impl Exerted {
    /// Adds the impulses of a part that began so many seconds after the beginning of the step.
    fn add(&mut self, island: &Island, contacts: &[PairState], began: f64) {
        for contact in island.contacts.iter().map(|&index| &contacts[index]) {
            for point in contact.points.iter().filter(|point| (point.start + point.end).normal > 0.0) {
                let is_same = |(pair, known): &([ColliderId; 2], PointState)| {
                    (*pair, known.key) == (contact.colliders, point.key)
                };
                let known = self.points.iter().position(is_same).unwrap_or_else(|| {
                    let start = ContactImpulse::default();
                    let met = PointState { start, meeting_time: point.meeting_time + began, ..*point };
                    self.points.push((contact.colliders, met));
                    self.points.len() - 1
                });
                let sum = &mut self.points[known].1;
                sum.start = sum.start + point.start + point.end;
                sum.impact_speed = sum.impact_speed.max(point.impact_speed);
            }
        }
    }

    /// At the end of the step, adds all to the contacts, which are sorted by their colliders. What a point exerted that is no more
    /// goes to the first point of its contact.
    pub(super) fn store(&mut self, contacts: &mut [PairState]) {
        for (colliders, exerted) in self.points.drain(..) {
            let Ok(contact) = contacts.binary_search_by_key(&colliders, |contact| contact.colliders) else { continue };
            let points = &mut contacts[contact].points;
            let known = points.iter().position(|point| point.key == exerted.key).unwrap_or(0);
            if let Some(point) = points.get_mut(known) {
                point.start = point.start + exerted.start;
                point.impact_speed = point.impact_speed.max(exerted.impact_speed);
                point.meeting_time = point.meeting_time.min(exerted.meeting_time);
            }
        }
    }
}

/// Forgets the impulses and impacts of the last part of a step of `dt` seconds.
fn forget(contact: &mut PairState, dt: f64) {
    contact.dt = dt;
    for point in &mut contact.points {
        (point.start, point.end) = Default::default();
        (point.impact_speed, point.meeting_time) = (0.0, f64::INFINITY);
    }
}

/// Moves the points of a contact with the surfaces they lie on.
fn carry(contact: &mut PairState, before: &[BodyState], after: &[BodyState], h: f64) {
    let slots = contact.bodies.map(Id::slot);
    for point in &mut contact.points {
        let position = point.geometry.position;
        let [a, b] = slots.map(|slot| {
            let (before, after) = (before[slot].center_pose(), after[slot].center_pose());
            after.point(before.inverse_point(position))
        });
        let mut geometry = point.geometry;
        geometry.gap += (b - a).dot(geometry.normal);
        geometry.position = 0.5 * (a + b);
        *point = point.moved_to(point.features, geometry, h);
    }
}

/// How far a joint is open at most, in metres or radians, and as a part of its lever or in radians.
fn opening(model: &Model, state: &State, id: JointId) -> (f64, f64) {
    let mut rows = Vec::new();
    if let (Some(joint), Some(view)) = (model.joints().get(id), JointView::of(model, &state.bodies, &state.angles, id))
    {
        joint.constraint.rows(&view, &mut rows);
    }
    let lever = lever(&rows);
    let held = rows.iter().filter(|row| row.limit == Limit::Equality && row.softness == Softness::Rigid);
    held.map(|row| (row.error.abs(), row.error.abs() / size(row, lever)))
        .fold((0.0, 0.0), |worst, now| if now.1 > worst.1 { now } else { worst })
}

/// Refuses what opened further than a joint may. Where a joint was as far open before, because somebody put the bodies there, its
/// neighbours may open while it closes.
fn check(model: &Model, state: &State, island: &Island, opened: &[f64]) -> Result<(), StepError> {
    if opened.iter().any(|&before| before > OPEN) {
        return Ok(());
    }
    for &joint in &island.joints {
        let (gap, relative) = opening(model, state, joint);
        if relative > OPEN {
            let name = model.joints().get(joint).map_or_else(String::new, |joint| joint.name.clone());
            return Err(StepError::JointOpens { joint, name, gap });
        }
    }
    Ok(())
}
