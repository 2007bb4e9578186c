//! The distance constraint between two particles (B 6): ropes, cloth and soft bodies are made of nothing else.
//!
//! ```text
//! d = x_b − x_a,  error = k (|d| − l),  x_a += w_a error d̂,  x_b −= w_b error d̂,   w_i = (1/m_i) / (1/m_a + 1/m_b)
//! δv = k (v_b − v_a)·d̂,                 v_a += w_a δv d̂,     v_b −= w_b δv d̂
//! ```
//!
//! (The print has 1 in the numerator of w and the sign of the velocity correction reversed.) Between `min` and `max` nothing happens: a rope
//! is slack, a strut gives way.

use super::bodies::Bodies;
use glam::DVec3;

/// A distance between points of two bodies that do not turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Distance {
    pub(super) bodies: [u32; 2],
    /// From one centre of mass to the other, added to it: where the anchors are not the centres.
    pub(super) offset: DVec3,
    pub(super) min: f64,
    pub(super) max: f64,
    pub(super) strength: f64,
}

impl Distance {
    /// Moves the particles; the unit vector from the first to the second and their inverse masses, if anything was to be done.
    fn along(&self, bodies: &Bodies) -> Option<(DVec3, f64, [f64; 2])> {
        let [a, b] = self.bodies.map(|i| i as usize);
        let d = bodies.x[b] - bodies.x[a] + self.offset;
        let length = d.length();
        let error = length - length.clamp(self.min, self.max);
        if error == 0.0 && self.min != self.max || length <= f64::MIN_POSITIVE {
            return None;
        }
        let (wa, wb) = (bodies.inverse_mass[a], bodies.inverse_mass[b]);
        let sum = wa + wb;
        (sum > 0.0).then(|| (d / length, error, [wa / sum, wb / sum]))
    }

    pub(super) fn correct_positions(&self, bodies: &mut Bodies) {
        let Some((along, error, [wa, wb])) = self.along(bodies) else { return };
        let [a, b] = self.bodies.map(|i| i as usize);
        let correction = along * (self.strength * error);
        bodies.x[a] += correction * wa;
        bodies.x[b] -= correction * wb;
    }

    /// Takes away what the velocities do to the distance; the impulse on the second particle.
    pub(super) fn correct_velocities(&self, bodies: &mut Bodies) -> DVec3 {
        let Some((along, error, [wa, wb])) = self.along(bodies) else { return DVec3::ZERO };
        let [a, b] = self.bodies.map(|i| i as usize);
        let rate = (bodies.v[b] - bodies.v[a]).dot(along);
        // A slack rope lets them approach, a strut lets them part.
        if self.min != self.max && rate * error <= 0.0 {
            return DVec3::ZERO;
        }
        let correction = along * (self.strength * rate);
        bodies.v[a] += correction * wa;
        bodies.v[b] -= correction * wb;
        -correction / (bodies.inverse_mass[a] + bodies.inverse_mass[b])
    }
}
