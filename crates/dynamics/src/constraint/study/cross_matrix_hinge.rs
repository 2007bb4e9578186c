//! The hinge of three rows (T 3.3.2).
//!
//! ```text
//! c = x₁ × x₂                        (T 3.54)
//! ```
//!
//! What goes wrong: three rows for two ways of turning. They depend on each other, and the matrix J W Jᵀ of all three is singular
//! where the hinge holds (T 3.58), so that a solver that inverts it fails. One that takes row after row gets along, but shares the
//! reaction among the rows as it likes; and like all cross products it does not mind an axis turned around.

use super::super::frame::JointFrame;
use crate::constraint::{Arrow, Attach, BodyView, Constraint, End, JointView, Row, Softness};
use crate::error::ModelError;
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A hinge by a cross product, for study only.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CrossMatrixHinge {
    /// A point on the axis, in world coordinates, in metres. Default: the origin.
    #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
    pub anchor: DVec3,
    /// The direction of the axis in world coordinates, of any length but zero. Default: z.
    #[schemars(with = "[f64; 3]", extend("unit" = "1"))]
    pub axis: DVec3,
}

impl Default for CrossMatrixHinge {
    fn default() -> Self {
        Self { anchor: DVec3::ZERO, axis: DVec3::Z }
    }
}

impl CrossMatrixHinge {
    /// Through a world point along a world direction.
    pub fn at(anchor: impl Into<DVec3>, axis: impl Into<DVec3>) -> Self {
        Self { anchor: anchor.into(), axis: axis.into() }
    }
}

impl Attach for CrossMatrixHinge {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        Ok(Arc::new(CrossMatrixHingeConstraint(JointFrame::new(
            "the axis of the hinge",
            bodies,
            self.anchor,
            self.axis,
            None,
        )?)))
    }
}

#[derive(Clone, Copy, Debug)]
struct CrossMatrixHingeConstraint(JointFrame);

impl Constraint for CrossMatrixHingeConstraint {
    fn rows(&self, bodies: &JointView, rows: &mut Vec<Row>) {
        self.0.hold_point(bodies, Softness::Rigid, rows);
        let ([x1, ..], [x2, ..]) = (self.0.first(bodies), self.0.second(bodies));
        for axis in DVec3::AXES {
            rows.push(Arrow::axis(bodies, End::World, axis).triple(&x1, &x2).equals_zero());
        }
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.0.anchors(bodies)
    }
}
