//! Elliptic cone: an axis may swing further to one side than to the other.
//!
//! Where the axis x₂ points is seen from the first body as (x, y, z) = (x₁·x₂, y₁·x₂, z₁·x₂) and put on a plane by the
//! stereographic projection, which keeps circles and angles:
//!
//! ```text
//! p = (y, z)/(1 + x),     |p| = tan(θ/2) at the angle θ from the middle
//! ```
//!
//! The limit is the ellipse `f² = (p_y/t_y)² + (p_z/t_z)² = 1` with t = tan(α/2) of the largest angles towards y₁ and z₁; it is
//! a cone (T 3.2.6) if they are the same. In the direction of p the ellipse is at the angle α, and
//!
//! ```text
//! c = α − θ,     tan(α/2) = |p|/f = √(y² + z²)/√((y/t_y)² + (z/t_z)²)
//! ```
//!
//! is how far x₂ is beyond the limit, as an angle, on the straight way outwards. Inside this has a kink in the middle, and so c is
//! there something smooth of about that size, with the same value, zero, and the same gradient where the limit is reached:
//!
//! ```text
//! c = ½ (1 − f²) · 2s/(1 + s²),     s² = |p|² + (1 − f²) t_y t_z          (f < 1)
//! ```
//!
//! At f = 1, where s = |p| = tan(θ/2), both have dc = −sin θ df.

use super::super::frame::JointFrame;
use super::Stop;
use super::cone::angle_between;
use crate::constraint::{Attach, BodyView, Constraint, JointView, Measure, Row};
use crate::error::{ModelError, checked};
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::f64::consts::FRAC_PI_4;
use std::sync::Arc;

/// Keeps an axis of the second body within an elliptic cone on the first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EllipticConeLimit {
    /// The axis, fixed to the second body, in world coordinates, of any length but zero. Default: x.
    #[schemars(with = "[f64; 3]", extend("unit" = "1"))]
    pub axis: DVec3,
    /// The middle of the cone, fixed to the first body, in world coordinates. Default: the axis as it is.
    #[schemars(with = "Option<[f64; 3]>", extend("unit" = "1"))]
    pub center: Option<DVec3>,
    /// A direction across the axis, towards which the first of the angles is measured; not parallel to it. Default: y.
    #[schemars(with = "[f64; 3]", extend("unit" = "1"))]
    pub towards: DVec3,
    /// The largest angles, in radians from 1e-3 to 3.1, towards that direction and across it. Default π/4, π/4.
    #[schemars(extend("unit" = "rad"))]
    pub angles: [f64; 2],
    /// What happens at the limit. Default: it stops, rigidly.
    pub stop: Stop,
}

impl Default for EllipticConeLimit {
    fn default() -> Self {
        let stop = Stop::default();
        Self { axis: DVec3::X, center: None, towards: DVec3::Y, angles: [FRAC_PI_4; 2], stop }
    }
}

impl EllipticConeLimit {
    /// A world direction may swing by `angles[0]` radians to and from a direction, and by `angles[1]` across it.
    pub fn around(axis: impl Into<DVec3>, towards: impl Into<DVec3>, angles: [f64; 2]) -> Self {
        Self { axis: axis.into(), towards: towards.into(), angles, ..Self::default() }
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

impl Attach for EllipticConeLimit {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        self.stop.validate()?;
        let ellipse = Ellipse::new(self.angles)?;
        let what = "the pair `axis`, `towards` of an elliptic cone limit";
        let frame = JointFrame::new(what, bodies, bodies[1].center, self.axis, Some(self.towards))?;
        let frame = frame.centered("middle of an elliptic cone limit", bodies, self.center)?;
        Ok(Arc::new(EllipticConeConstraint { frame, ellipse, stop: self.stop }))
    }
}

#[derive(Clone, Copy, Debug)]
struct EllipticConeConstraint {
    frame: JointFrame,
    ellipse: Ellipse,
    stop: Stop,
}

impl Constraint for EllipticConeConstraint {
    fn rows(&self, bodies: &JointView, rows: &mut Vec<Row>) {
        rows.push(self.stop.row(self.ellipse.room(&self.frame, bodies)));
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.frame.anchors(bodies)
    }

    fn axis(&self, bodies: &[BodyView; 2]) -> Option<DVec3> {
        Some(self.frame.second(bodies)[0].value)
    }
}

/// The ellipse on the plane of the projection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ellipse {
    /// t_y and t_z.
    tangents: [f64; 2],
}

impl Ellipse {
    /// Of the largest angles towards y and z.
    pub(super) fn new(angles: [f64; 2]) -> Result<Self, ModelError> {
        for angle in angles {
            checked("angle of an elliptic cone", angle, 1e-3..=3.1, "between 0.001 and 3.1")?;
        }
        Ok(Self { tangents: angles.map(|angle| libm::tan(0.5 * angle)) })
    }

    /// c: the angle left between x₂ and the cone.
    pub(super) fn room(&self, frame: &JointFrame, bodies: &[BodyView; 2]) -> Measure {
        let ([x1, y1, z1], [x2, ..]) = (frame.first(bodies), frame.second(bodies));
        let [x, y, z] = [x1.dot(&x2), y1.dot(&x2), z1.dot(&x2)];
        let [t_y, t_z] = self.tangents;
        let square = |a: Measure| a * a;
        let stretched = square(y * (1.0 / t_y)) + square(z * (1.0 / t_z));
        if stretched.value < square(x + 1.0).value {
            let scale = square(x + 1.0).recip();
            let (p_squared, inside) = ((square(y) + square(z)) * scale, -(stretched * scale) + 1.0);
            let s_squared = p_squared + inside * (t_y * t_z);
            inside * s_squared.sqrt() * (s_squared + 1.0).recip()
        } else {
            let alpha = Measure::atan2((square(y) + square(z)).sqrt(), stretched.sqrt()) * 2.0;
            alpha - angle_between(&x1, &y1, &x2)
        }
    }
}
