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

use super::block::{PreparedRow, blocks};
use super::{ConstraintSolver, Convergence, Problem, SolverRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Projected Gauss–Seidel on accumulated impulses, warm started.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SequentialImpulses {
    /// How many sweeps over all rows at most. Default 100.
    #[schemars(range(min = 1, max = 10000))]
    pub iterations: usize,
    /// Stop when no impulse of a sweep changed a velocity by more than this, in m/s. Default 1e-10.
    #[schemars(range(min = 0.0), extend("unit" = "m/s"))]
    pub tolerance: f64,
}

impl Default for SequentialImpulses {
    fn default() -> Self {
        Self { iterations: 100, tolerance: 1e-10 }
    }
}

impl ConstraintSolver for SequentialImpulses {
    fn solve(&self, problem: &mut Problem<'_>) -> Convergence {
        let prepared: Vec<PreparedRow> = problem.rows.iter().map(|row| PreparedRow::new(row, problem.bodies)).collect();
        let blocks = blocks(problem.rows, &prepared);
        warm_start(problem, &prepared);
        let mut momentum = Momentum::new(problem.rows.len());
        let mut reached = Convergence::default();
        for _ in 0..self.iterations {
            momentum.before_sweep(problem.rows);
            let residual = blocks.iter().map(|block| block.solve(problem, &prepared)).fold(0.0, f64::max);
            reached = Convergence { sweeps: reached.sweeps + 1, residual };
            if residual <= self.tolerance {
                break;
            }
            momentum.after_sweep(problem, &prepared);
        }
        // What the last step of the conjugate gradient may have left outside the bounds is brought back.
        blocks.iter().for_each(|block| {
            block.solve(problem, &prepared);
        });
        reached
    }

    fn clone_box(&self) -> Box<dyn ConstraintSolver> {
        Box::new(*self)
    }
}

/// Turns the sweeps into a conjugate gradient (Silcowitz, Niebe and Erleben 2010).
///
/// A sweep changes λ by r, which plays the part of the negative gradient. Instead of r alone, the next point is reached
/// along `p ← r + β p` with β = |r|² / |r before|², which remembers where earlier sweeps were heading. Where that would
/// grow (β > 1, a bound came or went) it starts anew. Long stacks and chains need √n times fewer sweeps.
struct Momentum {
    before: Vec<f64>,
    direction: Vec<f64>,
    square: f64,
}

impl Momentum {
    fn new(rows: usize) -> Self {
        Self { before: vec![0.0; rows], direction: vec![0.0; rows], square: f64::INFINITY }
    }

    fn before_sweep(&mut self, rows: &[SolverRow]) {
        self.before.iter_mut().zip(rows).for_each(|(before, row)| *before = row.impulse);
    }

    fn after_sweep(&mut self, problem: &mut Problem<'_>, prepared: &[PreparedRow]) {
        let change = |row: &SolverRow, before: &f64| row.impulse - before;
        let square: f64 =
            problem.rows.iter().zip(&self.before).map(|(row, before)| change(row, before)).map(|r| r * r).sum();
        let beta = if square <= self.square && self.square.is_finite() { square / self.square } else { 0.0 };
        self.square = square;
        for (index, row) in problem.rows.iter_mut().enumerate() {
            let r = change(row, &self.before[index]);
            let carried = beta * self.direction[index];
            row.impulse += carried;
            prepared[index].apply(row, problem.bodies, carried);
            self.direction[index] = carried + r;
        }
    }
}

/// Starts from the multiple of the given impulses that suits the problem best.
///
/// The solution minimises `φ(λ) = ½ v'ᵀ M v' + bᵀλ + ½ λᵀγλ`, for b = 0 the kinetic energy after the impulses. Along the
/// given λ that is a parabola, with its minimum at `s = −λ·(J v + b) / λ·(J W Jᵀ λ + γ λ)`. Taking s between 0 and 1 means
/// that a start that has become wrong never adds energy that a few sweeps could not take out again.
fn warm_start(problem: &mut Problem<'_>, prepared: &[PreparedRow]) {
    let along = |problem: &Problem<'_>| -> f64 {
        let slope = |row: &SolverRow| row.impulse * row.rate(problem.bodies);
        problem.rows.iter().map(slope).sum()
    };
    let before = along(problem);
    for (row, prepared) in problem.rows.iter().zip(prepared) {
        prepared.apply(row, problem.bodies, row.impulse);
    }
    let curvature =
        along(problem) - before + problem.rows.iter().map(|row| row.gamma * row.impulse * row.impulse).sum::<f64>();
    let slope = before + problem.rows.iter().map(|row| row.impulse * row.bias).sum::<f64>();
    let scale = if curvature > 0.0 { (-slope / curvature).clamp(0.0, 1.0) } else { 0.0 };
    for (row, prepared) in problem.rows.iter_mut().zip(prepared) {
        prepared.apply(row, problem.bodies, (scale - 1.0) * row.impulse);
        row.impulse *= scale;
    }
}
