//! Linear complementarity problems, and linear systems by biconjugate gradients: the classic solvers for contacts without friction (K 3.6,
//! G 2.77).
//!
//! ```text
//! find z ≥ 0 with w = M z + q ≥ 0 and z·w = 0
//! ```
//!
//! For contacts, z are the normal forces, w the accelerations or velocities with which surfaces part, and M = J W Jᵀ is symmetric and
//! semidefinite. Then there is a solution, unless forces press without end, and [`lemke`] finds it in finitely many steps;
//! [`projected_gauss_seidel`] comes near it by sweeps. Where it is known who presses, what is left is a linear system, which
//! [`biconjugate_gradients`] solve beginning with a guess such as the forces of the step before.

/// A square matrix, row by row.
#[derive(Clone, Copy, Debug)]
pub struct Square<'a> {
    /// The numbers, row after row.
    pub numbers: &'a [f64],
    /// How many rows and columns there are.
    pub size: usize,
}

impl Square<'_> {
    fn row(&self, i: usize) -> &[f64] {
        &self.numbers[i * self.size..(i + 1) * self.size]
    }

    /// `M x`.
    pub fn times(&self, x: &[f64]) -> Vec<f64> {
        (0..self.size).map(|i| dot(self.row(i), x)).collect()
    }

    /// `Mᵀ x`.
    fn transposed_times(&self, x: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.size];
        for (i, x) in x.iter().enumerate() {
            sum.iter_mut().zip(self.row(i)).for_each(|(sum, m)| *sum += m * x);
        }
        sum
    }

    /// By how much z misses the three conditions, at most.
    pub fn residual(&self, q: &[f64], z: &[f64]) -> f64 {
        let w = self.times(z);
        let miss = |i: usize| {
            let w = w[i] + q[i];
            (-z[i]).max(-w).max((z[i] * w).abs())
        };
        (0..self.size).map(miss).fold(0.0, f64::max)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Solves a linear complementarity problem by Lemke's algorithm (1965): complementary pivots, with an artificial variable that enters first and
/// leaves last. None if the algorithm ends on a ray: for matrices of contacts there is then no solution. Ties are broken
/// lexicographically, so that it cannot cycle.
pub fn lemke(matrix: Square<'_>, q: &[f64]) -> Option<Vec<f64>> {
    let n = matrix.size;
    if q.iter().all(|&q| q >= 0.0) {
        return Some(vec![0.0; n]);
    }
    // Rows of w − M z − e z₀ = q: columns w, z, z₀ and the right-hand side.
    let width = 2 * n + 2;
    let mut table = vec![vec![0.0; width]; n];
    for (i, row) in table.iter_mut().enumerate() {
        row[i] = 1.0;
        (0..n).for_each(|j| row[n + j] = -matrix.row(i)[j]);
        (row[2 * n], row[2 * n + 1]) = (-1.0, q[i]);
    }
    let mut basis: Vec<usize> = (0..n).collect();
    let mut pivot = (0..n).min_by(|&a, &b| q[a].total_cmp(&q[b]))?;
    let mut entering = 2 * n;
    for _ in 0..50 * n + 100 {
        let leaving = basis[pivot];
        eliminate(&mut table, pivot, entering);
        basis[pivot] = entering;
        if leaving == 2 * n {
            let mut z = vec![0.0; n];
            for (row, &variable) in basis.iter().enumerate() {
                if (n..2 * n).contains(&variable) {
                    z[variable - n] = table[row][width - 1].max(0.0);
                }
            }
            return Some(z);
        }
        // The complement of what left.
        entering = if leaving < n { leaving + n } else { leaving - n };
        pivot = least_ratio(&table, &basis, entering, n)?;
    }
    None
}

/// Makes a column a unit vector.
fn eliminate(table: &mut [Vec<f64>], pivot: usize, column: usize) {
    let factor = 1.0 / table[pivot][column];
    table[pivot].iter_mut().for_each(|x| *x *= factor);
    let row = table[pivot].clone();
    for (_, other) in table.iter_mut().enumerate().filter(|(i, _)| *i != pivot) {
        let factor = other[column];
        if factor != 0.0 {
            other.iter_mut().zip(&row).for_each(|(x, p)| *x -= factor * p);
        }
    }
}

/// The row in which the entering variable is stopped first; among equals one that frees z₀, else the lexicographically least.
fn least_ratio(table: &[Vec<f64>], basis: &[usize], entering: usize, n: usize) -> Option<usize> {
    const SMALL: f64 = 1e-12;
    let candidates: Vec<usize> = (0..n).filter(|&i| table[i][entering] > SMALL).collect();
    let ratio = |i: usize, column: usize| table[i][column] / table[i][entering];
    let least = candidates.iter().map(|&i| ratio(i, 2 * n + 1)).fold(f64::INFINITY, f64::min);
    let mut tied: Vec<usize> =
        candidates.into_iter().filter(|&i| ratio(i, 2 * n + 1) <= least + SMALL * (1.0 + least.abs())).collect();
    if let Some(&artificial) = tied.iter().find(|&&i| basis[i] == 2 * n) {
        return Some(artificial);
    }
    for column in 0..n {
        if tied.len() <= 1 {
            break;
        }
        let least = tied.iter().map(|&i| ratio(i, column)).fold(f64::INFINITY, f64::min);
        tied.retain(|&i| ratio(i, column) <= least + SMALL);
    }
    tied.first().copied()
}

/// Comes near the solution of a linear complementarity problem by sweeps: each row in turn is put right with what the others are now, and
/// kept from becoming negative (projected Gauss–Seidel). Ends when no sweep changes z by more than `tolerance` any more, or after so many
/// sweeps; z is where it begins and ends. How many sweeps it took.
pub fn projected_gauss_seidel(
    matrix: Square<'_>,
    q: &[f64],
    z: &mut [f64],
    tolerance: f64,
    most_sweeps: usize,
) -> usize {
    for sweep in 1..=most_sweeps {
        let mut changed = 0.0_f64;
        for i in 0..matrix.size {
            let row = matrix.row(i);
            if row[i] > 0.0 {
                let next = (z[i] - (dot(row, z) + q[i]) / row[i]).max(0.0);
                changed = changed.max((next - z[i]).abs());
                z[i] = next;
            }
        }
        if changed <= tolerance {
            return sweep;
        }
    }
    most_sweeps
}

/// Solves `M x = b` by biconjugate gradients (Fletcher 1976), beginning with the guess in x. Ends when the residual is below `tolerance`
/// times b, or after so many rounds. The best x of all rounds is kept, since residuals do not fall evenly (K 2.4.2). The residual it has,
/// relative to b.
pub fn biconjugate_gradients(matrix: Square<'_>, b: &[f64], x: &mut [f64], tolerance: f64, most_rounds: usize) -> f64 {
    let size = dot(b, b).sqrt().max(f64::MIN_POSITIVE);
    let minus = |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
    let mut residual = minus(b, &matrix.times(x));
    let mut shadow = residual.clone();
    let (mut direction, mut mirrored) = (residual.clone(), shadow.clone());
    let mut product = dot(&residual, &shadow);
    let (mut at, mut best) = (x.to_vec(), dot(&residual, &residual).sqrt());
    for _ in 0..most_rounds {
        if best <= tolerance * size || product == 0.0 {
            break;
        }
        let along = matrix.times(&direction);
        let across = matrix.transposed_times(&mirrored);
        let step = product / dot(&mirrored, &along);
        if !step.is_finite() {
            break;
        }
        at.iter_mut().zip(&direction).for_each(|(x, d)| *x += step * d);
        residual.iter_mut().zip(&along).for_each(|(r, a)| *r -= step * a);
        shadow.iter_mut().zip(&across).for_each(|(r, a)| *r -= step * a);
        let now = dot(&residual, &residual).sqrt();
        if now < best {
            best = now;
            x.copy_from_slice(&at);
        }
        let next = dot(&residual, &shadow);
        let keep = next / product;
        product = next;
        direction.iter_mut().zip(&residual).for_each(|(d, r)| *d = r + keep * *d);
        mirrored.iter_mut().zip(&shadow).for_each(|(d, r)| *d = r + keep * *d);
    }
    let left = minus(b, &matrix.times(x));
    dot(&left, &left).sqrt() / size
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `J Jᵀ` of random rows, some of them redundant, and a q for which there is a solution.
    fn problem(random: &mut fastrand::Rng, n: usize, freedoms: usize) -> (Vec<f64>, Vec<f64>) {
        let rows: Vec<Vec<f64>> = (0..n).map(|_| (0..freedoms).map(|_| random.f64() - 0.5).collect()).collect();
        let numbers = (0..n * n).map(|k| dot(&rows[k / n], &rows[k % n])).collect();
        let motion: Vec<f64> = (0..freedoms).map(|_| random.f64() - 0.5).collect();
        (numbers, rows.iter().map(|row| dot(row, &motion)).collect())
    }

    /// Random problems: both find z with a residual of 1e-10, and the same w.
    #[test]
    fn lemke_and_sweeps_agree() {
        let mut random = fastrand::Rng::with_seed(6);
        for case in 0..300 {
            let n = 1 + case % 14;
            let (numbers, q) = problem(&mut random, n, 9);
            let matrix = Square { numbers: &numbers, size: n };
            let z = lemke(matrix, &q).unwrap();
            assert!(matrix.residual(&q, &z) < 1e-10, "case {case}: {:e}", matrix.residual(&q, &z));
            let mut swept = vec![0.0; n];
            projected_gauss_seidel(matrix, &q, &mut swept, 1e-15, 2_000_000 / n);
            let apart =
                matrix.times(&z).iter().zip(matrix.times(&swept)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-7, "case {case}: {apart:e}");
            // Where the sweeps had time to end, to all digits.
            if n <= 6 {
                assert!(matrix.residual(&q, &swept) < 1e-10, "case {case}: {:e}", matrix.residual(&q, &swept));
            }
        }
    }

    /// Forces that press without end have no solution.
    #[test]
    fn what_cannot_be_solved_is_told() {
        let numbers = [0.0];
        assert!(lemke(Square { numbers: &numbers, size: 1 }, &[-1.0]).is_none());
    }

    /// Against elimination, as what the complementarity problem leaves when it is known who presses.
    #[test]
    fn gradients_solve_what_presses() {
        let mut random = fastrand::Rng::with_seed(7);
        for n in 1..9 {
            let (numbers, q) = problem(&mut random, n, 9);
            let matrix = Square { numbers: &numbers, size: n };
            let b: Vec<f64> = q.iter().map(|q| -q).collect();
            let mut x = vec![0.1; n];
            let residual = biconjugate_gradients(matrix, &b, &mut x, 1e-13, 400);
            assert!(residual < 1e-10, "{n}: {residual:e}");
            // With the solution as the guess there is nothing left to do.
            let again = biconjugate_gradients(matrix, &b, &mut x.clone(), 1e-10, 0);
            assert!(again < 1e-10);
        }
    }
}
