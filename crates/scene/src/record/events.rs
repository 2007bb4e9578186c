//! Events as JSON Lines: one object per line, in the order they happened.

use super::{Output, RecordError};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tumble_dynamics::event::Phase;
use tumble_dynamics::{BodyId, ColliderId, World};

/// Contacts that begin and end, sensors, joints that break, bodies that fall asleep and wake up.
#[derive(Debug)]
pub struct EventLines {
    path: PathBuf,
    file: BufWriter<File>,
}

impl EventLines {
    /// Creates the file.
    pub fn create(path: &Path) -> Result<Self, RecordError> {
        let file = BufWriter::new(File::create(path).map_err(RecordError::io(path))?);
        Ok(Self { path: path.to_path_buf(), file })
    }
}

fn phase(phase: Phase) -> &'static str {
    match phase {
        Phase::Begin => "begin",
        Phase::Persist => "persist",
        Phase::End => "end",
    }
}

/// What happened in the last step, one object for each event. Contacts that go on are left out.
pub(crate) fn events(world: &World) -> impl Iterator<Item = Value> + '_ {
    let time = world.time();
    let name = move |id: BodyId| world.body(id).map_or("", |body| body.model().name.as_str());
    let owner = move |id: ColliderId| world.model().colliders().get(id).map_or("", |collider| name(collider.body));
    let events = world.events();
    let contacts = events.contacts.iter().filter(|contact| contact.phase != Phase::Persist).map(move |contact| {
        json!({
            "time": time, "event": "contact", "phase": phase(contact.phase), "bodies": contact.bodies.map(name),
            "impulse": contact.impulse.to_array(),
            "points": contact.points.iter().map(|point| point.to_array()).collect::<Vec<_>>(),
        })
    });
    let sensors = events.sensors.iter().map(move |sensor| {
        let (sensor_name, other) = (owner(sensor.sensor), owner(sensor.collider));
        json!({ "time": time, "event": "sensor", "phase": phase(sensor.phase), "sensor": sensor_name, "body": other })
    });
    let broken = events.broken.iter().map(move |&joint| {
        let joint = world.model().joints().get(joint).map_or("", |joint| joint.name.as_str());
        json!({ "time": time, "event": "broken", "joint": joint })
    });
    let slept = events.slept.iter().map(move |&body| json!({ "time": time, "event": "sleep", "body": name(body) }));
    let woke = events.woke.iter().map(move |&body| json!({ "time": time, "event": "wake", "body": name(body) }));
    contacts.chain(sensors).chain(broken).chain(slept).chain(woke)
}

impl Output for EventLines {
    fn path(&self) -> &Path {
        &self.path
    }

    fn frame(&mut self, _world: &World) -> Result<(), RecordError> {
        Ok(())
    }

    fn step(&mut self, world: &World) -> Result<(), RecordError> {
        for event in events(world) {
            writeln!(self.file, "{event}").map_err(RecordError::io(&self.path))?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), RecordError> {
        self.file.flush().map_err(RecordError::io(&self.path))
    }
}
