//! Joints in an exact island: RATTLE (Andersen 1983) with geometric stiffness.
//!
//! A substep is symmetric in time, which is what keeps the energy: half a kick, impulses along the Jacobian of the beginning that close the
//! joints at the end (found by Newton's method on the positions ahead, with the same factor), the drift, half a kick, impulses along
//! the Jacobian of the end that make the velocities obey.
//!
//! **Geometric stiffness.** A joint that pulls with the force F at a lever r from the centre of a body swings it with the torque stiffness
//! |F||r|. Where that is faster than the substep resolves, `|F||r| > ½ I/h²`, nothing explicit holds: a taut chain explodes. There
//! the surplus stiffness is treated implicitly, which is as if the body had more inertia across the lever,
//! `Ĩ = I + h² p (1 − r̂ r̂ᵀ)`, and relative turning is damped in the same measure. Below the threshold nothing changes, and energy
//! is kept.

use super::super::bodies::{Bodies, Body};
use super::problem::{Disc, Law, Row as SolverRow, UNMOVED};
use crate::constraint::{JointView, Limit, Row, Softness};
use crate::event::Reaction;
use crate::method::retroactive::soft::{Began, Soft};
use crate::model::JointModel;
use crate::{BodyState, JointId, Model};
use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

/// What is remembered of a joint from step to step.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(in crate::method::realtime) struct JointMemory {
    /// The joint it belongs to; another one in the same slot starts anew.
    pub(in crate::method::realtime) joint: Option<JointId>,
    /// The forces of its rows before and after the drift of the last substep, in newtons or newton metres.
    start: Vec<f64>,
    end: Vec<f64>,
    /// |F||r| of its ends, decaying slowly, in newton metres.
    pull: [f64; 2],
    /// The impulses on the second end during the step: a force, and a torque about the anchor.
    pub(in crate::method::realtime) exerted: [DVec3; 2],
    /// Which rows are limits that pushed in the last substep, and which did at the end of the step before.
    pub(in crate::method::realtime) limits: Vec<bool>,
    pub(in crate::method::realtime) limits_before: Vec<bool>,
}

/// A copy is made before every step; it uses the memory of the one it replaces.
impl Clone for JointMemory {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, other: &Self) {
        let Self { joint, start, end, pull, exerted, limits, limits_before } = self;
        (*joint, *pull, *exerted) = (other.joint, other.pull, other.exerted);
        start.clone_from(&other.start);
        end.clone_from(&other.end);
        limits.clone_from(&other.limits);
        limits_before.clone_from(&other.limits_before);
    }
}

impl JointMemory {
    /// What the joint exerted during a step of `dt` seconds.
    pub(in crate::method::realtime) fn reaction(&self, dt: f64) -> Reaction {
        let scale = if dt > 0.0 { 1.0 / dt } else { 0.0 };
        Reaction { force: self.exerted[0] * scale, torque: self.exerted[1] * scale }
    }
}

/// What some rows of a joint that is swept exerted since the last look at the contacts.
pub(in crate::method::realtime) struct Swept {
    /// The first of these rows, and the length of a substep.
    pub(in crate::method::realtime) first: usize,
    pub(in crate::method::realtime) h: f64,
    /// The impulses on the second end: a force, and a torque about the anchor.
    pub(in crate::method::realtime) force: DVec3,
    pub(in crate::method::realtime) torque: DVec3,
}

/// Joints that are swept have one impulse in each substep; half of it is remembered as that before the drift, and half as that after it.
impl JointMemory {
    /// Appends the impulses of `count` rows in a substep of `h` seconds.
    pub(in crate::method::realtime) fn load_swept(&self, id: JointId, count: usize, h: f64, impulses: &mut Vec<f64>) {
        let known = self.joint == Some(id) && self.start.len() == count && self.end.len() == count;
        impulses.extend((0..count).map(|row| if known { (self.start[row] + self.end[row]) * h } else { 0.0 }));
    }

    /// Makes room for `count` rows.
    pub(in crate::method::realtime) fn begin_swept(&mut self, id: JointId, count: usize) {
        if self.joint != Some(id) {
            *self = Self { joint: Some(id), ..Self::default() };
        }
        for forces in [&mut self.start, &mut self.end] {
            forces.clear();
            forces.resize(count, 0.0);
        }
        self.limits.clear();
        self.limits.resize(count, false);
        self.pull = [0.0; 2];
    }

    /// Takes note of the impulses of some rows in the last substep, and of what they exerted.
    pub(in crate::method::realtime) fn store_swept(&mut self, swept: &Swept, impulses: &[f64]) {
        for (row, impulse) in impulses.iter().enumerate() {
            let half = 0.5 * impulse / swept.h;
            (self.start[swept.first + row], self.end[swept.first + row]) = (half, half);
        }
        self.exerted[0] += swept.force;
        self.exerted[1] += swept.torque;
    }

    /// Takes note of whether a row is a limit that pushes.
    pub(in crate::method::realtime) fn note_limit(&mut self, row: usize, pushes: bool) {
        self.limits[row] = pushes;
    }
}

/// Errors of joints that somebody pulled apart, and of limits that were passed, are removed at these speeds at most, in m/s and rad/s.
const LINEAR_RECOVERY: f64 = 3.0;
const ANGULAR_RECOVERY: f64 = 5.0;

/// Errors of positions below this, in metres or radians, are none.
pub(super) const CLOSED: f64 = 1e-6;

/// A joint while an island is solved.
#[derive(Clone, Debug)]
pub(super) struct ExactJoint {
    pub(super) id: JointId,
    /// The numbers of its bodies, and their places in the elimination.
    bodies: [u32; 2],
    places: [u32; 2],
    /// Where its rows begin, and how many there are.
    pub(super) first: usize,
    rows: Vec<Row>,
    soft: Vec<Option<Soft>>,
    /// The impulses of its rows before the drift, and after it.
    start: Vec<f64>,
    end: Vec<f64>,
    /// How fast each row's value fell before the substep.
    approach: Vec<f64>,
    pull: [f64; 2],
    exerted: [DVec3; 2],
}

/// What joints need to know of the world.
#[derive(Clone, Copy)]
pub(in crate::method::realtime) struct JointWorld<'a> {
    pub(in crate::method::realtime) model: &'a Model,
    pub(in crate::method::realtime) states: &'a [BodyState],
    pub(in crate::method::realtime) angles: &'a [f64],
    /// The length of a substep.
    pub(in crate::method::realtime) h: f64,
    pub(in crate::method::realtime) threshold: f64,
}

impl JointWorld<'_> {
    fn view(&self, id: JointId, numbers: [u32; 2], bodies: &[&Body; 2]) -> Option<(&JointModel, JointView)> {
        let joint = self.model.joints().get(id)?;
        let angle = self.angles.get(crate::Id::slot(id)).copied().unwrap_or(0.0);
        let views = [0, 1].map(|side| bodies[side].view(self.model, self.states, joint.ends[side], numbers[side]));
        Some((joint, JointView { bodies: views, angle }))
    }
}

impl ExactJoint {
    pub(super) fn new(id: JointId, bodies: [u32; 2], places: [u32; 2], memory: &JointMemory, h: f64) -> Self {
        let known = memory.joint == Some(id);
        let scaled = |forces: &[f64]| if known { forces.iter().map(|force| force * h).collect() } else { Vec::new() };
        Self {
            id,
            bodies,
            places,
            first: 0,
            rows: Vec::new(),
            soft: Vec::new(),
            start: scaled(&memory.start),
            end: scaled(&memory.end),
            approach: Vec::new(),
            pull: if known { memory.pull } else { [0.0; 2] },
            exerted: [DVec3::ZERO; 2],
        }
    }

    fn pair<'a>(&self, bodies: &'a Bodies) -> [&'a Body; 2] {
        self.bodies.map(|number| &bodies.list[number as usize])
    }

    /// Finds the rows where the bodies are now and adds them to the problem, to be solved before the drift.
    pub(super) fn add(
        &mut self,
        world: &JointWorld<'_>,
        bodies: &Bodies,
        stiffness: [f64; 2],
        list: &mut Vec<SolverRow>,
    ) {
        self.first = list.len();
        self.look(world, bodies);
        self.start.resize(self.rows.len(), 0.0);
        self.end.resize(self.rows.len(), 0.0);
        let linear = |row: &Row| row.jacobian.linear != [DVec3::ZERO; 2];
        for row in &self.rows {
            let stiffness = if linear(row) { stiffness[0] } else { stiffness[1] };
            list.push(self.solver_row(row, bodies, stiffness));
        }
    }

    /// Evaluates the rows where the bodies are now.
    fn look(&mut self, world: &JointWorld<'_>, bodies: &Bodies) {
        self.rows.clear();
        let pair = self.pair(bodies);
        if let Some((joint, view)) = world.view(self.id, self.bodies, &pair) {
            joint.constraint.rows(&view, &mut self.rows);
        }
        self.approach.clear();
        let (linear, angular) = (pair.map(|body| body.velocity), pair.map(|body| body.angular_velocity));
        self.approach.extend(self.rows.iter().map(|row| -row.jacobian.dot(linear, angular)));
        let mobility = |row: &Row| {
            let linear = [0, 1].map(|side| row.jacobian.linear[side] * pair[side].inverse_mass);
            let angular = [0, 1].map(|side| pair[side].inverse_inertia * row.jacobian.angular[side]);
            row.jacobian.dot(linear, angular)
        };
        self.soft.clear();
        self.soft.extend(self.rows.iter().map(|row| Soft::new(row, mobility(row), world.h)));
    }

    fn solver_row(&self, row: &Row, bodies: &Bodies, stiffness: f64) -> SolverRow {
        let pair = self.pair(bodies);
        let part = |side: usize| {
            let linear = row.jacobian.linear[side];
            let angular = if pair[side].spin.turns() { row.jacobian.angular[side] } else { DVec3::ZERO };
            [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
        };
        let jacobian = [part(0), part(1)];
        SolverRow { bodies: self.places, jacobian, bias: 0.0, stiffness, impulse: 0.0, law: Law::Free }
    }

    /// What bodies that nothing moves contribute to the rate of a row.
    fn given_rate(&self, row: &Row, bodies: &Bodies) -> f64 {
        let unmoved = |side: usize| self.places[side] == UNMOVED;
        let pair = self.pair(bodies);
        let of = |side: usize| {
            let jacobian = &row.jacobian;
            jacobian.linear[side].dot(pair[side].velocity) + jacobian.angular[side].dot(pair[side].angular_velocity)
        };
        [0, 1].into_iter().filter(|&side| unmoved(side)).map(of).sum()
    }

    /// Before the drift: the rows demand that the joint be closed, limits not passed and springs balanced after it. The greatest speeds at
    /// which they remove errors, in m/s and rad/s.
    pub(super) fn prepare_push(&self, world: &JointWorld<'_>, bodies: &Bodies, list: &mut [SolverRow]) -> [f64; 2] {
        let h = world.h;
        let mut removed = [0.0_f64; 2];
        for (index, row) in self.rows.iter().enumerate() {
            let given = self.given_rate(row, bodies);
            let solver = &mut list[self.first + index];
            let curvature = 0.5 * h * row.jdot_v;
            let bounds = bounds(row, h);
            (solver.bias, solver.law) = match (self.soft[index], row.limit) {
                (Some(soft), _) => {
                    let (bias, gamma) = soft.start(h, row.error);
                    solver.stiffness = 1.0 / gamma.max(f64::MIN_POSITIVE);
                    (bias, Law::Spring { min: bounds[0], max: bounds[1] })
                }
                (None, Limit::Equality) => {
                    ((row.error - left_open(row, h)) / h + curvature - row.target_rate, Law::Free)
                }
                (None, Limit::AtLeastZero) if row.error > 0.0 => (row.error / h + curvature, Law::UNILATERAL),
                (None, Limit::AtLeastZero) => (recovery(row, h), Law::UNILATERAL),
                (None, Limit::Force { .. }) => (curvature - row.target_rate, range(bounds)),
                (None, Limit::Cone { normal, rows, stick, slip }) => {
                    (curvature - row.target_rate, self.disc(normal, rows, stick, slip))
                }
                (None, Limit::ConeMember) => (curvature - row.target_rate, Law::Member),
            };
            let speed = match row.limit {
                _ if self.soft[index].is_some() => 0.0,
                Limit::Equality => ((row.error - left_open(row, h)) / h).abs() + row.target_rate.abs(),
                Limit::AtLeastZero => (-recovery(row, h)).max(0.0) + row.restitution * self.approach[index].abs(),
                _ => row.target_rate.abs(),
            } + given.abs();
            let kind = usize::from(row.jacobian.linear == [DVec3::ZERO; 2]);
            removed[kind] = removed[kind].max(speed);
            solver.bias += given;
            solver.impulse = self.start[index];
        }
        removed
    }

    /// Forgets the impulses.
    pub(super) fn forget(&mut self) {
        self.start.iter_mut().for_each(|impulse| *impulse = 0.0);
        self.pull = [0.0; 2];
    }

    /// Measures by how much rigid rows will miss after the drift, `ahead` being where the bodies get then, and aims anew. The largest miss
    /// in metres or radians.
    pub(super) fn aim(&self, world: &JointWorld<'_>, ahead: &Bodies, list: &mut [SolverRow]) -> f64 {
        let mut rows = Vec::with_capacity(self.rows.len());
        let Some((joint, view)) = world.view(self.id, self.bodies, &self.pair(ahead)) else { return 0.0 };
        joint.constraint.rows(&view, &mut rows);
        if rows.len() != self.rows.len() {
            return 0.0;
        }
        let mut largest: f64 = 0.0;
        for (index, (row, before)) in rows.iter().zip(&self.rows).enumerate() {
            let solver = &mut list[self.first + index];
            let miss = match row.limit {
                _ if self.soft[index].is_some() => continue,
                Limit::Equality => row.error - left_open(before, world.h) - before.target_rate * world.h,
                // One that was passed before comes back at its own speed.
                Limit::AtLeastZero if before.error > 0.0 && (solver.impulse > 0.0 || row.error < 0.0) => row.error,
                _ => continue,
            };
            largest = largest.max(miss.abs());
            solver.bias += miss / world.h;
        }
        largest
    }

    /// Whether the impulses that were found pull more than twice as hard as was expected, and harder than the substep resolves: a chain that
    /// was slack and is taut at once. `greatest` tells the greatest moment of inertia of a place.
    pub(super) fn jerks(
        &mut self,
        world: &JointWorld<'_>,
        bodies: &Bodies,
        greatest: &dyn Fn(u32) -> f64,
        list: &[SolverRow],
    ) -> bool {
        self.start.clear();
        self.start.extend(list[self.first..self.first + self.rows.len()].iter().map(|row| row.impulse));
        let (force, levers) = self.pulling(world, bodies);
        (0..2).filter(|&side| self.places[side] != UNMOVED).any(|side| {
            let pull = force * levers[side].length();
            pull > 2.0 * self.pull[side] && world.h * world.h * pull > 0.5 * greatest(self.places[side])
        })
    }

    /// Remembers the impulses before the drift.
    pub(super) fn pushed(&mut self, world: &JointWorld<'_>, bodies: &Bodies, list: &[SolverRow]) {
        self.start.clear();
        self.start.extend(list[self.first..self.first + self.rows.len()].iter().map(|row| row.impulse));
        self.note(world, bodies, list);
    }

    /// After the drift: the rows where the bodies are now demand that their values change no more.
    pub(super) fn prepare_relax(
        &mut self,
        world: &JointWorld<'_>,
        bodies: &Bodies,
        stiffness: [f64; 2],
        list: &mut [SolverRow],
    ) {
        let count = self.rows.len();
        let before: Vec<(f64, f64, Option<Soft>)> =
            (0..count).map(|index| (self.rows[index].error, self.approach[index], self.soft[index])).collect();
        self.look(world, bodies);
        if self.rows.len() != count {
            return;
        }
        let h = world.h;
        for (index, row) in self.rows.iter().enumerate() {
            let given = self.start[index];
            let (error, approach, soft) = before[index];
            let linear = row.jacobian.linear != [DVec3::ZERO; 2];
            let mut solver = self.solver_row(row, bodies, stiffness[usize::from(!linear)]);
            let rate = self.given_rate(row, bodies);
            let bounds = bounds(row, h);
            let reached = given > 0.0 || row.error <= 0.0;
            let bounce = if reached && approach > world.threshold { row.restitution * approach } else { 0.0 };
            (solver.bias, solver.law) = match (soft, row.limit) {
                (Some(soft), _) => {
                    let end = soft.end(h, Began { impulse: given, error }, row.error).max(bounds[0]).min(bounds[1]);
                    (0.0, Law::Range { min: end, max: end })
                }
                (None, Limit::Equality) => (-row.target_rate, Law::Free),
                (None, Limit::AtLeastZero) if reached => {
                    (-row.target_rate - bounce, Law::Range { min: -given, max: f64::INFINITY })
                }
                (None, Limit::AtLeastZero) => (0.0, Law::NOTHING),
                (None, Limit::Force { .. }) => (-row.target_rate, range(bounds)),
                (None, Limit::Cone { normal, rows, stick, slip }) => {
                    (-row.target_rate, self.disc(normal, rows, stick, slip))
                }
                (None, Limit::ConeMember) => (-row.target_rate, Law::Member),
            };
            solver.bias += rate;
            solver.impulse = self.end[index];
            list[self.first + index] = solver;
        }
    }

    /// Remembers the impulses after the drift.
    pub(super) fn relaxed(&mut self, world: &JointWorld<'_>, bodies: &Bodies, list: &[SolverRow]) {
        self.end.clear();
        self.end.extend(list[self.first..self.first + self.rows.len()].iter().map(|row| row.impulse));
        self.note(world, bodies, list);
    }

    fn disc(&self, normal: usize, count: usize, stick: f64, slip: f64) -> Law {
        let normal = (self.first + normal) as u32;
        let slipping = if stick > 0.0 { slip / stick } else { 1.0 };
        Law::Disc(Disc {
            count: count as u8,
            normals: [normal, normal + 1],
            weights: [stick, 0.0, 0.0, 0.0],
            slipping,
            slips: false,
            limit: 0.0,
        })
    }

    /// Adds what the rows gave to what the joint exerted.
    fn note(&mut self, world: &JointWorld<'_>, bodies: &Bodies, list: &[SolverRow]) {
        let (mut force, mut torque) = (DVec3::ZERO, DVec3::ZERO);
        for row in &list[self.first..self.first + self.rows.len()] {
            let [a, b, c, p, q, r] = row.jacobian[1];
            force += DVec3::new(a, b, c) * row.impulse;
            torque += DVec3::new(p, q, r) * row.impulse;
        }
        let pair = self.pair(bodies);
        if let Some((joint, view)) = world.view(self.id, self.bodies, &pair) {
            let lever = joint.constraint.anchors(&view)[1] - view.bodies[1].center;
            self.exerted[0] += force;
            self.exerted[1] += torque - lever.cross(force);
        }
    }

    /// The stiffness that the pull of the joint gives its bodies: for each end |F||r| and the direction of the lever.
    pub(super) fn geometric_stiffness(&mut self, world: &JointWorld<'_>, bodies: &Bodies) -> [(u32, f64, DVec3); 2] {
        let (force, levers) = self.pulling(world, bodies);
        [0, 1].map(|side| {
            let length = levers[side].length();
            self.pull[side] = (force * length).max(0.9 * self.pull[side]);
            match self.places[side] {
                place if place != UNMOVED && length > 0.0 => (place, self.pull[side], levers[side] / length),
                _ => (UNMOVED, 0.0, DVec3::ZERO),
            }
        })
    }

    /// The force with which the joint pulls, in newtons, and where its ends are as seen from the centres of its bodies.
    fn pulling(&self, world: &JointWorld<'_>, bodies: &Bodies) -> (f64, [DVec3; 2]) {
        let Some((joint, view)) = world.view(self.id, self.bodies, &self.pair(bodies)) else {
            return (0.0, [DVec3::ZERO; 2]);
        };
        let anchors = joint.constraint.anchors(&view);
        let mut force = DVec3::ZERO;
        for (index, row) in self.rows.iter().enumerate() {
            force += row.jacobian.linear[1] * (self.start[index] + self.end[index]);
        }
        (force.length() / world.h, [0, 1].map(|side| anchors[side] - view.bodies[side].center))
    }

    /// Damps how fast the bodies turn against each other where the pull is stiffer than the substep resolves: `inertia` tells the
    /// inverse inertia of a place, with the geometric stiffness, and the greatest moment.
    pub(super) fn damp(&self, h: f64, bodies: &mut Bodies, inertia: &dyn Fn(u32) -> (DMat3, f64)) {
        let of = |side: usize| match self.places[side] {
            UNMOVED => (DMat3::ZERO, f64::INFINITY),
            place => inertia(place),
        };
        let [(first, _), (second, _)] = [of(0), of(1)];
        let kappa = (0..2).map(|side| h * h * self.pull[side] / of(side).1).fold(0.0, f64::max);
        let sum = first + second;
        if kappa > 1.0 && sum.determinant() > f64::MIN_POSITIVE {
            let [a, b] = self.pair(bodies);
            let turning = b.angular_velocity - a.angular_velocity;
            let impulse = sum.inverse() * turning * ((kappa - 1.0) / kappa);
            bodies.list[self.bodies[0] as usize].angular_velocity += first * impulse;
            bodies.list[self.bodies[1] as usize].angular_velocity -= second * impulse;
        }
    }

    /// Gives what is remembered back.
    pub(super) fn store(&self, memory: &mut JointMemory, h: f64) {
        if memory.joint != Some(self.id) {
            *memory = JointMemory { joint: Some(self.id), ..JointMemory::default() };
        }
        memory.start.clear();
        memory.start.extend(self.start.iter().map(|impulse| impulse / h));
        memory.end.clear();
        memory.end.extend(self.end.iter().map(|impulse| impulse / h));
        memory.pull = self.pull;
        (0..2).for_each(|k| memory.exerted[k] += self.exerted[k]);
        memory.limits.clear();
        let pushes = |index: usize| self.start[index] + self.end[index] > 0.0;
        let limits = self.rows.iter().enumerate().map(|(index, row)| row.limit == Limit::AtLeastZero && pushes(index));
        memory.limits.extend(limits);
    }
}

fn range([min, max]: [f64; 2]) -> Law {
    if min == f64::NEG_INFINITY && max == f64::INFINITY { Law::Free } else { Law::Range { min, max } }
}

/// The bounds of an impulse in each of the two solves of a substep.
fn bounds(row: &Row, h: f64) -> [f64; 2] {
    match row.limit {
        Limit::Equality | Limit::Cone { .. } | Limit::ConeMember => [f64::NEG_INFINITY, f64::INFINITY],
        Limit::AtLeastZero => [0.0, f64::INFINITY],
        // Half of what the force could give.
        Limit::Force { min, max } => [0.5 * h * min, 0.5 * h * max],
    }
}

/// How fast an error is removed at most.
fn fastest_recovery(row: &Row) -> f64 {
    if row.jacobian.linear == [DVec3::ZERO; 2] { ANGULAR_RECOVERY } else { LINEAR_RECOVERY }
}

/// What of a joint's error has to wait for later substeps.
fn left_open(row: &Row, h: f64) -> f64 {
    let most = fastest_recovery(row) * h;
    row.error - row.error.clamp(-most, most)
}

/// How fast a limit that was passed is come back to.
fn recovery(row: &Row, h: f64) -> f64 {
    let share = if let Softness::Baumgarte { beta } = row.softness { beta } else { 0.5 };
    (share * row.error / h).max(-fastest_recovery(row))
}
