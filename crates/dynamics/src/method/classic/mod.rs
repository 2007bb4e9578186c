//! What the classic methods share: everything of a method that is not its idea.
//!
//! A method has to be transactional, to be saved and resumed bit for bit, to tell its contacts and events, and to follow what users
//! change. None of that differs from one textbook method to the next. So it is written once, here: a [`Classic`] method is made of a
//! [`Rule`], which says how a step is taken and nothing else. The rule is the settings of the method; what it remembers from step to
//! step is split into marks on contact points and the rest.
//!
//! | rule | method | document |
//! |---|---|---|
//! | [`VerletSettings`](super::verlet::VerletSettings) | `verlet` | B: Verlet integration with position constraints |
//! | [`ImpactSettings`](super::impact::ImpactSettings) | `impact` | H: everything is an impact |
//! | [`PenaltySettings`](super::penalty::PenaltySettings) | `penalty` | G 2.6.3: springs keep bodies apart |
//! | [`AdvancingSettings`](super::advancing::AdvancingSettings) | `advancing` | G 6.2.5: from contact to contact |
//!
//! A method of your own is a rule of your own: implement [`Rule`] for its settings and hand `Classic::new(settings)` to a world.
//! Classic methods know no sleep: what somebody put to sleep wakes with the first step.

mod contacts;
pub(in crate::method) mod notify;

pub use contacts::{Contacts, Mark, Pair, Point};

use super::{Method, StepContext};
use crate::constraint::{JointView, Row};
use crate::contact::Contact;
use crate::event::{Reaction, SleepEvent};
use crate::journal::Journal;
use crate::parts::roster::Roster;
use crate::parts::{breaking, finite, turns};
use crate::report::{StepReport, Stopwatch};
use crate::{BodyState, Id, JointId, Model, ModelError, State, StepError};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;

/// How a step is taken, with the numbers that govern it: the part of a method that is its own.
pub trait Rule: Clone + Debug + PartialEq + Default + Send + Sync + 'static {
    /// The name the method is registered under.
    const NAME: &'static str;

    /// What is remembered of a contact point while it lasts.
    type Mark: Mark;

    /// What else is remembered from step to step.
    type Memory: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned + Send + Sync;

    /// Room to work in: forgotten without a trace.
    type Room: Debug + Default + Send + Sync;

    /// Advances the bodies of the state by `step.dt` seconds. On an error it may leave things half done.
    fn advance(&self, step: &mut Step<'_, Self>, room: &mut Self::Room) -> Result<(), StepError>;

    /// The energy that is neither in motion nor in forces but in what the method remembers, in joules: springs of its own. Default: none.
    fn stored_energy(_contacts: &Contacts<Self::Mark>, _memory: &Self::Memory) -> f64 {
        0.0
    }

    /// Says what of a memory cannot be that of this model and state. Default: nothing.
    fn check(_memory: &Self::Memory, _model: &Model, _state: &State) -> Result<(), String> {
        Ok(())
    }
}

/// A step under way, as a rule sees it.
#[derive(Debug)]
pub struct Step<'a, R: Rule> {
    /// What does not change as time passes.
    pub model: &'a Model,
    /// What does.
    pub state: &'a mut State,
    /// The length of the step in seconds.
    pub dt: f64,
    /// Where the colliders are.
    pub index: &'a mut crate::ColliderIndex,
    /// Who is who.
    pub roster: &'a Roster,
    /// The contacts.
    pub contacts: &'a mut Contacts<R::Mark>,
    /// What else is remembered.
    pub memory: &'a mut R::Memory,
    /// What joints exerted, by slot of the joint: zero at first.
    pub reactions: &'a mut [Reaction],
    /// Where the time goes and how much there is to do.
    pub report: &'a mut StepReport,
    /// Who watches moments inside the step.
    pub observer: &'a mut dyn super::Observer,
    /// Whether the user changed anything since the last step.
    pub changed: bool,
    /// Whether the step is to end.
    pub cancel: &'a crate::Cancel,
}

impl<R: Rule> Step<'_, R> {
    /// Refuses motions that are not finite, and to go on with a step that was cancelled: what a rule calls before it goes on with what
    /// it has computed.
    pub fn check_finite(&self) -> Result<(), StepError> {
        self.cancel.check()?;
        finite::check(self.model, &self.roster.movable, &self.state.bodies)?;
        finite::check(self.model, &self.roster.scripted, &self.state.bodies)
    }

    /// Refuses joints, for methods that have none; `instead` says who has.
    pub fn refuse_joints(&self, instead: &'static str) -> Result<(), StepError> {
        let whole = |id: &JointId| !self.state.broken[id.slot()];
        match self.model.joints().iter().find(|(id, _)| whole(id)) {
            Some((_, joint)) => {
                let what = match joint.name.is_empty() {
                    true => "hold joints".into(),
                    false => format!("hold joints, such as \"{}\"", joint.name),
                };
                Err(StepError::Cannot { method: R::NAME, what, instead })
            }
            None => Ok(()),
        }
    }
}

/// The rows of a joint that is not broken.
pub fn joint_rows(model: &Model, state: &State, bodies: &[BodyState], id: JointId, rows: &mut Vec<Row>) {
    rows.clear();
    if let (Some(joint), Some(view)) = (model.joints().get(id), JointView::of(model, bodies, &state.angles, id)) {
        joint.constraint.rows(&view, rows);
    }
}

/// Everything remembered from step to step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
struct Memory<R: Rule> {
    contacts: Contacts<R::Mark>,
    own: R::Memory,
    /// By slot of the joint.
    reactions: Vec<Reaction>,
    /// The length of the last step in seconds; zero before the first.
    dt: f64,
}

/// A method made of a rule. See the module's documentation.
#[derive(Debug)]
pub struct Classic<R: Rule> {
    rule: R,
    memory: Memory<R>,
    roster: Roster,
    room: R::Room,
    report: StepReport,
    /// What a step that fails puts back.
    before: (Vec<BodyState>, Memory<R>),
}

impl<R: Rule> Default for Classic<R> {
    fn default() -> Self {
        Self::new(R::default())
    }
}

impl<R: Rule> Clone for Classic<R> {
    fn clone(&self) -> Self {
        Self {
            rule: self.rule.clone(),
            memory: self.memory.clone(),
            roster: self.roster.clone(),
            room: R::Room::default(),
            report: self.report,
            before: Default::default(),
        }
    }
}

impl<R: Rule> Classic<R> {
    /// With these settings.
    pub fn new(rule: R) -> Self {
        let (memory, before) = (Memory::default(), Default::default());
        let (roster, room, report) = (Roster::default(), R::Room::default(), StepReport::default());
        Self { rule, memory, roster, room, report, before }
    }

    /// The settings.
    pub fn settings(&self) -> &R {
        &self.rule
    }

    /// Changes the settings; what is remembered from earlier steps stays.
    pub fn set_settings(&mut self, settings: R) {
        self.rule = settings;
    }

    /// One step, as a table of contents. What fails leaves things half done.
    fn advance(&mut self, context: &mut StepContext<'_>) -> Result<(), StepError> {
        let (model, dt) = (context.model, context.dt);
        let total = Stopwatch::start();
        let time = context.state.time_after(dt);
        self.report = StepReport { dt, ..StepReport::default() };
        self.roster.follow(context.changes, model);
        self.memory.contacts.begin_step();
        self.memory.reactions.clear();
        self.memory.reactions.resize(model.joints().slot_count(), Reaction::default());
        self.wake(context);

        let mut step = Step {
            model,
            state: &mut *context.state,
            dt,
            index: &mut *context.index,
            roster: &self.roster,
            contacts: &mut self.memory.contacts,
            memory: &mut self.memory.own,
            reactions: &mut self.memory.reactions,
            report: &mut self.report,
            observer: &mut *context.observer,
            changed: context.changes.is_everything() || context.changes.iter().next().is_some(),
            cancel: context.cancel,
        };
        self.rule.advance(&mut step, &mut self.room)?;
        step.check_finite()?;

        let state = &mut *context.state;
        crate::parts::regions::follow(model, state, self.roster.movers(), context.index);
        turns::follow(model, &self.roster.turning, state);
        let reactions = &self.memory.reactions;
        let reaction = |joint: JointId| reactions.get(joint.slot()).copied();
        breaking::break_joints(model, &self.roster.breakable, reaction, time, state, context.events);
        notify::contacts(&mut self.memory.contacts, context);
        self.memory.dt = dt;
        self.count(context.state);
        self.report.times.total = total.elapsed();
        Ok(())
    }

    /// Wakes everybody.
    fn wake(&self, context: &mut StepContext<'_>) {
        let time = context.state.time;
        for &id in &self.roster.movable {
            let body = &mut context.state.bodies[id.slot()];
            if body.asleep {
                (body.asleep, body.quiet_time) = (false, 0.0);
                context.events.woke.push(SleepEvent { time, body: id });
            }
        }
    }

    /// Counts what the report tells of bodies and contacts.
    fn count(&mut self, state: &State) {
        let touching = || self.memory.contacts.list.iter().filter(|pair| pair.touches());
        self.report.awake = self.roster.movable.iter().filter(|id| !state.bodies[id.slot()].asleep).count();
        self.report.contacts = touching().count();
        self.report.contact_points = touching().map(|pair| pair.points.len()).sum();
    }
}

impl<R: Rule> Method for Classic<R> {
    fn name(&self) -> &'static str {
        R::NAME
    }

    fn step(&mut self, context: &mut StepContext<'_>) -> Result<(), StepError> {
        self.before.0.clone_from(&context.state.bodies);
        self.before.1.clone_from(&self.memory);
        let report = self.report;
        let result = self.advance(context);
        if result.is_err() {
            std::mem::swap(&mut context.state.bodies, &mut self.before.0);
            std::mem::swap(&mut self.memory, &mut self.before.1);
            self.report = report;
            context.index.all_moved();
        }
        result
    }

    fn visit_contacts<'a>(&'a self, visit: &mut dyn FnMut(Contact<'a>)) {
        self.memory.contacts.list.iter().filter(|pair| pair.touches()).for_each(|pair| visit(pair.view()));
    }

    fn reaction(&self, joint: JointId) -> Option<Reaction> {
        self.memory.reactions.get(joint.slot()).copied()
    }

    fn report(&self) -> StepReport {
        self.report
    }

    fn stored_energy(&self) -> f64 {
        R::stored_energy(&self.memory.contacts, &self.memory.own)
    }

    fn reset(&mut self) {
        (self.memory, self.room) = (Memory::default(), R::Room::default());
        self.report = StepReport::default();
    }

    fn memory<'a>(&'a self, model: &'a Model) -> Box<dyn erased_serde::Serialize + 'a> {
        let mut saved = self.memory.clone();
        saved.contacts.prepare_to_save(model);
        Box::new(saved)
    }

    fn load(
        &mut self,
        model: &Model,
        state: &State,
        memory: &mut dyn erased_serde::Deserializer<'_>,
    ) -> Result<(), ModelError> {
        let mut loaded: Memory<R> = erased_serde::deserialize(memory).map_err(|error| ModelError::BadProperties {
            part: format!("the memory of the method \"{}\"", R::NAME),
            problem: error.to_string(),
        })?;
        loaded.contacts.validate().and_then(|()| R::check(&loaded.own, model, state)).map_err(ModelError::Invalid)?;
        loaded.contacts.adopt(model);
        self.memory = loaded;
        self.roster.follow(&Journal::everything(), model);
        self.report = StepReport { dt: self.memory.dt, ..StepReport::default() };
        Ok(())
    }

    fn validate(&self, model: &Model, state: &State) -> Result<(), String> {
        self.memory.contacts.validate()?;
        R::check(&self.memory.own, model, state)
    }

    fn clone_box(&self) -> Box<dyn Method> {
        Box::new(self.clone())
    }
}

/// The settings of a classic method, as what the registry makes methods from.
#[cfg(feature = "registry")]
#[derive(Clone, Debug)]
pub(in crate::method) struct Described<R>(pub(in crate::method) R);

#[cfg(feature = "registry")]
impl<R: Rule + Serialize> crate::registry::DescribeMethod for Described<R> {
    fn build(&self, _registry: &crate::registry::Registry) -> Result<Box<dyn Method>, ModelError> {
        Ok(Box::new(Classic::new(self.0.clone())))
    }

    fn configure(&self, method: &mut dyn Method, _registry: &crate::registry::Registry) -> Result<(), ModelError> {
        let name = method.name();
        let other = || ModelError::Invalid(format!("the settings of \"{}\" do not fit the method \"{name}\"", R::NAME));
        let method = (method as &mut dyn std::any::Any).downcast_mut::<Classic<R>>().ok_or_else(other)?;
        method.set_settings(self.0.clone());
        Ok(())
    }

    fn properties_of(&self, method: &dyn Method, _registry: &crate::registry::Registry) -> Option<serde_json::Value> {
        let method = (method as &dyn std::any::Any).downcast_ref::<Classic<R>>()?;
        serde_json::to_value(method.settings()).ok()
    }
}
