//! Where colliders may get within a step: the boxes in which a method looks for pairs.

use crate::index::rest_margin;
use crate::model::ColliderModel;
use crate::{BodyId, BodyState, ColliderId, ColliderIndex, Id, Model, State};
use tumble_geometry::broad_phase::ProxyId;
use tumble_geometry::{Aabb, Transform};

/// Tells the index where the colliders of moving bodies may get within the next `dt` seconds. Those of sleeping bodies stay where they
/// are; `movers` are the others, or all: movable and scripted. All boxes depend on the present motions alone, so that a run can be resumed with an index that is filled anew.
pub fn relocate(model: &Model, state: &State, dt: f64, movers: [&[BodyId]; 2], index: &mut ColliderIndex) {
    index.refresh(model, state);
    visit_moving(model, state, movers, |id, collider, motion| {
        let here = collider.shape.aabb(&world_pose(collider, motion)).expanded(reach(model, collider, motion, dt));
        let travel = motion.velocity * dt;
        let aabb = here.merged(&Aabb::new(here.min + travel, here.max + travel));
        index.relocate(id, &aabb, travel);
    });
}

/// Tells the index which colliders of moving bodies have left the boxes they were thought to stay in.
pub fn follow(model: &Model, state: &State, movers: [&[BodyId]; 2], index: &mut ColliderIndex) {
    visit_moving(model, state, movers, |id, collider, motion| {
        let aabb = collider.shape.aabb(&world_pose(collider, motion));
        if index.broad_phase().aabb(ProxyId(id.slot() as u32)).is_none_or(|region| !region.contains(&aabb)) {
            index.changed(id.slot());
        }
    });
}

/// Calls `visit` with all colliders of bodies that are awake, and the motions of these.
fn visit_moving(
    model: &Model,
    state: &State,
    movers: [&[BodyId]; 2],
    mut visit: impl FnMut(ColliderId, &ColliderModel, &BodyState),
) {
    for &id in movers.into_iter().flatten() {
        let (Some(body), motion) = (model.bodies().get(id), &state.bodies[id.slot()]) else { continue };
        // A script moves its body even if somebody put it to sleep.
        if motion.asleep && body.kind.is_movable() {
            continue;
        }
        for &collider_id in &body.colliders {
            if let Some(collider) = model.colliders().get(collider_id) {
                visit(collider_id, collider, motion);
            }
        }
    }
}

/// The pose of a collider of a body that moves in some way.
pub fn world_pose(collider: &ColliderModel, body: &BodyState) -> Transform {
    body.center_pose() * collider.center_pose
}

/// How much farther than its speed says a collider may get within `dt` seconds: by turning, by accelerating (up to 50 m/s²),
/// and a hundredth of its size for good measure. One that does not move gets nowhere.
pub fn reach(model: &Model, collider: &ColliderModel, body: &BodyState, dt: f64) -> f64 {
    let Some(kind) = model.bodies().get(collider.body).map(|body| &body.kind).filter(|kind| kind.moves()) else {
        return 0.0;
    };
    let margin = rest_margin(collider);
    if body.asleep && kind.is_movable() {
        return margin;
    }
    let radius = collider.center_pose.point(collider.bounding_sphere.center).length() + collider.bounding_sphere.radius;
    if radius.is_finite() { dt * body.angular_velocity.length() * radius + margin + 25.0 * dt * dt } else { 0.0 }
}
