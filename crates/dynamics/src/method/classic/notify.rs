//! What happened: contacts that began, go on or ended, impacts, surfaces that hold or slide.

use super::contacts::{Contacts, Mark, Pair};
use crate::event::{Events, Grip, ImpactEvent, Phase};
use crate::method::StepContext;
use crate::parts::notices;
use crate::{Id, State};

/// Surfaces that touch and move along each other faster than this slide, in m/s.
const SLIDING: f64 = 1e-4;

/// Surfaces that met slower than this did not hit each other, in m/s.
pub(in crate::method) const HIT: f64 = 0.1;

/// Tells of contacts and sensors, in the order of the colliders' ids.
pub(super) fn contacts<M: Mark>(contacts: &mut Contacts<M>, context: &mut StepContext<'_>) {
    let StepContext { state, dt, events, tell_ongoing, .. } = context;
    let end = state.time_after(*dt);
    for pair in contacts.ended.drain(..).filter(|pair| pair.touch.before) {
        tell(&pair, Phase::End, end, *tell_ongoing, events);
    }
    events.impacts.append(&mut contacts.hits);
    for pair in &mut contacts.list {
        pair.dt = *dt;
        pair.settle_touch();
        if let Some(phase) = pair.touch.phase() {
            tell(pair, phase, end, *tell_ongoing, events);
        }
        tell_impact(pair, end, events);
        let grip = (pair.touches() && !pair.sensor).then(|| grip(pair, state));
        if let Some(grip) = grip {
            notices::tell_grip(events, end, pair.grip, grip, &pair.view());
        }
        pair.grip = grip;
        pair.touch.before = pair.touch.now;
    }
    events.sort();
}

fn tell<M: Mark>(pair: &Pair<M>, phase: Phase, time: f64, tell_ongoing: bool, events: &mut Events) {
    if pair.sensor {
        notices::tell_sensor(events, time, phase, pair.sensor_first());
    } else {
        notices::tell_contact(events, time, phase, tell_ongoing, &pair.view());
    }
}

/// Tells of the point that was hit fastest, if it was hit faster than what counts as rest.
fn tell_impact<M: Mark>(pair: &Pair<M>, time: f64, events: &mut Events) {
    let Some(point) = pair.points.iter().max_by(|a, b| a.met.total_cmp(&b.met)).filter(|point| point.met > HIT) else {
        return;
    };
    let (position, normal, speed) = (point.geometry.position, point.geometry.normal, point.met);
    let (colliders, bodies, impulse) = (pair.colliders, pair.bodies, pair.view().impulse());
    events.impacts.push(ImpactEvent { time, colliders, bodies, position, normal, speed, impulse });
}

/// Whether the surfaces hold or slide.
fn grip<M: Mark>(pair: &Pair<M>, state: &State) -> Grip {
    let [a, b] = pair.bodies.map(|id| &state.bodies[id.slot()]);
    let slides = pair.points.iter().filter(|point| point.impulse.normal > 0.0).any(|point| {
        let (at, normal) = (point.geometry.position, point.geometry.normal);
        let slip = b.velocity_at(at) - a.velocity_at(at);
        (slip - normal * slip.dot(normal)).length() > SLIDING
    });
    if slides { Grip::Slip } else { Grip::Stick }
}
