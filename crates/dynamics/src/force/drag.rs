//! Resistance of a fluid to a body as a whole: `F = −c v − k |v| v`, `τ = −cᵣ ω − kᵣ |ω| ω`, with v relative to the wind.

use super::{Force, ForceContext, Target, Wrenches};
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Linear and quadratic drag.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Drag {
    /// The bodies it acts on. Default: all.
    pub on: Target,
    /// The velocity of the fluid in m/s. Default: zero.
    #[schemars(with = "[f64; 3]", extend("unit" = "m/s"))]
    pub wind: DVec3,
    /// The linear coefficient c in N s/m (slow flow). Default 0.
    #[schemars(range(min = 0.0), extend("unit" = "N s/m"))]
    pub linear: f64,
    /// The quadratic coefficient k = ½ ρ c_w A in N s²/m² (fast flow). Default 0.
    #[schemars(range(min = 0.0), extend("unit" = "N s²/m²"))]
    pub quadratic: f64,
    /// The linear coefficient against turning in N m s. Default 0.
    #[schemars(range(min = 0.0), extend("unit" = "N m s"))]
    pub angular_linear: f64,
    /// The quadratic coefficient against turning in N m s². Default 0.
    #[schemars(range(min = 0.0), extend("unit" = "N m s²"))]
    pub angular_quadratic: f64,
}

impl Force for Drag {
    fn apply(&self, context: &ForceContext<'_>, wrenches: &mut Wrenches) {
        for (slot, _, state) in self.on.bodies(context) {
            let (v, omega) = (state.velocity - self.wind, state.angular_velocity);
            wrenches.add_force(slot, v * -(self.linear + self.quadratic * v.length()));
            wrenches.add_torque(slot, omega * -(self.angular_linear + self.angular_quadratic * omega.length()));
        }
    }
}
