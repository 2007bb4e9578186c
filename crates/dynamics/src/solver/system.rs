//! The problem in the form in which it is solved: what the sweeps read again and again, close together in memory.
//!
//! A sweep goes through all rows, a hundred times per solve, and takes as long as it takes to read them. So each row has J
//! and `W Jᵀ` side by side as plain numbers, the bodies that rows touch are numbered anew without gaps, and the impulses
//! form a list of their own. All of it stays allocated from solve to solve.

use super::{Bounds, Convergence, Problem, SolverBody, SolverRow};
use glam::DVec3;

/// Linear and angular velocity of a body; or what of a row belongs to one body.
pub(super) type Motion = [f64; 6];

/// A row of the problem.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// Its bodies, as indices into the bodies of the system.
    pub(super) bodies: [u32; 2],
    /// J.
    pub(super) jacobian: [Motion; 2],
    /// `W Jᵀ`: what an impulse of one does to the velocities.
    pub(super) response: [Motion; 2],
    pub(super) bias: f64,
    pub(super) gamma: f64,
}

impl Row {
    fn new(row: &SolverRow, bodies: [u32; 2], [a, b]: [&SolverBody; 2]) -> Self {
        let response = |body: &SolverBody, linear: DVec3, angular: DVec3| {
            motion(linear * body.inverse_mass, body.inverse_inertia * angular)
        };
        let ([la, lb], [ra, rb]) = (row.jacobian.linear, row.jacobian.angular);
        Self {
            bodies,
            jacobian: [motion(la, ra), motion(lb, rb)],
            response: [response(a, la, ra), response(b, lb, rb)],
            bias: row.bias,
            gamma: row.gamma,
        }
    }

    /// Whether another row is between the same bodies, with the same J, W and γ.
    pub(super) fn has_coefficients_of(&self, other: &Self) -> bool {
        let Self { bodies, jacobian, response, gamma, .. } = self;
        *bodies == other.bodies && *jacobian == other.jacobian && *response == other.response && *gamma == other.gamma
    }

    /// `J W Jᵀ` with another row between the same two bodies.
    pub(super) fn coupling(&self, other: &Self) -> f64 {
        dot(&self.jacobian, [&other.response[0], &other.response[1]])
    }
}

/// `J v` for the motions of two bodies, in two sums that a processor can form at once.
#[inline]
fn dot(jacobian: &[Motion; 2], motions: [&Motion; 2]) -> f64 {
    let parts: Motion = std::array::from_fn(|k| jacobian[0][k] * motions[0][k] + jacobian[1][k] * motions[1][k]);
    (parts[0] + parts[2] + parts[4]) + (parts[1] + parts[3] + parts[5])
}

/// Linear and angular part as one list.
fn motion(linear: DVec3, angular: DVec3) -> Motion {
    [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
}

/// The rows of a problem, and the bodies they touch.
#[derive(Debug, Default)]
pub(super) struct System {
    pub(super) rows: Vec<Row>,
    /// λ of each row.
    pub(super) impulses: Vec<f64>,
    /// The velocities of the bodies.
    pub(super) velocities: Vec<Motion>,
    /// Which bodies of the problem these are.
    pub(super) bodies: Vec<usize>,
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
        self.velocities.clear();
        self.bodies.clear();
        if self.numbers.len() < problem.bodies.len() {
            self.numbers.resize(problem.bodies.len(), UNSEEN);
        }
        for row in problem.rows.iter() {
            let bodies = row.bodies.map(|index| self.number(index, &problem.bodies[index]));
            self.rows.push(Row::new(row, bodies, row.bodies.map(|index| &problem.bodies[index])));
            self.impulses.push(row.impulse);
        }
        for &index in &self.bodies {
            self.numbers[index] = UNSEEN;
        }
    }

    /// The number of a body in the system, which it gets when the first row touches it.
    fn number(&mut self, index: usize, body: &SolverBody) -> u32 {
        if self.numbers[index] == UNSEEN {
            self.numbers[index] = self.bodies.len() as u32;
            self.bodies.push(index);
            self.velocities.push(motion(body.velocity, body.angular_velocity));
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
        for (&index, velocity) in self.bodies.iter().zip(&self.velocities) {
            let [x, y, z, a, b, c] = *velocity;
            problem.bodies[index].velocity = DVec3::new(x, y, z);
            problem.bodies[index].angular_velocity = DVec3::new(a, b, c);
        }
        Convergence { joint_residual, ..reached }
    }

    /// `J v` of a row.
    #[inline]
    pub(super) fn rate(&self, row: &Row) -> f64 {
        dot(&row.jacobian, row.bodies.map(|body| &self.velocities[body as usize]))
    }

    /// `J v + b + γ λ`: by how much a row misses what it demands.
    #[inline]
    pub(super) fn excess(&self, index: usize) -> f64 {
        let row = &self.rows[index];
        self.rate(row) + (row.bias + row.gamma * self.impulses[index])
    }

    /// Adds to the impulse of a row, and `W Jᵀ Δλ` to the velocities.
    #[inline]
    pub(super) fn push(&mut self, index: usize, change: f64) {
        self.impulses[index] += change;
        self.move_bodies(index, change);
    }

    /// Adds `W Jᵀ λ` of a row to the velocities.
    #[inline]
    fn move_bodies(&mut self, index: usize, impulse: f64) {
        let row = &self.rows[index];
        for (&body, response) in row.bodies.iter().zip(&row.response) {
            let velocity = &mut self.velocities[body as usize];
            for (speed, response) in velocity.iter_mut().zip(response) {
                *speed += response * impulse;
            }
        }
    }

    /// Adds what the impulses do to the velocities, of which they are not yet part.
    pub(super) fn apply_impulses(&mut self) {
        for index in 0..self.rows.len() {
            self.move_bodies(index, self.impulses[index]);
        }
    }

    /// Warm starting: begins with the multiple of the given impulses that suits the problem best.
    ///
    /// The solution minimises `φ(λ) = ½ v'ᵀ M v' + bᵀλ + ½ λᵀγλ`, for b = 0 the kinetic energy after the impulses. Along the
    /// given λ that is a parabola, with its minimum at `s = −λ·(J v + b) / λ·(J W Jᵀ λ + γ λ)`. Taking s between 0 and 1 means
    /// that a start that has become wrong never adds energy that a few sweeps could not take out again.
    pub(super) fn warm_start(&mut self) {
        let along = |system: &Self| -> f64 {
            system.rows.iter().zip(&system.impulses).map(|(row, impulse)| impulse * system.rate(row)).sum()
        };
        let before = along(self);
        self.apply_impulses();
        let own = |(row, impulse): (&Row, &f64)| row.gamma * impulse * impulse;
        let curvature = along(self) - before + self.rows.iter().zip(&self.impulses).map(own).sum::<f64>();
        let biases = |(row, impulse): (&Row, &f64)| impulse * row.bias;
        let slope = before + self.rows.iter().zip(&self.impulses).map(biases).sum::<f64>();
        let scale = if curvature > 0.0 { (-slope / curvature).clamp(0.0, 1.0) } else { 0.0 };
        if scale < 1.0 {
            for index in 0..self.rows.len() {
                self.move_bodies(index, (scale - 1.0) * self.impulses[index]);
                self.impulses[index] *= scale;
            }
        }
    }
}
