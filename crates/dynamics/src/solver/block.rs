//! Solving one row, or the rows of a friction vector together, with all else held fixed: what every iterative solver
//! does again and again.

use super::{Bounds, Problem, SolverBody, SolverRow};
use glam::{DMat3, DVec3};

/// `W Jᵀ` of a row, which stays the same during a solve.
pub(super) struct PreparedRow {
    linear: [DVec3; 2],
    angular: [DVec3; 2],
}

impl PreparedRow {
    pub(super) fn new(row: &SolverRow, bodies: &[SolverBody]) -> Self {
        let [a, b] = row.bodies.map(|index| &bodies[index]);
        Self {
            linear: [row.jacobian.linear[0] * a.inverse_mass, row.jacobian.linear[1] * b.inverse_mass],
            angular: [a.inverse_inertia * row.jacobian.angular[0], b.inverse_inertia * row.jacobian.angular[1]],
        }
    }

    /// `J W Jᵀ` with another row: how fast this row, `own`, changes that one, `other`, per impulse.
    pub(super) fn coupling(&self, own: &SolverRow, other: &SolverRow) -> f64 {
        let mut sum = 0.0;
        for (side, body) in own.bodies.iter().enumerate() {
            for (other_side, _) in other.bodies.iter().enumerate().filter(|(_, index)| *index == body) {
                sum += self.linear[side].dot(other.jacobian.linear[other_side])
                    + self.angular[side].dot(other.jacobian.angular[other_side]);
            }
        }
        sum
    }

    /// Adds `W Jᵀ λ` to the velocities.
    pub(super) fn apply(&self, row: &SolverRow, bodies: &mut [SolverBody], impulse: f64) {
        for side in 0..2 {
            let body = &mut bodies[row.bodies[side]];
            body.velocity += self.linear[side] * impulse;
            body.angular_velocity += self.angular[side] * impulse;
        }
    }
}

/// One row, or the rows of a friction vector, solved together. With K = J W Jᵀ + γ of these rows:
pub(super) struct Block {
    first: usize,
    size: usize,
    /// K⁻¹; zero if nothing can change the rows.
    inverse: DMat3,
    /// A bound of 1 / (largest eigenvalue of K) from below: the step of a gradient that cannot overshoot.
    step: f64,
}

/// The blocks of a problem, in the order of its rows.
pub(super) fn blocks(rows: &[SolverRow], prepared: &[PreparedRow]) -> Vec<Block> {
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
            _ => 1,
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
    pub(super) fn solve(&self, problem: &mut Problem<'_>, prepared: &[PreparedRow]) -> f64 {
        let change = self.change(problem);
        self.apply(problem, prepared, change);
        self.speed(change)
    }

    /// The change of velocity that a change of the block's impulses makes, at most.
    pub(super) fn speed(&self, change: DVec3) -> f64 {
        if self.step > 0.0 { change.length() / self.step } else { 0.0 }
    }

    /// By how much the impulses must change to solve the block alone, within its bounds.
    pub(super) fn change(&self, problem: &Problem<'_>) -> DVec3 {
        let (mut impulse, mut excess) = (DVec3::ZERO, DVec3::ZERO);
        for (k, row) in problem.rows[self.first..self.first + self.size].iter().enumerate() {
            impulse[k] = row.impulse;
            excess[k] = row.rate(problem.bodies) + row.bias + row.gamma * row.impulse;
        }
        let mut wanted = impulse - self.inverse * excess;
        match problem.rows[self.first].bounds {
            Bounds::Cone { normal, stick, slip, .. } => {
                let pressure = problem.rows.get(normal).map_or(0.0, |row| row.impulse.max(0.0));
                if wanted.length() > stick * pressure {
                    // Slipping friction opposes the velocity: the fixed point of this projected gradient step.
                    wanted = (impulse - self.step * excess).normalize_or_zero() * (slip * pressure);
                }
            }
            // Reached only where a vector of rows was begun wrongly: such a row has no effect.
            Bounds::ConeMember => wanted = DVec3::ZERO,
            bounds => wanted.x = bounds.clamp(wanted.x),
        }
        wanted - impulse
    }

    /// Adds to the impulses of the block, and what that does to the velocities.
    pub(super) fn apply(&self, problem: &mut Problem<'_>, prepared: &[PreparedRow], change: DVec3) {
        for k in 0..self.size {
            let index = self.first + k;
            let row = &mut problem.rows[index];
            row.impulse += change[k];
            prepared[index].apply(row, problem.bodies, change[k]);
        }
    }

    /// Its first row.
    pub(super) fn first(&self) -> usize {
        self.first
    }

    /// The weight of its first row.
    pub(super) fn weight(&self, rows: &[SolverRow]) -> f64 {
        rows[self.first].weight
    }

    /// How deep the row is violated that the block belongs to: its own, or the normal row of a friction vector.
    pub(super) fn depth(&self, rows: &[SolverRow]) -> f64 {
        match rows[self.first].bounds {
            Bounds::Cone { normal, .. } => rows.get(normal).map_or(0.0, |row| -row.error),
            Bounds::Free => rows[self.first].error.abs(),
            Bounds::Range { min, .. } if min < 0.0 => rows[self.first].error.abs(),
            Bounds::NonNegative | Bounds::Range { .. } | Bounds::Nothing | Bounds::ConeMember => {
                -rows[self.first].error
            }
        }
    }
}

/// Starts from the multiple of the given impulses that suits the problem best.
///
/// The solution minimises `φ(λ) = ½ v'ᵀ M v' + bᵀλ + ½ λᵀγλ`, for b = 0 the kinetic energy after the impulses. Along the
/// given λ that is a parabola, with its minimum at `s = −λ·(J v + b) / λ·(J W Jᵀ λ + γ λ)`. Taking s between 0 and 1 means
/// that a start that has become wrong never adds energy that a few sweeps could not take out again.
pub(super) fn warm_start(problem: &mut Problem<'_>, prepared: &[PreparedRow]) {
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
