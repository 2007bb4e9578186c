//! Axis-aligned bounding box.

use super::{BoundingVolume, checked, pairs};
use crate::{Obb, Ray, Transform, Triangle};
use glam::DVec3;

/// The points between `min` and `max`, coordinate by coordinate. Coordinates may be infinite (a half-space's box is).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Aabb {
    /// The corner with the smallest coordinates.
    pub min: DVec3,
    /// The corner with the largest coordinates.
    pub max: DVec3,
}

impl Aabb {
    /// The box that contains nothing; merging with it changes nothing.
    pub const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };
    /// The box that contains everything.
    pub const EVERYTHING: Self = Self { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };

    /// The box between two corners.
    pub const fn new(min: DVec3, max: DVec3) -> Self {
        Self { min, max }
    }

    /// The box around `center` that extends by `half_extents` to either side.
    pub fn from_center(center: DVec3, half_extents: DVec3) -> Self {
        Self::new(center - half_extents, center + half_extents)
    }

    /// The smallest box around some points; [`Aabb::EMPTY`] for none.
    pub fn from_points(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |aabb, p| Self::new(aabb.min.min(p), aabb.max.max(p)))
    }

    /// The midpoint.
    pub fn center(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }

    /// Half the edge lengths.
    pub fn half_extents(&self) -> DVec3 {
        0.5 * (self.max - self.min)
    }

    /// The edge lengths.
    pub fn extents(&self) -> DVec3 {
        self.max - self.min
    }

    /// Corner `index`, 0 to 7: bit 0, 1, 2 choose `max` instead of `min` for x, y, z.
    pub fn corner(&self, index: usize) -> DVec3 {
        DVec3::select(glam::BVec3::new(index & 1 != 0, index & 2 != 0, index & 4 != 0), self.max, self.min)
    }

    /// The volume in m³; zero for [`Aabb::EMPTY`].
    pub fn volume(&self) -> f64 {
        let e = self.extents().max(DVec3::ZERO);
        e.x * e.y * e.z
    }

    /// The area of the six faces in m²; zero for [`Aabb::EMPTY`].
    pub fn surface_area(&self) -> f64 {
        let e = self.extents().max(DVec3::ZERO);
        2.0 * (e.x * e.y + e.y * e.z + e.z * e.x)
    }

    /// The smallest box around both.
    pub fn merged(&self, other: &Aabb) -> Self {
        Self::new(self.min.min(other.min), self.max.max(other.max))
    }

    /// The box grown by `margin` on every side.
    pub fn expanded(&self, margin: f64) -> Self {
        Self::new(self.min - DVec3::splat(margin), self.max + DVec3::splat(margin))
    }

    /// Whether the two share a point; touching counts.
    pub fn overlaps(&self, other: &Aabb) -> bool {
        self.min.cmple(other.max).all() && self.max.cmpge(other.min).all()
    }

    /// Whether `point` lies inside or on the surface.
    pub fn contains_point(&self, point: DVec3) -> bool {
        self.min.cmple(point).all() && self.max.cmpge(point).all()
    }

    /// Whether all of `other` lies inside.
    pub fn contains(&self, other: &Aabb) -> bool {
        self.min.cmple(other.min).all() && self.max.cmpge(other.max).all()
    }

    /// The distance along the ray at which it enters the box, within `max_distance`; zero if it starts inside. Touching
    /// counts.
    ///
    /// The slab method. A ray parallel to a slab divides by zero: the quotients are then infinite (the ray is always
    /// or never between the faces), or NaN if it runs exactly in a face, which the minimum and maximum ignore: a face
    /// belongs to the box.
    pub fn cast_ray(&self, ray: &Ray, max_distance: f64) -> Option<f64> {
        let inverse = ray.direction.recip();
        let (mut enter, mut leave) = (0.0_f64, max_distance);
        for i in 0..3 {
            let near = (self.min[i] - ray.origin[i]) * inverse[i];
            let far = (self.max[i] - ray.origin[i]) * inverse[i];
            let (near, far) = if inverse[i] < 0.0 { (far, near) } else { (near, far) };
            // NaN in the first place gives the second.
            enter = near.max(enter);
            leave = far.min(leave);
        }
        (enter <= leave).then_some(enter)
    }
}

impl From<Aabb> for Obb {
    /// The same box. It must be finite: an oriented box cannot be infinite.
    fn from(aabb: Aabb) -> Self {
        Self::new(Transform::from_translation(aabb.center()), aabb.half_extents())
    }
}

impl BoundingVolume for Aabb {
    /// The smallest box around the points.
    fn enclosing(points: &[DVec3]) -> Option<Self> {
        checked(points).map(|points| Self::from_points(points.iter().copied()))
    }

    fn center(&self) -> DVec3 {
        Aabb::center(self)
    }

    fn volume(&self) -> f64 {
        Aabb::volume(self)
    }

    fn surface_area(&self) -> f64 {
        Aabb::surface_area(self)
    }

    fn contains_point(&self, point: DVec3) -> bool {
        Aabb::contains_point(self, point)
    }

    fn closest_point(&self, point: DVec3) -> DVec3 {
        point.max(self.min).min(self.max)
    }

    fn project(&self, axis: DVec3) -> (f64, f64) {
        let (mut low, mut high) = (0.0, 0.0);
        for i in 0..3 {
            // A component of zero silences an infinite coordinate.
            if axis[i] != 0.0 {
                let (a, b) = (axis[i] * self.min[i], axis[i] * self.max[i]);
                low += a.min(b);
                high += a.max(b);
            }
        }
        (low, high)
    }

    fn cast_ray(&self, ray: &Ray, max_distance: f64) -> Option<f64> {
        Aabb::cast_ray(self, ray, max_distance)
    }

    fn intersects_triangle(&self, triangle: &Triangle) -> bool {
        // Clip infinite sides to just beyond the triangle; what lies farther out cannot matter.
        let reach = triangle.aabb().expanded(1.0);
        let clipped = Self::new(self.min.max(reach.min), self.max.min(reach.max));
        if clipped.min.cmpgt(clipped.max).any() {
            return false;
        }
        let center = clipped.center();
        let local = Triangle { vertices: triangle.vertices.map(|vertex| vertex - center) };
        pairs::box_meets_triangle(clipped.half_extents(), &local)
    }

    fn transformed(&self, pose: &Transform) -> Self {
        // Row by row, each coordinate of the turned box is a projection of this one; infinite sides stay infinite.
        let rows = pose.matrix3().transpose();
        let [x, y, z] = [rows.x_axis, rows.y_axis, rows.z_axis].map(|row| self.project(row));
        Self::new(DVec3::new(x.0, y.0, z.0) + pose.translation, DVec3::new(x.1, y.1, z.1) + pose.translation)
    }

    /// The smallest box around both.
    fn merged(&self, other: &Self) -> Self {
        Aabb::merged(self, other)
    }
}
