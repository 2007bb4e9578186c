//! The pin constraint (B 7): a point of one body stays at a point of the other.
//!
//! The gap is closed along its own direction δx̂, and shared between positions and orientations as an impulse along it would share a
//! velocity:
//!
//! ```text
//! δx = p_a − p_b,   D = Σ 1/m + δx̂·((I⁻¹ (r × δx̂)) × r),   j = −k/D
//! x_a += (j/m_a) δx,  q_a ← exp(I_a⁻¹ (r_a × j δx)) q_a,   and the opposite for b
//! ```
//!
//! (The print has δx reversed in 7.1.) The velocities of the two points are made equal in the same way, with δv = v_a − v_b in place
//! of δx. Levers are those before either is changed; the quaternions come last.

use super::bodies::Bodies;
use glam::DVec3;

/// A ball joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pin {
    pub(super) bodies: [u32; 2],
    /// From the centres of mass, in body axes.
    pub(super) levers: [DVec3; 2],
    pub(super) strength: f64,
}

impl Pin {
    fn levers(&self, bodies: &Bodies) -> ([usize; 2], [DVec3; 2]) {
        let places = self.bodies.map(|i| i as usize);
        (places, [0, 1].map(|k| bodies.q[places[k]] * self.levers[k]))
    }

    /// `−k δ/D`: the impulse on the first body that makes up for δ.
    fn impulse(&self, bodies: &Bodies, [a, b]: [usize; 2], [ra, rb]: [DVec3; 2], delta: DVec3) -> DVec3 {
        let Some(along) = delta.try_normalize() else { return DVec3::ZERO };
        let mobility = bodies.mobility(a, ra, along) + bodies.mobility(b, rb, along);
        if mobility > 0.0 { delta * (-self.strength / mobility) } else { DVec3::ZERO }
    }

    /// Closes the gap.
    pub(super) fn correct_positions(&self, bodies: &mut Bodies) {
        let ([a, b], [ra, rb]) = self.levers(bodies);
        let delta = (bodies.x[a] + ra) - (bodies.x[b] + rb);
        let p = self.impulse(bodies, [a, b], [ra, rb], delta);
        bodies.displace(a, ra, p);
        bodies.displace(b, rb, -p);
    }

    /// Makes the velocities of the two points equal; the impulse on the second body.
    pub(super) fn correct_velocities(&self, bodies: &mut Bodies) -> DVec3 {
        let ([a, b], [ra, rb]) = self.levers(bodies);
        let delta = bodies.velocity_at(a, ra) - bodies.velocity_at(b, rb);
        let p = self.impulse(bodies, [a, b], [ra, rb], delta);
        bodies.push(a, ra, p);
        bodies.push(b, rb, -p);
        -p
    }
}
