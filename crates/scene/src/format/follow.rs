//! Motors and drives that follow curves.

use schemars::JsonSchema;
use serde::Deserialize;

/// What of a coordinate of a joint follows a curve.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FollowFile {
    /// The speed of its motor, in m/s or rad/s.
    pub speed: Option<CurveFile>,
    /// The target of its drive, where the coordinate is a length in metres.
    pub target: Option<CurveFile>,
    /// The target of its drive, where the coordinate is an angle, in degrees.
    pub target_deg: Option<CurveFile>,
}

/// A number as a function of time: a formula such as "2 * sin(3 * t)", or key frames.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum CurveFile {
    /// A formula of the time t in seconds, with + - * / ^, brackets, pi and the functions sin, cos, tan, asin, acos, atan, exp, ln,
    /// sqrt, abs, floor, step, min, max, mod and clamp.
    Formula(String),
    /// Values at given times.
    Frames(CurveFramesFile),
}

/// Values at given times, joined smoothly. Before the first and after the last it stays what it is there, or starts over.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CurveFramesFile {
    /// Pairs [time, value], in the order of time; at least one.
    #[schemars(inner(inner(range(min = -1e12, max = 1e12))))]
    pub frames: Vec<[f64; 2]>,
    /// The slopes at the first and the last frame, per second. Default: level, [0, 0].
    #[serde(default)]
    #[schemars(inner(range(min = -1e12, max = 1e12)))]
    pub end_slopes: [f64; 2],
    /// Whether it starts over after the last. Default false.
    #[serde(default)]
    pub again: bool,
}
