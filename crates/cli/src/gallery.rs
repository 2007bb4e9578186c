//! `tumble list`.

use crate::args::List;
use crate::failure::{Failure, print};
use serde_json::{Value, json};
use tumble_scene::gallery::SCENES;

pub(crate) fn list(options: &List) -> Result<(), Failure> {
    let entries = SCENES.iter().map(|entry| (entry.name, entry.summary()));
    if options.json {
        let list: Value = entries
            .map(|(name, (title, description))| json!({ "name": name, "title": title, "description": description }))
            .collect();
        return print(&format!("{list:#}\n"));
    }
    let width = SCENES.iter().map(|entry| entry.name.len()).max().unwrap_or(0);
    let lines = entries.map(|(name, (_, description))| format!("{name:width$}  {description}\n"));
    print(&lines.collect::<String>())
}
