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
//!
//! The frequency f of the suspension's spring is that of the mass it carries, as in the books on cars: with m the wheel's share of
//! the chassis, `k = (2π f)² m` and `d = 2 ζ 2π f m`, and the car sags by g/(2π f)² = 62 mm at 2 Hz whatever it weighs. (Where rows
//! of other joints are springs by frequency, it is that of their effective mass, here nearly that of the wheel alone.)

use super::frame::{JointFrame, counted};
use super::{
    Attach, Bearing, BodyView, Constraint, Coordinate, Drive, Freedom, JointForm, JointView, Measure, Row, Softness,
};
use crate::error::ModelError;
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;
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
    /// What acts along the suspension; the travel is 0 where the joint was made and grows along the axis. The frequency of a
    /// spring is that of the wheel's share of the chassis on it. Default: a spring of 2 Hz, critically damped, between −0.1 and
    /// 0.1 m.
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
        Ok(Arc::new(WheelConstraint { frame, travel, steering, spin, softness, carried: 0.0 }))
    }
}

#[derive(Clone, Copy, Debug)]
struct WheelConstraint {
    frame: JointFrame,
    travel: Freedom,
    steering: Freedom,
    spin: Freedom,
    softness: Softness,
    /// How much of the chassis it bears, in kilograms; zero if that is not known.
    carried: f64,
}

impl WheelConstraint {
    /// What acts along the suspension, with the spring of the mass that is on it.
    fn suspension(&self) -> Freedom {
        let stiffened = |drive: Drive| match drive.spring {
            Softness::Spring { frequency, damping_ratio } => {
                let omega = TAU * frequency;
                let (stiffness, damping) = (omega * omega * self.carried, 2.0 * damping_ratio * omega * self.carried);
                let exists = self.carried > 0.0 && stiffness.is_finite() && damping.is_finite();
                let spring = if exists { Softness::Stiffness { stiffness, damping } } else { drive.spring };
                Drive { spring, ..drive }
            }
            _ => drive,
        };
        Freedom { drive: self.travel.drive.map(stiffened), ..self.travel }
    }

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
        let [travel, steering, spin] = self.free(joint);
        let travel = Coordinate { freedom: self.suspension(), ..travel };
        [travel, steering, spin].iter().for_each(|coordinate| coordinate.push_rows(rows));
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
        let Self { frame, steering, spin, softness, .. } = *self;
        JointForm::Wheel { frame, travel: self.suspension(), steering, spin, softness }
    }

    fn bears(&self) -> Option<Bearing> {
        Some(Bearing { point: self.frame.anchors[0], axis: self.frame.rotations[0] * DVec3::X })
    }

    fn bearing(&self, mass: f64) -> Option<Arc<dyn Constraint>> {
        (mass != self.carried).then(|| Arc::new(Self { carried: mass, ..*self }) as _)
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        self.frame.anchors(bodies)
    }

    fn angle(&self, bodies: &[BodyView; 2]) -> Option<f64> {
        Some(self.spin(bodies).value)
    }
}
