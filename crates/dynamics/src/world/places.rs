//! The spatial index of a world, lent to the method during a step and to questions at any time.
//!
//! A method may leave it outdated, and so may changes by hand; the first question after that brings it up to date, from
//! whatever thread it comes.

use crate::{ColliderIndex, Model, State};
use std::sync::{Mutex, OnceLock, PoisonError};
use tumble_geometry::broad_phase::BroadPhase;

#[derive(Debug)]
pub(super) struct Places {
    /// The index, while it is known to be up to date.
    current: OnceLock<ColliderIndex>,
    /// The index otherwise.
    outdated: Mutex<Option<ColliderIndex>>,
}

impl Places {
    pub(super) fn new(broad_phase: Box<dyn BroadPhase>) -> Self {
        Self { current: OnceLock::new(), outdated: Mutex::new(Some(ColliderIndex::new(broad_phase))) }
    }

    /// Another broad phase, with the same limit.
    pub(super) fn replace(&mut self, broad_phase: Box<dyn BroadPhase>) {
        let most = self.lend().most_pairs();
        *self = Self::new(broad_phase);
        self.lend().set_most_pairs(most);
    }

    /// The index, to be changed.
    pub(super) fn lend(&mut self) -> &mut ColliderIndex {
        let outdated = self.outdated.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = self.current.take() {
            *outdated = Some(index);
        }
        outdated.get_or_insert_default()
    }

    /// The index, up to date.
    pub(super) fn index(&self, model: &Model, state: &State) -> &ColliderIndex {
        self.current.get_or_init(|| {
            let mut index = self.outdated.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default();
            index.refresh(model, state);
            index
        })
    }
}
