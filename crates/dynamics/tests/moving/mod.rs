//! Bodies in motion, and numerical differentiation along it: what the derivatives of constraints are checked against.

#![allow(dead_code, reason = "not every test uses all of it")]

use glam::{DQuat, DVec3};
use tumble_dynamics::constraint::BodyView;
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

/// The derivative if two step lengths agree on it: not across a jump, nor so close to a singular place that finite differences
/// cannot follow.
pub(crate) fn smooth_derivative(f: impl Fn(f64) -> f64) -> Option<f64> {
    let (coarse, fine) = (difference(&f, 2e-3), difference(&f, 1e-3));
    ((coarse - fine).abs() < 1e-7 * (1.0 + fine.abs())).then_some(fine)
}

fn difference(f: &impl Fn(f64) -> f64, h: f64) -> f64 {
    (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)
}

pub(crate) fn random_vector(random: &mut fastrand::Rng) -> DVec3 {
    DVec3::new(random.f64() - 0.5, random.f64() - 0.5, random.f64() - 0.5) * 4.0
}
