//! The last minute, to go back to and to go on from exactly as it went on then.
//!
//! Three things are kept:
//!
//! - **moments**: where everything was. Of small scenes sixty per second of simulated time, of large ones as many as fit
//!   into the memory allowed. They are what is shown while somebody goes back and forth.
//! - **wholes**: now and then everything, with all the methods remember of contacts and impulses, which is a lot; and
//!   whenever bodies come or go, or the method changes.
//! - **pulls** and **inputs**: which hands pulled in which steps, and what keys and pointers said, the only things from outside
//!   that happen between two wholes.
//!
//! What all of them take is counted, and the oldest are forgotten when it is too much, whatever is shot and deleted.
//!
//! Time goes on from a moment by returning to the last whole before it and taking the same steps with the same pulls
//! again. The simulation is deterministic, so it arrives at the same bits, and whatever comes next is what came next then.

use crate::hand::Hand;
use crate::runs::{Runs, States, StepProblem, Whole};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use tumble_dynamics::State;

/// How far back it goes, in seconds of simulated time.
const SPAN: f64 = 60.0;
/// The shortest time between two moments, in seconds.
const SHORTEST: f64 = 1.0 / 60.0;
/// How many bytes all moments together take, about; and all wholes.
const MEMORY: f64 = 128e6;
/// How many steps are taken between two wholes, if memory allows.
const STEPS: f64 = 60.0;

/// What keys, sliders and pointers say, by name.
pub(crate) type Inputs = BTreeMap<String, f64>;

#[derive(Debug)]
struct Moment {
    states: Arc<States>,
    /// The last whole at or before it.
    whole: Arc<Whole>,
}

impl Moment {
    fn time(&self) -> f64 {
        self.states.first.time
    }
}

/// Moments in the order of time.
#[derive(Debug)]
pub(crate) struct History {
    moments: VecDeque<Moment>,
    /// Which hands pull, from the step with this number on.
    pulls: VecDeque<(u64, Vec<Hand>)>,
    /// What comes from outside, from the step with this number on.
    inputs: VecDeque<(u64, Arc<Inputs>)>,
    /// The moment that was gone back to, while its whole is still to be worked out.
    shown: Option<(Arc<States>, Arc<Whole>)>,
}

impl History {
    /// Begins with things as they are.
    pub(crate) fn new(runs: &Runs) -> Self {
        let mut history =
            Self { moments: VecDeque::new(), pulls: VecDeque::new(), inputs: VecDeque::new(), shown: None };
        history.record_whole(runs);
        history
    }

    /// Says which hands are about to pull in a step. What is known of this step and later ones belongs to a future that
    /// will not come.
    pub(crate) fn pull(&mut self, steps: u64, hands: &[Hand]) {
        while self.pulls.back().is_some_and(|(since, _)| *since >= steps) {
            self.pulls.pop_back();
        }
        if self.pulls.back().map_or(&[][..], |(_, hands)| hands) != hands {
            self.pulls.push_back((steps, hands.to_vec()));
        }
    }

    /// Says what comes from outside in a step that is about to be taken, and in those after it.
    pub(crate) fn set(&mut self, steps: u64, inputs: &Arc<Inputs>) {
        while self.inputs.back().is_some_and(|(since, _)| *since >= steps) {
            self.inputs.pop_back();
        }
        if self.inputs.back().is_none_or(|(_, known)| known != inputs) {
            self.inputs.push_back((steps, inputs.clone()));
        }
    }

    fn coming(&self, steps: u64) -> Arc<Inputs> {
        let after = self.inputs.partition_point(|(since, _)| *since <= steps);
        after
            .checked_sub(1)
            .and_then(|last| self.inputs.get(last))
            .map(|(_, inputs)| inputs.clone())
            .unwrap_or_default()
    }

    fn pulling(&self, steps: u64) -> &[Hand] {
        let after = self.pulls.partition_point(|(since, _)| *since <= steps);
        after.checked_sub(1).and_then(|last| self.pulls.get(last)).map_or(&[], |(_, hands)| hands)
    }

    /// Keeps this moment if enough time has passed since the last one.
    pub(crate) fn record_at_times(&mut self, runs: &Runs) {
        let time = runs.world().time();
        let last = self.moments.back().map_or(f64::NEG_INFINITY, Moment::time);
        let runs_there = if runs.second.is_some() { 2.0 } else { 1.0 };
        let bodies = runs_there * runs.world().state().bodies.len() as f64;
        let distance = SHORTEST.max(SPAN * States::size_of(bodies) / MEMORY);
        // After a step back the world may be before the last moment.
        if last > time || time - last >= 0.999 * distance {
            let contacts = runs_there * runs.world().report().contacts as f64;
            let distance = (STEPS * runs.scene.dt).max(SPAN * Whole::size_of(bodies, contacts) / MEMORY);
            let whole = self.whole_before(time);
            let since = whole.as_ref().map_or(f64::INFINITY, |whole| time - whole.time());
            match whole {
                Some(whole) if since < 0.999 * distance => self.keep(runs, whole),
                _ => self.record_whole(runs),
            }
        }
    }

    /// Keeps this moment in any case.
    pub(crate) fn record(&mut self, runs: &Runs) {
        match self.whole_before(runs.world().time()) {
            Some(whole) => self.keep(runs, whole),
            None => self.record_whole(runs),
        }
    }

    /// Keeps this moment with everything: bodies were added or removed, or the method is another one.
    pub(crate) fn record_whole(&mut self, runs: &Runs) {
        self.keep(runs, Arc::new(runs.whole()));
    }

    /// What it takes, in bytes, about.
    fn size(&self) -> f64 {
        let mut last: Option<&Arc<Whole>> = None;
        let mut size = 0.0;
        for Moment { states, whole } in &self.moments {
            size += states.size();
            if last.is_none_or(|last| !Arc::ptr_eq(last, whole)) {
                size += whole.size();
            }
            last = Some(whole);
        }
        size
    }

    /// Forgets the oldest moments, with their wholes, until the rest fits.
    fn trim(&mut self) {
        let mut size = self.size();
        while size > 2.0 * MEMORY && self.moments.len() > 1 {
            let Some(Moment { states, whole }) = self.moments.pop_front() else { return };
            let was_last = self.moments.front().is_none_or(|next| !Arc::ptr_eq(&next.whole, &whole));
            size -= states.size() + if was_last { whole.size() } else { 0.0 };
        }
    }

    /// The last whole before a time.
    fn whole_before(&self, time: f64) -> Option<Arc<Whole>> {
        let after = self.moments.partition_point(|moment| moment.time() < time);
        Some(self.moments.get(after.checked_sub(1)?)?.whole.clone())
    }

    /// Keeps a moment. Moments that come after it are forgotten: they have become a different future.
    fn keep(&mut self, runs: &Runs, whole: Arc<Whole>) {
        let time = runs.world().time();
        while self.moments.back().is_some_and(|last| last.time() >= time) {
            self.moments.pop_back();
        }
        self.moments.push_back(Moment { states: Arc::new(runs.states()), whole });
        while self.moments.front().is_some_and(|first| first.time() < time - SPAN) {
            self.moments.pop_front();
        }
        self.trim();
        let oldest = self.moments.front().map_or(0, |first| first.whole.steps());
        while self.pulls.get(1).is_some_and(|(since, _)| *since <= oldest) {
            self.pulls.pop_front();
        }
        while self.inputs.get(1).is_some_and(|(since, _)| *since <= oldest) {
            self.inputs.pop_front();
        }
    }

    /// The times of the first and last moment.
    pub(crate) fn range(&self) -> [f64; 2] {
        [self.moments.front(), self.moments.back()].map(|moment| moment.map_or(0.0, Moment::time))
    }

    /// Where everything was at all the moments, in the order of time, and the last whole before each, which knows who was
    /// there.
    pub(crate) fn moments(&self) -> Vec<(Arc<States>, Arc<Whole>)> {
        self.moments.iter().map(|moment| (moment.states.clone(), moment.whole.clone())).collect()
    }

    /// Shows the moment nearest to a time. The methods know nothing of it until it is [worked out](Self::work_out).
    pub(crate) fn show(&mut self, time: f64, runs: &mut Runs) {
        let after = self.moments.partition_point(|moment| moment.time() < time);
        let near = |index: &usize| self.moments.get(*index).map_or(f64::INFINITY, |m| (m.time() - time).abs());
        let candidates = [after.saturating_sub(1), after];
        let nearest = candidates.into_iter().min_by(|a, b| near(a).total_cmp(&near(b)));
        let Some(moment) = nearest.and_then(|index| self.moments.get(index)) else { return };
        if self.shown.as_ref().is_none_or(|(_, whole)| !Arc::ptr_eq(whole, &moment.whole)) {
            runs.restore(&moment.whole);
        }
        runs.put(&moment.states);
        self.shown = Some((moment.states.clone(), moment.whole.clone()));
    }

    /// Whether a moment is shown that is not worked out yet.
    pub(crate) fn is_showing(&self) -> bool {
        self.shown.is_some()
    }

    /// Takes the steps from the last whole to the moment that is shown, so that time can go on from it as it did then. If a step
    /// is interrupted, the moment is still only shown.
    pub(crate) fn work_out(&mut self, runs: &mut Runs) {
        let Some((states, whole)) = self.shown.take() else { return };
        runs.restore(&whole);
        let steps = |state: &State| state.steps;
        while steps(runs.world().state()) < steps(&states.first) {
            let hands = self.pulling(steps(runs.world().state()));
            runs.set_inputs(&self.coming(steps(runs.world().state())));
            match runs.step(hands) {
                Ok(()) => {}
                Err(StepProblem::Interrupted) => {
                    runs.restore(&whole);
                    runs.put(&states);
                    self.shown = Some((states, whole));
                    return;
                }
                Err(StepProblem::Broken(_)) => break,
            }
        }
        // The same steps lead to the same place. If a method of somebody's own is not deterministic, what was shown counts.
        if !runs.is_at(&states) {
            runs.restore(&whole);
            runs.put(&states);
        }
        // What was told on the way was told before.
        runs.forget_warnings();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use tumble_dynamics::{Body, Cancel};
    use tumble_geometry::Shape;
    use tumble_scene::{Loader, gallery};

    fn open(name: &str) -> Runs {
        Runs::new(gallery::find(name).unwrap().load(&Loader::new()).unwrap(), Cancel::new())
    }

    /// Takes a step as the simulation does.
    fn step(runs: &mut Runs, history: &mut History, hands: &[Hand]) {
        history.pull(runs.world().state().steps, hands);
        runs.step(hands).unwrap();
        history.record_at_times(runs);
    }

    fn fingerprints(runs: &Runs) -> [u64; 2] {
        let second = runs.second.as_ref().map_or(0, |second| second.world.state().fingerprint());
        [runs.world().state().fingerprint(), second]
    }

    /// The fingerprints after each of so many steps.
    fn course(runs: &mut Runs, steps: usize) -> Vec<[u64; 2]> {
        let mut course = vec![fingerprints(runs)];
        for _ in 0..steps {
            runs.step(&[]).unwrap();
            course.push(fingerprints(runs));
        }
        course
    }

    /// Somebody drives the car; from any moment that is gone back to it goes on as it did, by script and keys.
    #[test]
    fn what_keys_and_scripts_did_is_done_again() {
        let mut runs = open("car");
        let mut history = History::new(&runs);
        let mut course = Vec::new();
        for number in 0..150_u32 {
            let (gas, steer) = (if number > 40 { 1.0 } else { -0.5 }, 0.1 * f64::from(number % 11) - 0.5);
            let inputs = Arc::new(Inputs::from([("gas".to_owned(), gas), ("steer".to_owned(), steer)]));
            history.set(runs.world().state().steps, &inputs);
            runs.set_inputs(&inputs);
            step(&mut runs, &mut history, &[]);
            course.push(fingerprints(&runs));
        }
        for time in [2.4, 1.7, 0.9, 0.4] {
            history.show(time, &mut runs);
            history.work_out(&mut runs);
            let steps = runs.world().state().steps as usize;
            assert_eq!(fingerprints(&runs), course[steps - 1], "{time}");
            // On from there, with the same inputs.
            runs.set_inputs(&history.coming(steps as u64));
            runs.step(&[]).unwrap();
            assert_eq!(fingerprints(&runs), course[steps], "after {time}");
        }
    }

    #[test]
    fn every_moment_of_the_last_minute_is_shown_as_it_was() {
        let mut runs = open("bouncing-balls");
        let mut history = History::new(&runs);
        let mut states = vec![runs.states()];
        while runs.world().time() < 3.0 {
            step(&mut runs, &mut history, &[]);
            states.push(runs.states());
        }
        let kept = history.moments();
        // Steps of 2 ms: every ninth is the first that is a sixtieth of a second later.
        assert!(kept.len() >= 165, "{}", kept.len());
        for (moment, _) in kept.iter().rev().chain(&kept) {
            history.show(moment.first.time, &mut runs);
            assert!(runs.is_at(moment));
            assert!(states.contains(moment));
        }
    }

    /// From wherever one goes back to, the run goes on bit for bit as it did.
    #[test]
    fn what_came_next_comes_next_again() {
        for name in ["dominoes", "boxes-table", "cradle-1-lossy"] {
            let mut runs = open(name);
            let mut history = History::new(&runs);
            let mut original = vec![fingerprints(&runs)];
            for _ in 0..400 {
                step(&mut runs, &mut history, &[]);
                original.push(fingerprints(&runs));
            }
            let last = runs.world().time();
            for part in [0.05, 0.33, 0.5, 0.9] {
                history.show(part * last, &mut runs);
                history.work_out(&mut runs);
                let from = runs.world().state().steps as usize;
                assert_eq!(course(&mut runs, 400 - from), original[from..], "{name} from {part}");
            }
        }
    }

    /// The same with a hand that pulls, a ball that is shot, a second run, and other methods.
    #[test]
    fn what_people_did_is_done_again() {
        let mut runs = open("boxes-table");
        let mut history = History::new(&runs);
        let body = runs.world().bodies().find(|(_, body)| body.mass() > 0.0).map(|(id, _)| id).unwrap();
        let mut original = Vec::new();
        for count in 0..300 {
            match count {
                40 => {
                    runs.compare(runs.method.clone(), 0.5 * runs.scene.dt);
                    history.record_whole(&runs);
                }
                150 => {
                    let ball = || Body::dynamic().with_shape(Shape::sphere(0.2).unwrap()).at([0.0, 9.0, 0.0]);
                    runs.change(|world| world.add_body(ball()).map(|_| ())).unwrap();
                    history.record_whole(&runs);
                }
                220 => {
                    runs.set_dt(2.0 * runs.scene.dt);
                    history.record_whole(&runs);
                }
                _ => {}
            }
            let mut hand = Hand::grab(runs.world(), body, DVec3::ZERO).unwrap();
            hand.drag(DVec3::new(0.01 * f64::from(count), 3.0, 0.0));
            let hands = if (90..190).contains(&count) { vec![hand] } else { vec![] };
            step(&mut runs, &mut history, &hands);
            original.push(fingerprints(&runs));
        }
        history.record(&runs);
        let end = runs.states();
        for (moment, _) in history.moments().iter().step_by(7).rev() {
            history.show(moment.first.time, &mut runs);
            history.work_out(&mut runs);
            let steps = runs.world().state().steps as usize;
            if steps > 0 {
                assert_eq!(fingerprints(&runs), original[steps - 1], "step {steps}");
            }
        }
        history.show(end.first.time, &mut runs);
        history.work_out(&mut runs);
        assert!(runs.is_at(&end));
    }

    #[test]
    fn what_is_older_than_a_minute_is_forgotten() {
        let mut runs = open("pendulum-2");
        runs.set_dt(0.1);
        let mut history = History::new(&runs);
        for _ in 0..700 {
            step(&mut runs, &mut history, &[]);
        }
        let [first, last] = history.range();
        assert!((last - 70.0).abs() < 1e-6 && (first - 10.0).abs() < 0.2, "{first} to {last}");
    }

    #[test]
    fn a_new_future_replaces_the_old_one() {
        let mut runs = open("pendulum-2");
        let mut history = History::new(&runs);
        while runs.world().time() < 1.0 {
            step(&mut runs, &mut history, &[]);
        }
        let end = history.range()[1];
        history.show(0.5, &mut runs);
        assert_eq!(history.range()[1], end);
        history.work_out(&mut runs);
        let time = runs.world().time();
        step(&mut runs, &mut history, &[]);
        assert!(history.range()[1] <= time + runs.scene.dt);
    }

    /// Everything is shot at and deleted again and again: what is kept stays within bounds, by what it counts and by what the
    /// system says.
    #[test]
    fn memory_is_bounded_whatever_is_shot_and_deleted() {
        let text = "title = 'crowd'\ngravity = [0, 0, 0]\n[bodies.ball]\nshape.sphere.radius = 0.1\n\
                    repeat.grid = { count = [20, 5, 30], spacing = [0.3, 0.3, 0.3] }\n";
        let mut runs = Runs::new(Loader::new().load_text("crowd", text).unwrap(), Cancel::new());
        let mut history = History::new(&runs);
        runs.step(&[]).unwrap();
        let (before, mut most) = (resident(), 0.0_f64);
        for number in 0..100 {
            let ball =
                || Body::dynamic().with_shape(Shape::sphere(0.1).unwrap()).at([0.0, 50.0, 5.0 * f64::from(number)]);
            runs.change(|world| world.add_body(ball()).map(|_| ())).unwrap();
            history.record_whole(&runs);
            most = most.max(history.size());
            step(&mut runs, &mut history, &[]);
        }
        assert!(most <= 2.0 * MEMORY, "{most}");
        assert!(most > 1.5 * MEMORY, "this test has to fill the memory: {most}");
        let grown = resident() - before;
        assert!(grown < 3.2 * MEMORY, "{} MB", grown / 1e6);
    }

    /// The memory of this process, in bytes, where the system tells.
    fn resident() -> f64 {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        text.split(' ').nth(1).and_then(|pages| pages.parse::<f64>().ok()).unwrap_or(0.0) * 4096.0
    }

    #[test]
    fn bodies_come_and_go_with_time() {
        let mut runs = open("pendulum-2");
        let mut history = History::new(&runs);
        let count = runs.world().model().bodies().len();
        step(&mut runs, &mut history, &[]);
        for number in 0..800 {
            let at = [5.0 * number as f64, 50.0, 0.0];
            let ball = || Body::dynamic().with_shape(Shape::sphere(1.0).unwrap()).at(at);
            runs.change(|world| world.add_body(ball()).map(|_| ())).unwrap();
            history.record_whole(&runs);
            runs.change(|world| world.remove_body(world.model().bodies().ids().last().unwrap())).unwrap();
            history.record_whole(&runs);
        }
        runs.change(|world| world.add_body(Body::dynamic().with_shape(Shape::sphere(1.0).unwrap())).map(|_| ()))
            .unwrap();
        history.record_whole(&runs);
        step(&mut runs, &mut history, &[]);
        history.show(0.0, &mut runs);
        assert_eq!(runs.world().model().bodies().len(), count);
        history.show(1.0, &mut runs);
        assert_eq!(runs.world().model().bodies().len(), count + 1);
    }
}
