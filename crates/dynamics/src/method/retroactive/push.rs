//! A push removes an error of position (Baumgarte's term β c/h) by a **split impulse**, also called a pseudo-velocity: an impulse at
//! the beginning of a step that is taken back at its end. So it displaces bodies without making them faster. Both impulses
//! come in opposite pairs along one line in space, which conserves momentum and angular momentum.

use crate::BodyState;
use crate::solver::{SolverBody, SolverRow};
use glam::DVec3;

/// An impulse `λ Jᵀ` on two bodies.
#[derive(Clone, Debug)]
pub(super) struct Push {
    bodies: [usize; 2],
    linear: [DVec3; 2],
    angular: [DVec3; 2],
    /// Where the bodies were when it acted.
    centers: [DVec3; 2],
}

impl Push {
    pub(super) fn new(row: &SolverRow) -> Self {
        Self {
            bodies: row.bodies,
            linear: row.jacobian.linear.map(|v| v * row.impulse),
            angular: row.jacobian.angular.map(|v| v * row.impulse),
            centers: [DVec3::ZERO; 2],
        }
    }

    /// Notes where the bodies are while it acts.
    pub(super) fn hold_line_of_action(&mut self, bodies: &[BodyState]) {
        self.centers = self.bodies.map(|index| bodies.get(index).map_or(DVec3::ZERO, |body| body.position));
    }

    /// Takes the impulse back from bodies that have moved since.
    pub(super) fn take_back(&self, states: &[BodyState], bodies: &mut [SolverBody]) {
        for side in 0..2 {
            let index = self.bodies[side];
            let moved = states.get(index).map_or(DVec3::ZERO, |body| body.position - self.centers[side]);
            // The same line of action, seen from the new centre of mass.
            let angular = self.angular[side] - moved.cross(self.linear[side]);
            let body = &mut bodies[index];
            body.velocity -= self.linear[side] * body.inverse_mass;
            body.angular_velocity -= body.inverse_inertia * angular;
        }
    }
}
