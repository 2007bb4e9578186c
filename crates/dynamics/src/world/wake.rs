//! Waking: a change wakes what it touches, and nothing else. The method wakes the rest of their islands.

use super::World;
use crate::model::JointEnd;
use crate::{BodyId, Id};

impl World {
    /// Wakes every sleeping body.
    pub fn wake_all(&mut self) {
        for body in &mut self.state.bodies {
            body.asleep = false;
            body.quiet_time = 0.0;
        }
    }

    /// Wakes one body.
    pub(super) fn wake(&mut self, id: BodyId) {
        if let Some(body) = self.state.bodies.get_mut(id.slot()) {
            body.asleep = false;
            body.quiet_time = 0.0;
        }
    }

    pub(super) fn wake_ends(&mut self, ends: [JointEnd; 2]) {
        for end in ends {
            if let JointEnd::Body(id) = end {
                self.wake(id);
            }
        }
    }

    /// Wakes the bodies that touched a body in the last step or are joined to it.
    pub(super) fn wake_touching(&mut self, id: BodyId) {
        if self.method.report().dt == 0.0 {
            // The method remembers no step and cannot say who touches whom.
            return self.wake_all();
        }
        let touching = |bodies: &[BodyId; 2]| bodies.contains(&id);
        let contacts = self.method.contacts().iter().filter(|contact| !contact.points.is_empty());
        let in_contact = contacts.map(|contact| contact.bodies).filter(touching).flatten();
        let joined = self.model.joints.iter().map(|(_, joint)| joint.ends).filter(|ends| ends.contains(&id.into()));
        let joined = joined.flatten().filter_map(|end| match end {
            JointEnd::Body(other) => Some(other),
            JointEnd::World => None,
        });
        let neighbours: Vec<BodyId> = in_contact.chain(joined).collect();
        neighbours.into_iter().for_each(|id| self.wake(id));
    }
}
