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

use super::{Bounds, ConstraintSolver, Problem, SolverBody, SolverRow};
use glam::{DMat3, DVec3};
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
    fn solve(&self, problem: &mut Problem<'_>) {
        let prepared: Vec<PreparedRow> = problem.rows.iter().map(|row| PreparedRow::new(row, problem.bodies)).collect();
        let blocks = blocks(problem.rows, &prepared);
        warm_start(problem, &prepared);
        let mut momentum = Momentum::new(problem.rows.len());
        for _ in 0..self.iterations {
            momentum.before_sweep(problem.rows);
            let change = blocks.iter().map(|block| block.solve(problem, &prepared)).fold(0.0, f64::max);
            if change <= self.tolerance {
                break;
            }
            momentum.after_sweep(problem, &prepared);
        }
        // What the last step of the conjugate gradient may have left outside the bounds is brought back.
        blocks.iter().for_each(|block| {
            block.solve(problem, &prepared);
        });
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

/// `W Jᵀ` of a row, which stays the same during a solve.
struct PreparedRow {
    linear: [DVec3; 2],
    angular: [DVec3; 2],
}

impl PreparedRow {
    fn new(row: &SolverRow, bodies: &[SolverBody]) -> Self {
        let [a, b] = row.bodies.map(|index| &bodies[index]);
        Self {
            linear: [row.jacobian.linear[0] * a.inverse_mass, row.jacobian.linear[1] * b.inverse_mass],
            angular: [a.inverse_inertia * row.jacobian.angular[0], b.inverse_inertia * row.jacobian.angular[1]],
        }
    }

    /// Adds `W Jᵀ λ` to the velocities.
    fn apply(&self, row: &SolverRow, bodies: &mut [SolverBody], impulse: f64) {
        for side in 0..2 {
            let body = &mut bodies[row.bodies[side]];
            body.velocity += self.linear[side] * impulse;
            body.angular_velocity += self.angular[side] * impulse;
        }
    }
}

/// One row, or the rows of a friction vector, solved together. With K = J W Jᵀ + γ of these rows:
struct Block {
    first: usize,
    size: usize,
    /// K⁻¹; zero if nothing can change the rows.
    inverse: DMat3,
    /// A bound of 1 / (largest eigenvalue of K) from below: the step of a gradient that cannot overshoot.
    step: f64,
}

/// The blocks of a problem, in the order of its rows.
fn blocks(rows: &[SolverRow], prepared: &[PreparedRow]) -> Vec<Block> {
    let mut blocks = Vec::with_capacity(rows.len());
    let mut first = 0;
    while first < rows.len() {
        let block = Block::new(rows, prepared, first);
        first += block.size;
        blocks.push(block);
    }
    blocks
}

impl Block {
    fn new(rows: &[SolverRow], prepared: &[PreparedRow], first: usize) -> Self {
        let size = match rows[first].bounds {
            Bounds::Cone { rows: size, .. } => size.clamp(1, 3).min(rows.len() - first),
            Bounds::Range { .. } | Bounds::ConeMember => 1,
        };
        let mut k = [[0.0; 3]; 3];
        for (i, line) in k.iter_mut().enumerate() {
            line[i] = 1.0;
            for (j, entry) in line.iter_mut().enumerate().filter(|&(j, _)| i < size && j < size) {
                let other = &prepared[first + j];
                let softness = if i == j { rows[first + i].gamma } else { 0.0 };
                *entry = rows[first + i].jacobian.dot(other.linear, other.angular) + softness;
            }
        }
        // The largest eigenvalue is at most the largest sum of a line (Gershgorin).
        let largest = k[..size].iter().map(|line| line[..size].iter().map(|x| x.abs()).sum()).fold(0.0, f64::max);
        let matrix = DMat3::from_cols_array_2d(&k);
        // For one row this is the exact reciprocal; a singular friction block falls back to gradient steps.
        let solvable = largest > f64::MIN_POSITIVE;
        let step = if solvable { 1.0 / largest } else { 0.0 };
        let conditioned = matrix.determinant() > 1e-9 * (0..size).fold(1.0, |volume, _| volume * largest);
        let inverse = match size {
            1 => DMat3::from_diagonal(DVec3::new(step, 0.0, 0.0)),
            _ if solvable && conditioned => matrix.inverse(),
            _ => DMat3::from_diagonal(DVec3::splat(step)),
        };
        Self { first, size, inverse, step }
    }

    /// Solves the block and returns the largest change of a row's velocity.
    fn solve(&self, problem: &mut Problem<'_>, prepared: &[PreparedRow]) -> f64 {
        let rows = self.first..self.first + self.size;
        let (mut impulse, mut excess) = (DVec3::ZERO, DVec3::ZERO);
        for (k, row) in problem.rows[rows.clone()].iter().enumerate() {
            impulse[k] = row.impulse;
            excess[k] = row.rate(problem.bodies) + row.bias + row.gamma * row.impulse;
        }
        let mut wanted = impulse - self.inverse * excess;
        match problem.rows[self.first].bounds {
            Bounds::Range { min, max } => wanted.x = wanted.x.max(min).min(max),
            Bounds::Cone { normal, stick, slip, .. } => {
                let pressure = problem.rows.get(normal).map_or(0.0, |row| row.impulse.max(0.0));
                if wanted.length() > stick * pressure {
                    // Slipping friction opposes the velocity: the fixed point of this projected gradient step.
                    wanted = (impulse - self.step * excess).normalize_or_zero() * (slip * pressure);
                }
            }
            // Reached only where a vector of rows was begun wrongly: such a row has no effect.
            Bounds::ConeMember => wanted = DVec3::ZERO,
        }
        let delta = wanted - impulse;
        for (k, index) in rows.enumerate() {
            let row = &mut problem.rows[index];
            row.impulse = wanted[k];
            prepared[index].apply(row, problem.bodies, delta[k]);
        }
        if self.step > 0.0 { delta.length() / self.step } else { 0.0 }
    }
}
