//! The retroactive method: G's pipeline (G 4.5) with any integrator, solver and broad phase. It is the readable
//! reference: clear before clever, single-threaded, `f64`.
//!
//! G's order is integrate, activity, detect, solve, notify. Solving only after integrating lets every resting body sink
//! by g h² per step and push itself out again; a block on a slope creeps. Here the constraints are solved twice per step,
//! as in SHAKE and RATTLE, and contacts found at the end of one step serve the beginning of the next:
//!
//! 1. **solve positions** (`positions.rs`): impulses p at the beginning of the step for which joints are closed and gaps
//!    have not turned into overlaps at its end; then a **push** that removes what errors there are.
//! 2. **integrate**: the bodies move, with these impulses.
//! 3. **detect**: contacts at the new positions.
//! 4. **solve velocities**: the push is taken back, so that it moves bodies without leaving them faster; then impulses q at
//!    the end of the step with `J v = 0` (no approach, no sliding below the friction cone), and restitution where bodies
//!    met (`bounce.rs`), passed on to what they touch (`impact.rs`).
//! 5. **activity**: quiet islands fall asleep, touched ones wake up.
//! 6. **notify**: events.
//!
//! All impulses act in opposite pairs at one point, so momentum and angular momentum are conserved to rounding. A body
//! at rest stays exactly at rest; free flight is as exact as the integrator; joints keep their energy.

mod activity;
mod assemble;
mod bounce;
mod contact;
mod detect;
mod draw;
mod free_motion;
mod impact;
mod island;
mod memory;
mod notify;
mod positions;
mod push;
mod settings;
mod soft;

pub use contact::{Contact, ContactImpulses, ContactPointState};
pub use settings::{RetroactiveDescription, RetroactiveSettings};

use self::assemble::{Assembler, Assembly, JointMemory, Stage};
use self::bounce::Budget;
use self::detect::Detector;
use self::free_motion::FreeMotion;
use self::impact::{Impacts, bounces};
use self::island::Island;
use self::push::Push;
use super::Method;
use crate::event::{Events, Reaction};
use crate::instrument::{Instrument, InstrumentFlags};
use crate::integrator::{Integrator, VelocityVerlet};
use crate::model::BodyKind;
use crate::report::{StepReport, Stopwatch};
use crate::solver::{ConstraintSolver, Convergence, Direct, Problem, SolverBody};
use crate::{BodyId, BodyState, Id, JointId, Model, ModelError, State, StepError};
use glam::{DMat3, DVec3};
use serde_json::Value;
use tumble_geometry::broad_phase::{BroadPhase, DynamicTree};

/// The retroactive method. See the module's documentation.
#[derive(Debug)]
pub struct Retroactive {
    settings: RetroactiveSettings,
    integrator: Box<dyn Integrator>,
    solver: Box<dyn ConstraintSolver>,
    detector: Detector,
    joints: Vec<JointMemory>,
    islands: Vec<Island>,
    /// The pushes of the step under way.
    pushes: Vec<Push>,
    /// The energy the islands have in the step under way.
    budget: Budget,
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
            integrator: Box::new(VelocityVerlet::default()),
            solver: Box::new(Direct::default()),
            detector: Detector::new(Box::new(DynamicTree::default())),
            joints: Vec::new(),
            islands: Vec::new(),
            pushes: Vec::new(),
            budget: Budget::default(),
            report: StepReport::default(),
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
        self.detector = Detector::new(Box::new(broad_phase));
        self
    }

    /// With other settings.
    pub fn with_settings(mut self, settings: RetroactiveSettings) -> Self {
        self.settings = settings;
        self
    }

    /// The broad phase with its boxes as of the last step.
    pub fn broad_phase(&self) -> &dyn BroadPhase {
        self.detector.broad_phase()
    }

    /// Impulses at the end of the step that make the velocities obey the constraints.
    fn solve_velocities(&mut self, model: &Model, state: &mut State, dt: f64) {
        self.islands = island::find(model, state, self.detector.contacts());
        let velocities = state.bodies.iter().map(|body| (body.velocity, body.angular_velocity));
        let mut bodies = solver_bodies(model, &state.bodies, velocities);
        for push in self.pushes.drain(..) {
            push.take_back(&state.bodies, &mut bodies);
        }
        for island in self.islands.iter().filter(|island| island.needs_solving()) {
            let stage = Stage::Velocity;
            let assembler = Assembler { model, state, dt, stage, settings: &self.settings, bodies: &bodies };
            let mut assembly = assembler.assemble(island, self.detector.contacts(), &self.joints);
            let reached = self.solve_bounce(model, state, dt, island, &mut bodies, &mut assembly);
            self.report.solved = self.report.solved.worse(reached);
            assembly.store(stage, dt, self.detector.contacts_mut(), &mut self.joints);
        }
        for (body, solved) in state.bodies.iter_mut().zip(&bodies) {
            body.velocity = solved.velocity;
            body.angular_velocity = solved.angular_velocity;
        }
    }

    /// Solves for the velocities at the end of a step, with as much restitution as the energy allows.
    fn solve_bounce(
        &self,
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
            let impacts = Impacts { solver: &*self.solver, threshold, rounds: self.settings.impact_rounds };
            impacts.pass_on(bodies, rows, restitution);
            write(bodies, &before);
        }
        let mut quiet_rows = rows.clone();
        quiet_rows.iter_mut().filter(|row| bounces(row)).for_each(|row| row.bias = 0.0);
        self.solver.solve(&mut Problem { bodies, rows: &mut quiet_rows });
        let quiet = read(bodies);
        write(bodies, &before);
        let reached = self.solver.solve(&mut Problem { bodies, rows });
        let mut lively = read(bodies);
        let frames = self.velocities_of_scripts(model, state, island);
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
        let contacts = island.contacts.iter().map(|&index| &self.detector.contacts()[index]);
        contacts
            .flat_map(|contact| contact.bodies.into_iter().filter(|&id| is_scripted(id)).map(move |id| (contact, id)))
            .filter_map(|(contact, id)| {
                let (point, body) = (contact.points.first()?, &state.bodies[id.slot()]);
                Some(body.velocity + body.angular_velocity.cross(point.geometry.position - body.position))
            })
            .collect()
    }

    fn integrate(&mut self, model: &Model, state: &mut State, dt: f64) {
        let mut bodies = std::mem::take(&mut state.bodies);
        let equations = FreeMotion::with_bodies(model, state, &bodies);
        self.integrator.advance(&equations, state.time, dt, &mut bodies);
        follow_scripts(model, state.time + dt, &mut bodies);
        state.bodies = bodies;
    }
}

impl Retroactive {
    /// Counts what the report tells of bodies, islands and contacts.
    fn count(&mut self, state: &State) {
        let bodies = || self.islands.iter().flat_map(|island| &island.bodies);
        let touching = || self.detector.contacts().iter().filter(|contact| contact.touching);
        self.report.asleep = bodies().filter(|id| state.bodies[id.slot()].asleep).count();
        self.report.awake = bodies().count() - self.report.asleep;
        self.report.islands = self.islands.len();
        self.report.contacts = touching().filter(|contact| !contact.points.is_empty()).count();
        self.report.contact_points = touching().map(|contact| contact.points.len()).sum();
    }
}

impl Method for Retroactive {
    fn name(&self) -> &'static str {
        "retroactive"
    }

    fn step(&mut self, model: &Model, state: &mut State, dt: f64, events: &mut Events) -> Result<(), StepError> {
        let total = Stopwatch::start();
        self.report = StepReport { dt, ..StepReport::default() };
        self.detector.refresh(model, state, dt, &self.settings);
        self.joints.resize_with(model.joints().slot_count(), JointMemory::default);
        activity::wake_touched(model, state, self.detector.contacts(), events);
        self.report.times.detect = total.elapsed();

        let watch = Stopwatch::start();
        self.budget = Budget::new(&FreeMotion::new(model, state), state.time, &state.bodies);
        self.solve_positions(model, state, dt);
        self.report.times.solve = watch.elapsed();

        let watch = Stopwatch::start();
        self.integrate(model, state, dt);
        self.report.times.integrate = watch.elapsed();

        let watch = Stopwatch::start();
        self.detector.detect(model, state, dt, &self.settings);
        self.report.times.detect += watch.elapsed();

        let watch = Stopwatch::start();
        self.solve_velocities(model, state, dt);
        self.report.times.solve += watch.elapsed();

        activity::update(model, state, dt, &self.settings, &self.islands, events);
        notify::break_joints(model, state, &self.joints, events);
        notify::contact_events(&mut self.detector, events);
        self.detector.mark_current(model, state, dt);
        self.count(state);
        self.report.times.total = total.elapsed();
        Ok(())
    }

    fn reaction(&self, joint: JointId) -> Option<Reaction> {
        let memory = self.joints.get(joint.slot()).filter(|memory| memory.joint == Some(joint));
        memory.map(JointMemory::reaction)
    }

    fn report(&self) -> StepReport {
        self.report
    }

    fn contacts(&self) -> &[Contact] {
        self.detector.contacts()
    }

    fn draw(&self, model: &Model, state: &State, flags: InstrumentFlags, instrument: &mut dyn Instrument) {
        draw::draw(self, model, state, flags, instrument);
    }

    fn reset(&mut self) {
        self.integrator.reset();
        self.detector.reset();
        self.joints.clear();
        self.islands.clear();
        self.report = StepReport::default();
    }

    fn save(&self, model: &Model) -> Value {
        memory::save(self, model)
    }

    fn load(&mut self, model: &Model, state: &State, saved: &Value) -> Result<(), ModelError> {
        memory::load(self, model, state, saved)
    }

    fn clone_box(&self) -> Box<dyn Method> {
        Box::new(Self {
            settings: self.settings,
            integrator: self.integrator.clone_box(),
            solver: self.solver.clone_box(),
            detector: self.detector.clone(),
            joints: self.joints.clone(),
            islands: self.islands.clone(),
            pushes: self.pushes.clone(),
            budget: self.budget.clone(),
            report: self.report,
        })
    }
}

/// Puts scripted bodies where their scripts say they are at `time`.
fn follow_scripts(model: &Model, time: f64, bodies: &mut [BodyState]) {
    for (id, body) in model.bodies().iter() {
        if let BodyKind::Scripted(script) = &body.kind {
            let state = &mut bodies[id.slot()];
            let motion = script.motion(time);
            let pose = motion.pose.normalized();
            state.rotation = pose.rotation;
            state.position = pose.point(body.mass.center);
            state.angular_velocity = motion.angular_velocity;
            state.velocity = motion.velocity_at(state.position);
        }
    }
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
