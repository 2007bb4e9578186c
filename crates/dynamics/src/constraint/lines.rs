//! Line on line: a straight line of one body always touches a straight line of the other (K B.4.6).
//!
//! With points of the lines d apart and unit vectors u₁, v₂ along them, n = u₁ × v₂ is perpendicular to both, and their
//! distance is
//!
//! ```text
//! c = d·n / |n| = d·(u₁ × v₂) / √(1 − (u₁·v₂)²)
//! ```
//!
//! Parallel lines have no such n, and near them it turns as fast as it likes: the place where the lines touch runs away along
//! them. Where |n| < 0.2, lines that are parallel to 12°, the divisor stays 0.2. The condition is the same, its gradient stays
//! finite, and lines pass through being parallel as smoothly as `d·n = 0` does, for the moment without touching. Lines
//! that are parallel when the joint is made are refused: they do not say where they touch.

use super::{
    Arrow, Attach, BodyView, Constraint, End, JointView, Measure, Row, Softness, check_direction, check_points,
};
use crate::error::ModelError;
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Two lines that always touch.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Lines {
    /// A point of the first body's line and one of the second's, in world coordinates, in metres. Default: the origin.
    #[schemars(with = "[[f64; 3]; 2]", extend("unit" = "m"))]
    pub points: [DVec3; 2],
    /// The directions of the lines, in world coordinates, of any length but zero and not parallel. Default: x and z.
    #[schemars(with = "[[f64; 3]; 2]", extend("unit" = "1"))]
    pub directions: [DVec3; 2],
    /// How hard it holds. Default: rigid.
    pub softness: Softness,
}

impl Default for Lines {
    fn default() -> Self {
        Self { points: [DVec3::ZERO; 2], directions: [DVec3::X, DVec3::Z], softness: Softness::Rigid }
    }
}

impl Attach for Lines {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        self.softness.validate()?;
        check_points("line", &self.points)?;
        let [u, v] = self.directions.map(|direction| check_direction("one of the directions of two lines", direction));
        let (u, v) = (u?, v?);
        if u.cross(v).length() < 1e-3 {
            let value = format!("{} and {}", self.directions[0], self.directions[1]);
            return Err(ModelError::OutOfRange {
                what: "the pair of directions of two lines",
                value,
                allowed: "not parallel",
            });
        }
        Ok(Arc::new(LinesConstraint {
            points: [bodies[0].pose.inverse_point(self.points[0]), bodies[1].pose.inverse_point(self.points[1])],
            directions: [bodies[0].pose.inverse_vector(u), bodies[1].pose.inverse_vector(v)],
            softness: self.softness,
        }))
    }
}

#[derive(Clone, Copy, Debug)]
struct LinesConstraint {
    /// In the frames of the bodies.
    points: [DVec3; 2],
    directions: [DVec3; 2],
    softness: Softness,
}

/// The sine of the angle between lines below which the divisor stays what it is.
const NEARLY_PARALLEL: f64 = 0.2;

impl Constraint for LinesConstraint {
    fn rows(&self, bodies: &JointView, rows: &mut Vec<Row>) {
        let d = Arrow::between(bodies, self.points);
        let u = Arrow::axis(bodies, End::First, self.directions[0]);
        let v = Arrow::axis(bodies, End::Second, self.directions[1]);
        let cos = u.dot(&v);
        let sin = (-(cos * cos) + 1.0).sqrt();
        let divisor = if sin.value > NEARLY_PARALLEL { sin } else { Measure::constant(NEARLY_PARALLEL) };
        rows.push((d.triple(&u, &v) * divisor.recip()).equals_zero().with_softness(self.softness));
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        [bodies[0].pose.point(self.points[0]), bodies[1].pose.point(self.points[1])]
    }
}
