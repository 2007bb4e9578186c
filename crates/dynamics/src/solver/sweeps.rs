//! Sweeps: block after block is solved, over and over, until nothing changes any more.

use super::block::{Block, PreparedRow};
use super::{Convergence, Problem, SolverRow};

/// How long to sweep.
pub(super) struct Sweeps {
    /// At most so many times.
    pub(super) iterations: usize,
    /// Until no impulse of a sweep changed a velocity by more than this.
    pub(super) tolerance: f64,
}

impl Sweeps {
    /// Sweeps over `blocks`, each time after having done something else `before`.
    pub(super) fn solve(
        &self,
        problem: &mut Problem<'_>,
        prepared: &[PreparedRow],
        blocks: &[Block],
        before: impl Fn(&mut Problem<'_>),
    ) -> Convergence {
        let sweep =
            |problem: &mut Problem<'_>| blocks.iter().map(|block| block.solve(problem, prepared)).fold(0.0, f64::max);
        let mut momentum = Momentum::new(problem.rows.len());
        let mut reached = Convergence::default();
        for _ in 0..self.iterations {
            before(problem);
            momentum.before_sweep(problem.rows);
            let residual = sweep(problem);
            reached = Convergence { sweeps: reached.sweeps + 1, residual };
            if residual <= self.tolerance {
                break;
            }
            momentum.after_sweep(problem, prepared);
        }
        // What the last step of the conjugate gradient may have left outside the bounds is brought back.
        sweep(problem);
        reached
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
