//! The parts that scenes are made of, by name.

use crate::behave;
use crate::build::PlacedPath;
use std::sync::Arc;
use tumble_dynamics::ModelError;
use tumble_dynamics::registry::Registry;

/// All built-in parts, the paths of scripted bodies as scene files describe them, and scripts: with these,
/// [`World::save_whole`](tumble_dynamics::World::save_whole) saves the world of any scene, and
/// [`World::from_saved`](tumble_dynamics::World::from_saved) goes on from it without the scene.
///
/// ```
/// use tumble_dynamics::{SavedWorld, World};
///
/// let mut scene = tumble_scene::Loader::new().load_text("x", "bodies.ball.shape.sphere.radius = 1")?;
/// scene.world.step(scene.dt)?;
/// let registry = tumble_scene::registry();
/// let bytes = scene.world.save_whole(&registry)?.to_bytes();
/// let world = World::from_saved(&SavedWorld::from_bytes(&bytes)?, &registry)?;
/// assert_eq!(world.state(), scene.world.state());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn registry() -> Registry {
    let mut registry = Registry::default();
    registry.scripts.register_saved("path", |path: PlacedPath| {
        path.validate().map_err(ModelError::Invalid)?;
        Ok(Arc::new(path) as _)
    });
    behave::register(&mut registry);
    registry
}
