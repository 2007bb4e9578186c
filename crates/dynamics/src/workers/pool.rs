//! A pool of threads: fork–join, with a barrier inside.
//!
//! A step forks some dozen times and its threads meet some hundred times, so both must take about a microsecond. The threads live as long
//! as the pool; between two jobs they look for the next one for a moment (they spin) and then sleep until they are called (they park).
//! Who does what follows from the number of a thread alone (a static partition), never from who is ready first.
//!
//! Where other programs want the processors, threads wait long for each other, and one alone is faster: the pool tells when it was so.
//!
//! A thread that panics takes the others with it: those at the barrier leave it, and the panic goes on in the thread that forked.

#![allow(unsafe_code, reason = "threads that outlive a call work on what it has borrowed; see SAFETY")]

use std::any::Any;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often a thread looks before it lets others have the processor.
const LOOKS: u32 = if cfg!(miri) { 2 } else { 1500 };

/// Who waits longer than this at a barrier waits for a thread that does not run.
const LONG: Duration = Duration::from_millis(2);

type Job<'a> = &'a (dyn Fn(&Member<'_>) + Sync);

/// What the threads have in common.
#[derive(Default)]
struct Shared {
    /// The number of the last job.
    number: AtomicU64,
    post: Mutex<Post>,
    call: Condvar,
    /// Threads that still work on the job.
    working: AtomicUsize,
    /// The barrier: how many have come to it, and how often it has opened.
    arrived: AtomicUsize,
    opened: AtomicU32,
    /// How often somebody waited long at it.
    long_waits: AtomicU32,
    panicked: AtomicBool,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// Where jobs are put up.
#[derive(Default)]
struct Post {
    number: u64,
    job: Option<Job<'static>>,
    /// How many threads take part.
    members: usize,
    asleep: usize,
    closed: bool,
}

/// Threads that wait for work.
pub(super) struct Pool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    /// Held by who has the threads work.
    busy: Mutex<()>,
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pool").field("threads", &self.threads.len()).finish()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits a little, the longer the more often it was called.
fn pause(looks: &mut u32) {
    if *looks < LOOKS {
        *looks += 1;
        std::hint::spin_loop();
    } else {
        std::thread::yield_now();
    }
}

impl Pool {
    /// A pool of up to so many threads besides the one that forks: fewer if the system has no more.
    pub(super) fn new(threads: usize) -> Self {
        let shared = Arc::new(Shared::default());
        let spawn = |index: usize| {
            let shared = Arc::clone(&shared);
            std::thread::Builder::new().name(format!("tumble {index}")).spawn(move || shared.work(index)).ok()
        };
        let threads = (1..=threads).map_while(spawn).collect();
        Self { shared, threads, busy: Mutex::new(()) }
    }

    /// Does a job on `members` threads at once, this one included. If the threads work for somebody else, or there are none, it is done
    /// on this one. How often a thread waited long for another one.
    pub(super) fn run(&self, members: usize, job: Job<'_>) -> u32 {
        let members = members.min(self.threads.len() + 1);
        let _busy = match self.busy.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(guard)) => guard.into_inner(),
            Err(TryLockError::WouldBlock) => {
                job(&Member::ALONE);
                return 0;
            }
        };
        if members < 2 {
            job(&Member::ALONE);
            return 0;
        }
        let shared = &*self.shared;
        shared.working.store(self.threads.len(), Ordering::Relaxed);
        shared.arrived.store(0, Ordering::Relaxed);
        shared.panicked.store(false, Ordering::Relaxed);
        // SAFETY: only the lifetime changes. The threads use the job until they have counted themselves out of `working`, and `all_done`
        // does not let go, whether by return or by panic, before all have.
        let job_for_threads = unsafe { std::mem::transmute::<Job<'_>, Job<'static>>(job) };
        let all_done = AllDone(shared);
        shared.put_up(job_for_threads, members);
        job(&Member { shared: Some(shared), index: 0, count: members });
        drop(all_done);
        if shared.panicked.load(Ordering::Acquire) {
            let panic = lock(&shared.panic).take();
            resume_unwind(panic.unwrap_or_else(|| Box::new("a thread of the pool panicked")));
        }
        shared.long_waits.swap(0, Ordering::Relaxed)
    }
}

/// Waits, when it is dropped, until all threads are done with the job.
struct AllDone<'a>(&'a Shared);

impl Drop for AllDone<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.panicked.store(true, Ordering::Release);
        }
        let mut looks = 0;
        while self.0.working.load(Ordering::Acquire) > 0 {
            pause(&mut looks);
        }
        lock(&self.0.post).job = None;
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let mut post = lock(&self.shared.post);
        (post.closed, post.number) = (true, post.number + 1);
        self.shared.number.store(post.number, Ordering::Release);
        drop(post);
        self.shared.call.notify_all();
        for thread in self.threads.drain(..) {
            // It has nothing to tell: what a job panics with was passed on.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn put_up(&self, job: Job<'static>, members: usize) {
        let mut post = lock(&self.post);
        (post.job, post.members) = (Some(job), members);
        post.number += 1;
        self.number.store(post.number, Ordering::Release);
        if post.asleep > 0 {
            self.call.notify_all();
        }
    }

    /// What a thread does all its life.
    fn work(&self, index: usize) {
        let mut seen = 0;
        while let Some((job, members)) = self.next(&mut seen) {
            if index < members {
                let member = Member { shared: Some(self), index, count: members };
                if let Err(panic) = catch_unwind(AssertUnwindSafe(|| job(&member))) {
                    lock(&self.panic).get_or_insert(panic);
                    self.panicked.store(true, Ordering::Release);
                }
            }
            self.working.fetch_sub(1, Ordering::Release);
        }
    }

    /// The next job and how many take part in it; none if the pool is closed.
    fn next(&self, seen: &mut u64) -> Option<(Job<'static>, usize)> {
        for _ in 0..LOOKS {
            if self.number.load(Ordering::Acquire) != *seen {
                break;
            }
            std::hint::spin_loop();
        }
        let mut post = lock(&self.post);
        while post.number == *seen {
            post.asleep += 1;
            post = self.call.wait(post).unwrap_or_else(PoisonError::into_inner);
            post.asleep -= 1;
        }
        *seen = post.number;
        if post.closed { None } else { post.job.map(|job| (job, post.members)) }
    }
}

/// One of the threads that do a job together.
pub(crate) struct Member<'a> {
    /// None for one that is alone.
    shared: Option<&'a Shared>,
    index: usize,
    count: usize,
}

impl Member<'_> {
    pub(super) const ALONE: Member<'static> = Member { shared: None, index: 0, count: 1 };

    /// Which one it is, from zero.
    pub(crate) fn index(&self) -> usize {
        self.index
    }

    /// Its share of so many things: a run of them. The shares of all members follow each other.
    pub(crate) fn share(&self, things: usize) -> Range<usize> {
        let start = |index: usize| (things as u64 * index as u64 / self.count as u64) as usize;
        start(self.index)..start(self.index + 1)
    }

    /// Waits until all members have come here (a barrier). What one wrote before, all can read after.
    pub(crate) fn wait(&self) {
        let Some(shared) = self.shared else { return };
        let opened = shared.opened.load(Ordering::Acquire);
        if shared.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.count {
            shared.arrived.store(0, Ordering::Relaxed);
            shared.opened.store(opened.wrapping_add(1), Ordering::Release);
            return;
        }
        let (mut looks, mut since) = (0, None);
        while shared.opened.load(Ordering::Acquire) == opened {
            if shared.panicked.load(Ordering::Acquire) {
                resume_unwind(Box::new("another thread of the pool panicked"));
            }
            pause(&mut looks);
            if looks == LOOKS && since.is_none() {
                since = Some(Instant::now());
            }
        }
        if since.is_some_and(|since| since.elapsed() > LONG) {
            shared.long_waits.fetch_add(1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_meet_at_the_barrier() {
        let pool = Pool::new(3);
        for members in [1, 2, 3, 4, 9] {
            let counts = [const { AtomicUsize::new(0) }; 20];
            pool.run(members, &|member| {
                for count in &counts {
                    count.fetch_add(1, Ordering::Relaxed);
                    member.wait();
                    assert_eq!(count.load(Ordering::Relaxed), members.min(4));
                    member.wait();
                }
            });
        }
    }

    #[test]
    fn shares_follow_each_other() {
        let pool = Pool::new(2);
        for things in [0, 1, 2, 3, 10, 100] {
            let taken: Vec<AtomicUsize> = (0..things).map(|_| AtomicUsize::new(0)).collect();
            pool.run(3, &|member| {
                for k in member.share(things) {
                    taken[k].fetch_add(1, Ordering::Relaxed);
                }
            });
            assert!(taken.iter().all(|count| count.load(Ordering::Relaxed) == 1));
        }
    }

    #[test]
    fn a_panic_goes_on_in_who_forked_and_the_pool_lives() {
        let pool = Pool::new(2);
        for who in 0..3 {
            let result = catch_unwind(AssertUnwindSafe(|| {
                pool.run(3, &|member| {
                    assert!(member.index() != who, "member {who} fails");
                    member.wait();
                });
            }));
            assert!(result.is_err());
        }
        let count = AtomicUsize::new(0);
        pool.run(3, &|_| {
            count.fetch_add(1, Ordering::Relaxed);
        });
        assert_eq!(count.into_inner(), 3);
    }

    #[test]
    fn who_finds_the_threads_busy_works_alone() {
        let pool = Pool::new(1);
        let count = AtomicUsize::new(0);
        pool.run(2, &|member| {
            if member.index() == 0 {
                pool.run(2, &|_| {
                    count.fetch_add(1, Ordering::Relaxed);
                });
            }
        });
        assert_eq!(count.into_inner(), 1);
    }
}
