//! Rotation of a rigid body: the ways to advance an orientation, and the ways to treat the gyroscopic torque.

use super::decay::Decay;
use crate::BodyState;
use crate::model::BodyModel;
use crate::schema::JsonSchema;
use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};
use tumble_geometry::math::rotation_from_vector;

/// How an orientation is advanced by an angular velocity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuaternionUpdate {
    /// `q + h q̇` with `q̇ = ½ ω q`, then scaled back to unit length.
    FirstOrder,
    /// `q + h q̇ + ½ h² q̈` with `q̈ = ½ ω̇ q − ¼ |ω|² q` (B 4.7), then scaled back to unit length.
    SecondDerivative,
    /// The rotation by `h ω + ½ h² ω̇` exactly, through the exponential map ("Quergs", K B.1, is its first step) (default).
    #[default]
    Exact,
}

impl QuaternionUpdate {
    /// The orientation after `dt` with angular velocity `omega` and angular acceleration `alpha`, both in world axes.
    pub fn turn(self, rotation: DQuat, omega: DVec3, alpha: DVec3, dt: f64) -> DQuat {
        let times_rotation = |v: DVec3| DQuat::from_xyzw(v.x, v.y, v.z, 0.0) * rotation;
        match self {
            Self::FirstOrder => (rotation + times_rotation(omega) * (0.5 * dt)).normalize(),
            Self::SecondDerivative => {
                let first = times_rotation(omega) * 0.5;
                let second = times_rotation(alpha) * 0.5 + rotation * (-0.25 * omega.length_squared());
                (rotation + first * dt + second * (0.5 * dt * dt)).normalize()
            }
            Self::Exact => (rotation_from_vector(omega * dt + alpha * (0.5 * dt * dt)) * rotation).normalize(),
        }
    }
}

/// How the gyroscopic torque −ω × Iω is treated: without it a body would not precess.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Gyroscopic {
    /// At the beginning of the step: simple, and unstable for fast spinning long bodies.
    Explicit,
    /// At the end of the step, found by one step of Newton's method: stable, loses some energy (default).
    #[default]
    Implicit,
}

/// The angular acceleration in world axes by Euler's equation, `ω̇ = I⁻¹ (τ − ω × Iω)`.
pub(super) fn angular_acceleration(model: &BodyModel, rotation: DQuat, omega: DVec3, torque: DVec3) -> DVec3 {
    if model.inverse_inertia == DMat3::ZERO {
        return DVec3::ZERO;
    }
    let gyroscopic = omega.cross(model.world_inertia(rotation) * omega);
    model.world_inverse_inertia(rotation) * (torque - gyroscopic)
}

/// The angular velocity after `dt` under a torque and the body's damping.
pub(super) fn spin_up(model: &BodyModel, body: &BodyState, torque: DVec3, dt: f64, gyroscopic: Gyroscopic) -> DVec3 {
    let omega = body.angular_velocity;
    let Decay { kept, mean } = Decay::over(model.angular_damping, dt);
    match gyroscopic {
        Gyroscopic::Explicit => omega * kept + angular_acceleration(model, body.rotation, omega, torque) * (dt * mean),
        Gyroscopic::Implicit => {
            let pushed = omega * kept + model.world_inverse_inertia(body.rotation) * torque * (dt * mean);
            body.rotation * implicit_gyroscopic(model.mass.inertia, body.rotation.conjugate() * pushed, dt)
        }
    }
}

/// One Newton step for `I (ω' − ω) + h ω' × Iω' = 0` in body axes, from ω' = ω.
fn implicit_gyroscopic(inertia: DMat3, omega: DVec3, dt: f64) -> DVec3 {
    let momentum = inertia * omega;
    let residual = omega.cross(momentum) * dt;
    let jacobian = inertia + (cross_matrix(omega) * inertia - cross_matrix(momentum)) * dt;
    // A body without extent about some axis has nothing to precess.
    if jacobian.determinant().abs() > f64::MIN_POSITIVE { omega - jacobian.inverse() * residual } else { omega }
}

/// The matrix [v] with `[v] w = v × w`.
fn cross_matrix(v: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, v.z, -v.y), DVec3::new(-v.z, 0.0, v.x), DVec3::new(v.y, -v.x, 0.0))
}
