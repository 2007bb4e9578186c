//! What happened during a step, as lists read after it, in a deterministic order.
//!
//! Every event carries the moment at which it happened, somewhere inside the step, as far as the method knows it. The lists
//! keep their memory from step to step, and the points of all contacts lie in one list, so that telling what happens
//! allocates nothing once the lists have grown to their size.

use crate::contact::{Contact, ContactPoint};
use crate::{BodyId, ColliderId, JointId};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Whether a contact or overlap began, goes on or ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// It was not there in the step before.
    Begin,
    /// It was there in the step before. Told at a [chosen rate](crate::World::set_contact_rate).
    Persist,
    /// It is there no more.
    End,
}

/// Two colliders touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactEvent {
    /// When, in seconds since the start.
    pub time: f64,
    /// Whether it began, goes on or ended.
    pub phase: Phase,
    /// The colliders, the smaller id first.
    pub colliders: [ColliderId; 2],
    /// Their bodies.
    pub bodies: [BodyId; 2],
    /// The impulse in N s that the contact exerted on the second body during the step.
    pub impulse: DVec3,
    /// Where its points begin in the list of all points, and how many it has; none when the contact ended.
    points: [u32; 2],
}

/// Two colliders hit each other: they met faster than the method takes for rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactEvent {
    /// When, in seconds since the start.
    pub time: f64,
    /// The colliders, the smaller id first.
    pub colliders: [ColliderId; 2],
    /// Their bodies.
    pub bodies: [BodyId; 2],
    /// Where, in world coordinates: the point that was hit fastest.
    pub position: DVec3,
    /// The unit normal there, out of the first body into the second.
    pub normal: DVec3,
    /// How fast the surfaces met, in m/s.
    pub speed: f64,
    /// The impulse in N s that the second body received during the step.
    pub impulse: DVec3,
}

/// How surfaces that touch move along each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Grip {
    /// They hold each other.
    Stick,
    /// They slide.
    Slip,
}

/// A contact came to hold, or began to slide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GripEvent {
    /// When, in seconds since the start.
    pub time: f64,
    /// What it does from now on.
    pub grip: Grip,
    /// The colliders, the smaller id first.
    pub colliders: [ColliderId; 2],
    /// Their bodies.
    pub bodies: [BodyId; 2],
}

/// A sensor overlaps a collider.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SensorEvent {
    /// When, in seconds since the start.
    pub time: f64,
    /// Whether it began or ended.
    pub phase: Phase,
    /// The sensor.
    pub sensor: ColliderId,
    /// What it overlaps.
    pub collider: ColliderId,
}

/// A joint came to one of its limits or left it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitEvent {
    /// When, in seconds since the start.
    pub time: f64,
    /// The joint.
    pub joint: JointId,
    /// Which limit: the place of its row among those of the joint's constraint.
    pub row: u32,
    /// Whether it was reached (or else left).
    pub reached: bool,
}

/// A joint broke.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BreakEvent {
    /// When, in seconds since the start.
    pub time: f64,
    /// The joint.
    pub joint: JointId,
    /// What it exerted when it broke.
    pub reaction: Reaction,
}

/// A body fell asleep or woke up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SleepEvent {
    /// When, in seconds since the start.
    pub time: f64,
    /// The body.
    pub body: BodyId,
}

/// Energy came out of nothing: see [`EnergyWatch`](crate::EnergyWatch).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnergyEvent {
    /// When it was found, in seconds since the start.
    pub time: f64,
    /// How much it was since the last time, in joules.
    pub excess: f64,
    /// The bodies that gained most in the step, those with the most first.
    pub bodies: [Option<BodyId>; 3],
}

/// Events came too thick to be followed one by one, and a stretch of time was taken in small steps: what happened there is known less
/// accurately. The [cause](StormCause) says what helps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StormEvent {
    /// When it began, in seconds since the start.
    pub time: f64,
    /// When it was over.
    pub until: f64,
    /// Some of the bodies involved, those with the most contacts first.
    pub bodies: [Option<BodyId>; 3],
    /// Why.
    pub cause: StormCause,
}

/// Why a stretch of time was not followed event by event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StormCause {
    /// Too many events in a moment.
    Events,
    /// Too many points that press at once.
    Crowd,
    /// More work than a simulated second may be.
    Work,
    /// No step is short enough for the tolerance: forces that jump or are without bound.
    Stiff,
}

impl StormCause {
    /// What happened, and what to change, in words.
    pub fn advice(self) -> &'static str {
        match self {
            Self::Events => {
                "events follow each other without end: a larger tolerance, less restitution or a larger max_events helps"
            }
            Self::Crowd => "too many points press at once: fewer bodies in one heap help",
            Self::Work => "events cost more than a simulated second may: more patience, or a larger tolerance, helps",
            Self::Stiff => {
                "no step is short enough for the tolerance: weaker springs, forces without jumps or a larger tolerance help"
            }
        }
    }
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
    /// Contacts that began, ended or, now and then, go on; by ids of the colliders.
    pub contacts: Vec<ContactEvent>,
    /// Impacts, by ids of the colliders.
    pub impacts: Vec<ImpactEvent>,
    /// Contacts that came to hold or began to slide, by ids of the colliders.
    pub grips: Vec<GripEvent>,
    /// Overlaps of sensors that began or ended, by ids.
    pub sensors: Vec<SensorEvent>,
    /// Limits of joints that were reached or left, by ids of the joints.
    pub limits: Vec<LimitEvent>,
    /// Joints that broke.
    pub broken: Vec<BreakEvent>,
    /// Bodies that fell asleep.
    pub slept: Vec<SleepEvent>,
    /// Bodies that woke up.
    pub woke: Vec<SleepEvent>,
    /// Energy that came out of nothing, if somebody [watches](crate::World::set_energy_watch).
    pub energy: Vec<EnergyEvent>,
    /// Stretches of time in which events came too thick to be followed one by one, with the accurate method.
    pub storms: Vec<StormEvent>,
    points: Vec<ContactPoint>,
}

impl Events {
    /// The points of a contact that began or goes on; none of one that ended.
    pub fn points(&self, event: &ContactEvent) -> &[ContactPoint] {
        let [first, count] = event.points.map(|n| n as usize);
        self.points.get(first..first + count).unwrap_or(&[])
    }

    /// Adds what happened to a contact, with its points unless it ended.
    pub fn add_contact(&mut self, time: f64, phase: Phase, contact: &Contact<'_>) {
        let first = self.points.len();
        if phase != Phase::End {
            self.points.extend(contact.points());
        }
        let points = [first as u32, (self.points.len() - first) as u32];
        let (colliders, bodies, impulse) = (contact.colliders, contact.bodies, contact.impulse());
        self.contacts.push(ContactEvent { time, phase, colliders, bodies, impulse, points });
    }

    /// Puts contacts and sensors into the order of their ids.
    pub fn sort(&mut self) {
        self.contacts.sort_unstable_by_key(|event| (event.colliders, event.phase));
        self.impacts.sort_unstable_by_key(|event| event.colliders);
        self.grips.sort_unstable_by_key(|event| event.colliders);
        self.sensors.sort_unstable_by_key(|event| (event.sensor, event.collider, event.phase));
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.contacts.clear();
        self.impacts.clear();
        self.grips.clear();
        self.sensors.clear();
        self.limits.clear();
        self.broken.clear();
        self.slept.clear();
        self.woke.clear();
        self.energy.clear();
        self.storms.clear();
        self.points.clear();
    }
}
