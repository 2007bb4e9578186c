//! Scripts: bodies that follow a given path (H 6).

use super::RotationFile;
use glam::{DQuat, DVec3};
use schemars::JsonSchema;
use serde::Deserialize;

/// A path to follow.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ScriptFile {
    /// Turning steadily about an axis through a point.
    Turn(Turn),
    /// Swinging to and fro along a direction, as a sine.
    Swing(Swing),
    /// Poses at given times, joined smoothly.
    KeyFrames(KeyFrames),
}

/// Steady turning.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// The axis, of any length but zero. Default: y.
    #[serde(default = "up")]
    #[schemars(with = "[f64; 3]")]
    pub axis: DVec3,
    /// The angular speed.
    #[schemars(extend("unit" = "rad/s"))]
    pub rate: f64,
    /// A point on the axis. Default: the body's origin.
    #[schemars(with = "Option<[f64; 3]>", extend("unit" = "m"))]
    pub about: Option<DVec3>,
}

fn up() -> DVec3 {
    DVec3::Y
}

/// Swinging to and fro.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Swing {
    /// How far it goes to either side, as a vector.
    #[schemars(with = "[f64; 3]", inner(range(min = -1e12, max = 1e12)), extend("unit" = "m"))]
    pub amplitude: DVec3,
    /// The time of one swing to and fro.
    #[schemars(range(min = 1e-6), extend("unit" = "s"))]
    pub period: f64,
    /// Where in the swing it starts: 0 in the middle on the way forward, 90 at the end. Default 0.
    #[serde(default)]
    #[schemars(extend("unit" = "°"))]
    pub phase_deg: f64,
}

/// Poses at given times. Before the first and after the last the body rests there, or starts over.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyFrames {
    /// The poses, in the order of time; at least one.
    pub frames: Vec<KeyFrame>,
    /// The velocities at the first and the last pose. Default: at rest there. Before the first and after the last it rests all the
    /// same, unless it starts over.
    #[serde(default)]
    #[schemars(with = "[[f64; 3]; 2]", extend("unit" = "m/s"))]
    pub end_velocities: [DVec3; 2],
    /// Whether it starts over after the last. Default false.
    #[serde(default)]
    pub again: bool,
}

/// A pose at a time.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyFrame {
    /// The time.
    #[schemars(extend("unit" = "s"))]
    pub time: f64,
    /// Where the body's origin is.
    #[schemars(with = "[f64; 3]", inner(range(min = -1e12, max = 1e12)), extend("unit" = "m"))]
    pub position: DVec3,
    /// How it is turned.
    pub rotation: Option<RotationFile>,
}

impl KeyFrame {
    /// The orientation, or why there is none.
    pub fn orientation(&self) -> Result<DQuat, String> {
        self.rotation.as_ref().map_or(Ok(DQuat::IDENTITY), RotationFile::to_quaternion)
    }
}
