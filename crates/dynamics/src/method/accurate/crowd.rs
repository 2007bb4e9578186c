//! Crowds and storms: where events follow each other too closely to be taken one by one, a stretch of time is taken in small steps of the
//! [retroactive method](crate::method::Retroactive) instead, and told as a storm.
//!
//! Elastic balls packed in a box never come to an end (K Fig 3.7), and a pile that settles has thousands of impacts in a moment. The way
//! through is not exact, and says so: [`StormEvent`](crate::event::StormEvent) names the time and the bodies.

use super::element::Mode;
use super::run::{Run, Tally};
use crate::event::{Events, StormEvent};
use crate::journal::Journal;
use crate::method::retroactive::RetroactiveSettings;
use crate::method::{Method, NobodyWatches, Retroactive, StepContext};
use crate::{BodyId, Cancel, ColliderIndex, StepError, Workers};

/// A stretch is this long, in seconds, and twice as long each time that one follows another.
const STRETCH: f64 = 1.0 / 240.0;

/// It is taken in this many steps.
const STEPS: usize = 4;

/// So many events within so short a time, in seconds, are a storm.
const MANY: usize = 150;
const SHORT: f64 = 1e-6;

/// More elements than this that touch at once are a crowd.
const CROWD: usize = 60;

/// Watches for storms.
#[derive(Clone, Debug, Default)]
pub(super) struct Watch {
    times: Vec<f64>,
    /// How many stretches followed each other.
    stretches: u32,
}

impl Watch {
    /// Notes an event; whether that makes a storm.
    pub(super) fn note(&mut self, time: f64) -> bool {
        self.times.push(time);
        let count = self.times.len();
        count > MANY && time - self.times[count - MANY] < SHORT
    }

    pub(super) fn count(&self) -> usize {
        self.times.len()
    }

    /// A stretch of time has gone well, event by event.
    pub(super) fn calm(&mut self) {
        self.stretches = 0;
    }
}

impl Run<'_> {
    /// Whether too much touches at once to be solved exactly.
    pub(super) fn is_crowded(&self) -> bool {
        self.elements.iter().filter(|element| element.contact().is_some() && element.mode == Mode::On).count() > CROWD
    }

    /// Takes a stretch of time in small steps, to `end` at most.
    pub(super) fn stumble(
        &mut self,
        watch: &mut Watch,
        end: f64,
        (workers, cancel): (&Workers, &Cancel),
        events: &mut Events,
    ) -> Result<(), StepError> {
        let begun = self.time;
        let length = (STRETCH * f64::from(1_u32 << watch.stretches.min(4))).min(end - begun);
        let settings = RetroactiveSettings {
            time_to_sleep: f64::INFINITY,
            restitution_threshold: 0.02,
            ..RetroactiveSettings::default()
        };
        let mut method = Retroactive::new().with_settings(settings);
        let mut index = ColliderIndex::new(method.new_broad_phase());
        let mut state = self.state.clone();
        let (mut changes, nothing) = (Journal::everything(), Journal::default());
        let dt = length / STEPS as f64;
        for step in 0..STEPS {
            state.time = begun + dt * step as f64;
            let mut inside = Events::default();
            method.step(&mut StepContext {
                model: self.model,
                changes: &changes,
                state: &mut state,
                dt,
                index: &mut index,
                events: &mut inside,
                tell_ongoing: false,
                workers,
                cancel,
                observer: &mut NobodyWatches,
            })?;
            changes.clone_from(&nothing);
            state.steps = state.steps.wrapping_add(1);
            self.impacts.append(&mut inside.impacts);
            events.broken.append(&mut inside.broken);
        }
        state.steps = self.state.steps;
        state.time = self.state.time;
        self.state = state;
        self.time = if begun + length >= end { end } else { begun + length };
        self.h = (0.1 * length).max(1e-6);
        watch.stretches += 1;
        watch.times.clear();
        let mut involved: Vec<BodyId> = Vec::new();
        for contact in self.elements.iter().filter_map(|element| element.contact().filter(|_| element.mode == Mode::On))
        {
            for body in contact
                .bodies
                .into_iter()
                .filter(|&id| self.model.bodies().get(id).is_some_and(|b| b.kind.is_movable()))
            {
                if involved.len() < 3 && !involved.contains(&body) {
                    involved.push(body);
                }
            }
        }
        let bodies = std::array::from_fn(|k| involved.get(k).copied());
        events.storms.push(StormEvent { time: begun, until: self.time, bodies });
        self.tally = Tally { stumbled: self.tally.stumbled + (self.time - begun), ..self.tally };
        Ok(())
    }
}
