//! A half-space against everything: the deepest points of the other shape, up to four.

use super::contour::{Carrier, Closeness, Contour};
use super::frame::Frame;
use super::name::{FACE_OF_A, Kind, pack};
use super::polytope::{BoxParts, Polytope};
use super::select::select;
use crate::Shape;
use crate::math::orthonormal_pair;
use crate::query::{ContactPoint, Feature, Manifold};
use crate::shape::Convex;
use glam::DVec3;

/// How many candidates are looked at; of more, evenly spaced ones.
const MAX_CANDIDATES: usize = 64;

/// The half-space below the plane through the origin with this normal, and another shape.
pub(super) fn half_space(normal: DVec3, other: &Shape, frame: &Frame, prediction: f64) -> Option<Manifold> {
    let ground = Ground { normal, frame, prediction };
    let down = frame.inverse_vector(-normal);
    match other {
        Shape::Sphere(s) => ground.contact(&Contour::point(Carrier::Sphere, down * s.radius(), 0)),
        Shape::Capsule(c) => ground.contact(&Contour::of_ends(c.half_height()).map(|end| end + down * c.radius())),
        Shape::Cuboid(b) => ground.corners(&BoxParts::new(b).as_polytope()),
        Shape::Hull(h) => ground.corners(&h.as_polytope()),
        Shape::Cylinder(c) => ground.contact(&Contour::of_cylinder(c.half_height(), c.radius(), down, Closeness::WIDE)),
        Shape::Cone(c) => ground.contact(&Contour::of_cone(c.half_height(), c.radius(), down, Closeness::WIDE)),
        Shape::Ellipsoid(e) => ground.contact(&Contour::point(Carrier::Custom, e.support(down), 0)),
        Shape::Custom(c) => ground.contact(&Contour::of_custom(c, down)),
        Shape::HalfSpace(_) | Shape::Mesh(_) | Shape::HeightField(_) | Shape::Torus(_) | Shape::Compound(_) => None,
    }
}

struct Ground<'a> {
    normal: DVec3,
    frame: &'a Frame,
    prediction: f64,
}

impl Ground<'_> {
    /// All corners of a polyhedron that are near enough.
    fn corners(&self, polytope: &Polytope) -> Option<Manifold> {
        let down = self.frame.inverse_vector(self.normal);
        let limit = self.prediction - self.normal.dot(self.frame.translation);
        let near = |v: &DVec3| v.dot(down) <= limit;
        let count = polytope.vertices.iter().filter(|v| near(v)).count();
        if count == 0 {
            return None;
        }
        // Evenly spaced ones if there are too many, but always the deepest.
        let stride = count.div_ceil(MAX_CANDIDATES - 1);
        let deepest = polytope.support(-down);
        let mut corners = [(DVec3::ZERO, 0); MAX_CANDIDATES];
        let (mut taken, mut seen) = (0, 0);
        for (i, &vertex) in polytope.vertices.iter().enumerate() {
            if near(&vertex) {
                if (seen % stride == 0 || i == deepest) && taken < MAX_CANDIDATES {
                    corners[taken] = (self.frame.point(vertex), i as u32);
                    taken += 1;
                }
                seen += 1;
            }
        }
        self.reduce(Carrier::Polytope, &corners[..taken], None)
    }

    /// The corners of a feature that are near enough.
    fn contact(&self, contour: &Contour) -> Option<Manifold> {
        let mut corners = [(DVec3::ZERO, 0); MAX_CANDIDATES];
        let (mut taken, mut inner) = (0, None);
        for (number, (corner, id)) in contour.all().enumerate() {
            let corner = self.frame.point(corner);
            if corner.dot(self.normal) <= self.prediction {
                let is_inner = number == contour.corners().len();
                inner = is_inner.then_some(taken);
                corners[taken] = (corner, id);
                taken += 1;
            }
        }
        self.reduce(contour.carrier(), &corners[..taken], inner)
    }

    /// Four of many corners, `inner` among them.
    fn reduce(&self, carrier: Carrier, corners: &[(DVec3, u32)], inner: Option<usize>) -> Option<Manifold> {
        if corners.is_empty() {
            return None;
        }
        let (x, y) = orthonormal_pair(self.normal);
        let flat = |p: DVec3| DVec3::new(x.dot(p), y.dot(p), self.normal.dot(p));
        let nothing = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (min, max) = corners.iter().map(|c| flat(c.0)).fold(nothing, |(min, max), p| (min.min(p), max.max(p)));
        // What is higher counts as nearer to the middle than it is: of a plate that falls, the corners below hold it, not those
        // above them.
        let (middle, room) = (0.5 * (min + max), self.prediction - min.z);
        let mut selection = select(corners.len(), 0.0, |i| {
            let p = flat(corners[i].0);
            let share = if room > 0.0 { (self.prediction - p.z) / room } else { 1.0 };
            (middle + (p - middle) * share).truncate().extend(p.z)
        });
        if let Some(inner) = inner {
            selection.include(inner, |i| self.normal.dot(corners[i].0));
        }
        let mut manifold = Manifold::new(self.normal);
        for &i in selection.indices() {
            let (corner, id) = corners[i];
            let depth = -self.normal.dot(corner);
            let feature = pack(Kind::IncidentCorner, FACE_OF_A, [id, 0, 0]);
            let position = corner + self.normal * (0.5 * depth);
            let features = [Feature::Plane, carrier.corner(id)];
            manifold.push(ContactPoint { position, depth, feature, features });
        }
        Some(manifold)
    }
}
