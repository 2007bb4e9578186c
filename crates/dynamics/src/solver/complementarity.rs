//! The classic solvers of contact problems: Lemke's algorithm, projected Gauss–Seidel, and biconjugate gradients with dropping (K 2.6, 3.6;
//! G 2.77).
//!
//! They want the matrix of the whole problem, with rows scaled so that its diagonal is one,
//!
//! ```text
//! M = D (J W Jᵀ + γ) D,     D = 1/√(J W Jᵀ + γ),
//! ```
//!
//! and know nothing of friction, whose bounds depend on the pressure. So the two take turns: pressures, joints and limits by the
//! algorithm (`mixed.rs`), with friction as it is; then friction, cone by cone, with pressures as they are; until neither
//! changes the other. A problem of more than 240 rows is left to sequential impulses: the matrix would take too long.

use super::mixed::Mixed;
use super::{Bounds, ConstraintSolver, Convergence, Problem, SequentialImpulses, SolverBody, SolverRow};
use crate::Cancel;
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// The most rows a matrix is made for.
const LARGEST: usize = 240;

/// How often each cone of friction is looked at in its turn, and how often all of them.
const CONE_STEPS: usize = 30;
const CONE_SWEEPS: usize = 20;

macro_rules! solver {
    ($(#[$doc:meta])* $name:ident, $solve:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            /// How often pressures and friction take turns at most. Default 30.
            #[schemars(range(min = 1, max = 10000))]
            pub rounds: usize,
            /// Stop when no impulse of a turn changed a velocity by more than this, in m/s. Default 1e-10.
            #[schemars(range(min = 0.0), extend("unit" = "m/s"))]
            pub tolerance: f64,
            #[serde(skip)]
            cancel: Cancelled,
        }

        impl Default for $name {
            fn default() -> Self {
                Self { rounds: 30, tolerance: 1e-10, cancel: Cancelled::default() }
            }
        }

        impl $name {
            /// With at most so many turns, until no impulse of one changes a velocity by more than `tolerance`, in m/s.
            pub fn new(rounds: usize, tolerance: f64) -> Self {
                Self { rounds, tolerance, ..Self::default() }
            }
        }

        impl ConstraintSolver for $name {
            fn solve(&mut self, problem: &mut Problem<'_>) -> Convergence {
                take_turns(problem, (self.rounds, self.tolerance), &self.cancel.0, $solve)
            }

            fn watch(&mut self, cancel: &Cancel) {
                self.cancel.0 = cancel.clone();
            }

            fn clone_box(&self) -> Box<dyn ConstraintSolver> {
                Box::new(self.clone())
            }
        }
    };
}

solver!(
    /// Lemke's algorithm: pressures by complementary pivots, in finitely many steps; friction in turns with it. For small problems: beyond 240 rows, sequential impulses.
    Lemke,
    |mixed, lambda, _| {
        if !mixed.by_lemke(lambda) {
            mixed.sweep(lambda, 0.0, 100);
        }
    }
);

solver!(
    /// Projected Gauss–Seidel on the matrix of the problem, row after row, without acceleration; friction in turns with it. For small
    /// problems: beyond 240 rows, sequential impulses.
    ProjectedGaussSeidel,
    |mixed, lambda, tolerance| mixed.sweep(lambda, tolerance, 100)
);

solver!(
    /// Biconjugate gradients for all that presses or holds, beginning with the last impulses; what would pull is dropped, what would sink in
    /// comes back; friction in turns with it. For small problems: beyond 240 rows, sequential impulses.
    BiconjugateGradients,
    |mixed, lambda, _| {
        if !mixed.by_gradients(lambda) {
            mixed.sweep(lambda, 0.0, 100);
        }
    }
);

/// Who may end a solve; it does not make solvers differ.
#[derive(Clone, Debug, Default)]
struct Cancelled(Cancel);

impl PartialEq for Cancelled {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A friction: the row of its normal, its first row, how many there are, and the coefficients up to which it sticks and with which it slips.
struct Cone {
    normal: usize,
    first: usize,
    count: usize,
    stick: f64,
    slip: f64,
}

/// What a row does to its two bodies: `W Jᵀ`.
type Response = [[DVec3; 2]; 2];

fn response(row: &SolverRow, bodies: &[SolverBody]) -> Response {
    [0, 1].map(|k| {
        let body = &bodies[row.bodies[k]];
        [row.jacobian.linear[k] * body.inverse_mass, body.inverse_inertia * row.jacobian.angular[k]]
    })
}

/// `J W Jᵀ` of two rows.
fn coupling(row: &SolverRow, other: &SolverRow, response: &Response) -> f64 {
    let mut sum = 0.0;
    for k in 0..2 {
        for (body, [linear, angular]) in other.bodies.iter().zip(response) {
            if row.bodies[k] == *body {
                sum += row.jacobian.linear[k].dot(*linear) + row.jacobian.angular[k].dot(*angular);
            }
        }
    }
    sum
}

fn push(bodies: &mut [SolverBody], row: &SolverRow, response: &Response, impulse: f64) {
    for k in 0..2 {
        let body = &mut bodies[row.bodies[k]];
        body.velocity += response[k][0] * impulse;
        body.angular_velocity += response[k][1] * impulse;
    }
}

/// `J v + b + γ λ`.
fn excess(row: &SolverRow, bodies: &[SolverBody]) -> f64 {
    row.rate(bodies) + row.bias + row.gamma * row.impulse
}

/// Solves a problem: the rows that are no friction by `solve`, from the impulses they have and to a tolerance, and friction in turns with it.
fn take_turns(
    problem: &mut Problem<'_>,
    (rounds, tolerance): (usize, f64),
    cancel: &Cancel,
    solve: impl Fn(&Mixed, &mut [f64], f64),
) -> Convergence {
    if problem.rows.len() > LARGEST {
        let mut sweeps = SequentialImpulses { tolerance, ..SequentialImpulses::default() };
        sweeps.watch(cancel);
        return sweeps.solve(problem);
    }
    let Problem { bodies, rows } = problem;
    let responses: Vec<Response> = rows.iter().map(|row| response(row, bodies)).collect();
    let diagonal: Vec<f64> =
        rows.iter().zip(&responses).map(|(row, response)| coupling(row, row, response) + row.gamma).collect();
    let plain: Vec<usize> =
        (0..rows.len()).filter(|&i| !matches!(rows[i].bounds, Bounds::Cone { .. } | Bounds::ConeMember)).collect();
    let cones: Vec<Cone> = cones(rows);
    let scales: Vec<f64> =
        plain.iter().map(|&i| if diagonal[i] > 0.0 { 1.0 / diagonal[i].sqrt() } else { 0.0 }).collect();
    let mut mixed = Mixed::default();
    for (a, &i) in plain.iter().enumerate() {
        let (low, high) = rows[i].bounds.range();
        // What nothing moves has no impulse.
        let scale = |bound: f64| if scales[a] > 0.0 { bound / scales[a] } else { 0.0 };
        mixed.bounds.push([scale(low), scale(high)]);
        for (b, &j) in plain.iter().enumerate() {
            let own = if i == j { rows[i].gamma } else { 0.0 };
            mixed.numbers.push(scales[a] * scales[b] * (coupling(&rows[i], &rows[j], &responses[j]) + own));
        }
    }
    for (row, response) in rows.iter_mut().zip(&responses) {
        row.impulse = if row.impulse.is_finite() { row.bounds.clamp(row.impulse) } else { 0.0 };
        push(bodies, row, response, row.impulse);
    }
    let mut lambda = vec![0.0; plain.len()];
    let mut reached = Convergence::default();
    for _ in (0..rounds).take_while(|_| !cancel.is_cancelled()) {
        // q is what is there without the impulses of these rows.
        for (x, (&i, scale)) in lambda.iter_mut().zip(plain.iter().zip(&scales)) {
            *x = if *scale > 0.0 { rows[i].impulse / scale } else { 0.0 };
        }
        let with: Vec<f64> = plain.iter().zip(&scales).map(|(&i, scale)| scale * excess(&rows[i], bodies)).collect();
        let own = super::lcp::Square { numbers: &mixed.numbers, size: plain.len() }.times(&lambda);
        mixed.q = with.iter().zip(&own).map(|(with, own)| with - own).collect();
        solve(&mixed, &mut lambda, tolerance);
        let mut changed = 0.0_f64;
        for (k, &i) in plain.iter().enumerate() {
            let change = lambda[k] * scales[k] - rows[i].impulse;
            if change.is_finite() && change != 0.0 {
                rows[i].impulse += change;
                push(bodies, &rows[i], &responses[i], change);
                changed = changed.max((change * diagonal[i]).abs());
            }
        }
        changed = changed.max(rub(&cones, rows, bodies, &responses, tolerance));
        reached = Convergence { sweeps: reached.sweeps + 1, residual: changed, ..reached };
        if changed <= tolerance {
            break;
        }
    }
    let joints = rows.iter().filter(|row| row.bounds == Bounds::Free).map(|row| excess(row, bodies).abs());
    Convergence { joint_residual: joints.fold(0.0, f64::max), ..reached }
}

fn cones(rows: &[SolverRow]) -> Vec<Cone> {
    let cone = |(first, row): (usize, &SolverRow)| match row.bounds {
        Bounds::Cone { normal, rows: count, stick, slip } => {
            Some(Cone { normal, first, count: count.min(rows.len() - first), stick, slip })
        }
        _ => None,
    };
    rows.iter().enumerate().filter_map(cone).collect()
}

/// Lets friction do what it can against the motion, the pressures being as they are. By how much that changed a velocity at first.
fn rub(
    cones: &[Cone],
    rows: &mut [SolverRow],
    bodies: &mut [SolverBody],
    responses: &[Response],
    tolerance: f64,
) -> f64 {
    let mut first_change = 0.0_f64;
    for sweep in 0..CONE_SWEEPS {
        let mut changed = 0.0_f64;
        for cone in cones {
            let members = cone.first..cone.first + cone.count;
            // No eigenvalue of the block is larger than its trace.
            let trace: f64 = members.clone().map(|i| coupling(&rows[i], &rows[i], &responses[i]) + rows[i].gamma).sum();
            if trace <= 0.0 {
                continue;
            }
            let pressure = rows[cone.normal].impulse.max(0.0);
            let before: Vec<f64> = members.clone().map(|i| rows[i].impulse).collect();
            for _ in 0..CONE_STEPS {
                let wanted: Vec<f64> =
                    members.clone().map(|i| rows[i].impulse - excess(&rows[i], bodies) / trace).collect();
                let length = wanted.iter().map(|x| x * x).sum::<f64>().sqrt();
                let share = if length > cone.stick * pressure { cone.slip * pressure / length } else { 1.0 };
                let mut moved = 0.0_f64;
                for (i, wanted) in members.clone().zip(wanted) {
                    let change = wanted * share - rows[i].impulse;
                    rows[i].impulse += change;
                    push(bodies, &rows[i], &responses[i], change);
                    moved = moved.max((change * trace).abs());
                }
                if moved <= 0.1 * tolerance {
                    break;
                }
            }
            let moved = members.zip(before).map(|(i, before)| (rows[i].impulse - before).abs()).fold(0.0, f64::max);
            changed = changed.max(moved * trace);
        }
        if sweep == 0 {
            first_change = changed;
        }
        if changed <= 0.1 * tolerance {
            break;
        }
    }
    first_change
}
