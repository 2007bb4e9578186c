//! Integrators: move bodies through time under forces.

mod decay;
mod elliptic;
mod euler;
mod free_top;
mod momentum;
mod rotation;
mod runge_kutta;
mod velocity_verlet;
mod verlet;

pub(crate) use decay::Decay;
pub use elliptic::EllipticTop;
pub use euler::{ExplicitEuler, SemiImplicitEuler};
pub(crate) use free_top::free_rotation;
pub use rotation::{Gyroscopic, QuaternionUpdate};
pub use runge_kutta::{CashKarp, RungeKutta4};
pub use velocity_verlet::VelocityVerlet;
pub use verlet::Verlet;

#[cfg(feature = "registry")]
use crate::registry::Table;
use crate::{BodyState, Model, ModelError};
use glam::DVec3;

/// How the velocities of a body change at a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Acceleration {
    /// Of the centre of mass, in m/s².
    pub linear: DVec3,
    /// The torque about the centre of mass in N m, in world coordinates; the gyroscopic term is the integrator's matter.
    pub torque: DVec3,
}

/// The equations of motion.
pub trait EquationsOfMotion {
    /// The accelerations of all bodies at a time and in given motions, with the damping of the model, −ξ v and −ξ I ω. Rows of
    /// bodies that do not move are left zero.
    fn accelerations(&self, time: f64, bodies: &[BodyState], accelerations: &mut [Acceleration]);

    /// The bodies' masses and inertias.
    fn model(&self) -> &Model;

    /// Whether row `index` is to be moved (a movable body that is awake).
    fn moves(&self, index: usize) -> bool;
}

/// A way to take a step of the equations of motion.
pub trait Integrator: std::any::Any + std::fmt::Debug + Send + Sync {
    /// Advances the rows that move from `time` to `time + dt`.
    fn advance(&mut self, equations: &dyn EquationsOfMotion, time: f64, dt: f64, bodies: &mut [BodyState]);

    /// Whether it remembers earlier steps, so that it cannot be asked to move some bodies alone or in shorter steps. Default: not.
    fn remembers(&self) -> bool {
        false
    }

    /// Whether the energy that it gains or loses tells how wrong it is: a symplectic one gains and loses none in the long run. Default: not.
    fn keeps_energy(&self) -> bool {
        false
    }

    /// Forgets everything remembered from earlier steps. Default: there is nothing to forget.
    fn reset(&mut self) {}

    /// All it remembers from earlier steps, as finite numbers. Default: nothing.
    fn memory(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Takes over what an integrator of the same kind remembered; refused if it makes no sense. Default: there is nothing to
    /// take over.
    fn load(&mut self, _memory: &[f64]) -> Result<(), ModelError> {
        self.reset();
        Ok(())
    }

    /// A copy in a box, with all it remembers.
    fn clone_box(&self) -> Box<dyn Integrator>;
}

/// Registers the built-in integrators.
#[cfg(feature = "registry")]
pub(crate) fn register(table: &mut Table<Box<dyn Integrator>>) {
    table.register("explicit_euler", |integrator: ExplicitEuler| Ok(Box::new(integrator) as _));
    table.register("semi_implicit_euler", |integrator: SemiImplicitEuler| Ok(Box::new(integrator) as _));
    table.register("elliptic_top", |integrator: EllipticTop| Ok(Box::new(integrator) as _));
    table.register("verlet", |integrator: Verlet| Ok(Box::new(integrator) as _));
    table.register("runge_kutta_4", |integrator: RungeKutta4| Ok(Box::new(integrator) as _));
    table.register("cash_karp", |integrator: CashKarp| Ok(Box::new(integrator) as _));
    table.register("velocity_verlet", |integrator: VelocityVerlet| Ok(Box::new(integrator) as _));
}
