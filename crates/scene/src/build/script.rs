//! Paths of scripted bodies, with their velocities and accelerations in closed form.
//!
//! Between key frames positions follow a Catmull–Rom spline through the frames, which is smooth in velocity:
//! with u = (t − tᵢ)/(tᵢ₊₁ − tᵢ), p = h₀₀ pᵢ + h₁₀ Δt mᵢ + h₀₁ pᵢ₊₁ + h₁₁ Δt mᵢ₊₁, mᵢ = (pᵢ₊₁ − pᵢ₋₁)/(tᵢ₊₁ − tᵢ₋₁);
//! at the ends it is what the file says, by default zero. Orientations turn along the shortest way with u smoothed to s = 3u² − 2u³: by s φ about a fixed axis,
//! so that ω = ṡ φ and ω̇ = s̈ φ along that axis. The acceleration jumps at every key frame.

use crate::format::{KeyFrame, ScriptFile};
use glam::{DQuat, DVec3};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;
use tumble_dynamics::model::{Script, ScriptMotion};
use tumble_geometry::Transform;
use tumble_geometry::math::{rotation_about, rotation_from_vector, rotation_vector};

/// A path as the file describes it, before it is placed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum Path {
    Turn { axis: DVec3, rate: f64, about: Option<DVec3> },
    Swing { amplitude: DVec3, period: f64, phase: f64 },
    KeyFrames { frames: Vec<Key>, again: bool },
}

/// A pose at a time, and the velocity there.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
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
            ScriptFile::KeyFrames(path) => {
                Ok(Self::KeyFrames { frames: keys(&path.frames, path.end_velocities)?, again: path.again })
            }
        }
    }

    /// The motion at a time of a body that stands at `start`, in the coordinates of its surroundings.
    fn motion(&self, start: &Transform, time: f64) -> ScriptMotion {
        match self {
            Self::Turn { axis, rate, about } => {
                let turn = rotation_about(*axis, rate * time);
                let center = about.unwrap_or(start.translation);
                let (arm, omega) = (turn * (start.translation - center), *axis * *rate);
                let velocity = omega.cross(arm);
                ScriptMotion {
                    velocity,
                    angular_velocity: omega,
                    acceleration: omega.cross(velocity),
                    ..ScriptMotion::at_rest(Transform::new(turn * start.rotation, center + arm))
                }
            }
            Self::Swing { amplitude, period, phase } => {
                let omega = TAU / period;
                let (sin, cos) = libm::sincos(TAU * time / period + phase);
                ScriptMotion {
                    velocity: *amplitude * (omega * cos),
                    acceleration: *amplitude * (-omega * omega * sin),
                    ..ScriptMotion::at_rest(Transform::new(start.rotation, start.translation + *amplitude * sin))
                }
            }
            Self::KeyFrames { frames, again } => at(frames, *again, time),
        }
    }

    /// The first time after `after` at which velocity or acceleration jumps.
    fn next_break(&self, after: f64) -> Option<f64> {
        match self {
            Self::Turn { .. } | Self::Swing { .. } => None,
            Self::KeyFrames { frames, again } => next_frame(frames, *again, after),
        }
    }
}

fn keys(frames: &[KeyFrame], end_velocities: [DVec3; 2]) -> Result<Vec<Key>, String> {
    if let Some(velocity) = end_velocities.iter().find(|velocity| !velocity.abs().cmple(DVec3::splat(1e9)).all()) {
        return Err(format!("a velocity at the end of a path is {velocity}, but must be finite, at most 1e9 m/s"));
    }
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
            end_velocities[usize::from(index > 0)]
        };
        keys.push(Key { time: frame.time, position: frame.position, rotation: frame.orientation()?, velocity });
    }
    Ok(keys)
}

/// How long a path that starts over takes, in seconds; none for one that rests at its ends.
fn period(keys: &[Key], again: bool) -> Option<f64> {
    let length = keys[keys.len() - 1].time - keys[0].time;
    (again && length > 0.0).then_some(length)
}

/// Which round a path of `period` seconds that began at `first` is in at `time`: round n begins at `first + n period`.
fn round(first: f64, period: f64, time: f64) -> f64 {
    let n = ((time - first) / period).floor();
    // The quotient may be rounded across a whole number.
    let begun = |n: f64| first + n * period <= time;
    if !begun(n) {
        n - 1.0
    } else if begun(n + 1.0) {
        n + 1.0
    } else {
        n
    }
}

fn at(keys: &[Key], again: bool, time: f64) -> ScriptMotion {
    let last = keys.len() - 1;
    let (begin, next) = match period(keys, again) {
        Some(period) => {
            let begin = round(keys[0].time, period, time) * period;
            (begin, keys.partition_point(|key| key.time + begin <= time).clamp(1, last))
        }
        None => (0.0, keys.partition_point(|key| key.time <= time)),
    };
    if next == 0 || next > last {
        let key = &keys[next.min(last)];
        return ScriptMotion::at_rest(Transform::new(key.rotation, key.position));
    }
    between(&keys[next - 1], &keys[next], time - (keys[next - 1].time + begin))
}

/// The motion `elapsed` seconds after one key frame, on the way to the next.
fn between(a: &Key, b: &Key, elapsed: f64) -> ScriptMotion {
    let dt = b.time - a.time;
    let u = elapsed / dt;
    let (u2, u3) = (u * u, u * u * u);
    // p = h₀₀ pₐ + h₁₀ Δt mₐ + h₀₁ p_b + h₁₁ Δt m_b and its derivatives by u.
    let spline = |[h00, h10, h01, h11]: [f64; 4]| {
        a.position * h00 + a.velocity * (dt * h10) + b.position * h01 + b.velocity * (dt * h11)
    };
    let position = spline([2.0 * u3 - 3.0 * u2 + 1.0, u3 - 2.0 * u2 + u, 3.0 * u2 - 2.0 * u3, u3 - u2]);
    let first = spline([6.0 * (u2 - u), 3.0 * u2 - 4.0 * u + 1.0, 6.0 * (u - u2), 3.0 * u2 - 2.0 * u]);
    let second = spline([12.0 * u - 6.0, 6.0 * u - 4.0, 6.0 - 12.0 * u, 6.0 * u - 2.0]);
    let turn = rotation_vector(b.rotation * a.rotation.conjugate());
    let rotation = (rotation_from_vector(turn * (3.0 * u2 - 2.0 * u3)) * a.rotation).normalize();
    ScriptMotion {
        pose: Transform::new(rotation, position),
        velocity: first / dt,
        angular_velocity: turn * (6.0 * (u - u2) / dt),
        acceleration: second / dt / dt,
        angular_acceleration: turn * ((6.0 - 12.0 * u) / dt / dt),
    }
}

/// The time of the first key frame after `after`; the last one of a round is the first one of the next.
fn next_frame(keys: &[Key], again: bool, after: f64) -> Option<f64> {
    // A single frame is a place, not a motion.
    let (last, others) = keys.split_last().filter(|(_, others)| !others.is_empty())?;
    let (begin, end) = match period(keys, again) {
        Some(period) => {
            let n = round(keys[0].time, period, after);
            (n * period, keys[0].time + (n + 1.0) * period)
        }
        None => (0.0, last.time),
    };
    others.iter().map(|key| key.time + begin).chain([end]).find(|&time| time > after)
}

/// A path with its place: `surroundings` is where the coordinates of the path are, `copy` what a repetition adds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PlacedPath {
    pub(super) path: Path,
    pub(super) start: Transform,
    pub(super) copy: Transform,
    pub(super) surroundings: Transform,
}

impl PlacedPath {
    /// Refuses what no scene file could have said; for paths that come from elsewhere.
    pub(crate) fn validate(&self) -> Result<(), String> {
        let placed = [&self.start, &self.copy, &self.surroundings].into_iter().all(Transform::is_valid);
        let sound = match &self.path {
            Path::Turn { axis, rate, about } => {
                axis.is_normalized() && rate.is_finite() && about.is_none_or(DVec3::is_finite)
            }
            Path::Swing { amplitude, period, phase } => {
                amplitude.is_finite() && period.is_finite() && *period > 0.0 && phase.is_finite()
            }
            Path::KeyFrames { frames, .. } => {
                let sound = |key: &Key| {
                    let numbers = [key.position, key.velocity].iter().all(|v| v.is_finite()) && key.time.is_finite();
                    numbers && key.rotation.is_normalized()
                };
                !frames.is_empty()
                    && frames.iter().all(sound)
                    && frames.windows(2).all(|pair| pair[0].time < pair[1].time)
            }
        };
        if placed && sound { Ok(()) } else { Err(format!("no scene has a path like {self:?}")) }
    }
}

impl Script for PlacedPath {
    fn pose(&self, time: f64) -> Transform {
        self.motion(time).pose
    }

    fn motion(&self, time: f64) -> ScriptMotion {
        let local = self.path.motion(&self.start, time);
        // A repetition turns a body about its own origin: what it turns about turns with it, where it goes does not.
        let copied = ScriptMotion {
            pose: super::group::moved(&local.pose, &self.copy),
            angular_velocity: self.copy.rotation * local.angular_velocity,
            angular_acceleration: self.copy.rotation * local.angular_acceleration,
            ..local
        };
        copied.within(&self.surroundings)
    }

    fn next_break(&self, after: f64) -> Option<f64> {
        self.path.next_break(after)
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
        let keys = keys(&[frame(0.0, 0.0), frame(1.0, 2.0), frame(3.0, -1.0)], [DVec3::ZERO; 2]).unwrap();
        for (time, x) in [(-1.0, 0.0), (0.0, 0.0), (1.0, 2.0), (3.0, -1.0), (9.0, -1.0)] {
            assert!((at(&keys, false, time).pose.translation.x - x).abs() < 1e-15, "{time}");
        }
        let speed = |time: f64| at(&keys, false, time).velocity.x;
        for time in [0.0, 1.0, 3.0] {
            assert!((speed(time - 1e-9) - speed(time)).abs() < 1e-7, "{time}");
        }
        assert!((at(&keys, true, 4.0).pose.translation.x - 2.0).abs() < 1e-12);
    }

    /// With the slopes of a parabola at its ends, a path through points of one is that parabola.
    #[test]
    fn chosen_end_velocities_make_a_parabola() {
        let height = |t: f64| 3.0 * t - 0.5 * t * t;
        let frames: Vec<KeyFrame> = (0..5).map(|i| frame(f64::from(i), height(f64::from(i)))).collect();
        let keys = keys(&frames, [DVec3::X * 3.0, DVec3::X * -1.0]).unwrap();
        for i in 0..400 {
            let t = 0.01 * f64::from(i);
            let motion = at(&keys, false, t);
            assert!((motion.pose.translation.x - height(t)).abs() < 1e-13, "{t}");
            assert!(
                (motion.velocity.x - (3.0 - t)).abs() < 1e-12 && (motion.acceleration.x + 1.0).abs() < 1e-11,
                "{t}"
            );
        }
        assert!(super::keys(&frames, [DVec3::NAN; 2]).is_err());
    }

    /// Every break is exactly the time at which the next piece begins, however many rounds have gone by.
    #[test]
    fn breaks_are_the_key_frames() {
        let frames = &keys(&[frame(0.1, 0.0), frame(0.4, 2.0), frame(0.8, -1.0)], [DVec3::ZERO; 2]).unwrap();
        let breaks = |again, after| {
            std::iter::successors(next_frame(frames, again, after), move |&time| next_frame(frames, again, time))
        };
        assert_eq!(breaks(false, -1.0).collect::<Vec<f64>>(), [0.1, 0.4, 0.8]);
        assert_eq!(next_frame(&frames[..1], true, -1.0), None);
        for start in [-5.0, 0.0, 1e6] {
            let mut before = start;
            for time in breaks(true, start).take(1000) {
                assert!(time > before && time - before < 0.41, "{before} {time}");
                let (at_break, after) = (at(frames, true, time), at(frames, true, time + 1e-7));
                assert!((at_break.acceleration - after.acceleration).length() < 1e-2, "{time}");
                before = time;
            }
        }
    }
}
