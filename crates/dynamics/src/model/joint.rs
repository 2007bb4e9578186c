//! Joints: constraints between two bodies, or a body and the world.

use crate::constraint::{Attach, Constraint};
use crate::{BodyId, ModelError};
use std::sync::Arc;

/// One end of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, PartialEq)]
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
    pub(crate) collide: bool,
    pub(crate) breaking: Breaking,
}

impl Joint {
    /// A joint between two bodies, or a body and the world, as they are when it is added.
    pub fn new(first: impl Into<JointEnd>, second: impl Into<JointEnd>, attach: impl Attach + 'static) -> Self {
        Self {
            name: String::new(),
            ends: [first.into(), second.into()],
            attach: Arc::new(attach),
            collide: false,
            breaking: Breaking::default(),
        }
    }

    /// A name to find it by. Default: none.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
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
    pub(crate) is_lock: bool,
}
