//! Screw: the second body turns about an axis of the first and advances with the turn.
//!
//! The four rows of a cylindrical joint, and with the advance s = d·x₁, the angle θ and the pitch p (metres per turn):
//!
//! ```text
//! c = s − p θ/2π
//! ```
//!
//! The turns are counted by the world.

use super::frame::JointFrame;
use super::{Attach, BodyView, Constraint, Coordinate, Freedom, JointView, Row, Softness};
use crate::error::{ModelError, checked};
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;
use std::sync::Arc;

/// A screw in its thread.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Screw {
    /// Where it holds the bodies, in world coordinates, in metres. Default: the origin.
    #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
    pub anchor: DVec3,
    /// The direction of the screw, in world coordinates, of any length but zero. Default: x.
    #[schemars(with = "[f64; 3]", extend("unit" = "1"))]
    pub axis: DVec3,
    /// How far it advances per turn, in metres; negative for a left-handed thread. Default 0.01.
    #[schemars(extend("unit" = "m"))]
    pub pitch: f64,
    /// What acts about the axis; the angle is 0 where the joint was made. Default: nothing.
    pub turn: Freedom,
    /// How hard it holds. Default: rigid.
    pub softness: Softness,
}

impl Default for Screw {
    fn default() -> Self {
        Self { anchor: DVec3::ZERO, axis: DVec3::X, pitch: 0.01, turn: Freedom::FREE, softness: Softness::Rigid }
    }
}

impl Screw {
    /// A rigid screw through a world point along a world direction, with a pitch in metres per turn.
    pub fn at(anchor: impl Into<DVec3>, axis: impl Into<DVec3>, pitch: f64) -> Self {
        Self { anchor: anchor.into(), axis: axis.into(), pitch, ..Self::default() }
    }
}

impl Attach for Screw {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        self.softness.validate()?;
        self.turn.validate()?;
        checked("pitch of a screw", self.pitch, .., "finite")?;
        let frame = JointFrame::new("the axis of the screw", bodies, self.anchor, self.axis, None)?;
        let Self { pitch, turn, softness, .. } = *self;
        Ok(Arc::new(ScrewConstraint { frame, pitch, turn, softness }))
    }
}

#[derive(Clone, Copy, Debug)]
struct ScrewConstraint {
    frame: JointFrame,
    pitch: f64,
    turn: Freedom,
    softness: Softness,
}

impl ScrewConstraint {
    fn turn(&self, joint: &JointView) -> Coordinate {
        Coordinate::new("turn", self.frame.turned(joint), self.turn)
    }
}

impl Constraint for ScrewConstraint {
    fn rows(&self, bodies: &JointView, rows: &mut Vec<Row>) {
        let (d, [x1, y1, z1]) = (self.frame.offset(bodies), self.frame.first(bodies));
        for across in [y1, z1] {
            rows.push(d.dot(&across).equals_zero().with_softness(self.softness));
        }
        self.frame.hold_axis(bodies, self.softness, rows);
        let turn = self.turn(bodies);
        rows.push((d.dot(&x1) - turn.measure * (self.pitch / TAU)).equals_zero().with_softness(self.softness));
        turn.push_rows(rows);
    }

    fn coordinates(&self, joint: &JointView) -> Vec<Coordinate> {
        vec![self.turn(joint)]
    }

    fn with_freedom(&self, coordinate: &str, turn: Freedom) -> Option<Arc<dyn Constraint>> {
        (coordinate == "turn").then(|| Arc::new(Self { turn, ..*self }) as _)
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.frame.anchors(bodies)
    }

    fn angle(&self, bodies: &[BodyView; 2]) -> Option<f64> {
        Some(self.frame.angle(bodies).value)
    }
}
