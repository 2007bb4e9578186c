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

/// A condition `a·(θ_b − θ_a) = d` that brings one component of the relative quaternion back.
#[derive(Clone, Copy, Debug)]
pub(super) struct AngleRow {
    /// In world axes.
    pub(super) axis: DVec3,
    pub(super) amount: f64,
    /// Whether it holds from both sides.
    pub(super) is_equality: bool,
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
    /// The axes of the joint on the first body, and δq with a real part that is not negative.
    #[inline]
    fn relative(&self, bodies: &Bodies) -> (DQuat, DQuat) {
        let [a, b] = self.bodies.map(|i| i as usize);
        let frame = bodies.q[a] * self.axes[0];
        let relative = frame.conjugate() * (bodies.q[b] * self.axes[1]);
        (frame, if relative.w < 0.0 { -relative } else { relative })
    }

    /// The conditions for components that are out of bounds or nearer to them than `reach` radians, by Newton's method: a turn θ of the second
    /// body, in the axes of the joint, changes the imaginary part v of δq by `½ (w θ + θ × v)`. For velocities: those that lead out stop, or
    /// bounce.
    pub(super) fn rows(&self, bodies: &Bodies, of_velocities: bool, reach: f64) -> impl Iterator<Item = AngleRow> {
        let [a, b] = self.bodies.map(|i| i as usize);
        let (frame, relative) = self.relative(bodies);
        let v = DVec3::new(relative.x, relative.y, relative.z);
        let rate = bodies.w[b] - bodies.w[a];
        let (min, max, bounce) = (self.min, self.max, 1.0 + self.stop.restitution);
        (0..3).filter_map(move |k| {
            // Twice the component is about the angle.
            let [below, above] = [2.0 * (min[k] - v[k]), 2.0 * (v[k] - max[k])];
            let is_equality = min[k] == max[k];
            if !is_equality && below.max(above) <= -reach {
                return None;
            }
            let side = if above > below { -1.0 } else { 1.0 };
            let axis = frame * (DVec3::AXES[k] * relative.w + v.cross(DVec3::AXES[k])) * side;
            let amount = match (of_velocities, -axis.dot(rate)) {
                (false, _) => below.max(above),
                (true, away) if is_equality => away,
                (true, away) if away > 0.0 => bounce * away,
                (true, _) => return None,
            };
            Some(AngleRow { axis, amount, is_equality })
        })
    }

    /// Turns one of the bodies alone back within the bounds.
    #[inline]
    pub(super) fn clamp(&self, bodies: &mut Bodies, which: usize) {
        let [a, b] = self.bodies.map(|i| i as usize);
        let (frame, relative) = self.relative(bodies);
        let v = DVec3::new(relative.x, relative.y, relative.z);
        let within = v.max(DVec3::from_array(self.min)).min(DVec3::from_array(self.max));
        if within == v {
            return;
        }
        let w = (1.0 - within.length_squared()).max(0.0).sqrt();
        let wanted = DQuat::from_xyzw(within.x, within.y, within.z, w).normalize();
        match which {
            1 => bodies.q[b] = (frame * wanted * self.axes[1].conjugate()).normalize(),
            _ => bodies.q[a] = (bodies.q[b] * self.axes[1] * wanted.conjugate() * self.axes[0].conjugate()).normalize(),
        }
    }

    fn violation(&self, bodies: &Bodies, shares: Shares) -> Option<Violation> {
        let (frame, relative) = self.relative(bodies);
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
