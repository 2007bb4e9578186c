//! Names in a document that mean something in it: the properties of a part say so in their schema, `"names": "body"`.
//!
//! A schedule of a body that does not exist would silently do nothing.

use crate::tree::Node;
use serde_json::Value;

/// Calls `visit` with every string in `node` that is the name of a `kind` according to its schema; `root` holds the definitions.
pub(crate) fn names<'a>(
    (root, schema): (&Value, &Value),
    node: &'a Node,
    kind: &str,
    visit: &mut dyn FnMut(&'a str, &'a Node),
) {
    let referred = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix('#'));
    let schema = referred.and_then(|path| root.pointer(path)).unwrap_or(schema);
    if let Some(name) = node.text().filter(|_| schema.get("names").and_then(Value::as_str) == Some(kind)) {
        visit(name, node);
    }
    for entry in node.entries() {
        if let Some(property) = schema.get("properties").and_then(|properties| properties.get(&entry.key)) {
            names((root, property), &entry.node, kind, visit);
        }
    }
    for element in node.elements() {
        if let Some(items) = schema.get("items") {
            names((root, items), element, kind, visit);
        }
    }
}
