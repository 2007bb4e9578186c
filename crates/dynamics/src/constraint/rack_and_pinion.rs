//! Rack and pinion: a wheel that turns drives a toothed bar along.
//!
//! The first body is the pinion, with its centre and the axis x; the second is the rack, with a point of its pitch line and the
//! direction y of it, across the axis. With d from the centre to that point, the angle φ of the rack's y₂ about the
//! pinion's x₁ (the pinion's turn against the rack, backwards) and the height ρ = (point − centre)·z of the pitch line, the
//! pinion's radius:
//!
//! ```text
//! c = d·y₂ − ρ φ − value at the beginning,   taken modulo 2πρ
//! ```
//!
//! A whole turn is a travel of 2πρ, so that nothing must be counted: the error is at most half a turn. All is measured between
//! the two bodies, so that the rack may slide past the pinion or the pinion roll along the rack. It holds neither: add a
//! hinge and a slider.

use super::frame::JointFrame;
use super::{Attach, BodyView, Constraint, JointView, Measure, Row, Softness, check_points};
use crate::error::ModelError;
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;
use std::sync::Arc;

/// A pinion, the first body, and a rack, the second: beside what holds them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RackAndPinion {
    /// The centre of the pinion, in world coordinates, in metres. Default: the origin.
    #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
    pub center: DVec3,
    /// The axis of the pinion, in world coordinates, of any length but zero. Default: z.
    #[schemars(with = "[f64; 3]", extend("unit" = "1"))]
    pub axis: DVec3,
    /// A point of the rack where it meets the pinion, in world coordinates, in metres: how far it is from the centre, across
    /// the rack, is the radius. Default (0, −0.1, 0).
    #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
    pub point: DVec3,
    /// The direction of the rack, in world coordinates, not parallel to the axis. Default: x.
    #[schemars(with = "[f64; 3]", extend("unit" = "1"))]
    pub direction: DVec3,
    /// How hard it holds. Default: rigid.
    pub softness: Softness,
}

impl Default for RackAndPinion {
    fn default() -> Self {
        Self {
            center: DVec3::ZERO,
            axis: DVec3::Z,
            point: DVec3::new(0.0, -0.1, 0.0),
            direction: DVec3::X,
            softness: Softness::Rigid,
        }
    }
}

impl RackAndPinion {
    /// A pinion with this centre and axis on a rack through a point along a direction.
    pub fn at(
        center: impl Into<DVec3>,
        axis: impl Into<DVec3>,
        point: impl Into<DVec3>,
        direction: impl Into<DVec3>,
    ) -> Self {
        let (center, axis, point, direction) = (center.into(), axis.into(), point.into(), direction.into());
        Self { center, axis, point, direction, softness: Softness::Rigid }
    }
}

impl Attach for RackAndPinion {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        self.softness.validate()?;
        check_points("point of a rack", &[self.point])?;
        let what = "the pair of axis of a pinion and direction of its rack";
        let mut frame = JointFrame::new(what, bodies, self.center, self.axis, Some(self.direction))?;
        frame.anchors[1] = bodies[1].pose.inverse_point(self.point);
        let radius = (self.point - self.center).dot(frame.second(bodies)[2].value);
        if radius.abs() < 1e-9 {
            let value = format!("{} with the centre of the pinion at {}", self.point, self.center);
            let allowed = "away from the pinion's centre, across the rack and the axis";
            return Err(ModelError::OutOfRange { what: "point of a rack", value, allowed });
        }
        let mut constraint = RackConstraint { frame, radius, start: 0.0, softness: self.softness };
        constraint.start = constraint.slip(bodies).value;
        Ok(Arc::new(constraint))
    }
}

#[derive(Clone, Copy, Debug)]
struct RackConstraint {
    frame: JointFrame,
    /// ρ, with a sign.
    radius: f64,
    start: f64,
    softness: Softness,
}

impl RackConstraint {
    /// d·y₂ − ρ φ.
    fn slip(&self, bodies: &[BodyView; 2]) -> Measure {
        let [_, y2, _] = self.frame.second(bodies);
        self.frame.offset(bodies).dot(&y2) - self.frame.angle(bodies) * self.radius
    }
}

impl Constraint for RackConstraint {
    fn rows(&self, bodies: &JointView, rows: &mut Vec<Row>) {
        let slip = self.slip(bodies) - self.start;
        let turn = TAU * self.radius;
        rows.push((slip - turn * (slip.value / turn).round()).equals_zero().with_softness(self.softness));
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.frame.anchors(bodies)
    }
}
