//! Cone limit: the axis of the second body stays within a cone around that of the first (T 3.2.6).
//!
//! T limits the cosine, c = x₁·x₂ − cos φ (T 3.37). Its Jacobian x₂ × x₁ vanishes with the sine of the angle (T 3.39): a narrow
//! cone is soft to correct, and an axis that has come to point backwards is not corrected at all. The angle itself,
//!
//! ```text
//! θ = 2 atan2(|x₂ − x₁|, |x₂ + x₁|),        c = φ − θ,
//! ```
//!
//! has a Jacobian of length one everywhere, is exact for small angles, but has a kink where the axes agree. There the limit
//! does not act. So c is T's cosine in the inner half, scaled to agree in value and slope at the angle θₛ = ½ min(φ, 90°):
//!
//! ```text
//! c = φ − θₛ + (cos θ − cos θₛ)/sin θₛ,     cos θ − cos θₛ = (4 sin²(θₛ/2) − |x₂ − x₁|²)/2
//! ```
//!
//! Where the axes are exactly opposed every way back is as good as any other; the one across y₁ is taken.

use super::super::frame::JointFrame;
use super::Stop;
use crate::constraint::{Arrow, Attach, BodyView, Constraint, JointView, Measure, Row};
use crate::error::{ModelError, checked};
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};
use std::sync::Arc;

/// Keeps an axis of the second body within a cone on the first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConeLimit {
    /// The axis, fixed to the second body, in world coordinates, of any length but zero. Default: x.
    #[schemars(with = "[f64; 3]", extend("unit" = "1"))]
    pub axis: DVec3,
    /// The middle of the cone, fixed to the first body, in world coordinates. Default: the axis as it is.
    #[schemars(with = "Option<[f64; 3]>", extend("unit" = "1"))]
    pub center: Option<DVec3>,
    /// The angle between the middle and the surface of the cone, in radians, from 1e-6 to π. Default π/4.
    #[schemars(range(min = 1e-6, max = PI), extend("unit" = "rad"))]
    pub angle: f64,
    /// What happens at the limit. Default: it stops, rigidly.
    pub stop: Stop,
}

impl Default for ConeLimit {
    fn default() -> Self {
        Self { axis: DVec3::X, center: None, angle: FRAC_PI_4, stop: Stop::default() }
    }
}

impl ConeLimit {
    /// A world direction may swing by an angle in radians.
    pub fn around(axis: impl Into<DVec3>, angle: f64) -> Self {
        Self { axis: axis.into(), angle, ..Self::default() }
    }

    /// With the middle of the cone elsewhere.
    pub fn with_center(self, center: impl Into<DVec3>) -> Self {
        Self { center: Some(center.into()), ..self }
    }

    /// With another behaviour at the limit.
    pub fn with_stop(self, stop: Stop) -> Self {
        Self { stop, ..self }
    }
}

impl Attach for ConeLimit {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        self.stop.validate()?;
        let angle = checked("angle of a cone limit", self.angle, 1e-6..=PI, "between 1e-6 and π")?;
        let frame = JointFrame::new("the axis of a cone limit", bodies, bodies[1].center, self.axis, None)?;
        let frame = frame.centered("middle of a cone limit", bodies, self.center)?;
        Ok(Arc::new(ConeConstraint { frame, angle, stop: self.stop }))
    }
}

#[derive(Clone, Copy, Debug)]
struct ConeConstraint {
    frame: JointFrame,
    angle: f64,
    stop: Stop,
}

impl Constraint for ConeConstraint {
    fn rows(&self, bodies: &JointView, rows: &mut Vec<Row>) {
        let ([x1, y1, _], [x2, ..]) = (self.frame.first(bodies), self.frame.second(bodies));
        rows.push(self.stop.row(room_in_cone(&x1, &y1, &x2, self.angle)));
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.frame.anchors(bodies)
    }

    fn axis(&self, bodies: &[BodyView; 2]) -> Option<DVec3> {
        Some(self.frame.second(bodies)[0].value)
    }
}

/// The angle left between the unit arrow `x2` and the cone of half-angle `angle` around the unit arrow `x1`; `y1` is across
/// the latter.
pub(super) fn room_in_cone(x1: &Arrow, y1: &Arrow, x2: &Arrow, angle: f64) -> Measure {
    let seam = 0.5 * angle.min(FRAC_PI_2);
    let apart = *x2 - *x1;
    let (half, short) = (libm::sin(0.5 * seam), apart.dot(&apart));
    if short.value < 4.0 * half * half {
        (-short + 4.0 * half * half) * (0.5 / libm::sin(seam)) + (angle - seam)
    } else {
        -angle_between(x1, y1, x2) + angle
    }
}

/// The angle between two unit arrows, from 0 to π, with a definite derivative where they are opposed; `y1` is across `x1`.
pub(super) fn angle_between(x1: &Arrow, y1: &Arrow, x2: &Arrow) -> Measure {
    let together = *x2 + *x1;
    let cosine = together.length();
    let cosine = if cosine.value > 1e-9 { cosine } else { together.dot(y1) };
    Measure::atan2((*x2 - *x1).length(), cosine) * 2.0
}
