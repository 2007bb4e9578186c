//! Refusing motions that are not finite: what a step calls before it commits to what it has computed.

use crate::{BodyId, BodyState, Id, Model, StepError};

/// An error that names the first of the bodies whose motion is not finite.
pub fn check(model: &Model, ids: &[BodyId], bodies: &[BodyState]) -> Result<(), StepError> {
    match ids.iter().find(|id| !bodies[id.slot()].is_finite()) {
        Some(&body) => {
            let name = model.bodies().get(body).map_or_else(String::new, |model| model.name.clone());
            Err(StepError::NotFinite { body, name })
        }
        None => Ok(()),
    }
}
