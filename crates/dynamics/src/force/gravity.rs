//! Uniform gravity: `F = s m g`, with s the body's gravity scale.

use super::{Force, ForceContext, Wrenches};
use crate::Id;
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// The same acceleration everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Gravity {
    /// The acceleration in m/s². Default (0, −9.81, 0).
    #[schemars(with = "[f64; 3]", extend("unit" = "m/s²"))]
    pub acceleration: DVec3,
}

impl Default for Gravity {
    fn default() -> Self {
        Self { acceleration: DVec3::new(0.0, -9.81, 0.0) }
    }
}

impl Force for Gravity {
    fn apply(&self, context: &ForceContext<'_>, wrenches: &mut Wrenches) {
        for (id, body) in context.model.bodies().iter().filter(|(_, body)| body.kind.is_movable()) {
            wrenches.add_force(id.slot(), self.acceleration * (body.mass.mass * body.gravity_scale));
        }
    }

    fn uniform_acceleration(&self) -> Option<DVec3> {
        Some(self.acceleration)
    }

    /// `E = −Σ s m g·x`: zero for a body at the origin.
    fn potential_energy(&self, context: &ForceContext<'_>) -> Option<f64> {
        let bodies = context.model.bodies().iter().filter(|(_, body)| body.kind.is_movable());
        Some(
            bodies
                .map(|(id, body)| {
                    -body.gravity_scale * body.mass.mass * self.acceleration.dot(context.bodies[id.slot()].position)
                })
                .sum(),
        )
    }
}
