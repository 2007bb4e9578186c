//! A triangle: area, normal, closest points, containment, projection. Rays are in `triangle_ray`, pairs in
//! `triangle_pair`.

use super::Segment;
use crate::shape::Convex;
use crate::{Aabb, Transform};
use glam::DVec3;

/// Three corners; counter-clockwise as seen from the side the normal points to.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Triangle {
    /// The corners.
    pub vertices: [DVec3; 3],
}

/// A part of a triangle. Edge `i` runs from corner `i` to corner `(i + 1) mod 3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum TriangleFeature {
    /// A corner.
    Vertex(u8),
    /// The inside of an edge.
    Edge(u8),
    /// The inside of the triangle.
    Face,
}

/// The point of a triangle closest to some other point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TrianglePoint {
    /// The point.
    pub point: DVec3,
    /// Its barycentric coordinates: weights of the corners, not negative, of sum one.
    pub barycentric: DVec3,
    /// What part of the triangle it lies on.
    pub feature: TriangleFeature,
}

/// A triangle is a needle if the square of its height over its longest edge is below this. Its closest points are then
/// sought on the edges alone, which are nowhere farther than half a height.
const NEEDLE: f64 = 1e-22;

impl Triangle {
    /// The triangle with corners `a`, `b`, `c`.
    pub const fn new(a: DVec3, b: DVec3, c: DVec3) -> Self {
        Self { vertices: [a, b, c] }
    }

    /// The cross product of two edges: along the normal, twice the area long.
    pub fn scaled_normal(&self) -> DVec3 {
        let [a, b, c] = self.vertices;
        (b - a).cross(c - a)
    }

    /// The unit normal, right-handed; `None` for a triangle without area.
    pub fn normal(&self) -> Option<DVec3> {
        self.scaled_normal().try_normalize()
    }

    /// The area in m².
    pub fn area(&self) -> f64 {
        0.5 * self.scaled_normal().length()
    }

    /// The centre of area: the mean of the corners.
    pub fn centroid(&self) -> DVec3 {
        let [a, b, c] = self.vertices;
        (a + b + c) / 3.0
    }

    /// Edge `index` (0, 1 or 2; others wrap around), from corner `index` to the next.
    pub fn edge(&self, index: usize) -> Segment {
        Segment::new(self.vertices[index % 3], self.vertices[(index + 1) % 3])
    }

    /// The three edges.
    pub fn edges(&self) -> [Segment; 3] {
        [self.edge(0), self.edge(1), self.edge(2)]
    }

    /// The vectors along the three edges.
    pub fn edge_offsets(&self) -> [DVec3; 3] {
        self.edges().map(|edge| edge.offset())
    }

    /// The same triangle seen from the other side.
    pub fn flipped(&self) -> Self {
        let [a, b, c] = self.vertices;
        Self::new(a, c, b)
    }

    /// The triangle in the outer coordinates of `pose`.
    pub fn transformed(&self, pose: &Transform) -> Self {
        Self { vertices: self.vertices.map(|vertex| pose.point(vertex)) }
    }

    /// The smallest axis-aligned box around the triangle.
    pub fn aabb(&self) -> Aabb {
        let [a, b, c] = self.vertices;
        Aabb::new(a.min(b).min(c), a.max(b).max(c))
    }

    /// The corner farthest along `direction`.
    pub fn support(&self, direction: DVec3) -> DVec3 {
        super::farthest_along(&self.vertices, direction)
    }

    /// The least and the greatest value of `axis · x` on the triangle.
    pub fn project(&self, axis: DVec3) -> (f64, f64) {
        super::projection(&self.vertices, axis)
    }

    /// The point with the given barycentric coordinates.
    pub fn at(&self, barycentric: DVec3) -> DVec3 {
        let [a, b, c] = self.vertices;
        a * barycentric.x + b * barycentric.y + c * barycentric.z
    }

    /// The barycentric coordinates of the foot of `point` on the triangle's plane, of sum one, negative outside.
    /// `None` for a triangle without area.
    pub fn barycentric(&self, point: DVec3) -> Option<DVec3> {
        let normal = self.scaled_normal();
        let weights = self.edge_weights(point, normal);
        let sum = weights.element_sum();
        (sum > 0.0).then(|| weights / sum)
    }

    /// For each corner the area (times twice the area of the triangle) of the foot of `point` with the edge opposite.
    fn edge_weights(&self, point: DVec3, normal: DVec3) -> DVec3 {
        let [a, b, c] = self.vertices.map(|vertex| vertex - point);
        DVec3::new(b.cross(c).dot(normal), c.cross(a).dot(normal), a.cross(b).dot(normal))
    }

    /// The point of the triangle closest to `point`.
    ///
    /// If the foot of the point on the plane lies inside, that is it. Otherwise it lies on an edge that has the foot on
    /// its outer side; a triangle without area is its three edges.
    pub fn closest_point(&self, point: DVec3) -> TrianglePoint {
        let normal = self.scaled_normal();
        let normal_squared = normal.length_squared();
        let weights = self.edge_weights(point, normal);
        let sum = weights.element_sum();
        // The normal of a needle is known too badly to tell on which side of an edge a point lies.
        let [a, b, c] = [0, 1, 2].map(|index| self.edge(index).offset().length_squared());
        let longest = a.max(b).max(c);
        let has_sides = normal_squared > NEEDLE * longest * longest;
        if weights.min_element() > 0.0 && has_sides {
            let height = (point - self.vertices[0]).dot(normal) / normal_squared;
            return TrianglePoint {
                point: point - normal * height,
                barycentric: weights / sum,
                feature: TriangleFeature::Face,
            };
        }
        let mut best: Option<(f64, usize, f64)> = None;
        for index in 0..3 {
            // Corner i + 2 lies opposite edge i. NaN counts as outside, so that there is always a candidate.
            let inner_side = weights[(index + 2) % 3] > 0.0;
            if inner_side && has_sides {
                continue;
            }
            let edge = self.edge(index);
            let parameter = edge.closest_parameter(point);
            let distance_squared = edge.at(parameter).distance_squared(point);
            if best.is_none_or(|(least, ..)| distance_squared < least) {
                best = Some((distance_squared, index, parameter));
            }
        }
        let (_, index, parameter) = best.unwrap_or((0.0, 0, 0.0));
        self.on_edge(index, parameter)
    }

    /// The point at `parameter` of edge `index`.
    fn on_edge(&self, index: usize, parameter: f64) -> TrianglePoint {
        let next = (index + 1) % 3;
        let mut barycentric = DVec3::ZERO;
        barycentric[index] = 1.0 - parameter;
        barycentric[next] = parameter;
        let (point, feature) = if parameter <= 0.0 {
            (self.vertices[index], TriangleFeature::Vertex(index as u8))
        } else if parameter >= 1.0 {
            (self.vertices[next], TriangleFeature::Vertex(next as u8))
        } else {
            (self.edge(index).at(parameter), TriangleFeature::Edge(index as u8))
        };
        TrianglePoint { point, barycentric, feature }
    }

    /// The distance of `point` from the triangle in metres.
    pub fn distance(&self, point: DVec3) -> f64 {
        self.closest_point(point).point.distance(point)
    }

    /// Whether `point` lies within `tolerance` metres of the triangle.
    pub fn contains_point(&self, point: DVec3, tolerance: f64) -> bool {
        self.distance(point) <= tolerance
    }
}

impl Convex for Triangle {
    fn support(&self, direction: DVec3) -> DVec3 {
        let [a, b, c] = self.vertices;
        let reach = self.vertices.map(|v| v.dot(direction));
        if reach[0] >= reach[1] && reach[0] >= reach[2] {
            a
        } else if reach[1] >= reach[2] {
            b
        } else {
            c
        }
    }

    fn center(&self) -> DVec3 {
        let [a, b, c] = self.vertices;
        (a + b + c) / 3.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tip_of_a_needle_is_found() {
        let tip = DVec3::splat(-2.0000008593701324e-12);
        let needle = Triangle::new(DVec3::new(-1.0, 3.0, -1.0), tip, DVec3::new(5.999999108663445e-12, tip.y, tip.z));
        for point in [tip, DVec3::splat(-2e-12), DVec3::new(0.0, 0.0, 1e-3), DVec3::new(0.1, -0.2, 0.3)] {
            let exact = [0, 1, 2].map(|i| needle.edge(i).distance(point)).into_iter().fold(f64::INFINITY, f64::min);
            assert!((needle.distance(point) - exact).abs() < 1e-11, "{point}");
        }
    }
}
