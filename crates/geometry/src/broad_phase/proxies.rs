//! The boxes of a broad phase, independent of any spatial structure: ids, tight and fat boxes, and what has changed since
//! the last update.

use super::{FatMargin, Mobility, ProxyId};
use crate::Aabb;
use glam::DVec3;

/// One box.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Proxy {
    /// Where the box is; [`Aabb::EMPTY`] if it contains no point.
    tight: Aabb,
    /// The box that takes part in pairs; empty together with `tight`.
    fat: Aabb,
    mobility: Mobility,
    alive: bool,
}

/// What has happened to an id since the last update.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Mark {
    /// Its fat box is another one: its pairs must be looked for again. Such an id is in the list of the moved.
    pub(super) moved: bool,
    /// The proxy of the last update was removed: its pairs are lost, even if a new proxy has got the id.
    pub(super) removed: bool,
}

impl Mark {
    /// Whether the pairs of the last update still tell the truth about this id.
    pub(super) fn is_clean(self) -> bool {
        !(self.moved || self.removed)
    }
}

/// What a change of a box means for the spatial structure. Only boxes that are not empty are in it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Change {
    /// The fat box is as it was.
    None,
    /// The box has become non-empty.
    Appeared,
    /// The box has become empty; it had this fat box.
    Vanished(Aabb),
    /// The fat box was this one and is another now.
    Moved(Aabb),
}

/// The boxes of a broad phase with their margins and ids; what a [`SpatialIndex`](super::SpatialIndex) refers to.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Proxies {
    margin: FatMargin,
    slots: Vec<Proxy>,
    /// One for each slot, apart from it because the pair lists are walked against the marks alone.
    marks: Vec<Mark>,
    /// Free slots; the last is used first.
    free: Vec<u32>,
    /// Ids with a mark, in the order in which they got it.
    marked: Vec<u32>,
}

/// Whether a box contains a point with finite coordinates; NaN, reversed and infinitely distant boxes do not.
fn is_occupied(aabb: &Aabb) -> bool {
    aabb.min.cmple(aabb.max).all() && aabb.min.cmplt(DVec3::INFINITY).all() && aabb.max.cmpgt(DVec3::NEG_INFINITY).all()
}

/// The box itself, or [`Aabb::EMPTY`] if it contains no point.
pub(super) fn sanitized(aabb: Aabb) -> Aabb {
    if is_occupied(&aabb) { aabb } else { Aabb::EMPTY }
}

fn margin_of(mobility: Mobility, margin: FatMargin) -> FatMargin {
    match mobility {
        Mobility::Fixed => FatMargin::ZERO,
        Mobility::Moving => margin,
    }
}

impl Proxies {
    pub(super) fn new(margin: FatMargin) -> Self {
        Self { margin, ..Self::default() }
    }

    /// The margin rule.
    pub fn margin(&self) -> FatMargin {
        self.margin
    }

    /// How many proxies there are.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All ids are smaller than this.
    pub fn id_bound(&self) -> usize {
        self.slots.len()
    }

    /// The tight box of a proxy that exists.
    pub fn tight(&self, id: u32) -> &Aabb {
        &self.slots[id as usize].tight
    }

    /// The fat box of a proxy that exists.
    pub fn fat(&self, id: u32) -> &Aabb {
        &self.slots[id as usize].fat
    }

    /// Whether a proxy that exists can move.
    pub fn mobility(&self, id: u32) -> Mobility {
        self.slots[id as usize].mobility
    }

    /// Whether the fat box of this id has changed since the last update.
    pub fn has_moved(&self, id: u32) -> bool {
        self.marks[id as usize].moved
    }

    /// The ids of all proxies whose boxes are not empty, ascending: what the spatial structure contains.
    pub fn occupied(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.slots.len() as u32).filter(|&id| self.is_in_structure(id))
    }

    /// The ids of all proxies in the structure whose fat box has changed since the last update.
    pub fn moved(&self) -> impl Iterator<Item = u32> + '_ {
        self.marked.iter().copied().filter(|&id| self.has_moved(id) && self.is_in_structure(id))
    }

    /// Whether these two, in the structure, should be a pair.
    pub fn are_pair(&self, a: u32, b: u32) -> bool {
        let (a, b) = (&self.slots[a as usize], &self.slots[b as usize]);
        (a.mobility == Mobility::Moving || b.mobility == Mobility::Moving) && a.fat.overlaps(&b.fat)
    }

    pub(super) fn is_alive(&self, id: ProxyId) -> bool {
        self.slots.get(id.0 as usize).is_some_and(|proxy| proxy.alive)
    }

    /// Whether the box of an id exists and is not empty, so that it is in the spatial structure.
    pub fn is_in_structure(&self, id: u32) -> bool {
        let proxy = &self.slots[id as usize];
        proxy.alive && is_occupied(&proxy.fat)
    }

    pub(super) fn marks(&self) -> &[Mark] {
        &self.marks
    }

    /// Ids that changed or were removed since the last update.
    pub(super) fn marked(&self) -> &[u32] {
        &self.marked
    }

    pub(super) fn clear_marks(&mut self) {
        for id in self.marked.drain(..) {
            self.marks[id as usize] = Mark::default();
        }
    }

    fn mark(&mut self, id: u32, change: impl FnOnce(&mut Mark)) {
        let mark = &mut self.marks[id as usize];
        if mark.is_clean() {
            self.marked.push(id);
        }
        change(mark);
    }

    /// Adds a box without expected displacement. The change is [`Change::None`] if it is empty.
    pub(super) fn insert(&mut self, aabb: Aabb, mobility: Mobility) -> (u32, Change) {
        let proxy = Proxy { tight: Aabb::EMPTY, fat: Aabb::EMPTY, mobility, alive: true };
        let id = match self.free.pop() {
            Some(id) => {
                self.slots[id as usize] = proxy;
                id
            }
            None => {
                self.slots.push(proxy);
                self.marks.push(Mark::default());
                (self.slots.len() - 1) as u32
            }
        };
        (id, self.relocate(id, aabb, DVec3::ZERO))
    }

    pub(super) fn relocate(&mut self, id: u32, aabb: Aabb, displacement: DVec3) -> Change {
        let proxy = &mut self.slots[id as usize];
        let (tight, old) = (sanitized(aabb), proxy.fat);
        proxy.tight = tight;
        let (was_occupied, occupied) = (is_occupied(&old), is_occupied(&tight));
        if !was_occupied && !occupied {
            return Change::None;
        }
        let margin = margin_of(proxy.mobility, self.margin);
        if was_occupied && occupied && !margin.outgrown(&old, &tight, displacement) {
            return Change::None;
        }
        proxy.fat = if occupied { margin.fatten(&tight, displacement) } else { Aabb::EMPTY };
        self.mark(id, |mark| mark.moved = true);
        match (was_occupied, occupied) {
            (false, _) => Change::Appeared,
            (true, false) => Change::Vanished(old),
            (true, true) => Change::Moved(old),
        }
    }

    /// Frees a slot.
    pub(super) fn remove(&mut self, id: u32) {
        self.slots[id as usize].alive = false;
        self.free.push(id);
        self.mark(id, |mark| mark.removed = true);
    }

    /// Changes the mobility of a proxy that is not in the structure at the moment.
    pub(super) fn set_mobility(&mut self, id: u32, mobility: Mobility) {
        let proxy = &mut self.slots[id as usize];
        proxy.mobility = mobility;
        if is_occupied(&proxy.tight) {
            proxy.fat = margin_of(mobility, self.margin).fatten(&proxy.tight, DVec3::ZERO);
            self.mark(id, |mark| mark.moved = true);
        }
    }
}
