//! Six axes: each of three translations and three rotations free, limited, locked or driven.
//!
//! The translations are d·x₁, d·y₁ and d·z₁. The rotation from the first copy of the joint's frame to the second is taken
//! apart into a turn α about x, then β about the new y, then γ about the newest z: R = R_x(α) R_y(β) R_z(γ). With the
//! elements of R, the dot products of the axes:
//!
//! ```text
//! α = atan2(−y₁·z₂, z₁·z₂)      β = atan2(x₁·z₂, √((x₁·x₂)² + (x₁·y₂)²))      γ = atan2(−x₁·y₂, x₁·x₂)
//! ```
//!
//! The singular place is β = ±90°, where α and γ turn about the same axis: give y the rotation with the smallest range, and x
//! the one with the largest, whose turns the world counts. If all three are locked at zero, the rotation is held by the
//! quaternion as in a weld, which has no singular place.

use super::frame::{JointFrame, counted};
use super::{Attach, BodyView, Constraint, Coordinate, Freedom, JointView, Limit, Measure, Row, Softness};
use crate::error::ModelError;
use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A joint with six axes to choose from; all are locked until said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SixAxes {
    /// Where it holds the bodies, in world coordinates, in metres. Default: the origin.
    #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
    pub anchor: DVec3,
    /// The x axis of the joint, in world coordinates, of any length but zero. Default: x.
    #[schemars(with = "[f64; 3]", extend("unit" = "1"))]
    pub x_axis: DVec3,
    /// The direction of its y axis, not parallel to x. Default: y.
    #[schemars(with = "[f64; 3]", extend("unit" = "1"))]
    pub y_axis: DVec3,
    /// What acts along x, y and z of the first body; all coordinates are 0 where the joint was made. Default: locked.
    pub slide: [Freedom; 3],
    /// What acts about x, the new y and the newest z. Default: locked.
    pub turn: [Freedom; 3],
    /// How hard locked axes hold. Default: rigid.
    pub softness: Softness,
}

impl Default for SixAxes {
    fn default() -> Self {
        Self {
            anchor: DVec3::ZERO,
            x_axis: DVec3::X,
            y_axis: DVec3::Y,
            slide: [Freedom::LOCKED; 3],
            turn: [Freedom::LOCKED; 3],
            softness: Softness::Rigid,
        }
    }
}

impl SixAxes {
    /// All locked, at a world point along the axes of the world.
    pub fn at(anchor: impl Into<DVec3>) -> Self {
        Self { anchor: anchor.into(), ..Self::default() }
    }

    /// With other directions of x and y.
    pub fn along(self, x_axis: impl Into<DVec3>, y_axis: impl Into<DVec3>) -> Self {
        Self { x_axis: x_axis.into(), y_axis: y_axis.into(), ..self }
    }

    /// With other translations.
    pub fn with_slide(self, slide: [Freedom; 3]) -> Self {
        Self { slide, ..self }
    }

    /// With other rotations.
    pub fn with_turn(self, turn: [Freedom; 3]) -> Self {
        Self { turn, ..self }
    }
}

impl Attach for SixAxes {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        self.softness.validate()?;
        self.slide.iter().chain(&self.turn).try_for_each(Freedom::validate)?;
        let frame = JointFrame::new(
            "the pair of axes of a six-axis joint",
            bodies,
            self.anchor,
            self.x_axis,
            Some(self.y_axis),
        )?;
        let Self { slide, turn, softness, .. } = *self;
        Ok(Arc::new(SixAxesConstraint { frame, slide, turn, softness }))
    }
}

#[derive(Clone, Copy, Debug)]
struct SixAxesConstraint {
    frame: JointFrame,
    slide: [Freedom; 3],
    turn: [Freedom; 3],
    softness: Softness,
}

impl SixAxesConstraint {
    /// α, β and γ.
    fn angles(&self, bodies: &[BodyView; 2]) -> [Measure; 3] {
        let ([x1, y1, z1], [x2, y2, z2]) = (self.frame.first(bodies), self.frame.second(bodies));
        let [cos_cos, cos_sin] = [x1.dot(&x2), -x1.dot(&y2)];
        [
            Measure::atan2(-y1.dot(&z2), z1.dot(&z2)),
            Measure::atan2(x1.dot(&z2), (cos_cos * cos_cos + cos_sin * cos_sin).sqrt()),
            Measure::atan2(cos_sin, cos_cos),
        ]
    }

    fn slides(&self, joint: &JointView) -> [Coordinate; 3] {
        let (d, axes) = (self.frame.offset(joint), self.frame.first(joint));
        std::array::from_fn(|k| Coordinate::new(SLIDES[k], d.dot(&axes[k]), self.slide[k]))
    }

    fn turns(&self, joint: &JointView) -> [Coordinate; 3] {
        let [alpha, beta, gamma] = self.angles(joint);
        let angles = [counted(alpha, joint), beta, gamma];
        std::array::from_fn(|k| Coordinate::new(TURNS[k], angles[k], self.turn[k]))
    }
}

/// The names of the coordinates.
const SLIDES: [&str; 3] = ["slide_x", "slide_y", "slide_z"];
const TURNS: [&str; 3] = ["turn_x", "turn_y", "turn_z"];

impl Constraint for SixAxesConstraint {
    fn rows(&self, joint: &JointView, rows: &mut Vec<Row>) {
        let first = rows.len();
        self.slides(joint).iter().for_each(|slide| slide.push_rows(rows));
        if self.turn == [Freedom::LOCKED; 3] {
            self.frame.hold_rotation(joint, self.softness, rows);
        } else {
            self.turns(joint).iter().for_each(|turn| turn.push_rows(rows));
        }
        for row in rows[first..].iter_mut().filter(|row| row.limit == Limit::Equality) {
            row.softness = self.softness;
        }
    }

    fn coordinates(&self, joint: &JointView) -> Vec<Coordinate> {
        self.slides(joint).into_iter().chain(self.turns(joint)).collect()
    }

    fn with_freedom(&self, coordinate: &str, freedom: Freedom) -> Option<Arc<dyn Constraint>> {
        let mut changed = *self;
        let all = SLIDES.iter().zip(&mut changed.slide).chain(TURNS.iter().zip(&mut changed.turn));
        let (_, place) = all.into_iter().find(|(name, _)| **name == coordinate)?;
        *place = freedom;
        Some(Arc::new(changed))
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.frame.anchors(bodies)
    }

    fn angle(&self, bodies: &[BodyView; 2]) -> Option<f64> {
        Some(self.angles(bodies)[0].value)
    }
}
