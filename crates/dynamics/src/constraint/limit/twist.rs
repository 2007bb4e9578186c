//! Twist limit: how far the second body may turn about its own axis, wherever that axis points.
//!
//! The relative rotation q is a twist about the axis x and a swing that carries the axis elsewhere (T A.3.7). The twist's
//! quaternion is the part (q_w, q_x) of q, normalised (T A.25), and its angle
//!
//! ```text
//! τ = 2 atan2(q_x, q_w),        τ − min ≥ 0,   max − τ ≥ 0
//! ```
//!
//! Twist and swing do not disturb each other: this limit leaves alone where the axis points. The world counts the turns, so
//! that the limits may lie anywhere. The twist is undefined where the axis has swung by half a turn; keep it from there with a
//! cone limit.

use super::super::frame::{JointFrame, counted};
use super::{Stop, check_interval, push_interval};
use crate::constraint::{Attach, BodyView, Constraint, JointForm, JointView, Row};
use crate::error::ModelError;
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::f64::consts::FRAC_PI_4;
use std::sync::Arc;

/// Limits how far the second body turns about its own axis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TwistLimit {
    /// The axis, in world coordinates, of any length but zero. Default: x.
    #[schemars(with = "[f64; 3]", extend("unit" = "1"))]
    pub axis: DVec3,
    /// The smallest twist in radians; it is 0 where the limit was made. Default −π/4.
    #[schemars(extend("unit" = "rad"))]
    pub min: f64,
    /// The largest twist in radians. Default π/4.
    #[schemars(extend("unit" = "rad"))]
    pub max: f64,
    /// What happens at the limits. Default: it stops, rigidly.
    pub stop: Stop,
}

impl Default for TwistLimit {
    fn default() -> Self {
        Self { axis: DVec3::X, min: -FRAC_PI_4, max: FRAC_PI_4, stop: Stop::default() }
    }
}

impl TwistLimit {
    /// Between two angles, in radians, about a world direction.
    pub fn about(axis: impl Into<DVec3>, min: f64, max: f64) -> Self {
        Self { axis: axis.into(), min, max, ..Self::default() }
    }

    /// With another behaviour at the limits.
    pub fn with_stop(self, stop: Stop) -> Self {
        Self { stop, ..self }
    }
}

impl Attach for TwistLimit {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        self.stop.validate()?;
        check_interval("limits of twist", self.min, self.max)?;
        let frame = JointFrame::new("the axis of a twist limit", bodies, bodies[1].center, self.axis, None)?;
        Ok(Arc::new(TwistConstraint { frame, interval: [self.min, self.max], stop: self.stop }))
    }
}

#[derive(Clone, Copy, Debug)]
struct TwistConstraint {
    frame: JointFrame,
    interval: [f64; 2],
    stop: Stop,
}

impl Constraint for TwistConstraint {
    fn rows(&self, joint: &JointView, rows: &mut Vec<Row>) {
        push_interval(counted(self.frame.twist(joint), joint), self.interval, &self.stop, rows);
    }

    fn form(&self) -> JointForm {
        let Self { frame, interval, stop } = *self;
        JointForm::TwistLimit { frame, interval, stop }
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.frame.anchors(bodies)
    }

    fn axis(&self, bodies: &[BodyView; 2]) -> Option<DVec3> {
        Some(self.frame.second(bodies)[0].value)
    }

    fn angle(&self, bodies: &[BodyView; 2]) -> Option<f64> {
        Some(self.frame.twist(bodies).value)
    }
}
