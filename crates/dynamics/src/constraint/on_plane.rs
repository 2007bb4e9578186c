//! Confinement to a plane: a point of the second body stays in a plane of the first, or on its upper side (K B.4.5).
//!
//! With d from a point of the plane to the point and the normal x of the plane:
//!
//! ```text
//! c = d·x₁          (or c ≥ 0 for one side)
//! ```

use super::frame::JointFrame;
use super::{Attach, BodyView, Constraint, JointForm, JointView, Row, Softness};
use crate::error::ModelError;
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A point of the second body that stays in a plane of the first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OnPlane {
    /// The point, in world coordinates, in metres; the plane goes through it. Default: the origin.
    #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
    pub point: DVec3,
    /// The normal of the plane, fixed to the first body, in world coordinates, of any length but zero. Default: y.
    #[schemars(with = "[f64; 3]", extend("unit" = "1"))]
    pub normal: DVec3,
    /// Whether the point may leave the plane to the side the normal points to. Default: no.
    pub one_sided: bool,
    /// How hard it holds. Default: rigid.
    pub softness: Softness,
}

impl Default for OnPlane {
    fn default() -> Self {
        Self { point: DVec3::ZERO, normal: DVec3::Y, one_sided: false, softness: Softness::Rigid }
    }
}

impl OnPlane {
    /// A rigid plane through a world point with a world normal.
    pub fn at(point: impl Into<DVec3>, normal: impl Into<DVec3>) -> Self {
        Self { point: point.into(), normal: normal.into(), ..Self::default() }
    }
}

impl Attach for OnPlane {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        self.softness.validate()?;
        let frame = JointFrame::new("the normal of the plane", bodies, self.point, self.normal, None)?;
        Ok(Arc::new(PlaneConstraint { frame, one_sided: self.one_sided, softness: self.softness }))
    }
}

#[derive(Clone, Copy, Debug)]
struct PlaneConstraint {
    frame: JointFrame,
    one_sided: bool,
    softness: Softness,
}

impl Constraint for PlaneConstraint {
    fn rows(&self, bodies: &JointView, rows: &mut Vec<Row>) {
        let [x1, ..] = self.frame.first(bodies);
        let height = self.frame.offset(bodies).dot(&x1);
        let row = if self.one_sided { height.at_least_zero() } else { height.equals_zero() };
        rows.push(row.with_softness(self.softness));
    }

    fn form(&self) -> JointForm {
        let Self { frame, one_sided, softness } = *self;
        JointForm::OnPlane { frame, one_sided, softness }
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.frame.anchors(bodies)
    }
}
