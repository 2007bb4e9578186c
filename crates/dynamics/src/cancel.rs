//! Interrupting a step from outside: cooperative cancellation.
//!
//! A step of a large world may take seconds. Whoever holds the world's [`Cancel`] can end it from another thread; the method
//! looks at it between the pieces of its work (a pair of colliders, a sweep of the solver, a part of the step), and since a
//! step is a transaction, the world is then as it was before the step.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that ends steps. Copies are the same flag.
///
/// ```
/// use tumble_dynamics::{Cancel, StepError, World};
///
/// let mut world = World::new();
/// let cancel = Cancel::new();
/// world.set_cancel(cancel.clone());
/// // On another thread, or in a handler for Ctrl-C:
/// cancel.cancel();
/// assert_eq!(world.step(1.0 / 60.0), Err(StepError::Cancelled));
/// cancel.clear();
/// assert_eq!(world.step(1.0 / 60.0), Ok(()));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A flag that is not set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the step under way, and every further one until the flag is [cleared](Self::clear).
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Lets steps be taken again.
    pub fn clear(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Whether steps are to end.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// An error if steps are to end: `cancel.check()?` between the pieces of the work.
    pub fn check(&self) -> Result<(), crate::StepError> {
        if self.is_cancelled() { Err(crate::StepError::Cancelled) } else { Ok(()) }
    }
}
