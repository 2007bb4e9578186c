//! Paths of scripted bodies.
//!
//! Between key frames positions follow a Catmull–Rom spline through the frames, which is smooth in velocity:
//! with u = (t − tᵢ)/(tᵢ₊₁ − tᵢ), p = h₀₀ pᵢ + h₁₀ Δt mᵢ + h₀₁ pᵢ₊₁ + h₁₁ Δt mᵢ₊₁, mᵢ = (pᵢ₊₁ − pᵢ₋₁)/(tᵢ₊₁ − tᵢ₋₁);
//! the body rests at the ends. Orientations turn along the shortest way with u smoothed to 3u² − 2u³.

use crate::format::{KeyFrame, ScriptFile};
use glam::{DQuat, DVec3};
use tumble_dynamics::model::Script;
use tumble_geometry::Transform;
use tumble_geometry::math::{rotation_about, rotation_from_vector, rotation_vector};

/// A path as the file describes it, before it is placed.
#[derive(Clone, Debug)]
pub(super) enum Path {
    Turn { axis: DVec3, rate: f64, about: Option<DVec3> },
    Swing { amplitude: DVec3, period: f64, phase: f64 },
    KeyFrames { frames: Vec<Key>, again: bool },
}

/// A pose at a time, and the velocity there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    time: f64,
    position: DVec3,
    rotation: DQuat,
    velocity: DVec3,
}

impl Path {
    pub(super) fn read(file: &ScriptFile) -> Result<Self, String> {
        match file {
            ScriptFile::Turn(turn) => {
                let axis = turn.axis.try_normalize().ok_or("the axis of a turn is zero")?;
                Ok(Self::Turn { axis, rate: turn.rate, about: turn.about })
            }
            ScriptFile::Swing(swing) => {
                let (amplitude, period) = (swing.amplitude, swing.period);
                Ok(Self::Swing { amplitude, period, phase: swing.phase_deg.to_radians() })
            }
            ScriptFile::KeyFrames(path) => Ok(Self::KeyFrames { frames: keys(&path.frames)?, again: path.again }),
        }
    }

    /// The pose at a time of a body that stands at `start`, in the coordinates of its surroundings.
    fn pose(&self, start: &Transform, time: f64) -> Transform {
        match self {
            Self::Turn { axis, rate, about } => {
                let turn = rotation_about(*axis, rate * time);
                let center = about.unwrap_or(start.translation);
                Transform::new(turn * start.rotation, center + turn * (start.translation - center))
            }
            Self::Swing { amplitude, period, phase } => {
                let sine = libm::sin(std::f64::consts::TAU * time / period + phase);
                Transform::new(start.rotation, start.translation + *amplitude * sine)
            }
            Self::KeyFrames { frames, again } => at(frames, *again, time),
        }
    }
}

fn keys(frames: &[KeyFrame]) -> Result<Vec<Key>, String> {
    if frames.is_empty() {
        return Err("a path has at least one key frame".into());
    }
    if frames.windows(2).any(|pair| pair[1].time <= pair[0].time) {
        return Err("the times of key frames must grow".into());
    }
    let mut keys = Vec::with_capacity(frames.len());
    for (index, frame) in frames.iter().enumerate() {
        let inner = index > 0 && index + 1 < frames.len();
        let velocity = if inner {
            let (before, after) = (&frames[index - 1], &frames[index + 1]);
            (after.position - before.position) / (after.time - before.time)
        } else {
            DVec3::ZERO
        };
        keys.push(Key { time: frame.time, position: frame.position, rotation: frame.orientation()?, velocity });
    }
    Ok(keys)
}

fn at(keys: &[Key], again: bool, time: f64) -> Transform {
    let (first, last) = (&keys[0], &keys[keys.len() - 1]);
    let length = last.time - first.time;
    let time = if again && length > 0.0 { first.time + (time - first.time).rem_euclid(length) } else { time };
    let next = keys.partition_point(|key| key.time <= time);
    if next == 0 || next == keys.len() {
        let key = if next == 0 { first } else { last };
        return Transform::new(key.rotation, key.position);
    }
    let (a, b) = (&keys[next - 1], &keys[next]);
    let dt = b.time - a.time;
    let u = (time - a.time) / dt;
    let (u2, u3) = (u * u, u * u * u);
    let position = a.position * (2.0 * u3 - 3.0 * u2 + 1.0)
        + a.velocity * (dt * (u3 - 2.0 * u2 + u))
        + b.position * (3.0 * u2 - 2.0 * u3)
        + b.velocity * (dt * (u3 - u2));
    let turn = rotation_vector(b.rotation * a.rotation.conjugate()) * (3.0 * u2 - 2.0 * u3);
    Transform::new((rotation_from_vector(turn) * a.rotation).normalize(), position)
}

/// A path with its place: `surroundings` is where the coordinates of the path are, `copy` what a repetition adds.
#[derive(Clone, Debug)]
pub(super) struct PlacedPath {
    pub(super) path: Path,
    pub(super) start: Transform,
    pub(super) copy: Transform,
    pub(super) surroundings: Transform,
}

impl Script for PlacedPath {
    fn pose(&self, time: f64) -> Transform {
        let local = self.path.pose(&self.start, time);
        self.surroundings * super::group::moved(&local, &self.copy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(time: f64, x: f64) -> KeyFrame {
        KeyFrame { time, position: DVec3::X * x, rotation: None }
    }

    #[test]
    fn a_path_goes_through_its_frames_and_is_smooth() {
        let keys = keys(&[frame(0.0, 0.0), frame(1.0, 2.0), frame(3.0, -1.0)]).unwrap();
        for (time, x) in [(-1.0, 0.0), (0.0, 0.0), (1.0, 2.0), (3.0, -1.0), (9.0, -1.0)] {
            assert!((at(&keys, false, time).translation.x - x).abs() < 1e-15, "{time}");
        }
        let speed = |time: f64| {
            (at(&keys, false, time + 1e-7).translation.x - at(&keys, false, time - 1e-7).translation.x) / 2e-7
        };
        for time in [0.0, 1.0, 3.0] {
            assert!((speed(time - 1e-5) - speed(time + 1e-5)).abs() < 1e-3, "{time}");
        }
        assert!((at(&keys, true, 4.0).translation.x - 2.0).abs() < 1e-12);
    }
}
