//! Behaviour: the script of a scene, and controls for those who watch it.

use glam::DVec3;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A script that acts before every step: a program in the language Rhai with a function `step`, and perhaps one called `start`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProgramFile {
    /// The text of the script, best between triple apostrophes.
    pub source: Option<String>,
    /// Instead: the file beside the scene that has it.
    pub file: Option<String>,
    /// Where the random numbers of the script begin: the same seed, the same numbers. Default 0.
    #[schemars(range(min = 0.0, max = 1e15))]
    pub seed: u64,
}

/// A number that whoever watches the sandbox sets with keys, the pointer or a finger, and what it moves. Scripts read it with
/// `input("NAME")`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ControlFile {
    /// What the page calls it. Default: its name.
    pub label: String,
    /// What each key adds while it is held, by the name that browsers give to keys: "ArrowUp", "Shift", "Space", "w".
    #[schemars(extend("additionalProperties" = { "type": "number", "minimum": -1e9, "maximum": 1e9 }))]
    pub keys: BTreeMap<String, f64>,
    /// What of the pointer over the picture sets it.
    pub pointer: Option<PointerFile>,
    /// The smallest and the largest value. Default [-1, 1].
    #[schemars(inner(range(min = -1e9, max = 1e9)))]
    pub range: Option<[f64; 2]>,
    /// Its values while nobody touches it: pairs [time, value], each from its time on. Default: 0 throughout.
    #[schemars(inner(inner(range(min = -1e12, max = 1e12))))]
    pub frames: Vec<[f64; 2]>,
    /// What it moves, besides what scripts make of it.
    pub acts: Vec<ActFile>,
}

/// What of the pointer sets a control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PointerFile {
    /// How far right of the middle of the picture it is: 1 at the edge.
    X,
    /// How far above the middle of the picture it is: 1 at the edge.
    Y,
    /// 1 while it is pressed (or a finger is) on the picture, which then neither turns the view nor grabs bodies.
    Press,
}

/// What a control moves: a coordinate of a joint, or a body.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ActFile {
    /// The name of a joint.
    pub joint: Option<String>,
    /// Which of its coordinates. Default: the first.
    pub coordinate: Option<String>,
    /// The speed of its motor for each unit of the control.
    #[schemars(range(min = -1e9, max = 1e9), extend("unit" = "m/s or rad/s"))]
    pub speed: Option<f64>,
    /// The target of its drive for each unit of the control, where the coordinate is a length.
    #[schemars(range(min = -1e9, max = 1e9), extend("unit" = "m"))]
    pub target: Option<f64>,
    /// The target of its drive for each unit of the control, where the coordinate is an angle.
    #[schemars(range(min = -1e6, max = 1e6), extend("unit" = "°"))]
    pub target_deg: Option<f64>,
    /// The name of a body.
    pub body: Option<String>,
    /// The force on it for each unit of the control, in its own coordinates.
    #[schemars(with = "Option<[f64; 3]>", inner(range(min = -1e12, max = 1e12)), extend("unit" = "N"))]
    pub force: Option<DVec3>,
    /// Where the force acts, in the coordinates of the body. Default: at its centre of mass.
    #[schemars(with = "Option<[f64; 3]>", inner(range(min = -1e12, max = 1e12)), extend("unit" = "m"))]
    pub at: Option<DVec3>,
    /// The torque on it for each unit of the control, in its own coordinates.
    #[schemars(with = "Option<[f64; 3]>", inner(range(min = -1e12, max = 1e12)), extend("unit" = "N m"))]
    pub torque: Option<DVec3>,
}
