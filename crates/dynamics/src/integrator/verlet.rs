//! Verlet's method without velocities (G 2.4.2, B 4): the next position follows from the last two,
//!
//! ```text
//! x' = x + (1 − ξ) (x − x₋) + h² a
//! ```
//!
//! and likewise for rotations, with the rotation vector from one orientation to the next in place of x − x₋. Second
//! order in the positions. The velocity it reports, `(x' − x)/h + ½ h a`, is a by-product; when somebody else changes it
//! (an impulse), the position before is moved accordingly.

use super::rotation::angular_acceleration;
use super::{Acceleration, EquationsOfMotion, Integrator};
use crate::{BodyState, ModelError};
use glam::{DQuat, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tumble_geometry::math::{rotation_from_vector, rotation_vector};

/// Verlet's method without velocities.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Verlet {
    /// The fraction ξ of the motion that is lost per step (B 4.1). Default 0.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub damping: f64,
    #[serde(skip)]
    memory: Vec<Option<Memory>>,
}

/// What is remembered of a body from the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Memory {
    /// The step it came from.
    dt: f64,
    /// The motion as it was left; if it is another now, somebody moved the body.
    left: (DVec3, DQuat),
    /// The displacement x − x₋ and the rotation vector from the orientation before.
    moved: (DVec3, DVec3),
    /// The velocities that were reported.
    reported: (DVec3, DVec3),
}

/// How many numbers a memory is.
const OF_BODY: usize = 20;

impl Memory {
    fn numbers(&self) -> [f64; OF_BODY] {
        let Self { dt, left: (p, q), moved: (s, t), reported: (v, w) } = self;
        [*dt, p.x, p.y, p.z, q.x, q.y, q.z, q.w, s.x, s.y, s.z, t.x, t.y, t.z, v.x, v.y, v.z, w.x, w.y, w.z]
    }

    /// From so many numbers.
    fn of(numbers: &[f64]) -> Self {
        let vector = |at: usize| DVec3::from_slice(&numbers[at..at + 3]);
        Self {
            dt: numbers[0],
            left: (vector(1), DQuat::from_slice(&numbers[4..8])),
            moved: (vector(8), vector(11)),
            reported: (vector(14), vector(17)),
        }
    }
}

impl Verlet {
    /// With the given damping per step.
    pub fn with_damping(damping: f64) -> Self {
        Self { damping, memory: Vec::new() }
    }

    /// x − x₋ and its counterpart for the rotation, over a step of `dt`.
    fn moved(memory: Option<&Memory>, body: &BodyState, linear: DVec3, angular: DVec3, dt: f64) -> (DVec3, DVec3) {
        match memory {
            Some(memory) if memory.left == (body.position, body.rotation) && memory.dt == dt => {
                let kick = (body.velocity - memory.reported.0, body.angular_velocity - memory.reported.1);
                (memory.moved.0 + kick.0 * dt, memory.moved.1 + kick.1 * dt)
            }
            // The first step: where a body with this velocity and acceleration came from.
            _ => {
                (body.velocity * dt - linear * (0.5 * dt * dt), body.angular_velocity * dt - angular * (0.5 * dt * dt))
            }
        }
    }
}

impl Integrator for Verlet {
    fn advance(&mut self, equations: &dyn EquationsOfMotion, time: f64, dt: f64, bodies: &mut [BodyState]) {
        let mut accelerations = vec![Acceleration::default(); bodies.len()];
        equations.accelerations(time, bodies, &mut accelerations);
        self.memory.resize(bodies.len(), None);
        let keep = 1.0 - self.damping;
        for (index, body) in bodies.iter_mut().enumerate() {
            let memory = self.memory[index].take();
            let Some(model) = equations.model().bodies().in_slot(index).filter(|_| equations.moves(index)) else {
                continue;
            };
            let linear = accelerations[index].linear;
            let angular =
                angular_acceleration(model, body.rotation, body.angular_velocity, accelerations[index].torque);
            let (step, turn) = Self::moved(memory.as_ref(), body, linear, angular, dt);
            let (step, turn) = (step * keep + linear * (dt * dt), turn * keep + angular * (dt * dt));
            let before = body.rotation;
            body.position += step;
            body.rotation = (rotation_from_vector(turn) * body.rotation).normalize();
            body.velocity = step / dt + linear * (0.5 * dt);
            body.angular_velocity = turn / dt + angular * (0.5 * dt);
            self.memory[index] = Some(Memory {
                dt,
                left: (body.position, body.rotation),
                moved: (step, rotation_vector(body.rotation * before.conjugate())),
                reported: (body.velocity, body.angular_velocity),
            });
        }
    }

    fn reset(&mut self) {
        self.memory.clear();
    }

    /// The slot and the numbers of each body that has a memory.
    fn memory(&self) -> Vec<f64> {
        let known = self.memory.iter().enumerate().filter_map(|(slot, memory)| Some((slot, memory.as_ref()?)));
        known.flat_map(|(slot, memory)| [slot as f64].into_iter().chain(memory.numbers())).collect()
    }

    fn load(&mut self, memory: &[f64]) -> Result<(), ModelError> {
        /// More bodies than any state has.
        const MOST: f64 = (1 << 26) as f64;
        let sound = |row: &[f64]| row.iter().all(|number| number.is_finite()) && (0.0..MOST).contains(&row[0]);
        let rows = memory.chunks_exact(1 + OF_BODY);
        if !rows.remainder().is_empty() || !rows.clone().all(sound) {
            return Err(ModelError::Invalid("the memory of the integrator \"verlet\" makes no sense".into()));
        }
        self.memory.clear();
        for row in rows {
            let slot = row[0] as usize;
            self.memory.resize(self.memory.len().max(slot + 1), None);
            self.memory[slot] = Some(Memory::of(&row[1..]));
        }
        Ok(())
    }

    fn clone_box(&self) -> Box<dyn Integrator> {
        Box::new(self.clone())
    }
}
