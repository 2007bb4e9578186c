//! Elementary figures that queries are made of: segment, ray, plane, triangle, tetrahedron.

mod plane;
mod ray;
mod segment;
mod tetrahedron;
mod triangle;

pub use plane::Plane;
pub use ray::Ray;
pub use segment::Segment;
pub use tetrahedron::Tetrahedron;
pub use triangle::Triangle;
