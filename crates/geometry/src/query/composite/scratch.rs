//! Room for the lists that are needed while manifolds are found, used again by every call of a thread. What they hold is of no
//! interest between calls.

use super::cluster::{Candidate, Candidates};
use std::cell::Cell;

/// The lists.
#[derive(Default)]
pub(super) struct Scratch {
    pub(super) candidates: Candidates,
    /// The triangles the shape has come through.
    pub(super) crossed: Vec<u32>,
    /// Those it lies behind without touching.
    pub(super) pending: Vec<u32>,
    /// Points under single triangles, in case nothing better is found.
    pub(super) spare: Vec<Candidate>,
}

thread_local! {
    static SCRATCH: Cell<Scratch> = Cell::default();
}

impl Scratch {
    /// Calls `work` with empty lists.
    pub(super) fn with<T>(work: impl FnOnce(&mut Scratch) -> T) -> T {
        let mut scratch = SCRATCH.take();
        scratch.crossed.clear();
        scratch.pending.clear();
        scratch.spare.clear();
        let result = work(&mut scratch);
        SCRATCH.set(scratch);
        result
    }
}
