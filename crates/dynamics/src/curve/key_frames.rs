//! Key frames: values at given times, joined by a cubic Hermite spline.
//!
//! With u = (t − tᵢ)/(tᵢ₊₁ − tᵢ) and Δt = tᵢ₊₁ − tᵢ,
//!
//! ```text
//! p = h₀₀ pᵢ + h₁₀ Δt mᵢ + h₀₁ pᵢ₊₁ + h₁₁ Δt mᵢ₊₁,
//! h₀₀ = 2u³ − 3u² + 1,  h₁₀ = u³ − 2u² + u,  h₀₁ = 3u² − 2u³,  h₁₁ = u³ − u²
//! ```
//!
//! The slope at an inner frame is mᵢ = (pᵢ₊₁ − pᵢ₋₁)/(tᵢ₊₁ − tᵢ₋₁) (Catmull–Rom), at the ends it is what is chosen.

use super::Curve;
use crate::error::{ModelError, checked};
use crate::schema::JsonSchema;
use serde::{Deserialize, Serialize};

/// A value at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyValue {
    /// The time.
    #[schemars(extend("unit" = "s"))]
    pub time: f64,
    /// The value.
    pub value: f64,
}

/// Values at given times, joined smoothly. Before the first and after the last it stays what it is there, or starts over.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KeyFrames {
    /// The values, in the order of time; at least one.
    pub frames: Vec<KeyValue>,
    /// The slopes at the first and the last frame, per second. Default: level, [0, 0].
    pub end_slopes: [f64; 2],
    /// Whether it starts over after the last. Default false.
    pub again: bool,
}

impl KeyFrames {
    /// Pairs of a time in seconds and a value, in the order of time.
    pub fn new(frames: impl IntoIterator<Item = (f64, f64)>) -> Result<Self, ModelError> {
        let frames = frames.into_iter().map(|(time, value)| KeyValue { time, value }).collect();
        Self { frames, ..Self::default() }.validated()
    }

    /// With these slopes at the first and the last frame, per second.
    pub fn with_end_slopes(self, end_slopes: [f64; 2]) -> Result<Self, ModelError> {
        Self { end_slopes, ..self }.validated()
    }

    /// Starting over after the last frame.
    pub fn again(self) -> Self {
        Self { again: true, ..self }
    }

    /// Itself, if every number makes sense.
    pub(crate) fn validated(self) -> Result<Self, ModelError> {
        if self.frames.is_empty() {
            return Err(ModelError::Invalid("key frames: there is at least one".into()));
        }
        for KeyValue { time, value } in &self.frames {
            checked("time of a key frame", *time, -1e12..=1e12, "finite, at most 1e12 s")?;
            checked("value of a key frame", *value, -1e12..=1e12, "finite, at most 1e12")?;
        }
        for slope in self.end_slopes {
            checked("slope at the end of key frames", slope, -1e12..=1e12, "finite, at most 1e12 per second")?;
        }
        if let Some(pair) = self.frames.windows(2).find(|pair| pair[1].time <= pair[0].time) {
            let value = format!("{} s after {} s", pair[1].time, pair[0].time);
            return Err(ModelError::OutOfRange {
                what: "time of a key frame",
                value,
                allowed: "later than the one before",
            });
        }
        Ok(self)
    }

    /// The slope at a frame.
    fn slope(&self, index: usize) -> f64 {
        let last = self.frames.len() - 1;
        if index == 0 || index == last {
            return self.end_slopes[usize::from(index == last && last > 0)];
        }
        let (before, after) = (self.frames[index - 1], self.frames[index + 1]);
        (after.value - before.value) / (after.time - before.time)
    }
}

impl Curve for KeyFrames {
    fn value(&self, time: f64) -> f64 {
        let (Some(first), Some(last)) = (self.frames.first(), self.frames.last()) else { return 0.0 };
        let length = last.time - first.time;
        let time = if self.again && length > 0.0 { first.time + libm::fmod(time - first.time, length) } else { time };
        let time = if self.again && time < first.time { time + length } else { time };
        let next = self.frames.partition_point(|frame| frame.time <= time);
        let (Some(index), Some(b)) = (next.checked_sub(1), self.frames.get(next)) else {
            return if next == 0 { first.value } else { last.value };
        };
        let a = self.frames[index];
        let dt = b.time - a.time;
        let u = (time - a.time) / dt;
        let (u2, u3) = (u * u, u * u * u);
        (2.0 * u3 - 3.0 * u2 + 1.0) * a.value
            + (u3 - 2.0 * u2 + u) * dt * self.slope(index)
            + (3.0 * u2 - 2.0 * u3) * b.value
            + (u3 - u2) * dt * self.slope(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slope_at(curve: &KeyFrames, time: f64) -> f64 {
        (curve.value(time + 1e-6) - curve.value(time - 1e-6)) / 2e-6
    }

    #[test]
    fn it_goes_through_its_frames_with_the_chosen_slopes() {
        let curve = KeyFrames::new([(0.0, 1.0), (1.0, 3.0), (3.0, -1.0)]).unwrap();
        for (time, value) in [(-9.0, 1.0), (0.0, 1.0), (1.0, 3.0), (3.0, -1.0), (7.0, -1.0)] {
            assert_eq!(curve.value(time), value, "{time}");
        }
        // Catmull–Rom in the middle: (−1 − 1)/3.
        assert!((slope_at(&curve, 1.0) + 2.0 / 3.0).abs() < 1e-5);
        assert!(slope_at(&curve, 2e-6).abs() < 1e-3 && slope_at(&curve, 3.0 - 2e-6).abs() < 1e-3);
        let steep = curve.with_end_slopes([5.0, -2.0]).unwrap();
        assert!((slope_at(&steep, 2e-6) - 5.0).abs() < 1e-3 && (slope_at(&steep, 3.0 - 2e-6) + 2.0).abs() < 1e-3);
    }

    /// A cubic is its own spline.
    #[test]
    fn a_parabola_is_met_exactly() {
        let parabola = |t: f64| 2.0 - 3.0 * t + 0.5 * t * t;
        let frames = (0..=4).map(f64::from).map(|t| (t, parabola(t)));
        let curve = KeyFrames::new(frames).unwrap().with_end_slopes([-3.0, 1.0]).unwrap();
        for i in 0..=400 {
            let t = 0.01 * f64::from(i);
            assert!((curve.value(t) - parabola(t)).abs() < 1e-13, "{t}");
        }
    }

    #[test]
    fn it_starts_over() {
        let curve = KeyFrames::new([(1.0, 0.0), (2.0, 4.0), (3.0, 0.0)]).unwrap().again();
        for t in [1.1, 1.7, 2.4, 2.9] {
            for round in [-4.0, -2.0, 2.0, 200.0] {
                assert!((curve.value(t) - curve.value(t + round)).abs() < 1e-9, "{t} {round}");
            }
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert!(KeyFrames::new([]).is_err());
        assert!(KeyFrames::new([(1.0, 0.0), (1.0, 2.0)]).is_err());
        assert!(KeyFrames::new([(f64::NAN, 0.0)]).is_err());
        assert!(KeyFrames::new([(0.0, 0.0)]).unwrap().with_end_slopes([0.0, f64::INFINITY]).is_err());
        assert_eq!(KeyFrames::new([(0.0, 7.0)]).unwrap().again().value(3.0), 7.0);
    }
}
