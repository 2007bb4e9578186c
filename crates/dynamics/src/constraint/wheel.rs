//! Wheel with suspension: the second body is a wheel that travels along an axis of the first, is steered about that axis and
//! spins about its axle.
//!
//! With the axis x of the suspension on the first body, the axle y on the wheel, and d from anchor to anchor:
//!
//! ```text
//! c = d·y₁,  d·z₁,  y₂·x₁                         it stays on the axis, and the axle across it
//! travel    d·x₁
//! steering  atan2(z₁·y₂, y₁·y₂)                    the axle about x₁
//! spin      atan2(x₁·z₂, x₁·x₂)                    the wheel about its axle
//! ```
//!
//! Three rows and three coordinates. The world counts the turns of the spin.

use super::frame::{JointFrame, counted};
use super::{Attach, BodyView, Constraint, Coordinate, Drive, Freedom, JointForm, JointView, Measure, Row, Softness};
use crate::error::ModelError;
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A wheel, the second body, on the suspension of a chassis, the first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Wheel {
    /// The centre of the wheel, in world coordinates, in metres. Default: the origin.
    #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
    pub anchor: DVec3,
    /// The direction of the suspension, fixed to the chassis, in world coordinates, of any length but zero. Default: y.
    #[schemars(with = "[f64; 3]", extend("unit" = "1"))]
    pub axis: DVec3,
    /// The direction of the axle, fixed to the wheel, not parallel to the suspension. Default: z.
    #[schemars(with = "[f64; 3]", extend("unit" = "1"))]
    pub axle: DVec3,
    /// What acts along the suspension; the travel is 0 where the joint was made and grows along the axis. Default: a spring of
    /// 2 Hz, critically damped, between −0.1 and 0.1 m.
    pub travel: Freedom,
    /// What acts on the steering. Default: locked.
    pub steering: Freedom,
    /// What acts about the axle: a motor, a brake. Default: nothing.
    pub spin: Freedom,
    /// How hard it holds. Default: rigid.
    pub softness: Softness,
}

impl Default for Wheel {
    fn default() -> Self {
        Self {
            anchor: DVec3::ZERO,
            axis: DVec3::Y,
            axle: DVec3::Z,
            travel: Freedom::between(-0.1, 0.1).with_drive(Drive::default()),
            steering: Freedom::LOCKED,
            spin: Freedom::FREE,
            softness: Softness::Rigid,
        }
    }
}

impl Wheel {
    /// At the wheel's centre, with the directions of the suspension and the axle.
    pub fn at(anchor: impl Into<DVec3>, axis: impl Into<DVec3>, axle: impl Into<DVec3>) -> Self {
        Self { anchor: anchor.into(), axis: axis.into(), axle: axle.into(), ..Self::default() }
    }

    /// With another suspension.
    pub fn with_travel(self, travel: Freedom) -> Self {
        Self { travel, ..self }
    }

    /// With another steering.
    pub fn with_steering(self, steering: Freedom) -> Self {
        Self { steering, ..self }
    }

    /// With a motor, a brake or limits about the axle.
    pub fn with_spin(self, spin: Freedom) -> Self {
        Self { spin, ..self }
    }
}

impl Attach for Wheel {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        self.softness.validate()?;
        [self.travel, self.steering, self.spin].iter().try_for_each(Freedom::validate)?;
        let what = "the pair of axis and axle of a wheel";
        let frame = JointFrame::new(what, bodies, self.anchor, self.axis, Some(self.axle))?;
        let Self { travel, steering, spin, softness, .. } = *self;
        Ok(Arc::new(WheelConstraint { frame, travel, steering, spin, softness }))
    }
}

#[derive(Clone, Copy, Debug)]
struct WheelConstraint {
    frame: JointFrame,
    travel: Freedom,
    steering: Freedom,
    spin: Freedom,
    softness: Softness,
}

impl WheelConstraint {
    fn spin(&self, bodies: &[BodyView; 2]) -> Measure {
        let ([x1, ..], [x2, _, z2]) = (self.frame.first(bodies), self.frame.second(bodies));
        Measure::atan2(x1.dot(&z2), x1.dot(&x2))
    }

    fn free(&self, joint: &JointView) -> [Coordinate; 3] {
        let (d, [x1, ..]) = (self.frame.offset(joint), self.frame.first(joint));
        [
            Coordinate::new("travel", d.dot(&x1), self.travel),
            Coordinate::new("steering", self.frame.angle(joint), self.steering),
            Coordinate::new("spin", counted(self.spin(joint), joint), self.spin),
        ]
    }
}

impl Constraint for WheelConstraint {
    fn rows(&self, joint: &JointView, rows: &mut Vec<Row>) {
        let (d, [x1, y1, z1], [_, y2, _]) =
            (self.frame.offset(joint), self.frame.first(joint), self.frame.second(joint));
        let held = [d.dot(&y1), d.dot(&z1), y2.dot(&x1)];
        rows.extend(held.map(|measure| measure.equals_zero().with_softness(self.softness)));
        self.free(joint).iter().for_each(|coordinate| coordinate.push_rows(rows));
    }

    fn coordinates(&self, joint: &JointView) -> Vec<Coordinate> {
        self.free(joint).to_vec()
    }

    fn with_freedom(&self, coordinate: &str, freedom: Freedom) -> Option<Arc<dyn Constraint>> {
        match coordinate {
            "travel" => Some(Arc::new(Self { travel: freedom, ..*self })),
            "steering" => Some(Arc::new(Self { steering: freedom, ..*self })),
            "spin" => Some(Arc::new(Self { spin: freedom, ..*self })),
            _ => None,
        }
    }

    fn form(&self) -> JointForm {
        let Self { frame, travel, steering, spin, softness } = *self;
        JointForm::Wheel { frame, travel, steering, spin, softness }
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.frame.anchors(bodies)
    }

    fn angle(&self, bodies: &[BodyView; 2]) -> Option<f64> {
        Some(self.spin(bodies).value)
    }
}
