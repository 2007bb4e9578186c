//! The bodies of the Verlet loop as flat lists, and how they move (B 4).
//!
//! **Velocity-less form** (4.1–4.2), with x₋ the position before:
//!
//! ```text
//! x' = (1 + ξ) x − ξ x₋ + (F/m) h²
//! δq = slerp(1, q q̄₋, ξ),   q* = δq q,   q' = q* + ½ q* [0, I⁻¹τ] h²
//! ```
//!
//! (The print adds the last term to q instead of q*, which would lose the rotation.) The loop keeps no x₋ of its own: the velocity it
//! leaves in the state is the backward difference (x − x₋)/h, from which x₋ follows. A velocity that a user gave is no backward
//! difference but the velocity at this moment; Störmer's start then is `x' = x + v h + ½ (F/m) h²`, without which the method would be
//! of first order.
//!
//! **Velocity form** (4.6–4.8):
//!
//! ```text
//! x' = x + v h + ½ (F/m) h²,                 v' = ξ v + (F/m) h
//! q' = q + q̇ h + ½ q̈ h²,  normalised,        ω' = ξ ω + I⁻¹τ h
//! ```
//!
//! There is no gyroscopic term in either. Forces at the beginning of the step alone drive v, so that this form is of first order on a
//! spring and feeds it energy: per step a factor 1 + ½ω²h² (the determinant of the step), where the velocity-less form is of second
//! order and keeps it. ξ is the part of the motion that a step leaves; damping per second of a body multiplies it by e^{−ch}.

use super::Form;
use crate::force::Wrenches;
use crate::integrator::{Decay, QuaternionUpdate};
use crate::parts::roster::Roster;
use crate::{Id, Model, State};
use glam::{DMat3, DQuat, DVec3};
use tumble_geometry::math::{rotation_from_vector, rotation_vector};

/// By slot of the body; the world itself is the last.
#[derive(Debug, Default)]
pub(super) struct Bodies {
    pub(super) x: Vec<DVec3>,
    pub(super) v: Vec<DVec3>,
    pub(super) q: Vec<DQuat>,
    /// In world axes.
    pub(super) w: Vec<DVec3>,
    pub(super) inverse_mass: Vec<f64>,
    /// In body axes; zero for what does not turn.
    pub(super) inverse_inertia: Vec<DMat3>,
    /// Its inverse, where there is one.
    pub(super) inertia: Vec<DMat3>,
    /// How readily they turn: the sum of the inverse moments of inertia, no less than the largest.
    pub(super) ease: Vec<f64>,
    /// Where they were before the pass.
    before: Vec<(DVec3, DQuat)>,
    movable: Vec<usize>,
}

/// What of a motion a pass leaves, and how the pass begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Motion {
    pub(super) form: Form,
    /// ξ of the velocity and of the angular velocity.
    pub(super) keep: [f64; 2],
    pub(super) h: f64,
}

impl Bodies {
    /// Masses, after the model was changed.
    pub(super) fn weigh(&mut self, model: &Model, roster: &Roster) {
        let count = model.bodies().slot_count();
        self.inverse_mass.clear();
        self.inverse_mass.resize(count + 1, 0.0);
        self.inverse_inertia.clear();
        self.inverse_inertia.resize(count + 1, DMat3::ZERO);
        for (id, body) in model.bodies().iter() {
            self.inverse_mass[id.slot()] = body.inverse_mass;
            self.inverse_inertia[id.slot()] = body.inverse_inertia;
        }
        let inverse = |m: &DMat3| if m.determinant() > 0.0 { m.inverse() } else { DMat3::ZERO };
        self.inertia.clear();
        self.inertia.extend(self.inverse_inertia.iter().map(inverse));
        self.ease.clear();
        self.ease.extend(self.inverse_inertia.iter().map(|m| m.x_axis.x + m.y_axis.y + m.z_axis.z));
        self.movable.clear();
        self.movable.extend(roster.movable.iter().map(|id| id.slot()));
    }

    /// Takes over how the bodies move.
    pub(super) fn load(&mut self, state: &State) {
        self.x.clear();
        self.v.clear();
        self.q.clear();
        self.w.clear();
        for body in &state.bodies {
            self.x.push(body.position);
            self.v.push(body.velocity);
            self.q.push(body.rotation);
            self.w.push(body.angular_velocity);
        }
        self.x.push(DVec3::ZERO);
        self.v.push(DVec3::ZERO);
        self.q.push(DQuat::IDENTITY);
        self.w.push(DVec3::ZERO);
    }

    /// The inertia tensor in world axes.
    #[inline]
    pub(super) fn world_inertia(&self, i: usize) -> DMat3 {
        let turn = DMat3::from_quat(self.q[i]);
        turn * self.inertia[i] * turn.transpose()
    }

    /// The energy of motion of a body that turns, in joules.
    #[inline]
    pub(super) fn energy(&self, i: usize) -> f64 {
        let w = self.q[i].conjugate() * self.w[i];
        0.5 * (self.v[i].length_squared() / self.inverse_mass[i] + w.dot(self.inertia[i] * w))
    }

    /// Gives the motions of movable bodies back.
    pub(super) fn store(&self, state: &mut State) {
        for &i in &self.movable {
            let body = &mut state.bodies[i];
            (body.position, body.velocity) = (self.x[i], self.v[i]);
            (body.rotation, body.angular_velocity) = (self.q[i], self.w[i]);
        }
    }

    /// `I⁻¹ u` for a vector in world axes: into body axes and back (B 7.2).
    #[inline]
    pub(super) fn turn(&self, i: usize, u: DVec3) -> DVec3 {
        let inverse = &self.inverse_inertia[i];
        if *inverse == DMat3::ZERO {
            return DVec3::ZERO;
        }
        let q = self.q[i];
        q * (*inverse * (q.conjugate() * u))
    }

    /// `1/m + n·((I⁻¹ (r × n)) × r)`: how readily the point at `r` from the centre of mass gives way along the unit vector n (B 5.9).
    #[inline]
    pub(super) fn mobility(&self, i: usize, r: DVec3, n: DVec3) -> f64 {
        let arm = r.cross(n);
        self.inverse_mass[i] + arm.dot(self.turn(i, arm))
    }

    /// The velocity of the point at `r` from the centre of mass.
    #[inline]
    pub(super) fn velocity_at(&self, i: usize, r: DVec3) -> DVec3 {
        self.v[i] + self.w[i].cross(r)
    }

    /// Moves and turns a body as the impulse `p` at `r` would change its velocities.
    #[inline]
    pub(super) fn displace(&mut self, i: usize, r: DVec3, p: DVec3) {
        self.x[i] += p * self.inverse_mass[i];
        let turn = self.turn(i, r.cross(p));
        self.rotate(i, turn);
    }

    /// Turns a body by a rotation vector.
    #[inline]
    pub(super) fn rotate(&mut self, i: usize, by: DVec3) {
        if by != DVec3::ZERO {
            self.q[i] = (small_rotation(by) * self.q[i]).normalize();
        }
    }

    /// Changes the velocities of a body by the impulse `p` at `r`.
    #[inline]
    pub(super) fn push(&mut self, i: usize, r: DVec3, p: DVec3) {
        self.v[i] += p * self.inverse_mass[i];
        let turn = self.turn(i, r.cross(p));
        self.w[i] += turn;
    }

    /// Moves all bodies through a pass under the forces on them; `fresh` says whose velocity is no backward difference. Without velocities,
    /// those it leaves are what the differences will be if nothing is put right.
    pub(super) fn advance(
        &mut self,
        model: &Model,
        wrenches: &Wrenches,
        motion: &Motion,
        fresh: impl Fn(usize) -> bool,
    ) {
        let Motion { form, keep, h } = *motion;
        self.before.clear();
        self.before.extend(self.x.iter().copied().zip(self.q.iter().copied()));
        for &i in &self.movable {
            let Some(body) = model.bodies().in_slot(i) else { continue };
            let wrench = &wrenches.as_slice()[i];
            let a = wrench.force * self.inverse_mass[i];
            let kept = |keep: f64, rate: f64| if rate > 0.0 { keep * Decay::over(rate, h).kept } else { keep };
            let (xi, xi_w) = (kept(keep[0], body.linear_damping), kept(keep[1], body.angular_damping));
            match form {
                Form::Velocity => {
                    self.x[i] += self.v[i] * h + a * (0.5 * h * h);
                    self.v[i] = self.v[i] * xi + a * h;
                }
                Form::VelocityLess => {
                    let share = if fresh(i) { 0.5 } else { 1.0 };
                    self.v[i] = self.v[i] * xi + a * (share * h);
                    self.x[i] += self.v[i] * h;
                }
            }
            if self.inverse_inertia[i] == DMat3::ZERO {
                continue;
            }
            let alpha = self.turn(i, wrench.torque);
            let q = self.q[i];
            match form {
                Form::Velocity => {
                    self.q[i] = QuaternionUpdate::SecondDerivative.turn(q, self.w[i], alpha, h);
                    self.w[i] = self.w[i] * xi_w + alpha * h;
                }
                Form::VelocityLess => {
                    let share = if fresh(i) { 0.5 } else { 1.0 };
                    let ahead = small_rotation(self.w[i] * (xi_w * h)) * q;
                    self.q[i] = QuaternionUpdate::FirstOrder.turn(ahead, alpha * (share * h), DVec3::ZERO, h);
                    self.w[i] = self.w[i] * xi_w + alpha * (share * h);
                }
            }
        }
    }

    /// Rates as differences (4.4–4.5): noisy, and all that the velocity-less form has.
    pub(super) fn differentiate(&mut self, h: f64) {
        for &i in &self.movable {
            let (x, q) = self.before[i];
            self.v[i] = (self.x[i] - x) / h;
            if self.inverse_inertia[i] != DMat3::ZERO {
                self.w[i] = rotation_vector(self.q[i] * q.conjugate()) / h;
            }
        }
    }
}

/// Rotations by less than this are summed up, in radians.
const SMALL: f64 = 0.5;

/// The rotation by a vector, to rounding: `exp(u) = cos |u| + u sin |u| / |u|` with u half the vector, which in a pass is so small that a few terms
/// of the series do.
#[inline]
fn small_rotation(by: DVec3) -> DQuat {
    let half = by * 0.5;
    let s = half.length_squared();
    if s > 0.25 * SMALL * SMALL {
        return rotation_from_vector(by);
    }
    // Terms up to |u|¹²: the next is less than 10⁻¹⁹.
    let sin =
        1.0 - s / 6.0 * (1.0 - s / 20.0 * (1.0 - s / 42.0 * (1.0 - s / 72.0 * (1.0 - s / 110.0 * (1.0 - s / 156.0)))));
    let cos =
        1.0 - s / 2.0 * (1.0 - s / 12.0 * (1.0 - s / 30.0 * (1.0 - s / 56.0 * (1.0 - s / 90.0 * (1.0 - s / 132.0)))));
    DQuat::from_xyzw(half.x * sin, half.y * sin, half.z * sin, cos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_rotations_are_those_of_the_formula() {
        for angle in [0.0, 1e-9, 1e-5, 1e-3, 0.1, 0.3, 0.4999, 0.5001, 2.0] {
            let by = DVec3::new(0.48, -0.6, 0.64) * angle;
            let (small, formula) = (small_rotation(by), rotation_from_vector(by));
            assert!((small - formula).length() < 3e-16, "{angle}: {small} {formula}");
        }
    }
}
