//! Planar joint: the second body slides in a plane of the first and turns about its normal.
//!
//! With d from anchor to anchor and the normal x:
//!
//! ```text
//! c = d·x₁,  x₂·y₁,  x₂·z₁
//! ```

use super::frame::JointFrame;
use super::{Attach, BodyView, Constraint, JointForm, JointView, Row, Softness};
use crate::error::ModelError;
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A body that slides on a plane without tipping.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Planar {
    /// Where it holds the bodies, in world coordinates, in metres. Default: the origin.
    #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
    pub anchor: DVec3,
    /// The normal of the plane, fixed to the first body, in world coordinates, of any length but zero. Default: y.
    #[schemars(with = "[f64; 3]", extend("unit" = "1"))]
    pub normal: DVec3,
    /// How hard it holds. Default: rigid.
    pub softness: Softness,
}

impl Default for Planar {
    fn default() -> Self {
        Self { anchor: DVec3::ZERO, normal: DVec3::Y, softness: Softness::Rigid }
    }
}

impl Planar {
    /// A rigid plane through a world point with a world normal.
    pub fn at(anchor: impl Into<DVec3>, normal: impl Into<DVec3>) -> Self {
        Self { anchor: anchor.into(), normal: normal.into(), ..Self::default() }
    }
}

impl Attach for Planar {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        self.softness.validate()?;
        let frame = JointFrame::new("the normal of a planar joint", bodies, self.anchor, self.normal, None)?;
        Ok(Arc::new(PlanarConstraint { frame, softness: self.softness }))
    }
}

#[derive(Clone, Copy, Debug)]
struct PlanarConstraint {
    frame: JointFrame,
    softness: Softness,
}

impl Constraint for PlanarConstraint {
    fn rows(&self, bodies: &JointView, rows: &mut Vec<Row>) {
        let [x1, ..] = self.frame.first(bodies);
        rows.push(self.frame.offset(bodies).dot(&x1).equals_zero().with_softness(self.softness));
        self.frame.hold_axis(bodies, self.softness, rows);
    }

    fn form(&self) -> JointForm {
        let Self { frame, softness } = *self;
        JointForm::Planar { frame, softness }
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.frame.anchors(bodies)
    }
}
