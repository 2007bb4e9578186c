//! How large the error has become: a second run with ten times the tolerance goes along.
//!
//! The estimates of single steps say nothing of what becomes of their errors: a pendulum adds them up, chaos multiplies them. Since the error
//! follows the tolerance, that of a run with ten times the tolerance is about ten times as large, and the distance of the two runs tells it,
//! through events, impacts and chaos alike, as long as it is small:
//!
//! ```text
//! x₁₀ − x₁ ≈ 10 ε − ε,     ε ≈ |x₁₀ − x₁|/9
//! ```

use super::Accurate;
use crate::event::Events;
use crate::journal::Journal;
use crate::method::{Method, NobodyWatches, StepContext};
use crate::{ColliderIndex, State};

/// How much larger the tolerance of the second run is.
const LOOSER: f64 = 10.0;

/// The second run.
#[derive(Debug)]
pub(super) struct Shadow {
    method: Accurate,
    state: State,
    index: ColliderIndex,
    is_new: bool,
}

impl Shadow {
    /// One that begins where the first is.
    pub(super) fn new(first: &Accurate, state: &State) -> Self {
        let mut method = Accurate::new();
        method.settings = first.settings;
        method.settings.error_estimate = false;
        method.settings.tolerance = (LOOSER * first.settings.tolerance).min(1e-2);
        let index = ColliderIndex::new(method.new_broad_phase());
        Self { method, state: state.clone(), index, is_new: true }
    }

    /// Goes along; whether it could.
    pub(super) fn follow(&mut self, context: &StepContext<'_>) -> bool {
        self.state.applied = context.state.applied.clone();
        let changes = if self.is_new { Journal::everything() } else { Journal::default() };
        self.is_new = false;
        self.index.set_most_pairs(context.index.most_pairs());
        let result = self.method.step(&mut StepContext {
            model: context.model,
            changes: &changes,
            state: &mut self.state,
            dt: context.dt,
            index: &mut self.index,
            events: &mut Events::default(),
            tell_ongoing: false,
            workers: context.workers,
            cancel: context.cancel,
            observer: &mut NobodyWatches,
        });
        self.state.tick(context.dt);
        result.is_ok()
    }

    /// The estimated error of the other run: of the positions of centres of mass, in metres.
    pub(super) fn error(&self, state: &State) -> f64 {
        let apart = self.state.bodies.iter().zip(&state.bodies).map(|(a, b)| a.position.distance(b.position));
        apart.fold(0.0, f64::max) / (LOOSER - 1.0)
    }
}
