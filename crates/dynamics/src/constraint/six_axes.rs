//! Six axes: each of three translations and three rotations free, limited, locked or driven.
//!
//! The translations are d·x₁, d·y₁ and d·z₁. The rotation from the first copy of the joint's frame to the second is taken
//! apart into a turn α about x, then β about the new y, then γ about the newest z: R = R_x(α) R_y(β) R_z(γ).
//!
//! These angles have a singular place, β = ±90°, where α and γ turn about the same axis. What is locked is therefore not held by
//! them. Locked angles are built into the copies of the frame, R_x(α) and with it R_y(β) into the first, R_z(γ) into the second,
//! and what remains to be held is zero and is said without them:
//!
//! ```text
//! α         asin(−y₁·z₂) = 0                     z₂ stays in the plane across y₁, as in a universal joint
//! γ         asin(−x₁·y₂) = 0                     y₂ stays in the plane across x₁, likewise
//! β         asin(x₁·z₂) = β                      the angle between x₁ and z₂ stays; at ±90° it is a hinge about both
//! two       2 q_x, 2 q_y or 2 q_z = 0             a hinge about the third axis, by the quaternion q
//! three     2 q_x, 2 q_y, 2 q_z = 0               a weld
//! ```
//!
//! Where α or γ is locked the other two angles go all around, β too, and have no singular place:
//!
//! ```text
//! α locked     β = atan2(x₁·z₂, z₁·z₂)      γ = atan2(y₁·x₂, y₁·y₂)
//! γ locked     β = atan2(x₁·z₂, x₁·x₂)      α = atan2(z₁·y₂, y₁·y₂)
//! ```
//!
//! Where neither is, every rotation has its three angles with β from −90° to 90°,
//!
//! ```text
//! α = atan2(−y₁·z₂, z₁·z₂)      β = asin(x₁·z₂)      γ = atan2(−x₁·y₂, x₁·x₂)
//! ```
//!
//! and beyond the singular place α and γ have changed by half a turn. Their gradients are 1/cos β long. So if β is not locked
//! away from there, a limit is written as `cos β (max − α) ≥ 0`, which holds for the same rotations and has a gradient of length
//! one where it acts, and a motor, a drive or friction acts on α as it is up to cos β = 0.1 (β = 84°) and beyond with `10 cos β`
//! of it. Limits of α or γ that leave out a half turn stop β at ±90°, as there is no other side to come to.
//!
//! Give y the rotation with the smallest range, and x the one with the largest, whose turns the world counts.

use super::frame::{JointFrame, counted};
use super::{Attach, BodyView, Constraint, Coordinate, Freedom, JointView, Limit, Measure, Row, Softness};
use crate::error::ModelError;
use crate::schema::JsonSchema;
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;
use std::sync::Arc;
use tumble_geometry::math::rotation_from_vector;

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
            "the pair `x_axis`, `y_axis` of a six-axis joint",
            bodies,
            self.anchor,
            self.x_axis,
            Some(self.y_axis),
        )?;
        let Self { slide, turn, softness, .. } = *self;
        Ok(Arc::new(SixAxesConstraint::new(frame, slide, turn, softness)))
    }
}

#[derive(Clone, Copy, Debug)]
struct SixAxesConstraint {
    frame: JointFrame,
    /// The same with the locked angles built into it.
    turned: JointFrame,
    slide: [Freedom; 3],
    turn: [Freedom; 3],
    softness: Softness,
}

/// The names of the coordinates.
const SLIDES: [&str; 3] = ["slide_x", "slide_y", "slide_z"];
const TURNS: [&str; 3] = ["turn_x", "turn_y", "turn_z"];

/// Below this cosine of β what drives α and γ fades out.
const NEAR_THE_POLE: f64 = 0.1;

impl SixAxesConstraint {
    fn new(frame: JointFrame, slide: [Freedom; 3], turn: [Freedom; 3], softness: Softness) -> Self {
        let locked = turn.map(|turn| turn.locked());
        let about = |k: usize| rotation_from_vector(DVec3::AXES[k] * (locked[k].unwrap_or(0.0) % TAU));
        // A locked β goes where a locked α or γ is. Between two free turns it cannot be built in but at ±90°, where they are one.
        let [first, second] = match locked {
            [None, beta, None] if beta.is_some_and(is_upright) => [about(1), DQuat::IDENTITY],
            [None, _, None] => [DQuat::IDENTITY; 2],
            [None, _, Some(_)] => [DQuat::IDENTITY, about(1) * about(2)],
            [Some(_), ..] => [about(0) * about(1), about(2)],
        };
        let [one, two] = frame.rotations;
        let rotations = [(one * first).normalize(), (two * second.conjugate()).normalize()];
        Self { frame, turned: JointFrame { rotations, ..frame }, slide, turn, softness }
    }

    fn slides(&self, joint: &JointView) -> [Coordinate; 3] {
        let (d, axes) = (self.frame.offset(joint), self.frame.first(joint));
        std::array::from_fn(|k| Coordinate::new(SLIDES[k], d.dot(&axes[k]), self.slide[k]))
    }

    /// α, β and γ, each within a turn; what is locked is what it should be and the error.
    fn angles(&self, bodies: &[BodyView; 2]) -> [Measure; 3] {
        let locked = self.turn.map(|turn| turn.locked());
        let frame = if self.has_built_in() { &self.turned } else { &self.frame };
        let ([x1, y1, z1], [x2, y2, z2]) = (frame.first(bodies), frame.second(bodies));
        let angles = match locked.map(|angle| angle.is_some()) {
            [false, _, false] => {
                return [
                    Measure::atan2(-y1.dot(&z2), z1.dot(&z2)),
                    Measure::atan2(x1.dot(&z2), self.cos_beta(bodies)),
                    Measure::atan2(-x1.dot(&y2), x1.dot(&x2)),
                ];
            }
            [true, false, false] => [
                elevation(-y1.dot(&z2), [z1.dot(&z2), x1.dot(&z2)]),
                Measure::atan2(x1.dot(&z2), z1.dot(&z2)),
                Measure::atan2(y1.dot(&x2), y1.dot(&y2)),
            ],
            [false, false, true] => [
                Measure::atan2(z1.dot(&y2), y1.dot(&y2)),
                Measure::atan2(x1.dot(&z2), x1.dot(&x2)),
                elevation(-x1.dot(&y2), [x1.dot(&x2), x1.dot(&z2)]),
            ],
            two_or_three => {
                let free = [
                    Measure::atan2(z1.dot(&y2), y1.dot(&y2)),
                    Measure::atan2(x1.dot(&z2), z1.dot(&z2)),
                    Measure::atan2(y1.dot(&x2), x1.dot(&x2)),
                ];
                let held = self.turned.rotation(bodies);
                std::array::from_fn(|k| if two_or_three[k] { held[k] } else { free[k] })
            }
        };
        std::array::from_fn(|k| angles[k] + locked[k].unwrap_or(0.0))
    }

    /// Whether α or γ is locked, and with it the rotation free of singular places.
    fn has_built_in(&self) -> bool {
        self.turn[0].locked().is_some() || self.turn[2].locked().is_some()
    }

    /// cos β where neither α nor γ is locked.
    fn cos_beta(&self, bodies: &[BodyView; 2]) -> Measure {
        let ([x1, ..], [x2, y2, _]) = (self.frame.first(bodies), self.frame.second(bodies));
        let [cos_cos, cos_sin] = [x1.dot(&x2), x1.dot(&y2)];
        (cos_cos * cos_cos + cos_sin * cos_sin).sqrt()
    }

    fn turns(&self, joint: &JointView) -> [Coordinate; 3] {
        let [alpha, beta, gamma] = self.angles(joint);
        let alpha = if self.turn[0].locked().is_some() { alpha } else { counted(alpha, joint) };
        let angles = [alpha, beta, gamma];
        std::array::from_fn(|k| Coordinate::new(TURNS[k], angles[k], self.turn[k]))
    }

    fn push_turns(&self, joint: &JointView, rows: &mut Vec<Row>) {
        let [alpha, beta, gamma] = self.turns(joint);
        match self.turn[1].locked() {
            _ if self.has_built_in() => [alpha, beta, gamma].iter().for_each(|turn| turn.push_rows(rows)),
            // α and γ are the same turn, and neither is known.
            Some(angle) if is_upright(angle) => {
                let [x, y, _] = self.turned.rotation(joint);
                rows.extend([x, y].map(Measure::equals_zero));
            }
            Some(angle) => {
                alpha.push_rows(rows);
                // Beyond 90° the same rotations are those of an angle below.
                rows.push((beta.measure - libm::asin(libm::sin(angle))).equals_zero());
                gamma.push_rows(rows);
            }
            None => {
                let cos_beta = self.cos_beta(joint);
                push_fading(&alpha, cos_beta, rows);
                beta.push_rows(rows);
                push_fading(&gamma, cos_beta, rows);
            }
        }
    }
}

/// Whether β is ±90°.
fn is_upright(beta: f64) -> bool {
    libm::cos(beta).abs() < 1e-6
}

/// The angle between a unit vector and a plane, of its part across the plane and its two parts along it. Where it is
/// upright, every way down is as good as any other, and the one along the first part is taken.
fn elevation(across: Measure, along: [Measure; 2]) -> Measure {
    let [u, v] = along;
    let shadow = (u * u + v * v).sqrt();
    Measure::atan2(across, if shadow.value > 1e-9 { shadow } else { u })
}

/// Appends what acts on α or γ where neither is locked, so that nothing becomes infinite at the singular place.
fn push_fading(turn: &Coordinate, cos_beta: Measure, rows: &mut Vec<Row>) {
    let (q, freedom) = (turn.measure, turn.freedom);
    let restitution = freedom.restitution;
    rows.extend(freedom.min.map(|min| Row { restitution, ..((q - min) * cos_beta).at_least_zero() }));
    rows.extend(freedom.max.map(|max| Row { restitution, ..((-q + max) * cos_beta).at_least_zero() }));
    let driven = Freedom { min: None, max: None, ..freedom };
    let first = rows.len();
    if cos_beta.value >= NEAR_THE_POLE {
        return driven.push_rows(q, rows);
    }
    let fade = cos_beta * (1.0 / NEAR_THE_POLE);
    let target = driven.drive.map_or(q.value, |drive| drive.target);
    driven.push_rows((q - target) * fade + target, rows);
    // A rate is fade α̇, without the part that comes from fading.
    let rate = (q - q.value) * fade;
    for row in rows[first..].iter_mut().filter(|row| row.softness == Softness::Rigid) {
        let target_rate = row.target_rate * fade.value;
        *row = Row { target_rate, ..rate.row(row.limit) };
    }
}

impl Constraint for SixAxesConstraint {
    fn rows(&self, joint: &JointView, rows: &mut Vec<Row>) {
        let first = rows.len();
        self.slides(joint).iter().for_each(|slide| slide.push_rows(rows));
        self.push_turns(joint, rows);
        for row in rows[first..].iter_mut().filter(|row| row.limit == Limit::Equality) {
            row.softness = self.softness;
        }
    }

    fn coordinates(&self, joint: &JointView) -> Vec<Coordinate> {
        self.slides(joint).into_iter().chain(self.turns(joint)).collect()
    }

    fn with_freedom(&self, coordinate: &str, freedom: Freedom) -> Option<Arc<dyn Constraint>> {
        let (mut slide, mut turn) = (self.slide, self.turn);
        let all = SLIDES.iter().zip(&mut slide).chain(TURNS.iter().zip(&mut turn));
        let (_, place) = all.into_iter().find(|(name, _)| **name == coordinate)?;
        *place = freedom;
        Some(Arc::new(Self::new(self.frame, slide, turn, self.softness)))
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.frame.anchors(bodies)
    }

    fn angle(&self, bodies: &[BodyView; 2]) -> Option<f64> {
        Some(self.angles(bodies)[0].value)
    }
}
