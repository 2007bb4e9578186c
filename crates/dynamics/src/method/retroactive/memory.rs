//! What the method remembers from step to step, as plain data: contacts and joints with their impulses, and for which
//! motions they were found.
//!
//! The broad phase is not part of it. Which of its pairs are looked at depends on where the colliders are and not on where
//! they were, and pairs that have no contact points leave no trace; so a broad phase that is filled anew gives the same
//! simulation to the last bit.

use super::Retroactive;
use super::assemble::JointMemory;
use super::contact::Contact;
use crate::{BodyState, Model, ModelError, State, StepReport};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Deserialize, Serialize)]
struct Memory {
    contacts: Vec<Contact>,
    joints: Vec<JointMemory>,
    /// The motions the contacts were found for.
    bodies: Vec<BodyState>,
    /// The step length the contacts were found for, if the model has not changed since.
    current_for: Option<f64>,
    /// The length of the last step.
    dt: f64,
    integrator: Value,
}

pub(super) fn save(method: &Retroactive, model: &Model) -> Value {
    let leaves_a_trace = |contact: &Contact| !contact.points.is_empty() || contact.touching || contact.touched_before;
    let up_to_date = |contact: &Contact| {
        let [a, b] = contact.colliders.map(|id| model.colliders().get(id));
        let mut contact = contact.clone();
        contact.forget_other_shapes([a?.shape_revision, b?.shape_revision]);
        Some(contact)
    };
    let memory = Memory {
        contacts: method.detector.contacts().iter().filter_map(up_to_date).filter(leaves_a_trace).collect(),
        joints: method.joints.clone(),
        bodies: method.detector.detected_for().to_vec(),
        current_for: method.detector.current_for(model),
        dt: method.report.dt,
        integrator: method.integrator.save(),
    };
    serde_json::to_value(memory).unwrap_or_default()
}

pub(super) fn load(method: &mut Retroactive, model: &Model, state: &State, saved: &Value) -> Result<(), ModelError> {
    let wrong = |error: serde_json::Error| ModelError::BadProperties {
        part: "the memory of the method \"retroactive\"".into(),
        problem: error.to_string(),
    };
    let memory: Memory = Deserialize::deserialize(saved).map_err(wrong)?;
    if memory.bodies.len() > state.bodies.len() {
        let (known, there) = (memory.bodies.len(), state.bodies.len());
        return Err(ModelError::Invalid(format!("the memory knows {known} bodies, but the state has {there}")));
    }
    method.integrator.load(&memory.integrator).map_err(wrong)?;
    method.detector.load(model, memory.contacts, memory.bodies, memory.current_for);
    method.joints = memory.joints;
    method.islands.clear();
    method.report = StepReport { dt: memory.dt, ..StepReport::default() };
    Ok(())
}
