//! Joints solved at once, by elimination (K 2.4.2, 5.2), and sweeps for what has bounds.
//!
//! A solver that goes from row to row needs the more sweeps the longer a chain is and the more it has to bear. But the rows
//! of joints hold whatever their impulses are, so these are the solution of a linear system
//!
//! ```text
//! (J W Jᵀ + γ) Δλ = −(J v + b + γ λ),
//! ```
//!
//! and of a sparse one, since rows are coupled only by the bodies they share. For chains and trees it is solved in a time
//! proportional to their length ([`joints`], [`elimination`], [`factor`]). Contacts, friction, limits and motors have bounds, and which
//! of them are reached is not known beforehand; they are solved by [sweeps](super::SequentialImpulses), and after each sweep the
//! joints are put right again. This goes on until a sweep changes nothing more. If there are only joints, that is after the
//! first. If that takes long, those contacts that press and do not slide, and whatever else is within its bounds, are solved at once
//! with the joints every now and then ([`holding`]): so a light stack finds what it has to bear. If there are no joints and a few sweeps suffice,
//! the solver is sequential impulses to the last bit.

pub(crate) mod elimination;
pub(crate) mod factor;
mod holding;
mod joints;
mod structure;

pub(super) use self::holding::Holding;
pub(super) use self::joints::Joints;

use super::sweeps::Sweeps;
use super::{Bounds, ConstraintSolver, Convergence, Problem, Workspace};
use crate::Cancel;
use crate::schema::JsonSchema;
use serde::{Deserialize, Serialize};

/// After how many sweeps the rows that hold are solved at once.
const PATIENCE: usize = 20;

/// How many multiplications take as long as a row in a sweep.
const MULTIPLICATIONS: usize = 50;

/// Joints are solved at once by elimination, however long their chains; contacts, friction, limits and motors by sweeps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Direct {
    /// How many sweeps over the rows that have bounds at most, each after a solution for the joints. Default 100.
    #[schemars(range(min = 1, max = 10000))]
    pub iterations: usize,
    /// Stop when no impulse of a sweep changed a velocity by more than this, in m/s. Default 1e-10.
    #[schemars(range(min = 0.0), extend("unit" = "m/s"))]
    pub tolerance: f64,
    /// How many multiplications an elimination may take; where joints form a dense net it would be more, and they are left to
    /// the sweeps. Zero for nothing but sweeps. Default 1e8.
    #[schemars(range(min = 0.0))]
    pub budget: f64,
    /// Memory to work in.
    #[serde(skip)]
    pub workspace: Workspace,
}

impl Default for Direct {
    fn default() -> Self {
        Self { iterations: 100, tolerance: 1e-10, budget: 1e8, workspace: Workspace::default() }
    }
}

impl ConstraintSolver for Direct {
    fn solve(&mut self, problem: &mut Problem<'_>) -> Convergence {
        let Workspace { system, blocks, momentum, joints, holding, cancel } = &mut self.workspace;
        system.load(problem);
        let eliminated = joints.load(system, problem, self.budget);
        // A joint's row that says the same as others, only not quite, would have sweeps and elimination work against each other.
        blocks.load_in_groups(system, problem.rows, |row| !eliminated || row.bounds != Bounds::Free);
        system.warm_start();
        // A step may take as long as the sweeps between two steps.
        let budget = self.budget.min((MULTIPLICATIONS * PATIENCE * system.rows.len()) as f64);
        let mut reached = Convergence::default();
        let mut patience = PATIENCE;
        loop {
            let iterations = patience.min(self.iterations - reached.sweeps);
            let sweeps = Sweeps { iterations, tolerance: self.tolerance, cancel };
            let more = sweeps.solve(system, blocks, momentum, |system| joints.solve(system));
            reached = Convergence { sweeps: reached.sweeps + more.sweeps, ..more };
            if reached.residual <= self.tolerance || reached.sweeps >= self.iterations || cancel.is_cancelled() {
                break;
            }
            if !holding.step(system, blocks, joints, problem.bodies, budget) {
                patience = self.iterations;
            }
        }
        joints.solve(system);
        system.store(problem, reached)
    }

    fn watch(&mut self, cancel: &Cancel) {
        self.workspace.cancel = cancel.clone();
    }

    fn clone_box(&self) -> Box<dyn ConstraintSolver> {
        Box::new(self.clone())
    }
}
