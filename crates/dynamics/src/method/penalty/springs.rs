//! The springs of the penalty method: how stiff they are, and what they exert.

use super::Anchor;
use crate::constraint::{BodyView, Jacobian, JointView, Limit, Row, Softness};
use crate::event::Reaction;
use crate::force::Wrenches;
use crate::method::classic::{Contacts, Pair, Point};
use crate::model::JointEnd;
use crate::{Id, JointId, Model, State};
use glam::{DMat3, DVec3};
use std::f64::consts::{PI, TAU};
use tumble_geometry::math::orthonormal_pair;

/// What all springs of a substep have in common.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    pub(super) h: f64,
    pub(super) kappa: f64,
    /// The stiffness of contacts, if it was given.
    pub(super) stiffness: Option<f64>,
}

impl Numbers {
    /// Spring and damper with the damping ratio ζ for a row that gives way by `mobility`, one of `crowd` on a body.
    fn of(&self, mobility: f64, crowd: f64, zeta: f64) -> (f64, f64) {
        let mass = 1.0 / (mobility * crowd);
        (self.kappa * mass / (self.h * self.h), 2.0 * zeta * self.kappa.sqrt() * mass / self.h)
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
pub(super) struct Springs {
    inverse_mass: Vec<f64>,
    /// Along world axes.
    inverse_inertia: Vec<DMat3>,
    /// By slot: how many rows act on a body.
    crowd: Vec<u32>,
    rows: Vec<JointRow>,
}

impl Springs {
    /// Masses and inertias as the bodies are turned.
    pub(super) fn begin(&mut self, model: &Model, state: &State) {
        let count = state.bodies.len();
        self.rows.clear();
        self.crowd.clear();
        self.crowd.resize(count, 0);
        self.inverse_mass.clear();
        self.inverse_mass.resize(count, 0.0);
        self.inverse_inertia.clear();
        self.inverse_inertia.resize(count, DMat3::ZERO);
        for (id, body) in model.bodies().iter() {
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
    pub(super) fn count_contacts(&mut self, contacts: &Contacts<Anchor>) {
        for pair in &contacts.list {
            let pressing = pair.points.iter().filter(|point| point.geometry.gap < 0.0).count() as u32;
            pair.bodies.iter().for_each(|id| self.crowd[id.slot()] += pressing);
        }
    }

    /// How readily two bodies give way to each other at a point along a unit vector.
    fn mobility_at(&self, places: [usize; 2], levers: [DVec3; 2], along: DVec3) -> f64 {
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

    fn crowd(&self, bodies: impl Iterator<Item = usize>) -> f64 {
        // Rows of fixed bodies crowd nobody.
        let busy = bodies.filter(|&slot| self.inverse_mass[slot] > 0.0).map(|slot| self.crowd[slot]);
        f64::from(busy.max().unwrap_or(1).max(1))
    }

    /// `F = −k c − d (ċ − target)` along every row of a joint, within its bounds.
    pub(super) fn joint_forces(
        &self,
        model: &Model,
        state: &State,
        numbers: &Numbers,
        wrenches: &mut Wrenches,
        reactions: &mut [Reaction],
    ) {
        for JointRow { joint, bodies, row } in &self.rows {
            let mobility = self.mobility(*bodies, &row.jacobian);
            if mobility <= f64::MIN_POSITIVE {
                continue;
            }
            let (most_stiff, most_damped) = numbers.of(mobility, self.crowd(bodies.iter().flatten().copied()), 1.0);
            let (k, d) = softened(row.softness, mobility, (most_stiff, most_damped));
            let velocity = |k: usize| {
                bodies[k].map_or((DVec3::ZERO, DVec3::ZERO), |slot| {
                    (state.bodies[slot].velocity, state.bodies[slot].angular_velocity)
                })
            };
            let (first, second) = (velocity(0), velocity(1));
            let rate = row.jacobian.dot([first.0, second.0], [first.1, second.1]);
            let force = match row.limit {
                Limit::Equality => -k * row.error - d * (rate - row.target_rate),
                Limit::AtLeastZero if row.error < 0.0 => (-k * row.error - d * rate).max(0.0),
                Limit::Force { min, max } => {
                    let spring = if row.softness == Softness::Rigid { 0.0 } else { -k * row.error };
                    (spring - d * (rate - row.target_rate)).max(min).min(max)
                }
                Limit::AtLeastZero | Limit::Cone { .. } | Limit::ConeMember => 0.0,
            };
            for (k, slot) in bodies.iter().enumerate() {
                if let &Some(slot) = slot {
                    wrenches.add_force(slot, row.jacobian.linear[k] * force);
                    wrenches.add_torque(slot, row.jacobian.angular[k] * force);
                }
            }
            let lever = model.joints().get(*joint).map_or(DVec3::ZERO, |made| {
                let views = made.ends.map(|end| BodyView::of(model, &state.bodies, end));
                made.constraint.anchors(&views)[1] - views[1].center
            });
            let reaction = &mut reactions[joint.slot()];
            let push = row.jacobian.linear[1] * force;
            reaction.force += push;
            reaction.torque += row.jacobian.angular[1] * force - lever.cross(push);
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

/// The damping ratio that gives back the part e of a speed.
fn damping_ratio(restitution: f64) -> f64 {
    if restitution <= 0.0 {
        return 1.0;
    }
    let log = -libm::log(restitution);
    (log / (PI * PI + log * log).sqrt()).min(1.0)
}

/// The forces of all contacts (2.70–2.74).
pub(super) fn contact_forces(
    springs: &Springs,
    contacts: &mut Contacts<Anchor>,
    state: &State,
    numbers: &Numbers,
    wrenches: &mut Wrenches,
) {
    for pair in &mut contacts.list {
        let Pair { points, bodies, material, .. } = pair;
        let places = bodies.map(|id| id.slot());
        let crowd = springs.crowd(places.into_iter());
        let zeta = damping_ratio(material.restitution);
        for point in points {
            if point.geometry.gap >= 0.0 {
                point.mark = Anchor::default();
                continue;
            }
            let (at, n) = (point.geometry.position, point.geometry.normal);
            let levers = places.map(|slot| at - state.bodies[slot].position);
            let mobility = springs.mobility_at(places, levers, n);
            if mobility <= f64::MIN_POSITIVE {
                continue;
            }
            let relative = state.bodies[places[1]].velocity_at(at) - state.bodies[places[0]].velocity_at(at);
            let (mut k, mut d) = numbers.of(mobility, crowd, zeta);
            if let Some(given) = numbers.stiffness {
                (k, d) = (given, 2.0 * zeta * (given / (mobility * crowd)).sqrt());
            }
            let speed = relative.dot(n);
            let normal = (-k * point.geometry.gap - d * speed).max(0.0);
            point.met = point.met.max(-speed);
            let across = springs.mobility_across(places, levers, n);
            let (kt, dt) = numbers.of(across, crowd, 1.0);
            let slip = relative - n * speed;
            let friction = friction_force(point, slip, normal, (kt.min(k), dt), material, numbers.h);
            let force = n * normal + friction;
            wrenches.add_force_at(places[0], state.bodies[places[0]].position, -force, at);
            wrenches.add_force_at(places[1], state.bodies[places[1]].position, force, at);
            point.impulse.normal += normal * numbers.h;
            point.impulse.friction += friction * numbers.h;
        }
    }
}

impl Springs {
    /// The sum of how readily two bodies give way along two directions across the normal: at least as much as along any.
    fn mobility_across(&self, places: [usize; 2], levers: [DVec3; 2], n: DVec3) -> f64 {
        let (u, v) = orthonormal_pair(n);
        self.mobility_at(places, levers, u) + self.mobility_at(places, levers, v)
    }
}

/// The force of the friction spring on the second body. While it would be within the static cone it holds; beyond, it slides with the dynamic
/// coefficient, and the anchor is dragged along.
fn friction_force(
    point: &mut Point<Anchor>,
    slip_velocity: DVec3,
    normal: f64,
    (k, d): (f64, f64),
    material: &crate::model::ContactMaterial,
    h: f64,
) -> DVec3 {
    let n = point.geometry.normal;
    let slip = point.mark.slip + slip_velocity * h;
    let slip = slip - n * slip.dot(n);
    let force = -slip * k - slip_velocity * d;
    let size = force.length();
    if size <= material.static_friction * normal {
        point.mark.slip = slip;
        return force;
    }
    let sliding = force * (material.dynamic_friction * normal / size);
    point.mark.slip = -sliding / k.max(f64::MIN_POSITIVE);
    sliding
}
