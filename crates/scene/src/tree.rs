//! A TOML document as a tree that remembers where everything stood, and what of it turned out to be wrong.

use crate::report::Report;
use crate::source::{Sources, Span};
use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value};
use toml::de::{DeTable, DeValue};

/// The deepest nesting a document may have.
pub(crate) const MAX_DEPTH: usize = 64;

/// A value, where it stands and whether it is what it should be.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) span: Span,
    pub(crate) content: Content,
    pub(crate) state: State,
}

/// What is known to be wrong with a value. It has been reported; who meets it goes on without another word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum State {
    /// Nothing.
    Sound,
    /// Something inside is wrong; the rest can be read, but it is no longer what the author meant.
    Damaged,
    /// All of it: it is read as if it were not there.
    Unusable,
}

/// What a node holds.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    Table(Vec<Entry>),
    Array(Vec<Node>),
    String(String),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    Datetime,
}

/// A key with its value; entries keep the order of the text.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_span: Span,
    pub(crate) node: Node,
}

impl Node {
    pub(crate) fn new(span: Span, content: Content) -> Self {
        Self { span, content, state: State::Sound }
    }

    /// A value that stands at one place.
    pub(crate) fn of_json(value: &Value, span: Span) -> Self {
        let content = match value {
            Value::Object(entries) => Content::Table(
                entries
                    .iter()
                    .map(|(key, value)| Entry { key: key.clone(), key_span: span, node: Self::of_json(value, span) })
                    .collect(),
            ),
            Value::Array(elements) => Content::Array(elements.iter().map(|value| Self::of_json(value, span)).collect()),
            Value::String(text) => Content::String(text.clone()),
            Value::Bool(truth) => Content::Boolean(*truth),
            Value::Number(number) => match number.as_i64() {
                Some(integer) => Content::Integer(integer),
                None => Content::Float(number.as_f64().unwrap_or_default()),
            },
            Value::Null => Content::Table(Vec::new()),
        };
        Self::new(span, content)
    }

    /// Whether nothing is known to be wrong with it.
    pub(crate) fn is_sound(&self) -> bool {
        self.state == State::Sound
    }

    /// Whether it can be read, at least in part.
    pub(crate) fn is_usable(&self) -> bool {
        self.state != State::Unusable
    }

    /// Notes that something is wrong with it; what is worse stays.
    pub(crate) fn spoil(&mut self, state: State) {
        self.state = self.state.max(state);
    }

    /// The entries of a table; none for anything else.
    pub(crate) fn entries(&self) -> &[Entry] {
        match &self.content {
            Content::Table(entries) => entries,
            _ => &[],
        }
    }

    /// The elements of an array; none for anything else.
    pub(crate) fn elements(&self) -> &[Node] {
        match &self.content {
            Content::Array(elements) => elements,
            _ => &[],
        }
    }

    /// The value under a key of a table.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.entries().iter().find(|entry| entry.key == key).map(|entry| &entry.node)
    }

    /// The entries of the table under a key; none if there is no such table.
    pub(crate) fn section(&self, key: &str) -> &[Entry] {
        self.get(key).map_or(&[], Node::entries)
    }

    /// Whether there is something under a key of this table that cannot be read.
    pub(crate) fn has_lost(&self, key: &str) -> bool {
        self.get(key).is_some_and(|node| !node.is_usable())
    }

    /// The value at the end of a path of keys.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// Where the value at the end of a path of keys stands: a table by its key, anything else by itself. If the path ends
    /// early, that is where it ends; if it does not begin, `otherwise`.
    pub(crate) fn place(&self, path: &[&str], otherwise: Span) -> Span {
        let (mut node, mut span) = (self, otherwise);
        for key in path {
            let Some(entry) = node.entries().iter().find(|entry| entry.key == *key) else { break };
            node = &entry.node;
            span = if matches!(node.content, Content::Table(_)) { entry.key_span } else { node.span };
        }
        span
    }

    /// The text, if it is a string.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.content {
            Content::String(text) => Some(text),
            _ => None,
        }
    }

    /// What a person calls this kind of value.
    pub(crate) fn kind(&self) -> &'static str {
        match self.content {
            Content::Table(_) => "a table",
            Content::Array(_) => "an array",
            Content::String(_) => "a string",
            Content::Integer(_) => "an integer",
            Content::Float(_) => "a number",
            Content::Boolean(_) => "a boolean",
            Content::Datetime => "a date",
        }
    }

    /// The same as JSON, without places and without what cannot be used.
    pub(crate) fn to_json(&self) -> Value {
        match &self.content {
            Content::Table(entries) => {
                let usable = entries.iter().filter(|entry| entry.node.is_usable());
                Value::Object(usable.map(|entry| (entry.key.clone(), entry.node.to_json())).collect::<Map<_, _>>())
            }
            Content::Array(elements) => elements.iter().map(Node::to_json).collect(),
            Content::String(text) => Value::String(text.clone()),
            Content::Integer(number) => Value::from(*number),
            Content::Float(number) => Number::from_f64(*number).map_or(Value::Null, Value::Number),
            Content::Boolean(truth) => Value::Bool(*truth),
            Content::Datetime => Value::Null,
        }
    }

    /// Reads it into a type. The text of the error comes from serde.
    pub(crate) fn decode<T: DeserializeOwned>(&self) -> Result<T, String> {
        serde_json::from_value(self.to_json()).map_err(|error| error.to_string())
    }

    /// A table with another laid over it: keys of the other replace its own.
    pub(crate) fn overlaid(&self, other: &Node) -> Node {
        let mut entries: Vec<Entry> =
            self.entries().iter().filter(|entry| other.get(&entry.key).is_none()).cloned().collect();
        entries.extend_from_slice(other.entries());
        Node { span: other.span, content: Content::Table(entries), state: self.state.max(other.state) }
    }

    /// Adds the entries of another table, at all depths; where both have a value, its own stays.
    pub(crate) fn absorb(&mut self, other: Node) {
        let (Content::Table(own), Content::Table(others)) = (&mut self.content, other.content) else { return };
        for entry in others {
            match own.iter_mut().find(|known| known.key == entry.key) {
                Some(known) => known.node.absorb(entry.node),
                None => own.push(entry),
            }
        }
    }

    /// The same value, all of it standing at one place.
    pub(crate) fn respanned(mut self, span: Span) -> Node {
        self.span = span;
        match &mut self.content {
            Content::Table(entries) => {
                for entry in entries {
                    entry.key_span = span;
                    entry.node = entry.node.clone().respanned(span);
                }
            }
            Content::Array(elements) => elements.iter_mut().for_each(|node| *node = node.clone().respanned(span)),
            _ => {}
        }
        self
    }

    /// Puts a value at a path, making tables on the way; an error names the key that is no table. A part that is given by its name
    /// alone, `method = "retroactive"`, has room for its settings, as in `method.retroactive.integrator`.
    pub(crate) fn set(&mut self, path: &[(String, Span)], value: Node) -> Result<(), String> {
        let Some(((key, key_span), rest)) = path.split_first() else {
            *self = value;
            return Ok(());
        };
        let span = value.span;
        if matches!(&self.content, Content::String(name) if name == key) {
            self.content = Content::Table(Vec::new());
        }
        // A number of a vector.
        if let (Content::Array(elements), Some(index)) = (&mut self.content, component(key))
            && let [_, _, _] = elements[..]
        {
            return elements[index].set(rest, value);
        }
        let Content::Table(entries) = &mut self.content else {
            return Err(format!("`{key}` cannot be set inside {}", self.kind()));
        };
        let index = entries.iter().position(|entry| entry.key == *key).unwrap_or_else(|| {
            let node = Node::new(span, Content::Table(Vec::new()));
            entries.push(Entry { key: key.clone(), key_span: *key_span, node });
            entries.len() - 1
        });
        entries[index].node.set(rest, value)
    }
}

/// Which number of a vector a key means.
pub(crate) fn component(key: &str) -> Option<usize> {
    ["x", "y", "z"].iter().position(|&axis| axis == key)
}

/// Reads a text that was added to the sources. What is wrong goes to the report. There is no tree if the text is not TOML:
/// what the parser made of it would only cause complaints about the consequences.
pub(crate) fn parse(sources: &Sources, source: usize, report: &mut Report) -> Option<Node> {
    let span = Span { source, start: 0, end: 0 };
    let text = sources.get(span).map_or("", |source| source.text.as_str());
    let (table, errors) = DeTable::parse_recoverable(text);
    for error in errors {
        let at = error.span().unwrap_or_default();
        report.push(Span { source, start: at.start, end: at.end }, error.message(), "");
    }
    report.is_empty().then(|| Node::new(span, convert_table(table.get_ref(), source, report, 0)))
}

fn convert_table(table: &DeTable<'_>, source: usize, report: &mut Report, depth: usize) -> Content {
    let mut entries: Vec<Entry> = table
        .iter()
        .map(|(key, value)| Entry {
            key: key.get_ref().to_string(),
            key_span: span_of(key.span(), source),
            node: convert(value.get_ref(), span_of(value.span(), source), report, depth + 1),
        })
        .collect();
    entries.sort_by_key(|entry| entry.key_span.start);
    Content::Table(entries)
}

fn span_of(range: std::ops::Range<usize>, source: usize) -> Span {
    Span { source, start: range.start, end: range.end }
}

fn convert(value: &DeValue<'_>, span: Span, report: &mut Report, depth: usize) -> Node {
    if depth > MAX_DEPTH {
        report.push(span, format!("nested deeper than {MAX_DEPTH} levels"), "");
        return Node { span, content: Content::Table(Vec::new()), state: State::Unusable };
    }
    let mut state = State::Sound;
    let content = match value {
        DeValue::String(text) => Content::String(text.to_string()),
        DeValue::Boolean(truth) => Content::Boolean(*truth),
        DeValue::Datetime(_) => Content::Datetime,
        DeValue::Integer(number) => match i64::from_str_radix(&number.as_str().replace('_', ""), number.radix()) {
            Ok(number) => Content::Integer(number),
            Err(_) => {
                report.push(span, "this integer is too large", "integers have 64 bits");
                state = State::Unusable;
                Content::Integer(0)
            }
        },
        DeValue::Float(number) => match number.as_str().replace('_', "").parse::<f64>() {
            Ok(number) if number.is_finite() => Content::Float(number),
            _ => {
                report.push(span, "this number is not finite", "every number in a scene is finite");
                state = State::Unusable;
                Content::Float(0.0)
            }
        },
        DeValue::Array(array) => {
            let elements = array
                .iter()
                .map(|element| convert(element.get_ref(), span_of(element.span(), span.source), report, depth + 1));
            Content::Array(elements.collect())
        }
        DeValue::Table(table) => convert_table(table, span.source, report, depth),
    };
    Node { span, content, state }
}
