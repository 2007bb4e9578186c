//! What a method gets for a step.

use crate::event::Events;
use crate::journal::Journal;
use crate::{Cancel, ColliderIndex, Model, State, Workers};

/// Everything a step needs, and where its results go.
#[derive(Debug)]
pub struct StepContext<'a> {
    /// What does not change as time passes.
    pub model: &'a Model,
    /// What the user changed since the last step that was taken.
    pub changes: &'a Journal,
    /// What changes as time passes. Its time is that of the beginning of the step and stays so.
    pub state: &'a mut State,
    /// The length of the step in seconds: finite and more than zero.
    pub dt: f64,
    /// Where the colliders are. What the user moved is known to it after a [refresh](ColliderIndex::refresh), for which a
    /// method asks that needs it; the method tells what it moves.
    pub index: &'a mut ColliderIndex,
    /// What happened, empty at first.
    pub events: &'a mut Events,
    /// Whether contacts that go on are to be told in this step.
    pub tell_ongoing: bool,
    /// The threads the work may be divided among.
    pub workers: &'a Workers,
    /// Who may end the step before its end. A method looks at it at least every tenth of a second or so.
    pub cancel: &'a Cancel,
    /// Who watches moments inside the step.
    pub observer: &'a mut dyn Observer,
}

/// Someone who watches moments inside a step: a recorder that wants more frames than there are steps, a plot of what an
/// error-controlled method does. A method that goes through such moments shows them in the order of their times.
pub trait Observer: std::fmt::Debug {
    /// The bodies are where `state` says at the time `time`, after the beginning of the step and not after its end.
    fn moment(&mut self, time: f64, state: &State);

    /// The first time after `after`, in seconds, at which it wants to see the bodies; infinity (the default) for none. A method with
    /// *dense output*, which knows the motion within its steps, shows these moments among the others; other methods do not ask.
    fn wants(&self, _after: f64) -> f64 {
        f64::INFINITY
    }
}

/// Nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct NobodyWatches;

impl Observer for NobodyWatches {
    fn moment(&mut self, _time: f64, _state: &State) {}
}
