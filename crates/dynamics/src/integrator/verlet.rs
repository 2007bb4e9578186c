//! Verlet's method without velocities (G 2.4.2, B 4): the next position follows from the last two,
//!
//! ```text
//! x' = x + (1 − ξ) (x − x₋) + h² a
//! ```
//!
//! and likewise for rotations, with the rotation vector from one orientation to the next in place of x − x₋. Second
//! order in the positions. ξ is the part of the motion that is lost in a step, whatever its length; B 4.1 writes ξ for the part that
//! stays, 1 − ξ here. The velocity it reports, `(x' − x)/h + ½ h a`, is a by-product; when somebody else changes it
//! (an impulse), the position before is moved accordingly. The damping of bodies, per second, is another matter and exact (see
//! `decay`): x − x₋ and h² a, half a step and a whole one old, shrink by as much as velocities do in that time.

use super::decay::{Decay, undamped};
use super::rotation::angular_acceleration;
use super::{EquationsOfMotion, Integrator};
use crate::schema::JsonSchema;
use crate::{BodyState, ModelError};
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};
use tumble_geometry::math::rotation_from_vector;

/// The same as `velocity_verlet`, written with positions alone as Verlet did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Verlet {
    /// The fraction ξ of the motion that is lost per step, 1 minus that of B 4.1: with 1 a body stops when the forces do. Default 0.
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
    /// The displacement x − x₋ and the rotation vector from the orientation before, which a tiny rotation would lose.
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
}

/// What is known of the past of a coordinate.
enum Past {
    /// x − x₋, and by how much somebody changed the velocity since.
    Moved(DVec3, DVec3),
    /// The velocity it starts with.
    Starts(DVec3),
}

impl Past {
    /// Of the position and of the orientation of a body, before a step of `dt`.
    fn of(memory: Option<&Memory>, body: &BodyState, dt: f64) -> (Self, Self) {
        match memory {
            Some(memory) if memory.left == (body.position, body.rotation) && memory.dt == dt => (
                Self::Moved(memory.moved.0, body.velocity - memory.reported.0),
                Self::Moved(memory.moved.1, body.angular_velocity - memory.reported.1),
            ),
            _ => (Self::Starts(body.velocity), Self::Starts(body.angular_velocity)),
        }
    }

    /// x' − x and the velocity to report, when the fraction `keep` of the motion is kept, `force` accelerates and the body is damped
    /// by `rate` per second.
    fn advanced(&self, keep: f64, force: DVec3, rate: f64, dt: f64) -> (DVec3, DVec3) {
        let (whole, half) = (Decay::over(rate, dt), Decay::over(rate, 0.5 * dt));
        let step = match self {
            Self::Moved(moved, kick) => {
                (*moved * whole.kept + *kick * (dt * half.kept)) * keep + force * (dt * dt * whole.mean)
            }
            // A body with this velocity and acceleration comes from x₋ = x − h v + ½ h² a.
            Self::Starts(velocity) => {
                let gained = force * (dt * dt * half.mean);
                (*velocity * (dt * half.kept) - gained * 0.5) * keep + gained
            }
        };
        (step, step / dt * half.kept + force * (0.5 * dt * half.mean))
    }
}

impl Integrator for Verlet {
    fn advance(&mut self, equations: &dyn EquationsOfMotion, time: f64, dt: f64, bodies: &mut [BodyState]) {
        let accelerations = undamped(equations, time, bodies);
        self.memory.resize(bodies.len(), None);
        let keep = 1.0 - self.damping.clamp(0.0, 1.0);
        for (index, body) in bodies.iter_mut().enumerate() {
            let memory = self.memory[index].take();
            let Some(model) = equations.model().bodies().in_slot(index).filter(|_| equations.moves(index)) else {
                continue;
            };
            let linear = accelerations[index].linear;
            let angular =
                angular_acceleration(model, body.rotation, body.angular_velocity, accelerations[index].torque);
            let (position, orientation) = Past::of(memory.as_ref(), body, dt);
            let (step, velocity) = position.advanced(keep, linear, model.linear_damping, dt);
            let (turn, angular_velocity) = orientation.advanced(keep, angular, model.angular_damping, dt);
            body.position += step;
            body.rotation = (rotation_from_vector(turn) * body.rotation).normalize();
            (body.velocity, body.angular_velocity) = (velocity, angular_velocity);
            self.memory[index] = Some(Memory {
                dt,
                left: (body.position, body.rotation),
                moved: (step, turn),
                reported: (body.velocity, body.angular_velocity),
            });
        }
    }

    fn remembers(&self) -> bool {
        true
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
