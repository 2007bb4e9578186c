//! The point of a simplex (point, segment, triangle, tetrahedron) closest to the origin, robustly.
//!
//! Instead of solving for barycentric coordinates and trusting their signs, each simplex falls back on its faces that
//! the origin can see, and the best candidate wins. Every candidate is a true convex combination of the vertices, so the
//! answer is an upper bound of the distance whatever the rounding did; flat tetrahedra and needle triangles, whose
//! orientation is noise, are left to their faces.
//!
//! The direction from the closest point to the origin comes from the geometry of the face (the normal of a triangle, the
//! perpendicular of a segment) and not from the coordinates of the closest point: it keeps its digits when the origin
//! lies 1e-12 from the face, where the point itself is only rounding noise.

use super::difference::Vertex;
use glam::DVec3;

/// The rounding error of a coordinate of the difference, relative to the numbers it is made of.
const NOISE: f64 = 4.0 * f64::EPSILON;

/// A simplex of at most four vertices, the latest first, with the weights of its point closest to the origin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Simplex {
    vertices: [Vertex; 4],
    weights: [f64; 4],
    len: usize,
}

/// Where the origin lies.
#[derive(Clone, Copy, Debug)]
pub(super) enum Closest {
    /// Outside, or on a face: `distance` from the simplex; `normal` is the unit vector from the simplex to the origin,
    /// `None` if the distance is zero and the face has no normal of its own.
    Outside { distance: f64, normal: Option<DVec3> },
    /// Within the tetrahedron.
    Inside,
}

impl Simplex {
    pub(super) fn new(vertex: Vertex) -> Self {
        Self { vertices: [vertex; 4], weights: [1.0, 0.0, 0.0, 0.0], len: 1 }
    }

    pub(super) fn vertices(&self) -> &[Vertex] {
        &self.vertices[..self.len]
    }

    /// Adds a vertex; the simplex must have been reduced to a triangle or less.
    pub(super) fn push(&mut self, vertex: Vertex) {
        debug_assert!(self.len < 4);
        self.vertices.copy_within(0..self.len.min(3), 1);
        self.vertices[0] = vertex;
        self.len = (self.len + 1).min(4);
    }

    pub(super) fn contains(&self, point: DVec3) -> bool {
        self.vertices().iter().any(|v| v.point == point)
    }

    /// The closest points of the two cores that belong to the closest point of the simplex.
    pub(super) fn witnesses(&self) -> (DVec3, DVec3) {
        let (mut a, mut b) = (DVec3::ZERO, DVec3::ZERO);
        for (vertex, &weight) in self.vertices().iter().zip(&self.weights) {
            a += vertex.a * weight;
            b += vertex.b * weight;
        }
        (a, b)
    }

    /// The longest edge; zero for a single vertex.
    pub(super) fn longest_edge(&self) -> DVec3 {
        let mut longest = DVec3::ZERO;
        for (i, one) in self.vertices().iter().enumerate() {
            for other in &self.vertices()[..i] {
                let edge = one.point - other.point;
                if edge.length_squared() > longest.length_squared() {
                    longest = edge;
                }
            }
        }
        longest
    }

    /// How far the vertices are spread across the unit vector `axis`.
    pub(super) fn height_over(&self, axis: DVec3) -> f64 {
        let first = self.vertices[0].point;
        self.vertices().iter().fold(0.0, |height: f64, v| height.max((v.point - first).cross(axis).length()))
    }

    /// Drops the vertices that do not carry the point closest to the origin and finds that point. `magnitude` is the
    /// size of the numbers behind the vertices; `known` is the distance before the latest vertex came in.
    pub(super) fn reduce(&mut self, magnitude: f64, known: f64) -> Closest {
        let p = self.vertices.map(|v| v.point);
        let candidate = match self.len {
            1 => Candidate::vertex(&p, 0),
            2 => Candidate::segment(&p, 0, 1),
            3 => Candidate::triangle(&p, [0, 1, 2], magnitude),
            _ => match Candidate::tetrahedron(&p, magnitude, known) {
                Some(candidate) => candidate,
                None => {
                    self.weights = volumes(&p);
                    return Closest::Inside;
                }
            },
        };
        let old = self.vertices;
        self.len = candidate.len;
        for slot in 0..candidate.len {
            self.vertices[slot] = old[candidate.index[slot]];
            self.weights[slot] = candidate.weights[slot];
        }
        let distance = candidate.offset.length();
        let normal = candidate.normal.or_else(|| (distance > 0.0).then(|| -candidate.offset / distance));
        Closest::Outside { distance, normal }
    }
}

/// The barycentric coordinates of the origin in a tetrahedron that holds it.
fn volumes(&[a, b, c, d]: &[DVec3; 4]) -> [f64; 4] {
    let volume = |p: DVec3, q: DVec3, r: DVec3| p.dot(q.cross(r)).abs();
    let parts = [volume(b, c, d), volume(a, c, d), volume(a, b, d), volume(a, b, c)];
    let sum: f64 = parts.iter().sum();
    if sum > 0.0 { parts.map(|part| part / sum) } else { [1.0, 0.0, 0.0, 0.0] }
}

/// The point of one face closest to the origin.
#[derive(Clone, Copy)]
struct Candidate {
    /// The closest point.
    offset: DVec3,
    /// The unit vector from the face to the origin, where the face itself tells.
    normal: Option<DVec3>,
    /// The vertices that carry it and their weights.
    index: [usize; 3],
    weights: [f64; 3],
    len: usize,
}

impl Candidate {
    fn vertex(p: &[DVec3; 4], i: usize) -> Self {
        Self { offset: p[i], normal: None, index: [i, 0, 0], weights: [1.0, 0.0, 0.0], len: 1 }
    }

    fn segment(p: &[DVec3; 4], i: usize, j: usize) -> Self {
        let edge = p[j] - p[i];
        let square = edge.length_squared();
        let along = -p[i].dot(edge);
        // Also where the segment has no length.
        if along <= 0.0 {
            return Self::vertex(p, i);
        }
        if along >= square {
            return Self::vertex(p, j);
        }
        let t = along / square;
        let rough = p[i] + edge * t;
        // Once more orthogonal to the edge: what is left of the rounding lies across it and turns the normal only
        // within the wedge of normals the edge has.
        let offset = rough - edge * (rough.dot(edge) / square);
        Self { offset, normal: None, index: [i, j, 0], weights: [1.0 - t, t, 0.0], len: 2 }
    }

    fn triangle(p: &[DVec3; 4], [i, j, k]: [usize; 3], magnitude: f64) -> Self {
        let (a, b, c) = (p[i], p[j], p[k]);
        let (ab, ac, bc) = (b - a, c - a, c - b);
        let normal = ab.cross(ac);
        let square = normal.length_squared();
        // The height of the triangle over its longest side against the rounding of the vertices.
        let longest = ab.length_squared().max(ac.length_squared()).max(bc.length_squared());
        let needle = square <= longest * (NOISE * magnitude) * (NOISE * magnitude);

        // Doubled areas (times |normal|) of the triangles the origin makes with each side; negative: beyond the side.
        let beyond_ab = ab.cross(normal).dot(a);
        let beyond_ac = normal.cross(ac).dot(a);
        let beyond_bc = bc.cross(normal).dot(b);
        if !needle && beyond_ab >= 0.0 && beyond_ac >= 0.0 && beyond_bc >= 0.0 {
            let sum = beyond_ab + beyond_ac + beyond_bc;
            let weights = [beyond_bc / sum, beyond_ac / sum, beyond_ab / sum];
            // A true point of the triangle, whatever the rounding did to the weights.
            let offset = a * weights[0] + b * weights[1] + c * weights[2];
            // The normal is uncertain by noise/height, the direction of the offset by noise/distance.
            let normal = (square > longest * offset.length_squared()).then(|| {
                let unit = normal / square.sqrt();
                if unit.dot(a) > 0.0 { -unit } else { unit }
            });
            return Self { offset, normal, index: [i, j, k], weights, len: 3 };
        }
        // All three sides: which of them the origin sees may be noise.
        let best = Self::better(Self::segment(p, i, j), Self::segment(p, i, k));
        Self::better(best, Self::segment(p, j, k))
    }

    /// `None` if the origin lies within.
    fn tetrahedron(p: &[DVec3; 4], magnitude: f64, known: f64) -> Option<Self> {
        let [a, b, c, d] = *p;
        let (ab, ac, ad) = (b - a, c - a, d - a);
        let (abc, acd, adb) = (ab.cross(ac), ac.cross(ad), ad.cross(ab));
        let bcd = (c - b).cross(d - b);
        let volume = abc.dot(ad);
        let largest =
            abc.length_squared().max(acd.length_squared()).max(adb.length_squared()).max(bcd.length_squared()).sqrt();
        let flat = volume.abs() <= NOISE * magnitude * largest;
        let sign = 1.0_f64.copysign(volume);

        let mut best: Option<Self> = None;
        let faces = [
            (sign * abc.dot(a) > 0.0, [0, 1, 2]),
            (sign * acd.dot(a) > 0.0, [0, 2, 3]),
            (sign * adb.dot(a) > 0.0, [0, 3, 1]),
            (sign * bcd.dot(b) < 0.0, [1, 2, 3]),
        ];
        for (visible, face) in faces {
            if flat || visible {
                let candidate = Self::triangle(p, face, magnitude);
                best = Some(best.map_or(candidate, |best| Self::better(best, candidate)));
            }
        }
        // Rounding can hide the face that counts. The old triangle is one of them: it cannot get worse.
        if best.is_some_and(|best| best.offset.length_squared() > known * known) {
            for (_, face) in faces {
                let candidate = Self::triangle(p, face, magnitude);
                best = Some(best.map_or(candidate, |best| Self::better(best, candidate)));
            }
        }
        best
    }

    /// The closer of two, the first on a tie. The first always is the one with the newer vertices: where rounding hides
    /// the progress they bring, going back to the older ones would go round in circles.
    fn better(one: Self, other: Self) -> Self {
        let (first, second) = (one.offset.length_squared(), other.offset.length_squared());
        if second < first * (1.0 - NOISE) { other } else { one }
    }
}
