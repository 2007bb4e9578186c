//! A force that is a function of time: a table with straight lines between its rows, and a sine on top.
//!
//! ```text
//! F(t) = f(t) · (1 + A sin(2π ν t + φ)) · direction
//! ```
//!
//! with f(t) linear between the given times and steady outside. With an empty table f is 1, with A = 0 there is no sine; so both `times = [0, 1],
//! values = [0, 50]` (a ramp) and `amplitude`, `frequency` alone (a shaker) can be written.

use super::{Axes, Force, ForceContext, Target, Wrenches};
use crate::ModelError;
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// A force at a point of a body whose strength is a function of time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TimedForce {
    /// The bodies it acts on. Default: all.
    pub on: Target,
    /// The force where its strength is 1, in newtons. Default: 1 N upwards.
    #[schemars(with = "[f64; 3]", extend("unit" = "N"))]
    pub force: DVec3,
    /// Where it acts, in the body frame, in metres. Default: the frame's origin.
    #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
    pub point: DVec3,
    /// In which axes the force is given. Default: the world's.
    pub axes: Axes,
    /// When the values hold, in seconds, in order. Default: none.
    #[schemars(extend("unit" = "s"))]
    pub times: Vec<f64>,
    /// The strength at these times. Default: none, the strength is 1.
    pub values: Vec<f64>,
    /// A, the amplitude of the sine relative to the strength. Default 0.
    pub amplitude: f64,
    /// ν, its frequency in hertz. Default 1.
    #[schemars(extend("unit" = "Hz"))]
    pub frequency: f64,
    /// φ, its phase in radians. Default 0.
    #[schemars(extend("unit" = "rad"))]
    pub phase: f64,
}

impl Default for TimedForce {
    fn default() -> Self {
        Self {
            on: Target::All,
            force: DVec3::Y,
            point: DVec3::ZERO,
            axes: Axes::World,
            times: Vec::new(),
            values: Vec::new(),
            amplitude: 0.0,
            frequency: 1.0,
            phase: 0.0,
        }
    }
}

impl TimedForce {
    /// Refuses tables that make no sense.
    pub fn validate(&self) -> Result<(), ModelError> {
        let refuse = |problem| Err(ModelError::BadProperties { part: "force \"timed\"".into(), problem });
        if self.times.len() != self.values.len() {
            return refuse(format!(
                "`values` has {} entries, but there are {} times",
                self.values.len(),
                self.times.len()
            ));
        }
        let finite = self.times.iter().chain(&self.values).all(|number| number.is_finite());
        if !finite || !self.times.is_sorted_by(|a, b| a < b) {
            return refuse(format!("`times` is {:?}, but must be finite and in order", self.times));
        }
        Ok(())
    }

    /// The strength at a time.
    pub fn strength(&self, time: f64) -> f64 {
        let count = self.times.len().min(self.values.len());
        let after = self.times[..count].iter().position(|&t| t > time).unwrap_or(count);
        let table = match (after, count) {
            (_, 0) => 1.0,
            (0, _) => self.values[0],
            (after, count) if after == count => self.values[count - 1],
            _ => {
                let (t0, t1) = (self.times[after - 1], self.times[after]);
                let (a, b) = (self.values[after - 1], self.values[after]);
                a + (b - a) * ((time - t0) / (t1 - t0))
            }
        };
        let sine = if self.amplitude == 0.0 { 0.0 } else { libm::sin(TAU * self.frequency * time + self.phase) };
        table * (1.0 + self.amplitude * sine)
    }
}

impl Force for TimedForce {
    fn apply(&self, context: &ForceContext<'_>, wrenches: &mut Wrenches) {
        let strength = self.strength(context.time);
        for (slot, body, state) in self.on.bodies(context) {
            let force = match self.axes {
                Axes::World => self.force,
                Axes::Body => state.rotation * self.force,
            };
            wrenches.add_force_at(slot, state.position, force * strength, body.frame(state).point(self.point));
        }
    }
}
