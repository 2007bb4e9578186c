//! Weld: two bodies move as one (T 3.1.3 with 3.2.3, G 2.7.5.4).
//!
//! Three rows hold a point, three the orientation, by the quaternion q of the relative rotation:
//!
//! ```text
//! c = d (three rows),  2 q_x,  2 q_y,  2 q_z
//! ```
//!
//! or, as in G, three points hold each other together ([`WeldForm::ThreePoints`]): three rows for the first point, two for a
//! second across the line to the first, one for a third across the plane of all three.

use super::frame::JointFrame;
use super::{Attach, BodyView, Constraint, JointForm, JointView, Row, Softness};
use crate::error::ModelError;
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A rigid connection at a point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Weld {
    /// Where the seam is, in world coordinates, in metres: its reaction force acts there. Default: the origin.
    #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
    pub anchor: DVec3,
    /// By a point and the orientation (default), or by three points.
    pub form: WeldForm,
    /// How hard it holds. Default: rigid.
    pub softness: Softness,
}

impl Default for Weld {
    fn default() -> Self {
        Self { anchor: DVec3::ZERO, form: WeldForm::Orientation, softness: Softness::Rigid }
    }
}

/// How a weld is written down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WeldForm {
    /// A point and the orientation.
    #[default]
    Orientation,
    /// Three points a metre apart.
    ThreePoints,
}

impl Weld {
    /// A rigid weld at a world point.
    pub fn at(anchor: impl Into<DVec3>) -> Self {
        Self { anchor: anchor.into(), ..Self::default() }
    }

    /// By three points instead.
    pub fn by_three_points(self) -> Self {
        Self { form: WeldForm::ThreePoints, ..self }
    }
}

impl Attach for Weld {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        self.softness.validate()?;
        let frame = JointFrame::aligned("weld anchor", bodies, self.anchor)?;
        Ok(Arc::new(WeldConstraint { frame, form: self.form, softness: self.softness }))
    }
}

#[derive(Clone, Copy, Debug)]
struct WeldConstraint {
    frame: JointFrame,
    form: WeldForm,
    softness: Softness,
}

impl Constraint for WeldConstraint {
    fn rows(&self, bodies: &JointView, rows: &mut Vec<Row>) {
        self.frame.hold_point(bodies, self.softness, rows);
        match self.form {
            WeldForm::Orientation => self.frame.hold_rotation(bodies, self.softness, rows),
            WeldForm::ThreePoints => {
                let [_, y1, z1] = self.frame.first(bodies);
                let [along_x, along_y, _] = DVec3::AXES.map(|axis| self.frame.offset_at(bodies, axis));
                let held = [along_x.dot(&y1), along_x.dot(&z1), along_y.dot(&z1)];
                rows.extend(held.map(|held| held.equals_zero().with_softness(self.softness)));
            }
        }
    }

    fn form(&self) -> JointForm {
        let Self { frame, form, softness } = *self;
        JointForm::Weld { frame, form, softness }
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.frame.anchors(bodies)
    }
}
