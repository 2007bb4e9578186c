//! A closure as a force.

use super::{Force, ForceContext, Wrenches};
use std::fmt;

/// A force given by a function.
///
/// ```
/// use tumble_dynamics::force::{FnForce, ForceContext, Wrenches};
/// use tumble_dynamics::World;
/// use glam::DVec3;
///
/// let mut world = World::new();
/// world.add_force(FnForce::new("fountain", |context: &ForceContext<'_>, wrenches: &mut Wrenches| {
///     for (slot, body) in context.bodies.iter().enumerate() {
///         if body.position.length() < 1.0 {
///             wrenches.add_force(slot, DVec3::Y * 20.0);
///         }
///     }
/// }));
/// ```
pub struct FnForce<F> {
    name: String,
    function: F,
}

impl<F> FnForce<F>
where
    F: Fn(&ForceContext<'_>, &mut Wrenches) + Send + Sync,
{
    /// A force that calls `function`; the name is for messages.
    pub fn new(name: impl Into<String>, function: F) -> Self {
        Self { name: name.into(), function }
    }
}

impl<F> fmt::Debug for FnForce<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FnForce({})", self.name)
    }
}

impl<F> Force for FnForce<F>
where
    F: Fn(&ForceContext<'_>, &mut Wrenches) + Send + Sync + 'static,
{
    fn apply(&self, context: &ForceContext<'_>, wrenches: &mut Wrenches) {
        (self.function)(context, wrenches);
    }
}
