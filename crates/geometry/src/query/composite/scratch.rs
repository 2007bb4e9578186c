//! Room for the lists that are needed while manifolds are found, used again by every call of a thread. What they hold is of no
//! interest between calls.

use super::cluster::Candidates;
use glam::DVec3;
use std::cell::Cell;

/// The lists.
#[derive(Default)]
pub(super) struct Scratch {
    pub(super) candidates: Candidates,
    /// The triangles the shape has come through.
    pub(super) crossed: Vec<u32>,
    /// Those it lies behind without touching.
    pub(super) pending: Vec<u32>,
    /// Triangles with something of the shape below them that is found with more work, in case nothing better is.
    pub(super) spare: Vec<Spare>,
    /// Triangles of flat regions that the shape reaches below, with none of its corners.
    pub(super) under: Vec<u32>,
}

/// A triangle that the shape lies below.
#[derive(Clone, Copy)]
pub(super) struct Spare {
    pub(super) index: u32,
    /// The way out.
    pub(super) outward: DVec3,
    /// The shape is not deeper than this below it, in metres.
    pub(super) depth: f64,
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
        scratch.under.clear();
        let result = work(&mut scratch);
        SCRATCH.set(scratch);
        result
    }
}
