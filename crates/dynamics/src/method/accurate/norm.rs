//! How large the error of a step is: 1 is the most that is allowed.
//!
//! An error in how a body has turned counts by how far it moves the body's surface, at its radius r; errors in place are compared with a length L
//! and errors in speed with a speed V:
//!
//! ```text
//! e = max(|e_x|/L, r |e_σ|/L, |e_v|/V, r |e_ω|/V)     of a body, divided by the tolerance
//! ```
//!
//! For a body by itself, L and V are those of the [scene](super::scale). What hangs together by joints is measured as a whole, since the
//! error of one body is the error of all that hang on it: L is the radius of the linkage, if that is more, and V the speed of a fall by it. So a
//! chain of a thousand links is not held to a thousandth of what is asked of one rod of its length. The error of a scene is the largest of those
//! of its bodies.

use super::chart::NUMBERS;
use super::equations::Equations;
use super::scale::Scale;
use crate::BodyState;
use glam::DVec3;

/// What the errors of a body are compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Yardstick {
    /// L, in metres.
    length: f64,
    /// V, in m/s.
    speed: f64,
    /// r, in metres.
    radius: f64,
}

/// The measure of errors.
#[derive(Clone, Debug, Default)]
pub(super) struct Norm {
    /// Of each of the bodies that move.
    yardsticks: Vec<Yardstick>,
}

impl Norm {
    /// For bodies where they are; `sizes` are their radii by slot, in metres.
    pub(super) fn of(scale: &Scale, equations: &Equations, sizes: &[f64], bodies: &[BodyState]) -> Self {
        let alone = Yardstick { length: scale.length, speed: scale.speed, radius: scale.length };
        let mut by_slot = vec![alone; bodies.len()];
        for tree in equations.trees.iter().filter(|tree| tree.bodies.len() > 1) {
            let places = tree.bodies.iter().map(|&slot| bodies[slot].position);
            let middle = places.sum::<DVec3>() / tree.bodies.len() as f64;
            let reach = |&slot: &usize| bodies[slot].position.distance(middle) + sizes[slot];
            let extent = tree.bodies.iter().map(reach).fold(0.0, f64::max);
            if extent.is_finite() && extent > scale.length {
                let speed = scale.speed.max((scale.pull * extent).sqrt());
                for &slot in &tree.bodies {
                    by_slot[slot] = Yardstick { length: extent, speed, radius: sizes[slot].max(scale.length) };
                }
            }
        }
        Self { yardsticks: equations.movable.iter().map(|&slot| by_slot[slot]).collect() }
    }

    /// The size of errors, at a tolerance.
    pub(super) fn size(&self, errors: &[f64], tolerance: f64) -> f64 {
        let length = |e: &[f64]| (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]).sqrt();
        let mut worst = 0.0_f64;
        for (e, by) in errors.chunks_exact(NUMBERS).zip(&self.yardsticks) {
            let parts = [
                length(e) / by.length,
                length(&e[3..]) * by.radius / by.length,
                length(&e[6..]) / by.speed,
                length(&e[9..]) * by.radius / by.speed,
            ];
            for part in parts {
                // NaN, which `max` would swallow, must stay.
                worst = if part <= worst { worst } else { part };
            }
        }
        worst / tolerance
    }
}
