//! What a page may ask for, as JSON objects with the key `do`.

use glam::DVec3;
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use tumble_dynamics::BodyId;

/// The longest message from a page, in bytes; a scene's text is the longest there is.
pub(crate) const MAX_MESSAGE: usize = 2 << 20;

/// A request.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Request {
    /// Lets time pass.
    Play,
    /// Stops it.
    Pause,
    /// Takes one step and stops.
    Step,
    /// Back to the start of the scene.
    Reset,
    /// Lets time pass this many times as fast as outside.
    Speed { factor: f64 },
    /// Opens a scene of the gallery, or the one the sandbox was started with.
    Scene { name: String },
    /// Runs this text in place of the scene's.
    Text { text: String },
    /// Lets time pass in another way.
    Method(Choice),
    /// Lets the same scene pass in another way beside it, or no more.
    Compare { second: Option<Choice> },
    /// Takes hold of a body at a point, in world coordinates.
    Grab { body: BodyId, point: DVec3 },
    /// Moves what is held towards a point.
    Drag { to: DVec3 },
    /// Lets go.
    Release,
    /// Sets numbers that the scene's controls and script read: what keys, sliders and the pointer say.
    Input { values: BTreeMap<String, f64> },
    /// Wants what was set since the start, as a file for `tumble run --keys`.
    Inputs,
    /// Shoots a ball from a point along a direction.
    Shoot { from: DVec3, towards: DVec3 },
    /// Removes a body.
    Delete { body: BodyId },
    /// Goes back (or forth) to a recorded moment.
    Seek { time: f64 },
    /// Wants to know all about a body, or no more.
    Inspect { body: Option<BodyId> },
    /// Looks from this point, in world coordinates: what a method makes finer near the eye follows it.
    Look { from: DVec3 },
    /// Wants these instruments drawn, and no others.
    Draw { what: Vec<Instrumented> },
    /// Wants to be told this number when all it asked for before has happened and it has been sent what became of it.
    Echo { number: u64 },
    /// Has seen so many messages since the connection was opened, and is ready for more.
    Seen { messages: u64 },
}

impl Request {
    /// Whether it begins anew, whatever is the case now.
    pub(crate) fn begins_anew(&self) -> bool {
        matches!(self, Self::Reset | Self::Scene { .. } | Self::Text { .. })
    }

    /// Whether it does not wait for the end of a step that takes long: the step is not wanted any more.
    pub(crate) fn interrupts(&self) -> bool {
        self.begins_anew() || matches!(self, Self::Pause | Self::Seek { .. } | Self::Method(_))
    }

    /// Whether it leaves everything as it is, but for the moment that is shown.
    pub(crate) fn only_looks(&self) -> bool {
        let looks = matches!(self, Self::Inspect { .. } | Self::Draw { .. } | Self::Seen { .. } | Self::Seek { .. });
        looks || matches!(self, Self::Pause | Self::Inputs | Self::Speed { .. } | Self::Echo { .. } | Self::Look { .. })
    }
}

/// How time is to pass; what is left out stays as it is.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Choice {
    /// The method with its settings, as in a scene file.
    #[serde(default)]
    pub(crate) method: Option<Value>,
    /// The length of a step in seconds.
    #[serde(default)]
    pub(crate) dt: Option<f64>,
}

/// What can be drawn besides the bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub(crate) enum Instrumented {
    Contacts,
    ContactForces,
    Forces,
    Joints,
    Reactions,
    Aabbs,
    BroadPhase,
    Velocities,
    CentersOfMass,
    Islands,
    /// How far joints let the selected bodies turn.
    Limits,
}

/// What one page is interested in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interest {
    pub(crate) body: Option<BodyId>,
    pub(crate) drawn: Vec<Instrumented>,
}

impl Interest {
    /// Takes down what a request says about it.
    pub(crate) fn note(&mut self, request: &Request) {
        match request {
            Request::Inspect { body } => self.body = *body,
            Request::Draw { what } => {
                let drawn: BTreeSet<_> = what.iter().copied().collect();
                self.drawn = drawn.into_iter().collect();
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_and_nonsense_is_refused() {
        let read = |text: &str| serde_json::from_str::<Request>(text);
        assert_eq!(read(r#"{"do":"speed","factor":0.5}"#).unwrap(), Request::Speed { factor: 0.5 });
        assert_eq!(read(r#"{"do":"drag","to":[1,2,3]}"#).unwrap(), Request::Drag { to: DVec3::new(1.0, 2.0, 3.0) });
        assert_eq!(read(r#"{"do":"inspect","body":null}"#).unwrap(), Request::Inspect { body: None });
        let values = BTreeMap::from([("gas".to_owned(), 0.5)]);
        assert_eq!(read(r#"{"do":"input","values":{"gas":0.5}}"#).unwrap(), Request::Input { values });
        for bad in ["", "1", "{}", r#"{"do":"fly"}"#, r#"{"do":"drag","to":[1,2]}"#, r#"{"do":"speed","factor":1e999}"#]
        {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
