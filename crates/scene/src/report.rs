//! Diagnostics: what is wrong, where, and what was expected.
//!
//! ```text
//! error: unknown key `shap`
//!   --> pile.toml:12:1
//!    |
//! 12 | shap.box.size = [1, 1, 1]
//!    | ^^^^ did you mean `shape`?
//! ```

use crate::source::{Sources, Span};
use serde_json::{Value, json};
use std::fmt;

/// How many diagnostics a report keeps; what comes after is only counted.
const KEPT: usize = 100;
/// How many diagnostics are shown as text; what comes after is only counted.
const TOLD: usize = 20;
/// How many characters of a line are shown.
const SHOWN: usize = 160;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// What is wrong.
    pub message: String,
    /// What was expected, or the nearest valid name; may be empty.
    pub help: String,
    /// Where; none if the file could not be read at all.
    pub span: Option<Span>,
}

/// Everything that is wrong with a scene. Its [`Display`](fmt::Display) shows each place with its line.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The texts the spans point into.
    pub sources: Sources,
    /// What is wrong, in the order of the text; the first hundred that were found.
    pub diagnostics: Vec<Diagnostic>,
    /// How many more there were.
    pub more: usize,
}

impl std::error::Error for Report {}

impl Report {
    /// A report of one thing that has no place in a text.
    pub fn general(message: impl Into<String>, help: impl Into<String>) -> Self {
        let mut report = Self::default();
        report.push(None, message, help);
        report
    }

    /// Adds a diagnostic.
    pub fn push(&mut self, span: impl Into<Option<Span>>, message: impl Into<String>, help: impl Into<String>) {
        let new = Diagnostic { message: message.into(), help: help.into(), span: span.into() };
        // What is wrong with a template is wrong with each of its copies, but is said once.
        if self.diagnostics.contains(&new) {
            return;
        }
        if self.diagnostics.len() < KEPT {
            self.diagnostics.push(new);
        } else {
            self.more += 1;
        }
    }

    /// Puts the diagnostics in the order of the text.
    pub(crate) fn sort(&mut self) {
        self.diagnostics.sort_by_key(|diagnostic| diagnostic.span.map(|span| (span.source, span.start)));
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// How many things are wrong.
    pub fn len(&self) -> usize {
        self.diagnostics.len() + self.more
    }

    /// The report for other programs: a list of objects with file, line, column, message and help.
    pub fn to_json(&self) -> Value {
        let entry = |diagnostic: &Diagnostic| {
            let place = diagnostic.span.map(|span| self.sources.place(span));
            json!({
                "file": diagnostic.span.and_then(|span| self.sources.get(span)).map(|source| &source.name),
                "line": place.map(|place| place.line),
                "column": place.map(|place| place.column),
                "message": diagnostic.message,
                "help": diagnostic.help,
            })
        };
        self.diagnostics.iter().map(entry).collect()
    }

    fn show(&self, f: &mut fmt::Formatter<'_>, diagnostic: &Diagnostic) -> fmt::Result {
        writeln!(f, "error: {}", printable(&diagnostic.message))?;
        let Some(span) = diagnostic.span else {
            return if diagnostic.help.is_empty() { Ok(()) } else { writeln!(f, "  = {}", diagnostic.help) };
        };
        let place = self.sources.place(span);
        let name = self.sources.get(span).map_or("", |source| source.name.as_str());
        let number = place.line.to_string();
        let margin = " ".repeat(number.len());
        writeln!(f, "{margin}--> {name}:{}:{}", place.line, place.column)?;
        let (line, range) = self.sources.line(span);
        let (shown, indent, carets) = window(line, range);
        writeln!(f, "{margin} |\n{number} | {shown}")?;
        let pointer = format!("{}{} {}", " ".repeat(indent), "^".repeat(carets), printable(&diagnostic.help));
        writeln!(f, "{margin} | {}", pointer.trim_end())
    }
}

/// Control characters would play tricks with a terminal.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// The part of a line around a range of bytes that is worth showing, how far the range is indented in it and how wide
/// it is, in characters.
fn window(line: &str, range: std::ops::Range<usize>) -> (String, usize, usize) {
    let before = line[..range.start].chars().count();
    let skip = before.saturating_sub(SHOWN / 2);
    let shown: String = line.chars().skip(skip).take(SHOWN).collect();
    let indent = before - skip;
    let width = line[range].chars().count().clamp(1, SHOWN - indent);
    (printable(&shown), indent, width)
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.diagnostics.iter().take(TOLD).enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            self.show(f, diagnostic)?;
        }
        match self.len().saturating_sub(TOLD) {
            0 => Ok(()),
            more => writeln!(f, "\n… and {more} more"),
        }
    }
}
