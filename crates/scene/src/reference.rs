//! The reference of scene files for people, made from the schema: every key with what it is, its unit, default and range.

mod examples;

use crate::gallery;
use crate::schema::scene_schema;
use serde_json::{Map, Value};
use std::fmt::Write;
use tumble_dynamics::registry::Registry;

/// The pages of kinds: where they are in the schema, how the section is called, what stands before a kind in an example.
const KINDS: [(&str, &str, &str); 3] = [
    ("ShapeFile", "Shapes", "shape."),
    ("JointFile", "Joints and limits", "[joints.mine]\nbetween = [\"a\", \"b\"]\n"),
    ("ForceFile", "Forces", "[forces.mine]\n"),
];
/// The sections in which every kind has a picture, drawn by `scripts/reference-pictures.py`: what the names of its files begin with.
const PICTURES: [(&str, &str); 3] = [("Shapes", "shape"), ("Joints and limits", "joint"), ("Forces", "force")];
/// What else has a section of its own, in this order; what is not named here comes after.
const ORDER: [(&str, &str); 15] = [
    ("BodyFile", "Bodies"),
    ("ColliderFile", "Colliders"),
    ("MaterialFile", "Materials"),
    ("TemplateFile", "Templates"),
    ("InstanceFile", "Instances"),
    ("SkeletonFile", "Skeletons"),
    ("BoneFile", "Bones"),
    ("BoneJointFile", "Joints of bones"),
    ("VisualFile", "What is seen"),
    ("RepeatFile", "Repetitions"),
    ("FilterFile", "The filter"),
    ("ControlFile", "Controls"),
    ("ProgramFile", "The script"),
    ("RecordingFile", "Recording"),
    ("CameraFile", "The camera"),
];

/// The reference as Markdown, for scene files with the parts of this registry.
pub fn scene_reference(registry: &Registry) -> String {
    let schema = scene_schema(registry);
    let empty = Map::new();
    let definitions = schema["$defs"].as_object().unwrap_or(&empty);
    let mut page = Page { text: String::new(), definitions };
    page.text += "# Scene reference\n\n\
        Every key of a scene file, made from the schema by `tumble schema --markdown`. [Scene files](scene-format.md) explains \
        how they go together. A key is written after those it is in, with dots between, or under a heading of that name: \
        `shape.sphere.radius = 1` and `[bodies.ball.shape.sphere]` with `radius = 1` are the same.\n\n## At the top\n\n";
    page.table(&schema);
    for (name, title) in ORDER {
        page.section(name, title);
    }
    for (name, title, before) in KINDS {
        page.kinds(name, title, before);
    }
    page.method(&schema["properties"]["method"]);
    let told = |name: &str| ORDER.iter().any(|(known, _)| *known == name) || KINDS.iter().any(|(k, ..)| *k == name);
    page.text += "## What else is referred to\n\n";
    for name in definitions.keys().filter(|name| !told(name)) {
        let title = title_of(name);
        page.section_at(name, &title, "###");
    }
    page.text
}

struct Page<'a> {
    text: String,
    definitions: &'a Map<String, Value>,
}

impl Page<'_> {
    fn section(&mut self, name: &str, title: &str) {
        self.section_at(name, title, "##");
    }

    fn section_at(&mut self, name: &str, title: &str, level: &str) {
        let definitions = self.definitions;
        let Some(schema) = definitions.get(name) else { return };
        let _infallible = write!(self.text, "{level} {title}\n\n{}", paragraph(schema));
        if schema["properties"].is_object() {
            self.table(schema);
        } else {
            self.choices(schema);
        }
    }

    /// One of several things: each with what it means.
    fn choices(&mut self, schema: &Value) {
        let several = ["oneOf", "anyOf"].iter().find_map(|key| schema[*key].as_array());
        for choice in several.into_iter().flatten() {
            let meaning = sentence(choice);
            let only = choice["properties"].as_object().filter(|properties| properties.len() == 1);
            let word = match (choice["const"].as_str(), only.and_then(|properties| properties.iter().next())) {
                (Some(word), _) => format!("`\"{word}\"`"),
                (None, Some((key, inner))) => format!("`{key}`: {}", self.kind_of(inner)),
                _ => self.kind_of(choice),
            };
            let _infallible = writeln!(self.text, "- {word}{}{meaning}", if meaning.is_empty() { "" } else { ". " });
        }
        self.text += "\n";
    }

    /// A section with a part for each kind of a thing.
    fn kinds(&mut self, name: &str, title: &str, before: &str) {
        let definitions = self.definitions;
        let Some(schema) = definitions.get(name) else { return };
        let _infallible = write!(self.text, "## {title}\n\n{}", paragraph(schema));
        let kinds: Vec<(&str, &Value, String)> = match schema["properties"].as_object() {
            // What is no kind is a key of all kinds.
            Some(properties) => {
                let is_kind = |key: &str| {
                    let required = schema["oneOf"].as_array();
                    required.is_some_and(|all| all.iter().any(|one| one["required"][0] == key))
                };
                let common: Map<String, Value> =
                    properties.iter().filter(|(key, _)| !is_kind(key)).map(|(k, v)| (k.clone(), v.clone())).collect();
                if !common.is_empty() {
                    self.table(&serde_json::json!({ "properties": common, "required": schema["required"] }));
                }
                properties.iter().filter(|(key, _)| is_kind(key)).map(|(k, v)| (k.as_str(), v, paragraph(v))).collect()
            }
            None => {
                let variants = schema["oneOf"].as_array().into_iter().flatten();
                let inner = |variant: &'_ Value| paragraph(variant);
                variants
                    .filter_map(|variant| {
                        let (key, value) = variant["properties"].as_object()?.iter().next()?;
                        Some((key.as_str(), value, inner(variant)))
                    })
                    .collect()
            }
        };
        for (key, schema, meaning) in kinds {
            let schema = resolved(definitions, schema);
            let _infallible = write!(self.text, "### `{key}`\n\n{meaning}");
            self.picture(title, key);
            let own = examples::of(title, key).map(str::to_owned);
            if let Some(example) = own.or_else(|| example(schema)) {
                let _infallible = write!(self.text, "```text\n{before}{key} = {example}\n```\n\n");
            }
            if gallery::find(&format!("constraints/{key}")).is_some_and(|entry| entry.name.ends_with(key)) {
                let _infallible = write!(self.text, "To see it: `tumble view constraints/{key}`.\n\n");
            }
            self.table(schema);
        }
    }

    /// What it looks like.
    fn picture(&mut self, section: &str, key: &str) {
        if let Some((_, file)) = PICTURES.iter().find(|(name, _)| *name == section) {
            let _infallible = write!(self.text, "![{file} {key}](images/reference/{file}-{key}.png)\n\n");
        }
    }

    /// Methods with the parts they are made of.
    fn method(&mut self, schema: &Value) {
        self.text += "## Methods\n\nA method is given by its name, `method = \"retroactive\"`, or with settings under it, \
                      `[method.retroactive]`; so are the parts it is made of.\n\n";
        for (name, method) in options(schema) {
            let _infallible = write!(self.text, "### `method.{name}`\n\n{}", paragraph(method));
            if let Some(example) = examples::of("Methods", name) {
                let _infallible = write!(self.text, "```text\n[method.{name}]\n{example}\n```\n\n");
            }
            self.table(method);
            let parts = method["properties"].as_object().into_iter().flatten();
            for (part, schema) in parts.filter(|(_, schema)| options(schema).next().is_some()) {
                let _infallible = write!(self.text, "#### `method.{name}.{part}`\n\n{}", paragraph(schema));
                for (choice, schema) in options(schema) {
                    let _infallible = write!(self.text, "**`{choice}`**: {}", paragraph(schema));
                    self.table(schema);
                }
            }
        }
    }

    /// The keys of a table.
    fn table(&mut self, schema: &Value) {
        let Some(properties) = schema["properties"].as_object().filter(|properties| !properties.is_empty()) else {
            return;
        };
        let needed = |key: &str| schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == key));
        self.text += "| key | what | value | default |\n|---|---|---|---|\n";
        for (key, property) in properties {
            let (what, kind) = (sentence(property).replace('|', "\\|"), self.kind_of(property).replace('|', "\\|"));
            let default = if needed(key) { "needed".to_owned() } else { default_of(property) };
            let _infallible = writeln!(self.text, "| `{key}` | {what} | {kind} | {default} |");
        }
        self.text += "\n";
    }

    /// What a value is, with its range and unit.
    fn kind_of(&self, schema: &Value) -> String {
        if let Some(name) = schema["$ref"].as_str().and_then(|place| place.rsplit('/').next()) {
            return link(name);
        }
        if let Some(word) = schema["const"].as_str() {
            return format!("`\"{word}\"`");
        }
        if let Some(words) = schema["enum"].as_array() {
            let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            return words.join(", ");
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(choices) = schema[key].as_array() {
                let mut kinds: Vec<String> = choices
                    .iter()
                    .filter(|choice| choice["type"] != "null")
                    .map(|choice| self.kind_of(choice))
                    .collect();
                kinds.retain(|kind| !kind.is_empty());
                kinds.dedup();
                return kinds.join(" or ");
            }
        }
        let unit = schema["unit"].as_str().filter(|unit| *unit != "1").map_or(String::new(), |unit| format!(" {unit}"));
        let is = |name: &str| match &schema["type"] {
            Value::String(kind) => kind == name,
            Value::Array(kinds) => kinds.iter().any(|kind| kind == name),
            _ => false,
        };
        if is("array") {
            let items = &schema["items"];
            let inner = self.kind_of(items);
            let count = schema["maxItems"].as_u64().filter(|most| schema["minItems"] == *most);
            return match count {
                Some(count) => format!("{count} × {inner}{unit}"),
                None => format!("list of {inner}{unit}"),
            };
        }
        if is("integer") || is("number") {
            return format!("{}{unit}", range(schema, if is("integer") { "whole number" } else { "number" }));
        }
        if is("boolean") {
            return "`true` or `false`".into();
        }
        if is("string") {
            return "text".into();
        }
        match schema["additionalProperties"].as_object() {
            Some(_) => format!("by name: {}", self.kind_of(&schema["additionalProperties"])),
            None => match schema["properties"].as_object() {
                Some(keys) => {
                    let keys: Vec<String> = keys.keys().map(|key| format!("`{key}`")).collect();
                    format!("table of {}", keys.join(", "))
                }
                None => String::new(),
            },
        }
    }
}

/// What a reference refers to.
fn resolved<'v>(definitions: &'v Map<String, Value>, schema: &'v Value) -> &'v Value {
    let name = schema["$ref"].as_str().and_then(|place| place.rsplit('/').next());
    name.and_then(|name| definitions.get(name)).unwrap_or(schema)
}

/// The named choices of a part: `"name"`, or a table with one key, the name.
fn options(schema: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let choices = schema["anyOf"].as_array().into_iter().flatten();
    let named = choices.filter(|choice| choice["oneOf"][0]["required"].is_array());
    named.flat_map(|choice| choice["properties"].as_object().into_iter().flatten()).map(|(k, v)| (k.as_str(), v))
}

/// "number from 0 to 1".
fn range(schema: &Value, kind: &str) -> String {
    let number = |key: &str| schema[key].as_f64().map(written);
    let low = number("minimum").map(|low| format!("from {low}"));
    let low = low.or_else(|| number("exclusiveMinimum").map(|low| format!("above {low}")));
    let high = number("maximum").map(|high| format!("to {high}"));
    let parts: Vec<String> = [Some(kind.to_owned()), low, high].into_iter().flatten().collect();
    parts.join(" ")
}

fn written(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 || (1e-3..1e6).contains(&size) { format!("{number}") } else { format!("{number:e}") }
}

fn default_of(schema: &Value) -> String {
    match &schema["default"] {
        Value::Null => String::new(),
        Value::Array(list) if list.is_empty() => "none".into(),
        Value::Object(_) => "see there".into(),
        value => format!("`{}`", toml_of(value)),
    }
}

fn toml_of(value: &Value) -> String {
    match value {
        Value::Number(number) => number.as_f64().map_or(number.to_string(), written),
        Value::Array(list) => format!("[{}]", list.iter().map(toml_of).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

/// The first paragraph of a description, as one line; examples for programmers are left out.
fn sentence(schema: &Value) -> String {
    let text = schema["description"].as_str().unwrap_or_default();
    let first: Vec<&str> =
        text.lines().take_while(|line| !line.trim().is_empty() && !line.starts_with("```")).collect();
    first.join(" ").trim().to_owned()
}

fn paragraph(schema: &Value) -> String {
    match sentence(schema) {
        text if text.is_empty() => text,
        text => format!("{text}\n\n"),
    }
}

/// "ColliderFile" as people say it.
fn title_of(name: &str) -> String {
    let mut title = String::new();
    for (index, letter) in name.trim_end_matches("File").chars().enumerate() {
        if letter.is_uppercase() && index > 0 {
            title.push(' ');
        }
        title.extend(if index == 0 { letter.to_uppercase().next() } else { letter.to_lowercase().next() });
    }
    title
}

/// A link to the section of a definition.
fn link(name: &str) -> String {
    let known = ORDER.iter().find(|(known, _)| *known == name).map(|(_, title)| (*title).to_owned());
    let known = known.or_else(|| KINDS.iter().find(|(k, ..)| *k == name).map(|(_, title, _)| (*title).to_owned()));
    let title = known.unwrap_or_else(|| title_of(name));
    format!("[{}](#{})", title.to_lowercase(), title.to_lowercase().replace(' ', "-"))
}

/// The keys a thing needs with numbers that make sense; none if that takes more than numbers.
fn example(schema: &Value) -> Option<String> {
    let needed = schema["required"].as_array().map_or(&[][..], Vec::as_slice);
    let mut keys = Vec::new();
    for key in needed.iter().filter_map(Value::as_str) {
        let property = &schema["properties"][key];
        let count = property["maxItems"].as_u64().filter(|most| property["minItems"] == *most);
        let value = match property["type"].as_str()? {
            // A capsule is higher than it is wide.
            "number" => if key == "height" { "3" } else { "1" }.to_owned(),
            "array" if property["items"]["type"] == "number" => {
                format!("[{}]", vec!["1"; usize::try_from(count?).ok()?].join(", "))
            }
            _ => return None,
        };
        keys.push(format!("{key} = {value}"));
    }
    Some(if keys.is_empty() { "{}".into() } else { format!("{{ {} }}", keys.join(", ")) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Loader;

    /// The page in the book is this one.
    #[test]
    fn the_book_has_the_reference_of_today() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scene-reference.md");
        let page = std::fs::read_to_string(path).unwrap_or_default();
        assert!(page == scene_reference(&Registry::default()), "tumble schema --markdown > docs/scene-reference.md");
    }

    /// Every shape, joint and force has a picture.
    #[test]
    fn every_picture_is_there() {
        let page = scene_reference(&Registry::default());
        let pictures: Vec<&str> = page.split("](images/").skip(1).filter_map(|rest| rest.split(')').next()).collect();
        assert!(pictures.len() > 50, "{}", pictures.len());
        for picture in pictures {
            let path = format!("{}/../../docs/images/{picture}", env!("CARGO_MANIFEST_DIR"));
            assert!(std::path::Path::new(&path).exists(), "scripts/reference-pictures.py draws {picture}");
        }
    }

    /// Every section that is referred to is there, and every kind.
    #[test]
    fn every_part_has_its_section_and_every_link_leads_to_one() {
        let registry = Registry::default();
        let page = scene_reference(&registry);
        let anchors: Vec<String> = page
            .lines()
            .filter_map(|line| line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#')))
            .map(|title| title.to_lowercase().replace('`', "").replace(' ', "-"))
            .collect();
        for target in page.split("](#").skip(1).filter_map(|rest| rest.split(')').next()) {
            assert!(anchors.iter().any(|anchor| anchor == target), "{target}");
        }
        let joints = registry.joints.parts().map(|part| part.name.clone());
        let forces = registry.forces.parts().map(|part| part.name.clone());
        for name in joints.chain(forces).chain(["sphere", "box", "hull", "mesh", "compound"].map(str::to_owned)) {
            assert!(page.contains(&format!("\n### `{name}`\n")), "{name}");
        }
    }

    /// The examples are scenes, and there is one for every shape, joint, force and method.
    #[test]
    fn examples_can_be_used() {
        let page = scene_reference(&Registry::default());
        let (kinds, _) = page.split_once("## What else is referred to").unwrap();
        let (_, kinds) = kinds.split_once("\n## Shapes\n").unwrap();
        let mut tried = 0;
        for part in kinds.split("\n### `").skip(1) {
            let kind = part.split('`').next().unwrap();
            let block = part.split("```text\n").nth(1).and_then(|rest| rest.split("```").next());
            let block = block.unwrap_or_else(|| panic!("{kind} has no example"));
            let text = if block.starts_with("shape.") {
                let how = if kind == "half_space" { "kind = 'fixed'" } else { "mass = 1" };
                format!("[bodies.a]\n{how}\n{block}")
            } else {
                format!("[bodies.a]\nmass = 1\n[bodies.b]\nposition = [2, 1, 1]\nmass = 1\n{block}")
            };
            let loaded = Loader::new().load_text(kind, &text);
            assert!(loaded.is_ok(), "{kind}: {}", loaded.err().unwrap());
            tried += 1;
        }
        assert!(tried > 60, "{tried}");
    }
}
