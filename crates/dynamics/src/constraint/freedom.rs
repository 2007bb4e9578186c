//! A free coordinate of a joint, and what may act on it: limits, a motor, a drive, friction.
//!
//! With q the coordinate (metres along an axis, radians about one) each part is a row or two:
//!
//! ```text
//! limits       q − min ≥ 0,  max − q ≥ 0                      λ ≥ 0, with restitution on demand
//! motor        q̇ = speed                                      |λ| ≤ the largest force
//! drive        q = target, as a spring with damping           |λ| ≤ the largest force
//! friction     q̇ = 0                                          |λ| ≤ the friction
//! ```
//!
//! Written once, used by every joint that leaves a coordinate free.

use super::{Limit, Measure, Row, Softness};
use crate::error::{ModelError, checked};
use crate::schema::JsonSchema;
use serde::{Deserialize, Serialize};

/// What acts on a free coordinate of a joint. Default: nothing. Forces are torques (N m) where the coordinate is an angle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Freedom {
    /// The smallest value, in metres or radians. Default: none.
    #[schemars(extend("unit" = "m or rad"))]
    pub min: Option<f64>,
    /// The largest value, in metres or radians. Default: none. Equal to the smallest: the coordinate is locked.
    #[schemars(extend("unit" = "m or rad"))]
    pub max: Option<f64>,
    /// The part of the speed at which a limit is reached that comes back, from 0 to 1. Default 0.
    #[schemars(range(min = 0.0, max = 1.0), extend("unit" = "1"))]
    pub restitution: f64,
    /// Keeps a speed. Default: none.
    pub motor: Option<Motor>,
    /// Goes to a position. Default: none.
    pub drive: Option<Drive>,
    /// The friction in the joint, in N or N m. Default 0.
    #[schemars(range(min = 0.0), extend("unit" = "N or N m"))]
    pub friction: f64,
}

/// Keeps the speed of a coordinate as far as its force allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Motor {
    /// The speed, in m/s or rad/s. Default 0: a brake.
    #[schemars(extend("unit" = "m/s or rad/s"))]
    pub speed: f64,
    /// The largest force, in N or N m; `null` for as much as it takes (default).
    #[schemars(range(min = 0.0), extend("unit" = "N or N m"))]
    pub max_force: Option<f64>,
}

/// Pulls a coordinate to a position.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Drive {
    /// The position, in metres or radians. Default 0.
    #[schemars(extend("unit" = "m or rad"))]
    pub target: f64,
    /// How: as a spring by frequency and damping ratio, or by stiffness and damping (a PD controller). Default: 2 Hz, critically
    /// damped.
    pub spring: Softness,
    /// The largest force, in N or N m; `null` for as much as it takes (default).
    #[schemars(range(min = 0.0), extend("unit" = "N or N m"))]
    pub max_force: Option<f64>,
}

impl Default for Drive {
    fn default() -> Self {
        Self { target: 0.0, spring: Softness::Spring { frequency: 2.0, damping_ratio: 1.0 }, max_force: None }
    }
}

/// A coordinate that a joint leaves free, where it is, and what acts on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coordinate {
    /// The property of the joint that says what acts on it: "turn", "slide", "travel".
    pub name: &'static str,
    /// The coordinate with its derivatives: metres along an axis, or radians about one with whole turns counted. It is 0
    /// where the joint was made.
    pub measure: Measure,
    /// What acts on it.
    pub freedom: Freedom,
}

impl Coordinate {
    pub(super) fn new(name: &'static str, measure: Measure, freedom: Freedom) -> Self {
        Self { name, measure, freedom }
    }

    /// Where it is, in metres or radians.
    pub fn position(&self) -> f64 {
        self.measure.value
    }

    /// How fast it moves, in m/s or rad/s.
    pub fn speed(&self) -> f64 {
        self.measure.rate
    }

    /// Appends what acts on it.
    pub(super) fn push_rows(&self, rows: &mut Vec<Row>) {
        self.freedom.push_rows(self.measure, rows);
    }
}

impl Freedom {
    /// Nothing acts.
    pub const FREE: Self = Self { min: None, max: None, restitution: 0.0, motor: None, drive: None, friction: 0.0 };

    /// Cannot move at all.
    pub const LOCKED: Self = Self { min: Some(0.0), max: Some(0.0), ..Self::FREE };

    /// Between two values, in metres or radians.
    pub fn between(min: f64, max: f64) -> Self {
        Self { min: Some(min), max: Some(max), ..Self::FREE }
    }

    /// With a motor that keeps a speed (m/s or rad/s) with at most a force (N or N m).
    pub fn with_motor(self, speed: f64, max_force: f64) -> Self {
        Self { motor: Some(Motor { speed, max_force: Some(max_force) }), ..self }
    }

    /// With a drive.
    pub fn with_drive(self, drive: Drive) -> Self {
        Self { drive: Some(drive), ..self }
    }

    /// With friction, in N or N m.
    pub fn with_friction(self, friction: f64) -> Self {
        Self { friction, ..self }
    }

    /// The value at which the coordinate is locked, if it is.
    pub(super) fn locked(&self) -> Option<f64> {
        self.min.filter(|_| self.min == self.max)
    }

    /// Checks every number.
    pub(crate) fn validate(&self) -> Result<(), ModelError> {
        let (min, max) = (self.min.unwrap_or(f64::NEG_INFINITY), self.max.unwrap_or(f64::INFINITY));
        if min.is_nan() || max.is_nan() || min > max {
            let value = format!("{min} to {max}");
            return Err(ModelError::OutOfRange {
                what: "joint limits",
                value,
                allowed: "two numbers, the smaller first",
            });
        }
        checked("restitution of a joint limit", self.restitution, 0.0..=1.0, "between 0 and 1")?;
        checked("joint friction", self.friction, 0.0.., "at least 0")?;
        if let Some(motor) = &self.motor {
            checked("motor speed", motor.speed, .., "finite")?;
            checked("largest force of a motor", motor.max_force.unwrap_or(0.0), 0.0.., "at least 0")?;
        }
        if let Some(drive) = &self.drive {
            checked("target of a drive", drive.target, .., "finite")?;
            checked("largest force of a drive", drive.max_force.unwrap_or(0.0), 0.0.., "at least 0")?;
            drive.spring.validate()?;
        }
        Ok(())
    }

    /// Appends what acts on the coordinate `q`.
    pub(super) fn push_rows(&self, q: Measure, rows: &mut Vec<Row>) {
        let restitution = self.restitution;
        match (self.min, self.max) {
            (Some(min), Some(max)) if min == max => rows.push((q - min).equals_zero()),
            (min, max) => {
                rows.extend(min.map(|min| Row { restitution, ..(q - min).at_least_zero() }));
                rows.extend(max.map(|max| Row { restitution, ..(-q + max).at_least_zero() }));
            }
        }
        if let Some(Motor { speed, max_force }) = self.motor {
            rows.push(Row { target_rate: speed, ..q.row(up_to(max_force)) });
        }
        if let Some(Drive { target, spring, max_force }) = self.drive {
            rows.push((q - target).row(up_to(max_force)).with_softness(spring));
        }
        if self.friction > 0.0 {
            rows.push(q.row(up_to(Some(self.friction))));
        }
    }
}

fn up_to(max_force: Option<f64>) -> Limit {
    let max = max_force.unwrap_or(f64::INFINITY);
    Limit::Force { min: -max, max }
}
