//! The sorted list of pairs and its changes.
//!
//! After each update the list holds exactly the pairs whose fat boxes overlap. Pairs of two proxies that have not changed
//! stay; all pairs with a changed member are found anew by the spatial structure, sorted, and merged with the old list
//! in one pass that yields the new list and the differences. No hash set is involved.
//!
//! When only a few proxies have changed, most often their partners have not, and then even the pass over the old list
//! is saved. Each id counts its pairs; the sum of the counts of the changed, minus two or one for each
//! pair found again (as both or one of its members have changed), is zero just if none is lost.

use super::proxies::{Mark, Proxies};
use super::{PairChanges, ProxyId, ProxyPair};

/// All pairs and those that came and went in the last update.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Pairs {
    all: Vec<ProxyPair>,
    new: Vec<ProxyPair>,
    lost: Vec<ProxyPair>,
    /// How many pairs each id is a member of.
    degrees: Vec<u32>,
    /// The pairs found in an update. Empty between updates.
    #[cfg_attr(feature = "serde", serde(skip))]
    found: FoundPairs,
    /// Those of the parts of a search. Empty between updates.
    #[cfg_attr(feature = "serde", serde(skip))]
    lists: Vec<FoundPairs>,
    /// Room for the next list and for sorting. Meaningless between updates.
    #[cfg_attr(feature = "serde", serde(skip))]
    spare: Vec<ProxyPair>,
    #[cfg_attr(feature = "serde", serde(skip))]
    sorter: KeySorter,
}

/// Where a spatial index reports the pairs it finds.
#[derive(Clone, Debug, Default)]
pub struct FoundPairs {
    keys: Vec<u64>,
    /// How many there is room for.
    most: usize,
    is_full: bool,
}

impl FoundPairs {
    /// Reports the pair of two ids, in either order. No pair may be reported twice.
    pub fn push(&mut self, a: u32, b: u32) {
        if self.keys.len() < self.most {
            self.keys.push(key(a, b));
        } else {
            self.is_full = true;
        }
    }

    /// Whether there was no room for a pair: then the search is in vain and should end.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Room for so many.
    fn begin(&mut self, most: usize) {
        (self.most, self.is_full) = (most, false);
        self.keys.clear();
    }
}

/// A pair as one number that sorts as the pair does.
fn key(a: u32, b: u32) -> u64 {
    (u64::from(a.min(b)) << 32) | u64::from(a.max(b))
}

fn pair(key: u64) -> ProxyPair {
    (ProxyId((key >> 32) as u32), ProxyId(key as u32))
}

impl Pairs {
    pub(super) fn all(&self) -> &[ProxyPair] {
        &self.all
    }

    pub(super) fn changes(&self) -> PairChanges<'_> {
        PairChanges { new: &self.new, lost: &self.lost }
    }

    /// Brings the list up to date, unless there are more than `most` pairs: then it stays, and the answer is `false`. `find` reports
    /// every pair with a moved member.
    pub(super) fn update(&mut self, proxies: &Proxies, most: usize, find: impl FnOnce(&mut FoundPairs)) -> bool {
        self.found.begin(most);
        find(&mut self.found);
        let (known, found) = (self.all.len(), self.found.keys.len());
        let fits =
            !self.found.is_full && (known.saturating_add(found) <= most || self.staying(proxies) + found <= most);
        if fits {
            self.take_over(proxies);
        }
        self.found.keys.clear();
        fits
    }

    /// How many of the known pairs have no changed member.
    fn staying(&self, proxies: &Proxies) -> usize {
        let is_clean = |id: ProxyId| proxies.marks()[id.0 as usize].is_clean();
        self.all.iter().filter(|(a, b)| is_clean(*a) && is_clean(*b)).count()
    }

    /// The same with lists for several parts of the search.
    pub(super) fn update_in_parts(&mut self, proxies: &Proxies, parts: usize, find: impl FnOnce(&mut [FoundPairs])) {
        self.lists.resize_with(parts.max(1), FoundPairs::default);
        self.lists.iter_mut().for_each(|list| list.begin(usize::MAX));
        find(&mut self.lists);
        for list in &mut self.lists {
            self.found.keys.append(&mut list.keys);
        }
        self.take_over(proxies);
    }

    /// Makes the pairs that were found those of the moved.
    fn take_over(&mut self, proxies: &Proxies) {
        self.new.clear();
        self.lost.clear();
        self.degrees.resize(proxies.id_bound(), 0);
        if !self.is_unchanged(proxies) {
            self.sorter.sort(&mut self.found.keys, proxies.id_bound());
            self.merge(proxies.marks());
        }
        self.found.keys.clear();
    }

    /// Whether the found pairs are the pairs the changed ids had before. May answer `false` where finding out would not pay.
    fn is_unchanged(&self, proxies: &Proxies) -> bool {
        if self.found.keys.len() * 8 > self.all.len() {
            return self.found.keys.is_empty() && self.all.is_empty();
        }
        let marks = proxies.marks();
        let had = |id: u32| u64::from(self.degrees[id as usize]);
        if proxies.marked().iter().any(|&id| marks[id as usize].removed && had(id) > 0) {
            return false;
        }
        let mut unaccounted: u64 = proxies.marked().iter().map(|&id| had(id)).sum();
        for &key in &self.found.keys {
            let (a, b) = pair(key);
            if self.all.binary_search(&(a, b)).is_err() {
                return false;
            }
            unaccounted -= u64::from(marks[a.0 as usize].moved) + u64::from(marks[b.0 as usize].moved);
        }
        unaccounted == 0
    }

    /// Merges the sorted `found` with the old list.
    fn merge(&mut self, marks: &[Mark]) {
        self.spare.clear();
        let mut found = self.found.keys.iter().copied().peekable();
        for &(a, b) in &self.all {
            let old = key(a.0, b.0);
            while let Some(new) = found.next_if(|&new| new < old) {
                self.spare.push(pair(new));
                self.new.push(pair(new));
            }
            let again = found.next_if_eq(&old).is_some();
            let (mark_a, mark_b) = (marks[a.0 as usize], marks[b.0 as usize]);
            let removed = mark_a.removed || mark_b.removed;
            let stays = again || (mark_a.is_clean() && mark_b.is_clean());
            if stays {
                self.spare.push((a, b));
            }
            if removed || !stays {
                self.lost.push((a, b));
            }
            if removed && stays {
                self.new.push((a, b));
            }
        }
        for new in found {
            self.spare.push(pair(new));
            self.new.push(pair(new));
        }
        std::mem::swap(&mut self.all, &mut self.spare);
        for (changed, by) in [(&self.lost, u32::MAX), (&self.new, 1)] {
            for &(a, b) in changed {
                for id in [a, b] {
                    let degree = &mut self.degrees[id.0 as usize];
                    *degree = degree.wrapping_add(by);
                }
            }
        }
    }
}

/// Sorts pair keys.
#[derive(Clone, Debug, Default)]
struct KeySorter {
    starts: Vec<u32>,
    sorted: Vec<u64>,
}

impl KeySorter {
    /// Sorts keys whose ids are below `id_bound`. Many keys are dealt into one bucket for each first id, where few
    /// remain to be sorted; few keys are not worth the buckets.
    fn sort(&mut self, keys: &mut Vec<u64>, id_bound: usize) {
        if keys.len() < id_bound / 4 || keys.len() > u32::MAX as usize {
            keys.sort_unstable();
            return;
        }
        let bucket = |key: u64| (key >> 32) as usize;
        self.starts.clear();
        self.starts.resize(id_bound + 1, 0);
        for &key in keys.iter() {
            self.starts[bucket(key) + 1] += 1;
        }
        for i in 0..id_bound {
            self.starts[i + 1] += self.starts[i];
        }
        self.sorted.clear();
        self.sorted.resize(keys.len(), 0);
        for &key in keys.iter() {
            let next = &mut self.starts[bucket(key)];
            self.sorted[*next as usize] = key;
            *next += 1;
        }
        // Dealing has moved each start to the end of its bucket.
        let mut start = 0;
        for &end in &self.starts[..id_bound] {
            sort_few(&mut self.sorted[start..end as usize]);
            start = end as usize;
        }
        std::mem::swap(keys, &mut self.sorted);
    }
}

/// Sorts by insertion where that is fastest.
fn sort_few(keys: &mut [u64]) {
    if keys.len() > 16 {
        keys.sort_unstable();
        return;
    }
    for i in 1..keys.len() {
        let mut j = i;
        while j > 0 && keys[j - 1] > keys[j] {
            keys.swap(j - 1, j);
            j -= 1;
        }
    }
}
