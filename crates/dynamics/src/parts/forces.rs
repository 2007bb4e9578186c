//! The sum of all forces of a model.

use crate::force::{ForceContext, Wrenches};
use crate::{BodyState, Model};

/// Sums all forces and torques on bodies that move in a given way at a given time; `wrenches` keeps its memory.
pub fn sum(model: &Model, time: f64, bodies: &[BodyState], wrenches: &mut Wrenches) {
    wrenches.reset(bodies.len());
    let context = ForceContext { model, time, bodies };
    for (_, force) in model.forces().iter() {
        force.apply(&context, wrenches);
    }
}
