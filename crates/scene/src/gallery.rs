//! The scenes that come with tumble, in the program itself.

use crate::load::{Loader, Scene};
use crate::mesh::Files;
use crate::report::Report;

/// A scene of the gallery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name to run it by: that of its file, with the folder before it, e.g. "dominoes" or "constraints/hinge".
    pub name: &'static str,
    /// The name of its group.
    pub group: &'static str,
    /// The scene file.
    pub text: &'static str,
}

/// Scenes that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its name: that of the folder under `scenes`; "scenes" for those in no folder.
    pub name: &'static str,
    /// What its scenes have in common, for people.
    pub heading: &'static str,
}

macro_rules! gallery {
    ($($group:literal, $heading:literal: $($name:literal),+;)+) => {
        /// All groups, in the order of [`SCENES`].
        pub const GROUPS: &[Group] = &[$(Group { name: $group, heading: $heading }),+];

        /// All scenes, group by group and by name.
        pub const SCENES: &[Entry] = &[$($(Entry {
            name: $name,
            group: $group,
            text: include_str!(concat!("../../../scenes/", $name, ".toml")),
        }),+),+];
    };
}

gallery! {
    "scenes", "Scenes":
    "alfred-spiral",
    "alfred-stairs",
    "bouncing-balls",
    "boxes-table",
    "boxes-table-elastic",
    "buoyancy",
    "car",
    "counterweight",
    "cradle-1",
    "cradle-1-lossy",
    "cradle-2",
    "cradle-2-lossy",
    "cradle-3",
    "cradle-3-lossy",
    "dominoes",
    "gyroscope",
    "incline",
    "pendulum-2",
    "pendulum-25",
    "pendulum-3",
    "pendulum-8",
    "pile",
    "pile-1000",
    "pyramid",
    "quadruped",
    "rag-doll",
    "rattleback",
    "shooting-gallery",
    "spiral-track",
    "stack",
    "stairs",
    "top",
    "tripped",
    "tumbling-blocks",
    "two-spheres",
    "vortex",
    "wall";

    "classic", "Classic methods: what their documents show, each with the method it was made for":
    "classic/cars",
    "classic/cars-aimed",
    "classic/chain",
    "classic/cloth",
    "classic/diver",
    "classic/falling-cat",
    "classic/jelly",
    "classic/particle-box",
    "classic/rag-doll-jump",
    "classic/rag-doll-stairs",
    "classic/rocket",
    "classic/rope",
    "classic/skater",
    "classic/stacked-articulated",
    "classic/stacks",
    "classic/tops",
    "classic/water";

    "constraints", "Constraints: one joint or limit each, what it allows and what it forbids":
    "constraints/angular_limit",
    "constraints/axis_limits",
    "constraints/ball",
    "constraints/breakable",
    "constraints/cone_limit",
    "constraints/constant_velocity",
    "constraints/cylindrical",
    "constraints/discrepancy",
    "constraints/discrepancy_motor",
    "constraints/distance",
    "constraints/elliptic_cone_limit",
    "constraints/gear",
    "constraints/hinge",
    "constraints/hinge_drive",
    "constraints/hinge_forms",
    "constraints/hinge_friction",
    "constraints/hinge_limit",
    "constraints/hinge_motor",
    "constraints/joystick",
    "constraints/joystick_limits",
    "constraints/lines",
    "constraints/nail",
    "constraints/on_plane",
    "constraints/on_plane_one_sided",
    "constraints/orientation_lock",
    "constraints/planar",
    "constraints/pulley",
    "constraints/rack_and_pinion",
    "constraints/reach_cone",
    "constraints/rope",
    "constraints/screw",
    "constraints/six_axes",
    "constraints/slider",
    "constraints/slider_limits",
    "constraints/slider_motor",
    "constraints/softness",
    "constraints/spring",
    "constraints/strut",
    "constraints/study_cross_hinge",
    "constraints/study_cross_matrix_hinge",
    "constraints/study_quaternion_lock",
    "constraints/swing_twist",
    "constraints/twist_limit",
    "constraints/universal",
    "constraints/wedge_limit",
    "constraints/weld",
    "constraints/weld_three_points",
    "constraints/wheel";
}

/// The scene with this name. The first part of a name means the first scene of that kind: `cradle` is `cradle-1`.
pub fn find(name: &str) -> Option<&'static Entry> {
    let of_kind = |entry: &&Entry| entry.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'));
    SCENES.iter().find(|entry| entry.name == name).or_else(|| SCENES.iter().find(of_kind))
}

/// The name of a scene nearest to one that was mistyped or lacks its folder: `hinge` is `constraints/hinge`.
pub fn nearest(name: &str) -> Option<&'static str> {
    let names: Vec<&'static str> = SCENES.iter().map(|entry| entry.name).collect();
    let last = |name: &'static str| name.rsplit('/').next().unwrap_or(name);
    let in_folder = |meant: &str| names.iter().copied().find(|&known| last(known) == meant);
    in_folder(name).or_else(|| crate::nearest::nearest(name, &names)).or_else(|| {
        let lasts: Vec<&'static str> = names.iter().copied().map(last).collect();
        in_folder(crate::nearest::nearest(name, &lasts)?)
    })
}

impl Entry {
    /// Reads the scene with a loader.
    pub fn load(&self, loader: &Loader) -> Result<Scene, Report> {
        loader.load_text_with(self.name, self.text, &GalleryFiles)
    }

    /// The files of the gallery that it refers to, by name, and those that these refer to.
    pub fn files(&self) -> Vec<(&'static str, &'static [u8])> {
        let mut found: Vec<(&'static str, &'static [u8])> = Vec::new();
        let mut texts: Vec<&[u8]> = vec![self.text.as_bytes()];
        while let Some(text) = texts.pop() {
            let text = String::from_utf8_lossy(text);
            for &(name, bytes) in FILES {
                if text.contains(&format!("\"{name}\"")) && !found.iter().any(|(known, _)| *known == name) {
                    found.push((name, bytes));
                    texts.extend(name.ends_with(".toml").then_some(bytes));
                }
            }
        }
        found
    }

    /// The title and description, without building the scene.
    pub fn summary(&self) -> (String, String) {
        let table: toml::Table = toml::from_str(self.text).unwrap_or_default();
        let text = |key: &str| table.get(key).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
        (text("title"), text("description"))
    }
}

/// The files that scenes of the gallery refer to.
#[derive(Clone, Copy, Debug)]
pub struct GalleryFiles;

macro_rules! files {
    ($($name:literal),+) => {
        &[$(($name, include_bytes!(concat!("../../../scenes/", $name)))),+]
    };
}

/// By name.
const FILES: &[(&str, &[u8])] = files![
    "figures/alfred.glb",
    "figures/alfred.toml",
    "figures/alfred-spheres.toml",
    "figures/spiral-stairs.obj",
    "figures/spiral-wall.obj",
    "figures/stairs.obj"
];

impl Files for GalleryFiles {
    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        let file = FILES.iter().find(|(known, _)| *known == name);
        file.map(|(_, bytes)| bytes.to_vec()).ok_or_else(|| format!("the gallery has no file \"{name}\""))
    }
}
