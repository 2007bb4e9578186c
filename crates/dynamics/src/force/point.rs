//! A steady force at a point fixed to a body (G 4.2, BasicForce). For a force during one step only, see
//! [`BodyMut::apply_force_at`](crate::BodyMut::apply_force_at).

use super::{Force, ForceContext, Target, Wrenches};
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// In which axes a vector is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Axes {
    /// The axes of the world: the force keeps its direction (default).
    #[default]
    World,
    /// The axes of the body: the force turns with it, like a rocket engine's.
    Body,
}

/// A steady force at a point of a body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PointForce {
    /// The bodies it acts on. Default: all.
    pub on: Target,
    /// The force in newtons. Default: zero.
    #[schemars(with = "[f64; 3]", extend("unit" = "N"))]
    pub force: DVec3,
    /// Where it acts, in the body frame, in metres. Default: the frame's origin.
    #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
    pub point: DVec3,
    /// In which axes the force is given. Default: the world's.
    pub axes: Axes,
}

impl Force for PointForce {
    fn apply(&self, context: &ForceContext<'_>, wrenches: &mut Wrenches) {
        for (slot, body, state) in self.on.bodies(context) {
            let force = match self.axes {
                Axes::World => self.force,
                Axes::Body => state.rotation * self.force,
            };
            wrenches.add_force_at(slot, state.position, force, body.frame(state).point(self.point));
        }
    }
}
