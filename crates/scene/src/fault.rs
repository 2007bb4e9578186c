//! Which property of a part the library complains about: an error names the property in its own words, and its value.

use crate::source::Span;
use crate::tree::{Content, Node};
use tumble_dynamics::ModelError;

/// Where the property at fault stands among the properties at `node`, if that can be told: the error speaks of its key, or
/// has its value.
pub(crate) fn place(problem: &ModelError, node: &Node) -> Option<Span> {
    let ModelError::OutOfRange { what, value, .. } = problem else { return None };
    let words: Vec<&str> = what.split(|c: char| !c.is_alphanumeric()).collect();
    let values: Vec<&str> = value.split(" and ").flat_map(|value| value.split(" to ")).collect();
    let mut all = Vec::new();
    collect(node, "", &mut all);
    let score = |(key, node): &(&str, &Node)| {
        let named = key.split('_').all(|part| words.contains(&part));
        let same = shown(node).is_some_and(|text| values.contains(&text.as_str()));
        2 * usize::from(named) + usize::from(same)
    };
    let best = all.iter().max_by_key(|property| score(property))?;
    (score(best) > 0).then_some(best.1.span)
}

/// All properties with their keys, and the elements of lists with that of the list.
fn collect<'a>(node: &'a Node, key: &'a str, all: &mut Vec<(&'a str, &'a Node)>) {
    for entry in node.entries() {
        collect(&entry.node, &entry.key, all);
        // After its elements: of equals the last is taken.
        if !matches!(entry.node.content, Content::Table(_)) {
            all.push((&entry.key, &entry.node));
        }
    }
    // The components of a vector are not properties.
    if !key.is_empty() && shown(node).is_none() {
        for element in node.elements() {
            all.push((key, element));
            collect(element, key, all);
        }
    }
}

/// A number or a vector as the library writes it.
fn shown(node: &Node) -> Option<String> {
    let number = |node: &Node| match node.content {
        Content::Integer(number) => Some(number.to_string()),
        Content::Float(number) => Some(number.to_string()),
        _ => None,
    };
    match node.elements() {
        [x, y, z] => Some(format!("[{}, {}, {}]", number(x)?, number(y)?, number(z)?)),
        _ => number(node),
    }
}
