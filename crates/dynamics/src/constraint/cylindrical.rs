//! Cylindrical joint: the second body slides along an axis of the first and turns about it.
//!
//! With d from anchor to anchor, the axis x and axes y, z across it on each body:
//!
//! ```text
//! c = d·y₁,  d·z₁,  x₂·y₁,  x₂·z₁
//! ```
//!
//! Four rows; left are the coordinate d·x₁ and the angle of y₂ about x₁.

use super::frame::JointFrame;
use super::{Attach, BodyView, Constraint, Coordinate, Freedom, JointForm, JointView, Row, Softness};
use crate::error::ModelError;
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A shaft in a sleeve: slides and turns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Cylindrical {
    /// Where it holds the bodies, in world coordinates, in metres. Default: the origin.
    #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
    pub anchor: DVec3,
    /// The direction of the shaft, in world coordinates, of any length but zero. Default: x.
    #[schemars(with = "[f64; 3]", extend("unit" = "1"))]
    pub axis: DVec3,
    /// What acts along the axis; the coordinate is 0 where the joint was made. Default: nothing.
    pub slide: Freedom,
    /// What acts about the axis; the angle is 0 where the joint was made. Default: nothing.
    pub turn: Freedom,
    /// How hard it holds. Default: rigid.
    pub softness: Softness,
}

impl Default for Cylindrical {
    fn default() -> Self {
        Self {
            anchor: DVec3::ZERO,
            axis: DVec3::X,
            slide: Freedom::FREE,
            turn: Freedom::FREE,
            softness: Softness::Rigid,
        }
    }
}

impl Cylindrical {
    /// A rigid sleeve through a world point along a world direction.
    pub fn at(anchor: impl Into<DVec3>, axis: impl Into<DVec3>) -> Self {
        Self { anchor: anchor.into(), axis: axis.into(), ..Self::default() }
    }
}

impl Attach for Cylindrical {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        self.softness.validate()?;
        self.slide.validate()?;
        self.turn.validate()?;
        let frame = JointFrame::new("the axis of a cylindrical joint", bodies, self.anchor, self.axis, None)?;
        let Self { slide, turn, softness, .. } = *self;
        Ok(Arc::new(CylindricalConstraint { frame, slide, turn, softness }))
    }
}

#[derive(Clone, Copy, Debug)]
struct CylindricalConstraint {
    frame: JointFrame,
    slide: Freedom,
    turn: Freedom,
    softness: Softness,
}

impl CylindricalConstraint {
    fn free(&self, joint: &JointView) -> [Coordinate; 2] {
        let (d, [x1, ..]) = (self.frame.offset(joint), self.frame.first(joint));
        [Coordinate::new("slide", d.dot(&x1), self.slide), Coordinate::new("turn", self.frame.turned(joint), self.turn)]
    }
}

impl Constraint for CylindricalConstraint {
    fn rows(&self, bodies: &JointView, rows: &mut Vec<Row>) {
        let (d, [_, y1, z1]) = (self.frame.offset(bodies), self.frame.first(bodies));
        for across in [y1, z1] {
            rows.push(d.dot(&across).equals_zero().with_softness(self.softness));
        }
        self.frame.hold_axis(bodies, self.softness, rows);
        self.free(bodies).iter().for_each(|coordinate| coordinate.push_rows(rows));
    }

    fn coordinates(&self, joint: &JointView) -> Vec<Coordinate> {
        self.free(joint).to_vec()
    }

    fn with_freedom(&self, coordinate: &str, freedom: Freedom) -> Option<Arc<dyn Constraint>> {
        match coordinate {
            "slide" => Some(Arc::new(Self { slide: freedom, ..*self })),
            "turn" => Some(Arc::new(Self { turn: freedom, ..*self })),
            _ => None,
        }
    }

    fn form(&self) -> JointForm {
        let Self { frame, slide, turn, softness } = *self;
        JointForm::Cylindrical { frame, slide, turn, softness }
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.frame.anchors(bodies)
    }

    fn angle(&self, bodies: &[BodyView; 2]) -> Option<f64> {
        Some(self.frame.angle(bodies).value)
    }
}
