//! The settings of the retroactive method.

#[cfg(feature = "registry")]
mod description;

#[cfg(feature = "registry")]
pub use description::{ContactModelName, RetroactiveDescription};

use crate::parts::activity::ActivitySettings;
use crate::parts::or_never;
use crate::schema::JsonSchema;
use serde::{Deserialize, Serialize};

/// Numbers that govern the retroactive method.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RetroactiveSettings {
    /// The fraction of an overlap that is removed per step, by a push that moves bodies without leaving them faster (a *split
    /// impulse*, where Baumgarte's method would add to the velocities). Default 0.2.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub contact_correction: f64,
    /// The fraction of a joint's error that is removed per step, likewise by a push. Default 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub joint_correction: f64,
    /// How often a step looks ahead to where the joints get and corrects its impulses, at most. 0: joints are taken as
    /// linear within a step, which costs them energy. Default 4.
    #[schemars(range(max = 100))]
    pub look_ahead: u32,
    /// Overlaps are removed at this speed at most, in m/s. Default 3.
    #[schemars(range(min = 0.0), extend("unit" = "m/s"))]
    pub max_push_speed: f64,
    /// Impacts slower than this have no restitution, they do not bounce, in m/s. Default 0.1.
    #[schemars(range(min = 0.0), extend("unit" = "m/s"))]
    pub restitution_threshold: f64,
    /// How often, at most, an impact is passed on within a step to bodies that touch. 0: what touches shares it. Default 100.
    #[schemars(range(max = 10000))]
    pub impact_rounds: u32,
    /// Surfaces closer than this count as touching, in metres. Default 1e-5.
    #[schemars(range(min = 0.0), extend("unit" = "m"))]
    pub touch_distance: f64,
    /// A body is quiet while its speed is below this, in m/s. Default 0.02.
    #[schemars(range(min = 0.0), extend("unit" = "m/s"))]
    pub quiet_speed: f64,
    /// A body is quiet while its angular speed is below this, in rad/s. Default 0.04.
    #[schemars(range(min = 0.0), extend("unit" = "rad/s"))]
    pub quiet_angular_speed: f64,
    /// What accelerates by more than this in m/s², or twice this in rad/s², is not quiet, however slow it is. Where forces are
    /// weaker than gravity on Earth, less is enough. Default 0.002.
    #[schemars(range(min = 0.0), extend("unit" = "m/s²"))]
    pub quiet_acceleration: f64,
    /// Islands whose bodies were all quiet for this long fall asleep, in seconds; "never" for bodies that stay awake.
    /// Default 0.5.
    #[serde(with = "or_never")]
    #[schemars(with = "or_never::TimeOrNever", extend("unit" = "s"))]
    pub time_to_sleep: f64,
}

impl RetroactiveSettings {
    /// When bodies fall asleep.
    pub(super) fn activity(&self) -> ActivitySettings {
        ActivitySettings {
            quiet_speed: self.quiet_speed,
            quiet_angular_speed: self.quiet_angular_speed,
            quiet_acceleration: self.quiet_acceleration,
            time_to_sleep: self.time_to_sleep,
        }
    }
}

impl Default for RetroactiveSettings {
    fn default() -> Self {
        Self {
            contact_correction: 0.2,
            joint_correction: 1.0,
            look_ahead: 4,
            max_push_speed: 3.0,
            restitution_threshold: 0.1,
            impact_rounds: 100,
            touch_distance: 1e-5,
            quiet_speed: 0.02,
            quiet_angular_speed: 0.04,
            quiet_acceleration: 0.002,
            time_to_sleep: 0.5,
        }
    }
}
