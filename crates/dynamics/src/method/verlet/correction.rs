//! A tree being put right: what is wanted of it, the least motion that does it, and the bodies moved.

use super::bodies::Bodies;
use super::collision::Collision;
use super::elimination::{Limb, NONE, solve};
use super::figures::{Touch, What};
use super::trees::{Fixture, Tree};
use crate::Wrench;
use glam::DVec3;

/// How much stiffer conditions are than what they act on.
const STIFF: f64 = 1e7;

/// A solution that turns a body by more, in radians, is not trusted, and none by more than twice as much.
const FAR: f64 = 0.25;

/// The most solutions of an iteration.
const TRIALS: usize = 5;

/// How much more than a body alone a figure can weigh at a contact of this body.
const HEAVY: f64 = 1e3;

/// Limits nearer than this act, in radians.
const NEAR: f64 = 1e-3;

/// Something wanted: `n·x + a·θ = d` of a body, or `a·(θ − θ_p) = d` of its turn against the parent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Condition {
    node: usize,
    against_parent: bool,
    normal: DVec3,
    arm: DVec3,
    amount: f64,
    stiffness: f64,
    /// The largest impulse that is believed: where a contact contradicts a pin there is no limit to it.
    most: f64,
    /// Whether it may push and not pull.
    is_one_sided: bool,
    /// If it is a contact, its number among those of the tree.
    touch: Option<usize>,
}

impl Condition {
    fn add_to(&self, limbs: &mut [Limb]) {
        let limb = &mut limbs[self.node];
        match self.against_parent {
            true => limb.want_angle(self.arm, self.amount, self.stiffness),
            false => limb.want(self.normal, self.arm, self.amount, self.stiffness),
        }
    }

    /// Its impulse in the solution.
    fn impulse(&self, limbs: &[Limb]) -> f64 {
        let limb = &limbs[self.node];
        let base = if self.against_parent && limb.parent != NONE { limbs[limb.parent].turn } else { DVec3::ZERO };
        self.stiffness * (self.amount - self.normal.dot(limb.shift) - self.arm.dot(limb.turn - base))
    }

    /// That of a contact.
    fn push(&self, limbs: &[Limb]) -> f64 {
        self.impulse(limbs).max(0.0).min(self.most)
    }
}

/// A tree being put right.
pub(super) struct Correction<'a> {
    pub(super) tree: &'a Tree,
    pub(super) touches: &'a [Touch],
    pub(super) bodies: &'a mut Bodies,
    pub(super) conditions: &'a mut Vec<Condition>,
    pub(super) limbs: &'a mut Vec<Limb>,
    pub(super) slowness: &'a mut Vec<f64>,
}

impl<'a> Correction<'a> {
    /// The constraints the tree holds.
    pub(super) fn joints(&self) -> &'a [usize] {
        &self.tree.joints
    }

    /// Adds what pins exert on the second bodies of their joints, times `rate`.
    pub(super) fn tell(&self, exerted: &mut [Wrench], rate: f64) {
        for (node, limb) in self.tree.nodes.iter().zip(&*self.limbs) {
            if let Some(pin) = node.pin {
                exerted[pin.joint].force += limb.impulse * if pin.is_second { rate } else { -rate };
            }
        }
    }

    /// What is wanted beside closed pins.
    pub(super) fn gather(&mut self, collisions: &[Collision], (what, is_first): (What, bool)) {
        self.conditions.clear();
        for &(node, pin) in &self.tree.anchors {
            let (body, levers) = (self.tree.nodes[node].body, self.levers(node, pin));
            let (own, gap) = (levers[1], self.gap(node, pin, levers, what));
            for normal in DVec3::AXES {
                self.conditions.push(Condition {
                    node,
                    against_parent: false,
                    normal,
                    arm: own.cross(normal),
                    amount: gap.dot(normal),
                    stiffness: STIFF / self.bodies.mobility(body, own, normal),
                    most: f64::INFINITY,
                    is_one_sided: false,
                    touch: None,
                });
            }
        }
        // A limit that stopped a body in the iteration before would stop it again.
        let reach = if what == What::Velocities || !is_first { NEAR } else { 0.0 };
        for hinge in &self.tree.hinges {
            let ease: f64 = hinge.angle.bodies.iter().map(|&i| self.bodies.ease[i as usize]).sum();
            for row in hinge.angle.rows(self.bodies, what == What::Velocities, reach) {
                self.conditions.push(Condition {
                    node: hinge.node,
                    against_parent: true,
                    normal: DVec3::ZERO,
                    arm: row.axis * hinge.side,
                    amount: row.amount,
                    stiffness: STIFF / ease,
                    most: f64::INFINITY,
                    is_one_sided: !row.is_equality,
                    touch: None,
                });
            }
        }
        for number in 0..self.touches.len() {
            self.gather_contact(number, collisions, what);
        }
    }

    /// A contact acts where bodies overlap, or approach. What is on the other side and of no tree gives way by its own mass, divided among the
    /// contacts it has with this one.
    fn gather_contact(&mut self, number: usize, collisions: &[Collision], what: What) {
        let touch = self.touches[number];
        let contact = &collisions[touch.collision];
        let missing = match what {
            What::Positions => -contact.gap(self.bodies),
            What::Velocities => contact.missing_speed(self.bodies),
        };
        if missing <= 0.0 {
            return;
        }
        let (places, levers) = contact.levers(self.bodies);
        let (body, lever) = (places[touch.own], levers[touch.own]);
        let normal = if touch.own == 0 { -contact.normal } else { contact.normal };
        let other = places[1 - touch.own];
        let other_gives = match touch.share == 1.0 && self.bodies.inverse_mass[other] > 0.0 {
            true => {
                let is_same = |touch: &&Touch| collisions[touch.collision].bodies[1 - touch.own] as usize == other;
                let count = self.touches.iter().filter(is_same).count();
                self.bodies.mobility(other, levers[1 - touch.own], normal) * count as f64
            }
            false => 0.0,
        };
        let mobility = self.bodies.mobility(body, lever, normal);
        self.conditions.push(Condition {
            node: touch.node,
            against_parent: false,
            normal,
            arm: lever.cross(normal),
            amount: missing * touch.share,
            stiffness: 1.0 / (mobility / STIFF + other_gives),
            most: HEAVY * missing / mobility,
            is_one_sided: true,
            touch: Some(number),
        });
    }

    /// The ends of a pin from the centres of mass, in world axes.
    #[inline]
    fn levers(&self, node: usize, pin: Fixture) -> [DVec3; 2] {
        [self.bodies.q[pin.over] * pin.levers[0], self.bodies.q[self.tree.nodes[node].body] * pin.levers[1]]
    }

    /// What the body's end of a pin has to move, or to become faster by, to meet the other.
    #[inline]
    fn gap(&self, node: usize, pin: Fixture, [over, own]: [DVec3; 2], what: What) -> DVec3 {
        let body = self.tree.nodes[node].body;
        match what {
            What::Positions => (self.bodies.x[pin.over] + over) - (self.bodies.x[body] + own),
            What::Velocities => self.bodies.velocity_at(pin.over, over) - self.bodies.velocity_at(body, own),
        }
    }

    /// Whether a pin of the tree is open by more than a trifle.
    fn is_open(&self, what: What, trifle: f64) -> bool {
        let mut pins = self.tree.nodes.iter().enumerate().filter_map(|(place, node)| Some((place, node.pin?)));
        pins.any(|(place, pin)| self.gap(place, pin, self.levers(place, pin), what).abs().max_element() > trifle)
    }

    /// Finds the least motion; whether there is anything to do.
    pub(super) fn solve(&mut self, what: What, trifle: f64) -> bool {
        self.slowness.clear();
        self.slowness.resize(self.tree.nodes.len(), 1.0);
        let is_wanted = self.conditions.iter().any(|condition| condition.amount.abs() > trifle);
        if !is_wanted && !self.is_open(what, trifle) {
            return false;
        }
        for _ in 0..TRIALS {
            self.build(what);
            self.conditions.iter().for_each(|condition| condition.add_to(self.limbs));
            solve(self.limbs);
            if what == What::Velocities || !self.slow_down() {
                break;
            }
            let limbs = &*self.limbs;
            self.conditions.retain(|condition| !condition.is_one_sided || condition.impulse(limbs) >= 0.0);
        }
        self.limbs.iter().all(|limb| limb.shift.is_finite() && limb.turn.is_finite())
    }

    /// The limbs without conditions.
    fn build(&mut self, what: What) {
        self.limbs.clear();
        for (place, node) in self.tree.nodes.iter().enumerate() {
            let inertia = self.bodies.world_inertia(node.body) * self.slowness[place];
            let is_held = node.parent == NONE && node.pin.is_some();
            let levers = node.pin.map_or([DVec3::ZERO; 2], |pin| self.levers(place, pin));
            let gap = node.pin.map_or(DVec3::ZERO, |pin| self.gap(place, pin, levers, what));
            let mass = 1.0 / self.bodies.inverse_mass[node.body];
            self.limbs.push(Limb::new((node.parent, is_held), mass, inertia, levers, gap));
        }
    }

    /// Takes bodies for harder to turn that the solution turns too far; whether there are any.
    fn slow_down(&mut self) -> bool {
        let mut is_far = false;
        for (slowness, limb) in self.slowness.iter_mut().zip(&*self.limbs) {
            let angle = limb.turn.length();
            if angle > FAR {
                *slowness *= 2.0 * angle / FAR;
                is_far = true;
            }
        }
        is_far
    }

    /// Gives contacts the impulses they have in the solution, and what is pushed away its motion.
    pub(super) fn press(&mut self, collisions: &mut [Collision], what: What) {
        for condition in &*self.conditions {
            let Some(touch) = condition.touch.map(|number| self.touches[number]) else { continue };
            let (collision, push) = (&mut collisions[touch.collision], condition.push(self.limbs));
            match what {
                What::Positions => collision.pressed += push * touch.share,
                What::Velocities => collision.take(self.bodies, push * touch.share),
            }
            if touch.share == 1.0 {
                let (places, levers) = collision.levers(self.bodies);
                let (other, lever) = (places[1 - touch.own], levers[1 - touch.own]);
                match what {
                    What::Positions => self.bodies.displace(other, lever, condition.normal * -push),
                    What::Velocities => self.bodies.push(other, lever, condition.normal * -push),
                }
            }
        }
    }

    /// Turns the bodies and puts each where its pin meets its parent's. What flies keeps its centre of mass where the solution has it.
    pub(super) fn place(&mut self) {
        let (mut missing, mut mass) = (DVec3::ZERO, 0.0);
        let mut hinges = &self.tree.hinges[..];
        for (place, (node, limb)) in self.tree.nodes.iter().zip(&*self.limbs).enumerate() {
            let i = node.body;
            self.bodies.rotate(i, limb.turn.clamp_length_max(2.0 * FAR));
            while let Some((hinge, others)) = hinges.split_first().filter(|(hinge, _)| hinge.node == place) {
                hinge.angle.clamp(self.bodies, usize::from(hinge.side > 0.0));
                hinges = others;
            }
            let wanted = self.bodies.x[i] + limb.shift;
            self.bodies.x[i] = match node.pin {
                Some(Fixture { over, levers: [there, own], .. }) => {
                    self.bodies.x[over] + self.bodies.q[over] * there - self.bodies.q[i] * own
                }
                None => wanted,
            };
            let m = 1.0 / self.bodies.inverse_mass[i];
            missing += (wanted - self.bodies.x[i]) * m;
            mass += m;
        }
        if self.tree.nodes[0].pin.is_none() {
            self.tree.nodes.iter().for_each(|node| self.bodies.x[node.body] += missing / mass);
        }
    }

    /// Changes the velocities, and lets contacts rub.
    pub(super) fn push(&mut self, collisions: &mut [Collision]) {
        for (node, limb) in self.tree.nodes.iter().zip(&*self.limbs) {
            self.bodies.v[node.body] += limb.shift;
            self.bodies.w[node.body] += limb.turn;
        }
        for condition in &*self.conditions {
            if let Some(touch) = condition.touch.map(|number| self.touches[number]) {
                collisions[touch.collision].rub(self.bodies, condition.push(self.limbs) * touch.share);
            }
        }
    }

    /// Whether nothing that moves touches or holds it.
    pub(super) fn is_alone(&self, collisions: &[Collision]) -> bool {
        let rests = |i: usize| self.bodies.v[i] == DVec3::ZERO && self.bodies.w[i] == DVec3::ZERO;
        let mut touched = self.touches.iter().map(|touch| collisions[touch.collision].bodies[1 - touch.own] as usize);
        let root = self.tree.nodes[0].pin.map(|pin| pin.over);
        let mut holders = self.tree.anchors.iter().map(|(_, pin)| pin.over).chain(root);
        touched.all(rests) && holders.all(rests)
    }

    /// The energy of its motion, in joules.
    pub(super) fn energy(&self) -> f64 {
        self.tree.nodes.iter().map(|node| self.bodies.energy(node.body)).sum()
    }

    /// Brings its energy of motion down to what it was: first that of the motion about the centre of mass, so that what flies keeps its momentum.
    pub(super) fn calm(&mut self, before: f64) {
        let after = self.energy();
        if after <= before {
            return;
        }
        let mass = |body: usize| 1.0 / self.bodies.inverse_mass[body];
        let total: f64 = self.tree.nodes.iter().map(|node| mass(node.body)).sum();
        let momentum: DVec3 = self.tree.nodes.iter().map(|node| self.bodies.v[node.body] * mass(node.body)).sum();
        let mean = momentum / total;
        let common = 0.5 * momentum.dot(mean);
        let inner = ((before - common) / (after - common)).max(0.0).sqrt();
        let outer = if common > before { (before / common).sqrt() } else { 1.0 };
        for node in &self.tree.nodes {
            let v = self.bodies.v[node.body];
            self.bodies.v[node.body] = mean * outer + (v - mean) * inner;
            self.bodies.w[node.body] *= inner;
        }
    }
}
