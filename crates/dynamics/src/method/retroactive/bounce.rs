//! Restitution that never creates energy.
//!
//! Newton's law, "the surfaces separate at e times the speed at which they met", applied to several points at once or
//! together with friction, can give bodies more energy than they had (18 % for a rod that hits the ground obliquely). The
//! impulses without restitution never do. So each island has a budget: the kinetic energy it had at the beginning of the
//! step and the work of the forces since. If the velocities v₁ with restitution exceed it, they are drawn back towards the
//! velocities v₀ without, `v = v₀ + s (v₁ − v₀)`, with the largest s ≤ 1 that keeps the budget. Both obey all constraints
//! and friction cones, which are convex, and so does everything between.

use super::island::Island;
use crate::integrator::{Acceleration, EquationsOfMotion};
use crate::solver::SolverBody;
use crate::{BodyId, BodyState, Id, Model};
use glam::DVec3;
use tumble_geometry::math::rotation_vector;

/// Where the bodies were at the beginning of the step, and what pushed them.
#[derive(Clone, Debug, Default)]
pub(super) struct Budget {
    bodies: Vec<BodyState>,
    accelerations: Vec<Acceleration>,
}

impl Budget {
    pub(super) fn new(equations: &dyn EquationsOfMotion, time: f64, bodies: &[BodyState]) -> Self {
        let mut accelerations = vec![Acceleration::default(); bodies.len()];
        equations.accelerations(time, bodies, &mut accelerations);
        Self { bodies: bodies.to_vec(), accelerations }
    }

    /// The kinetic energy an island may have now: what it had, and the work `F·Δx + τ·Δθ` of the forces.
    fn of(&self, model: &Model, now: &[BodyState], island: &Island) -> f64 {
        let energy = |id: &BodyId| {
            let (Some(body), before, after) = (model.bodies().get(*id), &self.bodies[id.slot()], &now[id.slot()])
            else {
                return 0.0;
            };
            let Acceleration { linear, torque } = self.accelerations[id.slot()];
            let spin = body.world_inertia(before.rotation) * before.angular_velocity;
            let kinetic = 0.5 * (body.mass.mass * before.velocity.length_squared() + spin.dot(before.angular_velocity));
            let turned = rotation_vector(after.rotation * before.rotation.conjugate());
            kinetic + body.mass.mass * linear.dot(after.position - before.position) + torque.dot(turned)
        };
        island.bodies.iter().map(energy).sum()
    }

    /// How far, from 0 to 1, the velocities of an island may go from `quiet` (without restitution) to `lively` (with).
    pub(super) fn share(
        &self,
        model: &Model,
        now: &[BodyState],
        island: &Island,
        quiet: &[SolverBody],
        lively: &[SolverBody],
    ) -> f64 {
        // The kinetic energy at share s is a parabola: k + b s + a s².
        let (mut k, mut b, mut a) = (0.0, 0.0, 0.0);
        for (index, id) in island.bodies.iter().enumerate() {
            let Some(body) = model.bodies().get(*id) else { continue };
            let (v, omega) = (quiet[index].velocity, quiet[index].angular_velocity);
            let (dv, domega) = (lively[index].velocity - v, lively[index].angular_velocity - omega);
            let (mass, inertia) = (body.mass.mass, body.world_inertia(now[id.slot()].rotation));
            let energy = |v: DVec3, omega: DVec3| 0.5 * (mass * v.length_squared() + omega.dot(inertia * omega));
            k += energy(v, omega);
            a += energy(dv, domega);
            b += mass * v.dot(dv) + omega.dot(inertia * domega);
        }
        let spare = self.of(model, now, island) - k;
        if k + b + a <= spare + k {
            1.0
        } else if spare <= 0.0 || a <= 0.0 {
            0.0
        } else {
            ((-b + (b * b + 4.0 * a * spare).max(0.0).sqrt()) / (2.0 * a)).clamp(0.0, 1.0)
        }
    }
}
