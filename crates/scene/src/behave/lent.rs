//! The world that a script acts on: lent to the thread for as long as the script runs, so that the functions that scripts call
//! reach it, and put back whatever happens.

use super::happened::Happened;
use rhai::EvalAltResult;
use std::cell::RefCell;
use std::collections::BTreeMap;
use tumble_dynamics::{ModelError, World};

/// What the functions that scripts call return.
pub(super) type Told<T> = Result<T, Box<EvalAltResult>>;

/// The world, and what else a script can reach while it runs.
#[derive(Default)]
pub(super) struct Lent {
    /// The world; another one, which nobody looks at, while nothing is lent.
    pub(super) world: World,
    is_there: bool,
    pub(super) given: Given,
}

/// What a script is given besides the world.
#[derive(Default)]
pub(super) struct Given {
    /// The length of the step, in seconds.
    pub(super) dt: f64,
    /// The values of the controls.
    pub(super) controls: BTreeMap<String, f64>,
    /// What happened in the last step.
    pub(super) happened: Happened,
    /// The state of the random numbers.
    pub(super) random: u64,
    /// What the script said.
    pub(super) said: Vec<String>,
}

thread_local! {
    static LENT: RefCell<Lent> = RefCell::default();
}

/// Runs something that can reach a world; what it was given comes back, with what it said.
pub(super) fn lend<T>(world: &mut World, given: Given, run: impl FnOnce() -> T) -> (T, Given) {
    /// Brings the world back, also if something panics.
    struct Back<'a>(&'a mut World);

    impl Drop for Back<'_> {
        fn drop(&mut self) {
            LENT.with_borrow_mut(|lent| {
                std::mem::swap(self.0, &mut lent.world);
                lent.is_there = false;
            });
        }
    }

    LENT.with_borrow_mut(|lent| {
        (lent.is_there, lent.given) = (true, given);
        std::mem::swap(world, &mut lent.world);
    });
    let back = Back(world);
    let result = run();
    drop(back);
    LENT.with_borrow_mut(|lent| (result, std::mem::take(&mut lent.given)))
}

/// What is lent; an error while nothing is.
pub(super) fn reach<T>(use_it: impl FnOnce(&mut Lent) -> Told<T>) -> Told<T> {
    LENT.with_borrow_mut(|lent| {
        if lent.is_there {
            use_it(lent)
        } else {
            refuse("the world is only there in the functions `start` and `step`, and what they call")
        }
    })
}

/// An error of a script.
pub(super) fn refuse<T>(problem: impl Into<String>) -> Told<T> {
    Err(problem.into().into())
}

/// What a world refuses, as an error of the script.
pub(super) fn told<T>(result: Result<T, ModelError>) -> Told<T> {
    result.or_else(|problem| refuse(problem.to_string()))
}

/// Whether the script is to end at once.
pub(super) fn is_cancelled() -> bool {
    LENT.with_borrow(|lent| lent.is_there && lent.world.cancel().is_cancelled())
}
