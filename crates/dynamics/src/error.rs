//! What can go wrong: a model that makes no sense, a step that cannot be taken.

use crate::{BodyId, ColliderId, ForceId, JointId};
use tumble_geometry::GeometryError;

/// Why a change of the model was refused. The model is as it was before.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A number is outside its allowed range, or not finite.
    #[error("{what} is {value}, but must be {allowed}")]
    OutOfRange {
        /// The quantity, e.g. "body mass".
        what: &'static str,
        /// The value that was given, as text.
        value: String,
        /// What is allowed.
        allowed: &'static str,
    },
    /// There is no body with this id (any more).
    #[error("there is no {0:?}")]
    NoSuchBody(BodyId),
    /// There is no collider with this id (any more).
    #[error("there is no {0:?}")]
    NoSuchCollider(ColliderId),
    /// There is no joint with this id (any more).
    #[error("there is no {0:?}")]
    NoSuchJoint(JointId),
    /// There is no force with this id (any more).
    #[error("there is no {0:?}")]
    NoSuchForce(ForceId),
    /// A shape could not be built or has no mass properties.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// The change contradicts what the thing is; the text says why.
    #[error("{0}")]
    Invalid(String),
    /// No part is registered under this name.
    #[error("there is no {kind} named \"{name}\"; known are {known}")]
    UnknownName {
        /// What was looked for, e.g. "force".
        kind: &'static str,
        /// The name.
        name: String,
        /// All registered names.
        known: String,
    },
    /// The properties given for a registered part do not fit it.
    #[error("{part}: {problem}")]
    BadProperties {
        /// The part, e.g. "force \"vortex\"".
        part: String,
        /// What is wrong.
        problem: String,
    },
}

/// Why a step was not taken. The state is as it was before.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The step length makes no sense.
    #[error("the time step is {0} s, but must be finite and greater than zero")]
    BadTimeStep(f64),
    /// Somebody [interrupted](crate::Cancel) it.
    #[error("the step was interrupted")]
    Cancelled,
    /// More pairs of bodies come near each other within the step than a [limit](crate::World::set_most_pairs) allows.
    #[error(
        "more than {most} pairs of shapes come near each other within the step; look for extreme speeds, or take shorter steps"
    )]
    TooManyPairs {
        /// How many are allowed.
        most: usize,
    },
    /// The step would have given a body a position or velocity that is not finite.
    #[error(
        "the step would give {} a motion that is not finite; look for extreme forces, masses or velocities",
        called(*.body, .name)
    )]
    NotFinite {
        /// The body.
        body: BodyId,
        /// Its name; may be empty.
        name: String,
    },
    /// The motion is too fast, or a joint bears too much, for the joint to hold however short the parts are in which the step is
    /// taken.
    #[error("{} opens by {gap:.3e} (metres or radians); take shorter steps or look for extreme masses or speeds", joint_called(*.joint, .name))]
    JointOpens {
        /// The joint.
        joint: JointId,
        /// Its name; may be empty.
        name: String,
        /// How far it would be open, in metres or radians.
        gap: f64,
    },
    /// Energy came out of nothing, and the world was told to [refuse](crate::EnergyWatch::Refuse) that.
    #[error(
        "{excess:.3e} J came out of nothing by {time} s, mostly in {}; take shorter steps or look for extreme masses, springs or speeds",
        .bodies.join(", ")
    )]
    EnergyRose {
        /// When it was found, in seconds since the start.
        time: f64,
        /// How much, in joules.
        excess: f64,
        /// The bodies that gained most, as messages call them.
        bodies: Vec<String>,
    },
    /// The method has no answer to something the model asks for.
    #[error("the method \"{method}\" cannot {what}; {instead} can")]
    Cannot {
        /// The method.
        method: &'static str,
        /// What it cannot do.
        what: String,
        /// Methods that can.
        instead: &'static str,
    },
    /// A curve that a joint follows has no value.
    #[error("the curve that the {coordinate} of {} follows is {value} at {time} s, but must be finite", joint_called(*.joint, .name))]
    CurveNotFinite {
        /// The joint.
        joint: JointId,
        /// Its name; may be empty.
        name: String,
        /// The coordinate.
        coordinate: String,
        /// When, in seconds since the start.
        time: f64,
        /// What the curve says, as text.
        value: String,
    },
    /// What [acts](crate::Behavior) on the world before the step failed; the text says why and where.
    #[error("{0}")]
    Behavior(String),
    /// A part that was loaded at run time failed, or gave what cannot be used; the text names it and says why.
    #[error("{0}")]
    Part(String),
    /// A force is not finite.
    #[error("{force:?} exerts a force or torque on {} that is not finite; look at its properties", called(*.body, .name))]
    ForceNotFinite {
        /// The force.
        force: ForceId,
        /// A body it acts on.
        body: BodyId,
        /// The name of the body; may be empty.
        name: String,
    },
}

/// A body in a message: by its name, or by its number if it has none.
pub(crate) fn called(body: BodyId, name: &str) -> String {
    if name.is_empty() { format!("{body:?}") } else { format!("the body \"{name}\"") }
}

/// A joint in a message: by its name, or by its number if it has none.
fn joint_called(joint: JointId, name: &str) -> String {
    if name.is_empty() { format!("{joint:?}") } else { format!("the joint \"{name}\"") }
}

/// Accepts a finite number in a range; the error names it otherwise.
pub(crate) fn checked(
    what: &'static str,
    value: f64,
    range: impl std::ops::RangeBounds<f64>,
    allowed: &'static str,
) -> Result<f64, ModelError> {
    if value.is_finite() && range.contains(&value) {
        Ok(value)
    } else {
        Err(ModelError::OutOfRange { what, value: value.to_string(), allowed })
    }
}
