//! Workers: threads among which a method divides its work.
//!
//! The parts are fixed by the number of items and not by who is ready first, and each item is worked on alone, so results
//! do not depend on how many workers there are.

mod disjoint;
mod pool;

pub(crate) use self::disjoint::{Disjoint, Rows};
pub(crate) use self::pool::Member;

use self::pool::Pool;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

/// More threads than this are of no use to a step.
const MOST: usize = 64;

/// How many threads a step may use, this one included. Copies share their threads, which are started when there is first something for
/// them to do and end with the last copy.
#[derive(Clone, Debug)]
pub struct Workers {
    count: NonZeroUsize,
    threads: Arc<Threads>,
}

/// What copies share.
#[derive(Debug, Default)]
struct Threads {
    pool: OnceLock<Pool>,
    /// How many jobs are still to be done alone, because the processors are busy with something else.
    alone: AtomicU32,
}

/// If threads wait long for each other this often in a job, the next ones are done alone, so many of them.
const CROWDED: u32 = 2;
const ALONE: u32 = 200;

impl Default for Workers {
    /// One: the thread that takes the step.
    fn default() -> Self {
        Self::new(1)
    }
}

/// Equally many.
impl PartialEq for Workers {
    fn eq(&self, other: &Self) -> bool {
        self.count == other.count
    }
}

impl Eq for Workers {}

impl Workers {
    /// So many threads: from 1 to 64, what is beyond counts as the nearest of these.
    pub fn new(count: usize) -> Self {
        let count = NonZeroUsize::new(count.min(MOST)).unwrap_or(NonZeroUsize::MIN);
        Self { count, threads: Arc::default() }
    }

    /// As many threads as the machine runs at once.
    pub fn all() -> Self {
        Self::new(std::thread::available_parallelism().map_or(1, NonZeroUsize::get))
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
        self.shares(items.len() / least.max(1), items, |_, items| {
            let mut scratch = scratch();
            items.iter_mut().for_each(|item| work(&mut scratch, item));
        });
    }

    /// Has up to `members` threads do a job together.
    pub(crate) fn team(&self, members: usize, job: impl Fn(&Member<'_>) + Sync) {
        let (members, Threads { pool, alone }) = (members.min(self.count()), &*self.threads);
        let waits = alone.load(Ordering::Relaxed);
        if members < 2 || waits > 0 {
            alone.store(waits.saturating_sub(1), Ordering::Relaxed);
            return job(&Member::ALONE);
        }
        let pool = pool.get_or_init(|| Pool::new(self.count() - 1));
        if pool.run(members, &job) >= CROWDED {
            alone.store(ALONE, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_worked_on_once_whoever_does_it() {
        for count in [0, 1, 2, 3, 8, 100] {
            let workers = Workers::new(count);
            for size in [0, 1, 2, 7, 64, 1000] {
                let mut items: Vec<usize> = (0..size).collect();
                workers.for_each(&mut items, 4, || 1, |one, item| *item = 2 * *item + *one);
                assert!(items.iter().enumerate().all(|(index, &item)| item == 2 * index + 1));
            }
        }
    }
}
