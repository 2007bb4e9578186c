//! What the sandbox is started with, and where scenes come from.

use serde_json::Value;
use std::path::{Component, Path, PathBuf};
use tumble_dynamics::registry::Registry;
use tumble_scene::gallery::{self, Entry, GalleryFiles};
use tumble_scene::mesh::{Files, Folder, NoFiles};
use tumble_scene::{Budget, Loader, Report, Scene, SceneSource};

/// A scene to look at: one of the gallery, or a file.
#[derive(Clone, Debug)]
pub struct Subject {
    origin: Origin,
    settings: Vec<String>,
    budget: Budget,
    registry: Registry,
}

#[derive(Clone, Debug)]
enum Origin {
    Gallery(&'static Entry),
    File(PathBuf),
}

impl Subject {
    /// A scene of the gallery, by name.
    pub fn gallery(name: &str) -> Option<Self> {
        gallery::find(name).map(|entry| Self::of(Origin::Gallery(entry)))
    }

    /// A scene file. It is read anew whenever the scene is opened.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::of(Origin::File(path.into()))
    }

    fn of(origin: Origin) -> Self {
        Self { origin, settings: Vec::new(), budget: Budget::default(), registry: Registry::default() }
    }

    /// With the parts of another registry, such as one with plug-ins.
    pub fn with_registry(mut self, registry: Registry) -> Self {
        self.registry = registry;
        self
    }

    /// The parts that scenes may use.
    pub(crate) fn registry(&self) -> &Registry {
        &self.registry
    }

    /// With scenes and texts that may cost so many times what is usual.
    pub fn within(mut self, factor: f64) -> Self {
        self.budget = Budget { factor };
        self
    }

    /// With a change to the scene: `key=value`, as [`Loader::with_setting`] has it. It wins over the text, also over one that
    /// is edited.
    pub fn with_setting(mut self, setting: impl Into<String>) -> Self {
        self.settings.push(setting.into());
        self
    }

    fn loader(&self) -> Loader {
        let loader = Loader::new().with_registry(self.registry.clone()).with_budget(self.budget);
        self.settings.iter().fold(loader, |loader, setting| loader.with_setting(setting))
    }

    /// What a person calls it.
    pub fn name(&self) -> String {
        match &self.origin {
            Origin::Gallery(entry) => entry.name.to_owned(),
            Origin::File(path) => path.display().to_string(),
        }
    }

    /// Reads the scene.
    pub(crate) fn load(&self) -> Result<Scene, Report> {
        match &self.origin {
            Origin::Gallery(entry) => entry.load(&self.loader()),
            Origin::File(path) => self.loader().load(path),
        }
    }

    /// Reads a text in place of the scene's, with the files the scene may refer to.
    pub(crate) fn load_text(&self, text: &str) -> Result<Scene, Report> {
        let files: &dyn Files = match &self.origin {
            Origin::Gallery(_) => &GalleryFiles,
            Origin::File(path) => &Below(Folder::of(path)),
        };
        self.loader().load_text_with(&self.name(), text, files)
    }
}

/// The method that a scene asks for, as its file has it, with the settings that concern it.
pub(crate) fn described_method(source: &SceneSource) -> Option<Value> {
    let mut scene: toml::Table = toml::from_str(&source.text).unwrap_or_default();
    for (key, value) in source.settings.iter().filter_map(|setting| setting.split_once('=')) {
        let mut path: Vec<&str> = key.split('.').map(|part| part.trim().trim_matches('"')).collect();
        let last = path.pop()?;
        let mut table = &mut scene;
        for part in path {
            let entry = table.entry(part).or_insert_with(|| toml::Table::new().into());
            if !entry.is_table() {
                // A method by its name alone, which now gets settings.
                *entry = toml::Table::new().into();
            }
            table = entry.as_table_mut()?;
        }
        let read: Option<toml::Table> = toml::from_str(&format!("value = {value}")).ok();
        let read = read.and_then(|mut read| read.remove("value")).unwrap_or_else(|| value.trim().into());
        table.insert(last.to_owned(), read);
    }
    serde_json::to_value(scene.get("method")?).ok()
}

/// A method as a scene file gives it, checked like a scene file.
pub(crate) fn load_method(method: &Value, registry: &Registry) -> Result<Scene, Report> {
    let setting = format!("method={}", inline_toml(method));
    Loader::new().with_registry(registry.clone()).with_setting(setting).load_text_with(
        "method",
        "title = \"method\"",
        &NoFiles,
    )
}

/// A JSON value as TOML on one line. What TOML has no word for (null) is left out.
fn inline_toml(value: &Value) -> String {
    let quoted = |text: &str| Value::from(text).to_string();
    match value {
        Value::Object(entries) => {
            let entries = entries.iter().filter(|(_, value)| !value.is_null());
            let entries: Vec<String> =
                entries.map(|(key, value)| format!("{} = {}", quoted(key), inline_toml(value))).collect();
            format!("{{ {} }}", entries.join(", "))
        }
        Value::Array(elements) => {
            let elements: Vec<String> = elements.iter().map(inline_toml).collect();
            format!("[{}]", elements.join(", "))
        }
        other => other.to_string(),
    }
}

/// The files in a folder and below, for texts that come over the network.
struct Below(Folder);

impl Files for Below {
    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        if Path::new(name).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
            self.0.read(name)
        } else {
            Err(format!("\"{name}\" is not below the folder of the scene"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_reach_no_files_above_their_folder() {
        let below = Below(Folder(std::env::temp_dir()));
        for name in ["/etc/passwd", "../secret.obj", "a/../../b.obj"] {
            assert!(below.read(name).unwrap_err().contains("not below"), "{name}");
        }
    }

    #[test]
    fn settings_concern_the_method_too() {
        let subject = Subject::gallery("pendulum-2").unwrap();
        let subject = subject.with_setting("method.retroactive.integrator=runge_kutta_4").with_setting("dt=0.004");
        let scene = subject.load().unwrap();
        assert_eq!(scene.dt, 0.004);
        let described = described_method(&scene.source).unwrap();
        assert_eq!(described, json!({ "retroactive": { "integrator": "runge_kutta_4" } }));
        assert!(load_method(&described, &Registry::default()).is_ok());
        assert!(subject.with_setting("dtt=3").load().is_err());
    }

    #[test]
    fn methods_are_checked_like_scene_files() {
        let good = json!({ "retroactive": { "integrator": "runge_kutta_4", "settings": { "time_to_sleep": 2.5 } } });
        assert_eq!(load_method(&good, &Registry::default()).unwrap().world.method().name(), "retroactive");
        for bad in
            [json!("magic"), json!({ "retroactive": { "integrator": "magic" } }), json!([1, { "a": "b" }]), json!(null)]
        {
            assert!(load_method(&bad, &Registry::default()).is_err(), "{bad}");
        }
    }
}
