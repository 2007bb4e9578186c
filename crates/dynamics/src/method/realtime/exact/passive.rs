//! Islands gain no energy in a substep but by what forces, springs, motors and scripts do (passivity).
//!
//! Rows that contradict each other (a joint that was pulled apart draws a body through a floor) and Newton's method far from its goal can
//! find impulses that throw bodies about. The exact solution never does: the second solve of a substep is a projection, which makes
//! kinetic energy smaller, and the first one leaves no more of it than it takes to remove errors at their greatest speeds. So what an
//! island may have at the end of a substep is known from its beginning,
//!
//! ```text
//! E ≤ Σ ½ m (|v| + h |a|)² + ½ m s²   and the same for rotations,   + Σ |λ| (|J v| + |J v'|) of springs and motors,
//! ```
//!
//! with the greatest speed s at which errors are removed, or with which scripts and motors move. Where it is more, all velocities are scaled down, and the impulses are forgotten.

use super::super::bodies::{Body, Spin};
use super::problem::{Law, Row};

/// How much more energy than that is taken for an error of the method: a substep of joints that swing fast is not exact.
const SLACK: f64 = 1.01;

/// What an island may have.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Allowance {
    energy: f64,
    /// Mass and greatest moments of inertia.
    mass: f64,
    inertia: f64,
}

impl Allowance {
    /// Of bodies at the beginning of a substep of `h` seconds.
    pub(super) fn new<'a>(bodies: impl Iterator<Item = &'a Body>, h: f64) -> Self {
        let mut sum = Self::default();
        for body in bodies {
            let (mass, inertia) = (1.0 / body.inverse_mass, greatest_moment(body));
            let speed = body.velocity.length() + h * body.acceleration.length();
            let spin = (2.0 * spinning(body)).sqrt() + inertia.sqrt() * h * body.angular_acceleration.length();
            sum.energy += 0.5 * (mass * speed * speed + spin * spin);
            sum.mass += mass;
            sum.inertia += inertia;
        }
        sum
    }

    /// Adds what it takes to remove errors at these speeds, in m/s and rad/s.
    pub(super) fn remove_errors(&mut self, speed: f64, angular_speed: f64) {
        self.energy += 0.5 * (self.mass * speed * speed + self.inertia * angular_speed * angular_speed);
    }

    /// Adds what a row can do that works, a spring or a motor, whose rate went from one to another.
    pub(super) fn let_work(&mut self, row: &Row, rates: [f64; 2]) {
        let works = match row.law {
            Law::Spring { .. } => true,
            Law::Range { min, max } => min != 0.0 || max.is_finite(),
            _ => false,
        };
        if works {
            self.energy += row.impulse.abs() * (rates[0].abs() + rates[1].abs());
        }
    }

    /// By how much velocities are to be scaled; none if the bodies have no more than they may.
    pub(super) fn scale<'a>(&self, bodies: impl Iterator<Item = &'a Body>) -> Option<f64> {
        let energy: f64 =
            bodies.map(|body| 0.5 * body.velocity.length_squared() / body.inverse_mass + spinning(body)).sum();
        let most = SLACK * self.energy;
        if energy <= most {
            return None;
        }
        let scale = (most / energy).sqrt();
        Some(if scale.is_finite() { scale } else { 0.0 })
    }
}

fn greatest_moment(body: &Body) -> f64 {
    match body.spin {
        Spin::Given => 0.0,
        Spin::Steady => 1.0 / body.inverse_inertia.x_axis.x,
        Spin::Euler { moments, .. } => moments.max_element(),
    }
}

/// The kinetic energy of rotation.
fn spinning(body: &Body) -> f64 {
    0.5 * match body.spin {
        Spin::Given => 0.0,
        Spin::Steady => body.angular_velocity.length_squared() / body.inverse_inertia.x_axis.x,
        Spin::Euler { moments, axes } => {
            let omega = (body.rotation * axes).conjugate() * body.angular_velocity;
            (moments * omega * omega).element_sum()
        }
    }
}
