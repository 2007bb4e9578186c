//! `tumble new` and `tumble show`.

use crate::args::{New, Show};
use crate::failure::{Failure, print};
use crate::plugins;
use crate::scene::{is_file, load, not_in_gallery};
use std::path::Path;
use tumble_scene::draft::Draft;
use tumble_scene::gallery;

const STARTER: &str = include_str!("starter.toml");

pub(crate) fn write(options: &New) -> Result<(), Failure> {
    let name = options.file.display();
    if options.file.symlink_metadata().is_ok() {
        return Err(Failure::Request(format!("{name} exists already; it is left as it is")));
    }
    let is_plugin = options.file.extension().is_some_and(|ending| ending == "wat");
    let text = match &options.from {
        from if is_plugin => plugins::template(from.as_deref().unwrap_or("force"))?,
        None => STARTER,
        Some(scene) => gallery::find(scene).ok_or_else(|| not_in_gallery(scene))?.text,
    };
    let entry = options.from.as_deref().filter(|_| !is_plugin).and_then(gallery::find);
    let others = entry.map_or(Ok(Vec::new()), |entry| copy_files(entry, &options.file))?;
    Draft::write(&options.file, text.as_bytes()).map_err(|error| Failure::Write(format!("{name}: {error}")))?;
    if options.json {
        return print(&format!("{:#}\n", serde_json::json!({ "file": name.to_string(), "beside": others })));
    }
    if !others.is_empty() {
        print(&format!("wrote beside it {}\n", others.join(", ")))?;
    }
    let next = match is_plugin {
        true => format!("{name} is a plug-in: a scene names it, plugins = [\"{name}\"]"),
        false => format!("run it with: tumble run {name}"),
    };
    print(&format!("wrote {name}; {next}\n"))
}

/// Writes the files that a scene of the gallery refers to beside the file that it is written to. What is there already must be the
/// same.
pub(crate) fn copy_files(entry: &gallery::Entry, file: &Path) -> Result<Vec<String>, Failure> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let mut written = Vec::new();
    let files = entry.files();
    for (name, bytes) in &files {
        let path = folder.join(name);
        if path.exists() && std::fs::read(&path).ok().as_deref() != Some(*bytes) {
            let path = path.display();
            return Err(Failure::Request(format!("{path} exists already and is another file; it is left as it is")));
        }
    }
    for (name, bytes) in files {
        let path = folder.join(name);
        let failed = |error: std::io::Error| Failure::Write(format!("{}: {error}", path.display()));
        path.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(failed)?;
        std::fs::write(&path, bytes).map_err(failed)?;
        written.push(name.to_owned());
    }
    Ok(written)
}

/// Prints a scene.
pub(crate) fn show(options: &Show) -> Result<(), Failure> {
    match gallery::find(&options.scene) {
        Some(entry) => print(entry.text),
        None if is_file(&options.scene) => print(&load(&options.scene, &[])?.source.text),
        None => {
            plugins::described(&options.scene).map_or_else(|| Err(not_in_gallery(&options.scene)), |text| print(&text))
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_scene_with_files_is_written_with_them_and_loads() {
        let folder = std::env::temp_dir().join(format!("tumble-new-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("mine.toml");
        let options = |file: &std::path::Path| super::New {
            file: file.to_path_buf(),
            from: Some("alfred-stairs".into()),
            json: false,
        };
        super::write(&options(&file)).unwrap();
        assert_eq!(tumble_scene::Loader::new().load(&file).unwrap().figures.len(), 1);
        // Another one beside it shares the files; one that would change them is refused.
        super::write(&options(&folder.join("second.toml"))).unwrap();
        std::fs::write(folder.join("figures/stairs.obj"), "mine").unwrap();
        assert!(super::write(&options(&folder.join("third.toml"))).is_err());
        assert!(!folder.join("third.toml").exists());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_plug_in_to_start_from_is_one() {
        let folder = std::env::temp_dir().join(format!("tumble-new-plugin-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for kind in [None, Some("joint"), Some("shape"), Some("method")] {
            let file = folder.join(format!("{}.wat", kind.unwrap_or("force")));
            let from = kind.map(str::to_owned);
            super::write(&super::New { file: file.clone(), from, json: false }).unwrap();
            let plugin = tumble_plugin::Plugin::load(&file).unwrap();
            assert_eq!(plugin.description().kind.to_string(), kind.unwrap_or("force"));
        }
        assert_eq!(tumble_plugin::read_folder(&folder).unwrap().0.len(), 4);
        let spell = super::New { file: folder.join("x.wat"), from: Some("spell".into()), json: false };
        assert!(super::write(&spell).is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn the_starter_scene_runs() {
        let mut scene = tumble_scene::Loader::new().load_text("starter.toml", super::STARTER).unwrap();
        let summary = tumble_scene::run::Runner::default().run(&mut scene);
        assert!(summary.step_error.is_none());
        let top = scene.world.body_named("box/5").unwrap();
        assert!(scene.world.body(top).unwrap().position().y < 1.0, "the ball throws the stack over");
    }
}
