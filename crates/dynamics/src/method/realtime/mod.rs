//! The real-time method, the default: for games, thousands of bodies, sixty steps a second.
//!
//! Every engine for games takes small substeps with soft contacts, and pays for it: stacks sag because soft contacts give way, what is
//! heavy on what is light falls because a few sweeps cannot carry it, joints stretch and lose energy. The ideas here, in the order in
//! which a step uses them:
//!
//! 1. **What sleeps costs nothing** (`awake`). A step goes through the bodies that are awake and the pairs of which one body may move.
//!    Only where something comes to touch a sleeper are all islands looked for.
//! 2. **Pairs that last** (`pairs`). The broad phase is asked once a step, the narrow phase `refreshes` times. While a pair has hardly
//!    moved, its points are kept: what flickers never comes to rest. From look to look of one step they are taken along with the bodies,
//!    and what was out of reach stays so, without being looked at (`stations`). Each pair notes how it was before the step: a step that fails puts
//!    that back, and a step that succeeds has copied no more than what it was about to write.
//! 3. **No ghosts** (`ghosts`). What is only expected to be in the way has to be confirmed by the motion.
//! 4. **Impacts apart** (`impact`). What bounces is solved first, by itself, with its time inside the substep and passed on from body to
//!    body: bounces have the right height, Newton's cradle works.
//! 5. **Two ways to solve.** Islands of few contacts are solved exactly (`exact`), to rounding, in double precision, with their joints
//!    if these are chains, trees or small loops: they do not sag, whatever lies on what, and joints neither stretch nor lose energy. Large
//!    heaps, and smaller ones while they crash about, are solved by sweeps (`wide`) of eight contacts at a time, in single
//!    precision, soft and then relaxed, in as many substeps as what they have to bear asks for (`load`): fewer where bodies are alike, and
//!    more where something heavy lies on something light. Nets of joints and
//!    joints in heaps are swept with them (`nets`). What exact islands may have of energy is known beforehand
//!    (`exact::passive`).
//! 6. **Free motion to rounding** (`flight`). What touches nothing follows its parabola exactly and turns as a free top, by power series:
//!    it gets to the same place however the step is divided, so what is passed by at a hair's breadth leaves no trace. What is held by
//!    contacts or joints moves by kicks and drifts of second order (`motion`).
//!
//! Each island goes through the step by itself, in as many substeps as it needs (`passing`). The narrow phase, ghosts, bodies in flight and
//! islands are divided among threads ([`Workers`]); results do not depend on how many there are, nor on how wide the processor is (`lanes`).
//!
//! **What was tried and dropped.** Speculative contacts in the second solve take the speed from what is about to bounce; a gap that
//! nothing held open is left alone there. Contact points that turn with a ball lift it off the floor it rolls on; the centre of
//! curvature does not (`bodies::Body::displacement`). Newton's method without sweeps to fall back on throws bodies about when
//! contacts come and go in a crash.
//!
//! Rows ten thousand times as stiff as the heaviest body make Newton's method stumble from kink to kink; a thousand times is right.
//! More sweeps do not help heaps under load; more substeps do.
//!
//! Half as many looks in a crash would halve its cost, and dumped boxes then grow into each other by 9 cm; taking along the points of pairs
//! that have moved by less than a twentieth of their size gains nearly as much and costs nothing. Points of a box that slides must go with
//! its corners, not half-way between the surfaces: else borders between tiles turn it.
//!
//! **What is missing yet.** Large nets of welds, which are plates, sag: sweeps carry no torque that far.

mod apart;
mod awake;
mod bodies;
mod colours;
mod contact;
mod exact;
mod flight;
mod ghosts;
mod impact;
mod lanes;
mod load;
mod loading;
mod motion;
mod nets;
mod notify;
mod pairs;
mod passing;
mod settings;
mod stations;

mod wide;

pub use settings::RealtimeSettings;

use self::awake::Awake;
use self::bodies::{Bodies, WORLD};
use self::contact::Contact;
use self::exact::{ExactIslands, JointMemory, JointWorld, Passage};
use self::ghosts::{Ghosts, Outlook};
use self::load::{Load, Rhythm};
use self::loading::Tier;
use self::nets::{NetLoad, Nets, Tiers};
use self::pairs::{Pair, Pairs, Scenery};
use self::passing::Solvers;
use self::wide::{Heaps, Surroundings};
use super::{Method, StepContext};
use crate::contact::Contact as ContactView;
use crate::event::Reaction;
use crate::force::Wrenches;
use crate::instrument::{Instrument, InstrumentFlags};
use crate::journal::{BodyChange, Change, Journal};
use crate::model::JointEnd;
use crate::parts::activity::{self, Activity};
use crate::parts::adjacency::Adjacency;
use crate::parts::islands::{Island, Islands};
use crate::parts::roster::Roster;
use crate::parts::{breaking, finite, forces, regions, scripts, turns};
use crate::report::{StepReport, StepWork, Stopwatch};
use crate::{BodyId, BodyState, Cancel, ColliderId, Id, JointId, Model, ModelError, State, StepError, Workers};
use fearless_simd::Level;
use glam::DVec3;
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
    awake: Awake,
    /// Whether the user has changed something that may concern what does not move.
    stirred: bool,
    islands: Islands,
    /// How many islands sleep.
    asleep: usize,
    adjacency: Adjacency,
    bodies: Bodies,
    /// Room for the contacts of an island.
    contacts: Vec<Contact>,
    heaps: Heaps,
    exact: ExactIslands,
    nets: Nets,
    /// Which islands with joints are solved exactly.
    tiers: Tiers,
    /// How islands are solved in the part of the step under way.
    plan: Vec<Tier>,
    ghosts: Ghosts,
    /// How the step under way is divided.
    rhythm: Rhythm,
    /// In how many substeps nets of joints go from one look at the contacts to the next.
    net_substeps: u32,
    /// Room to work in.
    near: Vec<[ColliderId; 2]>,
    /// The pairs that touch, with the numbers of their bodies.
    touching: Vec<(u32, [usize; 2])>,
    ahead: Vec<BodyState>,
    wrenches: Wrenches,
    level: Level,
    report: StepReport,
}

/// Whose islands are looked for.
#[derive(Clone, Copy)]
enum Who {
    All,
    Awake,
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
    /// How far nets of joints open.
    net_load: NetLoad,
    /// The length of the last step, in seconds; zero before the first.
    dt: f64,
}

/// What a step that fails puts back, besides what pairs know themselves.
#[derive(Clone, Debug, Default)]
struct Before {
    /// By slot: the bodies that the step may move or wake.
    bodies: Vec<(u32, BodyState)>,
    joints: Vec<JointMemory>,
    load: Load,
    net_load: NetLoad,
    report: StepReport,
}

impl Before {
    fn note(&mut self, ids: &[BodyId], state: &State, is: impl Fn(&BodyState) -> bool) {
        let states = ids.iter().map(|id| (id.slot() as u32, state.bodies[id.slot()]));
        self.bodies.extend(states.filter(|(_, body)| is(body)));
    }
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
            awake: Awake::default(),
            stirred: true,
            asleep: 0,
            islands: Islands::default(),
            adjacency: Adjacency::default(),
            bodies: Bodies::default(),
            contacts: Vec::new(),
            heaps: Heaps::default(),
            exact: ExactIslands::default(),
            nets: Nets::default(),
            tiers: Tiers::default(),
            plan: Vec::new(),
            ghosts: Ghosts::default(),
            rhythm: Load::default().rhythm(&RealtimeSettings::default(), 0.0),
            net_substeps: 1,
            near: Vec::new(),
            touching: Vec::new(),
            ahead: Vec::new(),
            wrenches: Wrenches::default(),
            level: Level::new(),
            report: StepReport::default(),
        }
    }

    /// With the vector instructions that every processor of its kind has, and not the best of this one: slower, and the same to the last
    /// bit. For tests of just that.
    #[must_use]
    pub fn with_common_instructions(mut self) -> Self {
        self.level = Level::baseline();
        self
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
        let (total, mut watch) = (Stopwatch::start(), Stopwatch::start());
        self.report = StepReport { dt, ..StepReport::default() };
        let scenery = Scenery {
            model,
            state: context.state,
            dt,
            settings: &settings,
            roster: &self.roster,
            awake: &self.awake.list,
            workers,
            cancel: context.cancel,
        };
        self.memory.pairs.find(&scenery, context.index, &mut self.near)?;
        self.begin_joints(model, context.state);
        let motion = self.memory.pairs.liveliest(model, context.state, dt, load::FAST);
        self.rhythm = self.memory.load.rhythm(&settings, motion);
        self.report.times.stages.broad_phase = watch.lap();

        let refreshes = self.rhythm.refreshes;
        let part = dt / f64::from(refreshes);
        for refresh in 0..refreshes {
            self.look(context, refresh, part, &mut watch);
            context.cancel.check()?;
            self.go(context, refresh, part, &mut watch)?;
        }
        self.finish(context);
        self.report.times.stages.finish = watch.lap();
        self.report.times.total = total.elapsed();
        let stages = &self.report.times.stages;
        self.report.times.detect = stages.broad_phase + stages.narrow_phase;
        self.report.times.solve = self.report.times.total - self.report.times.detect - stages.finish;
        Ok(())
    }

    /// Looks where things touch, for the next `part` seconds.
    fn look(&mut self, context: &mut StepContext<'_>, refresh: u32, part: f64, watch: &mut Stopwatch) {
        let (model, workers, settings) = (context.model, context.workers, self.settings);
        let state = &*context.state;
        let scenery = Scenery {
            model,
            state,
            dt: part,
            settings: &settings,
            roster: &self.roster,
            awake: &self.awake.list,
            workers,
            cancel: context.cancel,
        };
        self.memory.pairs.touch(&scenery, (refresh == 0).then_some(context.dt));
        self.report.times.stages.narrow_phase += watch.lap();
        if refresh == 0 {
            self.wake_touched(context);
        } else {
            self.find_islands(model, context.state, Who::Awake);
        }
        self.report.times.stages.islands += watch.lap();
    }

    /// Lets the next `part` seconds pass.
    fn go(
        &mut self,
        context: &mut StepContext<'_>,
        refresh: u32,
        part: f64,
        watch: &mut Stopwatch,
    ) -> Result<(), StepError> {
        let (model, workers, cancel) = (context.model, context.workers, context.cancel);
        let state = &mut *context.state;
        let time = state.time + part * f64::from(refresh);
        self.load_bodies(model, state, time, part);
        self.report.times.stages.forces += watch.lap();
        self.find_ghosts(model, state, part, workers);
        notify::meetings(&mut self.memory.pairs, &self.bodies, part * f64::from(refresh), part, workers);
        self.report.times.stages.ghosts += watch.lap();
        for thought in 0..=SECOND_THOUGHTS {
            self.load_contacts(model, state, part);
            self.report.times.stages.prepare += watch.lap();
            self.solve(model, state, part, (workers, cancel));
            cancel.check()?;
            watch.lap();
            // What has been solved last is what is stored.
            let again = thought < SECOND_THOUGHTS && self.some_ghosts_come_true(model, state, part, workers);
            self.report.times.stages.ghosts += watch.lap();
            if !again {
                break;
            }
            self.report.work.second_thoughts += 1;
            self.load_bodies(model, state, time, part);
        }
        self.bodies.store(&mut state.bodies);
        scripts::follow(model, &self.roster.scripted, state.time + part * f64::from(refresh + 1), &mut state.bodies);
        finite::check(model, &self.awake.list, &state.bodies)?;
        finite::check(model, &self.roster.scripted, &state.bodies)?;
        self.store(part, workers);
        self.report.times.stages.store += watch.lap();
        Ok(())
    }

    /// What is left to do once all bodies have moved.
    fn finish(&mut self, context: &mut StepContext<'_>) {
        let (model, dt, settings) = (context.model, context.dt, self.settings);
        let state = &mut *context.state;
        let time = state.time_after(dt);
        regions::follow(model, state, [&self.awake.list, &self.roster.scripted], context.index);
        let (islands, events) = (self.islands.as_slice(), &mut *context.events);
        let bodies = &self.bodies;
        let pushed = |id: BodyId| bodies.list[bodies.number(id) as usize].acceleration.length();
        let quiet = (&settings.activity(), pushed);
        self.memory.activity.update(model, state, (time, dt), quiet, islands.iter(), events);
        for slept in &events.slept {
            context.index.body_changed(model, slept.body);
        }
        if !events.slept.is_empty() {
            let sleeps = |island: &&Island| island.bodies.iter().all(|id| state.bodies[id.slot()].asleep);
            self.asleep += islands.iter().filter(sleeps).count();
            self.awake.slept(state);
        }
        turns::follow(model, &self.roster.turning, state);
        let reaction = |joint| known_reaction(&self.memory.joints, joint, dt);
        breaking::break_joints(model, &self.roster.breakable, reaction, time, state, events);
        notify::limits(model, &mut self.memory.joints, time, events);
        notify::contacts(&mut self.memory.pairs, &settings, context);
        self.memory.dt = dt;
        if self.stirred || !context.events.slept.is_empty() || !context.events.woke.is_empty() {
            self.memory.pairs.sort_out(model, context.state, None, false);
        }
        self.index_contacts();
        self.count(context.state);
    }

    /// Forgets what was found out about joints and colliders that are not what they were.
    fn forget_changed(&mut self, changes: &Journal, model: &Model) {
        if changes.is_everything() {
            self.tiers.clear();
            self.nets.forget_plans();
        }
        let mixes = |change| matches!(change, Change::Collider(..) | Change::Mixing | Change::ContactRule);
        if changes.is_everything() || changes.iter().any(mixes) {
            self.memory.pairs.mix(model);
        }
        for change in changes.iter() {
            match change {
                Change::Body(_, BodyChange::Kind) => self.tiers.clear(),
                Change::Joint(id, _) => self.nets.forget_plan(id),
                _ => {}
            }
        }
    }

    /// Forgets what joints exerted in the step before; those of bodies that sleep go on bearing what they bore.
    fn begin_joints(&mut self, model: &Model, state: &State) {
        self.memory.joints.resize_with(model.joints().slot_count(), JointMemory::default);
        let is_awake = |end: JointEnd| match end {
            JointEnd::Body(id) => {
                model.bodies().get(id).is_some_and(|body| body.kind.moves()) && !state.bodies[id.slot()].asleep
            }
            JointEnd::World => false,
        };
        for memory in &mut self.memory.joints {
            let joint = memory.joint.and_then(|id| model.joints().get(id));
            if joint.is_none_or(|joint| joint.ends.into_iter().any(is_awake)) {
                memory.exerted = Default::default();
            }
        }
    }

    fn find_islands(&mut self, model: &Model, state: &State, who: Who) {
        let Self { islands, roster, awake, memory, .. } = self;
        let connects = |(_, pair): &(usize, &Pair)| !pair.patches.is_empty();
        let bodies = |(index, pair): (usize, &Pair)| (index, pair.bodies);
        match who {
            Who::All => islands.find(model, state, &roster.movable, memory.pairs.all().filter(connects).map(bodies)),
            Who::Awake => {
                let pairs = memory.pairs.list.iter().enumerate();
                islands.find(model, state, &awake.list, pairs.filter(connects).map(bodies));
            }
        }
    }

    /// Wakes islands that touch or are joined to something awake, or to a moving script.
    fn wake_touched(&mut self, context: &mut StepContext<'_>) {
        let StepContext { model, state, events, dt, .. } = context;
        let is_joined = |id: &BodyId| model.bodies().get(*id).is_some_and(|body| !body.joints.is_empty());
        let meets_sleepers =
            self.stirred || self.memory.pairs.touch_sleepers(state) || self.roster.scripted.iter().any(is_joined);
        if meets_sleepers {
            self.find_islands(model, state, Who::All);
            self.before.note(&self.roster.movable, state, |body| body.asleep);
            let (pairs, touch_distance) = (&self.memory.pairs, self.settings.touch_distance);
            let begins = |pair: &Pair| !pair.touch.before && pair.spots().any(|spot| spot.gap <= touch_distance);
            let pushed = |state: &State, island: &Island| {
                let by_contact = island
                    .contacts
                    .iter()
                    .map(|&index| pairs.numbered(index))
                    .any(|pair| begins(pair) || activity::is_moving_script(model, state, pair.bodies));
                let pulled = |end: JointEnd| match end {
                    JointEnd::Body(id) => activity::is_moving_script(model, state, [id, id]),
                    JointEnd::World => false,
                };
                let joints = || island.joints.iter().filter_map(|&id| model.joints().get(id));
                by_contact || joints().any(|joint| joint.ends.into_iter().any(pulled))
            };
            self.memory.activity.wake_touched(state, self.islands.as_slice().iter(), pushed, events);
            if !events.woke.is_empty() {
                self.awake.woke(events.woke.iter().map(|woke| woke.body), &self.roster, state);
                self.memory.pairs.sort_out(model, state, Some(*dt), false);
            }
            let sleeps = |island: &&Island| island.bodies.iter().all(|id| state.bodies[id.slot()].asleep);
            self.asleep = self.islands.as_slice().iter().filter(sleeps).count();
        }
        self.find_islands(model, state, Who::Awake);
    }

    /// Takes over bodies and forces for the next `part` seconds.
    fn load_bodies(&mut self, model: &Model, state: &State, time: f64, part: f64) {
        let forces = || model.forces().iter().map(|(_, force)| force.uniform_acceleration());
        let uniform: DVec3 = forces().flatten().sum();
        let varied = forces().any(|uniform| uniform.is_none());
        // Where nobody asks where all bodies are, only scripts say where theirs are going to be.
        match varied {
            true => self.ahead.clone_from(&state.bodies),
            false => self.ahead.resize(state.bodies.len(), BodyState::default()),
        }
        scripts::follow(model, &self.roster.scripted, time + part, &mut self.ahead);
        let Self { bodies, roster, awake, ahead, .. } = self;
        bodies.load(model, state, [&awake.list, &roster.scripted], ahead, part, uniform);
        if varied {
            self.sum_forces(model, time + 0.5 * part, part);
        }
        if state.applied.may_act() {
            let movable = self.bodies.list.iter_mut().filter(|body| body.is_movable());
            movable.for_each(|body| body.accelerate(&state.applied.get(body.slot as usize)));
        }
    }

    fn outlook<'a>(
        bodies: &'a Bodies,
        (model, state): (&'a Model, &'a State),
        (settings, calm): (&RealtimeSettings, bool),
        part: f64,
        workers: &'a Workers,
    ) -> Outlook<'a> {
        Outlook { model, state, bodies, workers, touch_distance: settings.touch_distance, calm, part, free: &[] }
    }

    /// Marks the contacts that the motion of the next `part` seconds does not confirm.
    fn find_ghosts(&mut self, model: &Model, state: &State, part: f64, workers: &Workers) {
        let outlook = Self::outlook(&self.bodies, (model, state), (&self.settings, self.rhythm.calm), part, workers);
        self.ghosts.find(&mut self.memory.pairs, &outlook);
    }

    /// Whether bodies have run into what was not expected to be in their way.
    fn some_ghosts_come_true(&mut self, model: &Model, state: &State, part: f64, workers: &Workers) -> bool {
        let outlook = Self::outlook(&self.bodies, (model, state), (&self.settings, self.rhythm.calm), part, workers);
        self.ghosts.come_true(&mut self.memory.pairs, &outlook)
    }

    /// Adds the accelerations by forces in the middle of the next `part` seconds, where bodies get if they keep their velocities: so
    /// they are right to second order. Those that are the same for all are known already.
    fn sum_forces(&mut self, model: &Model, middle: f64, part: f64) {
        for id in &self.awake.list {
            let body = &mut self.ahead[id.slot()];
            body.position += body.velocity * (0.5 * part);
        }
        forces::sum_varied(model, middle, &self.ahead, &mut self.wrenches);
        for body in self.bodies.list.iter_mut().filter(|body| body.is_movable()) {
            body.accelerate(&self.wrenches.as_slice()[body.slot as usize]);
        }
    }

    /// Lets `part` seconds pass.
    fn solve(&mut self, model: &Model, state: &State, part: f64, (workers, cancel): (&Workers, &Cancel)) {
        let substeps = self.rhythm.substeps;
        let world = &self.joint_world(model, state, part / f64::from(substeps));
        let Self { bodies, heaps, exact, nets, settings, memory, report, .. } = self;
        let (push, threshold, level) = (settings.max_push_speed, settings.restitution_threshold, self.level);
        let passage = Passage { part, substeps, push, threshold, world, cancel };
        let around = Surroundings { pairs: &memory.pairs.list, part, push, threshold, level, world, cancel };
        let mut solvers = Solvers { exact, heaps, nets, times: &mut report.times.stages };
        passing::pass(&passage, &around, bodies, &mut solvers, workers);
    }

    /// What joints need to know of the world, for substeps of `h` seconds.
    fn joint_world<'a>(&self, model: &'a Model, state: &'a State, h: f64) -> JointWorld<'a> {
        let threshold = self.settings.restitution_threshold;
        JointWorld { model, states: &state.bodies, angles: &state.angles, h, threshold }
    }

    /// Gives the impulses back to the pairs and joints.
    fn store(&mut self, part: f64, workers: &Workers) {
        let Memory { joints, net_load, pairs, .. } = &mut self.memory;
        self.exact.store(&mut pairs.list, joints, part / f64::from(self.rhythm.substeps));
        self.nets.store(joints, net_load, self.rhythm.refreshes, part / f64::from(self.net_substeps));
        if !self.heaps.is_empty() {
            self.heaps.store(&mut pairs.list, part, workers);
        }
    }

    /// Notes which contacts each body has that is awake.
    fn index_contacts(&mut self) {
        let Self { adjacency, bodies, memory, touching, .. } = self;
        touching.clear();
        let touches = memory.pairs.list.iter().enumerate().filter(|(_, pair)| pair.touches());
        touching.extend(touches.map(|(index, pair)| (index as u32, pair.bodies.map(|id| bodies.number(id) as usize))));
        adjacency.rebuild_rows(bodies.list.len(), touching.iter().copied());
    }

    /// Counts what the report tells of bodies, islands and contacts.
    fn count(&mut self, state: &State) {
        let [contacts, points] = self.memory.pairs.still_contacts;
        self.report.awake = self.awake.list.len();
        self.report.asleep = self.roster.movable.len() - self.report.awake;
        let awake = |island: &&Island| island.bodies.iter().any(|id| !state.bodies[id.slot()].asleep);
        self.report.islands = self.islands.as_slice().iter().filter(awake).count() + self.asleep;
        self.report.contacts = self.touching.len() + contacts;
        let pairs = &self.memory.pairs.list;
        let found = self.touching.iter().map(|&(index, _)| pairs[index as usize].news.points as usize);
        self.report.contact_points = found.sum::<usize>() + points;
        self.report.work = StepWork {
            pairs: pairs.len(),
            recycled: pairs.iter().filter(|pair| pair.recycled).count(),
            looks: self.rhythm.refreshes as usize,
            swept_contacts: self.heaps.contacts(),
            colours: self.heaps.colours(),
            exact_substeps: self.rhythm.substeps as usize,
            heap_substeps: self.heaps.substeps() as usize,
            ..self.report.work
        };
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
        let StepContext { changes, model, state, .. } = context;
        self.roster.follow(changes, model);
        self.forget_changed(changes, model);
        self.stirred = self.awake.follow(changes, &self.roster, model, state);
        if self.stirred {
            self.memory.pairs.sort_out(model, state, None, true);
        }
        self.before.bodies.clear();
        self.before.note(&self.awake.list, context.state, |_| true);
        self.before.note(&self.roster.scripted, context.state, |_| true);
        self.before.joints.clone_from(&self.memory.joints);
        (self.before.load, self.before.net_load) = (self.memory.load, self.memory.net_load);
        self.before.report = self.report;
        let result = self.advance(context);
        if result.is_err() {
            self.before.bodies.iter().for_each(|(slot, body)| context.state.bodies[*slot as usize] = *body);
            self.memory.pairs.undo();
            self.awake.renew(&self.roster, context.state);
            self.memory.pairs.sort_out(context.model, context.state, None, false);
            std::mem::swap(&mut self.memory.joints, &mut self.before.joints);
            (self.memory.load, self.memory.net_load) = (self.before.load, self.before.net_load);
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
        self.memory.pairs.visit(&mut |pair| {
            if pair.touches() {
                visit(pair.view());
            }
        });
    }

    fn visit_contacts_of<'a>(&'a self, body: BodyId, visit: &mut dyn FnMut(ContactView<'a>)) {
        let pairs = &self.memory.pairs;
        let mut show = |pair: &'a Pair| {
            if pair.touches() && pair.bodies.contains(&body) {
                visit(pair.view());
            }
        };
        pairs.still_of(body).for_each(&mut show);
        match self.bodies.number(body) {
            // It is not awake, or it is not known yet.
            WORLD => pairs.list.iter().for_each(&mut show),
            number => {
                let numbers = self.adjacency.row(number as usize).iter();
                numbers.filter_map(|&index| pairs.list.get(index as usize)).for_each(show);
            }
        }
    }

    fn draw(&self, model: &Model, state: &State, flags: InstrumentFlags, instrument: &mut dyn Instrument) {
        if flags.islands {
            self.islands.draw(model, state, instrument);
        }
    }

    fn reset(&mut self) {
        self.memory = Memory::default();
        self.bodies.clear();
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
        self.awake.renew(&self.roster, state);
        self.memory.pairs.sort_out(model, state, None, false);
        self.islands.clear();
        self.bodies.clear();
        self.adjacency.clear();
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
