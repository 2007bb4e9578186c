//! A world: model, state, method and events in one value; what a game holds.

mod body;
mod collider;
mod draw;
mod edit;
mod joint;
mod mass;
mod measure;
mod places;
mod query;
mod snapshot;
mod wake;

pub use body::{BodyMut, BodyRef};
pub use collider::{ColliderMut, ColliderRef};
pub use joint::{JointMut, JointRef};
pub use measure::Energy;
pub use query::Hit;
pub use snapshot::{SavedState, Snapshot};

use self::places::Places;
use crate::constraint::{BodyView, continued};
use crate::event::Events;
use crate::force::{ForceContext, Gravity, Wrenches};
use crate::method::{Method, Retroactive};
use crate::{BodyId, ForceId, Id, Model, State, StepError, StepReport, Wrench};
use glam::DVec3;

/// Model, state, method and events: add bodies, step, read what happened.
#[derive(Debug)]
pub struct World {
    model: Model,
    state: State,
    method: Box<dyn Method>,
    events: Events,
    gravity: ForceId,
    /// The state before the step under way, kept so that a failed step can be undone.
    before: State,
    /// Where the colliders are, for questions.
    places: Places,
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl World {
    /// An empty world with gravity of 9.81 m/s² downwards (−y), simulated with the retroactive method.
    pub fn new() -> Self {
        Self::with_method(Retroactive::new())
    }

    /// An empty world with gravity of 9.81 m/s² downwards (−y), simulated with the given method.
    pub fn with_method(method: impl Method + 'static) -> Self {
        let mut model = Model::default();
        let gravity = model.forces.insert(std::sync::Arc::new(Gravity::default()));
        Self {
            model,
            state: State::default(),
            method: Box::new(method),
            events: Events::default(),
            gravity,
            before: State::default(),
            places: Places::default(),
        }
    }

    /// Lets `dt` seconds pass. On an error nothing has changed.
    pub fn step(&mut self, dt: f64) -> Result<(), StepError> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(StepError::BadTimeStep(dt));
        }
        self.before.clone_from(&self.state);
        self.places.all_changed();
        self.events.clear();
        let result =
            self.method.step(&self.model, &mut self.state, dt, &mut self.events).and_then(|()| self.check_finite());
        match result {
            Ok(()) => {
                self.follow_angles();
                self.state.time += dt;
                self.state.steps += 1;
                self.state.applied.fill(Default::default());
                Ok(())
            }
            Err(error) => {
                self.state.clone_from(&self.before);
                self.events.clear();
                self.method.reset();
                Err(self.culprit().unwrap_or(error))
            }
        }
    }

    /// Counts the turns of the joints that turn.
    fn follow_angles(&mut self) {
        for (id, joint) in self.model.joints.iter() {
            let views = joint.ends.map(|end| BodyView::of(&self.model, &self.state.bodies, end));
            if let Some(angle) = joint.constraint.angle(&views) {
                let known = &mut self.state.angles[id.slot()];
                *known = continued(angle, *known);
            }
        }
    }

    fn check_finite(&self) -> Result<(), StepError> {
        match self.model.bodies.iter().find(|(id, _)| !self.state.bodies[id.slot()].is_finite()) {
            Some((body, model)) => Err(StepError::NotFinite { body, name: model.name.clone() }),
            None => Ok(()),
        }
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

    /// What the last step did.
    pub fn report(&self) -> StepReport {
        self.method.report()
    }

    /// How time passes.
    pub fn method(&self) -> &dyn Method {
        self.method.as_ref()
    }

    /// Lets time pass in another way from now on.
    pub fn set_method(&mut self, method: impl Method + 'static) {
        self.set_boxed_method(Box::new(method));
    }

    /// Lets time pass in another way from now on, such as one made by a [registry](crate::registry::Registry::method).
    pub fn set_boxed_method(&mut self, method: Box<dyn Method>) {
        self.method = method;
    }

    /// What happened during the last step.
    pub fn events(&self) -> &Events {
        &self.events
    }

    /// The acceleration of gravity in m/s². If it is not finite, the next step says so.
    pub fn set_gravity(&mut self, acceleration: impl Into<DVec3>) {
        let gravity = Gravity { acceleration: acceleration.into() };
        match self.model.forces.get_mut(self.gravity) {
            Some(force) => *force = std::sync::Arc::new(gravity),
            // Somebody removed it.
            None => self.gravity = self.model.forces.insert(std::sync::Arc::new(gravity)),
        }
        self.wake_all();
    }
}
