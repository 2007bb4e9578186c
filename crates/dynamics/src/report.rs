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
    /// What there was to solve, and in which way. All zero if the method does not say.
    pub work: StepWork,
    /// How well the constraints were solved: the most sweeps and the largest residual of all islands.
    pub solved: Convergence,
    /// How accurate it was, as far as the method controls its error; all zero otherwise.
    pub accuracy: AccuracyReport,
    /// How long it took. The only part that is not the same in every run.
    pub times: StepTimes,
}

/// What a step had to do: how much, and in which of several ways. Where a step looks at contacts several times, it is of the last time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepWork {
    /// How many pairs of colliders were near each other.
    pub pairs: usize,
    /// How many of them have the same contact points as when they were looked at before.
    pub recycled: usize,
    /// How often contacts were looked at.
    pub looks: usize,
    /// How many islands were solved exactly, by elimination, and how many of these were at rest.
    pub exact_islands: usize,
    /// See `exact_islands`.
    pub resting_islands: usize,
    /// How many islands were solved by sweeps.
    pub heaps: usize,
    /// How many patches of contact they have.
    pub swept_contacts: usize,
    /// How many colours these have: groups of contacts that share no moving body.
    pub colours: usize,
    /// In how many substeps exact islands went from one look at the contacts to the next.
    pub exact_substeps: usize,
    /// The same of heaps.
    pub heap_substeps: usize,
    /// How often a part of the step was solved again, because bodies ran into what was not expected to be in their way.
    pub second_thoughts: usize,
}

/// What a method with error control did in a step of the world.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AccuracyReport {
    /// How many steps of the integration were taken.
    pub steps: u64,
    /// How many more were tried and found too long.
    pub rejected: u64,
    /// How many events there were: impacts, surfaces that part, slide or hold, limits, motors that yield, joints that break.
    pub events: u64,
    /// How often accelerations were computed.
    pub evaluations: u64,
    /// The length of the integration's next step, in seconds.
    pub step: f64,
    /// The estimated error of the last step, relative to the sizes and speeds of the scene.
    pub error: f64,
    /// The sum of the estimated errors of all steps since the start: an upper estimate where errors do not grow by themselves.
    pub total_error: f64,
    /// The estimated error of positions since the start, in metres, where the method was asked to go along with a second run.
    pub estimated_error: Option<f64>,
    /// The largest error of a constraint before it was put right, in metres or radians.
    pub drift: f64,
    /// How much of the time, in seconds, was taken in small steps because events crowded.
    pub stumbled: f64,
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
}

impl Convergence {
    /// The worse of two.
    pub fn worse(self, other: Self) -> Self {
        Self {
            sweeps: self.sweeps.max(other.sweeps),
            residual: self.residual.max(other.residual),
            joint_residual: self.joint_residual.max(other.joint_residual),
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
    /// What that consists of, as far as the method says. All zero if it does not.
    pub stages: StageTimes,
}

/// How long the stages of a step took, in the order in which they come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StageTimes {
    /// Finding out which colliders are near each other.
    pub broad_phase: Duration,
    /// Finding out where they touch.
    pub narrow_phase: Duration,
    /// Finding islands and waking them.
    pub islands: Duration,
    /// Summing forces, and making bodies ready.
    pub forces: Duration,
    /// Telling which predicted contacts the motion confirms.
    pub ghosts: Duration,
    /// Making contacts and joints ready.
    pub prepare: Duration,
    /// Moving bodies that nothing touches, and solving islands exactly.
    pub exact: Duration,
    /// Solving heaps by sweeps.
    pub sweeps: Duration,
    /// Taking over motions and impulses.
    pub store: Duration,
    /// Sleep, events and the like.
    pub finish: Duration,
}

impl StageTimes {
    /// The stages by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Duration)> {
        [
            ("broad phase", self.broad_phase),
            ("narrow phase", self.narrow_phase),
            ("islands", self.islands),
            ("forces", self.forces),
            ("ghosts", self.ghosts),
            ("prepare", self.prepare),
            ("exact", self.exact),
            ("sweeps", self.sweeps),
            ("store", self.store),
            ("finish", self.finish),
        ]
        .into_iter()
    }
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

    /// The time since the start, from where it starts anew.
    pub(crate) fn lap(&mut self) -> Duration {
        let elapsed = self.elapsed();
        if let Some(started) = &mut self.started {
            *started += elapsed;
        }
        elapsed
    }
}
