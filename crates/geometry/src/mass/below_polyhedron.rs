//! The part of a polyhedron below a plane, exactly.
//!
//! The part is bounded by the clipped triangles of the surface and by the section in the plane. Seen from a reference
//! point *in the plane*, the section spans nothing: the volume is the sum of the signed tetrahedra between the reference
//! point and the clipped triangles alone, and no section need be built, however many pieces it has.
//!
//! A triangle's corner points on the plane are computed from the corner below to the corner above, whichever triangle
//! asks: neighbours get the same bits and the surface stays closed.

use super::Submerged;
use crate::{Plane, Shape};
use glam::DVec3;

/// The part below `plane` of the solid inside the surface of `shape`, a closed one of triangles. One that is inside out is
/// turned around.
pub(super) fn below(shape: &Shape, plane: &Plane) -> Submerged {
    let bounds = shape.local_aabb();
    if plane.signed_distance(bounds.center()) >= 0.5 * bounds.extents().dot(plane.normal.abs()) {
        return Submerged::NOTHING;
    }
    // The reference: where an edge meets the plane, which is on the surface, so that thin bodies keep their digits; if
    // none does, there is no section, and any wet corner will do.
    let (mut crossed, mut wet) = (None, None);
    shape.visit_surface(&mut |triangle| {
        let corners = triangle.vertices.map(|corner| (corner, plane.signed_distance(corner)));
        for (this, next) in [(0, 1), (1, 2), (2, 0)].map(|(i, k)| (corners[i], corners[k])) {
            if this.1 < 0.0 {
                wet = wet.or(Some(this.0));
                crossed = crossed.or_else(|| (next.1 >= 0.0).then(|| crossing(this, next)));
            }
        }
    });
    let Some(reference) = crossed.or(wet) else { return Submerged::NOTHING };
    let mut sum = TetrahedronSum::default();
    shape.visit_surface(&mut |triangle| {
        let corners = triangle.vertices.map(|corner| corner - reference);
        if crossed.is_some() {
            sum.add_clipped(corners.map(|corner| (corner, plane.normal.dot(corner))));
        } else if plane.signed_distance(triangle.vertices[0]) < 0.0 {
            sum.add(corners[0], corners[1], corners[2]);
        }
    });
    let outwards = match shape {
        Shape::Mesh(mesh) => 1.0_f64.copysign(mesh.signed_volume()),
        _ => 1.0,
    };
    Submerged::new(outwards * sum.volume / 6.0, outwards * sum.moment / 24.0, reference)
}

/// Where the way from a corner below the plane to one above or on it meets it, given with their heights.
fn crossing((below, depth): (DVec3, f64), (above, height): (DVec3, f64)) -> DVec3 {
    below + (above - below) * (depth / (depth - height))
}

/// Sums over tetrahedra with one corner at the reference point.
#[derive(Default)]
struct TetrahedronSum {
    /// `6 ∫dV`
    volume: f64,
    /// `24 ∫x dV`
    moment: DVec3,
}

impl TetrahedronSum {
    /// Adds the tetrahedron over the triangle a, b, c: `6 V = a · (b × c)`, `24 ∫x dV = 6 V (a + b + c)`.
    fn add(&mut self, a: DVec3, b: DVec3, c: DVec3) {
        let volume = a.dot((b - a).cross(c - a));
        self.volume += volume;
        self.moment += (a + b + c) * volume;
    }

    /// Adds what is below the plane of a triangle given by corners and their heights above the plane.
    fn add_clipped(&mut self, corners: [(DVec3, f64); 3]) {
        let is_below = corners.map(|(_, height)| height < 0.0);
        match is_below.iter().filter(|&&below| below).count() {
            0 => {}
            3 => self.add(corners[0].0, corners[1].0, corners[2].0),
            1 => {
                // One corner below: a smaller triangle. In cyclic order from it, the orientation stays.
                let first = is_below.iter().position(|&below| below).unwrap_or(0);
                let [a, b, c] = [0, 1, 2].map(|k| corners[(first + k) % 3]);
                self.add(a.0, crossing(a, b), crossing(a, c));
            }
            _ => {
                // One corner above: a quadrilateral.
                let first = is_below.iter().position(|&below| !below).unwrap_or(0);
                let [above, b, c] = [0, 1, 2].map(|k| corners[(first + k) % 3]);
                let (from, to) = (crossing(b, above), crossing(c, above));
                self.add(from, b.0, c.0);
                self.add(from, c.0, to);
            }
        }
    }
}
