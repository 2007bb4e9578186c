//! Joints that bear too much break.

use crate::constraint::{JointView, Row};
use crate::event::{BreakEvent, Events, Reaction};
use crate::model::JointModel;
use crate::{Id, JointId, Model, State};

/// Breaks those of `joints` whose reaction or error exceeds what they bear; `reaction` tells what a joint exerted, if it
/// is known.
pub fn break_joints(
    model: &Model,
    joints: &[JointId],
    reaction: impl Fn(JointId) -> Option<Reaction>,
    time: f64,
    state: &mut State,
    events: &mut Events,
) {
    for &id in joints {
        let Some(joint) = model.joints().get(id).filter(|_| !state.broken[id.slot()]) else { continue };
        let Some(reaction) = reaction(id) else { continue };
        let breaking = &joint.breaking;
        if reaction.force.length() > breaking.force
            || reaction.torque.length() > breaking.torque
            || (breaking.error.is_finite() && error(model, state, id, joint) > breaking.error)
        {
            state.broken[id.slot()] = true;
            events.broken.push(BreakEvent { time, joint: id, reaction });
        }
    }
}

/// The largest error of a joint's rows, in metres or radians.
fn error(model: &Model, state: &State, id: JointId, joint: &JointModel) -> f64 {
    let mut rows: Vec<Row> = Vec::new();
    if let Some(view) = JointView::of(model, &state.bodies, &state.angles, id) {
        joint.constraint.rows(&view, &mut rows);
    }
    rows.iter().map(Row::violation).fold(0.0, f64::max)
}
