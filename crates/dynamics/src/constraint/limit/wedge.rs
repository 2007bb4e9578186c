//! Wedge limit: an axis of the second body stays between two planes through an axis of the first (T 3.2.7).
//!
//! With the edge w of the wedge on the first body, the direction c on both, and the angles of the two planes about w:
//!
//! ```text
//! n₋ = (w × v₋)/|w × v₋|,   n₊ = (v₊ × w)/|v₊ × w|        v: c₁ turned about w by the angle (T 3.42–3.44)
//! c₂·n₋ ≥ 0,   c₂·n₊ ≥ 0                                    (T 3.40)
//! ```
//!
//! Each is the sine of the angle between c₂ and a plane. Up to 180° both must hold. In the corner, where c₂ is along w, both
//! act and hold it in two directions; they are there at all times and none is switched off. Beyond 180° the allowed region is
//! what lies on the right side of one plane or the other: a single row with the larger of the two values, which is the nearer
//! plane. There the edge of the wedge juts into the allowed region, and c₂ pressed against it slips off to one side. T chooses
//! between the planes by the side c₂ is on, for the same reason.

use super::super::frame::JointFrame;
use super::{Stop, check_interval};
use crate::constraint::{Arrow, Attach, BodyView, Constraint, End, JointView, Row, check_direction};
use crate::error::{ModelError, checked};
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_PI_4, PI, TAU};
use std::sync::Arc;

/// Keeps an axis of the second body within a wedge on the first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WedgeLimit {
    /// The edge of the wedge, fixed to the first body, in world coordinates, of any length but zero. Default: y.
    #[schemars(with = "[f64; 3]", extend("unit" = "1"))]
    pub edge: DVec3,
    /// The direction that stays within, fixed to the second body, in world coordinates; not parallel to the edge. Default: x.
    #[schemars(with = "[f64; 3]", extend("unit" = "1"))]
    pub axis: DVec3,
    /// The angle of one plane about the edge, in radians; the direction is at 0 where the limit was made. Default −π/4.
    #[schemars(extend("unit" = "rad"))]
    pub min: f64,
    /// The angle of the other plane, in radians, larger by at most 2π. Default π/4.
    #[schemars(extend("unit" = "rad"))]
    pub max: f64,
    /// What happens at the limit. Default: it stops, rigidly.
    pub stop: Stop,
}

impl Default for WedgeLimit {
    fn default() -> Self {
        Self { edge: DVec3::Y, axis: DVec3::X, min: -FRAC_PI_4, max: FRAC_PI_4, stop: Stop::default() }
    }
}

impl WedgeLimit {
    /// A world direction stays between two angles, in radians, about an edge.
    pub fn about(edge: impl Into<DVec3>, axis: impl Into<DVec3>, min: f64, max: f64) -> Self {
        Self { edge: edge.into(), axis: axis.into(), min, max, ..Self::default() }
    }

    /// With another behaviour at the limit.
    pub fn with_stop(self, stop: Stop) -> Self {
        Self { stop, ..self }
    }
}

impl Attach for WedgeLimit {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        self.stop.validate()?;
        check_interval("angles of a wedge limit", self.min, self.max)?;
        checked("opening of a wedge limit", self.max - self.min, 0.0..=TAU, "at most a full turn, 2π")?;
        // x along the edge, y towards the axis.
        let what = "the pair of edge and axis of a wedge limit";
        let frame = JointFrame::new(what, bodies, bodies[1].center, self.edge, Some(self.axis))?;
        let axis = bodies[1].pose.inverse_vector(check_direction(what, self.axis)?);
        let normal = |angle: f64| {
            let (sin, cos) = libm::sincos(angle);
            frame.rotations[0] * DVec3::new(0.0, -sin, cos)
        };
        let normals = [normal(self.min), -normal(self.max)];
        Ok(Arc::new(WedgeConstraint { frame, axis, normals, is_wide: self.max - self.min > PI, stop: self.stop }))
    }
}

#[derive(Clone, Copy, Debug)]
struct WedgeConstraint {
    frame: JointFrame,
    /// In the frame of the second body.
    axis: DVec3,
    /// In the frame of the first body.
    normals: [DVec3; 2],
    is_wide: bool,
    stop: Stop,
}

impl Constraint for WedgeConstraint {
    fn rows(&self, bodies: &JointView, rows: &mut Vec<Row>) {
        let axis = Arrow::axis(bodies, End::Second, self.axis);
        let [low, high] = self.normals.map(|normal| Arrow::axis(bodies, End::First, normal).dot(&axis));
        if self.is_wide {
            rows.push(self.stop.row(if low.value > high.value { low } else { high }));
        } else {
            rows.extend([self.stop.row(low), self.stop.row(high)]);
        }
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.frame.anchors(bodies)
    }

    fn axis(&self, bodies: &[BodyView; 2]) -> Option<DVec3> {
        Some(bodies[1].pose.vector(self.axis))
    }
}
