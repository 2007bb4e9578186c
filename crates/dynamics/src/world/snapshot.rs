//! Snapshots: the whole world at a moment, to return to.

use super::World;
use super::watch::Tally;
use crate::behavior::Behavior;
use crate::journal::Journal;
use crate::method::Method;
use crate::{ForceId, Model, State};
use std::collections::BTreeMap;

/// The whole world at a moment: model, state, the method and the behaviour with all they
/// remember, inputs, what was changed since the last step, how often
/// contacts are told and who watches over the energy. A run resumed from it is bit for bit the run that was not interrupted.
/// Only how many threads there are is not in it: that is a matter of the machine, and results do not depend on it.
///
/// The model is shared with the world until one of them changes, so a snapshot costs as much as copying the state and the
/// method's memory.
#[derive(Debug)]
pub struct Snapshot {
    model: Model,
    state: State,
    method: Box<dyn Method>,
    journal: Journal,
    gravity: ForceId,
    contact_rate: f64,
    watch: Tally,
    inputs: BTreeMap<String, f64>,
    behavior: Option<Box<dyn Behavior>>,
}

impl Clone for Snapshot {
    fn clone(&self) -> Self {
        Self {
            model: self.model.clone(),
            state: self.state.clone(),
            method: self.method.clone_box(),
            journal: self.journal.clone(),
            inputs: self.inputs.clone(),
            behavior: self.behavior.as_ref().map(|behavior| behavior.clone_box()),
            ..*self
        }
    }
}

impl Snapshot {
    /// The state at that moment.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The model at that moment.
    pub fn model(&self) -> &Model {
        &self.model
    }
}

impl World {
    /// The world as it is now.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            model: self.model.clone(),
            state: self.state.clone(),
            method: self.method.clone_box(),
            journal: self.journal.clone(),
            gravity: self.gravity,
            contact_rate: self.contact_rate,
            watch: self.watchman.tally,
            inputs: self.inputs.clone(),
            behavior: self.behavior.as_ref().map(|behavior| behavior.clone_box()),
        }
    }

    /// Returns to a moment. Events of the last step are forgotten.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        let Snapshot { model, state, method, journal, gravity, contact_rate, watch, inputs, behavior } =
            snapshot.clone();
        (self.model, self.state, self.journal, self.gravity) = (model, state, journal, gravity);
        (self.contact_rate, self.watchman.tally) = (contact_rate, watch);
        (self.inputs, self.behavior) = (inputs, behavior);
        self.past.forget();
        if method.new_broad_phase().name() != self.method.new_broad_phase().name() {
            self.places.replace(method.new_broad_phase());
        }
        self.method = method;
        self.events.clear();
        self.places.lend().all_moved();
    }
}
