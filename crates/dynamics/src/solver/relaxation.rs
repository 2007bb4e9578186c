//! Relaxation (G 2.6.7.1, equation 2.76): all rows at once, a fraction of each at a time.
//!
//! In every round each row computes the impulse that would satisfy it alone, all from the same velocities, and a fraction
//! of every one is applied. Symmetric (no row comes first), but a body with n contacts is corrected n times, so the
//! fraction must be small: G takes 1/k for k rounds, and so does this.

use super::block::{PreparedRow, blocks};
use super::{ConstraintSolver, Convergence, Problem};
use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Jacobi iteration: all rows at once, a fraction at a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Relaxation {
    /// How many rounds, k. Default 50.
    #[schemars(range(min = 1, max = 10000))]
    pub rounds: usize,
    /// The fraction of each impulse that is applied in a round; `null` for 1/k, but at least 0.1 (default).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub fraction: Option<f64>,
}

impl Default for Relaxation {
    fn default() -> Self {
        Self { rounds: 50, fraction: None }
    }
}

impl ConstraintSolver for Relaxation {
    fn solve(&self, problem: &mut Problem<'_>) -> Convergence {
        let prepared: Vec<PreparedRow> = problem.rows.iter().map(|row| PreparedRow::new(row, problem.bodies)).collect();
        let blocks = blocks(problem.rows, &prepared);
        for (row, prepared) in problem.rows.iter().zip(&prepared) {
            prepared.apply(row, problem.bodies, row.impulse);
        }
        let fraction = self.fraction.unwrap_or((1.0 / self.rounds.max(1) as f64).max(0.1));
        let mut residual = 0.0;
        for _ in 0..self.rounds {
            let changes: Vec<DVec3> = blocks.iter().map(|block| block.change(problem)).collect();
            residual = blocks.iter().zip(&changes).map(|(block, change)| block.speed(*change)).fold(0.0, f64::max);
            for (block, change) in blocks.iter().zip(changes) {
                block.apply(problem, &prepared, change * fraction);
            }
        }
        Convergence { sweeps: self.rounds, residual }
    }

    fn clone_box(&self) -> Box<dyn ConstraintSolver> {
        Box::new(*self)
    }
}
