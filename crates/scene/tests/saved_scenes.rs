//! Every scene of the gallery is saved whole under every method that runs it, and goes on from its bytes as if nothing had happened.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use tumble_dynamics::{SavedWorld, StepError, World};
use tumble_scene::gallery::SCENES;
use tumble_scene::{Loader, Scene};

/// Steps before and after a world is saved. Few, because there are a thousand worlds.
const STEPS: usize = 2;

/// With `TUMBLE_CASES=1`, every scene under every method, which takes many minutes; else the scene with springs under every method, and the
/// other constraints in real time.
fn is_tried(scene: &str, method: &str) -> bool {
    let all = std::env::var_os("TUMBLE_CASES").is_some();
    all || scene == "constraints/spring" || (scene.starts_with("constraints/") && method == "realtime")
}

/// The scene after a few steps; none if the method has no answer to something in it.
fn started(entry: &tumble_scene::gallery::Entry, method: &str) -> Option<Scene> {
    let loader = Loader::new().with_setting(format!("method = \"{method}\""));
    let mut scene = entry.load(&loader).unwrap_or_else(|report| panic!("{report}"));
    for _ in 0..STEPS {
        match scene.world.step(scene.dt) {
            Err(StepError::Cannot { .. }) => return None,
            taken => taken.unwrap_or_else(|error| panic!("{} with {method}: {error}", entry.name)),
        }
    }
    Some(scene)
}

#[test]
fn every_scene_goes_on_from_its_bytes_under_every_method() {
    let registry = tumble_scene::registry();
    let methods: Vec<&str> = registry.methods.parts().map(|part| part.name.as_str()).collect();
    let (mut saved_worlds, mut bodies_named_by_forces) = (0, 0);
    for entry in SCENES {
        for method in &methods {
            if !is_tried(entry.name, method) {
                continue;
            }
            let Some(Scene { world: mut one, dt, .. }) = started(entry, method) else { continue };
            let whose = format!("{} with {method}", entry.name);
            let bytes = one.save_whole(&registry).unwrap_or_else(|error| panic!("{whose}: {error}")).to_bytes();
            let saved = SavedWorld::from_bytes(&bytes).unwrap();
            let mut other = World::from_saved(&saved, &registry).unwrap_or_else(|error| panic!("{whose}: {error}"));
            assert_eq!(one.model().fingerprint(), other.model().fingerprint(), "{whose}: another model");
            assert_eq!(registry.properties_of(one.method()), registry.properties_of(other.method()), "{whose}");
            for step in 0..STEPS {
                // What a method cannot do in this step it cannot do afterwards either.
                let [taken, taken_again] = [&mut one, &mut other].map(|world| world.step(dt));
                assert_eq!(format!("{taken:?}"), format!("{taken_again:?}"), "{whose}, step {step}");
                assert_eq!(one.state().fingerprint(), other.state().fingerprint(), "{whose}, step {step}");
            }
            saved_worlds += 1;
            bodies_named_by_forces += usize::from(entry.name == "constraints/spring");
        }
    }
    eprintln!("{saved_worlds} worlds of {} scenes", SCENES.len());
    assert!(saved_worlds > 30, "only {saved_worlds} worlds were saved");
    assert!(bodies_named_by_forces >= 3, "springs were saved under {bodies_named_by_forces} methods only");
}
