//! Who is awake: what sleeps costs nothing.
//!
//! A step goes through the bodies that are awake and the pairs of which one body may move, never through all there are. The lists are
//! brought up to date from the journal and from what fell asleep or woke; where much has changed they are made anew.

use crate::journal::{BodyChange, Change, JointChange, Journal};
use crate::model::BodyModel;
use crate::parts::roster::Roster;
use crate::{BodyId, Id, Model, State};

/// With more changes than this the list is made anew.
const FEW: usize = 32;

/// The bodies that forces move and that are awake, in the order of their slots.
#[derive(Clone, Debug, Default)]
pub(super) struct Awake {
    pub(super) list: Vec<BodyId>,
}

impl Awake {
    /// Takes note of what the user changed. Whether something may have woken, fallen asleep, come, gone or changed its place or partners
    /// that was not in motion anyway.
    pub(super) fn follow(&mut self, changes: &Journal, roster: &Roster, model: &Model, state: &State) -> bool {
        let stirs = |change: Change| match change {
            Change::Body(_, BodyChange::Loaded | BodyChange::Pushed | BodyChange::Name) => false,
            Change::Body(id, BodyChange::Moved) => !is_awake(model.bodies().get(id), state, id),
            Change::Joint(_, JointChange::Steered | JointChange::Breaking | JointChange::Name) | Change::Force(..) => {
                false
            }
            _ => true,
        };
        if !changes.is_everything() && !changes.iter().any(stirs) {
            return false;
        }
        self.renew(roster, state);
        true
    }

    /// Makes the list anew.
    pub(super) fn renew(&mut self, roster: &Roster, state: &State) {
        self.list.clear();
        self.list.extend(roster.movable.iter().copied().filter(|id| !state.bodies[id.slot()].asleep));
    }

    /// Takes note of bodies that woke.
    pub(super) fn woke(&mut self, ids: impl ExactSizeIterator<Item = BodyId>, roster: &Roster, state: &State) {
        if ids.len() > FEW {
            return self.renew(roster, state);
        }
        for id in ids {
            if let Err(place) = self.list.binary_search(&id) {
                self.list.insert(place, id);
            }
        }
    }

    /// Takes note that some fell asleep.
    pub(super) fn slept(&mut self, state: &State) {
        self.list.retain(|id| !state.bodies[id.slot()].asleep);
    }
}

fn is_awake(body: Option<&BodyModel>, state: &State, id: BodyId) -> bool {
    body.is_some_and(|body| body.kind.is_movable()) && !state.bodies[id.slot()].asleep
}

/// Whether neither forces nor a script move a body now.
pub(super) fn is_still(model: &Model, state: &State, id: BodyId) -> bool {
    let fixed = || model.bodies().get(id).is_none_or(|body| !body.kind.moves());
    state.bodies[id.slot()].asleep || fixed()
}
