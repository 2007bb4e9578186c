//! The settings of the real-time method.

#[cfg(feature = "registry")]
use crate::ModelError;
#[cfg(feature = "registry")]
use crate::method::{Method, Realtime};
use crate::parts::activity::ActivitySettings;
use crate::parts::or_never;
#[cfg(feature = "registry")]
use crate::registry::{DescribeMethod, Registry};
use crate::schema::JsonSchema;
use serde::{Deserialize, Serialize};

/// For games and everything that has to be fast, with steps of 1/60 s: towers stand, joints do not stretch, nothing passes through walls.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RealtimeSettings {
    /// How often within a step contacts are looked at anew. Default 2.
    #[schemars(range(min = 1, max = 64))]
    pub refreshes: u32,
    /// In how many substeps the bodies go from one look at the contacts to the next. Default 4.
    #[schemars(range(min = 1, max = 256))]
    pub substeps: u32,
    /// The most substeps that heaps take instead where something heavy lies on something light. Default 32.
    #[schemars(range(min = 1, max = 256))]
    pub most_substeps: u32,
    /// Islands of at most this many contacts are solved exactly, by elimination; larger ones by sweeps. Default 64.
    #[schemars(range(max = 100_000))]
    pub exact_contacts: u32,
    /// While a pair has moved by less than this, relative to the size of the smaller shape, its contact points are kept. Default 0.01.
    #[schemars(range(min = 0.0, max = 0.2))]
    pub keep: f64,
    /// Overlaps are removed at this speed at most, in m/s. Default 3.
    #[schemars(range(min = 0.0), extend("unit" = "m/s"))]
    pub max_push_speed: f64,
    /// Impacts slower than this do not bounce, in m/s. Default 0.5.
    #[schemars(range(min = 0.0), extend("unit" = "m/s"))]
    pub restitution_threshold: f64,
    /// Surfaces closer than this count as touching, in metres. Default 1e-5.
    #[schemars(range(min = 0.0), extend("unit" = "m"))]
    pub touch_distance: f64,
    /// A body is quiet while its speed is below this, in m/s. Default 0.02.
    #[schemars(range(min = 0.0), extend("unit" = "m/s"))]
    pub quiet_speed: f64,
    /// A body is quiet while its angular speed is below this, in rad/s. Default 0.04.
    #[schemars(range(min = 0.0), extend("unit" = "rad/s"))]
    pub quiet_angular_speed: f64,
    /// What accelerates by more than this in m/s², or twice this in rad/s², is not quiet, however slow it is. Default 0.02.
    #[schemars(range(min = 0.0), extend("unit" = "m/s²"))]
    pub quiet_acceleration: f64,
    /// Islands whose bodies were all quiet for this long fall asleep, in seconds; "never" for bodies that stay awake.
    /// Default 0.5.
    #[serde(with = "or_never")]
    #[schemars(with = "or_never::TimeOrNever", extend("unit" = "s"))]
    pub time_to_sleep: f64,
}

impl RealtimeSettings {
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

impl Default for RealtimeSettings {
    fn default() -> Self {
        Self {
            refreshes: 2,
            substeps: 4,
            most_substeps: 32,
            exact_contacts: 64,
            keep: 0.01,
            max_push_speed: 3.0,
            restitution_threshold: 0.5,
            touch_distance: 1e-5,
            quiet_speed: 0.02,
            quiet_angular_speed: 0.04,
            quiet_acceleration: 0.02,
            time_to_sleep: 0.5,
        }
    }
}

#[cfg(feature = "registry")]
impl DescribeMethod for RealtimeSettings {
    fn build(&self, _registry: &Registry) -> Result<Box<dyn Method>, ModelError> {
        Ok(Box::new(Realtime::new().with_settings(*self)))
    }

    fn configure(&self, method: &mut dyn Method, _registry: &Registry) -> Result<(), ModelError> {
        let name = method.name();
        let other = || ModelError::Invalid(format!("the settings of \"realtime\" do not fit the method \"{name}\""));
        let method = (method as &mut dyn std::any::Any).downcast_mut::<Realtime>().ok_or_else(other)?;
        method.set_settings(*self);
        Ok(())
    }

    fn properties_of(&self, method: &dyn Method, _registry: &Registry) -> Option<serde_json::Value> {
        let method = (method as &dyn std::any::Any).downcast_ref::<Realtime>()?;
        serde_json::to_value(method.settings()).ok()
    }
}
