//! `tumble list`.

use crate::args::List;
use crate::failure::{Failure, print};
use crate::plugins;
use serde_json::{Value, json};
use tumble_scene::gallery::{Entry, GROUPS, SCENES};

pub(crate) fn list(options: &List) -> Result<(), Failure> {
    if options.plugins.is_some() {
        return plugins::list(options.json);
    }
    if options.json {
        let entry = |entry: &Entry| {
            let (title, description) = entry.summary();
            json!({ "name": entry.name, "group": entry.group, "title": title, "description": description })
        };
        let list: Value = SCENES.iter().map(entry).collect();
        return print(&format!("{list:#}\n"));
    }
    let mut text = String::new();
    for (index, group) in GROUPS.iter().enumerate() {
        let entries = || SCENES.iter().filter(|entry| entry.group == group.name);
        let width = entries().map(|entry| entry.name.len()).max().unwrap_or(0);
        text += &format!("{}{}\n", if index == 0 { "" } else { "\n" }, group.heading);
        text.extend(entries().map(|entry| format!("  {:width$}  {}\n", entry.name, entry.summary().1)));
    }
    print(&text)
}
