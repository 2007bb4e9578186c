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

use super::{Attach, BodyView, Constraint, Jacobian, Row, Softness};
use crate::error::ModelError;
use glam::DVec3;
use schemars::JsonSchema;
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
        super::check_points("ball joint anchor", &[self.anchor])?;
        self.softness.validate()?;
        Ok(Arc::new(BallConstraint {
            anchors: bodies.map(|body| body.pose.inverse_point(self.anchor)),
            softness: self.softness,
        }))
    }
}

#[derive(Clone, Copy, Debug)]
struct BallConstraint {
    /// In the frames of the bodies.
    anchors: [DVec3; 2],
    softness: Softness,
}

impl Constraint for BallConstraint {
    fn rows(&self, bodies: &[BodyView; 2], rows: &mut Vec<Row>) {
        push_point_rows(bodies, self.anchors(bodies), &DVec3::AXES, self.softness, rows);
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        [bodies[0].pose.point(self.anchors[0]), bodies[1].pose.point(self.anchors[1])]
    }
}

/// Rows that keep the world points `anchors` of the two bodies together along `axes`, which are fixed in space.
pub(crate) fn push_point_rows(
    bodies: &[BodyView; 2],
    anchors: [DVec3; 2],
    axes: &[DVec3],
    softness: Softness,
    rows: &mut Vec<Row>,
) {
    let levers = [anchors[0] - bodies[0].center, anchors[1] - bodies[1].center];
    let acceleration = bodies[1].centripetal(levers[1]) - bodies[0].centripetal(levers[0]);
    for &axis in axes {
        let jacobian = Jacobian { linear: [-axis, axis], angular: [-levers[0].cross(axis), levers[1].cross(axis)] };
        let error = axis.dot(anchors[1] - anchors[0]);
        rows.push(Row { jacobian, error, jdot_v: axis.dot(acceleration), softness, ..Row::default() });
    }
}
