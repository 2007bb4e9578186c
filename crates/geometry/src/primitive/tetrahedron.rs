//! A tetrahedron.

use super::{Ray, Triangle};
use crate::{Aabb, Transform};
use glam::{DMat3, DVec3};

/// Four corners; the solid between them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Tetrahedron {
    /// The corners.
    pub vertices: [DVec3; 4],
}

/// The point of a tetrahedron closest to some other point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TetrahedronPoint {
    /// The point.
    pub point: DVec3,
    /// The face it lies on (face `i` is opposite corner `i`); `None` if the other point was inside.
    pub face: Option<u8>,
}

/// The corners of the face opposite each corner, counter-clockwise from outside if the volume is positive.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

impl Tetrahedron {
    /// The tetrahedron with the given corners.
    pub const fn new(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> Self {
        Self { vertices: [a, b, c, d] }
    }

    /// The edges from the first corner to the others as columns.
    fn edges(&self) -> DMat3 {
        let [a, b, c, d] = self.vertices;
        DMat3::from_cols(b - a, c - a, d - a)
    }

    /// The volume in m³, positive if corners 1, 2, 3 are counter-clockwise as seen from outside, i.e. with
    /// `(b − a) · (c − a) × (d − a) > 0`.
    pub fn signed_volume(&self) -> f64 {
        self.edges().determinant() / 6.0
    }

    /// The volume in m³.
    pub fn volume(&self) -> f64 {
        self.signed_volume().abs()
    }

    /// The centre of volume: the mean of the corners.
    pub fn centroid(&self) -> DVec3 {
        let [a, b, c, d] = self.vertices;
        0.25 * (a + b + c + d)
    }

    /// The face opposite corner `index` (0 to 3; others wrap around), counter-clockwise from outside whatever the order
    /// of the corners.
    pub fn face(&self, index: usize) -> Triangle {
        let [a, b, c] = FACES[index % 4].map(|i| self.vertices[i]);
        if self.signed_volume() < 0.0 { Triangle::new(a, c, b) } else { Triangle::new(a, b, c) }
    }

    /// The tetrahedron in the outer coordinates of `pose`.
    pub fn transformed(&self, pose: &Transform) -> Self {
        Self { vertices: self.vertices.map(|vertex| pose.point(vertex)) }
    }

    /// The smallest axis-aligned box around the tetrahedron.
    pub fn aabb(&self) -> Aabb {
        Aabb::from_points(self.vertices)
    }

    /// The corner farthest along `direction`.
    pub fn support(&self, direction: DVec3) -> DVec3 {
        super::farthest_along(&self.vertices, direction)
    }

    /// The least and the greatest value of `axis · x` on the tetrahedron.
    pub fn project(&self, axis: DVec3) -> (f64, f64) {
        super::projection(&self.vertices, axis)
    }

    /// The weights of the corners, of sum one, that give `point`; all are in [0, 1] inside. `None` for a tetrahedron
    /// without volume.
    pub fn barycentric(&self, point: DVec3) -> Option<[f64; 4]> {
        let edges = self.edges();
        let determinant = edges.determinant();
        let [p, u, v, w] = [point - self.vertices[0], edges.x_axis, edges.y_axis, edges.z_axis];
        let weights = DVec3::new(p.dot(v.cross(w)), u.dot(p.cross(w)), u.dot(v.cross(p))) / determinant;
        weights.is_finite().then(|| [1.0 - weights.element_sum(), weights.x, weights.y, weights.z])
    }

    /// Whether `point` lies inside or on the surface. A tetrahedron without volume contains nothing.
    pub fn contains_point(&self, point: DVec3) -> bool {
        self.barycentric(point).is_some_and(|weights| weights.iter().all(|&weight| weight >= 0.0))
    }

    /// The point of the solid closest to `point`, which is `point` itself if it lies inside.
    pub fn closest_point(&self, point: DVec3) -> TetrahedronPoint {
        if self.contains_point(point) {
            return TetrahedronPoint { point, face: None };
        }
        let on_face = |index: usize| (index, self.face(index).closest_point(point).point);
        let closer = |best: (usize, DVec3), other: (usize, DVec3)| {
            if other.1.distance_squared(point) < best.1.distance_squared(point) { other } else { best }
        };
        let (face, closest) = (1..4).map(on_face).fold(on_face(0), closer);
        TetrahedronPoint { point: closest, face: Some(face as u8) }
    }

    /// The distance of `point` from the solid in metres; zero inside.
    pub fn distance(&self, point: DVec3) -> f64 {
        self.closest_point(point).point.distance(point)
    }

    /// The distance along the ray at which it enters the solid, within `max_distance`; zero if it starts inside.
    pub fn cast_ray(&self, ray: &Ray, max_distance: f64) -> Option<f64> {
        if self.contains_point(ray.origin) {
            return (max_distance >= 0.0).then_some(0.0);
        }
        let hit = |index: usize| self.face(index).cast_ray(ray, max_distance, super::Culling::None);
        (0..4).filter_map(hit).map(|hit| hit.distance).reduce(f64::min)
    }
}
