//! Which pairs may collide: rules and exceptions on bodies, pairs, groups and pairs of groups.

use crate::{BodyId, Model};

/// Which pairs may collide. Default: all.
#[derive(Clone, Debug, Default)]
pub struct CollisionFilter {}

impl CollisionFilter {
    /// Whether two bodies may collide.
    pub fn allows(&self, _model: &Model, _bodies: [BodyId; 2]) -> bool {
        true
    }
}
