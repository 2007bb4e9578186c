//! Finds and reads the scene a person means.

use crate::args::{Energy, SceneChoice};
use crate::failure::Failure;
use crate::plugins;
use crate::run::interruption;
use std::path::{Path, PathBuf};
use tumble_dynamics::EnergyWatch;
use tumble_scene::behave::Track;
use tumble_scene::mesh::{Files, Folder};
use tumble_scene::{Budget, Loader, Scene, SceneSource, gallery, suggestion};

/// Reads a scene by path or by name from the gallery. Energy out of nothing gives a warning unless the scene or a setting
/// says otherwise.
pub(crate) fn load(name: &str, settings: &[String]) -> Result<Scene, Failure> {
    load_within(name, settings, 1.0)
}

/// A loader with the plug-ins that were found.
pub(crate) fn loader() -> Loader {
    Loader::new().with_registry(plugins::registry().clone())
}

/// Likewise, if it costs no more than so many times what is usual.
pub(crate) fn load_within(name: &str, settings: &[String], budget: f64) -> Result<Scene, Failure> {
    let loader = loader().with_budget(Budget { factor: budget });
    let loader = settings.iter().fold(loader, |loader, setting| loader.with_setting(setting));
    let mut scene = match gallery::find(name) {
        Some(entry) => entry.load(&loader)?,
        None if is_file(name) => loader.load(Path::new(name))?,
        None => return Err(not_in_gallery(name)),
    };
    scene.watch_energy(EnergyWatch::Warn);
    scene.world.set_cancel(interruption().clone());
    Ok(scene)
}

/// Reads the scene that was chosen, with other settings, and lets its controls do what the options say.
pub(crate) fn load_choice(choice: &SceneChoice, settings: &[String]) -> Result<Scene, Failure> {
    let mut scene = load_within(&choice.scene, settings, choice.budget)?;
    if let Some(path) = &choice.keys {
        let wrong = |problem: String| Failure::Request(format!("--keys {}: {problem}", path.display()));
        let track = Track::read(path).map_err(wrong)?;
        track.play(&mut scene.world).map_err(wrong)?;
        scene.files.push(path.clone());
    }
    Ok(scene)
}

/// Says on standard error what of a scene is not as its file has it, because of what was chosen.
pub(crate) fn tell_notes(scene: &Scene) {
    scene.notes.iter().for_each(|note| eprintln!("note: {note}"));
}

/// Whether a name that is not in the gallery means a file.
pub(crate) fn is_file(name: &str) -> bool {
    Path::new(name).exists() || Path::new(name).extension().is_some()
}

pub(crate) fn not_in_gallery(name: &str) -> Failure {
    let near = gallery::nearest(name).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    Failure::Request(format!("there is no scene `{name}` in the gallery{near} (`tumble list` shows all)"))
}

/// The setting that chooses a method by name: a scene that has it already keeps its settings.
pub(crate) fn method_setting(name: &str) -> Result<String, Failure> {
    let methods = &plugins::registry().methods;
    if methods.part(name).is_none() {
        return Err(unknown("method", name, methods.parts().map(|part| part.name.as_str())));
    }
    Ok(format!("method={name:?}"))
}

/// Nothing of this kind has this name.
pub(crate) fn unknown<'a>(kind: &str, name: &str, known: impl Iterator<Item = &'a str>) -> Failure {
    let help = suggestion(name, known);
    Failure::Request(format!("there is no {kind} `{name}`; {}", if help.is_empty() { "there are none" } else { &help }))
}

/// Reads the scene a recording was made from, as it was then. The files it names are looked for beside the recording, then
/// beside the scene.
pub(crate) fn load_source(source: &SceneSource, recording: &Path) -> Result<Scene, Failure> {
    let loader = source.settings.iter().fold(loader(), |loader, setting| loader.with_setting(setting));
    Ok(if gallery::find(&source.name).is_some() {
        loader.load_text_with(&source.name, &source.text, &gallery::GalleryFiles)?
    } else {
        let scene = source.path.as_deref().map(Path::new);
        let places = [Some(recording), scene, Some(Path::new(&source.name))];
        let folders = Folders(places.into_iter().flatten().map(Folder::of).collect());
        loader.load_text_with(&source.name, &source.text, &folders)?
    })
}

/// Files in the first folder that has them.
struct Folders(Vec<Folder>);

impl Files for Folders {
    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        let mut problems = Vec::new();
        for folder in &self.0 {
            match folder.read(name) {
                Ok(bytes) => return Ok(bytes),
                Err(problem) => problems.push(problem),
            }
        }
        problems.dedup();
        Err(problems.join("; "))
    }

    fn path(&self, name: &str) -> Option<PathBuf> {
        self.0.iter().find_map(|folder| folder.path(name))
    }
}

impl SceneChoice {
    /// The options as settings, so that they are checked like the file.
    pub(crate) fn all_settings(&self) -> Vec<String> {
        let mut settings = self.settings.clone();
        settings.extend(self.until.map(|until| format!("duration={until:?}")));
        settings.extend(self.dt.map(|dt| format!("dt={dt:?}")));
        settings.extend(self.energy.map(Energy::setting));
        settings
    }
}
