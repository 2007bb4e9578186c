//! Nail: a point of a body stays where it is in space (K B.4.1).
//!
//! The ball joint with the world (or a body that does not move) as the other end: three rows, rotation is free.

use super::{Attach, Ball, BodyView, Constraint, Softness};
use crate::error::ModelError;
use crate::schema::JsonSchema;
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A nail through a point of a body, into the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Nail {
    /// Where it is, in world coordinates, in metres. Default: the origin.
    #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
    pub point: DVec3,
    /// How hard it holds. Default: rigid.
    pub softness: Softness,
}

impl Nail {
    /// A rigid nail at a world point.
    pub fn at(point: impl Into<DVec3>) -> Self {
        Self { point: point.into(), softness: Softness::Rigid }
    }
}

impl Attach for Nail {
    fn attach(&self, bodies: &[BodyView; 2]) -> Result<Arc<dyn Constraint>, ModelError> {
        Ball { anchor: self.point, softness: self.softness }.attach(bodies)
    }
}
