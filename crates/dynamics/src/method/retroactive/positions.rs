//! Solving for positions: impulses at the beginning of the step that keep the constraints at its end.
//!
//! The method **looks ahead**: it moves the bodies with the impulses found so far, none at first, measures the joints there, and
//! solves again with the bias
//!
//! ```text
//! b ← (c(x₁) − c*)/h − J v̄
//! ```
//!
//! that makes up for the miss. v̄ is the mean velocity of the step and c* the value that c should have at its end: at least zero for
//! a limit; where there is an error already, that same error, because errors are removed by the push (`push.rs`).
//! This is Newton's method with the Jacobian of the beginning; two to four rounds suffice. Taking the constraints as linear would cost a pendulum a part of its length of the order h³ in every step, and
//! with it energy. The impulses act along the Jacobian of the beginning and close the joints at the end, as in SHAKE; with the velocities solved
//! at the end this is RATTLE (Andersen 1983), which is symplectic: joints neither gain nor lose energy in the long run.
//!
//! A limit of rotations can turn within a step: a hand that is thrown about by its arm turns by a radian, and at the far side of its
//! cone the way back is another one. Newton's method jumps to and fro between the two sides. So such a limit keeps its
//! plane at the beginning, `c(x₀) − c* + h J v̄ ≥ 0`, and wherever a look ahead finds it passed, it gets another plane there, with
//! the Jacobian of that place. The planes of all rounds hold together, as in the method of cutting planes (Kelley 1960); they
//! close in on any limit that is convex. Torques, unlike forces, may act along the Jacobian of another place without a change
//! of the angular momentum.
//!
//! Contacts stay linear. Their features come and go as bodies turn, and aiming at a corner that leaves the manifold on the
//! way would create energy; what turning makes them overlap is left to the push.

use super::Retroactive;
use super::assemble::{Assembler, Assembly, Miss, Stage};
use super::detect::view;
use super::nearby::solve_nearby;
use super::parts::Chosen;
use super::push::Push;
use super::rim;
use super::solver_bodies;
use super::speculate::{Outlook, Sheets};
use super::whip::whips;
use crate::parts::free_motion::FreeMotion;
use crate::parts::scripts;
use crate::solver::{Convergence, Problem, SolverBody, SolverRow};
use crate::{BodyState, Id, Model, State};
use tumble_geometry::math::rotation_vector;

/// A miss below this speed, in m/s or rad/s, is none.
const ON_TARGET: f64 = 1e-8;

/// Joints close if what they miss is less than this part of their levers, or this angle in radians.
const CLOSED: f64 = 1e-5;

/// The same for joints that form loops: near a dead point, what closes one joint opens another.
const LOOP_CLOSED: f64 = 1e-4;

/// The same where the solver lets joints yield (see `solver/direct/joints.rs`): shorter parts help there.
const YIELDING_CLOSED: f64 = 2e-5;

/// There, joints that miss no more than this part of that are not aimed anew.
const WELL_CLOSED: f64 = 0.1;

/// In a part of a step, where joints have to close, they are given so many times as many rounds,
const MORE_ROUNDS: u32 = 3;

/// as long as each round leaves no more than this of what was missed.
const PROGRESS: f64 = 0.7;

/// A solver that leaves so much of what is missed undone is to blame for it, and not that joints turn too far; unless it does so on purpose.
const SOLVER_TO_BLAME: f64 = 0.1;

/// How often verdicts on speculative contacts are compared with the solved motion, at most.
const SECOND_THOUGHTS: usize = 3;

/// An island while its positions are solved.
struct Task {
    /// Which island.
    island: usize,
    assembly: Assembly,
    /// The best solution so far of those whose miss was measured: its rows, the velocities of the island's bodies, and the miss.
    known: Option<(Vec<SolverRow>, Vec<SolverBody>, Miss)>,
    /// How far the solver got the last time.
    reached: Convergence,
    /// Whether the joints close, and no body turns too far for its contacts.
    closes: bool,
    done: bool,
}

impl Retroactive {
    /// Impulses at the beginning of a step that keep the constraints of some islands at its end. The islands whose joints do
    /// not close, or whose bodies turn too far: with `must`, they have come as near to it as they could, without it they were left alone.
    pub(super) fn solve_positions(
        &mut self,
        model: &Model,
        state: &mut State,
        dt: f64,
        chosen: &Chosen,
        must: bool,
    ) -> Vec<usize> {
        if chosen.islands.is_empty() {
            return Vec::new();
        }
        self.note_bends(model, state, dt, chosen);
        let moved = self.moved(model, state, state.bodies.clone(), dt, chosen);
        let free = mean_velocities(model, &state.bodies, &moved, dt);
        let mut bodies = free.clone();
        let mut tasks = self.tasks(model, state, dt, &bodies, &moved, chosen);
        for task in &mut tasks {
            if self.cancel.is_cancelled() {
                return Vec::new();
            }
            self.solve_without_ghosts(task, (model, state), &moved, &free, &mut bodies, dt);
            task.closes = !self.whips(task, (model, state), &bodies, dt);
        }
        let rounds = self.settings.look_ahead * if chosen.in_parts { MORE_ROUNDS } else { 1 };
        for round in 0..=rounds {
            if tasks.iter().all(|task| task.done) || self.cancel.is_cancelled() {
                break;
            }
            let ahead = self.moved(model, state, with_impulses(&state.bodies, &free, &bodies), dt, chosen);
            for task in tasks.iter_mut().filter(|task| !task.done) {
                let settings = self.settings;
                let assembler = Assembler {
                    model,
                    state,
                    dt,
                    stage: Stage::Position,
                    settings: &settings,
                    weighed: self.solver.weighs_rows(),
                    bodies: &bodies,
                    finished: &[],
                };
                let before = task.known.as_ref().map_or(f64::INFINITY, |(.., miss)| miss.speed);
                let improves = self.improves(task, &assembler, &ahead);
                let now = task.known.as_ref().map_or(0.0, |(.., miss)| miss.speed);
                let goes_on = round < self.settings.look_ahead || now <= PROGRESS * before;
                if improves && goes_on && round < rounds {
                    self.solve_island(task, &free, &mut bodies);
                } else {
                    self.take_best(task, &mut bodies);
                }
            }
        }
        let open = tasks.iter().filter(|task| !task.closes).map(|task| task.island).collect();
        if !must {
            tasks.retain(|task| task.closes || self.leave_alone(task, &free, &mut bodies));
        }
        for Task { assembly, .. } in &tasks {
            assembly.store(Stage::Position, dt, &mut self.memory.contacts.list, &mut self.memory.joints);
            let mut rows = assembly.push_rows();
            if !rows.is_empty() {
                self.solver.solve(&mut Problem { bodies: &mut bodies, rows: &mut rows });
                self.pushes.extend(rows.iter().filter(|row| row.impulse != 0.0).map(Push::new));
            }
        }
        state.bodies = with_impulses(&state.bodies, &free, &bodies);
        for push in &mut self.pushes {
            push.hold_line_of_action(&state.bodies);
        }
        open
    }

    /// Notes how the gaps of some islands bend within a step.
    fn note_bends(&mut self, model: &Model, state: &State, dt: f64, chosen: &Chosen) {
        for island in chosen.islands.iter().map(|&index| &self.islands.as_slice()[index]) {
            for &index in &island.contacts {
                let contact = &mut self.memory.contacts.list[index];
                let views = contact.bodies.map(|id| view(model, state, id));
                for point in 0..contact.points.len() {
                    let bend = rim::bend((model, state), contact, &contact.points[point], &views, dt);
                    contact.points[point].bend = bend;
                }
            }
        }
    }

    /// The bodies at the end of the step if only forces act from now on.
    fn moved(
        &self,
        model: &Model,
        state: &State,
        mut bodies: Vec<BodyState>,
        dt: f64,
        chosen: &Chosen,
    ) -> Vec<BodyState> {
        let equations = FreeMotion::of_some(model, state, &chosen.moves);
        self.integrator.clone_box().advance(&equations, state.time, dt, &mut bodies);
        scripts::follow(model, &self.roster.scripted, state.time_after(dt), &mut bodies);
        bodies
    }

    /// The islands to solve, with their rows.
    fn tasks(
        &self,
        model: &Model,
        state: &State,
        dt: f64,
        bodies: &[SolverBody],
        ahead: &[BodyState],
        chosen: &Chosen,
    ) -> Vec<Task> {
        let assembler = Assembler {
            model,
            state,
            dt,
            stage: Stage::Position,
            settings: &self.settings,
            weighed: self.solver.weighs_rows(),
            bodies,
            finished: &[],
        };
        let task = |&index: &usize| {
            let island = &self.islands.as_slice()[index];
            let mut assembly = assembler.assemble(island, &self.memory.contacts.list, &self.memory.joints);
            assembly.aim(&assembler, ahead);
            Task {
                island: index,
                assembly,
                known: None,
                reached: Convergence::default(),
                closes: true,
                done: island.joints.is_empty(),
            }
        };
        chosen.islands.iter().map(task).collect()
    }

    /// Solves an island with those of its speculative contacts that its motion confirms (`speculate.rs`).
    fn solve_without_ghosts(
        &mut self,
        task: &mut Task,
        (model, state): (&Model, &State),
        moved: &[BodyState],
        free: &[SolverBody],
        bodies: &mut [SolverBody],
        dt: f64,
    ) {
        let settings = self.settings;
        let contacts = std::mem::take(&mut self.memory.contacts.list);
        let outlook = Outlook { model, state, settings: &settings, contacts: &contacts, moved, free, dt };
        let mut sheets = Sheets::foresee(&outlook, &self.islands.as_slice()[task.island].contacts);
        for ghost in sheets.ghosts() {
            task.assembly.let_act(ghost.numbers(), false);
        }
        self.solve_island(task, free, bodies);
        for _ in 0..SECOND_THOUGHTS {
            let changes = sheets.reconsider(&outlook, bodies, |points| task.assembly.share_of_points(points, bodies));
            if changes.is_empty() {
                break;
            }
            for change in &changes {
                task.assembly.let_act(change.points.clone(), change.real);
            }
            if self.islands.as_slice()[task.island].joints.is_empty() {
                let mut marked = vec![false; bodies.len()];
                changes
                    .iter()
                    .flat_map(|change| change.bodies)
                    .for_each(|body| marked[body] = bodies[body].inverse_mass > 0.0);
                let reached = solve_nearby(&mut *self.solver, bodies, &mut task.assembly.rows, &mut marked);
                self.report.solved = self.report.solved.worse(reached);
            } else {
                self.solve_island(task, free, bodies);
            }
        }
        self.memory.contacts.list = contacts;
    }

    /// Whether a body of an island of contacts turns too far for them (`whip.rs`), and it is worth taking the step in parts.
    fn whips(&self, task: &Task, (model, state): (&Model, &State), bodies: &[SolverBody], dt: f64) -> bool {
        let island = &self.islands.as_slice()[task.island];
        let pairs = (island, self.memory.contacts.list.as_slice());
        island.joints.is_empty() && self.is_worth_parts(island) && whips(model, &state.bodies, pairs, bodies, dt)
    }

    /// Solves an island from its velocities without impulses.
    fn solve_island(&mut self, task: &mut Task, free: &[SolverBody], bodies: &mut [SolverBody]) {
        self.islands.as_slice()[task.island].bodies.iter().for_each(|id| bodies[id.slot()] = free[id.slot()]);
        let reached = self.solver.solve(&mut Problem { bodies, rows: &mut task.assembly.rows });
        self.report.solved = self.report.solved.worse(reached);
        task.reached = reached;
    }

    /// Measures how far the last solution misses, keeps it if it is the best so far (far beyond the arcs that Newton's method
    /// can follow, it runs away), and aims anew. Whether there is something to gain from another solve.
    fn improves(&self, task: &mut Task, assembler: &Assembler<'_>, ahead: &[BodyState]) -> bool {
        let rows = task.assembly.rows.clone();
        let miss = task.assembly.aim(assembler, ahead);
        if task.known.as_ref().is_some_and(|(.., best)| miss.speed >= best.speed || miss.speed.is_nan()) {
            return !miss.speed.is_nan();
        }
        let island = &self.islands.as_slice()[task.island];
        let velocities = island.bodies.iter().map(|id| assembler.bodies[id.slot()]).collect();
        task.known = Some((rows, velocities, miss));
        // Comparisons with what is no number are false.
        if task.reached.yields {
            task.closes = miss.relative <= YIELDING_CLOSED;
            return miss.speed > ON_TARGET && miss.relative > WELL_CLOSED * YIELDING_CLOSED;
        }
        let closed = if island.has_loops() { LOOP_CLOSED } else { CLOSED };
        task.closes = miss.relative <= closed || SOLVER_TO_BLAME * miss.speed <= task.reached.joint_residual;
        miss.speed > ON_TARGET
    }

    /// Takes back what was found for an island. False.
    fn leave_alone(&self, task: &Task, free: &[SolverBody], bodies: &mut [SolverBody]) -> bool {
        self.islands.as_slice()[task.island].bodies.iter().for_each(|id| bodies[id.slot()] = free[id.slot()]);
        false
    }

    /// Ends the search for an island with the best solution.
    fn take_best(&self, task: &mut Task, bodies: &mut [SolverBody]) {
        task.done = true;
        if let Some((rows, velocities, _)) = task.known.take() {
            task.assembly.rows = rows;
            self.islands.as_slice()[task.island]
                .bodies
                .iter()
                .zip(velocities)
                .for_each(|(id, body)| bodies[id.slot()] = body);
        }
    }
}

/// The mean velocities of a step, as bodies for the solver; the last is the world.
fn mean_velocities(model: &Model, before: &[BodyState], after: &[BodyState], dt: f64) -> Vec<SolverBody> {
    let mean = |(before, after): (&BodyState, &BodyState)| {
        let turned = rotation_vector(after.rotation * before.rotation.conjugate());
        ((after.position - before.position) / dt, turned / dt)
    };
    solver_bodies(model, before, before.iter().zip(after).map(mean))
}

/// The bodies with the impulses that changed the velocities `free` to `solved`. What nothing moves keeps its velocity, however large the
/// impulses on it.
fn with_impulses(states: &[BodyState], free: &[SolverBody], solved: &[SolverBody]) -> Vec<BodyState> {
    let with = |((state, free), solved): ((&BodyState, &SolverBody), &SolverBody)| match free.inverse_mass > 0.0 {
        true => BodyState {
            velocity: state.velocity + (solved.velocity - free.velocity),
            angular_velocity: state.angular_velocity + (solved.angular_velocity - free.angular_velocity),
            ..*state
        },
        false => *state,
    };
    states.iter().zip(free).zip(solved).map(with).collect()
}
