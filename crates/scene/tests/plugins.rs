//! Scenes with plug-ins: used by name like built-in parts, and wrong in ways that are pointed at.

#![cfg(feature = "plugins")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use tumble_plugin::template;
use tumble_scene::mesh::Files;
use tumble_scene::{Loader, Scene};

/// The templates as files, and one that is none.
struct Templates;

impl Files for Templates {
    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        let text = match name {
            "updraft.wat" => template::FORCE,
            "wire.wat" => template::JOINT,
            "stone.wat" => template::SHAPE,
            "leapfrog.wat" => template::METHOD,
            "bad.wat" => "(module)",
            _ => return Err(format!("there is no file {name}")),
        };
        Ok(text.into())
    }
}

fn read(text: &str) -> Result<Scene, String> {
    Loader::new().load_text_with("scene.toml", text, &Templates).map_err(|report| report.to_string())
}

const ALL: &str = r#"
    plugins = ["updraft.wat", "wire.wat", "stone.wat"]

    [forces.thermal]
    updraft = { strength = 12, height = 3, on.named = "bead" }

    [bodies.bead]
    shape.sphere.radius = 0.1
    position = [0, 1, 0]
    velocity = [1, 0, 0]

    [bodies.stone]
    shape.superellipsoid = { radii = [0.5, 0.2, 0.3], exponent = 3 }
    position = [3, 1, 0]

    [bodies.ground]
    kind = "fixed"
    shape.half_space = {}

    [joints.wire]
    between = ["world", "bead"]
    parabola = { anchor = [0, 1, 0], axis = [1, 0, 0], bend = 0.5 }
"#;

#[test]
fn a_scene_uses_plug_ins_like_built_in_parts() {
    let mut scene = read(ALL).unwrap();
    for _ in 0..240 {
        scene.world.step(scene.dt).unwrap();
    }
    let place = |name: &str| scene.world.body(scene.body_named(name).unwrap()).unwrap().position();
    let bead = place("bead");
    assert!((bead.y - 1.0 - 0.5 * bead.x * bead.x).abs() < 1e-3, "it is on the wire: {bead}");
    assert!((place("stone").y - 0.2).abs() < 5e-3, "it lies on its flat side");
}

#[test]
fn a_scene_chooses_a_method_that_is_a_plug_in() {
    let text = "plugins = [\"leapfrog.wat\"]\nmethod = \"leapfrog\"\nbodies.ball.shape.sphere.radius = 1";
    let mut scene = read(text).unwrap();
    scene.world.step(scene.dt).unwrap();
    assert_eq!(scene.world.method().name(), "leapfrog");
    assert!(read(&text.replace("[\"leapfrog.wat\"]", "[]")).unwrap_err().contains("leapfrog"));
}

#[test]
fn what_is_wrong_is_pointed_at() {
    let error = |from: &str, to: &str| {
        assert!(ALL.contains(from));
        read(&ALL.replace(from, to)).unwrap_err()
    };
    let missing = error("\"stone.wat\"", "\"stone.wat\", \"none.wat\"");
    assert!(missing.contains("there is no file none.wat") && missing.contains("scene.toml:2"), "{missing}");
    let bad = error("\"stone.wat\"", "\"stone.wat\", \"bad.wat\"");
    assert!(bad.contains("bad.wat") && bad.contains("no description"), "{bad}");
    let twice = error("\"stone.wat\"", "\"stone.wat\", \"stone.wat\"");
    assert!(twice.contains("superellipsoid\" already"), "{twice}");
    let range = error("exponent = 3", "exponent = 300");
    assert!(range.contains("300") && range.contains("20") && range.contains("scene.toml:13"), "{range}");
    let unknown = error("bend = 0.5", "bent = 0.5");
    assert!(unknown.contains("bent") && unknown.contains("did you mean `bend`"), "{unknown}");
    let body = error("on.named = \"bead\"", "on.named = \"beat\"");
    assert!(body.contains("no body \"beat\""), "{body}");
    let without = error("plugins = [\"updraft.wat\", \"wire.wat\", \"stone.wat\"]", "");
    assert!(without.contains("updraft") && without.contains("superellipsoid") && without.contains("parabola"));
}

#[test]
fn a_loader_whose_registry_has_plug_ins_needs_no_names() {
    let mut registry = tumble_dynamics::registry::Registry::default();
    tumble_plugin::Plugin::read("updraft.wat", template::FORCE.as_bytes()).unwrap().register(&mut registry).unwrap();
    let loader = Loader::new().with_registry(registry);
    let text = "forces.thermal.updraft = {}\nbodies.ball.shape.sphere.radius = 1";
    assert!(loader.load_text("scene.toml", text).is_ok());
    // Naming it again is one too many.
    let again = loader.load_text_with("scene.toml", &format!("plugins = [\"updraft.wat\"]\n{text}"), &Templates);
    assert!(again.unwrap_err().to_string().contains("already"));
}
