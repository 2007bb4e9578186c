//! Rotation of a rigid body: the ways to advance an orientation, the ways to treat the gyroscopic torque, and a free
//! rotation that keeps its angular momentum to the last digit.

use super::decay::Decay;
use crate::BodyState;
use crate::model::BodyModel;
use crate::schema::JsonSchema;
use glam::{DMat3, DQuat, DVec3};
use serde::{Deserialize, Serialize};
use tumble_geometry::math::{rotation_about, rotation_from_vector};

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

/// Turns a body with principal `moments` about the axes of its frame for `dt` seconds without torque. `rotation` takes
/// the principal frame to the world, `momentum` is the angular momentum in the principal frame; both are advanced.
///
/// Euler's equations in principal axes split into parts that are solved exactly (Dullweber, Leimkuhler and McLachlan 1997). With
/// m = Iω in the body frame, k the axis whose moment stands alone and i, j the two whose moments are most alike, and
/// w = ½ (1/Iᵢ + 1/Iⱼ), δ = ½ (1/Iᵢ − 1/Iⱼ), the energy ½ m·I⁻¹m is the sum of
///
/// - `½ w |m|² + ½ (1/I_k − w) m_k²`, the symmetric top: the body turns about m, which is at rest, at the rate w |m|, and about
///   its axis k at the constant rate (1/I_k − w) m_k;
/// - `½ δ mᵢ²` and `−½ δ mⱼ²`: turns about the axes i and j at the constant rates δ mᵢ and −δ mⱼ.
///
/// Composed symmetrically (½ i, ½ j, the top, ½ j, ½ i) they give a second-order, time-reversible, symplectic step: angular
/// momentum in space is exactly constant, energy oscillates within a bound of order δ h² and never drifts. A symmetric top
/// is exact at any step. That matters for rods: an error in the direction of m against the axis is an error of the spin about
/// it that is larger by the ratio of the moments, a few hundred.
pub(super) fn free_rotation(moments: DVec3, rotation: &mut DQuat, momentum: &mut DVec3, dt: f64) {
    // A rod without thickness does not turn about itself.
    let inverse = moments.to_array().map(|moment| if moment > 0.0 { 1.0 / moment } else { 0.0 });
    let unlike = |k: usize| (inverse[(k + 1) % 3] - inverse[(k + 2) % 3]).abs();
    let k = (1..3).fold(0, |best, k| if unlike(k) < unlike(best) { k } else { best });
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    let (w, delta) = (0.5 * (inverse[i] + inverse[j]), 0.5 * (inverse[i] - inverse[j]));
    turn_about(i, 0.5 * delta * dt, rotation, momentum);
    turn_about(j, -0.5 * delta * dt, rotation, momentum);
    turn_about(k, (inverse[k] - w) * dt, rotation, momentum);
    // About m itself: as seen from the body it stays.
    *rotation *= rotation_from_vector(*momentum * (w * dt));
    turn_about(j, -0.5 * delta * dt, rotation, momentum);
    turn_about(i, 0.5 * delta * dt, rotation, momentum);
    *rotation = rotation.normalize();
}

/// Turns a body by `share` times a component of its angular momentum about that axis. A vector fixed in space turns the other way as
/// seen from the body.
fn turn_about(axis: usize, share: f64, rotation: &mut DQuat, momentum: &mut DVec3) {
    let turn = rotation_about(DVec3::AXES[axis], share * momentum[axis]);
    *momentum = turn.conjugate() * *momentum;
    *rotation *= turn;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_top_keeps_momentum_exactly_and_energy_within_order_h_squared() {
        let moments = DVec3::new(1.0, 2.0, 3.0);
        let energy = |m: DVec3| 0.5 * (m * m / moments).element_sum();
        let worst = |dt: f64| {
            let (mut rotation, mut momentum) = (DQuat::IDENTITY, DVec3::new(1.0, 2.0, 3.0));
            let (start, spatial) = (energy(momentum), rotation * momentum);
            let mut worst: f64 = 0.0;
            for _ in 0..(10.0 / dt) as usize {
                free_rotation(moments, &mut rotation, &mut momentum, dt);
                assert!((rotation * momentum - spatial).length() < 1e-11);
                worst = worst.max((energy(momentum) - start).abs());
            }
            worst
        };
        let (coarse, fine) = (worst(0.02), worst(0.01));
        assert!(coarse < 1e-3 && (coarse / fine - 4.0).abs() < 0.3, "{coarse} {fine}");
    }
    /// ω about its axis is constant and the axis goes round L at |L|/I, whatever the step: a rod of 270 : 1.
    #[test]
    fn symmetric_tops_are_exact_at_any_step() {
        for axis in 0..3 {
            let mut moments = DVec3::splat(270.0);
            moments[axis] = 1.0;
            let start = DVec3::new(900.0, 700.0, -400.0);
            for dt in [1e-3, 0.1, 1.0] {
                let (mut rotation, mut momentum) = (DQuat::IDENTITY, start);
                for _ in 0..100 {
                    free_rotation(moments, &mut rotation, &mut momentum, dt);
                }
                assert!((momentum[axis] / start[axis] - 1.0).abs() < 1e-12, "dt {dt}: {momentum}");
                let round = rotation_from_vector(start * (100.0 * dt / 270.0)) * DVec3::AXES[axis];
                assert!((rotation * DVec3::AXES[axis] - round).length() < 1e-10, "dt {dt}: {round}");
            }
        }
    }
}
