//! Hinge: a ball joint whose bodies turn about one common axis only (K B.4.3, T 3.2.4, G 2.7.5.3).
//!
//! Besides the three rows of the ball joint, the axis a fixed to body 1 stays perpendicular to two axes b, c fixed to
//! body 2 (and so parallel to the third, the hinge axis of body 2). For each of these:
//!
//! ```text
//! c    = a·b
//! J    = (0, −b×a, 0, b×a)                              since ċ = (ω₁×a)·b + a·(ω₂×b) = (ω₂ − ω₁)·(b×a)
//! J̇ẋ  = (ω₁×(ω₁×a))·b + 2 (ω₁×a)·(ω₂×b) + a·(ω₂×(ω₂×b))
//! ```
//!
//! Five rows: one rotation is left.

use super::ball::push_point_rows;
use super::{Arrow, Attach, BodyView, Constraint, End, Row, Softness};
use crate::error::ModelError;
use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tumble_geometry::math::orthonormal_pair;

/// A hinge at a point along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Hinge {
    /// A point on the axis, in world coordinates, in metres. Default: the origin.
    #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
    pub anchor: DVec3,
    /// The direction of the axis in world coordinates, of any length but zero. Default: z.
    #[schemars(with = "[f64; 3]")]
    pub axis: DVec3,
    /// How hard it holds. Default: rigid.
    pub softness: Softness,
}

impl Default for Hinge {
    fn default() -> Self {
        Self { anchor: DVec3::ZERO, axis: DVec3::Z, softness: Softness::Rigid }
    }
}

impl Hinge {
    /// A rigid hinge through a world point along a world direction.
    pub fn at(anchor: impl Into<DVec3>, axis: impl Into<DVec3>) -> Self {
        Self { anchor: anchor.into(), axis: axis.into(), softness: Softness::Rigid }
    }
}

impl Attach for Hinge {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        super::check_points("hinge anchor", &[self.anchor])?;
        self.softness.validate()?;
        let axis = super::check_direction("hinge axis", self.axis)?;
        let (b, c) = orthonormal_pair(axis);
        Ok(Arc::new(HingeConstraint {
            anchors: bodies.map(|body| body.pose.inverse_point(self.anchor)),
            axis: bodies[0].pose.inverse_vector(axis),
            across: [b, c].map(|v| bodies[1].pose.inverse_vector(v)),
            softness: self.softness,
        }))
    }
}

#[derive(Clone, Copy, Debug)]
struct HingeConstraint {
    /// In the frames of the bodies.
    anchors: [DVec3; 2],
    /// The hinge axis in the frame of the first body.
    axis: DVec3,
    /// Two axes perpendicular to it in the frame of the second.
    across: [DVec3; 2],
    softness: Softness,
}

impl Constraint for HingeConstraint {
    fn rows(&self, bodies: &[BodyView; 2], rows: &mut Vec<Row>) {
        push_point_rows(bodies, self.anchors(bodies), &DVec3::AXES, self.softness, rows);
        let axis = Arrow::axis(bodies, End::First, self.axis);
        for across in self.across {
            let across = Arrow::axis(bodies, End::Second, across);
            rows.push(Row { softness: self.softness, ..axis.dot(&across).equals_zero() });
        }
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        [bodies[0].pose.point(self.anchors[0]), bodies[1].pose.point(self.anchors[1])]
    }
}
