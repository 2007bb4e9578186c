//! What happened: contacts that began, went on or ended, sensors, joints that broke.

use super::assemble::JointMemory;
use super::contact::Contact;
use super::detect::Detector;
use crate::constraint::{BodyView, Row};
use crate::event::{ContactEvent, Events, Phase, SensorEvent};
use crate::{Id, JointId, Model, State};
use glam::DVec3;

/// The force and torque a joint exerted on its second body during a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reaction {
    /// The force in newtons.
    pub force: DVec3,
    /// The torque in newton metres about the joint's anchor.
    pub torque: DVec3,
    /// The largest error of its rows, in metres or radians.
    pub error: f64,
}

/// What a joint exerted during the last step of `dt` seconds: `Σ Jᵀ λ / h`.
pub(super) fn reaction(model: &Model, state: &State, dt: f64, id: JointId, memory: &JointMemory) -> Option<Reaction> {
    let joint = model.joints().get(id)?;
    let views = joint.ends.map(|end| BodyView::of(model, &state.bodies, end));
    let mut rows: Vec<Row> = Vec::new();
    joint.constraint.rows(&views, &mut rows);
    let mut reaction = Reaction::default();
    for (index, row) in rows.iter().enumerate() {
        let at = |list: &[f64]| list.get(index).copied().unwrap_or(0.0);
        let lambda = if memory.joint == Some(id) { (at(&memory.start) + at(&memory.end)) / dt } else { 0.0 };
        reaction.force += row.jacobian.linear[1] * lambda;
        reaction.torque += row.jacobian.angular[1] * lambda;
        reaction.error = reaction.error.max(row.violation());
    }
    let lever = joint.constraint.anchors(&views)[1] - views[1].center;
    reaction.torque -= lever.cross(reaction.force);
    Some(reaction)
}

/// Breaks the joints whose reaction or error exceeds what they bear.
pub(super) fn break_joints(model: &Model, state: &mut State, dt: f64, memories: &[JointMemory], events: &mut Events) {
    for (id, joint) in model.joints().iter() {
        if state.broken[id.slot()] || joint.breaking.is_never() {
            continue;
        }
        let Some(reaction) = reaction(model, state, dt, id, &memories[id.slot()]) else { continue };
        let breaking = &joint.breaking;
        if reaction.force.length() > breaking.force
            || reaction.torque.length() > breaking.torque
            || reaction.error > breaking.error
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
        impulse: contact.points.iter().map(|point| point.impulse()).sum(),
        points: if ended { Vec::new() } else { contact.points.iter().map(|point| point.geometry.position).collect() },
    });
}
