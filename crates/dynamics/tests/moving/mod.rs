//! Bodies in motion, and numerical differentiation along it: what the derivatives of constraints are checked against.

#![allow(dead_code, reason = "not every test uses all of it")]

use glam::{DQuat, DVec3};
use std::cell::RefCell;
use std::f64::consts::PI;
use std::rc::Rc;
use std::sync::Arc;
use tumble_dynamics::constraint::{Attach, BodyView, Constraint, JointView, Row};
use tumble_dynamics::geometry::Transform;
use tumble_dynamics::geometry::math::rotation_from_vector;

/// A body in motion that is not accelerated: its centre moves straight, it turns at a constant rate.
#[derive(Clone, Copy)]
pub(crate) struct Moving {
    pub(crate) pose: Transform,
    pub(crate) local_center: DVec3,
    pub(crate) velocity: DVec3,
    pub(crate) omega: DVec3,
}

impl Moving {
    pub(crate) fn random(random: &mut fastrand::Rng) -> Self {
        let mut vector = || DVec3::new(random.f64() - 0.5, random.f64() - 0.5, random.f64() - 0.5) * 4.0;
        let rotation = rotation_from_vector(vector());
        Self {
            pose: Transform::new(rotation, vector()),
            local_center: vector() * 0.2,
            velocity: vector(),
            omega: vector(),
        }
    }

    pub(crate) fn at(&self, t: f64) -> BodyView {
        let center = self.pose.point(self.local_center) + self.velocity * t;
        let rotation: DQuat = (rotation_from_vector(self.omega * t) * self.pose.rotation).normalize();
        let pose = Transform::new(rotation, center - rotation * self.local_center);
        BodyView { pose, center, velocity: self.velocity, angular_velocity: self.omega }
    }
}

/// Central difference of fourth order.
pub(crate) fn derivative(f: impl Fn(f64) -> f64) -> f64 {
    difference(&f, 1e-3)
}

/// The derivative if two step lengths agree on it, the shorter the closer to a singular place; none across a jump
/// or a kink.
pub(crate) fn smooth_derivative(f: impl Fn(f64) -> f64) -> Option<f64> {
    [1e-3, 1e-4, 1e-5].into_iter().find_map(|step| {
        let (coarse, fine) = (difference(&f, 2.0 * step), difference(&f, step));
        // Across a kink the second difference halves with the step; elsewhere it becomes a quarter.
        let bend = |h: f64| (f(h) - 2.0 * f(0.0) + f(-h)).abs();
        let smooth = bend(step) < 0.4 * bend(2.0 * step) + 1e-12;
        (smooth && (coarse - fine).abs() < 1e-7 * (1.0 + fine.abs())).then_some(fine)
    })
}

fn difference(f: &impl Fn(f64) -> f64, h: f64) -> f64 {
    (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)
}

pub(crate) fn random_vector(random: &mut fastrand::Rng) -> DVec3 {
    DVec3::new(random.f64() - 0.5, random.f64() - 0.5, random.f64() - 0.5) * 4.0
}

fn rows(constraint: &Arc<dyn Constraint>, bodies: [Moving; 2], angle: f64, t: f64) -> Vec<Row> {
    let mut rows = Vec::new();
    constraint.rows(&JointView { bodies: bodies.map(|body| body.at(t)), angle }, &mut rows);
    rows
}

fn rate(row: &Row, bodies: [Moving; 2]) -> f64 {
    row.jacobian.dot(bodies.map(|body| body.velocity), bodies.map(|body| body.omega))
}

/// Checks J and J̇ẋ of every row of a joint made of random vectors, at 10 000 random states.
pub(crate) fn check_derivatives(name: &str, make: impl Fn(&mut fastrand::Rng) -> Box<dyn Attach>) {
    let mut random = fastrand::Rng::with_seed(11);
    let mut checked = 0;
    for case in 0..10_000 {
        let attached = [Moving::random(&mut random), Moving::random(&mut random)];
        let Ok(constraint) = make(&mut random).attach(&attached.map(|body| body.at(0.0))) else { continue };
        // Anywhere else than where it was attached: the formulas must hold where the constraint does not. A third of the
        // cases are near where it was attached, and a sixth near half a turn from there, where most joints are singular.
        let mut bodies = [Moving::random(&mut random), Moving::random(&mut random)];
        if case % 2 == 0 {
            let small = random_vector(&mut random) * libm::exp2(-random.f64() * 25.0);
            let half_turn = if case % 6 == 0 { rotation_from_vector(DVec3::Y * PI) } else { DQuat::IDENTITY };
            let relative = attached[0].pose.rotation.conjugate() * attached[1].pose.rotation;
            let turn = rotation_from_vector(small) * half_turn;
            bodies[1].pose.rotation = (bodies[0].pose.rotation * turn * relative).normalize();
        }
        let angle = constraint.angle(&bodies.map(|body| body.at(0.0))).unwrap_or(0.0);
        // All rows of a moment are looked at together, and each moment is asked for by every row.
        let moments = RefCell::new(Vec::<(f64, Rc<Vec<Row>>)>::new());
        let at = |t: f64| {
            let known = moments.borrow().iter().find(|moment| moment.0 == t).map(|moment| moment.1.clone());
            known.unwrap_or_else(|| {
                let rows = Rc::new(rows(&constraint, bodies, angle, t));
                moments.borrow_mut().push((t, rows.clone()));
                rows
            })
        };
        for (index, row) in at(0.0).iter().enumerate() {
            let rate_now = rate(row, bodies);
            let scale = 1.0 + row.error.abs() + rate_now.abs() + row.jdot_v.abs();
            if let Some(first) = smooth_derivative(|t| at(t)[index].error) {
                assert!((first - rate_now).abs() < 1e-6 * scale, "{name}, case {case}, row {index}: J is wrong");
            }
            if let Some(second) = smooth_derivative(|t| rate(&at(t)[index], bodies)) {
                assert!((second - row.jdot_v).abs() < 1e-6 * scale, "{name}, case {case}, row {index}: J̇ẋ is wrong");
                checked += 1;
            }
        }
    }
    assert!(checked > 9_000, "{name}: only {checked} rows were checked");
}
