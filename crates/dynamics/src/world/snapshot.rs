//! Snapshots: the whole world at a moment, to return to.

use super::World;
use crate::method::Method;
use crate::{Model, State};

/// The whole world at a moment: model, state and the method with its caches. A run resumed from it is bit for bit the
/// run that was not interrupted.
#[derive(Debug)]
pub struct Snapshot {
    model: Model,
    state: State,
    method: Box<dyn Method>,
}

impl Clone for Snapshot {
    fn clone(&self) -> Self {
        Self { model: self.model.clone(), state: self.state.clone(), method: self.method.clone_box() }
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
        Snapshot { model: self.model.clone(), state: self.state.clone(), method: self.method.clone_box() }
    }

    /// Returns to a moment. Events of the last step are forgotten.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        let Snapshot { model, state, method } = snapshot.clone();
        (self.model, self.state, self.method) = (model, state, method);
        self.events.clear();
        self.places.all_changed();
    }
}
