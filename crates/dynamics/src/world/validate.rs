//! Checking a world: that model, state, index and the method's memory agree with each other. For tests, after every step.

use super::World;
use crate::Id;
use crate::model::JointEnd;

impl World {
    /// Checks that all parts of the world agree with each other, in a time proportional to its size; says what does not.
    pub fn validate(&self) -> Result<(), String> {
        self.validate_model()?;
        self.validate_state()?;
        self.index().validate(&self.model, &self.state)?;
        self.method.validate(&self.model, &self.state)
    }

    pub(super) fn validate_model(&self) -> Result<(), String> {
        let model = &self.model;
        for (id, body) in model.bodies.iter() {
            for &collider in &body.colliders {
                if model.colliders.get(collider).is_none_or(|collider| collider.body != id) {
                    return Err(format!("{id:?} has {collider:?}, which is not one of its own"));
                }
            }
            for &joint in &body.joints {
                if model.joints.get(joint).is_none_or(|joint| !joint.ends.contains(&JointEnd::Body(id))) {
                    return Err(format!("{id:?} has {joint:?}, which does not end there"));
                }
            }
        }
        for (id, collider) in model.colliders.iter() {
            if model.bodies.get(collider.body).is_none_or(|body| !body.colliders.contains(&id)) {
                return Err(format!("{id:?} is not known to its {:?}", collider.body));
            }
        }
        for (id, joint) in model.joints.iter() {
            for end in joint.ends {
                if let JointEnd::Body(body) = end
                    && model.bodies.get(body).is_none_or(|body| !body.joints.contains(&id))
                {
                    return Err(format!("{id:?} is not known to its {body:?}"));
                }
            }
        }
        Ok(())
    }

    fn validate_state(&self) -> Result<(), String> {
        let (model, state) = (&self.model, &self.state);
        let rows = [
            (state.bodies.len(), model.bodies.slot_count(), "bodies"),
            (state.broken.len(), model.joints.slot_count(), "broken joints"),
            (state.angles.len(), model.joints.slot_count(), "angles"),
        ];
        if let Some((has, should, what)) = rows.into_iter().find(|(has, should, _)| has != should) {
            return Err(format!("the state has {has} rows of {what} instead of {should}"));
        }
        for id in model.bodies.ids() {
            let body = &state.bodies[id.slot()];
            if !(body.is_finite() && body.center_pose().is_valid() && body.quiet_time >= 0.0) {
                return Err(format!("{id:?} moves in a way that makes no sense: {body:?}"));
            }
        }
        match state.angles.iter().position(|angle| !angle.is_finite()) {
            Some(joint) => Err(format!("joint {joint} has an angle that is not finite")),
            None => Ok(()),
        }
    }
}
