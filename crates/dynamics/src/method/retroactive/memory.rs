//! What the method remembers from step to step, as plain data: contacts and joints with their impulses, and how the quiet
//! bodies moved when they became quiet.
//!
//! All of it is here, so that a step that fails can be undone and a run can be resumed. The broad phase is not part of it:
//! which of its pairs are looked at depends on where the colliders are and not on where they were, and pairs that
//! have no contact points leave no trace; so an index that is filled anew gives the same simulation to the last bit.

use super::assemble::JointMemory;
use super::contact::PointState;
use super::detect::{Contacts, ContactsToSave};
use super::on_springs::Anchored;
use crate::contact::ContactImpulse;
use crate::parts::activity::Activity;
use crate::{Model, ModelError, State};
use serde::{Deserialize, Serialize};

/// Everything remembered from step to step, but for what the integrator remembers.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Memory {
    pub(super) contacts: Contacts,
    /// By slot of the joint.
    pub(super) joints: Vec<JointMemory>,
    pub(super) activity: Activity,
    /// The length of the last step, in seconds; zero before the first.
    pub(super) dt: f64,
    /// The springs of contacts, if they are springs, in the order of the contacts.
    pub(super) springs: Vec<Anchored>,
}

/// What of it goes into a file, without a copy.
#[derive(Serialize)]
pub(super) struct MemoryToSave<'a> {
    contacts: ContactsToSave<'a>,
    joints: &'a [JointMemory],
    activity: &'a Activity,
    dt: f64,
    springs: &'a [Anchored],
}

/// A copy that uses the memory of what it replaces.
impl Clone for Memory {
    fn clone(&self) -> Self {
        let Self { contacts, joints, activity, dt, springs } = self;
        let (contacts, joints, activity) = (contacts.clone(), joints.clone(), activity.clone());
        Self { contacts, joints, activity, dt: *dt, springs: springs.clone() }
    }

    fn clone_from(&mut self, other: &Self) {
        self.contacts.clone_from(&other.contacts);
        self.joints.clone_from(&other.joints);
        self.activity.clone_from(&other.activity);
        self.dt = other.dt;
        self.springs.clone_from(&other.springs);
    }
}

impl Memory {
    pub(super) fn clear(&mut self) {
        self.contacts.clear();
        self.joints.clear();
        self.activity.reset();
        self.dt = 0.0;
        self.springs.clear();
    }

    /// The part of it that leaves a trace.
    pub(super) fn to_save(&self, model: &Model) -> MemoryToSave<'_> {
        let Self { contacts, joints, activity, dt, springs } = self;
        MemoryToSave { contacts: contacts.to_save(model), joints, activity, dt: *dt, springs }
    }

    /// Whether what was saved can be what was remembered of this model and state.
    pub(super) fn check(&self, model: &Model, state: &State) -> Result<(), ModelError> {
        self.validate(model, state).map_err(ModelError::Invalid)
    }

    /// Says what is not sound: numbers that are not finite, contacts out of order, more joints than there are.
    pub(super) fn validate(&self, model: &Model, state: &State) -> Result<(), String> {
        let finite = |point: &PointState| {
            let geometry = point.geometry.position.is_finite() && point.geometry.normal.is_finite();
            geometry && point.geometry.gap.is_finite() && is_finite(&point.start) && is_finite(&point.end)
        };
        for contact in &self.contacts.list {
            if !contact.points.iter().all(finite) {
                return Err(format!("the contact of {:?} has a point that is not finite", contact.colliders));
            }
        }
        if !self.contacts.list.is_sorted_by(|a, b| a.colliders < b.colliders) {
            return Err("the contacts are not in the order of their colliders".into());
        }
        if !self.springs.iter().all(Anchored::is_finite) {
            return Err("a contact has springs that are not finite".into());
        }
        let (joints, slots) = (self.joints.len(), model.joints().slot_count());
        if joints > slots {
            return Err(format!("the memory knows {joints} joints, but the model has {slots}"));
        }
        self.activity.validate(state.bodies.len())
    }
}

fn is_finite(impulse: &ContactImpulse) -> bool {
    let ContactImpulse { normal, friction, rolling, spinning } = impulse;
    normal.is_finite() && friction.is_finite() && rolling.is_finite() && spinning.is_finite()
}
