//! Moving bodies through a substep: a kick by the forces, a drift with the velocities.
//!
//! A body that nothing touches follows the parabola exactly: after the kick `v ← v + h a` it drifts by `h v − ½ h² a`. It turns as
//! a free top, by a splitting that keeps the angular momentum exactly and the energy in the long run
//! ([`free_rotation`]).

use super::bodies::{Body, Spin};
use crate::integrator::{Decay, free_rotation};
use glam::{DQuat, DVec3};
use tumble_geometry::math::rotation_from_vector;

impl Body {
    /// Forces and damping act for `h` seconds: `v ← e^{−ξh} v + h φ a`.
    pub(super) fn kick(&mut self, h: f64) {
        let decayed = |velocity: DVec3, acceleration: DVec3, rate: f64| match rate > 0.0 {
            true => {
                let Decay { kept, mean } = Decay::over(rate, h);
                velocity * kept + acceleration * (h * mean)
            }
            false => velocity + acceleration * h,
        };
        self.velocity = decayed(self.velocity, self.acceleration, self.damping[0]);
        self.angular_velocity = decayed(self.angular_velocity, self.angular_acceleration, self.damping[1]);
        self.free = !self.jointed;
    }

    /// The body moves with its velocities for `h` seconds.
    pub(super) fn drift(&mut self, h: f64) {
        let mut way = self.velocity * h;
        if self.free {
            way -= self.acceleration * (0.5 * h * h);
        }
        self.position += way;
        self.shift += way;
        let turn = self.angular_velocity * h;
        self.turn += turn;
        match self.spin {
            Spin::Given | Spin::Steady => self.rotation = (small_rotation(turn) * self.rotation).normalize(),
            Spin::Euler { moments, axes } => {
                let mut rotation = self.rotation * axes;
                let mut momentum = rotation.conjugate() * self.angular_velocity * moments;
                free_rotation(moments, &mut rotation, &mut momentum, h);
                let over = |momentum: f64, moment: f64| if moment > 0.0 { momentum / moment } else { 0.0 };
                let omega =
                    DVec3::new(over(momentum.x, moments.x), over(momentum.y, moments.y), over(momentum.z, moments.z));
                self.angular_velocity = rotation * omega;
                self.rotation = (rotation * axes.conjugate()).normalize();
            }
        }
    }
}

/// The rotation by a vector, by its power series where that is as good as exact.
pub(super) fn small_rotation(vector: DVec3) -> DQuat {
    // With x = |v|/2: (v/2 · sin x/x, cos x).
    let x2 = 0.25 * vector.length_squared();
    if x2 > 0.01 {
        return rotation_from_vector(vector);
    }
    let sine = 1.0 - x2 / 6.0 * (1.0 - x2 / 20.0 * (1.0 - x2 / 42.0));
    let cosine = 1.0 - x2 / 2.0 * (1.0 - x2 / 12.0 * (1.0 - x2 / 30.0 * (1.0 - x2 / 56.0)));
    let v = vector * (0.5 * sine);
    DQuat::from_xyzw(v.x, v.y, v.z, cosine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_rotations_are_rotations() {
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..1000 {
            let mut part = || random.f64() - 0.5;
            let vector = DVec3::new(part(), part(), part()) * 0.2;
            let (small, exact) = (small_rotation(vector), rotation_from_vector(vector));
            assert!((small - exact).length() < 1e-13, "{vector}");
        }
    }
}
