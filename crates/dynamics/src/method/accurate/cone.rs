//! Complementarity with friction: multipliers within their cones and bounds, and rates that oppose them (Signorini, Coulomb).
//!
//! Given A and b, find λ in K with `w = A λ + b` such that every block obeys its law: a normal force pushes or its surfaces part, friction
//! within its cone holds and on its cone pushes against what slides, a bounded force gives way only at its bounds. With
//! de Saxcé's shift, w_n + Σ μ |w_t| in place of w_n, Coulomb's law is one statement of convex analysis, `K ∋ λ ⊥ w̃ ∈ K*`, with the exact
//! circular cone. It is solved by the alternating direction method of multipliers (ADMM): an inner system that is linear, and a projection
//! onto the cones,
//!
//! ```text
//! x = (A + ρ)⁻¹ (ρ z + y − b̃),     z = proj_K (x' − y/ρ),     y ← y − ρ (x' − z),     x' = 1.6 x − 0.6 z
//! ```
//!
//! with ρ between the largest and the smallest eigenvalue. It also converges at the friction angle and with redundant
//! contacts, where sweeps over the contacts stall.

use super::dense::Matrix;
use std::ops::Range;

/// Rows that belong together.
#[derive(Clone, Debug)]
pub(super) enum Block {
    /// A normal force with frictions, each a range of rows and a coefficient.
    Contact { normal: usize, frictions: Vec<(Range<usize>, f64)> },
    /// A force between bounds.
    Bounded { row: usize, min: f64, max: f64 },
}

impl Block {
    /// The row of its normal force, if it has one.
    pub(super) fn normal(&self) -> Option<usize> {
        match self {
            Self::Contact { normal, .. } => Some(*normal),
            Self::Bounded { .. } => None,
        }
    }
}

/// How many rounds at most.
const ROUNDS: usize = 4000;

/// Multipliers are found to this part of the largest.
const FINE: f64 = 1e-13;

/// Multipliers and rates; whether they converged.
#[derive(Clone, Debug)]
pub(super) struct Solution {
    pub(super) lambda: Vec<f64>,
    pub(super) rates: Vec<f64>,
    pub(super) converged: bool,
    /// How many rounds it took.
    pub(super) rounds: usize,
}

/// Solves for the rows of some blocks; none if the matrix cannot be factored.
pub(super) fn solve(matrix: &Matrix, b: &[f64], blocks: &[Block]) -> Option<Solution> {
    let n = b.len();
    let trace = (0..n).map(|i| matrix.get(i, i)).sum::<f64>() / n.max(1) as f64;
    if trace.is_nan() || trace <= 0.0 {
        return None;
    }
    let a = Matrix::from_fn(n, |i, j| matrix.get(i, j) / trace);
    let b: Vec<f64> = b.iter().map(|b| b / trace).collect();
    let symmetric = Matrix::from_fn(n, |i, j| 0.5 * (a.get(i, j) + a.get(j, i)));
    let (_, smallest) = symmetric.range(1e-8);
    let mut rho = (largest_eigenvalue(&symmetric) * smallest.max(1e-8)).sqrt();
    let mut inner = shifted(&a, rho).inverse()?;
    let (mut z, mut y) = (vec![0.0; n], vec![0.0; n]);
    let (mut converged, mut rounds) = (false, 0);
    // Where nothing presses, the multipliers there could be are what to compare with.
    let least = b.iter().fold(f64::MIN_POSITIVE, |most, value| most.max(0.1 * value.abs()));
    for round in 1..=ROUNDS {
        rounds = round;
        let shift = shifts(blocks, &y, n);
        let right: Vec<f64> = (0..n).map(|i| rho * z[i] + y[i] - b[i] - shift[i]).collect();
        let x = inner.times(&right);
        let relaxed: Vec<f64> = x.iter().zip(&z).map(|(x, z)| 1.6 * x - 0.6 * z).collect();
        let mut next: Vec<f64> = relaxed.iter().zip(&y).map(|(x, y)| x - y / rho).collect();
        blocks.iter().for_each(|block| project(block, &mut next));
        (0..n).for_each(|i| y[i] -= rho * (relaxed[i] - next[i]));
        let apart = |u: &[f64], v: &[f64]| u.iter().zip(v).map(|(u, v)| (u - v).abs()).fold(0.0, f64::max);
        let (primal, dual) = (apart(&x, &next), apart(&next, &z));
        let size = next.iter().fold(least, |most, value| most.max(value.abs()));
        z = next;
        if primal.max(dual) <= FINE * size {
            converged = true;
            break;
        }
        if round % 40 == 0 {
            let ratio = primal / dual.max(f64::MIN_POSITIVE);
            let factor = if ratio > 10.0 {
                ratio.sqrt().min(4.0)
            } else if ratio < 0.1 {
                ratio.sqrt().max(0.25)
            } else {
                1.0
            };
            if factor != 1.0 {
                rho *= factor;
                inner = shifted(&a, rho).inverse()?;
            }
        }
    }
    let rates = a.times(&z).iter().zip(&b).map(|(a, b)| (a + b) * trace).collect();
    Some(Solution { lambda: z, rates, converged, rounds })
}

fn shifted(matrix: &Matrix, by: f64) -> Matrix {
    Matrix::from_fn(matrix.size, |i, j| matrix.get(i, j) + if i == j { by } else { 0.0 })
}

fn largest_eigenvalue(matrix: &Matrix) -> f64 {
    let n = matrix.size;
    let mut x: Vec<f64> = (0..n).map(|i| 1.0 + 0.1 * (i % 7) as f64).collect();
    let mut size = 1.0;
    for _ in 0..30 {
        let next = matrix.times(&x);
        size = next.iter().map(|x| x * x).sum::<f64>().sqrt();
        if size == 0.0 {
            return 1.0;
        }
        x = next.into_iter().map(|x| x / size).collect();
    }
    size
}

fn length(list: &[f64]) -> f64 {
    list.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// De Saxcé's shift: what is added to the normal rates.
fn shifts(blocks: &[Block], rates: &[f64], n: usize) -> Vec<f64> {
    let mut shift = vec![0.0; n];
    for block in blocks {
        if let Block::Contact { normal, frictions } = block {
            shift[*normal] = frictions.iter().map(|(rows, mu)| mu * length(&rates[rows.clone()])).sum();
        }
    }
    shift
}

/// The nearest point of a block's cone or interval.
fn project(block: &Block, x: &mut [f64]) {
    match block {
        Block::Bounded { row, min, max } => x[*row] = x[*row].max(*min).min(*max),
        Block::Contact { normal, frictions } => {
            // The normal force N that makes (N − x_n)² + Σ (|x_t| − μ N)₊² least: those outside of their cones count.
            let sizes: Vec<f64> = frictions.iter().map(|(rows, _)| length(&x[rows.clone()])).collect();
            let mut force = x[*normal];
            for _ in 0..=frictions.len() {
                let (mut top, mut below) = (x[*normal], 1.0);
                for ((_, mu), size) in frictions.iter().zip(&sizes) {
                    if *size > mu * force {
                        top += mu * size;
                        below += mu * mu;
                    }
                }
                force = top / below;
            }
            let force = force.max(0.0);
            x[*normal] = force;
            for ((rows, mu), size) in frictions.iter().zip(&sizes) {
                if *size > mu * force {
                    let share = if *size > 0.0 { mu * force / size } else { 0.0 };
                    x[rows.clone()].iter_mut().for_each(|x| *x *= share);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random contacts, some redundant: Signorini's and Coulomb's laws hold.
    #[test]
    fn random_contacts_obey_their_laws() {
        let mut random = fastrand::Rng::with_seed(12);
        for case in 0..40 {
            let contacts = 1 + case % 5;
            let n = 3 * contacts;
            // Fewer degrees of freedom than rows for the larger ones.
            let freedoms = 8;
            let j: Vec<Vec<f64>> = (0..n).map(|_| (0..freedoms).map(|_| random.f64() - 0.5).collect()).collect();
            let a = Matrix::from_fn(n, |i, k| j[i].iter().zip(&j[k]).map(|(x, y)| x * y).sum());
            let motion: Vec<f64> = (0..freedoms).map(|_| random.f64() - 0.5).collect();
            let b: Vec<f64> = j.iter().map(|row| row.iter().zip(&motion).map(|(x, y)| x * y).sum()).collect();
            let mu = 0.3 + 0.1 * (case % 4) as f64;
            let blocks: Vec<Block> = (0..contacts)
                .map(|c| Block::Contact { normal: 3 * c, frictions: vec![(3 * c + 1..3 * c + 3, mu)] })
                .collect();
            let found = solve(&a, &b, &blocks).unwrap();
            assert!(found.converged, "case {case}");
            for c in 0..contacts {
                let (l, w) = (&found.lambda[3 * c..3 * c + 3], &found.rates[3 * c..3 * c + 3]);
                let (force, slip) = (length(&l[1..]), length(&w[1..]));
                assert!(l[0] >= 0.0 && w[0] > -1e-10 && (l[0] * w[0]).abs() < 1e-10, "case {case}: {l:?} {w:?}");
                assert!(force <= mu * l[0] * (1.0 + 1e-12));
                // Dissipation is as large as the cone allows: −λ_t·w_t = μ N |w_t|.
                let work = l[1] * w[1] + l[2] * w[2];
                assert!((work + mu * l[0] * slip).abs() < 1e-10, "case {case}: {l:?} {w:?}");
            }
        }
    }
}
