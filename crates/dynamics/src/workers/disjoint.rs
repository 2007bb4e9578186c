//! Slices that several threads work on at once, each on its own items.

#![allow(unsafe_code, reason = "the compiler cannot see that the items of different threads are different; see SAFETY")]

use super::pool::Member;
use crate::Workers;
use std::marker::PhantomData;
use std::ops::Range;

/// A slice of which every thread may take items that no other one takes.
pub(crate) struct Disjoint<'a, T> {
    start: *mut T,
    len: usize,
    life: PhantomData<&'a mut [T]>,
}

// SAFETY: it is an exclusive slice in parts; sending parts of `&mut [T]` to other threads takes `T: Send`.
unsafe impl<T: Send> Sync for Disjoint<'_, T> {}

impl<'a, T> Disjoint<'a, T> {
    /// # Safety
    ///
    /// Parts that are held at the same time must not meet, and where one thread takes what another one had, a barrier or a lock must lie
    /// between.
    pub(crate) unsafe fn new(items: &'a mut [T]) -> Self {
        Self { start: items.as_mut_ptr(), len: items.len(), life: PhantomData }
    }

    /// The items of a range.
    #[expect(clippy::mut_from_ref, reason = "who made this promised that parts do not meet")]
    pub(crate) fn part(&self, range: Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.len, "{range:?} of {} items", self.len);
        // SAFETY: the range lies within the slice, which is borrowed exclusively for 'a, and who made this promised that nobody else
        // holds any of it.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(range.start), range.end - range.start) }
    }
}

impl Workers {
    /// Has up to `members` threads do a job, each on its share of the items.
    pub(crate) fn shares<T: Send>(&self, members: usize, items: &mut [T], job: impl Fn(&Member<'_>, &mut [T]) + Sync) {
        // SAFETY: each member takes its share, and takes it once; the shares of different members do not meet.
        let items = unsafe { Disjoint::new(items) };
        self.team(members, |member| job(member, items.part(member.share(items.len))));
    }
}

/// Items that are read and written whole by several threads at once, none of them by two.
pub(crate) struct Rows<'a, T>(Disjoint<'a, T>);

impl<'a, T: Copy> Rows<'a, T> {
    /// # Safety
    ///
    /// Between two barriers (or other points of synchronisation) of the threads that use it, a row that one thread sets is neither got nor set by
    /// another.
    pub(crate) unsafe fn new(rows: &'a mut [T]) -> Self {
        // SAFETY: rows are only read and written whole, and the caller promises that no two threads do so at once.
        Self(unsafe { Disjoint::new(rows) })
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len
    }

    #[inline(always)]
    pub(crate) fn get(&self, index: usize) -> T {
        assert!(index < self.0.len);
        // SAFETY: the row exists, and who made this promised that nobody writes it at the same time.
        unsafe { self.0.start.add(index).read() }
    }

    #[inline(always)]
    pub(crate) fn set(&self, index: usize, value: T) {
        assert!(index < self.0.len);
        // SAFETY: the row exists, and who made this promised that nobody else uses it at the same time.
        unsafe { self.0.start.add(index).write(value) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_pass_from_thread_to_thread_over_a_barrier() {
        let workers = Workers::new(3);
        let mut numbers: Vec<u64> = (0..30).collect();
        // SAFETY: in round k the row i belongs to the member of share (i + k) mod 30, and a barrier parts the rounds.
        let rows = unsafe { Rows::new(&mut numbers) };
        workers.team(3, |member| {
            for round in 0..5 {
                for place in member.share(rows.len()) {
                    let row = (place + 7 * round) % rows.len();
                    rows.set(row, rows.get(row) + 1);
                }
                member.wait();
            }
        });
        assert!(numbers.iter().enumerate().all(|(k, &number)| number == k as u64 + 5));
    }
}
