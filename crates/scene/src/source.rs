//! Where things stand in text: sources, spans, lines and columns.
//!
//! A scene has one file and any number of settings from the command line; each is a source, and a span says which part
//! of which source something was read from. Diagnostics point at spans.

/// A piece of one of the [`Sources`]: bytes `start..end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Which source.
    pub source: usize,
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// A named text.
#[derive(Clone, Debug)]
pub struct Source {
    /// What a person calls it: a path, or "--set".
    pub name: String,
    /// The whole text.
    pub text: String,
}

/// All texts a scene was read from.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    list: Vec<Source>,
}

/// A place a person can find: counted from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

impl Sources {
    /// Adds a text and gives its number.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> usize {
        self.list.push(Source { name: name.into(), text: text.into() });
        self.list.len() - 1
    }

    /// The source a span is in.
    pub fn get(&self, span: Span) -> Option<&Source> {
        self.list.get(span.source)
    }

    /// Line and column of the start of a span.
    pub fn place(&self, span: Span) -> Place {
        let text = self.get(span).map_or("", |source| source.text.as_str());
        let before = &text[..floor_boundary(text, span.start)];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Place {
            line: before.bytes().filter(|&byte| byte == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }

    /// The line a span starts in, without its line break, and the span's part of it as a range of bytes.
    pub fn line(&self, span: Span) -> (&str, std::ops::Range<usize>) {
        let text = self.get(span).map_or("", |source| source.text.as_str());
        let start = floor_boundary(text, span.start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find(['\n', '\r']).map_or(text.len(), |at| start + at);
        let end = floor_boundary(text, span.end).clamp(start, line_end);
        (&text[line_start..line_end], start - line_start..end - line_start)
    }
}

/// The nearest character boundary at or before a byte.
fn floor_boundary(text: &str, byte: usize) -> usize {
    let mut at = byte.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_from_one() {
        let mut sources = Sources::default();
        let source = sources.add("a", "one\nzwölf = ä\n");
        let start = "one\nzwölf = ".len();
        let span = Span { source, start, end: start + 2 };
        assert_eq!(sources.place(span), Place { line: 2, column: 9 });
        let (line, range) = sources.line(span);
        assert_eq!(&line[range], "ä");
    }
}
