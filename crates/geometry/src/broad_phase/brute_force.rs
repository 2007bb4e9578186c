//! No structure at all: every box is compared with every other.
//!
//! The measure of all other implementations, and the fastest for a few dozen boxes.

use super::Mobility;
use super::pairs::FoundPairs;
use super::probe::Probe;
use super::proxies::Proxies;
use super::space::{Space, SpatialIndex};
use crate::Aabb;

/// A broad phase that compares all boxes: O(n) for a query, O(moved · n) for an update.
pub type BruteForce = Space<AllBoxes>;

/// The index of [`BruteForce`]: the list of boxes itself.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AllBoxes;

impl SpatialIndex for AllBoxes {
    const NAME: &'static str = "brute force";

    fn insert(&mut self, _proxies: &Proxies, _id: u32) {}

    fn remove(&mut self, _proxies: &Proxies, _id: u32, _fat: &Aabb) {}

    fn relocate(&mut self, _proxies: &Proxies, _id: u32, _old: &Aabb) {}

    fn rebuild(&mut self, _proxies: &Proxies) {}

    fn maintain(&mut self, _proxies: &Proxies) {}

    fn moved_pairs(&self, proxies: &Proxies, found: &mut FoundPairs) {
        let mut moved = proxies.moved().peekable();
        if moved.peek().is_none() {
            return;
        }
        // Fixed boxes have only moving partners.
        let is_moving = |&id: &u32| proxies.mobility(id) == Mobility::Moving;
        let all: Vec<u32> = proxies.occupied().collect();
        let moving: Vec<u32> = all.iter().copied().filter(is_moving).collect();
        for id in moved {
            for &other in if is_moving(&id) { &all } else { &moving } {
                // The smaller id reports a pair of two moved ones.
                let twin = proxies.has_moved(other) && other <= id;
                if other != id && !twin && proxies.are_pair(id, other) {
                    found.push(id, other);
                }
            }
            if found.is_full() {
                return;
            }
        }
    }

    fn search<P: Probe>(&self, proxies: &Proxies, _probe: &P, mut limit: f64, visit: &mut impl FnMut(u32) -> f64) {
        for id in proxies.occupied() {
            if limit < 0.0 {
                return;
            }
            limit = visit(id);
        }
    }

    fn boxes(&self, proxies: &Proxies, visit: &mut dyn FnMut(Aabb)) {
        proxies.occupied().for_each(|id| visit(*proxies.fat(id)));
    }

    fn validate(&self, _proxies: &Proxies) -> Result<(), String> {
        Ok(())
    }
}
