//! Questions to a single shape: rays, closest points, containment. All in the frame of the shape.
//!
//! For a shape placed at `pose`, take the ray or point into its frame ([`Ray::to_local`], [`Transform::inverse_point`])
//! and the answer back ([`RayHit::transformed`], [`PointProjection::transformed`]):
//!
//! ```
//! use tumble_geometry::{Ray, Shape, Transform, glam::dvec3};
//!
//! let ball = Shape::sphere(1.0)?;
//! let pose = Transform::from_translation(dvec3(5.0, 0.0, 0.0));
//! let ray = Ray::new(dvec3(0.0, 0.0, 0.0), dvec3(1.0, 0.0, 0.0)).expect("finite and not zero");
//! let hit = ball.cast_ray(&ray.to_local(&pose), 100.0).expect("the ball lies ahead").transformed(&pose);
//! assert_eq!((ray.at(hit.distance), hit.normal), (dvec3(4.0, 0.0, 0.0), dvec3(-1.0, 0.0, 0.0)));
//! # Ok::<(), tumble_geometry::GeometryError>(())
//! ```

use super::Shape;
use crate::Ray;
use crate::query::{PointProjection, RayHit, Span, point, point_ellipsoid, ray, support_ray, torus_ray};
use glam::DVec3;

/// Coordinates beyond this (in metres) are not computed with: their squares overflow or say nothing.
const MAX_COORDINATE: f64 = 1e60;

fn is_usable(point: DVec3) -> bool {
    point.abs().max_element() <= MAX_COORDINATE && point.is_finite()
}

impl Shape {
    /// Where the ray first meets the shape, at most `max_distance` metres along it.
    ///
    /// Solids (all but meshes that are not solid) are hit at distance zero by a ray that starts inside or on the surface and goes in.
    /// Surfaces are hit from both sides. `None` too if the ray or the distance is not a number.
    pub fn cast_ray(&self, local_ray: &Ray, max_distance: f64) -> Option<RayHit> {
        let unit = (local_ray.direction.length_squared() - 1.0).abs() < 1e-6;
        if !is_usable(local_ray.origin) || !unit || max_distance.is_nan() {
            return None;
        }
        let span = match self {
            Self::Sphere(sphere) => Span::ball(local_ray, DVec3::ZERO, sphere.radius()),
            Self::Cuboid(cuboid) => Span::cuboid(local_ray, -cuboid.half_extents(), cuboid.half_extents()),
            Self::Capsule(capsule) => ray::capsule(local_ray, capsule),
            Self::Cylinder(cylinder) => ray::cylinder(local_ray, cylinder),
            Self::Cone(cone) => ray::cone(local_ray, cone),
            Self::Ellipsoid(ellipsoid) => ray::ellipsoid(local_ray, ellipsoid),
            Self::Hull(hull) => ray::hull(local_ray, hull),
            Self::HalfSpace(half_space) => Span::half_space(local_ray, half_space.normal(), 0.0),
            Self::Custom(custom) => return support_ray::cast_ray(local_ray, custom, max_distance),
            Self::Mesh(mesh) => return mesh.cast_ray(local_ray, max_distance),
            Self::HeightField(field) => return field.cast_ray(local_ray, max_distance),
            Self::Torus(torus) => return torus_ray::cast_ray(local_ray, torus, max_distance),
            Self::Compound(compound) => return ray::compound(local_ray, compound, max_distance),
        };
        ray::hit(local_ray, span, max_distance)
    }

    /// The point of the shape's surface closest to `point`, with the signed distance: negative inside a solid, whose
    /// nearest surface point is found from inside too. Other meshes have no inside. `None` if `point` is not finite.
    ///
    /// A compound answers with its part of least signed distance. Where parts overlap, the surface of the union may be
    /// farther from a point inside than that.
    pub fn closest_point(&self, local_point: DVec3) -> Option<PointProjection> {
        if !is_usable(local_point) {
            return None;
        }
        Some(match self {
            Self::Sphere(sphere) => point::sphere(local_point, sphere),
            Self::Cuboid(cuboid) => point::cuboid(local_point, cuboid),
            Self::Capsule(capsule) => point::capsule(local_point, capsule),
            Self::Cylinder(cylinder) => point::cylinder(local_point, cylinder),
            Self::Cone(cone) => point::cone(local_point, cone),
            Self::Ellipsoid(ellipsoid) => point_ellipsoid::ellipsoid(local_point, ellipsoid),
            Self::Torus(torus) => point::torus(local_point, torus),
            Self::Hull(hull) => point::hull(local_point, hull),
            Self::HalfSpace(half_space) => point::half_space(local_point, half_space),
            Self::Custom(custom) => return point::custom(local_point, custom),
            Self::Mesh(mesh) => return mesh.closest_point(local_point),
            Self::HeightField(field) => return field.closest_point(local_point),
            Self::Compound(compound) => return point::compound(local_point, compound),
        })
    }

    /// Whether `point` lies inside the solid or on its surface. Meshes that are not solid contain nothing.
    pub fn contains_point(&self, local_point: DVec3) -> bool {
        match self {
            _ if !is_usable(local_point) => false,
            Self::Mesh(mesh) => mesh.contains_point(local_point),
            Self::HeightField(field) => field.contains_point(local_point),
            _ => self.closest_point(local_point).is_some_and(|closest| closest.distance <= 0.0),
        }
    }
}
