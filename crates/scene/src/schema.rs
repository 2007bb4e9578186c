//! One JSON Schema for scene files: the types of [`crate::format`], with the parts of a registry spliced in by name.
//!
//! A registered part keeps the names of its properties, with two changes that make files pleasant to write: an angle in
//! radians becomes `NAME_deg` in degrees, and a part made of parts (the integrator of a method) is given by name, or as a
//! table with one key, the name, like everything else.

use crate::format::{SceneFile, SpringFile};
use serde_json::{Map, Value, json};
use tumble_dynamics::registry::{Part, Registry, Table};

/// The property of a method that is a part itself, by the name it has there.
const NESTED: [&str; 3] = ["integrator", "solver", "broad_phase"];

/// The JSON Schema (draft 2020-12) of a scene file with the parts of this registry.
pub fn scene_schema(registry: &Registry) -> Value {
    let mut root = schemars::schema_for!(SceneFile).to_value();
    let mut definitions = match root.get_mut("$defs").map(Value::take) {
        Some(Value::Object(definitions)) => definitions,
        _ => Map::new(),
    };
    let mut joints = parts_of(&registry.joints, &mut definitions);
    let spring = adopt(schemars::schema_for!(SpringFile).to_value(), "spring", &mut definitions);
    joints.insert("spring".into(), spring);
    splice(&mut definitions, "JointFile", joints);
    let forces = parts_of(&registry.forces, &mut definitions);
    splice(&mut definitions, "ForceFile", forces);

    let nested = NESTED.map(|name| match name {
        "integrator" => choice(parts_of(&registry.integrators, &mut definitions)),
        "solver" => choice(parts_of(&registry.solvers, &mut definitions)),
        _ => choice(parts_of(&registry.broad_phases, &mut definitions)),
    });
    let mut methods = parts_of(&registry.methods, &mut definitions);
    for method in methods.values_mut() {
        for (name, choice) in NESTED.iter().zip(&nested) {
            if let Some(property) = method.pointer_mut(&format!("/properties/{name}")) {
                replace_keeping_description(property, choice);
            }
        }
    }
    definitions.remove("PartDescription");
    if let Some(method) = root.pointer_mut("/properties/method") {
        replace_keeping_description(method, &choice(methods));
    }
    root["$defs"] = Value::Object(definitions);
    root["title"] = json!("tumble scene");
    root
}

/// The schemas of all parts of a table, by name.
fn parts_of<T>(table: &Table<T>, definitions: &mut Map<String, Value>) -> Map<String, Value> {
    table.parts().map(|part| (part.name.clone(), part_schema(part, definitions))).collect()
}

fn part_schema(part: &Part, definitions: &mut Map<String, Value>) -> Value {
    let mut schema = adopt(part.schema.clone(), &part.name, definitions);
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        let old = std::mem::take(properties);
        properties.extend(old.into_iter().map(|(name, property)| {
            if is_angle(&property) { (format!("{name}_deg"), in_degrees(property)) } else { (name, property) }
        }));
    }
    schema
}

fn is_angle(property: &Value) -> bool {
    property.get("unit").and_then(Value::as_str) == Some("rad")
}

fn in_degrees(mut property: Value) -> Value {
    property["unit"] = json!("°");
    for key in ["default", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
        if let Some(value) = property.get_mut(key) {
            scale(value, 180.0 / std::f64::consts::PI);
        }
    }
    property
}

/// Multiplies every number in a value.
fn scale(value: &mut Value, factor: f64) {
    match value {
        Value::Number(number) => *value = json!(number.as_f64().unwrap_or(0.0) * factor),
        Value::Array(elements) => elements.iter_mut().for_each(|element| scale(element, factor)),
        Value::Object(entries) => entries.values_mut().for_each(|entry| scale(entry, factor)),
        _ => {}
    }
}

/// Turns the properties of a part from how a scene file gives them into how the registry wants them.
pub(crate) fn to_registry(part: &Part, properties: &Value) -> Value {
    let mut properties = properties.clone();
    let Some(entries) = properties.as_object_mut() else { return properties };
    for property in part.properties.iter().filter(|property| property.unit.as_deref() == Some("rad")) {
        if let Some(mut value) = entries.remove(&format!("{}_deg", property.name)) {
            scale(&mut value, std::f64::consts::PI / 180.0);
            entries.insert(property.name.clone(), value);
        }
    }
    properties
}

/// Turns the properties of a method likewise, with the parts it is made of.
pub(crate) fn method_to_registry(registry: &Registry, part: &Part, properties: &Value) -> Value {
    let mut properties = to_registry(part, properties);
    for kind in NESTED {
        let Some(chosen) = properties.get(kind) else { continue };
        let (name, given) = chosen_part(chosen);
        let part = match kind {
            "integrator" => registry.integrators.part(&name),
            "solver" => registry.solvers.part(&name),
            _ => registry.broad_phases.part(&name),
        };
        let given = part.map_or(Value::Null, |part| to_registry(part, &given));
        properties[kind] = json!({ "name": name, "properties": given });
    }
    properties
}

/// The name and properties of a part that is given by name, or as a table with one key.
pub(crate) fn chosen_part(value: &Value) -> (String, Value) {
    match value {
        Value::String(name) => (name.clone(), json!({})),
        Value::Object(entries) => {
            entries.iter().next().map_or_else(Default::default, |(name, properties)| (name.clone(), properties.clone()))
        }
        _ => Default::default(),
    }
}

/// A part by name, or as a table with one key.
fn choice(parts: Map<String, Value>) -> Value {
    let names: Vec<&String> = parts.keys().collect();
    let given = json!({
        "type": "object",
        "additionalProperties": false,
        "oneOf": names.iter().map(|name| json!({ "required": [name] })).collect::<Vec<_>>(),
        "properties": parts,
    });
    json!({ "anyOf": [{ "type": "string", "enum": names }, given] })
}

fn replace_keeping_description(place: &mut Value, schema: &Value) {
    let description = place.get("description").cloned();
    *place = schema.clone();
    if let Some(description) = description {
        place["description"] = description;
    }
}

/// Gives the object type `name` one more key for each part, of which exactly one must be there.
fn splice(definitions: &mut Map<String, Value>, name: &str, parts: Map<String, Value>) {
    let Some(definition) = definitions.get_mut(name) else { return };
    definition["additionalProperties"] = json!(false);
    definition["oneOf"] = parts.keys().map(|part| json!({ "required": [part] })).collect();
    if definition.get("properties").is_none() {
        definition["properties"] = json!({});
    }
    if let Some(properties) = definition.get_mut("properties").and_then(Value::as_object_mut) {
        properties.extend(parts);
    }
}

/// Moves the definitions of a schema of its own into the common ones; where a name means something else there, the part's
/// name is put before it.
fn adopt(mut schema: Value, part: &str, definitions: &mut Map<String, Value>) -> Value {
    let own = schema.as_object_mut().and_then(|entries| {
        entries.remove("$schema");
        entries.remove("title");
        entries.remove("$defs")
    });
    let Some(Value::Object(own)) = own else { return schema };
    let rename = |name: &str| match definitions.get(name) {
        Some(known) if Some(known) != own.get(name) => format!("{part}_{name}"),
        _ => name.to_owned(),
    };
    let names: Vec<(String, String)> = own.keys().map(|name| (name.clone(), rename(name))).collect();
    redirect(&mut schema, &names);
    for ((_, mut definition), (_, new)) in own.into_iter().zip(&names) {
        redirect(&mut definition, &names);
        definitions.insert(new.clone(), definition);
    }
    schema
}

fn redirect(value: &mut Value, names: &[(String, String)]) {
    match value {
        Value::Object(entries) => {
            for (key, entry) in entries {
                match entry {
                    Value::String(text) if key == "$ref" => {
                        let target = text.strip_prefix("#/$defs/").unwrap_or_default();
                        if let Some((_, new)) = names.iter().find(|(old, _)| old == target) {
                            *text = format!("#/$defs/{new}");
                        }
                    }
                    _ => redirect(entry, names),
                }
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(|element| redirect(element, names)),
        _ => {}
    }
}
