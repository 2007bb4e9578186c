//! Any text is answered by the scene loader: with a scene or with a report, without panic and without growing.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tumble_scene::Loader;

fuzz_target!(|text: &str| {
    match Loader::new().load_text("scene.toml", text) {
        Ok(mut scene) => drop(scene.world.step(scene.dt)),
        Err(report) => assert!(!report.to_string().is_empty()),
    }
});
