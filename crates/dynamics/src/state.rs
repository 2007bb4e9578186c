//! Everything that changes as time passes, as plain data: clone it, compare it, hash it, save it.

use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};
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

/// Everything that changes as time passes. Row `i` of `bodies` belongs to the body in slot `i` of the model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The time in seconds since the start.
    pub time: f64,
    /// How many steps were taken.
    pub steps: u64,
    /// The motion of each body. Rows of removed bodies keep default values.
    pub bodies: Vec<BodyState>,
    /// Forces and torques that act on each body during the next step only.
    pub applied: Vec<Wrench>,
    /// Which joints have broken, by slot of the model.
    pub broken: Vec<bool>,
    /// The angle of each joint that measures one (a hinge), in radians, counting whole turns, by slot of the model.
    pub angles: Vec<f64>,
    /// The state of the random generator behind everything random in a simulation.
    pub random: u64,
}

impl State {
    /// A number that differs, in practice, whenever any bit of the state does: a fingerprint for reproducibility checks,
    /// the same on every machine.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
        self.hash(&mut hasher);
        hasher.finish()
    }
}

impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        let mut number = |value: f64| hasher.write_u64(value.to_bits());
        number(self.time);
        for body in &self.bodies {
            for vector in [body.position, body.velocity, body.angular_velocity] {
                vector.to_array().into_iter().for_each(&mut number);
            }
            body.rotation.to_array().into_iter().for_each(&mut number);
            number(body.quiet_time);
        }
        for wrench in &self.applied {
            wrench.force.to_array().into_iter().for_each(&mut number);
            wrench.torque.to_array().into_iter().for_each(&mut number);
        }
        self.steps.hash(hasher);
        for body in &self.bodies {
            body.asleep.hash(hasher);
        }
        self.broken.hash(hasher);
        self.angles.iter().for_each(|angle| hasher.write_u64(angle.to_bits()));
        self.random.hash(hasher);
    }
}

/// The 64-bit FNV-1a hash: simple, and the same in every version and on every machine.
struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.write(&value.to_le_bytes());
    }

    fn finish(&self) -> u64 {
        self.0
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
}
