//! Methods: how time passes.

mod broad_phases;
pub mod retroactive;

pub use broad_phases::BroadPhaseDescription;
pub(crate) use broad_phases::register as register_broad_phases;
pub use retroactive::{Contact, ContactImpulses, ContactPointState, Retroactive, RetroactiveDescription};

use crate::event::{Events, Reaction};
use crate::instrument::{Instrument, InstrumentFlags};
use crate::registry::{DescribeMethod, Table};
use crate::{JointId, Model, ModelError, State, StepError, StepReport};
use serde_json::Value;

/// How time passes: takes a state to the next.
pub trait Method: std::fmt::Debug + Send + Sync {
    /// The name it is registered under.
    fn name(&self) -> &'static str;

    /// Advances `state` by `dt` seconds and adds what happened to `events`. On an error the caller restores the state.
    fn step(&mut self, model: &Model, state: &mut State, dt: f64, events: &mut Events) -> Result<(), StepError>;

    /// The pairs of colliders near each other as of the last step, by ids. Default: none.
    fn contacts(&self) -> &[Contact] {
        &[]
    }

    /// What a joint exerted during the last step. Default: unknown.
    fn reaction(&self, _joint: JointId) -> Option<Reaction> {
        None
    }

    /// What the last step did. Default: all zero, also right after [`reset`](Self::reset): the method remembers no step, and
    /// every change by the user then wakes all bodies.
    fn report(&self) -> StepReport {
        StepReport::default()
    }

    /// Draws what only the method knows, where the flags ask for it. Default: nothing.
    fn draw(&self, _model: &Model, _state: &State, _flags: InstrumentFlags, _instrument: &mut dyn Instrument) {}

    /// Forgets everything remembered from earlier steps.
    fn reset(&mut self);

    /// All it remembers from earlier steps as plain data without NaN or infinities. A method of the same kind and settings
    /// that [loads](Self::load) it for the same model and state goes on bit for bit as this one. Default: nothing.
    fn save(&self, _model: &Model) -> Value {
        Value::Null
    }

    /// Takes over what another method of the same kind remembered of the same model and state. Default: forgets everything,
    /// which is all there is to do for a method that saves nothing.
    fn load(&mut self, _model: &Model, _state: &State, _saved: &Value) -> Result<(), ModelError> {
        self.reset();
        Ok(())
    }

    /// A copy in a box, with all its caches, so that a run resumed from it is bit for bit the run that went on.
    fn clone_box(&self) -> Box<dyn Method>;
}

/// Registers the built-in methods.
pub(crate) fn register(table: &mut Table<Box<dyn DescribeMethod>>) {
    table.register("retroactive", |description: RetroactiveDescription| Ok(Box::new(description) as _));
}
