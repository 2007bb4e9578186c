//! Curves: numbers as functions of time, for motors and drives to follow.
//!
//! A motor that speeds up, a servo that nods: the speed of a [`Motor`](crate::constraint::Motor) or the target of a
//! [`Drive`](crate::constraint::Drive) is given by key frames ([`KeyFrames`]), a formula ([`Expression`]) or a function of your own
//! ([`FnCurve`]), and the world sets it before every step. A step of length h from t takes the speed at t + h/2, so that the angle
//! that the motor turns through is right to second order, and the target at t + h, where the step ends.
//!
//! ```
//! use tumble_dynamics::constraint::{Freedom, Hinge};
//! use tumble_dynamics::curve::{Aim, Expression};
//! use tumble_dynamics::model::{Joint, JointEnd};
//! use tumble_dynamics::{Body, World, geometry::Shape};
//!
//! let mut world = World::new();
//! let arm = world.add_body(Body::dynamic().with_shape(Shape::cuboid([0.5, 0.1, 0.1])?))?;
//! let hinge = Hinge::at([0.0, 0.0, 0.0], [0.0, 1.0, 0.0]).with_turn(Freedom::FREE.with_motor(0.0, 100.0));
//! let speed = Expression::new("2 * sin(pi * t)")?;
//! world.add_joint(Joint::new(JointEnd::World, arm, hinge).following("turn", Aim::Speed, speed))?;
//! for _ in 0..60 {
//!     world.step(1.0 / 60.0)?;
//! }
//! // ∫ 2 sin(π t) dt from 0 to 1 is 4/π.
//! let angle = world.joints().next().expect("there is one").1.coordinates()[0].position();
//! assert!((angle - 4.0 / std::f64::consts::PI).abs() < 1e-3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod expression;
mod key_frames;

pub use expression::Expression;
pub use key_frames::{KeyFrames, KeyValue};

#[cfg(feature = "registry")]
use crate::registry::Table;
use std::fmt::Debug;
use std::sync::Arc;

/// A number as a function of time.
pub trait Curve: std::any::Any + Debug + Send + Sync {
    /// The value at `time` seconds. It must depend on nothing else.
    fn value(&self, time: f64) -> f64;
}

impl<C: Curve + ?Sized> Curve for Arc<C> {
    fn value(&self, time: f64) -> f64 {
        (**self).value(time)
    }
}

/// What a curve says of a coordinate of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aim {
    /// The speed of its motor, in m/s or rad/s. If it has none it gets one as strong as it takes.
    Speed,
    /// The target of its drive, in metres or radians. If it has none it gets one of 2 Hz, critically damped.
    Target,
}

/// A coordinate of a joint that follows a curve.
#[derive(Clone, Debug)]
pub struct Program {
    /// The coordinate, as in [`JointRef::coordinates`](crate::JointRef::coordinates).
    pub coordinate: String,
    /// What of it.
    pub aim: Aim,
    /// The values.
    pub curve: Arc<dyn Curve>,
}

/// A function of your own as a curve.
pub struct FnCurve<F> {
    name: &'static str,
    function: F,
}

impl<F: Fn(f64) -> f64 + Send + Sync> FnCurve<F> {
    /// A function of the time in seconds; the name is for messages.
    pub fn new(name: &'static str, function: F) -> Self {
        Self { name, function }
    }
}

impl<F> Debug for FnCurve<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FnCurve({})", self.name)
    }
}

impl<F: Fn(f64) -> f64 + Send + Sync + 'static> Curve for FnCurve<F> {
    fn value(&self, time: f64) -> f64 {
        (self.function)(time)
    }
}

/// Registers the built-in curves.
#[cfg(feature = "registry")]
pub(crate) fn register(table: &mut Table<Arc<dyn Curve>>) {
    table.register("expression", |formula: Expression| Ok(Arc::new(formula) as _));
    table.register("key_frames", |frames: KeyFrames| Ok(Arc::new(frames.validated()?) as _));
}
