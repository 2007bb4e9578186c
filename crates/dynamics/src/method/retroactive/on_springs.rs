//! Contacts as springs: the contact model "penalty" (G 2.6.3), while joints are held by the solver as ever.
//!
//! The step is taken in as many substeps as the springs need (see [`penalty`](crate::method::penalty)). Each is a step of its own: half a kick by
//! the contacts, positions with the joints' impulses, contacts found anew, the other half of the kick, velocities with the joints' impulses. Contacts
//! have no rows then, so that nothing of them is solved, and nothing of them is exact: what rests sinks by its weight over the stiffness.

use super::Retroactive;
use super::detect::{Moment as Scene, Scenery};
use crate::contact::ContactImpulse;
use crate::force::Wrenches;
use crate::method::StepContext;
use crate::method::classic::Mark;
use crate::method::penalty::{Anchor, Cushions, Moment, Numbers, PenaltySettings, Press, Springs};
use crate::parts::course::size;
use crate::parts::islands::{Island, Islands};
use crate::parts::{finite, forces};
use crate::report::Stopwatch;
use crate::{ColliderId, Id, Model, State, StepError};
use serde::{Deserialize, Serialize};
use tumble_geometry::query::FeatureId;

/// What keeps bodies apart in the method `retroactive`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ContactModel {
    /// Constraints that the solver holds (default): nothing sinks, friction is exact.
    #[default]
    Constraints,
    /// Springs and dampers, with these numbers. There is no rolling and no spinning friction.
    Penalty(PenaltySettings),
}

/// The springs of a contact point, remembered while it is pressed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Anchored {
    colliders: [ColliderId; 2],
    key: (u32, u32, FeatureId),
    anchor: Anchor,
}

impl Anchored {
    pub(super) fn is_finite(&self) -> bool {
        self.anchor.is_finite()
    }

    /// The energy of its springs, in joules.
    pub(super) fn energy(&self) -> f64 {
        self.anchor.energy
    }
}

/// Room to work in.
#[derive(Debug, Default)]
pub(super) struct OnSprings {
    springs: Springs,
    cushions: Cushions,
    islands: Islands,
}

impl Retroactive {
    /// Takes the step with the contacts as springs.
    pub(super) fn step_on_springs(
        &mut self,
        context: &mut StepContext<'_>,
        penalty: &PenaltySettings,
    ) -> Result<(), StepError> {
        let watch = Stopwatch::start();
        let found = self.report.times.detect;
        let substeps = self.substeps_on_springs(context.model, context.state, context.dt, penalty);
        self.report.work.heap_substeps = substeps as usize;
        let numbers = Numbers { h: context.dt / f64::from(substeps), stiffness: penalty.stiffness };
        for pair in &mut self.memory.contacts.list {
            pair.dt = context.dt;
            let none = ContactImpulse::default();
            pair.points.iter_mut().for_each(|point| (point.start, point.end) = (none, none));
        }
        let start = context.state.time;
        let placed = context.changes.is_everything() || context.changes.iter().next().is_some();
        let result = (0..substeps).try_for_each(|substep| {
            context.state.time = start + numbers.h * f64::from(substep);
            self.substep_on_springs(context, &numbers, placed && substep == 0)
        });
        context.state.time = start;
        self.find_islands(context.model, context.state);
        self.report.times.solve += watch.elapsed() - (self.report.times.detect - found);
        result
    }

    fn substep_on_springs(
        &mut self,
        context: &mut StepContext<'_>,
        numbers: &Numbers,
        placed: bool,
    ) -> Result<(), StepError> {
        let (model, dt, settings) = (context.model, context.dt, self.settings);
        self.press(model, context.state, numbers, Moment::Begin { placed });
        let contacts = std::mem::take(&mut self.memory.contacts.list);
        let begun = self.begin_step(model, context.state, numbers.h);
        if begun.is_ok() {
            self.move_the_rest(model, context.state, numbers.h);
        }
        self.memory.contacts.list = contacts;
        begun?;
        finite::check(model, &self.roster.movable, &context.state.bodies)?;
        finite::check(model, &self.roster.scripted, &context.state.bodies)?;

        let watch = Stopwatch::start();
        let moment = Scene { model, state: context.state, dt, settings: &settings };
        let scenery = Scenery { moment, roster: &self.roster, workers: context.workers, cancel: context.cancel };
        self.memory.contacts.detect(&scenery, context.index)?;
        context.cancel.check()?;
        self.report.times.detect += watch.elapsed();

        self.press(model, context.state, numbers, Moment::End);
        let contacts = std::mem::take(&mut self.memory.contacts.list);
        self.end_step(model, context.state, numbers.h);
        self.memory.contacts.list = contacts;
        finite::check(model, &self.roster.movable, &context.state.bodies)
    }

    /// In how many substeps the step is taken.
    fn substeps_on_springs(&self, model: &Model, state: &State, dt: f64, penalty: &PenaltySettings) -> u32 {
        let mut wrenches = Wrenches::default();
        forces::sum(model, state.time, &state.bodies, &mut wrenches);
        let size = |index: usize| {
            let colliders = self.memory.contacts.list[index].colliders.map(|id| model.colliders().get(id));
            if let [Some(a), Some(b)] = colliders { size([a, b]) } else { f64::INFINITY }
        };
        let pressed = self.islands.as_slice().iter().filter(|island| island.awake && !island.contacts.is_empty());
        let joints_are_held = |_: &Island| f64::INFINITY;
        penalty.substeps((model, dt), wrenches.as_slice(), pressed, &size, &joints_are_held)
    }

    /// Half of what the contacts do in a substep.
    fn press(&mut self, model: &Model, state: &mut State, numbers: &Numbers, moment: Moment) {
        let OnSprings { springs, cushions, islands } = &mut self.on_springs;
        let contacts = &mut self.memory.contacts.list;
        let anchors = &mut self.memory.springs;
        cushions.presses.clear();
        for pair in contacts.iter() {
            let (places, belt) = (pair.bodies.map(Id::slot), pair.surface_velocity);
            let first = anchors.partition_point(|one| one.colliders < pair.colliders);
            let of_pair = || anchors[first..].iter().take_while(|one| one.colliders == pair.colliders);
            for point in pair.points.iter().filter(|point| point.geometry.gap < 0.0) {
                let known = of_pair().find(|one| one.key == point.key).map(|one| one.anchor);
                let anchor = known.unwrap_or_default();
                cushions.presses.push(Press::new(places, point.geometry, pair.material, belt, anchor));
            }
        }
        let pressing = contacts.iter().enumerate().filter(|(_, pair)| pair.points.iter().any(|p| p.geometry.gap < 0.0));
        islands.find(model, state, &self.roster.movable, pressing.map(|(index, pair)| (index, pair.bodies)));
        springs.begin(model, state);
        springs.count_contacts(&cushions.presses);
        let island = |slot: usize| islands.number_of(slot);
        cushions.kick(springs, &mut state.bodies, numbers, moment, (islands.as_slice().len(), &island));
        anchors.clear();
        let mut presses = cushions.presses.iter();
        for pair in contacts {
            for point in pair.points.iter_mut().filter(|point| point.geometry.gap < 0.0) {
                let Some(press) = presses.next() else { return };
                anchors.push(Anchored { colliders: pair.colliders, key: point.key, anchor: press.anchor });
                let given = if moment == Moment::End { &mut point.end } else { &mut point.start };
                *given = *given + press.impulse;
            }
        }
    }
}
