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
    offset: DVec3,
    min: f64,
    max: f64,
    /// k w of either body.
    shares: [f64; 2],
    /// k / (1/m_a + 1/m_b): the impulse for a change of speed.
    mass: f64,
}

impl Distance {
    /// Between `min` and `max`, with the strength k; `masses` are the inverse ones.
    pub(super) fn new(bodies: [u32; 2], masses: [f64; 2], offset: DVec3, [min, max]: [f64; 2], strength: f64) -> Self {
        let sum = masses[0] + masses[1];
        let (shares, mass) = match sum > 0.0 {
            true => (masses.map(|w| strength * (w / sum)), strength / sum),
            false => ([0.0; 2], 0.0),
        };
        Self { bodies, offset, min, max, shares, mass }
    }

    /// Puts the particles right, and before that what their velocities do to the distance, if they have any. What the second particle got: an impulse in
    /// N s, without velocities a shift in kg m.
    #[inline]
    pub(super) fn correct(&self, bodies: &mut Bodies, with_velocities: bool) -> DVec3 {
        let [a, b] = self.bodies.map(|i| i as usize);
        let d = bodies.x[b] - bodies.x[a] + self.offset;
        let length = d.length();
        let error = length - length.clamp(self.min, self.max);
        let is_loose = self.min != self.max;
        if error == 0.0 && is_loose || length <= f64::MIN_POSITIVE {
            return DVec3::ZERO;
        }
        let along = d * (1.0 / length);
        let [wa, wb] = self.shares;
        let mut impulse = along * (-error * self.mass);
        if with_velocities {
            impulse = DVec3::ZERO;
            let rate = (bodies.v[b] - bodies.v[a]).dot(along);
            // A slack rope lets them approach, a strut lets them part.
            if !is_loose || rate * error > 0.0 {
                bodies.v[a] += along * (rate * wa);
                bodies.v[b] -= along * (rate * wb);
                impulse = along * (-rate * self.mass);
            }
        }
        bodies.x[a] += along * (error * wa);
        bodies.x[b] -= along * (error * wb);
        impulse
    }
}
