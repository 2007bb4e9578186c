//! The orientation held by one row (T 3.3.3).
//!
//! ```text
//! c = q_w − 1 = cos(φ/2) − 1         (T 3.59)
//! ```
//!
//! with the angle φ of the relative rotation. What goes wrong: one row for three ways of turning, and as with the hinge of one
//! row its Jacobian, half the imaginary part of q (T 3.61), is zero where the constraint holds. Nothing resists a turn from rest,
//! and what is left of a turn is free to go around.

use super::super::frame::JointFrame;
use crate::constraint::{Attach, BodyView, Constraint, JointView, Row, relative_rotation};
use crate::error::ModelError;
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// An orientation held by the real part of the quaternion, for study only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct QuaternionLock {}

impl Attach for QuaternionLock {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        Ok(Arc::new(QuaternionLockConstraint(JointFrame::aligned("study lock", bodies, bodies[1].center)?)))
    }
}

#[derive(Clone, Copy, Debug)]
struct QuaternionLockConstraint(JointFrame);

impl Constraint for QuaternionLockConstraint {
    fn rows(&self, bodies: &JointView, rows: &mut Vec<Row>) {
        let [.., w] = relative_rotation(bodies, self.0.rotations);
        // Of the two quaternions of a rotation the one with a positive real part.
        rows.push((w * 1.0_f64.copysign(w.value) - 1.0).equals_zero());
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.0.anchors(bodies)
    }
}
