//! Workers: threads among which a method divides its work.
//!
//! The parts are fixed by the number of items and not by who is ready first, and each item is worked on alone, so results
//! do not depend on how many workers there are.

use std::num::NonZeroUsize;

/// How many threads a step may use, this one included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workers {
    count: NonZeroUsize,
}

impl Default for Workers {
    /// One: the thread that takes the step.
    fn default() -> Self {
        Self { count: NonZeroUsize::MIN }
    }
}

impl Workers {
    /// So many threads; zero counts as one.
    pub fn new(count: usize) -> Self {
        Self { count: NonZeroUsize::new(count).unwrap_or(NonZeroUsize::MIN) }
    }

    /// How many threads there are.
    pub fn count(&self) -> usize {
        self.count.get()
    }

    /// Does `work` on every item, on all threads at once, `least` items at least on each. Every thread first gets a
    /// scratch pad of its own.
    pub fn for_each<T: Send, S>(
        &self,
        items: &mut [T],
        least: usize,
        scratch: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, &mut T) + Sync,
    ) {
        let part = items.len().div_ceil(self.count()).max(least).max(1);
        let work_on = |items: &mut [T]| {
            let mut scratch = scratch();
            items.iter_mut().for_each(|item| work(&mut scratch, item));
        };
        let mut parts = items.chunks_mut(part);
        let Some(first) = parts.next() else { return };
        if parts.len() == 0 {
            // Even a scope without threads allocates.
            return work_on(first);
        }
        std::thread::scope(|scope| {
            for part in parts {
                scope.spawn(|| work_on(part));
            }
            work_on(first);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_worked_on_once_whoever_does_it() {
        for count in [0, 1, 2, 3, 8, 100] {
            for size in [0, 1, 2, 7, 64, 1000] {
                let mut items: Vec<usize> = (0..size).collect();
                Workers::new(count).for_each(&mut items, 4, || 1, |one, item| *item = 2 * *item + *one);
                assert!(items.iter().enumerate().all(|(index, &item)| item == 2 * index + 1));
            }
        }
    }
}
