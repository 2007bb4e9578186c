//! How a shape moves while one looks for an impact: any path whose speeds are bounded.

use super::Motion;
use crate::Transform;
use glam::DVec3;

/// Bounds on how a body moves during some time.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PathBounds {
    /// The speed of the centre is never higher, in m/s.
    pub speed: f64,
    /// The angular speed is never higher, in rad/s.
    pub angular_speed: f64,
    /// The magnitude of the centre's acceleration is never greater, in m/s²; infinite if nothing is known.
    pub acceleration: f64,
    /// The magnitude of the angular acceleration is never greater, in rad/s²; infinite if nothing is known.
    pub angular_acceleration: f64,
}

impl PathBounds {
    /// Bounds on the speeds alone: m/s for the centre and rad/s for the turning.
    pub fn of_speeds(speed: f64, angular_speed: f64) -> Self {
        Self { speed, angular_speed, acceleration: f64::INFINITY, angular_acceleration: f64::INFINITY }
    }
}

/// The path of a rigid body: its pose as a function of time, from zero to whatever time is asked about.
///
/// A path that knows nothing but its pose and how fast it can be is enough to find impacts safely. If it also knows its
/// velocities and bounds its accelerations, impacts are found in far fewer steps.
///
/// ```
/// use tumble_geometry::{Transform, glam::DVec3, query::{Path, PathBounds}};
///
/// /// To and fro along x: 2 cm wide, ten times a second.
/// struct Shaker;
///
/// impl Path for Shaker {
///     fn pose(&self, time: f64) -> Transform {
///         Transform::from_translation(DVec3::X * 0.01 * libm::sin(62.8 * time))
///     }
///
///     fn bounds(&self, _from: f64, _to: f64) -> PathBounds {
///         PathBounds::of_speeds(0.628, 0.0)
///     }
/// }
/// assert_eq!(Shaker.pose(0.0), Transform::IDENTITY);
/// ```
pub trait Path {
    /// The pose after `time` seconds, in outer coordinates. It must not jump.
    fn pose(&self, time: f64) -> Transform;

    /// Bounds that hold at all times from `from` to `to`, in seconds.
    fn bounds(&self, from: f64, to: f64) -> PathBounds;

    /// The point, in the frame of the body, that the bounds on speed and acceleration are about. Default: its origin.
    fn center(&self) -> DVec3 {
        DVec3::ZERO
    }

    /// The velocity of the centre (m/s) and the angular velocity (rad/s) at some time, in outer coordinates, if they are known.
    /// Default: they are not.
    fn velocity(&self, _time: f64) -> Option<[DVec3; 2]> {
        None
    }
}

impl Path for Motion {
    fn pose(&self, time: f64) -> Transform {
        self.at(time)
    }

    fn bounds(&self, _from: f64, _to: f64) -> PathBounds {
        let (speed, angular_speed) = (self.linear.length(), self.angular.length());
        PathBounds { speed, angular_speed, acceleration: 0.0, angular_acceleration: 0.0 }
    }

    fn center(&self) -> DVec3 {
        self.center
    }

    fn velocity(&self, _time: f64) -> Option<[DVec3; 2]> {
        Some([self.linear, self.angular])
    }
}

/// The path of a thrown body: `x₀ + v t + ½ a t²` for its centre, with a constant spin about it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Ballistic {
    /// Where it starts, and with what velocities.
    pub launch: Motion,
    /// The constant acceleration of the centre in m/s², in outer coordinates.
    pub acceleration: DVec3,
}

impl Path for Ballistic {
    fn pose(&self, time: f64) -> Transform {
        let straight = self.launch.at(time);
        Transform::new(straight.rotation, straight.translation + self.acceleration * (0.5 * time * time))
    }

    fn bounds(&self, from: f64, to: f64) -> PathBounds {
        // |v + a t| is a convex function of time: greatest at one of the ends.
        let speed_at = |time: f64| (self.launch.linear + self.acceleration * time).length();
        PathBounds {
            speed: speed_at(from).max(speed_at(to)),
            angular_speed: self.launch.angular.length(),
            acceleration: self.acceleration.length(),
            angular_acceleration: 0.0,
        }
    }

    fn center(&self) -> DVec3 {
        self.launch.center
    }

    fn velocity(&self, time: f64) -> Option<[DVec3; 2]> {
        Some([self.launch.linear + self.acceleration * time, self.launch.angular])
    }
}
