//! Soft rows: a spring of stiffness k and a damper d along a row, by Newmark's method (1959).
//!
//! In a step of length h the value of the row goes from c₀ to c₁ ≈ c₀ + h J v̄. The impulses at its beginning and its end are
//!
//! ```text
//! p = −h k (c₀/2 + β (c₁ − c₀)) − ½ d (c₁ − c₀)
//! q = −h k (c₁/2 − β (c₁ − c₀)) − ½ d (c₁ − c₀) = p − h k (½ − 2β) (c₁ − c₀)
//! ```
//!
//! As a solver row the first is `J v̄ + γ p + b = 0` with `γ = 1/(β h² k + ½ h d)` and `b = γ (h k/2) c₀`. Whatever β, their sum is
//! the mean force: a weight sags by m g/k, and nothing is lost without a damper. With β = ¼ this is the implicit midpoint rule,
//! which is stable for any spring but swings too slowly, by (ωh)²/12 of its frequency. With β = 1/12 that error is of
//! the fourth order (Fox and Goodwin 1949), but (ωh)² must stay below 6. So β is 1/12 for springs that the step resolves, and
//! rises to ¼ where (ωh)² = 1, as (ωh)²/4; a dozen springs side by side on one body are still stable.
//!
//! T's coefficients (T 2.9) say instead `J v̄ + γ λ/h + β c₀/h = 0` for the impulse λ of the whole step, half of which is given at its
//! beginning and half at its end. A mass m then sags by γ h m g/β.

use crate::constraint::{Row, Softness};
use std::f64::consts::TAU;

/// What a row had at the beginning of the step.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::method) struct Began {
    /// The impulse p it gave.
    pub(in crate::method) impulse: f64,
    /// Its value c₀.
    pub(in crate::method) error: f64,
}

/// A soft row in a step.
#[derive(Clone, Copy, Debug)]
pub(in crate::method) enum Soft {
    /// By T's coefficients: bias, and γ of the half of λ that is given at once.
    Coefficients { bias: f64, gamma: f64 },
    /// Stiffness, damping and Newmark's β.
    Spring { stiffness: f64, damping: f64, beta: f64 },
}

impl Soft {
    /// A row with the mobility `J W Jᵀ`, in a step of `h` seconds; none for a rigid one.
    pub(in crate::method) fn new(row: &Row, mobility: f64, h: f64) -> Option<Self> {
        let mass = if mobility > f64::MIN_POSITIVE { 1.0 / mobility } else { 0.0 };
        let (stiffness, damping) = match row.softness {
            Softness::Rigid | Softness::Baumgarte { .. } => return None,
            Softness::Coefficients { gamma, beta } => {
                return Some(Self::Coefficients { bias: beta * row.error / h, gamma: 2.0 * gamma / h });
            }
            Softness::Spring { frequency, damping_ratio } => {
                let omega = TAU * frequency;
                (mass * omega * omega, 2.0 * mass * damping_ratio * omega)
            }
            Softness::Stiffness { stiffness, damping } => (stiffness, damping),
        };
        let beta = (0.25 * h * h * stiffness * mobility).clamp(1.0 / 12.0, 0.25);
        Some(Self::Spring { stiffness, damping, beta })
    }

    /// Bias and γ for the beginning of the step, with the value c₀.
    pub(in crate::method) fn start(&self, h: f64, error: f64) -> (f64, f64) {
        match *self {
            Self::Coefficients { bias, gamma } => (bias, gamma),
            Self::Spring { stiffness, damping, beta } => {
                let gamma = 1.0 / (beta * h * h * stiffness + 0.5 * h * damping).max(f64::MIN_POSITIVE);
                (gamma * 0.5 * h * stiffness * error, gamma)
            }
        }
    }

    /// The impulse q at the end of the step, with the value c₁.
    pub(in crate::method) fn end(&self, h: f64, began: Began, error: f64) -> f64 {
        match *self {
            Self::Coefficients { .. } => began.impulse,
            Self::Spring { stiffness, beta, .. } => {
                began.impulse - h * stiffness * (0.5 - 2.0 * beta) * (error - began.error)
            }
        }
    }
}
