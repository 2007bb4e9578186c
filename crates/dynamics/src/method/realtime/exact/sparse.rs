//! Sparse Cholesky factorisation `A = L Lᵀ` in blocks of 6 × 6, one block for each body.
//!
//! Bodies are eliminated in the order of least degree: always the one that touches the fewest of those that are left, so that chains
//! and trees fill in nothing. The order depends on who touches whom and is found once for each such [pattern](Pattern).

#![allow(clippy::needless_range_loop, reason = "sums over entries of matrices read best with their indices")]

use std::collections::BTreeMap;
use std::sync::Arc;

/// A 6 × 6 block, by rows.
pub(super) type Block = [[f64; 6]; 6];

/// A block of a vector.
pub(super) type Part = [f64; 6];

const ZERO: Block = [[0.0; 6]; 6];

/// Where the blocks of a factor are that are not zero.
#[derive(Debug)]
pub(super) struct Pattern {
    /// By body: when it is eliminated.
    pub(super) place: Vec<u32>,
    /// Where the blocks of each column begin; one more than there are columns.
    first: Vec<u32>,
    /// The rows of the blocks below the diagonal, column by column, each in order.
    rows: Vec<u32>,
}

impl Pattern {
    /// Of `count` bodies and pairs of them that touch.
    fn new(count: usize, edges: &[[u32; 2]]) -> Self {
        let (place, columns) = eliminate(count, edges, usize::MAX).unwrap_or_default();
        let mut pattern = Self { place, first: vec![0], rows: Vec::new() };
        for column in &columns {
            let begin = pattern.rows.len();
            pattern.rows.extend(column.iter().map(|&body| pattern.place[body as usize]));
            pattern.rows[begin..].sort_unstable();
            pattern.first.push(pattern.rows.len() as u32);
        }
        pattern
    }

    /// How many multiplications of blocks a factorisation takes.
    pub(super) fn cost(&self) -> usize {
        (0..self.place.len()).map(|column| column_cost(self.column(column).len())).sum()
    }

    fn column(&self, column: usize) -> std::ops::Range<usize> {
        self.first[column] as usize..self.first[column + 1] as usize
    }

    /// The block at a row and a column, both by place, the row below the column.
    pub(super) fn block(&self, row: u32, column: u32) -> Option<usize> {
        let range = self.column(column as usize);
        self.rows[range.clone()].binary_search(&row).ok().map(|index| range.start + index)
    }
}

/// Eliminates bodies in the order of least degree: when each of them is eliminated, and which are then still connected to it. None if
/// that takes more than `most` multiplications of blocks.
fn eliminate(count: usize, edges: &[[u32; 2]], most: usize) -> Option<(Vec<u32>, Vec<Vec<u32>>)> {
    let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); count];
    for &[a, b] in edges.iter().filter(|[a, b]| a != b) {
        neighbours[a as usize].push(b);
        neighbours[b as usize].push(a);
    }
    for list in &mut neighbours {
        list.sort_unstable();
        list.dedup();
    }
    let mut place = vec![u32::MAX; count];
    let mut columns: Vec<Vec<u32>> = Vec::with_capacity(count);
    let mut cost = 0;
    let mut waiting: std::collections::BTreeSet<(usize, u32)> =
        neighbours.iter().enumerate().map(|(body, list)| (list.len(), body as u32)).collect();
    while let Some((_, body)) = waiting.pop_first() {
        place[body as usize] = columns.len() as u32;
        let column = std::mem::take(&mut neighbours[body as usize]);
        cost += column_cost(column.len());
        if cost > most {
            return None;
        }
        // What touched it touches each other now.
        for &other in &column {
            let list = &mut neighbours[other as usize];
            waiting.remove(&(list.len(), other));
            let mut merged: Vec<u32> = list.iter().chain(&column).copied().collect();
            merged.retain(|&next| next != body && next != other);
            merged.sort_unstable();
            merged.dedup();
            waiting.insert((merged.len(), other));
            *list = merged;
        }
        columns.push(column);
    }
    Some((place, columns))
}

/// How many multiplications of blocks a column takes that has so many blocks below the diagonal.
fn column_cost(below: usize) -> usize {
    1 + below + below * (below + 1) / 2
}

/// How many multiplications of blocks the elimination of `count` bodies takes of which pairs are connected; none if more than `most`.
pub(in crate::method::realtime) fn elimination_cost(count: usize, edges: &[[u32; 2]], most: usize) -> Option<usize> {
    let (_, columns) = eliminate(count, edges, most)?;
    Some(columns.iter().map(|column| column_cost(column.len())).sum())
}

/// The patterns found so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Patterns {
    known: BTreeMap<Vec<[u32; 2]>, Arc<Pattern>>,
}

/// How many patterns are remembered; beyond that, all are forgotten.
const PATTERNS: usize = 1024;

impl Patterns {
    /// The pattern of `count` bodies and pairs of them that touch. The list is sorted.
    pub(super) fn get(&mut self, count: usize, edges: &mut Vec<[u32; 2]>) -> Arc<Pattern> {
        edges.sort_unstable();
        edges.dedup();
        // Bodies that touch nobody count too.
        edges.push([count as u32; 2]);
        if let Some(pattern) = self.known.get(edges) {
            return pattern.clone();
        }
        if self.known.len() >= PATTERNS {
            self.known.clear();
        }
        let pattern = Arc::new(Pattern::new(count, &edges[..edges.len() - 1]));
        self.known.insert(edges.clone(), pattern.clone());
        pattern
    }
}

/// A symmetric matrix, and then its factor.
#[derive(Clone, Debug, Default)]
pub(super) struct Matrix {
    /// By place.
    pub(super) diagonal: Vec<Block>,
    /// As the pattern says.
    pub(super) below: Vec<Block>,
}

impl Matrix {
    /// A matrix of zeros.
    pub(super) fn clear(&mut self, pattern: &Pattern) {
        self.diagonal.clear();
        self.diagonal.resize(pattern.place.len(), ZERO);
        self.below.clear();
        self.below.resize(pattern.rows.len(), ZERO);
    }

    /// Replaces the matrix by its factor L.
    pub(super) fn factor(&mut self, pattern: &Pattern) {
        for column in 0..self.diagonal.len() {
            factor_block(&mut self.diagonal[column]);
            let diagonal = self.diagonal[column];
            let range = pattern.column(column);
            let (done, ahead) = self.below.split_at_mut(range.end);
            for block in &mut done[range.clone()] {
                divide(block, &diagonal);
            }
            for second in range.clone() {
                let row = pattern.rows[second] as usize;
                let transposed = transpose(&done[second]);
                subtract_product(&mut self.diagonal[row], &done[second], &transposed);
                let mut target = pattern.column(row).start;
                for first in second + 1..range.end {
                    while pattern.rows[target] < pattern.rows[first] {
                        target += 1;
                    }
                    subtract_product(&mut ahead[target - range.end], &done[first], &transposed);
                }
            }
        }
    }

    /// Solves `L Lᵀ x = b`; `x` is b at first, by place.
    pub(super) fn solve(&self, pattern: &Pattern, x: &mut [Part]) {
        for column in 0..x.len() {
            let mut y = x[column];
            let diagonal = &self.diagonal[column];
            for i in 0..6 {
                for k in 0..i {
                    y[i] -= diagonal[i][k] * y[k];
                }
                y[i] /= diagonal[i][i];
            }
            x[column] = y;
            for index in pattern.column(column) {
                let target = &mut x[pattern.rows[index] as usize];
                for (target, row) in target.iter_mut().zip(&self.below[index]) {
                    *target -= dot(row, &y);
                }
            }
        }
        for column in (0..x.len()).rev() {
            let mut y = x[column];
            for index in pattern.column(column) {
                let above = &x[pattern.rows[index] as usize];
                for (row, &above) in self.below[index].iter().zip(above) {
                    y.iter_mut().zip(row).for_each(|(y, entry)| *y -= entry * above);
                }
            }
            let diagonal = &self.diagonal[column];
            for i in (0..6).rev() {
                for k in i + 1..6 {
                    y[i] -= diagonal[k][i] * y[k];
                }
                y[i] /= diagonal[i][i];
            }
            x[column] = y;
        }
    }
}

pub(super) fn dot(a: &Part, b: &Part) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]
}

fn factor_block(a: &mut Block) {
    for j in 0..6 {
        let mut square = a[j][j];
        for k in 0..j {
            square -= a[j][k] * a[j][k];
        }
        let root = square.max(f64::MIN_POSITIVE).sqrt();
        a[j][j] = root;
        for i in j + 1..6 {
            let mut entry = a[i][j];
            for k in 0..j {
                entry -= a[i][k] * a[j][k];
            }
            a[i][j] = entry / root;
        }
    }
}

/// `B ← B L⁻ᵀ`.
fn divide(b: &mut Block, l: &Block) {
    for row in b {
        for j in 0..6 {
            let mut entry = row[j];
            for k in 0..j {
                entry -= row[k] * l[j][k];
            }
            row[j] = entry / l[j][j];
        }
    }
}

fn transpose(a: &Block) -> Block {
    std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
}

/// `C ← C − A B`.
fn subtract_product(c: &mut Block, a: &Block, b: &Block) {
    for (c, a) in c.iter_mut().zip(a) {
        for (factor, b) in a.iter().zip(b) {
            c.iter_mut().zip(b).for_each(|(c, b)| *c -= factor * b);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_random_sparse_systems() {
        let mut random = fastrand::Rng::with_seed(2);
        for _ in 0..50 {
            let count = random.usize(1..12);
            let mut edges: Vec<[u32; 2]> = (0..random.usize(0..20))
                .map(|_| [random.u32(0..count as u32), random.u32(0..count as u32)])
                .filter(|[a, b]| a != b)
                .collect();
            let pattern = Patterns::default().get(count, &mut edges);
            edges.pop();
            let mut matrix = Matrix::default();
            matrix.clear(&pattern);
            // A sum of squares of sparse rows and a diagonal, kept in full beside.
            let size = 6 * count;
            let mut full = vec![vec![0.0; size]; size];
            for i in 0..size {
                full[i][i] = 1.0;
                matrix.diagonal[i / 6][i % 6][i % 6] = 1.0;
            }
            for &[a, b] in &edges {
                let (a, b) = (pattern.place[a as usize], pattern.place[b as usize]);
                let row: Vec<(u32, Part)> =
                    [a, b].map(|place| (place, std::array::from_fn(|_| random.f64() - 0.5))).to_vec();
                for (p, u) in &row {
                    for (q, v) in &row {
                        for i in 0..6 {
                            for j in 0..6 {
                                full[6 * *p as usize + i][6 * *q as usize + j] += 100.0 * u[i] * v[j];
                                if p == q {
                                    matrix.diagonal[*p as usize][i][j] += 100.0 * u[i] * v[j];
                                } else if p > q {
                                    matrix.below[pattern.block(*p, *q).unwrap()][i][j] += 100.0 * u[i] * v[j];
                                }
                            }
                        }
                    }
                }
            }
            let x: Vec<Part> = (0..count).map(|_| std::array::from_fn(|_| random.f64() - 0.5)).collect();
            let mut b: Vec<Part> = vec![[0.0; 6]; count];
            for i in 0..size {
                b[i / 6][i % 6] = (0..size).map(|j| full[i][j] * x[j / 6][j % 6]).sum();
            }
            matrix.factor(&pattern);
            matrix.solve(&pattern, &mut b);
            let worst = x.iter().flatten().zip(b.iter().flatten()).map(|(x, b)| (x - b).abs()).fold(0.0, f64::max);
            assert!(worst < 1e-9, "{worst}");
        }
    }
}
