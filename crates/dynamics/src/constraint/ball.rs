//! Ball-and-socket joint: a point of one body stays at a point of the other (K B.4.2, T 3.1.1, G 2.7.5.2).
//!
//! With anchors p₁ = x₁ + r₁ and p₂ = x₂ + r₂ and each world axis e:
//!
//! ```text
//! c    = e·(p₂ − p₁)
//! J    = (−e, −r₁×e, e, r₂×e)
//! J̇ẋ  = e·(ω₂×(ω₂×r₂) − ω₁×(ω₁×r₁))
//! ```
//!
//! Three rows: translation is gone, rotation is free.

use super::frame::JointFrame;
use super::{Attach, BodyView, Constraint, JointForm, JointView, Row, Softness};
use crate::error::ModelError;
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A ball-and-socket joint at a point in space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Ball {
    /// Where it holds the bodies, in world coordinates, in metres. Default: the origin.
    #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
    pub anchor: DVec3,
    /// How hard it holds. Default: rigid.
    pub softness: Softness,
}

impl Ball {
    /// A rigid ball joint at a world point.
    pub fn at(anchor: impl Into<DVec3>) -> Self {
        Self { anchor: anchor.into(), softness: Softness::Rigid }
    }
}

impl Attach for Ball {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        self.softness.validate()?;
        let frame = JointFrame::aligned("ball joint anchor", bodies, self.anchor)?;
        Ok(Arc::new(BallConstraint { frame, softness: self.softness }))
    }
}

#[derive(Clone, Copy, Debug)]
struct BallConstraint {
    frame: JointFrame,
    softness: Softness,
}

impl Constraint for BallConstraint {
    fn rows(&self, bodies: &JointView, rows: &mut Vec<Row>) {
        self.frame.hold_point(bodies, self.softness, rows);
    }

    fn form(&self) -> JointForm {
        JointForm::Ball { anchors: self.frame.anchors, softness: self.softness }
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.frame.anchors(bodies)
    }
}
