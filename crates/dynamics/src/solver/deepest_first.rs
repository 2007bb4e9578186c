//! Local resolution, deepest first (G 2.6.6): rows are sorted by how badly they are violated and resolved one after the
//! other, without regard to the rest.
//!
//! The simplest of solvers: cheap, and good for a few bodies. G begins every step with nothing; in a stack the impulses then
//! travel up and down from step to step, and ten boxes fall over within three seconds. So this one begins with the impulses
//! of the last step (warm starting), and goes through the list more than once.
//!
//! What it holds at 240 steps per second: ten boxes to 0.2 mm of their places, while sequential impulses keep them to 4 µm; the joint
//! of a pendulum to 0.6 mm.

use super::{ConstraintSolver, Convergence, Problem, Workspace};
use crate::Cancel;
use crate::schema::JsonSchema;
use serde::{Deserialize, Serialize};

/// One contact after the other, the deepest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DeepestFirst {
    /// How many times the sorted list is gone through. Default 20.
    #[schemars(range(min = 1, max = 10000))]
    pub passes: usize,
    /// Memory to work in.
    #[serde(skip)]
    pub workspace: Workspace,
}

impl Default for DeepestFirst {
    fn default() -> Self {
        Self { passes: 20, workspace: Workspace::default() }
    }
}

impl ConstraintSolver for DeepestFirst {
    fn solve(&mut self, problem: &mut Problem<'_>) -> Convergence {
        let Workspace { system, blocks, cancel, .. } = &mut self.workspace;
        system.load(problem);
        blocks.load(system, problem.rows, |_| true);
        blocks.sort_by_depth(problem.rows);
        system.warm_start();
        let mut reached = Convergence { sweeps: self.passes, ..Convergence::default() };
        for _ in (0..self.passes).take_while(|_| !cancel.is_cancelled()) {
            reached.residual = blocks.sweep(system);
        }
        system.store(problem, reached)
    }

    fn watch(&mut self, cancel: &Cancel) {
        self.workspace.cancel = cancel.clone();
    }

    fn clone_box(&self) -> Box<dyn ConstraintSolver> {
        Box::new(self.clone())
    }
}
