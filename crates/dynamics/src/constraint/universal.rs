//! Universal joint: two shafts joined by a cross; an arm of the cross turns in each (T 3.2.9).
//!
//! Besides the three rows that hold the centre of the cross, the arm z fixed to the first body stays perpendicular to the arm
//! y fixed to the second:
//!
//! ```text
//! c = z₁·y₂
//! ```
//!
//! Four rows. With the shafts at an angle β the speeds differ within a turn: `ω₂/ω₁ = cos β/(1 − sin²β cos²θ)`.

use super::frame::JointFrame;
use super::{Attach, BodyView, Constraint, JointForm, JointView, Row, Softness, check_direction};
use crate::error::ModelError;
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A universal (Cardan) joint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Universal {
    /// Where it holds the bodies, in world coordinates, in metres. Default: the origin.
    #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
    pub anchor: DVec3,
    /// The arm of the cross that turns in the first body, in world coordinates, of any length but zero. Default: z.
    #[schemars(with = "[f64; 3]", extend("unit" = "1"))]
    pub first_arm: DVec3,
    /// The arm that turns in the second, perpendicular to the other. Default: y.
    #[schemars(with = "[f64; 3]", extend("unit" = "1"))]
    pub second_arm: DVec3,
    /// How hard it holds. Default: rigid.
    pub softness: Softness,
}

impl Default for Universal {
    fn default() -> Self {
        Self { anchor: DVec3::ZERO, first_arm: DVec3::Z, second_arm: DVec3::Y, softness: Softness::Rigid }
    }
}

impl Universal {
    /// A rigid joint at a world point whose cross has these arms.
    pub fn at(anchor: impl Into<DVec3>, first_arm: impl Into<DVec3>, second_arm: impl Into<DVec3>) -> Self {
        let (anchor, first_arm, second_arm) = (anchor.into(), first_arm.into(), second_arm.into());
        Self { anchor, first_arm, second_arm, softness: Softness::Rigid }
    }
}

impl Attach for Universal {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        self.softness.validate()?;
        let a = check_direction("the first arm of the cross", self.first_arm)?;
        let b = check_direction("the second arm of the cross", self.second_arm)?;
        if a.dot(b).abs() > 1e-6 {
            let value = format!("{} and {}", self.first_arm, self.second_arm);
            return Err(ModelError::OutOfRange {
                what: "the pair of arms of the cross",
                value,
                allowed: "perpendicular",
            });
        }
        // x along the first arm, y along the second.
        let frame = JointFrame::new("the cross", bodies, self.anchor, self.first_arm, Some(self.second_arm))?;
        Ok(Arc::new(UniversalConstraint { frame, softness: self.softness }))
    }
}

#[derive(Clone, Copy, Debug)]
struct UniversalConstraint {
    frame: JointFrame,
    softness: Softness,
}

impl Constraint for UniversalConstraint {
    fn rows(&self, bodies: &JointView, rows: &mut Vec<Row>) {
        self.frame.hold_point(bodies, self.softness, rows);
        let ([first_arm, ..], [_, second_arm, _]) = (self.frame.first(bodies), self.frame.second(bodies));
        rows.push(first_arm.dot(&second_arm).equals_zero().with_softness(self.softness));
    }

    fn form(&self) -> JointForm {
        let Self { frame, softness } = *self;
        JointForm::Universal { frame, softness }
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.frame.anchors(bodies)
    }
}
