//! The reference problems: simulations against formulas and results known to many digits.
//!
//! Each [`Problem`] loads one or several scenes (`scenes/reference`), runs them, and hands over what it measured as
//! [`Finding`]s: a quantity, its measured and its expected value, and how far they may be apart. There are two tolerances.
//! *Accurate* is what a method with error control has to reach. *Stepping* is what a method that goes in steps of a fixed
//! length may be held to at the step the scene uses:
//!
//! - what such a method computes exactly but for rounding (free fall, sliding, rolling, single impacts, statics): [`EXACT`];
//! - the same where many rows depend on each other, and an iterative solver that stops at 10⁻¹⁰ m/s is some hundred times as
//!   far from the solution: [`SOLVED`];
//! - smooth motion, where the error of a method of second order is about (ω h)² ω t/24 for a motion of frequency ω; the
//!   scenes choose h so that this is well below [`SMOOTH`], which is what real-time use may rely on;
//! - instants (a joint breaks, a ball leaves the ground) are known to a step: the tolerance is named where it is used.
//!
//! A tolerance is not bent to what was measured. Where it is known that the stepping method does not reach it, the finding
//! says why and how large the error is known to be ([`Finding::limit`]), and its verdict is [`Verdict::NotReached`] instead of
//! [`Verdict::Failed`], as long as the error stays about there ([`Limit::MARGIN`]).

mod chains;
mod elliptic;
mod findings;
mod forces;
mod free_motion;
mod impacts;
mod joints;
mod lab;
mod linkages;
mod mass;
mod pendulums;
mod rod_impact;
mod rolling;
mod running;
mod sliding;
mod springs;
mod stacks;
mod toys;

pub use findings::{Finding, Findings, Limit, Verdict};
pub use lab::{Conditions, Lab};
pub use running::{Outcome, run};

use std::error::Error;

/// The tolerance for what a stepping method computes exactly but for rounding.
pub const EXACT: f64 = 1e-9;
/// The tolerance for what it computes exactly but for the residual of an iterative solver.
pub const SOLVED: f64 = 1e-8;
/// The tolerance for smooth motion with a method of second order, at the step of the scene.
pub const SMOOTH: f64 = 1e-3;

/// What keeps a problem from being measured: a scene that does not load, a step that cannot be taken.
pub type Trouble = Box<dyn Error + Send + Sync>;

/// A problem with a known answer.
#[derive(Clone, Copy, Debug)]
pub struct Problem {
    /// The name to ask for it by.
    pub name: &'static str,
    /// What is looked at, in one line.
    pub about: &'static str,
    /// How long it takes.
    pub cost: Cost,
    measure: fn(&Lab, &mut Findings) -> Result<(), Trouble>,
}

/// How long a problem takes to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cost {
    /// Up to a few seconds.
    Quick,
    /// Longer: only on demand.
    Slow,
}

/// The problems by topic.
const TOPICS: [&[Problem]; 13] = [
    free_motion::PROBLEMS,
    pendulums::PROBLEMS,
    chains::PROBLEMS,
    linkages::PROBLEMS,
    joints::PROBLEMS,
    impacts::PROBLEMS,
    sliding::PROBLEMS,
    rolling::PROBLEMS,
    toys::PROBLEMS,
    stacks::PROBLEMS,
    forces::PROBLEMS,
    springs::PROBLEMS,
    mass::PROBLEMS,
];

/// All problems, by topic.
pub fn problems() -> impl Iterator<Item = &'static Problem> {
    TOPICS.into_iter().flatten()
}

/// The text of a scene in `scenes/reference`.
macro_rules! reference_scene {
    ($name:literal) => {
        include_str!(concat!("../../../../scenes/reference/", $name, ".toml"))
    };
}
use reference_scene;
