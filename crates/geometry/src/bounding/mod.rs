//! Simple volumes that enclose shapes: sphere, axis-aligned box, oriented box.
//!
//! All three answer the same questions ([`BoundingVolume`]), alone and in every combination. They are given in outer
//! coordinates, closed (touching counts), and may be infinite where that makes sense (spheres and axis-aligned boxes).

mod aabb;
mod fit_box;
mod obb;
mod pairs;
mod smallest_sphere;
mod sphere;

pub use aabb::Aabb;
pub use obb::Obb;
pub use sphere::BoundingSphere;

use crate::{Ray, Transform, Triangle};
use glam::DVec3;

/// What every bounding volume can do.
pub trait BoundingVolume: Copy + Into<Volume> {
    /// A volume of this kind around some points (see each kind for how tight). `None` if there are none or one is not
    /// finite.
    fn enclosing(points: &[DVec3]) -> Option<Self>;

    /// The middle.
    fn center(&self) -> DVec3;

    /// The volume in m³.
    fn volume(&self) -> f64;

    /// The area of the surface in m².
    fn surface_area(&self) -> f64;

    /// Whether `point` lies inside or on the surface.
    fn contains_point(&self, point: DVec3) -> bool;

    /// The point of the volume closest to `point`: `point` itself if it lies inside.
    fn closest_point(&self, point: DVec3) -> DVec3;

    /// The distance of `point` from the volume in metres; zero inside.
    fn distance(&self, point: DVec3) -> f64 {
        self.closest_point(point).distance(point)
    }

    /// The least and the greatest value of `axis · x` in the volume.
    fn project(&self, axis: DVec3) -> (f64, f64);

    /// The distance along the ray at which it enters the volume, within `max_distance`; zero if it starts inside.
    fn cast_ray(&self, ray: &Ray, max_distance: f64) -> Option<f64>;

    /// Whether the volume and the triangle share a point.
    fn intersects_triangle(&self, triangle: &Triangle) -> bool;

    /// A volume of this kind around this one in the outer coordinates of `pose`. Exact for spheres and oriented boxes;
    /// the smallest box around the turned one for axis-aligned boxes.
    fn transformed(&self, pose: &Transform) -> Self;

    /// A volume of this kind around both.
    fn merged(&self, other: &Self) -> Self;

    /// Whether the two share a point.
    fn intersects(&self, other: &impl BoundingVolume) -> bool {
        pairs::intersects((*self).into(), (*other).into())
    }

    /// While this volume moves by `motion` (relative to the other, without turning): the fraction of the way, 0 to 1,
    /// at which they first touch; 0 if they do from the start, `None` if they do not on the whole way.
    fn sweep(&self, motion: DVec3, other: &impl BoundingVolume) -> Option<f64> {
        pairs::sweep((*self).into(), motion, (*other).into())
    }
}

/// A bounding volume of any kind.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Volume {
    /// A sphere.
    Sphere(BoundingSphere),
    /// An axis-aligned box.
    Aabb(Aabb),
    /// An oriented box.
    Obb(Obb),
}

impl From<BoundingSphere> for Volume {
    fn from(sphere: BoundingSphere) -> Self {
        Self::Sphere(sphere)
    }
}

impl From<Aabb> for Volume {
    fn from(aabb: Aabb) -> Self {
        Self::Aabb(aabb)
    }
}

impl From<Obb> for Volume {
    fn from(obb: Obb) -> Self {
        Self::Obb(obb)
    }
}

/// `points` as an option: `None` if there are none or one is not finite.
fn checked(points: &[DVec3]) -> Option<&[DVec3]> {
    (!points.is_empty() && points.iter().all(|point| point.is_finite())).then_some(points)
}
