//! Constraints as discrepancies (G 2.7.4), a front end that writes rows.
//!
//! G describes a constraint without Jacobians, by what is wrong at pairs of points (G 2.81):
//!
//! ```text
//! c = [d₁ … d_m],     d = (x₁, x₂, v_r, β)
//! ```
//!
//! The points x₁ and x₂, of one body each, should coincide; x₂ should move at v_r against x₁; and β, from 0 to 1, says how much
//! of that is to be put right at a time. That is enough to describe a constraint: implement [`Discrepancies`] and attach
//! [`Described`]. The rows of a discrepancy are
//!
//! ```text
//! v_r = 0:   e·(x₂ − x₁) = 0 for each world axis e, with Baumgarte's factor β      it holds a point
//! v_r ≠ 0:   the rate of e·(x₂ − x₁) is |v_r|, with e along v_r, by any force     it drives a point
//! ```
//!
//! What a driven point lacks of its speed is made up by the fraction β in each solve, and never by more than nine tenths. Two
//! points that are driven against each other along the line between them, or one towards a point that is held, cannot do
//! as they are told however fast the body turns; without that limit it would be made to turn ever faster.
//!
//! A driven point is not held across its direction: G's motor has other pairs for that, and rows that say the same twice, each
//! with its own rounding, are what rigid solvers like least. Points to drive are taken anew in every step, x₁ = x₂, so that
//! there is no error of position to mend.
//!
//! G's constructs in this form are [`Pairs`], where one pair is a ball joint (G 2.83), two are a hinge (G 2.84) and three are
//! rigid (G 2.7.5.4), and [`AngularMotor`] (G 2.86). His contact (G 2.82) and his reach cone (G 2.87) hold on one side only, which
//! G brings about by adding and dropping discrepancies; here they are one-sided rows, see `contact` and `limit::ReachCone`.
//! Breaking by an error of position (G 2.89) is the joint's `Breaking::error`. The solver G describes for all of it is
//! `solver::Sequential`, which weighs rows by β; the other solvers take them as they take all others.

use super::frame::JointFrame;
use super::{Arrow, Attach, BodyView, Constraint, End, JointView, Limit, Row, Softness, check_direction, check_points};
use crate::error::{ModelError, checked};
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tumble_geometry::math::orthonormal_pair;

/// What is wrong at a pair of points, in world coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Discrepancy {
    /// A point of the first body and one of the second that should coincide, in metres.
    pub points: [DVec3; 2],
    /// The velocity the second should have against the first, in m/s.
    pub velocity: DVec3,
    /// β: the part that is put right at a time, from 0 to 1.
    pub factor: f64,
}

/// A constraint that is described by discrepancies.
pub trait Discrepancies: std::fmt::Debug + Send + Sync {
    /// Appends what is wrong between the two bodies. How many, and which of them have a velocity, does not change from call to
    /// call.
    fn discrepancies(&self, bodies: &[BodyView; 2], list: &mut Vec<Discrepancy>);

    /// The angle of a joint that turns, in radians within a turn. Default: none.
    fn angle(&self, _bodies: &[BodyView; 2]) -> Option<f64> {
        None
    }
}

/// A constraint described by discrepancies, as rows.
#[derive(Clone, Copy, Debug)]
pub struct Described<D>(pub D);

impl<D: Discrepancies> Described<D> {
    fn list(&self, bodies: &[BodyView; 2]) -> Vec<Discrepancy> {
        let mut list = Vec::new();
        self.0.discrepancies(bodies, &mut list);
        list
    }
}

impl<D: Discrepancies> Constraint for Described<D> {
    fn rows(&self, joint: &JointView, rows: &mut Vec<Row>) {
        for discrepancy in self.list(joint) {
            discrepancy.push_rows(joint, rows);
        }
    }

    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        let list = self.list(bodies);
        let mean = |k: usize| list.iter().map(|one| one.points[k]).sum::<DVec3>() / list.len().max(1) as f64;
        [mean(0), mean(1)]
    }

    fn angle(&self, bodies: &[BodyView; 2]) -> Option<f64> {
        self.0.angle(bodies)
    }
}

impl Discrepancy {
    /// Two points that should coincide and rest against each other.
    pub fn held(points: [DVec3; 2], factor: f64) -> Self {
        Self { points, velocity: DVec3::ZERO, factor }
    }

    /// A point where the second body should move at a velocity against the first.
    pub fn driven(point: DVec3, velocity: DVec3, factor: f64) -> Self {
        Self { points: [point; 2], velocity, factor }
    }

    fn push_rows(&self, bodies: &[BodyView; 2], rows: &mut Vec<Row>) {
        let local = [0, 1].map(|k| bodies[k].pose.inverse_point(self.points[k]));
        let apart = Arrow::between(bodies, local);
        let softness = Softness::Baumgarte { beta: self.factor };
        match self.velocity.try_normalize() {
            None => {
                rows.extend(DVec3::AXES.map(|axis| {
                    apart.dot(&Arrow::axis(bodies, End::World, axis)).equals_zero().with_softness(softness)
                }))
            }
            Some(direction) => {
                // The direction turns with the first body, from which the velocity is seen.
                let direction = Arrow::axis(bodies, End::First, bodies[0].pose.inverse_vector(direction));
                let any_force = Limit::Force { min: f64::NEG_INFINITY, max: f64::INFINITY };
                let softness = Softness::Baumgarte { beta: self.factor.min(MOST_OF_A_RATE) };
                let row = apart.dot(&direction).row(any_force).with_softness(softness);
                rows.push(Row { target_rate: self.velocity.length(), ..row });
            }
        }
    }
}

/// The largest part of what is lacking of a speed that is made up at a time.
const MOST_OF_A_RATE: f64 = 0.9;

/// Pairs of points: one holds the bodies like a ball joint, two like a hinge, three rigidly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Pairs {
    /// The points, in world coordinates; at most 16. Default: the origin.
    pub pairs: Vec<PointPair>,
}

impl Default for Pairs {
    fn default() -> Self {
        Self { pairs: vec![PointPair::default()] }
    }
}

/// A point where two bodies are held together, or driven against each other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PointPair {
    /// Where, in world coordinates, in metres. Default: the origin.
    #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
    pub point: DVec3,
    /// The velocity the second body should have there against the first, in m/s, along the axes of the world; it turns with the
    /// first body. If it is not zero, the point moves with the second body and is driven, not held. Default: zero.
    #[schemars(with = "[f64; 3]", extend("unit" = "m/s"))]
    pub velocity: DVec3,
    /// β: the part of an error that is put right in a step, from 0 to 1. Default 0.8.
    #[schemars(range(min = 0.0, max = 1.0), extend("unit" = "1"))]
    pub factor: f64,
}

impl Default for PointPair {
    fn default() -> Self {
        Self { point: DVec3::ZERO, velocity: DVec3::ZERO, factor: 0.8 }
    }
}

impl Pairs {
    /// Holds the bodies together at these world points.
    pub fn at<const N: usize>(points: [DVec3; N]) -> Self {
        Self { pairs: points.map(|point| PointPair { point, ..PointPair::default() }).to_vec() }
    }
}

impl Attach for Pairs {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        if !(1..=16).contains(&self.pairs.len()) {
            let value = self.pairs.len().to_string();
            return Err(ModelError::OutOfRange { what: "number of discrepancies", value, allowed: "between 1 and 16" });
        }
        let attach = |pair: &PointPair| {
            check_points("point of a discrepancy", &[pair.point])?;
            check_points("velocity of a discrepancy", &[pair.velocity])?;
            checked("factor of a discrepancy", pair.factor, 0.0..=1.0, "between 0 and 1")?;
            let points = [0, 1].map(|k| bodies[k].pose.inverse_point(pair.point));
            let velocity = bodies[0].pose.inverse_vector(pair.velocity);
            Ok(Discrepancy { points, velocity, factor: pair.factor })
        };
        let pairs = self.pairs.iter().map(attach).collect::<Result<Vec<_>, ModelError>>()?;
        Ok(Arc::new(Described(AttachedPairs(pairs))))
    }
}

/// The pairs, with points in the frames of their bodies and velocities in that of the first.
#[derive(Clone, Debug)]
struct AttachedPairs(Vec<Discrepancy>);

impl Discrepancies for AttachedPairs {
    fn discrepancies(&self, bodies: &[BodyView; 2], list: &mut Vec<Discrepancy>) {
        for pair in &self.0 {
            let points = [0, 1].map(|k| bodies[k].pose.point(pair.points[k]));
            list.push(if pair.velocity == DVec3::ZERO {
                Discrepancy::held(points, pair.factor)
            } else {
                Discrepancy::driven(points[1], bodies[0].pose.vector(pair.velocity), pair.factor)
            });
        }
    }
}

/// Turns the second body against the first about an axis: a hinge of two pairs and four driven points around it (G 2.7.5.5).
///
/// With the points a₁ and a₂ of the axis, its direction â and arms l around their middle, the driven points should move at
/// `ω â × l`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AngularMotor {
    /// Two points on the axis, in world coordinates, in metres; not the same. Default: the origin and (0, 0, 1).
    #[schemars(with = "[[f64; 3]; 2]", extend("unit" = "m"))]
    pub points: [DVec3; 2],
    /// The angular speed, in rad/s. Default 1.
    #[schemars(extend("unit" = "rad/s"))]
    pub speed: f64,
    /// How far from the axis the driven points are, in metres, more than 0. Default 0.5.
    #[schemars(range(min = 1e-6), extend("unit" = "m"))]
    pub arm: f64,
    /// β of the two points on the axis, from 0 to 1. Default 0.8.
    #[schemars(range(min = 0.0, max = 1.0), extend("unit" = "1"))]
    pub axis_factor: f64,
    /// β of the driven points, from 0 to 1. Default 0.4.
    #[schemars(range(min = 0.0, max = 1.0), extend("unit" = "1"))]
    pub drive_factor: f64,
}

impl Default for AngularMotor {
    fn default() -> Self {
        Self { points: [DVec3::ZERO, DVec3::Z], speed: 1.0, arm: 0.5, axis_factor: 0.8, drive_factor: 0.4 }
    }
}

impl AngularMotor {
    /// About the axis through two world points, at a speed in rad/s.
    pub fn about(points: [DVec3; 2], speed: f64) -> Self {
        Self { points, speed, ..Self::default() }
    }
}

impl Attach for AngularMotor {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        check_points("axis of an angular motor", &self.points)?;
        let axis = check_direction("axis of an angular motor", self.points[1] - self.points[0])?;
        checked("speed of an angular motor", self.speed, .., "finite")?;
        checked("arm of an angular motor", self.arm, 1e-6.., "at least 1e-6 m")?;
        checked("factor of an angular motor", self.axis_factor, 0.0..=1.0, "between 0 and 1")?;
        checked("factor of an angular motor", self.drive_factor, 0.0..=1.0, "between 0 and 1")?;
        let middle = 0.5 * (self.points[0] + self.points[1]);
        let frame = JointFrame::new("axis of an angular motor", bodies, middle, axis, None)?;
        let points = self.points.map(|point| [0, 1].map(|k| bodies[k].pose.inverse_point(point)));
        Ok(Arc::new(Described(AttachedMotor { motor: *self, frame, points })))
    }
}

#[derive(Clone, Copy, Debug)]
struct AttachedMotor {
    motor: AngularMotor,
    frame: JointFrame,
    /// The two points of the axis, each in the frames of both bodies.
    points: [[DVec3; 2]; 2],
}

impl Discrepancies for AttachedMotor {
    fn discrepancies(&self, bodies: &[BodyView; 2], list: &mut Vec<Discrepancy>) {
        let points = self.points.map(|pair| [0, 1].map(|k| bodies[k].pose.point(pair[k])));
        list.extend(points.map(|pair| Discrepancy::held(pair, self.motor.axis_factor)));
        // Where the bodies have drifted apart, the axis lies half-way between theirs.
        let [start, end] = points.map(|[first, second]| 0.5 * (first + second));
        let Some(axis) = (end - start).try_normalize() else { return };
        let towards = self.frame.first(bodies)[1].value;
        let arm = (towards - axis * towards.dot(axis)).try_normalize().unwrap_or(orthonormal_pair(axis).0);
        let across = axis.cross(arm);
        for arm in [arm, -arm, across, -across] {
            let arm = arm * self.motor.arm;
            let velocity = self.motor.speed * axis.cross(arm);
            list.push(Discrepancy::driven(0.5 * (start + end) + arm, velocity, self.motor.drive_factor));
        }
    }

    fn angle(&self, bodies: &[BodyView; 2]) -> Option<f64> {
        Some(self.frame.angle(bodies).value)
    }
}
