//! A time that may be infinite, in files: a number of seconds, or the word "never".

use crate::schema::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number of seconds, or "never".
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum TimeOrNever {
    /// Seconds.
    Seconds(#[schemars(range(min = 0.0))] f64),
    /// Never.
    Word(Never),
}

/// The word "never".
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Never {
    /// Never.
    Never,
}

/// Writes an infinite time as "never".
pub(crate) fn serialize<S: Serializer>(seconds: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    let time = if seconds.is_infinite() { TimeOrNever::Word(Never::Never) } else { TimeOrNever::Seconds(*seconds) };
    time.serialize(serializer)
}

/// Reads a number of seconds or "never".
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    match TimeOrNever::deserialize(deserializer) {
        Ok(TimeOrNever::Seconds(seconds)) if seconds >= 0.0 => Ok(seconds),
        Ok(TimeOrNever::Word(Never::Never)) => Ok(f64::INFINITY),
        _ => Err(serde::de::Error::custom("expected a number of seconds, at least 0, or \"never\"")),
    }
}
