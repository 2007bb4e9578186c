//! Activity: islands that are at rest fall asleep as a whole, and what touches something awake wakes up (G 3.10.4).
//!
//! To be slow is not to be at rest: a block that begins to slide, a pendulum at its turning point and a ball at the top of
//! its flight are slow too. What is at rest is in balance, it does not accelerate. So a body is quiet as long as it is
//! slow **and** its velocity stays what it was when it became quiet, but for what a residual acceleration of
//! `quiet_acceleration` would change in the time it takes to fall asleep; if it changes by more, the time is counted anew.
//! Velocities are compared over that whole time and not from step to step, because the small errors of an iterative solver
//! have no direction and cancel.
//!
//! How much acceleration is none depends on what pushes. On Earth 2 mm/s² are two parts in ten thousand of what is in balance; in
//! free space they are a thrust. So the limit is also `BALANCE` times the acceleration that forces alone would give the bodies
//! of the island.

use super::islands::Island;
use crate::event::{Events, SleepEvent};
use crate::model::{BodyKind, Sleep};
use crate::{BodyId, Id, Model, State};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// The share of the acceleration by forces up to which they count as balanced.
const BALANCE: f64 = 2.1e-4;
/// No acceleration smaller than this keeps a body awake, in m/s²: that of rounding.
const LEAST: f64 = 1e-6;

/// When bodies fall asleep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ActivitySettings {
    /// A body is quiet while its speed is below this, in m/s.
    pub quiet_speed: f64,
    /// A body is quiet while its angular speed is below this, in rad/s.
    pub quiet_angular_speed: f64,
    /// What accelerates by more than this, in m/s², or twice this in rad/s², is not quiet. Where forces are weaker than gravity on
    /// Earth, the limit is lower by as much.
    pub quiet_acceleration: f64,
    /// Islands whose bodies were all quiet for this long fall asleep, in seconds. Infinite: never.
    pub time_to_sleep: f64,
}

/// The velocities that quiet bodies had when they became quiet, by slot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Activity {
    began_with: Vec<[DVec3; 2]>,
}

impl Activity {
    /// Forgets everything: all bodies that are awake have just become so.
    pub fn reset(&mut self) {
        self.began_with.clear();
    }

    /// Says what is not sound for a state with so many bodies.
    pub(crate) fn validate(&self, bodies: usize) -> Result<(), String> {
        let known = self.began_with.len();
        match self.began_with.iter().flatten().all(|velocity| velocity.is_finite()) {
            _ if known > bodies => Err(format!("the memory knows {known} bodies, but the state has {bodies}")),
            false => Err("a velocity that the activity remembers is not finite".into()),
            true => Ok(()),
        }
    }

    /// Wakes the bodies of all islands in which one is awake, that touch a moving script, or of which `pushed` says that
    /// they came to touch something between the steps.
    pub fn wake_touched<'a>(
        &mut self,
        state: &mut State,
        islands: impl Iterator<Item = &'a Island>,
        pushed: impl Fn(&State, &Island) -> bool,
        events: &mut Events,
    ) {
        let time = state.time;
        for island in islands {
            if island.awake || pushed(state, island) {
                for &id in &island.bodies {
                    let body = &mut state.bodies[id.slot()];
                    if body.asleep {
                        (body.asleep, body.quiet_time) = (false, 0.0);
                        events.woke.push(SleepEvent { time, body: id });
                    }
                }
            }
        }
    }

    /// Counts how long each body has been quiet and puts islands to sleep whose bodies all were for long enough. `time` is
    /// that of the end of the step; `pushed` tells how much, in m/s², forces alone would accelerate a body.
    pub fn update<'a>(
        &mut self,
        model: &Model,
        state: &mut State,
        (time, dt): (f64, f64),
        (settings, pushed): (&ActivitySettings, impl Fn(BodyId) -> f64),
        islands: impl Iterator<Item = &'a Island>,
        events: &mut Events,
    ) {
        self.began_with.resize(state.bodies.len(), [DVec3::ZERO; 2]);
        for island in islands.filter(|island| island.awake) {
            let push = island.bodies.iter().map(|&id| pushed(id)).fold(0.0, f64::max);
            let quiet_acceleration = settings.quiet_acceleration.min((BALANCE * push).max(LEAST));
            let change = quiet_acceleration * settings.time_to_sleep.max(dt);
            let mut rests = true;
            for &id in &island.bodies {
                let (body, began) = (&mut state.bodies[id.slot()], &mut self.began_with[id.slot()]);
                let may_sleep = model.bodies().get(id).is_some_and(|body| body.sleep == Sleep::Allowed);
                let slow = body.velocity.length() < settings.quiet_speed
                    && body.angular_velocity.length() < settings.quiet_angular_speed;
                let steady = (body.velocity - began[0]).length() <= change
                    && (body.angular_velocity - began[1]).length() <= 2.0 * change;
                if slow && steady && may_sleep {
                    body.quiet_time += dt;
                } else {
                    *began = [body.velocity, body.angular_velocity];
                    body.quiet_time = 0.0;
                }
                rests &= body.quiet_time > 0.0 && body.quiet_time >= settings.time_to_sleep;
            }
            if rests {
                for &id in &island.bodies {
                    let body = &mut state.bodies[id.slot()];
                    body.asleep = true;
                    (body.velocity, body.angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
                    self.began_with[id.slot()] = [DVec3::ZERO; 2];
                    events.slept.push(SleepEvent { time, body: id });
                }
            }
        }
    }
}

/// Whether one of two bodies follows a script and moves.
pub fn is_moving_script(model: &Model, state: &State, bodies: [BodyId; 2]) -> bool {
    bodies.into_iter().any(|id| {
        let scripted = model.bodies().get(id).is_some_and(|body| matches!(body.kind, BodyKind::Scripted(_)));
        let body = &state.bodies[id.slot()];
        scripted && (body.velocity != DVec3::ZERO || body.angular_velocity != DVec3::ZERO)
    })
}
