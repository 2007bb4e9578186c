//! Meshes for tests.

use super::Mesh;
use glam::{DVec3, dvec3};

/// The corners and triangles of a box around the origin.
pub(crate) fn box_triangles(half: DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let corners = (0..8).map(|i| {
        let sign = |bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        half * dvec3(sign(0), sign(1), sign(2))
    });
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    (corners.collect(), triangles)
}

pub(crate) fn box_mesh(half: DVec3) -> Mesh {
    let (vertices, triangles) = box_triangles(half);
    Mesh::new(vertices, triangles).unwrap()
}

/// A torus around the y axis with `around` × `across` quads.
pub(crate) fn torus(major: f64, minor: f64, around: u32, across: u32) -> Mesh {
    let turn = |i: u32, n: u32| libm::sincos(std::f64::consts::TAU * f64::from(i) / f64::from(n));
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..around {
        let (sin_u, cos_u) = turn(i, around);
        for j in 0..across {
            let (sin_v, cos_v) = turn(j, across);
            let radius = major + minor * cos_v;
            vertices.push(dvec3(radius * cos_u, minor * sin_v, radius * sin_u));
            let at = |i: u32, j: u32| (i % around) * across + j % across;
            let [a, b, c, d] = [at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    Mesh::new(vertices, triangles).unwrap()
}
