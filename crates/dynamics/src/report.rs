//! What a step did, in numbers: how much there was to do, how well it was solved and how long it took.

use std::time::Duration;

/// What the last step did. [`World::report`](crate::World::report) tells it; all zero before the first step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// The length of the step in seconds.
    pub dt: f64,
    /// How many bodies that forces move were awake.
    pub awake: usize,
    /// How many bodies that forces move were asleep.
    pub asleep: usize,
    /// How many groups of bodies connected by joints and contacts there were, asleep or awake.
    pub islands: usize,
    /// How many pairs of colliders touched.
    pub contacts: usize,
    /// In how many points.
    pub contact_points: usize,
    /// How well the constraints were solved: the most sweeps and the largest residual of all islands.
    pub solved: Convergence,
    /// How long it took. The only part that is not the same in every run.
    pub times: StepTimes,
}

/// How far a solver got.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Convergence {
    /// How many sweeps over all rows it took.
    pub sweeps: usize,
    /// By how much the last sweep still changed the velocity of a row, in m/s or rad/s.
    pub residual: f64,
    /// By how much a row of a joint, which holds whatever it takes, misses what it demands in the end, in m/s or rad/s. More than
    /// rounding if joints contradict each other, if masses are too different to be solved, or if there were too few sweeps.
    pub joint_residual: f64,
    /// Whether rows of joints in loops that were nearly the same gave way a little, so that more of them would be left undone.
    pub yields: bool,
}

impl Convergence {
    /// The worse of two.
    pub fn worse(self, other: Self) -> Self {
        Self {
            sweeps: self.sweeps.max(other.sweeps),
            residual: self.residual.max(other.residual),
            joint_residual: self.joint_residual.max(other.joint_residual),
            yields: self.yields || other.yields,
        }
    }
}

/// How long the parts of a step took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepTimes {
    /// Finding contacts.
    pub detect: Duration,
    /// Solving constraints.
    pub solve: Duration,
    /// Moving bodies.
    pub integrate: Duration,
    /// The whole step.
    pub total: Duration,
}

/// Measures how long things take; where there is no clock (WebAssembly) nothing takes any time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch {
    started: Option<std::time::Instant>,
}

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self { started: (!cfg!(target_family = "wasm")).then(std::time::Instant::now) }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.started.map_or(Duration::ZERO, |started| started.elapsed())
    }
}
