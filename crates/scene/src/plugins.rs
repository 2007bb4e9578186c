//! Plug-ins that a scene names: `plugins = ["wind.wat"]`.
//!
//! They are read before the scene is held against its schema, because they add to it.

use crate::mesh::Files;
use crate::report::Report;
use crate::tree::Node;
use tumble_dynamics::registry::Registry;

/// The most plug-ins of a scene.
#[cfg(feature = "plugins")]
const MOST: usize = 100;

/// The registry with the plug-ins that a scene names; none if it names none. What is wrong with one is reported at its name.
#[cfg(feature = "plugins")]
pub(crate) fn registry(usual: &Registry, root: &Node, files: &dyn Files, report: &mut Report) -> Option<Registry> {
    let named = root.get("plugins").map_or(&[][..], Node::elements);
    if named.is_empty() {
        return None;
    }
    if let Some(node) = named.get(MOST) {
        report.push(node.span, format!("a scene has at most {MOST} plug-ins"), "");
    }
    let mut registry = usual.clone();
    for node in named.iter().take(MOST) {
        // What is no name is reported by the check.
        let Some(name) = node.text() else { continue };
        let read = files.read(name).and_then(|bytes| {
            let plugin = tumble_plugin::Plugin::read(name, &bytes).map_err(|error| error.to_string())?;
            plugin.register(&mut registry).map_err(|error| error.to_string())
        });
        if let Err(problem) = read {
            report.push(node.span, problem, "");
        }
    }
    Some(registry)
}

/// Without them, naming any is an error.
#[cfg(not(feature = "plugins"))]
pub(crate) fn registry(_usual: &Registry, root: &Node, _files: &dyn Files, report: &mut Report) -> Option<Registry> {
    if let Some(node) = root.get("plugins").and_then(|plugins| plugins.elements().first()) {
        report.push(node.span, "this program was built without plug-ins", "build it with the feature `plugins`");
    }
    None
}
