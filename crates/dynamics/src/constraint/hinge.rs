//! Hinge: two bodies turn about one common axis (K B.4.3, T 3.2.1–3.2.5, G 2.7.5.3).
//!
//! Besides the three rows that hold a point, two rows keep the hinge axes x₁ and x₂ parallel. The documents have four forms:
//!
//! ```text
//! dot products       x₂·y₁ = 0,  x₂·z₁ = 0                        T 3.2.1; simple, and wrong beyond 90°
//! two positions      a second point on the axis held across it     T 3.2.2; converges slowly
//! quaternion         2 q_y = 0,  2 q_z = 0                         T 3.2.4; right up to 180°
//! two joysticks      the same rows, each as K's axis restriction   K B.4.3
//! ```
//!
//! q being the relative rotation. Where the hinge holds they all say the same; they differ in how they recover. In the hinge's
//! frame the imaginary parts of q and K's rows agree, so that the last two are one row each with another sign: K's is
//! Re(ñ p⁻¹q) = −n·q_v. The default is the quaternion form, which recovers from any error.
//!
//! The angle is that of y₂ about x₁. The world counts its turns, so that limits may lie anywhere and a hinge that is swung
//! past one by any number of turns comes back the way it went (T 3.35 reaches one and a half).

use super::frame::JointFrame;
use super::{Attach, BodyView, Constraint, Coordinate, Freedom, JointForm, JointView, Row, Softness};
use crate::error::ModelError;
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A hinge at a point along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Hinge {
    /// A point on the axis, in world coordinates, in metres. Default: the origin.
    #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
    pub anchor: DVec3,
    /// The direction of the axis in world coordinates, of any length but zero. Default: z.
    #[schemars(with = "[f64; 3]", extend("unit" = "1"))]
    pub axis: DVec3,
    /// What acts about the axis: limits, a motor, a drive, friction; the angle is 0 where the hinge was made. Default:
    /// nothing.
    pub turn: Freedom,
    /// How it is written down. Default: by the quaternion.
    pub form: HingeForm,
    /// How hard it holds. Default: rigid.
    pub softness: Softness,
}

impl Default for Hinge {
    fn default() -> Self {
        Self {
            anchor: DVec3::ZERO,
            axis: DVec3::Z,
            turn: Freedom::FREE,
            form: HingeForm::Quaternion,
            softness: Softness::Rigid,
        }
    }
}

/// How a hinge is written down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HingeForm {
    /// Dot products of the axes (T 3.2.1).
    DotProduct,
    /// A second point on the axis (T 3.2.2).
    TwoPositions,
    /// Two parts of the relative quaternion (T 3.2.4).
    #[default]
    Quaternion,
    /// Two of K's axis restrictions (K B.4.3).
    TwoJoysticks,
}

impl Hinge {
    /// A rigid hinge through a world point along a world direction.
    pub fn at(anchor: impl Into<DVec3>, axis: impl Into<DVec3>) -> Self {
        Self { anchor: anchor.into(), axis: axis.into(), ..Self::default() }
    }

    /// With limits, a motor, a drive or friction about the axis.
    pub fn with_turn(self, turn: Freedom) -> Self {
        Self { turn, ..self }
    }

    /// Written down in another form.
    pub fn with_form(self, form: HingeForm) -> Self {
        Self { form, ..self }
    }
}

impl Attach for Hinge {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        self.softness.validate()?;
        self.turn.validate()?;
        let frame = JointFrame::new("the axis of the hinge", bodies, self.anchor, self.axis, None)?;
        let Self { turn, form, softness, .. } = *self;
        Ok(Arc::new(HingeConstraint { frame, turn, form, softness }))
    }
}

#[derive(Clone, Copy, Debug)]
struct HingeConstraint {
    frame: JointFrame,
    turn: Freedom,
    form: HingeForm,
    softness: Softness,
}

impl HingeConstraint {
    fn turn(&self, joint: &JointView) -> Coordinate {
        Coordinate::new("turn", self.frame.turned(joint), self.turn)
    }
}

impl Constraint for HingeConstraint {
    fn rows(&self, bodies: &JointView, rows: &mut Vec<Row>) {
        self.frame.hold_point(bodies, self.softness, rows);
        let parallel = match self.form {
            HingeForm::DotProduct => {
                let ([_, y1, z1], [x2, ..]) = (self.frame.first(bodies), self.frame.second(bodies));
                [x2.dot(&y1), x2.dot(&z1)]
            }
            HingeForm::TwoPositions => {
                let (offset, [_, y1, z1]) = (self.frame.offset_at(bodies, DVec3::X), self.frame.first(bodies));
                [offset.dot(&y1), offset.dot(&z1)]
            }
            HingeForm::Quaternion => {
                let [_, y, z] = self.frame.rotation(bodies);
                [y, z]
            }
            HingeForm::TwoJoysticks => {
                let [_, y, z] = self.frame.rotation(bodies);
                [-y, -z]
            }
        };
        rows.extend(parallel.map(|measure| measure.equals_zero().with_softness(self.softness)));
        self.turn(bodies).push_rows(rows);
    }

    fn coordinates(&self, joint: &JointView) -> Vec<Coordinate> {
        vec![self.turn(joint)]
    }

    fn with_freedom(&self, coordinate: &str, turn: Freedom) -> Option<Arc<dyn Constraint>> {
        (coordinate == "turn").then(|| Arc::new(Self { turn, ..*self }) as _)
    }

    fn form(&self) -> JointForm {
        let Self { frame, turn, form, softness } = *self;
        JointForm::Hinge { frame, form, turn, softness }
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.frame.anchors(bodies)
    }

    fn angle(&self, bodies: &[BodyView; 2]) -> Option<f64> {
        Some(self.frame.angle(bodies).value)
    }
}
