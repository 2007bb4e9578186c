//! Holds a document against the JSON Schema, reports everything that does not fit, with its place, and marks it in the
//! tree, so that the rest can be read.
//!
//! Only the part of JSON Schema that [`crate::schema`] produces is understood. Choices (`anyOf`, `oneOf`) are narrowed
//! down by the kind of value and by its keys, so that an error speaks of the alternative the author meant.

use crate::degrees;
use crate::nearest::{listed, nearest, suggestion};
use crate::report::Report;
use crate::source::Span;
use crate::tree::{Content, Entry, Node, State};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Reports and marks where `node` does not fit the schema.
pub(crate) fn check(root: &Value, node: &mut Node, report: &mut Report) {
    let at = node.span;
    Checker { root, report }.check(node, root, at, "the scene");
}

struct Checker<'a> {
    root: &'a Value,
    report: &'a mut Report,
}

impl<'a> Checker<'a> {
    /// `at` is where to point if the node as a whole is at fault: a table's key rather than its content.
    fn check(&mut self, node: &mut Node, schema: &'a Value, at: Span, name: &str) {
        if !node.is_usable() {
            return;
        }
        let schema = self.resolve(schema);
        if let Some(alternatives) = self.alternatives(schema) {
            return self.check_choice(node, &alternatives, at, name);
        }
        if !fits_type(node, schema) {
            return self.refuse_kind(node, &[schema], at, name);
        }
        match node.content {
            Content::Table(_) => self.check_table(node, schema, at, name),
            Content::Array(_) => self.check_array(node, schema, name),
            Content::Integer(number) => self.check_range(number as f64, node, schema, name),
            Content::Float(number) => self.check_range(number, node, schema, name),
            Content::String(_) => self.check_name(node, &[schema], name),
            _ => {}
        }
    }

    /// Reports that a value is of another kind than all that are possible.
    fn refuse_kind(&mut self, node: &mut Node, possible: &[&'a Value], at: Span, name: &str) {
        let message = format!("`{name}` is {}", node.kind());
        self.report.push(value_span(node, at), message, format!("expected {}", self.describe_any(possible)));
        node.spoil(State::Unusable);
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

    fn check_choice(&mut self, node: &mut Node, alternatives: &[&'a Value], at: Span, name: &str) {
        let fitting: Vec<&'a Value> = alternatives.iter().copied().filter(|schema| fits_type(node, schema)).collect();
        match (fitting.as_slice(), &node.content) {
            ([], _) => self.refuse_kind(node, alternatives, at, name),
            (_, Content::String(_)) => self.check_name(node, alternatives, name),
            ([only], _) => self.check(node, only, at, name),
            (tables, Content::Table(_)) => match self.with_key_of(node, tables)[..] {
                [] => self.check_tagged(node, tables, at, name),
                [only] if keys_of(only).count() == 1 => self.check_tagged(node, tables, at, name),
                ref meant => self.check_several(node, meant, at, name),
            },
            (several, _) => self.check_several(node, several, at, name),
        }
    }

    /// Several kinds of numbers or arrays, or tables told apart by their keys: the one with the fewest complaints is meant.
    fn check_several(&mut self, node: &mut Node, several: &[&'a Value], at: Span, name: &str) {
        let complaints = several.iter().map(|schema| {
            let (mut report, mut node) = (Report::default(), node.clone());
            Checker { root: self.root, report: &mut report }.check(&mut node, schema, at, name);
            (report, node)
        });
        let Some((fewest, checked)) = complaints.min_by_key(|(report, _)| report.len()) else { return };
        *node = checked;
        for diagnostic in fewest.diagnostics {
            self.report.push(diagnostic.span, diagnostic.message, diagnostic.help);
        }
    }

    /// Those of some kinds of tables that have a key which is in the table, if possible with a value of its kind.
    fn with_key_of(&self, node: &Node, tables: &[&'a Value]) -> Vec<&'a Value> {
        let has = |schema: &'a Value, fits: &dyn Fn(&Node, &'a Value) -> bool| {
            node.entries().iter().any(|entry| {
                let property = schema.get("properties").and_then(|properties| properties.get(&entry.key));
                property.is_some_and(|property| fits(&entry.node, property))
            })
        };
        let of_kind = |node: &Node, property: &'a Value| self.is_of_kind(node, self.resolve(property));
        let fitting: Vec<&'a Value> = tables.iter().copied().filter(|schema| has(schema, &of_kind)).collect();
        if fitting.is_empty() {
            tables.iter().copied().filter(|schema| has(schema, &|_, _| true)).collect()
        } else {
            fitting
        }
    }

    /// A table with one key that names the alternative.
    fn check_tagged(&mut self, node: &mut Node, alternatives: &[&'a Value], at: Span, name: &str) {
        let tag = |schema: &'a Value| schema.get("properties")?.as_object()?.iter().next();
        let tags: Vec<(&'a String, &'a Value)> = alternatives.iter().filter_map(|schema| tag(schema)).collect();
        let known = || alternatives.iter().flat_map(|schema| keys_of(schema)).collect::<BTreeSet<&str>>();
        let Content::Table(entries) = &mut node.content else { return };
        let mut state = State::Sound;
        match entries.as_mut_slice() {
            [] => {
                let help = format!("expected one of {}", listed(&known().into_iter().collect::<Vec<_>>()));
                self.report.push(at, format!("`{name}` is empty"), help);
                state = State::Unusable;
            }
            [Entry { key, key_span, node: chosen }, rest @ ..] => {
                match tags.iter().find(|(tag, _)| *tag == key) {
                    Some((_, schema)) => self.check(chosen, schema, *key_span, key),
                    None => {
                        let message = format!("`{name}` cannot be `{key}`");
                        self.report.push(*key_span, message, suggestion(key, known().into_iter()));
                        chosen.spoil(State::Unusable);
                    }
                }
                state = state.max(chosen.state);
                for entry in rest {
                    let message = format!("`{name}` has more than one kind");
                    self.report.push(entry.key_span, message, "only one of these keys is possible");
                    entry.node.spoil(State::Unusable);
                    state = state.max(State::Damaged);
                }
            }
        }
        node.spoil(state);
    }

    fn check_table(&mut self, node: &mut Node, schema: &'a Value, at: Span, name: &str) {
        let properties = schema.get("properties").and_then(Value::as_object);
        let additional = schema.get("additionalProperties");
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let required: Vec<&str> = required.filter_map(Value::as_str).collect();
        let mut nameless = false;
        if let Some(Value::Bool(false)) = additional {
            nameless = self.check_keys(node, properties);
        }
        let Content::Table(entries) = &mut node.content else { return };
        let mut state = State::Sound;
        for Entry { key, key_span, node } in entries {
            let property = properties.and_then(|properties| properties.get(key));
            if let Some(inner) = property.or(additional.filter(|additional| additional.is_object())) {
                self.check(node, inner, *key_span, key);
            }
            // Without something that it needs, a table is nothing; without something else it is not what was meant.
            let worst = if required.contains(&key.as_str()) { State::Unusable } else { State::Damaged };
            state = state.max(node.state.min(worst));
        }
        node.spoil(state);
        for key in required {
            if node.get(key).is_some() {
                continue;
            }
            let wanted = properties.and_then(|properties| properties.get(key)).map(|property| self.resolve(property));
            let help = wanted.map_or(String::new(), |wanted| format!("expected {}", self.describe(wanted)));
            self.report.push(at, format!("`{key}` is missing in {}", shown(name)), help);
            node.spoil(State::Unusable);
        }
        self.check_exactly_one(node, schema, at, name, nameless);
    }

    /// Reports keys that nobody knows, and removes them. One that is nearly a known key is read as that one, so that what
    /// it says is neither missed nor left unread. Says whether there were others.
    fn check_keys(&mut self, node: &mut Node, properties: Option<&'a Map<String, Value>>) -> bool {
        let Content::Table(entries) = &mut node.content else { return false };
        let known: Vec<&'a str> = properties.into_iter().flatten().map(|(key, _)| key.as_str()).collect();
        let unknown: Vec<Entry> = entries.extract_if(.., |entry| !known.contains(&entry.key.as_str())).collect();
        let mut nameless = false;
        for mut entry in unknown {
            let help = suggestion(&entry.key, known.iter().copied());
            self.report.push(entry.key_span, format!("unknown key `{}`", entry.key), help);
            let meant = nearest(&entry.key, &known).and_then(|key| Some((key, self.resolve(properties?.get(key)?))));
            let Some((key, schema)) = meant.filter(|(_, schema)| self.is_of_kind(&entry.node, schema)) else {
                nameless = true;
                continue;
            };
            match entries.iter_mut().find(|entry| entry.key == key) {
                None => {
                    entry.key = key.to_owned();
                    entries.push(entry);
                }
                // `[bodis.ball]` among many `[bodies.…]`.
                Some(known) if schema.get("additionalProperties").is_some_and(Value::is_object) => {
                    known.node.absorb(entry.node);
                }
                Some(_) => nameless = true,
            }
        }
        if nameless {
            node.spoil(State::Damaged);
        }
        nameless
    }

    fn is_of_kind(&self, node: &Node, schema: &'a Value) -> bool {
        match self.alternatives(schema) {
            Some(alternatives) => alternatives.iter().any(|schema| fits_type(node, schema)),
            None => fits_type(node, schema),
        }
    }

    /// `oneOf` of required keys. `nameless` says that there was a key that nobody knows, which may have been it.
    fn check_exactly_one(&mut self, node: &mut Node, schema: &'a Value, at: Span, name: &str, nameless: bool) {
        let Some(alternatives) = schema.get("oneOf").and_then(Value::as_array) else { return };
        let keys: Vec<&str> =
            alternatives.iter().filter_map(|alternative| alternative.pointer("/required/0")?.as_str()).collect();
        let Content::Table(entries) = &mut node.content else { return };
        let mut given = entries.iter_mut().filter(|entry| keys.contains(&entry.key.as_str()));
        let mut state = State::Sound;
        if given.next().is_none() {
            if !nameless {
                let help = format!("expected one of {}", listed(&keys));
                self.report.push(at, format!("{} does not say its kind", shown(name)), help);
            }
            state = State::Damaged;
        }
        for entry in given {
            let message = format!("{} has more than one kind", shown(name));
            self.report.push(entry.key_span, message, format!("only one of {} is possible", listed(&keys)));
            entry.node.spoil(State::Unusable);
            state = State::Damaged;
        }
        node.spoil(state);
    }

    fn check_array(&mut self, node: &mut Node, schema: &'a Value, name: &str) {
        let Content::Array(elements) = &mut node.content else { return };
        let bound = |key| schema.get(key).and_then(Value::as_u64);
        let (count, least, most) = (elements.len() as u64, bound("minItems"), bound("maxItems"));
        if least.is_some_and(|least| count < least) || most.is_some_and(|most| count > most) {
            let message = format!("`{name}` has {count} elements");
            self.report.push(node.span, message, format!("expected {}", self.describe(schema)));
            return node.spoil(State::Unusable);
        }
        let Some(items) = schema.get("items") else { return };
        for element in elements.iter_mut() {
            let at = element.span;
            self.check(element, items, at, name);
        }
        // A vector without a component is none; a list without an element is a list.
        let worst = if least.is_some() { State::Unusable } else { State::Damaged };
        let state = elements.iter().map(|element| element.state).max().unwrap_or(State::Sound);
        elements.retain(Node::is_usable);
        node.spoil(state.min(worst));
    }

    fn check_range(&mut self, number: f64, node: &mut Node, schema: &'a Value, name: &str) {
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
            self.report.push(node.span, format!("`{name}` is {}, which is out of range", short(number)), help);
            node.spoil(State::Unusable);
        }
    }

    /// Strings that must be one of some names.
    fn check_name(&mut self, node: &mut Node, schemas: &[&Value], name: &str) {
        let Content::String(text) = &node.content else { return };
        let mut names: Vec<&str> = Vec::new();
        for schema in schemas.iter().filter(|schema| fits_type(node, schema)) {
            let listed = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
            let before = names.len();
            names.extend(listed.chain(schema.get("const")).filter_map(Value::as_str));
            if names.len() == before {
                return;
            }
        }
        if !names.contains(&text.as_str()) {
            let mut help = suggestion(text, names.into_iter());
            let tables = schemas.iter().filter_map(|schema| {
                let keys: Vec<&str> = keys_of(schema).collect();
                let bare = || is_bare(schema).then(|| format!("`{{ {} }}`", keys.join(", ")));
                takes_a_text(schema).map(|key| format!("`{{ {key} = \"{text}\" }}`")).or_else(bare)
            });
            let tables: Vec<String> = tables.collect();
            if !tables.is_empty() {
                help += &format!(", or a table: {}", tables.join(", "));
            }
            self.report.push(node.span, format!("`{name}` cannot be \"{text}\""), help);
            node.spoil(State::Unusable);
        }
    }

    /// What several schemas ask for, in words.
    fn describe_any(&self, schemas: &[&'a Value]) -> String {
        let mut kinds: Vec<String> = Vec::new();
        for kind in schemas.iter().map(|schema| self.describe(schema)) {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        kinds.join(" or ")
    }

    /// What a schema asks for, in words.
    fn describe(&self, schema: &'a Value) -> String {
        let schema = self.resolve(schema);
        if let Some(alternatives) = self.alternatives(schema) {
            return self.describe_any(&alternatives);
        }
        let unit = schema.get("unit").and_then(Value::as_str).filter(|&unit| unit != "1");
        let unit = unit.map(|unit| format!(" in {unit}")).unwrap_or_default();
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

/// The keys a table may have.
fn keys_of(schema: &Value) -> impl Iterator<Item = &str> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten().map(|(key, _)| key.as_str())
}

/// The key of a table with a single one, for a text: who gave the text alone may have meant this.
fn takes_a_text(schema: &Value) -> Option<&String> {
    let mut properties = schema.get("properties").and_then(Value::as_object)?.iter();
    let (key, property) = properties.next()?;
    (properties.next().is_none() && main_type(property) == Some("string")).then_some(key)
}

/// Whether it is a table of numbers that all must be there.
fn is_bare(schema: &Value) -> bool {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.is_some_and(|properties| properties.values().all(|property| main_type(property) == Some("number")))
        && schema.get("required").and_then(Value::as_array).map(Vec::len) == properties.map(Map::len)
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

/// A number without dozens of zeros.
fn short(number: f64) -> String {
    if number.abs() >= 1e9 { format!("{number:e}") } else { number.to_string() }
}

fn range_in_words(schema: &Value) -> String {
    let in_degrees = schema.get("unit").and_then(Value::as_str) == Some("°");
    let text = |bound: f64| if in_degrees { degrees::shown(bound) } else { short(bound) };
    let bound = |key| schema.get(key).and_then(Value::as_f64).map(text);
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
