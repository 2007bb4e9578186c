//! A columnar force field around an axis: a tornado (G 4.2).
//!
//! With r the vector from the axis to the body, perpendicular to the axis a:
//!
//! ```text
//! F = −k r + s (a × r) + u a
//! ```
//!
//! k pulls towards the axis, s drives around it, u lifts along it. Beyond `radius` from the axis there is no force. Only
//! the pull has a potential.

use super::{Force, ForceContext, Target, Wrenches};
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// A columnar force field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Vortex {
    /// The bodies it acts on. Default: all.
    pub on: Target,
    /// A point on the axis in metres. Default: the origin.
    #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
    pub center: DVec3,
    /// The direction of the axis, of any length but zero. Default: y.
    #[schemars(with = "[f64; 3]")]
    pub axis: DVec3,
    /// The pull k towards the axis in N/m. Default 1.
    #[schemars(extend("unit" = "N/m"))]
    pub pull: f64,
    /// The drive s around the axis in N/m. Default 0.
    #[schemars(extend("unit" = "N/m"))]
    pub swirl: f64,
    /// The lift u along the axis in newtons. Default 0.
    #[schemars(extend("unit" = "N"))]
    pub lift: f64,
    /// How far from the axis the field reaches, in metres; `null` for everywhere (default).
    #[schemars(range(min = 0.0), extend("unit" = "m"))]
    pub radius: Option<f64>,
}

impl Default for Vortex {
    fn default() -> Self {
        let (on, center, axis) = (Target::All, DVec3::ZERO, DVec3::Y);
        Self { on, center, axis, pull: 1.0, swirl: 0.0, lift: 0.0, radius: None }
    }
}

impl Vortex {
    /// The unit axis and the vector from it to a point, if the point is within reach.
    fn axis_and_offset(&self, point: DVec3) -> Option<(DVec3, DVec3)> {
        let axis = self.axis.try_normalize()?;
        let across = (point - self.center).reject_from_normalized(axis);
        self.radius.is_none_or(|radius| across.length() <= radius).then_some((axis, across))
    }
}

impl Force for Vortex {
    fn apply(&self, context: &ForceContext<'_>, wrenches: &mut Wrenches) {
        for (slot, _, state) in self.on.bodies(context) {
            if let Some((axis, across)) = self.axis_and_offset(state.position) {
                wrenches.add_force(slot, axis.cross(across) * self.swirl - across * self.pull + axis * self.lift);
            }
        }
    }

    /// `E = Σ ½ k r²`, if neither swirl nor lift feed energy in and the field has no edge.
    fn potential_energy(&self, context: &ForceContext<'_>) -> Option<f64> {
        if self.swirl != 0.0 || self.lift != 0.0 || self.radius.is_some() {
            return None;
        }
        let energy = |(_, _, state): (usize, &_, &crate::BodyState)| {
            self.axis_and_offset(state.position).map_or(0.0, |(_, across)| 0.5 * self.pull * across.length_squared())
        };
        Some(self.on.bodies(context).map(energy).sum())
    }
}
