//! Full square matrices as a product of triangular ones (LU decomposition with partial pivoting).

/// P A = L U: rows in another order, a unit lower and an upper triangle in one array.
#[derive(Debug)]
pub(super) struct Factors {
    lu: Vec<f64>,
    /// Which row of A is at each place.
    order: Vec<usize>,
    size: usize,
}

impl Factors {
    /// Of a matrix, row by row; none if it is singular.
    pub(super) fn of(mut lu: Vec<f64>, size: usize) -> Option<Self> {
        let scale = lu.iter().fold(0.0_f64, |most, entry| most.max(entry.abs()));
        let mut order: Vec<usize> = (0..size).collect();
        for column in 0..size {
            let largest =
                (column..size).max_by(|&a, &b| lu[a * size + column].abs().total_cmp(&lu[b * size + column].abs()))?;
            let pivot = lu[largest * size + column];
            if pivot.is_nan() || pivot.abs() <= 1e-12 * scale {
                return None;
            }
            if largest != column {
                (0..size).for_each(|k| lu.swap(largest * size + k, column * size + k));
                order.swap(largest, column);
            }
            for row in column + 1..size {
                let factor = lu[row * size + column] / pivot;
                lu[row * size + column] = factor;
                if factor != 0.0 {
                    for k in column + 1..size {
                        lu[row * size + k] -= factor * lu[column * size + k];
                    }
                }
            }
        }
        Some(Self { lu, order, size })
    }

    /// x with A x = b.
    pub(super) fn solve(&self, b: &[f64]) -> Vec<f64> {
        let (n, lu) = (self.size, &self.lu);
        let mut x: Vec<f64> = self.order.iter().map(|&row| b[row]).collect();
        for row in 0..n {
            let known: f64 = (0..row).map(|k| lu[row * n + k] * x[k]).sum();
            x[row] -= known;
        }
        for row in (0..n).rev() {
            let known: f64 = (row + 1..n).map(|k| lu[row * n + k] * x[k]).sum();
            x[row] = (x[row] - known) / lu[row * n + row];
        }
        x
    }

    /// x with Aᵀ x = b: Uᵀ Lᵀ P x = b.
    pub(super) fn solve_transposed(&self, b: &[f64]) -> Vec<f64> {
        let (n, lu) = (self.size, &self.lu);
        let mut y = b.to_vec();
        for row in 0..n {
            let known: f64 = (0..row).map(|k| lu[k * n + row] * y[k]).sum();
            y[row] = (y[row] - known) / lu[row * n + row];
        }
        for row in (0..n).rev() {
            let known: f64 = (row + 1..n).map(|k| lu[k * n + row] * y[k]).sum();
            y[row] -= known;
        }
        let mut x = vec![0.0; n];
        for (place, &row) in self.order.iter().enumerate() {
            x[row] = y[place];
        }
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_are_solved_both_ways() {
        let size = 7;
        let matrix: Vec<f64> = (0..size * size).map(|i| libm::sin((i * i) as f64 + 0.3)).collect();
        let factors = Factors::of(matrix.clone(), size).unwrap();
        let b: Vec<f64> = (0..size).map(|i| i as f64 - 2.5).collect();
        let (x, y) = (factors.solve(&b), factors.solve_transposed(&b));
        for row in 0..size {
            let product: f64 = (0..size).map(|k| matrix[row * size + k] * x[k]).sum();
            let transposed: f64 = (0..size).map(|k| matrix[k * size + row] * y[k]).sum();
            assert!((product - b[row]).abs() < 1e-12 && (transposed - b[row]).abs() < 1e-12, "{row}");
        }
        assert!(Factors::of(vec![1.0, 2.0, 2.0, 4.0], 2).is_none());
    }
}
