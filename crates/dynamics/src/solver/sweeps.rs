//! Sweeps: block after block is solved, over and over, until nothing changes any more (projected Gauss–Seidel).

use super::Convergence;
use super::block::Blocks;
use super::system::{Motion, System};
use crate::Cancel;

/// How long to sweep.
pub(super) struct Sweeps<'a> {
    /// At most so many times.
    pub(super) iterations: usize,
    /// Until no impulse of a sweep changed a velocity by more than this.
    pub(super) tolerance: f64,
    /// Or until somebody says so.
    pub(super) cancel: &'a Cancel,
}

impl Sweeps<'_> {
    /// Sweeps over `blocks`, each time after having done something else `before`, which says whether it changed anything.
    pub(super) fn solve(
        &self,
        system: &mut System,
        blocks: &Blocks,
        momentum: &mut Momentum,
        mut before: impl FnMut(&mut System) -> bool,
    ) -> Convergence {
        momentum.reset(system);
        let mut reached = Convergence::default();
        for _ in 0..self.iterations {
            if before(system) {
                momentum.remember(system);
            }
            let residual = blocks.sweep(system);
            reached = Convergence { sweeps: reached.sweeps + 1, residual, ..reached };
            if residual <= self.tolerance || self.cancel.is_cancelled() {
                break;
            }
            momentum.after_sweep(system);
        }
        // What the last step of the conjugate gradient may have left outside the bounds is brought back.
        blocks.sweep(system);
        reached
    }
}

/// Turns the sweeps into a nonlinear conjugate gradient method (Silcowitz, Niebe and Erleben 2010).
///
/// A sweep changes λ by r, which plays the part of the negative gradient. Instead of r alone, the next point is reached
/// along `p ← r + β p` with β = |r|² / |r before|², which remembers where earlier sweeps were heading. Where that would
/// grow (β > 1, a bound came or went) it starts anew. Long stacks and chains need √n times fewer sweeps.
///
/// Velocities depend linearly on λ, so they go the same way: what a sweep changed, and β times the direction before.
#[derive(Debug, Default)]
pub(super) struct Momentum {
    impulses: Vec<f64>,
    impulse_directions: Vec<f64>,
    motions: Vec<Motion>,
    motion_directions: Vec<Motion>,
    square: f64,
}

impl Momentum {
    fn reset(&mut self, system: &System) {
        self.impulse_directions.clear();
        self.impulse_directions.resize(system.impulses.len(), 0.0);
        self.motion_directions.clear();
        self.motion_directions.resize(system.motions.len(), [0.0; 6]);
        self.square = f64::INFINITY;
        self.remember(system);
    }

    /// Notes how things are before a sweep.
    fn remember(&mut self, system: &System) {
        self.impulses.clone_from(&system.impulses);
        self.motions.clone_from(&system.motions);
    }

    fn after_sweep(&mut self, system: &mut System) {
        let square = square_of_difference(&system.impulses, &self.impulses);
        let beta = if square <= self.square && self.square.is_finite() { square / self.square } else { 0.0 };
        self.square = square;
        carry(beta, &mut system.impulses, &mut self.impulses, &mut self.impulse_directions);
        carry(
            beta,
            system.motions.as_flattened_mut(),
            self.motions.as_flattened_mut(),
            self.motion_directions.as_flattened_mut(),
        );
    }
}

/// |now − before|², in four sums that need not wait for each other.
fn square_of_difference(now: &[f64], before: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    for (now, before) in now.chunks(4).zip(before.chunks(4)) {
        for ((sum, now), before) in sums.iter_mut().zip(now).zip(before) {
            *sum += (now - before) * (now - before);
        }
    }
    sums.iter().sum()
}

/// `p ← r + β p` with r = now − before, and `now ← before + p`, which is what was before the next sweep.
fn carry(beta: f64, now: &mut [f64], before: &mut [f64], directions: &mut [f64]) {
    for ((now, before), direction) in now.iter_mut().zip(before).zip(directions) {
        let r = *now - *before;
        let carried = beta * *direction;
        *now += carried;
        *before = *now;
        *direction = carried + r;
    }
}
