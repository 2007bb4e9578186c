//! Scripted bodies: they are where their scripts say, whatever happens to them.

use crate::model::BodyKind;
use crate::{BodyId, BodyState, Id, Model};

/// Puts the scripted bodies among `ids` where their scripts say they are at `time`, with the velocities they have there.
pub fn follow(model: &Model, ids: &[BodyId], time: f64, bodies: &mut [BodyState]) {
    for &id in ids {
        let Some(body) = model.bodies().get(id) else { continue };
        if let BodyKind::Scripted(script) = &body.kind {
            let state = &mut bodies[id.slot()];
            let motion = script.motion(time);
            let pose = motion.pose.normalized();
            state.rotation = pose.rotation;
            state.position = pose.point(body.mass.center);
            state.angular_velocity = motion.angular_velocity;
            state.velocity = motion.velocity_at(state.position);
        }
    }
}
