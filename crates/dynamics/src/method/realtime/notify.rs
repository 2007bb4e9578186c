//! What is told of a step: contacts and sensors that begin, go on or end, impacts, grips.

use super::RealtimeSettings;
use super::exact::JointMemory;
use super::pairs::{Pair, Pairs};
use crate::constraint::BodyView;
use crate::event::{Events, Grip, ImpactEvent, LimitEvent, Phase};
use crate::method::StepContext;
use crate::parts::notices;
use crate::{Model, State};

/// What is slower along the surface than this, in m/s, does not slide.
const SLIDING: f64 = 1e-3;

/// Tells of all contacts.
pub(super) fn contacts(pairs: &mut Pairs, settings: &RealtimeSettings, context: &mut StepContext<'_>) {
    let StepContext { model, state, dt, events, tell_ongoing, .. } = context;
    let end = state.time_after(*dt);
    for pair in pairs.ended.drain(..).filter(|pair| pair.touch.before) {
        tell(&pair, Phase::End, end, *tell_ongoing, events);
    }
    for pair in &mut pairs.list {
        if !pair.sensor {
            let touches = pair.spots().any(|spot| spot.gap <= settings.touch_distance || spot.exerted > 0.0);
            pair.touch.now = touches;
        }
        if let Some(phase) = pair.touch.phase() {
            tell(pair, phase, end, *tell_ongoing, events);
        }
        impact(pair, end, events);
        let grip = pair.touches().then(|| grip(pair, model, state));
        if let Some(grip) = grip.filter(|_| !pair.sensor) {
            notices::tell_grip(events, end, pair.grip, grip, &pair.view());
        }
        pair.grip = grip;
        pair.touch.before = pair.touch.now;
    }
    events.sort();
}

fn tell(pair: &Pair, phase: Phase, time: f64, tell_ongoing: bool, events: &mut Events) {
    if pair.sensor {
        notices::tell_sensor(events, time, phase, pair.sensor_first());
    } else {
        notices::tell_contact(events, time, phase, tell_ongoing, &pair.view());
    }
}

/// Tells of the point that was hit fastest.
fn impact(pair: &Pair, time: f64, events: &mut Events) {
    let all = pair.patches.iter().flat_map(|patch| patch.spots().iter().map(move |spot| (patch, spot)));
    let fastest = all.filter(|(_, spot)| spot.hit > 0.0).max_by(|(_, a), (_, b)| a.hit.total_cmp(&b.hit));
    if let Some((patch, spot)) = fastest {
        events.impacts.push(ImpactEvent {
            time,
            colliders: pair.colliders,
            bodies: pair.bodies,
            position: spot.position,
            normal: patch.normal,
            speed: spot.hit,
            impulse: pair.view().impulse(),
        });
    }
}

/// Whether the surfaces hold or slide.
fn grip(pair: &Pair, model: &Model, state: &State) -> Grip {
    let views = pair.bodies.map(|id| {
        model.bodies().get(id).map_or(BodyView::WORLD, |body| BodyView::new(body, &state.bodies[crate::Id::slot(id)]))
    });
    let slides = pair.patches.iter().any(|patch| {
        patch.spots().iter().filter(|spot| spot.exerted > 0.0).any(|spot| {
            let slip = views[1].velocity_at(spot.position) - views[0].velocity_at(spot.position);
            (slip - patch.normal * slip.dot(patch.normal)).length() > SLIDING
        })
    });
    if slides { Grip::Slip } else { Grip::Stick }
}

/// Tells which limits of joints were reached and left: those that began and ceased to push.
pub(super) fn limits(model: &Model, joints: &mut [JointMemory], time: f64, events: &mut Events) {
    for memory in joints {
        let Some(joint) = memory.joint.filter(|&id| model.joints().get(id).is_some()) else { continue };
        for row in 0..memory.limits.len() {
            let (before, now) = (memory.limits_before.get(row).copied().unwrap_or(false), memory.limits[row]);
            if before != now {
                events.limits.push(LimitEvent { time, joint, row: row as u32, reached: now });
            }
        }
        memory.limits_before.clone_from(&memory.limits);
    }
}
