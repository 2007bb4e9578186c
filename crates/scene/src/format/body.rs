//! Bodies as a person writes them.

use super::{RepeatFile, RotationFile, ScriptFile, ShapeRef, VisualFile};
use glam::DVec3;
use schemars::JsonSchema;
use serde::Deserialize;

/// A body. If it is repeated, its copies are called "NAME/NUMBER" and are members of a group named like the body.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BodyFile {
    /// What moves it. Default "dynamic", or the script if there is one.
    pub kind: BodyKindFile,
    /// Where its origin is. Default: the origin.
    #[schemars(with = "[f64; 3]", inner(range(min = -1e12, max = 1e12)), extend("unit" = "m"))]
    pub position: DVec3,
    /// How it is turned.
    pub rotation: Option<RotationFile>,
    /// The velocity of its centre of mass.
    #[schemars(with = "[f64; 3]", inner(range(min = -1e9, max = 1e9)), extend("unit" = "m/s"))]
    pub velocity: DVec3,
    /// The angular velocity.
    #[schemars(with = "[f64; 3]", inner(range(min = -1e9, max = 1e9)), extend("unit" = "rad/s"))]
    pub angular_velocity: DVec3,
    /// Its shape, if it has one.
    pub shape: Option<ShapeRef>,
    /// Its shapes, if it has several, or if they have poses or materials of their own.
    pub colliders: Vec<ColliderFile>,
    /// Its material: a built-in one or one under `[materials]`.
    pub material: Option<String>,
    /// Its mass. Default: from shapes and densities.
    #[schemars(range(min = 1e-12, max = 1e40), extend("unit" = "kg"))]
    pub mass: Option<f64>,
    /// Mass, centre of mass and inertia, whatever the shapes say.
    pub mass_properties: Option<MassFile>,
    /// How fast its velocity decays by itself.
    #[schemars(range(min = 0.0), extend("unit" = "1/s"))]
    pub linear_damping: f64,
    /// How fast its angular velocity decays by itself.
    #[schemars(range(min = 0.0), extend("unit" = "1/s"))]
    pub angular_damping: f64,
    /// Factor on gravity. Default 1.
    pub gravity_scale: Option<f64>,
    /// Whether it may fall asleep when it hardly moves. Default true.
    pub sleep: Option<bool>,
    /// The collision groups it belongs to.
    pub groups: Vec<String>,
    /// The numbers of the collision layers its shapes are in, 0 to 31. Default: layer 0.
    #[schemars(inner(range(min = 0, max = 31)))]
    pub layers: Option<Vec<u32>>,
    /// The numbers of the layers its shapes meet, 0 to 31. Two shapes meet if each meets a layer of the other. Default: all.
    #[schemars(inner(range(min = 0, max = 31)))]
    pub meets: Option<Vec<u32>>,
    /// Directions of the world in which it does not move, and axes about which it does not turn.
    pub locked: Vec<LockFile>,
    /// A number for programs that read the scene. Default 0.
    pub user_data: u64,
    /// Moves it along a given path; others bounce off it, it is not moved by them.
    pub script: Option<ScriptFile>,
    /// Its colour in pictures, as "#rrggbb".
    pub color: Option<String>,
    /// What is seen of it in place of its shapes, which then only collide. Empty: nothing is seen.
    pub visual: Option<Vec<VisualFile>>,
    /// Several copies.
    pub repeat: Option<RepeatFile>,
}

/// What moves a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BodyKindFile {
    /// Forces, joints and contacts (default).
    #[default]
    Dynamic,
    /// Nothing: scenery.
    Fixed,
    /// Forces, joints and contacts, but it never turns: a point mass.
    Particle,
}

/// A direction in which a body does not move, or an axis about which it does not turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LockFile {
    /// It does not move along x.
    X,
    /// It does not move along y.
    Y,
    /// It does not move along z.
    Z,
    /// It does not turn about x.
    TurnX,
    /// It does not turn about y.
    TurnY,
    /// It does not turn about z.
    TurnZ,
}

/// A shape fixed to a body.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ColliderFile {
    /// Its shape.
    pub shape: ShapeRef,
    /// Where it is in the body. Default: the origin of the body.
    #[serde(default)]
    #[schemars(with = "[f64; 3]", inner(range(min = -1e12, max = 1e12)), extend("unit" = "m"))]
    pub position: DVec3,
    /// How it is turned in the body.
    pub rotation: Option<RotationFile>,
    /// Its material. Default: the body's.
    pub material: Option<String>,
    /// Its density. Default: the material's.
    #[schemars(range(min = 1e-9, max = 1e20), extend("unit" = "kg/m³"))]
    pub density: Option<f64>,
    /// Whether it only reports what overlaps it. Default false.
    #[serde(default)]
    pub sensor: bool,
    /// The numbers of the collision layers it is in, 0 to 31. Default: those of the body.
    #[schemars(inner(range(min = 0, max = 31)))]
    pub layers: Option<Vec<u32>>,
    /// The numbers of the layers it meets, 0 to 31. Default: those of the body.
    #[schemars(inner(range(min = 0, max = 31)))]
    pub meets: Option<Vec<u32>>,
    /// A number for programs that read the scene. Default 0.
    #[serde(default)]
    pub user_data: u64,
}

/// Mass, centre of mass and inertia.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MassFile {
    /// The mass.
    #[schemars(range(min = 1e-12, max = 1e40), extend("unit" = "kg"))]
    pub mass: f64,
    /// The centre of mass in the body. Default: its origin.
    #[serde(default)]
    #[schemars(with = "[f64; 3]", inner(range(min = -1e12, max = 1e12)), extend("unit" = "m"))]
    pub center: DVec3,
    /// The moments of inertia about the body's axes through the centre of mass: Ixx, Iyy, Izz.
    #[schemars(with = "[f64; 3]", inner(range(min = -1e60, max = 1e60)), extend("unit" = "kg m²"))]
    pub inertia: DVec3,
    /// The products of inertia Ixy, Ixz, Iyz as they stand in the matrix of inertia: Ixy = −Σ m x y. Default: zero.
    #[serde(default)]
    #[schemars(with = "[f64; 3]", inner(range(min = -1e60, max = 1e60)), extend("unit" = "kg m²"))]
    pub products: DVec3,
}
