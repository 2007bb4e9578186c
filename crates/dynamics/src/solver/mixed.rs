//! Mixed complementarity problems: some rows hold whatever it takes, some push only, some within bounds.
//!
//! ```text
//! find λ with l ≤ λ ≤ u and w = M λ + q:   w = 0 inside,   w ≥ 0 where λ = l,   w ≤ 0 where λ = u
//! ```
//!
//! Three classic ways. **Sweeps** put one row right after the other and keep it within its bounds (projected Gauss–Seidel). **Lemke's
//! algorithm** wants `z ≥ 0` alone: rows without bounds are eliminated first (Schur complement), bounded ones are measured from a bound,
//! λ = l + z, and an upper one is a further row, `u − l − z ≥ 0`, with a multiplier of its own. **Biconjugate gradients** solve what is left
//! once it is known who presses, which is found by dropping (K 3.6): all do; whoever is beyond a bound is put there and
//! left out; whoever would rather leave it comes back.

use super::lcp::{Square, biconjugate_gradients, lemke};

/// A row of which no more than this part is left when the others have been eliminated says what they say.
const REDUNDANT: f64 = 1e-11;

/// Biconjugate gradients end at this residual.
const FINE: f64 = 1e-15;

/// Who would leave a bound by less than this, of the largest q, may stay.
const CONTENT: f64 = 1e-13;

/// What is less than this of the largest q is rounding.
const ROUNDING: f64 = 1e-13;

/// By what part of its diagonal a matrix is made definite, and what is left of the conditions then, of the largest q, at most.
const SOFTNESS: f64 = 1e-12;
const LEFT: f64 = 1e-9;

/// A mixed problem, with M semidefinite and its diagonal all ones or zeros.
#[derive(Clone, Debug, Default)]
pub(super) struct Mixed {
    /// M, row by row.
    pub(super) numbers: Vec<f64>,
    pub(super) q: Vec<f64>,
    /// l and u, either of which may be infinite.
    pub(super) bounds: Vec<[f64; 2]>,
}

/// Where a row is that is left out.
#[derive(Clone, Copy, PartialEq)]
enum At {
    Inside,
    Low,
    High,
}

impl Mixed {
    fn size(&self) -> usize {
        self.q.len()
    }

    fn matrix(&self) -> Square<'_> {
        Square { numbers: &self.numbers, size: self.size() }
    }

    fn clamp(&self, i: usize, value: f64) -> f64 {
        value.max(self.bounds[i][0]).min(self.bounds[i][1])
    }

    /// w.
    fn excess(&self, lambda: &[f64]) -> Vec<f64> {
        self.matrix().times(lambda).iter().zip(&self.q).map(|(w, q)| w + q).collect()
    }

    /// Sweeps until none changes λ by more than `tolerance`, at most so many times.
    pub(super) fn sweep(&self, lambda: &mut [f64], tolerance: f64, most: usize) {
        let n = self.size();
        for _ in 0..most {
            let mut changed = 0.0_f64;
            for i in 0..n {
                let row = &self.numbers[i * n..(i + 1) * n];
                if row[i] > 0.0 {
                    let w: f64 = self.q[i] + row.iter().zip(lambda.iter()).map(|(m, x)| m * x).sum::<f64>();
                    let next = self.clamp(i, lambda[i] - w / row[i]);
                    changed = changed.max((next - lambda[i]).abs());
                    lambda[i] = next;
                }
            }
            if changed <= tolerance {
                break;
            }
        }
    }

    /// By Lemke's algorithm. Whether there is a solution.
    pub(super) fn by_lemke(&self, lambda: &mut [f64]) -> bool {
        let n = self.size();
        let finite = |i: usize| self.bounds[i].map(f64::is_finite);
        let free: Vec<usize> = (0..n).filter(|&i| finite(i) == [false; 2]).collect();
        let bounded: Vec<usize> =
            (0..n).filter(|&i| finite(i) != [false; 2] && self.bounds[i][0] < self.bounds[i][1]).collect();
        // λ = base + sign z.
        let sign = |i: usize| if self.bounds[i][0].is_finite() { 1.0 } else { -1.0 };
        let base: Vec<f64> = (0..n)
            .map(|i| match finite(i) {
                [true, _] => self.bounds[i][0],
                [false, true] => self.bounds[i][1],
                [false, false] => 0.0,
            })
            .collect();
        let q = self.excess(&base);
        let m = |i: usize, j: usize| self.numbers[i * n + j];
        // What the rows without bounds answer to a unit of each z, and to q.
        let mut right: Vec<Vec<f64>> =
            bounded.iter().map(|&j| free.iter().map(|&i| -m(i, j) * sign(j)).collect()).collect();
        right.push(free.iter().map(|&i| -q[i]).collect());
        eliminate(free.iter().map(|&i| free.iter().map(|&j| m(i, j)).collect()).collect(), &mut right);
        let held = |i: usize, answer: &[f64]| free.iter().zip(answer).map(|(&f, x)| m(i, f) * x).sum::<f64>();
        let caps: Vec<usize> = (0..bounded.len()).filter(|&k| finite(bounded[k]) == [true; 2]).collect();
        let (count, all) = (bounded.len(), bounded.len() + caps.len());
        let mut numbers = vec![0.0; all * all];
        let mut vector = vec![0.0; all];
        for (a, &i) in bounded.iter().enumerate() {
            for (b, &j) in bounded.iter().enumerate() {
                numbers[a * all + b] = sign(i) * (m(i, j) * sign(j) + held(i, &right[b]));
            }
            vector[a] = sign(i) * (q[i] + held(i, &right[count]));
        }
        for (c, &a) in caps.iter().enumerate() {
            let [low, high] = self.bounds[bounded[a]];
            numbers[a * all + count + c] = 1.0;
            numbers[(count + c) * all + a] = -1.0;
            vector[count + c] = high - low;
        }
        // What says no more than rows without bounds has nothing to push for but rounding.
        let scale = q.iter().fold(0.0_f64, |most, q| most.max(q.abs()));
        vector[..count].iter_mut().filter(|q| q.abs() <= ROUNDING * scale).for_each(|q| *q = 0.0);
        // Lemke's tolerances are for numbers of the order of one.
        let size = vector[..count].iter().fold(0.0_f64, |most, q| most.max(q.abs()));
        if size > 0.0 {
            vector.iter_mut().for_each(|q| *q /= size);
        }
        // A little softness makes what is redundant definite, for which there is always a solution.
        let softer = || {
            let mut softer = numbers.clone();
            bounded.iter().enumerate().for_each(|(a, &i)| softer[a * all + a] += SOFTNESS * m(i, i));
            lemke(Square { numbers: &softer, size: all }, &vector)
        };
        let Some(z) = lemke(Square { numbers: &numbers, size: all }, &vector).or_else(softer) else { return false };
        lambda.copy_from_slice(&base);
        for (k, &i) in bounded.iter().enumerate() {
            lambda[i] = self.clamp(i, base[i] + sign(i) * z[k] * size);
        }
        for (f, &i) in free.iter().enumerate() {
            lambda[i] = right[count][f] + (0..count).map(|k| right[k][f] * z[k] * size).sum::<f64>();
        }
        self.residual(lambda) <= LEFT * scale
    }

    /// By how much λ misses the conditions, by the natural map `λ = clamp(λ − w)`.
    fn residual(&self, lambda: &[f64]) -> f64 {
        let w = self.excess(lambda);
        (0..self.size()).map(|i| (self.clamp(i, lambda[i] - w[i]) - lambda[i]).abs()).fold(0.0, f64::max)
    }

    /// By dropping, and biconjugate gradients for who is left, beginning with λ. Whether nobody wanted to come back in the end.
    pub(super) fn by_gradients(&self, lambda: &mut [f64]) -> bool {
        let n = self.size();
        let mut at: Vec<At> =
            self.bounds.iter().map(|[low, high]| if low < high { At::Inside } else { At::Low }).collect();
        let content = CONTENT * self.q.iter().fold(0.0_f64, |most, q| most.max(q.abs()));
        for _ in 0..4 * n + 20 {
            for ((value, at), [low, high]) in lambda.iter_mut().zip(&at).zip(&self.bounds) {
                match at {
                    At::Inside => {}
                    At::Low => *value = *low,
                    At::High => *value = *high,
                }
            }
            self.solve_inside(&at, lambda);
            let mut dropped = false;
            for i in (0..n).filter(|&i| at[i] == At::Inside).collect::<Vec<_>>() {
                let [low, high] = self.bounds[i];
                let now = if lambda[i] < low {
                    At::Low
                } else if lambda[i] > high {
                    At::High
                } else {
                    At::Inside
                };
                dropped |= now != At::Inside;
                at[i] = now;
            }
            if dropped {
                continue;
            }
            let w = self.excess(lambda);
            let unrest = |i: usize| match at[i] {
                At::Inside => 0.0,
                _ if self.bounds[i][0] >= self.bounds[i][1] => 0.0,
                At::Low => -w[i],
                At::High => w[i],
            };
            let Some(worst) = (0..n).max_by(|&a, &b| unrest(a).total_cmp(&unrest(b))) else { return true };
            if unrest(worst) <= content {
                return true;
            }
            at[worst] = At::Inside;
        }
        false
    }

    /// Lets the rows inside their bounds hold, the others staying where they are.
    fn solve_inside(&self, at: &[At], lambda: &mut [f64]) {
        let n = self.size();
        let inside: Vec<usize> = (0..n).filter(|&i| at[i] == At::Inside && self.numbers[i * n + i] > 0.0).collect();
        let mut rest = lambda.to_vec();
        inside.iter().for_each(|&i| rest[i] = 0.0);
        let w = self.excess(&rest);
        let numbers: Vec<f64> =
            inside.iter().flat_map(|&i| inside.iter().map(move |&j| self.numbers[i * n + j])).collect();
        let right: Vec<f64> = inside.iter().map(|&i| -w[i]).collect();
        let mut x: Vec<f64> = inside.iter().map(|&i| lambda[i]).collect();
        biconjugate_gradients(
            Square { numbers: &numbers, size: inside.len() },
            &right,
            &mut x,
            FINE,
            4 * inside.len() + 40,
        );
        inside.iter().zip(&x).for_each(|(&i, x)| lambda[i] = *x);
    }
}

/// Solves `A x = b` for each b by elimination with complete pivoting; for rows that say what others say x is zero.
fn eliminate(mut a: Vec<Vec<f64>>, right: &mut [Vec<f64>]) {
    let n = a.len();
    let mut columns: Vec<usize> = (0..n).collect();
    let mut rank = 0;
    while rank < n {
        let pivots = (rank..n).flat_map(|i| (rank..n).map(move |j| (i, j)));
        let Some((i, j)) = pivots.max_by(|&(i, j), &(k, l)| a[i][columns[j]].abs().total_cmp(&a[k][columns[l]].abs()))
        else {
            break;
        };
        if a[i][columns[j]].abs() <= REDUNDANT {
            break;
        }
        a.swap(rank, i);
        columns.swap(rank, j);
        right.iter_mut().for_each(|b| b.swap(rank, i));
        let (pivot_row, column) = (a[rank].clone(), columns[rank]);
        for k in rank + 1..n {
            let factor = a[k][column] / pivot_row[column];
            if factor != 0.0 {
                a[k].iter_mut().zip(&pivot_row).for_each(|(x, p)| *x -= factor * p);
                right.iter_mut().for_each(|b| b[k] -= factor * b[rank]);
            }
        }
        rank += 1;
    }
    for b in right {
        let mut x = vec![0.0; n];
        for k in (0..rank).rev() {
            let known: f64 = (k + 1..rank).map(|l| a[k][columns[l]] * x[columns[l]]).sum();
            x[columns[k]] = (b[k] - known) / a[k][columns[k]];
        }
        *b = x;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `J Jᵀ` of random rows of unit length, some of them redundant, and bounds of all kinds.
    fn problem(random: &mut fastrand::Rng, n: usize, freedoms: usize) -> Mixed {
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut rows: Vec<Vec<f64>> = Vec::new();
        for k in 0..n {
            let mut row: Vec<f64> = (0..freedoms).map(|_| random.f64() - 0.5).collect();
            if k > 1 && random.u8(..4) == 0 {
                // It says what two others say.
                row = rows[k - 1].iter().zip(&rows[k - 2]).map(|(a, b)| a + b).collect();
            }
            let length = dot(&row, &row).sqrt();
            rows.push(row.iter().map(|x| x / length).collect());
        }
        let motion: Vec<f64> = (0..freedoms).map(|_| random.f64() - 0.5).collect();
        let bounds = (0..n).map(|_| match random.u8(..6) {
            0 | 1 => [f64::NEG_INFINITY, f64::INFINITY],
            2 => [-0.2 * random.f64(), 0.3 * random.f64()],
            3 => [f64::NEG_INFINITY, 0.1],
            _ => [0.0, f64::INFINITY],
        });
        Mixed {
            bounds: bounds.collect(),
            numbers: (0..n * n).map(|k| dot(&rows[k / n], &rows[k % n])).collect(),
            q: rows.iter().map(|row| dot(row, &motion)).collect(),
        }
    }

    /// A way to solve a problem, and whether it got there.
    type Way = fn(&Mixed, &mut [f64]) -> bool;

    /// Random problems: all three find λ with a residual of 1e-10, and the same M λ, also where rows are redundant.
    #[test]
    fn all_three_agree() {
        let mut random = fastrand::Rng::with_seed(11);
        for case in 0..200 {
            let n = 1 + case % 10;
            let mixed = problem(&mut random, n, 14);
            let ways: [(&str, Way); 3] = [
                ("Lemke", |mixed, lambda| mixed.by_lemke(lambda)),
                ("gradients", |mixed, lambda| mixed.by_gradients(lambda)),
                ("sweeps", |mixed, lambda| {
                    mixed.sweep(lambda, 1e-16, 400_000);
                    true
                }),
            ];
            let mut first: Option<Vec<f64>> = None;
            for (name, way) in ways {
                let mut lambda = vec![0.1; n];
                assert!(way(&mixed, &mut lambda), "case {case}: {name} finds nothing");
                let residual = mixed.residual(&lambda);
                assert!(residual < 1e-10, "case {case}, {n} rows: {name} leaves {residual:e}");
                let effect = mixed.matrix().times(&lambda);
                let first = first.get_or_insert_with(|| effect.clone());
                let apart = first.iter().zip(&effect).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(apart < 1e-9, "case {case}: {name} is {apart:e} from the first");
            }
        }
    }

    /// Two rows that push against each other without end have no solution.
    #[test]
    fn what_cannot_be_solved_is_told() {
        let bounds = vec![[0.0, f64::INFINITY]; 2];
        let mixed = Mixed { numbers: vec![1.0, -1.0, -1.0, 1.0], q: vec![-1.0, -1.0], bounds };
        assert!(!mixed.by_lemke(&mut [0.0; 2]));
    }
}
