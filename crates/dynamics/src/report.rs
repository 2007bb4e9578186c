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
    /// How much there was to do, stage by stage.
    pub work: StepWork,
    /// How well the constraints were solved: the most sweeps and the largest residual of all islands.
    pub solved: Convergence,
    /// How long it took. The only part that is not the same in every run.
    pub times: StepTimes,
}

/// How much there was to do in a step. Zero where a method has no such thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepWork {
    /// How many pairs of colliders were near each other.
    pub pairs: usize,
    /// How often contacts were looked at in the step.
    pub looks: u32,
    /// How many islands were solved exactly.
    pub exact_islands: usize,
    /// How many islands were solved by sweeps.
    pub swept_islands: usize,
    /// In how many substeps the exact islands and what is free went through the step.
    pub substeps: u32,
    /// In how many substeps the swept islands did.
    pub swept_substeps: u32,
    /// How many colours the swept contacts have: those of one colour share no body and are solved side by side.
    pub colours: usize,
}

/// A stage of a step, in the order in which they come. Not every method has all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Which colliders are near each other (broad phase).
    Pairs,
    /// Where they touch (narrow phase).
    Touch,
    /// Which bodies hang together, and who wakes up.
    Islands,
    /// Which contacts the motion confirms.
    Confirm,
    /// Taking over bodies, contacts and joints.
    Prepare,
    /// Solving and moving.
    Solve,
    /// Who falls asleep, what breaks, what is told.
    Finish,
}

impl Stage {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Pairs, Self::Touch, Self::Islands, Self::Confirm, Self::Prepare, Self::Solve, Self::Finish];

    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pairs => "pairs",
            Self::Touch => "touch",
            Self::Islands => "islands",
            Self::Confirm => "confirm",
            Self::Prepare => "prepare",
            Self::Solve => "solve",
            Self::Finish => "finish",
        }
    }
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
    stages: [Duration; Stage::ALL.len()],
}

impl StepTimes {
    /// How long a stage took.
    pub fn stage(&self, stage: Stage) -> Duration {
        self.stages[stage as usize]
    }

    /// The stages that the method has, in the order in which they come, and how long they took.
    pub fn stages(&self) -> impl Iterator<Item = (Stage, Duration)> + '_ {
        Stage::ALL.into_iter().map(|stage| (stage, self.stage(stage))).filter(|(_, time)| !time.is_zero())
    }

    /// Makes stages of the parts, for methods that measure no others.
    pub(crate) fn stages_from_parts(&mut self) {
        let rest = self.total.saturating_sub(self.detect + self.solve + self.integrate);
        self.add(Stage::Touch, self.detect);
        self.add(Stage::Solve, self.solve + self.integrate);
        self.add(Stage::Finish, rest);
    }

    /// Adds to the time of a stage.
    pub(crate) fn add(&mut self, stage: Stage, time: Duration) {
        self.stages[stage as usize] += time;
    }
}

/// Measures one stage after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Laps {
    watch: Stopwatch,
    last: Duration,
}

impl Laps {
    pub(crate) fn start() -> Self {
        Self { watch: Stopwatch::start(), last: Duration::ZERO }
    }

    /// A stage has ended.
    pub(crate) fn end(&mut self, stage: Stage, times: &mut StepTimes) {
        let now = self.watch.elapsed();
        times.add(stage, now.saturating_sub(self.last));
        self.last = now;
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
}
