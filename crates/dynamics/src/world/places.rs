//! Where the colliders are: a tree of their boxes, for questions to a world.
//!
//! The tree belongs to nobody but the questions and is brought up to date by the first of them after a change: a step
//! moves all boxes, a change of one body only its own. A question then costs O(log n), however the colliders are spread.
//!
//! The boxes are larger than the colliders by more than the rounding errors of the tree and of the questions to shapes,
//! so that a tree finds exactly what a look at every collider would.

use crate::{Model, State};
use glam::DVec3;
use std::sync::{Mutex, OnceLock, PoisonError};
use tumble_geometry::Aabb;
use tumble_geometry::broad_phase::{BroadPhase, DynamicTree, Mobility, Probe, ProxyId};

/// The tree and what it still has to learn.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The tree, while it is up to date.
    current: OnceLock<Tree>,
    /// The tree otherwise.
    outdated: Mutex<Tree>,
}

/// The box of the collider in slot `i` is the proxy `i`; empty slots have empty boxes.
#[derive(Debug, Default)]
pub(super) struct Tree {
    boxes: DynamicTree,
    changes: Changes,
}

/// Which boxes are not where their colliders are.
#[derive(Debug, Default)]
enum Changes {
    #[default]
    All,
    /// By slot of the collider.
    Some(Vec<usize>),
}

impl Places {
    /// Every collider may have moved.
    pub(super) fn all_changed(&mut self) {
        self.outdated().changes = Changes::All;
    }

    /// A collider was moved, changed, added or removed.
    pub(super) fn changed(&mut self, slot: usize) {
        let tree = self.outdated();
        let most = tree.boxes.len();
        match &mut tree.changes {
            Changes::Some(slots) if slots.len() < most => slots.push(slot),
            changes => *changes = Changes::All,
        }
    }

    fn outdated(&mut self) -> &mut Tree {
        let outdated = self.outdated.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(tree) = self.current.take() {
            *outdated = tree;
        }
        outdated
    }

    /// The tree, up to date.
    pub(super) fn tree(&self, model: &Model, state: &State) -> &Tree {
        self.current.get_or_init(|| {
            let mut tree = std::mem::take(&mut *self.outdated.lock().unwrap_or_else(PoisonError::into_inner));
            tree.refresh(model, state);
            tree
        })
    }
}

impl Tree {
    fn refresh(&mut self, model: &Model, state: &State) {
        while self.boxes.len() < model.colliders().slot_count() {
            // Boxes that never form pairs: an update only keeps the tree in shape.
            self.boxes.insert(Aabb::EMPTY, Mobility::Fixed);
        }
        match std::mem::replace(&mut self.changes, Changes::Some(Vec::new())) {
            Changes::All => (0..self.boxes.len()).for_each(|slot| self.relocate(model, state, slot)),
            Changes::Some(slots) => slots.into_iter().for_each(|slot| self.relocate(model, state, slot)),
        }
        self.boxes.update_pairs();
    }

    fn relocate(&mut self, model: &Model, state: &State, slot: usize) {
        let collider = model.colliders().in_slot(slot);
        let aabb = collider.map_or(Aabb::EMPTY, |collider| roomy(&collider.shape.aabb(&collider.pose_in(state))));
        self.boxes.relocate(ProxyId(slot as u32), aabb, DVec3::ZERO);
    }

    /// Calls `visit` with the slots of the colliders within `limit` as `probe` measures it; `visit` answers with the limit
    /// from then on.
    pub(super) fn search(&self, probe: &impl Probe, limit: f64, visit: &mut dyn FnMut(usize) -> f64) {
        self.boxes.search(probe, limit, &mut |id| visit(id.0 as usize));
    }
}

/// A box grown by more than rounding errors: 10⁻⁶ of its size and 10⁻⁹ of its coordinates, as far as they are finite.
pub(super) fn roomy(aabb: &Aabb) -> Aabb {
    let finite = |numbers: DVec3| numbers.to_array().into_iter().map(f64::abs).filter(|n| n.is_finite());
    let greatest = |numbers: &[DVec3]| numbers.iter().flat_map(|&n| finite(n)).fold(0.0, f64::max);
    aabb.expanded(1e-6 * greatest(&[aabb.extents()]) + 1e-9 * greatest(&[aabb.min, aabb.max]))
}
