//! Collision response by forces and impulses (B 5), for bodies without joints.
//!
//! At a contact with the overlap d and the approach speed s: a fast one (s above the rest speed) gets the impulse (5.9)
//!
//! ```text
//! j = (1 + ε) s / (1/m_a + 1/m_b + angular terms)
//! ```
//!
//! and a slow one is at rest on a spring (5.5). Each body has springs of its own, whose force is scaled by min(m_other/m_own, 1) (5.7):
//!
//! ```text
//! F = (k_s d − k_d ḋ) n ≥ 0,    friction (5.11): μ F along the slip, times min(|slip|, 1 m/s)
//! ```
//!
//! The document gives no numbers for k_s and k_d. Here they follow from mass, step and number of points. One spring on a body, with
//! κ = k h²/m and γ = c h/m, turns a pass into a matrix with the determinant 1 − γ + κ/2 and the trace 2 − γ − κ/2 (velocity form); it is stable
//! for κ/2 < γ < 2. N points share that, with m the mass that the point has along the normal, and the two bodies of a contact add up: κ = 1/4
//! and γ = 1/2 for each, over N. A ball on the floor thus sinks by g h²/κ = 4 g h², whatever its mass: 1 cm at 60 Hz.

use super::bodies::Bodies;
use crate::force::Wrenches;
use crate::method::classic::Pair;
use glam::DVec3;

/// κ and γ of one body.
const STIFFNESS: f64 = 0.25;
const DAMPING: f64 = 0.5;

/// Below this slip friction is viscous, in m/s (5.11).
const VISCOUS: f64 = 1.0;

/// What all points have in common.
pub(super) struct Rest<'a> {
    pub(super) h: f64,
    pub(super) rest_speed: f64,
    /// By slot: how many points press on a body.
    pub(super) crowd: &'a [u32],
}

impl Rest<'_> {
    /// Pushes the two bodies of a pair apart: slow contacts by forces, fast ones by impulses.
    pub(super) fn respond(
        &self,
        bodies: &mut Bodies,
        places: [usize; 2],
        pair: &mut Pair<()>,
        wrenches: &mut Wrenches,
    ) {
        let [a, b] = places;
        for point in pair.points.iter_mut().filter(|point| point.geometry.gap < 0.0) {
            let (at, n) = (point.geometry.position, point.geometry.normal);
            let [ra, rb] = places.map(|i| at - bodies.x[i]);
            let relative = bodies.velocity_at(b, rb) - bodies.velocity_at(a, ra);
            let speed = -relative.dot(n);
            let mobilities = [bodies.mobility(a, ra, n), bodies.mobility(b, rb, n)];
            if speed > self.rest_speed {
                let j =
                    (1.0 + pair.material.restitution) * speed / (mobilities[0] + mobilities[1]).max(f64::MIN_POSITIVE);
                bodies.push(a, ra, n * -j);
                bodies.push(b, rb, n * j);
                point.impulse.normal += j;
                point.met = point.met.max(speed);
                continue;
            }
            let slip = relative + n * speed;
            let rub = -slip.normalize_or_zero() * (slip.length() / VISCOUS).min(1.0) * pair.material.dynamic_friction;
            let masses = places.map(|i| bodies.inverse_mass[i]);
            let mut forces = [0.0; 2];
            for k in 0..2 {
                if mobilities[k] <= 0.0 {
                    continue;
                }
                let crowd = f64::from(self.crowd[places[k]].max(1));
                let mass = 1.0 / (mobilities[k] * crowd);
                let (spring, damper) = (STIFFNESS * mass / (self.h * self.h), DAMPING * mass / self.h);
                // m_other / m_own, at most one; what cannot be moved is as heavy as you like.
                let scale = (masses[k] / masses[1 - k].max(f64::MIN_POSITIVE)).min(1.0);
                forces[k] = scale * (spring * -point.geometry.gap + damper * speed).max(0.0);
            }
            let apply = |wrenches: &mut Wrenches, k: usize, side: f64| {
                let force = (n + rub) * (side * forces[k]);
                wrenches.add_force_at(places[k], bodies.x[places[k]], force, at);
            };
            apply(wrenches, 0, -1.0);
            apply(wrenches, 1, 1.0);
            let felt = if mobilities[1] > 0.0 { forces[1] } else { forces[0] };
            point.impulse.normal += felt * self.h;
            point.impulse.friction += rub * (felt * self.h);
        }
    }
}

/// Where the acceleration of a body by its forces is largest, in m/s²: what makes a contact at rest approach within a pass.
pub(super) fn largest_acceleration(bodies: &Bodies, wrenches: &Wrenches) -> f64 {
    let accelerations = wrenches.as_slice().iter().zip(&bodies.inverse_mass).map(|(wrench, w)| wrench.force * *w);
    accelerations.map(DVec3::length).filter(|a| a.is_finite()).fold(0.0, f64::max)
}
