//! Runs a scene to its end, with outputs, and sums up what happened.

use crate::Scene;
use crate::energy::EnergyTally;
use crate::record::{FrameClock, Output, RecordError};
use crate::storms::StormTally;
use serde::{Serialize, Serializer};
use std::time::{Duration, Instant};
use tumble_dynamics::method::Observer;
use tumble_dynamics::{State, StepError};

/// What to do while a scene runs.
pub struct Runner<'a> {
    outputs: Vec<Box<dyn Output + 'a>>,
    /// Asked before every step whether to stop.
    stop: Box<dyn FnMut() -> bool + 'a>,
    /// Told after every step how far the run is.
    progress: Box<dyn FnMut(&Scene) + 'a>,
    /// Told what is doubtful about the run, once, when it is found.
    warn: Box<dyn FnMut(&str) + 'a>,
    /// Told what the script of the scene says.
    say: Box<dyn FnMut(&str) + 'a>,
}

impl Default for Runner<'_> {
    fn default() -> Self {
        Self {
            outputs: Vec::new(),
            stop: Box::new(|| false),
            progress: Box::new(|_| {}),
            warn: Box::new(|_| {}),
            say: Box::new(|_| {}),
        }
    }
}

/// What happened in a run.
#[derive(Debug, Default, Serialize)]
pub struct Summary {
    /// The time reached, in seconds.
    pub time: f64,
    /// How many steps were taken.
    pub steps: u64,
    /// How many frames were written.
    pub frames: u64,
    /// How many bodies there are, and how many are awake at the end.
    pub bodies: usize,
    /// How many bodies that forces move are awake at the end.
    pub awake: usize,
    /// Pairs of colliders that touch at the end.
    pub contacts: usize,
    /// The most pairs that touched at once.
    pub most_contacts: usize,
    /// Kinetic and potential energy at the start, in joules.
    pub start_energy: f64,
    /// Kinetic and potential energy at the end, in joules.
    pub end_energy: f64,
    /// Energy that came out of nothing, if somebody watches.
    pub energy_out_of_nothing: EnergyTally,
    /// Stretches that the accurate method did not follow event by event.
    pub storms: StormTally,
    /// How long the run took on the clock, in seconds.
    pub wall_time: f64,
    /// How much of that went into steps, in seconds.
    pub step_time: f64,
    /// How much of that went into writing, in seconds.
    pub write_time: f64,
    /// Of the steps: finding contacts, in seconds.
    pub detect_time: f64,
    /// Of the steps: solving constraints, in seconds.
    pub solve_time: f64,
    /// Whether it was stopped before its end.
    pub stopped: bool,
    /// That more touched at once than the scene's budget allows, if that ended the run.
    pub over_budget: Option<String>,
    /// Why a step could not be taken, if that ended the run.
    #[serde(serialize_with = "as_text")]
    pub step_error: Option<StepError>,
    /// What could not be written.
    #[serde(serialize_with = "as_texts")]
    pub write_errors: Vec<RecordError>,
}

fn as_text<S: Serializer>(error: &Option<StepError>, serializer: S) -> Result<S::Ok, S::Error> {
    error.as_ref().map(ToString::to_string).serialize(serializer)
}

fn as_texts<S: Serializer>(errors: &[RecordError], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(errors.iter().map(ToString::to_string))
}

/// Sees the frames that are due inside a step, with methods that know the motion within their steps.
#[derive(Debug)]
struct Between {
    clock: FrameClock,
    /// The end of the step, as near as matters: that frame is not between.
    until: f64,
    seen: Vec<State>,
}

impl Observer for Between {
    fn moment(&mut self, time: f64, state: &State) {
        if time < self.until && self.clock.is_due(time, 0.0) {
            self.seen.push(State { time, ..state.clone() });
        }
    }

    fn wants(&self, after: f64) -> f64 {
        if self.seen.len() < MOST_BETWEEN { self.clock.after(after) } else { f64::INFINITY }
    }
}

/// So many frames inside a step are kept at most, so that memory does not run out.
const MOST_BETWEEN: usize = 10_000;

/// When outputs look at the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    Start,
    /// After a step.
    Step,
    /// When all steps are done.
    End,
}

impl<'a> Runner<'a> {
    /// Writes to an output, too.
    pub fn with_output(mut self, output: impl Output + 'a) -> Self {
        self.outputs.push(Box::new(output));
        self
    }

    /// Writes to an output in a box, too.
    pub fn add_output(&mut self, output: Box<dyn Output + 'a>) {
        self.outputs.push(output);
    }

    /// Asks before every step whether to stop.
    pub fn stopping_when(mut self, stop: impl FnMut() -> bool + 'a) -> Self {
        self.stop = Box::new(stop);
        self
    }

    /// Tells after every step how far the run is.
    pub fn telling(mut self, progress: impl FnMut(&Scene) + 'a) -> Self {
        self.progress = Box::new(progress);
        self
    }

    /// Tells what is doubtful about the run, once, when it is found: energy that came out of nothing, if somebody
    /// [watches](Scene::watch_energy), and storms of events. The summary has the rest.
    pub fn warning(mut self, warn: impl FnMut(&str) + 'a) -> Self {
        self.warn = Box::new(warn);
        self
    }

    /// Tells what the script of the scene prints, line by line.
    pub fn saying(mut self, say: impl FnMut(&str) + 'a) -> Self {
        self.say = Box::new(say);
        self
    }

    /// Runs the scene from where it is to its duration, with a last step that is shorter if it must be. Frames are written at
    /// the rate of the recording: each at the first step that is not before its time, or, with a method that knows the motion within its
    /// steps (`accurate`), just at its time; and the end is one, too. An output that
    /// fails is left out from then on; the others and the run go on. A run in which more bodies touch at once than the
    /// scene's [budget](crate::Budget) allows ends there. Whoever holds the world's [`Cancel`](tumble_dynamics::Cancel) ends it in
    /// the middle of a step, which then has not been taken.
    pub fn run(mut self, scene: &mut Scene) -> Summary {
        let begun = Instant::now();
        let mut summary = Summary { start_energy: scene.world.energy().total(), ..Summary::default() };
        let mut between =
            Between { clock: FrameClock::new(scene.recording.rate), until: f64::INFINITY, seen: Vec::new() };
        let (mut stepping, mut writing) = (Duration::ZERO, Duration::ZERO);
        let (mut detecting, mut solving) = (Duration::ZERO, Duration::ZERO);
        // Whether the present state has been written.
        let mut is_frame = false;
        let mut write = |outputs: &mut Vec<Box<dyn Output + 'a>>,
                         summary: &mut Summary,
                         scene: &mut Scene,
                         between: &mut Between,
                         what: Moment| {
            let start = Instant::now();
            for state in between.seen.drain(..) {
                summary.frames += 1;
                scene.world.shown_in(&state, |world| {
                    outputs.retain_mut(|output| {
                        output.frame(world).map_err(|error| summary.write_errors.push(error)).is_ok()
                    });
                });
            }
            is_frame = match what {
                Moment::Start | Moment::Step => between.clock.is_due(scene.world.time(), scene.dt),
                Moment::End => !is_frame,
            };
            summary.frames += u64::from(is_frame);
            outputs.retain_mut(|output| {
                let mut result = if what == Moment::Step { output.step(&scene.world) } else { Ok(()) };
                if is_frame {
                    result = result.and_then(|()| output.frame(&scene.world));
                }
                result.map_err(|error| summary.write_errors.push(error)).is_ok()
            });
            writing += start.elapsed();
        };
        write(&mut self.outputs, &mut summary, scene, &mut between, Moment::Start);
        // The last step may be the one that ends a little early: a thousandth of a step does not matter.
        let most_contacts = scene.budget.contacts();
        while scene.world.time() + 1e-3 * scene.dt < scene.duration {
            if (self.stop)() {
                summary.stopped = true;
                break;
            }
            let start = Instant::now();
            let left = scene.duration - scene.world.time();
            let dt = if left < 0.999 * scene.dt { left } else { scene.dt };
            between.until = scene.world.time() + 0.999 * dt;
            match scene.world.step_observed(dt, &mut between) {
                Ok(()) => {}
                Err(StepError::Cancelled) => {
                    summary.stopped = true;
                    break;
                }
                Err(error) => {
                    summary.step_error = Some(error);
                    break;
                }
            }
            stepping += start.elapsed();
            let report = scene.world.report();
            (detecting, solving) = (detecting + report.times.detect, solving + report.times.solve);
            let contacts = report.contacts;
            summary.most_contacts = summary.most_contacts.max(contacts);
            summary.steps += 1;
            if summary.energy_out_of_nothing.note(&scene.world) {
                summary.energy_out_of_nothing.warning().iter().for_each(|warning| (self.warn)(warning));
            }
            if summary.storms.note(&scene.world) {
                summary.storms.warning().iter().for_each(|warning| (self.warn)(warning));
            }
            for message in scene.world.take_messages() {
                (self.say)(&message);
            }
            write(&mut self.outputs, &mut summary, scene, &mut between, Moment::Step);
            (self.progress)(scene);
            if contacts > most_contacts {
                let time = scene.world.time();
                summary.over_budget = Some(format!(
                    "{contacts} contacts at {time} s are more than the {most_contacts} that are allowed; `--budget 10` allows more"
                ));
                break;
            }
        }
        write(&mut self.outputs, &mut summary, scene, &mut between, Moment::End);
        let start = Instant::now();
        for output in &mut self.outputs {
            if let Err(error) = output.finish() {
                summary.write_errors.push(error);
            }
        }
        writing += start.elapsed();
        let seconds = |duration: Duration| duration.as_secs_f64();
        Summary {
            time: scene.world.time(),
            bodies: scene.world.model().bodies().len(),
            awake: scene.world.bodies().filter(|(_, body)| body.mass() > 0.0 && !body.is_asleep()).count(),
            contacts: scene.world.contacts().count(),
            end_energy: scene.world.energy().total(),
            wall_time: begun.elapsed().as_secs_f64(),
            step_time: seconds(stepping),
            write_time: seconds(writing),
            detect_time: seconds(detecting),
            solve_time: seconds(solving),
            ..summary
        }
    }
}
