//! A plug-in as a part of a registry: its schema, and its properties as given for one use of it.

use crate::description::{Description, Kind, PropertyKind, PropertyText};
use crate::machine::Machine;
use crate::{Plugin, method, shape};
use serde_json::{Map, Value, json};
use std::fmt;
use std::sync::Arc;
use tumble_dynamics::constraint::Softness;
use tumble_dynamics::force::Target;
use tumble_dynamics::registry::{Part, Property};
use tumble_geometry::Fuse;

/// The property that says which program it must be.
const PROGRAM: &str = "program";

/// What a registry needs to make parts of a plug-in.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) description: Arc<Description>,
    pub(crate) machine: Arc<Machine>,
    pub(crate) part: Part,
}

impl Program {
    pub(crate) fn new(plugin: &Plugin) -> Self {
        let (description, machine) = (Arc::new(plugin.description.clone()), plugin.machine.clone());
        Self { description, machine, part: plugin.part() }
    }

    /// The plug-in with its properties, as given.
    pub(crate) fn with(&self, given: &Map<String, Value>) -> Result<Settings, String> {
        let own = self.checksum();
        match given.get(PROGRAM).and_then(Value::as_str) {
            Some(wanted) if wanted != own => {
                let label = self.machine.label();
                return Err(format!("it was saved with the program {wanted}, but {label} is {own}"));
            }
            _ => {}
        }
        let mut given = given.clone();
        given.remove(PROGRAM);
        let mut values = Vec::new();
        for property in &self.description.properties {
            let value = given.get(&property.name).unwrap_or(&property.default);
            property.write(value, &mut values).map_err(|problem| format!("`{}` {problem}", property.name))?;
        }
        Ok(Settings { program: self.clone(), given, values, fuse: Fuse::new() })
    }

    fn checksum(&self) -> String {
        format!("{:08x}", self.machine.checksum())
    }
}

/// A plug-in with the properties of one use of it.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) program: Program,
    /// As they were given.
    pub(crate) given: Map<String, Value>,
    /// As the plug-in sees them.
    pub(crate) values: Vec<f64>,
    pub(crate) fuse: Fuse,
}

impl fmt::Debug for Settings {
    /// Says what it is, and not what has become of its fuse: parts with equal settings are equal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let given = serde_json::to_string(&self.given).unwrap_or_default();
        write!(f, "{:?} {given} {:?}", self.program.machine, self.values)
    }
}

impl Settings {
    /// The properties that make the same part again, with the program it must be.
    pub(crate) fn saved(&self) -> Value {
        let mut given = self.given.clone();
        given.insert(PROGRAM.into(), Value::String(self.program.checksum()));
        Value::Object(given)
    }

    /// Likewise, if they are those of this program.
    pub(crate) fn saved_by(&self, program: &Program) -> Option<Value> {
        (self.program.description.name == program.description.name).then(|| self.saved())
    }

    /// What came out; if it failed, nothing, and the fuse is blown.
    pub(crate) fn or_blow<R>(&self, result: Result<R, String>) -> Option<R> {
        result.map_err(|problem| self.fuse.blow(problem)).ok()
    }
}

/// What a registry knows of a plug-in.
pub(crate) fn describe(description: &Description) -> Part {
    let mut properties: Vec<Property> = description.properties.iter().map(property).collect();
    let mut fields: Map<String, Value> =
        description.properties.iter().map(|property| (property.name.clone(), schema(property))).collect();
    let mut definitions = Map::new();
    let mut add = |name: &str, mut schema: Value, default: Value, text: &str, unit: Option<&str>| {
        if let Some(Value::Object(more)) = schema.as_object_mut().and_then(|schema| schema.remove("$defs")) {
            definitions.extend(more);
        }
        schema.as_object_mut().map(|schema| (schema.remove("$schema"), schema.remove("title")));
        let kind = schema.get("type").and_then(Value::as_str).unwrap_or("object").to_owned();
        schema["description"] = json!(text);
        schema["default"] = default.clone();
        if let Some(unit) = unit {
            schema["unit"] = json!(unit);
        }
        let (unit, description) = (unit.map(str::to_owned), text.to_owned());
        let name = name.to_owned();
        properties.push(Property {
            name: name.clone(),
            kind,
            unit,
            default,
            minimum: None,
            maximum: None,
            description,
        });
        fields.insert(name, schema);
    };
    match description.kind {
        Kind::Force => {
            let target = schemars::schema_for!(Target).to_value();
            add("on", target, json!("all"), "The bodies it acts on. Default: all.", None);
        }
        Kind::Joint => {
            let softness = schemars::schema_for!(Softness).to_value();
            add("anchor", vector(), json!([0, 0, 0]), "Where it holds the bodies. Default: the origin.", Some("m"));
            add("axis", vector(), json!([1, 0, 0]), "Its main axis, of any length but zero. Default: x.", None);
            add("softness", softness, json!("rigid"), "How hard it holds. Default: rigid.", None);
        }
        Kind::Shape | Kind::Method => {}
    }
    let text = "Which program it must be, as saved worlds have it: a checksum. Default: any.";
    add(PROGRAM, json!({ "type": ["string", "null"] }), Value::Null, text, None);
    let remark = match description.kind {
        Kind::Method => method::REMARK,
        Kind::Shape => shape::REMARK,
        Kind::Force | Kind::Joint => "",
    };
    let text = format!(
        "{}{}A plug-in.{remark}",
        description.description,
        if description.description.is_empty() { "" } else { " " }
    );
    let mut schema = json!({
        "type": "object", "description": text, "additionalProperties": false, "properties": fields,
    });
    if !definitions.is_empty() {
        schema["$defs"] = Value::Object(definitions);
    }
    Part { name: description.name.clone(), description: text, properties, schema }
}

fn vector() -> Value {
    json!({ "type": "array", "items": { "type": "number" }, "minItems": 3, "maxItems": 3 })
}

fn property(text: &PropertyText) -> Property {
    Property {
        name: text.name.clone(),
        kind: type_name(text.kind).into(),
        unit: text.unit.clone(),
        default: text.default.clone(),
        minimum: text.minimum,
        maximum: text.maximum,
        description: text.description.clone(),
    }
}

fn type_name(kind: PropertyKind) -> &'static str {
    match kind {
        PropertyKind::Number => "number",
        PropertyKind::Integer => "integer",
        PropertyKind::Boolean => "boolean",
        PropertyKind::Vector => "array",
    }
}

fn schema(text: &PropertyText) -> Value {
    let mut schema = match text.kind {
        PropertyKind::Vector => vector(),
        kind => json!({ "type": type_name(kind) }),
    };
    schema["default"] = text.default.clone();
    schema["description"] = json!(text.description);
    if let Some(unit) = &text.unit {
        schema["unit"] = json!(unit);
    }
    // The bounds of a vector are those of its numbers.
    let target = if text.kind == PropertyKind::Vector { &mut schema["items"] } else { &mut schema };
    for (key, bound) in [("minimum", text.minimum), ("maximum", text.maximum)] {
        if let Some(bound) = bound {
            target[key] = json!(bound);
        }
    }
    schema
}
