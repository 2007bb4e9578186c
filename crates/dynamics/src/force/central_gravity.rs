//! Gravity towards a point: `F = −μ m d / (|d|² + ε²)^{3/2}` with d from the centre to the body, the field of a planet
//! or star. The softening ε keeps the force finite at the centre (Plummer's sphere).

use super::{Force, ForceContext, Target, Wrenches};
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// Gravity towards a point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CentralGravity {
    /// The bodies it acts on. Default: all.
    pub on: Target,
    /// The centre of attraction in metres. Default: the origin.
    #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
    pub center: DVec3,
    /// The gravitational parameter μ = G M in m³/s². Default 1.
    #[schemars(extend("unit" = "m³/s²"))]
    pub parameter: f64,
    /// The softening length ε in metres. Default 0.
    #[schemars(range(min = 0.0), extend("unit" = "m"))]
    pub softening: f64,
}

impl Default for CentralGravity {
    fn default() -> Self {
        Self { on: Target::All, center: DVec3::ZERO, parameter: 1.0, softening: 0.0 }
    }
}

impl CentralGravity {
    /// The softened distance `√(|d|² + ε²)`.
    fn reach(&self, position: DVec3) -> f64 {
        ((position - self.center).length_squared() + self.softening * self.softening).sqrt()
    }
}

impl Force for CentralGravity {
    fn apply(&self, context: &ForceContext<'_>, wrenches: &mut Wrenches) {
        for (slot, body, state) in self.on.bodies(context) {
            let reach = self.reach(state.position);
            if reach > 0.0 {
                let strength = self.parameter * body.mass.mass / (reach * reach * reach);
                wrenches.add_force(slot, (self.center - state.position) * strength);
            }
        }
    }

    /// `E = −Σ μ m / √(|d|² + ε²)`: zero far away.
    fn potential_energy(&self, context: &ForceContext<'_>) -> Option<f64> {
        let energy = self.on.bodies(context).map(|(_, body, state)| {
            let reach = self.reach(state.position);
            if reach > 0.0 { -self.parameter * body.mass.mass / reach } else { 0.0 }
        });
        Some(energy.sum())
    }
}
