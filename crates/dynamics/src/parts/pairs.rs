//! Which pairs of colliders may touch: not two of one body, not two that nothing moves, not those that a joint or the
//! filter keeps from colliding.

use crate::model::JointEnd;
use crate::{BodyId, ColliderId, Model};

/// Whether two colliders may touch, or overlap if one of them is a sensor.
pub fn may_meet(model: &Model, colliders: [ColliderId; 2]) -> bool {
    let [Some(a), Some(b)] = colliders.map(|id| model.colliders().get(id)) else { return false };
    let bodies = [a.body.min(b.body), a.body.max(b.body)];
    let movable = |id: BodyId| model.bodies().get(id).is_some_and(|body| body.kind.is_movable());
    bodies[0] != bodies[1]
        && (a.sensor || b.sensor || bodies.into_iter().any(movable))
        && !kept_apart_by_joint(model, bodies)
        && model.may_collide(bodies)
}

/// Whether a joint between two bodies, whole or broken, keeps them from colliding.
pub fn kept_apart_by_joint(model: &Model, bodies: [BodyId; 2]) -> bool {
    let [Some(a), Some(b)] = bodies.map(|id| model.bodies().get(id)) else { return false };
    // The one with fewer joints is quicker to ask.
    let (joints, other) =
        if a.joints.len() <= b.joints.len() { (&a.joints, bodies[1]) } else { (&b.joints, bodies[0]) };
    let apart = |joint: &crate::model::JointModel| !joint.collide && joint.ends.contains(&JointEnd::Body(other));
    joints.iter().filter_map(|&id| model.joints().get(id)).any(apart)
}
