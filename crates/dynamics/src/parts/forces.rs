//! The sum of all forces of a model.

use crate::force::{Force, ForceContext, Wrenches};
use crate::{BodyState, Model};

/// Sums the forces and torques on bodies that are not the same for all ([`Force::uniform_acceleration`]).
pub fn sum_varied(model: &Model, time: f64, bodies: &[BodyState], wrenches: &mut Wrenches) {
    wrenches.reset(bodies.len());
    let context = ForceContext { model, time, bodies };
    for (_, force) in model.forces().iter().filter(|(_, force)| force.uniform_acceleration().is_none()) {
        force.apply(&context, wrenches);
    }
}

/// Sums all forces and torques on bodies that move in a given way at a given time; `wrenches` keeps its memory.
pub fn sum(model: &Model, time: f64, bodies: &[BodyState], wrenches: &mut Wrenches) {
    wrenches.reset(bodies.len());
    let context = ForceContext { model, time, bodies };
    for (_, force) in model.forces().iter() {
        force.apply(&context, wrenches);
    }
}
