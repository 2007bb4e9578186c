//! Weld: two bodies move as one (T 3.1.3, G 2.7.5.4).
//!
//! The three rows of a ball joint hold a point. The orientation is held by the axes a₁, a₂, a₃ fixed to body 1 and
//! b₁, b₂, b₃ fixed to body 2 that coincided when the weld was made: each aᵢ stays perpendicular to the bⱼ that follows it.
//! That is three rows `aᵢ·bⱼ = 0` as in the hinge. They vanish also where axes point in opposite directions (a half turn),
//! a configuration a weld never comes near.

use super::ball::push_point_rows;
use super::{Arrow, Attach, BodyView, Constraint, End, Row, Softness};
use crate::error::ModelError;
use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A rigid connection at a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Weld {
    /// Where the seam is, in world coordinates, in metres: its reaction force acts there. Default: the origin.
    #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
    pub anchor: DVec3,
    /// How hard it holds. Default: rigid.
    pub softness: Softness,
}

impl Weld {
    /// A rigid weld at a world point.
    pub fn at(anchor: impl Into<DVec3>) -> Self {
        Self { anchor: anchor.into(), softness: Softness::Rigid }
    }
}

impl Attach for Weld {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        super::check_points("weld anchor", &[self.anchor])?;
        self.softness.validate()?;
        Ok(Arc::new(WeldConstraint {
            anchors: bodies.map(|body| body.pose.inverse_point(self.anchor)),
            axes: bodies.map(|body| DVec3::AXES.map(|axis| body.pose.inverse_vector(axis))),
            softness: self.softness,
        }))
    }
}

#[derive(Clone, Copy, Debug)]
struct WeldConstraint {
    /// In the frames of the bodies.
    anchors: [DVec3; 2],
    /// The world axes at the time of welding, in the frames of the bodies.
    axes: [[DVec3; 3]; 2],
    softness: Softness,
}

impl Constraint for WeldConstraint {
    fn rows(&self, bodies: &[BodyView; 2], rows: &mut Vec<Row>) {
        push_point_rows(bodies, self.anchors(bodies), &DVec3::AXES, self.softness, rows);
        for i in 0..3 {
            let a = Arrow::axis(bodies, End::First, self.axes[0][i]);
            let b = Arrow::axis(bodies, End::Second, self.axes[1][(i + 1) % 3]);
            rows.push(Row { softness: self.softness, ..a.dot(&b).equals_zero() });
        }
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        [bodies[0].pose.point(self.anchors[0]), bodies[1].pose.point(self.anchors[1])]
    }
}
