//! From text to a scene that runs: read, apply settings, check against the schema, build.
//!
//! Whatever is wrong is reported and marked in the tree ([`State`](tree::State)), and every stage goes on with the rest, so
//! that all mistakes come at once. What is missing only because it was refused before is not missed.

use crate::build;
use crate::check::check;
use crate::cost::{Budget, Cost};
use crate::format::{CameraFile, RecordingFile};
use crate::include::Includer;
use crate::kind::other_kind;
use crate::look::Surface;
use crate::mesh::{Files, Folder, NoFiles, Noted, read_limited};
use crate::nearest::suggestion;
use crate::plugins;
use crate::report::Report;
use crate::schema::{chosen_part, method_to_registry, scene_schema};
use crate::skin::Figure;
use crate::source::{Sources, Span};
use crate::tree::{self, Entry, Node};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::OnceLock;
use tumble_dynamics::registry::Registry;
use tumble_dynamics::{BodyId, EnergyWatch, Id, JointId, ModelError, World};

/// The longest scene file that is read, in bytes.
pub const MAX_SCENE: u64 = 16 << 20;

/// A colour: red, green, blue.
pub type Color = [u8; 3];

/// A scene ready to run.
#[derive(Debug)]
pub struct Scene {
    /// A short name for people.
    pub title: String,
    /// What there is to see.
    pub description: String,
    /// How long to simulate, in seconds.
    pub duration: f64,
    /// The time step in seconds.
    pub dt: f64,
    /// Where to look from, if the file says so.
    pub camera: Option<CameraFile>,
    /// What to record.
    pub recording: RecordingFile,
    /// What the file says about energy that comes out of nothing, if it does; the world knows.
    pub energy_watch: Option<EnergyWatch>,
    /// How often a second contacts that go on are told, if the file says so; the world knows.
    pub contact_rate: Option<f64>,
    /// Model, state and method.
    pub world: World,
    /// The colours the file gives to bodies, by slot of the body.
    pub colors: Vec<Option<Color>>,
    /// What is seen of bodies in place of their shapes, where the file says so, by slot of the body.
    pub visuals: Vec<Option<Arc<Surface>>>,
    /// Skins that bodies bend.
    pub figures: Vec<Figure>,
    /// What it costs.
    pub cost: Cost,
    /// What it may cost.
    pub budget: Budget,
    /// The files on disk that it was read from: its own and those it refers to.
    pub files: Vec<PathBuf>,
    /// What it was read from.
    pub source: SceneSource,
    /// What who chose other settings might not expect, a sentence each.
    pub notes: Vec<String>,
}

/// The text of a scene and the settings it was read with: enough to read it again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SceneSource {
    /// What a person calls it: a path, or a name from the gallery.
    pub name: String,
    /// The text.
    pub text: String,
    /// Changes, as `key=value`.
    pub settings: Vec<String>,
    /// Where the file is, from the root of the file system, so that the files it names are found from any folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// Reads scene files with the parts of a registry.
#[derive(Clone, Debug, Default)]
pub struct Loader {
    registry: Registry,
    settings: Vec<String>,
    budget: Budget,
    /// The schema for this registry, made when it is first needed.
    schema: OnceLock<Value>,
}

impl Scene {
    /// Called like its file if it has no title.
    fn titled(self, name: &str) -> Self {
        let stem = || Path::new(name).file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        Self { title: if self.title.is_empty() { stem() } else { self.title }, ..self }
    }

    /// What is seen of a body in place of its shapes, if the scene says so.
    pub fn visual(&self, id: BodyId) -> Option<&Arc<Surface>> {
        self.visuals.get(id.slot()).and_then(Option::as_ref).filter(|_| id.generation() == 0)
    }

    /// The body with this name; the parts of a path may be divided by dots, too: "alfred.shin.left".
    pub fn body_named(&self, name: &str) -> Option<BodyId> {
        let dotted = |text: &str| text.replace('/', ".");
        let wanted = dotted(name);
        self.world.bodies().find(|(_, body)| dotted(&body.model().name) == wanted).map(|(id, _)| id)
    }

    /// The joint with this name, likewise: "alfred.knee.left".
    pub fn joint_named(&self, name: &str) -> Option<JointId> {
        let dotted = |text: &str| text.replace('/', ".");
        let wanted = dotted(name);
        self.world.joints().find(|(_, joint)| dotted(&joint.model().name) == wanted).map(|(id, _)| id)
    }

    /// Watches over the energy in this way, unless the file asks for another.
    pub fn watch_energy(&mut self, unless_told: EnergyWatch) {
        self.world.set_energy_watch(self.energy_watch.unwrap_or(unless_told));
    }
}

impl Loader {
    /// A loader with all built-in parts.
    pub fn new() -> Self {
        Self::default()
    }

    /// With the parts of another registry.
    pub fn with_registry(mut self, registry: Registry) -> Self {
        self.registry = registry;
        self.schema = OnceLock::new();
        self
    }

    /// With a change to every scene: `key=value`, the key as a path (`bodies.ball.mass`), the value as TOML; what is not
    /// TOML is taken as a string. A number of a vector is a key, too: `bodies.ball.velocity.x=3`. A method that is given by its name alone keeps the settings that the scene gives to it; one of
    /// another name has its defaults, and the scene has a [note](Scene::notes) of that.
    pub fn with_setting(mut self, setting: impl Into<String>) -> Self {
        self.settings.push(setting.into());
        self
    }

    /// With another budget: what costs more is refused.
    pub fn with_budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// Changes the settings of a world's method to a description such as a scene file has under `method`, without losing what
    /// the method remembers. Refused if it is a method of another kind.
    pub fn configure(&self, world: &mut World, method: &Value) -> Result<(), ModelError> {
        let (name, properties) = chosen_part(method);
        let at_work = world.method().name();
        if name != at_work {
            return Err(ModelError::Invalid(format!("the method at work is \"{at_work}\", not \"{name}\"")));
        }
        self.registry.configure(world.dyn_method_mut(), &method_to_registry(&properties))
    }

    /// Reads a scene file; meshes are looked for relative to it.
    pub fn load(&self, path: impl AsRef<Path>) -> Result<Scene, Report> {
        let path = path.as_ref();
        if let Some((what, help)) = beginning(path).and_then(|head| other_kind(path, &head)) {
            return Err(Report::general(format!("{} is not a scene, but {what}", path.display()), help));
        }
        let bytes = read_limited(path, MAX_SCENE).map_err(|problem| Report::general(problem, ""))?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            let line = 1 + error.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count();
            Report::general(format!("{} is not UTF-8 text: look at line {line}", path.display()), "")
        })?;
        let mut scene = self.load_text_with(&path.display().to_string(), &text, &Folder::of(path))?;
        scene.files.push(path.to_path_buf());
        scene.source.path = std::path::absolute(path).ok().and_then(|path| path.into_os_string().into_string().ok());
        Ok(scene)
    }

    /// Reads a scene from text that refers to no files; `name` is for messages.
    pub fn load_text(&self, name: &str, text: &str) -> Result<Scene, Report> {
        self.load_text_with(name, text, &NoFiles)
    }

    /// Reads a scene from text, with files from anywhere.
    pub fn load_text_with(&self, name: &str, text: &str, files: &dyn Files) -> Result<Scene, Report> {
        let mut report = Report::default();
        if text.len() as u64 > MAX_SCENE {
            return Err(Report::general(format!("{name} is larger than {} MB", MAX_SCENE >> 20), ""));
        }
        let mut sources = Sources::default();
        let files = Noted::new(files);
        let source = sources.add(name, text);
        let mut notes = Vec::new();
        let root = tree::parse(&sources, source, &mut report);
        let scene = root.and_then(|mut root| {
            Includer::new(&files, &mut sources, &mut report).add(&mut root);
            for setting in &self.settings {
                notes.extend(apply(setting, &mut root, &mut sources, &mut report));
            }
            let extended = plugins::registry(&self.registry, &root, &files, &mut report);
            let own_schema = extended.as_ref().map(scene_schema);
            let registry = extended.as_ref().unwrap_or(&self.registry);
            let usual = || self.schema.get_or_init(|| scene_schema(&self.registry));
            check(own_schema.as_ref().unwrap_or_else(usual), &mut root, &mut report);
            build::scene(registry, &root, &files, &mut sources, self.budget, &mut report)
        });
        report.sort();
        report.sources = sources;
        let settings = self.settings.clone();
        let source = SceneSource { name: name.to_owned(), text: text.to_owned(), settings, path: None };
        let files = files.list();
        let scene = scene.map(|scene| Scene { source, files, notes, ..scene });
        scene.map(|scene| scene.titled(name)).ok_or(report)
    }
}

/// How a file begins. Why it cannot be read is found out by who reads it all.
fn beginning(path: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    File::open(path).ok()?.take(16).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Applies `key=value` to a document. There is a note if something that the document says is lost that way.
fn apply(setting: &str, root: &mut Node, sources: &mut Sources, report: &mut Report) -> Option<String> {
    let source = sources.add("--set", setting);
    let whole = Span { source, start: 0, end: setting.len() };
    let Some((key, value)) = setting.split_once('=') else {
        report.push(whole, "a setting has no `=`", "expected key=value");
        return None;
    };
    let mut path = Vec::new();
    let mut start = 0;
    for part in key.split('.') {
        let name = part.trim().trim_matches('"');
        if name.is_empty() {
            report.push(whole, "a setting has an empty key", "expected key=value");
            return None;
        }
        path.push((name.to_owned(), Span { source, start, end: start + part.len() }));
        start += part.len() + 1;
    }
    // A property of something that does not exist is a slip of the pen, not a wish for something new.
    if let [(section, _), (name, at), _, ..] = &path[..]
        && ["bodies", "joints", "forces", "instances", "lattices", "skeletons"].contains(&section.as_str())
        && !root.section(section).iter().any(|entry| entry.key == *name)
    {
        let known = root.section(section).iter().map(|entry| entry.key.as_str());
        report.push(*at, format!("there is nothing named `{name}` in `{section}`"), suggestion(name, known));
        return None;
    }
    // The value is read as if it stood in a file of its own, and then moved to where it stands in the setting.
    let mut scratch = Sources::default();
    let prefix = "value = ";
    let mut problems = Report::default();
    let at = scratch.add("", format!("{prefix}{value}"));
    let parsed = tree::parse(&scratch, at, &mut problems);
    let value_span = Span { source, start: key.len() + 1, end: setting.len() };
    let node = match parsed.as_ref().and_then(|parsed| parsed.get("value")) {
        Some(node) if problems.is_empty() => node.clone(),
        _ => Node::new(value_span, tree::Content::String(value.trim().to_owned())),
    };
    let node = node.respanned(value_span);
    let chosen = node.text().filter(|_| path.len() == 1 && path[0].0 == "method");
    let lost = match chosen.and_then(|name| choose_method(root, name)) {
        Some(Choice::AlreadyThere) => return None,
        Some(Choice::Replaces(note)) => Some(note),
        None => None,
    };
    if let Err(problem) = root.set(&path, node) {
        report.push(whole, problem, "");
    }
    lost
}

/// What it means for the settings of a scene's method that one is chosen by name.
enum Choice {
    /// It is the one that the scene has: nothing changes.
    AlreadyThere,
    /// The settings of another one are lost.
    Replaces(String),
}

/// What comes of it if the method of this name is chosen; none if the scene has no settings for any.
fn choose_method(root: &Node, name: &str) -> Option<Choice> {
    let Entry { key: own, node: settings, .. } = root.section("method").first()?;
    if own == name {
        return Some(Choice::AlreadyThere);
    }
    let given: Vec<&str> = settings.entries().iter().map(|entry| entry.key.as_str()).collect();
    let note = || {
        let given = given.join(", ");
        format!("the scene's settings of its own method \"{own}\" ({given}) are not taken over by \"{name}\"")
    };
    (!given.is_empty()).then(|| Choice::Replaces(note()))
}
