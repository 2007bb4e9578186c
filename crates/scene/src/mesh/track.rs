//! The track of the gallery: a gutter along a spiral (G Fig. 77).

use super::MeshData;
use glam::DVec3;
use std::f64::consts::{PI, TAU};

/// Rings along the track, and vertices across it.
const ALONG: usize = 1500;
const ACROSS: usize = 13;
/// How often it goes round, and the radius and height it starts and ends with.
const TURNS: f64 = 2.0;
const RADIUS: [f64; 2] = [1.2, 3.0];
const HEIGHT: [f64; 2] = [3.5, 0.3];
/// The radius of the gutter, and how far it reaches up to either side.
const GUTTER: f64 = 0.45;
const REACH: f64 = 0.75 * PI;

/// A gutter that winds down a widening spiral of two turns: 19 500 vertices and 35 976 triangles, facing inwards and up.
pub fn spiral_track() -> MeshData {
    let mut mesh = MeshData::default();
    for i in 0..ALONG {
        let t = i as f64 / (ALONG - 1) as f64;
        let mix = |[start, end]: [f64; 2]| start + (end - start) * t;
        let (sin, cos) = libm::sincos(TAU * TURNS * t);
        let outwards = DVec3::new(cos, 0.0, -sin);
        // The gutter's middle runs above its lowest point by its radius.
        let middle = outwards * mix(RADIUS) + DVec3::Y * (mix(HEIGHT) + GUTTER);
        for j in 0..ACROSS {
            let (s, c) = libm::sincos(REACH * (j as f64 / (ACROSS - 1) as f64 - 0.5));
            mesh.vertices.push(middle + (outwards * s - DVec3::Y * c) * GUTTER);
        }
    }
    let vertex = |i: usize, j: usize| (i * ACROSS + j) as u32;
    for i in 0..ALONG - 1 {
        for j in 0..ACROSS - 1 {
            let [a, b, c, d] = [vertex(i, j), vertex(i, j + 1), vertex(i + 1, j + 1), vertex(i + 1, j)];
            mesh.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_track_is_fine_and_faces_up() {
        let mesh = spiral_track();
        assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (19_500, 35_976));
        let normal = |[a, b, c]: [u32; 3]| {
            let [a, b, c] = [a, b, c].map(|i| mesh.vertices[i as usize]);
            (b - a).cross(c - a)
        };
        assert!(mesh.triangles.iter().all(|&triangle| normal(triangle).y > 0.0));
    }
}
