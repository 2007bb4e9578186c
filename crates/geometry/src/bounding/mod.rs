//! Simple volumes that enclose shapes: sphere, axis-aligned box, oriented box.

mod aabb;
mod obb;
mod sphere;

pub use aabb::Aabb;
pub use obb::Obb;
pub use sphere::BoundingSphere;
