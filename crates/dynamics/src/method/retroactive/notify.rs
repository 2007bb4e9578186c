//! What happened: contacts that began, go on or ended, impacts, surfaces that hold or slide, limits reached and left.

use super::assemble::JointMemory;
use super::contact::PairState;
use super::detect::{Contacts, view};
use super::settings::RetroactiveSettings;
use crate::constraint::BodyView;
use crate::event::{Events, Grip, ImpactEvent, LimitEvent, Phase};
use crate::method::StepContext;
use crate::parts::notices;
use crate::{JointId, Model};
use glam::DVec3;

/// Surfaces that touch and move along each other faster than this slide, in m/s.
const SLIDING: f64 = 1e-4;

/// Tells of contacts and sensors, in the order of the colliders' ids.
pub(super) fn contacts(contacts: &mut Contacts, settings: &RetroactiveSettings, context: &mut StepContext<'_>) {
    let StepContext { model, state, dt, events, tell_ongoing, .. } = context;
    let (start, end) = (state.time, state.time_after(*dt));
    for pair in contacts.ended.drain(..).filter(|pair| pair.touch.before) {
        tell(&pair, Phase::End, end, *tell_ongoing, events);
    }
    for pair in &mut contacts.list {
        pair.settle_touch(settings.touch_distance);
        let views = pair.bodies.map(|id| view(model, state, id));
        if let Some(phase) = pair.touch.phase() {
            let time = match phase {
                Phase::Begin => start + time_of_meeting(pair, *dt),
                Phase::Persist => end,
                Phase::End => end - time_since_parting(pair, &views, *dt),
            };
            tell(pair, phase, time, *tell_ongoing, events);
        }
        impact(pair, settings, start, *dt, events);
        let grip = pair.touches().then(|| grip(pair, &views));
        if let Some(grip) = grip.filter(|_| !pair.sensor) {
            notices::tell_grip(events, end, pair.grip, grip, &pair.view());
        }
        pair.grip = grip;
        pair.touch.before = pair.touch.now;
    }
    events.sort();
}

fn tell(pair: &PairState, phase: Phase, time: f64, tell_ongoing: bool, events: &mut Events) {
    if pair.sensor {
        notices::tell_sensor(events, time, phase, pair.sensor_first());
    } else {
        notices::tell_contact(events, time, phase, tell_ongoing, &pair.view());
    }
}

/// Tells of the point that was hit fastest, if it was hit faster than what counts as rest.
fn impact(pair: &PairState, settings: &RetroactiveSettings, start: f64, dt: f64, events: &mut Events) {
    let hit = pair.points.iter().filter(|point| point.start.normal + point.end.normal > 0.0);
    let Some(point) = hit.max_by(|a, b| a.impact_speed.total_cmp(&b.impact_speed)) else { return };
    if point.impact_speed > settings.restitution_threshold {
        events.impacts.push(ImpactEvent {
            time: start + time_of_meeting(pair, dt),
            colliders: pair.colliders,
            bodies: pair.bodies,
            position: point.geometry.position,
            normal: point.geometry.normal,
            speed: point.impact_speed,
            impulse: pair.view().impulse(),
        });
    }
}

/// How long after the beginning of the step the first of the points met, in seconds.
fn time_of_meeting(pair: &PairState, dt: f64) -> f64 {
    let time = pair.points.iter().map(|point| point.meeting_time).fold(dt, f64::min);
    time.clamp(0.0, dt)
}

/// How long before the end of the step surfaces parted, in seconds: with the gap g and the speed v at which it grows, g/v
/// if they parted at that speed and 2 g/v if they parted from rest. Where nothing pushed them during the step, they parted
/// at its beginning.
fn time_since_parting(pair: &PairState, views: &[BodyView; 2], dt: f64) -> f64 {
    let since = pair.points.iter().map(|point| {
        let slip = relative_velocity(views, point.geometry.position);
        let speed = slip.dot(point.geometry.normal);
        if speed > 0.0 { 2.0 * point.geometry.gap / speed } else { dt }
    });
    since.fold(dt, f64::min).clamp(0.0, dt)
}

fn relative_velocity(views: &[BodyView; 2], point: DVec3) -> DVec3 {
    views[1].velocity_at(point) - views[0].velocity_at(point)
}

/// Whether the surfaces hold or slide.
fn grip(pair: &PairState, views: &[BodyView; 2]) -> Grip {
    let slides = pair.points.iter().filter(|point| point.start.normal + point.end.normal > 0.0).any(|point| {
        let slip = relative_velocity(views, point.geometry.position);
        (slip - point.geometry.normal * slip.dot(point.geometry.normal)).length() > SLIDING
    });
    if slides { Grip::Slip } else { Grip::Stick }
}

/// Tells which limits of joints were reached and left: those that began and ceased to push.
pub(super) fn limits(model: &Model, joints: &mut [JointMemory], time: f64, events: &mut Events) {
    for memory in joints {
        let Some(joint) = memory.joint.filter(|&id| is_there(model, id)) else { continue };
        for row in 0..memory.limits.len() {
            let (before, now) = (memory.limits_before.get(row).copied().unwrap_or(false), memory.limits[row]);
            if before != now {
                events.limits.push(LimitEvent { time, joint, row: row as u32, reached: now });
            }
        }
        memory.limits_before.clone_from(&memory.limits);
    }
}

fn is_there(model: &Model, id: JointId) -> bool {
    model.joints().get(id).is_some()
}
