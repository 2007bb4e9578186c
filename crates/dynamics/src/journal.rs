//! The journal of changes: what the user touched since the last step.
//!
//! A method keeps things of its own about bodies, colliders and joints, and must hear of every change that bears on them,
//! in a time that depends on how much was changed and not on how much there is. So every setter of a world writes down
//! what it did, and a method reads the list when its step begins. The list is emptied when a step has been taken; a step
//! that fails leaves it for the next.

use crate::{BodyId, ColliderId, ForceId, JointId};
use serde::{Deserialize, Serialize};

/// What happened to a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BodyChange {
    /// It is new. Its colliders follow, each with a change of its own.
    Added,
    /// It is gone, with its colliders and joints; they stand before it.
    Removed,
    /// It was moved or turned by hand.
    Moved,
    /// Its velocity was changed by hand.
    Pushed,
    /// A force or torque was applied to it for the next step, or taken back.
    Loaded,
    /// Its mass, centre of mass or inertia is another. The centre of mass may be elsewhere.
    Mass,
    /// It became dynamic, fixed, scripted or a particle.
    Kind,
    /// Its damping is another.
    Damping,
    /// Gravity acts on it with another factor.
    GravityScale,
    /// It may fall asleep now, or must not any more.
    SleepAllowed,
    /// It was put to sleep by hand.
    Slept,
    /// It was woken by a change of itself or of something near.
    Woken,
    /// It is in other collision groups.
    Groups,
    /// Other moves and turns of it are locked.
    Locks,
    /// It has another number of the user's.
    UserData,
    /// It has another name.
    Name,
}

/// What happened to a collider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ColliderChange {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It has another shape.
    Shape,
    /// It is elsewhere on its body.
    Pose,
    /// It is of another material, or has another density.
    Material,
    /// It became a sensor or solid.
    Sensor,
    /// It is in other layers, or meets others.
    Layers,
    /// It has another number of the user's.
    UserData,
}

/// What happened to a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum JointChange {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It demands something else of its bodies.
    Attached,
    /// A motor, drive, brake or limit of one of its coordinates was changed.
    Steered,
    /// Something else breaks it.
    Breaking,
    /// It was broken by hand.
    Broken,
    /// It was mended.
    Mended,
    /// Its bodies may collide with each other now, or must not any more.
    Collision,
    /// It has another name.
    Name,
}

/// What happened to a force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ForceChange {
    /// It is new.
    Added,
    /// Another one has taken its place.
    Replaced,
    /// It is gone.
    Removed,
}

/// One entry of the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change {
    /// Of a body.
    Body(BodyId, BodyChange),
    /// Of a collider.
    Collider(ColliderId, ColliderChange),
    /// Of a joint.
    Joint(JointId, JointChange),
    /// Of a force.
    Force(ForceId, ForceChange),
    /// Other pairs of bodies may collide.
    Filter,
    /// Materials are combined by another rule.
    Mixing,
    /// Contacts are changed by another rule.
    ContactRule,
}

/// What was changed since the last step, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Journal {
    list: Vec<Change>,
    everything: bool,
}

impl Journal {
    /// Says that anything may be different: the state was replaced, or the method has not seen this world before.
    pub(crate) fn everything() -> Self {
        Self { list: Vec::new(), everything: true }
    }

    /// Whether anything may be different; the list is empty then.
    pub fn is_everything(&self) -> bool {
        self.everything
    }

    /// Whether nothing is different.
    pub fn is_empty(&self) -> bool {
        !self.everything && self.list.is_empty()
    }

    /// The changes, in the order in which they were made. Nothing if [everything](Self::is_everything) may be different.
    pub fn iter(&self) -> impl Iterator<Item = Change> + '_ {
        self.list.iter().copied()
    }

    /// Writes a change down. A journal that nobody reads does not grow for ever: beyond `most` entries it says that
    /// everything may be different.
    pub(crate) fn write(&mut self, change: Change, most: usize) {
        if self.everything || self.list.last() == Some(&change) {
            return;
        }
        if self.list.len() < most {
            self.list.push(change);
        } else {
            self.list.clear();
            self.everything = true;
        }
    }

    /// Forgets everything that a step has read.
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        self.everything = false;
    }
}
