//! A broad phase made of the boxes, the pairs and a spatial index. Everything the implementations have in common is here;
//! what distinguishes them is the index alone.

use super::pairs::{FoundPairs, Pairs};
use super::probe::{MovingBox, Nearness, Probe};
use super::proxies::{Change, Proxies};
use super::{BroadPhase, Crew, FatMargin, Mobility, PairChanges, ProxyId, ProxyPair};
use crate::{Aabb, Ray};
use glam::DVec3;

/// A structure that finds boxes by where they are.
///
/// It knows the ids whose boxes are not empty and may keep copies of their fat boxes. What it tells may depend on nothing
/// but the history of calls.
pub trait SpatialIndex: Clone + std::fmt::Debug + Default + Send + Sync + 'static {
    /// What the broad phase with this index is called in scene files.
    const NAME: &'static str;

    /// Takes up a proxy with the fat box it has in `proxies`.
    fn insert(&mut self, proxies: &Proxies, id: u32);

    /// Drops a proxy with this fat box; `proxies` still knows its mobility.
    fn remove(&mut self, proxies: &Proxies, id: u32, fat: &Aabb);

    /// The fat box was `old` and is now the one in `proxies`.
    fn relocate(&mut self, proxies: &Proxies, id: u32, old: &Aabb);

    /// Builds everything anew.
    fn rebuild(&mut self, proxies: &Proxies);

    /// Prepares for a search for pairs: the place for incremental improvement.
    fn maintain(&mut self, proxies: &Proxies);

    /// Reports each pair ([`Proxies::are_pair`]) with at least one [moved](Proxies::moved) member once, in any order.
    fn moved_pairs(&self, proxies: &Proxies, found: &mut FoundPairs) {
        pairs_by_search(self, proxies, found);
    }

    /// Part `part` of `parts` of the same; each pair is reported by one part. Parts may be asked for at the same time.
    fn part_of_moved_pairs(&self, proxies: &Proxies, part: usize, _parts: usize, found: &mut FoundPairs) {
        if part == 0 {
            self.moved_pairs(proxies, found);
        }
    }

    /// All pairs are known now and no proxy counts as moved any more.
    fn settle(&mut self) {}

    /// Calls `visit` once for every proxy whose fat box has a [reach](Probe::reach) of at most `limit`, and perhaps for
    /// others. `visit` answers with the new limit, at most as large as before; negative to end the search.
    fn search<P: Probe>(&self, proxies: &Proxies, probe: &P, limit: f64, visit: &mut impl FnMut(u32) -> f64);

    /// The boxes of the structure itself (cells, nodes), for drawing.
    fn boxes(&self, proxies: &Proxies, visit: &mut dyn FnMut(Aabb));

    /// Checks the invariants; says which is violated.
    fn validate(&self, proxies: &Proxies) -> Result<(), String>;
}

/// Finds the pairs by a search around every moved box.
pub(super) fn pairs_by_search(index: &impl SpatialIndex, proxies: &Proxies, found: &mut FoundPairs) {
    for id in proxies.moved() {
        let Some(probe) = MovingBox::at_rest(*proxies.fat(id)) else { continue };
        index.search(proxies, &probe, 0.0, &mut |other| {
            // A pair of two moved ones is found from both sides; the smaller id reports it.
            let twin = proxies.has_moved(other) && other <= id;
            if !twin && other != id && proxies.are_pair(id, other) {
                found.push(id, other);
            }
            if found.is_full() { -1.0 } else { 0.0 }
        });
        if found.is_full() {
            return;
        }
    }
}

/// A broad phase with the spatial index `I`.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Space<I> {
    proxies: Proxies,
    pairs: Pairs,
    index: I,
}

impl<I: SpatialIndex> Space<I> {
    /// An empty broad phase with this margin rule.
    pub fn new(margin: FatMargin) -> Self {
        Self::with_index(margin, I::default())
    }

    /// An empty broad phase with an index that has settings of its own. The index must be empty.
    pub fn with_index(margin: FatMargin, index: I) -> Self {
        Self { proxies: Proxies::new(margin), pairs: Pairs::default(), index }
    }

    /// The boxes.
    pub fn proxies(&self) -> &Proxies {
        &self.proxies
    }

    /// The spatial index.
    pub fn index(&self) -> &I {
        &self.index
    }

    /// Calls `visit` for the proxies whose tight boxes are within `max_distance` as `probe` measures it; `visit` answers
    /// with the distance still of interest. All other queries are special cases of this one.
    pub fn search(&self, probe: &impl Probe, max_distance: f64, visit: &mut dyn FnMut(ProxyId) -> f64) {
        // "Unreachable" is an infinite distance and must exceed every limit.
        let mut limit = max_distance.min(f64::MAX);
        if limit >= 0.0 {
            self.index.search(&self.proxies, probe, limit, &mut |id| {
                if probe.reach(self.proxies.tight(id)) <= limit {
                    limit = limit.min(visit(ProxyId(id)));
                }
                limit
            });
        }
    }

    /// Brings the pairs up to date, unless there are more than so many.
    fn find_pairs(&mut self, most: usize) -> bool {
        let Self { proxies, pairs, index } = self;
        index.maintain(proxies);
        let found = pairs.update(proxies, most, |found| index.moved_pairs(proxies, found));
        if found {
            index.settle();
            proxies.clear_marks();
        }
        found
    }

    fn apply(&mut self, id: u32, change: Change) {
        match change {
            Change::None => {}
            Change::Appeared => self.index.insert(&self.proxies, id),
            Change::Vanished(old) => self.index.remove(&self.proxies, id, &old),
            Change::Moved(old) => self.index.relocate(&self.proxies, id, &old),
        }
    }
}

impl<I: SpatialIndex> BroadPhase for Space<I> {
    fn name(&self) -> &'static str {
        I::NAME
    }

    fn insert(&mut self, aabb: Aabb, mobility: Mobility) -> ProxyId {
        let (id, change) = self.proxies.insert(aabb, mobility);
        self.apply(id, change);
        ProxyId(id)
    }

    fn remove(&mut self, id: ProxyId) -> bool {
        let alive = self.proxies.is_alive(id);
        if alive {
            if self.proxies.is_in_structure(id.0) {
                let fat = *self.proxies.fat(id.0);
                self.index.remove(&self.proxies, id.0, &fat);
            }
            self.proxies.remove(id.0);
        }
        alive
    }

    fn relocate(&mut self, id: ProxyId, aabb: Aabb, displacement: DVec3) -> bool {
        let alive = self.proxies.is_alive(id);
        if alive {
            let change = self.proxies.relocate(id.0, aabb, displacement);
            self.apply(id.0, change);
        }
        alive
    }

    fn set_mobility(&mut self, id: ProxyId, mobility: Mobility) -> bool {
        let alive = self.proxies.is_alive(id);
        if alive && self.proxies.mobility(id.0) != mobility {
            let in_structure = self.proxies.is_in_structure(id.0);
            if in_structure {
                let fat = *self.proxies.fat(id.0);
                self.index.remove(&self.proxies, id.0, &fat);
            }
            self.proxies.set_mobility(id.0, mobility);
            if in_structure {
                self.index.insert(&self.proxies, id.0);
            }
        }
        alive
    }

    fn update_pairs(&mut self) -> PairChanges<'_> {
        self.find_pairs(usize::MAX);
        self.pairs.changes()
    }

    fn update_pairs_within(&mut self, most: usize) -> Option<PairChanges<'_>> {
        self.find_pairs(most).then(|| self.pairs.changes())
    }

    fn update_pairs_with(&mut self, crew: &dyn Crew) -> PairChanges<'_> {
        let Self { proxies, pairs, index } = self;
        index.maintain(proxies);
        let parts = crew.count();
        let index_ref: &I = index;
        pairs.update_in_parts(proxies, parts, |lists| {
            crew.for_each(lists, &|part, found| index_ref.part_of_moved_pairs(proxies, part, parts, found));
        });
        index.settle();
        proxies.clear_marks();
        self.pairs.changes()
    }

    fn pairs(&self) -> &[ProxyPair] {
        self.pairs.all()
    }

    fn query_box(&self, region: &Aabb, visit: &mut dyn FnMut(ProxyId) -> bool) {
        if let Some(probe) = MovingBox::at_rest(*region) {
            self.search(&probe, 0.0, &mut |id| if visit(id) { 0.0 } else { -1.0 });
        }
    }

    fn query_ray(&self, ray: &Ray, max_distance: f64, visit: &mut dyn FnMut(ProxyId) -> f64) {
        if let Some(probe) = MovingBox::from_ray(ray) {
            self.search(&probe, max_distance, visit);
        }
    }

    fn query_sweep(&self, aabb: &Aabb, translation: DVec3, visit: &mut dyn FnMut(ProxyId) -> f64) {
        if let Some(probe) = MovingBox::new(*aabb, translation) {
            self.search(&probe, 1.0, visit);
        }
    }

    fn query_nearest(&self, point: DVec3, max_distance: f64, visit: &mut dyn FnMut(ProxyId) -> f64) {
        if let Some(probe) = Nearness::new(point) {
            self.search(&probe, max_distance, visit);
        }
    }

    fn rebuild(&mut self) {
        self.index.rebuild(&self.proxies);
    }

    fn aabb(&self, id: ProxyId) -> Option<Aabb> {
        self.proxies.is_alive(id).then(|| *self.proxies.tight(id.0))
    }

    fn fat_aabb(&self, id: ProxyId) -> Option<Aabb> {
        self.proxies.is_alive(id).then(|| *self.proxies.fat(id.0))
    }

    fn mobility(&self, id: ProxyId) -> Option<Mobility> {
        self.proxies.is_alive(id).then(|| self.proxies.mobility(id.0))
    }

    fn len(&self) -> usize {
        self.proxies.len()
    }

    fn structure(&self, visit: &mut dyn FnMut(Aabb)) {
        self.index.boxes(&self.proxies, visit);
    }

    fn validate(&self) -> Result<(), String> {
        self.index.validate(&self.proxies)
    }

    fn clone_box(&self) -> Box<dyn BroadPhase> {
        Box::new(self.clone())
    }
}
