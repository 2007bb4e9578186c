//! Oriented bounding box.

use super::{Aabb, BoundingVolume, checked, fit_box, pairs};
use crate::{Ray, Transform, Triangle};
use glam::DVec3;

/// A box of any orientation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Obb {
    /// The pose of its centre and axes.
    pub pose: Transform,
    /// Half the edge lengths along its axes.
    pub half_extents: DVec3,
}

impl Obb {
    /// The box with the given pose and half edge lengths in metres.
    pub const fn new(pose: Transform, half_extents: DVec3) -> Self {
        Self { pose, half_extents }
    }

    /// The box in its own frame.
    pub fn local(&self) -> Aabb {
        Aabb::new(-self.half_extents, self.half_extents)
    }

    /// The smallest axis-aligned box around it.
    pub fn aabb(&self) -> Aabb {
        Aabb::from_center(self.pose.translation, self.pose.matrix3().abs() * self.half_extents)
    }

    /// Corner `index`, 0 to 7: bit 0, 1, 2 choose between the two sides along x, y, z.
    pub fn corner(&self, index: usize) -> DVec3 {
        self.pose.point(self.local().corner(index))
    }
}

impl BoundingVolume for Obb {
    /// A tight box: the smallest if one of its sides lies on a face of the points' convex hull, in practice within a few
    /// percent of it otherwise. Meant to be found once per shape, not per step.
    fn enclosing(points: &[DVec3]) -> Option<Self> {
        checked(points).map(fit_box::tight_box)
    }

    fn center(&self) -> DVec3 {
        self.pose.translation
    }

    fn volume(&self) -> f64 {
        self.local().volume()
    }

    fn surface_area(&self) -> f64 {
        self.local().surface_area()
    }

    fn contains_point(&self, point: DVec3) -> bool {
        self.pose.inverse_point(point).abs().cmple(self.half_extents).all()
    }

    fn closest_point(&self, point: DVec3) -> DVec3 {
        let local = self.pose.inverse_point(point);
        let closest = self.local().closest_point(local);
        if closest == local { point } else { self.pose.point(closest) }
    }

    fn project(&self, axis: DVec3) -> (f64, f64) {
        let middle = axis.dot(self.pose.translation);
        let reach = self.pose.inverse_vector(axis).abs().dot(self.half_extents);
        (middle - reach, middle + reach)
    }

    fn cast_ray(&self, ray: &Ray, max_distance: f64) -> Option<f64> {
        self.local().cast_ray(&ray.to_local(&self.pose), max_distance)
    }

    fn intersects_triangle(&self, triangle: &Triangle) -> bool {
        let local = Triangle { vertices: triangle.vertices.map(|vertex| self.pose.inverse_point(vertex)) };
        pairs::box_meets_triangle(self.half_extents, &local)
    }

    fn transformed(&self, pose: &Transform) -> Self {
        Self::new(*pose * self.pose, self.half_extents)
    }

    /// A tight box around the corners of both.
    fn merged(&self, other: &Self) -> Self {
        let corners: Vec<DVec3> = (0..16).map(|i| if i < 8 { self.corner(i) } else { other.corner(i - 8) }).collect();
        Self::enclosing(&corners).unwrap_or(*self)
    }
}
