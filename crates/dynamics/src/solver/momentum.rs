//! Turns the sweeps into a conjugate gradient (Silcowitz, Niebe and Erleben 2010).
//!
//! A sweep changes λ by r, which plays the part of the negative gradient. Instead of r alone, the next point is reached
//! along `p ← r + β p` with β = |r|² / |r before|², which remembers where earlier sweeps were heading. Where that would
//! grow (β > 1, a bound came or went) it starts anew. Long stacks and chains need √n times fewer sweeps.

use super::block::PreparedRow;
use super::{Problem, SolverRow};

/// Where earlier sweeps were heading.
pub(super) struct Momentum {
    before: Vec<f64>,
    direction: Vec<f64>,
    square: f64,
}

impl Momentum {
    pub(super) fn new(rows: usize) -> Self {
        Self { before: vec![0.0; rows], direction: vec![0.0; rows], square: f64::INFINITY }
    }

    pub(super) fn before_sweep(&mut self, rows: &[SolverRow]) {
        self.before.iter_mut().zip(rows).for_each(|(before, row)| *before = row.impulse);
    }

    pub(super) fn after_sweep(&mut self, problem: &mut Problem<'_>, prepared: &[PreparedRow]) {
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
