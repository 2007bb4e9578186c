//! Constant-velocity joint: two shafts at any angle that turn equally fast (T 3.2.10).
//!
//! With the shafts along x and the quaternion q of the relative rotation since the shafts were straight:
//!
//! ```text
//! c = 2 q_x
//! ```
//!
//! This vanishes as long as each body has turned by the same angle about its own shaft. The gradient is the normal of the plane
//! that halves the angle between the shafts, in which the relative angular velocity must lie. T's form with axes y, z on each
//! body is `y₁·z₂ − z₁·y₂ = −4 q_w q_x`: the same condition, but it fades out towards shafts that are folded back, where
//! q_w = 0. That of q_x is as strong at every angle.

use super::frame::JointFrame;
use super::{Attach, BodyView, Constraint, JointForm, JointView, Row, Softness};
use crate::error::ModelError;
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A constant-velocity (homokinetic) joint.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConstantVelocity {
    /// Where it holds the bodies, in world coordinates, in metres. Default: the origin.
    #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
    pub anchor: DVec3,
    /// The direction of the shaft, which is straight when the joint is made, in world coordinates, of any length but zero. Default: x.
    #[schemars(with = "[f64; 3]", extend("unit" = "1"))]
    pub axis: DVec3,
    /// How hard it holds. Default: rigid.
    pub softness: Softness,
}

impl Default for ConstantVelocity {
    fn default() -> Self {
        Self { anchor: DVec3::ZERO, axis: DVec3::X, softness: Softness::Rigid }
    }
}

impl ConstantVelocity {
    /// A rigid joint at a world point in a shaft along a world direction.
    pub fn at(anchor: impl Into<DVec3>, axis: impl Into<DVec3>) -> Self {
        Self { anchor: anchor.into(), axis: axis.into(), softness: Softness::Rigid }
    }
}

impl Attach for ConstantVelocity {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        self.softness.validate()?;
        let frame = JointFrame::new("the axis of a constant-velocity joint", bodies, self.anchor, self.axis, None)?;
        Ok(Arc::new(ConstantVelocityConstraint { frame, softness: self.softness }))
    }
}

#[derive(Clone, Copy, Debug)]
struct ConstantVelocityConstraint {
    frame: JointFrame,
    softness: Softness,
}

impl Constraint for ConstantVelocityConstraint {
    fn rows(&self, bodies: &JointView, rows: &mut Vec<Row>) {
        self.frame.hold_point(bodies, self.softness, rows);
        let [twist, ..] = self.frame.rotation(bodies);
        rows.push(twist.equals_zero().with_softness(self.softness));
    }

    fn form(&self) -> JointForm {
        let Self { frame, softness } = *self;
        JointForm::ConstantVelocity { frame, softness }
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.frame.anchors(bodies)
    }
}
