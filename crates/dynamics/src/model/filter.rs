//! Which pairs may collide: rules and exceptions on bodies, pairs, groups and pairs of groups.

/// Which pairs may collide. Default: all.
#[derive(Clone, Debug, Default)]
pub struct CollisionFilter {}
