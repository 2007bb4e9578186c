//! Sequential impulses: projected Gauss–Seidel on the accumulated impulses (T 2.2, 2.6).
//!
//! Row by row, the impulse that alone would satisfy the row is added to what was accumulated, the sum is clamped to the
//! row's bounds, and the difference is applied to the velocities at once, so that the next row sees it:
//!
//! ```text
//! Δλ = −(J v + b + γ λ) / (J W Jᵀ + γ),    λ ← clamp(λ + Δλ),    v ← v + W Jᵀ Δλ
//! ```
//!
//! The impulses of the step before are a good start (warm starting). Friction rows of one contact are clamped together
//! to a disc of radius μ λ_normal.

use super::sweeps::Sweeps;
use super::{ConstraintSolver, Convergence, Problem, Workspace};
use crate::Cancel;
use crate::schema::JsonSchema;
use serde::{Deserialize, Serialize};

/// Projected Gauss–Seidel on accumulated impulses, warm started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SequentialImpulses {
    /// How many sweeps over all rows at most. Default 100.
    #[schemars(range(min = 1, max = 10000))]
    pub iterations: usize,
    /// Stop when no impulse of a sweep changed a velocity by more than this, in m/s. Default 1e-10.
    #[schemars(range(min = 0.0), extend("unit" = "m/s"))]
    pub tolerance: f64,
    /// Memory to work in.
    #[serde(skip)]
    pub workspace: Workspace,
}

impl Default for SequentialImpulses {
    fn default() -> Self {
        Self { iterations: 100, tolerance: 1e-10, workspace: Workspace::default() }
    }
}

impl ConstraintSolver for SequentialImpulses {
    fn solve(&mut self, problem: &mut Problem<'_>) -> Convergence {
        let Workspace { system, blocks, momentum, cancel, .. } = &mut self.workspace;
        system.load(problem);
        blocks.load_in_groups(system, problem.rows, |_| true);
        system.warm_start();
        let sweeps = Sweeps { iterations: self.iterations, tolerance: self.tolerance, cancel };
        let reached = sweeps.solve(system, blocks, momentum, |_| false);
        system.store(problem, reached)
    }

    fn watch(&mut self, cancel: &Cancel) {
        self.workspace.cancel = cancel.clone();
    }

    fn clone_box(&self) -> Box<dyn ConstraintSolver> {
        Box::new(self.clone())
    }
}
