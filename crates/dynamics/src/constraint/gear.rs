//! Gears: two toothed wheels that turn each other.
//!
//! With the line of centres d, from the first to the second, and the directions y, z on each wheel across its axis x, the wheels
//! see that line at the angles
//!
//! ```text
//! ψ₁ = atan2(d·z₁, d·y₁),     ψ₂ = atan2(−d·z₂, −d·y₂)
//! ```
//!
//! A wheel that turns by θ, while the line of centres stays, sees it turn by −θ. As many teeth of one pass the line as of the
//! other, so that N₁ψ₁ ± N₂ψ₂ does not change; the sign is that with which the teeth move together where they touch:
//!
//! ```text
//! c = ((N₁ ψ₁ + s N₂ ψ₂ − value at the beginning) mod 2π)/N₁,     s = −sign((x₁ × u₁)·(x₂ × u₂)),  u: towards the other wheel
//! ```
//!
//! c is an angle of the first wheel. A whole turn of either wheel is a whole number of teeth, and so nothing must be counted:
//! beyond half a tooth the gears skip to the next. Because the angles are measured from the line of centres, not from the
//! world, wheels on a moving carrier mesh too, as planets do, and the forces between the teeth act on the axles as they should:
//! momentum and angular momentum are kept. A wheel with inner teeth has a negative number of them.
//!
//! The gears do not hold the axles: add a hinge to each wheel.

use super::frame::JointFrame;
use super::{Attach, BodyView, Constraint, JointView, Measure, Row, Softness, continued};
use crate::error::ModelError;
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Two gears that mesh: beside the hinges that hold them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Gear {
    /// The centres of the wheels, in world coordinates, in metres; the line between them is along neither axis. Default: the
    /// origin and (1, 0, 0).
    #[schemars(with = "[[f64; 3]; 2]", extend("unit" = "m"))]
    pub centers: [DVec3; 2],
    /// The axes of the wheels, in world coordinates, of any length but zero. Default: z for both.
    #[schemars(with = "[[f64; 3]; 2]", extend("unit" = "1"))]
    pub axes: [DVec3; 2],
    /// How many teeth each wheel has, up to a million; negative for inner teeth. Default 20 and 20.
    pub teeth: [i32; 2],
    /// How hard it holds. Default: rigid.
    pub softness: Softness,
}

impl Default for Gear {
    fn default() -> Self {
        let softness = Softness::Rigid;
        Self { centers: [DVec3::ZERO, DVec3::X], axes: [DVec3::Z; 2], teeth: [20, 20], softness }
    }
}

impl Gear {
    /// Rigid gears with these centres and a common direction of their axes.
    pub fn parallel(centers: [DVec3; 2], axis: impl Into<DVec3>, teeth: [i32; 2]) -> Self {
        Self { centers, axes: [axis.into(); 2], teeth, ..Self::default() }
    }

    /// Rigid gears with these centres and axes: bevel gears if the axes meet.
    pub fn with_axes(centers: [DVec3; 2], axes: [DVec3; 2], teeth: [i32; 2]) -> Self {
        Self { centers, axes, teeth, ..Self::default() }
    }
}

impl Attach for Gear {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        self.softness.validate()?;
        if let Some(teeth) = self.teeth.iter().find(|teeth| !(1..=1_000_000).contains(&teeth.unsigned_abs())) {
            let allowed = "between 1 and 1000000, negative for inner teeth";
            return Err(ModelError::OutOfRange {
                what: "the number of teeth of a gear",
                value: teeth.to_string(),
                allowed,
            });
        }
        let frame = JointFrame::separate("one of the axes of a gear", bodies, self.centers, self.axes)?;
        let d = frame.offset(bodies).value;
        let [x1, x2] = [frame.first(bodies)[0].value, frame.second(bodies)[0].value];
        let lines = [(d - x1 * d.dot(x1)), -(d - x2 * d.dot(x2))];
        if lines.iter().any(|line| line.length() < 1e-9 * (1.0 + self.centers[0].length())) {
            let value = format!("{} and {}", self.centers[0], self.centers[1]);
            let allowed = "apart, and not one behind the other along an axis";
            return Err(ModelError::OutOfRange { what: "centres of gears", value, allowed });
        }
        let sign = if x1.cross(lines[0]).dot(x2.cross(lines[1])) > 0.0 { -1.0 } else { 1.0 };
        let teeth = [f64::from(self.teeth[0]), sign * f64::from(self.teeth[1])];
        let mut constraint = GearConstraint { frame, teeth, start: 0.0, softness: self.softness };
        constraint.start = constraint.phase(bodies).value;
        Ok(Arc::new(constraint))
    }
}

#[derive(Clone, Copy, Debug)]
struct GearConstraint {
    frame: JointFrame,
    /// N₁ and s N₂.
    teeth: [f64; 2],
    start: f64,
    softness: Softness,
}

impl GearConstraint {
    /// N₁ψ₁ + s N₂ψ₂.
    fn phase(&self, bodies: &[BodyView; 2]) -> Measure {
        let (d, [_, y1, z1], [_, y2, z2]) =
            (self.frame.offset(bodies), self.frame.first(bodies), self.frame.second(bodies));
        let first = Measure::atan2(d.dot(&z1), d.dot(&y1));
        let second = Measure::atan2(-d.dot(&z2), -d.dot(&y2));
        first * self.teeth[0] + second * self.teeth[1]
    }
}

impl Constraint for GearConstraint {
    fn rows(&self, bodies: &JointView, rows: &mut Vec<Row>) {
        let phase = self.phase(bodies) - self.start;
        let within = phase + (continued(phase.value, 0.0) - phase.value);
        rows.push((within * (1.0 / self.teeth[0])).equals_zero().with_softness(self.softness));
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.frame.anchors(bodies)
    }
}
