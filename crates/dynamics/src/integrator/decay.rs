//! Damping within a step, exactly: `v̇ = a − ξ v` with a constant a has after h the solution
//!
//! ```text
//! v(h) = e^{−ξh} v + h φ a,   φ = (1 − e^{−ξh}) / ξh
//! ```
//!
//! for any ξh. Taken as one of the forces, damping would turn velocities round where ξh > 1 and blow them up where ξh > 2 or so.
//! So every integrator takes damping out of the accelerations, applies this formula to it, and treats the rest by its own rule
//! (an exponential integrator). A falling body reaches a/ξ exactly. The angular momentum decays likewise.

use super::{Acceleration, EquationsOfMotion};
use crate::BodyState;

/// What damping leaves of a velocity, and of an acceleration that acts meanwhile.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decay {
    /// `e^{−ξh}`.
    pub(crate) kept: f64,
    /// `φ = (1 − e^{−ξh}) / ξh`, the mean of e^{−ξt} over the step.
    pub(crate) mean: f64,
}

impl Decay {
    /// With ξ in 1/s over a time in seconds.
    pub(crate) fn over(rate: f64, time: f64) -> Self {
        let exponent = rate * time;
        let mean = if exponent > 0.0 { -libm::expm1(-exponent) / exponent } else { 1.0 };
        Self { kept: libm::exp(-exponent), mean }
    }
}

/// The accelerations of all bodies by forces alone, without their damping.
pub(super) fn undamped(equations: &dyn EquationsOfMotion, time: f64, bodies: &[BodyState]) -> Vec<Acceleration> {
    let mut accelerations = vec![Acceleration::default(); bodies.len()];
    equations.accelerations(time, bodies, &mut accelerations);
    for (index, (body, acceleration)) in bodies.iter().zip(&mut accelerations).enumerate() {
        let Some(model) = equations.model().bodies().in_slot(index).filter(|_| equations.moves(index)) else {
            continue;
        };
        if model.linear_damping > 0.0 {
            acceleration.linear += body.velocity * model.linear_damping;
        }
        if model.angular_damping > 0.0 {
            acceleration.torque += model.world_inertia(body.rotation) * body.angular_velocity * model.angular_damping;
        }
    }
    accelerations
}
