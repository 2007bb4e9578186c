//! A world: model, state, method, index and events in one value; what a game holds.

mod behave;
mod body;
mod collider;
mod draw;
mod edit;
mod fuses;
mod interpolate;
mod joint;
mod loads;
mod mass;
mod measure;
mod places;
mod programs;
mod query;
mod save;
mod snapshot;
mod steer;
mod validate;
mod wake;
mod watch;
#[cfg(feature = "registry")]
mod whole;

pub use body::{BodyMut, BodyRef};
pub use collider::{ColliderMut, ColliderRef};
pub use joint::{JointMut, JointRef};
pub use measure::Energy;
pub use query::{Hit, Query};
pub use save::SavedState;
pub use snapshot::Snapshot;
pub use watch::EnergyWatch;
#[cfg(feature = "registry")]
pub use whole::SavedWorld;

use self::interpolate::Past;
use self::places::Places;
use self::watch::Watchman;
use crate::behavior::Behavior;
use crate::event::Events;
use crate::force::{ForceContext, Gravity, Wrenches};
use crate::journal::{Change, ForceChange, Journal};
use crate::method::{Method, NobodyWatches, Observer, Realtime, StepContext};
use crate::{BodyId, Cancel, ForceId, Id, Model, ModelError, State, StepError, StepReport, Workers, Wrench};
use glam::DVec3;
use std::collections::BTreeMap;

/// Model, state, method and events: add bodies, step, read what happened.
#[derive(Debug)]
pub struct World {
    model: Model,
    state: State,
    method: Box<dyn Method>,
    /// Where the colliders are.
    places: Places,
    /// What was changed since the last step.
    journal: Journal,
    events: Events,
    /// The events of the step under way; they replace the others when it succeeds.
    coming: Events,
    gravity: ForceId,
    /// How often a second contacts that go on are told.
    contact_rate: f64,
    workers: Workers,
    cancel: Cancel,
    watchman: Watchman,
    /// Where bodies were before the last step.
    past: Past,
    /// What acts before every step; none while it acts.
    behavior: Option<Box<dyn Behavior>>,
    /// What comes from outside, by name.
    inputs: BTreeMap<String, f64>,
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    /// An empty world with gravity of 9.81 m/s² downwards (−y), simulated with the real-time method.
    pub fn new() -> Self {
        Self::with_method(Realtime::new())
    }

    /// An empty world with gravity of 9.81 m/s² downwards (−y), simulated with the given method.
    pub fn with_method(method: impl Method + 'static) -> Self {
        let mut model = Model::default();
        let gravity = model.forces.insert(std::sync::Arc::new(Gravity::default()));
        Self {
            model,
            state: State::default(),
            places: Places::new(method.new_broad_phase()),
            method: Box::new(method),
            journal: Journal::everything(),
            events: Events::default(),
            coming: Events::default(),
            gravity,
            contact_rate: 10.0,
            workers: Workers::all(),
            cancel: Cancel::new(),
            watchman: Watchman::default(),
            past: Past::default(),
            behavior: None,
            inputs: BTreeMap::new(),
        }
    }

    /// Lets `dt` seconds pass. On an error nothing has changed.
    pub fn step(&mut self, dt: f64) -> Result<(), StepError> {
        self.step_observed(dt, &mut NobodyWatches)
    }

    /// Like [`step`](Self::step); the observer sees the moments inside the step that the method goes through.
    pub fn step_observed(&mut self, dt: f64, observer: &mut dyn Observer) -> Result<(), StepError> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(StepError::BadTimeStep(dt));
        }
        self.cancel.check()?;
        self.guarded(|world| world.behave(dt, |world| world.step_as_told(dt, observer)))
    }

    /// A step, with everything set for it.
    fn step_as_told(&mut self, dt: f64, observer: &mut dyn Observer) -> Result<(), StepError> {
        self.follow_curves(dt)?;
        let tell_ongoing = self.is_time_to_tell(dt);
        let undo = self.begin_watch();
        self.coming.clear();
        self.keep_past();
        let result = self.method.step(&mut StepContext {
            model: &self.model,
            changes: &self.journal,
            state: &mut self.state,
            dt,
            index: self.places.lend(),
            events: &mut self.coming,
            tell_ongoing,
            workers: &self.workers,
            cancel: &self.cancel,
            observer,
        });
        match result {
            Ok(()) => {}
            Err(StepError::Cancelled) => return Err(StepError::Cancelled),
            Err(error) => return Err(self.culprit().unwrap_or(error)),
        }
        std::mem::swap(&mut self.events, &mut self.coming);
        self.journal.clear();
        self.past.step_taken();
        self.state.tick(dt);
        self.end_watch().inspect_err(|_| {
            if let Some(before) = &undo {
                std::mem::swap(&mut self.events, &mut self.coming);
                let events = std::mem::take(&mut self.events);
                self.restore(before);
                self.events = events;
            }
        })
    }

    /// Lets somebody look at the world as an [observer](Observer::moment) saw it: bodies, joints and energies are those of `state`;
    /// events, contacts and what was told of forces stay those of the end of the step.
    pub fn shown_in<T>(&mut self, state: &State, look: impl FnOnce(&Self) -> T) -> T {
        let mut other = state.clone();
        std::mem::swap(&mut self.state, &mut other);
        let seen = look(self);
        std::mem::swap(&mut self.state, &mut other);
        seen
    }

    /// Whether a multiple of the time between reports of ongoing contacts lies within the next step.
    fn is_time_to_tell(&self, dt: f64) -> bool {
        let reports = |time: f64| (time * self.contact_rate * (1.0 + 1e-12)).floor();
        let due = || reports(self.state.time_after(dt)) > reports(self.state.time);
        self.contact_rate > 0.0 && (self.contact_rate.is_infinite() || due())
    }

    /// A force that is not finite already before the step.
    fn culprit(&self) -> Option<StepError> {
        let context = ForceContext { model: &self.model, time: self.state.time, bodies: &self.state.bodies };
        self.model.forces.iter().find_map(|(force, exerted)| {
            let mut wrenches = Wrenches::zero(self.state.bodies.len());
            exerted.apply(&context, &mut wrenches);
            let finite = |id: BodyId| {
                let Wrench { force, torque } = wrenches.as_slice()[id.slot()];
                force.is_finite() && torque.is_finite()
            };
            let (body, model) = self.model.bodies.iter().find(|(id, _)| !finite(*id))?;
            Some(StepError::ForceNotFinite { force, body, name: model.name.clone() })
        })
    }

    /// The time in seconds since the start.
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Everything that does not change as time passes.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Everything that changes as time passes.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What was changed by hand since the last step.
    pub fn changes(&self) -> &Journal {
        &self.journal
    }

    /// What the last step did.
    pub fn report(&self) -> StepReport {
        self.method.report()
    }

    /// How time passes.
    pub fn method(&self) -> &dyn Method {
        self.method.as_ref()
    }

    /// The method, to change its settings; none if it is of another type. It keeps what it remembers.
    ///
    /// ```
    /// use tumble_dynamics::World;
    /// use tumble_dynamics::method::Realtime;
    ///
    /// let mut world = World::new();
    /// let method = world.method_mut::<Realtime>().expect("the method of a new world");
    /// let mut settings = *method.settings();
    /// settings.time_to_sleep = f64::INFINITY;
    /// method.set_settings(settings);
    /// ```
    pub fn method_mut<M: Method>(&mut self) -> Option<&mut M> {
        (self.method.as_mut() as &mut dyn std::any::Any).downcast_mut()
    }

    /// The method, to change its settings by name: what a
    /// [description](crate::registry::DescribeMethod::configure) takes. It keeps what it remembers.
    pub fn dyn_method_mut(&mut self) -> &mut dyn Method {
        self.method.as_mut()
    }

    /// Lets time pass in another way from now on.
    pub fn set_method(&mut self, method: impl Method + 'static) {
        self.set_boxed_method(Box::new(method));
    }

    /// Lets time pass in another way from now on, such as one made by a [registry](crate::registry::Registry::method).
    pub fn set_boxed_method(&mut self, method: Box<dyn Method>) {
        self.places.replace(method.new_broad_phase());
        self.method = method;
        self.journal = Journal::everything();
    }

    /// What happened during the last step that was taken.
    pub fn events(&self) -> &Events {
        &self.events
    }

    /// How often a second contacts that go on are told as events; zero: never, infinite: in every step. Default 10.
    /// [`World::contacts`] tells them at any time.
    pub fn set_contact_rate(&mut self, per_second: f64) -> Result<(), ModelError> {
        self.contact_rate = checked_rate(per_second)?;
        Ok(())
    }

    /// How often a second contacts that go on are told as events.
    pub fn contact_rate(&self) -> f64 {
        self.contact_rate
    }

    /// How many threads a step may use. Results do not depend on it. Default: as many as the machine runs at once.
    pub fn set_workers(&mut self, workers: Workers) {
        self.workers = workers;
    }

    /// Who may end steps before their end, from another thread: see [`Cancel`]. Like the number of threads it is a matter of
    /// this process, and neither saved nor restored. Default: a flag that nobody else has.
    pub fn set_cancel(&mut self, cancel: Cancel) {
        self.cancel = cancel;
    }

    /// How many pairs of colliders may come near each other in a step: if there are more, it is refused
    /// ([`StepError::TooManyPairs`]) instead of taking all memory there is. Like the number of threads it is a matter of this process,
    /// and neither saved nor restored. Default [`MOST_PAIRS`](crate::MOST_PAIRS).
    pub fn set_most_pairs(&mut self, most: usize) {
        self.places.lend().set_most_pairs(most);
    }

    /// The flag that ends steps, to hand to another thread.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// The acceleration of gravity in m/s². If it is not finite, the next step says so.
    pub fn set_gravity(&mut self, acceleration: impl Into<DVec3>) {
        let gravity = Gravity { acceleration: acceleration.into() };
        match self.model.forces.get_mut(self.gravity) {
            Some(force) => {
                *force = std::sync::Arc::new(gravity);
                self.note(Change::Force(self.gravity, ForceChange::Replaced));
            }
            // Somebody removed it.
            None => {
                self.gravity = self.model.forces.insert(std::sync::Arc::new(gravity));
                self.note(Change::Force(self.gravity, ForceChange::Added));
            }
        }
        self.wake_all();
    }

    /// Writes a change into the journal.
    fn note(&mut self, change: Change) {
        self.model.revision += 1;
        self.find_fuse(change);
        let Model { bodies, colliders, joints, forces, .. } = &self.model;
        let things = bodies.slot_count() + colliders.slot_count() + joints.slot_count() + forces.slot_count();
        self.journal.write(change, 4 * things + 256);
    }
}

/// A rate at which contacts can be told, per second.
fn checked_rate(per_second: f64) -> Result<f64, ModelError> {
    let refused = || ModelError::OutOfRange {
        what: "contact rate",
        value: per_second.to_string(),
        allowed: "at least 0 per second",
    };
    if per_second >= 0.0 { Ok(per_second) } else { Err(refused()) }
}
