//! Waking: a change wakes what it touches, and nothing else. The method wakes the rest of their islands.

use super::World;
use crate::journal::{BodyChange, Change};
use crate::model::JointEnd;
use crate::{BodyId, Id};

impl World {
    /// Wakes every sleeping body.
    pub fn wake_all(&mut self) {
        for slot in 0..self.state.bodies.len() {
            self.wake_slot(slot);
        }
    }

    /// Wakes one body.
    pub(super) fn wake(&mut self, id: BodyId) {
        self.wake_slot(id.slot());
    }

    fn wake_slot(&mut self, slot: usize) {
        let Some(body) = self.state.bodies.get_mut(slot) else { return };
        body.quiet_time = 0.0;
        if std::mem::take(&mut body.asleep)
            && let Some(id) = self.model.bodies.id_in_slot(slot)
        {
            self.note(Change::Body(id, BodyChange::Woken));
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
        let mut neighbours: Vec<BodyId> = Vec::new();
        self.method.visit_contacts_of(id, &mut |contact| neighbours.extend(contact.bodies));
        let joints = self.model.bodies.get(id).into_iter().flat_map(|body| &body.joints);
        for joint in joints.filter_map(|&joint| self.model.joints.get(joint)) {
            neighbours.extend(joint.ends.into_iter().filter_map(|end| match end {
                JointEnd::Body(other) => Some(other),
                JointEnd::World => None,
            }));
        }
        neighbours.into_iter().for_each(|id| self.wake(id));
    }
}
