//! Closed triangle meshes for tests, counter-clockwise as seen from outside.

#![allow(dead_code, reason = "each test file uses some of them")]

use std::f64::consts::TAU;
use tumble_geometry::glam::DVec3;
use tumble_geometry::shape::Mesh;

/// Corners and triangles, before they become a [`Mesh`].
#[derive(Clone, Debug)]
pub(crate) struct Solid {
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

impl Solid {
    pub(crate) fn mesh(&self) -> Mesh {
        Mesh::new(self.vertices.clone(), self.triangles.clone()).unwrap()
    }

    pub(crate) fn map(&self, f: impl Fn(DVec3) -> DVec3) -> Self {
        Self { vertices: self.vertices.iter().map(|&v| f(v)).collect(), triangles: self.triangles.clone() }
    }

    pub(crate) fn inside_out(&self) -> Self {
        let triangles = self.triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
        Self { vertices: self.vertices.clone(), triangles }
    }

    /// Both surfaces as one.
    pub(crate) fn with(&self, other: &Self) -> Self {
        let offset = self.vertices.len() as u32;
        let moved = other.triangles.iter().map(|t| t.map(|index| index + offset));
        Self {
            vertices: [self.vertices.as_slice(), &other.vertices].concat(),
            triangles: self.triangles.iter().copied().chain(moved).collect(),
        }
    }
}

/// The convex polyhedron with the given corners, found by trying all triples; no four corners may share a face.
pub(crate) fn simplicial(vertices: &[DVec3]) -> Solid {
    let mut triangles = Vec::new();
    for i in 0..vertices.len() {
        for j in 0..vertices.len() {
            for k in 0..vertices.len() {
                let smallest_first = i < j && i < k && j != k;
                let normal = (vertices[j] - vertices[i]).cross(vertices[k] - vertices[i]);
                let outside =
                    |(l, v): (usize, &DVec3)| l != i && l != j && l != k && normal.dot(v - vertices[i]) >= 0.0;
                if smallest_first && !vertices.iter().enumerate().any(outside) {
                    triangles.push([i as u32, j as u32, k as u32]);
                }
            }
        }
    }
    Solid { vertices: vertices.to_vec(), triangles }
}

/// The prism over a polygon in the xy plane (counter-clockwise as seen from +z), given with its triangulation, from
/// `z_min` to `z_max`.
pub(crate) fn prism(polygon: &[(f64, f64)], triangulation: &[[u32; 3]], z_min: f64, z_max: f64) -> Solid {
    let n = polygon.len() as u32;
    let level = |z: f64| polygon.iter().map(move |&(x, y)| DVec3::new(x, y, z));
    let mut triangles = Vec::new();
    for &[a, b, c] in triangulation {
        triangles.push([a, c, b]);
        triangles.push([a + n, b + n, c + n]);
    }
    for i in 0..n {
        let next = (i + 1) % n;
        triangles.push([i, next, next + n]);
        triangles.push([i, next + n, i + n]);
    }
    Solid { vertices: level(z_min).chain(level(z_max)).collect(), triangles }
}

/// A box between two corners.
pub(crate) fn cuboid(min: DVec3, max: DVec3) -> Solid {
    let square = [(min.x, min.y), (max.x, min.y), (max.x, max.y), (min.x, max.y)];
    prism(&square, &[[0, 1, 2], [0, 2, 3]], min.z, max.z)
}

/// The prism over a regular polygon with `n` corners on a circle of the given radius around z.
pub(crate) fn regular_prism(n: usize, radius: f64, height: f64) -> Solid {
    let corner = |i: usize| {
        let (sin, cos) = libm::sincos(TAU * i as f64 / n as f64);
        (radius * cos, radius * sin)
    };
    let polygon: Vec<_> = (0..n).map(corner).collect();
    let fan: Vec<_> = (1..n as u32 - 1).map(|i| [0, i, i + 1]).collect();
    prism(&polygon, &fan, -0.5 * height, 0.5 * height)
}

/// An L of unit thickness: the square of edge 2 without its upper right quarter.
pub(crate) fn l_shape() -> Solid {
    let polygon = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)];
    prism(&polygon, &[[0, 1, 2], [0, 2, 3], [0, 3, 5], [3, 4, 5]], 0.0, 1.0)
}

/// A torus around z with `n` × `m` quads.
pub(crate) fn torus(ring: f64, tube: f64, n: usize, m: usize) -> Solid {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..n {
        let (sin_a, cos_a) = libm::sincos(TAU * i as f64 / n as f64);
        for j in 0..m {
            let (sin_b, cos_b) = libm::sincos(TAU * j as f64 / m as f64);
            let across = ring + tube * cos_b;
            vertices.push(DVec3::new(across * cos_a, across * sin_a, tube * sin_b));
            let at = |i: usize, j: usize| ((i % n) * m + j % m) as u32;
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.push([a, b, c]);
            triangles.push([a, c, d]);
        }
    }
    Solid { vertices, triangles }
}

/// A surface of revolution around z through points (radius, z) from bottom to top, closed by poles at both ends.
pub(crate) fn revolved(profile: &[(f64, f64)], bottom: f64, top: f64, slices: usize) -> Solid {
    let mut vertices = vec![DVec3::new(0.0, 0.0, bottom), DVec3::new(0.0, 0.0, top)];
    let mut triangles = Vec::new();
    let at = |ring: usize, slice: usize| (2 + ring * slices + slice % slices) as u32;
    for (ring, &(radius, z)) in profile.iter().enumerate() {
        for slice in 0..slices {
            let (sin, cos) = libm::sincos(TAU * slice as f64 / slices as f64);
            vertices.push(DVec3::new(radius * cos, radius * sin, z));
            if ring > 0 {
                let [a, b] = [at(ring - 1, slice), at(ring - 1, slice + 1)];
                let [c, d] = [at(ring, slice + 1), at(ring, slice)];
                triangles.push([a, b, c]);
                triangles.push([a, c, d]);
            }
        }
    }
    for slice in 0..slices {
        triangles.push([0, at(0, slice + 1), at(0, slice)]);
        let last = profile.len() - 1;
        triangles.push([1, at(last, slice), at(last, slice + 1)]);
    }
    Solid { vertices, triangles }
}

/// A ball of radius 1 from circles of latitude.
pub(crate) fn uv_sphere(stacks: usize, slices: usize) -> Solid {
    let latitude = |stack: usize| {
        let (sin, cos) = libm::sincos(0.5 * TAU * stack as f64 / stacks as f64);
        (sin, -cos)
    };
    let profile: Vec<_> = (1..stacks).map(latitude).collect();
    revolved(&profile, -1.0, 1.0, slices)
}

/// Two balls of radius 1 whose centres are 3 apart, joined by a rod of radius 0.25.
pub(crate) fn dumbbell() -> Solid {
    let ball = |center: f64, from: f64, to: f64| {
        (0..=12).map(move |i| {
            let (sin, cos) = libm::sincos(from + (to - from) * i as f64 / 12.0);
            (sin, center - cos)
        })
    };
    let neck = libm::asin(0.25);
    let pole = 0.1;
    let half = 0.5 * TAU;
    let lower = ball(-1.5, pole, half - neck);
    let upper = ball(1.5, neck, half - pole);
    revolved(&lower.chain(upper).collect::<Vec<_>>(), -2.5, 2.5, 24)
}
