//! Joints that hold, by elimination: bodies connected by joints, and the multipliers of the joints' rows.
//!
//! Accelerations, velocities and displacements all are corrected by the same system (K 2.13). With the rows J and the inverse masses W,
//!
//! ```text
//! x' = x + W Jᵀ λ,     J x' + b = 0,     so     (J W Jᵀ) λ = −(J x + b)
//! ```
//!
//! which is sparse: rows are coupled by the bodies they share. It is factored as L D Lᵀ, joint by joint, in an order that leaves chains
//! and trees without fill (minimum degree), so that they cost linear time. Rows that say nothing new are left out by their pivot: a
//! closed loop, three nails on a staircase, a stretched four-bar linkage. Where pivots are small the solution is refined by what the rows
//! still miss.

use super::line::{Line, Mobility, NOBODY, Twist, coupling};
use crate::solver::direct::elimination::Elimination;
use crate::solver::direct::factor::Factor;
use crate::solver::lcp::{Square, biconjugate_gradients};
use std::collections::BTreeMap;

/// A row of which no more than this part of its diagonal is left when its turn comes says what the rows before it say.
pub(super) const REDUNDANT: f64 = 1e-12;

/// Below this part the solution is refined.
const DOUBTFUL: f64 = 1e-4;

/// The residual at which biconjugate gradients end.
const GRADIENTS: f64 = 1e-13;

/// How often a solution is refined at most.
const REFINEMENTS: usize = 3;

/// Bodies that are connected by joints.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// Their slots.
    pub(super) bodies: Vec<usize>,
    /// The rows of the joints, joint after joint.
    pub(super) lines: Vec<Line>,
    /// How many rows each joint has, for which the order was found.
    sizes: Vec<usize>,
    elimination: Option<Elimination>,
    factor: Factor,
    responses: Vec<[Twist; 2]>,
    counts: Vec<bool>,
    /// The smallest pivot of a row that counts, of its diagonal.
    pub(super) smallest: f64,
    /// Whether there is a closed loop.
    pub(super) loops: bool,
    /// Whether it is solved by biconjugate gradients, beginning with the multipliers of the time before.
    pub(super) iterative: bool,
    pub(super) guess: Vec<f64>,
}

impl Tree {
    /// Of these bodies.
    pub(super) fn of(bodies: Vec<usize>) -> Self {
        Self { bodies, ..Self::default() }
    }

    /// Factors for the rows in `lines`, of which each joint has as many as `sizes` says. Rows with pivots below `least` are redundant.
    pub(super) fn factor(&mut self, sizes: &[usize], mobilities: &[Mobility], least: f64) {
        if self.lines.is_empty() {
            return;
        }
        if self.elimination.is_none() || self.sizes != sizes {
            self.analyse(sizes, mobilities);
        }
        let Self { lines, elimination, factor, responses, counts, .. } = self;
        let Some(elimination) = elimination else { return };
        responses.clear();
        responses.extend(lines.iter().map(|line| line.response(mobilities)));
        counts.clear();
        counts.resize(lines.len(), true);
        let entry = |i: usize, j: usize| coupling(&lines[i], lines[j].bodies, &responses[j]);
        self.smallest = factor.factor(elimination, entry, counts, least);
    }

    fn analyse(&mut self, sizes: &[usize], mobilities: &[Mobility]) {
        self.sizes = sizes.to_vec();
        let moves = |slot: usize| slot != NOBODY && mobilities.get(slot).is_some_and(|m| m.mass > 0.0);
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut first = 0;
        for (node, &size) in sizes.iter().enumerate() {
            let mut bodies = self.lines.get(first).map_or([NOBODY; 2], |line| line.bodies);
            if bodies[0] == bodies[1] {
                bodies[1] = NOBODY;
            }
            bodies.into_iter().filter(|&slot| moves(slot)).for_each(|slot| groups.entry(slot).or_default().push(node));
            first += size;
        }
        let groups: Vec<Vec<usize>> = groups.into_values().collect();
        self.elimination = Elimination::new(sizes, &groups, f64::INFINITY);
    }

    /// Forgets the order of elimination: the joints are other ones.
    pub(super) fn forget(&mut self) {
        self.elimination = None;
    }

    /// Changes the motions of the bodies so that `J x + b = 0` for every row, by multipliers that are added to `multipliers`.
    pub(super) fn hold(&self, motions: &mut [Twist], bias: impl Fn(usize) -> f64, multipliers: &mut [f64]) {
        let Some(elimination) = self.elimination.as_ref().filter(|_| !self.lines.is_empty()) else { return };
        let missed = |motions: &[Twist], i: usize| {
            if self.counts[i] { -(self.lines[i].rate(motions) + bias(i)) } else { 0.0 }
        };
        let mut changes: Vec<f64> = (0..self.lines.len()).map(|i| missed(motions, i)).collect();
        if self.iterative {
            self.approach(motions, &changes, multipliers);
            return;
        }
        let rounds = if self.smallest < DOUBTFUL { REFINEMENTS } else { 1 };
        let mut last = f64::INFINITY;
        let mut room = self.factor.room();
        for _ in 0..rounds {
            self.factor.solve_in(&mut room, elimination, &mut changes);
            for (i, change) in changes.iter().enumerate().filter(|(_, change)| **change != 0.0) {
                multipliers[i] += change;
                self.push(motions, i, *change);
            }
            if rounds == 1 {
                break;
            }
            changes.iter_mut().enumerate().for_each(|(i, change)| *change = missed(motions, i));
            let now = changes.iter().fold(0.0_f64, |most, miss| most.max(miss.abs()));
            if now.is_nan() || now >= 0.5 * last || now == 0.0 {
                break;
            }
            last = now;
        }
    }

    /// Biconjugate gradients on the whole matrix J W Jᵀ, as K did it; redundant rows do no harm.
    fn approach(&self, motions: &mut [Twist], right: &[f64], multipliers: &mut [f64]) {
        let n = self.lines.len();
        let mut numbers = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..n {
                numbers[i * n + j] = coupling(&self.lines[i], self.lines[j].bodies, &self.responses[j]);
            }
        }
        let mut solution = if self.guess.len() == n { self.guess.clone() } else { vec![0.0; n] };
        biconjugate_gradients(Square { numbers: &numbers, size: n }, right, &mut solution, GRADIENTS, 4 * n + 40);
        for (i, &value) in solution.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            multipliers[i] += value;
            self.push(motions, i, value);
        }
    }

    fn push(&self, motions: &mut [Twist], line: usize, multiplier: f64) {
        for k in 0..2 {
            if let Some(motion) = motions.get_mut(self.lines[line].bodies[k]) {
                motion.add(&self.responses[line][k], multiplier);
            }
        }
    }
}
