//! The accurate method: K's program, finished. Error-controlled integration of the constrained equations of motion, events at their
//! exact times, and one number to choose: the [tolerance](AccurateSettings::tolerance).
//!
//! Between events the motion is smooth, and an embedded Runge–Kutta method follows it with steps as long as the tolerance allows
//! (`run.rs`, `scheme.rs`, `chart.rs`). At each of its stages accelerations and multipliers come from the constraints' second derivatives
//! (`equations.rs`): joints by sparse elimination (`tree.rs`), what presses, holds and slides by a dense system on top (`touch.rs`), each in
//! a *mode* that lasts until an *event* (`element.rs`, `signals.rs`). After a step, what crept in is projected away (`project.rs`).
//!
//! At an event, what hits bounces (`collide.rs`, `routh.rs`), and what then touches chooses its modes (`settle.rs`, `cone.rs`). Where events
//! crowd, a stretch is taken in small steps and told as a storm (`crowd.rs`).
//!
//! Bodies never sleep, rough surfaces are smooth (no [perturbation](crate::Material::perturbation)), and forces that users
//! apply last for a step of the world, so that no step of the integration is longer.

mod chart;
mod collide;
mod cone;
mod contacts;
mod crowd;
mod dense;
mod detect;
mod dop853;
mod element;
mod equations;
mod extent;
mod face;
mod line;
mod memory;
mod norm;
mod project;
mod root;
mod routh;
mod run;
mod scale;
mod scheme;
mod settings;
mod settle;
mod shadow;
mod signals;
mod touch;
mod tree;

pub use scheme::Scheme;
pub use settings::{AccurateSettings, ContactPlane, Drift, ImpactLaw, LinearSolver, ModeChoice, Search, Style};

use self::contacts::{Diary, Touching};
use self::crowd::Watch;
use self::element::{Element, Mode, What};
use self::equations::{Equations, Scenery};
use self::memory::Memory;
use self::run::{Run, Tally};
use self::scale::Scale;
use self::shadow::Shadow;
use self::signals::Cause;
use super::{Method, Observer, StepContext};
use crate::contact::Contact;
use crate::event::{BreakEvent, Events, LimitEvent, Reaction, StormCause};
use crate::journal::Journal;
use crate::parts::finite;
use crate::parts::roster::Roster;
use crate::report::{AccuracyReport, StepReport, Stopwatch};
use crate::{Id, JointId, Model, ModelError, State, StepError};

/// A look at what touches is soon if it comes within this, in times that the fastest takes for the length of the scene.
const SOON: f64 = 1e-6;

/// So many moments inside a step of the world are shown to an observer at most.
const MOST_MOMENTS: usize = 100_000;

/// The accurate method. See the module's documentation.
#[derive(Debug, Default)]
pub struct Accurate {
    settings: AccurateSettings,
    memory: Memory,
    roster: Roster,
    equations: Equations,
    /// Whether the equations are those of the model.
    planned: bool,
    touching: Vec<Touching>,
    /// The second run that tells the error, if that is wanted.
    shadow: Option<Box<Shadow>>,
    report: StepReport,
}

impl Accurate {
    /// With default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// With other settings; refused if a number is out of its range.
    pub fn with_settings(mut self, settings: AccurateSettings) -> Result<Self, ModelError> {
        self.set_settings(settings)?;
        Ok(self)
    }

    /// The settings.
    pub fn settings(&self) -> &AccurateSettings {
        &self.settings
    }

    /// Changes the settings; what is remembered from earlier steps stays. Refused if a number is out of its range.
    pub fn set_settings(&mut self, settings: AccurateSettings) -> Result<(), ModelError> {
        crate::error::checked("tolerance", settings.tolerance, 1e-14..=1e-2, "between 1e-14 and 1e-2")?;
        crate::error::checked("patience", settings.patience, 0.01..=1e9, "between 0.01 and 1e9")?;
        if let Some(longest) = settings.max_step {
            crate::error::checked("longest step", longest, f64::MIN_POSITIVE.., "greater than 0 s")?;
        }
        if let Some(smoothing) = settings.friction_smoothing {
            crate::error::checked("friction smoothing", smoothing, 1e-12.., "at least 1e-12 m/s")?;
        }
        if let Some(Drift::Feedback { k, d }) = settings.drift {
            crate::error::checked("feedback k", k, 0.0.., "at least 0 per second squared")?;
            crate::error::checked("feedback d", d, 0.0.., "at least 0 per second")?;
        }
        self.settings = settings;
        Ok(())
    }

    /// One step of the world, as a table of contents. What fails leaves things half done.
    fn advance(&mut self, context: &mut StepContext<'_>) -> Result<(), StepError> {
        let total = Stopwatch::start();
        let (model, dt) = (context.model, context.dt);
        let touched = context.changes.is_everything() || !context.changes.is_empty();
        self.roster.follow(context.changes, model);
        contacts::wake(context);
        if touched || !self.planned {
            self.equations.plan(model, context.state);
            self.planned = true;
        }
        self.equations.set_solver(self.settings.chosen_solver());
        let (start, end) = (context.state.time, context.state.time_after(dt));
        let mut state = context.state.clone();
        self.equations.follow_scripts(model, start, &mut state.bodies);
        let sizes = scale::sizes(model, state.bodies.len());
        let scale = Scale::of(model, &state, &sizes, self.settings.tolerance);
        self.equations.blur = scale.blur();
        let evaluations = self.equations.evaluations;
        let elements = self.equations.elements_of_joints();
        let mut run = Run {
            model,
            settings: &self.settings,
            scale,
            sizes,
            equations: &mut self.equations,
            roster: &self.roster,
            index: &mut *context.index,
            state,
            time: start,
            h: if self.memory.h > 0.0 { self.memory.h } else { 1e-3_f64.min(dt) },
            holding: self.memory.holding,
            elements,
            tally: Tally::default(),
            last_error: 0.0,
            wanted: wanted(context.observer, start, end),
            seen: Vec::new(),
            impacts: Vec::new(),
            hits: Vec::new(),
            across: 0.0,
            crowded: self.memory.crowded,
            small: None,
        };
        let watch = Watch::new(start, run.equations.work(), self.memory.debt);
        let mut way = Way { diary: Diary::default(), watch, events: &mut *context.events };
        run.begin(&self.memory, touched, &mut way)?;
        while run.time < end {
            context.cancel.check()?;
            run.proceed(end, &self.settings, (context.workers, context.cancel), &mut way)?;
            finite::check(model, &self.roster.movable, &run.state.bodies)?;
            for state in run.seen.drain(..).filter(|state| state.time < run.time) {
                context.observer.moment(state.time, &state);
            }
            context.observer.moment(run.time, &run.state);
        }
        self.touching = run.finish(&mut self.memory, &way.diary, (end, dt), context.tell_ongoing, way.events)?;
        way.watch.is_spent(end, run.equations.work(), self.settings.patience);
        (self.memory.debt, self.memory.crowded) = (way.watch.debt, run.crowded);
        let Tally { steps, rejected, events, error, drift, stumbled } = run.tally;
        self.memory.error += error;
        let State { bodies, angles, broken, .. } = run.state;
        let (h, last_error) = (run.h, run.last_error);
        (context.state.bodies, context.state.angles, context.state.broken) = (bodies, angles, broken);
        context.index.all_moved();
        self.report = StepReport { dt, awake: self.roster.movable.len(), ..StepReport::default() };
        self.report.contacts = self.touching.len();
        self.report.contact_points = self.touching.iter().map(|touching| touching.view().points().len()).sum();
        self.report.islands = self.equations.trees.len();
        let evaluations = self.equations.evaluations - evaluations;
        let total_error = self.memory.error;
        self.report.accuracy = AccuracyReport {
            steps,
            rejected,
            events,
            evaluations,
            step: h,
            error: last_error * scale.tolerance,
            total_error,
            estimated_error: None,
            drift,
            stumbled,
        };
        self.report.times.total = total.elapsed();
        Ok(())
    }
}

/// The moments inside a step that an observer wants to see.
fn wanted(observer: &dyn Observer, start: f64, end: f64) -> Vec<f64> {
    let next = |&time: &f64| Some(observer.wants(time)).filter(|&next| next > time && next < end);
    std::iter::successors(next(&start), next).take(MOST_MOMENTS).collect()
}

/// What is noted on the way through a step.
struct Way<'e> {
    diary: Diary,
    watch: Watch,
    events: &'e mut Events,
}

impl Run<'_> {
    /// How far ahead contacts are looked for, in seconds.
    fn horizon(&self, end: f64) -> f64 {
        (end - self.time).min(6.0 * self.h)
    }

    /// Finds what touches at the beginning; if that is something else than at the end of the step before, impacts happen and modes are
    /// chosen.
    fn begin(&mut self, memory: &Memory, touched: bool, way: &mut Way<'_>) -> Result<(), StepError> {
        if self.crowded {
            // Small steps go on.
            return Ok(());
        }
        let ahead = self.horizon(f64::INFINITY);
        self.look(ahead, true)?;
        let whole = memory::recall(&memory.elements, &mut self.elements, self.equations);
        let band = self.scale.touching();
        let waits = self.elements.iter().any(|element| match element.what {
            What::Motor { .. } => element.mode == Mode::Off,
            _ if element.mode != Mode::Off || element.left.is_some() => false,
            _ => signals::gap(&self.scenery(), self.equations, &self.state.bodies, element)
                .is_some_and(|[apart, _]| apart <= band),
        });
        if touched || !whole || waits {
            self.settle_and_tell(None, way);
        } else if self.settings.chosen_drift() == Drift::Projection {
            // Scripts may have jumped between the steps.
            way.diary.note(self.time, &self.elements, &[]);
        }
        Ok(())
    }

    /// Settles, and notes what changed.
    fn settle_and_tell(&mut self, cause: Option<Cause>, way: &mut Way<'_>) {
        let stops = |elements: &[Element]| -> Vec<bool> {
            elements
                .iter()
                .map(|element| matches!(element.what, What::Stop { .. }) && element.mode == Mode::On)
                .collect()
        };
        // What touches now may part now.
        way.diary.note(self.time, &self.elements, &[]);
        let before = stops(&self.elements);
        let gripped = contacts::grips(&self.elements);
        self.hits.clear();
        self.settle(cause);
        contacts::tell_grips(&gripped, &contacts::grips(&self.elements), self.time, way.events);
        let hits = std::mem::take(&mut self.hits);
        for (index, (was, is)) in before.into_iter().zip(stops(&self.elements)).enumerate() {
            let What::Stop { joint, row } = self.elements[index].what else { continue };
            let Some(joint) = self.equations.joints.get(joint).map(|joint| joint.id) else { continue };
            let mut tell = |reached| {
                way.events.limits.push(LimitEvent { time: self.time, joint, row: row as u32, reached });
            };
            if !was && (is || hits.contains(&index)) {
                tell(true);
            }
            if !is && (was || hits.contains(&index)) {
                tell(false);
            }
        }
        way.diary.note(self.time, &self.elements, &hits);
    }

    /// Goes on by a step of the integration and settles what it brings.
    fn proceed(
        &mut self,
        end: f64,
        settings: &AccurateSettings,
        hands: (&crate::Workers, &crate::Cancel),
        way: &mut Way<'_>,
    ) -> Result<(), StepError> {
        if self.crowded {
            return self.take_stretch(StormCause::Crowd, end, hands, way);
        }
        if way.watch.is_spent(self.time, self.equations.work(), settings.patience) {
            return self.take_stretch(StormCause::Work, end, hands, way);
        }
        if way.watch.count() as u32 > settings.max_events {
            return self.take_stretch(StormCause::Events, end, hands, way);
        }
        let ahead = self.horizon(end);
        let before = (self.state.clone(), self.elements.clone(), self.time);
        let jump = self.equations.next_break(self.model, self.time);
        let Ok(event) = self.step((self.time + ahead).min(end)) else {
            self.seen.clear();
            return self.take_stretch(StormCause::Stiff, end, hands, way);
        };
        let taken = self.time - before.2;
        if self.across > self.scale.straying() && taken > 1e-9 * self.scale.length / self.scale.speed {
            // Sliding has turned aside from the direction in which it began: again, in shorter steps, to where it is slower.
            (self.state, self.elements, self.time) = before;
            self.seen.clear();
            self.h = 0.25 * taken;
            return Ok(());
        }
        let mut storm = false;
        if let Some(Cause::Break(joint)) = event {
            self.break_joint(joint, way.events);
            storm = way.watch.note(self.time);
            self.tally.events += 1;
        } else if let Some(Cause::Leave(index)) = event {
            way.diary.note(self.time, &self.elements, &[]);
            self.leave(index);
            storm = way.watch.note(self.time);
            self.tally.events += 1;
        } else if let Some(index) = event.and_then(|cause| self.slips_past(cause)) {
            self.elements[index].left = Some(SOON * self.scale.length);
            self.h = self.h.min(SOON * self.scale.length / self.scale.speed);
            storm = way.watch.note(self.time);
            self.tally.events += 1;
        } else if event.is_some() {
            self.settle_and_tell(event, way);
            storm = way.watch.note(self.time);
            self.tally.events += 1;
        }
        let look = self.look(self.horizon(f64::INFINITY), false)?;
        if look.surprise > 100.0 * self.scale.touching() && taken > 1e-7 * self.scale.length / self.scale.speed {
            // Something met that nobody saw coming: again, in shorter steps.
            (self.state, self.elements, self.time) = before;
            self.seen.clear();
            self.h = 0.25 * taken;
            return Ok(());
        }
        if self.time == jump {
            self.equations.follow_scripts(self.model, self.time, &mut self.state.bodies);
        }
        if look.crowded {
            return self.take_stretch(StormCause::Crowd, end, hands, way);
        }
        if look.changed || self.time == jump || matches!(event, Some(Cause::Break(_) | Cause::Leave(_))) {
            self.settle_and_tell(None, way);
            storm |= way.watch.note(self.time);
        }
        let calm = event.is_none() && !look.changed;
        if calm {
            way.watch.calm(self.equations.work());
        }
        // What begins to slide takes short steps, too, but comes to an end of them.
        let free = self.elements.iter().all(|element| element.mode != Mode::On);
        let crawls = calm && free && way.watch.crawls(self.time, self.scale.length / self.scale.speed);
        match (storm, crawls) {
            (true, _) => self.take_stretch(StormCause::Events, end, hands, way),
            (false, true) => self.take_stretch(StormCause::Stiff, end, hands, way),
            (false, false) => Ok(()),
        }
    }

    /// Takes a stretch of time in small steps; unless it ends in a crowd, what touches then chooses its modes.
    fn take_stretch(
        &mut self,
        cause: StormCause,
        end: f64,
        hands: (&crate::Workers, &crate::Cancel),
        way: &mut Way<'_>,
    ) -> Result<(), StepError> {
        if self.time >= end {
            return Ok(());
        }
        self.stumble(cause, (&mut way.watch, &mut way.diary), end, hands, way.events)?;
        if self.crowded {
            return Ok(());
        }
        self.equations.plan(self.model, &self.state);
        self.elements = self.equations.elements_of_joints();
        let look = self.look(self.horizon(f64::INFINITY), true)?;
        self.crowded = look.crowded;
        if !self.crowded {
            self.settle_and_tell(None, way);
            self.small = None;
        }
        Ok(())
    }

    /// A point of contact has come to the end of its face or edge, with others of its pair perhaps: what is round goes round the edge; for all else the
    /// next look finds what it touches from now on.
    fn leave(&mut self, index: usize) {
        let Some(pair) = self.elements[index].contact().map(|contact| contact.colliders) else { return };
        let near = 10.0 * signals::BEYOND;
        let mut gone = Vec::new();
        // A capsule of which another end stays on the face does not go round: from now on its side crosses the edge.
        let views_of =
            |contact: &element::Contact| contact.bodies.map(|id| equations::view(self.model, &self.state.bodies, id));
        let stays =
            |contact: &element::Contact| contact.within_face(&views_of(contact)).is_some_and(|within| within > near);
        let of_pair = |element: &&Element| element.mode == Mode::On && element.contact().is_some();
        let contacts = self.elements.iter().filter(of_pair).filter_map(Element::contact);
        let held: Vec<(u32, u32)> = contacts
            .filter(|contact| contact.colliders == pair && stays(contact))
            .map(|contact| (contact.key.0, contact.key.1))
            .collect();
        for (index, element) in self.elements.iter_mut().enumerate() {
            let Some(contact) = element.contact_mut().filter(|contact| contact.colliders == pair) else { continue };
            let views = contact.bodies.map(|id| equations::view(self.model, &self.state.bodies, id));
            let ends = contact.within(&views).is_some_and(|within| within <= near) || contact.rounds.is_some();
            if contact.rounds.is_some()
                || ends && (held.contains(&(contact.key.0, contact.key.1)) || !contact.go_round_the_edge(&views))
            {
                gone.push(index);
            }
        }
        if !gone.is_empty() {
            // Just here the face and what comes after it cannot be told apart: the next look must not be far.
            self.h = self.h.min(SOON * self.scale.length / self.scale.speed);
        }
        gone.into_iter().rev().for_each(|index| {
            self.elements.remove(index);
        });
    }

    /// The element that would touch, if it [slips past](element::Contact::slips_past) the end of its face.
    fn slips_past(&self, cause: Cause) -> Option<usize> {
        let Cause::Touch(index) = cause else { return None };
        let contact = self.elements[index].contact()?;
        contact
            .slips_past(&contact.bodies.map(|id| equations::view(self.model, &self.state.bodies, id)))
            .then_some(index)
    }

    fn break_joint(&mut self, joint: usize, events: &mut Events) {
        let scenery = Scenery { model: self.model, state: &self.state, drift: self.settings.chosen_drift() };
        let bodies = self.state.bodies.clone();
        self.equations.evaluate(&scenery, self.time, &bodies, &self.elements);
        let planned = &self.equations.joints[joint];
        let (id, reaction) = (planned.id, self.equations.reaction(self.model, &bodies, planned).unwrap_or_default());
        self.state.broken[id.slot()] = true;
        events.broken.push(BreakEvent { time: self.time, joint: id, reaction });
        let remembered = memory::remember(&self.elements, self.equations);
        self.equations.plan(self.model, &self.state);
        let contacts = self.elements.drain(..).filter(|element| element.contact().is_some()).collect::<Vec<_>>();
        self.elements = self.equations.elements_of_joints();
        memory::recall(&remembered, &mut self.elements, self.equations);
        self.elements.extend(contacts);
    }

    /// Evaluates the forces at the end of the step, remembers and tells.
    fn finish(
        &mut self,
        memory: &mut Memory,
        diary: &Diary,
        (end, dt): (f64, f64),
        tell_ongoing: bool,
        events: &mut Events,
    ) -> Result<Vec<Touching>, StepError> {
        memory.reactions.clear();
        memory.reactions.resize(self.model.joints().slot_count(), None);
        let list = if let Some(small) = self.small.as_ref().filter(|_| self.crowded) {
            for joint in &self.equations.joints {
                memory.reactions[joint.id.slot()] = small.reaction(joint.id).map(|reaction| (joint.id, reaction));
            }
            small.touching(dt)
        } else {
            let scenery = Scenery { model: self.model, state: &self.state, drift: self.settings.chosen_drift() };
            self.equations.evaluate(&scenery, end, &self.state.bodies, &self.elements);
            for joint in &self.equations.joints {
                let reaction = self.equations.reaction(self.model, &self.state.bodies, joint);
                memory.reactions[joint.id.slot()] = reaction.map(|reaction| (joint.id, reaction));
            }
            contacts::touching(self.model, &self.state.bodies, self.equations, &self.elements, dt)
        };
        diary.tell(&list, memory, (end, tell_ongoing), events);
        events.impacts.append(&mut self.impacts);
        self.tell_sensors(memory, end, events)?;
        events.sort();
        memory.elements = memory::remember(&self.elements, self.equations);
        (memory.h, memory.holding) = (self.h, self.holding);
        Ok(list)
    }
}

impl Method for Accurate {
    fn name(&self) -> &'static str {
        "accurate"
    }

    fn step(&mut self, context: &mut StepContext<'_>) -> Result<(), StepError> {
        let (before, report) = (self.memory.clone(), self.report);
        let bodies = context.state.bodies.clone();
        let touched = context.changes.is_everything() || !context.changes.is_empty();
        let mut shadow = self.shadow.take().filter(|_| self.settings.error_estimate && !touched);
        if self.settings.error_estimate {
            let shadow = shadow.get_or_insert_with(|| Box::new(Shadow::new(self, context.state)));
            shadow.follow(context);
        }
        let result = self.advance(context);
        if let Some(shadow) = shadow.filter(|_| result.is_ok()) {
            self.report.accuracy.estimated_error = Some(shadow.error(context.state));
            self.shadow = Some(shadow);
        }
        if result.is_err() {
            // The second run is one step ahead: it begins anew.
            (self.memory, self.report, self.planned, self.shadow) = (before, report, false, None);
            context.state.bodies = bodies;
            context.index.all_moved();
        }
        result
    }

    fn visit_contacts<'a>(&'a self, visit: &mut dyn FnMut(Contact<'a>)) {
        self.touching.iter().for_each(|touching| visit(touching.view()));
    }

    fn reaction(&self, joint: JointId) -> Option<Reaction> {
        let known = self.memory.reactions.get(joint.slot()).copied().flatten();
        known.filter(|(id, _)| *id == joint).map(|(_, reaction)| reaction)
    }

    fn report(&self) -> StepReport {
        self.report
    }

    fn reset(&mut self) {
        self.memory = Memory::default();
        self.touching.clear();
        (self.planned, self.shadow) = (false, None);
        self.report = StepReport::default();
    }

    fn memory<'a>(&'a self, _model: &'a Model) -> Box<dyn erased_serde::Serialize + 'a> {
        Box::new(self.memory.clone())
    }

    fn load(
        &mut self,
        model: &Model,
        _state: &State,
        memory: &mut dyn erased_serde::Deserializer<'_>,
    ) -> Result<(), ModelError> {
        let saved: Memory = erased_serde::deserialize(memory).map_err(|error| ModelError::BadProperties {
            part: "the memory of the method \"accurate\"".into(),
            problem: error.to_string(),
        })?;
        if !(saved.h.is_finite()
            && saved.h >= 0.0
            && saved.holding.is_finite()
            && saved.error.is_finite()
            && saved.debt.is_finite())
        {
            return Err(ModelError::Invalid("the memory of the method \"accurate\" is not finite".into()));
        }
        self.memory = saved;
        self.touching.clear();
        self.roster.follow(&Journal::everything(), model);
        (self.planned, self.shadow) = (false, None);
        self.report = StepReport::default();
        Ok(())
    }

    fn clone_box(&self) -> Box<dyn Method> {
        Box::new(Self {
            settings: self.settings,
            memory: self.memory.clone(),
            roster: self.roster.clone(),
            equations: Equations::default(),
            planned: false,
            touching: self.touching.clone(),
            shadow: None,
            report: self.report,
        })
    }
}
