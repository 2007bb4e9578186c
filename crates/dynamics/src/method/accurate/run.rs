//! The way through a step of the world: steps of the integration as long as the tolerance allows, each until the next event.
//!
//! 1. **Try** a step of an embedded Runge–Kutta method, in the modes that hold now; repeat with a shorter one until the estimate of its error
//!    is below the tolerance.
//! 2. **Look for events** on its dense output: gaps that close, forces that would pull, friction that gives way or comes to a stop.
//! 3. If there is one, **take the step again up to it**, with the full order, and correct its length until the event is at its end.
//! 4. **Project** onto the constraints what crept in.

use super::chart;
use super::crowd::Stumbling;
use super::element::{Element, Grip, Mode, What};
use super::equations::{Equations, Scenery};
use super::norm::Norm;
use super::project::follow_slips;
use super::root::{crossing, newton};
use super::scale::Scale;
use super::scheme::{Tableau, Trial};
use super::settings::{AccurateSettings, Drift, Search};
use super::signals::{self, Cause, Signal};
use crate::event::ImpactEvent;
use crate::parts::roster::Roster;
use crate::parts::turns;
use crate::{BodyState, ColliderIndex, Model, State};

/// In how many parts a step is looked at for events of motion, and of forces.
const LOOKS: usize = 8;
const FORCE_LOOKS: usize = 4;

/// While something holds its forces may change though nothing moves: no step is longer than this, in seconds. Where everything rests and no
/// force changes by more than [`STEADY`] of the largest, the next one may be twice as long, up to the longest.
const HOLDING_STEP: f64 = 0.02;
const LONGEST_HOLDING_STEP: f64 = 0.5;
const STEADY: f64 = 1e-9;

/// A linkage that is nearly stretched out has accelerations that answer the smallest errors of its joints with large ones. Short steps make
/// that worse, long ones go past it: there the tolerance is at least this.
const STRETCHED: f64 = 1e-9;

/// Events are found to this part of the step.
const FINE: f64 = 1e-15;

/// A step cannot be taken, however short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hopeless;

/// What was done, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Tally {
    pub(super) steps: u64,
    pub(super) rejected: u64,
    pub(super) events: u64,
    /// The sum of the estimated errors of all steps, relative to the scales of the scene.
    pub(super) error: f64,
    /// The largest error of a constraint before it was put right, in metres or radians.
    pub(super) drift: f64,
    /// How much of the time was taken in small steps, in seconds.
    pub(super) stumbled: f64,
}

/// A way through time.
pub(super) struct Run<'a> {
    pub(super) model: &'a Model,
    pub(super) settings: &'a AccurateSettings,
    pub(super) scale: Scale,
    /// The radii of the bodies by slot, in metres.
    pub(super) sizes: Vec<f64>,
    pub(super) equations: &'a mut Equations,
    pub(super) roster: &'a Roster,
    pub(super) index: &'a mut ColliderIndex,
    /// The motions at `time`; its own time is that of the beginning of the step of the world.
    pub(super) state: State,
    pub(super) time: f64,
    /// The length of the step to try next, in seconds.
    pub(super) h: f64,
    /// How long a step may be while something holds, in seconds.
    pub(super) holding: f64,
    pub(super) elements: Vec<Element>,
    pub(super) tally: Tally,
    /// The error of the last step, where 1 is the tolerance.
    pub(super) last_error: f64,
    /// The moments inside the step of the world that somebody wants to see, in order, and those reached since it was last asked.
    pub(super) wanted: Vec<f64>,
    pub(super) seen: Vec<State>,
    /// The impacts so far, and the elements that took part in those at this moment.
    pub(super) impacts: Vec<ImpactEvent>,
    pub(super) hits: Vec<usize>,
    /// How fast what began to slide in the last step became across the direction it began with, in m/s.
    pub(super) across: f64,
    /// Whether so much touches that only small steps go on, and those steps.
    pub(super) crowded: bool,
    pub(super) small: Option<Box<Stumbling>>,
}

/// An event within a step: when, as a part of it, and why.
#[derive(Clone, Copy, Debug)]
struct Found {
    theta: f64,
    cause: Cause,
    of_forces: bool,
}

/// What the equations need for a trial.
struct Attempt<'r, 'a> {
    scenery: Scenery<'r>,
    equations: &'r mut Equations,
    elements: &'r [Element],
    base: &'r [BodyState],
    movable: Vec<usize>,
    time: f64,
    /// A script jumps then; what is computed at that moment is from before.
    jump: f64,
    bodies: Vec<BodyState>,
    tableau: &'static Tableau,
    scale: Scale,
    model: &'a Model,
    /// Whether the forces of what holds were the same all along the trial.
    steady: bool,
    search: Search,
}

impl Attempt<'_, '_> {
    /// Puts the bodies where numbers at a time say.
    fn place(&mut self, time: f64, y: &[f64]) {
        chart::read(&self.movable, self.base, y, &mut self.bodies);
        let time = if time >= self.jump { self.jump.next_down() } else { time };
        self.equations.follow_scripts(self.model, time, &mut self.bodies);
    }

    fn rates(&mut self, time: f64, y: &[f64], rates: &mut [f64]) {
        self.place(time, y);
        let time = if time >= self.jump { self.jump.next_down() } else { time };
        self.equations.evaluate(&self.scenery, time, &self.bodies, self.elements);
        chart::rates(&self.movable, y, &self.bodies, &self.equations.accelerations, rates);
    }

    fn take(&mut self, trial: &mut Trial, y: &[f64], first: &[f64], h: f64) {
        let (tableau, time) = (self.tableau, self.time);
        trial.take(tableau, (y, first), h, &mut |c, y, rates| self.rates(time + c * h, y, rates));
    }

    /// Puts the bodies where they are at the part θ of a trial.
    fn go(&mut self, trial: &Trial, theta: f64) {
        let mut y = Vec::new();
        if theta >= 1.0 {
            y.clone_from(&trial.end);
        } else {
            trial.at(self.tableau, theta, &mut y);
        }
        self.place(self.time + theta * trial.h, &y);
    }

    fn prepare_dense(&mut self, trial: &mut Trial) {
        let (tableau, time, h) = (self.tableau, self.time, trial.h);
        trial.prepare_dense(tableau, &mut |c, y, rates| self.rates(time + c * h, y, rates));
    }

    /// The signals of motion where the bodies are.
    fn motion_signals(&self, time: f64, signals: &mut Vec<Signal>) {
        signals::of_motion(
            &self.scenery,
            self.equations,
            &self.bodies,
            self.elements,
            (time, self.scale.touching()),
            signals,
        );
    }

    /// The signals of forces where the bodies are.
    fn force_signals(&mut self, time: f64, signals: &mut Vec<Signal>) {
        self.equations.evaluate(&self.scenery, time, &self.bodies, self.elements);
        signals::of_forces(&self.scenery, self.equations, &self.bodies, self.elements, signals);
    }

    /// One signal at the part θ of a trial. Of motion, nothing but that one is computed; forces depend on each other.
    fn signal(&mut self, trial: &Trial, theta: f64, cause: Cause, of_forces: bool) -> f64 {
        if !of_forces {
            return self.signal_of_motion(trial, theta, cause).map_or(0.0, |signal| signal.value);
        }
        self.go(trial, theta);
        let mut signals = Vec::new();
        self.force_signals(self.time + theta * trial.h, &mut signals);
        signals.iter().find(|signal| signal.cause == cause).map_or(0.0, |signal| signal.value)
    }

    fn signal_of_motion(&mut self, trial: &Trial, theta: f64, cause: Cause) -> Option<Signal> {
        self.go(trial, theta);
        let index = cause.element()?;
        let element = (index, self.elements.get(index)?);
        let (time, mut signals) = (self.time + theta * trial.h, Vec::new());
        let at = (time, self.scale.touching());
        signals::of_element(&self.scenery, self.equations, &self.bodies, element, at, &mut signals);
        self.equations.count(200 + 50 * self.movable.len());
        signals.into_iter().find(|signal| signal.cause == cause)
    }

    /// How fast one signal of motion changes at the part θ of a trial.
    fn signal_rate(&mut self, trial: &Trial, theta: f64, cause: Cause) -> f64 {
        self.signal_of_motion(trial, theta, cause).and_then(|signal| signal.rate).unwrap_or(0.0)
    }

    /// The first event within a trial.
    fn find(&mut self, trial: &mut Trial) -> Option<Found> {
        let (mut before, mut now) = (Vec::new(), Vec::new());
        self.go(trial, 0.0);
        self.motion_signals(self.time, &mut before);
        let watches_motion = !before.is_empty();
        let watches_forces = self.elements.iter().any(|element| element.mode == Mode::On)
            || self
                .equations
                .joints
                .iter()
                .any(|joint| self.model.joints().get(joint.id).is_some_and(|joint| !joint.breaking.is_never()));
        if !watches_motion && !watches_forces {
            return None;
        }
        self.prepare_dense(trial);
        let mut first: Option<Found> = None;
        if watches_motion {
            for look in 1..=LOOKS {
                let [from, to] = [look - 1, look].map(|look| look as f64 / LOOKS as f64);
                self.go(trial, to);
                self.motion_signals(self.time + to * trial.h, &mut now);
                first = self.first_of_motion(trial, [from, to], [&before, &now]);
                if first.is_some() {
                    break;
                }
                std::mem::swap(&mut before, &mut now);
            }
        }
        if watches_forces {
            let until = first.map_or(1.0, |found| found.theta);
            let mut from = 0.0;
            let mut forces: Vec<f64> = Vec::new();
            self.steady = true;
            for look in 1..=FORCE_LOOKS {
                let to = until * (look as f64 / FORCE_LOOKS as f64);
                self.go(trial, to);
                self.force_signals(self.time + to * trial.h, &mut now);
                let multipliers = &self.equations.multipliers;
                let largest = multipliers.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
                let same = |(a, b): (&f64, &f64)| (a - b).abs() <= STEADY * largest;
                self.steady &=
                    look == 1 || (forces.len() == multipliers.len() && forces.iter().zip(multipliers).all(same));
                forces.clone_from(multipliers);
                let crossed: Vec<usize> = (0..now.len()).filter(|&i| now[i].value < 0.0).collect();
                let mut earliest: Option<Found> = None;
                for index in crossed {
                    // What gives way later than another does not matter.
                    let cause = now[index].cause;
                    let latest = earliest.map_or(to, |found| found.theta);
                    if latest < to && self.signal(trial, latest, cause, true) >= 0.0 {
                        continue;
                    }
                    let theta = crossing([from, latest], FINE, |theta| self.signal(trial, theta, cause, true));
                    if theta < latest || earliest.is_none() {
                        earliest = Some(Found { theta, cause, of_forces: true });
                    }
                }
                if earliest.is_some() {
                    return earliest;
                }
                from = to;
            }
        }
        first
    }

    /// The first event of motion between two looks.
    fn first_of_motion(&mut self, trial: &Trial, [from, to]: [f64; 2], [before, now]: [&[Signal]; 2]) -> Option<Found> {
        let mut first: Option<Found> = None;
        for (a, b) in before.iter().zip(now) {
            let (mut begin, mut end, cause) = (from, to, b.cause);
            if matches!(cause, Cause::Leave(_)) && a.value < 0.0 {
                // It is out there already, and so is what it touches as far as anybody can tell.
                continue;
            }
            if b.value < 0.0 && a.rate.is_some_and(|rate| rate > 0.0) {
                // Up and down: it comes back after its highest point.
                begin = crossing([from, to], 1e-9, |theta| self.signal_rate(trial, theta, cause));
            } else if b.value >= 0.0 {
                // Down and up again between the looks?
                let (Some(down), Some(up)) = (a.rate, b.rate) else { continue };
                let width = (to - from) * trial.h;
                if down >= 0.0 || up <= 0.0 || a.value > -down * width || b.value > up * width {
                    continue;
                }
                let lowest = crossing([from, to], 1e-9, |theta| -self.signal_rate(trial, theta, cause));
                if self.signal(trial, lowest, cause, false) >= 0.0 {
                    continue;
                }
                end = lowest;
            }
            let latest = first.map_or(end, |found| found.theta.min(end));
            if latest < begin || latest < end && self.signal(trial, latest, cause, false) >= 0.0 {
                continue;
            }
            let theta = if self.search == Search::Newton && b.rate.is_some() {
                newton([begin, latest], FINE, |theta| {
                    let signal = self.signal_of_motion(trial, theta, cause);
                    signal.map_or([0.0; 2], |signal| [signal.value, signal.rate.unwrap_or(0.0) * trial.h])
                })
            } else {
                crossing([begin, latest], FINE, |theta| self.signal(trial, theta, cause, false))
            };
            if first.is_none_or(|found| theta < found.theta) {
                first = Some(Found { theta, cause, of_forces: false });
            }
        }
        first
    }
}

impl Run<'_> {
    pub(super) fn scenery(&self) -> Scenery<'_> {
        Scenery { model: self.model, state: &self.state, drift: self.settings.chosen_drift() }
    }

    /// Goes on by a step, to the time `until` at most, or to the next event, which it tells.
    pub(super) fn step(&mut self, until: f64) -> Result<Option<Cause>, Hopeless> {
        let tableau = self.settings.chosen_scheme().tableau();
        let scale = self.scale;
        self.across = 0.0;
        let jump = self.equations.next_break(self.model, self.time);
        let goal = until.min(jump);
        let ceiling = self.ceiling(goal - self.time);
        let arrives = ceiling == goal - self.time;
        let mut h = if self.h > 0.95 * ceiling { ceiling } else { self.h };
        let base = self.state.bodies.clone();
        let (mut trial, mut y, mut first) = (Trial::default(), Vec::new(), Vec::new());
        let scenery = Scenery { model: self.model, state: &self.state, drift: self.settings.chosen_drift() };
        let mut attempt = Attempt {
            scenery,
            movable: self.equations.movable.clone(),
            equations: &mut *self.equations,
            elements: &self.elements,
            base: &base,
            time: self.time,
            jump,
            bodies: base.clone(),
            tableau,
            scale,
            model: self.model,
            steady: false,
            search: self.settings.chosen_search(),
        };
        chart::start(&attempt.movable, &base, &mut y);
        first.resize(y.len(), 0.0);
        attempt.rates(self.time, &y, &mut first);
        let norm = Norm::of(&scale, attempt.equations, &self.sizes, &base);
        let tight = attempt.equations.is_tight();
        let tolerance = if tight { scale.tolerance.max(STRETCHED) } else { scale.tolerance };
        let error = loop {
            attempt.take(&mut trial, &y, &first, h);
            let error = trial.error(tableau, |errors| norm.size(errors, tolerance));
            if error <= 1.0 {
                break error;
            }
            self.tally.rejected += 1;
            let factor = 0.9 * libm::pow(error, -1.0 / tableau.error_order);
            h *= if factor.is_nan() { 0.1 } else { factor.clamp(0.1, 0.9) };
            if h < 1e-15 * self.time.abs().max(1e-3) {
                return Err(Hopeless);
            }
        };
        let factor = 0.9 * libm::pow(error.max(1e-12), -1.0 / tableau.error_order);
        let next = h * factor.clamp(0.3, 6.0);
        // A step that was cut short by the end of the step of the world says nothing of how long the next one may be.
        self.h = if h < ceiling { next } else { next.max(self.h.min(next.max(6.0 * h))) };
        let event = attempt.find(&mut trial);
        let rests = |body: &BodyState| {
            body.velocity.length() + body.angular_velocity.length() * scale.length <= scale.holding()
        };
        let steady = attempt.steady && event.is_none() && attempt.movable.iter().all(|&slot| rests(&base[slot]));
        self.holding = if steady { (2.0 * h.max(0.5 * self.holding)).min(LONGEST_HOLDING_STEP) } else { HOLDING_STEP };
        let mut taken = h;
        if let Some(found) = event {
            taken = attempt.cut(&mut trial, (&y, &first), found);
        }
        let reached = self.time + taken;
        let due = self.wanted.partition_point(|&time| time <= self.time)
            ..self.wanted.partition_point(|&time| time <= reached);
        if !due.is_empty() {
            attempt.prepare_dense(&mut trial);
        }
        for &time in &self.wanted[due] {
            attempt.go(&trial, ((time - self.time) / taken).min(1.0));
            let mut state = State { time, bodies: attempt.bodies.clone(), ..self.state.clone() };
            turns::follow(self.model, &self.roster.turning, &mut state);
            self.seen.push(state);
        }
        attempt.go(&trial, 1.0);
        let bodies = std::mem::take(&mut attempt.bodies);
        if !self.equations.movable.iter().all(|&slot| bodies[slot].is_finite()) {
            return Err(Hopeless);
        }
        self.state.bodies = bodies;
        self.time = if event.is_none() && h == ceiling && arrives { goal } else { self.time + taken };
        self.last_error = error * (taken / h);
        self.tally.steps += 1;
        self.tally.error += error * tolerance;
        turns::follow(self.model, &self.roster.turning, &mut self.state);
        if self.settings.chosen_drift() == Drift::Projection {
            self.project();
        }
        Ok(event.map(|found| found.cause))
    }

    /// How long a step may be, of a time that is left.
    fn ceiling(&self, left: f64) -> f64 {
        let longest = self.settings.max_step.unwrap_or(f64::INFINITY).max(1e-12);
        let holds = |element: &Element| {
            element.mode == Mode::On
                && match &element.what {
                    What::Contact(contact) => contact.frictions.iter().any(|friction| friction.grip == Grip::Stick),
                    What::Stop { .. } | What::Motor { .. } => true,
                }
        };
        let longest =
            if self.elements.iter().any(holds) { longest.min(self.holding.max(HOLDING_STEP)) } else { longest };
        // Two equal steps rather than a long and a tiny one.
        if left <= longest { left } else { longest.min(0.5 * left).max(longest.min(left) * 0.5) }
    }

    /// Puts positions and velocities right.
    pub(super) fn project(&mut self) {
        let scenery = Scenery { model: self.model, state: &self.state, drift: self.settings.chosen_drift() };
        let mut bodies = self.state.bodies.clone();
        let drift = self.equations.project(&scenery, self.scale.length, &mut bodies, &self.elements);
        self.tally.drift = self.tally.drift.max(drift);
        let speeds = [self.scale.blur(), self.scale.sliding()];
        self.across = follow_slips(&scenery, &bodies, &mut self.elements, speeds);
        self.state.bodies = bodies;
    }
}

impl Attempt<'_, '_> {
    /// Takes the step again, up to an event; the length it then has.
    fn cut(&mut self, trial: &mut Trial, (y, first): (&[f64], &[f64]), found: Found) -> f64 {
        let h = trial.h;
        // How the signal changes there.
        let span = 1e-4_f64.min(0.5 * (1.0 - found.theta)).max(1e-9);
        let ahead = self.signal(trial, (found.theta + span).min(1.0), found.cause, found.of_forces);
        let back = self.signal(trial, (found.theta - span).max(0.0), found.cause, found.of_forces);
        let slope = (ahead - back) / (((found.theta + span).min(1.0) - (found.theta - span).max(0.0)) * h);
        let mut length = found.theta * h;
        for round in 0..3 {
            if length <= 0.0 {
                self.take(trial, y, first, 0.0);
                return 0.0;
            }
            self.take(trial, y, first, length);
            if round == 2 || slope >= 0.0 || slope.is_nan() {
                break;
            }
            let value = self.signal(trial, 1.0, found.cause, found.of_forces);
            let correction = -value / slope;
            if correction.is_nan()
                || correction.abs() > 0.1 * h
                || correction.abs() <= 1e-16 * self.time.abs().max(1e-3)
            {
                break;
            }
            length = (length + correction).clamp(0.0, h);
        }
        length
    }
}
