//! Waves: bodies go through a part of a step in groups, each in as many substeps as it needs.
//!
//! A substep is: kick, bounce, solve, drift, solve again so that nothing approaches any more. What flies alone needs no substeps, since its
//! parabola is exact; where all is at rest and solved exactly, one is as good as many. Groups do not touch each other, so it does not
//! matter which goes first; only scripted bodies are met by all, and begin anew with each wave.

use super::bodies::{Bodies, Body, Spin};
use super::contact::Contact;
use super::exact::{ExactIslands, JointWorld};
use super::impact;
use super::nets::Nets;
use super::wide::{Stiffness, WideContacts};
use fearless_simd::Level;

/// What is slower than this, in m/s and rad/s, rests. The positions of what begins to slide are off by half of what it covers in a substep.
const REST: f64 = 1e-3;

/// A body that tumbles alone turns by no more than this in a substep, in radians.
const TUMBLE: f64 = 0.05;

/// With whom a body goes through a part of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Pace {
    /// With nobody.
    #[default]
    Alone,
    /// With other exact islands at rest.
    Resting,
    /// With other exact islands.
    Exact,
    /// With other heaps.
    Heap,
    /// With other nets of joints, and heaps in which there are joints.
    Net,
}

/// Islands that take the same substeps.
#[derive(Clone, Debug, Default)]
pub(super) struct Wave {
    pub(super) substeps: u32,
    /// The numbers of the bodies that it moves.
    pub(super) bodies: Vec<u32>,
    /// The numbers of its contacts, and of those that bounce.
    pub(super) contacts: Vec<u32>,
    pub(super) bouncing: Vec<u32>,
}

/// The waves of a part of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Waves {
    pub(super) resting: Wave,
    pub(super) exact: Wave,
    pub(super) heaps: Wave,
    pub(super) nets: Wave,
    /// The numbers of the bodies that fly alone.
    alone: Vec<u32>,
    /// The scripted bodies as they are in the beginning, with their numbers.
    scripted: Vec<(u32, Body)>,
}

/// What solves constraints.
pub(super) struct Solvers<'a> {
    pub(super) contacts: &'a mut [Contact],
    pub(super) wide: &'a mut WideContacts,
    pub(super) exact: &'a mut ExactIslands,
    pub(super) nets: &'a mut Nets,
    pub(super) level: Level,
    /// The fastest that overlaps are pushed out, and the slowest impact that bounces, in m/s.
    pub(super) push: f64,
    pub(super) threshold: f64,
}

impl Waves {
    /// Starts anew, with the substeps of exact islands, of heaps and of nets.
    pub(super) fn begin(&mut self, [exact, heaps, nets]: [u32; 3]) {
        let Self { resting, exact: islands, heaps: piles, nets: joined, .. } = self;
        for (wave, substeps) in [(resting, 1), (islands, exact), (piles, heaps), (joined, nets)] {
            wave.substeps = substeps;
            wave.bodies.clear();
            wave.contacts.clear();
            wave.bouncing.clear();
        }
    }

    /// The wave of a pace; none for what flies alone.
    pub(super) fn at(&mut self, pace: Pace) -> Option<&mut Wave> {
        match pace {
            Pace::Alone => None,
            Pace::Resting => Some(&mut self.resting),
            Pace::Exact => Some(&mut self.exact),
            Pace::Heap => Some(&mut self.heaps),
            Pace::Net => Some(&mut self.nets),
        }
    }

    /// Every body knows its pace: divides them up.
    pub(super) fn gather(&mut self, bodies: &Bodies) {
        self.alone.clear();
        self.scripted.clear();
        for (number, body) in bodies.list.iter().enumerate() {
            let number = number as u32;
            match self.at(body.pace) {
                Some(wave) => wave.bodies.push(number),
                None if body.is_movable() => self.alone.push(number),
                None if body.is_scripted() => self.scripted.push((number, *body)),
                None => {}
            }
        }
    }

    /// Lets `part` seconds pass.
    pub(super) fn pass(
        &mut self,
        part: f64,
        bodies: &mut Bodies,
        solvers: &mut Solvers<'_>,
        world: &JointWorld<'_>,
    ) {
        for &number in &self.alone {
            bodies.list[number as usize].fly(part, self.exact.substeps);
        }
        let mut any = false;
        for pace in [Pace::Resting, Pace::Exact, Pace::Heap, Pace::Net] {
            let scripted = std::mem::take(&mut self.scripted);
            if let Some(wave) = self.at(pace).filter(|wave| !wave.bodies.is_empty()) {
                scripted.iter().for_each(|(number, body)| bodies.list[*number as usize] = *body);
                wave.pass(part, pace, &scripted, bodies, solvers, world);
                any = true;
            }
            self.scripted = scripted;
        }
        if !any {
            self.scripted.iter().for_each(|(number, _)| bodies.list[*number as usize].drift(part));
        }
    }
}

impl Wave {
    fn pass(
        &self,
        part: f64,
        pace: Pace,
        scripted: &[(u32, Body)],
        bodies: &mut Bodies,
        solvers: &mut Solvers<'_>,
        world: &JointWorld<'_>,
    ) {
        let Solvers { contacts, wide, exact, nets, level, push, threshold } = solvers;
        let h = part / f64::from(self.substeps);
        let stiffness = Stiffness { h, push: *push };
        if pace == Pace::Net {
            return nets.pass(self, h, scripted, bodies, (contacts, wide), &stiffness, world, *level);
        }
        if pace == Pace::Heap {
            wide.load(contacts, &self.contacts, bodies, &stiffness, *level);
        }
        for _ in 0..self.substeps {
            for &number in &self.bodies {
                let body = &mut bodies.list[number as usize];
                body.kick(if body.jointed { 0.5 * h } else { h });
            }
            impact::bounce(contacts, &self.bouncing, bodies, h, *threshold);
            match pace {
                Pace::Heap => wide.push(bodies, &stiffness, *level),
                _ => exact.push(pace, contacts, bodies, &stiffness, world),
            }
            let all = self.bodies.iter().chain(scripted.iter().map(|(number, _)| number));
            all.for_each(|&number| bodies.list[number as usize].drift(h));
            match pace {
                Pace::Heap => wide.relax(bodies, &stiffness, *level),
                _ => exact.relax(pace, contacts, bodies, &stiffness, world),
            }
        }
        if pace == Pace::Heap {
            wide.store(contacts);
        }
    }
}

impl Body {
    /// Whether it is as good as at rest.
    pub(super) fn rests(&self) -> bool {
        self.velocity.length_squared() < REST * REST && self.angular_velocity.length_squared() < REST * REST
    }

    /// Goes alone for `part` seconds: at once, unless air or its own spin bend its way; then in `most` substeps at most.
    fn fly(&mut self, part: f64, most: u32) {
        let substeps = match self.spin {
            _ if self.damping != [0.0; 2] => most,
            Spin::Euler { .. } => {
                let turn = self.angular_velocity.length() * part;
                ((turn / TUMBLE).ceil().min(f64::from(most)) as u32).max(1)
            }
            Spin::Given | Spin::Steady => 1,
        };
        let h = part / f64::from(substeps);
        for _ in 0..substeps {
            self.kick(h);
            self.drift(h);
        }
    }
}
