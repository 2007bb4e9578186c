//! What is told of a step: contacts and sensors that begin, go on or end, impacts, grips.

use super::RealtimeSettings;
use super::exact::JointMemory;
use super::pairs::{News, Pair, Pairs};
use crate::event::{Events, Grip, ImpactEvent, LimitEvent, Phase};
use crate::method::StepContext;
use crate::parts::notices;
use crate::{Id, Model, State};

/// What is slower along the surface than this, in m/s, does not slide.
const SLIDING: f64 = 1e-3;

/// The fewest pairs that are worth a thread of their own.
const LEAST_SHARE: usize = 256;

/// Tells of all contacts: finds out what there is to tell, on all threads, and then tells it in the order of the pairs.
pub(super) fn contacts(pairs: &mut Pairs, settings: &RealtimeSettings, context: &mut StepContext<'_>) {
    let StepContext { state, dt, events, tell_ongoing, workers, .. } = context;
    let end = state.time_after(*dt);
    for pair in pairs.ended.drain(..).filter(|pair| pair.touch.before) {
        tell(&pair, Phase::End, end, *tell_ongoing, events);
    }
    let members = pairs.list.len() / LEAST_SHARE;
    let (state, ongoing) = (&**state, *tell_ongoing);
    workers.shares(members, &mut pairs.list, |_, pairs| {
        pairs.iter_mut().for_each(|pair| pair.news = learn(pair, settings, state, ongoing));
    });
    for pair in &mut pairs.list {
        if pair.news.any {
            tell_news(pair, end, ongoing, events);
        }
        pair.touch.before = pair.touch.now;
    }
    events.sort();
}

fn tell_news(pair: &Pair, time: f64, tell_ongoing: bool, events: &mut Events) {
    if let Some(phase) = pair.touch.phase() {
        tell(pair, phase, time, tell_ongoing, events);
    }
    impact(pair, time, events);
    if let Some(grip) = pair.grip.filter(|_| !pair.sensor) {
        notices::tell_grip(events, time, pair.news.grip_before, grip, &pair.view());
    }
}

/// Finds out whether a pair touches, and holds or slides.
fn learn(pair: &mut Pair, settings: &RealtimeSettings, state: &State, tell_ongoing: bool) -> News {
    let (mut points, mut hit) = (0, false);
    if !pair.sensor {
        pair.touch.now = false;
        for spot in pair.patches.iter().flat_map(|patch| patch.spots()) {
            points += 1;
            pair.touch.now |= spot.gap <= settings.touch_distance || spot.exerted > 0.0;
            hit |= spot.hit > 0.0;
        }
    }
    let touches = pair.touches();
    let grip = touches.then(|| grip(pair, state));
    let grip_before = std::mem::replace(&mut pair.grip, grip);
    let goes_on = pair.touch.phase().is_none_or(|phase| phase == Phase::Persist && !tell_ongoing);
    let any = !goes_on || hit || (grip_before.is_some() && pair.grip.is_some() && pair.grip != grip_before);
    News { any, grip_before, points: if touches { points } else { 0 } }
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
fn grip(pair: &Pair, state: &State) -> Grip {
    let bodies = pair.bodies.map(|id| &state.bodies[id.slot()]);
    let slides = pair.patches.iter().any(|patch| {
        patch.spots().iter().filter(|spot| spot.exerted > 0.0).any(|spot| {
            let slip = bodies[1].velocity_at(spot.position) - bodies[0].velocity_at(spot.position);
            (slip - patch.normal * slip.dot(patch.normal)).length_squared() > SLIDING * SLIDING
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
