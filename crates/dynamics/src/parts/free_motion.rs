//! The equations of motion under forces alone: `m a = F − ξ m v`, `τ = Σ torques − ξ I ω`.

use super::forces;
use crate::force::Wrenches;
use crate::integrator::{Acceleration, EquationsOfMotion};
use crate::{Applied, BodyState, Id, Model, State};

/// All forces of the model, those applied for this step, and damping.
pub struct FreeMotion<'a> {
    model: &'a Model,
    applied: &'a Applied,
    moves: Vec<bool>,
}

impl<'a> FreeMotion<'a> {
    /// The equations for the bodies of a state that are awake.
    pub fn new(model: &'a Model, state: &'a State) -> Self {
        Self::with_bodies(model, state, &state.bodies)
    }

    /// Like [`new`](Self::new), for those bodies alone that `moves` says, by slot.
    pub fn of_some(model: &'a Model, state: &'a State, moves: &[bool]) -> Self {
        Self { model, applied: &state.applied, moves: moves.to_vec() }
    }

    /// Like [`new`](Self::new), for a state whose bodies were taken out.
    pub fn with_bodies(model: &'a Model, state: &'a State, bodies: &[BodyState]) -> Self {
        let moves = |(slot, body): (usize, &BodyState)| {
            !body.asleep && model.bodies().in_slot(slot).is_some_and(|body| body.kind.is_movable())
        };
        Self { model, applied: &state.applied, moves: bodies.iter().enumerate().map(moves).collect() }
    }
}

impl FreeMotion<'_> {
    /// By slot of the body, whether it moves.
    pub fn into_moves(self) -> Vec<bool> {
        self.moves
    }
}

impl EquationsOfMotion for FreeMotion<'_> {
    fn accelerations(&self, time: f64, bodies: &[BodyState], accelerations: &mut [Acceleration]) {
        let mut wrenches = Wrenches::default();
        forces::sum(self.model, time, bodies, &mut wrenches);
        for (id, body) in self.model.bodies().iter() {
            let slot = id.slot();
            if !self.moves[slot] {
                continue;
            }
            let (state, mut wrench) = (&bodies[slot], wrenches.as_slice()[slot]);
            wrench += self.applied.get(slot);
            let damping = body.angular_damping;
            let drag = if damping > 0.0 {
                body.world_inertia(state.rotation) * state.angular_velocity * damping
            } else {
                Default::default()
            };
            accelerations[slot] = Acceleration {
                linear: wrench.force * body.inverse_mass - state.velocity * body.linear_damping,
                torque: wrench.torque - drag,
            };
        }
    }

    fn model(&self) -> &Model {
        self.model
    }

    fn moves(&self, index: usize) -> bool {
        self.moves.get(index).copied().unwrap_or(false)
    }
}
