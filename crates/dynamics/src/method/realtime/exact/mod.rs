//! Small islands: all rows at once, to the last digit.
//!
//! A stack of soft contacts sags under its own weight, and sweeps never carry a tonne through ten light boxes. Where there are few
//! contacts, an [exact solve](problem) costs no more than sweeps and knows neither: a tower of forty boxes stands still, and so does
//! whatever is heavy on whatever is light.
//!
//! Each island is a small world of its own: it has copies of its bodies and contacts and goes through all substeps by itself, on
//! whichever thread.

mod joints;
mod passive;
mod problem;
mod sparse;

pub(super) use self::joints::{JointMemory, JointWorld, Swept};
pub(super) use self::sparse::elimination_cost;

use self::joints::ExactJoint;
use self::passive::Allowance;
use self::problem::{Disc, Law, Problem, Row, UNMOVED};
use self::sparse::{Part, Pattern, Patterns};
use super::bodies::{Bodies, Body, Spin, WORLD};
use super::contact::Contact;
use super::impact;
use super::load;
use super::pairs::{Pair, Unrest};
use super::passing::Pace;
use super::wide::Stiffness;
use crate::model::JointEnd;
use crate::{Cancel, Id, JointId, Workers};
use glam::{DMat3, DVec3};
use std::sync::Arc;

/// How much stiffer than the heaviest body a row is, in a substep. With ten times as much, Newton's method stumbles from kink to kink
/// where boxes are not exactly above each other; with a tenth, impulses take too many rounds to be found.
const STIFFNESS: f64 = 1e3;

/// The part of an overlap that is removed in a second.
const PUSH_RATE: f64 = 20.0;

/// How often joints are aimed anew, at most.
const LOOKS_AHEAD: usize = 3;

/// How often a substep is solved anew because joints pull much harder than was expected, at most.
const SECOND_THOUGHTS: usize = 2;

/// Impulses of which no more than this share suits the problem are no good to start from.
const GOOD_GUESS: f64 = 0.5;

/// The fewest islands that are worth a thread of their own.
const LEAST_SHARE: usize = 2;

/// How many sweeps take the place of Newton's method where it does not converge.
const SWEEPS: usize = 40;

/// What is slower than this, in m/s, is slow.
const SLOW: f64 = 0.1;

/// How many factorisations a substep may take, and a part of a step besides, for an exact solve to be worth it.
const WORTH_IT: usize = 2;

/// All small islands.
#[derive(Clone, Debug, Default)]
pub(super) struct ExactIslands {
    /// The first `count` are those of this time; memory is used again.
    list: Vec<ExactIsland>,
    count: usize,
    patterns: Patterns,
    /// By number of a body: its number among the members of the island under way.
    local: Vec<u32>,
    members: Vec<u32>,
    edges: Vec<[u32; 2]>,
}

/// How islands pass a part of a step.
pub(super) struct Passage<'a> {
    /// The length of the part in seconds, and the substeps of islands that do not rest.
    pub(super) part: f64,
    pub(super) substeps: u32,
    /// The fastest that overlaps are pushed out, and the slowest impact that bounces, in m/s.
    pub(super) push: f64,
    pub(super) threshold: f64,
    pub(super) world: &'a JointWorld<'a>,
    pub(super) cancel: &'a Cancel,
}

/// An island that is solved exactly.
#[derive(Clone, Debug)]
struct ExactIsland {
    pattern: Arc<Pattern>,
    pace: Pace,
    /// The world, its bodies in the order of their elimination, and scripted bodies that touch them; which numbers they have outside.
    own: Bodies,
    numbers: Vec<u32>,
    patches: Vec<Contact>,
    /// Those that bounce.
    bouncing: Vec<u32>,
    /// The numbers of its bodies, by place in the elimination.
    bodies: Vec<u32>,
    /// The numbers of its contacts, and where their rows begin.
    contacts: Vec<[u32; 2]>,
    /// Whether its contacts come and go so that an exact solve is hardly worth it.
    labours: bool,
    /// How many rows the contacts have; those of the joints follow.
    contact_rows: usize,
    joints: Vec<ExactJoint>,
    problem: Problem,
    /// How stiff rows with and without a linear part are.
    stiffness: [f64; 2],
    /// By place: what resists, with the geometric stiffness of the joints.
    inertia: Vec<Inertia>,
    stiffened: bool,
    /// The velocities without constraints, and with them.
    target: Vec<Part>,
    velocities: Vec<Part>,
    /// The bodies as they were before they were moved to see where they get.
    here: Vec<Body>,
    /// The energy it may have at the end of the substep under way.
    allowance: Allowance,
}

/// What resists a change of a body's motion.
#[derive(Clone, Copy, Debug)]
struct Inertia {
    inverse_mass: f64,
    inverse_inertia: DMat3,
    /// The greatest moment of inertia, in kg m².
    greatest: f64,
}

impl Inertia {
    /// What a momentum changes of the velocities: `W p`.
    fn respond(&self, &[a, b, c, p, q, r]: &Part) -> Part {
        let linear = DVec3::new(a, b, c) * self.inverse_mass;
        let angular = self.inverse_inertia * DVec3::new(p, q, r);
        [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
    }
}

/// What an island is made of.
pub(super) struct Members<'a> {
    pub(super) contacts: &'a [Contact],
    pub(super) joints: &'a [JointId],
    pub(super) pace: Pace,
}

impl ExactIslands {
    /// Forgets all islands; there are so many bodies.
    pub(super) fn clear(&mut self, bodies: usize) {
        self.count = 0;
        self.local.clear();
        self.local.resize(bodies, UNMOVED);
    }

    /// Takes over an island.
    pub(super) fn add(
        &mut self,
        members: &Members<'_>,
        memory: &[JointMemory],
        bodies: &mut Bodies,
        world: &JointWorld<'_>,
    ) {
        self.members.clear();
        self.edges.clear();
        for contact in members.contacts {
            self.connect(contact.bodies, bodies);
        }
        let ends = |id: &JointId| {
            let end = |end: JointEnd| if let JointEnd::Body(id) = end { bodies.number(id) } else { WORLD };
            world.model.joints().get(*id).map(|joint| (*id, joint.ends.map(end)))
        };
        let joints: Vec<(JointId, [u32; 2])> = members.joints.iter().filter_map(ends).collect();
        for &(_, ends) in &joints {
            self.connect(ends, bodies);
        }
        for &number in &self.members {
            let body = &mut bodies.list[number as usize];
            (body.pace, body.jointed) = (members.pace, !joints.is_empty());
        }
        let pattern = self.patterns.get(self.members.len(), &mut self.edges);
        if self.count == self.list.len() {
            self.list.push(ExactIsland::new(pattern.clone()));
        }
        let island = &mut self.list[self.count];
        self.count += 1;
        (island.pattern, island.pace) = (pattern, members.pace);
        island.gather(&self.members, bodies);
        island.problem.begin(&island.pattern, !joints.is_empty());
        island.load_contacts(members.contacts, &self.local, bodies);
        island.joints.clear();
        for &(id, ends) in &joints {
            let numbers = ends.map(|number| island.number_of(number, &self.local, bodies));
            let places = numbers.map(|number| island.place_of(number));
            let mut joint = ExactJoint::new(id, numbers, places, &memory[id.slot()], world.h);
            joint.add(world, &island.own, island.stiffness, &mut island.problem.rows);
            island.joints.push(joint);
        }
        island.stiffen_own(world);
        for &number in &self.members {
            self.local[number as usize] = UNMOVED;
        }
    }

    /// Notes that two bodies touch or are joined.
    fn connect(&mut self, pair: [u32; 2], bodies: &Bodies) {
        let local = pair.map(|number| {
            if !bodies.list[number as usize].is_movable() {
                return UNMOVED;
            }
            let local = &mut self.local[number as usize];
            if *local == UNMOVED {
                *local = self.members.len() as u32;
                self.members.push(number);
            }
            *local
        });
        if !local.contains(&UNMOVED) && local[0] != local[1] {
            self.edges.push([local[0].min(local[1]), local[0].max(local[1])]);
        }
    }

    fn islands(&mut self) -> &mut [ExactIsland] {
        &mut self.list[..self.count]
    }

    /// Lets all islands pass a part of a step, and gives the bodies back.
    pub(super) fn pass(&mut self, passage: &Passage<'_>, bodies: &mut Bodies, workers: &Workers) {
        workers.for_each(self.islands(), LEAST_SHARE, || (), |(), island| island.pass(passage));
        for island in self.islands() {
            for &own in &island.bodies {
                bodies.list[island.numbers[own as usize] as usize] = island.own.list[own as usize];
            }
        }
    }

    /// Gives what contacts and joints exerted back.
    pub(super) fn store(&mut self, pairs: &mut [Pair], memory: &mut [JointMemory], h: f64) {
        for island in self.islands() {
            for contact in &island.patches {
                let pair = &mut pairs[contact.pair as usize];
                contact.store(pair);
                match island.pace {
                    _ if island.labours => pair.unrest = Unrest::BEGINS,
                    Pace::Resting => pair.unrest = Unrest::default(),
                    _ => {}
                }
            }
            island.joints.iter().for_each(|joint| joint.store(&mut memory[joint.id.slot()], h));
        }
    }
}

impl ExactIsland {
    fn new(pattern: Arc<Pattern>) -> Self {
        Self {
            pattern,
            pace: Pace::Exact,
            own: Bodies::default(),
            numbers: Vec::new(),
            patches: Vec::new(),
            bouncing: Vec::new(),
            labours: false,
            bodies: Vec::new(),
            contacts: Vec::new(),
            contact_rows: 0,
            joints: Vec::new(),
            problem: Problem::default(),
            stiffness: [0.0; 2],
            inertia: Vec::new(),
            stiffened: false,
            target: Vec::new(),
            velocities: Vec::new(),
            here: Vec::new(),
            allowance: Allowance::default(),
        }
    }

    /// Takes over the bodies.
    fn gather(&mut self, members: &[u32], bodies: &Bodies) {
        let count = members.len();
        self.numbers.clear();
        self.numbers.resize(count + 1, WORLD);
        for (local, &number) in members.iter().enumerate() {
            self.numbers[self.pattern.place[local] as usize + 1] = number;
        }
        self.own.list.clear();
        self.own.list.extend(self.numbers.iter().map(|&number| bodies.list[number as usize]));
        self.bodies.clear();
        self.bodies.extend(1..=count as u32);
        self.target.resize(count, [0.0; 6]);
        self.velocities.resize(count, [0.0; 6]);
        let own = std::mem::take(&mut self.own);
        self.weigh(&own);
        self.own = own;
        let masses = &self.problem.masses;
        let greatest = |range: std::ops::Range<usize>| {
            STIFFNESS * masses.iter().flat_map(|mass| range.clone().map(|k| mass[k][k])).fold(0.0, f64::max)
        };
        self.stiffness = [greatest(0..3), greatest(3..6)];
        self.stiffened = false;
    }

    /// The masses of the bodies alone.
    fn weigh(&mut self, bodies: &Bodies) {
        let body = |&number: &u32| &bodies.list[number as usize];
        self.problem.masses.clear();
        self.problem.masses.extend(self.bodies.iter().map(body).map(mass_block));
        self.inertia.clear();
        self.inertia.extend(self.bodies.iter().map(body).zip(&self.problem.masses).map(|(body, mass)| Inertia {
            inverse_mass: body.inverse_mass,
            inverse_inertia: body.inverse_inertia,
            greatest: mass[3][3].max(mass[4][4]).max(mass[5][5]),
        }));
    }

    /// The number here of a body with a number outside; `local` are its members by their numbers.
    fn number_of(&mut self, number: u32, local: &[u32], bodies: &Bodies) -> u32 {
        match local[number as usize] {
            _ if number == WORLD => WORLD,
            UNMOVED => {
                let scripted = self.bodies.len() + 1;
                let known = self.numbers[scripted..].iter().position(|&known| known == number);
                let place = known.unwrap_or(self.numbers.len() - scripted);
                if known.is_none() {
                    self.numbers.push(number);
                    self.own.list.push(bodies.list[number as usize]);
                }
                (scripted + place) as u32
            }
            local => self.pattern.place[local as usize] + 1,
        }
    }

    /// The place of a body in the elimination.
    fn place_of(&self, number: u32) -> u32 {
        if (1..=self.bodies.len() as u32).contains(&number) { number - 1 } else { UNMOVED }
    }

    fn load_contacts(&mut self, contacts: &[Contact], local: &[u32], bodies: &Bodies) {
        self.contacts.clear();
        self.patches.clear();
        self.bouncing.clear();
        for contact in contacts {
            let numbers = contact.bodies.map(|number| self.number_of(number, local, bodies));
            let places = numbers.map(|number| self.place_of(number));
            let contact = contact.between(numbers);
            let number = self.patches.len() as u32;
            if contact.restitution > 0.0 {
                self.bouncing.push(number);
            }
            self.contacts.push([number, self.problem.rows.len() as u32]);
            add_contact(&mut self.problem.rows, &contact, places, &self.own, self.stiffness);
            self.patches.push(contact);
        }
        self.contact_rows = self.problem.rows.len();
        self.problem.changed();
    }

    /// Lets a part of a step pass.
    fn pass(&mut self, passage: &Passage<'_>) {
        let Passage { part, push, threshold, world, cancel, .. } = *passage;
        let substeps = if self.pace == Pace::Resting { 1 } else { passage.substeps };
        let h = part / f64::from(substeps);
        let stiffness = Stiffness { h, push };
        let (mut bodies, mut contacts) = (std::mem::take(&mut self.own), std::mem::take(&mut self.patches));
        let count = self.bodies.len();
        // The last digits matter to joints, to what is slow, and to a single body that slides; columns that fall together settle without.
        let own = &bodies.list[1..=count];
        let is_slow = own.iter().all(|body| body.velocity.length_squared() < SLOW * SLOW);
        let hits =
            |contact: &Contact| contact.points().iter().any(|point| contact.opening(point, &bodies) < -load::CRASH);
        let slides = count == 1 && !contacts.iter().any(hits);
        self.problem.be_precise(!self.joints.is_empty() || is_slow || slides);
        for _ in (0..substeps).take_while(|_| !cancel.is_cancelled()) {
            for body in &mut bodies.list[1..=count] {
                body.kick(if body.jointed { 0.5 * h } else { h });
            }
            impact::bounce(&mut contacts, &self.bouncing, &mut bodies, h, threshold);
            self.push(&contacts, &mut bodies, &stiffness, world);
            bodies.list[1..].iter_mut().for_each(|body| body.drift(h));
            self.relax(&mut contacts, &mut bodies, &stiffness, world);
        }
        (self.own, self.patches) = (bodies, contacts);
        // What rests may take its time: sent back to be swept, it would give way, and never rest.
        let may_labour = self.pace == Pace::Resting || !self.joints.is_empty();
        self.labours = !may_labour && self.problem.factorisations() > WORTH_IT * (substeps as usize + 1);
    }

    fn stiffen_own(&mut self, world: &JointWorld<'_>) {
        let own = std::mem::take(&mut self.own);
        self.stiffen(world, &own);
        self.own = own;
    }

    /// Gives bodies more inertia where joints pull at them harder than the substep resolves.
    fn stiffen(&mut self, world: &JointWorld<'_>, bodies: &Bodies) {
        if self.joints.is_empty() {
            return;
        }
        self.stiffened = false;
        let square = world.h * world.h;
        for joint in &mut self.joints {
            for (place, pull, lever) in joint.geometric_stiffness(world, bodies) {
                let Some(inertia) = self.inertia.get(place as usize) else { continue };
                let surplus = square * pull - 0.5 * inertia.greatest;
                if surplus > 0.0 {
                    self.stiffened = true;
                    let block = &mut self.problem.masses[place as usize];
                    for i in 0..3 {
                        for j in 0..3 {
                            let across = if i == j { 1.0 } else { 0.0 } - lever[i] * lever[j];
                            block[3 + i][3 + j] += surplus * across;
                        }
                    }
                }
            }
        }
        if self.stiffened {
            for (inertia, mass) in self.inertia.iter_mut().zip(&self.problem.masses) {
                let column = |j: usize| DVec3::new(mass[3][3 + j], mass[4][3 + j], mass[5][3 + j]);
                if inertia.inverse_inertia != DMat3::ZERO {
                    inertia.inverse_inertia = DMat3::from_cols(column(0), column(1), column(2)).inverse();
                }
            }
        }
        self.problem.changed();
    }

    /// What bodies that nothing moves, scripts and belts, contribute to the rates of friction; the greatest speeds among it, in m/s
    /// and rad/s.
    fn carry_along(&mut self, contacts: &[Contact], bodies: &Bodies) -> [f64; 2] {
        let mut speeds = [0.0_f64; 2];
        for (k, &[number, first]) in self.contacts.iter().enumerate() {
            let contact = &contacts[number as usize];
            let end = self.contacts.get(k + 1).map_or(self.contact_rows, |next| next[1] as usize);
            for row in &mut self.problem.rows[first as usize + contact.count..end] {
                row.bias = given_rate(row, contact, bodies);
                let is_linear = row.jacobian[0][..3] != [0.0; 3];
                let speed = &mut speeds[usize::from(!is_linear)];
                *speed = speed.max(row.bias.abs());
            }
        }
        speeds
    }

    fn push(&mut self, contacts: &[Contact], bodies: &mut Bodies, stiffness: &Stiffness, world: &JointWorld<'_>) {
        self.allowance = Allowance::new(self.bodies.iter().map(|&number| &bodies.list[number as usize]), stiffness.h);
        let mut removed = self.carry_along(contacts, bodies);
        for &[number, first] in &self.contacts {
            let contact = &contacts[number as usize];
            for (point, row) in contact.points().iter().zip(&mut self.problem.rows[first as usize..]) {
                let gap = contact.gap(point, bodies);
                let approach = if gap > 0.0 { gap / stiffness.h } else { (gap * PUSH_RATE).max(-stiffness.push) };
                let given = given_rate(row, contact, bodies);
                removed[0] = removed[0].max(-approach).max(given.abs());
                row.bias = approach + given;
                row.law = Law::UNILATERAL;
            }
        }
        for joint in &self.joints {
            let speeds = joint.prepare_push(world, bodies, &mut self.problem.rows);
            removed = [removed[0].max(speeds[0]), removed[1].max(speeds[1])];
        }
        self.allowance.remove_errors(removed[0], removed[1]);
        self.read(bodies);
        self.solve(bodies);
        if self.joints.is_empty() {
            return;
        }
        for _ in 0..SECOND_THOUGHTS {
            if !self.jerks(world, bodies) {
                break;
            }
            self.weigh(bodies);
            self.stiffen(world, bodies);
            self.solve(bodies);
        }
        for _ in 0..LOOKS_AHEAD {
            if self.aim(bodies, world) <= joints::CLOSED {
                break;
            }
            self.solve(bodies);
        }
        for joint in &mut self.joints {
            joint.pushed(world, bodies, &self.problem.rows);
        }
    }

    /// Whether joints pull much harder than was expected.
    fn jerks(&mut self, world: &JointWorld<'_>, bodies: &Bodies) -> bool {
        let Self { joints, inertia, problem, .. } = self;
        let greatest = |place: u32| inertia[place as usize].greatest;
        let mut any = false;
        // All of them take note of their impulses.
        for joint in joints {
            any |= joint.jerks(world, bodies, &greatest, &problem.rows);
        }
        any
    }

    /// Moves the bodies, looks by how much joints miss, and puts the bodies back.
    fn aim(&mut self, bodies: &mut Bodies, world: &JointWorld<'_>) -> f64 {
        self.here.clear();
        self.here.extend(self.bodies.iter().map(|&number| bodies.list[number as usize]));
        self.bodies.iter().for_each(|&number| bodies.list[number as usize].drift(world.h));
        let rows = &mut self.problem.rows;
        let miss = self.joints.iter().map(|joint| joint.aim(world, bodies, rows)).fold(0.0, f64::max);
        for (&number, here) in self.bodies.iter().zip(&self.here) {
            bodies.list[number as usize] = *here;
        }
        miss
    }

    fn relax(&mut self, contacts: &mut [Contact], bodies: &mut Bodies, stiffness: &Stiffness, world: &JointWorld<'_>) {
        for &[number, first] in &self.contacts {
            let contact = &contacts[number as usize];
            for (point, row) in contact.points().iter().zip(&mut self.problem.rows[first as usize..]) {
                let gap = contact.gap(point, bodies).max(0.0);
                // A gap that nothing held open is left to the next substep, and to its impacts.
                row.law = if gap > 0.0 && row.impulse == 0.0 { Law::NOTHING } else { Law::UNILATERAL };
                row.bias = gap / stiffness.h + given_rate(row, contact, bodies);
            }
        }
        if !self.joints.is_empty() {
            self.damp(bodies, world.h);
            self.bodies.iter().for_each(|&number| bodies.list[number as usize].kick(0.5 * world.h));
        }
        self.read(bodies);
        self.take_back_contacts();
        if !self.joints.is_empty() {
            self.bodies.iter().for_each(|&number| bodies.list[number as usize].turn_inertia());
            for joint in &mut self.joints {
                joint.prepare_relax(world, bodies, self.stiffness, &mut self.problem.rows);
            }
            self.weigh(bodies);
            self.stiffen(world, bodies);
        }
        self.solve(bodies);
        if let Some(scale) = self.allowance.scale(self.bodies.iter().map(|&number| &bodies.list[number as usize])) {
            self.calm(bodies, scale);
        }
        for joint in &mut self.joints {
            joint.relaxed(world, bodies, &self.problem.rows);
        }
        for &[number, first] in &self.contacts {
            write_back(&mut contacts[number as usize], &self.problem.rows[first as usize..]);
        }
    }

    /// Scales all velocities and forgets the impulses.
    fn calm(&mut self, bodies: &mut Bodies, scale: f64) {
        for &number in &self.bodies {
            let body = &mut bodies.list[number as usize];
            (body.velocity, body.angular_velocity) = (body.velocity * scale, body.angular_velocity * scale);
        }
        self.problem.rows.iter_mut().for_each(|row| row.impulse = 0.0);
        self.joints.iter_mut().for_each(ExactJoint::forget);
    }

    fn damp(&mut self, bodies: &mut Bodies, h: f64) {
        let inertia = |place: u32| {
            let inertia = &self.inertia[place as usize];
            (inertia.inverse_inertia, inertia.greatest)
        };
        for joint in &self.joints {
            joint.damp(h, bodies, &inertia);
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

    /// Takes the impulses of contacts, whose rows are still the same, out of the velocities again.
    fn take_back_contacts(&mut self) {
        let given = self.given(&self.problem.rows[..self.contact_rows]);
        for (target, given) in self.target.iter_mut().zip(given) {
            target.iter_mut().zip(given).for_each(|(target, given)| *target -= given);
        }
    }

    /// `W Jᵀ λ`: what the impulses of rows give each body.
    fn given(&self, rows: &[Row]) -> Vec<Part> {
        let mut momenta = vec![[0.0; 6]; self.bodies.len()];
        for row in rows {
            row.give(row.impulse, &mut momenta);
        }
        for (momentum, inertia) in momenta.iter_mut().zip(&self.inertia) {
            *momentum = inertia.respond(momentum);
        }
        momenta
    }

    /// `W Jᵀ` of a row.
    fn response(&self, row: &Row) -> [Part; 2] {
        [0, 1].map(|side| match row.bodies[side] {
            UNMOVED => [0.0; 6],
            place => self.inertia[place as usize].respond(&row.jacobian[side]),
        })
    }

    /// Finds the impulses and gives them to the bodies.
    fn solve(&mut self, bodies: &mut Bodies) {
        let mut guess = self.given(&self.problem.rows);
        let share = self.problem.share_of_guess(&self.target, &guess);
        if share < GOOD_GUESS {
            self.problem.rows.iter_mut().for_each(|row| row.impulse *= share);
            guess.iter_mut().flatten().for_each(|part| *part *= share);
        }
        for ((v, target), given) in self.velocities.iter_mut().zip(&self.target).zip(guess) {
            *v = std::array::from_fn(|k| target[k] + given[k]);
        }
        let guess = self.velocities.clone();
        if !self.problem.solve(&self.pattern, &self.target, &mut self.velocities) {
            self.velocities = guess;
            let responses: Vec<[Part; 2]> = self.problem.rows.iter().map(|row| self.response(row)).collect();
            self.problem.sweep(&responses, &mut self.velocities, SWEEPS);
        }
        for row in &self.problem.rows {
            let rates = [row.product(&self.target), row.product(&self.velocities)];
            self.allowance.let_work(row, rates);
        }
        let given = self.given(&self.problem.rows);
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
    // What nothing moves turns as it likes, and carries others along; of the rest, only what torques turn has levers.
    let turns = |side: usize| places[side] == UNMOVED || bodies.list[contact.bodies[side] as usize].spin.turns();
    let arm = |side: usize, arm: DVec3| if turns(side) { arm } else { DVec3::ZERO };
    let axis = |direction: DVec3| [0, 1].map(|side| arm(side, direction));
    for point in contact.points() {
        let angular = [0, 1].map(|side| arm(side, point.arms[side].cross(contact.normal)));
        rows.push(row(places, contact.normal, angular, linear, point.impulse, Law::UNILATERAL));
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
        contact.dragged.iter_mut().zip(contact.friction).for_each(|(dragged, friction)| *dragged += friction);
    }
    if contact.spinning > 0.0 || (contact.stick > 0.0 && contact.count > 1) {
        contact.twist = next();
    }
    if contact.rolling > 0.0 {
        contact.roll = contact.tangents[0] * next() + contact.tangents[1] * next();
    }
}
