//! The scenes that show one constraint each: they load, run to their end, stay finite, and their joints stay closed.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use tumble_scene::Loader;

#[test]
fn every_constraint_scene_runs_with_its_joint_closed() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/constraints");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 15, "{} scenes", paths.len());
    for path in paths {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut scene = Loader::new().load_text(&name, &text).unwrap_or_else(|report| panic!("{report}"));
        assert!(!scene.title.is_empty() && scene.description.ends_with('.') && scene.camera.is_some(), "{name}");
        let mut worst: f64 = 0.0;
        while scene.world.time() < scene.duration {
            scene.world.step(scene.dt).unwrap();
            worst = scene.world.joints().map(|(_, joint)| joint.error()).fold(worst, f64::max);
        }
        assert!(scene.world.bodies().all(|(_, body)| body.state().is_finite()), "{name}");
        assert!(worst < 1e-3, "{name} opened by {worst:e}");
    }
}
