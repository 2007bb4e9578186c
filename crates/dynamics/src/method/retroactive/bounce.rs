//! Restitution that never creates energy.
//!
//! Newton's law, "the surfaces separate at e times the speed at which they met", applied to several points at once or
//! together with friction, can give bodies more energy than they had (18 % for a rod that hits the ground obliquely). The
//! impulses without restitution never do. So each island has a budget: the kinetic energy it had at the beginning of the
//! step and the work of the forces since. If the velocities v₁ with restitution exceed it, they are drawn back towards the
//! velocities v₀ without, `v = v₀ + s (v₁ − v₀)`, with the largest s ≤ 1 that keeps the budget. Both obey all constraints
//! and friction cones, which are convex, and so does everything between.
//!
//! A scripted body gives as much energy as its script takes. But seen from a frame that moves with it, it stands still and
//! gives none. So the energy of an island that touches scripted bodies is measured in the frame of each of them, and what
//! one of them allows is allowed.

use crate::integrator::{Acceleration, EquationsOfMotion};
use crate::parts::islands::Island;
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

    /// How much forces accelerated a body at the beginning of the step, in m/s².
    pub(super) fn acceleration(&self, id: BodyId) -> f64 {
        self.accelerations.get(id.slot()).map_or(0.0, |acceleration| acceleration.linear.length())
    }

    /// Gives the bodies of an island the velocities they had at the beginning of the step.
    pub(super) fn go_back(&self, island: &Island, bodies: &mut [SolverBody]) {
        for id in &island.bodies {
            let before = &self.bodies[id.slot()];
            (bodies[id.slot()].velocity, bodies[id.slot()].angular_velocity) =
                (before.velocity, before.angular_velocity);
        }
    }

    /// The kinetic energy an island may have now, in a frame that moves with `velocity`: what it had, and the work
    /// `F·Δx + τ·Δθ` of the forces.
    fn of(&self, model: &Model, now: &[BodyState], island: &Island, velocity: DVec3, dt: f64) -> f64 {
        let energy = |id: &BodyId| {
            let (Some(body), before, after) = (model.bodies().get(*id), &self.bodies[id.slot()], &now[id.slot()])
            else {
                return 0.0;
            };
            let Acceleration { linear, torque } = self.accelerations[id.slot()];
            let spin = body.world_inertia(before.rotation) * before.angular_velocity;
            let speed_squared = (before.velocity - velocity).length_squared();
            let kinetic = 0.5 * (body.mass.mass * speed_squared + spin.dot(before.angular_velocity));
            let turned = rotation_vector(after.rotation * before.rotation.conjugate());
            let moved = after.position - before.position - velocity * dt;
            kinetic + body.mass.mass * linear.dot(moved) + torque.dot(turned)
        };
        island.bodies.iter().map(energy).sum()
    }

    /// Whether the energy allows an island these velocities.
    pub(super) fn allows(
        &self,
        model: &Model,
        now: &[BodyState],
        island: &Island,
        velocities: &[SolverBody],
        frames: &[DVec3],
        dt: f64,
    ) -> bool {
        self.share(model, now, island, [velocities, velocities], frames, dt) == 1.0
    }

    /// How far, from 0 to 1, the velocities of an island may go from `quiet` (without restitution) to `lively` (with).
    /// `frames` are the velocities of the scripted bodies it touches.
    pub(super) fn share(
        &self,
        model: &Model,
        now: &[BodyState],
        island: &Island,
        [quiet, lively]: [&[SolverBody]; 2],
        frames: &[DVec3],
        dt: f64,
    ) -> f64 {
        let rest = [DVec3::ZERO];
        let frames = if frames.is_empty() { &rest } else { frames };
        let share = |&frame: &DVec3| {
            let budget = self.of(model, now, island, frame, dt);
            share_within(budget, model, now, island, [quiet, lively], frame)
        };
        frames.iter().map(share).fold(0.0, f64::max)
    }
}

/// How far the velocities may go from `quiet` to `lively` with a kinetic energy, in a frame that moves, within a budget.
fn share_within(
    budget: f64,
    model: &Model,
    now: &[BodyState],
    island: &Island,
    [quiet, lively]: [&[SolverBody]; 2],
    frame: DVec3,
) -> f64 {
    // The kinetic energy at share s is a parabola: k + b s + a s².
    let (mut k, mut b, mut a) = (0.0, 0.0, 0.0);
    for (index, id) in island.bodies.iter().enumerate() {
        let Some(body) = model.bodies().get(*id) else { continue };
        let (v, omega) = (quiet[index].velocity - frame, quiet[index].angular_velocity);
        let (dv, domega) = (lively[index].velocity - quiet[index].velocity, lively[index].angular_velocity - omega);
        let (mass, inertia) = (body.mass.mass, body.world_inertia(now[id.slot()].rotation));
        let energy = |v: DVec3, omega: DVec3| 0.5 * (mass * v.length_squared() + omega.dot(inertia * omega));
        k += energy(v, omega);
        a += energy(dv, domega);
        b += mass * v.dot(dv) + omega.dot(inertia * domega);
    }
    let spare = budget - k;
    if b + a <= spare {
        1.0
    } else if spare <= 0.0 || a <= 0.0 {
        0.0
    } else {
        ((-b + (b * b + 4.0 * a * spare).max(0.0).sqrt()) / (2.0 * a)).clamp(0.0, 1.0)
    }
}
