//! Relaxation (G 2.6.7.1, equation 2.76): all rows at once, a fraction of each at a time.
//!
//! In every round each row computes the impulse that would satisfy it alone, all from the same velocities, and a fraction
//! of every one is applied. Symmetric (no row comes first), but a body with n contacts is corrected n times, so the
//! fraction must be small: G takes 1/k for k rounds, and so does this.

use super::{ConstraintSolver, Convergence, Problem, Workspace};
use crate::Cancel;
use crate::schema::JsonSchema;
use serde::{Deserialize, Serialize};

/// All contacts and joints at once, a fraction of each at a time, again and again (Jacobi iteration).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Relaxation {
    /// How many rounds, k. Default 50.
    #[schemars(range(min = 1, max = 10000))]
    pub rounds: usize,
    /// The fraction of each impulse that is applied in a round; `null` for 1/k, but at least 0.1 (default).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub fraction: Option<f64>,
    /// Memory to work in.
    #[serde(skip)]
    pub workspace: Workspace,
}

impl Default for Relaxation {
    fn default() -> Self {
        Self { rounds: 50, fraction: None, workspace: Workspace::default() }
    }
}

impl ConstraintSolver for Relaxation {
    fn solve(&mut self, problem: &mut Problem<'_>) -> Convergence {
        let Workspace { system, blocks, cancel, .. } = &mut self.workspace;
        system.load(problem);
        system.apply_impulses();
        blocks.load(system, problem.rows, |_| true);
        let fraction = self.fraction.unwrap_or((1.0 / self.rounds.max(1) as f64).max(0.1));
        let mut reached = Convergence { sweeps: self.rounds, ..Convergence::default() };
        for _ in (0..self.rounds).take_while(|_| !cancel.is_cancelled()) {
            reached.residual = blocks.relax(system, fraction);
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
