//! A scene at its start, for a page that draws a thumbnail of it: the messages a tab gets when the scene is opened, one
//! after the other, each with its length (`u32`) before it.

use crate::frame::{FRAME, FrameEncoder, Pose, unit_for};
use crate::looks::Bodies;
use crate::strands::{tell_strands, thickness};
use crate::subject::Subject;
use crate::tell::{smallest, tell_scene};
use serde_json::{Value, json};
use tumble_dynamics::Id;

/// The messages, or none if the scene cannot be read.
pub(crate) fn preview(subject: &Subject) -> Option<Vec<u8>> {
    let scene = subject.load().ok()?;
    let world = &scene.world;
    let unit = unit_for(smallest(world));
    let bodies = Bodies::of(&scene, &Bodies::default());
    let mut poses = vec![None; world.model().bodies().slot_count()];
    for (id, body) in world.bodies() {
        poses[id.slot()] = Some(Pose::new(&body.pose(), body.is_asleep(), unit));
    }
    let looks: Vec<&Value> = bodies.list.iter().map(|look| &look.json).collect();
    let mut opened = tell_scene(&scene, &subject.name(), unit);
    opened["text"] = Value::Null;

    let mut bytes = Vec::new();
    let mut add = |message: &[u8]| {
        bytes.extend((message.len() as u32).to_le_bytes());
        bytes.extend(message);
    };
    add(opened.to_string().as_bytes());
    bodies.surfaces.values().for_each(|surface| add(surface));
    add(json!({ "type": "bodies", "remove": [], "add": looks }).to_string().as_bytes());
    add(&tell_strands(world, 0, thickness(&scene)));
    add(&FrameEncoder::default().encode(FRAME, 0.0, 0, &poses));
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumble_scene::gallery;

    #[test]
    fn every_scene_of_the_gallery_can_be_previewed() {
        for entry in gallery::SCENES {
            let bytes = preview(&Subject::gallery(entry.name).unwrap()).unwrap();
            let (mut at, mut messages) = (0, Vec::new());
            while at < bytes.len() {
                let length = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
                messages.push(&bytes[at + 4..at + 4 + length]);
                at += 4 + length;
            }
            assert_eq!(at, bytes.len(), "{}", entry.name);
            let opened: Value = serde_json::from_slice(messages[0]).unwrap();
            assert_eq!(opened["name"], entry.name);
            let bodies: Value = serde_json::from_slice(messages[messages.len() - 3]).unwrap();
            assert!(!bodies["add"].as_array().unwrap().is_empty(), "{}", entry.name);
            assert_eq!(messages[messages.len() - 1][0], FRAME);
        }
    }
}
