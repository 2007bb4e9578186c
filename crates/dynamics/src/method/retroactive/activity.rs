//! Activity: islands that hardly move fall asleep as a whole, and what touches something awake wakes up (G 3.10.4).

use super::RetroactiveSettings;
use super::contact::Contact;
use super::island::Island;
use crate::event::Events;
use crate::model::{BodyKind, Sleep};
use crate::{BodyId, Id, Model, State};
use glam::DVec3;

/// Wakes every body that is connected, through contacts or joints, to one that is awake or to a moving script, or that
/// came to touch something between the steps.
pub(super) fn wake_touched(model: &Model, state: &mut State, contacts: &[Contact], events: &mut Events) {
    for island in super::island::find(model, state, contacts) {
        let pushed = island.contacts.iter().map(|&index| &contacts[index]).any(|contact| {
            (contact.touching && !contact.touched_before) || touches_moving_script(model, state, contact)
        });
        if island.awake || pushed {
            for id in island.bodies {
                wake(state, id, events);
            }
        }
    }
}

fn wake(state: &mut State, id: BodyId, events: &mut Events) {
    let body = &mut state.bodies[id.slot()];
    if body.asleep {
        body.asleep = false;
        body.quiet_time = 0.0;
        events.woke.push(id);
    }
}

fn touches_moving_script(model: &Model, state: &State, contact: &Contact) -> bool {
    contact.bodies.iter().any(|&id| {
        let scripted = model.bodies().get(id).is_some_and(|body| matches!(body.kind, BodyKind::Scripted(_)));
        let body = &state.bodies[id.slot()];
        scripted && (body.velocity != DVec3::ZERO || body.angular_velocity != DVec3::ZERO)
    })
}

/// Counts how long each body has been quiet and puts islands to sleep whose bodies all were for long enough.
pub(super) fn update(
    model: &Model,
    state: &mut State,
    dt: f64,
    settings: &RetroactiveSettings,
    islands: &[Island],
    events: &mut Events,
) {
    for island in islands.iter().filter(|island| island.awake) {
        let mut quiet = true;
        for &id in &island.bodies {
            let body = &mut state.bodies[id.slot()];
            let slow = body.velocity.length() < settings.quiet_speed
                && body.angular_velocity.length() < settings.quiet_angular_speed;
            let may_sleep = model.bodies().get(id).is_some_and(|body| body.sleep == Sleep::Allowed);
            body.quiet_time = if slow && may_sleep { body.quiet_time + dt } else { 0.0 };
            quiet &= body.quiet_time >= settings.time_to_sleep;
        }
        if quiet {
            for &id in &island.bodies {
                let body = &mut state.bodies[id.slot()];
                body.asleep = true;
                body.velocity = DVec3::ZERO;
                body.angular_velocity = DVec3::ZERO;
                events.slept.push(id);
            }
        }
    }
}
