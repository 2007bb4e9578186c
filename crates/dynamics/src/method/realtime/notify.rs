//! What is told of a step: contacts and sensors that begin, go on or end, impacts, grips.

use super::RealtimeSettings;
use super::bodies::Bodies;
use super::exact::JointMemory;
use super::pairs::{Meeting, News, Pair, Pairs};
use crate::event::{Events, Grip, ImpactEvent, LimitEvent, Phase};
use crate::method::StepContext;
use crate::parts::notices;
use crate::{Id, Model, State, Workers};
use glam::DVec3;

/// What is slower along the surface than this, in m/s, does not slide; and what is slower away from it does not part.
const SLIDING: f64 = 1e-3;

/// The fewest pairs that are worth a thread of their own.
const LEAST_SHARE: usize = 256;

/// Notes when surfaces that did not touch before the step meet in the next `part` seconds, of which the first is `begun` seconds after the
/// beginning of the step. With the gap s, the relative velocity v and acceleration a along the normal that is at
/// `t = 2s / (−v + √(v² − 2as))`, with the speed `v + a t`.
pub(super) fn meetings(pairs: &mut Pairs, bodies: &Bodies, begun: f64, part: f64, workers: &Workers) {
    let members = pairs.list.len() / LEAST_SHARE;
    workers.shares(members, &mut pairs.list, |_, pairs| {
        for pair in pairs.iter_mut().filter(|pair| !pair.touch.before && pair.meeting.is_none()) {
            let first = meeting(pair, bodies).filter(|meeting| meeting.time <= part);
            pair.meeting = first.map(|meeting| Meeting { time: begun + meeting.time, ..meeting });
        }
    });
}

/// When the first of the points of a pair closes if forces alone move its bodies.
fn meeting(pair: &Pair, bodies: &Bodies) -> Option<Meeting> {
    let [a, b] = pair.bodies.map(|id| &bodies.list[bodies.number(id) as usize]);
    let all = pair.patches.iter().filter(|patch| !patch.ghost);
    let meetings = all.flat_map(|patch| patch.spots().iter().map(move |spot| (patch.normal, spot))).filter_map(
        |(normal, spot)| {
            let at = spot.position;
            let velocity = normal.dot(b.velocity_at(at - b.position) - a.velocity_at(at - a.position));
            let acceleration = normal.dot(b.acceleration - a.acceleration);
            let gap = spot.gap.max(0.0);
            let square = velocity * velocity - 2.0 * acceleration * gap;
            let closing = square.max(0.0).sqrt() - velocity;
            let time = if gap > 0.0 { 2.0 * gap / closing } else { 0.0 };
            let speed = -(velocity + acceleration * time);
            (square >= 0.0 && time >= 0.0 && speed >= 0.0).then_some(Meeting { time, speed })
        },
    );
    meetings.min_by(|a, b| a.time.total_cmp(&b.time))
}

/// Tells of all contacts: finds out what there is to tell, on all threads, and then tells it in the order of the pairs.
pub(super) fn contacts(pairs: &mut Pairs, settings: &RealtimeSettings, context: &mut StepContext<'_>) {
    let StepContext { state, dt, events, tell_ongoing, workers, .. } = context;
    let (start, end) = (state.time, state.time_after(*dt));
    for pair in pairs.ended.drain(..).filter(|pair| pair.touch.before) {
        tell(&pair, Phase::End, start, *tell_ongoing, events);
    }
    let members = pairs.list.len() / LEAST_SHARE;
    let (state, ongoing) = (&**state, *tell_ongoing);
    workers.shares(members, &mut pairs.list, |_, pairs| {
        pairs.iter_mut().for_each(|pair| pair.news = learn(pair, settings, state, ongoing));
    });
    for pair in &mut pairs.list {
        if pair.news.any {
            tell_news(pair, settings, [start, end], ongoing, events);
        }
        pair.touch.before = pair.touch.now;
    }
    events.sort();
}

/// Tells what is new of a pair in a step from `start` to `end`. Surfaces that part have not touched since its beginning.
fn tell_news(
    pair: &Pair,
    settings: &RealtimeSettings,
    [start, end]: [f64; 2],
    tell_ongoing: bool,
    events: &mut Events,
) {
    let begin = pair.meeting.map_or(end, |meeting| start + meeting.time);
    if let Some(phase) = pair.touch.phase() {
        let time = match phase {
            Phase::Begin => begin,
            Phase::Persist => end,
            Phase::End => start,
        };
        tell(pair, phase, time, tell_ongoing, events);
    }
    impact(pair, settings.restitution_threshold, begin, events);
    if let Some(grip) = pair.grip.filter(|_| !pair.sensor) {
        notices::tell_grip(events, end, pair.news.grip_before, grip, &pair.view());
    }
}

/// Finds out whether a pair touches, and holds or slides.
fn learn(pair: &mut Pair, settings: &RealtimeSettings, state: &State, tell_ongoing: bool) -> News {
    let (mut points, mut hit) = (0, false);
    if !pair.sensor {
        let (mut near, mut pressed) = (false, false);
        for spot in pair.patches.iter().flat_map(|patch| patch.spots()) {
            points += 1;
            near |= spot.gap <= settings.touch_distance;
            pressed |= spot.exerted > 0.0;
            hit |= spot.hit > 0.0;
        }
        pair.touch.now = pressed || (near && !parts(pair, state));
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

/// Whether surfaces that nothing pressed during the step move apart in all points.
fn parts(pair: &Pair, state: &State) -> bool {
    pair.patches
        .iter()
        .all(|patch| patch.spots().iter().all(|spot| slip(pair, state, spot.position).dot(patch.normal) > SLIDING))
}

/// How fast the surface of the second body moves against that of the first at a point, in m/s.
fn slip(pair: &Pair, state: &State, point: DVec3) -> DVec3 {
    let [a, b] = pair.bodies.map(|id| &state.bodies[id.slot()]);
    b.velocity_at(point) - a.velocity_at(point)
}

/// Tells of the point that was hit fastest; where surfaces met that do not bounce, of the one that bore most.
fn impact(pair: &Pair, threshold: f64, time: f64, events: &mut Events) {
    let all = || pair.patches.iter().flat_map(|patch| patch.spots().iter().map(move |spot| (patch, spot)));
    let bounced = all().filter(|(_, spot)| spot.hit > 0.0).max_by(|(_, a), (_, b)| a.hit.total_cmp(&b.hit));
    let met = pair.meeting.filter(|meeting| meeting.speed > threshold && !pair.sensor).and_then(|meeting| {
        let pressed = all().filter(|(_, spot)| spot.exerted > 0.0);
        let most = pressed.max_by(|(_, a), (_, b)| a.exerted.total_cmp(&b.exerted))?;
        Some((most, meeting.speed))
    });
    if let Some(((patch, spot), speed)) = bounced.map(|point| (point, point.1.hit)).or(met) {
        events.impacts.push(ImpactEvent {
            time,
            colliders: pair.colliders,
            bodies: pair.bodies,
            position: spot.position,
            normal: patch.normal,
            speed,
            impulse: pair.view().impulse(),
        });
    }
}

/// Whether the surfaces hold or slide.
fn grip(pair: &Pair, state: &State) -> Grip {
    let slides = pair.patches.iter().any(|patch| {
        patch.spots().iter().filter(|spot| spot.exerted > 0.0).any(|spot| {
            let slip = slip(pair, state, spot.position);
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
