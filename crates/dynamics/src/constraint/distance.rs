//! Distance joint: two points stay at a distance (a rod), at most at a distance (a rope) or at least (a strut)
//! (K B.4.2, T 3.1.2).
//!
//! With anchors p₁, p₂, d = p₂ − p₁, l = |d|, e = d/l and the relative velocity u of the anchors:
//!
//! ```text
//! c    = l − L               (rod; c ≥ 0 for a strut with the minimum L)
//! c    = L − l ≥ 0           (rope with the maximum L: all signs reversed)
//! J    = (−e, −r₁×e, e, r₂×e)
//! J̇ẋ  = e·(ω₂×(ω₂×r₂) − ω₁×(ω₁×r₁)) + |u − (u·e) e|² / l
//! ```
//!
//! The last term is the centripetal acceleration of one anchor circling the other.

use super::{Arrow, Attach, BodyView, Constraint, JointForm, JointView, Row, Softness};
use crate::error::{ModelError, checked};
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A rod, rope or strut between two points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Distance {
    /// Where it holds the first and the second body, in world coordinates, in metres.
    #[schemars(with = "[[f64; 3]; 2]", extend("unit" = "m"))]
    pub anchors: [DVec3; 2],
    /// The smallest distance in metres; `null` for the distance when attached (default). 0 for a rope.
    #[schemars(range(min = 0.0), extend("unit" = "m"))]
    pub min: Option<f64>,
    /// The largest distance in metres; `null` for the distance when attached (default).
    #[schemars(range(min = 0.0), extend("unit" = "m"))]
    pub max: Option<f64>,
    /// How hard it holds. Default: rigid.
    pub softness: Softness,
}

impl Default for Distance {
    fn default() -> Self {
        Self { anchors: [DVec3::ZERO, DVec3::X], min: None, max: None, softness: Softness::Rigid }
    }
}

impl Distance {
    /// A rigid rod between two world points, as long as they are apart.
    pub fn rod(first: impl Into<DVec3>, second: impl Into<DVec3>) -> Self {
        Self { anchors: [first.into(), second.into()], ..Self::default() }
    }

    /// A rope between two world points that holds them at most as far apart as they are.
    pub fn rope(first: impl Into<DVec3>, second: impl Into<DVec3>) -> Self {
        Self { min: Some(0.0), ..Self::rod(first, second) }
    }

    /// With other distances in metres.
    pub fn between(mut self, min: f64, max: f64) -> Self {
        (self.min, self.max) = (Some(min), Some(max));
        self
    }

    /// With another softness.
    pub fn with_softness(mut self, softness: Softness) -> Self {
        self.softness = softness;
        self
    }
}

impl Attach for Distance {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        super::check_points("distance joint anchor", &self.anchors)?;
        self.softness.validate()?;
        let now = (self.anchors[1] - self.anchors[0]).length();
        let max = checked("the largest distance", self.max.unwrap_or(now), 0.0.., "at least 0 m")?;
        let min = checked(
            "the smallest distance",
            self.min.unwrap_or(now),
            0.0..=max,
            "between 0 m and the largest distance",
        )?;
        if min == max && min == 0.0 {
            return Err(ModelError::Invalid(
                "a rod of length 0 has no direction: use a ball joint to hold two points together".into(),
            ));
        }
        let anchors = [bodies[0].pose.inverse_point(self.anchors[0]), bodies[1].pose.inverse_point(self.anchors[1])];
        Ok(Arc::new(DistanceConstraint { anchors, min, max, softness: self.softness }))
    }
}

#[derive(Clone, Copy, Debug)]
struct DistanceConstraint {
    /// In the frames of the bodies.
    anchors: [DVec3; 2],
    min: f64,
    max: f64,
    softness: Softness,
}

impl Constraint for DistanceConstraint {
    fn rows(&self, bodies: &JointView, rows: &mut Vec<Row>) {
        let length = Arrow::between(bodies, self.anchors).length();
        let softness = self.softness;
        if self.min == self.max {
            rows.push(Row { softness, ..(length - self.min).equals_zero() });
            return;
        }
        if self.min > 0.0 {
            rows.push(Row { softness, ..(length - self.min).at_least_zero() });
        }
        rows.push(Row { softness, ..(-length + self.max).at_least_zero() });
    }

    fn form(&self) -> JointForm {
        let Self { anchors, min, max, softness } = *self;
        JointForm::Distance { anchors, min, max, softness }
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        [bodies[0].pose.point(self.anchors[0]), bodies[1].pose.point(self.anchors[1])]
    }

    fn line(&self, bodies: &[BodyView; 2]) -> Vec<DVec3> {
        self.anchors(bodies).to_vec()
    }
}
