//! An infinite plane.

use crate::bounding::BoundingVolume;
use crate::math;
use crate::{Aabb, BoundingSphere, Obb, Ray, Segment, Transform};
use glam::DVec3;

/// The points x with `normal · x = offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Plane {
    /// The unit normal.
    pub normal: DVec3,
    /// The distance of the plane from the origin along the normal.
    pub offset: f64,
}

/// On which side of a plane something lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Side {
    /// All of it on the side the normal points to.
    Above,
    /// All of it on the other side.
    Below,
    /// The plane meets it; touching counts.
    Across,
}

impl Plane {
    /// The plane through `point` with the given normal (any length but zero). `None` if it is zero or not finite.
    pub fn from_point_normal(point: DVec3, normal: DVec3) -> Option<Self> {
        let normal = math::direction(normal)?;
        point.is_finite().then(|| Self { normal, offset: normal.dot(point) })
    }

    /// The plane through three points, seen counter-clockwise from above. `None` if they lie on a line or are not
    /// finite.
    pub fn through(a: DVec3, b: DVec3, c: DVec3) -> Option<Self> {
        Self::from_point_normal(a, (b - a).cross(c - a))
    }

    /// How far `point` lies above the plane (negative: below).
    pub fn signed_distance(&self, point: DVec3) -> f64 {
        self.normal.dot(point) - self.offset
    }

    /// The point of the plane closest to `point`.
    pub fn project(&self, point: DVec3) -> DVec3 {
        point - self.normal * self.signed_distance(point)
    }

    /// The same plane with above and below exchanged.
    pub fn flipped(&self) -> Self {
        Self { normal: -self.normal, offset: -self.offset }
    }

    /// The plane in the outer coordinates of `pose`.
    pub fn transformed(&self, pose: &Transform) -> Self {
        let normal = pose.vector(self.normal);
        Self { normal, offset: self.offset + normal.dot(pose.translation) }
    }

    /// The distance along the ray at which it crosses the plane, from either side. `None` if it runs away from the
    /// plane or parallel to it.
    pub fn cast_ray(&self, ray: &Ray) -> Option<f64> {
        let height = self.signed_distance(ray.origin);
        let distance = -height / self.normal.dot(ray.direction);
        if height == 0.0 { Some(0.0) } else { (distance >= 0.0 && distance.is_finite()).then_some(distance) }
    }

    /// The parameter in [0, 1] at which the segment crosses the plane; `None` if it does not. 0 for a segment that lies
    /// in the plane.
    pub fn intersect_segment(&self, segment: &Segment) -> Option<f64> {
        let (a, b) = (self.signed_distance(segment.a), self.signed_distance(segment.b));
        match (a == 0.0, b == 0.0) {
            (true, _) => Some(0.0),
            (false, true) => Some(1.0),
            (false, false) => ((a < 0.0 && b > 0.0) || (a > 0.0 && b < 0.0)).then(|| a / (a - b)),
        }
    }

    /// On which side a sphere lies.
    pub fn side_of_sphere(&self, sphere: &BoundingSphere) -> Side {
        self.side(self.signed_distance(sphere.center), sphere.radius)
    }

    /// On which side a box lies. Its coordinates may be infinite.
    pub fn side_of_aabb(&self, aabb: &Aabb) -> Side {
        let (low, high) = aabb.project(self.normal);
        if low > self.offset {
            Side::Above
        } else if high < self.offset {
            Side::Below
        } else {
            Side::Across
        }
    }

    /// On which side an oriented box lies.
    pub fn side_of_obb(&self, obb: &Obb) -> Side {
        let normal = obb.pose.inverse_vector(self.normal);
        self.side(self.signed_distance(obb.pose.translation), normal.abs().dot(obb.half_extents))
    }

    /// On which side something lies whose centre has the given height and that reaches up and down by `reach`.
    fn side(&self, height: f64, reach: f64) -> Side {
        if height > reach {
            Side::Above
        } else if height < -reach {
            Side::Below
        } else {
            Side::Across
        }
    }
}
