//! What came from outside in a run, as a file: for each control its values, each from its time on. Played again it gives the same
//! run, bit for bit.
//!
//! ```toml
//! throttle = [[0.0, 0.0], [1.25, 1.0], [4.0, 0.0]]
//! "pointer.from.x" = [[2.0, 0.31]]
//! ```

use super::SceneBehavior;
use crate::mesh::read_limited;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use tumble_dynamics::World;

/// The longest file of inputs that is read, in bytes.
const LONGEST: u64 = 64 << 20;

/// Times and values of numbers from outside, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track(BTreeMap<String, Vec<[f64; 2]>>);

impl Track {
    /// Takes down what comes from outside at a time; what is known of later times belongs to a future that will not come.
    pub fn note(&mut self, time: f64, inputs: &BTreeMap<String, f64>) {
        for frames in self.0.values_mut() {
            frames.truncate(frames.partition_point(|&[begin, _]| begin < time));
        }
        for (name, &value) in inputs {
            let frames = self.0.entry(name.clone()).or_default();
            if frames.last().is_none_or(|&[_, last]| last != value) {
                frames.push([time, value]);
            }
        }
    }

    /// As a file.
    pub fn to_toml(&self) -> String {
        let mut text = String::from("# What was set in a run, from which time on: tumble run SCENE --keys THIS_FILE\n");
        for (name, frames) in self.0.iter().filter(|(_, frames)| !frames.is_empty()) {
            let frames = frames.iter().map(|[time, value]| format!("[{time:?}, {value:?}]")).collect::<Vec<_>>();
            // Writing to a string does not fail.
            let _written = writeln!(text, "{} = [{}]", serde_json::Value::from(name.as_str()), frames.join(", "));
        }
        text
    }

    /// From a file; the message says what is wrong with it, and where.
    pub fn from_toml(text: &str) -> Result<Self, String> {
        toml::from_str(text).map(Self).map_err(|error| error.to_string())
    }

    /// Reads a file; the message says what is wrong with it, and where.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = String::from_utf8(read_limited(path, LONGEST)?).map_err(|_| "it is not UTF-8 text".to_owned())?;
        Self::from_toml(&text).map_err(|problem| format!("\n{problem}"))
    }

    /// Lets the controls of a world do what is written here; refused if there is one that the world does not have.
    pub fn play(&self, world: &mut World) -> Result<(), String> {
        let Some(behavior) = world.behavior_mut::<SceneBehavior>() else {
            return Err("the scene has no controls".into());
        };
        self.0.iter().try_for_each(|(name, frames)| {
            behavior.set_frames(name, frames.clone()).map_err(|problem| format!("`{name}`: {problem}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_track_is_read_as_it_was_written() {
        let mut track = Track::default();
        let inputs = |value: f64| BTreeMap::from([("a".to_owned(), value), ("pointer.from.x".to_owned(), 0.1)]);
        for (time, value) in [(0.0, 1.0), (0.1, 1.0), (0.1 + 0.2, 2.0), (0.5, -1e-300)] {
            track.note(time, &inputs(value));
        }
        assert_eq!(Track::from_toml(&track.to_toml()), Ok(track.clone()));
        // Back in time: what comes after is forgotten.
        track.note(0.2, &inputs(7.0));
        assert_eq!(track.0["a"], [[0.0, 1.0], [0.2, 7.0]]);
        assert!(Track::from_toml("a = [[1, 2, 3]]").is_err() && Track::from_toml("a = 3").is_err());
    }
}
