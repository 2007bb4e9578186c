//! `tumble new`.

use crate::args::New;
use crate::failure::{Failure, print};
use std::io::Write;

const STARTER: &str = include_str!("starter.toml");

pub(crate) fn write(options: &New) -> Result<(), Failure> {
    let name = options.file.display();
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => Failure::Request(format!("{name} exists already; it is left as it is")),
        _ => Failure::Write(format!("{name}: {error}")),
    };
    let mut file = std::fs::File::create_new(&options.file).map_err(failed)?;
    file.write_all(STARTER.as_bytes()).map_err(failed)?;
    if options.json {
        return print(&format!("{:#}\n", serde_json::json!({ "file": name.to_string() })));
    }
    print(&format!("wrote {name}; run it with: tumble run {name}\n"))
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
