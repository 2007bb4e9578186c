//! The shapes. Each is defined in its own frame; a pose places it. Long axes lie along y.
//!
//! A [`Shape`] is a small value: plain numbers for the simple ones, an `Arc` for those with data, so that a thousand
//! bodies share one mesh.

mod bounds;
mod capsule;
mod compound;
mod cone;
mod cuboid;
mod custom;
mod cylinder;
mod ellipsoid;
mod flats;
mod half_space;
mod height_field;
mod hull;
pub(crate) mod mesh;
mod patches;
mod queries;
mod sphere;
mod surface;
mod torus;

pub use capsule::Capsule;
pub use compound::Compound;
pub use cone::Cone;
pub use cuboid::Cuboid;
pub use custom::{Custom, SupportMap};
pub use cylinder::Cylinder;
pub use ellipsoid::Ellipsoid;
pub use half_space::HalfSpace;
pub use height_field::HeightField;
pub use hull::{Hull, HullEdge};
pub use mesh::{EdgeKind, FLAT_ANGLE, Mesh};
pub use sphere::Sphere;
pub use torus::Torus;
pub(crate) use torus::{Bow, BowFeature};

use crate::GeometryError;
use crate::Transform;
use glam::DVec3;
use std::sync::Arc;

/// A shape of any kind.
#[derive(Clone, Debug)]
pub enum Shape {
    /// A ball.
    Sphere(Sphere),
    /// A rectangular box.
    Cuboid(Cuboid),
    /// All points within a radius of a segment.
    Capsule(Capsule),
    /// A circular cylinder.
    Cylinder(Cylinder),
    /// A circular cone.
    Cone(Cone),
    /// An ellipsoid.
    Ellipsoid(Ellipsoid),
    /// A convex polyhedron.
    Hull(Arc<Hull>),
    /// A user-defined convex shape.
    Custom(Custom),
    /// Everything below a plane.
    HalfSpace(HalfSpace),
    /// A surface of triangles, open or closed.
    Mesh(Arc<Mesh>),
    /// A terrain given by heights on a regular grid.
    HeightField(Arc<HeightField>),
    /// A ring with a round tube.
    Torus(Arc<Torus>),
    /// Several shapes, rigidly placed.
    Compound(Arc<Compound>),
}

impl Shape {
    /// A ball around the origin. `radius` in metres.
    pub fn sphere(radius: f64) -> Result<Self, GeometryError> {
        Sphere::new(radius).map(Self::Sphere)
    }

    /// A box around the origin with edges along the axes, `half_extents` metres to either side.
    pub fn cuboid(half_extents: impl Into<DVec3>) -> Result<Self, GeometryError> {
        Cuboid::new(half_extents.into()).map(Self::Cuboid)
    }

    /// A capsule around the origin: the points within `radius` of the segment from `−half_height` to `half_height` on
    /// the y axis.
    pub fn capsule(half_height: f64, radius: f64) -> Result<Self, GeometryError> {
        Capsule::new(half_height, radius).map(Self::Capsule)
    }

    /// A cylinder around the origin, its axis along y from `−half_height` to `half_height`.
    pub fn cylinder(half_height: f64, radius: f64) -> Result<Self, GeometryError> {
        Cylinder::new(half_height, radius).map(Self::Cylinder)
    }

    /// A cone with its apex at `half_height` on the y axis and its base circle of `radius` at `−half_height`.
    pub fn cone(half_height: f64, radius: f64) -> Result<Self, GeometryError> {
        Cone::new(half_height, radius).map(Self::Cone)
    }

    /// An ellipsoid around the origin with these semi-axes along x, y and z, in metres.
    pub fn ellipsoid(radii: impl Into<DVec3>) -> Result<Self, GeometryError> {
        Ellipsoid::new(radii.into()).map(Self::Ellipsoid)
    }

    /// A torus around the y axis: the points within `tube` metres of the circle of this `radius`. In pairs with other shapes it
    /// consists of convex parts, see [`Torus::parts`].
    pub fn torus(radius: f64, tube: f64) -> Result<Self, GeometryError> {
        Torus::new(radius, tube).map(|torus| Self::Torus(Arc::new(torus)))
    }

    /// The smallest convex polyhedron around some points.
    pub fn hull(points: &[DVec3]) -> Result<Self, GeometryError> {
        Hull::new(points).map(|hull| Self::Hull(Arc::new(hull)))
    }

    /// A convex shape of your own.
    pub fn custom(map: impl SupportMap + 'static) -> Result<Self, GeometryError> {
        Custom::new(Arc::new(map)).map(Self::Custom)
    }

    /// Everything below the plane through the origin with the given normal (any length but zero).
    pub fn half_space(normal: impl Into<DVec3>) -> Result<Self, GeometryError> {
        HalfSpace::new(normal.into()).map(Self::HalfSpace)
    }

    /// A surface of triangles, counter-clockwise as seen from outside.
    pub fn mesh(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<Self, GeometryError> {
        Mesh::new(vertices, triangles).map(|mesh| Self::Mesh(Arc::new(mesh)))
    }

    /// A terrain: `rows` × `columns` heights in metres, row by row, on a grid around the origin with the given `spacing` along
    /// x and z. See [`HeightField::new`].
    pub fn height_field(
        rows: usize,
        columns: usize,
        heights: Vec<f64>,
        spacing: [f64; 2],
    ) -> Result<Self, GeometryError> {
        HeightField::new(rows, columns, heights, spacing).map(|field| Self::HeightField(Arc::new(field)))
    }

    /// Several shapes at their poses. Compounds inside are flattened.
    pub fn compound(parts: Vec<(Transform, Shape)>) -> Result<Self, GeometryError> {
        Compound::new(parts).map(|compound| Self::Compound(Arc::new(compound)))
    }

    /// The parts that a shape consists of in pairs with others: those of a compound or a torus. `None` for all others.
    pub fn as_compound(&self) -> Option<&Compound> {
        match self {
            Self::Compound(compound) => Some(compound),
            Self::Torus(torus) => Some(torus.parts()),
            _ => None,
        }
    }
}

/// A convex set as the general algorithms see it: a core with a support mapping, swollen by a radius.
///
/// The swollen set is the Minkowski sum of the core and a ball. A sphere is a point with a radius, a capsule a segment
/// with a radius; all others have radius zero. Distances between cores are exact for round shapes that way.
pub trait Convex {
    /// The point of the core farthest along `direction`, which is not zero but need not have unit length.
    fn support(&self, direction: DVec3) -> DVec3;

    /// The radius of the ball added to the core, in metres.
    fn radius(&self) -> f64 {
        0.0
    }

    /// A point inside the core.
    fn center(&self) -> DVec3 {
        DVec3::ZERO
    }
}
