//! The real-time method: for games, thousands of bodies, sixty steps a second. It is young: see the end.
//!
//! Every engine for games takes small substeps with soft contacts, and pays for it: stacks sag because soft contacts give way, what is
//! heavy on what is light falls because a few sweeps cannot carry it, joints stretch and lose energy. The ideas here, in the order in
//! which a step uses them:
//!
//! 1. **Pairs that last** (`pairs`). The broad phase is asked once a step, the narrow phase `refreshes` times. While a pair has hardly
//!    moved, its points are kept: what flickers never comes to rest.
//! 2. **No ghosts** (`ghosts`). What is only expected to be in the way has to be confirmed by the motion.
//! 3. **Impacts apart** (`impact`). What bounces is solved first, by itself, with its time inside the substep and passed on from body to
//!    body: bounces have the right height, Newton's cradle works.
//! 4. **Two ways to solve.** Islands of few contacts and all that have joints are solved exactly (`exact`), to rounding, in double
//!    precision: they do not sag, whatever lies on what, and joints neither stretch nor lose energy. Large heaps are solved by
//!    sweeps (`wide`) of eight contacts at a time, in single precision, soft and then relaxed, in as many substeps as what they
//!    have to bear asks for (`load`). What exact islands may have of energy is known beforehand (`exact::passive`).
//! 5. **Free motion to second order** (`motion`). What touches nothing follows its parabola exactly and turns as a free top.
//!
//! A substep is: kick, bounce, solve, drift, solve again so that nothing approaches any more. Results do not depend on the number of
//! workers, nor on how wide the processor is (`lanes`).
//!
//! **What was tried and dropped.** Speculative contacts in the second solve take the speed from what is about to bounce; a gap that
//! nothing held open is left alone there. Contact points that turn with a ball lift it off the floor it rolls on; the centre of
//! curvature does not (`bodies::Body::displacement`). Newton's method without sweeps to fall back on throws bodies about when
//! contacts come and go in a crash.
//!
//! Rows ten thousand times as stiff as the heaviest body make Newton's method stumble from kink to kink; a thousand times is right.
//! More sweeps do not help heaps under load; more substeps do.
//!
//! **What is missing yet.** All islands with joints are solved exactly, so nets of joints of more than some hundred bodies and heaps of figures
//! are slow. Sweeps run on one thread.

mod bodies;
mod colours;
mod contact;
mod exact;
mod ghosts;
mod impact;
mod lanes;
mod load;
mod motion;
mod notify;
mod pairs;
mod settings;
mod wide;

pub use settings::RealtimeSettings;

use self::bodies::{Bodies, Body};
use self::contact::Contact;
use self::exact::{ExactIslands, JointMemory, JointWorld, Members};
use self::ghosts::{Ghosts, Outlook};
use self::load::{Load, Rhythm};
use self::pairs::{Pairs, Scenery};
use self::wide::{Stiffness, WideContacts};
use super::{Method, StepContext};
use crate::contact::Contact as ContactView;
use crate::event::Reaction;
use crate::force::Wrenches;
use crate::journal::Journal;
use crate::model::JointEnd;
use crate::parts::activity::{self, Activity};
use crate::parts::adjacency::Adjacency;
use crate::parts::islands::{Island, Islands};
use crate::parts::roster::Roster;
use crate::parts::{breaking, finite, forces, regions, scripts, turns};
use crate::report::{Laps, Stage, StepReport, Stopwatch};
use crate::{BodyId, BodyState, Cancel, ColliderId, Id, JointId, Model, ModelError, State, StepError, Workers};
use fearless_simd::Level;
use serde::{Deserialize, Serialize};

/// How often a part of a step is solved again because bodies ran into what was not expected to be in their way.
const SECOND_THOUGHTS: usize = 2;

/// The real-time method. See the module's documentation.
#[derive(Clone, Debug)]
pub struct Realtime {
    settings: RealtimeSettings,
    /// What is remembered from step to step.
    memory: Memory,
    /// How the world was before the step under way.
    before: Before,
    roster: Roster,
    islands: Islands,
    adjacency: Adjacency,
    bodies: Bodies,
    contacts: Vec<Contact>,
    wide: WideContacts,
    exact: ExactIslands,
    ghosts: Ghosts,
    /// How the step under way is divided.
    rhythm: Rhythm,
    /// The numbers of the contacts that are solved by sweeps, and of those that bounce: in exact islands, and in heaps.
    swept: Vec<u32>,
    bouncing: [Vec<u32>; 2],
    /// Room to work in.
    near: Vec<[ColliderId; 2]>,
    ahead: Vec<BodyState>,
    wrenches: Wrenches,
    level: Level,
    report: StepReport,
}

/// What is remembered from step to step, as plain data.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Memory {
    pairs: Pairs,
    /// By slot of the joint.
    joints: Vec<JointMemory>,
    activity: Activity,
    /// How much heaps have to bear (`load`).
    load: Load,
    /// The length of the last step, in seconds; zero before the first.
    dt: f64,
}

/// What a step that fails puts back.
#[derive(Clone, Debug, Default)]
struct Before {
    bodies: Vec<BodyState>,
    pairs: Pairs,
    joints: Vec<JointMemory>,
    activity: Activity,
    load: Load,
    report: StepReport,
}

impl Default for Realtime {
    fn default() -> Self {
        Self::new()
    }
}

impl Realtime {
    /// With default settings.
    pub fn new() -> Self {
        Self {
            settings: RealtimeSettings::default(),
            memory: Memory::default(),
            before: Before::default(),
            roster: Roster::default(),
            islands: Islands::default(),
            adjacency: Adjacency::default(),
            bodies: Bodies::default(),
            contacts: Vec::new(),
            wide: WideContacts::default(),
            exact: ExactIslands::default(),
            ghosts: Ghosts::default(),
            rhythm: Load::default().rhythm(&RealtimeSettings::default()),
            swept: Vec::new(),
            bouncing: [Vec::new(), Vec::new()],
            near: Vec::new(),
            ahead: Vec::new(),
            wrenches: Wrenches::default(),
            level: Level::new(),
            report: StepReport::default(),
        }
    }

    /// With other settings.
    pub fn with_settings(mut self, settings: RealtimeSettings) -> Self {
        self.settings = settings;
        self
    }

    /// The settings.
    pub fn settings(&self) -> &RealtimeSettings {
        &self.settings
    }

    /// Changes the settings; what is remembered from earlier steps stays.
    pub fn set_settings(&mut self, settings: RealtimeSettings) {
        self.settings = settings;
    }

    /// One step, as a table of contents. What fails leaves things half done.
    fn advance(&mut self, context: &mut StepContext<'_>) -> Result<(), StepError> {
        let (model, dt, workers, settings) = (context.model, context.dt, context.workers, self.settings);
        let cancel = context.cancel;
        let total = Stopwatch::start();
        let mut laps = Laps::start();
        self.report = StepReport { dt, ..StepReport::default() };
        self.roster.follow(context.changes, model);
        let scenery =
            Scenery { model, state: context.state, dt, settings: &settings, roster: &self.roster, workers, cancel };
        self.memory.pairs.find(&scenery, context.index, &mut self.near);
        self.memory.pairs.begin(dt);
        self.begin_joints(model);
        self.report.times.detect = total.elapsed();
        laps.end(Stage::Pairs, &mut self.report.times);

        self.rhythm = self.memory.load.rhythm(&settings);
        let refreshes = self.rhythm.refreshes;
        let part = dt / f64::from(refreshes);
        for refresh in 0..refreshes {
            let watch = Stopwatch::start();
            let state = &mut *context.state;
            let scenery =
                Scenery { model, state, dt: part, settings: &settings, roster: &self.roster, workers, cancel };
            self.memory.pairs.touch(&scenery);
            cancel.check()?;
            self.report.times.detect += watch.elapsed();
            laps.end(Stage::Touch, &mut self.report.times);

            let watch = Stopwatch::start();
            if refresh == 0 {
                self.wake_touched(context);
            } else {
                self.find_islands(model, context.state);
            }
            laps.end(Stage::Islands, &mut self.report.times);
            let state = &mut *context.state;
            let time = state.time + part * f64::from(refresh);
            self.load_bodies(model, state, time, part);
            laps.end(Stage::Prepare, &mut self.report.times);
            self.find_ghosts(model, state, part, workers);
            laps.end(Stage::Confirm, &mut self.report.times);
            for _ in 0..=SECOND_THOUGHTS {
                self.load_contacts(model, state, part);
                laps.end(Stage::Prepare, &mut self.report.times);
                self.solve(model, state, part, cancel);
                cancel.check()?;
                laps.end(Stage::Solve, &mut self.report.times);
                let come_true = self.some_ghosts_come_true(model, state, part, workers);
                laps.end(Stage::Confirm, &mut self.report.times);
                if !come_true {
                    break;
                }
                self.load_bodies(model, state, time, part);
            }
            self.bodies.store(&mut state.bodies);
            scripts::follow(
                model,
                &self.roster.scripted,
                state.time + part * f64::from(refresh + 1),
                &mut state.bodies,
            );
            finite::check(model, &self.roster.movable, &state.bodies)?;
            finite::check(model, &self.roster.scripted, &state.bodies)?;
            self.store(part);
            self.report.times.solve += watch.elapsed();
            laps.end(Stage::Finish, &mut self.report.times);
        }

        let state = &mut *context.state;
        let time = state.time_after(dt);
        regions::follow(model, state, &self.roster, context.index);
        let (islands, events) = (self.islands.as_slice(), &mut *context.events);
        let bodies = &self.bodies;
        let pushed = |id: BodyId| bodies.list[bodies.number(id) as usize].acceleration.length();
        let quiet = (&settings.activity(), pushed);
        self.memory.activity.update(model, state, (time, dt), quiet, islands.iter(), events);
        for slept in &events.slept {
            context.index.body_changed(model, slept.body);
        }
        turns::follow(model, &self.roster.turning, state);
        let reaction = |joint| known_reaction(&self.memory.joints, joint, dt);
        breaking::break_joints(model, &self.roster.breakable, reaction, time, state, events);
        notify::limits(model, &mut self.memory.joints, time, events);
        notify::contacts(&mut self.memory.pairs, &settings, context);
        self.memory.dt = dt;
        self.index_contacts(context.state.bodies.len());
        self.count(context.state);
        laps.end(Stage::Finish, &mut self.report.times);
        self.report.times.total = total.elapsed();
        Ok(())
    }

    /// Forgets what joints exerted in the step before.
    fn begin_joints(&mut self, model: &Model) {
        self.memory.joints.resize_with(model.joints().slot_count(), JointMemory::default);
        self.memory.joints.iter_mut().for_each(|memory| memory.exerted = Default::default());
    }

    fn find_islands(&mut self, model: &Model, state: &State) {
        let active = self.memory.pairs.list.iter().enumerate().filter(|(_, pair)| !pair.patches.is_empty());
        self.islands.find(model, state, &self.roster.movable, active.map(|(index, pair)| (index, pair.bodies)));
    }

    /// Wakes islands that touch or are joined to something awake, or to a moving script.
    fn wake_touched(&mut self, context: &mut StepContext<'_>) {
        let StepContext { model, state, events, .. } = context;
        self.find_islands(model, state);
        let pairs = &self.memory.pairs.list;
        let pushed = |state: &State, island: &Island| {
            let by_contact = island.contacts.iter().map(|&index| &pairs[index]).any(|pair| {
                (pair.touch.now && !pair.touch.before) || activity::is_moving_script(model, state, pair.bodies)
            });
            let pulled = |end: JointEnd| match end {
                JointEnd::Body(id) => activity::is_moving_script(model, state, [id, id]),
                JointEnd::World => false,
            };
            let joints = || island.joints.iter().filter_map(|&id| model.joints().get(id));
            by_contact || joints().any(|joint| joint.ends.into_iter().any(pulled))
        };
        self.memory.activity.wake_touched(state, self.islands.as_slice().iter(), pushed, events);
    }

    /// Takes over bodies and forces for the next `part` seconds.
    fn load_bodies(&mut self, model: &Model, state: &State, time: f64, part: f64) {
        self.ahead.clone_from(&state.bodies);
        scripts::follow(model, &self.roster.scripted, time + part, &mut self.ahead);
        let Self { bodies, roster, ahead, .. } = self;
        bodies.load(model, state, &roster.movable, &roster.scripted, ahead, part);
        self.sum_forces(model, state, time + 0.5 * part, part);
    }

    fn outlook<'a>(
        bodies: &'a Bodies,
        (model, state): (&'a Model, &'a State),
        settings: &RealtimeSettings,
        part: f64,
        workers: Workers,
    ) -> Outlook<'a> {
        Outlook { model, state, bodies, workers, touch_distance: settings.touch_distance, part }
    }

    /// Marks the contacts that the motion of the next `part` seconds does not confirm.
    fn find_ghosts(&mut self, model: &Model, state: &State, part: f64, workers: Workers) {
        let outlook = Self::outlook(&self.bodies, (model, state), &self.settings, part, workers);
        self.ghosts.find(&mut self.memory.pairs, &outlook);
    }

    /// Whether bodies have run into what was not expected to be in their way.
    fn some_ghosts_come_true(&mut self, model: &Model, state: &State, part: f64, workers: Workers) -> bool {
        let outlook = Self::outlook(&self.bodies, (model, state), &self.settings, part, workers);
        self.ghosts.come_true(&mut self.memory.pairs, &outlook)
    }

    /// Takes over contacts and joints for the next `part` seconds.
    fn load_contacts(&mut self, model: &Model, state: &State, part: f64) {
        let [h, swept_h] = self.substeps().map(|substeps| part / f64::from(substeps));
        let world = self.joint_world(model, state, h);
        self.bodies.lay_belts(&mut self.memory.pairs);
        self.contacts.clear();
        self.swept.clear();
        self.bouncing.iter_mut().for_each(Vec::clear);
        self.exact.clear(self.bodies.list.len());
        (self.report.work.exact_islands, self.report.work.swept_islands) = (0, 0);
        for island in self.islands.as_slice().iter().filter(|island| island.needs_solving()) {
            let first = self.contacts.len() as u32;
            let patches = |index: usize| {
                let pair = &self.memory.pairs.list[index];
                (0..pair.patches.len()).filter(|&patch| !pair.patches[patch].ghost).map(move |patch| (pair, patch))
            };
            let count = island.contacts.iter().map(|&index| patches(index).count()).sum::<usize>();
            let is_exact = count <= self.settings.exact_contacts as usize || !island.joints.is_empty();
            let work = &mut self.report.work;
            *(if is_exact { &mut work.exact_islands } else { &mut work.swept_islands }) += 1;
            let h = if is_exact { h } else { swept_h };
            for &index in &island.contacts {
                for (pair, patch) in patches(index) {
                    if pair.material.restitution > 0.0 {
                        self.bouncing[usize::from(!is_exact)].push(self.contacts.len() as u32);
                    }
                    self.contacts.push(Contact::new((index, pair), patch, &self.bodies, h));
                }
            }
            let numbers = first..self.contacts.len() as u32;
            if is_exact {
                let members = Members { contacts: numbers, joints: &island.joints };
                let joints = &self.memory.joints;
                self.exact.add(&members, &self.contacts, joints, &mut self.bodies, &world);
            } else {
                self.swept.extend(numbers);
                self.bodies.sweep(&island.bodies);
            }
        }
    }

    /// In how many substeps the bodies go to the next look at the contacts: those of exact islands and free ones, and those of heaps.
    fn substeps(&self) -> [u32; 2] {
        [self.rhythm.substeps, self.memory.load.substeps(&self.rhythm, &self.settings)]
    }

    /// The accelerations by forces in the middle of the next `part` seconds, where bodies get if they keep their velocities: so
    /// they are right to second order.
    fn sum_forces(&mut self, model: &Model, state: &State, middle: f64, part: f64) {
        for id in &self.roster.movable {
            let body = &mut self.ahead[id.slot()];
            if !body.asleep {
                body.position += body.velocity * (0.5 * part);
            }
        }
        forces::sum(model, middle, &self.ahead, &mut self.wrenches);
        for body in self.bodies.list.iter_mut().filter(|body| body.is_movable()) {
            let mut wrench = self.wrenches.as_slice()[body.slot as usize];
            wrench += state.applied.get(body.slot as usize);
            body.acceleration = wrench.force * body.inverse_mass;
            body.angular_acceleration = body.inverse_inertia * wrench.torque;
        }
    }

    /// Lets `part` seconds pass, in substeps: first for exact islands and what is free, then for heaps.
    fn solve(&mut self, model: &Model, state: &State, part: f64, cancel: &Cancel) {
        let [substeps, swept_substeps] = self.substeps();
        let h = part / f64::from(substeps);
        let stiffness = Stiffness { h, push: self.settings.max_push_speed };
        let world = self.joint_world(model, state, h);
        let Self { bodies, contacts, wide, exact, swept, bouncing, level, settings, .. } = self;
        let scripted = bodies.scripted();
        for _ in (0..substeps).take_while(|_| !cancel.is_cancelled()) {
            let others = |body: &&mut Body| !body.swept;
            bodies.list.iter_mut().filter(others).for_each(|body| body.kick(if body.jointed { 0.5 * h } else { h }));
            impact::bounce(contacts, &bouncing[0], bodies, h, settings.restitution_threshold);
            exact.push(contacts, bodies, &stiffness, &world);
            bodies.list.iter_mut().filter(others).for_each(|body| body.drift(h));
            exact.relax(contacts, bodies, &stiffness, &world);
        }
        if swept.is_empty() {
            return;
        }
        // Heaps meet scripted bodies where these were in the beginning.
        let arrived = bodies.scripted();
        bodies.put(&scripted);
        let h = part / f64::from(swept_substeps);
        let stiffness = Stiffness { h, ..stiffness };
        wide.load(contacts, swept, bodies, &stiffness);
        for _ in (0..swept_substeps).take_while(|_| !cancel.is_cancelled()) {
            let moves = |body: &&mut Body| body.swept || !body.is_movable();
            bodies.list.iter_mut().filter(|body| body.swept).for_each(|body| body.kick(h));
            impact::bounce(contacts, &bouncing[1], bodies, h, settings.restitution_threshold);
            wide.push(bodies, &stiffness, *level);
            bodies.list.iter_mut().filter(moves).for_each(|body| body.drift(h));
            wide.relax(bodies, &stiffness, *level);
        }
        wide.store(contacts);
        bodies.put(&arrived);
    }

    /// What joints need to know of the world, for substeps of `h` seconds.
    fn joint_world<'a>(&self, model: &'a Model, state: &'a State, h: f64) -> JointWorld<'a> {
        let threshold = self.settings.restitution_threshold;
        JointWorld { model, states: &state.bodies, angles: &state.angles, h, threshold }
    }

    /// Gives the impulses back to the pairs and joints.
    fn store(&mut self, part: f64) {
        let h = part / f64::from(self.rhythm.substeps);
        self.exact.store(&mut self.memory.joints, h);
        for contact in &self.contacts {
            contact.store(&mut self.memory.pairs.list[contact.pair as usize]);
        }
        self.memory.load.follow(&self.contacts, &self.swept, &self.bodies);
    }

    /// Notes which contacts each body has.
    fn index_contacts(&mut self, slots: usize) {
        let touching = self.memory.pairs.list.iter().enumerate().filter(|(_, pair)| pair.touches());
        self.adjacency.rebuild(slots, touching.map(|(index, pair)| (index as u32, pair.bodies)));
    }

    /// Counts what the report tells of bodies, islands and contacts.
    fn count(&mut self, state: &State) {
        let bodies = || self.islands.as_slice().iter().flat_map(|island| &island.bodies);
        let touching = || self.memory.pairs.list.iter().filter(|pair| pair.touches());
        self.report.asleep = bodies().filter(|id| state.bodies[id.slot()].asleep).count();
        self.report.awake = bodies().count() - self.report.asleep;
        self.report.islands = self.islands.as_slice().len();
        let [substeps, swept_substeps] = self.substeps();
        self.report.work.pairs = self.memory.pairs.list.len();
        self.report.work.looks = self.rhythm.refreshes;
        self.report.work.substeps = substeps * self.rhythm.refreshes;
        self.report.work.swept_substeps =
            if self.swept.is_empty() { 0 } else { swept_substeps * self.rhythm.refreshes };
        self.report.work.colours = if self.swept.is_empty() { 0 } else { self.wide.colours() };
        self.report.contacts = touching().count();
        self.report.contact_points = touching().map(|pair| pair.spots().count()).sum();
    }
}

fn known_reaction(joints: &[JointMemory], joint: JointId, dt: f64) -> Option<Reaction> {
    joints.get(joint.slot()).filter(|memory| memory.joint == Some(joint)).map(|memory| memory.reaction(dt))
}

impl Method for Realtime {
    fn name(&self) -> &'static str {
        "realtime"
    }

    fn step(&mut self, context: &mut StepContext<'_>) -> Result<(), StepError> {
        self.before.bodies.clone_from(&context.state.bodies);
        self.before.pairs.clone_from(&self.memory.pairs);
        self.before.joints.clone_from(&self.memory.joints);
        self.before.activity.clone_from(&self.memory.activity);
        self.before.load = self.memory.load;
        self.before.report = self.report;
        let result = self.advance(context);
        if result.is_err() {
            std::mem::swap(&mut context.state.bodies, &mut self.before.bodies);
            std::mem::swap(&mut self.memory.pairs, &mut self.before.pairs);
            std::mem::swap(&mut self.memory.joints, &mut self.before.joints);
            std::mem::swap(&mut self.memory.activity, &mut self.before.activity);
            self.memory.load = self.before.load;
            self.report = self.before.report;
            context.index.all_moved();
        }
        result
    }

    fn reaction(&self, joint: JointId) -> Option<Reaction> {
        known_reaction(&self.memory.joints, joint, self.memory.dt)
    }

    fn report(&self) -> StepReport {
        self.report
    }

    fn visit_contacts<'a>(&'a self, visit: &mut dyn FnMut(ContactView<'a>)) {
        self.memory.pairs.list.iter().filter(|pair| pair.touches()).for_each(|pair| visit(pair.view()));
    }

    fn visit_contacts_of<'a>(&'a self, body: BodyId, visit: &mut dyn FnMut(ContactView<'a>)) {
        let pairs = self.adjacency.of(body).iter().map(|&index| &self.memory.pairs.list[index as usize]);
        pairs.filter(|pair| pair.bodies.contains(&body)).for_each(|pair| visit(pair.view()));
    }

    fn reset(&mut self) {
        self.memory.pairs.clear();
        self.memory.joints.clear();
        self.memory.activity.reset();
        self.memory.dt = 0.0;
        self.islands.clear();
        self.adjacency.clear();
        self.report = StepReport::default();
    }

    fn memory<'a>(&'a self, model: &'a Model) -> Box<dyn erased_serde::Serialize + 'a> {
        let mut saved = self.memory.clone();
        saved.pairs.retain_what_matters(model);
        Box::new(saved)
    }

    fn load(
        &mut self,
        model: &Model,
        state: &State,
        memory: &mut dyn erased_serde::Deserializer<'_>,
    ) -> Result<(), ModelError> {
        let saved: Memory = erased_serde::deserialize(memory).map_err(|error| ModelError::BadProperties {
            part: "the memory of the method \"realtime\"".into(),
            problem: error.to_string(),
        })?;
        saved.activity.validate(state.bodies.len()).map_err(ModelError::Invalid)?;
        self.memory = saved;
        self.memory.pairs.adopt(model);
        self.roster.follow(&Journal::everything(), model);
        self.islands.clear();
        self.index_contacts(state.bodies.len());
        self.report = StepReport { dt: self.memory.dt, ..StepReport::default() };
        Ok(())
    }

    fn validate(&self, model: &Model, state: &State) -> Result<(), String> {
        self.islands.validate(model)?;
        self.memory.activity.validate(state.bodies.len())
    }

    fn clone_box(&self) -> Box<dyn Method> {
        Box::new(self.clone())
    }
}
