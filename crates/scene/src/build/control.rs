//! Controls and the script of a scene.

use super::{Builder, Reported};
use crate::behave::{Act, Control, Plan, Pointer, SceneBehavior, Text, controls};
use crate::degrees::RADIANS;
use crate::format::{ActFile, ControlFile, PointerFile, SceneFile};
use crate::mesh::Files;
use crate::nearest::suggestion;
use crate::source::{Sources, Span};
use crate::tree::Node;
use glam::DVec3;
use tumble_dynamics::JointId;

/// Where a script stands: its text, and the span at which that begins.
struct Written {
    text: Text,
    /// The source it stands in, and the byte at which it begins.
    source: usize,
    start: usize,
}

impl Builder<'_, '_> {
    /// Lets controls and script act in the world.
    pub(super) fn add_behavior(&mut self, file: &SceneFile, sources: &mut Sources, files: &dyn Files) {
        let mut plan = Plan::default();
        for entry in self.context.root.section("controls") {
            let read: Result<ControlFile, Reported> = self.context.decode(entry.key_span, &entry.node);
            let Ok(control) = read.and_then(|file| self.control(&entry.key, &file, &entry.node, entry.key_span)) else {
                continue;
            };
            plan.controls.insert(entry.key.clone(), control);
        }
        let written = match file.script.as_ref().map(|_| self.script(file, sources, files)).transpose() {
            Ok(written) => written,
            Err(Reported) => return,
        };
        if plan.controls.is_empty() && written.is_none() {
            return;
        }
        plan.script = written.as_ref().map(|written| written.text.clone());
        match SceneBehavior::new(plan) {
            Ok(behavior) => self.world.set_behavior(behavior),
            Err(flaw) => {
                let root = self.context.root;
                let whole = root.place(&["script"], root.span);
                let span = written.zip(flaw.place).and_then(|(written, place)| written.span(sources, place));
                self.context.report.push(span.unwrap_or(whole), flaw.message, "");
            }
        }
    }

    fn control(&mut self, name: &str, file: &ControlFile, node: &Node, span: Span) -> Result<Control, Reported> {
        let range = file.range.unwrap_or([-1.0, 1.0]);
        if range[0] > range[1] {
            let message = format!("the range of a control is from {} to {}", range[0], range[1]);
            self.context.report.push(node.place(&["range"], span), message, "expected the smallest value first");
            return Err(Reported);
        }
        let checked = controls::check_frames(&file.frames);
        self.context.accept(node.place(&["frames"], span), checked)?;
        let nodes = node.get("acts").map_or(&[][..], Node::elements);
        let mut acts = Vec::new();
        for (file, node) in file.acts.iter().zip(nodes) {
            self.act(file, node, &mut acts)?;
        }
        let pointer = file.pointer.map(|pointer| match pointer {
            PointerFile::X => Pointer::X,
            PointerFile::Y => Pointer::Y,
            PointerFile::Press => Pointer::Press,
        });
        let label = if file.label.is_empty() { name.to_owned() } else { file.label.clone() };
        Ok(Control { label, keys: file.keys.clone(), pointer, range, frames: file.frames.clone(), acts })
    }

    /// What an entry of `acts` moves.
    fn act(&mut self, file: &ActFile, node: &Node, acts: &mut Vec<Act>) -> Result<(), Reported> {
        if let Some(name) = &file.joint {
            let (joint, coordinate) = self.coordinate(name, file.coordinate.as_deref(), node)?;
            acts.extend(file.speed.map(|unit| Act::Speed(joint, coordinate.clone(), unit)));
            let target = file.target.or(file.target_deg.map(|degrees| RADIANS * degrees));
            acts.extend(target.map(|unit| Act::Target(joint, coordinate, unit)));
        }
        if let Some(name) = &file.body {
            let body = self.body(name, node.place(&["body"], node.span))?;
            if file.force.is_some() || file.torque.is_some() {
                let zero = DVec3::ZERO;
                acts.push(Act::Push(body, file.force.unwrap_or(zero), file.at, file.torque.unwrap_or(zero)));
            }
        }
        let moves_joint = file.speed.is_some() || file.target.is_some() || file.target_deg.is_some();
        let moves_body = file.force.is_some() || file.torque.is_some();
        if (file.joint.is_some(), file.body.is_some()) != (moves_joint, moves_body) || !(moves_joint || moves_body) {
            let help =
                "expected a `joint` with `speed`, `target` or `target_deg`, or a `body` with `force` or `torque`";
            self.context.report.push(node.span, "it is not clear what this moves", help);
            return Err(Reported);
        }
        Ok(())
    }

    /// A joint by name, and one of its coordinates.
    fn coordinate(&mut self, name: &str, wanted: Option<&str>, node: &Node) -> Result<(JointId, String), Reported> {
        let Some(id) = self.world.joint_named(name) else {
            let names = self.world.model().joints().iter().map(|(_, joint)| joint.name.as_str());
            let help = suggestion(name, names);
            let span = node.place(&["joint"], node.span);
            self.context.report.push(span, format!("there is no joint \"{name}\""), help);
            return Err(Reported);
        };
        let all = self.world.joint(id).map(|joint| joint.coordinates()).unwrap_or_default();
        let found = all.iter().find(|coordinate| wanted.is_none_or(|wanted| wanted == coordinate.name));
        match found {
            Some(coordinate) => Ok((id, coordinate.name.to_owned())),
            None => {
                let wanted = wanted.unwrap_or("that something may act on");
                let help = suggestion(wanted, all.iter().map(|coordinate| coordinate.name));
                let span = node.place(&["coordinate"], node.span);
                self.context.report.push(span, format!("the joint \"{name}\" has no coordinate {wanted}"), help);
                Err(Reported)
            }
        }
    }

    /// The text of the script, and where it stands.
    fn script(&mut self, file: &SceneFile, sources: &mut Sources, files: &dyn Files) -> Result<Written, Reported> {
        let root = self.context.root;
        let whole = root.place(&["script"], root.span);
        let Some(script) = &file.script else { return Err(Reported) };
        match (&script.source, &script.file) {
            (Some(text), None) => {
                let span = root.at(&["script", "source"]).map_or(whole, |node| node.span);
                let name = sources.get(span).map(|source| source.name.clone()).unwrap_or_default();
                let raw = sources.get(span).map_or("", |source| source.text.get(span.start..span.end).unwrap_or(""));
                let start = span.start + opening(raw);
                let place = sources.place(Span { start, ..span });
                let (line, indent) = (place.line, place.column - 1);
                let text = Text { name, line, indent, text: text.clone(), seed: script.seed };
                Ok(Written { text, source: span.source, start })
            }
            (None, Some(name)) => {
                let span = root.at(&["script", "file"]).map_or(whole, |node| node.span);
                let bytes = self.context.accept(span, files.read(name))?;
                let utf8 = String::from_utf8(bytes).map_err(|_| format!("{name} is not UTF-8 text"));
                let text = self.context.accept(span, utf8)?;
                let source = sources.add(name.clone(), text.clone());
                let text = Text { name: name.clone(), line: 1, indent: 0, text, seed: script.seed };
                Ok(Written { text, source, start: 0 })
            }
            _ => {
                self.context.report.push(
                    whole,
                    "it is not clear what the script is",
                    "expected either `source` or `file`",
                );
                Err(Reported)
            }
        }
    }
}

impl Written {
    /// The place of a line and column of the script in the text it stands in.
    fn span(&self, sources: &Sources, (line, column): (usize, usize)) -> Option<Span> {
        let text = sources.get(Span { source: self.source, start: 0, end: 0 })?.text.get(self.start..)?;
        let before: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
        let letters = text.get(before..)?.chars().take(column - 1).map(char::len_utf8).sum::<usize>();
        let start = self.start + before + letters;
        Some(Span { source: self.source, start, end: start + 1 })
    }
}

/// How many bytes of a string of TOML come before its text: quotes, and a line break after three of them.
fn opening(raw: &str) -> usize {
    match ["'''\r\n", "\"\"\"\r\n", "'''\n", "\"\"\"\n", "'''", "\"\"\""]
        .iter()
        .find(|quotes| raw.starts_with(**quotes))
    {
        Some(quotes) => quotes.len(),
        None => usize::from(raw.starts_with(['\'', '"'])),
    }
}
