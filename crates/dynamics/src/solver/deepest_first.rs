//! Local resolution, deepest first (G 2.6.6): rows are sorted by how badly they are violated and resolved one after the
//! other, without regard to the rest.
//!
//! The simplest of solvers: cheap, and good for a few bodies. In a stack the impulses travel up and down from step to
//! step, which G describes and this solver shows. It starts every step from nothing.

use super::block::{PreparedRow, blocks};
use super::{ConstraintSolver, Convergence, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One contact after the other, the deepest first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DeepestFirst {
    /// How many times the sorted list is gone through. Default 4.
    #[schemars(range(min = 1, max = 10000))]
    pub passes: usize,
}

impl Default for DeepestFirst {
    fn default() -> Self {
        Self { passes: 4 }
    }
}

impl ConstraintSolver for DeepestFirst {
    fn solve(&self, problem: &mut Problem<'_>) -> Convergence {
        let prepared: Vec<PreparedRow> = problem.rows.iter().map(|row| PreparedRow::new(row, problem.bodies)).collect();
        let mut blocks = blocks(problem.rows, &prepared);
        // Stable: of equally deep rows, the one that comes first is solved first, and friction after its normal row.
        blocks.sort_by(|a, b| b.depth(problem.rows).total_cmp(&a.depth(problem.rows)));
        problem.rows.iter_mut().for_each(|row| row.impulse = 0.0);
        let mut residual = 0.0;
        for _ in 0..self.passes {
            residual = blocks.iter().map(|block| block.solve(problem, &prepared)).fold(0.0, f64::max);
        }
        Convergence { sweeps: self.passes, residual }
    }

    fn clone_box(&self) -> Box<dyn ConstraintSolver> {
        Box::new(*self)
    }
}
