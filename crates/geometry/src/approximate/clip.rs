//! Cutting a solid in two with a plane.
//!
//! A [`Piece`] is the closed surface of a solid as a list of triangles; nothing else is needed for its volume, its
//! inertia and its hull. A plane divides the triangles it meets; the edges it leaves behind in the plane bound the cut,
//! which closes both halves. Neighbouring triangles find the same points on their common edge, so no gap opens.

use super::cap;
use crate::shape::Mesh;
use crate::{Plane, Triangle};
use glam::DVec3;

/// A closed surface, counter-clockwise as seen from outside.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) triangles: Vec<Triangle>,
}

impl Piece {
    /// All of a mesh.
    pub(super) fn whole(mesh: &Mesh) -> Self {
        Self { triangles: (0..mesh.triangles().len()).map(|index| mesh.triangle(index)).collect() }
    }

    /// The volume by signed tetrahedra from a corner of the surface.
    pub(super) fn volume(&self) -> f64 {
        let origin = self.triangles.first().map_or(DVec3::ZERO, |triangle| triangle.vertices[0]);
        let six_fold: f64 = self
            .triangles
            .iter()
            .map(|triangle| triangle.vertices.map(|v| v - origin))
            .map(|[a, b, c]| a.dot((b - a).cross(c - a)))
            .sum();
        six_fold / 6.0
    }

    /// All corners, each once.
    pub(super) fn corners(&self) -> Vec<DVec3> {
        let mut corners: Vec<_> = self.triangles.iter().flat_map(|triangle| triangle.vertices).collect();
        corners.sort_unstable_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)).then(p.z.total_cmp(&q.z)));
        corners.dedup();
        corners
    }

    /// The parts below and above `plane`. Corners within `tolerance` of the plane count as lying in it.
    pub(super) fn split(&self, plane: &Plane, tolerance: f64) -> [Self; 2] {
        let height = |v: DVec3| {
            let height = plane.signed_distance(v);
            if height.abs() <= tolerance { 0.0 } else { height }
        };
        let mut sides = [Side::new(-1.0), Side::new(1.0)];
        for triangle in &self.triangles {
            let corners = triangle.vertices.map(|v| (v, height(v)));
            for side in &mut sides {
                side.add(corners);
            }
        }
        sides.map(|side| side.closed(plane.normal, tolerance))
    }
}

/// One side of a cut while it is collected.
struct Side {
    /// +1 above the plane, −1 below.
    sign: f64,
    triangles: Vec<Triangle>,
    /// The edges in the plane, as they run around the triangles.
    rim: Vec<[DVec3; 2]>,
}

impl Side {
    fn new(sign: f64) -> Self {
        Self { sign, triangles: Vec::new(), rim: Vec::new() }
    }

    /// Adds the part of a triangle, given with the heights of its corners, that lies on this side. One that lies in the
    /// plane is left out: the cut will cover it.
    fn add(&mut self, corners: [(DVec3, f64); 3]) {
        if !corners.iter().any(|corner| self.sign * corner.1 > 0.0) {
            return;
        }
        let mut polygon = [(DVec3::ZERO, 0.0); 4];
        let mut count = 0;
        for k in 0..3 {
            let (from, to) = (corners[k], corners[(k + 1) % 3]);
            if self.sign * from.1 >= 0.0 {
                polygon[count] = from;
                count += 1;
            }
            if from.1 * to.1 < 0.0 {
                polygon[count] = (crossing(from, to), 0.0);
                count += 1;
            }
        }
        for k in 1..count - 1 {
            self.triangles.push(Triangle::new(polygon[0].0, polygon[k].0, polygon[k + 1].0));
        }
        for k in 0..count {
            let (from, to) = (polygon[k], polygon[(k + 1) % count]);
            if from.1 == 0.0 && to.1 == 0.0 {
                self.rim.push([from.0, to.0]);
            }
        }
    }

    /// Closes the cut. Seen from outside, its outline runs against the edges of the triangles next to it.
    fn closed(mut self, normal: DVec3, tolerance: f64) -> Piece {
        let outline: Vec<_> = self.rim.iter().map(|&[from, to]| [to, from]).collect();
        cap::fill(&outline, -self.sign * normal, tolerance, &mut self.triangles);
        Piece { triangles: self.triangles }
    }
}

/// Where the edge between a corner above and one below meets the plane; always computed from the upper one, so that both
/// triangles at an edge find the same point.
fn crossing(one: (DVec3, f64), two: (DVec3, f64)) -> DVec3 {
    let (upper, lower) = if one.1 > two.1 { (one, two) } else { (two, one) };
    upper.0 + (lower.0 - upper.0) * (upper.1 / (upper.1 - lower.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::mesh::samples::{box_mesh, torus};

    #[test]
    fn halves_of_a_torus_add_up_for_every_plane() {
        let mesh = torus(1.0, 0.3, 24, 12);
        let torus = Piece::whole(&mesh);
        let whole = torus.volume();
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..500 {
            let mut coordinate = || 2.0 * random.f64() - 1.0;
            let normal = DVec3::new(coordinate(), coordinate(), coordinate()).normalize();
            let offset = 1.4 * coordinate();
            let [below, above] = torus.split(&Plane { normal, offset }, 1e-12);
            let error = below.volume() + above.volume() - whole;
            assert!(error.abs() < 1e-13, "{normal} {offset}: {error:e}");
            assert!(below.volume() > -1e-13 && above.volume() > -1e-13);
            // Cut once more: the way the first cut was closed must not show.
            let second = Plane { normal: normal.any_orthonormal_vector(), offset: 0.2 };
            let [left, right] = above.split(&second, 1e-12);
            assert!((left.volume() + right.volume() - above.volume()).abs() < 1e-13);
            for corner in [left, right].iter().flat_map(Piece::corners) {
                assert!(mesh.closest_point(corner).unwrap().distance < 1e-12, "a corner outside of the solid");
            }
        }
    }

    #[test]
    fn a_cut_along_a_face_leaves_the_piece_whole() {
        let cube = Piece::whole(&box_mesh(DVec3::ONE));
        let [below, above] = cube.split(&Plane { normal: DVec3::X, offset: 1.0 }, 1e-12);
        assert!((below.volume() - 8.0).abs() < 1e-14);
        assert!(above.triangles.is_empty());
    }
}
