//! One JSON Schema for scene files: the types of [`crate::format`], with the parts of a registry spliced in by name.
//!
//! A registered part keeps the names of its properties, with two changes that make files pleasant to write: an angle in
//! radians becomes `NAME_deg` in degrees, and a part made of parts (the integrator of a method) is given by name, or as a
//! table with one key, the name, like everything else.

use crate::degrees::{RADIANS, in_words};
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
    splice(&mut definitions, "BoneJointFile", joints.clone());
    splice(&mut definitions, "JointFile", joints);
    let forces = parts_of(&registry.forces, &mut definitions);
    splice(&mut definitions, "ForceFile", forces);

    // Of the kinds of shapes just one is meant, although one more is read that the type does not describe: those of the registry.
    if let Some(shape) = definitions.get_mut("ShapeFile").and_then(Value::as_object_mut)
        && let Some(kinds) = shape.remove("anyOf")
    {
        shape.insert("oneOf".into(), kinds);
    }
    for (name, schema) in parts_of(&registry.shapes, &mut definitions) {
        let Some(kinds) = definitions.get_mut("ShapeFile").and_then(|shape| shape.get_mut("oneOf")) else { break };
        let kind = json!({
            "type": "object", "description": schema.get("description"), "additionalProperties": false,
            "required": [name], "properties": { name: schema },
        });
        kinds.as_array_mut().into_iter().for_each(|kinds| kinds.push(kind.clone()));
    }

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
    root.pointer_mut("/properties/title").and_then(Value::as_object_mut).and_then(|title| title.remove("default"));
    root
}

/// The schemas of all parts of a table, by name.
fn parts_of<T>(table: &Table<T>, definitions: &mut Map<String, Value>) -> Map<String, Value> {
    table.parts().map(|part| (part.name.clone(), part_schema(part, definitions))).collect()
}

fn part_schema(part: &Part, definitions: &mut Map<String, Value>) -> Value {
    let mut schema = adopt(part.schema.clone(), &part.name, definitions);
    use_degrees(&mut schema, false, definitions, 0);
    schema
}

/// Properties with these names, or names that start with them, hold angles where others hold lengths or angles.
const TURNING: [&str; 6] = ["turn", "twist", "swing", "bend", "steering", "spin"];
/// How deep the types of properties are followed.
const MAX_DEPTH: usize = 8;

/// Renames every property that is an angle to `NAME_deg`, also in the types of properties, which get names of their own
/// for that. `turning` says that what may be a length or an angle is an angle.
fn use_degrees(schema: &mut Value, turning: bool, definitions: &mut Map<String, Value>, depth: usize) {
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for (name, mut property) in std::mem::take(properties) {
        let unit = property.get("unit").and_then(Value::as_str);
        if unit == Some("rad") || (turning && unit == Some("m or rad")) {
            properties.insert(format!("{name}_deg"), in_degrees(property));
            continue;
        }
        if depth < MAX_DEPTH {
            let turns = turning || TURNING.iter().any(|start| name.starts_with(start));
            type_in_degrees(&mut property, turns, definitions, depth + 1);
        }
        properties.insert(name, property);
    }
}

/// Makes a property refer to its type with angles in degrees, if that differs.
fn type_in_degrees(property: &mut Value, turning: bool, definitions: &mut Map<String, Value>, depth: usize) {
    let alternatives = property.get_mut("anyOf").and_then(Value::as_array_mut).map(std::mem::take);
    if let Some(mut alternatives) = alternatives {
        alternatives.iter_mut().for_each(|one| type_in_degrees(one, turning, definitions, depth));
        property["anyOf"] = Value::Array(alternatives);
    }
    if let Some(mut items) = property.get_mut("items").map(Value::take) {
        let plain = items.clone();
        type_in_degrees(&mut items, turning, definitions, depth);
        if items != plain {
            property.as_object_mut().and_then(|property| property.remove("default"));
        }
        property["items"] = items;
    }
    let target = property.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix("#/$defs/"));
    let Some(name) = target.map(str::to_owned) else { return };
    let Some(plain) = definitions.get(&name).cloned() else { return };
    let mut changed = plain.clone();
    use_degrees(&mut changed, turning, definitions, depth);
    if changed != plain {
        let new = format!("{name}{}", if turning { "OfAngle" } else { "InDegrees" });
        property["$ref"] = json!(format!("#/$defs/{new}"));
        // It speaks of the old names.
        property.as_object_mut().and_then(|property| property.remove("default"));
        definitions.insert(new, changed);
    }
}

fn in_degrees(mut property: Value) -> Value {
    property["unit"] = json!("°");
    if let Some(Value::String(text)) = property.get_mut("description") {
        *text = in_words(text, "");
    }
    for key in ["default", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
        if let Some(value) = property.get_mut(key) {
            scale(value, 1.0 / RADIANS);
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

/// Turns the properties of a part from how a scene file gives them into how the registry wants them: `NAME_deg` in degrees
/// becomes `NAME` in radians.
pub(crate) fn to_registry(properties: &Value) -> Value {
    match properties {
        Value::Object(entries) => Value::Object(
            entries
                .iter()
                .map(|(name, value)| match name.strip_suffix("_deg") {
                    Some(name) => {
                        let mut angle = value.clone();
                        scale(&mut angle, RADIANS);
                        (name.to_owned(), angle)
                    }
                    None => (name.clone(), to_registry(value)),
                })
                .collect(),
        ),
        Value::Array(elements) => elements.iter().map(to_registry).collect(),
        other => other.clone(),
    }
}

/// Turns the properties of a method likewise, with the parts it is made of.
pub(crate) fn method_to_registry(properties: &Value) -> Value {
    let mut properties = to_registry(properties);
    for kind in NESTED {
        if let Some(chosen) = properties.get(kind) {
            let (name, given) = chosen_part(chosen);
            properties[kind] = json!({ "name": name, "properties": given });
        }
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
