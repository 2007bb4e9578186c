//! Plug-ins of a folder: read once when the program starts, then parts like all others.

use crate::failure::{Failure, print};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::OnceLock;
use tumble_dynamics::registry::{Part, Property, Registry};
use tumble_plugin::{Plugin, Plugins, read_folder, template};
use tumble_scene::suggestion;

/// The environment variable that names the folder if no option does.
const VARIABLE: &str = "TUMBLE_PLUGINS";

static FOUND: OnceLock<(Registry, Plugins)> = OnceLock::new();

/// Reads the plug-ins of a folder, or of the one that the environment names; without either there are none.
pub(crate) fn read(folder: Option<&Path>) -> Result<(), Failure> {
    let named = std::env::var_os(VARIABLE).filter(|name| !name.is_empty());
    let Some(folder) = folder.or(named.as_deref().map(Path::new)) else { return Ok(()) };
    let refuse = |error: tumble_plugin::PluginError| Failure::Request(error.to_string());
    let plugins = read_folder(folder).map_err(refuse)?;
    let mut registry = Registry::default();
    plugins.register(&mut registry).map_err(refuse)?;
    // It is read once, before anything asks for it.
    let _first = FOUND.set((registry, plugins));
    Ok(())
}

/// All parts: built in and found.
pub(crate) fn registry() -> &'static Registry {
    &FOUND.get_or_init(|| (Registry::default(), Plugins::default())).0
}

/// A plug-in to start from.
pub(crate) fn template(kind: &str) -> Result<&'static str, Failure> {
    const KINDS: [(&str, &str); 4] = [
        ("force", template::FORCE),
        ("joint", template::JOINT),
        ("shape", template::SHAPE),
        ("method", template::METHOD),
    ];
    KINDS.iter().find(|(name, _)| *name == kind).map(|(_, text)| *text).ok_or_else(|| {
        let help = suggestion(kind, KINDS.iter().map(|(name, _)| *name));
        Failure::Request(format!("there is no kind of plug-in `{kind}`; {help}"))
    })
}

/// `tumble list --plugins`.
pub(crate) fn list(as_json: bool) -> Result<(), Failure> {
    let plugins = FOUND.get().map_or(&[][..], |(_, plugins)| &plugins.0);
    if as_json {
        let entry = |plugin: &Plugin| {
            let part = plugin.part();
            json!({
                "kind": plugin.description().kind.to_string(), "name": part.name, "file": plugin.file(),
                "description": part.description, "properties": part.properties,
            })
        };
        return print(&format!("{:#}\n", plugins.iter().map(entry).collect::<Value>()));
    }
    if plugins.is_empty() {
        return print(&format!(
            "There are no plug-ins. `--plugins FOLDER` or the environment variable {VARIABLE} says where they are;\n\
             `tumble new my.wat` writes one to start from.\n"
        ));
    }
    let texts: Vec<String> = plugins
        .iter()
        .map(|plugin| {
            let part = plugin.part();
            format!("{}, {}\n{}", plugin.description().kind, plugin.file(), in_words(&part))
        })
        .collect();
    print(&texts.join("\n"))
}

/// What the part of this name is, in words; none if there is none. A name may belong to parts of several kinds.
pub(crate) fn described(name: &str) -> Option<String> {
    let registry = registry();
    let found = [
        ("force", registry.forces.part(name)),
        ("joint", registry.joints.part(name)),
        ("shape", registry.shapes.part(name)),
        ("method", registry.methods.part(name)),
    ];
    let texts = found.iter().filter_map(|(kind, part)| Some(format!("{kind}\n{}", in_words((*part)?))));
    let text = texts.collect::<Vec<_>>().join("\n");
    (!text.is_empty()).then_some(text)
}

/// A part with its properties.
fn in_words(part: &Part) -> String {
    let mut text = format!("{}: {}\n", part.name, part.description);
    for property in &part.properties {
        let Property { name, kind, unit, default, minimum, maximum, description } = property;
        let unit = unit.as_ref().map_or(String::new(), |unit| format!(" in {unit}"));
        let range = match (minimum, maximum) {
            (Some(min), Some(max)) => format!(", {min} to {max}"),
            (Some(min), None) => format!(", at least {min}"),
            (None, Some(max)) => format!(", at most {max}"),
            (None, None) => String::new(),
        };
        text += &format!("  {name} ({kind}{unit}, default {default}{range}) {description}\n");
    }
    text
}
