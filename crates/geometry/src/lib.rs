//! Shapes, their mass properties, the queries between them, and broad phases that find which of many are near.
//!
//! Everything here is plain geometry in `f64` and SI units: no time, no forces, no files.
//!
//! **Every query happens in the frame of the first shape.** A pair query takes two shapes and the pose of the
//! second in the frame of the first (`b_in_a`, from [`Transform::to_local`]) and answers in that frame. Two bodies
//! that touch a thousand kilometres from the origin are then computed as precisely as at the origin.

pub mod approximate;
pub mod bounding;
pub mod broad_phase;
mod bvh;
mod error;
mod fuse;
pub mod mass;
pub mod math;
pub mod primitive;
pub mod query;
pub mod shape;
mod transform;

pub use bounding::{Aabb, BoundingSphere, BoundingVolume, Obb};
pub use error::{GeometryError, MAX_SIZE, MIN_SIZE};
pub use fuse::Fuse;
pub use glam;
pub use mass::MassProperties;
pub use primitive::{Plane, Ray, Segment, Tetrahedron, Triangle};
pub use shape::Shape;
pub use transform::Transform;
