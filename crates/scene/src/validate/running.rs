//! Measures problems, several at a time.

use super::{Conditions, Finding, Findings, Lab, Problem, Verdict};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;

/// What became of a problem.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The problem.
    pub problem: &'static Problem,
    /// What was measured.
    pub findings: Vec<Finding>,
    /// Why it could not be measured to its end, if so.
    pub trouble: Option<String>,
    /// How long it took on the clock, in seconds.
    pub seconds: f64,
}

impl Outcome {
    /// Whether anything failed that is not known to be out of reach.
    pub fn has_failed(&self) -> bool {
        self.trouble.is_some() || self.findings.iter().any(|finding| finding.verdict() == Verdict::Failed)
    }
}

impl Problem {
    /// Measures the problem.
    pub fn measure(&'static self, lab: &Lab) -> Outcome {
        let begun = Instant::now();
        let mut findings = Findings::new(lab.conditions());
        let trouble = (self.measure)(lab, &mut findings).err().map(|trouble| trouble.to_string());
        Outcome { problem: self, findings: findings.list, trouble, seconds: begun.elapsed().as_secs_f64() }
    }
}

/// Measures problems, as many at a time as the machine has processors, and tells what became of each in their order, as
/// soon as those before it are done. No more problems are begun once `tell` has said `false`.
pub fn run(problems: &[&'static Problem], conditions: &Conditions, mut tell: impl FnMut(Outcome) -> bool) {
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(problems.len());
    let next = AtomicUsize::new(0);
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let (send, next) = (send.clone(), &next);
            scope.spawn(move || {
                let lab = Lab::new(conditions.clone());
                while let Some(problem) = problems.get(next.fetch_add(1, Ordering::Relaxed)) {
                    // Whoever listens may have gone.
                    if send.send(problem.measure(&lab)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(send);
        let mut waiting: Vec<Outcome> = Vec::new();
        let mut due = problems.iter().peekable();
        for outcome in receive {
            waiting.push(outcome);
            while let Some(problem) = due.peek()
                && let Some(at) = waiting.iter().position(|outcome| outcome.problem.name == problem.name)
            {
                due.next();
                if !tell(waiting.swap_remove(at)) {
                    next.store(problems.len(), Ordering::Relaxed);
                    return;
                }
            }
        }
    });
}
