//! Velocity Verlet: `x += h v + ½ h² a`, `v += ½ h (a + a')`, with a' at the new position. Second order, symplectic,
//! exact for constant acceleration: a thrown ball follows its parabola to the last digit.
//!
//! Written as kick, drift, kick: half the impulse of the forces, free motion for the whole step, the other half. The
//! free rotation conserves angular momentum exactly (see `rotation`). Forces that depend on velocities see at the end of
//! the step those that the forces at its beginning predict, which keeps the second order for drag too.

use super::rotation::free_rotation;
use super::{Acceleration, EquationsOfMotion, Integrator};
use crate::BodyState;
use glam::DMat3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Kick, drift, kick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VelocityVerlet {}

impl VelocityVerlet {
    /// Changes velocities and angular velocities by what forces and torques do in `dt`.
    fn kick(equations: &dyn EquationsOfMotion, accelerations: &[Acceleration], dt: f64, bodies: &mut [BodyState]) {
        for (index, (body, acceleration)) in bodies.iter_mut().zip(accelerations).enumerate() {
            if !equations.moves(index) {
                continue;
            }
            body.velocity += acceleration.linear * dt;
            if let Some(model) = equations.model().bodies().in_slot(index) {
                let inverse_inertia = model.world_inverse_inertia(body.rotation);
                body.angular_velocity += inverse_inertia * (acceleration.torque * dt);
            }
        }
    }

    /// Moves a body freely for `dt`.
    fn drift(equations: &dyn EquationsOfMotion, index: usize, dt: f64, body: &mut BodyState) {
        body.position += body.velocity * dt;
        let Some(model) = equations.model().bodies().in_slot(index) else { return };
        if model.inverse_inertia == DMat3::ZERO {
            return;
        }
        let principal = model.principal();
        let mut rotation = body.rotation * principal.axes;
        let mut momentum = (rotation.conjugate() * body.angular_velocity) * principal.moments;
        free_rotation(principal.moments, &mut rotation, &mut momentum, dt);
        body.rotation = (rotation * principal.axes.conjugate()).normalize();
        body.angular_velocity = rotation * (momentum / principal.moments);
    }
}

impl Integrator for VelocityVerlet {
    fn advance(&mut self, equations: &dyn EquationsOfMotion, time: f64, dt: f64, bodies: &mut [BodyState]) {
        let mut accelerations = vec![Acceleration::default(); bodies.len()];
        equations.accelerations(time, bodies, &mut accelerations);
        Self::kick(equations, &accelerations, 0.5 * dt, bodies);
        for (index, body) in bodies.iter_mut().enumerate() {
            if equations.moves(index) {
                Self::drift(equations, index, dt, body);
            }
        }
        // The first half kick once more predicts the velocities that drag depends on; then it gives way to the right one.
        Self::kick(equations, &accelerations, 0.5 * dt, bodies);
        let mut corrections = vec![Acceleration::default(); bodies.len()];
        equations.accelerations(time + dt, bodies, &mut corrections);
        for (correction, predicted) in corrections.iter_mut().zip(&accelerations) {
            correction.linear -= predicted.linear;
            correction.torque -= predicted.torque;
        }
        Self::kick(equations, &corrections, 0.5 * dt, bodies);
    }

    fn clone_box(&self) -> Box<dyn Integrator> {
        Box::new(*self)
    }
}
