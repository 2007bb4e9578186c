//! Orientation lock: the bodies move freely and do not turn against each other (T 3.2.3).
//!
//! With the quaternion q of their relative rotation since the joint was made:
//!
//! ```text
//! c = 2 q_x,  2 q_y,  2 q_z          (with the sign that makes w positive)
//! ```

use super::frame::JointFrame;
use super::{Attach, BodyView, Constraint, JointForm, JointView, Row, Softness};
use crate::error::ModelError;
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Keeps two bodies from turning against each other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OrientationLock {
    /// How hard it holds. Default: rigid.
    pub softness: Softness,
}

impl Default for OrientationLock {
    fn default() -> Self {
        Self { softness: Softness::Rigid }
    }
}

impl Attach for OrientationLock {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        self.softness.validate()?;
        let frame = JointFrame::aligned("orientation lock", bodies, bodies[1].center)?;
        Ok(Arc::new(OrientationConstraint { frame, softness: self.softness }))
    }
}

#[derive(Clone, Copy, Debug)]
struct OrientationConstraint {
    frame: JointFrame,
    softness: Softness,
}

impl Constraint for OrientationConstraint {
    fn rows(&self, bodies: &JointView, rows: &mut Vec<Row>) {
        self.frame.hold_rotation(bodies, self.softness, rows);
    }

    fn form(&self) -> JointForm {
        let Self { frame, softness } = *self;
        JointForm::OrientationLock { frame, softness }
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.frame.anchors(bodies)
    }
}
