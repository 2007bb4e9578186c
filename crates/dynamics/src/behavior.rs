//! Behaviour: what acts on a world before every step, such as a script, a controller or what somebody does with keys.
//!
//! A [`Behavior`] is given to a world with [`World::set_behavior`]. Before every step it sees the world as it is and may change
//! it: push bodies, set motors and targets, add and remove. What it remembers is part of snapshots and saved states, so that a
//! resumed run is bit for bit the run that was not interrupted; and a step that fails takes back what the behaviour did.
//!
//! What comes from outside while the world runs (keys, sticks, pointers) reaches a behaviour as named numbers, the
//! [inputs](World::set_input) of the world, which are part of snapshots, too: the same inputs at the same steps give the same run.

use crate::{ModelError, World};
use std::any::Any;
use std::fmt::Debug;

/// What acts on a world before every step.
///
/// ```
/// use tumble_dynamics::{Behavior, Body, World};
///
/// /// Holds a body up.
/// #[derive(Clone, Debug)]
/// struct Hover;
///
/// impl Behavior for Hover {
///     fn act(&mut self, world: &mut World, _dt: f64) -> Result<(), String> {
///         let id = world.body_named("drone").ok_or("there is no drone")?;
///         let (height, speed) = (world.body(id).map_err(|e| e.to_string())?.position().y, world.body(id).map_err(|e| e.to_string())?.velocity().y);
///         let force = 9.81 + 4.0 * (2.0 - height) - 4.0 * speed;
///         world.body_mut(id).and_then(|mut body| body.apply_force([0.0, force, 0.0])).map_err(|e| e.to_string())
///     }
///
///     fn clone_box(&self) -> Box<dyn Behavior> {
///         Box::new(self.clone())
///     }
/// }
///
/// let mut world = World::new();
/// let drone = world.add_body(Body::particle(1.0).named("drone"))?;
/// world.set_behavior(Hover);
/// for _ in 0..1200 {
///     world.step(1.0 / 60.0)?;
/// }
/// assert!((world.body(drone)?.position().y - 2.0).abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Behavior: Any + Debug + Send + Sync {
    /// Acts before a step of `dt` seconds. If it fails, the step is not taken, and what it did is taken back. What it does must
    /// depend on nothing but the world and what it remembers: no clock, no files, no randomness but its own.
    fn act(&mut self, world: &mut World, dt: f64) -> Result<(), String>;

    /// Told after the step before which it acted has been taken, to note what it wants to know of it. Default: nothing.
    fn after(&mut self, _world: &World) {}

    /// A copy with all it remembers.
    fn clone_box(&self) -> Box<dyn Behavior>;

    /// What it remembers, as bytes. Default: nothing.
    fn memory(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Remembers what another one of its kind remembered; refused if these bytes are not from there. Default: nothing to
    /// remember.
    fn load(&mut self, memory: &[u8]) -> Result<(), ModelError> {
        if memory.is_empty() { Ok(()) } else { Err(ModelError::Invalid("this behaviour remembers nothing".into())) }
    }

    /// Hands over what it has to say to people since it was last asked: lines of text. Default: nothing.
    fn take_messages(&mut self) -> Vec<String> {
        Vec::new()
    }
}
