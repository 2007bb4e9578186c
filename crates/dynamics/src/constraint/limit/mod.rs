//! Limits: how far bodies may turn against each other.
//!
//! A limit is an inequality `c ≥ 0` on the relative rotation and holds nothing else: it is added beside the joint that holds
//! the bodies together, a ball joint mostly. What happens where it is reached is a [`Stop`]. The limits of hinges, sliders
//! and K's joystick belong to these joints themselves.
//!
//! Each limit is written so that c is about the angle that is left, so that its Jacobian has a length of about one where it acts, and so
//! that it is smooth in the middle of the allowed region, where the direction to the limit is undefined.

mod angular;
mod axes;
mod cone;
mod elliptic_cone;
mod reach_cone;
mod swing_twist;
mod twist;
mod wedge;

pub use angular::AngularLimit;
pub use axes::AxisLimits;
pub use cone::ConeLimit;
pub use elliptic_cone::EllipticConeLimit;
pub use reach_cone::ReachCone;
pub use swing_twist::SwingTwist;
pub use twist::TwistLimit;
pub use wedge::WedgeLimit;

use super::{Measure, Row, Softness};
use crate::error::{ModelError, checked};
use crate::schema::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happens where a limit is reached. Default: it stops, rigidly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Stop {
    /// The part of the speed at which the limit is reached that comes back, from 0 to 1. Default 0.
    #[schemars(range(min = 0.0, max = 1.0), extend("unit" = "1"))]
    pub restitution: f64,
    /// How hard the limit is. Default: rigid.
    pub softness: Softness,
}

impl Stop {
    /// A rigid stop that returns a part of the speed, from 0 to 1.
    pub fn bouncing(restitution: f64) -> Self {
        Self { restitution, ..Self::default() }
    }

    /// A stop with another softness.
    pub fn soft(softness: Softness) -> Self {
        Self { softness, ..Self::default() }
    }

    pub(super) fn validate(&self) -> Result<(), ModelError> {
        checked("restitution of a limit", self.restitution, 0.0..=1.0, "between 0 and 1")?;
        self.softness.validate()
    }

    /// The row that keeps the measure from becoming negative.
    fn row(&self, room: Measure) -> Row {
        Row { restitution: self.restitution, softness: self.softness, ..room.at_least_zero() }
    }
}

/// Accepts an interval of angles.
fn check_interval(what: &'static str, min: f64, max: f64) -> Result<(), ModelError> {
    if min.is_finite() && max.is_finite() && min < max {
        return Ok(());
    }
    Err(ModelError::OutOfRange { what, value: format!("{min} to {max}"), allowed: "two numbers, the smaller first" })
}

/// Appends the rows of `min ≤ q ≤ max`.
fn push_interval(q: Measure, [min, max]: [f64; 2], stop: &Stop, rows: &mut Vec<Row>) {
    rows.push(stop.row(q - min));
    rows.push(stop.row(-q + max));
}
