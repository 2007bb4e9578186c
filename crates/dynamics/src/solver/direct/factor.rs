//! The factors L D Lᵀ of a sparse symmetric positive semidefinite matrix of dense blocks, and solving with them.
//!
//! Rows may say the same as others: two hinges on one door, the four corners of a box on the floor. The matrix is singular
//! then. When the turn of such a row comes, what is left of its diagonal is nothing but rounding, because the rows before it
//! already say all it does; it is left out (its unknown does not change). For a semidefinite matrix that is exact: a
//! diagonal of zero has only zeros beside it. Within a node the row with the largest part of its diagonal left comes first, so that
//! of rows that say nearly the same the one is left out that adds least: demanding the difference of two equal rows would move
//! bodies a long way.

use super::elimination::Elimination;

/// A diagonal that has shrunk to this part of what it was is counted as zero. Dividing by a smaller one would raise the
/// rounding of later diagonals, 1e-16, above this part too, and rows that say nothing new would be taken for rows that do: it
/// must be larger than the square root of the rounding.
const REDUNDANT: f64 = 1e-7;

/// A matrix in factors; by default, one without rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Factor {
    columns: Vec<Column>,
}

/// What eliminating one node has left: its rows of L and D.
#[derive(Clone, Debug)]
struct Column {
    /// Where the unknowns of the node are.
    first: usize,
    size: usize,
    /// The order in which they are eliminated.
    order: Vec<usize>,
    /// L of the node itself below its diagonal, row by row; before it is eliminated, the matrix.
    own: Vec<f64>,
    /// 1/D; zero where a row says nothing new.
    inverse: Vec<f64>,
    /// The later nodes coupled to it, and where their rows begin in `rows`.
    below: Vec<(usize, usize)>,
    /// L of the nodes below, row by row; before it is eliminated, the matrix.
    rows: Vec<f64>,
}

impl Factor {
    /// Factors the matrix whose nodes hold the given ranges of unknowns. `entry(i, j)` is its element, asked for only where
    /// nodes are coupled.
    pub(super) fn new(
        elimination: &Elimination,
        nodes: &[std::ops::Range<usize>],
        entry: impl Fn(usize, usize) -> f64,
    ) -> Self {
        let block = |rows: &std::ops::Range<usize>, columns: &std::ops::Range<usize>, list: &mut Vec<f64>| {
            for i in rows.clone() {
                list.extend(columns.clone().map(|j| entry(i, j)));
            }
        };
        let column = |(&node, below): (&usize, &Vec<usize>)| {
            let (range, mut own, mut rows) = (&nodes[node], Vec::new(), Vec::new());
            block(range, range, &mut own);
            let place = |&later: &usize| {
                let start = rows.len();
                block(&nodes[elimination.order[later]], range, &mut rows);
                (later, start)
            };
            let below = below.iter().map(place).collect();
            let order = (0..range.len()).collect();
            Column { first: range.start, size: range.len(), order, own, inverse: Vec::new(), below, rows }
        };
        let mut factor = Self { columns: elimination.order.iter().zip(&elimination.below).map(column).collect() };
        let diagonal = |column: &Column| (0..column.size).map(|i| column.own[i * column.size + i]).collect();
        let diagonals: Vec<Vec<f64>> = factor.columns.iter().map(diagonal).collect();
        for (at, before) in diagonals.iter().enumerate() {
            factor.eliminate(at, before);
        }
        factor
    }

    /// Eliminates a node whose diagonal was `before` at the beginning: factors its block, and takes its part out of the
    /// blocks of the nodes below.
    fn eliminate(&mut self, at: usize, before: &[f64]) {
        let (done, later) = self.columns.split_at_mut(at + 1);
        let column = &mut done[at];
        column.factor_own(before);
        // W = A L⁻ᵀ, then L = W D⁻¹ below the node.
        let scaled = column.divide_rows();
        let n = column.size;
        for (index, &(k, k_start)) in column.below.iter().enumerate() {
            let target = &mut later[k - at - 1];
            let m = target.size;
            for &(i, i_start) in &column.below[index..] {
                let (block, rows) = if i == k {
                    (&mut target.own[..], m)
                } else {
                    // Both are neighbours of this node, so they are coupled.
                    let Ok(found) = target.below.binary_search_by_key(&i, |&(node, _)| node) else { continue };
                    let start = target.below[found].1;
                    let end = target.below.get(found + 1).map_or(target.rows.len(), |next| next.1);
                    (&mut target.rows[start..end], (end - start) / m)
                };
                for row in 0..rows {
                    let weights = &scaled[i_start + row * n..][..n];
                    for (col, element) in block[row * m..][..m].iter_mut().enumerate() {
                        let lower = &column.rows[k_start + col * n..][..n];
                        *element -= weights.iter().zip(lower).map(|(w, l)| w * l).sum::<f64>();
                    }
                }
            }
        }
    }

    /// Solves for the unknowns, in place.
    pub(super) fn solve(&self, x: &mut [f64]) {
        for column in &self.columns {
            let n = column.size;
            for i in 1..n {
                let known: f64 = (0..i).map(|j| column.own[i * n + j] * x[column.unknown(j)]).sum();
                x[column.unknown(i)] -= known;
            }
            for &(later, start) in &column.below {
                let target = &self.columns[later];
                for row in 0..target.size {
                    let known: f64 = (0..n).map(|j| column.rows[start + row * n + j] * x[column.unknown(j)]).sum();
                    x[target.first + row] -= known;
                }
            }
        }
        for column in self.columns.iter().rev() {
            let n = column.size;
            for i in (0..n).rev() {
                let mut value = x[column.unknown(i)] * column.inverse[i];
                for &(later, start) in &column.below {
                    let target = &self.columns[later];
                    let known = (0..target.size).map(|row| column.rows[start + row * n + i] * x[target.first + row]);
                    value -= known.sum::<f64>();
                }
                value -= (i + 1..n).map(|j| column.own[j * n + i] * x[column.unknown(j)]).sum::<f64>();
                x[column.unknown(i)] = value;
            }
        }
    }
}

impl Column {
    /// The unknown that is eliminated at a place.
    fn unknown(&self, place: usize) -> usize {
        self.first + self.order[place]
    }

    /// Factors the node's own block in place, the diagonal of which was `before` at the beginning.
    fn factor_own(&mut self, before: &[f64]) {
        let n = self.size;
        self.inverse = vec![0.0; n];
        for j in 0..n {
            let left = |k: usize| self.own[k * n + k] / before[self.order[k]].max(f64::MIN_POSITIVE);
            let most = (j + 1..n).fold(j, |most, k| if left(k) > left(most) { k } else { most });
            let counts = left(most) > REDUNDANT;
            self.swap(j, most);
            self.inverse[j] = if counts { 1.0 / self.own[j * n + j] } else { 0.0 };
            // L D, which the column below the diagonal holds at first.
            let scaled: Vec<f64> = (0..n).map(|i| self.own[i * n + j]).collect();
            for i in j + 1..n {
                let lower = scaled[i] * self.inverse[j];
                self.own[i * n + j] = lower;
                (j + 1..n).for_each(|k| self.own[i * n + k] -= lower * scaled[k]);
            }
        }
    }

    /// Lets two unknowns change their places.
    fn swap(&mut self, j: usize, k: usize) {
        if j != k {
            let n = self.size;
            self.order.swap(j, k);
            (0..n).for_each(|i| self.own.swap(i * n + j, i * n + k));
            (0..n).for_each(|i| self.own.swap(j * n + i, k * n + i));
            self.rows.chunks_exact_mut(n).for_each(|row| row.swap(j, k));
        }
    }

    /// Turns the rows below, A, into L = A L⁻ᵀ D⁻¹, and returns A L⁻ᵀ.
    fn divide_rows(&mut self) -> Vec<f64> {
        let n = self.size;
        for row in self.rows.chunks_exact_mut(n) {
            for j in 1..n {
                let known: f64 = (0..j).map(|k| row[k] * self.own[j * n + k]).sum();
                row[j] -= known;
            }
        }
        let scaled = self.rows.clone();
        for row in self.rows.chunks_exact_mut(n) {
            row.iter_mut().zip(&self.inverse).for_each(|(element, inverse)| *element *= inverse);
        }
        scaled
    }
}

#[cfg(test)]
mod tests {
    use super::super::elimination::Elimination;
    use super::Factor;

    /// K = J W Jᵀ of random rows of six columns for each of two bodies, some rows being sums of others of their node.
    struct Random {
        nodes: Vec<std::ops::Range<usize>>,
        bodies: Vec<[usize; 2]>,
        rows: Vec<[[f64; 6]; 2]>,
    }

    impl Random {
        fn entry(&self, i: usize, j: usize) -> f64 {
            let node = |row: usize| self.nodes.iter().position(|range| range.contains(&row)).unwrap();
            let (a, b) = (self.bodies[node(i)], self.bodies[node(j)]);
            let mut sum = 0.0;
            for (s, body) in a.iter().enumerate() {
                for (t, other) in b.iter().enumerate() {
                    if body == other && *body != 0 {
                        sum += (0..6).map(|k| self.rows[i][s][k] * self.rows[j][t][k]).sum::<f64>();
                    }
                }
            }
            sum
        }
    }

    #[test]
    fn solves_what_can_be_solved() {
        let mut random = fastrand::Rng::with_seed(5);
        for case in 0..300 {
            let count = random.usize(1..12);
            let bodies: Vec<[usize; 2]> = (0..count).map(|_| [random.usize(0..8), random.usize(8..12)]).collect();
            let (mut nodes, mut rows) = (Vec::new(), Vec::new());
            for _ in 0..count {
                let first = rows.len();
                for _ in 0..random.usize(1..7) {
                    let mut row = [[0.0; 6]; 2];
                    row.iter_mut().flatten().for_each(|x| *x = random.f64() - 0.5);
                    rows.push(row);
                }
                if case % 3 == 0 && rows.len() > first + 1 {
                    let (one, two) = (rows[first], rows[first + 1]);
                    let sum = std::array::from_fn(|s| std::array::from_fn(|k| one[s][k] - 2.0 * two[s][k]));
                    rows.push(sum);
                }
                nodes.push(first..rows.len());
            }
            let matrix = Random { nodes, bodies, rows };
            let sizes: Vec<usize> = matrix.nodes.iter().map(std::iter::ExactSizeIterator::len).collect();
            let of_body = |body: usize| (0..count).filter(|&node| matrix.bodies[node].contains(&body)).collect();
            let groups: Vec<Vec<usize>> = (1..12).map(of_body).collect();
            let elimination = Elimination::new(&sizes, &groups, f64::INFINITY).unwrap();
            let factor = Factor::new(&elimination, &matrix.nodes, |i, j| matrix.entry(i, j));
            let n = matrix.rows.len();
            // A right-hand side that some impulses make.
            let wanted: Vec<f64> = (0..n).map(|_| random.f64() - 0.5).collect();
            let times =
                |x: &[f64]| -> Vec<f64> { (0..n).map(|i| (0..n).map(|j| matrix.entry(i, j) * x[j]).sum()).collect() };
            let right = times(&wanted);
            let mut x = right.clone();
            factor.solve(&mut x);
            let worst = times(&x).iter().zip(&right).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(worst < 1e-6, "case {case}: {worst:e} with {n} rows");
        }
    }
}
