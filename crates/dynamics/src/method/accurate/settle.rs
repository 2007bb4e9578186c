//! At an event: what hits bounces, and what then touches chooses its modes.
//!
//! **Choosing modes.** Everything that touches, and neither approaches nor leaves, may press. The first guess is that all of it presses, and that
//! everything hardly sliding holds. If the forces of this guess pull nowhere and stay within their cones, it is right. If not, the
//! [cone solver](super::cone) decides who presses, who holds and who begins to slide, and in which direction: *nascent slip* has no speed
//! yet, and keeps the direction in which it accelerates until it is fast enough to have one of its own.

use super::cone::{self, Block};
use super::element::{Against, Element, Grip, Mode, What};
use super::equations::{COUPLING, Equations, rate, view};
use super::line::{Line, Twist};
use super::run::Run;
use super::settings::ModeChoice;
use super::signals::{Cause, SLACK, gap, joint_row, lag};
use super::touch::{Coupled, groups};
use crate::constraint::Limit;
use glam::DVec3;

/// Forces this small, of the largest, are none.
const NO_FORCE: f64 = 1e-11;

/// Accelerations this small, of those that there are, are none.
const NO_ACCELERATION: f64 = 1e-11;

impl Run<'_> {
    /// Lets impacts happen and chooses modes, at an event or at the beginning.
    pub(super) fn settle(&mut self, cause: Option<Cause>) {
        match cause {
            Some(Cause::Part(index)) => {
                self.elements[index].mode = Mode::Off;
                self.elements[index].left = Some(self.scale.touching());
            }
            Some(Cause::Touch(index)) => (self.elements[index].left, self.elements[index].hop) = (None, None),
            _ => {}
        }
        self.collide();
        if !self.choose(cause) && self.jam() {
            // What slid has stopped at once, and may choose anew.
            self.choose(None);
        }
        self.watch_hops();
        self.project();
    }

    /// Chooses the modes of everything that touches. Whether there are forces that obey all laws.
    fn choose(&mut self, cause: Option<Cause>) -> bool {
        let excluded = match cause {
            Some(Cause::Part(index)) => Some(index),
            _ => None,
        };
        self.guess(excluded, cause);
        if self.settings.chosen_modes() == ModeChoice::Dropping {
            self.drop_what_pulls();
        }
        for round in 0..5 {
            let first = round == 0;
            let bodies = self.state.bodies.clone();
            let time = self.time;
            let scenery = super::equations::Scenery {
                model: self.model,
                state: &self.state,
                drift: self.settings.chosen_drift(),
            };
            self.equations.evaluate(&scenery, time, &bodies, &self.elements);
            // What gives way has come to its bound, though to the last digit it may still hold: then it is let go.
            let gives = matches!(cause, Some(Cause::Give(..))) && first && self.decide();
            if !gives && self.is_possible() {
                return true;
            }
            if gives {
                continue;
            }
            if !self.decide() {
                return !self.equations.stuck;
            }
        }
        false
    }

    /// K 3.6: everything that touches presses; what would pull is dropped, and the rest is solved again.
    fn drop_what_pulls(&mut self) {
        loop {
            let bodies = self.state.bodies.clone();
            let scenery = super::equations::Scenery {
                model: self.model,
                state: &self.state,
                drift: self.settings.chosen_drift(),
            };
            self.equations.evaluate(&scenery, self.time, &bodies, &self.elements);
            let largest = self.equations.multipliers.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
            let mut dropped = false;
            for (element, rows) in self.elements.iter_mut().zip(&self.equations.rows_of) {
                let pulls = !rows.is_empty() && self.equations.multipliers[rows.start] < -NO_FORCE * largest;
                if element.is_gap() && element.mode == Mode::On && pulls {
                    (element.mode, element.left, dropped) = (Mode::Off, Some(self.scale.touching()), true);
                }
            }
            if !dropped {
                return;
            }
        }
    }

    /// What leaves so slowly that it will hardly get away comes back when the parabola says: 2 v/|g̈| later. Gaps that small drown in
    /// rounding, and a ball that comes to rest hops through all of them.
    fn watch_hops(&mut self) {
        let slow = 1e-3 * self.scale.speed;
        for index in 0..self.elements.len() {
            let element = &self.elements[index];
            if element.mode != Mode::Off || element.left.is_none() || element.hop.is_some_and(|until| until > self.time)
            {
                continue;
            }
            let scenery = self.scenery();
            let bodies = &self.state.bodies;
            let reading = match &element.what {
                What::Stop { joint, row } => joint_row(&scenery, self.equations, bodies, *joint, *row)
                    .map(|(line, row)| (line, row.jdot_v, rate(&line, bodies))),
                What::Contact(contact) => {
                    let gap = contact.feature.measure(&contact.bodies.map(|id| view(self.model, bodies, id)));
                    Some((Line::new(contact.slots, &gap.jacobian), gap.curvature, gap.rate))
                }
                What::Motor { .. } => None,
            };
            let hop = reading.and_then(|(line, curvature, speed)| {
                let pull = -(line.rate(&self.equations.accelerations) + curvature);
                let hops = speed > 0.0 && speed < slow && pull > 0.0 && 2.0 * speed / pull < 1e-4;
                hops.then(|| self.time + 2.0 * speed / pull)
            });
            self.elements[index].hop = hop;
        }
    }

    /// The first guess: everything that touches presses and, unless it slides, holds.
    fn guess(&mut self, excluded: Option<usize>, cause: Option<Cause>) {
        let (band, resting, holding) = (self.scale.touching(), self.scale.resting(), self.scale.holding());
        for index in 0..self.elements.len() {
            let scenery = self.scenery();
            let element = &self.elements[index];
            if !element.is_gap() {
                let late = lag(&scenery, self.equations, &self.state.bodies, element).unwrap_or(0.0);
                let reached = cause == Some(Cause::Regain(index));
                let mode = if reached || late.abs() <= holding {
                    Mode::On
                } else if late > 0.0 {
                    Mode::Most
                } else {
                    Mode::Least
                };
                self.elements[index].mode = mode;
                continue;
            }
            let [apart, speed] = gap(&scenery, self.equations, &self.state.bodies, element).unwrap_or([1.0, 0.0]);
            let hops = element.hop.is_some_and(|until| until > self.time);
            let touches = apart <= band && speed.abs() <= 2.0 * resting && excluded != Some(index) && !hops;
            let was_on = element.mode == Mode::On;
            let slips = element.contact().filter(|_| touches).map(|contact| {
                let reading = contact.read(&contact.bodies.map(|id| view(self.model, &self.state.bodies, id)));
                let velocities = contact.frictions.iter().map(|friction| reading.speed(friction.against));
                velocities.collect::<Vec<DVec3>>()
            });
            let element = &mut self.elements[index];
            if !touches {
                if apart <= band && element.left.is_none() {
                    // What bounces leaves with a speed; what parts only accelerates, and may linger.
                    element.left = Some(if speed > 2.0 * resting { 0.0 } else { band });
                }
                element.mode = Mode::Off;
                continue;
            }
            (element.mode, element.hop) = (Mode::On, None);
            let Some((contact, slips)) = element.contact_mut().zip(slips) else { continue };
            for (number, (friction, velocity)) in contact.frictions.iter_mut().zip(slips).enumerate() {
                let speed = velocity.length();
                let stopped = cause == Some(Cause::Stop(index, number));
                let begins = match friction.grip {
                    Grip::Slip { nascent, .. } => nascent && was_on && !stopped,
                    Grip::Stick => false,
                    Grip::Smooth { .. } => true,
                };
                if begins {
                    continue;
                }
                friction.grip = if stopped || speed <= holding {
                    Grip::Stick
                } else {
                    Grip::Slip { direction: velocity / speed, nascent: false }
                };
            }
        }
    }

    /// Whether the forces evaluated last are possible in the modes that there are.
    fn is_possible(&self) -> bool {
        if self.equations.stuck {
            return false;
        }
        let mut signals = Vec::new();
        super::signals::of_forces(&self.scenery(), self.equations, &self.state.bodies, &self.elements, &mut signals);
        signals.iter().all(|signal| signal.value >= 0.0 || matches!(signal.cause, Cause::Break(_)))
    }

    /// Lets the cone solver decide. Whether it changed a mode.
    fn decide(&mut self) -> bool {
        let mut verdicts: Vec<(usize, Verdict)> = Vec::new();
        for group in groups(&self.equations.ground(), &self.equations.rows) {
            let Some(mut answer) = answer(self.equations, &self.elements, &group) else { continue };
            answer.barely = answer.holds();
            for (block, &owner) in answer.blocks.iter().zip(&answer.owners) {
                verdicts.push((owner, self.verdict(block, owner, &answer)));
            }
        }
        let mut changed = false;
        for (index, verdict) in verdicts {
            changed |= verdict.apply(&mut self.elements[index], self.scale.touching());
        }
        changed
    }

    /// What a solution says of an element.
    fn verdict(&self, block: &Block, owner: usize, answer: &Answer) -> Verdict {
        let Answer { solution, largest, pull, barely, .. } = answer;
        match block {
            Block::Bounded { row, min, max } => {
                let (force, rate) = (solution.lambda[*row], solution.rates[*row]);
                let yields = rate.abs() > NO_ACCELERATION * *pull;
                let mode = match yields {
                    true if force >= *max => Mode::Most,
                    true if force <= *min => Mode::Least,
                    _ => Mode::On,
                };
                Verdict { mode, grips: Vec::new() }
            }
            Block::Contact { normal, frictions } => {
                if solution.lambda[*normal] <= NO_FORCE * *largest {
                    return Verdict { mode: Mode::Off, grips: Vec::new() };
                }
                let Some(contact) = self.elements[owner].contact() else {
                    return Verdict { mode: Mode::On, grips: Vec::new() };
                };
                let reading = contact.read(&contact.bodies.map(|id| view(self.model, &self.state.bodies, id)));
                let mut ranges = frictions.iter();
                let grips = contact.frictions.iter().map(|friction| {
                    if friction.grip != Grip::Stick {
                        return friction.grip;
                    }
                    let Some((rows, mu)) = ranges.next() else { return Grip::Stick };
                    let force = solution.lambda[rows.clone()].iter().map(|x| x * x).sum::<f64>().sqrt();
                    let directions = reading.directions(friction.against);
                    let gathers = solution.rates[rows.clone()].iter().map(|x| x * x).sum::<f64>().sqrt();
                    let at_bound = force >= mu * solution.lambda[*normal] * (1.0 - 1e-6);
                    if at_bound && (gathers > NO_ACCELERATION * *pull || *barely) {
                        // Against the force, which is known better than the acceleration where it slides ever so slowly.
                        let pushes: DVec3 =
                            directions.iter().zip(&solution.lambda[rows.clone()]).map(|(d, force)| *d * *force).sum();
                        Grip::Slip { direction: -pushes.normalize_or_zero(), nascent: true }
                    } else {
                        Grip::Stick
                    }
                });
                Verdict { mode: Mode::On, grips: grips.collect() }
            }
        }
    }
}

/// What the cone solver says of a group of rows.
pub(super) struct Answer {
    solution: cone::Solution,
    blocks: Vec<Block>,
    /// The elements the blocks belong to.
    owners: Vec<usize>,
    /// The largest force, and the largest acceleration there would be without any.
    largest: f64,
    pull: f64,
    /// Nothing moves as far as one can see, though it is known that something has to.
    barely: bool,
}

impl Answer {
    /// Whether all that is to hold does, with some distribution of the forces: then the motion is the one without a thought of cones.
    pub(super) fn holds(&self) -> bool {
        let still = self.solution.rates.iter().all(|rate| rate.abs() <= NO_ACCELERATION * self.pull);
        still && self.solution.converged
    }
}

/// Whether a group of rows, where the equations were evaluated last, bears its load if friction is shared in proportion to the normal forces:
/// what slides as a whole holds in this way as long as it holds at all.
pub(super) fn bears_in_proportion(equations: &Equations, elements: &[Element], group: &[usize]) -> bool {
    let (blocks, _) = blocks(equations, elements, group);
    let coupled = Coupled::new(&equations.ground(), &equations.rows, group);
    let lambda: Vec<f64> = group.iter().map(|&row| equations.multipliers[row]).collect();
    let normals: Vec<usize> = blocks.iter().filter_map(Block::normal).collect();
    let mean = normals.iter().map(|&row| lambda[row].max(0.0)).sum::<f64>() / normals.len().max(1) as f64;
    if mean <= 0.0 {
        return false;
    }
    let mut weights = vec![1.0; lambda.len()];
    for block in &blocks {
        if let Block::Contact { normal, frictions } = block {
            let share = (lambda[*normal] / mean).max(1e-9);
            frictions.iter().for_each(|(rows, _)| weights[rows.clone()].fill(share));
        }
    }
    let Some(lambda) = coupled.shared(&lambda, &weights) else { return false };
    let slack = SLACK * lambda.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    blocks.iter().all(|block| match block {
        Block::Bounded { row, min, max } => lambda[*row] >= min - slack && lambda[*row] <= max + slack,
        Block::Contact { normal, frictions } => {
            let inside = |(rows, mu): &(std::ops::Range<usize>, f64)| {
                lambda[rows.clone()].iter().map(|x| x * x).sum::<f64>().sqrt()
                    <= mu * lambda[*normal] + mu.min(1.0) * slack
            };
            lambda[*normal] >= -slack && frictions.iter().all(inside)
        }
    })
}

/// Asks the cone solver of a group of rows, where the equations were evaluated last; none if it finds nothing.
pub(super) fn answer(equations: &Equations, elements: &[Element], group: &[usize]) -> Option<Answer> {
    let ground = equations.ground();
    // What the bodies would do without the elements.
    let undo: Vec<f64> = equations.multipliers.iter().map(|lambda| -lambda).collect();
    let mut free = vec![Twist::default(); equations.accelerations.len()];
    super::touch::push(&ground, &equations.rows, &undo, &mut free);
    for tree in &equations.trees {
        tree.hold(&mut free, |_| 0.0, &mut vec![0.0; tree.lines.len()]);
    }
    free.iter_mut().zip(&equations.accelerations).for_each(|(free, with)| free.add(with, 1.0));
    let (blocks, owners) = blocks(equations, elements, group);
    let b: Vec<f64> =
        group.iter().map(|&row| equations.rows[row].line.rate(&free) + equations.rows[row].bias).collect();
    let coupled = Coupled::new(&ground, &equations.rows, group);
    let solution = cone::solve(&coupled.matrix, &b, &blocks)?;
    equations.count((2 * solution.rounds + COUPLING) * group.len() * group.len() + 6 * group.len().pow(3));
    let most = |list: &[f64]| list.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    let (largest, pull) = (most(&solution.lambda), most(&b));
    Some(Answer { solution, blocks, owners, largest, pull, barely: false })
}

/// The rows of a group as blocks, with the elements they belong to. Rows are counted within the group.
fn blocks(equations: &Equations, elements: &[Element], group: &[usize]) -> (Vec<Block>, Vec<usize>) {
    let (mut blocks, mut owners) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < group.len() {
        let index = equations.rows[group[at]].element;
        let count = group[at..].iter().take_while(|&&row| equations.rows[row].element == index).count();
        let block = match &elements[index].what {
            What::Stop { .. } => Block::Contact { normal: at, frictions: Vec::new() },
            What::Motor { joint, row } => match equations.joints[*joint].rows[*row].limit {
                Limit::Force { min, max } => Block::Bounded { row: at, min, max },
                _ => Block::Bounded { row: at, min: f64::NEG_INFINITY, max: f64::INFINITY },
            },
            What::Contact(contact) => {
                let (mut frictions, mut next) = (Vec::new(), at + 1);
                for friction in contact.frictions.iter().filter(|friction| friction.grip == Grip::Stick) {
                    let rows = if friction.against == Against::Spinning { 1 } else { 2 };
                    frictions.push((next..next + rows, friction.stick));
                    next += rows;
                }
                Block::Contact { normal: at, frictions }
            }
        };
        blocks.push(block);
        owners.push(index);
        at += count;
    }
    (blocks, owners)
}

/// What an element is to do.
struct Verdict {
    mode: Mode,
    grips: Vec<Grip>,
}

impl Verdict {
    /// Makes it so. Whether that changed anything.
    fn apply(self, element: &mut Element, band: f64) -> bool {
        let mut changed = element.mode != self.mode;
        element.mode = self.mode;
        if self.mode == Mode::Off {
            element.left = Some(band);
        }
        if let Some(contact) = element.contact_mut() {
            for (friction, grip) in contact.frictions.iter_mut().zip(self.grips) {
                changed |= friction.grip != grip;
                friction.grip = grip;
            }
        }
        changed
    }
}
