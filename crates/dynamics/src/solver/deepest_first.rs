//! Local resolution, deepest first (G 2.6.6): rows are sorted by how badly they are violated and resolved one after the
//! other, without regard to the rest.
//!
//! The simplest of solvers: cheap, and good for a few bodies. In a stack the impulses travel up and down from step to
//! step, which G describes and this solver shows. It starts every step from nothing.

use super::{ConstraintSolver, Convergence, Problem, Workspace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One contact after the other, the deepest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DeepestFirst {
    /// How many times the sorted list is gone through. Default 4.
    #[schemars(range(min = 1, max = 10000))]
    pub passes: usize,
    /// Memory to work in.
    #[serde(skip)]
    pub workspace: Workspace,
}

impl Default for DeepestFirst {
    fn default() -> Self {
        Self { passes: 4, workspace: Workspace::default() }
    }
}

impl ConstraintSolver for DeepestFirst {
    fn solve(&mut self, problem: &mut Problem<'_>) -> Convergence {
        let Workspace { system, blocks, .. } = &mut self.workspace;
        system.load(problem);
        system.impulses.fill(0.0);
        blocks.load(system, problem.rows, |_| true);
        blocks.sort_by_depth(problem.rows);
        let mut reached = Convergence { sweeps: self.passes, ..Convergence::default() };
        for _ in 0..self.passes {
            reached.residual = blocks.sweep(system);
        }
        system.store(problem, reached)
    }

    fn clone_box(&self) -> Box<dyn ConstraintSolver> {
        Box::new(self.clone())
    }
}
