//! Lists of bodies and joints by the part they play (movable, scripted, breakable, …), kept up to date from the journal, so that
//! a step need not go through all of them to find the few it wants.

use crate::journal::{BodyChange, Change, JointChange, Journal};
use crate::model::{BodyKind, BodyModel, JointModel};
use crate::{BodyId, Id, JointId, Model};

/// Bodies and joints by the part they play, each list in the order of the slots.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Roster {
    /// Bodies that forces move.
    pub movable: Vec<BodyId>,
    /// Bodies that follow a script.
    pub scripted: Vec<BodyId>,
    /// Joints whose turns are counted.
    pub turning: Vec<JointId>,
    /// Joints that may break.
    pub breakable: Vec<JointId>,
}

impl Roster {
    /// All that may move: by forces, and by scripts.
    pub fn movers(&self) -> [&[BodyId]; 2] {
        [&self.movable, &self.scripted]
    }

    /// The roster of a model.
    pub fn new(model: &Model) -> Self {
        let bodies = |is: fn(&BodyModel) -> bool| model.bodies().iter().filter(move |(_, body)| is(body));
        let joints = |is: fn(&JointModel) -> bool| model.joints().iter().filter(move |(_, joint)| is(joint));
        Self {
            movable: bodies(is_movable).map(|(id, _)| id).collect(),
            scripted: bodies(is_scripted).map(|(id, _)| id).collect(),
            turning: joints(turns).map(|(id, _)| id).collect(),
            breakable: joints(may_break).map(|(id, _)| id).collect(),
        }
    }

    /// Takes note of what was changed.
    pub fn follow(&mut self, changes: &Journal, model: &Model) {
        if changes.is_everything() {
            *self = Self::new(model);
            return;
        }
        for change in changes.iter() {
            match change {
                Change::Body(id, BodyChange::Added | BodyChange::Removed | BodyChange::Kind) => {
                    let body = model.bodies().get(id);
                    list(&mut self.movable, id, body.is_some_and(is_movable));
                    list(&mut self.scripted, id, body.is_some_and(is_scripted));
                }
                Change::Joint(
                    id,
                    JointChange::Added | JointChange::Removed | JointChange::Attached | JointChange::Breaking,
                ) => {
                    let joint = model.joints().get(id);
                    list(&mut self.turning, id, joint.is_some_and(turns));
                    list(&mut self.breakable, id, joint.is_some_and(may_break));
                }
                _ => {}
            }
        }
    }
}

fn is_movable(body: &BodyModel) -> bool {
    body.kind.is_movable()
}

fn is_scripted(body: &BodyModel) -> bool {
    matches!(body.kind, BodyKind::Scripted(_))
}

fn turns(joint: &JointModel) -> bool {
    joint.turns
}

fn may_break(joint: &JointModel) -> bool {
    !joint.breaking.is_never()
}

/// Puts an id on a list, or takes it off.
fn list<I: Id>(list: &mut Vec<I>, id: I, belongs: bool) {
    match (list.binary_search(&id), belongs) {
        (Ok(place), false) => {
            list.remove(place);
        }
        (Err(place), true) => list.insert(place, id),
        _ => {}
    }
}
