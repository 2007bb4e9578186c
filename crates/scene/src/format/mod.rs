//! The scene format: what may stand in a scene file, as Rust types.
//!
//! These types are the single source of the JSON Schema (`tumble schema`), of the checks with line and column, and of
//! the documentation of every key. Forces, joints and methods come from the [`Registry`](tumble_dynamics::registry) and
//! are spliced in by [`scene_schema`](crate::scene_schema).
//!
//! SI units throughout. Angles are in degrees and say so in their key (`angle_deg`); angular velocities are in rad/s.

mod body;
mod control;
mod follow;
mod lattice;
mod material;
mod pose;
mod repeat;
mod script;
mod shape;
mod skeleton;

pub use body::{BodyFile, BodyKindFile, ColliderFile, LockFile, MassFile};
pub use control::{ActFile, ControlFile, PointerFile, ProgramFile};
pub use follow::{CurveFile, CurveFramesFile, FollowFile};
pub use lattice::{LatticeFile, LinksFile};
pub use material::MaterialFile;
pub use pose::RotationFile;
pub use repeat::{Grid, Jitter, Line, PerCopy, RepeatFile, Ring, Spread, Stack};
pub use script::{KeyFrame, KeyFrames, ScriptFile, Swing, Turn};
pub use shape::{CompoundPart, HullFile, MeshFile, ShapeFile, ShapeRef, SpiralFile};

pub use skeleton::{BoneFile, BoneJointFile, ComfortFile, SkeletonFile, SkinFile, ToneFile, VisualFile};

use glam::DVec3;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use tumble_dynamics::EnergyWatch;
use tumble_dynamics::model::MixingRules;

/// A scene of tumble: what there is, how it moves, and how to look at it. SI units; y points up.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SceneFile {
    /// A short name for people. Default: the name of the file.
    #[serde(default)]
    pub title: String,
    /// Other files whose bodies, joints, forces, materials, shapes, templates, instances and controls are added, named relative to this
    /// one. Other keys of theirs hold where this file says nothing.
    #[serde(default)]
    pub include: Vec<String>,
    /// Plug-ins that it uses: files of WebAssembly (.wasm, or .wat as text), named relative to this one. What they add (forces, joints, shapes,
    /// methods) is used by name like what is built in.
    #[serde(default)]
    pub plugins: Vec<String>,
    /// What there is to see, in a sentence or two.
    #[serde(default)]
    pub description: String,
    /// How long to simulate, in seconds. Default 10.
    #[serde(default = "ten")]
    #[schemars(range(min = 0.0, max = 1e9), extend("unit" = "s"))]
    pub duration: f64,
    /// The time step in seconds. Default 1/240.
    #[serde(default = "usual_step")]
    #[schemars(range(min = 1e-9, max = 10.0), extend("unit" = "s"))]
    pub dt: f64,
    /// Where to look from. Default: chosen to see everything.
    pub camera: Option<CameraFile>,
    /// The acceleration of gravity. Default [0, -9.81, 0].
    #[schemars(with = "Option<[f64; 3]>", inner(range(min = -1e9, max = 1e9)), extend("unit" = "m/s²"))]
    pub gravity: Option<DVec3>,
    /// How time passes: the name of a method, or a method with its settings. Default "realtime".
    pub method: Option<Value>,
    /// What happens when energy comes out of nothing, as with steps that are too long. Default: who runs the scene decides;
    /// the command and the sandbox warn, the library is silent.
    pub energy_watch: Option<EnergyWatchFile>,
    /// How often a second contacts that go on are told as events; 0: never. Default 10 in the library; files of events
    /// (.jsonl) have them only if this is given.
    #[schemars(range(min = 0.0, max = 1e9), extend("unit" = "Hz"))]
    pub contact_rate: Option<f64>,
    /// Materials by name, beside the built-in steel, aluminium, wood, rubber, ice, glass, concrete and teflon.
    #[serde(default)]
    pub materials: BTreeMap<String, MaterialFile>,
    /// How the materials of two bodies that touch are combined.
    #[serde(default)]
    pub mixing: MixingRules,
    /// Shapes by name, to be used by several bodies.
    #[serde(default)]
    pub shapes: BTreeMap<String, ShapeFile>,
    /// Bodies by name.
    #[serde(default)]
    pub bodies: BTreeMap<String, BodyFile>,
    /// Joints by name.
    #[serde(default)]
    pub joints: BTreeMap<String, JointFile>,
    /// Forces by name, besides gravity.
    #[serde(default)]
    pub forces: BTreeMap<String, ForceFile>,
    /// Which bodies collide. Default: all.
    pub filter: Option<FilterFile>,
    /// Groups of bodies and joints by name, to be placed as instances.
    #[serde(default)]
    pub templates: BTreeMap<String, TemplateFile>,
    /// Figures: trees of bones by name, to be placed as instances.
    #[serde(default)]
    pub skeletons: BTreeMap<String, SkeletonFile>,
    /// Templates and skeletons put into the scene, by name.
    #[serde(default)]
    pub instances: BTreeMap<String, InstanceFile>,
    /// Ropes, cloths and jellies of particles and rods, by name.
    #[serde(default)]
    pub lattices: BTreeMap<String, LatticeFile>,
    /// Numbers that keys, pointers and fingers set in the sandbox, by name, and what they move.
    #[serde(default)]
    pub controls: BTreeMap<String, ControlFile>,
    /// A script that acts before every step.
    pub script: Option<ProgramFile>,
    /// What to record.
    #[serde(default)]
    pub recording: RecordingFile,
}

fn ten() -> f64 {
    10.0
}

fn usual_step() -> f64 {
    1.0 / 240.0
}

/// Where to look from.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CameraFile {
    /// Where the eye is.
    #[schemars(with = "[f64; 3]", inner(range(min = -1e12, max = 1e12)), extend("unit" = "m"))]
    pub from: DVec3,
    /// What it looks at.
    #[schemars(with = "[f64; 3]", inner(range(min = -1e12, max = 1e12)), extend("unit" = "m"))]
    pub to: DVec3,
    /// The vertical angle of view. Default 40.
    #[serde(default = "usual_view")]
    #[schemars(range(min = 1.0, max = 150.0), extend("unit" = "°"))]
    pub view_deg: f64,
}

fn usual_view() -> f64 {
    40.0
}

/// What happens when energy comes out of nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EnergyWatchFile {
    /// Nobody looks.
    Off,
    /// A warning says when, how much and where.
    Warn,
    /// The step is refused, which ends the run.
    Refuse,
}

impl From<EnergyWatchFile> for EnergyWatch {
    fn from(watch: EnergyWatchFile) -> Self {
        match watch {
            EnergyWatchFile::Off => Self::Off,
            EnergyWatchFile::Warn => Self::Warn,
            EnergyWatchFile::Refuse => Self::Refuse,
        }
    }
}

/// A joint between two bodies, or a body and the world, as they stand in the file. Besides these keys it has exactly one
/// that names its kind.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct JointFile {
    /// The names of the two bodies; "world" for the world. Inside a template names are those of the template;
    /// "previous/NAME" is the body in the copy before (the first copy goes without the joint), "/NAME" one outside.
    pub between: [String; 2],
    /// Whether the two bodies collide with each other. Default false.
    #[serde(default)]
    pub collide: bool,
    /// What breaks it. Default: nothing.
    #[serde(default)]
    pub breaks: BreakingFile,
    /// Motors and drives that follow curves, by the coordinate they act on: `follow.turn.speed = "2 * sin(t)"`. Default: they
    /// stay what they are.
    #[serde(default)]
    pub follow: BTreeMap<String, FollowFile>,
    /// The kind with its properties.
    #[serde(flatten)]
    pub part: BTreeMap<String, Value>,
}

/// What breaks a joint; what is not given does not.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BreakingFile {
    /// A reaction force greater than this.
    #[schemars(range(min = 0.0), extend("unit" = "N"))]
    pub force: Option<f64>,
    /// A reaction torque greater than this.
    #[schemars(range(min = 0.0), extend("unit" = "N m"))]
    pub torque: Option<f64>,
    /// An error (distance or angle) greater than this.
    #[schemars(range(min = 0.0), extend("unit" = "m or rad"))]
    pub error: Option<f64>,
}

/// A spring with a damper between two points of bodies, or of a body and the world.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpringFile {
    /// Where it is attached to the two bodies, in the coordinates of the scene (or template).
    #[schemars(with = "[[f64; 3]; 2]", extend("unit" = "m"))]
    pub points: [DVec3; 2],
    /// The stiffness.
    #[schemars(range(min = 0.0), extend("unit" = "N/m"))]
    pub stiffness: f64,
    /// The damping. Default 0.
    #[serde(default)]
    #[schemars(range(min = 0.0), extend("unit" = "N s/m"))]
    pub damping: f64,
    /// The length at which it is relaxed. Default: the distance of the two points.
    #[schemars(range(min = 0.0), extend("unit" = "m"))]
    pub rest_length: Option<f64>,
}

/// A force: exactly one key that names its kind, with its properties.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct ForceFile {
    /// The kind with its properties.
    #[serde(flatten)]
    pub part: BTreeMap<String, Value>,
}

/// Which pairs of bodies collide. Exceptions come before rules, the specific (a pair of bodies, a body) before the
/// general (a pair of groups, a group); where equals contradict, the pair does not collide.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FilterFile {
    /// What holds for pairs that no rule covers.
    pub default: VerdictFile,
    /// The rules; their order does not matter.
    pub rules: Vec<RuleFile>,
}

/// Whether a pair collides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VerdictFile {
    /// They collide (default).
    #[default]
    Collide,
    /// They pass through each other.
    Ignore,
}

/// A rule of the filter: either `ignore` or `collide`, and whom.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RuleFile {
    /// These pairs pass through each other.
    pub ignore: Option<ScopeFile>,
    /// These pairs collide.
    pub collide: Option<ScopeFile>,
    /// Whether this is an exception, stronger than every rule.
    pub exception: bool,
}

/// Whom a rule speaks of.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScopeFile {
    /// Every pair with this body.
    Body(String),
    /// These two bodies.
    Bodies([String; 2]),
    /// Every pair with a member of this group.
    Group(String),
    /// Pairs of a member of the one and a member of the other group; twice the same: within the group.
    Groups([String; 2]),
}

/// Bodies and joints that belong together, to be placed as often as one likes.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TemplateFile {
    /// Bodies by name.
    pub bodies: BTreeMap<String, BodyFile>,
    /// Joints by name.
    pub joints: BTreeMap<String, JointFile>,
    /// Other templates it is made of, by name.
    pub instances: BTreeMap<String, InstanceFile>,
}

/// A template put into the scene. Its bodies are called "INSTANCE/BODY", or "INSTANCE/NUMBER/BODY" if it is repeated, and
/// are members of a group named like the instance.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InstanceFile {
    /// The template, or skeleton.
    pub template: String,
    /// Where its origin is. Default: the origin.
    #[serde(default)]
    #[schemars(with = "[f64; 3]", inner(range(min = -1e12, max = 1e12)), extend("unit" = "m"))]
    pub position: DVec3,
    /// How it is turned.
    pub rotation: Option<RotationFile>,
    /// How fast it moves as a whole.
    #[serde(default)]
    #[schemars(with = "[f64; 3]", inner(range(min = -1e9, max = 1e9)), extend("unit" = "m/s"))]
    pub velocity: DVec3,
    /// How fast it turns as a whole about its origin.
    #[serde(default)]
    #[schemars(with = "[f64; 3]", inner(range(min = -1e9, max = 1e9)), extend("unit" = "rad/s"))]
    pub angular_velocity: DVec3,
    /// Changes of its bodies, by name: keys given here replace those of the template.
    #[serde(default)]
    pub change: BTreeMap<String, BodyFile>,
    /// Several copies.
    pub repeat: Option<RepeatFile>,
}

/// What to record.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RecordingFile {
    /// Frames per second of simulated time.
    #[schemars(range(min = 1e-6, max = 1e9), extend("unit" = "Hz"))]
    pub rate: f64,
    /// The bodies in tables: names of bodies or groups. Default: every body that moves.
    pub bodies: Vec<String>,
    /// What tables have besides time, energies, poses and velocities. Default: nothing.
    pub columns: Vec<ColumnFile>,
}

/// Columns of tables on request, in SI units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ColumnFile {
    /// `dt`: the length of the last step.
    Step,
    /// `NAME.kinetic`: the kinetic energy of each body.
    KineticEnergy,
    /// `NAME.ax` … and `NAME.angular_ax` …: the mean accelerations of each body since the row before.
    Acceleration,
    /// `NAME.contact_fx` … and `NAME.contact_tx` …: the force of all contacts on each body and their torque about its centre
    /// of mass, as means over the last step.
    ContactForce,
    /// `JOINT.COORDINATE` and `JOINT.COORDINATE_speed`: how far each joint has turned or slid, in radians or metres, and how
    /// fast.
    JointCoordinates,
    /// `JOINT.fx` … and `JOINT.tx` …: the force and torque, about its anchor, of each joint on its second body.
    Reactions,
    /// `JOINT.error`: by how much each joint is open, in metres or radians.
    JointErrors,
    /// `integration_step`, `step_error`, `total_error`, `integration_steps`, `events`, `stumbled`: of a method that controls its error, the
    /// length of the integration's next step, the estimated errors of its last step and of all so far, relative to the sizes and speeds
    /// of the scene; then, of the last step of the world, how many steps it took, how many events there were, and how much of the time was taken
    /// in small steps. Zero for other methods.
    Accuracy,
}

impl Default for RecordingFile {
    fn default() -> Self {
        Self { rate: 60.0, bodies: Vec::new(), columns: Vec::new() }
    }
}
