//! Angular limit: the angle about an axis of the first body (T 3.2.8).
//!
//! With the axis x₁ and directions y across it, which agreed where the limit was made (T 3.46):
//!
//! ```text
//! θ = atan2(z₁·y₂, y₁·y₂),        θ − min ≥ 0,   max − θ ≥ 0
//! ```
//!
//! T takes x₁·(ω₂ − ω₁) for the rate of θ (T 3.47), which is so only while y₂ stays across x₁, as on a hinge. Here it is the
//! true derivative, and the shortest way back. What T warns of remains: θ is undefined where y₂ is along x₁, so that this limit
//! is for joints that turn about one axis or two. Others want a twist limit or a wedge. The world counts the turns.

use super::super::frame::JointFrame;
use super::{Stop, check_interval, push_interval};
use crate::constraint::{Attach, BodyView, Constraint, JointView, Row};
use crate::error::ModelError;
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::f64::consts::FRAC_PI_4;
use std::sync::Arc;

/// Limits the angle about an axis of the first body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AngularLimit {
    /// The axis, fixed to the first body, in world coordinates, of any length but zero. Default: x.
    #[schemars(with = "[f64; 3]", extend("unit" = "1"))]
    pub axis: DVec3,
    /// The direction whose angle is limited, not parallel to the axis. Default: some direction across the axis.
    #[schemars(with = "Option<[f64; 3]>", extend("unit" = "1"))]
    pub pointer: Option<DVec3>,
    /// The smallest angle in radians; it is 0 where the limit was made. Default −π/4.
    #[schemars(extend("unit" = "rad"))]
    pub min: f64,
    /// The largest angle in radians. Default π/4.
    #[schemars(extend("unit" = "rad"))]
    pub max: f64,
    /// What happens at the limits. Default: it stops, rigidly.
    pub stop: Stop,
}

impl Default for AngularLimit {
    fn default() -> Self {
        Self { axis: DVec3::X, pointer: None, min: -FRAC_PI_4, max: FRAC_PI_4, stop: Stop::default() }
    }
}

impl AngularLimit {
    /// Between two angles, in radians, about a world direction.
    pub fn about(axis: impl Into<DVec3>, min: f64, max: f64) -> Self {
        Self { axis: axis.into(), min, max, ..Self::default() }
    }

    /// The angle of this direction is limited.
    pub fn of(self, pointer: impl Into<DVec3>) -> Self {
        Self { pointer: Some(pointer.into()), ..self }
    }

    /// With another behaviour at the limits.
    pub fn with_stop(self, stop: Stop) -> Self {
        Self { stop, ..self }
    }
}

impl Attach for AngularLimit {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        self.stop.validate()?;
        check_interval("angular limits", self.min, self.max)?;
        let frame = JointFrame::new("the axis of an angular limit", bodies, bodies[1].center, self.axis, self.pointer)?;
        Ok(Arc::new(AngularConstraint { frame, interval: [self.min, self.max], stop: self.stop }))
    }
}

#[derive(Clone, Copy, Debug)]
struct AngularConstraint {
    frame: JointFrame,
    interval: [f64; 2],
    stop: Stop,
}

impl Constraint for AngularConstraint {
    fn rows(&self, joint: &JointView, rows: &mut Vec<Row>) {
        push_interval(self.frame.turned(joint), self.interval, &self.stop, rows);
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.frame.anchors(bodies)
    }

    fn angle(&self, bodies: &[BodyView; 2]) -> Option<f64> {
        Some(self.frame.angle(bodies).value)
    }
}
