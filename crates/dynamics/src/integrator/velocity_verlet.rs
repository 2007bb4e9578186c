//! Velocity Verlet: `x += h v + ½ h² a`, `v += ½ h (a + a')`, with a' at the new position. Second order, symplectic,
//! exact for constant acceleration: a thrown ball follows its parabola to the last digit.
//!
//! Written as kick, drift, kick: half the impulse of the forces, free motion for the whole step, the other half. The
//! free rotation conserves angular momentum (see `free_top` and `momentum`), damping is exact (see `decay`). Forces that depend on
//! velocities see at the end of the step those that the forces at its beginning predict, which keeps the second order for drag too.

use super::decay::{Decay, undamped};
use super::free_top::free_rotation;
use super::momentum::PrincipalFrame;
use super::{Acceleration, EquationsOfMotion, Integrator};
use crate::BodyState;
use crate::model::BodyModel;
use crate::schema::JsonSchema;
use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

/// Velocities get half of what the forces give, bodies move, velocities get the other half: energy does not drift.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VelocityVerlet {}

/// Calls `change(body, model, acceleration)` for every body that moves.
fn each_body(
    equations: &dyn EquationsOfMotion,
    accelerations: &[Acceleration],
    bodies: &mut [BodyState],
    change: impl Fn(&mut BodyState, &BodyModel, &Acceleration),
) {
    for (index, (body, acceleration)) in bodies.iter_mut().zip(accelerations).enumerate() {
        if let Some(model) = equations.model().bodies().in_slot(index).filter(|_| equations.moves(index)) {
            change(body, model, acceleration);
        }
    }
}

/// Damps a body for `dt`.
fn decay(body: &mut BodyState, model: &BodyModel, dt: f64) {
    body.velocity *= Decay::over(model.linear_damping, dt).kept;
    body.angular_velocity *= Decay::over(model.angular_damping, dt).kept;
}

/// Changes the velocities of a body by what forces do in `dt`, as far as damping leaves it.
fn push(body: &mut BodyState, model: &BodyModel, acceleration: &Acceleration, dt: f64) {
    body.velocity += acceleration.linear * (dt * Decay::over(model.linear_damping, dt).mean);
    let impulse = acceleration.torque * (dt * Decay::over(model.angular_damping, dt).mean);
    body.angular_velocity += model.world_inverse_inertia(body.rotation) * impulse;
}

/// Moves a body freely for `dt`.
fn drift(body: &mut BodyState, model: &BodyModel, dt: f64) {
    body.position += body.velocity * dt;
    if model.inverse_inertia == DMat3::ZERO || body.angular_velocity == DVec3::ZERO {
        return;
    }
    let principal = model.principal();
    let frame = PrincipalFrame::new(principal, body.rotation);
    let momentum = frame.momentum(body.angular_velocity);
    let (mut rotation, mut local) = (body.rotation * principal.axes, frame.to_local(momentum.value));
    free_rotation(principal.moments, &mut rotation, &mut local, dt);
    body.rotation = (rotation * principal.axes.conjugate()).normalize();
    body.angular_velocity = PrincipalFrame::new(principal, body.rotation).angular_velocity(momentum);
}

impl Integrator for VelocityVerlet {
    fn advance(&mut self, equations: &dyn EquationsOfMotion, time: f64, dt: f64, bodies: &mut [BodyState]) {
        let half = 0.5 * dt;
        let kick = |body: &mut BodyState, model: &BodyModel, acceleration: &Acceleration| {
            decay(body, model, half);
            push(body, model, acceleration, half);
        };
        let accelerations = undamped(equations, time, bodies);
        each_body(equations, &accelerations, bodies, kick);
        each_body(equations, &accelerations, bodies, |body, model, _| drift(body, model, dt));
        // The first half kick once more predicts the velocities that drag depends on; then it gives way to the right one.
        each_body(equations, &accelerations, bodies, kick);
        let mut corrections = undamped(equations, time + dt, bodies);
        for (correction, predicted) in corrections.iter_mut().zip(&accelerations) {
            correction.linear -= predicted.linear;
            correction.torque -= predicted.torque;
        }
        each_body(equations, &corrections, bodies, |body, model, correction| push(body, model, correction, half));
    }

    fn keeps_energy(&self) -> bool {
        true
    }

    fn clone_box(&self) -> Box<dyn Integrator> {
        Box::new(*self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Body, World};
    use glam::DQuat;
    use tumble_geometry::MassProperties;
    use tumble_geometry::math::rotation_from_vector;

    /// A free body keeps its angular momentum over a million steps: what rounding does to it is a random walk of 10⁻¹⁶ a step,
    /// and its energy stays within the bound of the method.
    #[test]
    fn angular_momentum_does_not_drift() {
        const STEPS: usize = 1_000_000;
        let bodies = [
            (DVec3::new(1.0, 2.0, 3.0), DVec3::ZERO, DVec3::new(1.0, 1.0, 1.0)),
            (DVec3::new(1.0, 1.0, 1.9), DVec3::ZERO, DVec3::new(0.3, 0.0, 20.0)),
            (DVec3::new(3.0, 0.7, 2.6), DVec3::new(0.3, 0.5, -0.8), DVec3::new(5.0, -3.0, 1.0)),
            (DVec3::new(1e-3, 2e-3, 2.5e-3), DVec3::new(0.0, 1.0, 0.2), DVec3::new(30.0, 2.0, 1.0)),
        ];
        for (moments, axes, omega) in bodies {
            let axes = DMat3::from_quat(rotation_from_vector(axes));
            let inertia = axes * DMat3::from_diagonal(moments) * axes.transpose();
            let properties = MassProperties { mass: 1.0, center: DVec3::ZERO, inertia };
            let mut world = World::new();
            let body = world.add_body(Body::dynamic().with_mass_properties(properties)).unwrap();
            let model = world.model().bodies().get(body).unwrap();
            let mut state = BodyState { angular_velocity: omega, rotation: DQuat::IDENTITY, ..BodyState::default() };
            let measure = |state: &BodyState| {
                let momentum = model.world_inertia(state.rotation) * state.angular_velocity;
                (momentum, 0.5 * momentum.dot(state.angular_velocity))
            };
            let (start, energy) = measure(&state);
            let (mut drift_of_size, mut drift_of_energy) = (0.0_f64, 0.0_f64);
            for _ in 0..STEPS {
                drift(&mut state, model, 1.0 / 240.0);
                let now = measure(&state);
                drift_of_size = drift_of_size.max((now.0.length() / start.length() - 1.0).abs());
                drift_of_energy = drift_of_energy.max((now.1 / energy - 1.0).abs());
            }
            let turned = (measure(&state).0 - start).length() / start.length();
            assert!(drift_of_size < 2e-13 && turned < 3e-13, "{moments}: {drift_of_size:e} {turned:e}");
            assert!(drift_of_energy < 1e-3, "{moments}: {drift_of_energy:e}");
        }
    }
}
