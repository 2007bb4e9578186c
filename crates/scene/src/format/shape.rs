//! Shapes as a person writes them: whole sizes, as one measures them with callipers.

use super::RotationFile;
use glam::DVec3;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A shape: the name of one under `[shapes]`, or the shape itself.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ShapeRef {
    /// The name of a shape.
    Named(String),
    /// The shape itself.
    Given(Box<ShapeFile>),
}

/// A shape around the origin of its body; long axes lie along y.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ShapeFile {
    /// A ball.
    Sphere {
        /// Its radius.
        #[schemars(range(min = 1e-9, max = 1e9), extend("unit" = "m"))]
        radius: f64,
    },
    /// A rectangular box.
    Box {
        /// The whole lengths of its edges along x, y and z.
        #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
        size: DVec3,
    },
    /// A cylinder with half balls on its ends.
    Capsule {
        /// Its radius.
        #[schemars(range(min = 1e-9, max = 1e9), extend("unit" = "m"))]
        radius: f64,
        /// Its whole height, with the round ends: more than twice the radius.
        #[schemars(range(min = 1e-9, max = 1e9), extend("unit" = "m"))]
        height: f64,
    },
    /// A circular cylinder.
    Cylinder {
        /// Its radius.
        #[schemars(range(min = 1e-9, max = 1e9), extend("unit" = "m"))]
        radius: f64,
        /// Its height.
        #[schemars(range(min = 1e-9, max = 1e9), extend("unit" = "m"))]
        height: f64,
    },
    /// A circular cone, its apex up; the origin is half-way up.
    Cone {
        /// The radius of its base.
        #[schemars(range(min = 1e-9, max = 1e9), extend("unit" = "m"))]
        radius: f64,
        /// Its height.
        #[schemars(range(min = 1e-9, max = 1e9), extend("unit" = "m"))]
        height: f64,
    },
    /// An ellipsoid: a ball stretched along x, y and z.
    Ellipsoid {
        /// Its three semi-axes: half its lengths along x, y and z.
        #[schemars(with = "[f64; 3]", extend("unit" = "m"))]
        radii: DVec3,
    },
    /// A ring with a round tube, around the y axis. Mass, rays and its outside are exact; in its hole it touches others as a polygon
    /// of 24 rounded sides.
    Torus {
        /// The distance from the axis to the middle of the tube.
        #[schemars(range(min = 1e-9, max = 1e9), extend("unit" = "m"))]
        radius: f64,
        /// The radius of the tube, not larger than the other.
        #[schemars(range(min = 1e-9, max = 1e9), extend("unit" = "m"))]
        tube: f64,
    },
    /// The smallest convex polyhedron around points, or around the vertices of a mesh file.
    Hull(HullFile),
    /// Everything below a plane through the origin: an endless floor.
    HalfSpace {
        /// The normal of the plane, of any length but zero. Default [0, 1, 0].
        #[serde(default = "up")]
        #[schemars(with = "[f64; 3]")]
        normal: DVec3,
    },
    /// A surface of triangles from a file, or given here.
    Mesh(MeshFile),
    /// A terrain: heights on a regular grid around the origin.
    HeightField {
        /// Rows of heights: rows follow z, columns follow x.
        #[schemars(extend("unit" = "m"))]
        heights: Vec<Vec<f64>>,
        /// The distance of columns (along x) and of rows (along z).
        #[schemars(extend("unit" = "m"))]
        spacing: [f64; 2],
    },
    /// Several shapes, rigidly placed.
    Compound {
        /// The shapes and where they are.
        parts: Vec<CompoundPart>,
    },
    /// A convex shape of the registry, by its name, with its properties.
    #[serde(untagged)]
    #[schemars(skip)]
    Part(BTreeMap<String, Value>),
}

fn up() -> DVec3 {
    DVec3::Y
}

/// The points of a hull.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HullFile {
    /// The points.
    #[schemars(with = "Option<Vec<[f64; 3]>>", extend("unit" = "m"))]
    pub points: Option<Vec<DVec3>>,
    /// A mesh file (OBJ, STL, glTF) whose vertices are taken, relative to the scene file.
    pub file: Option<String>,
    /// Factor on the coordinates of the file. Default 1.
    #[schemars(range(min = 1e-9, max = 1e9))]
    pub scale: Option<f64>,
}

/// A surface of triangles.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MeshFile {
    /// A mesh file (OBJ, STL, glTF), relative to the scene file.
    pub file: Option<String>,
    /// Factor on the coordinates of the file. Default 1.
    #[schemars(range(min = 1e-9, max = 1e9))]
    pub scale: Option<f64>,
    /// The vertices, instead of a file.
    #[schemars(with = "Option<Vec<[f64; 3]>>", extend("unit" = "m"))]
    pub vertices: Option<Vec<DVec3>>,
    /// The triangles: three vertices each, counted from 0, counter-clockwise as seen from outside.
    pub triangles: Option<Vec<[u32; 3]>>,
    /// A gutter along a spiral, instead of a file.
    pub spiral: Option<SpiralFile>,
}

/// A gutter that winds about the y axis, made from a few numbers.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SpiralFile {
    /// How often it goes round. Default 2.
    #[schemars(range(min = -1000.0, max = 1000.0))]
    pub turns: f64,
    /// How far its middle is from the axis, at its start and at its end. Default [1.2, 3].
    #[schemars(extend("unit" = "m"))]
    pub radius: [f64; 2],
    /// How high its lowest line is, at its start and at its end. Default [3.5, 0.3].
    #[schemars(extend("unit" = "m"))]
    pub height: [f64; 2],
    /// The radius of the gutter. Default 0.45.
    #[schemars(range(min = 1e-6, max = 1e6), extend("unit" = "m"))]
    pub gutter: f64,
    /// The angle the gutter is bent through: 180 makes half a pipe. Default 135.
    #[schemars(range(min = 1.0, max = 360.0), extend("unit" = "°"))]
    pub bend_deg: f64,
    /// How many strips of triangles there are along the gutter and across it. Default [1499, 12].
    pub strips: [u32; 2],
}

impl Default for SpiralFile {
    fn default() -> Self {
        Self { turns: 2.0, radius: [1.2, 3.0], height: [3.5, 0.3], gutter: 0.45, bend_deg: 135.0, strips: [1499, 12] }
    }
}

/// A member of a compound.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompoundPart {
    /// Its shape.
    pub shape: ShapeRef,
    /// Where it is. Default: the origin.
    #[serde(default)]
    #[schemars(with = "[f64; 3]", inner(range(min = -1e12, max = 1e12)), extend("unit" = "m"))]
    pub position: DVec3,
    /// How it is turned.
    pub rotation: Option<RotationFile>,
}
