//! What ends a mode, as functions of time that go below zero (K 3.2): a gap closes, a force would pull, friction would have to exceed its
//! cone, sliding comes to a stop, a motor reaches its speed or its strength, a joint breaks.

use super::element::{Against, Element, Grip, Mode, What};
use super::equations::{Equations, Scenery, rate, view};
use super::line::Line;
use super::settle::{answer, bears_in_proportion};
use super::touch::groups;
use crate::constraint::{JointView, Limit, Row};
use crate::{BodyState, Id};

impl Cause {
    /// The element it is of; none for a joint that breaks.
    pub(super) fn element(self) -> Option<usize> {
        match self {
            Self::Touch(index)
            | Self::Part(index)
            | Self::Stop(index, _)
            | Self::Give(index, _)
            | Self::Yield(index)
            | Self::Regain(index)
            | Self::Leave(index) => Some(index),
            Self::Break(_) => None,
        }
    }
}

/// Why a mode ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cause {
    /// The gap of an element closes.
    Touch(usize),
    /// An element would pull.
    Part(usize),
    /// One of the frictions of an element comes to a stop.
    Stop(usize, usize),
    /// One of the frictions of an element gives way.
    Give(usize, usize),
    /// A motor is not strong enough.
    Yield(usize),
    /// A motor reaches its speed.
    Regain(usize),
    /// A point of contact comes to the end of the face or of the edge that it is on.
    Leave(usize),
    /// A joint, by its place in the plan, bears too much.
    Break(usize),
}

/// The value of a function that ends a mode when it goes below zero, and how fast it changes, where that is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signal {
    pub(super) cause: Cause,
    pub(super) value: f64,
    pub(super) rate: Option<f64>,
}

/// A row of a joint where the bodies are.
pub(super) fn joint_row(
    scenery: &Scenery<'_>,
    equations: &Equations,
    bodies: &[BodyState],
    joint: usize,
    row: usize,
) -> Option<(Line, Row)> {
    let planned = equations.joints.get(joint)?;
    let view = JointView::of(scenery.model, bodies, &scenery.state.angles, planned.id)?;
    let mut rows = Vec::new();
    scenery.model.joints().get(planned.id)?.constraint.rows(&view, &mut rows);
    let row = *rows.get(row)?;
    Some((Line::new(planned.slots, &row.jacobian), row))
}

/// The value c of an element's gap less its offset, and its rate; none for motors.
pub(super) fn gap(
    scenery: &Scenery<'_>,
    equations: &Equations,
    bodies: &[BodyState],
    element: &Element,
) -> Option<[f64; 2]> {
    match &element.what {
        What::Stop { joint, row } => {
            let (line, row) = joint_row(scenery, equations, bodies, *joint, *row)?;
            Some([row.error - element.offset, rate(&line, bodies)])
        }
        What::Contact(contact) => {
            let gap = contact.feature.measure(&contact.bodies.map(|id| view(scenery.model, bodies, id)));
            Some([gap.value - element.offset, gap.rate])
        }
        What::Motor { .. } => None,
    }
}

/// By how much a motor is too slow, in m/s or rad/s.
pub(super) fn lag(
    scenery: &Scenery<'_>,
    equations: &Equations,
    bodies: &[BodyState],
    element: &Element,
) -> Option<f64> {
    let What::Motor { joint, row } = element.what else { return None };
    let (line, row) = joint_row(scenery, equations, bodies, joint, row)?;
    Some(row.target_rate - rate(&line, bodies))
}

/// A point that leaves a face is this far beyond its end, in metres: so far that rounding does not matter.
pub(super) const BEYOND: f64 = 1e-14;

/// What goes round an edge and comes back is on the face again at this angle before it, in radians.
const TURNED_BACK: f64 = 1e-9;

/// What positions and velocities tell.
pub(super) fn of_motion(
    scenery: &Scenery<'_>,
    equations: &Equations,
    bodies: &[BodyState],
    elements: &[Element],
    (time, band): (f64, f64),
    signals: &mut Vec<Signal>,
) {
    signals.clear();
    for (index, element) in elements.iter().enumerate() {
        of_element(scenery, equations, bodies, (index, element), (time, band), signals);
    }
    equations.count(200 * elements.len());
}

/// What positions and velocities tell of one element.
pub(super) fn of_element(
    scenery: &Scenery<'_>,
    equations: &Equations,
    bodies: &[BodyState],
    (index, element): (usize, &Element),
    (time, band): (f64, f64),
    signals: &mut Vec<Signal>,
) {
    match (&element.what, element.mode) {
        (What::Stop { .. } | What::Contact(_), Mode::Off) if element.hop.is_some() => {
            let value = element.hop.unwrap_or(time) - time;
            signals.push(Signal { cause: Cause::Touch(index), value, rate: Some(-1.0) });
        }
        (What::Stop { .. } | What::Contact(_), Mode::Off) => {
            let [value, rate] = gap(scenery, equations, bodies, element).unwrap_or([1.0, 0.0]);
            let slack = element.left.unwrap_or(0.0);
            signals.push(Signal { cause: Cause::Touch(index), value: value + slack, rate: Some(rate) });
        }
        (What::Contact(contact), Mode::On) => {
            let views = contact.bodies.map(|id| view(scenery.model, bodies, id));
            if let Some(turned) = contact.turned(&views) {
                signals.push(Signal { cause: Cause::Leave(index), value: turned + TURNED_BACK, rate: None });
            } else if let Some(within) = contact.within(&views) {
                signals.push(Signal { cause: Cause::Leave(index), value: within + band.min(BEYOND), rate: None });
            }
            if !contact.frictions.iter().any(|friction| friction.grip != Grip::Stick) {
                return;
            }
            let reading = contact.read(&views);
            for (number, friction) in contact.frictions.iter().enumerate() {
                if let Grip::Slip { direction, nascent } = friction.grip {
                    let (_, along) = reading.slipping(friction.against, direction, nascent, 0.0);
                    // What begins to slip has no speed yet.
                    let value = if nascent { along + band } else { along };
                    signals.push(Signal { cause: Cause::Stop(index, number), value, rate: None });
                }
            }
        }
        (What::Motor { .. }, Mode::Least | Mode::Most) => {
            let lag = lag(scenery, equations, bodies, element).unwrap_or(0.0);
            let value = if element.mode == Mode::Most { lag } else { -lag };
            signals.push(Signal { cause: Cause::Regain(index), value, rate: None });
        }
        _ => {}
    }
}

/// Forces this close to their bounds, of the largest, are at them.
pub(super) const SLACK: f64 = 1e-11;

/// What forces tell, once the equations have been evaluated there. Values are relative to the largest force; what is within rounding
/// of its bound is at it.
pub(super) fn of_forces(
    scenery: &Scenery<'_>,
    equations: &Equations,
    bodies: &[BodyState],
    elements: &[Element],
    signals: &mut Vec<Signal>,
) {
    signals.clear();
    let mut signal = |cause, value, size: f64| {
        signals.push(Signal { cause, value: value / size.max(f64::MIN_POSITIVE) + SLACK, rate: None });
    };
    let largest = equations.multipliers.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    for (index, element) in elements.iter().enumerate().filter(|(_, element)| element.mode == Mode::On) {
        let Some(rows) = equations.rows_of.get(index).filter(|rows| !rows.is_empty()) else { continue };
        let multipliers = &equations.multipliers[rows.clone()];
        match &element.what {
            What::Stop { .. } => signal(Cause::Part(index), multipliers[0], largest),
            What::Motor { joint, row } => {
                let Some(joint) = equations.joints.get(*joint) else { continue };
                if let Limit::Force { min, max } = joint.rows[*row].limit {
                    let inside = (max - multipliers[0]).min(multipliers[0] - min);
                    signal(Cause::Yield(index), inside, max.abs().max(min.abs()));
                }
            }
            What::Contact(contact) => {
                signal(Cause::Part(index), multipliers[0], largest);
                let mut next = 1;
                for (number, friction) in contact.frictions.iter().enumerate() {
                    if friction.grip == Grip::Stick {
                        let count = if friction.against == Against::Spinning { 1 } else { 2 };
                        let force = multipliers[next..next + count].iter().map(|x| x * x).sum::<f64>().sqrt();
                        next += count;
                        let inside = friction.stick * multipliers[0] - force;
                        signal(Cause::Give(index, number), inside, friction.stick.min(1.0) * largest);
                    }
                }
            }
        }
    }
    allow_other_distributions(equations, elements, signals);
    let mut signal = |cause, value, size: f64| {
        signals.push(Signal { cause, value: value / size.max(f64::MIN_POSITIVE) + SLACK, rate: None });
    };
    for (index, joint) in equations.joints.iter().enumerate() {
        let Some(planned) = scenery.model.joints().get(joint.id).filter(|joint| !joint.breaking.is_never()) else {
            continue;
        };
        if scenery.state.broken[joint.id.slot()] {
            continue;
        }
        let Some(reaction) = equations.reaction(scenery.model, bodies, joint) else { continue };
        let error = joint.rows.iter().map(Row::violation).fold(0.0, f64::max);
        for (value, most) in [
            (reaction.force.length(), planned.breaking.force),
            (reaction.torque.length(), planned.breaking.torque),
            (error, planned.breaking.error),
        ] {
            if most.is_finite() {
                signal(Cause::Break(index), most - value, most);
            }
        }
    }
}

/// Redundant contacts share a load in many ways. Where the way at hand leaves its cones, another may not: then nothing ends.
fn allow_other_distributions(equations: &Equations, elements: &[Element], signals: &mut [Signal]) {
    let element_of = |cause: Cause| match cause {
        Cause::Part(index) | Cause::Give(index, _) | Cause::Yield(index) => Some(index),
        _ => None,
    };
    let doubtful = |signal: &Signal| {
        let rows = element_of(signal.cause).and_then(|index| equations.rows_of.get(index));
        signal.value < 0.0 && rows.is_some_and(|rows| !rows.is_empty() && !equations.unique[rows.start])
    };
    if !signals.iter().any(doubtful) {
        return;
    }
    for group in groups(&equations.ground(), &equations.rows) {
        let inside = |signal: &Signal| {
            element_of(signal.cause).is_some_and(|index| group.iter().any(|&row| equations.rows[row].element == index))
        };
        if signals.iter().any(|signal| doubtful(signal) && inside(signal))
            && (bears_in_proportion(equations, elements, &group)
                || answer(equations, elements, &group).is_some_and(|answer| answer.holds()))
        {
            signals
                .iter_mut()
                .filter(|signal| inside(signal))
                .for_each(|signal| signal.value = signal.value.max(SLACK));
        }
    }
}
