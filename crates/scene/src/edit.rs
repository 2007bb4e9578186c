//! Changes numbers in the text of a scene and leaves everything else as it stands, comments too.

use crate::report::Report;
use crate::source::Sources;
use crate::tree::{self, Node, component};

/// The number that stands under a key of the scene itself (`bodies.ball.velocity.x`), not of a file that it includes.
pub fn number_at(text: &str, key: &str) -> Result<f64, String> {
    let root = parse(text)?;
    let node = find(&root, key)?;
    let written = &text[node.span.start..node.span.end];
    let plain = written.replace('_', "");
    plain.parse().map_err(|_| format!("`{key}` is {written}, which is not a number"))
}

/// The text with other numbers under some keys, all of which must be there.
pub fn with_numbers(text: &str, numbers: &[(String, f64)]) -> Result<String, String> {
    let root = parse(text)?;
    let mut places = Vec::with_capacity(numbers.len());
    for (key, number) in numbers {
        let span = find(&root, key)?.span;
        places.push((span.start, span.end, *number));
    }
    // From the back, so that what comes before stays where it is.
    places.sort_by_key(|place| std::cmp::Reverse(place.0));
    let mut text = text.to_owned();
    for (start, end, number) in places {
        text.replace_range(start..end, &format!("{number:?}"));
    }
    Ok(text)
}

fn parse(text: &str) -> Result<Node, String> {
    let (mut sources, mut report) = (Sources::default(), Report::default());
    let source = sources.add("scene", text);
    tree::parse(&sources, source, &mut report).ok_or_else(|| "the scene is not TOML".to_owned())
}

fn find<'a>(root: &'a Node, key: &str) -> Result<&'a Node, String> {
    key.split('.').map(|part| part.trim().trim_matches('"')).try_fold(root, |node, part| {
        let of_vector = component(part).filter(|_| node.elements().len() == 3);
        let found = of_vector.map_or_else(|| node.get(part), |index| node.elements().get(index));
        found.ok_or_else(|| format!("the scene has no `{key}`; write it there first"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# A ball.\n[bodies.ball]\nvelocity = [1, 2.5, 3] # thrown\nmass = 1_000\n";

    #[test]
    fn numbers_are_found_and_replaced_where_they_stand() {
        assert_eq!(number_at(TEXT, "bodies.ball.velocity.y"), Ok(2.5));
        assert_eq!(number_at(TEXT, "bodies.ball.mass"), Ok(1000.0));
        let changes = [("bodies.ball.mass".to_owned(), 7.0), ("bodies.ball.velocity.x".to_owned(), -0.125)];
        let expected = "# A ball.\n[bodies.ball]\nvelocity = [-0.125, 2.5, 3] # thrown\nmass = 7.0\n";
        assert_eq!(with_numbers(TEXT, &changes).unwrap(), expected);
    }

    #[test]
    fn what_is_not_there_is_named() {
        assert!(number_at(TEXT, "bodies.bull.mass").unwrap_err().contains("`bodies.bull.mass`"));
        assert!(number_at(TEXT, "bodies.ball.velocity").unwrap_err().contains("not a number"));
        assert!(with_numbers("nonsense", &[]).is_err());
    }
}
