//! Sweep and prune: boxes sorted along one axis.
//!
//! Boxes that overlap must overlap along the axis, and in a list sorted by lower ends those that do are near each other. From
//! one update to the next the order hardly changes, so a box that moves is shifted past a few neighbours (insertion
//! sort). Pairs come from a sweep along the list: each box is compared with those that begin before it ends.
//!
//! - The axis is the one on which the centres vary most; it is chosen anew when the number of boxes has doubled, and in a rebuild.
//! - Fixed and moving boxes are in lists of their own, so that scenery is not compared with scenery.
//! - To find what begins before a place and reaches it, a search starts the length of the longest box earlier. Boxes more than eight
//!   times as long as the median are kept in a list that every search goes through, lest one of them spoil that bound.
//! - New boxes wait in a list that is sorted in with the next update, or when it has grown to an eighth of the sorted one.
//!
//! Exact and simple, best for boxes strung out along a line; in dense three-dimensional scenes too many overlap along any axis.

use super::pairs::FoundPairs;
use super::probe::Probe;
use super::proxies::Proxies;
use super::space::{Space, SpatialIndex, pairs_by_search};
use super::{Mobility, MovingBox};
use crate::Aabb;
use glam::DVec3;
use std::cmp::Ordering;

/// A broad phase that sweeps along an axis.
pub type SweepAndPrune = Space<SortedLists>;

/// The index of [`SweepAndPrune`].
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct SortedLists {
    axis: usize,
    /// Longer boxes are in `long`.
    longest_allowed: f64,
    fixed: SortedList,
    moving: SortedList,
    long: Vec<Entry>,
    /// How many more insertions until axis and lengths are chosen anew.
    patience: usize,
}

#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Entry {
    fat: Aabb,
    id: u32,
    /// Removed, and out of the list at the next opportunity.
    dead: bool,
}

#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct SortedList {
    /// Sorted by lower end, then id.
    sorted: Vec<Entry>,
    /// New ones, not sorted in yet.
    fresh: Vec<Entry>,
    /// How many of the sorted are dead.
    dead: usize,
    /// No sorted box is longer.
    longest: f64,
}

fn length(fat: &Aabb, axis: usize) -> f64 {
    fat.max[axis] - fat.min[axis]
}

impl Entry {
    fn cmp(&self, axis: usize, low: f64, id: u32) -> Ordering {
        self.fat.min[axis].total_cmp(&low).then(self.id.cmp(&id))
    }
}

impl SortedList {
    fn insert(&mut self, axis: usize, entry: Entry) {
        self.fresh.push(entry);
        if self.fresh.len() > 64 + self.sorted.len() / 8 {
            self.sort_in(axis);
        }
    }

    /// Sorts the new ones in and drops the dead.
    fn sort_in(&mut self, axis: usize) {
        if self.dead * 4 > self.sorted.len() {
            self.sorted.retain(|entry| !entry.dead);
            self.dead = 0;
        }
        if !self.fresh.is_empty() {
            self.longest = self.fresh.iter().fold(self.longest, |sum, entry| sum.max(length(&entry.fat, axis)));
            self.sorted.append(&mut self.fresh);
            // Two runs, one of them sorted already: the stable sort merges them.
            self.sorted.sort_by(|a, b| a.cmp(axis, b.fat.min[axis], b.id));
        }
    }

    /// The position of a box among the sorted.
    fn position(&self, axis: usize, id: u32, fat: &Aabb) -> Option<usize> {
        let start = self.sorted.partition_point(|entry| entry.cmp(axis, fat.min[axis], id) == Ordering::Less);
        // A dead entry may have the same id and place.
        let alive = self.sorted[start..].iter().take_while(|entry| entry.id == id).position(|entry| !entry.dead)?;
        Some(start + alive)
    }

    fn remove(&mut self, axis: usize, id: u32, fat: &Aabb) {
        if let Some(position) = self.fresh.iter().position(|entry| entry.id == id) {
            self.fresh.swap_remove(position);
        } else if let Some(position) = self.position(axis, id, fat) {
            self.sorted[position].dead = true;
            self.dead += 1;
        }
    }

    /// Shifts a box to its new place.
    fn relocate(&mut self, axis: usize, id: u32, old: &Aabb, fat: Aabb) {
        if let Some(entry) = self.fresh.iter_mut().find(|entry| entry.id == id) {
            entry.fat = fat;
        } else if let Some(mut position) = self.position(axis, id, old) {
            let list = &mut self.sorted;
            list[position].fat = fat;
            self.longest = self.longest.max(length(&fat, axis));
            let low = fat.min[axis];
            while position > 0 && list[position - 1].cmp(axis, low, id) == Ordering::Greater {
                list.swap(position - 1, position);
                position -= 1;
            }
            while position + 1 < list.len() && list[position + 1].cmp(axis, low, id) == Ordering::Less {
                list.swap(position, position + 1);
                position += 1;
            }
        }
    }

    /// Visits the boxes within the limit, from the side the probe comes from, and returns the limit that is left.
    fn search<P: Probe>(&self, axis: usize, probe: &P, mut limit: f64, visit: &mut impl FnMut(u32) -> f64) -> f64 {
        let mut meet = |entry: &Entry, limit: &mut f64| {
            if !entry.dead && probe.reach(&entry.fat) <= *limit {
                *limit = visit(entry.id);
            }
        };
        for entry in &self.fresh {
            meet(entry, &mut limit);
        }
        // Slightly more than the longest, because lengths are rounded.
        let longest = self.longest * (1.0 + 1e-12);
        let bounds = probe.bounds(limit.max(0.0));
        let start = self.sorted.partition_point(|entry| entry.fat.min[axis] < bounds.min[axis] - longest);
        let end = self.sorted.partition_point(|entry| entry.fat.min[axis] <= bounds.max[axis]).max(start);
        let descending = probe.heading()[axis] < 0.0;
        let (mut bounds, mut bounds_limit) = (bounds, limit);
        for i in start..end {
            let entry = &self.sorted[if descending { end - 1 - (i - start) } else { i }];
            if limit < bounds_limit {
                (bounds, bounds_limit) = (probe.bounds(limit.max(0.0)), limit);
            }
            let beyond = match descending {
                true => entry.fat.min[axis] < bounds.min[axis] - longest,
                false => entry.fat.min[axis] > bounds.max[axis],
            };
            if beyond || limit < 0.0 {
                break;
            }
            meet(entry, &mut limit);
        }
        limit
    }

    /// Reports the pairs within this list of which one has moved.
    fn sweep(&self, axis: usize, proxies: &Proxies, found: &mut FoundPairs) {
        for (i, a) in self.sorted.iter().enumerate().filter(|(_, a)| !a.dead) {
            let a_moved = proxies.has_moved(a.id);
            for b in self.sorted[i + 1..].iter().take_while(|b| b.fat.min[axis] <= a.fat.max[axis]) {
                if a.fat.overlaps(&b.fat) && !b.dead && (a_moved || proxies.has_moved(b.id)) {
                    found.push(a.id, b.id);
                }
            }
            if found.is_full() {
                return;
            }
        }
    }
}

impl SortedLists {
    fn is_long(&self, fat: &Aabb) -> bool {
        // An infinite length is not even comparable with itself in a sum.
        !(length(fat, self.axis) <= self.longest_allowed && length(fat, self.axis).is_finite())
    }

    fn list_of(&mut self, mobility: Mobility) -> &mut SortedList {
        match mobility {
            Mobility::Fixed => &mut self.fixed,
            Mobility::Moving => &mut self.moving,
        }
    }

    /// Searches the boxes that are not in the list of the moving.
    fn search_others<P: Probe>(&self, probe: &P, mut limit: f64, visit: &mut impl FnMut(u32) -> f64) -> f64 {
        for entry in &self.long {
            if limit >= 0.0 && probe.reach(&entry.fat) <= limit {
                limit = visit(entry.id);
            }
        }
        if limit < 0.0 { limit } else { self.fixed.search(self.axis, probe, limit, visit) }
    }

    /// Chooses the axis and which boxes are long.
    fn choose(&mut self, proxies: &Proxies) {
        let bounded = |corner: DVec3| corner.clamp(DVec3::splat(-1e100), DVec3::splat(1e100));
        let centers =
            || proxies.occupied().map(|id| 0.5 * (bounded(proxies.fat(id).min) + bounded(proxies.fat(id).max)));
        let count = centers().count().max(1) as f64;
        let mean = centers().sum::<DVec3>() / count;
        self.axis = centers().map(|center| (center - mean) * (center - mean)).sum::<DVec3>().max_position();
        let mut lengths: Vec<f64> = proxies.occupied().map(|id| length(proxies.fat(id), self.axis)).collect();
        let middle = lengths.len() / 2;
        self.longest_allowed = match lengths.is_empty() {
            true => 0.0,
            false => 8.0 * *lengths.select_nth_unstable_by(middle, f64::total_cmp).1,
        };
    }
}

impl SpatialIndex for SortedLists {
    const NAME: &'static str = "sweep and prune";

    fn insert(&mut self, proxies: &Proxies, id: u32) {
        if self.patience == 0 {
            self.rebuild(proxies);
            return;
        }
        self.patience -= 1;
        let entry = Entry { fat: *proxies.fat(id), id, dead: false };
        if self.is_long(&entry.fat) {
            self.long.push(entry);
        } else {
            let axis = self.axis;
            self.list_of(proxies.mobility(id)).insert(axis, entry);
        }
    }

    fn remove(&mut self, proxies: &Proxies, id: u32, fat: &Aabb) {
        if self.is_long(fat) {
            self.long.retain(|entry| entry.id != id);
        } else {
            let axis = self.axis;
            self.list_of(proxies.mobility(id)).remove(axis, id, fat);
        }
    }

    fn relocate(&mut self, proxies: &Proxies, id: u32, old: &Aabb) {
        let (axis, fat) = (self.axis, *proxies.fat(id));
        if self.is_long(old) || self.is_long(&fat) {
            self.remove(proxies, id, old);
            self.insert(proxies, id);
        } else {
            self.list_of(proxies.mobility(id)).relocate(axis, id, old, fat);
        }
    }

    fn rebuild(&mut self, proxies: &Proxies) {
        *self = Self { patience: usize::MAX, ..Self::default() };
        self.choose(proxies);
        for id in proxies.occupied() {
            self.insert(proxies, id);
        }
        self.patience = proxies.len() + 64;
        self.maintain(proxies);
    }

    fn maintain(&mut self, _proxies: &Proxies) {
        self.fixed.sort_in(self.axis);
        self.moving.sort_in(self.axis);
    }

    fn moved_pairs(&self, proxies: &Proxies, found: &mut FoundPairs) {
        if proxies.moved().count() * 4 < self.moving.sorted.len() {
            pairs_by_search(self, proxies, found);
            return;
        }
        // Pairs within the list of the moving by a sweep, those with others by searches.
        self.moving.sweep(self.axis, proxies, found);
        for id in proxies.moved() {
            let fat = *proxies.fat(id);
            let Some(probe) = MovingBox::at_rest(fat) else { continue };
            let mut meet = |other: u32| {
                let twin = proxies.has_moved(other) && other <= id;
                if !twin && other != id && proxies.are_pair(id, other) {
                    found.push(id, other);
                }
                if found.is_full() { -1.0 } else { 0.0 }
            };
            let limit = self.search_others(&probe, 0.0, &mut meet);
            let in_moving = proxies.mobility(id) == Mobility::Moving && !self.is_long(&fat);
            if !in_moving && limit >= 0.0 {
                self.moving.search(self.axis, &probe, 0.0, &mut meet);
            }
        }
    }

    fn search<P: Probe>(&self, _proxies: &Proxies, probe: &P, limit: f64, visit: &mut impl FnMut(u32) -> f64) {
        let limit = self.search_others(probe, limit, visit);
        if limit >= 0.0 {
            self.moving.search(self.axis, probe, limit, visit);
        }
    }

    fn boxes(&self, proxies: &Proxies, visit: &mut dyn FnMut(Aabb)) {
        proxies.occupied().for_each(|id| visit(*proxies.fat(id)));
    }

    fn validate(&self, proxies: &Proxies) -> Result<(), String> {
        let mut known = 0;
        let mut meet = |entry: &Entry, long: bool, mobility: Option<Mobility>| {
            known += usize::from(!entry.dead);
            let id = entry.id;
            let sound = entry.dead
                || (proxies.is_in_structure(id)
                    && entry.fat == *proxies.fat(id)
                    && self.is_long(&entry.fat) == long
                    && mobility.is_none_or(|mobility| mobility == proxies.mobility(id)));
            if sound { Ok(()) } else { Err(format!("{entry:?} is misplaced")) }
        };
        for entry in &self.long {
            meet(entry, true, None)?;
        }
        for (list, mobility) in [(&self.fixed, Mobility::Fixed), (&self.moving, Mobility::Moving)] {
            for entry in list.sorted.iter().chain(&list.fresh) {
                meet(entry, false, Some(mobility))?;
            }
            let ordered = list.sorted.is_sorted_by(|a, b| a.cmp(self.axis, b.fat.min[self.axis], b.id).is_le());
            let dead = list.sorted.iter().filter(|entry| entry.dead).count();
            let within = list.sorted.iter().all(|entry| entry.dead || length(&entry.fat, self.axis) <= list.longest);
            if !ordered || dead != list.dead || !within {
                return Err(format!("the {mobility:?} list is out of order or miscounted"));
            }
        }
        let expected = proxies.occupied().count();
        if known == expected { Ok(()) } else { Err(format!("{known} boxes in the lists instead of {expected}")) }
    }
}
