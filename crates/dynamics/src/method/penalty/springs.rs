//! The springs of the penalty method: how stiff they are, and what those of joints exert.

use super::cushion::{Moment, Press};
use crate::constraint::{BodyView, Jacobian, JointView, Limit, Row, Softness};
use crate::event::Reaction;
use crate::force::Wrenches;
use crate::model::JointEnd;
use crate::{BodyState, Id, JointId, Model, State};
use glam::{DMat3, DVec3};
use std::f64::consts::TAU;
use tumble_geometry::math::orthonormal_pair;

/// κ: what a spring does to the mass it has, per substep.
pub(super) const KAPPA: f64 = 0.05;

/// What all springs of a substep have in common.
#[derive(Clone, Copy, Debug)]
pub(in crate::method) struct Numbers {
    /// The length of the substep in seconds.
    pub(in crate::method) h: f64,
    /// The stiffness of contacts, if it was given.
    pub(in crate::method) stiffness: Option<f64>,
}

impl Numbers {
    /// Spring and damper with the damping ratio ζ for a row that gives way by `mobility`, one of `crowd` on a body.
    pub(super) fn of(&self, mobility: f64, crowd: f64, zeta: f64) -> (f64, f64) {
        let mass = 1.0 / (mobility * crowd);
        (KAPPA * mass / (self.h * self.h), 2.0 * zeta * KAPPA.sqrt() * mass / self.h)
    }
}

/// A row of a joint.
#[derive(Clone, Copy, Debug)]
struct JointRow {
    joint: JointId,
    /// By slot; the world is none.
    bodies: [Option<usize>; 2],
    row: Row,
}

/// Masses, and the rows of joints.
#[derive(Debug, Default)]
pub(in crate::method) struct Springs {
    inverse_mass: Vec<f64>,
    /// Along world axes.
    inverse_inertia: Vec<DMat3>,
    /// By slot: how many rows act on a body.
    crowd: Vec<u32>,
    rows: Vec<JointRow>,
}

impl Springs {
    /// Masses and inertias as the bodies are turned; what sleeps does not give way.
    pub(in crate::method) fn begin(&mut self, model: &Model, state: &State) {
        let count = state.bodies.len();
        self.rows.clear();
        self.crowd.clear();
        self.crowd.resize(count, 0);
        self.inverse_mass.clear();
        self.inverse_mass.resize(count, 0.0);
        self.inverse_inertia.clear();
        self.inverse_inertia.resize(count, DMat3::ZERO);
        for (id, body) in model.bodies().iter().filter(|(id, _)| !state.bodies[id.slot()].asleep) {
            self.inverse_mass[id.slot()] = body.inverse_mass;
            self.inverse_inertia[id.slot()] = body.world_inverse_inertia(state.bodies[id.slot()].rotation);
        }
    }

    /// The rows of all joints that are not broken.
    pub(super) fn add_joints(&mut self, model: &Model, state: &State, rows: &mut Vec<Row>) {
        for (joint, made) in model.joints().iter().filter(|(id, _)| !state.broken[id.slot()]) {
            let Some(view) = JointView::of(model, &state.bodies, &state.angles, joint) else { continue };
            rows.clear();
            made.constraint.rows(&view, rows);
            let bodies = made.ends.map(|end| match end {
                JointEnd::Body(id) => Some(id.slot()),
                JointEnd::World => None,
            });
            self.rows.extend(rows.iter().map(|&row| JointRow { joint, bodies, row }));
            bodies.into_iter().flatten().for_each(|slot| self.crowd[slot] += rows.len() as u32);
        }
    }

    /// By slot of the joint, the least mass that one of its rows has to move.
    pub(super) fn lightest_by_joint(&self, slots: usize) -> Vec<f64> {
        let mut least = vec![f64::INFINITY; slots];
        for JointRow { joint, bodies, row } in &self.rows {
            let mobility = self.mobility(*bodies, &row.jacobian);
            if mobility > f64::MIN_POSITIVE {
                least[joint.slot()] = least[joint.slot()].min(1.0 / mobility);
            }
        }
        least
    }

    /// Counts the points that press on each body.
    pub(in crate::method) fn count_contacts(&mut self, presses: &[Press]) {
        presses.iter().flat_map(|press| press.places).for_each(|slot| self.crowd[slot] += 1);
    }

    /// Gives the second body an impulse at a point, and the first the opposite.
    pub(super) fn push(&self, places: [usize; 2], at: DVec3, impulse: DVec3, bodies: &mut [BodyState]) {
        for (slot, impulse) in [(places[0], -impulse), (places[1], impulse)] {
            let body = &mut bodies[slot];
            body.velocity += impulse * self.inverse_mass[slot];
            body.angular_velocity += self.inverse_inertia[slot] * (at - body.position).cross(impulse);
        }
    }

    /// Lets forces and torques act for `dt` seconds.
    pub(super) fn act(&self, wrenches: &Wrenches, dt: f64, bodies: &mut [BodyState]) {
        for (slot, (body, wrench)) in bodies.iter_mut().zip(wrenches.as_slice()).enumerate() {
            body.velocity += wrench.force * (self.inverse_mass[slot] * dt);
            body.angular_velocity += self.inverse_inertia[slot] * wrench.torque * dt;
        }
    }

    /// How readily two bodies give way to each other at a point along a unit vector.
    pub(super) fn mobility_at(&self, places: [usize; 2], levers: [DVec3; 2], along: DVec3) -> f64 {
        let of = |k: usize| {
            let arm = levers[k].cross(along);
            self.inverse_mass[places[k]] + arm.dot(self.inverse_inertia[places[k]] * arm)
        };
        of(0) + of(1)
    }

    fn mobility(&self, bodies: [Option<usize>; 2], jacobian: &Jacobian) -> f64 {
        let of = |k: usize| {
            let Some(slot) = bodies[k] else { return 0.0 };
            let (linear, angular) = (jacobian.linear[k], jacobian.angular[k]);
            linear.length_squared() * self.inverse_mass[slot] + angular.dot(self.inverse_inertia[slot] * angular)
        };
        of(0) + of(1)
    }

    pub(super) fn crowd(&self, bodies: impl Iterator<Item = usize>) -> f64 {
        // Rows of fixed bodies crowd nobody.
        let busy = bodies.filter(|&slot| self.inverse_mass[slot] > 0.0).map(|slot| self.crowd[slot]);
        f64::from(busy.max().unwrap_or(1).max(1))
    }

    /// The energy of the springs that hold joints together, in joules. What a soft joint stores is not counted: that is its own.
    pub(super) fn held_by_joints(&self, numbers: &Numbers) -> f64 {
        let rigid = |row: &&JointRow| matches!(row.row.softness, Softness::Rigid | Softness::Baumgarte { .. });
        let energy = |JointRow { bodies, row, .. }: &JointRow| {
            let mobility = self.mobility(*bodies, &row.jacobian);
            let pulls = row.limit == Limit::Equality || (row.limit == Limit::AtLeastZero && row.error < 0.0);
            if mobility <= f64::MIN_POSITIVE || !pulls {
                return 0.0;
            }
            let stiffest = numbers.of(mobility, self.crowd(bodies.iter().flatten().copied()), 1.0);
            0.5 * softened(row.softness, mobility, stiffest).0 * row.error * row.error
        };
        self.rows.iter().filter(rigid).map(energy).sum()
    }

    /// `F = −k c − d (ċ − target)` along every row of a joint, within its bounds, for half a substep: what all of them do together.
    pub(super) fn joint_forces<'a>(
        &self,
        model: &Model,
        bodies: &mut [BodyState],
        numbers: &Numbers,
        moment: Moment,
        wrenches: &'a mut Wrenches,
        reactions: &mut [Reaction],
    ) -> &'a Wrenches {
        let velocities: Vec<_> = bodies.iter().map(|body| (body.velocity, body.angular_velocity)).collect();
        if moment == Moment::End {
            // As with contacts: the springs come first then, so that the dampers see what is at rest as at rest.
            wrenches.reset(bodies.len());
            self.rows.iter().for_each(|row| row.pull(self.force(row, None, numbers), wrenches));
            self.act(wrenches, 0.5 * numbers.h, bodies);
        }
        wrenches.reset(bodies.len());
        for row in &self.rows {
            let force = self.force(row, Some(bodies), numbers);
            row.pull(force, wrenches);
            let lever = model.joints().get(row.joint).map_or(DVec3::ZERO, |made| {
                let views = made.ends.map(|end| BodyView::of(model, bodies, end));
                made.constraint.anchors(&views)[1] - views[1].center
            });
            let reaction = &mut reactions[row.joint.slot()];
            let push = row.row.jacobian.linear[1] * (0.5 * force);
            reaction.force += push;
            reaction.torque += row.row.jacobian.angular[1] * (0.5 * force) - lever.cross(push);
        }
        for (body, before) in bodies.iter_mut().zip(velocities) {
            (body.velocity, body.angular_velocity) = before;
        }
        wrenches
    }

    /// The force along a row; without the damper if there are no velocities.
    fn force(&self, JointRow { bodies, row, .. }: &JointRow, states: Option<&[BodyState]>, numbers: &Numbers) -> f64 {
        let mobility = self.mobility(*bodies, &row.jacobian);
        if mobility <= f64::MIN_POSITIVE {
            return 0.0;
        }
        let stiffest = numbers.of(mobility, self.crowd(bodies.iter().flatten().copied()), 1.0);
        let (k, d) = softened(row.softness, mobility, stiffest);
        let rate = states.map(|states| {
            let velocity = |k: usize| {
                bodies[k]
                    .map_or((DVec3::ZERO, DVec3::ZERO), |slot| (states[slot].velocity, states[slot].angular_velocity))
            };
            let (first, second) = (velocity(0), velocity(1));
            row.jacobian.dot([first.0, second.0], [first.1, second.1])
        });
        let damper = |target: f64| rate.map_or(0.0, |rate| -d * (rate - target));
        match row.limit {
            Limit::Equality => damper(row.target_rate) - k * row.error,
            Limit::AtLeastZero if row.error < 0.0 => (damper(0.0) - k * row.error).max(0.0),
            Limit::Force { min, max } => {
                let spring = if row.softness == Softness::Rigid { 0.0 } else { -k * row.error };
                (spring + damper(row.target_rate)).max(min).min(max)
            }
            Limit::AtLeastZero | Limit::Cone { .. } | Limit::ConeMember => 0.0,
        }
    }
}

impl JointRow {
    /// Adds a force along it.
    fn pull(&self, force: f64, wrenches: &mut Wrenches) {
        for (k, slot) in self.bodies.iter().enumerate() {
            if let &Some(slot) = slot {
                wrenches.add_force(slot, self.row.jacobian.linear[k] * force);
                wrenches.add_torque(slot, self.row.jacobian.angular[k] * force);
            }
        }
    }
}

/// Spring and damper of a row, no stiffer than is stable.
fn softened(softness: Softness, mobility: f64, (stiffest, most_damped): (f64, f64)) -> (f64, f64) {
    match softness {
        Softness::Rigid => (stiffest, most_damped),
        Softness::Baumgarte { beta } | Softness::Coefficients { beta, .. } => (beta * stiffest, most_damped),
        Softness::Stiffness { stiffness, damping } => (stiffness.min(stiffest), damping.min(most_damped)),
        Softness::Spring { frequency, damping_ratio } => {
            let omega = TAU * frequency;
            let (k, d) = (omega * omega / mobility, 2.0 * damping_ratio * omega / mobility);
            (k.min(stiffest), d.min(most_damped))
        }
    }
}

impl Springs {
    /// The sum of how readily two bodies give way along two directions across the normal: at least as much as along any.
    pub(super) fn mobility_across(&self, places: [usize; 2], levers: [DVec3; 2], n: DVec3) -> f64 {
        let (u, v) = orthonormal_pair(n);
        self.mobility_at(places, levers, u) + self.mobility_at(places, levers, v)
    }
}
