//! Figures: bodies that pins join into a tree are put right together.
//!
//! B corrects one joint after the other. A correction reaches the next body with a half of its size, and in two iterations two or three
//! bodies: of a figure whose foot is stopped at 5 m/s in a pass of 1/30 s the trunk does not hear, and pins open by a dozen centimetres.
//! B's formulas share a correction by the masses and inertias of *two* bodies. Here it is shared by those of all bodies of a tree
//! (`elimination`), for the same price: each pin is looked at once on the way to the root and once on the way back.
//!
//! An iteration for a tree:
//!
//! 1. gather what is wanted: angles within their limits (B 8), contacts with what is not of the tree (B 9), pins to a second thing that does not
//!    move;
//! 2. find the least motion that does it; where it turns a body too far for what is linear, look again with a larger inertia;
//! 3. from the root outward turn each body, no farther than its limits let it, and place it where its pin meets that of its parent: pins are
//!    closed and limits hold, however large the correction was.
//!
//! What a contact is still too deep is left to the next iteration. Pins of a tree cannot contradict each other, so their order means nothing;
//! loops, soft pins, other joints, and contacts within a tree are put right in the order of the list.
//!
//! A projection onto what is wanted adds no energy, but large turns are not linear. Without velocities, where every shift becomes a
//! velocity, what they have added is taken away again.

use super::bodies::Bodies;
use super::collision::Collision;
use super::correction::{Condition, Correction};
use super::elimination::Limb;
use super::trees::{Grove, Tree};
use crate::Wrench;

/// Errors that are not worth a solution, in metres and radians: in the first iteration of a pass, and in those after it.
const TRIFLES: [f64; 2] = [1e-9, 1e-4];

/// What is put right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// Where bodies are.
    Positions,
    /// How they move.
    Velocities,
}

/// A contact of a tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    tree: usize,
    pub(super) node: usize,
    /// The number of the contact.
    pub(super) collision: usize,
    /// Which of its two bodies is of the tree.
    pub(super) own: usize,
    /// The part of the correction that is the tree's: less than one if the other body is of a tree that does its own.
    pub(super) share: f64,
}

/// All figures, and room to work in.
#[derive(Debug, Default)]
pub(super) struct Figures {
    grove: Grove,
    /// By tree.
    masses: Vec<f64>,
    touches: Vec<Touch>,
    conditions: Vec<Condition>,
    limbs: Vec<Limb>,
    /// By node: how much larger than it is the inertia is taken.
    slowness: Vec<f64>,
    /// By tree: the energy of motion before positions were put right; none if others may have added to it.
    energies: Vec<Option<f64>>,
}

impl Figures {
    pub(super) fn new(grove: Grove, bodies: &Bodies) -> Self {
        let mass = |tree: &Tree| tree.nodes.iter().map(|node| 1.0 / bodies.inverse_mass[node.body]).sum();
        let masses = grove.trees.iter().map(mass).collect();
        Self { grove, masses, ..Self::default() }
    }

    /// Whether a tree holds a constraint.
    pub(super) fn hold(&self, joint: usize) -> bool {
        self.grove.holds.get(joint).is_some_and(|&held| held)
    }

    /// Whether trees answer the contact of two bodies.
    pub(super) fn meet(&self, bodies: [u32; 2]) -> bool {
        self.grove.parts(bodies)
    }

    /// Learns of the contacts of a pass.
    pub(super) fn touch(&mut self, collisions: &[Collision]) {
        self.touches.clear();
        for (collision, contact) in collisions.iter().enumerate() {
            if !self.grove.parts(contact.bodies) {
                continue;
            }
            let places = self.grove.places(contact.bodies);
            for own in 0..2 {
                let Some((tree, node)) = places[own] else { continue };
                let share = places[1 - own]
                    .map_or(1.0, |(other, _)| self.masses[other] / (self.masses[tree] + self.masses[other]));
                self.touches.push(Touch { tree, node, collision, own, share });
            }
        }
        self.touches.sort_by_key(|touch| (touch.tree, touch.collision));
    }

    /// The trees one after the other, to be put right.
    fn each<'a>(&'a mut self, bodies: &'a mut Bodies, mut act: impl FnMut(usize, Correction<'_>)) {
        let Self { grove, touches, conditions, limbs, slowness, .. } = self;
        for (number, tree) in grove.trees.iter().enumerate() {
            let first = touches.partition_point(|touch| touch.tree < number);
            let last = touches.partition_point(|touch| touch.tree <= number);
            let touches = &touches[first..last];
            act(number, Correction { tree, touches, bodies, conditions, limbs, slowness });
        }
    }

    /// Puts those trees right whose joints `turn` lets through; what pins exert on their second bodies is added to `exerted`, times `rate`.
    pub(super) fn correct(
        &mut self,
        bodies: &mut Bodies,
        collisions: &mut [Collision],
        (what, is_first): (What, bool),
        turn: impl Fn(&[usize]) -> bool,
        (exerted, rate): (&mut [Wrench], f64),
    ) {
        let trifle = TRIFLES[usize::from(!is_first)];
        self.each(bodies, |_, mut tree| {
            if !turn(tree.joints()) {
                return;
            }
            tree.gather(collisions, (what, is_first));
            if !tree.solve(what, trifle) {
                return;
            }
            tree.press(collisions, what);
            tree.tell(exerted, rate);
            match what {
                What::Positions => tree.place(),
                What::Velocities => tree.push(collisions),
            }
        });
    }

    /// Notes the energies of motion before positions are put right.
    pub(super) fn weigh(&mut self, bodies: &mut Bodies, collisions: &[Collision]) {
        let mut energies = std::mem::take(&mut self.energies);
        energies.clear();
        self.each(bodies, |_, tree| energies.push(tree.is_alone(collisions).then(|| tree.energy())));
        self.energies = energies;
    }

    /// Takes away what has been added to them since.
    pub(super) fn calm(&mut self, bodies: &mut Bodies) {
        let energies = std::mem::take(&mut self.energies);
        self.each(bodies, |number, mut tree| {
            if let Some(before) = energies[number] {
                tree.calm(before);
            }
        });
        self.energies = energies;
    }
}
