//! Joints: constraints between two bodies, or a body and the world.

use crate::constraint::{Attach, BodyView, Constraint};
use crate::curve::{Aim, Curve, Program};
use crate::{BodyId, ModelError};
use std::sync::Arc;
use tumble_geometry::Transform;

/// One end of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum JointEnd {
    /// A body.
    Body(BodyId),
    /// The world itself, which never moves.
    World,
}

impl From<BodyId> for JointEnd {
    fn from(body: BodyId) -> Self {
        Self::Body(body)
    }
}

/// What breaks a joint. Default: nothing.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Breaking {
    /// It breaks when the reaction force exceeds this, in newtons.
    pub force: f64,
    /// It breaks when the reaction torque exceeds this, in newton metres.
    pub torque: f64,
    /// It breaks when the joint error exceeds this, in metres or radians.
    pub error: f64,
}

impl Default for Breaking {
    fn default() -> Self {
        Self { force: f64::INFINITY, torque: f64::INFINITY, error: f64::INFINITY }
    }
}

impl Breaking {
    /// Checks every number.
    pub(crate) fn validate(&self) -> Result<(), ModelError> {
        for (what, value) in
            [("breaking force", self.force), ("breaking torque", self.torque), ("breaking error", self.error)]
        {
            if value.is_nan() || value < 0.0 {
                let allowed = "at least 0; infinite for a joint that never breaks";
                return Err(ModelError::OutOfRange { what, value: value.to_string(), allowed });
            }
        }
        Ok(())
    }

    /// Whether nothing breaks the joint.
    pub fn is_never(&self) -> bool {
        *self == Self::default()
    }
}

/// A joint as the user describes it: what it connects and how. Defaults: unnamed, unbreakable, and the two bodies do
/// not collide with each other.
#[derive(Clone, Debug)]
pub struct Joint {
    pub(crate) name: String,
    pub(crate) ends: [JointEnd; 2],
    pub(crate) attach: Arc<dyn Attach>,
    pub(crate) frame: Option<Transform>,
    pub(crate) collide: bool,
    pub(crate) breaking: Breaking,
    pub(crate) programs: Vec<Program>,
}

impl Joint {
    /// A joint between two bodies, or a body and the world, as they are when it is added.
    pub fn new(first: impl Into<JointEnd>, second: impl Into<JointEnd>, attach: impl Attach + 'static) -> Self {
        Self {
            name: String::new(),
            ends: [first.into(), second.into()],
            attach: Arc::new(attach),
            frame: None,
            collide: false,
            breaking: Breaking::default(),
            programs: Vec::new(),
        }
    }

    /// A name to find it by. Default: none.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Its description is in the coordinates of this frame instead of the world's: see [`Attach::attach_in`].
    pub fn described_in(mut self, frame: Transform) -> Self {
        self.frame = Some(frame);
        self
    }

    /// Lets the two bodies collide with each other.
    pub fn colliding(mut self) -> Self {
        self.collide = true;
        self
    }

    /// What breaks it. Default: nothing.
    pub fn breaking(mut self, breaking: Breaking) -> Self {
        self.breaking = breaking;
        self
    }

    /// Lets the motor or the drive of one of its coordinates ("turn", "slide", "spin") follow a curve; call it again for more.
    /// Default: they stay what they are.
    pub fn following(mut self, coordinate: impl Into<String>, aim: Aim, curve: impl Curve + 'static) -> Self {
        self.programs.push(Program { coordinate: coordinate.into(), aim, curve: Arc::new(curve) });
        self
    }
}

/// How a joint was made: with the same description, attached to bodies in the same places, another one is the same to the last bit.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub(crate) attach: Arc<dyn Attach>,
    pub(crate) frame: Option<Transform>,
    pub(crate) bodies: [BodyView; 2],
}

impl Made {
    /// Attaches it.
    pub(crate) fn constraint(&self) -> Result<Arc<dyn Constraint>, ModelError> {
        match &self.frame {
            Some(frame) => self.attach.attach_in(frame, &self.bodies),
            None => self.attach.attach(&self.bodies),
        }
    }
}

/// What the model keeps of a joint.
#[derive(Clone, Debug)]
pub struct JointModel {
    /// The name the user gave it; may be empty.
    pub name: String,
    /// What it connects.
    pub ends: [JointEnd; 2],
    /// What it demands.
    pub constraint: Arc<dyn Constraint>,
    /// Whether the two bodies may collide with each other.
    pub collide: bool,
    /// What breaks it.
    pub breaking: Breaking,
    /// Whether it measures an angle, so that its turns are counted.
    pub turns: bool,
    /// Whether it holds the locks of a body.
    pub is_lock: bool,
    /// What of it follows curves.
    pub programs: Vec<Program>,
    pub(crate) made: Made,
}
