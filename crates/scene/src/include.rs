//! Scenes in several files: `include = ["robot.toml"]` adds the bodies, joints, templates and so on of another file.
//!
//! Files are named as seen from the scene's folder, also by those that are included. What has a name has it once, wherever it
//! stands. Other keys (`gravity`, `dt`, …) of an included file hold where the scene itself says nothing.

use crate::load::MAX_SCENE;
use crate::mesh::Files;
use crate::report::Report;
use crate::source::{Sources, Span};
use crate::tree::{self, Content, Node};

/// How deep files may include others, and how many there may be in all.
const MAX_DEPTH: usize = 16;
const MAX_FILES: usize = 256;
/// What has a name in a section of this kind.
const SECTIONS: [&str; 10] = [
    "bodies",
    "joints",
    "forces",
    "lattices",
    "materials",
    "shapes",
    "templates",
    "skeletons",
    "instances",
    "controls",
];

/// Reads included files.
pub(crate) struct Includer<'a> {
    pub(crate) files: &'a dyn Files,
    pub(crate) sources: &'a mut Sources,
    pub(crate) report: &'a mut Report,
    /// The files being read, to find those that include themselves.
    open: Vec<String>,
    count: usize,
    size: u64,
}

impl<'a> Includer<'a> {
    pub(crate) fn new(files: &'a dyn Files, sources: &'a mut Sources, report: &'a mut Report) -> Self {
        Self { files, sources, report, open: Vec::new(), count: 0, size: 0 }
    }

    /// Adds to a document what it includes.
    pub(crate) fn add(&mut self, root: &mut Node) {
        let named: Vec<(String, Span)> = root
            .get("include")
            .map_or(&[][..], Node::elements)
            .iter()
            .filter_map(|node| Some((node.text()?.to_owned(), node.span)))
            .collect();
        for (name, span) in named {
            match self.read(&name) {
                Ok(Some(included)) => self.merge(root, included),
                // What is wrong with the text has been said.
                Ok(None) => {}
                Err(problem) => self.report.push(span, problem, ""),
            }
        }
    }

    fn read(&mut self, name: &str) -> Result<Option<Node>, String> {
        if self.open.iter().any(|open| open == name) {
            return Err(format!("\"{name}\" includes itself"));
        }
        self.count += 1;
        if self.open.len() >= MAX_DEPTH || self.count > MAX_FILES {
            return Err(format!("more than {MAX_FILES} files are included, or deeper than {MAX_DEPTH} levels"));
        }
        let bytes = self.files.read(name)?;
        self.size += bytes.len() as u64;
        if self.size > MAX_SCENE {
            return Err(format!("the files that are included have more than {} MB", MAX_SCENE >> 20));
        }
        let text = String::from_utf8(bytes).map_err(|_| format!("{name} is not UTF-8 text"))?;
        let source = self.sources.add(name, text);
        let Some(mut root) = tree::parse(self.sources, source, self.report) else { return Ok(None) };
        self.open.push(name.to_owned());
        self.add(&mut root);
        self.open.pop();
        Ok(Some(root))
    }

    fn merge(&mut self, root: &mut Node, mut included: Node) {
        for section in SECTIONS {
            for entry in included.section(section) {
                if root.section(section).iter().any(|known| known.key == entry.key) {
                    let message = format!("there is a `{}` in `{section}` already", entry.key);
                    self.report.push(entry.key_span, message, "what has a name has it once");
                }
            }
        }
        if let Content::Table(entries) = &mut included.content {
            entries.retain(|entry| entry.key != "include");
        }
        root.absorb(included);
    }
}
