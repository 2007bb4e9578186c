//! Any text is answered by the scene loader: with a scene or with a report, without panic and without growing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use tumble_scene::Loader;

static LOADER: LazyLock<Loader> = LazyLock::new(Loader::new);

fuzz_target!(|text: &str| {
    match LOADER.load_text("scene.toml", text) {
        Ok(mut scene) => drop(scene.world.step(scene.dt)),
        Err(report) => assert!(!report.to_string().is_empty()),
    }
});
