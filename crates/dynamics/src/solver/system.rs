//! The problem in the form in which it is solved: what the sweeps read again and again, close together in memory.
//!
//! A sweep goes through all rows, a hundred times per solve, and takes as long as it takes to read them. So velocities are
//! measured from where they began and in units in which all masses are one (mass scaling):
//!
//! ```text
//! v = v₀ + S z,    S Sᵀ = W,    A = J S,    J W Jᵀ = A Aᵀ,    J v + b = A z + c with c = b + J v₀.
//! ```
//!
//! An impulse λ of a row then changes z by `Aᵀ λ`: a row is its own response, and there is half as much to read. S is √(1/m)
//! for the linear part, and the Cholesky factor of the inverse inertia for the angular one. The bodies that rows touch
//! are numbered anew without gaps, and the impulses form a list of their own. All of it stays allocated from solve to solve.

use super::{Bounds, Convergence, Problem, SolverBody};
use glam::{DMat3, DVec3};

/// Linear and angular velocity of a body, scaled; or what of a row belongs to one body.
pub(super) type Motion = [f64; 6];

/// A row of the problem.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// Its bodies, as indices into the bodies of the system.
    pub(super) bodies: [u32; 2],
    /// A = J S.
    pub(super) scaled: [Motion; 2],
    /// c.
    pub(super) bias: f64,
    pub(super) gamma: f64,
    /// By how much it turns within the step.
    pub(super) turn: f64,
}

impl Row {
    /// Whether another row is between the same bodies, with the same J, W and γ, and turns alike.
    pub(super) fn has_coefficients_of(&self, other: &Self) -> bool {
        self.bodies == other.bodies
            && self.scaled == other.scaled
            && self.gamma == other.gamma
            && self.turn == other.turn
    }

    /// `J W Jᵀ = A Aᵀ` with another row between the same two bodies.
    pub(super) fn coupling(&self, other: &Self) -> f64 {
        dot(&self.scaled, [&other.scaled[0], &other.scaled[1]])
    }
}

/// `A z` for the motions of two bodies, in two sums that a processor can form at once.
#[inline]
fn dot(scaled: &[Motion; 2], motions: [&Motion; 2]) -> f64 {
    let parts: Motion = std::array::from_fn(|k| scaled[0][k] * motions[0][k] + scaled[1][k] * motions[1][k]);
    (parts[0] + parts[2] + parts[4]) + (parts[1] + parts[3] + parts[5])
}

/// S of a body. All zero if nothing moves it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// √(1/m).
    pub(super) linear: f64,
    /// L with L Lᵀ = I⁻¹.
    angular: DMat3,
}

impl Scale {
    fn new(body: &SolverBody) -> Self {
        Self { linear: body.inverse_mass.max(0.0).sqrt(), angular: cholesky(&body.inverse_inertia) }
    }

    /// `J S`.
    fn times(&self, linear: DVec3, angular: DVec3) -> Motion {
        let (linear, angular) = (linear * self.linear, self.angular.transpose() * angular);
        [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
    }

    /// Whether impulses move the body.
    pub(super) fn moves(&self) -> bool {
        self.linear > 0.0 || self.angular != DMat3::ZERO
    }
}

/// The lower triangular L with L Lᵀ = M of a positive semidefinite matrix. A column of which nothing but rounding is left is
/// zero.
fn cholesky(m: &DMat3) -> DMat3 {
    let mut l = [[0.0; 3]; 3];
    for j in 0..3 {
        let left = |i: usize, l: &[[f64; 3]; 3]| m.col(j)[i] - (0..j).map(|k| l[k][i] * l[k][j]).sum::<f64>();
        let pivot = left(j, &l);
        if pivot > 1e-15 * m.col(j)[j] {
            let root = pivot.sqrt();
            l[j][j] = root;
            for i in j + 1..3 {
                l[j][i] = left(i, &l) / root;
            }
        }
    }
    DMat3::from_cols_array_2d(&l)
}

/// The rows of a problem, and the bodies they touch.
#[derive(Debug, Default)]
pub(super) struct System {
    pub(super) rows: Vec<Row>,
    /// λ of each row; then three zeros, for the places in a [group of contacts](super::contacts) where there is none.
    pub(super) impulses: Vec<f64>,
    /// z of each body: what impulses changed of its velocity; then one of a body that nothing moves.
    pub(super) motions: Vec<Motion>,
    /// Which bodies of the problem these are.
    pub(super) bodies: Vec<usize>,
    /// S of each body.
    pub(super) scales: Vec<Scale>,
    /// For each body of the problem, which of these it is.
    numbers: Vec<u32>,
}

/// The number of a body that no row has touched yet.
const UNSEEN: u32 = u32::MAX;

impl System {
    /// Takes over a problem.
    pub(super) fn load(&mut self, problem: &Problem<'_>) {
        self.rows.clear();
        self.impulses.clear();
        self.bodies.clear();
        self.scales.clear();
        if self.numbers.len() < problem.bodies.len() {
            self.numbers.resize(problem.bodies.len(), UNSEEN);
        }
        for row in problem.rows.iter() {
            let bodies = row.bodies.map(|index| self.number(index, &problem.bodies[index]));
            let [a, b] = bodies.map(|body| &self.scales[body as usize]);
            let ([la, lb], [ra, rb]) = (row.jacobian.linear, row.jacobian.angular);
            let scaled = [a.times(la, ra), b.times(lb, rb)];
            let bias = row.bias + row.rate(problem.bodies);
            self.rows.push(Row { bodies, scaled, bias, gamma: row.gamma, turn: row.turn });
            self.impulses.push(row.impulse);
        }
        self.impulses.extend([0.0; 3]);
        self.motions.clear();
        self.motions.resize(self.bodies.len() + 1, [0.0; 6]);
        for &index in &self.bodies {
            self.numbers[index] = UNSEEN;
        }
    }

    /// The number of a body in the system, which it gets when the first row touches it.
    fn number(&mut self, index: usize, body: &SolverBody) -> u32 {
        if self.numbers[index] == UNSEEN {
            self.numbers[index] = self.bodies.len() as u32;
            self.bodies.push(index);
            self.scales.push(Scale::new(body));
        }
        self.numbers[index]
    }

    /// Hands the solution back, and adds to how far a solver got what the joints still miss.
    pub(super) fn store(&self, problem: &mut Problem<'_>, reached: Convergence) -> Convergence {
        let joints = problem.rows.iter().enumerate().filter(|(_, row)| row.bounds == Bounds::Free);
        let joint_residual = joints.map(|(index, _)| self.excess(index).abs()).fold(0.0, f64::max);
        for (row, impulse) in problem.rows.iter_mut().zip(&self.impulses) {
            // What overflowed is nothing to start the next step from.
            row.impulse = if impulse.is_finite() { *impulse } else { 0.0 };
        }
        for ((&index, scale), motion) in self.bodies.iter().zip(&self.scales).zip(&self.motions) {
            let [x, y, z, a, b, c] = *motion;
            problem.bodies[index].velocity += DVec3::new(x, y, z) * scale.linear;
            problem.bodies[index].angular_velocity += scale.angular * DVec3::new(a, b, c);
        }
        Convergence { joint_residual, ..reached }
    }

    /// `J v + b + γ λ = A z + c + γ λ`: by how much a row misses what it demands.
    #[inline]
    pub(super) fn excess(&self, index: usize) -> f64 {
        let row = &self.rows[index];
        let motions = row.bodies.map(|body| &self.motions[body as usize]);
        dot(&row.scaled, motions) + (row.bias + row.gamma * self.impulses[index])
    }

    /// Adds to the impulse of a row, and `Aᵀ Δλ` to the motions.
    #[inline]
    pub(super) fn push(&mut self, index: usize, change: f64) {
        self.impulses[index] += change;
        self.move_bodies(index, change);
    }

    /// Adds `Aᵀ λ` of a row to the motions.
    #[inline]
    fn move_bodies(&mut self, index: usize, impulse: f64) {
        let row = &self.rows[index];
        for (&body, scaled) in row.bodies.iter().zip(&row.scaled) {
            let motion = &mut self.motions[body as usize];
            for (speed, scaled) in motion.iter_mut().zip(scaled) {
                *speed += scaled * impulse;
            }
        }
    }

    /// Adds what the impulses do to the motions, of which they are not yet part.
    pub(super) fn apply_impulses(&mut self) {
        for index in 0..self.rows.len() {
            self.move_bodies(index, self.impulses[index]);
        }
    }

    /// Warm starting: begins with the multiple of the given impulses that suits the problem best.
    ///
    /// The solution minimises `φ(λ) = ½ v'ᵀ M v' + bᵀλ + ½ λᵀγλ`, for b = 0 the kinetic energy after the impulses. Along the
    /// given λ that is a parabola, with its minimum at `s = −λ·c / (z·z + λ·γ λ)` for the motions z = Aᵀ λ. Taking s between 0
    /// and 1 means that a start that has become wrong never adds energy that a few sweeps could not take out again.
    pub(super) fn warm_start(&mut self) {
        self.apply_impulses();
        let sum = |of: fn(&Row, f64) -> f64| -> f64 {
            self.rows.iter().zip(&self.impulses).map(|(row, &impulse)| of(row, impulse)).sum()
        };
        let slope = sum(|row, impulse| impulse * row.bias);
        let square: f64 = self.motions.as_flattened().iter().map(|z| z * z).sum();
        let curvature = square + sum(|row, impulse| row.gamma * impulse * impulse);
        let scale = if curvature > 0.0 { (-slope / curvature).clamp(0.0, 1.0) } else { 0.0 };
        if scale < 1.0 {
            self.motions.as_flattened_mut().iter_mut().for_each(|z| *z *= scale);
            self.impulses.iter_mut().for_each(|impulse| *impulse *= scale);
        }
    }
}
