//! Sweeps: block after block is solved, over and over, until nothing changes any more (projected Gauss–Seidel).

use super::Convergence;
use super::block::Blocks;
use super::system::{Motion, System};

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
        system: &mut System,
        blocks: &Blocks,
        momentum: &mut Momentum,
        mut before: impl FnMut(&mut System),
    ) -> Convergence {
        momentum.reset(system);
        let mut reached = Convergence::default();
        for _ in 0..self.iterations {
            before(system);
            momentum.before_sweep(system);
            let residual = blocks.sweep(system);
            reached = Convergence { sweeps: reached.sweeps + 1, residual, ..reached };
            if residual <= self.tolerance {
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
    velocities: Vec<Motion>,
    velocity_directions: Vec<Motion>,
    square: f64,
}

impl Momentum {
    fn reset(&mut self, system: &System) {
        self.impulse_directions.clear();
        self.impulse_directions.resize(system.impulses.len(), 0.0);
        self.velocity_directions.clear();
        self.velocity_directions.resize(system.velocities.len(), [0.0; 6]);
        self.square = f64::INFINITY;
    }

    fn before_sweep(&mut self, system: &System) {
        self.impulses.clone_from(&system.impulses);
        self.velocities.clone_from(&system.velocities);
    }

    fn after_sweep(&mut self, system: &mut System) {
        let square: f64 =
            system.impulses.iter().zip(&self.impulses).map(|(now, before)| now - before).map(|r| r * r).sum();
        let beta = if square <= self.square && self.square.is_finite() { square / self.square } else { 0.0 };
        self.square = square;
        carry(beta, &mut system.impulses, &self.impulses, &mut self.impulse_directions);
        carry(
            beta,
            system.velocities.as_flattened_mut(),
            self.velocities.as_flattened(),
            self.velocity_directions.as_flattened_mut(),
        );
    }
}

/// `p ← r + β p` with r = now − before, and `now ← before + p`.
fn carry(beta: f64, now: &mut [f64], before: &[f64], directions: &mut [f64]) {
    for ((now, before), direction) in now.iter_mut().zip(before).zip(directions) {
        let r = *now - before;
        let carried = beta * *direction;
        *now += carried;
        *direction = carried + r;
    }
}
