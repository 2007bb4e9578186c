//! Bodies go through a part of a step alone, in exact islands or in heaps, each in as many substeps as it needs.
//!
//! A substep is: kick, bounce, solve, drift, solve again so that nothing approaches any more. What flies alone needs no substeps, since
//! its parabola is exact; where all is at rest and solved exactly, one is as good as many. Islands do not touch each other, so it does
//! not matter which goes first; scripted bodies are met by many, and each has copies of them.

use super::bodies::{Bodies, Body};
use super::exact::{ExactIslands, Passage};
use super::flight;
use super::nets::Nets;
use super::wide::{Heaps, Surroundings};
use crate::Workers;
use crate::report::{StageTimes, Stopwatch};

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
        flight::fly(bodies, part, substeps, around.level);
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
    /// Whether it goes alone, and impulses would move it.
    pub(super) fn flies(&self) -> bool {
        self.pace == Pace::Alone && self.is_movable()
    }

    /// Whether it is as good as at rest.
    pub(super) fn rests(&self) -> bool {
        self.velocity.length_squared() < REST * REST && self.angular_velocity.length_squared() < REST * REST
    }
}
