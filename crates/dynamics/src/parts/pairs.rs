//! Which pairs of colliders may touch: not two of one body, not two that nothing moves, not those that a joint or the
//! filter keeps from colliding.

use crate::model::JointEnd;
use crate::{BodyId, ColliderId, ColliderIndex, Model, StepError};

/// Whether two colliders may touch, or overlap if one of them is a sensor.
pub fn may_meet(model: &Model, colliders: [ColliderId; 2]) -> bool {
    let [Some(a), Some(b)] = colliders.map(|id| model.colliders().get(id)) else { return false };
    let bodies = [a.body.min(b.body), a.body.max(b.body)];
    let movable = |id: BodyId| model.bodies().get(id).is_some_and(|body| body.kind.is_movable());
    bodies[0] != bodies[1]
        && a.layers.meets(b.layers)
        && (a.sensor || b.sensor || bodies.into_iter().any(movable))
        // The filter has its answer ready, joints have to be looked for.
        && model.may_collide(bodies)
        && !kept_apart_by_joint(model, bodies)
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

/// What a method remembers of a pair of colliders.
pub trait Pair: Sized {
    /// The colliders, the smaller id first.
    fn colliders(&self) -> [ColliderId; 2];

    /// A pair of which nothing is known yet; none if one of the colliders is not there.
    fn new(model: &Model, colliders: [ColliderId; 2]) -> Option<Self>;
}

/// Brings a list of pairs, sorted by their colliders, up to date with the index: one for each pair of near colliders that may meet. Those
/// that are not near any more go to `ended`. `near` is room to work in. An error if there are too many.
pub fn follow<P: Pair>(
    model: &Model,
    index: &mut ColliderIndex,
    list: &mut Vec<P>,
    ended: &mut Vec<P>,
    near: &mut Vec<[ColliderId; 2]>,
) -> Result<(), StepError> {
    near.clear();
    index.pairs(model, |[a, b]| {
        let pair = if a < b { [a, b] } else { [b, a] };
        if may_meet(model, pair) {
            near.push(pair);
        }
    })?;
    near.sort_unstable();
    merge(model, near, list, &mut Vec::new(), ended);
    Ok(())
}

/// Brings a list of pairs, sorted by their colliders, up to date with those that are near, sorted too. `spare` is room to work in.
pub fn merge<P: Pair>(
    model: &Model,
    near: &[[ColliderId; 2]],
    list: &mut Vec<P>,
    spare: &mut Vec<P>,
    ended: &mut Vec<P>,
) {
    debug_assert!(near.is_sorted_by(|a, b| a < b), "pairs that are near are sorted, and each is there once");
    debug_assert!(list.is_sorted_by(|a, b| a.colliders() < b.colliders()), "pairs that are known are sorted");
    if near.iter().copied().eq(list.iter().map(P::colliders)) {
        return;
    }
    spare.clear();
    std::mem::swap(list, spare);
    list.reserve(near.len());
    let mut old = spare.drain(..).peekable();
    for &pair in near.iter() {
        while let Some(lost) = old.next_if(|known| known.colliders() < pair) {
            ended.push(lost);
        }
        let known = old.next_if(|known| known.colliders() == pair);
        list.extend(known.or_else(|| P::new(model, pair)));
    }
    ended.extend(old);
}
