//! One description of a constraint for all solvers.
//!
//! A constraint looks at two bodies and writes rows. A row is one scalar condition `c(x) = 0` (or `c ≥ 0`) with
//!
//! - `J`, the Jacobian: `ċ = J ẋ`, with ẋ the linear and angular velocities of both bodies,
//! - `c`, the error: metres or radians,
//! - `J̇ẋ`, the part of `c̈` that does not come from accelerations: `c̈ = J ẍ + J̇ẋ`,
//! - bounds on the multiplier λ (a force or torque along J) and its softness.
//!
//! Velocity-level solvers use J, c and softness; the accurate method also J̇ẋ; position-level solvers J and c. Each
//! formula is written once and tested against numerical differentiation.

mod allowed;
mod axis_lock;
mod ball;
mod constant_velocity;
pub mod contact;
mod cylindrical;
pub mod discrepancy;
mod distance;
pub mod feature;
mod form;
mod frame;
mod freedom;
mod gear;
mod hinge;
mod joystick;
pub mod limit;
mod lines;
mod measure;
mod nail;
mod on_plane;
mod orientation_lock;
mod planar;
mod pulley;
mod rack_and_pinion;
mod screw;
mod six_axes;
mod slider;
mod softness;
pub mod study;
mod swings;
mod universal;
mod weld;
mod wheel;

pub use allowed::{RotationSample, allowed_rotations};
pub(crate) use axis_lock::AxisLock;
pub use ball::Ball;
pub use constant_velocity::ConstantVelocity;
pub use cylindrical::Cylindrical;
pub use distance::Distance;
pub use form::JointForm;
pub use frame::JointFrame;
pub use freedom::{Coordinate, Drive, Freedom, Motor};
pub use gear::Gear;
pub use hinge::{Hinge, HingeForm};
pub use joystick::Joystick;
pub use lines::Lines;
pub use measure::{Arrow, End, Measure, relative_rotation};
pub use nail::Nail;
pub use on_plane::OnPlane;
pub use orientation_lock::OrientationLock;
pub use planar::Planar;
pub use pulley::Pulley;
pub use rack_and_pinion::RackAndPinion;
pub use screw::Screw;
pub use six_axes::SixAxes;
pub use slider::Slider;
pub use softness::Softness;
pub use swings::{SwingSample, Swings, Turn, allowed_swings, allowed_turn};
pub use universal::Universal;
pub use weld::{Weld, WeldForm};
pub use wheel::Wheel;

use crate::error::ModelError;
use crate::model::{BodyModel, JointEnd};
#[cfg(feature = "registry")]
use crate::registry::Table;
use crate::{BodyState, Id, JointId, Model};
use glam::DVec3;
use std::f64::consts::TAU;
use std::fmt::Debug;
use std::sync::Arc;
use tumble_geometry::{Fuse, Transform};

/// A body as a constraint sees it.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct BodyView {
    /// The pose of the body frame; attachment points are given in this frame.
    pub pose: Transform,
    /// The centre of mass in world coordinates; lever arms start here.
    pub center: DVec3,
    /// The velocity of the centre of mass in m/s.
    pub velocity: DVec3,
    /// The angular velocity in rad/s, in world coordinates.
    pub angular_velocity: DVec3,
}

impl BodyView {
    /// One end of a joint, in given motions of all bodies.
    #[inline]
    pub fn of(model: &Model, states: &[BodyState], end: JointEnd) -> Self {
        match end {
            JointEnd::Body(id) => {
                model.bodies().get(id).map_or(Self::WORLD, |body| Self::new(body, &states[id.slot()]))
            }
            JointEnd::World => Self::WORLD,
        }
    }

    /// A body of the model in a given motion.
    #[inline]
    pub fn new(model: &BodyModel, state: &BodyState) -> Self {
        Self {
            pose: model.frame(state),
            center: state.position,
            velocity: state.velocity,
            angular_velocity: state.angular_velocity,
        }
    }

    /// The same body in the coordinates of a frame.
    pub fn seen_from(&self, frame: &Transform) -> Self {
        Self {
            pose: frame.to_local(&self.pose),
            center: frame.inverse_point(self.center),
            velocity: frame.inverse_vector(self.velocity),
            angular_velocity: frame.inverse_vector(self.angular_velocity),
        }
    }

    /// The velocity of the point of the body at `point` (world coordinates): `v + ω × r`.
    #[inline]
    pub fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.angular_velocity.cross(point - self.center)
    }

    /// The acceleration `ω × (ω × r)` of a point at `lever` from the centre of mass that comes from turning.
    pub fn centripetal(&self, lever: DVec3) -> DVec3 {
        self.angular_velocity.cross(self.angular_velocity.cross(lever))
    }

    /// The world itself: at rest at the origin.
    pub const WORLD: Self =
        Self { pose: Transform::IDENTITY, center: DVec3::ZERO, velocity: DVec3::ZERO, angular_velocity: DVec3::ZERO };
}

/// The two bodies of a joint, and how far it has turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointView {
    /// The bodies.
    pub bodies: [BodyView; 2],
    /// The joint's angle at the end of the last step, in radians, counting whole turns: [`continued`] tells on which turn
    /// the present angle lies. Zero if the joint measures none.
    pub angle: f64,
}

impl JointView {
    /// A joint of the model, in given motions of all bodies; `angles` are those of the state.
    #[inline]
    pub fn of(model: &Model, states: &[BodyState], angles: &[f64], id: JointId) -> Option<Self> {
        let ends = model.joints().get(id)?.ends;
        let angle = angles.get(id.slot()).copied().unwrap_or(0.0);
        Some(Self { bodies: ends.map(|end| BodyView::of(model, states, end)), angle })
    }
}

impl std::ops::Deref for JointView {
    type Target = [BodyView; 2];

    fn deref(&self) -> &[BodyView; 2] {
        &self.bodies
    }
}

/// The angle that differs from `angle` by whole turns and is nearest to `known`, in radians.
pub fn continued(angle: f64, known: f64) -> f64 {
    angle + TAU * ((known - angle) / TAU).round()
}

/// How a row's value changes with the velocities of the two bodies: `ċ = Σ linear·v + angular·ω`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Jacobian {
    /// The factors of the two linear velocities.
    pub linear: [DVec3; 2],
    /// The factors of the two angular velocities.
    pub angular: [DVec3; 2],
}

impl Jacobian {
    /// `J ẋ` for the velocities `[v₁, v₂]`, `[ω₁, ω₂]`.
    #[inline]
    pub fn dot(&self, linear: [DVec3; 2], angular: [DVec3; 2]) -> f64 {
        self.linear[0].dot(linear[0])
            + self.angular[0].dot(angular[0])
            + self.linear[1].dot(linear[1])
            + self.angular[1].dot(angular[1])
    }
}

impl std::ops::Neg for Jacobian {
    type Output = Self;

    fn neg(self) -> Self {
        Self { linear: self.linear.map(|v| -v), angular: self.angular.map(|v| -v) }
    }
}

/// Which multipliers a row allows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Limit {
    /// `c = 0`: λ of any sign (default).
    #[default]
    Equality,
    /// `c ≥ 0`: λ ≥ 0, and zero while c > 0.
    AtLeastZero,
    /// λ between two bounds, in newtons or newton metres: motors and friction in joints.
    Force {
        /// The smallest λ.
        min: f64,
        /// The largest λ.
        max: f64,
    },
    /// The first of `rows` rows whose λ form a vector no longer than `coefficient` times the λ of the row `normal`
    /// (counted from the first row of this constraint): a circular friction cone. The other rows of the vector follow
    /// and carry [`Limit::ConeMember`].
    Cone {
        /// The row of the normal force within this constraint.
        normal: usize,
        /// How many rows form the vector: 1 to 3.
        rows: usize,
        /// The coefficient of friction while the rows hold (their velocity is zero).
        stick: f64,
        /// The coefficient while they slip.
        slip: f64,
    },
    /// A further row of the vector that a [`Limit::Cone`] began.
    ConeMember,
}

/// One scalar condition.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Row {
    /// How the value changes with the velocities.
    pub jacobian: Jacobian,
    /// The value `c` in metres or radians; zero where the condition holds.
    pub error: f64,
    /// `J̇ẋ` in m/s² or rad/s².
    pub jdot_v: f64,
    /// The wanted rate of change of `c` in m/s or rad/s: motors, restitution. Zero for ordinary constraints.
    pub target_rate: f64,
    /// For a limit `c ≥ 0`: the part of the speed at which it is reached that comes back, from 0 to 1. Default 0.
    pub restitution: f64,
    /// The bounds of λ.
    pub limit: Limit,
    /// How hard it is enforced.
    pub softness: Softness,
}

impl Row {
    /// With another softness.
    pub fn with_softness(self, softness: Softness) -> Self {
        Self { softness, ..self }
    }

    /// By how much the condition is violated, in metres or radians.
    pub fn violation(&self) -> f64 {
        match self.limit {
            Limit::Equality => self.error.abs(),
            Limit::AtLeastZero => (-self.error).max(0.0),
            Limit::Force { .. } | Limit::Cone { .. } | Limit::ConeMember => 0.0,
        }
    }
}

/// Where a suspension bears a body, in the frame of that body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bearing {
    /// The place in metres.
    pub point: DVec3,
    /// The direction, a unit vector.
    pub axis: DVec3,
}

/// Something that restricts how two bodies move.
pub trait Constraint: Debug + Send + Sync {
    /// Appends its rows for the two bodies. The number and meaning of the rows do not change from call to call; λ is
    /// carried from step to step by position in the list.
    fn rows(&self, joint: &JointView, rows: &mut Vec<Row>);

    /// Where it holds the two bodies, in world coordinates: for drawing and for the reaction torque.
    fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2];

    /// The coordinates it leaves free and that limits, motors, drives and friction may act on. Default: none.
    fn coordinates(&self, _joint: &JointView) -> Vec<Coordinate> {
        Vec::new()
    }

    /// The same constraint with something else acting on one of its [coordinates](Self::coordinates); none if it has none of
    /// this name. Default: none.
    fn with_freedom(&self, _coordinate: &str, _freedom: Freedom) -> Option<Arc<dyn Constraint>> {
        None
    }

    /// The angle of a joint that turns, in radians within a turn; the world counts the turns. Default: none.
    fn angle(&self, _bodies: &[BodyView; 2]) -> Option<f64> {
        None
    }

    /// The axis of the second body whose direction the joint limits, a unit vector in world coordinates. Default: none.
    fn axis(&self, _bodies: &[BodyView; 2]) -> Option<DVec3> {
        None
    }

    /// Which of the well-known joints it is, with the numbers its rows are made of: for solvers that have a kernel of their own
    /// for some. Default: none of them.
    fn form(&self) -> JointForm {
        JointForm::Generic
    }

    /// Where it bears the first body, if it is a suspension. Default: nowhere.
    fn bears(&self) -> Option<Bearing> {
        None
    }

    /// The same constraint when it bears so many kilograms of the first body: the world says so whenever that changes. None if
    /// it makes no difference (default).
    fn bearing(&self, _mass: f64) -> Option<Arc<dyn Constraint>> {
        None
    }

    /// The [fuse](Fuse) it blows when it fails, if it can fail: the world takes back the step in which that happens. Default: none.
    fn fuse(&self) -> Option<&Fuse> {
        None
    }

    /// The corners of the line along which something is stretched between the bodies, a rod or a rope, in world coordinates:
    /// for drawing. Default: no line.
    fn line(&self, _bodies: &[BodyView; 2]) -> Vec<DVec3> {
        Vec::new()
    }
}

/// A joint described in world terms, before it is attached: "a hinge here, along this axis".
///
/// Attaching measures the relative pose of the bodies as they are and keeps it as the joint's rest pose.
pub trait Attach: std::any::Any + Debug + Send + Sync {
    /// The constraint between two bodies as they are now; an error if the description makes no sense for them.
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError>;

    /// The same with a description in the coordinates of `frame` instead of the world's: how an assembly is put together
    /// in coordinates of its own and then placed. The bodies are shown to the joint as seen from there, which is all it
    /// takes if the constraint remembers only places in the frames of its two bodies; one that remembers places of the
    /// world must say how to move them.
    fn attach_in(&self, frame: &Transform, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        self.attach(&bodies.map(|body| body.seen_from(frame)))
    }
}

impl<A: Attach + ?Sized> Attach for Arc<A> {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        (**self).attach(bodies)
    }

    fn attach_in(&self, frame: &Transform, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        (**self).attach_in(frame, bodies)
    }
}

/// Accepts finite points; the error names the first that is not.
pub(crate) fn check_points(what: &'static str, points: &[DVec3]) -> Result<(), ModelError> {
    match points.iter().find(|point| !point.is_finite()) {
        Some(point) => Err(ModelError::OutOfRange { what, value: point.to_string(), allowed: "finite" }),
        None => Ok(()),
    }
}

/// The unit vector along a direction.
pub(crate) fn check_direction(what: &'static str, direction: DVec3) -> Result<DVec3, ModelError> {
    let value = || direction.to_string();
    let unit = direction.try_normalize();
    unit.ok_or_else(|| ModelError::OutOfRange { what, value: value(), allowed: "finite and not zero" })
}

/// Registers the built-in joints.
#[cfg(feature = "registry")]
pub(crate) fn register(table: &mut Table<Arc<dyn Attach>>) {
    table.register("angular_limit", |joint: limit::AngularLimit| Ok(Arc::new(joint) as _));
    table.register("axis_limits", |joint: limit::AxisLimits| Ok(Arc::new(joint) as _));
    table.register("ball", |joint: Ball| Ok(Arc::new(joint) as _));
    table.register("cone_limit", |joint: limit::ConeLimit| Ok(Arc::new(joint) as _));
    table.register("constant_velocity", |joint: ConstantVelocity| Ok(Arc::new(joint) as _));
    table.register("cylindrical", |joint: Cylindrical| Ok(Arc::new(joint) as _));
    table.register("discrepancy", |joint: discrepancy::Pairs| Ok(Arc::new(joint) as _));
    table.register("discrepancy_motor", |joint: discrepancy::AngularMotor| Ok(Arc::new(joint) as _));
    table.register("distance", |joint: Distance| Ok(Arc::new(joint) as _));
    table.register("elliptic_cone_limit", |joint: limit::EllipticConeLimit| Ok(Arc::new(joint) as _));
    table.register("gear", |joint: Gear| Ok(Arc::new(joint) as _));
    table.register("hinge", |joint: Hinge| Ok(Arc::new(joint) as _));
    table.register("joystick", |joint: Joystick| Ok(Arc::new(joint) as _));
    table.register("lines", |joint: Lines| Ok(Arc::new(joint) as _));
    table.register("nail", |joint: Nail| Ok(Arc::new(joint) as _));
    table.register("on_plane", |joint: OnPlane| Ok(Arc::new(joint) as _));
    table.register("orientation_lock", |joint: OrientationLock| Ok(Arc::new(joint) as _));
    table.register("planar", |joint: Planar| Ok(Arc::new(joint) as _));
    table.register("pulley", |joint: Pulley| Ok(Arc::new(joint) as _));
    table.register("rack_and_pinion", |joint: RackAndPinion| Ok(Arc::new(joint) as _));
    table.register("reach_cone", |joint: limit::ReachCone| Ok(Arc::new(joint) as _));
    table.register("screw", |joint: Screw| Ok(Arc::new(joint) as _));
    table.register("six_axes", |joint: SixAxes| Ok(Arc::new(joint) as _));
    table.register("slider", |joint: Slider| Ok(Arc::new(joint) as _));
    table.register("study_cross_hinge", |joint: study::CrossHinge| Ok(Arc::new(joint) as _));
    table.register("study_cross_matrix_hinge", |joint: study::CrossMatrixHinge| Ok(Arc::new(joint) as _));
    table.register("study_quaternion_lock", |joint: study::QuaternionLock| Ok(Arc::new(joint) as _));
    table.register("swing_twist", |joint: limit::SwingTwist| Ok(Arc::new(joint) as _));
    table.register("twist_limit", |joint: limit::TwistLimit| Ok(Arc::new(joint) as _));
    table.register("universal", |joint: Universal| Ok(Arc::new(joint) as _));
    table.register("wedge_limit", |joint: limit::WedgeLimit| Ok(Arc::new(joint) as _));
    table.register("weld", |joint: Weld| Ok(Arc::new(joint) as _));
    table.register("wheel", |joint: Wheel| Ok(Arc::new(joint) as _));
}
