//! The registry keeps its promises: every part can be made by name, says what it is, and refuses what makes no sense.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use tumble_dynamics::force::{Force, ForceContext, Wrenches};
use tumble_dynamics::registry::{Part, Property, Registry, Table};
use tumble_dynamics::{Body, Id, ModelError, World};

/// Makes a part by name from properties, and drops it.
type Create<'a> = dyn Fn(&str, &Value) -> Result<(), ModelError> + 'a;

/// What the tests do with a table, whatever its parts are.
struct AnyTable<'a> {
    kind: &'static str,
    parts: Vec<&'a Part>,
    create: Box<Create<'a>>,
}

fn any<'a, T>(kind: &'static str, table: &'a Table<T>) -> AnyTable<'a> {
    let create = Box::new(move |name: &str, properties: &Value| table.create(name, properties).map(|_| ()));
    AnyTable { kind, parts: table.parts().collect(), create }
}

fn tables(registry: &Registry) -> Vec<AnyTable<'_>> {
    let mut tables = vec![
        any("force", &registry.forces),
        any("joint", &registry.joints),
        any("integrator", &registry.integrators),
        any("solver", &registry.solvers),
        any("broad phase", &registry.broad_phases),
        any("method", &registry.methods),
    ];
    // A method is only whole when its parts are found too.
    if let Some(methods) = tables.last_mut() {
        methods.create = Box::new(|name, properties| registry.method(name, properties).map(|_| ()));
    }
    tables
}

#[test]
fn the_built_in_parts_are_there() {
    let registry = Registry::default();
    let names = |parts: Vec<&Part>| parts.iter().map(|part| part.name.clone()).collect::<Vec<_>>().join(" ");
    assert_eq!(
        names(registry.forces.parts().collect()),
        "aerodynamic buoyancy central_gravity coulomb drag gravitation gravity point spring timed vortex"
    );
    for table in tables(&registry) {
        assert!(!table.parts.is_empty(), "no {}", table.kind);
    }
}

#[test]
fn every_part_can_be_made_with_its_defaults() {
    for table in tables(&Registry::default()) {
        for part in &table.parts {
            (table.create)(&part.name, &Value::Null).unwrap();
            (table.create)(&part.name, &json!({})).unwrap();
            // All defaults spelled out are the same as none.
            let defaults = part.properties.iter().map(|p| (p.name.clone(), p.default.clone())).collect();
            (table.create)(&part.name, &Value::Object(defaults)).unwrap();
        }
    }
}

#[test]
fn every_part_and_property_has_a_description() {
    for table in tables(&Registry::default()) {
        for part in &table.parts {
            let label = format!("{} \"{}\"", table.kind, part.name);
            assert!(part.description.len() > 5, "{label} has no description");
            for property in &part.properties {
                let text = &property.description;
                assert!(text.len() > 10 && text.contains(' '), "{label}: `{}` has no description", property.name);
            }
        }
    }
}

/// Whether a property is a plain number, or a vector of them.
fn is_numeric(property: &Property) -> bool {
    let all_numbers = |list: &Vec<Value>| !list.is_empty() && list.iter().all(Value::is_number);
    property.kind == "number" || property.default.as_array().is_some_and(all_numbers)
}

/// A number without a unit is a pure number, and says so.
#[test]
fn every_number_has_a_unit() {
    const PURE: [&str; 5] = ["fraction", "coefficient", "direction", "how many", "relative to"];
    for table in tables(&Registry::default()) {
        for part in &table.parts {
            for property in part.properties.iter().filter(|property| is_numeric(property) && property.unit.is_none()) {
                let text = property.description.to_lowercase();
                let label = format!("{} \"{}\": `{}`", table.kind, part.name, property.name);
                assert!(PURE.iter().any(|word| text.contains(word)), "{label} has no unit: {text}");
            }
        }
    }
}

#[test]
fn defaults_obey_their_ranges() {
    for table in tables(&Registry::default()) {
        for part in &table.parts {
            for property in &part.properties {
                let Some(default) = property.default.as_f64() else { continue };
                let least = property.minimum.unwrap_or(f64::NEG_INFINITY);
                let most = property.maximum.unwrap_or(f64::INFINITY);
                assert!((least..=most).contains(&default), "{}: `{}` is {default}", part.name, property.name);
            }
        }
    }
}

#[test]
fn numbers_out_of_range_are_refused_by_name() {
    let mut tried = 0;
    for table in tables(&Registry::default()) {
        for part in &table.parts {
            for property in &part.properties {
                let below = property.minimum.map(|least| least - 1.0);
                let above = property.maximum.map(|most| most + 1.0);
                for bad in [below, above].into_iter().flatten() {
                    let integer = property.kind == "integer";
                    let bad = if integer { json!(bad as i64) } else { json!(bad) };
                    let error = (table.create)(&part.name, &json!({ &property.name: bad })).unwrap_err().to_string();
                    let named = error.contains(&format!("`{}`", property.name));
                    assert!(named && error.contains(&part.name), "{}: {error}", property.name);
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 20, "only {tried} properties have ranges");
    // Also in a property that is itself made of properties.
    let settings = json!({ "settings": { "max_push_speed": -1.0 } });
    let error = Registry::default().method("retroactive", &settings).unwrap_err().to_string();
    assert!(error.contains("in `settings`: `max_push_speed` is -1, but must be at least 0"), "{error}");
    // In arrays, and in what may be there or not.
    let refused =
        |properties: Value| Registry::default().joints.create("six_axes", &properties).unwrap_err().to_string();
    let error = refused(json!({ "turn": [{}, { "friction": -1.0 }, {}] }));
    assert!(error.contains("in `turn`: in element 1: `friction` is -1, but must be at least 0"), "{error}");
    let error = refused(json!({ "slide": [{ "motor": { "speed": 1.0, "max_force": -2.0 } }, {}, {}] }));
    assert!(error.contains("in element 0: in `motor`: `max_force` is -2"), "{error}");
}

#[test]
fn unknown_properties_names_and_types_are_refused_by_name() {
    for table in tables(&Registry::default()) {
        for part in &table.parts {
            let error = (table.create)(&part.name, &json!({ "colour": "red" })).unwrap_err().to_string();
            assert!(error.contains("`colour`") && error.contains(&part.name), "{error}");
            assert!((table.create)(&part.name, &json!("red")).is_err());
            for property in part.properties.iter().filter(|property| is_numeric(property)) {
                assert!((table.create)(&part.name, &json!({ &property.name: "red" })).is_err());
            }
        }
        let error = (table.create)("no such thing", &Value::Null).unwrap_err().to_string();
        assert!(error.contains("no such thing") && error.contains(&table.parts[0].name), "{error}");
    }
}

/// A force of the user's own: everything is drawn to a plane.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
struct Carpet {
    /// The strength of the pull in N/m. Default 0.
    #[schemars(range(min = 0.0, max = 50.0), extend("unit" = "N/m"))]
    strength: f64,
}

impl Force for Carpet {
    fn apply(&self, context: &ForceContext<'_>, wrenches: &mut Wrenches) {
        for (id, _) in context.model.bodies().iter() {
            wrenches.add_force(id.slot(), DVec3::Y * (-self.strength * context.bodies[id.slot()].position.y));
        }
    }
}

#[test]
fn a_force_of_the_users_own_is_used_by_name() {
    let mut registry = Registry::default();
    registry.forces.register("carpet", |carpet: Carpet| Ok(Arc::new(carpet) as _));
    let part = registry.forces.part("carpet").unwrap();
    assert_eq!(part.description, "A force of the user's own: everything is drawn to a plane.");
    let strength = &part.properties[0];
    assert_eq!(
        (strength.name.as_str(), strength.unit.as_deref(), strength.maximum),
        ("strength", Some("N/m"), Some(50.0))
    );
    assert!(registry.forces.create("carpet", &json!({ "strength": 51.0 })).is_err());

    let mut world = World::new();
    world.set_gravity([0.0; 3]);
    let force = registry.forces.create("carpet", &json!({ "strength": 16.0 })).unwrap();
    world.add_force(force);
    let body = world.add_body(Body::particle(1.0).at([0.0, 1.0, 0.0]).without_sleep()).unwrap();
    for _ in 0..1000 {
        world.step(1e-3).unwrap();
    }
    assert!((world.body(body).unwrap().position().y - libm::cos(4.0)).abs() < 1e-4);
}

/// Forces that act on certain bodies find them by name or group; springs find their ends by name.
#[test]
fn forces_made_by_name_find_bodies_by_name() {
    let registry = Registry::default();
    let mut world = World::new();
    world.set_gravity([0.0; 3]);
    let bob = world.add_body(Body::particle(1.0).named("bob").at([0.0, -1.5, 0.0]).without_sleep()).unwrap();
    let other = world.add_body(Body::particle(1.0).named("other").at([5.0, 0.0, 0.0]).without_sleep()).unwrap();
    let spring =
        json!({ "ends": ["world", { "named": "bob" }], "stiffness": 100.0, "rest_length": 1.0, "damping": 0.0 });
    world.add_force(registry.forces.create("spring", &spring).unwrap());
    let push = json!({ "on": { "named": "other" }, "force": [0.0, 0.0, 2.0] });
    world.add_force(registry.forces.create("point", &push).unwrap());
    // A spring to a body that does not exist does nothing.
    let dangling = json!({ "ends": [{ "named": "bob" }, { "named": "nobody" }] });
    world.add_force(registry.forces.create("spring", &dangling).unwrap());
    assert_eq!(world.energy().potential, 12.5);
    for _ in 0..1000 {
        world.step(1e-3).unwrap();
    }
    // Stretched by half a metre at 10 rad/s: y = −1 − ½ cos 10 t.
    let off = world.body(bob).unwrap().position().y - (-1.0 - 0.5 * libm::cos(10.0));
    assert!(off.abs() < 1e-3, "{off}");
    assert!((world.body(other).unwrap().velocity().z - 2.0).abs() < 1e-12);
}
