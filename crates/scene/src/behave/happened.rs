//! What happened in the last step, as scripts see it: part of what a behaviour remembers, so that a resumed run sees it, too.

use glam::DVec3;
use serde::{Deserialize, Serialize};
use tumble_dynamics::event::Phase;
use tumble_dynamics::{BodyId, JointId, World};

/// The most events of a kind that are kept of one step; the first count.
const MOST: usize = 1000;

/// What happened in a step, in the order of time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Happened {
    /// Two bodies began to touch (true) or came apart.
    pub(super) contacts: Vec<(f64, [BodyId; 2], bool)>,
    pub(super) impacts: Vec<Impact>,
    /// A sensor began (true) or ceased to be overlapped.
    pub(super) sensors: Vec<(f64, [BodyId; 2], bool)>,
    pub(super) broken: Vec<(f64, JointId)>,
}

/// Two bodies hit each other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Impact {
    pub(super) time: f64,
    pub(super) bodies: [BodyId; 2],
    pub(super) position: DVec3,
    pub(super) speed: f64,
    pub(super) impulse: DVec3,
}

impl Happened {
    /// Reads it off the events of the last step.
    pub(super) fn of(world: &World) -> Self {
        let events = world.events();
        let contacts = events.contacts.iter().filter(|event| event.phase != Phase::Persist);
        let contacts = contacts.map(|event| (event.time, event.bodies, event.phase == Phase::Begin));
        let body_of = |collider| world.model().colliders().get(collider).map(|collider| collider.body);
        let sensors = events.sensors.iter().filter(|event| event.phase != Phase::Persist);
        let sensors = sensors.filter_map(|event| {
            Some((event.time, [body_of(event.sensor)?, body_of(event.collider)?], event.phase == Phase::Begin))
        });
        let impacts = events.impacts.iter().map(|event| Impact {
            time: event.time,
            bodies: event.bodies,
            position: event.position,
            speed: event.speed,
            impulse: event.impulse,
        });
        Self {
            contacts: contacts.take(MOST).collect(),
            impacts: impacts.take(MOST).collect(),
            sensors: sensors.take(MOST).collect(),
            broken: events.broken.iter().map(|event| (event.time, event.joint)).take(MOST).collect(),
        }
    }
}
