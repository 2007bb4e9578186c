//! A convex shape over a flat region of a surface: as over a plane, corner by corner.
//!
//! On a triangle that has the same plane all around it, the outermost points of a contact are corners of the shape: all
//! others lie between these, or on triangles at the border of the region. So there is nothing to clip. What the shape turns towards the
//! plane is found once for the whole region, and each triangle is asked which of those corners are above or below it.
//!
//! A corner above the plane is a contact by itself. One below is, if the point of the triangle straight above it lies in the shape:
//! then the shape has come through this very triangle. Otherwise the corner may have got there round the border of the region, and
//! the triangle is looked at [in full](super::contact).

use super::cluster::Candidate;
use super::name::{Triangles, named};
use super::surface::Surface;
use crate::primitive::TriangleFeature;
use crate::query::manifold::Underside;
use crate::query::{ContactPoint, Feature, FeatureId};
use crate::{Shape, Transform, Triangle};
use glam::DVec3;

/// Points of the shape's surface are moved towards its centre by this share before it is asked whether they lie in the shape.
const INWARDS: f64 = 1e-6;
/// A corner that lies beyond an edge by less than this share of the triangle is above it.
const BESIDE: f64 = -1e-9;
/// The most corners an underside has, an inner one included.
const MAX_CORNERS: usize = 17;

/// The plane of a flat region, and what the shape turns towards it.
pub(super) struct Floor {
    seed: u32,
    /// Towards the side on which contacts push.
    normal: DVec3,
    /// The corners with their heights above the plane, their names and what they are.
    corners: [(DVec3, f64, FeatureId, Feature); MAX_CORNERS],
    count: usize,
    /// The height of the lowest.
    height: f64,
}

/// What a triangle of a flat region has to do with the shape.
pub(super) enum Verdict {
    /// All is known.
    Done,
    /// The shape reaches below the plane, but no corner of it is below this triangle.
    Under,
    /// The triangle must be looked at in full.
    Unclear,
}

impl Floor {
    /// The floor of the region with this seed; `None` if the centre of the shape is on the wrong side of it or the corners of the
    /// shape do not tell all.
    pub(super) fn new(surface: Surface, seed: u32, shape: &Shape, pose: &Transform, center: DVec3) -> Option<Self> {
        let (up, at) = (surface.normal(seed)?, surface.triangle(seed).vertices[0]);
        let above = up.dot(center - at) >= 0.0;
        if !above && surface.is_solid() {
            return None;
        }
        let normal = if above { up } else { -up };
        let offset = normal.dot(at);
        let underside = Underside::new(shape, pose, normal)?;
        let mut corners = [(DVec3::ZERO, 0.0, FeatureId::default(), Feature::Spot); MAX_CORNERS];
        let (mut count, mut lowest) = (0, f64::INFINITY);
        for ((corner, name, feature), place) in underside.corners().zip(&mut corners) {
            let height = normal.dot(corner) - offset;
            *place = (corner, height, name, feature);
            lowest = lowest.min(height);
            count += 1;
        }
        Some(Self { seed, normal, corners, count, height: lowest })
    }

    /// Whether it is that of the region with this seed.
    pub(super) fn is_of(&self, seed: u32) -> bool {
        self.seed == seed
    }

    /// Calls `visit` with the contacts of a triangle of the region.
    pub(super) fn contacts(
        &self,
        (surface, index): (Surface, u32),
        (shape, pose): (&Shape, &Transform),
        center: DVec3,
        prediction: f64,
        visit: &mut impl FnMut(Candidate),
    ) -> Verdict {
        if self.height > prediction {
            return Verdict::Done;
        }
        let triangle = surface.triangle(index);
        let mut near = 0_u32;
        let mut deep = false;
        for (i, &(corner, height, ..)) in self.corners[..self.count].iter().enumerate() {
            if height > prediction || !self.is_over(&triangle, corner) {
                continue;
            }
            if height < 0.0 {
                let straight_above = corner - self.normal * height;
                let inwards = straight_above + (center - straight_above) * INWARDS;
                if !shape.contains_point(pose.inverse_point(inwards)) {
                    return Verdict::Unclear;
                }
                deep = true;
            }
            near |= 1 << i;
        }
        if near != 0 {
            let part_a = surface.patch(index);
            for (i, &(corner, height, name, feature)) in self.corners[..self.count].iter().enumerate() {
                if near >> i & 1 == 1 {
                    let feature_id = named(name, Triangles { surface, index }, TriangleFeature::Face);
                    let features = [Feature::Face(0).of_triangle(index), feature];
                    let position = corner - self.normal * (0.5 * height);
                    let point = ContactPoint { position, depth: -height, feature: feature_id, features };
                    visit(Candidate { point, normal: self.normal, part_a, part_b: 0 });
                }
            }
        }
        if self.height < 0.0 && !deep { Verdict::Under } else { Verdict::Done }
    }

    /// Whether a point lies straight above or below a triangle of the region.
    fn is_over(&self, triangle: &Triangle, point: DVec3) -> bool {
        let [a, b, c] = triangle.vertices.map(|vertex| vertex - point);
        let weights = [b.cross(c).dot(self.normal), c.cross(a).dot(self.normal), a.cross(b).dot(self.normal)];
        let [u, v, w] = weights;
        // Seen from below the triangle turns the other way.
        let sum = u + v + w;
        let least = BESIDE * sum.abs();
        let turn = 1.0_f64.copysign(sum);
        turn * u >= least && turn * v >= least && turn * w >= least
    }
}
