//! Skeletons as a person writes them: a tree of bones, how they are joined, and the skin around them.

use super::{BodyFile, BreakingFile, FollowFile, RotationFile};
use glam::DVec3;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A tree of bones, to be placed as instances like a template: `instances.alfred.template = "person"`. Each bone is a body,
/// called "INSTANCE/BONE", each joint is called "INSTANCE/JOINT".
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SkeletonFile {
    /// The bones by name.
    pub bones: BTreeMap<String, BoneFile>,
    /// What is seen of it: a glTF mesh bound to bones of these names. Bones that the file has and the skeleton does not are added
    /// to it, with the convex hull of their part of the mesh as shape.
    pub skin: Option<SkinFile>,
    /// The mass of the whole. Default: the masses of the bones as they are.
    #[schemars(range(min = 1e-9, max = 1e12), extend("unit" = "kg"))]
    pub mass: Option<f64>,
    /// What all bones have in common as bodies; what a bone says itself holds instead.
    pub body: BodyFile,
    /// Muscle tone in all joints. Default: none.
    pub tone: Option<ToneFile>,
    /// Elastic limits in all joints that have limits. Default: none.
    pub comfort: Option<ComfortFile>,
}

/// A bone: a body whose origin is at the joint to its parent.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BoneFile {
    /// The bone it hangs on. Default: none, it is a root.
    pub parent: Option<String>,
    /// Where its joint is from that of the parent, along the parent's axes; for a root from the origin.
    #[schemars(with = "[f64; 3]", inner(range(min = -1e6, max = 1e6)), extend("unit" = "m"))]
    pub offset: DVec3,
    /// How it is turned from the parent at rest.
    pub rotation: Option<RotationFile>,
    /// Its shape, mass, material and so on. A position in it is from the joint.
    pub body: BodyFile,
    /// How it is joined to its parent, in its own axes at rest: the origin is the joint. Default: a ball joint.
    pub joint: Option<BoneJointFile>,
    /// Muscle tone in its joint. Default: that of the skeleton.
    pub tone: Option<ToneFile>,
    /// Elastic limits in its joint. Default: those of the skeleton.
    pub comfort: Option<ComfortFile>,
}

/// The joint of a bone. Besides these keys it has exactly one that names its kind.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct BoneJointFile {
    /// Its name. Default: that of the bone.
    pub name: Option<String>,
    /// Whether the bone and its parent collide. Default false.
    #[serde(default)]
    pub collide: bool,
    /// What breaks it. Default: nothing.
    #[serde(default)]
    pub breaks: BreakingFile,
    /// Motors and drives that follow curves, by the coordinate they act on.
    #[serde(default)]
    pub follow: BTreeMap<String, FollowFile>,
    /// The kind with its properties.
    #[serde(flatten)]
    pub part: BTreeMap<String, Value>,
}

/// Muscle tone: a spring with a damper in a joint that pulls the bone back to how it is at rest.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToneFile {
    /// The stiffness, near the pose at rest.
    #[schemars(range(min = 0.0, max = 1e9), extend("unit" = "N m/rad"))]
    pub stiffness: f64,
    /// The damping. Default 0.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1e9), extend("unit" = "N m s/rad"))]
    pub damping: f64,
}

/// Elastic limits: the last part of the way to the limit of a joint is against a spring, so that a pose becomes uncomfortable
/// gradually. Limits of a hinge and of a joint that swings and twists.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ComfortFile {
    /// From which part of the way to the limit on the spring acts. Default 0.7.
    #[serde(default = "most_of_the_way")]
    #[schemars(range(min = 0.01, max = 0.99), extend("unit" = "1"))]
    pub from: f64,
    /// The stiffness of the spring.
    #[schemars(range(min = 0.0, max = 1e9), extend("unit" = "N m/rad"))]
    pub stiffness: f64,
    /// Its damping. Default 0.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1e9), extend("unit" = "N m s/rad"))]
    pub damping: f64,
}

fn most_of_the_way() -> f64 {
    0.7
}

/// A mesh that is bent by bones: linear blend skinning.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SkinFile {
    /// A glTF file (.gltf, .glb) with a skin, named relative to the scene. The mesh is as in the file when the bones are at rest.
    pub file: String,
}

/// What is seen of a body, apart from what collides: a mesh from a file, or a shape.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VisualFile {
    /// A mesh file (.glb, .gltf, .obj, .stl), named relative to the scene. glTF has colours, of materials and of vertices.
    pub file: Option<String>,
    /// How many times as large as in the file. Default 1.
    #[schemars(range(min = 1e-9, max = 1e9), extend("unit" = "1"))]
    pub scale: Option<f64>,
    /// A shape instead of a file.
    pub shape: Option<super::ShapeRef>,
    /// Where it is in the body. Default: the origin of the body.
    #[schemars(with = "[f64; 3]", inner(range(min = -1e12, max = 1e12)), extend("unit" = "m"))]
    pub position: DVec3,
    /// How it is turned in the body.
    pub rotation: Option<RotationFile>,
    /// Its colour, as "#rrggbb". Default: those of the file, or that of the body.
    pub color: Option<String>,
}
