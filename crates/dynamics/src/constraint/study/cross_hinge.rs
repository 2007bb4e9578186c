//! The hinge of one row (T 3.3.1).
//!
//! ```text
//! c = ½ |x₁ × x₂|²                   (T 3.50)
//! ```
//!
//! What goes wrong: a hinge removes two ways of turning, and one row removes one. Worse, where the hinge holds, c has its
//! minimum and the Jacobian (x₁ × x₂) × … is zero (T 3.52): nothing resists until the axes have come apart, and then only what
//! takes them further in the direction they went. The axis wanders in circles around where it should be.

use super::super::frame::JointFrame;
use crate::constraint::{Attach, BodyView, Constraint, JointView, Row, Softness};
use crate::error::ModelError;
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A hinge by the length of a cross product, for study only.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CrossHinge {
    /// A point on the axis, in world coordinates, in metres. Default: the origin.
    #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
    pub anchor: DVec3,
    /// The direction of the axis in world coordinates, of any length but zero. Default: z.
    #[schemars(with = "[f64; 3]", extend("unit" = "1"))]
    pub axis: DVec3,
}

impl Default for CrossHinge {
    fn default() -> Self {
        Self { anchor: DVec3::ZERO, axis: DVec3::Z }
    }
}

impl CrossHinge {
    /// Through a world point along a world direction.
    pub fn at(anchor: impl Into<DVec3>, axis: impl Into<DVec3>) -> Self {
        Self { anchor: anchor.into(), axis: axis.into() }
    }
}

impl Attach for CrossHinge {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        Ok(Arc::new(CrossHingeConstraint(JointFrame::new(
            "the axis of the hinge",
            bodies,
            self.anchor,
            self.axis,
            None,
        )?)))
    }
}

#[derive(Clone, Copy, Debug)]
struct CrossHingeConstraint(JointFrame);

impl Constraint for CrossHingeConstraint {
    fn rows(&self, bodies: &JointView, rows: &mut Vec<Row>) {
        self.0.hold_point(bodies, Softness::Rigid, rows);
        // |x₁ × x₂|² = 1 − (x₁·x₂)², without its cancellation: the parts of x₂ across x₁.
        let ([_, y1, z1], [x2, ..]) = (self.0.first(bodies), self.0.second(bodies));
        let [y, z] = [x2.dot(&y1), x2.dot(&z1)];
        rows.push(((y * y + z * z) * 0.5).equals_zero());
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.0.anchors(bodies)
    }
}
