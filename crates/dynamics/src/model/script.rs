//! Scripts: motion that is given as a function of time (H 6), with its velocity, its acceleration and its breaks.
//!
//! What a scripted body carries, hits or is joined to feels its velocity and its acceleration, so a script tells both. A script
//! that tells only poses is differentiated: the polynomial through [`POINTS`] poses around the time is, with Fornberg's weights
//! (1988), `f⁽ᵐ⁾(t) ≈ Σ wᵢ f(tᵢ)`. For points that lie evenly on both sides this is Richardson's extrapolation of central
//! differences, of eighth order. Rotations are differentiated as rotation vectors σ from the orientation at t,
//! `q(tᵢ) = exp(σᵢ) q(t)`; where σ is zero, ω = σ̇ and ω̇ = σ̈.

use super::Course;
use glam::DVec3;
use std::f64::consts::TAU;
use std::fmt::Debug;
use tumble_geometry::Transform;
use tumble_geometry::math::{direction, rotation_vector};

/// How a scripted body moves at a moment. All vectors are in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScriptMotion {
    /// The pose of the body frame.
    pub pose: Transform,
    /// The velocity of the body frame's origin in m/s.
    pub velocity: DVec3,
    /// The angular velocity in rad/s.
    pub angular_velocity: DVec3,
    /// The acceleration of the body frame's origin in m/s².
    pub acceleration: DVec3,
    /// The angular acceleration in rad/s².
    pub angular_acceleration: DVec3,
}

impl ScriptMotion {
    /// At rest in a pose.
    pub const fn at_rest(pose: Transform) -> Self {
        Self {
            pose,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            acceleration: DVec3::ZERO,
            angular_acceleration: DVec3::ZERO,
        }
    }

    /// The velocity in m/s of the point of the body at `point` (world coordinates): `v + ω × r`.
    pub fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.angular_velocity.cross(point - self.pose.translation)
    }

    /// The acceleration in m/s² of the point of the body at `point` (world coordinates): `a + ω̇ × r + ω × (ω × r)`.
    pub fn acceleration_at(&self, point: DVec3) -> DVec3 {
        let (arm, omega) = (point - self.pose.translation, self.angular_velocity);
        self.acceleration + self.angular_acceleration.cross(arm) + omega.cross(omega.cross(arm))
    }

    /// The same motion seen from outside: the script's coordinates are those of a frame that stands still at `frame`.
    pub fn within(&self, frame: &Transform) -> Self {
        Self {
            pose: *frame * self.pose,
            velocity: frame.vector(self.velocity),
            angular_velocity: frame.vector(self.angular_velocity),
            acceleration: frame.vector(self.acceleration),
            angular_acceleration: frame.vector(self.angular_acceleration),
        }
    }

    /// Whether every number is finite and the quaternion a unit one.
    pub fn is_valid(&self) -> bool {
        let rates = [self.velocity, self.angular_velocity, self.acceleration, self.angular_acceleration];
        self.pose.is_valid() && rates.iter().all(|rate| rate.is_finite())
    }
}

/// Where a scripted body is at any time, and how fast.
pub trait Script: std::any::Any + Debug + Send + Sync {
    /// The pose of the body frame at `time` seconds.
    fn pose(&self, time: f64) -> Transform;

    /// Pose, velocities and accelerations at `time` seconds. At a [break](Self::next_break) they are those right after it.
    ///
    /// Default: the pose and its differences over nine points 3 ms apart. A smooth motion of about 10 rad/s and 1 m has its
    /// velocities to 1e-11 m/s and its accelerations to 1e-8 m/s² in the middle, to 1e-10 and 1e-7 next to a break. The points lie on
    /// one side of every break that the script names, and of time 0, where simulations start; a jump of the velocity that it does
    /// not name is smeared over ±12 ms.
    fn motion(&self, time: f64) -> ScriptMotion {
        differentiated(self, time)
    }

    /// The first time after `after` seconds at which pose, velocity or acceleration jumps; none if the motion is smooth from there
    /// on (default).
    fn next_break(&self, _after: f64) -> Option<f64> {
        None
    }

    /// The course, if this is that of a [kinematic](crate::Body::kinematic) body. Default: it is not.
    fn course(&self) -> Option<&Course> {
        None
    }
}

/// A script that is still to be read from a saved world: its body stays at the origin.
#[derive(Debug)]
struct Unread;

impl Script for Unread {
    fn pose(&self, _time: f64) -> Transform {
        Transform::IDENTITY
    }
}

/// What stands for a script until it is read.
pub(super) fn unread() -> std::sync::Arc<dyn Script> {
    std::sync::Arc::new(Unread)
}

/// How many poses are differentiated.
const POINTS: usize = 9;

/// How far apart they are, in seconds: the error of the polynomial grows with it, that of rounding shrinks.
const SPACING: f64 = 3e-3;

/// They are never closer than this, in seconds: breaks that follow each other faster are not resolved.
const SMALLEST_SPACING: f64 = 1e-6;

/// How many breaks in a row are looked at.
const MANY_BREAKS: usize = 100;

/// The motion by differences of the pose.
fn differentiated<S: Script + ?Sized>(script: &S, time: f64) -> ScriptMotion {
    let given = script.pose(time);
    let pose = given.normalized();
    let moved_at = |offset: f64| {
        let there = script.pose(time + offset).normalized();
        (there.translation - pose.translation, rotation_vector(there.rotation * pose.rotation.conjugate()))
    };
    let offsets = sample_offsets(script, time);
    // Rotation vectors are known up to whole turns; the angular velocity, roughly, tells how many there are.
    let near = 1e-3 * if offsets[POINTS - 1] > -offsets[0] { offsets[POINTS - 1] } else { offsets[0] };
    let rough = moved_at(near).1 / near;
    let mut motion = ScriptMotion::at_rest(given);
    for (&offset, [first, second]) in offsets.iter().zip(fornberg_weights(&offsets)) {
        let (moved, turned) = moved_at(offset);
        let turned = with_whole_turns(turned, rough * offset);
        motion.velocity += moved * first;
        motion.acceleration += moved * second;
        motion.angular_velocity += turned * first;
        motion.angular_acceleration += turned * second;
    }
    motion
}

/// The rotation vector of the same rotation that is nearest to a rough one.
fn with_whole_turns(turned: DVec3, rough: DVec3) -> DVec3 {
    let Some(axis) = direction(turned) else { return turned };
    turned + axis * (TAU * ((rough - turned).dot(axis) / TAU).round())
}

/// When the poses are taken, in seconds from `time`: evenly around it, or to one side where a break or time 0 is near.
fn sample_offsets<S: Script + ?Sized>(script: &S, time: f64) -> [f64; POINTS] {
    let count = POINTS as f64;
    // Far from time 0 times are rounded more coarsely.
    let wanted = SPACING.max(1e-12 * time.abs());
    let beginning = if time >= 0.0 { 0.0 } else { f64::NEG_INFINITY };
    let start = last_break(script, time - count * wanted, time).unwrap_or(f64::NEG_INFINITY).max(beginning);
    let end = script.next_break(time).filter(|&next| next > time).unwrap_or(f64::INFINITY);
    let room = (end - start) / count;
    let (start, end, spacing) = if room < SMALLEST_SPACING.max(1e-12 * time.abs()) {
        (f64::NEG_INFINITY, f64::INFINITY, wanted)
    } else {
        (start, end, wanted.min(room))
    };
    // The end is the beginning of what comes after it: no point lies there.
    let from = (time - 0.5 * (count - 1.0) * spacing).min(end - count * spacing).max(start);
    std::array::from_fn(|index| from + index as f64 * spacing - time)
}

/// The last break after `from` and up to `time`.
fn last_break<S: Script + ?Sized>(script: &S, from: f64, time: f64) -> Option<f64> {
    let next = |&after: &f64| script.next_break(after).filter(|&next| next > after && next <= time);
    std::iter::successors(next(&from), next).take(MANY_BREAKS).last()
}

/// The weights of the values at some points in the first and the second derivative, at zero, of the polynomial through them
/// (Fornberg 1988).
///
/// Point by point: with ωₙ(x) = (x − x₀)…(x − xₙ), the Lagrange polynomials of the first n + 1 points are those of the first n
/// times (x − xₙ)/(xᵢ − xₙ), and the new one is `ωₙ₋₁(x)/ωₙ₋₁(xₙ)`, that is, the last one times (x − xₙ₋₁) times a number. `weights[i]`
/// holds value, first and second derivative of the i-th at zero.
fn fornberg_weights(points: &[f64; POINTS]) -> [[f64; 2]; POINTS] {
    // In units of the mean spacing nothing overflows.
    let unit = (points[POINTS - 1] - points[0]) / (POINTS - 1) as f64;
    let points = points.map(|point| point / unit);
    // The values and two derivatives of (x − a) p at zero, from those of p.
    let times = |a: f64, p: [f64; 3]| [-a * p[0], p[0] - a * p[1], 2.0 * p[1] - a * p[2]];
    let scaled = |factor: f64, p: [f64; 3]| p.map(|value| factor * value);
    let mut weights = [[0.0; 3]; POINTS];
    weights[0][0] = 1.0;
    // ωₙ₋₁(xₙ₋₁), without the factor that is zero.
    let mut product = 1.0;
    for n in 1..POINTS {
        let new: f64 = points[..n].iter().map(|point| points[n] - point).product();
        weights[n] = scaled(product / new, times(points[n - 1], weights[n - 1]));
        product = new;
        for i in 0..n {
            weights[i] = scaled(1.0 / (points[i] - points[n]), times(points[n], weights[i]));
        }
    }
    weights.map(|[_, first, second]| [first / unit, second / unit / unit])
}

#[cfg(test)]
mod tests {
    use super::*;
    use tumble_geometry::math::{rotation_about, rotation_from_vector};

    /// Poses only, with the times at which they break.
    #[derive(Debug)]
    struct Poses(fn(f64) -> Transform, &'static [f64]);

    impl Script for Poses {
        fn pose(&self, time: f64) -> Transform {
            (self.0)(time)
        }

        fn next_break(&self, after: f64) -> Option<f64> {
            self.1.iter().copied().find(|&time| time > after)
        }
    }

    fn sway(time: f64) -> Transform {
        Transform::new(
            rotation_about(DVec3::Y, libm::sin(10.0 * time)),
            DVec3::new(libm::cos(10.0 * time), 0.0, libm::sin(10.0 * time)),
        )
    }

    /// The largest errors of velocities and of accelerations of `sway`.
    fn errors(script: &dyn Script, time: f64) -> (f64, f64) {
        let (sin, cos) = libm::sincos(10.0 * time);
        let motion = script.motion(time);
        let velocity = (motion.velocity - DVec3::new(-sin, 0.0, cos) * 10.0).length();
        let omega = (motion.angular_velocity - DVec3::Y * 10.0 * cos).length();
        let acceleration = (motion.acceleration + DVec3::new(cos, 0.0, sin) * 100.0).length();
        let alpha = (motion.angular_acceleration + DVec3::Y * 100.0 * sin).length();
        (velocity.max(omega), acceleration.max(alpha))
    }

    #[test]
    fn weights_differentiate_polynomials_of_the_eighth_degree() {
        let points = std::array::from_fn(|index| 0.37 * index as f64 - 0.9);
        let weights = fornberg_weights(&points);
        for degree in 0..POINTS as i32 {
            let sum = |m: usize| {
                points.iter().zip(weights).map(|(x, w)| w[m] * libm::pow(*x, f64::from(degree))).sum::<f64>()
            };
            let exact = |m: i32| if degree == m { f64::from(m) } else { 0.0 };
            assert!((sum(0) - exact(1)).abs() < 1e-12 && (sum(1) - exact(2)).abs() < 1e-11, "{degree}");
        }
    }

    #[test]
    fn poses_alone_give_velocities_and_accelerations() {
        let script = Poses(sway, &[]);
        let (mut velocity, mut acceleration) = (0.0_f64, 0.0_f64);
        for index in 1..=200 {
            let errors = errors(&script, 0.0437 * f64::from(index));
            (velocity, acceleration) = (velocity.max(errors.0), acceleration.max(errors.1));
        }
        assert!(velocity < 1e-11 && acceleration < 1e-8, "{velocity:e} {acceleration:e}");
        let (velocity, acceleration) = errors(&script, 0.0);
        assert!(velocity < 1e-10 && acceleration < 1e-7, "{velocity:e} {acceleration:e}");
    }

    /// At rest until 1 s, then swaying, at rest again from 2 s on.
    #[test]
    fn differences_do_not_reach_across_breaks() {
        let pose = |time: f64| sway(time.clamp(1.0, 2.0));
        let script = Poses(pose, &[1.0, 2.0]);
        let rest = ScriptMotion::at_rest(sway(1.0));
        for time in [0.0, 0.5, 0.99, 0.999, 0.999_999] {
            assert_eq!(script.motion(time), rest, "{time}");
        }
        for time in [1.0, 1.000_001, 1.001, 1.02, 1.5, 1.98, 1.999, 1.999_999] {
            let (velocity, acceleration) = errors(&script, time);
            assert!(velocity < 1e-10 && acceleration < 1e-7, "{time}: {velocity:e} {acceleration:e}");
        }
        assert_eq!(script.motion(2.0), ScriptMotion::at_rest(sway(2.0)));
    }

    /// 2000 rad/s are a turn and more between neighbouring points.
    #[test]
    fn fast_spins_are_not_taken_for_slow_ones() {
        let axis = DVec3::new(0.6, 0.0, 0.8);
        let script =
            Poses(|time| Transform::from_rotation(rotation_about(DVec3::new(0.6, 0.0, 0.8), 2000.0 * time)), &[]);
        for time in [0.0, 0.3, 1.7] {
            let omega = script.motion(time).angular_velocity;
            assert!((omega - axis * 2000.0).length() < 1e-9, "{omega}");
        }
    }

    /// Rotations about changing axes: ω and ω̇ are not the derivatives of a rotation vector.
    #[test]
    fn rotations_about_changing_axes() {
        let pose = |time: f64| {
            let spin = rotation_about(DVec3::Y, 7.0 * time);
            Transform::from_rotation(spin * rotation_from_vector(DVec3::X * 5.0 * time))
        };
        let script = Poses(pose, &[]);
        for time in [0.1, 0.4, 2.3] {
            let motion = script.motion(time);
            let inner = rotation_about(DVec3::Y, 7.0 * time) * DVec3::X * 5.0;
            let (omega, alpha) = (DVec3::Y * 7.0 + inner, (DVec3::Y * 7.0).cross(inner));
            assert!((motion.angular_velocity - omega).length() < 1e-12, "{}", motion.angular_velocity);
            assert!((motion.angular_acceleration - alpha).length() < 1e-9, "{}", motion.angular_acceleration);
        }
    }

    #[test]
    fn breaks_that_make_no_sense_do_no_harm() {
        #[derive(Debug)]
        struct Crowded(f64);
        impl Script for Crowded {
            fn pose(&self, time: f64) -> Transform {
                sway(time)
            }
            fn next_break(&self, after: f64) -> Option<f64> {
                Some(after + self.0)
            }
        }
        for step in [0.0, -1.0, f64::NAN, 1e-300, 1e-9, 1e-4, f64::INFINITY] {
            for time in [0.0, 0.5, -3.0, 1e9, 1e300] {
                assert!(Crowded(step).motion(time).is_valid(), "{step} {time}");
            }
        }
    }
}
