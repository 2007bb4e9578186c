//! Rows that hold, as a linear system (subspace minimisation; Silcowitz, Niebe and Erleben 2010).
//!
//! Sweeps soon find out which contacts press, which friction sticks and which limits are reached, but not how strongly: under
//! a tonne, a force has to travel up and down a stack of light boxes hundreds of times. Yet rows strictly within their bounds are
//! equalities, like joints; only it is not known whether they will stay within. So, once sweeps have had a while to find them, a
//! step of Newton's method is taken with these rows alone,
//!
//! ```text
//! (J W Jᵀ + γ + ε D) Δλ = −(J v + b + γ λ),    D = diag(J W Jᵀ + γ),
//! ```
//!
//! what left its bounds is brought back, and more sweeps follow. The small ε shares the load among rows that say the same, such
//! as the four corners of a box; what it leaves undone, a few refinements do.
//!
//! **It does no harm.** The solution minimises `φ(λ) = ½ v'ᵀ M v' + bᵀλ + ½ λᵀγλ`, whose gradient is g = J v' + b + γ λ. It is quadratic,
//! so that a step changes it by exactly `½ Δλ·(g before + g after)`; a step that does not lower it is taken back. Where rows
//! contradict each other, such as a rope that holds two overlapping boxes together, φ falls without end along ever larger impulses.
//! There the rows still miss what they missed before, or the impulses are much larger than sweeps found them to be, and
//! the step is taken back, too.

use super::elimination::Elimination;
use super::factor::Factor;
use super::joints::{Joints, coupling_of_masses};
use super::structure::Structure;
use crate::solver::SolverBody;
use crate::solver::block::Blocks;
use crate::solver::system::{Motion, System};
use glam::DMat3;

/// ε: small beside 10⁻⁵, which the softest mode of ten boxes under a thousandfold weight has of the diagonal; large beside rounding.
const REGULARISATION: f64 = 1e-7;

/// A diagonal of which no more than this part is left has no right digit any more.
const ROUNDING: f64 = 1e-14;

/// How often the system is solved for what is still missed.
const REFINEMENTS: usize = 3;

/// The part of what the rows missed that they may miss after the step.
const MISSED: f64 = 0.01;

/// How many times as large as before the impulses may be, as the root of the sum of D λ².
const GROWTH: f64 = 10.0;

/// The rows of a problem that hold at the moment.
#[derive(Debug, Default)]
pub(in crate::solver) struct Holding {
    rows: Vec<usize>,
    counts: Vec<bool>,
    structure: Structure,
    factor: Factor,
    changes: Vec<f64>,
    /// Impulses, motions and gradient before the step.
    impulses: Vec<f64>,
    motions: Vec<Motion>,
    gradient: Vec<f64>,
}

impl Holding {
    /// Takes a step. Whether it was taken: not if it would need more than `budget` multiplications, or does not help.
    pub(super) fn step(
        &mut self,
        system: &mut System,
        blocks: &Blocks,
        joints: &Joints,
        bodies: &[SolverBody],
        budget: f64,
    ) -> bool {
        self.rows.clear();
        self.rows.extend(joints.counting());
        blocks.collect_holding(system, &mut self.rows);
        self.rows.sort_unstable();
        let is_moved = |body: usize| {
            let body = &bodies[system.bodies[body]];
            body.inverse_mass > 0.0 || body.inverse_inertia != DMat3::ZERO
        };
        self.structure.load(system, &self.rows, is_moved, budget);
        let Some(elimination) = self.structure.elimination() else { return false };
        factor(&mut self.factor, &mut self.counts, elimination, system, &self.rows);
        self.impulses.clone_from(&system.impulses);
        self.motions.clone_from(&system.motions);
        self.gradient.clear();
        self.gradient.extend((0..system.rows.len()).map(|row| system.excess(row)));
        let before = (miss(system, &self.rows), size(system, &self.rows));
        for _ in 0..REFINEMENTS {
            self.changes.clear();
            self.changes.extend(self.rows.iter().map(|&row| -system.excess(row)));
            self.factor.solve(elimination, &mut self.changes);
            self.rows.iter().zip(&self.changes).for_each(|(&row, &change)| system.push(row, change));
        }
        let after = (miss(system, &self.rows), size(system, &self.rows));
        blocks.project(system);
        let step = |row: usize| system.impulses[row] - self.impulses[row];
        let change = |row: usize| 0.5 * step(row) * (self.gradient[row] + system.excess(row));
        let lowered: f64 = (0..system.rows.len()).map(change).sum();
        // Comparisons with what is no number are false.
        let is_sound = after.0 <= MISSED * before.0 && after.1 <= GROWTH * GROWTH * before.1;
        let helps = is_sound && lowered < 0.0 && lowered.is_finite();
        if !helps {
            system.impulses.clone_from(&self.impulses);
            system.motions.clone_from(&self.motions);
        }
        helps
    }
}

/// The most by which a row misses what it demands.
fn miss(system: &System, rows: &[usize]) -> f64 {
    rows.iter().map(|&row| system.excess(row).abs()).fold(0.0, |most, miss| if miss <= most { most } else { miss })
}

/// The sum of D λ².
fn size(system: &System, rows: &[usize]) -> f64 {
    let diagonal = |row: usize| coupling_of_masses(system, row, row) + system.rows[row].gamma;
    rows.iter().map(|&row| diagonal(row) * system.impulses[row] * system.impulses[row]).sum()
}

fn factor(factor: &mut Factor, counts: &mut Vec<bool>, elimination: &Elimination, system: &System, rows: &[usize]) {
    let entry = |i: usize, j: usize| {
        let coupling = coupling_of_masses(system, rows[i], rows[j]);
        if i == j { (coupling + system.rows[rows[i]].gamma) * (1.0 + REGULARISATION) } else { coupling }
    };
    counts.clear();
    counts.resize(rows.len(), true);
    factor.factor(elimination, entry, counts, ROUNDING);
}
