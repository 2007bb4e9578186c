//! Controls: numbers that whoever watches sets with keys and pointers, and what they move.
//!
//! The value of a control is what was set from outside ([`World::set_input`]); while nothing was, what its frames say. It is
//! held between its smallest and its largest value. A run with inputs is repeated exactly by frames at the times of the steps
//! before which they changed.

use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tumble_dynamics::constraint::{Drive, Freedom, Motor};
use tumble_dynamics::{BodyId, JointId, ModelError, World};

/// A number set from outside, and what it moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Control {
    /// What people call it.
    pub label: String,
    /// What each key adds while it is held.
    pub keys: BTreeMap<String, f64>,
    /// What of the pointer sets it.
    pub pointer: Option<Pointer>,
    /// The smallest and the largest value.
    pub range: [f64; 2],
    /// Times and values while nothing is set from outside.
    pub frames: Vec<[f64; 2]>,
    /// What it moves.
    pub acts: Vec<Act>,
}

/// What of the pointer sets a control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pointer {
    /// How far right of the middle it is.
    X,
    /// How far above the middle it is.
    Y,
    /// Whether it is pressed.
    Press,
}

/// What a control moves, for each unit of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Act {
    /// The speed of a motor, in m/s or rad/s.
    Speed(JointId, String, f64),
    /// The target of a drive, in metres or radians.
    Target(JointId, String, f64),
    /// A force, where it acts, and a torque, all in coordinates of the body.
    Push(BodyId, DVec3, Option<DVec3>, DVec3),
}

impl Act {
    /// Does it, for a value of the control. What has been removed or has broken cannot be moved any more.
    pub(super) fn apply(&self, world: &mut World, value: f64) -> Result<(), ModelError> {
        match self {
            Self::Speed(joint, coordinate, unit) => {
                set_freedom(world, *joint, coordinate, |freedom| set_speed(freedom, unit * value))
            }
            Self::Target(joint, coordinate, unit) => {
                set_freedom(world, *joint, coordinate, |freedom| set_target(freedom, unit * value))
            }
            &Self::Push(body, force, at, torque) => {
                if value == 0.0 || world.model().bodies().get(body).is_none() {
                    return Ok(());
                }
                let (pose, center) = (world.body(body)?.pose(), world.body(body)?.center_of_mass());
                let point = at.map_or(center, |at| pose.point(at));
                let mut body = world.body_mut(body)?;
                body.apply_force_at(pose.rotation * force * value, point)?;
                body.apply_torque(pose.rotation * torque * value)
            }
        }
    }
}

/// With a motor that keeps this speed with the force it has.
pub(super) fn set_speed(freedom: Freedom, speed: f64) -> Freedom {
    Freedom { motor: Some(Motor { speed, ..freedom.motor.unwrap_or_default() }), ..freedom }
}

/// With a drive to this target, like the one it has.
pub(super) fn set_target(freedom: Freedom, target: f64) -> Freedom {
    Freedom { drive: Some(Drive { target, ..freedom.drive.unwrap_or_default() }), ..freedom }
}

/// Changes what acts on a coordinate of a joint, if that makes a difference; nothing if the joint is not there any more.
fn set_freedom(
    world: &mut World,
    joint: JointId,
    coordinate: &str,
    change: impl FnOnce(Freedom) -> Freedom,
) -> Result<(), ModelError> {
    let Ok(there) = world.joint(joint) else { return Ok(()) };
    let Some(before) = there.coordinate(coordinate).map(|coordinate| coordinate.freedom) else { return Ok(()) };
    let after = change(before);
    if after == before { Ok(()) } else { world.joint_mut(joint)?.set_freedom(coordinate, after) }
}

/// The value of a control.
pub(super) fn value_of(name: &str, control: &Control, world: &World, time: f64) -> f64 {
    let [least, most] = control.range;
    world.input(name).unwrap_or_else(|| at(&control.frames, time)).clamp(least, most)
}

/// What frames say at a time; 0 before the first.
fn at(frames: &[[f64; 2]], time: f64) -> f64 {
    begun(frames, time).unwrap_or(0.0)
}

/// The value of the last frame that has begun; none before the first.
pub(super) fn begun(frames: &[[f64; 2]], time: f64) -> Option<f64> {
    let begun = frames.partition_point(|&[begin, _]| begin <= time);
    begun.checked_sub(1).map(|last| frames[last][1])
}

/// Frames are finite and in the order of time.
pub(crate) fn check_frames(frames: &[[f64; 2]]) -> Result<(), String> {
    if let Some(frame) = frames.iter().find(|frame| !frame.iter().all(|number| number.is_finite())) {
        return Err(format!("a frame of a control is {frame:?}, but must be finite"));
    }
    match frames.windows(2).find(|pair| pair[1][0] <= pair[0][0]) {
        Some(pair) => Err(format!("the times of frames must grow, but {} comes after {}", pair[1][0], pair[0][0])),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_holds_from_its_time_on() {
        let frames = [[0.5, 2.0], [1.0, -1.0]];
        for (time, value) in [(0.0, 0.0), (0.5, 2.0), (0.999, 2.0), (1.0, -1.0), (9.0, -1.0)] {
            assert_eq!(at(&frames, time), value, "{time}");
        }
        assert!(check_frames(&frames).is_ok());
        assert!(check_frames(&[[1.0, 0.0], [1.0, 1.0]]).is_err());
        assert!(check_frames(&[[f64::NAN, 0.0]]).is_err());
    }
}
