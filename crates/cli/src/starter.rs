//! `tumble new` and `tumble show`.

use crate::args::{New, Show};
use crate::failure::{Failure, print};
use crate::scene::{is_file, load, not_in_gallery};
use tumble_scene::draft::Draft;
use tumble_scene::gallery;

const STARTER: &str = include_str!("starter.toml");

pub(crate) fn write(options: &New) -> Result<(), Failure> {
    let name = options.file.display();
    if options.file.symlink_metadata().is_ok() {
        return Err(Failure::Request(format!("{name} exists already; it is left as it is")));
    }
    let text = match &options.from {
        None => STARTER,
        Some(scene) => gallery::find(scene).ok_or_else(|| not_in_gallery(scene))?.text,
    };
    Draft::write(&options.file, text.as_bytes()).map_err(|error| Failure::Write(format!("{name}: {error}")))?;
    if options.json {
        return print(&format!("{:#}\n", serde_json::json!({ "file": name.to_string() })));
    }
    print(&format!("wrote {name}; run it with: tumble run {name}\n"))
}

/// Prints a scene.
pub(crate) fn show(options: &Show) -> Result<(), Failure> {
    match gallery::find(&options.scene) {
        Some(entry) => print(entry.text),
        None if is_file(&options.scene) => print(&load(&options.scene, &[])?.source.text),
        None => Err(not_in_gallery(&options.scene)),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_starter_scene_runs() {
        let mut scene = tumble_scene::Loader::new().load_text("starter.toml", super::STARTER).unwrap();
        let summary = tumble_scene::run::Runner::default().run(&mut scene);
        assert!(summary.step_error.is_none());
        let top = scene.world.body_named("box/5").unwrap();
        assert!(scene.world.body(top).unwrap().position().y < 1.0, "the ball throws the stack over");
    }
}
