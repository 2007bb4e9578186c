//! Bounding sphere.

use super::{BoundingVolume, checked, smallest_sphere};
use crate::query::Span;
use crate::{Ray, Transform, Triangle};
use glam::DVec3;
use std::f64::consts::PI;

/// The points at most `radius` from `center`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BoundingSphere {
    /// The centre.
    pub center: DVec3,
    /// The radius in metres; may be infinite.
    pub radius: f64,
}

impl BoundingSphere {
    /// The sphere that contains everything.
    pub const EVERYTHING: Self = Self { center: DVec3::ZERO, radius: f64::INFINITY };

    /// The sphere with the given centre and radius in metres.
    pub const fn new(center: DVec3, radius: f64) -> Self {
        Self { center, radius }
    }

    /// A sphere around several spheres, at most 1 % larger than the smallest; `None` for none.
    ///
    /// The centre moves towards the farthest sphere by ever smaller steps (Bădoiu and Clarkson 2003).
    pub fn around_spheres(spheres: &[BoundingSphere]) -> Option<Self> {
        let reach = |center: DVec3, sphere: &BoundingSphere| center.distance(sphere.center) + sphere.radius;
        let farthest = |center: DVec3| {
            let first = spheres.first()?;
            let farther = |best, sphere| if reach(center, sphere) > reach(center, best) { sphere } else { best };
            Some(spheres.iter().fold(first, farther))
        };
        let mut center = spheres.first()?.center;
        let mut best = Self::new(center, reach(center, farthest(center)?));
        for step in 1..200 {
            let target = farthest(center)?;
            // Towards the far side of the farthest sphere.
            let beyond = (target.center - center).normalize_or_zero() * target.radius;
            center += (target.center + beyond - center) / f64::from(step + 1);
            let radius = reach(center, farthest(center)?);
            if radius < best.radius {
                best = Self::new(center, radius);
            }
        }
        Some(best)
    }
}

impl BoundingVolume for BoundingSphere {
    /// The smallest sphere around the points, to rounding.
    fn enclosing(points: &[DVec3]) -> Option<Self> {
        checked(points).map(smallest_sphere::smallest_sphere)
    }

    fn center(&self) -> DVec3 {
        self.center
    }

    fn volume(&self) -> f64 {
        4.0 / 3.0 * PI * self.radius * self.radius * self.radius
    }

    fn surface_area(&self) -> f64 {
        4.0 * PI * self.radius * self.radius
    }

    fn contains_point(&self, point: DVec3) -> bool {
        self.center.distance_squared(point) <= self.radius * self.radius
    }

    fn closest_point(&self, point: DVec3) -> DVec3 {
        let offset = point - self.center;
        let distance = offset.length();
        if distance <= self.radius { point } else { self.center + offset * (self.radius / distance) }
    }

    fn distance(&self, point: DVec3) -> f64 {
        (self.center.distance(point) - self.radius).max(0.0)
    }

    fn project(&self, axis: DVec3) -> (f64, f64) {
        let (middle, reach) = (axis.dot(self.center), axis.length() * self.radius);
        (middle - reach, middle + reach)
    }

    fn cast_ray(&self, ray: &Ray, max_distance: f64) -> Option<f64> {
        if self.contains_point(ray.origin) {
            return (max_distance >= 0.0).then_some(0.0);
        }
        let span = Span::ball(ray, self.center, self.radius)?;
        (span.enter >= 0.0 && span.enter <= max_distance).then_some(span.enter)
    }

    fn intersects_triangle(&self, triangle: &Triangle) -> bool {
        self.contains_point(triangle.closest_point(self.center).point)
    }

    fn transformed(&self, pose: &Transform) -> Self {
        Self::new(pose.point(self.center), self.radius)
    }

    /// The smallest sphere around both.
    fn merged(&self, other: &Self) -> Self {
        let offset = other.center - self.center;
        let distance = offset.length();
        if distance + other.radius <= self.radius {
            return *self;
        }
        if distance + self.radius <= other.radius {
            return *other;
        }
        let radius = 0.5 * (self.radius + distance + other.radius);
        Self::new(self.center + offset * ((radius - self.radius) / distance), radius)
    }
}
