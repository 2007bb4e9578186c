//! How often joints have turned: the angle of a hinge is known within a turn, and the turns are counted from step to step.

use crate::constraint::{BodyView, continued};
use crate::{Id, JointId, Model, State};

/// Continues the angles of the joints among `joints` that turn.
pub fn follow(model: &Model, joints: &[JointId], state: &mut State) {
    for &id in joints {
        let Some(joint) = model.joints().get(id) else { continue };
        let views = joint.ends.map(|end| BodyView::of(model, &state.bodies, end));
        if let Some(angle) = joint.constraint.angle(&views) {
            let known = &mut state.angles[id.slot()];
            *known = continued(angle, *known);
        }
    }
}
