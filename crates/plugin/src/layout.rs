//! Bodies as the numbers that plug-ins see.

use glam::{DQuat, DVec3};
use tumble_dynamics::BodyState;
use tumble_dynamics::model::BodyModel;

/// How many numbers a body is.
pub(crate) const BODY: usize = 21;
/// How many numbers a motion is: position, rotation, velocity, angular velocity.
pub(crate) const MOTION: usize = 13;

/// Appends a body.
pub(crate) fn write_body(model: &BodyModel, state: &BodyState, numbers: &mut Vec<f64>) {
    numbers.push(model.mass.mass);
    write_motion(state, numbers);
    let principal = model.principal();
    numbers.extend(principal.moments.to_array());
    numbers.extend(principal.axes.to_array());
}

/// Appends a motion.
pub(crate) fn write_motion(state: &BodyState, numbers: &mut Vec<f64>) {
    numbers.extend(state.position.to_array());
    numbers.extend(state.rotation.to_array());
    numbers.extend(state.velocity.to_array());
    numbers.extend(state.angular_velocity.to_array());
}

/// A vector from three numbers.
pub(crate) fn vector(numbers: &[f64]) -> DVec3 {
    DVec3::new(numbers[0], numbers[1], numbers[2])
}

/// A rotation from four numbers, x, y, z, w.
pub(crate) fn quaternion(numbers: &[f64]) -> DQuat {
    DQuat::from_xyzw(numbers[0], numbers[1], numbers[2], numbers[3])
}
