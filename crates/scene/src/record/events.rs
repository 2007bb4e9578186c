//! Events as JSON Lines: one object per line, in the order they happened.

use super::{Output, RecordError};
use crate::draft::Draft;
use serde_json::{Value, json};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tumble_dynamics::event::{Grip, Phase, SleepEvent};
use tumble_dynamics::{BodyId, ColliderId, JointId, World};

/// Contacts that begin and end, impacts, surfaces that stick and slip, sensors, limits of joints that are reached and left,
/// joints that break, bodies that fall asleep and wake up, energy out of nothing if somebody watches.
#[derive(Debug)]
pub struct EventLines {
    path: PathBuf,
    file: BufWriter<Draft>,
    /// Whether contacts that go on are written, too.
    ongoing: bool,
}

impl EventLines {
    /// Creates the file. If there is one of this name, it stays until the new one is complete.
    pub fn create(path: &Path) -> Result<Self, RecordError> {
        let file = BufWriter::new(Draft::growing(path).map_err(RecordError::io(path))?);
        Ok(Self { path: path.to_path_buf(), file, ongoing: false })
    }

    /// With the contacts that go on, as often as the world [tells them](World::set_contact_rate).
    pub fn with_ongoing(mut self) -> Self {
        self.ongoing = true;
        self
    }

    fn failed(&self, error: std::io::Error) -> RecordError {
        RecordError::io_in_draft(&self.path, self.file.get_ref())(error)
    }
}

fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Begin => "begin",
        Phase::Persist => "persist",
        Phase::End => "end",
    }
}

/// What happened in the last step, one object for each event; contacts that go on only if they are wanted.
fn events(world: &World, ongoing: bool) -> impl Iterator<Item = Value> + '_ {
    let name = move |id: BodyId| world.body(id).map_or("", |body| body.model().name.as_str());
    let owner = move |id: ColliderId| world.model().colliders().get(id).map_or("", |collider| name(collider.body));
    let events = world.events();
    let contacts = events.contacts.iter().filter(move |contact| ongoing || contact.phase != Phase::Persist).map(move |contact| {
        json!({
            "time": contact.time, "event": "contact", "phase": phase(contact.phase), "bodies": contact.bodies.map(name),
            "impulse": contact.impulse.to_array(),
            "points": events.points(contact).iter().map(|point| point.position.to_array()).collect::<Vec<_>>(),
        })
    });
    let sensors = events.sensors.iter().map(move |sensor| {
        let (sensor_name, other) = (owner(sensor.sensor), owner(sensor.collider));
        json!({ "time": sensor.time, "event": "sensor", "phase": phase(sensor.phase), "sensor": sensor_name, "body": other })
    });
    let impacts = events.impacts.iter().map(move |impact| {
        json!({
            "time": impact.time, "event": "impact", "bodies": impact.bodies.map(name), "speed": impact.speed,
            "point": impact.position.to_array(), "normal": impact.normal.to_array(), "impulse": impact.impulse.to_array(),
        })
    });
    let grips = events.grips.iter().map(move |grip| {
        let kind = if grip.grip == Grip::Slip { "slip" } else { "stick" };
        json!({ "time": grip.time, "event": kind, "bodies": grip.bodies.map(name) })
    });
    let joint_name = move |id: JointId| world.model().joints().get(id).map_or("", |joint| joint.name.as_str());
    let limits = events.limits.iter().map(move |limit| {
        let phase = if limit.reached { "reached" } else { "left" };
        json!({ "time": limit.time, "event": "limit", "phase": phase, "joint": joint_name(limit.joint), "row": limit.row })
    });
    let broken = events
        .broken
        .iter()
        .map(move |broken| json!({ "time": broken.time, "event": "broken", "joint": joint_name(broken.joint) }));
    let sleep = move |event: &SleepEvent, kind| json!({ "time": event.time, "event": kind, "body": name(event.body) });
    let slept = events.slept.iter().map(move |event| sleep(event, "sleep"));
    let woke = events.woke.iter().map(move |event| sleep(event, "wake"));
    let energy = events.energy.iter().map(move |energy| {
        let bodies: Vec<&str> = energy.bodies.into_iter().flatten().map(name).collect();
        json!({ "time": energy.time, "event": "energy", "excess": energy.excess, "bodies": bodies })
    });
    contacts
        .chain(impacts)
        .chain(grips)
        .chain(sensors)
        .chain(limits)
        .chain(broken)
        .chain(slept)
        .chain(woke)
        .chain(energy)
}

impl Output for EventLines {
    fn path(&self) -> &Path {
        &self.path
    }

    fn frame(&mut self, _world: &World) -> Result<(), RecordError> {
        self.file.get_mut().keep();
        self.file.flush().map_err(|error| self.failed(error))
    }

    fn step(&mut self, world: &World) -> Result<(), RecordError> {
        for event in events(world, self.ongoing) {
            writeln!(self.file, "{event}").map_err(|error| self.failed(error))?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), RecordError> {
        self.file.flush().and_then(|()| self.file.get_mut().finish()).map_err(|error| self.failed(error))
    }
}
