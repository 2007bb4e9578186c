//! Holds a document against the JSON Schema and reports everything that does not fit, with its place.
//!
//! Only the part of JSON Schema that [`crate::schema`] produces is understood. Choices (`anyOf`, `oneOf`) are narrowed
//! down by the kind of value and by its keys, so that an error speaks of the alternative the author meant.

use crate::nearest::{listed, suggestion};
use crate::report::Report;
use crate::source::Span;
use crate::tree::{Content, Node};
use serde_json::Value;

/// Reports where `node` does not fit the schema. Returns where the keys stand that nobody knows.
pub(crate) fn check(root: &Value, node: &Node, report: &mut Report) -> Vec<Span> {
    let mut checker = Checker { root, report, unknown: Vec::new() };
    checker.check(node, root, node.span, "the scene");
    checker.unknown
}

struct Checker<'a> {
    root: &'a Value,
    report: &'a mut Report,
    /// Where unknown keys stand.
    unknown: Vec<Span>,
}

impl<'a> Checker<'a> {
    /// `at` is where to point if the node as a whole is at fault: a table's key rather than its content.
    fn check(&mut self, node: &Node, schema: &'a Value, at: Span, name: &str) {
        let schema = self.resolve(schema);
        if let Some(alternatives) = self.alternatives(schema) {
            return self.check_choice(node, &alternatives, at, name);
        }
        if !fits_type(node, schema) {
            let message = format!("`{name}` is {}", node.kind());
            return self.report.push(value_span(node, at), message, format!("expected {}", self.describe(schema)));
        }
        match &node.content {
            Content::Table(_) => self.check_table(node, schema, at, name),
            Content::Array(elements) => self.check_array(elements, node, schema, name),
            Content::Integer(number) => self.check_range(*number as f64, node, schema, name),
            Content::Float(number) => self.check_range(*number, node, schema, name),
            Content::String(text) => self.check_name(text, node, &[schema]),
            _ => {}
        }
    }

    /// Follows references.
    fn resolve(&self, mut schema: &'a Value) -> &'a Value {
        for _ in 0..16 {
            let Some(target) = schema.get("$ref").and_then(Value::as_str) else { break };
            let Some(found) = target.strip_prefix('#').and_then(|path| self.root.pointer(path)) else { break };
            schema = found;
        }
        schema
    }

    /// The alternatives of a choice, without null, which TOML does not have. None if there is no choice, or if it is only
    /// about which key must be there.
    fn alternatives(&self, schema: &'a Value) -> Option<Vec<&'a Value>> {
        let listed = schema.get("anyOf").or_else(|| schema.get("oneOf"))?.as_array()?;
        if schema.get("properties").is_some() {
            return None;
        }
        let mut all = Vec::new();
        for alternative in listed.iter().map(|alternative| self.resolve(alternative)) {
            match self.alternatives(alternative) {
                Some(inner) => all.extend(inner),
                None if alternative.get("type").and_then(Value::as_str) == Some("null") => {}
                None => all.push(alternative),
            }
        }
        Some(all)
    }

    fn check_choice(&mut self, node: &Node, alternatives: &[&'a Value], at: Span, name: &str) {
        let fitting: Vec<&'a Value> = alternatives.iter().copied().filter(|schema| fits_type(node, schema)).collect();
        match (fitting.as_slice(), &node.content) {
            ([], _) => {
                let mut kinds: Vec<String> = Vec::new();
                for kind in alternatives.iter().map(|schema| self.describe(schema)) {
                    if !kinds.contains(&kind) {
                        kinds.push(kind);
                    }
                }
                let message = format!("`{name}` is {}", node.kind());
                self.report.push(value_span(node, at), message, format!("expected {}", kinds.join(" or ")));
            }
            (_, Content::String(text)) => self.check_name(text, node, &fitting),
            ([only], _) => self.check(node, only, at, name),
            (tagged, Content::Table(_)) => self.check_tagged(node, tagged, at, name),
            // Several kinds of numbers or arrays: one must fit without complaint.
            (several, _) => {
                let complaints = several.iter().map(|schema| {
                    let mut report = Report::default();
                    Checker { root: self.root, report: &mut report, unknown: Vec::new() }.check(node, schema, at, name);
                    report
                });
                let fewest = complaints.min_by_key(Report::len).unwrap_or_default();
                for diagnostic in fewest.diagnostics {
                    self.report.push(diagnostic.span, diagnostic.message, diagnostic.help);
                }
            }
        }
    }

    /// A table with one key that names the alternative.
    fn check_tagged(&mut self, node: &Node, alternatives: &[&'a Value], at: Span, name: &str) {
        let tag = |schema: &'a Value| schema.get("properties")?.as_object()?.iter().next();
        let tags: Vec<(&'a String, &'a Value)> = alternatives.iter().filter_map(|schema| tag(schema)).collect();
        let known = || tags.iter().map(|(tag, _)| tag.as_str());
        match node.entries() {
            [] => self.report.push(
                at,
                format!("`{name}` is empty"),
                format!("expected one of {}", listed(&known().collect::<Vec<_>>())),
            ),
            [entry, rest @ ..] => {
                match tags.iter().find(|(tag, _)| **tag == entry.key) {
                    Some((_, schema)) => self.check(&entry.node, schema, entry.key_span, &entry.key),
                    None => {
                        let message = format!("`{name}` cannot be `{}`", entry.key);
                        self.report.push(entry.key_span, message, suggestion(&entry.key, known()));
                    }
                }
                for entry in rest {
                    let message = format!("`{name}` has more than one kind");
                    self.report.push(entry.key_span, message, "only one of these keys is possible");
                }
            }
        }
    }

    fn check_table(&mut self, node: &Node, schema: &'a Value, at: Span, name: &str) {
        let properties = schema.get("properties").and_then(Value::as_object);
        let additional = schema.get("additionalProperties");
        for entry in node.entries() {
            if let Some(property) = properties.and_then(|properties| properties.get(&entry.key)) {
                self.check(&entry.node, property, entry.key_span, &entry.key);
            } else {
                match additional {
                    Some(Value::Bool(false)) => {
                        let known = properties.into_iter().flatten().map(|(key, _)| key.as_str());
                        let message = format!("unknown key `{}`", entry.key);
                        self.report.push(entry.key_span, message, suggestion(&entry.key, known));
                        self.unknown.push(entry.key_span);
                    }
                    Some(inner @ Value::Object(_)) => self.check(&entry.node, inner, entry.key_span, &entry.key),
                    _ => {}
                }
            }
        }
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        for key in required.filter_map(Value::as_str).filter(|key| node.get(key).is_none()) {
            let wanted = properties.and_then(|properties| properties.get(key)).map(|property| self.resolve(property));
            let help = wanted.map_or(String::new(), |wanted| format!("expected {}", self.describe(wanted)));
            self.report.push(at, format!("`{key}` is missing in {}", shown(name)), help);
        }
        self.check_exactly_one(node, schema, at, name);
    }

    /// `oneOf` of required keys.
    fn check_exactly_one(&mut self, node: &Node, schema: &'a Value, at: Span, name: &str) {
        let Some(alternatives) = schema.get("oneOf").and_then(Value::as_array) else { return };
        let keys: Vec<&str> =
            alternatives.iter().filter_map(|alternative| alternative.pointer("/required/0")?.as_str()).collect();
        let mut given = node.entries().iter().filter(|entry| keys.contains(&entry.key.as_str()));
        if given.next().is_none() {
            let unknown_reported = node.entries().iter().any(|entry| schema["properties"].get(&entry.key).is_none());
            if !unknown_reported {
                self.report.push(
                    at,
                    format!("{} does not say its kind", shown(name)),
                    format!("expected one of {}", listed(&keys)),
                );
            }
        }
        for entry in given {
            let message = format!("{} has more than one kind", shown(name));
            self.report.push(entry.key_span, message, format!("only one of {} is possible", listed(&keys)));
        }
    }

    fn check_array(&mut self, elements: &[Node], node: &Node, schema: &'a Value, name: &str) {
        let bound = |key| schema.get(key).and_then(Value::as_u64);
        let count = elements.len() as u64;
        if bound("minItems").is_some_and(|least| count < least) || bound("maxItems").is_some_and(|most| count > most) {
            let message = format!("`{name}` has {count} elements");
            self.report.push(node.span, message, format!("expected {}", self.describe(schema)));
            return;
        }
        if let Some(items) = schema.get("items") {
            for element in elements {
                self.check(element, items, element.span, name);
            }
        }
    }

    fn check_range(&mut self, number: f64, node: &Node, schema: &Value, name: &str) {
        let bound = |key| schema.get(key).and_then(Value::as_f64);
        let largest_of_format = match schema.get("format").and_then(Value::as_str) {
            Some("uint8") => Some(f64::from(u8::MAX)),
            Some("uint16") => Some(f64::from(u16::MAX)),
            Some("uint32") => Some(f64::from(u32::MAX)),
            _ => None,
        };
        let outside = bound("minimum").is_some_and(|least| number < least)
            || bound("maximum").or(largest_of_format).is_some_and(|most| number > most)
            || bound("exclusiveMinimum").is_some_and(|least| number <= least)
            || bound("exclusiveMaximum").is_some_and(|most| number >= most);
        if outside {
            let help = format!("expected {}", self.describe(schema));
            self.report.push(node.span, format!("`{name}` is {number}, which is out of range"), help);
        }
    }

    /// Strings that must be one of some names.
    fn check_name(&mut self, text: &str, node: &Node, schemas: &[&Value]) {
        let mut names: Vec<&str> = Vec::new();
        for schema in schemas {
            let listed = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
            let before = names.len();
            names.extend(listed.chain(schema.get("const")).filter_map(Value::as_str));
            if names.len() == before {
                return;
            }
        }
        if !names.contains(&text) {
            self.report.push(node.span, format!("there is no \"{text}\" here"), suggestion(text, names.into_iter()));
        }
    }

    /// What a schema asks for, in words.
    fn describe(&self, schema: &'a Value) -> String {
        let schema = self.resolve(schema);
        if let Some(alternatives) = self.alternatives(schema) {
            let mut kinds: Vec<String> = Vec::new();
            for kind in alternatives.iter().map(|alternative| self.describe(alternative)) {
                if !kinds.contains(&kind) {
                    kinds.push(kind);
                }
            }
            return kinds.join(" or ");
        }
        let unit = schema.get("unit").and_then(Value::as_str).map(|unit| format!(" in {unit}")).unwrap_or_default();
        match main_type(schema) {
            Some("number") => format!("a number{}{unit}", range_in_words(schema)),
            Some("integer") => format!("an integer{}{unit}", range_in_words(schema)),
            Some("boolean") => "true or false".into(),
            Some("string") if schema.get("const").or_else(|| schema.get("enum")).is_some() => "a name".into(),
            Some("string") => "a string".into(),
            Some("object") => "a table".into(),
            Some("array") => {
                let items = schema.get("items").map_or(String::new(), |items| match main_type(self.resolve(items)) {
                    Some("number") => " of numbers".into(),
                    Some("integer") => " of integers".into(),
                    Some("string") => " of strings".into(),
                    Some("array") => " of arrays".into(),
                    _ => String::new(),
                });
                match schema.get("maxItems").and_then(Value::as_u64) {
                    Some(count) => format!("an array of {count}{}{unit}", items.replacen(" of", "", 1)),
                    None => format!("an array{items}{unit}"),
                }
            }
            _ => "something else".into(),
        }
    }
}

/// A table made of many lines is pointed at by its key; a value by itself.
fn value_span(node: &Node, at: Span) -> Span {
    if matches!(node.content, Content::Table(_)) { at } else { node.span }
}

fn shown(name: &str) -> String {
    if name == "the scene" { name.into() } else { format!("`{name}`") }
}

/// The type, of several the one that is not null.
fn main_type(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::String(kind) => Some(kind),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).find(|&kind| kind != "null"),
        _ => None,
    }
}

fn fits_type(node: &Node, schema: &Value) -> bool {
    let fits = |kind: &str| match node.content {
        Content::Table(_) => kind == "object",
        Content::Array(_) => kind == "array",
        Content::String(_) => kind == "string",
        Content::Integer(_) => kind == "integer" || kind == "number",
        Content::Float(_) => kind == "number",
        Content::Boolean(_) => kind == "boolean",
        Content::Datetime => false,
    };
    match schema.get("type") {
        Some(Value::String(kind)) => fits(kind),
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).any(fits),
        _ => !matches!(node.content, Content::Datetime),
    }
}

fn range_in_words(schema: &Value) -> String {
    let bound = |key| schema.get(key).and_then(Value::as_f64);
    let least = bound("minimum").map(|least| format!(" of at least {least}"));
    let above = bound("exclusiveMinimum").map(|least| format!(" above {least}"));
    let (lower, upper) = (least.or(above), bound("maximum").or_else(|| bound("exclusiveMaximum")));
    match (lower, upper) {
        (Some(lower), Some(upper)) => format!("{lower} and at most {upper}"),
        (Some(lower), None) => lower,
        (None, Some(upper)) => format!(" of at most {upper}"),
        (None, None) => String::new(),
    }
}
