//! Bodies go through a part of a step alone, in exact islands or in heaps, each in as many substeps as it needs.
//!
//! A substep is: kick, bounce, solve, drift, solve again so that nothing approaches any more. What flies alone needs no substeps, since
//! its parabola is exact; where all is at rest and solved exactly, one is as good as many. Islands do not touch each other, so it does
//! not matter which goes first; scripted bodies are met by many, and each has copies of them.

use super::bodies::{Bodies, Body, Spin};
use super::exact::{ExactIslands, Passage};
use super::nets::Nets;
use super::wide::{Heaps, Surroundings};
use crate::Workers;
use crate::report::{StageTimes, Stopwatch};
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

/// The fewest bodies in flight that are worth a thread of their own.
const LEAST_FLYING: usize = 64;

/// What solves constraints.
pub(super) struct Solvers<'a> {
    pub(super) exact: &'a mut ExactIslands,
    pub(super) heaps: &'a mut Heaps,
    pub(super) nets: &'a mut Nets,
    pub(super) times: &'a mut StageTimes,
}

/// Lets a part of a step pass: first what flies alone, then exact islands, then heaps.
pub(super) fn pass(
    passage: &Passage<'_>,
    around: &Surroundings<'_>,
    bodies: &mut Bodies,
    solvers: &mut Solvers<'_>,
    workers: &Workers,
) {
    let Solvers { exact, heaps, nets, times } = solvers;
    let (part, substeps) = (passage.part, passage.substeps);
    let mut watch = Stopwatch::start();
    workers.shares(bodies.list.len() / LEAST_FLYING, &mut bodies.list, |_, bodies| {
        for body in bodies.iter_mut().filter(|body| body.pace == Pace::Alone) {
            if body.is_movable() {
                body.fly(part, substeps);
            }
        }
    });
    exact.pass(passage, bodies, workers);
    times.exact += watch.lap();
    if !heaps.is_empty() {
        heaps.pass(around, bodies, nets, workers);
    }
    times.sweeps += watch.lap();
    for body in bodies.list.iter_mut().skip(1).filter(|body| !body.is_movable()) {
        body.drift(part);
    }
}

impl Body {
    /// Whether it is as good as at rest.
    pub(super) fn rests(&self) -> bool {
        self.velocity.length_squared() < REST * REST && self.angular_velocity.length_squared() < REST * REST
    }

    /// Goes alone for `part` seconds, which others take in `most` substeps: at once, since a parabola is exact in one step, or in as many if it
    /// tumbles, or if air or a torque bend its way. How long they are does not depend on whether something is near, so that what is
    /// passed by at a hair's breadth leaves no trace.
    fn fly(&mut self, part: f64, most: u32) {
        let bends = self.damping != [0.0; 2] || self.angular_acceleration != DVec3::ZERO;
        let substeps = match self.spin {
            _ if bends => most,
            Spin::Euler { .. } => most,
            Spin::Given | Spin::Steady => 1,
        };
        let h = part / f64::from(substeps);
        for _ in 0..substeps {
            self.kick(h);
            self.drift(h);
        }
    }
}
