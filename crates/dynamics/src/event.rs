//! What happened during a step, as lists read after it, in a deterministic order.

use crate::{BodyId, ColliderId, JointId};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Whether a contact or overlap began, went on or ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// It was not there in the step before.
    Begin,
    /// It was there in the step before.
    Persist,
    /// It is there no more.
    End,
}

/// Two colliders touch.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactEvent {
    /// Whether it began, went on or ended.
    pub phase: Phase,
    /// The colliders, the smaller id first.
    pub colliders: [ColliderId; 2],
    /// Their bodies.
    pub bodies: [BodyId; 2],
    /// The impulse in N s that the contact exerted on the second body during the step.
    pub impulse: DVec3,
    /// Where they touch, in world coordinates; empty when the contact ended.
    pub points: Vec<DVec3>,
}

/// A sensor overlaps a collider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SensorEvent {
    /// Whether it began or ended.
    pub phase: Phase,
    /// The sensor.
    pub sensor: ColliderId,
    /// What it overlaps.
    pub collider: ColliderId,
}

/// What a joint exerted on its second end during a step, along world axes; the first end got the opposite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reaction {
    /// The force in newtons.
    pub force: DVec3,
    /// The torque in newton metres about the joint's second anchor.
    pub torque: DVec3,
}

/// Everything that happened during one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Events {
    /// Contacts, by ids of the colliders.
    pub contacts: Vec<ContactEvent>,
    /// Overlaps of sensors, by ids.
    pub sensors: Vec<SensorEvent>,
    /// Joints that broke.
    pub broken: Vec<JointId>,
    /// Bodies that fell asleep.
    pub slept: Vec<BodyId>,
    /// Bodies that woke up.
    pub woke: Vec<BodyId>,
}

impl Events {
    /// Forgets everything.
    pub fn clear(&mut self) {
        self.contacts.clear();
        self.sensors.clear();
        self.broken.clear();
        self.slept.clear();
        self.woke.clear();
    }
}
