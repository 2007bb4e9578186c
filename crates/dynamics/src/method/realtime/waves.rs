//! Waves: bodies go through a part of a step in groups, each in as many substeps as it needs.
//!
//! A substep is: kick, bounce, solve, drift, solve again so that nothing approaches any more (heaps do the same in `wide`). What flies alone needs no substeps, since its
//! parabola is exact; where all is at rest and solved exactly, one is as good as many. Groups do not touch each other, so it does not
//! matter which goes first; only scripted bodies are met by all, and begin anew with each wave.

use super::bodies::{Bodies, Body, WORLD};
use super::contact::Contact;
use super::exact::{ExactIslands, JointWorld};
use super::impact;
use super::nets::Nets;
use super::pairs::Pair;
use super::wide::{Heaps, Stiffness, WideContacts};
use crate::report::{StageTimes, Stopwatch};
use crate::{Cancel, Workers};
use fearless_simd::Level;
use glam::DVec3;

/// What is slower than this, in m/s and rad/s, rests. The positions of what begins to slide are off by half of what it covers in a substep.
const REST: f64 = 1e-3;

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
}

/// Islands that take the same substeps.
#[derive(Clone, Debug, Default)]
pub(super) struct Wave {
    pub(super) substeps: u32,
    /// The numbers of the bodies that it moves, unless they are in heaps.
    pub(super) bodies: Vec<u32>,
    /// The numbers of its contacts that bounce.
    pub(super) bouncing: Vec<u32>,
}

/// The waves of a part of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Waves {
    pub(super) resting: Wave,
    pub(super) exact: Wave,
    pub(super) heaps: Wave,
    /// The scripted bodies and belts as they are in the beginning, with their numbers.
    scripted: Vec<(u32, Body)>,
}

/// What solves constraints.
pub(super) struct Solvers<'a> {
    pub(super) pairs: &'a [Pair],
    pub(super) contacts: &'a mut [Contact],
    pub(super) wide: &'a mut WideContacts,
    pub(super) exact: &'a mut ExactIslands,
    pub(super) nets: &'a mut Nets,
    pub(super) level: Level,
    /// The fastest that overlaps are pushed out, and the slowest impact that bounces, in m/s.
    pub(super) push: f64,
    pub(super) threshold: f64,
    pub(super) workers: &'a Workers,
    pub(super) cancel: &'a Cancel,
    pub(super) times: &'a mut StageTimes,
}

/// The fewest bodies in flight that are worth a thread of their own.
const LEAST_FLYING: usize = 64;

impl Waves {
    /// Starts anew, with the substeps of exact islands and of heaps.
    pub(super) fn begin(&mut self, [exact, heaps]: [u32; 2]) {
        for (wave, substeps) in [(&mut self.resting, 1), (&mut self.exact, exact), (&mut self.heaps, heaps)] {
            wave.substeps = substeps;
            wave.bodies.clear();
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
        }
    }

    /// Every body knows its pace: divides them up.
    pub(super) fn gather(&mut self, bodies: &Bodies) {
        self.scripted.clear();
        for (number, body) in bodies.list.iter().enumerate() {
            let number = number as u32;
            match self.at(body.pace) {
                Some(wave) if body.pace != Pace::Heap => wave.bodies.push(number),
                None if number != WORLD && !body.is_movable() => self.scripted.push((number, *body)),
                _ => {}
            }
        }
    }

    /// Lets `part` seconds pass.
    pub(super) fn pass(&mut self, part: f64, bodies: &mut Bodies, solvers: &mut Solvers<'_>, world: &JointWorld<'_>) {
        let mut watch = Stopwatch::start();
        let substeps = self.exact.substeps;
        let members = bodies.list.len() / LEAST_FLYING;
        solvers.workers.shares(members, &mut bodies.list, |_, bodies| {
            let alone = bodies.iter_mut().filter(|body| body.pace == Pace::Alone && body.is_movable());
            alone.for_each(|body| body.fly(part, substeps));
        });
        for (pace, wave) in [(Pace::Resting, &self.resting), (Pace::Exact, &self.exact)] {
            if !wave.bodies.is_empty() {
                self.scripted.iter().for_each(|(number, body)| bodies.list[*number as usize] = *body);
                wave.pass(part, pace, &self.scripted, bodies, solvers, world);
            }
        }
        self.scripted.iter().for_each(|(number, body)| bodies.list[*number as usize] = *body);
        solvers.times.exact += watch.lap();
        if solvers.wide.len() > 0 || !solvers.nets.is_empty() {
            self.heaps.pass_heaps(part, bodies, solvers, world);
        }
        solvers.times.sweeps += watch.lap();
        for (number, body) in &self.scripted {
            bodies.list[*number as usize] = *body;
            bodies.list[*number as usize].drift(part);
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
        let Solvers { contacts, exact, push, threshold, cancel, .. } = solvers;
        let h = part / f64::from(self.substeps);
        let stiffness = Stiffness { h, push: *push };
        for _ in (0..self.substeps).take_while(|_| !cancel.is_cancelled()) {
            for &number in &self.bodies {
                let body = &mut bodies.list[number as usize];
                body.kick(if body.jointed { 0.5 * h } else { h });
            }
            impact::bounce(contacts, &self.bouncing, bodies, h, *threshold);
            exact.push(pace, contacts, bodies, &stiffness, world);
            let all = self.bodies.iter().chain(scripted.iter().map(|(number, _)| number));
            all.for_each(|&number| bodies.list[number as usize].drift(h));
            exact.relax(pace, contacts, bodies, &stiffness, world);
        }
    }

    fn pass_heaps(&self, part: f64, bodies: &mut Bodies, solvers: &mut Solvers<'_>, world: &JointWorld<'_>) {
        let Solvers { pairs, contacts, wide, nets, level, push, threshold, workers, cancel, .. } = solvers;
        let stiffness = Stiffness { h: part / f64::from(self.substeps), push: *push };
        let mut heaps = Heaps {
            pairs,
            bodies,
            contacts,
            bouncing: &self.bouncing,
            threshold: *threshold,
            level: *level,
            workers,
            nets,
            world,
            cancel,
        };
        wide.pass(&mut heaps, self.substeps, &stiffness);
    }
}

impl Body {
    /// Whether it is as good as at rest.
    pub(super) fn rests(&self) -> bool {
        self.velocity.length_squared() < REST * REST && self.angular_velocity.length_squared() < REST * REST
    }

    /// Goes alone for `part` seconds: at once, since a parabola is exact in one step and a free top takes the parts it needs by itself;
    /// unless air or a torque bend its way, then in so many substeps. They are as long whether or not something is near, so that what is
    /// passed by at a hair's breadth leaves no trace.
    fn fly(&mut self, part: f64, most: u32) {
        let bends = self.damping != [0.0; 2] || self.angular_acceleration != DVec3::ZERO;
        let substeps = if bends { most } else { 1 };
        let h = part / f64::from(substeps);
        for _ in 0..substeps {
            self.kick(h);
            self.drift(h);
        }
    }
}
