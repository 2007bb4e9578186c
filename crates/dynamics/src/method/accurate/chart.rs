//! Motions as lists of numbers, as Runge–Kutta methods want them.
//!
//! A body has twelve: how far it has moved since the start of the step, the rotation vector σ by which it has turned since, its velocity
//! and its angular velocity. Orientations are `exp(σ) q₀`, always of unit length, and (Munthe-Kaas)
//!
//! ```text
//! σ̇ = dexp⁻¹(σ) ω = ω − ½ σ×ω + (1 − ½θ cot ½θ)/θ² σ×(σ×ω),     θ = |σ|
//! ```
//!
//! so that the order of the method is also that of the rotations. ("Quergs", K B.1, is the first step of it.)

use super::line::Twist;
use crate::BodyState;
use glam::DVec3;
use tumble_geometry::math::rotation_from_vector;

/// How many numbers a body has.
pub(super) const NUMBERS: usize = 12;

fn vector(y: &[f64]) -> DVec3 {
    DVec3::new(y[0], y[1], y[2])
}

/// The numbers of bodies at the start of a step.
pub(super) fn start(movable: &[usize], bodies: &[BodyState], y: &mut Vec<f64>) {
    y.clear();
    for body in movable.iter().map(|&slot| &bodies[slot]) {
        y.extend([0.0; 6]);
        y.extend(body.velocity.to_array());
        y.extend(body.angular_velocity.to_array());
    }
}

/// The motions that numbers mean, given those at the start of the step.
pub(super) fn read(movable: &[usize], base: &[BodyState], y: &[f64], bodies: &mut [BodyState]) {
    for (&slot, y) in movable.iter().zip(y.chunks_exact(NUMBERS)) {
        let (start, sigma) = (&base[slot], vector(&y[3..]));
        let rotation = if sigma == DVec3::ZERO {
            start.rotation
        } else {
            (rotation_from_vector(sigma) * start.rotation).normalize()
        };
        bodies[slot] = BodyState {
            position: start.position + vector(y),
            rotation,
            velocity: vector(&y[6..]),
            angular_velocity: vector(&y[9..]),
            ..*start
        };
    }
}

/// ẏ for bodies that move and accelerate in a given way.
pub(super) fn rates(movable: &[usize], y: &[f64], bodies: &[BodyState], accelerations: &[Twist], rates: &mut [f64]) {
    for ((&slot, y), rate) in movable.iter().zip(y.chunks_exact(NUMBERS)).zip(rates.chunks_exact_mut(NUMBERS)) {
        rate[..3].copy_from_slice(&bodies[slot].velocity.to_array());
        let turn = inverse_dexp(vector(&y[3..]), bodies[slot].angular_velocity);
        rate[3..6].copy_from_slice(&turn.to_array());
        rate[6..9].copy_from_slice(&accelerations[slot].linear.to_array());
        rate[9..].copy_from_slice(&accelerations[slot].angular.to_array());
    }
}

/// `dexp⁻¹(σ) ω`.
fn inverse_dexp(sigma: DVec3, omega: DVec3) -> DVec3 {
    let square = sigma.length_squared();
    if square == 0.0 {
        return omega;
    }
    let factor = if square < 1e-4 {
        // 1/12 + θ²/720 + θ⁴/30240.
        1.0 / 12.0 + square * (1.0 / 720.0 + square / 30240.0)
    } else {
        let half = 0.5 * square.sqrt();
        let (sin, cos) = libm::sincos(half);
        (1.0 - half * cos / sin) / square
    };
    let cross = sigma.cross(omega);
    omega - 0.5 * cross + factor * sigma.cross(cross)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rate of σ turns exp(σ) at ω: by differences.
    #[test]
    fn rotation_vectors_turn_as_they_should() {
        for scale in [1e-3, 0.02, 0.7, 2.5] {
            let (sigma, omega) = (DVec3::new(0.3, -0.5, 0.8) * scale, DVec3::new(1.0, 2.0, -0.5));
            let h = 1e-5;
            let ahead = rotation_from_vector(sigma + inverse_dexp(sigma, omega) * h);
            let back = rotation_from_vector(sigma - inverse_dexp(sigma, omega) * h);
            let turned = tumble_geometry::math::rotation_vector(ahead * back.conjugate()) / (2.0 * h);
            assert!((turned - omega).length() < 1e-8, "{scale}: {turned}");
        }
    }
}
