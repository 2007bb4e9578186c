//! The velocities of an island that obey all its rows at once: joints, contacts, friction, limits, motors.
//!
//! They are the minimum of `½ (v − v*)ᵀ M (v − v*)` under the conditions `J v + b = 0` (joints) or `≥ 0` (contacts), with friction that
//! holds up to its limit; v* are the velocities without them. It is found with an **augmented Lagrangian** (Hestenes 1969, Powell
//! 1969): each row is a stiff spring d that adds to an impulse λ known so far,
//!
//! ```text
//! y = λ − d (J v + b),   f = y brought within the bounds of the row,
//! ```
//!
//! and v makes `M (v − v*) = Jᵀ f`. Then λ ← f, and again, until λ changes no more: each round makes the errors of the rows smaller by
//! a factor of about d/m. Because λ is known from the substep before, one or two rounds do.
//!
//! Within a round the equation is solved by a **semismooth Newton method** with an exact line search: rows within their bounds act with d,
//! the others not at all, and the matrix `M + Jᵀ D J` has a block for each body and each pair of bodies that touch, whatever the number
//! of rows between them. Rows that say the same (a table on four legs, a door on two hinges) share the load as equal springs do.
//!
//! The bounds of friction follow from the pressure. They are held fixed within a round and follow in the next.

use super::sparse::{Block, Matrix, Part, Pattern, dot};

/// The number of a body that nothing moves.
pub(super) const UNMOVED: u32 = u32::MAX;

/// How many rounds, where it is to be precise and where things crash about, and Newton steps in each, at most.
const ROUNDS: [usize; 2] = [8, 3];
const STEPS: usize = 48;

/// Rows that are off by more than this, in m/s, and by hardly less than in the round before, contradict each other.
const CONTRADICTION: f64 = 1e-2;

/// Surfaces that move apart more slowly than this, in m/s, and gaps that would take longer than a substep to close so, touch.
const TOUCHING: f64 = 1e-3;

/// How many multiplications of blocks all factorisations may take from one look at the contacts to the next, without and with joints, and
/// how many factorisations there may be whatever they take: in a crash, contacts come and go at every step of Newton's method.
const BUDGET: [usize; 2] = [2_000, 1_500];
const FACTORISATIONS: usize = 12;

/// A row whose velocity is off by less than this, in m/s, holds: where it is to be precise, and where things crash about.
const TOLERANCE: [f64; 2] = [1e-7, 1e-5];

/// A factor of a vector that slips may be off by this share for a factorisation to be used again.
const SLACK: f64 = 0.2;

/// One row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// By place in the elimination.
    pub(super) bodies: [u32; 2],
    pub(super) jacobian: [Part; 2],
    /// b, with what bodies that nothing moves contribute to J v.
    pub(super) bias: f64,
    /// d.
    pub(super) stiffness: f64,
    /// λ.
    pub(super) impulse: f64,
    pub(super) law: Law,
}

/// What the impulse of a row may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Law {
    /// Anything.
    Free,
    /// Between two bounds.
    Range { min: f64, max: f64 },
    /// A spring of the stiffness d, within bounds: what it gives follows from where it is.
    Spring { min: f64, max: f64 },
    /// The first of some rows that form a vector: friction.
    Disc(Disc),
    /// A further row of the vector.
    Member,
}

impl Law {
    /// No impulse at all.
    pub(super) const NOTHING: Self = Self::Range { min: 0.0, max: 0.0 };
    /// Pushes and never pulls.
    pub(super) const UNILATERAL: Self = Self::Range { min: 0.0, max: f64::INFINITY };
}

/// A vector of rows that is no longer than a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Disc {
    /// How many rows form the vector.
    pub(super) count: u8,
    /// The rows whose pressure limits it, from the first up to the last, and how much each of them gives.
    pub(super) normals: [u32; 2],
    pub(super) weights: [f64; 4],
    /// What is left of the limit once it slips.
    pub(super) slipping: f64,
    pub(super) slips: bool,
    pub(super) limit: f64,
}

/// The rows of an island and its masses.
#[derive(Clone, Debug, Default)]
pub(super) struct Problem {
    pub(super) rows: Vec<Row>,
    /// By place: the masses, as blocks.
    pub(super) masses: Vec<Block>,
    matrix: Matrix,
    /// Which rows act in the matrix that was factored, and whether it is still that of these rows.
    factored: Vec<Share>,
    valid: bool,
    shares: Vec<Share>,
    forces: Vec<f64>,
    wanted: Vec<f64>,
    gradient: Vec<Part>,
    along: Vec<f64>,
    guess: Vec<f64>,
    /// How many factorisations there may be, and how many there may be yet.
    most: usize,
    spare: usize,
    tolerance: f64,
    rounds: usize,
}

/// How much of a row's stiffness acts.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Share {
    Nothing,
    All,
    /// A vector that slips: the factor limit/|y|.
    Slips(f64),
}

impl Problem {
    /// Begins anew with rows in this pattern.
    pub(super) fn begin(&mut self, pattern: &Pattern, has_joints: bool) {
        self.rows.clear();
        self.valid = false;
        self.most = (BUDGET[usize::from(has_joints)] / pattern.cost().max(1)).max(FACTORISATIONS);
        self.spare = self.most;
    }

    /// Whether the last digits matter.
    pub(super) fn be_precise(&mut self, precise: bool) {
        (self.tolerance, self.rounds) = (TOLERANCE[usize::from(!precise)], ROUNDS[usize::from(!precise)]);
    }

    /// Whether the factor is good enough for the rows as they act now. Where vectors slip by a little more or less, Newton's method
    /// takes some more steps, each of which costs much less than a factorisation.
    fn is_factored(&self) -> bool {
        let alike = |now: &Share, then: &Share| match (now, then) {
            (Share::Slips(now), Share::Slips(then)) => (now - then).abs() <= SLACK * then,
            _ => now == then,
        };
        self.valid
            && self.shares.len() == self.factored.len()
            && self.shares.iter().zip(&self.factored).all(|(now, then)| alike(now, then))
    }

    /// How many factorisations there were.
    pub(super) fn factorisations(&self) -> usize {
        self.most - self.spare
    }

    /// Forgets the factor: rows or masses have changed.
    pub(super) fn changed(&mut self) {
        self.valid = false;
    }

    /// Finds the impulses, from a good guess of them and of the velocities `v`; `target` is v*. Where Newton's method does not find them, it
    /// says so and leaves the guess.
    pub(super) fn solve(&mut self, pattern: &Pattern, target: &[Part], v: &mut [Part]) -> bool {
        self.guess.clear();
        self.guess.extend(self.rows.iter().map(|row| row.impulse));
        let mut last = f64::INFINITY;
        for _ in 0..self.rounds {
            self.freeze_limits();
            if !self.minimise(pattern, target, v) {
                self.rows.iter_mut().zip(&self.guess).for_each(|(row, &impulse)| row.impulse = impulse);
                return false;
            }
            let change = self.take_over(v);
            if change <= self.tolerance || (change > CONTRADICTION && change > 0.5 * last) {
                break;
            }
            last = change;
        }
        true
    }

    /// How much of the impulses that are known so far suits the problem, between none and all: along them the energy is a parabola with
    /// its minimum at `s = −λ·(J v* + b) / λ·J W Jᵀ λ`. `given` is W Jᵀ λ.
    pub(super) fn share_of_guess(&self, target: &[Part], given: &[Part]) -> f64 {
        let slope: f64 = self.rows.iter().map(|row| row.impulse * row.rate(target)).sum();
        let curvature: f64 = self.rows.iter().map(|row| row.impulse * row.product(given)).sum();
        let share = -slope / curvature;
        if share.is_finite() { share.clamp(0.0, 1.0) } else { 1.0 }
    }

    /// Improves the impulses by sweeps from row to row (projected Gauss–Seidel), which takes what is hard to decide as it comes. `responses`
    /// are what the rows do to the velocities of their bodies, `W Jᵀ`; `v` are the velocities with the impulses so far.
    pub(super) fn sweep(&mut self, responses: &[[Part; 2]], v: &mut [Part], sweeps: usize) {
        for _ in 0..sweeps {
            self.freeze_limits();
            let mut index = 0;
            while index < self.rows.len() {
                let count = self.rows[index].vector();
                self.solve_alone(index, count, responses, v);
                index += count;
            }
        }
    }

    /// Solves the rows of a vector with all else held fixed.
    fn solve_alone(&mut self, first: usize, count: usize, responses: &[[Part; 2]], v: &mut [Part]) {
        let mut wanted = [0.0; 3];
        for (k, wanted) in wanted[..count].iter_mut().enumerate() {
            let row = &self.rows[first + k];
            let mobility =
                dot(&row.jacobian[0], &responses[first + k][0]) + dot(&row.jacobian[1], &responses[first + k][1]);
            let gamma = if let Law::Spring { .. } = row.law { 1.0 / row.stiffness } else { 0.0 };
            let resistance = mobility + gamma;
            let change = if resistance > 0.0 { (row.rate(v) + gamma * row.impulse) / resistance } else { 0.0 };
            *wanted = row.impulse - change;
        }
        match self.rows[first].law {
            Law::Free => {}
            Law::Range { min, max } | Law::Spring { min, max } => wanted[0] = wanted[0].max(min).min(max),
            Law::Disc(Disc { limit, .. }) => {
                let length = wanted[..count].iter().map(|y| y * y).sum::<f64>().sqrt();
                if length > limit {
                    wanted[..count].iter_mut().for_each(|y| *y *= limit / length);
                }
            }
            Law::Member => wanted[0] = 0.0,
        }
        for (k, &wanted) in wanted[..count].iter().enumerate() {
            let row = &mut self.rows[first + k];
            let change = wanted - row.impulse;
            row.impulse = wanted;
            for side in (0..2).filter(|&side| row.bodies[side] != UNMOVED) {
                let response = &responses[first + k][side];
                let v = &mut v[row.bodies[side] as usize];
                v.iter_mut().zip(response).for_each(|(v, response)| *v += response * change);
            }
        }
    }

    /// The limits of friction, from the pressure known so far.
    fn freeze_limits(&mut self) {
        for index in 0..self.rows.len() {
            if let Law::Disc(mut disc) = self.rows[index].law {
                let normals = &self.rows[disc.normals[0] as usize..disc.normals[1] as usize];
                let pressure: f64 = normals.iter().zip(disc.weights).map(|(row, weight)| row.impulse * weight).sum();
                disc.limit = pressure.max(0.0) * if disc.slips { disc.slipping } else { 1.0 };
                self.rows[index].law = Law::Disc(disc);
            }
        }
    }

    /// Newton's method for the velocities with fixed λ and limits.
    fn minimise(&mut self, pattern: &Pattern, target: &[Part], v: &mut [Part]) -> bool {
        for step in 0..STEPS {
            self.respond(v);
            if step == 0 {
                self.expect_pressure();
            }
            self.find_gradient(target, v);
            if !self.is_factored() {
                let Some(spare) = self.spare.checked_sub(1) else { return false };
                self.spare = spare;
                self.assemble(pattern);
                self.matrix.factor(pattern);
                self.factored.clone_from(&self.shares);
                self.valid = true;
            }
            let mut way = std::mem::take(&mut self.gradient);
            let downhill = way.clone();
            self.matrix.solve(pattern, &mut way);
            let size = way.iter().flatten().fold(0.0, |most: f64, part| most.max(part.abs()));
            let part = if step < 2 || size < self.tolerance { 1.0 } else { self.line_search(&downhill, &way) };
            v.iter_mut().flatten().zip(way.iter().flatten()).for_each(|(v, way)| *v += part * way);
            self.gradient = way;
            if size < self.tolerance {
                return true;
            }
            if !size.is_finite() {
                return false;
            }
        }
        false
    }

    /// If nothing presses yet, whatever touches is expected to: else the boxes of a tower would learn one after the other, each from the
    /// one below, that they stand on something.
    fn expect_pressure(&mut self) {
        if self.rows.iter().any(|row| row.law == Law::UNILATERAL && row.impulse > 0.0) {
            return;
        }
        for ((row, &wanted), share) in self.rows.iter().zip(&self.wanted).zip(&mut self.shares) {
            if row.law == Law::UNILATERAL && wanted > -TOUCHING * row.stiffness {
                *share = Share::All;
            }
        }
    }

    /// What each row wants to give at these velocities, what it may give, and how much of its stiffness acts.
    fn respond(&mut self, v: &[Part]) {
        let Self { rows, wanted, forces, shares, .. } = self;
        wanted.clear();
        wanted.extend(rows.iter().map(|row| row.wanted(row.rate(v))));
        project(rows, wanted, forces, shares);
    }

    /// `M (v* − v) + Jᵀ f`: minus the gradient of what is to be made small.
    fn find_gradient(&mut self, target: &[Part], v: &[Part]) {
        self.gradient.clear();
        self.gradient.extend(self.masses.iter().zip(target.iter().zip(v)).map(|(mass, (target, v))| {
            let off: Part = std::array::from_fn(|k| target[k] - v[k]);
            mass.map(|row| dot(&row, &off))
        }));
        for (row, &force) in self.rows.iter().zip(&self.forces) {
            row.give(force, &mut self.gradient);
        }
    }

    /// `M + Jᵀ D J` of the rows that act.
    fn assemble(&mut self, pattern: &Pattern) {
        let Self { rows, masses, matrix, shares, wanted, .. } = self;
        matrix.clear(pattern);
        matrix.diagonal.copy_from_slice(masses);
        let mut index = 0;
        while index < rows.len() {
            let count = rows[index].vector();
            match shares[index] {
                Share::Nothing => {}
                Share::All => {
                    for row in &rows[index..index + count] {
                        add(matrix, pattern, row, row, row.stiffness);
                    }
                }
                // The derivative of a vector brought to the length of its limit: nothing along it, limit/|y| across.
                Share::Slips(factor) => {
                    let y = &wanted[index..index + count];
                    let square: f64 = y.iter().map(|y| y * y).sum();
                    for i in 0..count {
                        for j in 0..count {
                            let across = if i == j { 1.0 } else { 0.0 } - y[i] * y[j] / square;
                            let (a, b) = (&rows[index + i], &rows[index + j]);
                            add(matrix, pattern, a, b, a.stiffness * factor * across);
                        }
                    }
                }
            }
            index += count;
        }
    }

    /// How far to go along a way: where the derivative of what is to be made small is nearly zero.
    fn line_search(&mut self, downhill: &[Part], way: &[Part]) -> f64 {
        let Self { rows, masses, along, wanted, forces, shares, .. } = self;
        along.clear();
        along.extend(rows.iter().map(|row| row.stiffness * row.product(way)));
        let slope = -downhill.iter().zip(way).map(|(downhill, way)| dot(downhill, way)).sum::<f64>();
        let curvature: f64 = masses.iter().zip(way).map(|(mass, way)| dot(&mass.map(|row| dot(&row, way)), way)).sum();
        let (before, mut there) = (forces.clone(), Vec::new());
        let mut at = wanted.clone();
        let mut slope_at = |part: f64| {
            at.iter_mut().zip(wanted.iter().zip(along.iter())).for_each(|(at, (y, along))| *at = y - part * along);
            project(rows, &at, &mut there, shares);
            let given = there.iter().zip(&before).zip(along.iter()).zip(rows.iter());
            slope + part * curvature
                - given.map(|(((now, before), along), row)| (now - before) * along / row.stiffness).sum::<f64>()
        };
        let whole = slope_at(1.0);
        if whole <= 0.1 * slope.abs() {
            return 1.0;
        }
        // Regula falsi, kept away from the ends.
        let (mut low, mut high) = ((0.0, slope), (1.0, whole));
        let mut best = 1.0;
        for _ in 0..10 {
            let width = high.0 - low.0;
            let guess = low.0 - low.1 * width / (high.1 - low.1);
            let guess = if guess.is_finite() { guess } else { low.0 + 0.5 * width };
            best = guess.clamp(low.0 + 0.1 * width, high.0 - 0.1 * width);
            let here = slope_at(best);
            if here.abs() < 0.1 * slope.abs() {
                break;
            }
            if here > 0.0 { high = (best, here) } else { low = (best, here) }
        }
        best
    }

    /// λ ← f; the largest change of a velocity that this is worth, in m/s.
    fn take_over(&mut self, v: &[Part]) -> f64 {
        self.respond(v);
        let mut largest: f64 = 0.0;
        for ((row, &force), share) in self.rows.iter_mut().zip(&self.forces).zip(&self.shares) {
            if let Law::Disc(disc) = &mut row.law {
                disc.slips = *share != Share::All && disc.limit > 0.0;
            }
            if !matches!(row.law, Law::Spring { .. }) {
                largest = largest.max((force - row.impulse).abs() / row.stiffness);
            }
            row.impulse = force;
        }
        largest
    }
}

impl Row {
    /// `J v`.
    pub(super) fn product(&self, v: &[Part]) -> f64 {
        let of = |side: usize| match self.bodies[side] {
            UNMOVED => 0.0,
            body => dot(&self.jacobian[side], &v[body as usize]),
        };
        of(0) + of(1)
    }

    /// `J v + b`.
    fn rate(&self, v: &[Part]) -> f64 {
        self.product(v) + self.bias
    }

    /// y.
    fn wanted(&self, rate: f64) -> f64 {
        let known = if matches!(self.law, Law::Spring { .. }) { 0.0 } else { self.impulse };
        known - self.stiffness * rate
    }

    /// How many rows form a vector with it.
    fn vector(&self) -> usize {
        if let Law::Disc(disc) = self.law { usize::from(disc.count) } else { 1 }
    }

    /// Adds `Jᵀ λ`.
    pub(super) fn give(&self, impulse: f64, momenta: &mut [Part]) {
        for (body, jacobian) in self.bodies.iter().zip(&self.jacobian).filter(|(body, _)| **body != UNMOVED) {
            momenta[*body as usize].iter_mut().zip(jacobian).for_each(|(sum, j)| *sum += j * impulse);
        }
    }
}

/// What rows may give of what they want to.
fn project(rows: &[Row], wanted: &[f64], forces: &mut Vec<f64>, shares: &mut Vec<Share>) {
    forces.clear();
    shares.clear();
    let mut index = 0;
    while index < rows.len() {
        let y = wanted[index];
        match rows[index].law {
            Law::Free => {
                forces.push(y);
                shares.push(Share::All);
            }
            Law::Range { min, max } | Law::Spring { min, max } => {
                forces.push(y.max(min).min(max));
                shares.push(if min < y && y < max { Share::All } else { Share::Nothing });
            }
            Law::Disc(Disc { count, limit, .. }) => {
                let count = usize::from(count);
                let y = &wanted[index..index + count];
                let length = y.iter().map(|y| y * y).sum::<f64>().sqrt();
                let (factor, share) = match length {
                    _ if limit <= 0.0 => (0.0, Share::Nothing),
                    _ if length <= limit => (1.0, Share::All),
                    _ if count == 1 => (limit / length, Share::Nothing),
                    _ => (limit / length, Share::Slips(limit / length)),
                };
                forces.extend(y.iter().map(|y| y * factor));
                shares.extend(std::iter::repeat_n(share, count));
                index += count - 1;
            }
            Law::Member => {
                forces.push(0.0);
                shares.push(Share::Nothing);
            }
        }
        index += 1;
    }
}

/// Adds `w Jₐᵀ J_b` of two rows between the same bodies.
fn add(matrix: &mut Matrix, pattern: &Pattern, a: &Row, b: &Row, weight: f64) {
    for side in 0..2 {
        if a.bodies[side] != UNMOVED {
            add_outer(&mut matrix.diagonal[a.bodies[side] as usize], &a.jacobian[side], &b.jacobian[side], weight);
        }
    }
    let [first, second] = a.bodies;
    if first == UNMOVED || second == UNMOVED || first == second {
        return;
    }
    let (row, column) = if first > second { (0, 1) } else { (1, 0) };
    if let Some(block) = pattern.block(a.bodies[row], a.bodies[column]) {
        add_outer(&mut matrix.below[block], &a.jacobian[row], &b.jacobian[column], weight);
    }
}

fn add_outer(block: &mut Block, a: &Part, b: &Part, weight: f64) {
    for (row, &a) in block.iter_mut().zip(a) {
        let scaled = weight * a;
        if scaled != 0.0 {
            row.iter_mut().zip(b).for_each(|(entry, b)| *entry += scaled * b);
        }
    }
}
