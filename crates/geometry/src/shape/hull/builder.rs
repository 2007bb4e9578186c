//! Builds the hull by brute force: every triangle of points that has all others below it spans a face.

use super::Hull;
use super::topology::Polygons;
use crate::error::{GeometryError, checked_points};
use crate::primitive::Plane;
use glam::DVec3;

pub(super) fn build(points: &[DVec3]) -> Result<Hull, GeometryError> {
    checked_points("hull point", points)?;
    if points.len() < 4 {
        return Err(GeometryError::TooFew { what: "hull points", count: points.len(), needed: 4 });
    }
    let size = points.iter().map(|p| p.distance(points[0])).fold(0.0, f64::max);
    let tolerance = 1e-12 * size;
    let mut polygons = Polygons { starts: vec![0], ..Polygons::default() };
    let mut faces: Vec<Vec<u32>> = Vec::new();
    for i in 0..points.len() {
        for j in i + 1..points.len() {
            for k in j + 1..points.len() {
                let normal = (points[j] - points[i]).cross(points[k] - points[i]).normalize_or_zero();
                for normal in [normal, -normal] {
                    let height = |p: &DVec3| normal.dot(*p - points[i]);
                    if normal == DVec3::ZERO || points.iter().any(|p| height(p) > tolerance) {
                        continue;
                    }
                    let face = ordered(points, normal, |p| height(p) > -tolerance);
                    if !faces.contains(&face) {
                        polygons.planes.push(Plane { normal, offset: normal.dot(points[i]) });
                        polygons.loops.extend(&face);
                        polygons.starts.push(polygons.loops.len() as u32);
                        faces.push(face);
                    }
                }
            }
        }
    }
    let mut used: Vec<u32> = polygons.loops.clone();
    used.sort_unstable();
    used.dedup();
    let vertices: Vec<DVec3> = used.iter().map(|&v| points[v as usize]).collect();
    for v in &mut polygons.loops {
        *v = used.partition_point(|u| u < v) as u32;
    }
    Hull::assemble(vertices, polygons, tolerance)
        .ok_or_else(|| GeometryError::Degenerate { what: "hull", why: "is not a closed surface".into() })
}

/// The points on a face, by angle around their mean, starting with the smallest index.
fn ordered(points: &[DVec3], normal: DVec3, on_face: impl Fn(&DVec3) -> bool) -> Vec<u32> {
    let mut face: Vec<u32> = (0..points.len() as u32).filter(|&i| on_face(&points[i as usize])).collect();
    let mean = face.iter().map(|&i| points[i as usize]).sum::<DVec3>() / face.len() as f64;
    let (u, v) = crate::math::orthonormal_pair(normal);
    let angle = |i: u32| libm::atan2((points[i as usize] - mean).dot(v), (points[i as usize] - mean).dot(u));
    face.sort_by(|&a, &b| angle(a).total_cmp(&angle(b)));
    let smallest = face.iter().enumerate().min_by_key(|(_, i)| **i).map_or(0, |(k, _)| k);
    face.rotate_left(smallest);
    face
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_corners_of_a_box_give_six_quads() {
        let corners: Vec<DVec3> =
            (0..8).map(|i| DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64)).collect();
        let hull = Hull::new(&corners).unwrap();
        hull.validate().unwrap();
        assert_eq!((hull.vertices().len(), hull.edges().len(), hull.face_count()), (8, 12, 6));
        assert!((0..6).all(|f| hull.face_vertices(f).len() == 4));
        assert!((hull.volume() - 1.0).abs() < 1e-15 && (hull.inner_radius() - 0.5).abs() < 1e-15);
    }
}
