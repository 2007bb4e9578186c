//! Everything in the registry is reachable from a scene file: every part by its name, and every property of it, with the
//! value it has by default and in the unit a person writes.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail")]

use serde_json::{Value, json};
use tumble_dynamics::registry::{Part, Registry};
use tumble_scene::{Loader, Scene, scene_schema};

#[track_caller]
fn load(text: &str) -> Scene {
    match Loader::new().load_text("scene.toml", text) {
        Ok(scene) => scene,
        Err(report) => panic!("{report}\n{text}"),
    }
}

/// A value as TOML on one line; what is not there is left out.
fn toml(value: &Value) -> String {
    match value {
        Value::Object(entries) => {
            let given = entries.iter().filter(|(_, entry)| !entry.is_null());
            format!(
                "{{ {} }}",
                given.map(|(key, entry)| format!("{key} = {}", toml(entry))).collect::<Vec<_>>().join(", ")
            )
        }
        Value::Array(elements) => format!("[{}]", elements.iter().map(toml).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

/// Follows references and choices to the schema of a table or array.
fn resolved<'a>(root: &'a Value, schema: &'a Value, value: &Value) -> &'a Value {
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        return resolved(root, root.pointer(target.strip_prefix('#').unwrap()).unwrap(), value);
    }
    let Some(choices) = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_array) else {
        return schema;
    };
    let Some(entries) = value.as_object().filter(|_| schema.get("properties").is_none()) else { return schema };
    let all = choices.iter().map(|choice| resolved(root, choice, value));
    let has_keys = |choice: &&Value| {
        entries.keys().all(|key| {
            [key.clone(), format!("{key}_deg")]
                .iter()
                .any(|key| choice.pointer(&format!("/properties/{key}")).is_some())
        })
    };
    all.into_iter().find(has_keys).unwrap_or(schema)
}

/// The properties of a part as a scene file gives them: angles in degrees, parts of a method by name.
fn as_written(root: &Value, schema: &Value, value: &Value) -> Value {
    let schema = resolved(root, schema, value);
    match value {
        Value::Object(entries) => {
            if let (Some(name), Some(properties)) = (entries.get("name"), entries.get("properties")) {
                return json!({ name.as_str().unwrap(): if properties.is_null() { json!({}) } else { properties.clone() } });
            }
            let mut written = serde_json::Map::new();
            for (key, entry) in entries.iter().filter(|(_, entry)| !entry.is_null()) {
                let property = |key: &str| schema.pointer(&format!("/properties/{key}"));
                let degrees = format!("{key}_deg");
                if let Some(property) = property(key) {
                    written.insert(key.clone(), as_written(root, property, entry));
                } else {
                    assert!(property(&degrees).is_some(), "a scene cannot give `{key}`: {schema:#}");
                    written.insert(degrees, in_degrees(entry));
                }
            }
            Value::Object(written)
        }
        Value::Array(elements) => {
            let none = Value::Null;
            let items = schema.get("items").unwrap_or(&none);
            elements.iter().map(|element| as_written(root, items, element)).collect()
        }
        other => other.clone(),
    }
}

fn in_degrees(value: &Value) -> Value {
    match value {
        Value::Array(elements) => elements.iter().map(in_degrees).collect(),
        number => json!(number.as_f64().unwrap().to_degrees()),
    }
}

/// All properties of a part with their defaults, as TOML.
fn everything(root: &Value, schema: &Value, part: &Part) -> String {
    let defaults = part.properties.iter().map(|property| (property.name.clone(), property.default.clone()));
    toml(&as_written(root, schema, &Value::Object(defaults.collect())))
}

#[test]
fn every_force_with_every_property() {
    let (registry, root) = (Registry::default(), scene_schema(&Registry::default()));
    for part in registry.forces.parts() {
        let schema = &root["$defs"]["ForceFile"]["properties"][&part.name];
        for properties in ["{}".into(), everything(&root, schema, part)] {
            let mut scene = load(&format!(
                "title = 't'\n[bodies.a]\nshape.sphere.radius = 1\n[forces.f]\n{} = {properties}\n",
                part.name
            ));
            assert_eq!(scene.world.model().forces().len(), 2, "gravity and {}", part.name);
            scene.world.step(scene.dt).unwrap();
        }
    }
}

#[test]
fn every_joint_with_every_property() {
    let (registry, root) = (Registry::default(), scene_schema(&Registry::default()));
    let mut refused = Vec::new();
    for part in registry.joints.parts() {
        let schema = &root["$defs"]["JointFile"]["properties"][&part.name];
        for properties in ["{}".into(), everything(&root, schema, part)] {
            let text = format!(
                "title = 't'\n[bodies.a]\nshape.sphere.radius = 0.3\nposition = [-1, 0, 0]\n\
                 [bodies.b]\nshape.sphere.radius = 0.3\nposition = [1, 0, 0]\n\
                 [joints.j]\nbetween = ['a', 'b']\n{} = {properties}\n",
                part.name
            );
            match Loader::new().load_text("scene.toml", &text) {
                Ok(mut scene) => {
                    assert_eq!(scene.world.model().joints().len(), 1);
                    scene.world.step(scene.dt).unwrap();
                }
                Err(report) => refused.push((part.name.clone(), report.to_string())),
            }
        }
    }
    assert!(refused.is_empty(), "{refused:#?}");
}

#[test]
fn every_part_of_a_method_with_every_property() {
    let (registry, root) = (Registry::default(), scene_schema(&Registry::default()));
    let methods = &root["properties"]["method"]["anyOf"][1]["properties"];
    let run = |text: String| {
        let mut scene = load(&format!("title = 't'\n{text}\n[bodies.a]\nshape.sphere.radius = 1\n"));
        scene.world.step(scene.dt).unwrap();
    };
    for method in registry.methods.parts() {
        let (name, schema) = (&method.name, &methods[&method.name]);
        run(format!("method = '{name}'"));
        run(format!("method.{name} = {}", everything(&root, schema, method)));
        let tables: [(&str, Vec<&Part>); 3] = [
            ("integrator", registry.integrators.parts().collect()),
            ("solver", registry.solvers.parts().collect()),
            ("broad_phase", registry.broad_phases.parts().collect()),
        ];
        for (kind, parts) in tables {
            let choice = &schema["properties"][kind]["anyOf"][1]["properties"];
            if choice.is_null() {
                continue;
            }
            for part in parts {
                run(format!("method.{name}.{kind} = '{}'", part.name));
                let properties = everything(&root, &choice[&part.name], part);
                run(format!("method.{name}.{kind}.{} = {properties}", part.name));
            }
        }
    }
}

/// What is given in degrees is described in degrees.
#[test]
fn no_description_of_degrees_speaks_of_radians() {
    fn look(value: &Value, found: &mut usize) {
        for (key, entry) in value.as_object().into_iter().flatten() {
            if key.ends_with("_deg") {
                *found += 1;
                let text = entry["description"].as_str().unwrap_or_default();
                assert!(!text.contains("radian") && !text.contains('π'), "{key}: {text}");
            }
            look(entry, found);
        }
        value.as_array().into_iter().flatten().for_each(|element| look(element, found));
    }
    let mut found = 0;
    look(&scene_schema(&Registry::default()), &mut found);
    assert!(found > 20, "{found}");
}

#[test]
fn every_material_and_every_mixing_rule() {
    for (name, _) in tumble_dynamics::Material::PRESETS {
        load(&format!("title = 't'\n[bodies.a]\nshape.sphere.radius = 1\nmaterial = '{name}'\n"));
    }
    // Restitutions ½ and 1, frictions 0.2 and 0.8.
    let contact = |key: &str, rule: &str| {
        let scene = load(&format!(
            "title = 't'\nmixing.{key} = '{rule}'\n[materials]\na = {{ restitution = 0.5, friction = 0.2 }}\nb = {{ restitution = 1, friction = 0.8 }}\n\
             [bodies.a]\nshape.sphere.radius = 1\nmaterial = 'a'\n[bodies.b]\nshape.sphere.radius = 1\nmaterial = 'b'\n"
        ));
        let model = scene.world.model();
        let materials: Vec<_> = model.colliders().iter().map(|(_, collider)| collider.material).collect();
        model.mixing().mix(&materials[0], &materials[1])
    };
    for (rule, bounce, friction) in [
        ("mean", 0.75, 0.5),
        ("geometric_mean", 0.5_f64.sqrt(), 0.4),
        ("product", 0.5, 0.16),
        ("smallest", 0.5, 0.2),
        ("largest", 1.0, 0.8),
        // Restitution is at most 1.
        ("sum", 1.0, 1.0),
    ] {
        let mixed = contact("restitution", rule);
        assert!((mixed.restitution - bounce).abs() < 1e-15 && (mixed.static_friction - 0.4).abs() < 1e-15, "{rule}");
        let mixed = contact("friction", rule);
        assert!((mixed.dynamic_friction - friction).abs() < 1e-15 && mixed.restitution == 0.75, "{rule}");
    }
}

#[test]
fn every_shape_and_every_script() {
    let root = scene_schema(&Registry::default());
    let kinds = |name: &str| -> Vec<String> {
        let choices = root["$defs"][name]["oneOf"].as_array().unwrap();
        choices.iter().map(|choice| choice["properties"].as_object().unwrap().keys().next().unwrap().clone()).collect()
    };
    let shapes = [
        "sphere.radius = 1",
        "box.size = [1, 1, 1]",
        "capsule = { radius = 1, height = 3 }",
        "cylinder = { radius = 1, height = 3 }",
        "cone = { radius = 1, height = 3 }",
        "ellipsoid.radii = [1, 2, 3]",
        "torus = { radius = 2, tube = 0.5 }",
        "hull.points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]",
        "half_space = {}",
        "mesh = { vertices = [[0, 0, 0], [1, 0, 0], [0, 0, 1]], triangles = [[0, 2, 1]] }",
        "height_field = { heights = [[0, 0], [1, 0]], spacing = [1, 1] }",
        "compound.parts = [{ shape.sphere.radius = 1 }]",
    ];
    for kind in kinds("ShapeFile") {
        let shape = shapes.iter().find(|shape| shape.starts_with(&kind)).unwrap_or_else(|| panic!("no {kind} here"));
        load(&format!("title = 't'\n[bodies.a]\nkind = 'fixed'\nshape.{shape}\n"));
    }
    let scripts = [
        "turn.rate = 1",
        "swing = { amplitude = [1, 0, 0], period = 2 }",
        "key_frames.frames = [{ time = 0, position = [0, 0, 0] }]",
    ];
    for kind in kinds("ScriptFile") {
        let script =
            scripts.iter().find(|script| script.starts_with(&kind)).unwrap_or_else(|| panic!("no {kind} here"));
        load(&format!("title = 't'\n[bodies.a]\nshape.sphere.radius = 1\nscript.{script}\n"));
    }
}
