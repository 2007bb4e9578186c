//! Pulley: a rope from one body over two fixed wheels to another.
//!
//! With the lengths lₖ from the wheels wₖ, points of the world, to the points pₖ of the bodies:
//!
//! ```text
//! c = L − l₁ − r l₂ ≥ 0,     lₖ = |pₖ − wₖ|
//! ```
//!
//! A rope pulls and does not push. The ratio r is how many times the rope runs to and fro to the second body: a block and
//! tackle. The wheels have no mass; the rope comes off them towards the bodies.
//!
//! Where a body is pulled up to its wheel, the knot does not go through: at the radius ρ of the wheels it is stuck,
//!
//! ```text
//! lₖ − ρ ≥ 0
//! ```
//!
//! and the rope holds the other body alone. A knot that could go through would turn the pull around within a step. ρ is a
//! twentieth of the rope, or half of what there is at the beginning between a wheel and its body if that is less.

use super::{Arrow, Attach, BodyView, Constraint, End, JointView, Measure, Row, Softness, check_points};
use crate::error::{ModelError, checked};
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tumble_geometry::Transform;

/// A rope over two wheels that are fixed to the world.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Pulley {
    /// Where the rope is tied to the bodies, in world coordinates, in metres. Default (−1, 0, 0) and (1, 0, 0).
    #[schemars(with = "[[f64; 3]; 2]", extend("unit" = "m"))]
    pub points: [DVec3; 2],
    /// Where the wheels are, in world coordinates, in metres. Default (−1, 1, 0) and (1, 1, 0).
    #[schemars(with = "[[f64; 3]; 2]", extend("unit" = "m"))]
    pub wheels: [DVec3; 2],
    /// How many lengths of rope run to the second body; more than 0. Default 1.
    #[schemars(range(min = 1e-6), extend("unit" = "1"))]
    pub ratio: f64,
    /// The length of the rope beyond the wheels, l₁ + r l₂, in metres. Default: as it is.
    #[schemars(range(min = 0.0), extend("unit" = "m"))]
    pub length: Option<f64>,
    /// How hard it holds. Default: rigid.
    pub softness: Softness,
}

impl Default for Pulley {
    fn default() -> Self {
        Self {
            points: [DVec3::NEG_X, DVec3::X],
            wheels: [DVec3::new(-1.0, 1.0, 0.0), DVec3::new(1.0, 1.0, 0.0)],
            ratio: 1.0,
            length: None,
            softness: Softness::Rigid,
        }
    }
}

impl Pulley {
    /// A taut rope between points of two bodies over two wheels.
    pub fn over(wheels: [DVec3; 2], points: [DVec3; 2]) -> Self {
        Self { points, wheels, ..Self::default() }
    }

    /// With several lengths of rope to the second body.
    pub fn with_ratio(self, ratio: f64) -> Self {
        Self { ratio, ..self }
    }

    /// With a length of rope, in metres.
    pub fn with_length(self, length: f64) -> Self {
        Self { length: Some(length), ..self }
    }
}

impl Attach for Pulley {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        self.softness.validate()?;
        check_points("points of a pulley", &self.points)?;
        check_points("wheels of a pulley", &self.wheels)?;
        let ratio = checked("ratio of a pulley", self.ratio, 1e-6.., "at least 1e-6")?;
        let lengths = [0, 1].map(|k| (self.points[k] - self.wheels[k]).length());
        if let Some(k) = lengths.iter().position(|&length| length < 1e-9) {
            let (what, value) = ("point of a pulley", self.points[k].to_string());
            return Err(ModelError::OutOfRange { what, value, allowed: "away from its wheel" });
        }
        let length = self.length.unwrap_or(lengths[0] + ratio * lengths[1]);
        let radius = (length / 20.0).min(0.5 * lengths[0]).min(0.5 * lengths[1]);
        let length = checked("length of a pulley's rope", length, f64::MIN_POSITIVE.., "more than 0")?;
        let points = [0, 1].map(|k| bodies[k].pose.inverse_point(self.points[k]));
        Ok(Arc::new(PulleyConstraint { points, wheels: self.wheels, radius, ratio, length, softness: self.softness }))
    }

    /// The wheels are points of the world: they move with the frame.
    fn attach_in(&self, frame: &Transform, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        let place = |points: [DVec3; 2]| points.map(|point| frame.point(point));
        Self { points: place(self.points), wheels: place(self.wheels), ..*self }.attach(bodies)
    }
}

#[derive(Clone, Copy, Debug)]
struct PulleyConstraint {
    points: [DVec3; 2],
    wheels: [DVec3; 2],
    /// ρ.
    radius: f64,
    ratio: f64,
    length: f64,
    softness: Softness,
}

impl Constraint for PulleyConstraint {
    fn rows(&self, bodies: &JointView, rows: &mut Vec<Row>) {
        let length =
            |k: usize, end: End| -> Measure { Arrow::from_world(bodies, self.wheels[k], end, self.points[k]).length() };
        let lengths = [length(0, End::First), length(1, End::Second)];
        let rope = lengths[0] + lengths[1] * self.ratio;
        rows.push((-rope + self.length).at_least_zero().with_softness(self.softness));
        rows.extend(lengths.map(|length| (length - self.radius).at_least_zero()));
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        [bodies[0].pose.point(self.points[0]), bodies[1].pose.point(self.points[1])]
    }

    fn line(&self, bodies: &[BodyView; 2]) -> Vec<DVec3> {
        let [first, second] = self.anchors(bodies);
        vec![first, self.wheels[0], self.wheels[1], second]
    }
}
