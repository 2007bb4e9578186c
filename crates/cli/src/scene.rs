//! Finds and reads the scene a person means.

use crate::args::SceneChoice;
use crate::failure::Failure;
use std::path::Path;
use tumble_dynamics::registry::Registry;
use tumble_scene::mesh::{Files, Folder};
use tumble_scene::{Loader, Scene, SceneSource, gallery};

/// Reads a scene by path or by name from the gallery.
pub(crate) fn load(name: &str, settings: &[String]) -> Result<Scene, Failure> {
    let loader = settings.iter().fold(Loader::new(), |loader, setting| loader.with_setting(setting));
    if let Some(entry) = gallery::find(name) {
        return Ok(entry.load(&loader)?);
    }
    let path = Path::new(name);
    if !path.exists() && path.extension().is_none() {
        let near = gallery::nearest(name).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        let message = format!("there is no scene `{name}` in the gallery{near} (`tumble list` shows all)");
        return Err(Failure::Request(message));
    }
    Ok(loader.load(path)?)
}

/// The setting that chooses a method by name.
pub(crate) fn method_setting(name: &str) -> Result<String, Failure> {
    let methods = &Registry::default().methods;
    if methods.part(name).is_none() {
        let known: Vec<&str> = methods.parts().map(|part| part.name.as_str()).collect();
        return Err(Failure::Request(format!("there is no method `{name}`; known are {}", known.join(", "))));
    }
    Ok(format!("method={{ {name} = {{}} }}"))
}

/// Reads the scene a recording was made from, as it was then. The files it names are looked for beside the recording, then
/// beside the scene.
pub(crate) fn load_source(source: &SceneSource, recording: &Path) -> Result<Scene, Failure> {
    let loader = source.settings.iter().fold(Loader::new(), |loader, setting| loader.with_setting(setting));
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
}

impl SceneChoice {
    /// The options as settings, so that they are checked like the file.
    pub(crate) fn all_settings(&self) -> Vec<String> {
        let mut settings = self.settings.clone();
        settings.extend(self.until.map(|until| format!("duration={until:?}")));
        settings.extend(self.dt.map(|dt| format!("dt={dt:?}")));
        settings
    }
}
