//! The rows without bounds, as a linear system.
//!
//! **Which rows count.** Rows may say the same as others: two hinges on one door, the links of a loop. Whether they do is
//! a matter of the Jacobian alone, and not of masses: a row is redundant if it is a combination of the rows before it, up to
//! [`REDUNDANT`]. So it is decided with a metric in which all bodies weigh the same. In `J W Jᵀ` itself a body of a milligram
//! between two of a kilogram dominates: what tells its two joints from each other is a millionth of what they have in common,
//! and would be taken for rounding.
//!
//! **Loops.** The rows of a net of joints say the same while it is level, and something else once it bends. To leave them out in one
//! moment and demand them to the letter in the next, when they are nearly the same, throws bodies about. How much they must differ to be
//! told apart depends on the step: the Jacobian is that of one moment, and a row that turns by an angle θ within the step has another one
//! at its end. So where joints form loops and the square of a row's distance from the span of the others is below
//!
//! ```text
//! ε = (4 θ)²,    at least REDUNDANT and at most LARGEST_YIELD,
//! ```
//!
//! none is left out, but all yield a little (Tikhonov regularisation):
//!
//! ```text
//! (J W Jᵀ + γ + ε E) Δλ = −(J v + b + γ λ).
//! ```
//!
//! E is diagonal: the mobility of the row's heavier body, so that what is light between heavy ones is held no worse. The shorter the
//! step, the less they yield: a linkage passes its dead points as it should. What that leaves undone is solved for again as long as a round does away with nearly all of it. The rest, of the combinations of rows that
//! say almost nothing, is left to the next look ahead and to the next step, which begin with the impulses found in this one (method of
//! multipliers; Hestenes 1969, Powell 1969).
//!
//! **How well the rest is solved.** With a ratio of masses of 10⁹, nine of the sixteen digits cancel. So the solution is refined: what
//! the rows still miss is measured with the velocities, and solved for again, as long as that helps (iterative refinement). What
//! cannot be solved shows in [`Convergence::joint_residual`](crate::Convergence::joint_residual).

use super::factor::Factor;
use super::structure::Structure;
use crate::constraint::Jacobian;
use crate::solver::system::{Motion, Row, System};
use crate::solver::{Bounds, Problem, SolverBody};
use glam::{DMat3, DVec3};

/// A row whose distance from the span of the others has this square, of its own square, is counted as redundant. Joints that were
/// aligned drift apart a little, so it must be well above rounding; two rows that differ by 3e-4 are the same.
const REDUNDANT: f64 = 1e-7;

/// Rows of loops that differ by no more than so many times the angle by which they turn within the step yield.
const TURNS: f64 = 4.0;

/// By how much of their mobility rows of loops yield at most: the largest ε.
const LARGEST_YIELD: f64 = 1e-2;

/// Rows that yield are solved again as long as a round leaves no more than this of what they missed.
const NEARLY_NOTHING: f64 = 0.1;

/// A diagonal of which no more than this part is left has no right digit any more.
const ROUNDING: f64 = 1e-14;

/// If the smallest part left of a diagonal is below this, the solution is refined.
const DOUBTFUL: f64 = 1e-5;

/// How often a solution is refined at most.
const REFINEMENTS: usize = 4;

/// The joints of a problem.
#[derive(Debug, Default)]
pub(in crate::solver) struct Joints {
    /// Which rows of the system.
    rows: Vec<usize>,
    /// Which of them count.
    counts: Vec<bool>,
    /// In which order they are eliminated.
    structure: Structure,
    /// The metric for redundancy: how far a unit impulse moves and turns each body.
    metric: Vec<Neutral>,
    /// J of each of the rows, and `J` times the metric.
    jacobians: Vec<[Motion; 2]>,
    neutral: Vec<[Motion; 2]>,
    factor: Factor,
    /// The rows and the metric that the factor is of: Newton's method solves with the same ones again and again, and the positions
    /// of a step begin with those that the velocities of the step before ended with.
    factored: (Vec<Row>, Vec<Neutral>),
    /// Whether the solution has to be refined.
    doubtful: bool,
    /// Whether the rows yield.
    yields: bool,
    /// By how much the impulses are to change, and were changed before.
    changes: Vec<f64>,
    before: Vec<f64>,
}

/// A body of unit mass, of a size such that its rows move and turn it alike.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Neutral {
    /// The sums of squares of the Jacobian's linear and angular parts.
    squares: [f64; 2],
    linear: f64,
    angular: DMat3,
}

impl Neutral {
    /// Leaves out what does not move.
    fn finish(&mut self, body: &SolverBody) {
        let [linear, angular] = self.squares;
        let length_squared = if linear > 0.0 && angular > 0.0 { angular / linear } else { 1.0 };
        self.linear = f64::from(u8::from(body.inverse_mass > 0.0));
        let inertia = body.inverse_inertia;
        let mean = (inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z) / 3.0;
        let turns_about_all_axes = inertia.determinant() > 1e-14 * mean * mean * mean;
        self.angular = match mean > 0.0 {
            true if turns_about_all_axes => DMat3::IDENTITY * (1.0 / length_squared),
            true => inertia * (1.0 / (mean * length_squared)),
            false => DMat3::ZERO,
        };
    }

    fn times(&self, row: &Motion) -> Motion {
        let angular = self.angular * DVec3::new(row[3], row[4], row[5]);
        let linear = DVec3::new(row[0], row[1], row[2]) * self.linear;
        [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
    }
}

impl Joints {
    /// Takes over the rows without bounds. Whether they are eliminated: not if that would take more than `budget`
    /// multiplications.
    pub(in crate::solver) fn load(&mut self, system: &System, problem: &Problem<'_>, budget: f64) -> bool {
        self.rows.clear();
        self.rows.extend((0..problem.rows.len()).filter(|&index| problem.rows[index].bounds == Bounds::Free));
        self.structure.clear();
        if self.rows.is_empty() {
            return false;
        }
        self.jacobians.clear();
        self.jacobians.extend(self.rows.iter().map(|&index| motions(&problem.rows[index].jacobian)));
        self.measure(system, problem);
        let is_factored = self.is_factored(system);
        let Self { rows, counts, structure, metric, jacobians, neutral, factor, factored, doubtful, yields, .. } = self;
        let is_moved = |body: usize| metric[body].linear > 0.0 || metric[body].angular != DMat3::ZERO;
        structure.load(system, rows, is_moved, budget);
        let Some(elimination) = structure.elimination() else {
            rows.clear();
            factored.0.clear();
            return false;
        };
        if is_factored {
            return true;
        }
        factored.0.clear();
        factored.0.extend(rows.iter().map(|&index| system.rows[index]));
        factored.1.clone_from(metric);
        neutral.clear();
        neutral.extend(rows.iter().zip(jacobians.iter()).map(|(&index, jacobian)| {
            let bodies = system.rows[index].bodies;
            [0, 1].map(|side| metric[bodies[side] as usize].times(&jacobian[side]))
        }));
        counts.clear();
        counts.resize(rows.len(), true);
        // A soft row is as soft, compared to what moves it, as with the masses.
        let in_metric = |i: usize, j: usize| {
            let bodies = [rows[i], rows[j]].map(|row| system.rows[row].bodies);
            let coupling = coupling(bodies, &jacobians[i], &neutral[j]);
            let mobility = || coupling_of_masses(system, rows[i], rows[i]).max(f64::MIN_POSITIVE);
            if i == j { coupling * (1.0 + system.rows[rows[i]].gamma / mobility()) } else { coupling }
        };
        let distinct = factor.factor(elimination, in_metric, counts, REDUNDANT);
        let largest = rows.iter().map(|&row| epsilon(&system.rows[row])).fold(0.0, f64::max);
        *yields = structure.has_loops() && distinct < largest;
        if *yields {
            counts.fill(true);
            let with_yield = |i: usize, j: usize| {
                let coupling = coupling_of_masses(system, rows[i], rows[j]);
                if i != j {
                    return coupling;
                }
                let row = &system.rows[rows[i]];
                coupling + row.gamma + epsilon(row) * mobility_of_heavier(row)
            };
            factor.factor(elimination, with_yield, counts, ROUNDING);
            return true;
        }
        let with_masses = |i: usize, j: usize| {
            coupling_of_masses(system, rows[i], rows[j]) + if i == j { system.rows[rows[i]].gamma } else { 0.0 }
        };
        *doubtful = factor.factor(elimination, with_masses, counts, ROUNDING) < DOUBTFUL;
        true
    }

    /// Whether the factor is that of the rows of a system.
    fn is_factored(&self, system: &System) -> bool {
        let is_same = |(old, &index): (&Row, &usize)| old.has_coefficients_of(&system.rows[index]);
        let (rows, metric) = &self.factored;
        rows.len() == self.rows.len() && *metric == self.metric && rows.iter().zip(&self.rows).all(is_same)
    }

    /// Finds the metric: which bodies are moved by joints, and of what size the joints' levers are on each.
    fn measure(&mut self, system: &System, problem: &Problem<'_>) {
        self.metric.clear();
        self.metric.resize(system.bodies.len(), Neutral::default());
        for (&index, jacobian) in self.rows.iter().zip(&self.jacobians) {
            for (&body, jacobian) in system.rows[index].bodies.iter().zip(jacobian) {
                let [linear, angular] = &mut self.metric[body as usize].squares;
                *linear += jacobian[..3].iter().map(|x| x * x).sum::<f64>();
                *angular += jacobian[3..].iter().map(|x| x * x).sum::<f64>();
            }
        }
        for (metric, &index) in self.metric.iter_mut().zip(&system.bodies) {
            metric.finish(&problem.bodies[index]);
        }
    }

    /// Whether the rows yield.
    pub(in crate::solver) fn yields(&self) -> bool {
        self.yields
    }

    /// The rows that are eliminated and count.
    pub(super) fn counting(&self) -> impl Iterator<Item = usize> {
        self.rows.iter().zip(&self.counts).filter(|(_, counts)| **counts).map(|(&row, _)| row)
    }

    /// Solves the system for the velocities as they are now. Whether there was anything to solve.
    pub(in crate::solver) fn solve(&mut self, system: &mut System) -> bool {
        if self.yields {
            return self.solve_with_yield(system);
        }
        let Some(elimination) = self.structure.elimination() else { return false };
        let refinements = if self.doubtful { REFINEMENTS } else { 0 };
        let mut missed = miss(system, &self.rows, &self.counts, &mut self.changes);
        for round in 0..=refinements {
            self.factor.solve(elimination, &mut self.changes);
            // Where numbers overflow, the sweeps are left to make of it what they can.
            if !self.changes.iter().all(|change| change.is_finite()) {
                break;
            }
            self.rows.iter().zip(&self.changes).for_each(|(&row, &change)| system.push(row, change));
            if round == refinements {
                break;
            }
            std::mem::swap(&mut self.changes, &mut self.before);
            let now = miss(system, &self.rows, &self.counts, &mut self.changes);
            if now.is_nan() || now >= missed {
                // As good as it gets was what it was before.
                self.rows.iter().zip(&self.before).for_each(|(&row, &change)| system.push(row, -change));
                break;
            }
            missed = now;
        }
        true
    }

    /// The same for rows that yield.
    fn solve_with_yield(&mut self, system: &mut System) -> bool {
        let Some(elimination) = self.structure.elimination() else { return false };
        let mut missed = f64::INFINITY;
        for _ in 0..=REFINEMENTS {
            let now = miss(system, &self.rows, &self.counts, &mut self.changes);
            if now > NEARLY_NOTHING * missed {
                break;
            }
            missed = now;
            self.factor.solve(elimination, &mut self.changes);
            // Where numbers overflow, the sweeps are left to make of it what they can.
            if !self.changes.iter().all(|change| change.is_finite()) {
                break;
            }
            self.rows.iter().zip(&self.changes).for_each(|(&row, &change)| system.push(row, change));
        }
        true
    }
}

/// What the rows still have to change, as a list; and the most by which a row that counts misses what it demands.
fn miss(system: &System, rows: &[usize], counts: &[bool], list: &mut Vec<f64>) -> f64 {
    list.clear();
    list.extend(rows.iter().map(|&row| -system.excess(row)));
    list.iter().zip(counts).filter(|(_, counts)| **counts).map(|(miss, _)| miss.abs()).fold(0.0, f64::max)
}

/// ε of a row.
fn epsilon(row: &Row) -> f64 {
    let angle = TURNS * row.turn;
    (angle * angle).clamp(REDUNDANT, LARGEST_YIELD)
}

/// `J W Jᵀ` of the body of a row that it moves least, of those that move.
fn mobility_of_heavier(row: &Row) -> f64 {
    match row.scaled.map(|scaled| scaled.iter().map(|x| x * x).sum::<f64>()) {
        [a, b] if a > 0.0 && b > 0.0 => a.min(b),
        [a, b] => a.max(b),
    }
}

/// A Jacobian as lists of numbers.
fn motions(jacobian: &Jacobian) -> [Motion; 2] {
    [0, 1].map(|side| {
        let (linear, angular) = (jacobian.linear[side], jacobian.angular[side]);
        [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
    })
}

/// `J R` of two rows between these bodies: what an impulse of the second does to the first, if it moves its own bodies by
/// `response`.
fn coupling([one, other]: [[u32; 2]; 2], jacobian: &[Motion; 2], response: &[Motion; 2]) -> f64 {
    let mut sum = 0.0;
    for (body, jacobian) in one.iter().zip(jacobian) {
        for (_, response) in other.iter().zip(response).filter(|(other, _)| *other == body) {
            sum += jacobian.iter().zip(response).map(|(j, r)| j * r).sum::<f64>();
        }
    }
    sum
}

/// `J W Jᵀ` of two rows.
pub(super) fn coupling_of_masses(system: &System, first: usize, second: usize) -> f64 {
    let (one, other) = (&system.rows[first], &system.rows[second]);
    coupling([one.bodies, other.bodies], &one.scaled, &other.scaled)
}
