//! G's sequential solver (G 2.7.6): row after row, a fraction of each at a time.
//!
//! In each of k rounds every row in turn gets the fraction `w/k` of the impulse that would satisfy it alone, and the next row
//! sees what that did; w is an overall correction factor times the row's own weight (β and βᵢⱼ in G). What differs from the other
//! solvers: sequential impulses takes the whole of each impulse, starts from the last step and accelerates; relaxation takes
//! the same fraction but of all rows at once; local resolution takes the whole, deepest first.
//!
//! What a row alone would demand is met up to the factor `(1 − w/k)^k ≈ e^(−w)`, however many rounds there are: at w = 1, 37 % is
//! left to the next step. Joints give way a little under load, and rows with a small weight give way to the others, which
//! is what G wants of them. A fraction of 1 instead of 1/k makes it plain Gauss–Seidel.

use super::block::{PreparedRow, blocks};
use super::{ConstraintSolver, Convergence, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Row after row, a fraction at a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sequential {
    /// How many rounds, k. Default 20.
    #[schemars(range(min = 1, max = 10000))]
    pub rounds: usize,
    /// The overall correction factor. Default 1.
    #[schemars(range(min = 0.0, max = 1.0), extend("unit" = "1"))]
    pub correction: f64,
    /// The fraction of each impulse that is applied in a round, before the weights; `null` for 1/k (default).
    #[schemars(range(min = 0.0, max = 1.0), extend("unit" = "1"))]
    pub fraction: Option<f64>,
}

impl Default for Sequential {
    fn default() -> Self {
        Self { rounds: 20, correction: 1.0, fraction: None }
    }
}

impl ConstraintSolver for Sequential {
    fn solve(&self, problem: &mut Problem<'_>) -> Convergence {
        let prepared: Vec<PreparedRow> = problem.rows.iter().map(|row| PreparedRow::new(row, problem.bodies)).collect();
        let blocks = blocks(problem.rows, &prepared);
        let fraction = self.correction * self.fraction.unwrap_or(1.0 / self.rounds.max(1) as f64);
        for (row, prepared) in problem.rows.iter_mut().zip(&prepared) {
            // From nothing, or as little as the bounds allow.
            row.impulse = row.bounds.clamp(0.0);
            prepared.apply(row, problem.bodies, row.impulse);
        }
        let mut residual = 0.0;
        for _ in 0..self.rounds {
            residual = 0.0;
            for block in &blocks {
                let change = block.change(problem);
                residual = f64::max(residual, block.speed(change));
                // Part of the way to a point within bounds is within bounds.
                block.apply(problem, &prepared, change * (fraction * block.weight(problem.rows)));
            }
        }
        Convergence { sweeps: self.rounds, residual }
    }

    fn clone_box(&self) -> Box<dyn ConstraintSolver> {
        Box::new(*self)
    }
}
