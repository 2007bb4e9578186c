//! The factors L D Lᵀ of a sparse symmetric positive semidefinite matrix of dense blocks, and solving with them.
//!
//! Where the matrix is singular, a row comes whose diagonal is nothing but rounding when its turn comes, because the rows
//! before it already say all it does. It is left out (its unknown does not change). For a semidefinite matrix that is exact: a
//! diagonal of zero has only zeros beside it. Within a node the row with the largest part of its diagonal left comes first, so that
//! of rows that say nearly the same the one is left out that adds least: demanding the difference of two equal rows would move
//! bodies a long way.

use super::elimination::{Column, Elimination};

/// A matrix in factors, laid out as an [`Elimination`] says.
#[derive(Debug, Default)]
pub(crate) struct Factor {
    /// L, block by block; before a node is eliminated, the matrix.
    numbers: Vec<f64>,
    /// 1/D of the unknown that is eliminated at each place; zero for a row that is left out.
    inverse: Vec<f64>,
    /// Which unknown that is.
    order: Vec<usize>,
    /// The diagonal at the beginning, of each unknown.
    diagonal: Vec<f64>,
    /// L D of the node under way, laid out as `numbers`.
    scaled: Vec<f64>,
}

impl Factor {
    /// Factors the matrix with the elements `entry(i, j)`, asked for only where nodes are coupled. Of the unknowns only those
    /// that count are eliminated; of these, those whose diagonal shrinks to less than `least` of what it was do not count any
    /// more. The smallest part that was left of a diagonal; 1 if there is none.
    pub(crate) fn factor(
        &mut self,
        elimination: &Elimination,
        entry: impl Fn(usize, usize) -> f64,
        counts: &mut [bool],
        least: f64,
    ) -> f64 {
        self.load(elimination, entry);
        let mut smallest = 1.0;
        for at in 0..elimination.columns.len() {
            let column = &elimination.columns[at];
            smallest = f64::min(smallest, self.factor_own(column, counts, least));
            self.divide_rows(column);
            self.update_later(elimination, at);
        }
        smallest
    }

    /// Fills in the matrix.
    fn load(&mut self, elimination: &Elimination, entry: impl Fn(usize, usize) -> f64) {
        let Self { numbers, inverse, order, diagonal, scaled } = self;
        numbers.clear();
        for column in &elimination.columns {
            let unknowns = column.first..column.first + column.size;
            for i in unknowns.clone() {
                numbers.extend(unknowns.clone().map(|j| entry(i, j)));
            }
            for below in &elimination.below[column.below.clone()] {
                let later = &elimination.columns[below.later];
                for i in later.first..later.first + later.size {
                    numbers.extend(unknowns.clone().map(|j| entry(i, j)));
                }
            }
        }
        scaled.resize(numbers.len(), 0.0);
        inverse.clear();
        inverse.resize(elimination.unknowns, 0.0);
        order.clear();
        order.extend(0..elimination.unknowns);
        diagonal.clear();
        diagonal.resize(elimination.unknowns, 0.0);
        for column in &elimination.columns {
            for i in 0..column.size {
                diagonal[column.first + i] = numbers[column.own + i * (column.size + 1)];
            }
        }
    }

    /// Factors the own block of a node in place. The smallest part that is left of a diagonal that counts.
    fn factor_own(&mut self, column: &Column, counts: &mut [bool], least: f64) -> f64 {
        let (n, mut smallest) = (column.size, 1.0);
        for j in 0..n {
            let left = |k: usize| {
                let unknown = self.order[column.first + k];
                let left = self.numbers[column.own + k * (n + 1)] / self.diagonal[unknown].max(f64::MIN_POSITIVE);
                if counts[unknown] { left } else { f64::NEG_INFINITY }
            };
            let most = (j + 1..n).fold(j, |most, k| if left(k) > left(most) { k } else { most });
            let part = left(most);
            self.swap(column, j, most);
            let own = &mut self.numbers[column.own..column.own + n * n];
            let inverse = if part > least { 1.0 / own[j * (n + 1)] } else { 0.0 };
            if part > least {
                smallest = f64::min(smallest, part);
            } else {
                counts[self.order[column.first + j]] = false;
            }
            self.inverse[column.first + j] = inverse;
            // L D, which the column below the diagonal holds at first.
            let scaled = &mut self.scaled[column.own..column.own + n];
            (0..n).for_each(|i| scaled[i] = own[i * n + j]);
            for i in j + 1..n {
                let lower = scaled[i] * inverse;
                own[i * n + j] = lower;
                (j + 1..n).for_each(|k| own[i * n + k] -= lower * scaled[k]);
            }
        }
        smallest
    }

    /// Lets two unknowns of a node change their places.
    fn swap(&mut self, column: &Column, j: usize, k: usize) {
        if j != k {
            let n = column.size;
            self.order.swap(column.first + j, column.first + k);
            let own = &mut self.numbers[column.own..column.own + n * n];
            (0..n).for_each(|i| own.swap(i * n + j, i * n + k));
            (0..n).for_each(|i| own.swap(j * n + i, k * n + i));
            self.numbers[column.rows.clone()].chunks_exact_mut(n).for_each(|row| row.swap(j, k));
        }
    }

    /// Turns the rows A below a node into L = A L⁻ᵀ D⁻¹, and keeps L D = A L⁻ᵀ.
    fn divide_rows(&mut self, column: &Column) {
        let n = column.size;
        let (own, rows) = self.numbers[column.own..column.rows.end].split_at_mut(n * n);
        for row in rows.chunks_exact_mut(n) {
            for j in 1..n {
                let known: f64 = (0..j).map(|k| row[k] * own[j * n + k]).sum();
                row[j] -= known;
            }
        }
        self.scaled[column.rows.clone()].copy_from_slice(rows);
        let inverse = &self.inverse[column.first..column.first + n];
        for row in rows.chunks_exact_mut(n) {
            row.iter_mut().zip(inverse).for_each(|(element, inverse)| *element *= inverse);
        }
    }

    /// Takes the part of a node, L D Lᵀ, out of the blocks of the nodes below it.
    fn update_later(&mut self, elimination: &Elimination, at: usize) {
        let column = &elimination.columns[at];
        let n = column.size;
        // What is written lies behind what is read.
        let (done, later) = self.numbers.split_at_mut(column.rows.end);
        let list = &elimination.below[column.below.clone()];
        for (index, k) in list.iter().enumerate() {
            let target = &elimination.columns[k.later];
            let (m, coupled) = (target.size, &elimination.below[target.below.clone()]);
            for i in &list[index..] {
                let start = if i.later == k.later {
                    target.own
                } else {
                    // Both are neighbours of this node, so they are coupled.
                    let Ok(found) = coupled.binary_search_by_key(&i.later, |below| below.later) else { continue };
                    coupled[found].start
                };
                for row in 0..elimination.columns[i.later].size {
                    let weights = &self.scaled[i.start + row * n..][..n];
                    let block = &mut later[start - column.rows.end + row * m..][..m];
                    for (col, element) in block.iter_mut().enumerate() {
                        let lower = &done[k.start + col * n..][..n];
                        *element -= weights.iter().zip(lower).map(|(w, l)| w * l).sum::<f64>();
                    }
                }
            }
        }
    }

    /// Solves for the unknowns, in place.
    pub(crate) fn solve(&self, elimination: &Elimination, x: &mut [f64]) {
        for column in &elimination.columns {
            let (n, order) = (column.size, &self.order[column.first..column.first + column.size]);
            let own = &self.numbers[column.own..column.own + n * n];
            for i in 1..n {
                let known: f64 = (0..i).map(|j| own[i * n + j] * x[order[j]]).sum();
                x[order[i]] -= known;
            }
            for below in &elimination.below[column.below.clone()] {
                let target = &elimination.columns[below.later];
                for row in 0..target.size {
                    let lower = &self.numbers[below.start + row * n..][..n];
                    let known: f64 = (0..n).map(|j| lower[j] * x[order[j]]).sum();
                    x[target.first + row] -= known;
                }
            }
        }
        for column in elimination.columns.iter().rev() {
            let (n, order) = (column.size, &self.order[column.first..column.first + column.size]);
            let own = &self.numbers[column.own..column.own + n * n];
            for i in (0..n).rev() {
                let mut value = x[order[i]] * self.inverse[column.first + i];
                for below in &elimination.below[column.below.clone()] {
                    let target = &elimination.columns[below.later];
                    let lower = |row: usize| self.numbers[below.start + row * n + i];
                    value -= (0..target.size).map(|row| lower(row) * x[target.first + row]).sum::<f64>();
                }
                value -= (i + 1..n).map(|j| own[j * n + i] * x[order[j]]).sum::<f64>();
                x[order[i]] = value;
            }
        }
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
            let n = matrix.rows.len();
            let (mut factor, mut counts) = (Factor::default(), vec![true; n]);
            factor.factor(&elimination, |i, j| matrix.entry(i, j), &mut counts, 1e-7);
            // A right-hand side that some impulses make.
            let wanted: Vec<f64> = (0..n).map(|_| random.f64() - 0.5).collect();
            let times =
                |x: &[f64]| -> Vec<f64> { (0..n).map(|i| (0..n).map(|j| matrix.entry(i, j) * x[j]).sum()).collect() };
            let right = times(&wanted);
            let mut x = right.clone();
            factor.solve(&elimination, &mut x);
            let worst = times(&x).iter().zip(&right).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(worst < 1e-6, "case {case}: {worst:e} with {n} rows");
        }
    }
}
