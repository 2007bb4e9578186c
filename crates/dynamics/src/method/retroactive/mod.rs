//! The retroactive method: G's pipeline (G 4.5) with any integrator, solver and broad phase. It is the readable
//! reference: clear before clever, single-threaded, `f64`.
//!
//! G's order is integrate, activity, detect, solve, notify. Solving only after integrating lets every resting body sink
//! by g h² per step and push itself out again; a block on a slope creeps. Here the constraints are solved twice per step,
//! as in SHAKE and RATTLE, and contacts found at the end of one step serve the beginning of the next:
//!
//! 1. **solve positions** (`positions.rs`): impulses p at the beginning of the step for which joints are closed and gaps
//!    have not turned into overlaps at its end (speculative contacts, `speculate.rs`); then a **push**, a split impulse
//!    that removes errors of position (`push.rs`).
//! 2. **integrate**: the bodies move, with these impulses.
//! 3. **detect**: contacts at the new positions.
//! 4. **solve velocities**: the push is taken back, so that it moves bodies without leaving them faster; then impulses q at
//!    the end of the step with `J v = 0` (no approach, no sliding inside the friction cone), and restitution where bodies
//!    met (`bounce.rs`), passed on to what they touch (`impact.rs`).
//! 5. **activity**: quiet islands fall asleep, touched ones wake up.
//! 6. **notify**: events.
//!
//! Each solve starts from the impulses of the one before it (warm starting). Islands whose joints do not close in one step take it
//! in parts (substeps, `parts.rs`).
//!
//! All impulses act in opposite pairs at one point, so momentum and angular momentum are conserved to rounding. A body
//! at rest stays exactly at rest; free flight is as exact as the integrator; joints keep their energy.

mod assemble;
mod bounce;
mod contact;
mod detect;
mod impact;
mod memory;
mod nearby;
mod notify;
mod on_springs;
mod parts;
mod passive;
mod positions;
mod push;
mod rim;
mod settings;
pub(in crate::method) mod soft;
mod speculate;
mod trembling;
mod whip;

pub use on_springs::ContactModel;
pub use settings::RetroactiveSettings;
#[cfg(feature = "registry")]
pub use settings::{ContactModelName, RetroactiveDescription};

use self::assemble::{Assembler, Assembly, JointMemory, Stage};
use self::bounce::Budget;
use self::detect::{Moment, Scenery};
use self::impact::{Impacts, bounces};
use self::memory::{Memory, MemoryToSave};
use self::on_springs::{Anchored, OnSprings};
use self::parts::Exerted;
use self::push::Push;
use self::speculate::{Outlook, Sheets};
use super::{Method, StepContext};
use crate::contact::Contact;
use crate::event::Reaction;
use crate::instrument::{Instrument, InstrumentFlags};
use crate::integrator::{Integrator, VelocityVerlet};
use crate::journal::Journal;
use crate::model::{BodyKind, JointEnd};
use crate::parts::adjacency::Adjacency;
use crate::parts::free_motion::FreeMotion;
use crate::parts::islands::{Island, Islands};
use crate::parts::roster::Roster;
use crate::parts::{activity, breaking, finite, scripts, turns};
use crate::report::{StepReport, Stopwatch};
use crate::solver::{ConstraintSolver, Convergence, Direct, Problem, SolverBody};
use crate::{BodyId, BodyState, Cancel, Id, JointId, Model, ModelError, State, StepError};
use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};
use tumble_geometry::broad_phase::{BroadPhase, DynamicTree};

/// The retroactive method. See the module's documentation.
#[derive(Debug)]
pub struct Retroactive {
    settings: RetroactiveSettings,
    contact_model: ContactModel,
    integrator: Box<dyn Integrator>,
    solver: Box<dyn ConstraintSolver>,
    /// An empty one of the kind that the world is to use.
    broad_phase: Box<dyn BroadPhase>,
    /// What is remembered from step to step.
    memory: Memory,
    /// Who is who in the model.
    roster: Roster,
    islands: Islands,
    adjacency: Adjacency,
    /// The pushes of the step under way.
    pushes: Vec<Push>,
    /// The energy the islands have in the step under way.
    budget: Budget,
    /// By slot of the body, whether it has taken the step under way in parts.
    finished: Vec<bool>,
    /// What contacts exerted in parts of it.
    exerted: Exerted,
    /// Where contacts are springs, room for that.
    on_springs: OnSprings,
    /// Who may end the step under way.
    cancel: Cancel,
    report: StepReport,
    /// How everything was before the step under way.
    before: Before,
}

/// What a step that fails puts back.
#[derive(Debug, Default)]
struct Before {
    bodies: Vec<BodyState>,
    memory: Memory,
    integrator: Option<Box<dyn Integrator>>,
    report: StepReport,
}

impl Default for Retroactive {
    fn default() -> Self {
        Self::new()
    }
}

impl Retroactive {
    /// With velocity Verlet, the direct solver and a dynamic tree.
    pub fn new() -> Self {
        Self {
            settings: RetroactiveSettings::default(),
            contact_model: ContactModel::default(),
            integrator: Box::new(VelocityVerlet::default()),
            solver: Box::new(Direct::default()),
            broad_phase: Box::new(DynamicTree::default()),
            memory: Memory::default(),
            roster: Roster::default(),
            islands: Islands::default(),
            adjacency: Adjacency::default(),
            pushes: Vec::new(),
            budget: Budget::default(),
            finished: Vec::new(),
            exerted: Exerted::default(),
            on_springs: OnSprings::default(),
            cancel: Cancel::new(),
            report: StepReport::default(),
            before: Before::default(),
        }
    }

    /// With another integrator.
    pub fn with_integrator(mut self, integrator: impl Integrator + 'static) -> Self {
        self.integrator = Box::new(integrator);
        self
    }

    /// With another solver.
    pub fn with_solver(mut self, solver: impl ConstraintSolver + 'static) -> Self {
        self.solver = Box::new(solver);
        self
    }

    /// With another broad phase.
    pub fn with_broad_phase(mut self, broad_phase: impl BroadPhase + 'static) -> Self {
        self.broad_phase = Box::new(broad_phase);
        self
    }

    /// With other settings.
    pub fn with_settings(mut self, settings: RetroactiveSettings) -> Self {
        self.settings = settings;
        self
    }

    /// With another contact model.
    pub fn with_contact_model(mut self, contact_model: ContactModel) -> Self {
        self.contact_model = contact_model;
        self
    }

    /// What keeps bodies apart.
    pub fn contact_model(&self) -> ContactModel {
        self.contact_model
    }

    /// The settings.
    pub fn settings(&self) -> &RetroactiveSettings {
        &self.settings
    }

    /// Changes the settings; what is remembered from earlier steps stays.
    pub fn set_settings(&mut self, settings: RetroactiveSettings) {
        self.settings = settings;
    }

    /// Impulses at the end of a step that make the velocities of some islands obey the constraints; `finished` tells, by slot, which bodies have
    /// ended the step before.
    fn solve_velocities(&mut self, model: &Model, state: &mut State, dt: f64, chosen: &[usize], finished: &[bool]) {
        let velocities = state.bodies.iter().map(|body| (body.velocity, body.angular_velocity));
        let mut bodies = solver_bodies(model, &state.bodies, velocities);
        for push in self.pushes.drain(..) {
            push.take_back(&state.bodies, &mut bodies);
        }
        self.find_ghosts_that_touch(model, state, &bodies, dt, chosen);
        let islands = std::mem::take(&mut self.islands);
        for island in chosen.iter().map(|&index| &islands.as_slice()[index]) {
            if self.cancel.is_cancelled() {
                break;
            }
            let stage = Stage::Velocity;
            let assembler = Assembler {
                model,
                state,
                dt,
                stage,
                settings: &self.settings,
                weighed: self.solver.weighs_rows(),
                bodies: &bodies,
                finished,
            };
            let mut assembly = assembler.assemble(island, &self.memory.contacts.list, &self.memory.joints);
            let reached = self.solve_bounce(model, state, dt, island, &mut bodies, &mut assembly);
            self.report.solved = self.report.solved.worse(reached);
            assembly.store(stage, dt, &mut self.memory.contacts.list, &mut self.memory.joints);
        }
        self.islands = islands;
        // What nothing moves keeps its velocity, however large the impulses on it.
        for (body, solved) in state.bodies.iter_mut().zip(&bodies).filter(|(_, solved)| solved.inverse_mass > 0.0) {
            body.velocity = solved.velocity;
            body.angular_velocity = solved.angular_velocity;
        }
    }

    /// Marks points that touch and yet are ghosts: the motion does not lead to them (`speculate.rs`).
    fn find_ghosts_that_touch(
        &mut self,
        model: &Model,
        state: &State,
        bodies: &[SolverBody],
        dt: f64,
        chosen: &[usize],
    ) {
        let contacts = &mut self.memory.contacts.list;
        for island in chosen.iter().map(|&index| &self.islands.as_slice()[index]) {
            for &index in &island.contacts {
                contacts[index].points.iter_mut().for_each(|point| point.ghost = false);
            }
            let (settings, moved) = (&self.settings, &state.bodies);
            let outlook = Outlook { model, state, settings, contacts, moved, free: bodies, dt };
            for ghost in Sheets::look_around(&outlook, &island.contacts).ghosts() {
                contacts[ghost.contact].points[ghost.points.clone()].iter_mut().for_each(|point| point.ghost = true);
            }
        }
    }

    /// Solves for the velocities at the end of a step, with as much restitution as the energy allows.
    fn solve_bounce(
        &mut self,
        model: &Model,
        state: &State,
        dt: f64,
        island: &Island,
        bodies: &mut [SolverBody],
        Assembly { rows, restitution, .. }: &mut Assembly,
    ) -> Convergence {
        if !rows.iter().any(bounces) {
            return self.solver.solve(&mut Problem { bodies, rows });
        }
        let read =
            |bodies: &[SolverBody]| -> Vec<SolverBody> { island.bodies.iter().map(|id| bodies[id.slot()]).collect() };
        let write = |bodies: &mut [SolverBody], values: &[SolverBody]| {
            island.bodies.iter().zip(values).for_each(|(id, value)| bodies[id.slot()] = *value);
        };
        let before = read(bodies);
        if self.settings.impact_rounds > 0 {
            self.budget.go_back(island, bodies);
            let threshold = self.settings.restitution_threshold;
            let mut impacts = Impacts { solver: &mut *self.solver, threshold, rounds: self.settings.impact_rounds };
            impacts.pass_on(bodies, rows, restitution);
            write(bodies, &before);
        }
        let mut quiet_rows = rows.clone();
        let reached = self.solver.solve(&mut Problem { bodies, rows });
        let mut lively = read(bodies);
        let frames = self.velocities_of_scripts(model, state, island);
        if self.budget.allows(model, &state.bodies, island, &lively, &frames, dt) {
            return reached;
        }
        quiet_rows.iter_mut().filter(|row| bounces(row)).for_each(|row| row.bias = 0.0);
        write(bodies, &before);
        self.solver.solve(&mut Problem { bodies, rows: &mut quiet_rows });
        let quiet = read(bodies);
        write(bodies, &lively);
        let share = self.budget.share(model, &state.bodies, island, [&quiet, &lively], &frames, dt);
        if share < 1.0 {
            for (lively, quiet) in lively.iter_mut().zip(&quiet) {
                lively.velocity = quiet.velocity.lerp(lively.velocity, share);
                lively.angular_velocity = quiet.angular_velocity.lerp(lively.angular_velocity, share);
            }
            for (row, quiet) in rows.iter_mut().zip(&quiet_rows) {
                row.impulse = quiet.impulse + share * (row.impulse - quiet.impulse);
            }
            write(bodies, &lively);
        }
        reached
    }

    /// The velocities, at the points of contact, of the scripted bodies that an island touches.
    fn velocities_of_scripts(&self, model: &Model, state: &State, island: &Island) -> Vec<DVec3> {
        let is_scripted =
            |id: BodyId| model.bodies().get(id).is_some_and(|body| matches!(body.kind, BodyKind::Scripted(_)));
        let contacts = island.contacts.iter().map(|&index| &self.memory.contacts.list[index]);
        contacts
            .flat_map(|contact| contact.bodies.into_iter().filter(|&id| is_scripted(id)).map(move |id| (contact, id)))
            .filter_map(|(contact, id)| {
                let (point, body) = (contact.points.first()?, &state.bodies[id.slot()]);
                Some(body.velocity + body.angular_velocity.cross(point.geometry.position - body.position))
            })
            .collect()
    }

    /// Moves the bodies that `moves` says, by slot.
    fn integrate(&mut self, model: &Model, state: &mut State, dt: f64, moves: &[bool]) {
        let mut bodies = std::mem::take(&mut state.bodies);
        let equations = FreeMotion::of_some(model, state, moves);
        self.integrator.advance(&equations, state.time, dt, &mut bodies);
        scripts::follow(model, &self.roster.scripted, state.time_after(dt), &mut bodies);
        state.bodies = bodies;
    }

    fn find_islands(&mut self, model: &Model, state: &State) {
        let active = self.memory.contacts.list.iter().enumerate().filter(|(_, contact)| !contact.points.is_empty());
        let contacts = active.map(|(index, contact)| (index, contact.bodies));
        self.islands.find(model, state, &self.roster.movable, contacts);
    }

    /// Wakes islands that touch or are joined to something awake, to a moving script, or that came to touch something between
    /// the steps.
    fn wake_touched(&mut self, context: &mut StepContext<'_>) {
        let StepContext { model, state, events, .. } = context;
        self.find_islands(model, state);
        let contacts = &self.memory.contacts.list;
        let pushed = |state: &State, island: &Island| {
            let by_contact = island.contacts.iter().map(|&index| &contacts[index]).any(|contact| {
                (contact.touch.now && !contact.touch.before) || activity::is_moving_script(model, state, contact.bodies)
            });
            let pulled = |end: JointEnd| match end {
                JointEnd::Body(id) => activity::is_moving_script(model, state, [id, id]),
                JointEnd::World => false,
            };
            by_contact
                || island
                    .joints
                    .iter()
                    .filter_map(|&id| model.joints().get(id))
                    .any(|joint| joint.ends.into_iter().any(pulled))
        };
        self.memory.activity.wake_touched(state, self.islands.as_slice().iter(), pushed, events);
    }

    /// One step, as a table of contents. What fails leaves things half done.
    fn advance(&mut self, context: &mut StepContext<'_>) -> Result<(), StepError> {
        let (model, dt, workers, cancel) = (context.model, context.dt, context.workers, context.cancel);
        let total = Stopwatch::start();
        self.report = StepReport { dt, ..StepReport::default() };
        let settings = self.settings;
        let time = context.state.time_after(dt);
        self.roster.follow(context.changes, model);
        let moment = Moment { model, state: context.state, dt, settings: &settings };
        let scenery = Scenery { moment, roster: &self.roster, workers, cancel };
        self.memory.contacts.refresh(&scenery, context.changes, context.index)?;
        self.memory.contacts.remember_approach(&moment);
        self.memory.joints.resize_with(model.joints().slot_count(), JointMemory::default);
        cancel.check()?;
        self.wake_touched(context);
        self.report.times.detect = total.elapsed();

        let state = &mut *context.state;
        self.budget = Budget::new(&FreeMotion::new(model, state), state.time, &state.bodies);
        match self.contact_model {
            ContactModel::Constraints => self.step_on_rows(context)?,
            ContactModel::Penalty(penalty) => self.step_on_springs(context, &penalty)?,
        }

        let state = &mut *context.state;
        let (islands, events) = (self.islands.as_slice(), &mut *context.events);
        let pushed = |id| self.budget.acceleration(id);
        let quiet = (&settings.activity(), pushed);
        self.memory.activity.update(model, state, (time, dt), quiet, islands.iter(), events);
        for slept in &events.slept {
            context.index.body_changed(model, slept.body);
        }
        turns::follow(model, &self.roster.turning, state);
        let reaction = |joint| known_reaction(&self.memory.joints, joint);
        breaking::break_joints(model, &self.roster.breakable, reaction, time, state, events);
        notify::limits(model, &mut self.memory.joints, time, events);
        notify::contacts(&mut self.memory.contacts, &settings, context);
        self.memory.dt = dt;
        self.index_contacts(context.state.bodies.len());
        self.count(context.state);
        self.report.times.total = total.elapsed();
        Ok(())
    }

    /// Takes the step with the contacts as rows, like those of joints.
    fn step_on_rows(&mut self, context: &mut StepContext<'_>) -> Result<(), StepError> {
        let (model, dt, settings) = (context.model, context.dt, self.settings);
        let (workers, cancel) = (context.workers, context.cancel);
        let watch = Stopwatch::start();
        let state = &mut *context.state;
        self.begin_step(model, state, dt)?;
        self.report.times.solve = watch.elapsed();

        let watch = Stopwatch::start();
        self.move_the_rest(model, state, dt);
        finite::check(model, &self.roster.movable, &state.bodies)?;
        finite::check(model, &self.roster.scripted, &state.bodies)?;
        self.report.times.integrate = watch.elapsed();

        let watch = Stopwatch::start();
        let moment = Moment { model, state, dt, settings: &settings };
        let scenery = Scenery { moment, roster: &self.roster, workers, cancel };
        self.memory.contacts.detect(&scenery, context.index)?;
        cancel.check()?;
        self.report.times.detect += watch.elapsed();

        let watch = Stopwatch::start();
        self.end_step(model, state, dt);
        cancel.check()?;
        finite::check(model, &self.roster.movable, &state.bodies)?;
        self.report.times.solve += watch.elapsed();
        Ok(())
    }

    /// What goes into a file.
    fn saved<'a>(&'a self, model: &Model) -> Saved<MemoryToSave<'a>> {
        Saved { memory: self.memory.to_save(model), integrator: self.integrator.memory() }
    }

    /// Notes which contacts each body has.
    fn index_contacts(&mut self, slots: usize) {
        let touching = self.memory.contacts.list.iter().enumerate().filter(|(_, contact)| contact.touches());
        self.adjacency.rebuild(slots, touching.map(|(index, contact)| (index as u32, contact.bodies)));
    }

    /// Counts what the report tells of bodies, islands and contacts.
    fn count(&mut self, state: &State) {
        let bodies = || self.islands.as_slice().iter().flat_map(|island| &island.bodies);
        let touching = || self.memory.contacts.list.iter().filter(|contact| contact.touches());
        self.report.asleep = bodies().filter(|id| state.bodies[id.slot()].asleep).count();
        self.report.awake = bodies().count() - self.report.asleep;
        self.report.islands = self.islands.as_slice().len();
        self.report.contacts = touching().count();
        self.report.contact_points = touching().map(|contact| contact.points.len()).sum();
    }
}

fn known_reaction(joints: &[JointMemory], joint: JointId) -> Option<Reaction> {
    joints.get(joint.slot()).filter(|memory| memory.joint == Some(joint)).map(JointMemory::reaction)
}

impl Method for Retroactive {
    fn name(&self) -> &'static str {
        "retroactive"
    }

    fn step(&mut self, context: &mut StepContext<'_>) -> Result<(), StepError> {
        self.before.bodies.clone_from(&context.state.bodies);
        self.before.memory.clone_from(&self.memory);
        self.before.integrator = Some(self.integrator.clone_box());
        self.before.report = self.report;
        self.cancel = context.cancel.clone();
        self.solver.watch(context.cancel);
        let result = self.advance(context);
        if result.is_err() {
            std::mem::swap(&mut context.state.bodies, &mut self.before.bodies);
            std::mem::swap(&mut self.memory, &mut self.before.memory);
            self.integrator = self.before.integrator.take().unwrap_or_else(|| self.integrator.clone_box());
            self.report = self.before.report;
            self.pushes.clear();
            context.index.all_moved();
        }
        result
    }

    fn new_broad_phase(&self) -> Box<dyn BroadPhase> {
        self.broad_phase.clone_box()
    }

    fn reaction(&self, joint: JointId) -> Option<Reaction> {
        known_reaction(&self.memory.joints, joint)
    }

    fn report(&self) -> StepReport {
        self.report
    }

    fn stored_energy(&self) -> f64 {
        self.memory.springs.iter().map(Anchored::energy).sum()
    }

    fn visit_contacts<'a>(&'a self, visit: &mut dyn FnMut(Contact<'a>)) {
        self.memory.contacts.list.iter().filter(|contact| contact.touches()).for_each(|contact| visit(contact.view()));
    }

    fn visit_contacts_of<'a>(&'a self, body: BodyId, visit: &mut dyn FnMut(Contact<'a>)) {
        let contacts = self.adjacency.of(body).iter().map(|&index| &self.memory.contacts.list[index as usize]);
        contacts.filter(|contact| contact.bodies.contains(&body)).for_each(|contact| visit(contact.view()));
    }

    fn draw(&self, model: &Model, state: &State, flags: InstrumentFlags, instrument: &mut dyn Instrument) {
        if flags.islands {
            self.islands.draw(model, state, instrument);
        }
    }

    fn reset(&mut self) {
        self.integrator.reset();
        self.memory.clear();
        self.islands.clear();
        self.adjacency.clear();
        self.report = StepReport::default();
    }

    fn memory<'a>(&'a self, model: &'a Model) -> Box<dyn erased_serde::Serialize + 'a> {
        Box::new(self.saved(model))
    }

    fn memory_as_bytes(&self, model: &Model) -> Vec<u8> {
        // Writing to memory does not fail.
        postcard::to_extend(&self.saved(model), Vec::new()).unwrap_or_default()
    }

    fn load(
        &mut self,
        model: &Model,
        state: &State,
        memory: &mut dyn erased_serde::Deserializer<'_>,
    ) -> Result<(), ModelError> {
        let saved: Saved<Memory> = erased_serde::deserialize(memory).map_err(|error| ModelError::BadProperties {
            part: "the memory of the method \"retroactive\"".into(),
            problem: error.to_string(),
        })?;
        saved.memory.check(model, state)?;
        self.integrator.load(&saved.integrator)?;
        self.memory = saved.memory;
        self.memory.contacts.adopt(model);
        self.roster.follow(&Journal::everything(), model);
        self.islands.clear();
        self.index_contacts(state.bodies.len());
        self.report = StepReport { dt: self.memory.dt, ..StepReport::default() };
        Ok(())
    }

    fn validate(&self, model: &Model, state: &State) -> Result<(), String> {
        self.islands.validate(model)?;
        self.memory.validate(model, state)
    }

    fn clone_box(&self) -> Box<dyn Method> {
        Box::new(Self {
            settings: self.settings,
            contact_model: self.contact_model,
            integrator: self.integrator.clone_box(),
            solver: self.solver.clone_box(),
            broad_phase: self.broad_phase.clone_box(),
            memory: self.memory.clone(),
            roster: self.roster.clone(),
            islands: self.islands.clone(),
            adjacency: self.adjacency.clone(),
            pushes: self.pushes.clone(),
            budget: self.budget.clone(),
            finished: self.finished.clone(),
            exerted: self.exerted.clone(),
            on_springs: OnSprings::default(),
            cancel: Cancel::new(),
            report: self.report,
            before: Before::default(),
        })
    }
}

/// What goes into a file.
#[derive(Serialize, Deserialize)]
struct Saved<M> {
    memory: M,
    integrator: Vec<f64>,
}

/// The bodies as a solver sees them, with given velocities; the last one is the unmoving world. Sleeping bodies are as
/// heavy as the world.
fn solver_bodies(
    model: &Model,
    states: &[BodyState],
    velocities: impl Iterator<Item = (DVec3, DVec3)>,
) -> Vec<SolverBody> {
    const UNMOVED: SolverBody = SolverBody {
        inverse_mass: 0.0,
        inverse_inertia: DMat3::ZERO,
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
    };
    let body = |(slot, (state, (velocity, angular_velocity))): (usize, (&BodyState, (DVec3, DVec3)))| {
        let unmoved = SolverBody { velocity, angular_velocity, ..UNMOVED };
        match model.bodies().in_slot(slot) {
            Some(body) if !state.asleep => SolverBody {
                inverse_mass: body.inverse_mass,
                inverse_inertia: body.world_inverse_inertia(state.rotation),
                ..unmoved
            },
            _ => unmoved,
        }
    };
    states.iter().zip(velocities).enumerate().map(body).chain([UNMOVED]).collect()
}
