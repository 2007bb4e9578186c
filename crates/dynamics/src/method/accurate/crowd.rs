//! Crowds and storms: where events follow each other too closely to be taken one by one, a stretch of time is taken in small steps of the
//! [retroactive method](crate::method::Retroactive) instead, and told as a storm.
//!
//! Elastic balls packed in a box never come to an end (K Fig 3.7), and a pile that settles has thousands of impacts in a moment. The way
//! through is not exact, and says so: [`StormEvent`] names the time, the reason and the bodies.
//!
//! **Nothing hangs.** Work is counted in operations, and there is a budget of them for each simulated second
//! ([`patience`](super::AccurateSettings::patience)), kept as a leaky bucket: what is used fills it, time that passes empties it, and when it
//! overflows the next stretch is stumbled through. Operations are the same on every machine, and so is the result.

use super::contacts::{Diary, Touching};
use super::equations::{Equations, find};
use super::line::NOBODY;
use super::run::Run;
use crate::event::{Events, Reaction, StormCause, StormEvent};
use crate::journal::Journal;
use crate::method::retroactive::RetroactiveSettings;
use crate::method::{Method, NobodyWatches, Retroactive, StepContext};
use crate::{BodyId, Cancel, ColliderIndex, Id, JointId, State, StepError, Workers};

/// A stretch is this long, in seconds, and twice as long each time that one follows another.
const STRETCH: f64 = 1.0 / 240.0;

/// It is taken in steps of at most this, in seconds, and in at least so many.
const LONGEST_STEP: f64 = 1.0 / 240.0;
const STEPS: usize = 4;

/// So many events within so short a time, in seconds, are a storm. What comes to rest on several corners hops ever faster: at the tightest
/// tolerances some forty times for each of nine decades of its speed.
const MANY: usize = 600;
const SHORT: f64 = 1e-6;

/// So many steps of the integration that are shorter than this in the mean, in seconds and in times that the fastest takes for the length of the
/// scene, lead nowhere: no rigid bodies oscillate that fast, and what makes steps so short is singular.
const CRAWL: u32 = 3000;
const CRAWLING: [f64; 2] = [1e-6, 1e-5];

/// More points than this that press on each other, directly or through others, are a crowd; and so are many more of any kind.
const COUPLED: usize = 60;
const IN_ALL: usize = 480;

/// Whether points, so many between each of these pairs of bodies, are a crowd.
pub(super) fn is_crowd(equations: &Equations, pairs: &[([usize; 2], usize)]) -> bool {
    let trees = equations.trees.len();
    let mut root: Vec<usize> = (0..trees).collect();
    let of = |slot: usize| equations.tree_of.get(slot).copied().filter(|&tree| tree != NOBODY);
    for (slots, _) in pairs {
        if let [Some(a), Some(b)] = slots.map(of) {
            let (a, b) = (find(&mut root, a), find(&mut root, b));
            root[a.max(b)] = a.min(b);
        }
    }
    let (mut counts, mut all) = (vec![0; trees], 0);
    for (slots, points) in pairs {
        all += points;
        if let Some(tree) = slots.iter().find_map(|&slot| of(slot)) {
            counts[find(&mut root, tree)] += points;
        }
    }
    all > IN_ALL || counts.into_iter().any(|count| count > COUPLED)
}

/// The work of this much simulated time may be done at once, in seconds.
const CREDIT: f64 = 1.0;

/// Operations in a unit of patience.
const UNIT: f64 = 1e9;

/// Watches for storms.
#[derive(Clone, Debug, Default)]
pub(super) struct Watch {
    times: Vec<f64>,
    /// How many stretches followed each other.
    stretches: u32,
    /// The work and the time up to which the budget was kept.
    kept: (u64, f64),
    /// Operations beyond the budget so far.
    pub(super) debt: f64,
    /// Steps of the integration, and since when they are counted.
    paces: u32,
    paced_from: f64,
}

impl Watch {
    /// One that goes on with a debt.
    pub(super) fn new(time: f64, work: u64, debt: f64) -> Self {
        Self { kept: (work, time), debt, paced_from: time, ..Self::default() }
    }

    /// Notes an event; whether that makes a storm.
    pub(super) fn note(&mut self, time: f64) -> bool {
        self.times.push(time);
        (self.paces, self.paced_from) = (0, time);
        let count = self.times.len();
        count > MANY && time - self.times[count - MANY] < SHORT
    }

    pub(super) fn count(&self) -> usize {
        self.times.len()
    }

    /// Counts a step of the integration that came to a time without an event; whether such steps lead nowhere. `passage` is the time that the fastest
    /// takes for the length of the scene, in seconds.
    pub(super) fn crawls(&mut self, time: f64, passage: f64) -> bool {
        self.paces += 1;
        if self.paces < CRAWL {
            return false;
        }
        let mean = (time - self.paced_from) / f64::from(CRAWL);
        (self.paces, self.paced_from) = (0, time);
        mean < CRAWLING[0].min(CRAWLING[1] * passage)
    }

    /// A step has gone well, without an event. As long as there is none in a step of the world, its work is not counted: smooth motion is never
    /// hurried, however much it takes.
    pub(super) fn calm(&mut self, work: u64) {
        self.stretches = 0;
        if self.times.is_empty() {
            self.kept.0 = work;
        }
    }

    /// Keeps the budget; whether it is overdrawn.
    pub(super) fn is_spent(&mut self, time: f64, work: u64, patience: f64) -> bool {
        let used = work.wrapping_sub(self.kept.0) as f64 - patience * UNIT * (time - self.kept.1);
        self.kept = (work, time);
        self.debt = (self.debt + used).max(0.0);
        self.debt > patience * UNIT * CREDIT
    }
}

/// The small steps, from stretch to stretch of a step of the world.
pub(super) struct Stumbling {
    method: Retroactive,
    index: ColliderIndex,
    changes: Journal,
}

impl Stumbling {
    fn new() -> Self {
        let settings = RetroactiveSettings {
            time_to_sleep: f64::INFINITY,
            restitution_threshold: 0.02,
            ..RetroactiveSettings::default()
        };
        let method = Retroactive::new().with_settings(settings);
        let index = ColliderIndex::new(method.new_broad_phase());
        Self { method, index, changes: Journal::everything() }
    }

    /// What touches after the last of them; impulses are those of `dt` seconds.
    pub(super) fn touching(&self, dt: f64) -> Vec<Touching> {
        let mut list = Vec::new();
        self.method.visit_contacts(&mut |contact| list.push(Touching::seen(&contact, dt)));
        list.sort_by_key(|touching| touching.colliders);
        list
    }

    pub(super) fn reaction(&self, joint: JointId) -> Option<Reaction> {
        self.method.reaction(joint)
    }

    /// In how many points each pair of bodies touches.
    fn points(&self) -> Vec<([usize; 2], usize)> {
        let mut points = Vec::new();
        self.method.visit_contacts(&mut |contact| points.push((contact.bodies.map(Id::slot), contact.points().len())));
        points
    }

    /// Up to three bodies that forces move and that touch something, those that touch most first.
    fn involved(&self, run: &Run<'_>) -> [Option<BodyId>; 3] {
        let mut counts: Vec<(BodyId, usize)> = Vec::new();
        self.method.visit_contacts(&mut |contact| {
            for body in contact.bodies {
                if run.model.bodies().get(body).is_some_and(|body| body.kind.is_movable()) {
                    match counts.iter_mut().find(|(known, _)| *known == body) {
                        Some((_, count)) => *count += 1,
                        None => counts.push((body, 1)),
                    }
                }
            }
        });
        counts.sort_by_key(|&(body, count)| (std::cmp::Reverse(count), body));
        std::array::from_fn(|k| counts.get(k).map(|&(body, _)| body))
    }
}

impl Run<'_> {
    /// Takes a stretch of time in small steps, to `end` at most.
    pub(super) fn stumble(
        &mut self,
        cause: StormCause,
        (watch, diary): (&mut Watch, &mut Diary),
        end: f64,
        (workers, cancel): (&Workers, &Cancel),
        events: &mut Events,
    ) -> Result<(), StepError> {
        let begun = self.time;
        let length = (STRETCH * f64::from(1_u32 << watch.stretches.min(4))).min(end - begun);
        let steps = STEPS.max((length / LONGEST_STEP).ceil() as usize);
        let dt = length / steps as f64;
        let mut small = self.small.take().unwrap_or_else(|| Box::new(Stumbling::new()));
        let mut state = self.state.clone();
        small.changes = Journal::everything();
        small.index.set_most_pairs(self.index.most_pairs());
        for step in 0..steps {
            state.time = begun + dt * step as f64;
            let mut inside = Events::default();
            small.method.step(&mut StepContext {
                model: self.model,
                changes: &small.changes,
                state: &mut state,
                dt,
                index: &mut small.index,
                events: &mut inside,
                tell_ongoing: false,
                workers,
                cancel,
                observer: &mut NobodyWatches,
            })?;
            small.changes = Journal::default();
            state.steps = state.steps.wrapping_add(1);
            let [from, to] = [step, step + 1].map(|step| begun + dt * step as f64);
            if self.wanted.iter().any(|&wanted| wanted > from && wanted <= to) {
                self.seen.push(State { time: to, steps: self.state.steps, ..state.clone() });
            }
            self.impacts.append(&mut inside.impacts);
            events.broken.append(&mut inside.broken);
        }
        (state.steps, state.time) = (self.state.steps, self.state.time);
        self.state = state;
        self.time = if begun + length >= end { end } else { begun + length };
        self.h = (0.1 * length).max(1e-6);
        watch.stretches += 1;
        watch.times.clear();
        diary.note_list(self.time, &small.touching(dt));
        events.storms.push(StormEvent { time: begun, until: self.time, bodies: small.involved(self), cause });
        self.tally.stumbled += self.time - begun;
        self.crowded = is_crowd(self.equations, &small.points());
        self.small = Some(small);
        Ok(())
    }
}
