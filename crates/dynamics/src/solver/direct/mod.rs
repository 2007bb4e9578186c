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
//! proportional to their length ([`elimination`], [`factor`]). Contacts, friction, limits and motors have bounds, and which
//! of them are reached is not known beforehand; they are solved by [sweeps](super::SequentialImpulses), and after each sweep the
//! joints are put right again. This goes on until a sweep changes nothing more. If there are only joints, that is after the
//! first; if there are none, the solver is sequential impulses to the last bit.

mod elimination;
mod factor;

use self::elimination::Elimination;
use self::factor::Factor;
use super::block::{PreparedRow, blocks, warm_start};
use super::sweeps::Sweeps;
use super::{Bounds, ConstraintSolver, Convergence, Problem, SolverBody, SolverRow};
use glam::DMat3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;

/// Joints are solved at once by elimination, however long their chains; contacts, friction, limits and motors by sweeps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Direct {
    /// How many sweeps over the rows that have bounds at most, each after a solution for the joints. Default 100.
    #[schemars(range(min = 1, max = 10000))]
    pub iterations: usize,
    /// Stop when no impulse of a sweep changed a velocity by more than this, in m/s. Default 1e-10.
    #[schemars(range(min = 0.0), extend("unit" = "m/s"))]
    pub tolerance: f64,
    /// How many multiplications the elimination may take; where joints form a dense net it would be more, and they are left to
    /// the sweeps. Default 1e8.
    #[schemars(range(min = 0.0))]
    pub budget: f64,
}

impl Default for Direct {
    fn default() -> Self {
        Self { iterations: 100, tolerance: 1e-10, budget: 1e8 }
    }
}

impl ConstraintSolver for Direct {
    fn solve(&self, problem: &mut Problem<'_>) -> Convergence {
        let prepared: Vec<PreparedRow> = problem.rows.iter().map(|row| PreparedRow::new(row, problem.bodies)).collect();
        let joints = Joints::new(problem, &prepared, self.budget);
        // A joint's row that says the same as others, only not quite, would have sweeps and elimination work against each other.
        let mut blocks = blocks(problem.rows, &prepared);
        blocks.retain(|block| joints.rows.binary_search(&block.first()).is_err());
        warm_start(problem, &prepared);
        let sweeps = Sweeps { iterations: self.iterations, tolerance: self.tolerance };
        let reached = sweeps.solve(problem, &prepared, &blocks, |problem| joints.solve(problem, &prepared));
        joints.solve(problem, &prepared);
        reached
    }

    fn clone_box(&self) -> Box<dyn ConstraintSolver> {
        Box::new(*self)
    }
}

/// The rows without bounds, as a linear system.
struct Joints {
    /// Which rows of the problem.
    rows: Vec<usize>,
    factor: Factor,
}

impl Joints {
    /// With no rows if their elimination would take more than `budget` multiplications.
    fn new(problem: &Problem<'_>, prepared: &[PreparedRow], budget: f64) -> Self {
        let is_joint = |row: &SolverRow| row.bounds == Bounds::Free;
        let rows: Vec<usize> = (0..problem.rows.len()).filter(|&index| is_joint(&problem.rows[index])).collect();
        let nodes = nodes(&rows, problem.rows);
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (node, range) in nodes.iter().enumerate() {
            let moved =
                problem.rows[rows[range.start]].bodies.into_iter().filter(|&body| is_moved(&problem.bodies[body]));
            moved.for_each(|body| groups.entry(body).or_default().push(node));
        }
        let sizes: Vec<usize> = nodes.iter().map(Range::len).collect();
        let groups: Vec<Vec<usize>> = groups.into_values().collect();
        let Some(elimination) = Elimination::new(&sizes, &groups, budget) else {
            return Self { rows: Vec::new(), factor: Factor::default() };
        };
        let entry = |i: usize, j: usize| {
            let (one, other) = (&problem.rows[rows[i]], &problem.rows[rows[j]]);
            prepared[rows[i]].coupling(one, other) + if i == j { one.gamma } else { 0.0 }
        };
        let factor = Factor::new(&elimination, &nodes, entry);
        Self { rows, factor }
    }

    /// Solves the system for the velocities as they are now.
    fn solve(&self, problem: &mut Problem<'_>, prepared: &[PreparedRow]) {
        let missing = |&index: &usize| {
            let row = &problem.rows[index];
            -(row.rate(problem.bodies) + row.bias + row.gamma * row.impulse)
        };
        let mut changes: Vec<f64> = self.rows.iter().map(missing).collect();
        self.factor.solve(&mut changes);
        // Where numbers overflow, the sweeps are left to make of it what they can.
        if changes.iter().all(|change| change.is_finite()) {
            for (&index, change) in self.rows.iter().zip(changes) {
                let row = &mut problem.rows[index];
                row.impulse += change;
                prepared[index].apply(row, problem.bodies, change);
            }
        }
    }
}

/// Whether impulses move a body.
fn is_moved(body: &SolverBody) -> bool {
    body.inverse_mass > 0.0 || body.inverse_inertia != DMat3::ZERO
}

/// The rows in groups between the same two bodies, as ranges of `rows`.
fn nodes(rows: &[usize], all: &[SolverRow]) -> Vec<Range<usize>> {
    let mut nodes: Vec<Range<usize>> = Vec::new();
    for (at, &index) in rows.iter().enumerate() {
        match nodes.last_mut() {
            Some(node) if all[rows[node.start]].bodies == all[index].bodies => node.end += 1,
            _ => nodes.push(at..at + 1),
        }
    }
    nodes
}
