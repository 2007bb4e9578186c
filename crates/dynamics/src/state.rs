//! Everything that changes as time passes, as plain data: clone it, compare it, hash it, save it.

use crate::Applied;
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};
use tumble_geometry::Transform;

/// The motion of one body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BodyState {
    /// Where the centre of mass is, in metres.
    pub position: DVec3,
    /// The orientation: turns body coordinates into world coordinates; a unit quaternion.
    pub rotation: DQuat,
    /// The velocity of the centre of mass in m/s.
    pub velocity: DVec3,
    /// The angular velocity in rad/s, in world coordinates.
    pub angular_velocity: DVec3,
    /// Whether the body sleeps: it is left alone until something wakes it.
    pub asleep: bool,
    /// For how long it has hardly moved, in seconds.
    pub quiet_time: f64,
}

impl Default for BodyState {
    fn default() -> Self {
        Self {
            position: DVec3::ZERO,
            rotation: DQuat::IDENTITY,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            asleep: false,
            quiet_time: 0.0,
        }
    }
}

impl BodyState {
    /// The pose of the frame at the centre of mass.
    pub fn center_pose(&self) -> Transform {
        Transform::new(self.rotation, self.position)
    }

    /// The velocity of the point of the body at `point` (world coordinates): `v + ω × r`.
    pub fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.angular_velocity.cross(point - self.position)
    }

    /// Whether every number is finite.
    pub fn is_finite(&self) -> bool {
        self.position.is_finite()
            && self.rotation.is_finite()
            && self.velocity.is_finite()
            && self.angular_velocity.is_finite()
    }
}

/// A force and a torque on a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Wrench {
    /// The force in newtons.
    pub force: DVec3,
    /// The torque about the centre of mass in newton metres.
    pub torque: DVec3,
}

impl std::ops::AddAssign for Wrench {
    fn add_assign(&mut self, other: Wrench) {
        self.force += other.force;
        self.torque += other.torque;
    }
}

/// From where the time is counted: it is `start + n dt` after n steps of equal length, rounded once, and not a sum of n
/// roundings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Clock {
    /// When the steps of this length began, in seconds.
    pub start: f64,
    /// Which step was the first of them.
    pub first: u64,
    /// Their length in seconds; zero before the first step.
    pub dt: f64,
}

impl Clock {
    fn time(&self, steps: u64) -> f64 {
        self.start + self.dt * steps.wrapping_sub(self.first) as f64
    }
}

/// Everything that changes as time passes. Row `i` of `bodies` belongs to the body in slot `i` of the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The time in seconds since the start.
    pub time: f64,
    /// How many steps were taken.
    pub steps: u64,
    /// From where the time is counted.
    pub clock: Clock,
    /// The motion of each body. Rows of removed bodies keep default values.
    pub bodies: Vec<BodyState>,
    /// Forces and torques that act on bodies during the next step only.
    pub applied: Applied,
    /// Which joints have broken, by slot of the model.
    pub broken: Vec<bool>,
    /// The angle of each joint that measures one (a hinge), in radians, counting whole turns, by slot of the model.
    pub angles: Vec<f64>,
    /// The seed of everything random in a simulation.
    pub random: u64,
}

impl State {
    /// The time after another step of `dt` seconds.
    pub fn time_after(&self, dt: f64) -> f64 {
        self.clock_for(dt).time(self.steps.wrapping_add(1))
    }

    /// Lets the clock tick, once a step of `dt` seconds has been taken, and takes back what was applied for this step.
    pub(crate) fn tick(&mut self, dt: f64) {
        debug_assert!(dt > 0.0 && dt.is_finite(), "a step goes forward");
        self.clock = self.clock_for(dt);
        self.steps = self.steps.wrapping_add(1);
        self.time = self.clock.time(self.steps);
        self.applied.clear();
    }

    /// The clock by which a step of `dt` seconds is counted: the one that runs, if the step is as long as those before.
    fn clock_for(&self, dt: f64) -> Clock {
        let goes_on = self.clock.dt == dt && self.clock.time(self.steps) == self.time;
        if goes_on { self.clock } else { Clock { start: self.time, first: self.steps, dt } }
    }

    /// A number that differs, in practice, whenever any bit of the state does: a fingerprint for reproducibility checks,
    /// the same on every machine.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = Fnv::default();
        hash.numbers([self.time, self.clock.start, self.clock.dt]);
        hash.words([self.steps, self.clock.first, self.random]);
        hash.words([self.bodies.len() as u64, self.broken.len() as u64, self.angles.len() as u64]);
        for body in &self.bodies {
            for vector in [body.position, body.velocity, body.angular_velocity] {
                hash.numbers(vector.to_array());
            }
            hash.numbers(body.rotation.to_array());
            hash.numbers([body.quiet_time]);
            hash.words([u64::from(body.asleep)]);
        }
        for (slot, wrench) in self.applied.iter() {
            hash.words([slot as u64]);
            hash.numbers(wrench.force.to_array());
            hash.numbers(wrench.torque.to_array());
        }
        hash.words(self.broken.iter().map(|&broken| u64::from(broken)));
        hash.numbers(self.angles.iter().copied());
        hash.0
    }
}

/// The 64-bit FNV-1a hash of numbers as eight bytes each, the lowest first: simple, and the same in every version and on
/// every machine, whatever its word length and byte order.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn words(&mut self, words: impl IntoIterator<Item = u64>) {
        for byte in words.into_iter().flat_map(u64::to_le_bytes) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn numbers(&mut self, numbers: impl IntoIterator<Item = f64>) {
        self.words(numbers.into_iter().map(f64::to_bits));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fingerprint_sees_the_last_bit() {
        let mut state = State { bodies: vec![BodyState::default()], ..State::default() };
        let before = state.fingerprint();
        state.bodies[0].position.x = f64::from_bits(1);
        assert_ne!(before, state.fingerprint());
    }

    #[test]
    fn states_survive_serialisation_bit_for_bit() {
        let body = BodyState { position: DVec3::new(0.1, 1.0 / 3.0, -1e-300), ..BodyState::default() };
        let state = State { time: 0.1 + 0.2, bodies: vec![body], ..State::default() };
        let text = serde_json::to_string(&state).unwrap();
        assert_eq!(serde_json::from_str::<State>(&text).unwrap(), state);
    }

    #[test]
    fn time_is_a_multiple_of_the_step_and_not_a_sum() {
        let mut state = State::default();
        (0..1_000_000).for_each(|_| state.tick(0.1));
        assert_eq!(state.time, 100_000.0);
        let ahead = state.time_after(0.5);
        state.tick(0.5);
        assert_eq!((state.time, ahead), (100_000.5, 100_000.5));
        state.time = 7.0;
        (0..10).for_each(|_| state.tick(0.5));
        assert_eq!(state.time, 12.0, "a time that was set by hand is where the clock goes on");
    }
}
