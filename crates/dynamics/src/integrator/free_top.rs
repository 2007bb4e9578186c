//! The free rotation of a rigid body: a symmetric top, whose motion is known, and a remainder.
//!
//! With m = Iω in principal axes the energy `½ Σ mᵢ²/Iᵢ` is that of a symmetric top and a remainder,
//!
//! ```text
//! H = ½ (m·m/I_c + (1/I_a − 1/I_c) m_a²)  +  ½ (1/I_b − 1/I_c) m_b²,
//! ```
//!
//! where b and c are the axes whose 1/I differ least. The top turns about m at the rate |m|/I_c, and within that about its own axis
//! a at the constant rate (1/I_a − 1/I_c) m_a; the remainder turns the body about b at the constant rate (1/I_b − 1/I_c) m_b. Both are
//! rotations, exact for any step. Half the remainder, the top, half the remainder is a second-order, time-reversible,
//! symplectic step (a splitting; McLachlan and Quispel 2002): angular momentum in space is exactly constant, energy
//! oscillates within a bound of order h² and never drifts.
//!
//! Turning about the three axes one after the other (Dullweber, Leimkuhler and McLachlan 1997) is such a step too. But it turns a
//! long thin body first about one of its long axes; that brings momentum onto its thin axis, about which nearly nothing makes it
//! spin madly: a stick thrown at 20 rad/s explodes at 1/60 s. Here a stick is nearly a top, and the remainder nearly nothing.
//! Where the remainder turns the body by more than [`TURN`] within a step, or it wobbles by more than [`WOBBLE`], the step is taken in parts.

use glam::{DQuat, DVec3};
use tumble_geometry::math::{rotation_about, rotation_from_vector};

/// The remainder may turn a body by this angle, in radians, in one part of a step.
const TURN: f64 = 0.05;

/// A body that turns about c wobbles with the frequency |m| √((1/I_a − 1/I_c) (1/I_b − 1/I_c)); by this angle in one part.
const WOBBLE: f64 = 0.15;

/// In how many parts a step is taken at most.
const PARTS: f64 = 64.0;

/// The axes of a body, and 1/I about them.
struct Top {
    /// a, the axis of the symmetric top, and b, that of the remainder.
    axis: usize,
    rest: usize,
    /// 1/I_c.
    inverse: f64,
    /// 1/I_a − 1/I_c and 1/I_b − 1/I_c.
    spin: f64,
    remainder: f64,
}

impl Top {
    fn new(moments: DVec3) -> Self {
        // A rod without thickness does not turn about itself.
        let negligible = 1e-15 * moments.abs().max_element();
        let inverse = |axis: usize| if moments[axis] > negligible { 1.0 / moments[axis] } else { 0.0 };
        let difference = |axis: usize| (inverse((axis + 1) % 3) - inverse((axis + 2) % 3)).abs();
        let axis = (0..3).min_by(|&i, &j| difference(i).total_cmp(&difference(j))).unwrap_or(0);
        let (rest, third) = ((axis + 1) % 3, (axis + 2) % 3);
        Self {
            axis,
            rest,
            inverse: inverse(third),
            spin: inverse(axis) - inverse(third),
            remainder: inverse(rest) - inverse(third),
        }
    }

    /// In how many parts to take a step.
    fn parts(&self, momentum: DVec3, dt: f64) -> f64 {
        let wobble = (self.spin * self.remainder).abs().sqrt() / WOBBLE;
        let turn = self.remainder.abs() / TURN;
        (turn.max(wobble) * momentum.length() * dt).ceil().clamp(1.0, PARTS)
    }
}

/// Turns a body with principal `moments` about the axes of its frame for `dt` seconds without torque. `rotation` takes
/// the principal frame to the world, `momentum` is the angular momentum in the principal frame; both are advanced.
pub(crate) fn free_rotation(moments: DVec3, rotation: &mut DQuat, momentum: &mut DVec3, dt: f64) {
    let top = Top::new(moments);
    let parts = top.parts(*momentum, dt);
    let h = dt / parts;
    // The body turns by `turn`; a vector fixed in space turns the other way as seen from the body.
    let turn_about = |axis: usize, rate: f64, time: f64, rotation: &mut DQuat, momentum: &mut DVec3| {
        // Of balls and cubes there is no remainder.
        if rate == 0.0 {
            return;
        }
        let turn = rotation_about(DVec3::AXES[axis], rate * momentum[axis] * time);
        *momentum = turn.conjugate() * *momentum;
        *rotation *= turn;
    };
    for _ in 0..parts as usize {
        turn_about(top.rest, top.remainder, 0.5 * h, rotation, momentum);
        *rotation *= rotation_from_vector(*momentum * (top.inverse * h));
        turn_about(top.axis, top.spin, h, rotation, momentum);
        turn_about(top.rest, top.remainder, 0.5 * h, rotation, momentum);
    }
    *rotation = rotation.normalize();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn energy(moments: DVec3, momentum: DVec3) -> f64 {
        0.5 * (momentum * momentum / moments).element_sum()
    }

    /// The largest error of the energy, as a part of it, and of the angular momentum in space within some seconds.
    fn worst(moments: DVec3, momentum: DVec3, dt: f64, seconds: f64) -> (f64, f64) {
        let (mut rotation, mut local) = (DQuat::IDENTITY, momentum);
        let start = energy(moments, momentum);
        let mut worst = (0.0_f64, 0.0_f64);
        for _ in 0..(seconds / dt).round() as usize {
            free_rotation(moments, &mut rotation, &mut local, dt);
            let of_momentum = (rotation * local - momentum).length() / momentum.length();
            worst = (worst.0.max((energy(moments, local) / start - 1.0).abs()), worst.1.max(of_momentum));
        }
        worst
    }

    #[test]
    fn free_top_keeps_momentum_exactly_and_energy_within_order_h_squared() {
        let (moments, momentum) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(1.0, 2.0, 3.0));
        let (coarse, fine) = (worst(moments, momentum, 0.02, 10.0), worst(moments, momentum, 0.01, 10.0));
        assert!(coarse.1 < 1e-11 && fine.1 < 1e-11, "{coarse:?} {fine:?}");
        assert!(coarse.0 < 1e-3 && (coarse.0 / fine.0 - 4.0).abs() < 0.3, "{coarse:?} {fine:?}");
    }

    /// Bodies from a needle to a plate that turn by up to two radians in a step, about any axis.
    #[test]
    fn fast_bodies_of_any_shape_keep_their_energy() {
        let mut random = fastrand::Rng::with_seed(3);
        for case in 0..200 {
            let size = [0; 3].map(|_| libm::exp2(-7.0 * random.f64()));
            let square = |i: usize| size[i] * size[i] / 12.0;
            let moments = DVec3::new(square(1) + square(2), square(2) + square(0), square(0) + square(1));
            let direction = DVec3::from([0; 3].map(|_| random.f64() - 0.5)).normalize();
            let speed = 20.0 + 80.0 * random.f64();
            let (of_energy, of_momentum) = worst(moments, moments * direction * speed, 1.0 / 60.0, 60.0);
            assert!(of_momentum < 1e-11, "{case}: {of_momentum:e}");
            assert!(of_energy < 0.02, "{case}: {moments} {direction} {speed}: {of_energy:e}");
        }
    }
}
