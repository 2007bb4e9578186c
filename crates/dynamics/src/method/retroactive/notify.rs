//! What happened: contacts that began, went on or ended, sensors, joints that broke.

use super::assemble::JointMemory;
use super::contact::Contact;
use super::detect::Detector;
use crate::constraint::{JointView, Row};
use crate::event::{ContactEvent, Events, Phase, SensorEvent};
use crate::model::JointModel;
use crate::{Id, JointId, Model, State};

/// The largest error of a joint's rows, in metres or radians.
fn error(model: &Model, state: &State, id: JointId, joint: &JointModel) -> f64 {
    let mut rows: Vec<Row> = Vec::new();
    if let Some(view) = JointView::of(model, &state.bodies, &state.angles, id) {
        joint.constraint.rows(&view, &mut rows);
    }
    rows.iter().map(Row::violation).fold(0.0, f64::max)
}

/// Breaks the joints whose reaction or error exceeds what they bear.
pub(super) fn break_joints(model: &Model, state: &mut State, memories: &[JointMemory], events: &mut Events) {
    for (id, joint) in model.joints().iter() {
        let (breaking, memory) = (&joint.breaking, &memories[id.slot()]);
        if state.broken[id.slot()] || breaking.is_never() || memory.joint != Some(id) {
            continue;
        }
        let reaction = memory.reaction();
        if reaction.force.length() > breaking.force
            || reaction.torque.length() > breaking.torque
            || error(model, state, id, joint) > breaking.error
        {
            state.broken[id.slot()] = true;
            events.broken.push(id);
        }
    }
}

/// Reports contacts and sensor overlaps that began, went on or ended, in the order of the colliders' ids.
pub(super) fn contact_events(detector: &mut Detector, events: &mut Events) {
    for contact in detector.take_ended() {
        if contact.touching {
            report(&contact, Phase::End, events);
        }
    }
    for contact in detector.contacts_mut() {
        let phase = match (contact.touched_before, contact.touching) {
            (false, true) => Some(Phase::Begin),
            (true, true) => Some(Phase::Persist),
            (true, false) => Some(Phase::End),
            (false, false) => None,
        };
        contact.touched_before = contact.touching;
        if let Some(phase) = phase {
            report(contact, phase, events);
        }
    }
    events.contacts.sort_by_key(|event| event.colliders);
    events.sensors.sort_by_key(|event| (event.sensor, event.collider));
}

fn report(contact: &Contact, phase: Phase, events: &mut Events) {
    if contact.sensor {
        let [sensor, collider] = contact.sensor_first();
        if phase != Phase::Persist {
            events.sensors.push(SensorEvent { phase, sensor, collider });
        }
        return;
    }
    let ended = phase == Phase::End;
    events.contacts.push(ContactEvent {
        phase,
        colliders: contact.colliders,
        bodies: contact.bodies,
        impulse: contact.impulse(),
        points: if ended { Vec::new() } else { contact.points.iter().map(|point| point.geometry.position).collect() },
    });
}
