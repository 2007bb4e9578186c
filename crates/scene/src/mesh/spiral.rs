//! A gutter along a spiral, made from a few numbers (G Fig. 77): tracks for balls without mesh files.
//!
//! With t from 0 to 1 along the gutter and s from −½ to ½ across it, the radius r(t), the height h(t), the turns n, the
//! radius ρ of the gutter and the angle α it is bent through:
//!
//! ```text
//! o(t) = (cos 2πnt, 0, −sin 2πnt)
//! p(t, s) = r(t) o + (h(t) + ρ) y + ρ (o sin αs − y cos αs)
//! ```

use super::MeshData;
use crate::format::SpiralFile;
use glam::DVec3;
use std::f64::consts::TAU;

/// The most triangles of a spiral.
const MOST: u64 = 1_000_000;

impl MeshData {
    /// The gutter that a scene file describes; it faces inwards and up.
    pub fn spiral(file: &SpiralFile) -> Result<Self, String> {
        let [along, across] = file.strips;
        let triangles = u64::from(along).saturating_mul(u64::from(across)).saturating_mul(2);
        if triangles == 0 || triangles > MOST {
            return Err(format!("{along} × {across} strips make {triangles} triangles; from 1 to {MOST} are possible"));
        }
        let mut mesh = Self::default();
        for i in 0..=along {
            let t = f64::from(i) / f64::from(along);
            let mix = |[start, end]: [f64; 2]| start + (end - start) * t;
            let (sin, cos) = libm::sincos(TAU * file.turns * t);
            let outwards = DVec3::new(cos, 0.0, -sin);
            // The gutter's middle runs above its lowest point by its radius.
            let middle = outwards * mix(file.radius) + DVec3::Y * (mix(file.height) + file.gutter);
            for j in 0..=across {
                let (s, c) = libm::sincos(file.bend_deg.to_radians() * (f64::from(j) / f64::from(across) - 0.5));
                mesh.vertices.push(middle + (outwards * s - DVec3::Y * c) * file.gutter);
            }
        }
        let vertex = |i: u32, j: u32| i * (across + 1) + j;
        for i in 0..along {
            for j in 0..across {
                let [a, b, c, d] = [vertex(i, j), vertex(i, j + 1), vertex(i + 1, j + 1), vertex(i + 1, j)];
                mesh.triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        Ok(mesh)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_track_is_fine_and_faces_up() {
        let mesh = MeshData::spiral(&SpiralFile::default()).unwrap();
        assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (19_500, 35_976));
        let normal = |[a, b, c]: [u32; 3]| {
            let [a, b, c] = [a, b, c].map(|i| mesh.vertices[i as usize]);
            (b - a).cross(c - a)
        };
        assert!(mesh.triangles.iter().all(|&triangle| normal(triangle).y > 0.0));
    }

    #[test]
    fn a_spiral_of_too_many_triangles_is_refused() {
        for strips in [[0, 5], [5, 0], [u32::MAX, u32::MAX], [1_000_000, 1]] {
            assert!(MeshData::spiral(&SpiralFile { strips, ..SpiralFile::default() }).is_err());
        }
    }
}
