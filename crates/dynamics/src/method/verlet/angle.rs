//! The angle constraint (B 8): how far one body may turn against another, axis by axis.
//!
//! With A and B the joint's axes as the two bodies carry them, δq = Ā B is clamped component by component:
//!
//! ```text
//! δq'_k = clamp(δq_k, sin θmin/2, sin θmax/2),   δq'_w = √(1 − |δq'|²)
//! ```
//!
//! (the print forgets the square), and the rotation that takes B there is `A δq' δq̄ Ā` (the print forgets a bar in 8.6). It is shared
//! between the bodies by their moments of inertia about its axis θ̂ (8.8), `i = (1/I_θ) / Σ (1/I_θ)`, or, for less, by the size of their
//! inverse tensors (8.10). About the axes that were violated, relative angular velocity that leads further out is reversed with the
//! restitution ε (8.11).

use super::Shares;
use super::bodies::Bodies;
use crate::constraint::limit::Stop;
use glam::{DMat3, DQuat, DVec3};
use tumble_geometry::math::rotation_vector;

/// Bounds on the components of the relative quaternion.
#[derive(Clone, Copy, Debug)]
pub(super) struct Angle {
    pub(super) bodies: [u32; 2],
    /// From the joint's axes to those of the bodies.
    pub(super) axes: [DQuat; 2],
    pub(super) min: [f64; 3],
    pub(super) max: [f64; 3],
    pub(super) stop: Stop,
    pub(super) strength: f64,
    /// The inertia tensors in body axes, in kg m².
    pub(super) inertia: [DMat3; 2],
}

/// By how much the relative rotation is out of bounds.
struct Violation {
    /// The axes of the joint on the first body.
    frame: DQuat,
    /// By axis: −1 below the smallest, 1 above the largest, 0 within.
    side: [f64; 3],
    /// The rotation vector that brings the second body back, in world axes.
    correction: DVec3,
    shares: [f64; 2],
}

impl Angle {
    fn violation(&self, bodies: &Bodies, shares: Shares) -> Option<Violation> {
        let [a, b] = self.bodies.map(|i| i as usize);
        let frame = bodies.q[a] * self.axes[0];
        let relative = frame.conjugate() * (bodies.q[b] * self.axes[1]);
        let relative = if relative.w < 0.0 { -relative } else { relative };
        let parts = [relative.x, relative.y, relative.z];
        let mut side = [0.0; 3];
        let mut clamped = parts;
        for k in 0..3 {
            clamped[k] = parts[k].max(self.min[k]).min(self.max[k]);
            side[k] = if parts[k] < self.min[k] {
                -1.0
            } else if parts[k] > self.max[k] {
                1.0
            } else {
                0.0
            };
        }
        if side == [0.0; 3] {
            return None;
        }
        let v = DVec3::from_array(clamped);
        let wanted = DQuat::from_xyzw(v.x, v.y, v.z, (1.0 - v.length_squared()).max(0.0).sqrt()).normalize();
        let correction = frame * rotation_vector(wanted * relative.conjugate());
        let shares = self.shares(bodies, correction, shares)?;
        Some(Violation { frame, side, correction, shares })
    }

    /// How much of a rotation each body takes.
    fn shares(&self, bodies: &Bodies, correction: DVec3, kind: Shares) -> Option<[f64; 2]> {
        let axis = correction.try_normalize()?;
        let ease = |k: usize| {
            let i = self.bodies[k] as usize;
            let inverse = &bodies.inverse_inertia[i];
            if *inverse == DMat3::ZERO {
                return 0.0;
            }
            match kind {
                Shares::AboutTheAxis => {
                    let local = bodies.q[i].conjugate() * axis;
                    1.0 / local.dot(self.inertia[k] * local).max(f64::MIN_POSITIVE)
                }
                Shares::BySize => inverse.to_cols_array().iter().map(|x| x * x).sum::<f64>().sqrt(),
            }
        };
        let (a, b) = (ease(0), ease(1));
        (a + b > 0.0).then(|| [a / (a + b), b / (a + b)])
    }

    /// Turns both bodies back within the bounds, and reverses what of their angular velocities leads out; whether they were outside.
    pub(super) fn correct(&self, bodies: &mut Bodies, kind: Shares, with_velocities: bool) {
        let Some(violation) = self.violation(bodies, kind) else { return };
        let [a, b] = self.bodies.map(|i| i as usize);
        let [ia, ib] = violation.shares;
        if with_velocities {
            let rate = violation.frame.conjugate() * (bodies.w[b] - bodies.w[a]);
            let mut change = DVec3::ZERO;
            for k in 0..3 {
                if rate[k] * violation.side[k] > 0.0 {
                    change[k] = -(1.0 + self.stop.restitution) * rate[k] * self.strength;
                }
            }
            let change = violation.frame * change;
            bodies.w[a] -= change * ia;
            bodies.w[b] += change * ib;
        }
        bodies.rotate(a, violation.correction * (-ia * self.strength));
        bodies.rotate(b, violation.correction * (ib * self.strength));
    }
}
