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
//!
//! Of the two signs of q a limit takes the one with q_w ≥ 0, the rotation by less than half a turn; at half a turn, where
//! q_w = 0, c changes its sign. If c is allowed on one side of that and −c not on the other, the half turn itself is a border, and
//! the limit must be as far away as it is. With the room m − c below the largest value m:
//!
//! ```text
//! c < 0:   min(m − c, max(2 q_w, m + c))          m + c: the room on the other side of the half turn
//! c ≥ 0:   max(m − c, min(−2 q_w, m + c))
//! ```
//!
//! which is at least zero for the same rotations and has no jump.

use super::frame::JointFrame;
use super::{Attach, BodyView, Constraint, Freedom, JointView, Measure, Row, Softness};
use crate::error::ModelError;
use crate::schema::JsonSchema;
use glam::DVec3;
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

/// How far c = 2 n·q_v is below its largest value; `w` is 2 q_w ≥ 0.
fn room(c: Measure, w: Measure, largest: f64) -> Measure {
    let min = |a: Measure, b: Measure| if a.value < b.value { a } else { b };
    let max = |a: Measure, b: Measure| if a.value > b.value { a } else { b };
    let (here, beyond) = (-c + largest, c + largest);
    if c.value < 0.0 { min(here, max(w, beyond)) } else { max(here, min(-w, beyond)) }
}

impl Constraint for JoystickConstraint {
    fn rows(&self, bodies: &JointView, rows: &mut Vec<Row>) {
        if self.min == 0.0 && self.max == 0.0 {
            let [c, ..] = self.frame.rotation(bodies);
            rows.push(c.equals_zero().with_softness(self.softness));
            return;
        }
        if self.min == self.max {
            let [c, ..] = self.frame.rotation(bodies);
            rows.push((c - self.min).equals_zero().with_softness(self.softness));
            return;
        }
        let [c, _, _, w] = self.frame.short_rotation(bodies);
        rows.push(room(-c, w, -self.min).at_least_zero().with_softness(self.softness));
        rows.push(room(c, w, self.max).at_least_zero().with_softness(self.softness));
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.frame.anchors(bodies)
    }
}
