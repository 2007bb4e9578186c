//! A clock for promises about time. On any machine it finds what hangs; on one that has nothing else to do, `TUMBLE_QUIET=1` holds
//! promises to their numbers.

use std::time::{Duration, Instant};

/// So much longer than promised may something take on a machine that is slow and busy with something else.
const ON_ANY_MACHINE: u32 = 60;

/// What `work` gives, within the time that is promised for it on a quiet machine.
#[track_caller]
pub(crate) fn within<T>(promised: Duration, what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let busy = on_processor();
    let done = work();
    let passed = start.elapsed();
    let worked = busy.zip(on_processor()).and_then(|(before, after)| after.checked_sub(before));
    let taken = worked.filter(|worked| !worked.is_zero()).unwrap_or(passed);
    let allowed = allowed(promised);
    assert!(taken <= allowed, "{what} took {taken:?} of {allowed:?}");
    done
}

/// How long something may take that is promised within a time on a quiet machine.
pub(crate) fn allowed(promised: Duration) -> Duration {
    if std::env::var_os("TUMBLE_QUIET").is_some() { promised } else { promised * ON_ANY_MACHINE }
}

/// How long the processor worked for this thread: Linux counts the nanoseconds of each.
fn on_processor() -> Option<Duration> {
    let counts = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    counts.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}
