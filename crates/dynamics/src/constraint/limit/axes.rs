//! Axis limits: bounds on each component of the relative quaternion (B 8).
//!
//! Where the limit is made the bodies' axes agree. From then on let q be the quaternion from the first body's axes to the second's, of
//! the two the one with q_w ≥ 0. B's angle constraint bounds its three imaginary parts one by one:
//!
//! ```text
//! sin(θmin_k / 2) ≤ q_k ≤ sin(θmax_k / 2),    k = x, y, z
//! ```
//!
//! For a rotation about one of the axes q_k is sin(θ/2), so that the bounds are angles; for others they are what is simple and fast. The rows
//! are twice the difference, which is about the angle that is left. An axis whose two bounds are equal is held (one row, an equality);
//! three such axes are an orientation lock.

use super::super::frame::JointFrame;
use super::Stop;
use crate::constraint::{Attach, BodyView, Constraint, JointForm, JointView, Row};
use crate::error::ModelError;
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_PI_4, PI};
use std::sync::Arc;

/// Limits the rotation about each of three axes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AxisLimits {
    /// The smallest angles about the world's x, y and z axes as they are where the limit is made, in radians. Default −π/4 each.
    #[schemars(with = "[f64; 3]", extend("unit" = "rad"))]
    pub min: DVec3,
    /// The largest angles in radians. Default π/4 each.
    #[schemars(with = "[f64; 3]", extend("unit" = "rad"))]
    pub max: DVec3,
    /// What happens at the limits. Default: it stops, rigidly.
    pub stop: Stop,
}

impl Default for AxisLimits {
    fn default() -> Self {
        Self { min: DVec3::splat(-FRAC_PI_4), max: DVec3::splat(FRAC_PI_4), stop: Stop::default() }
    }
}

impl AxisLimits {
    /// Between two angles about each axis, in radians.
    pub fn between(min: impl Into<DVec3>, max: impl Into<DVec3>) -> Self {
        Self { min: min.into(), max: max.into(), ..Self::default() }
    }

    /// With another behaviour at the limits.
    pub fn with_stop(self, stop: Stop) -> Self {
        Self { stop, ..self }
    }
}

impl Attach for AxisLimits {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        self.stop.validate()?;
        for (min, max) in self.min.to_array().into_iter().zip(self.max.to_array()) {
            if !(-PI..=PI).contains(&min) || !(min..=PI).contains(&max) {
                let value = format!("{min} to {max}");
                let allowed = "between −π and π, the smaller first";
                return Err(ModelError::OutOfRange { what: "axis limits", value, allowed });
            }
        }
        let frame = JointFrame::aligned("axis limits", bodies, bodies[1].center)?;
        let sine = |angle: DVec3| angle.to_array().map(|angle| libm::sin(0.5 * angle));
        Ok(Arc::new(AxisConstraint { frame, min: sine(self.min), max: sine(self.max), stop: self.stop }))
    }
}

#[derive(Clone, Copy, Debug)]
struct AxisConstraint {
    frame: JointFrame,
    /// sin(θ/2).
    min: [f64; 3],
    max: [f64; 3],
    stop: Stop,
}

impl Constraint for AxisConstraint {
    fn rows(&self, joint: &JointView, rows: &mut Vec<Row>) {
        let rotation = self.frame.short_rotation(joint);
        for (k, &twice) in rotation[..3].iter().enumerate() {
            let (min, max) = (2.0 * self.min[k], 2.0 * self.max[k]);
            if min == max {
                rows.push((twice - min).equals_zero().with_softness(self.stop.softness));
            } else {
                super::push_interval(twice, [min, max], &self.stop, rows);
            }
        }
    }

    fn form(&self) -> JointForm {
        let Self { frame, min, max, stop } = *self;
        JointForm::AxisLimits { frame, min, max, stop }
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.frame.anchors(bodies)
    }
}
