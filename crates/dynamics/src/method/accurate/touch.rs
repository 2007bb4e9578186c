//! What presses, holds and slides while its mode lasts: contacts, limits, motors and friction as one linear system over the joints.
//!
//! Every such thing has rows J that demand `J x + b = 0`, and pushes along F: the row itself, or where it slides the normal less friction,
//! `F = J_n − μ J_û`. With the joints holding (see `tree.rs`), the answer of the bodies to a unit of F_j is r_j, and the multipliers solve
//!
//! ```text
//! A λ = −(J x + b),     A_ij = J_i r_j.
//! ```
//!
//! A has no inverse where rows are redundant: a box on four corners has three normals too few to tell what each bears. Then λ is sought
//! in the range of `S = J W Jᵀ`: with U an orthonormal basis of it, `UᵀAU z = −Uᵀ(J x + b)`, λ = U z. So redundant normals share a
//! load like equal springs, and the motion is unique also where corners slide in different directions.

use super::dense::{Matrix, add, dot};
use super::equations::find;
use super::line::{Line, Mobility, NOBODY, Twist};
use super::tree::Tree;

/// Pivots of S below this part of the largest are redundant rows.
const REDUNDANT: f64 = 1e-9;

/// A row of something that touches.
#[derive(Clone, Copy, Debug)]
pub(super) struct TouchRow {
    /// Which element it belongs to.
    pub(super) element: usize,
    /// J.
    pub(super) line: Line,
    /// F.
    pub(super) push: Line,
    /// Whether F is something else than J.
    pub(super) skewed: bool,
    /// b.
    pub(super) bias: f64,
    /// The rate that it holds, in m/s or rad/s: zero but for motors and belts.
    pub(super) wanted: f64,
}

/// The bodies' masses and joints.
#[derive(Clone, Copy)]
pub(super) struct Ground<'a> {
    pub(super) trees: &'a [Tree],
    /// The tree of the body in each slot; [`NOBODY`] for what nothing moves.
    pub(super) tree_of: &'a [usize],
    pub(super) mobilities: &'a [Mobility],
}

impl Ground<'_> {
    /// The trees that a row is between.
    pub(super) fn trees_of(&self, line: &Line) -> [Option<usize>; 2] {
        let of = |slot: usize| self.tree_of.get(slot).copied().filter(|&tree| tree != NOBODY);
        match line.bodies.map(of) {
            [a, b] if a == b => [a, None],
            other => other,
        }
    }

    /// How the bodies answer a push, the joints holding: slots and motions.
    fn answer(&self, push: &Line, scratch: &mut [Twist]) -> Vec<(usize, Twist)> {
        let response = push.response(self.mobilities);
        for (&body, response) in push.bodies.iter().zip(&response) {
            if let Some(motion) = scratch.get_mut(body) {
                motion.add(response, 1.0);
            }
        }
        let mut answer = Vec::new();
        for tree in self.trees_of(push).into_iter().flatten().map(|tree| &self.trees[tree]) {
            tree.hold(scratch, |_| 0.0, &mut vec![0.0; tree.lines.len()]);
            for &slot in &tree.bodies {
                answer.push((slot, std::mem::take(&mut scratch[slot])));
            }
        }
        for &slot in &push.bodies {
            if let Some(motion) = scratch.get_mut(slot) {
                *motion = Twist::default();
            }
        }
        answer
    }
}

/// Groups rows by what they act on: lists of the rows' numbers. Rows of one group are coupled, directly or through others.
pub(super) fn groups(ground: &Ground<'_>, rows: &[TouchRow]) -> Vec<Vec<usize>> {
    let mut root: Vec<usize> = (0..ground.trees.len()).collect();
    for row in rows {
        if let [Some(a), Some(b)] = ground.trees_of(&row.line) {
            let (a, b) = (find(&mut root, a), find(&mut root, b));
            root[a.max(b)] = a.min(b);
        }
    }
    let mut of_tree: Vec<Option<usize>> = vec![None; ground.trees.len()];
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let Some(tree) = ground.trees_of(&row.line).into_iter().flatten().next() else { continue };
        let tree = find(&mut root, tree);
        let group = *of_tree[tree].get_or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[group].push(index);
    }
    groups
}

/// The matrices of a group of rows.
#[derive(Debug)]
pub(super) struct Coupled {
    /// A.
    pub(super) matrix: Matrix,
    /// S; none if it is A.
    symmetric: Option<Matrix>,
}

impl Coupled {
    /// Of the rows with these numbers.
    pub(super) fn new(ground: &Ground<'_>, rows: &[TouchRow], group: &[usize]) -> Self {
        let mut scratch = vec![Twist::default(); ground.mobilities.len()];
        let matrix = |of: fn(&TouchRow) -> &Line, scratch: &mut [Twist]| {
            let answers: Vec<_> = group.iter().map(|&j| ground.answer(of(&rows[j]), scratch)).collect();
            let mut matrix = Matrix::from_fn(group.len(), |_, _| 0.0);
            for (j, answer) in answers.iter().enumerate() {
                answer.iter().for_each(|&(slot, motion)| scratch[slot] = motion);
                for (i, &row) in group.iter().enumerate() {
                    matrix.numbers[i * group.len() + j] = rows[row].line.rate(scratch);
                }
                answer.iter().for_each(|&(slot, _)| scratch[slot] = Twist::default());
            }
            matrix
        };
        let skewed = group.iter().any(|&row| rows[row].skewed);
        let symmetric = skewed.then(|| matrix(|row| &row.line, &mut scratch));
        Self { matrix: matrix(|row| &row.push, &mut scratch), symmetric }
    }

    /// S: what the rows are coupled by without friction.
    pub(super) fn symmetric(&self) -> &Matrix {
        self.symmetric.as_ref().unwrap_or(&self.matrix)
    }

    /// λ for `A λ = −b`, and whether that is the only one; none if friction leaves no solution (Painlevé).
    pub(super) fn solve(&self, b: &[f64]) -> Option<(Vec<f64>, bool)> {
        let n = b.len();
        let (range, _) = self.symmetric().range(REDUNDANT);
        let right: Vec<f64> = b.iter().map(|b| -b).collect();
        if range.len() == n {
            return self.matrix.solve(&right).map(|lambda| (lambda, true));
        }
        let project = |x: &[f64]| -> Vec<f64> { range.iter().map(|u| dot(u, x)).collect() };
        let columns: Vec<Vec<f64>> = range.iter().map(|u| project(&self.matrix.times(u))).collect();
        let z = Matrix::from_fn(range.len(), |i, j| columns[j][i]).solve(&project(&right))?;
        let mut lambda = vec![0.0; n];
        range.iter().zip(&z).for_each(|(u, z)| add(&mut lambda, *z, u));
        Some((lambda, false))
    }
}

impl Coupled {
    /// Other multipliers with the same effect as `lambda`: of all those, the ones with the least Σ λ²/w. None if there are none.
    pub(super) fn shared(&self, lambda: &[f64], weights: &[f64]) -> Option<Vec<f64>> {
        let (range, _) = self.symmetric().range(REDUNDANT);
        let project = |x: &[f64]| -> Vec<f64> { range.iter().map(|u| dot(u, x)).collect() };
        let weighted = |u: &[f64]| -> Vec<f64> { u.iter().zip(weights).map(|(u, w)| u * w).collect() };
        let columns: Vec<Vec<f64>> = range.iter().map(|u| project(&self.matrix.times(&weighted(u)))).collect();
        let z = Matrix::from_fn(range.len(), |i, j| columns[j][i]).solve(&project(&self.matrix.times(lambda)))?;
        let mut shared = vec![0.0; lambda.len()];
        range.iter().zip(&z).for_each(|(u, z)| add(&mut shared, *z, u));
        Some(weighted(&shared))
    }
}

/// Adds what rows push to motions.
pub(super) fn push(ground: &Ground<'_>, rows: &[TouchRow], multipliers: &[f64], motions: &mut [Twist]) {
    for (row, &multiplier) in rows.iter().zip(multipliers).filter(|(_, multiplier)| **multiplier != 0.0) {
        let response = row.push.response(ground.mobilities);
        for (&body, response) in row.push.bodies.iter().zip(&response) {
            if let Some(motion) = motions.get_mut(body) {
                motion.add(response, multiplier);
            }
        }
    }
}
