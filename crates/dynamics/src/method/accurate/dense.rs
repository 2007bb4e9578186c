//! Small dense systems: elimination with pivoting, and the range of a semidefinite matrix.

/// x·y, in eight sums.
pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let (eights, rest) = x.as_chunks::<8>();
    let (others, other_rest) = y.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for (x, y) in eights.iter().zip(others) {
        for k in 0..8 {
            sums[k] += x[k] * y[k];
        }
    }
    sums.iter().sum::<f64>() + rest.iter().zip(other_rest).map(|(x, y)| x * y).sum::<f64>()
}

/// x + a y, in place.
pub(super) fn add(x: &mut [f64], a: f64, y: &[f64]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += a * y);
}

/// A square matrix, row by row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Matrix {
    pub(super) size: usize,
    pub(super) numbers: Vec<f64>,
}

impl Matrix {
    pub(super) fn from_fn(size: usize, mut entry: impl FnMut(usize, usize) -> f64) -> Self {
        let mut numbers = Vec::with_capacity(size * size);
        for i in 0..size {
            numbers.extend((0..size).map(|j| entry(i, j)));
        }
        Self { size, numbers }
    }

    pub(super) fn get(&self, i: usize, j: usize) -> f64 {
        self.numbers[i * self.size + j]
    }

    pub(super) fn times(&self, x: &[f64]) -> Vec<f64> {
        self.numbers.chunks_exact(self.size.max(1)).map(|row| dot(row, x)).collect()
    }

    /// Solves `A x = b` by elimination with partial pivoting; none if a pivot is nothing but rounding.
    pub(super) fn solve(&self, b: &[f64]) -> Option<Vec<f64>> {
        self.solve_all(b.to_vec(), 1)
    }

    /// The inverse; none if there is none.
    pub(super) fn inverse(&self) -> Option<Self> {
        let n = self.size;
        let unit = Self::from_fn(n, |i, j| f64::from(u8::from(i == j)));
        Some(Self { size: n, numbers: self.solve_all(unit.numbers, n)? })
    }

    /// Solves `A X = B` for several columns at once, row by row.
    fn solve_all(&self, mut x: Vec<f64>, columns: usize) -> Option<Vec<f64>> {
        let (n, m) = (self.size, columns);
        let mut a = self.numbers.clone();
        let largest = a.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        for k in 0..n {
            let pivot = (k..n).max_by(|&i, &j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs()))?;
            if a[pivot * n + k].is_nan() || a[pivot * n + k].abs() <= 1e-15 * largest {
                return None;
            }
            if pivot != k {
                (0..n).for_each(|j| a.swap(k * n + j, pivot * n + j));
                (0..m).for_each(|j| x.swap(k * m + j, pivot * m + j));
            }
            let (above, below) = a.split_at_mut((k + 1) * n);
            let (x_above, x_below) = x.split_at_mut((k + 1) * m);
            let (row, right) = (&above[k * n + k..], &x_above[k * m..]);
            for (lower, x) in below.chunks_exact_mut(n).zip(x_below.chunks_exact_mut(m)) {
                let factor = lower[k] / row[0];
                if factor != 0.0 {
                    add(&mut lower[k..], -factor, row);
                    add(x, -factor, right);
                }
            }
        }
        for k in (0..n).rev() {
            let (x_above, x_below) = x.split_at_mut((k + 1) * m);
            let right = &mut x_above[k * m..];
            for (j, lower) in x_below.chunks_exact(m).enumerate() {
                add(right, -a[k * n + k + 1 + j], lower);
            }
            right.iter_mut().for_each(|x| *x /= a[k * n + k]);
        }
        Some(x)
    }

    /// An orthonormal basis of the range of a symmetric semidefinite matrix, as a list of columns, and the smallest pivot: by Cholesky's
    /// factors with diagonal pivoting, which end where no pivot is above `least` of the largest, and Gram and Schmidt's method, twice.
    pub(super) fn range(&self, least: f64) -> (Vec<Vec<f64>>, f64) {
        let n = self.size;
        let mut rest: Vec<f64> = (0..n).map(|i| self.get(i, i)).collect();
        let largest = rest.iter().copied().fold(0.0, f64::max);
        let mut factors: Vec<Vec<f64>> = Vec::new();
        let mut smallest = largest;
        while factors.len() < n {
            let Some(pivot) = (0..n).max_by(|&i, &j| rest[i].total_cmp(&rest[j])) else { break };
            if rest[pivot].is_nan() || rest[pivot] <= least * largest || rest[pivot] <= 0.0 {
                break;
            }
            smallest = smallest.min(rest[pivot]);
            let root = rest[pivot].sqrt();
            let mut column = self.numbers[pivot * n..(pivot + 1) * n].to_vec();
            factors.iter().for_each(|f| add(&mut column, -f[pivot], f));
            column.iter_mut().for_each(|x| *x /= root);
            rest.iter_mut().zip(&column).for_each(|(rest, l)| *rest -= l * l);
            rest[pivot] = 0.0;
            factors.push(column);
        }
        for k in 0..factors.len() {
            for _ in 0..2 {
                for m in 0..k {
                    let (before, after) = factors.split_at_mut(k);
                    let along = dot(&before[m], &after[0]);
                    add(&mut after[0], -along, &before[m]);
                }
            }
            let length = factors[k].iter().map(|x| x * x).sum::<f64>().sqrt();
            if length > 0.0 {
                factors[k].iter_mut().for_each(|x| *x /= length);
            }
        }
        (factors, smallest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solutions_and_ranges() {
        let mut random = fastrand::Rng::with_seed(3);
        for n in 1..12 {
            let rank = n - n / 3;
            let factors: Vec<Vec<f64>> = (0..rank).map(|_| (0..n).map(|_| random.f64() - 0.5).collect()).collect();
            let gram = Matrix::from_fn(n, |i, j| factors.iter().map(|f| f[i] * f[j]).sum());
            let (basis, _) = gram.range(1e-10);
            assert_eq!(basis.len(), rank);
            for f in &factors {
                let mut rest = f.clone();
                for u in &basis {
                    let along: f64 = u.iter().zip(f).map(|(a, b)| a * b).sum();
                    rest.iter_mut().zip(u).for_each(|(x, u)| *x -= along * u);
                }
                assert!(rest.iter().all(|x| x.abs() < 1e-12), "{rest:?}");
            }
            let matrix = Matrix::from_fn(n, |_, _| random.f64() - 0.5);
            let x: Vec<f64> = (0..n).map(|_| random.f64()).collect();
            let found = matrix.solve(&matrix.times(&x)).unwrap();
            assert!(found.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-9));
            let found = matrix.inverse().unwrap().times(&matrix.times(&x));
            assert!(found.iter().zip(&x).all(|(a, b)| (a - b).abs() < 1e-9));
        }
        assert!(Matrix::from_fn(2, |_, _| 1.0).solve(&[1.0, 2.0]).is_none());
    }
}
