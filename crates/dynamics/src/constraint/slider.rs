//! Slider, or prismatic joint: the second body moves along an axis of the first and does not turn against it (T 3.1.4).
//!
//! With d from anchor to anchor, axes x₁ (along the slider), y₁, z₁ on the first body and the relative rotation q:
//!
//! ```text
//! c = d·y₁,  d·z₁,  2 q_x,  2 q_y,  2 q_z
//! ```
//!
//! Because y₁ and z₁ turn with the first body, the lever of its rows reaches to the second anchor, which T 3.1.4 brings about
//! with its middle points. The coordinate left is d·x₁.

use super::frame::JointFrame;
use super::{Attach, BodyView, Constraint, Coordinate, Freedom, JointForm, JointView, Row, Softness};
use crate::error::ModelError;
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A slider along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Slider {
    /// Where it holds the bodies, in world coordinates, in metres. Default: the origin.
    #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
    pub anchor: DVec3,
    /// The direction of the slider, fixed to the first body, in world coordinates, of any length but zero. Default: x.
    #[schemars(with = "[f64; 3]", extend("unit" = "1"))]
    pub axis: DVec3,
    /// What acts along the axis; the coordinate is 0 where the joint was made. Default: nothing.
    pub slide: Freedom,
    /// How hard it holds. Default: rigid.
    pub softness: Softness,
}

impl Default for Slider {
    fn default() -> Self {
        Self { anchor: DVec3::ZERO, axis: DVec3::X, slide: Freedom::FREE, softness: Softness::Rigid }
    }
}

impl Slider {
    /// A rigid slider through a world point along a world direction.
    pub fn at(anchor: impl Into<DVec3>, axis: impl Into<DVec3>) -> Self {
        Self { anchor: anchor.into(), axis: axis.into(), ..Self::default() }
    }

    /// With limits, a motor, a drive or friction along the axis.
    pub fn with_slide(self, slide: Freedom) -> Self {
        Self { slide, ..self }
    }
}

impl Attach for Slider {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        self.softness.validate()?;
        self.slide.validate()?;
        let frame = JointFrame::new("the axis of the slider", bodies, self.anchor, self.axis, None)?;
        Ok(Arc::new(SliderConstraint { frame, slide: self.slide, softness: self.softness }))
    }
}

#[derive(Clone, Copy, Debug)]
struct SliderConstraint {
    frame: JointFrame,
    slide: Freedom,
    softness: Softness,
}

impl SliderConstraint {
    fn slide(&self, joint: &JointView) -> Coordinate {
        let [x1, ..] = self.frame.first(joint);
        Coordinate::new("slide", self.frame.offset(joint).dot(&x1), self.slide)
    }
}

impl Constraint for SliderConstraint {
    fn rows(&self, bodies: &JointView, rows: &mut Vec<Row>) {
        let (d, [_, y1, z1]) = (self.frame.offset(bodies), self.frame.first(bodies));
        for across in [y1, z1] {
            rows.push(d.dot(&across).equals_zero().with_softness(self.softness));
        }
        self.frame.hold_rotation(bodies, self.softness, rows);
        self.slide(bodies).push_rows(rows);
    }

    fn coordinates(&self, joint: &JointView) -> Vec<Coordinate> {
        vec![self.slide(joint)]
    }

    fn with_freedom(&self, coordinate: &str, slide: Freedom) -> Option<Arc<dyn Constraint>> {
        (coordinate == "slide").then(|| Arc::new(Self { slide, ..*self }) as _)
    }

    fn form(&self) -> JointForm {
        let Self { frame, slide, softness } = *self;
        JointForm::Slider { frame, slide, softness }
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.frame.anchors(bodies)
    }
}
