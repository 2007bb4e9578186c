//! Euler's method, explicit and semi-implicit (G 2.4.1). Both are of first order; the explicit one feeds energy into
//! everything that swings, the semi-implicit one (symplectic) keeps it within a bound.
//!
//! ```text
//! explicit:       x += h v,   v += h a
//! semi-implicit:  v += h a,   x += h v
//! ```
//!
//! Damping is exact in both (see `decay`).

use super::decay::{Decay, undamped};
use super::rotation::{Gyroscopic, QuaternionUpdate, spin_up};
use super::{Acceleration, EquationsOfMotion, Integrator};
use crate::BodyState;
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Positions with the old velocities, velocities with the old forces: gains energy, for seeing why nobody does it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ExplicitEuler {
    /// How orientations are advanced. Default: exact.
    pub quaternion: QuaternionUpdate,
    /// How the gyroscopic torque is treated. Default: implicit.
    pub gyroscopic: Gyroscopic,
}

/// Velocities first, positions with the new velocities: what most game engines do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SemiImplicitEuler {
    /// How orientations are advanced. Default: exact.
    pub quaternion: QuaternionUpdate,
    /// How the gyroscopic torque is treated. Default: implicit.
    pub gyroscopic: Gyroscopic,
}

/// Calls `advance(body, model, acceleration)` for every body that moves, with its acceleration by forces alone.
fn each_body(
    equations: &dyn EquationsOfMotion,
    time: f64,
    bodies: &mut [BodyState],
    advance: impl Fn(&mut BodyState, &crate::model::BodyModel, &Acceleration),
) {
    let accelerations = undamped(equations, time, bodies);
    for (index, body) in bodies.iter_mut().enumerate().filter(|(index, _)| equations.moves(*index)) {
        if let Some(model) = equations.model().bodies().in_slot(index) {
            advance(body, model, &accelerations[index]);
        }
    }
}

impl Integrator for ExplicitEuler {
    fn advance(&mut self, equations: &dyn EquationsOfMotion, time: f64, dt: f64, bodies: &mut [BodyState]) {
        each_body(equations, time, bodies, |body, model, acceleration| {
            let spun = spin_up(model, body, acceleration.torque, dt, self.gyroscopic);
            let decay = Decay::over(model.linear_damping, dt);
            let angular_acceleration = (spun - body.angular_velocity) / dt;
            body.position += body.velocity * dt;
            body.velocity = body.velocity * decay.kept + acceleration.linear * (dt * decay.mean);
            body.rotation = self.quaternion.turn(body.rotation, body.angular_velocity, angular_acceleration, dt);
            body.angular_velocity = spun;
        });
    }

    fn clone_box(&self) -> Box<dyn Integrator> {
        Box::new(*self)
    }
}

impl Integrator for SemiImplicitEuler {
    fn advance(&mut self, equations: &dyn EquationsOfMotion, time: f64, dt: f64, bodies: &mut [BodyState]) {
        each_body(equations, time, bodies, |body, model, acceleration| {
            let decay = Decay::over(model.linear_damping, dt);
            body.velocity = body.velocity * decay.kept + acceleration.linear * (dt * decay.mean);
            body.position += body.velocity * dt;
            body.angular_velocity = spin_up(model, body, acceleration.torque, dt, self.gyroscopic);
            // The new velocity holds for the whole step.
            body.rotation = self.quaternion.turn(body.rotation, body.angular_velocity, DVec3::ZERO, dt);
        });
    }

    fn clone_box(&self) -> Box<dyn Integrator> {
        Box::new(*self)
    }
}
