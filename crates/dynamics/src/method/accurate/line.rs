//! Rows of the equations of motion, as elimination wants them: who is moved, along what, and how much is missing.

use crate::BodyState;
use crate::constraint::Jacobian;
use crate::model::BodyModel;
use glam::{DMat3, DVec3};

/// A linear and an angular vector of a body: velocity, acceleration or displacement; or force and torque.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Twist {
    pub(super) linear: DVec3,
    pub(super) angular: DVec3,
}

impl Twist {
    pub(super) fn dot(&self, other: &Self) -> f64 {
        self.linear.dot(other.linear) + self.angular.dot(other.angular)
    }

    pub(super) fn add(&mut self, other: &Self, factor: f64) {
        self.linear += other.linear * factor;
        self.angular += other.angular * factor;
    }
}

/// The inverse mass and, along world axes, the inverse inertia of a body: W. Zero for what nothing moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mobility {
    pub(super) mass: f64,
    pub(super) inertia: DMat3,
}

impl Mobility {
    /// That of a body that nothing moves.
    pub(super) const NONE: Self = Self { mass: 0.0, inertia: DMat3::ZERO };

    pub(super) fn of(model: &BodyModel, state: &BodyState) -> Self {
        Self { mass: model.inverse_mass, inertia: model.world_inverse_inertia(state.rotation) }
    }

    /// W times a force and torque.
    pub(super) fn times(&self, force: &Twist) -> Twist {
        Twist { linear: force.linear * self.mass, angular: self.inertia * force.angular }
    }
}

/// Stands for a body that nothing moves by constraints: the world.
pub(super) const NOBODY: usize = usize::MAX;

/// A row `J ẋ`: the slots of two bodies and the factors of their motions.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Line {
    pub(super) bodies: [usize; 2],
    pub(super) jacobian: [Twist; 2],
}

impl Line {
    pub(super) fn new(bodies: [usize; 2], jacobian: &Jacobian) -> Self {
        let twist = |k: usize| Twist { linear: jacobian.linear[k], angular: jacobian.angular[k] };
        Self { bodies, jacobian: [twist(0), twist(1)] }
    }

    /// `J ẋ`, with the motions of all bodies by slot.
    pub(super) fn rate(&self, motions: &[Twist]) -> f64 {
        let part = |k: usize| motions.get(self.bodies[k]).map_or(0.0, |motion| self.jacobian[k].dot(motion));
        part(0) + part(1)
    }

    /// `W Jᵀ`.
    pub(super) fn response(&self, mobilities: &[Mobility]) -> [Twist; 2] {
        [0, 1].map(|k| {
            mobilities.get(self.bodies[k]).map_or(Twist::default(), |mobility| mobility.times(&self.jacobian[k]))
        })
    }

    /// `self + factor · other`, for two rows between the same bodies.
    pub(super) fn plus(mut self, other: &Self, factor: f64) -> Self {
        self.jacobian.iter_mut().zip(&other.jacobian).for_each(|(twist, more)| twist.add(more, factor));
        self
    }
}

/// `J ẋ` of two motions that answer a row, for rows that share bodies.
pub(super) fn coupling(line: &Line, bodies: [usize; 2], response: &[Twist; 2]) -> f64 {
    let mut sum = 0.0;
    for k in 0..2 {
        for m in 0..2 {
            if line.bodies[k] == bodies[m] && line.bodies[k] != NOBODY {
                sum += line.jacobian[k].dot(&response[m]);
            }
        }
    }
    sum
}
