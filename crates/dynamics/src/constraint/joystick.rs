//! Rotation about one axis restricted, K's joystick (K B.4.3), and his limits of rotation (K B.4.4).
//!
//! With the relative rotation q since the joint was made, as the first body sees it, and the prohibited axis n:
//!
//! ```text
//! c = 2 n·q_v = 2 sin(φ/2) n·a,          φ the angle and a the axis of the rotation
//! ```
//!
//! `c = 0` confines the axis of any rotation to the plane across n: the stick of a joystick leans to all sides and does not
//! turn about itself. Two such rows with a ball joint make a hinge. `min ≤ c ≤ max` limits the rotation; for a rotation
//! about n alone, c is its angle while that is small. Three of these limits together carve out a box of the imaginary parts
//! of q, whose shape in angles `allowed_rotations` samples.

use super::frame::JointFrame;
use super::{Attach, BodyView, Constraint, Freedom, JointView, Row, Softness};
use crate::error::ModelError;
use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Restricts the rotation about one axis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Joystick {
    /// The prohibited axis, fixed to the first body, in world coordinates, of any length but zero. Default: y.
    #[schemars(with = "[f64; 3]", extend("unit" = "1"))]
    pub axis: DVec3,
    /// The least value of c = 2 sin(φ/2) n·a; 0 prohibits the rotation (default).
    #[schemars(range(min = -2.0, max = 2.0), extend("unit" = "1"))]
    pub min: f64,
    /// The largest value of c; 0 prohibits the rotation (default).
    #[schemars(range(min = -2.0, max = 2.0), extend("unit" = "1"))]
    pub max: f64,
    /// How hard it holds. Default: rigid.
    pub softness: Softness,
}

impl Default for Joystick {
    fn default() -> Self {
        Self { axis: DVec3::Y, min: 0.0, max: 0.0, softness: Softness::Rigid }
    }
}

impl Joystick {
    /// Prohibits rotation about a world direction.
    pub fn about(axis: impl Into<DVec3>) -> Self {
        Self { axis: axis.into(), ..Self::default() }
    }

    /// With limits of c = 2 sin(φ/2) n·a instead.
    pub fn between(self, min: f64, max: f64) -> Self {
        Self { min, max, ..self }
    }
}

impl Attach for Joystick {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        self.softness.validate()?;
        Freedom::between(self.min, self.max).validate()?;
        let frame = JointFrame::new("the axis of the joystick", bodies, bodies[1].center, self.axis, None)?;
        let Self { min, max, softness, .. } = *self;
        Ok(Arc::new(JoystickConstraint { frame, min, max, softness }))
    }
}

#[derive(Clone, Copy, Debug)]
struct JoystickConstraint {
    frame: JointFrame,
    min: f64,
    max: f64,
    softness: Softness,
}

impl Constraint for JoystickConstraint {
    fn rows(&self, bodies: &JointView, rows: &mut Vec<Row>) {
        if self.min == 0.0 && self.max == 0.0 {
            let [c, ..] = self.frame.rotation(bodies);
            rows.push(c.equals_zero().with_softness(self.softness));
            return;
        }
        let [c, ..] = self.frame.short_rotation(bodies);
        if self.min == self.max {
            rows.push((c - self.min).equals_zero().with_softness(self.softness));
            return;
        }
        rows.push((c - self.min).at_least_zero().with_softness(self.softness));
        rows.push((-c + self.max).at_least_zero().with_softness(self.softness));
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.frame.anchors(bodies)
    }
}
