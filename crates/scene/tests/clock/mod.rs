//! A clock for promises about time, on machines that are busy with something else.

use std::time::{Duration, Instant};

/// How long the processor worked for this thread, as far as the system tells; the time that passed otherwise.
pub(crate) fn time_taken<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let busy = on_processor();
    let done = work();
    let passed = start.elapsed();
    let worked = busy.zip(on_processor()).and_then(|(before, after)| after.checked_sub(before));
    (done, worked.filter(|worked| !worked.is_zero()).unwrap_or(passed))
}

/// Linux counts the nanoseconds of each thread.
fn on_processor() -> Option<Duration> {
    let counts = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    counts.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}
