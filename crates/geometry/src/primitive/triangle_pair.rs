//! Two triangles: whether they meet, decided by exact predicates, and their closest points.
//!
//! Two triangles meet if and only if an edge of one meets the other. Whether an edge meets a triangle is a matter of
//! signs of determinants (`orient3d`, `orient2d`), which are computed exactly: no tolerance, touching counts, and the
//! answer is the same in whatever order the triangles come.

use super::{Segment, Triangle};
use glam::{DVec2, DVec3};
use robust::{Coord, Coord3D};

/// The sign of the volume of the tetrahedron a, b, c, d: positive if d lies below the plane of a, b, c.
fn orientation(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    let [a, b, c, d] = [a, b, c, d].map(|p| Coord3D { x: p.x, y: p.y, z: p.z });
    robust::orient3d(a, b, c, d)
}

/// The sign of the area of the triangle a, b, c in the plane.
fn orientation_in_plane(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    let [a, b, c] = [a, b, c].map(|p| Coord { x: p.x, y: p.y });
    robust::orient2d(a, b, c)
}

/// Whether some are negative and some positive.
fn mixed_signs(values: [f64; 3]) -> bool {
    values.iter().any(|&v| v < 0.0) && values.iter().any(|&v| v > 0.0)
}

/// Whether both are positive or both negative.
fn same_side(a: f64, b: f64) -> bool {
    (a > 0.0 && b > 0.0) || (a < 0.0 && b < 0.0)
}

impl Triangle {
    /// Whether the triangles share a point; touching counts. Exact, except that triangles without area are compared as
    /// segments with a tolerance of rounding.
    pub fn intersects(&self, other: &Triangle) -> bool {
        if !self.aabb().overlaps(&other.aabb()) {
            return false;
        }
        let (Some(axis_a), Some(axis_b)) = (self.projection_axis(), other.projection_axis()) else {
            let scale = self.vertices.iter().chain(&other.vertices).fold(0.0, |m: f64, v| m.max(v.abs().max_element()));
            return self.closest_to_triangle(other).length() <= 8.0 * f64::EPSILON * scale;
        };
        let heights_b = other.vertices.map(|v| orientation(self.vertices[0], self.vertices[1], self.vertices[2], v));
        if heights_b.iter().all(|&h| h > 0.0) || heights_b.iter().all(|&h| h < 0.0) {
            return false;
        }
        let heights_a = self.vertices.map(|v| orientation(other.vertices[0], other.vertices[1], other.vertices[2], v));
        (0..3).any(|i| other.meets_edge(&self.edge(i), heights_a[i], heights_a[(i + 1) % 3], axis_b))
            || (0..3).any(|i| self.meets_edge(&other.edge(i), heights_b[i], heights_b[(i + 1) % 3], axis_a))
    }

    /// Whether the edge, whose ends have the given (signs of) heights over this triangle's plane, meets it.
    fn meets_edge(&self, edge: &Segment, height_a: f64, height_b: f64, axis: usize) -> bool {
        if same_side(height_a, height_b) {
            return false;
        }
        if height_a == 0.0 && height_b == 0.0 {
            return self.meets_coplanar(edge, axis);
        }
        // The line through the edge passes all three edges of the triangle on the same side.
        let sides = [0, 1, 2].map(|i| {
            let side = self.edge(i);
            orientation(edge.a, edge.b, side.a, side.b)
        });
        !mixed_signs(sides)
    }

    /// Whether an edge in the triangle's plane meets it: it crosses a side, or starts inside.
    fn meets_coplanar(&self, edge: &Segment, axis: usize) -> bool {
        let flat = |p: DVec3| DVec2::new(p[(axis + 1) % 3], p[(axis + 2) % 3]);
        let [p, q] = [flat(edge.a), flat(edge.b)];
        let corners = self.vertices.map(flat);
        let inside = !mixed_signs([0, 1, 2].map(|i| orientation_in_plane(corners[i], corners[(i + 1) % 3], p)));
        inside || (0..3).any(|i| segments_meet(p, q, corners[i], corners[(i + 1) % 3]))
    }

    /// A coordinate along which the triangle can be projected without becoming a line; `None` if it has no area.
    fn projection_axis(&self) -> Option<usize> {
        let area = |axis: usize| {
            let [a, b, c] = self.vertices.map(|p| DVec2::new(p[(axis + 1) % 3], p[(axis + 2) % 3]));
            orientation_in_plane(a, b, c).abs()
        };
        let areas = [0, 1, 2].map(area);
        let best = (0..3).fold(0, |best, axis| if areas[axis] > areas[best] { axis } else { best });
        (areas[best] > 0.0).then_some(best)
    }

    /// The closest points of two triangles: first a point of this one, then one of `other`. Where they meet, both are
    /// the same point to rounding.
    pub fn closest_to_triangle(&self, other: &Triangle) -> Segment {
        let mut best = Segment::new(self.vertices[0], other.vertices[0]);
        let mut offer = |a: DVec3, b: DVec3| {
            if a.distance_squared(b) < best.length_squared() {
                best = Segment::new(a, b);
            }
        };
        for edge_a in self.edges() {
            for edge_b in other.edges() {
                let pair = edge_a.closest_to_segment(&edge_b);
                offer(pair.point_a, pair.point_b);
            }
            if let Some(point) = other.crossing(&edge_a) {
                offer(point, point);
            }
        }
        for &vertex in &self.vertices {
            offer(vertex, other.closest_point(vertex).point);
        }
        for &vertex in &other.vertices {
            offer(self.closest_point(vertex).point, vertex);
        }
        for edge_b in other.edges() {
            if let Some(point) = self.crossing(&edge_b) {
                offer(point, point);
            }
        }
        best
    }

    /// Where the segment crosses the triangle from one side of its plane to the other.
    fn crossing(&self, segment: &Segment) -> Option<DVec3> {
        let [a, b, c] = self.vertices;
        let (start, end) = (orientation(a, b, c, segment.a), orientation(a, b, c, segment.b));
        let opposite = same_side(start, -end);
        (opposite && self.meets_edge(segment, start, end, 0)).then(|| segment.at(start / (start - end)))
    }
}

/// Whether two segments in the plane share a point.
fn segments_meet(a: DVec2, b: DVec2, c: DVec2, d: DVec2) -> bool {
    let (c_side, d_side) = (orientation_in_plane(a, b, c), orientation_in_plane(a, b, d));
    let (a_side, b_side) = (orientation_in_plane(c, d, a), orientation_in_plane(c, d, b));
    if same_side(c_side, d_side) || same_side(a_side, b_side) {
        return false;
    }
    // On one line, or crossing: then it is enough that their boxes overlap.
    a.min(b).cmple(c.max(d)).all() && c.min(d).cmple(a.max(b)).all()
}
