//! The spatial index: where the colliders of a world are.
//!
//! There is one, the world owns it and lends it to the method. A method that moves a body tells where its colliders went,
//! with as much room around them as it wants for its search for pairs; questions to the world (rays, moving shapes,
//! overlaps) use the same boxes. What does not move costs nothing.
//!
//! The box of the collider in slot `i` is the proxy `i` of the [broad phase](BroadPhase) behind it; empty slots have empty
//! boxes. Boxes are larger than the colliders by more than the rounding errors of the structure and of the questions to
//! shapes, so that it finds exactly what a look at every collider would.

use crate::model::ColliderModel;
use crate::{BodyId, ColliderId, Id, Model, State, StepError};
use glam::DVec3;
use tumble_geometry::Aabb;
use tumble_geometry::broad_phase::{BroadPhase, DynamicTree, Mobility, PairChanges, ProxyId, ProxyPair};

/// How many pairs of colliders may be near each other, unless a world is told otherwise. Methods take one to six kilobytes for each.
pub const MOST_PAIRS: usize = 1_000_000;

/// Where the colliders of a world are.
#[derive(Clone, Debug)]
pub struct ColliderIndex {
    space: Box<dyn BroadPhase>,
    most_pairs: usize,
    pending: Pending,
}

/// Which boxes are not where their colliders are. Its memory is used again and again.
#[derive(Clone, Debug, PartialEq)]
struct Pending {
    all: bool,
    /// By slot of the collider, perhaps several times; none if it is all.
    slots: Vec<u32>,
}

impl Pending {
    fn all(&mut self) {
        self.all = true;
        self.slots.clear();
    }
}

impl Default for ColliderIndex {
    /// A dynamic tree.
    fn default() -> Self {
        Self::new(Box::new(DynamicTree::default()))
    }
}

impl ColliderIndex {
    /// An index in an empty broad phase.
    pub fn new(space: Box<dyn BroadPhase>) -> Self {
        Self { space, most_pairs: MOST_PAIRS, pending: Pending { all: true, slots: Vec::new() } }
    }

    /// How many pairs of colliders may be near each other: a step in which there would be more is refused before they take memory.
    /// Default [`MOST_PAIRS`].
    pub fn most_pairs(&self) -> usize {
        self.most_pairs
    }

    /// See [`most_pairs`](Self::most_pairs).
    pub fn set_most_pairs(&mut self, most: usize) {
        self.most_pairs = most;
    }

    /// Says that any collider may be elsewhere. What a method calls that does not tell where it moved what.
    pub fn all_moved(&mut self) {
        self.pending.all();
    }

    /// Says that a collider was moved, changed, added or removed.
    pub(crate) fn changed(&mut self, slot: usize) {
        if self.pending.all {
            return;
        }
        match self.pending.slots.len() <= self.space.len() {
            true => self.pending.slots.push(slot as u32),
            false => self.pending.all(),
        }
    }

    /// Says that the colliders of a body were moved, changed, added or removed, or came to rest.
    pub(crate) fn body_changed(&mut self, model: &Model, body: BodyId) {
        for collider in model.bodies().get(body).into_iter().flat_map(|body| &body.colliders) {
            self.changed(collider.slot());
        }
    }

    /// Whether every box is where its collider is.
    pub(crate) fn is_current(&self) -> bool {
        !self.pending.all && self.pending.slots.is_empty()
    }

    /// Brings the boxes of everything up to date that was changed by hand, in a time that depends on how much that is. A step that
    /// looks for pairs begins with it.
    pub fn refresh(&mut self, model: &Model, state: &State) {
        let known = self.space.len();
        let count = model.colliders().slot_count();
        for _ in known..count {
            self.space.insert(Aabb::EMPTY, Mobility::Fixed);
        }
        if std::mem::take(&mut self.pending.all) {
            (0..count).for_each(|slot| self.renew(model, state, slot));
            return;
        }
        let mut slots = std::mem::take(&mut self.pending.slots);
        slots.drain(..).for_each(|slot| self.renew(model, state, slot as usize));
        self.pending.slots = slots;
        (known..count).for_each(|slot| self.renew(model, state, slot));
    }

    /// The box of a collider where its body is now.
    fn renew(&mut self, model: &Model, state: &State, slot: usize) {
        let proxy = ProxyId(slot as u32);
        let Some(collider) = model.colliders().in_slot(slot) else {
            self.space.relocate(proxy, Aabb::EMPTY, DVec3::ZERO);
            return;
        };
        let moves = model.bodies().get(collider.body).is_some_and(|body| body.kind.moves());
        self.space.set_mobility(proxy, if moves { Mobility::Moving } else { Mobility::Fixed });
        let margin = if moves { rest_margin(collider) } else { 0.0 };
        let aabb = collider.shape.aabb(&collider.pose_in(state)).expanded(margin);
        self.space.relocate(proxy, roomy(&aabb), DVec3::ZERO);
    }

    /// Tells where a collider is: within `region`, and on its way by `displacement` until the next time.
    pub fn relocate(&mut self, collider: ColliderId, region: &Aabb, displacement: DVec3) {
        self.space.relocate(ProxyId(collider.slot() as u32), roomy(region), displacement);
    }

    /// Which pairs of colliders have come and gone since this or [`pairs`](Self::pairs) was asked last, and all there are, by slots and
    /// with some room around them: whether regions meet is to be asked of those of interest ([`meet`](Self::meet)).
    pub(crate) fn changed_pairs(&mut self) -> Result<PairChanges<'_>, StepError> {
        let most = self.most_pairs;
        self.space.update_pairs_within(most).ok_or(StepError::TooManyPairs { most })
    }

    /// See [`changed_pairs`](Self::changed_pairs).
    pub(crate) fn all_pairs(&self) -> &[ProxyPair] {
        self.space.pairs()
    }

    /// Whether the regions of two colliders meet.
    pub(crate) fn meet(&self, colliders: [ColliderId; 2]) -> bool {
        let [a, b] = colliders.map(|id| self.space.aabb(ProxyId(id.slot() as u32)));
        a.zip(b).is_some_and(|(a, b)| a.overlaps(&b))
    }

    /// Calls `visit` with all pairs of colliders whose regions meet and of which at least one can move, the smaller slot
    /// first. An error if there are more than [`most_pairs`](Self::most_pairs).
    pub fn pairs(&mut self, model: &Model, mut visit: impl FnMut([ColliderId; 2])) -> Result<(), StepError> {
        self.changed_pairs()?;
        let space = &*self.space;
        let meet = |a: ProxyId, b: ProxyId| space.aabb(a).zip(space.aabb(b)).is_some_and(|(a, b)| a.overlaps(&b));
        for &(a, b) in space.pairs().iter().filter(|&&(a, b)| meet(a, b)) {
            if let [Some(a), Some(b)] = [a, b].map(|proxy| model.colliders().id_in_slot(proxy.0 as usize)) {
                visit([a, b]);
            }
        }
        Ok(())
    }

    /// The broad phase behind it; its proxies are the slots of the colliders.
    pub fn broad_phase(&self) -> &dyn BroadPhase {
        &*self.space
    }

    /// Checks that every collider is within its box and that the structure is sound; says what is not. For tests.
    pub fn validate(&self, model: &Model, state: &State) -> Result<(), String> {
        self.space.validate()?;
        if !self.is_current() {
            return Ok(());
        }
        for (id, collider) in model.colliders().iter() {
            let held = self.space.aabb(ProxyId(id.slot() as u32));
            let is = sound_box(collider, state);
            if !is.is_none_or(|is| held.is_some_and(|held| held.contains(&is))) {
                return Err(format!("{id:?} is not within its box: {held:?}"));
            }
        }
        Ok(())
    }
}

/// The room around what rests, as a share of its reach.
pub(crate) const REST_MARGIN: f64 = 0.01;

/// How much room a collider that can move has around it while it rests: a hundredth of its reach from the centre of mass,
/// in metres.
pub(crate) fn rest_margin(collider: &ColliderModel) -> f64 {
    let sphere = &collider.bounding_sphere;
    let radius = collider.center_pose.point(sphere.center).length() + sphere.radius;
    if radius.is_finite() { REST_MARGIN * radius } else { 0.0 }
}

/// The box of a collider, if it contains a point.
fn sound_box(collider: &ColliderModel, state: &State) -> Option<Aabb> {
    let aabb = collider.shape.aabb(&collider.pose_in(state));
    (aabb.min.is_finite() && aabb.max.is_finite()).then_some(aabb)
}

/// A box grown by more than rounding errors: 10⁻⁶ of its size and 10⁻⁹ of its coordinates, as far as they are finite.
pub(crate) fn roomy(aabb: &Aabb) -> Aabb {
    let finite = |numbers: DVec3| numbers.to_array().into_iter().map(f64::abs).filter(|n| n.is_finite());
    let greatest = |numbers: &[DVec3]| numbers.iter().flat_map(|&n| finite(n)).fold(0.0, f64::max);
    aabb.expanded(1e-6 * greatest(&[aabb.extents()]) + 1e-9 * greatest(&[aabb.min, aabb.max]))
}
