//! What acts before every step, and the numbers from outside that it reads.

use super::World;
use crate::behavior::Behavior;
use crate::error::checked;
use crate::journal::Journal;
use crate::{ForceId, Model, ModelError, State, StepError};
use std::any::Any;
use std::collections::BTreeMap;

/// The most inputs a world has, and the longest name of one, in bytes.
const MOST_INPUTS: usize = 256;
const LONGEST_NAME: usize = 256;

/// A world before its behaviour acts: what that may change.
#[derive(Debug)]
struct Before {
    model: Model,
    state: State,
    journal: Journal,
    gravity: ForceId,
    inputs: BTreeMap<String, f64>,
    behavior: Box<dyn Behavior>,
}

impl World {
    /// Lets something act before every step from now on, in place of what did before.
    pub fn set_behavior(&mut self, behavior: impl Behavior) {
        self.set_boxed_behavior(Some(Box::new(behavior)));
    }

    /// The same with a box; none: nothing acts any more.
    pub fn set_boxed_behavior(&mut self, behavior: Option<Box<dyn Behavior>>) {
        self.behavior = behavior;
    }

    /// What acts before every step, if something does. None while it acts.
    pub fn behavior(&self) -> Option<&dyn Behavior> {
        self.behavior.as_deref()
    }

    /// What acts before every step, to change it; none if it is of another type.
    pub fn behavior_mut<B: Behavior>(&mut self) -> Option<&mut B> {
        let behavior: &mut dyn Any = self.behavior.as_deref_mut()?;
        behavior.downcast_mut()
    }

    /// What the [behaviour](Behavior) has to say to people since it was last asked.
    pub fn take_messages(&mut self) -> Vec<String> {
        self.behavior.as_mut().map_or_else(Vec::new, |behavior| behavior.take_messages())
    }

    /// Sets a number that comes from outside (a key, a stick, a pointer), for the [behaviour](Behavior) to read. It stays until it is
    /// set again. Refused if it is not finite, or if there are too many (256).
    pub fn set_input(&mut self, name: &str, value: f64) -> Result<(), ModelError> {
        checked("input", value, .., "finite")?;
        if name.len() > LONGEST_NAME || self.inputs.len() >= MOST_INPUTS && !self.inputs.contains_key(name) {
            return Err(ModelError::Invalid(format!(
                "there are at most {MOST_INPUTS} inputs, with names of at most {LONGEST_NAME} bytes"
            )));
        }
        self.inputs.insert(name.to_owned(), value);
        Ok(())
    }

    /// A number from outside; none if it was never set.
    pub fn input(&self, name: &str) -> Option<f64> {
        self.inputs.get(name).copied()
    }

    /// All numbers from outside, by name.
    pub fn inputs(&self) -> &BTreeMap<String, f64> {
        &self.inputs
    }

    /// Forgets all numbers from outside.
    pub fn clear_inputs(&mut self) {
        self.inputs.clear();
    }

    /// Lets the behaviour act, and then `step` be taken; if either fails, nothing has changed.
    pub(super) fn behave(
        &mut self,
        dt: f64,
        step: impl FnOnce(&mut Self) -> Result<(), StepError>,
    ) -> Result<(), StepError> {
        let Some(mut behavior) = self.behavior.take() else { return step(self) };
        let before = Before {
            model: self.model.clone(),
            state: self.state.clone(),
            journal: self.journal.clone(),
            gravity: self.gravity,
            inputs: self.inputs.clone(),
            behavior: behavior.clone_box(),
        };
        let acted = behavior.act(self, dt);
        self.behavior = Some(behavior);
        let refused =
            |problem| if self.cancel.is_cancelled() { StepError::Cancelled } else { StepError::Behavior(problem) };
        let result = acted.map_err(refused).and_then(|()| step(self));
        if result.is_ok() {
            if let Some(mut behavior) = self.behavior.take() {
                behavior.after(self);
                self.behavior = Some(behavior);
            }
        } else {
            let Before { model, state, journal, gravity, inputs, behavior } = before;
            (self.model, self.state, self.journal, self.gravity) = (model, state, journal, gravity);
            (self.inputs, self.behavior) = (inputs, Some(behavior));
            self.places.lend().all_moved();
        }
        result
    }
}
