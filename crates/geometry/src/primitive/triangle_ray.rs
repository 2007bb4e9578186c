//! Ray against triangle without leaks: a ray that crosses a closed mesh at an edge or a corner hits at least one of the
//! triangles there.
//!
//! The method of Woop, Benthin and Wald (2013): shear the world so that the ray runs along +z from the origin. Then each
//! edge of the triangle is tested in the plane by the sign of `x₁ y₂ − y₁ x₂`. The neighbour across the edge computes
//! the same two products of the same numbers and subtracts them the other way round, so the signs never contradict.

use super::{Ray, Triangle};
use glam::DVec3;

/// Which sides of a triangle a ray can hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Culling {
    /// Both sides. The default.
    #[default]
    None,
    /// The front only, the side the normal points to.
    BackFaces,
    /// The back only.
    FrontFaces,
}

/// Where a ray meets a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TriangleHit {
    /// The distance along the ray in metres.
    pub distance: f64,
    /// The barycentric coordinates of the point.
    pub barycentric: DVec3,
    /// Whether the ray comes from the side the normal points to.
    pub front: bool,
}

/// A ray prepared for many triangles: the shear that turns it into the +z axis.
#[derive(Clone, Copy, Debug)]
pub struct RayFrame {
    origin: DVec3,
    /// The coordinates that become x, y and z; z is the direction's largest.
    axes: [usize; 3],
    /// What is subtracted from x and y, and what scales z, per unit of z.
    shear: DVec3,
}

impl RayFrame {
    /// Prepares a ray.
    pub fn new(ray: &Ray) -> Self {
        let size = ray.direction.abs();
        let z = if size.x > size.y && size.x > size.z {
            0
        } else if size.y > size.z {
            1
        } else {
            2
        };
        // Exchanging x and y where the direction is negative keeps the handedness.
        let (mut x, mut y) = ((z + 1) % 3, (z + 2) % 3);
        if ray.direction[z] < 0.0 {
            (x, y) = (y, x);
        }
        let inverse = 1.0 / ray.direction[z];
        let shear = DVec3::new(ray.direction[x] * inverse, ray.direction[y] * inverse, inverse);
        Self { origin: ray.origin, axes: [x, y, z], shear }
    }

    /// A point in sheared coordinates.
    fn shear(&self, point: DVec3) -> DVec3 {
        let p = point - self.origin;
        let z = p[self.axes[2]];
        DVec3::new(p[self.axes[0]] - self.shear.x * z, p[self.axes[1]] - self.shear.y * z, self.shear.z * z)
    }
}

impl Triangle {
    /// Where the ray meets the triangle within `max_distance`; edges and corners belong to it. A ray in the plane of
    /// the triangle misses.
    pub fn cast_ray(&self, ray: &Ray, max_distance: f64, culling: Culling) -> Option<TriangleHit> {
        self.cast_ray_frame(&RayFrame::new(ray), max_distance, culling)
    }

    /// [`Triangle::cast_ray`] with a prepared ray.
    pub fn cast_ray_frame(&self, frame: &RayFrame, max_distance: f64, culling: Culling) -> Option<TriangleHit> {
        let [a, b, c] = self.vertices.map(|vertex| frame.shear(vertex));
        // Twice the areas of the origin with each edge; their signs say on which side of it the ray passes.
        let u = b.x * c.y - b.y * c.x;
        let v = c.x * a.y - c.y * a.x;
        let w = a.x * b.y - a.y * b.x;
        let front_allowed = culling != Culling::FrontFaces;
        let back_allowed = culling != Culling::BackFaces;
        // The ray runs along +z; it sees a triangle that is clockwise in this view from the front.
        let front = u <= 0.0 && v <= 0.0 && w <= 0.0;
        let back = u >= 0.0 && v >= 0.0 && w >= 0.0;
        if !((front && front_allowed) || (back && back_allowed)) {
            return None;
        }
        let determinant = u + v + w;
        if determinant == 0.0 {
            return None;
        }
        let barycentric = DVec3::new(u, v, w) / determinant;
        let distance = barycentric.x * a.z + barycentric.y * b.z + barycentric.z * c.z;
        (distance >= 0.0 && distance <= max_distance).then_some(TriangleHit { distance, barycentric, front })
    }
}
