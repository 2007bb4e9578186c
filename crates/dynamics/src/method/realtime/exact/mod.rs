//! Small islands: all rows at once, to the last digit.
//!
//! A stack of soft contacts sags under its own weight, and sweeps never carry a tonne through ten light boxes. Where there are few
//! contacts, an [exact solve](problem) costs no more than sweeps and knows neither: a tower of forty boxes stands still, and so does
//! whatever is heavy on whatever is light.

mod problem;
mod sparse;

use self::problem::{Disc, Law, Problem, Row, UNMOVED};
use self::sparse::{Part, Pattern, Patterns};
use super::bodies::{Bodies, Body, Spin};
use super::contact::Contact;
use super::wide::Stiffness;
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// How much stiffer than the heaviest body a row is, in a substep.
const STIFFNESS: f64 = 1e4;

/// The part of an overlap that is removed in a second.
const PUSH_RATE: f64 = 20.0;

/// All small islands.
#[derive(Clone, Debug, Default)]
pub(super) struct ExactIslands {
    /// The first `count` are those of this time; memory is used again.
    list: Vec<ExactIsland>,
    count: usize,
    patterns: Patterns,
    /// By number of a body: its number in the island under way.
    local: Vec<u32>,
    edges: Vec<[u32; 2]>,
}

/// An island that is solved exactly.
#[derive(Clone, Debug)]
struct ExactIsland {
    pattern: Arc<Pattern>,
    /// The numbers of its bodies, by place in the elimination.
    bodies: Vec<u32>,
    /// The numbers of its contacts, and where their rows begin.
    contacts: Vec<[u32; 2]>,
    problem: Problem,
    /// The velocities without constraints, and with them.
    target: Vec<Part>,
    velocities: Vec<Part>,
}

impl ExactIslands {
    /// Forgets all islands; there are so many bodies.
    pub(super) fn clear(&mut self, bodies: usize) {
        self.count = 0;
        self.local.clear();
        self.local.resize(bodies, UNMOVED);
    }

    /// Takes over an island of these contacts.
    pub(super) fn add(&mut self, numbers: std::ops::Range<u32>, contacts: &[Contact], bodies: &Bodies) {
        let mut members: Vec<u32> = Vec::new();
        self.edges.clear();
        for contact in &contacts[numbers.start as usize..numbers.end as usize] {
            let local = contact.bodies.map(|number| {
                if !bodies.list[number as usize].is_movable() {
                    return UNMOVED;
                }
                let local = &mut self.local[number as usize];
                if *local == UNMOVED {
                    *local = members.len() as u32;
                    members.push(number);
                }
                *local
            });
            if !local.contains(&UNMOVED) {
                self.edges.push([local[0].min(local[1]), local[0].max(local[1])]);
            }
        }
        let pattern = self.patterns.get(members.len(), &mut self.edges);
        if self.count == self.list.len() {
            self.list.push(ExactIsland::new(pattern.clone()));
        }
        let island = &mut self.list[self.count];
        self.count += 1;
        island.pattern = pattern;
        island.load(&members, numbers, contacts, bodies);
        members.iter().for_each(|&number| self.local[number as usize] = UNMOVED);
    }

    fn islands(&mut self) -> &mut [ExactIsland] {
        &mut self.list[..self.count]
    }

    /// The bodies have been kicked: the impulses with which gaps do not become overlaps, and overlaps become smaller.
    pub(super) fn push(&mut self, contacts: &[Contact], bodies: &mut Bodies, stiffness: &Stiffness) {
        for island in self.islands() {
            island.push(contacts, bodies, stiffness);
        }
    }

    /// The bodies have moved: nothing approaches any more, and what removed overlaps does not remain as velocity.
    pub(super) fn relax(&mut self, contacts: &mut [Contact], bodies: &mut Bodies, stiffness: &Stiffness) {
        for island in self.islands() {
            island.relax(contacts, bodies, stiffness);
        }
    }
}

impl ExactIsland {
    fn new(pattern: Arc<Pattern>) -> Self {
        Self {
            pattern,
            bodies: Vec::new(),
            contacts: Vec::new(),
            problem: Problem::default(),
            target: Vec::new(),
            velocities: Vec::new(),
        }
    }

    fn load(&mut self, members: &[u32], numbers: std::ops::Range<u32>, contacts: &[Contact], bodies: &Bodies) {
        let count = members.len();
        self.bodies.clear();
        self.bodies.resize(count, 0);
        for (local, &number) in members.iter().enumerate() {
            self.bodies[self.pattern.place[local] as usize] = number;
        }
        self.target.resize(count, [0.0; 6]);
        self.velocities.resize(count, [0.0; 6]);
        self.problem.masses.clear();
        self.problem.masses.extend(self.bodies.iter().map(|&number| mass_block(&bodies.list[number as usize])));
        let diagonal = |range: std::ops::Range<usize>| {
            let blocks = self.problem.masses.iter();
            STIFFNESS * blocks.flat_map(|mass| range.clone().map(|k| mass[k][k])).fold(0.0, f64::max)
        };
        let stiffness = [diagonal(0..3), diagonal(3..6)];
        let places: Vec<u32> = self.places(members, bodies.list.len());
        self.contacts.clear();
        self.problem.rows.clear();
        for number in numbers {
            let contact = &contacts[number as usize];
            self.contacts.push([number, self.problem.rows.len() as u32]);
            let places = contact.bodies.map(|body| places[body as usize]);
            add_contact(&mut self.problem.rows, contact, places, bodies, stiffness);
        }
        self.problem.changed();
    }

    /// By number of a body: its place in the elimination.
    fn places(&self, members: &[u32], bodies: usize) -> Vec<u32> {
        let mut places = vec![UNMOVED; bodies];
        for (local, &number) in members.iter().enumerate() {
            places[number as usize] = self.pattern.place[local];
        }
        places
    }

    fn push(&mut self, contacts: &[Contact], bodies: &mut Bodies, stiffness: &Stiffness) {
        for &[number, first] in &self.contacts {
            let contact = &contacts[number as usize];
            for (point, row) in contact.points().iter().zip(&mut self.problem.rows[first as usize..]) {
                let gap = contact.gap(point, bodies);
                let approach = if gap > 0.0 { gap / stiffness.h } else { (gap * PUSH_RATE).max(-stiffness.push) };
                row.bias = approach + given_rate(row, contact, bodies);
            }
        }
        self.read(bodies);
        self.solve(bodies);
    }

    fn relax(&mut self, contacts: &mut [Contact], bodies: &mut Bodies, stiffness: &Stiffness) {
        for &[number, first] in &self.contacts {
            let contact = &contacts[number as usize];
            for (point, row) in contact.points().iter().zip(&mut self.problem.rows[first as usize..]) {
                let gap = contact.gap(point, bodies).max(0.0);
                row.bias = gap / stiffness.h + given_rate(row, contact, bodies);
            }
        }
        self.read(bodies);
        self.take_back(bodies);
        self.solve(bodies);
        for &[number, first] in &self.contacts {
            write_back(&mut contacts[number as usize], &self.problem.rows[first as usize..]);
        }
    }

    /// The velocities of the bodies are those without constraints.
    fn read(&mut self, bodies: &Bodies) {
        for (target, &number) in self.target.iter_mut().zip(&self.bodies) {
            let body = &bodies.list[number as usize];
            let ([a, b, c], [p, q, r]) = (body.velocity.to_array(), body.angular_velocity.to_array());
            *target = [a, b, c, p, q, r];
        }
    }

    /// Takes the impulses out of the velocities again.
    fn take_back(&mut self, bodies: &Bodies) {
        let given = self.given(bodies);
        for (target, given) in self.target.iter_mut().zip(given) {
            target.iter_mut().zip(given).for_each(|(target, given)| *target -= given);
        }
    }

    /// `W Jᵀ λ`: what the impulses give each body.
    fn given(&self, bodies: &Bodies) -> Vec<Part> {
        let mut momenta = vec![[0.0; 6]; self.bodies.len()];
        for row in &self.problem.rows {
            row.give(row.impulse, &mut momenta);
        }
        for (momentum, &number) in momenta.iter_mut().zip(&self.bodies) {
            let body = &bodies.list[number as usize];
            let [a, b, c, p, q, r] = *momentum;
            let linear = DVec3::new(a, b, c) * body.inverse_mass;
            let angular = body.inverse_inertia * DVec3::new(p, q, r);
            *momentum = [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z];
        }
        momenta
    }

    /// Finds the impulses and gives them to the bodies.
    fn solve(&mut self, bodies: &mut Bodies) {
        let guess = self.given(bodies);
        for ((v, target), given) in self.velocities.iter_mut().zip(&self.target).zip(guess) {
            *v = std::array::from_fn(|k| target[k] + given[k]);
        }
        self.problem.solve(&self.pattern, &self.target, &mut self.velocities);
        let given = self.given(bodies);
        for ((target, given), &number) in self.target.iter().zip(given).zip(&self.bodies) {
            let body = &mut bodies.list[number as usize];
            let v: Part = std::array::from_fn(|k| target[k] + given[k]);
            (body.velocity, body.angular_velocity) = (DVec3::new(v[0], v[1], v[2]), DVec3::new(v[3], v[4], v[5]));
            body.free &= given == [0.0; 6];
        }
    }
}

/// The mass and inertia of a body as a block. What nothing turns about some axis is very hard to turn.
fn mass_block(body: &Body) -> [[f64; 6]; 6] {
    let mass = 1.0 / body.inverse_mass;
    let inertia = match body.spin {
        Spin::Given => DMat3::IDENTITY,
        Spin::Steady => DMat3::from_diagonal(DVec3::splat(1.0 / body.inverse_inertia.x_axis.x)),
        Spin::Euler { moments, axes } => {
            let most = moments.max_element();
            let moments = moments.to_array().map(|moment| if moment > 1e-15 * most { moment } else { 1e9 * most });
            let rotation = DMat3::from_quat(body.rotation * axes);
            rotation * DMat3::from_diagonal(DVec3::from(moments)) * rotation.transpose()
        }
    };
    let mut block = [[0.0; 6]; 6];
    for i in 0..3 {
        block[i][i] = mass;
        for j in 0..3 {
            block[3 + i][3 + j] = inertia.col(j)[i];
        }
    }
    block
}

/// A row of two opposite directions.
fn row(places: [u32; 2], linear: DVec3, angular: [DVec3; 2], stiffness: f64, impulse: f64, law: Law) -> Row {
    let part = |sign: f64, side: usize| {
        let (linear, angular) = (linear * sign, angular[side] * sign);
        [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
    };
    Row { bodies: places, jacobian: [part(-1.0, 0), part(1.0, 1)], bias: 0.0, stiffness, impulse, law }
}

/// What bodies that nothing moves contribute to the rate of a row.
fn given_rate(row: &Row, contact: &Contact, bodies: &Bodies) -> f64 {
    let of = |side: usize| {
        if row.bodies[side] != UNMOVED {
            return 0.0;
        }
        let body = &bodies.list[contact.bodies[side] as usize];
        let [a, b, c, p, q, r] = row.jacobian[side];
        DVec3::new(a, b, c).dot(body.velocity) + DVec3::new(p, q, r).dot(body.angular_velocity)
    };
    of(0) + of(1)
}

/// The rows of a contact: its normals, friction, the torque about the normal, rolling friction.
fn add_contact(rows: &mut Vec<Row>, contact: &Contact, places: [u32; 2], bodies: &Bodies, stiffness: [f64; 2]) {
    let first = rows.len() as u32;
    let [linear, angular] = stiffness;
    let turning = |body: u32| bodies.list[body as usize].spin.turns();
    let arm = |side: usize, arm: DVec3| if turning(contact.bodies[side]) { arm } else { DVec3::ZERO };
    let axis = |direction: DVec3| [0, 1].map(|side| arm(side, direction));
    let unilateral = Law::Range { min: 0.0, max: f64::INFINITY };
    for point in contact.points() {
        let angular = [0, 1].map(|side| arm(side, point.arms[side].cross(contact.normal)));
        rows.push(row(places, contact.normal, angular, linear, point.impulse, unilateral));
    }
    let normals = [first, first + contact.count as u32];
    let disc = |count: u8, weight: &dyn Fn(f64) -> f64| {
        let mut weights = [0.0; 4];
        weights.iter_mut().zip(contact.points()).for_each(|(weight_of, point)| *weight_of = weight(point.lever));
        let slipping = if contact.stick > 0.0 { contact.slip / contact.stick } else { 1.0 };
        Law::Disc(Disc { count, normals, weights, slipping, slips: false, limit: 0.0 })
    };
    if contact.stick > 0.0 {
        for (k, tangent) in contact.tangents.into_iter().enumerate() {
            let angular = [0, 1].map(|side| arm(side, contact.middle[side].cross(tangent)));
            let law = if k == 0 { disc(2, &|_| contact.stick) } else { Law::Member };
            rows.push(row(places, tangent, angular, linear, contact.friction[k], law));
        }
    }
    if contact.spinning > 0.0 || (contact.stick > 0.0 && contact.count > 1) {
        let law = disc(1, &|lever| contact.stick * lever + contact.spinning);
        rows.push(row(places, DVec3::ZERO, axis(contact.normal), angular, contact.twist, law));
    }
    if contact.rolling > 0.0 {
        for (k, tangent) in contact.tangents.into_iter().enumerate() {
            let law = if k == 0 { disc(2, &|_| contact.rolling) } else { Law::Member };
            rows.push(row(places, DVec3::ZERO, axis(tangent), angular, tangent.dot(contact.roll), law));
        }
    }
}

/// Tells a contact the impulses of its rows, which come in the order of [`add_contact`].
fn write_back(contact: &mut Contact, rows: &[Row]) {
    let mut rows = rows.iter().map(|row| row.impulse);
    let mut next = || rows.next().unwrap_or(0.0);
    for point in &mut contact.points[..contact.count] {
        point.impulse = next();
        point.total += point.impulse;
    }
    if contact.stick > 0.0 {
        contact.friction = [next(), next()];
    }
    if contact.spinning > 0.0 || (contact.stick > 0.0 && contact.count > 1) {
        contact.twist = next();
    }
    if contact.rolling > 0.0 {
        contact.roll = contact.tangents[0] * next() + contact.tangents[1] * next();
    }
}
