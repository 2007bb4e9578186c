//! Plug-ins of a folder.

use crate::{Plugin, PluginError};
use std::path::Path;
use tumble_dynamics::registry::Registry;

/// The most plug-ins of a folder.
const MOST: usize = 1000;

/// Several plug-ins, in the order of the names of their files.
#[derive(Clone, Debug, Default)]
pub struct Plugins(
    /// The plug-ins.
    pub Vec<Plugin>,
);

impl Plugins {
    /// Gives each of them a place in a registry.
    pub fn register(&self, registry: &mut Registry) -> Result<(), PluginError> {
        self.0.iter().try_for_each(|plugin| plugin.register(registry))
    }
}

/// Reads all files of a folder that end with `.wasm` or `.wat`. One that is no sound plug-in is an error.
pub fn read_folder(folder: &Path) -> Result<Plugins, PluginError> {
    let fail = |problem: String| PluginError { file: folder.display().to_string(), problem };
    let entries = std::fs::read_dir(folder).map_err(|error| fail(format!("the folder cannot be read: {error}")))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| fail(error.to_string()))?.path();
        let is_module = path.extension().is_some_and(|end| end == "wasm" || end == "wat");
        files.extend(is_module.then_some(path));
    }
    if files.len() > MOST {
        return Err(fail(format!("the folder has {} plug-ins, and {MOST} are allowed", files.len())));
    }
    files.sort();
    Ok(Plugins(files.iter().map(|file| Plugin::load(file)).collect::<Result<_, _>>()?))
}
