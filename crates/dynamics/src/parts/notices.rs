//! What is told of contacts, sensors, grips and limits, and when.
//!
//! A contact is told when it begins and when it ends; while it goes on, at a rate the user chooses. Whoever wants to know more
//! asks the world for its contacts.

use crate::ColliderId;
use crate::contact::Contact;
use crate::event::{Events, Grip, GripEvent, Phase, SensorEvent};

/// Whether two colliders touch now, and whether they did at the end of the step before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Touch {
    /// Now.
    pub now: bool,
    /// At the end of the step before.
    pub before: bool,
}

impl Touch {
    /// Whether the contact begins, goes on or ends; none if there is none.
    pub fn phase(self) -> Option<Phase> {
        match (self.before, self.now) {
            (false, true) => Some(Phase::Begin),
            (true, true) => Some(Phase::Persist),
            (true, false) => Some(Phase::End),
            (false, false) => None,
        }
    }
}

/// Tells of a contact in some phase at a time; of one that goes on only if that is wanted now.
pub fn tell_contact(events: &mut Events, time: f64, phase: Phase, tell_ongoing: bool, contact: &Contact<'_>) {
    if phase != Phase::Persist || tell_ongoing {
        events.add_contact(time, phase, contact);
    }
}

/// Tells that a sensor and a collider began or ceased to overlap.
pub fn tell_sensor(events: &mut Events, time: f64, phase: Phase, [sensor, collider]: [ColliderId; 2]) {
    if phase != Phase::Persist {
        events.sensors.push(SensorEvent { time, phase, sensor, collider });
    }
}

/// Tells that a contact came to hold or began to slide, if it did something else before.
pub fn tell_grip(events: &mut Events, time: f64, before: Option<Grip>, now: Grip, contact: &Contact<'_>) {
    if before.is_some_and(|before| before != now) {
        let (colliders, bodies) = (contact.colliders, contact.bodies);
        events.grips.push(GripEvent { time, grip: now, colliders, bodies });
    }
}
