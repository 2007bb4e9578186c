//! Parts that may fail: a step in which one of them [blows its fuse](tumble_geometry::Fuse) is taken back.
//!
//! Forces, joints and convex shapes that are programs loaded at run time may trap, run for ever or answer nonsense in the middle of a
//! step, where nothing can return an error. The world knows their fuses from when they were added. Worlds without such parts pay
//! nothing; others take a snapshot before every step.

use super::World;
use crate::StepError;
use crate::journal::{Change, ColliderChange, ForceChange, JointChange};
use std::sync::Arc;
use tumble_geometry::{Fuse, Shape};

impl World {
    /// Takes a step by `step`; if a fuse has blown when it is done, nothing has happened and the error is why.
    pub(super) fn guarded(&mut self, step: impl FnOnce(&mut Self) -> Result<(), StepError>) -> Result<(), StepError> {
        let fuses = self.model.fuses.clone();
        if fuses.is_empty() {
            return step(self);
        }
        // Somebody may have asked about the world since the last step, and looked at no fuse.
        fuses.iter().for_each(|fuse| drop(fuse.mend()));
        let before = self.snapshot();
        let events = self.events.clone();
        let result = step(self);
        match fuses.iter().filter_map(Fuse::mend).min() {
            None => result,
            Some(problem) => {
                self.restore(&before);
                self.events = events;
                Err(StepError::Part(problem))
            }
        }
    }

    /// Takes note of the fuse of what was added or changed, if it has one.
    pub(super) fn find_fuse(&mut self, change: Change) {
        let model = &self.model;
        let found = match change {
            Change::Force(id, ForceChange::Added | ForceChange::Replaced) => {
                model.forces.get(id).and_then(|force| force.fuse()).cloned().into_iter().collect()
            }
            Change::Joint(id, JointChange::Added | JointChange::Attached) => {
                model.joints.get(id).and_then(|joint| joint.constraint.fuse()).cloned().into_iter().collect()
            }
            Change::Collider(id, ColliderChange::Added | ColliderChange::Shape) => {
                model.colliders.get(id).map_or_else(Vec::new, |collider| fuses_of(&collider.shape))
            }
            _ => return,
        };
        self.remember_fuses(found);
    }

    /// Takes note of the fuses of everything there is.
    #[cfg(feature = "registry")]
    pub(super) fn find_fuses(&mut self) {
        let model = &self.model;
        let forces = model.forces.iter().filter_map(|(_, force)| force.fuse().cloned());
        let joints = model.joints.iter().filter_map(|(_, joint)| joint.constraint.fuse().cloned());
        let shapes = model.colliders.iter().flat_map(|(_, collider)| fuses_of(&collider.shape));
        let found = forces.chain(joints).chain(shapes).collect();
        self.remember_fuses(found);
    }

    fn remember_fuses(&mut self, found: Vec<Fuse>) {
        for fuse in found {
            if !self.model.fuses.iter().any(|known| known.is(&fuse)) {
                Arc::make_mut(&mut self.model.fuses).push(fuse);
            }
        }
    }
}

fn fuses_of(shape: &Shape) -> Vec<Fuse> {
    match shape {
        Shape::Custom(custom) => custom.map().fuse().cloned().into_iter().collect(),
        Shape::Compound(compound) => compound.members().iter().flat_map(|(_, part)| fuses_of(part)).collect(),
        _ => Vec::new(),
    }
}
