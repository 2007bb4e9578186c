//! Solvers: find the impulses that make velocities obey constraint rows.
//!
//! The problem all of them solve: given velocities v, inverse masses W and rows (J, b, γ, bounds), find impulses λ with
//!
//! ```text
//! v' = v + W Jᵀ λ,    J v' + γ λ = −b   where the bounds of λ allow it,
//! ```
//!
//! and for a bounded row the usual complementarity: λ at its lower bound may go with `J v' > −b`, at its upper bound
//! with `J v' < −b`.

mod block;
mod complementarity;
mod contacts;
mod deepest_first;
pub(crate) mod direct;
mod grouping;
mod lanes;
pub mod lcp;
mod mixed;
mod normals;
mod relaxation;
mod sequential;
mod sequential_impulses;
mod shock;
mod sweeps;
mod system;
mod workspace;

pub use complementarity::{BiconjugateGradients, Lemke, ProjectedGaussSeidel};
pub use deepest_first::DeepestFirst;
pub use direct::Direct;
pub use relaxation::Relaxation;
pub use sequential::Sequential;
pub use sequential_impulses::SequentialImpulses;
pub use shock::ShockPropagation;
pub use workspace::Workspace;

pub use crate::report::Convergence;

use crate::Cancel;
use crate::constraint::Jacobian;
#[cfg(feature = "registry")]
use crate::registry::Table;
use glam::{DMat3, DVec3};

/// What a solver needs to know of a body, and its velocity, which it changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverBody {
    /// 1/m; zero for a body that is not moved.
    pub inverse_mass: f64,
    /// The inverse inertia tensor along world axes, in 1/(kg m²).
    pub inverse_inertia: DMat3,
    /// Velocity of the centre of mass in m/s.
    pub velocity: DVec3,
    /// Angular velocity in rad/s.
    pub angular_velocity: DVec3,
}

/// The bounds of a solver row, as impulses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bounds {
    /// Any λ: an equality, which holds whatever it takes; the row of a joint.
    Free,
    /// λ ≥ 0: a unilateral constraint, which pushes and never pulls; the row of a contact or of a joint's limit.
    NonNegative,
    /// λ between two numbers: a force of limited strength, such as a motor or brake.
    Range {
        /// The smallest λ.
        min: f64,
        /// The largest λ.
        max: f64,
    },
    /// λ = 0: the row has no effect.
    Nothing,
    /// The first of `rows` consecutive rows whose λ form a vector no longer than `stick · λ_normal` if that holds their
    /// velocity at −b, else of length `slip · λ_normal`.
    Cone {
        /// Index of the normal row in the problem.
        normal: usize,
        /// How many rows form the vector: 1 to 3.
        rows: usize,
        /// The coefficient up to which they stick.
        stick: f64,
        /// The coefficient when they slip.
        slip: f64,
    },
    /// A further row of the vector that a `Cone` began.
    ConeMember,
}

impl Bounds {
    /// λ between two numbers, either of which may be infinite. What has no limit either way is [`Free`](Self::Free).
    pub fn between(min: f64, max: f64) -> Self {
        if min == f64::NEG_INFINITY && max == f64::INFINITY { Self::Free } else { Self::Range { min, max } }
    }

    /// The smallest and the largest impulse of a row that is not part of a vector.
    fn range(&self) -> (f64, f64) {
        match *self {
            Self::Free => (f64::NEG_INFINITY, f64::INFINITY),
            Self::NonNegative => (0.0, f64::INFINITY),
            Self::Range { min, max } => (min, max),
            Self::Nothing | Self::Cone { .. } | Self::ConeMember => (0.0, 0.0),
        }
    }

    /// The nearest impulse to this one that is allowed; what forms a vector is left as it is.
    pub(crate) fn clamp(&self, impulse: f64) -> f64 {
        match *self {
            Self::Free | Self::Cone { .. } | Self::ConeMember => impulse,
            Self::NonNegative => impulse.max(0.0),
            Self::Range { min, max } => impulse.max(min).min(max),
            Self::Nothing => 0.0,
        }
    }
}

/// One row of the problem.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverRow {
    /// The two bodies, as indices into the problem's bodies. The world itself is a body with zero inverse mass.
    pub bodies: [usize; 2],
    /// The Jacobian.
    pub jacobian: Jacobian,
    /// b in m/s or rad/s: the row demands `J v' + γ λ = −b`.
    pub bias: f64,
    /// γ, how far the row gives way: velocity per impulse.
    pub gamma: f64,
    /// The bounds of λ.
    pub bounds: Bounds,
    /// The value of the constraint in metres or radians, for solvers that go by depth (negative: violated).
    pub error: f64,
    /// How much the row matters to solvers that weigh rows, from 0 to 1: G's corrective factor β.
    pub weight: f64,
    /// By how much, in radians, the row turns within the step: rows of joints in loops that differ by less are as good as the same, and
    /// may give way a little. 0 for a row that is taken to the letter.
    pub turn: f64,
    /// λ, the accumulated impulse, in N s or N m s. On entry the impulse to start from, which is not yet part of the velocities; on exit
    /// the solution, which is.
    pub impulse: f64,
}

impl SolverRow {
    /// `J v`: the rate of change of the row's value with the bodies' present velocities.
    #[inline]
    pub fn rate(&self, bodies: &[SolverBody]) -> f64 {
        let [a, b] = self.bodies.map(|index| &bodies[index]);
        self.jacobian.dot([a.velocity, b.velocity], [a.angular_velocity, b.angular_velocity])
    }
}

/// Bodies and the rows between them: one island, or the whole world.
#[derive(Debug)]
pub struct Problem<'a> {
    /// The bodies.
    pub bodies: &'a mut [SolverBody],
    /// The rows.
    pub rows: &'a mut [SolverRow],
}

/// A way to solve such problems.
pub trait ConstraintSolver: std::any::Any + std::fmt::Debug + Send + Sync {
    /// Solves: changes the velocities of the bodies and the impulses of the rows; says how well. What a solver remembers must
    /// not show in its results.
    fn solve(&mut self, problem: &mut Problem<'_>) -> Convergence;

    /// Whether it makes up only the part of a row's velocity that its [weight](SolverRow::weight) says, by itself. Default: no.
    fn weighs_rows(&self) -> bool {
        false
    }

    /// From now on, when `cancel` is set, its answers are not wanted any more: it may end at once with any. A solver that takes
    /// long looks at it between sweeps. Default: it does not look.
    fn watch(&mut self, _cancel: &Cancel) {}

    /// A copy in a box.
    fn clone_box(&self) -> Box<dyn ConstraintSolver>;
}

/// Registers the built-in solvers.
#[cfg(feature = "registry")]
pub(crate) fn register(table: &mut Table<Box<dyn ConstraintSolver>>) {
    table.register("biconjugate_gradients", |solver: BiconjugateGradients| Ok(Box::new(solver) as _));
    table.register("lemke", |solver: Lemke| Ok(Box::new(solver) as _));
    table.register("projected_gauss_seidel", |solver: ProjectedGaussSeidel| Ok(Box::new(solver) as _));
    table.register("deepest_first", |solver: DeepestFirst| Ok(Box::new(solver) as _));
    table.register("direct", |solver: Direct| Ok(Box::new(solver) as _));
    table.register("relaxation", |solver: Relaxation| Ok(Box::new(solver) as _));
    table.register("sequential", |solver: Sequential| Ok(Box::new(solver) as _));
    table.register("shock_propagation", |solver: ShockPropagation| Ok(Box::new(solver) as _));
    table.register("sequential_impulses", |solver: SequentialImpulses| Ok(Box::new(solver) as _));
}
