//! Contact manifolds of a surface and a convex shape: triangle by triangle, then corrected by what the neighbours say, then
//! merged.
//!
//! Where the normal of a triangle's contact is one that the surface as a whole cannot have ([`normals`](super::normals)), it is
//! replaced by the triangle's own, and the contact is what of the shape lies straight above or below the triangle.
//! Four cases need care:
//!
//! - **At a ridge** the replaced normal may be the long way out, where the normal of a neighbour is short: then the neighbour
//!   has the contact.
//! - **A solid** is only left through its outside. A triangle that has the shape's centre on its inner side is heeded if the
//!   centre is inside the solid and the triangle faces the same way as the nearest place to come out; otherwise it is the
//!   far side of a thin wall, and other triangles hold the shape.
//! - **In a flat region** the triangles that have the same plane all around them are quickly done ([`floor`](super::floor)).
//!   Of the others, points on edges beyond which the plane goes on are left out.
//! - **Under the surface**: what has come through a triangle may lie under others without touching these. They are heeded if
//!   they are neighbours, directly or in a chain, of one that the shape has come through.

use super::cache::Roll;
use super::cluster::Candidate;
use super::floor::{Floor, Verdict};
use super::name::{Triangles, mixed, named};
use super::normals::Place;
use super::penetration::{self, last_touch};
use super::scratch::{Scratch, Spare};
use super::surface::Surface;
use crate::primitive::TriangleFeature;
use crate::query::closest::as_convex;
use crate::query::manifold::{
    ConvexCache, InternalEdges, corners_on_triangle, triangle_contact, triangle_contact_along,
};
use crate::query::{ContactPoint, Feature, FeatureId, Manifold, ManifoldOptions, PointProjection};
use crate::shape::Convex;
use crate::{Aabb, Shape, Transform, Triangle};
use glam::DVec3;

/// Depths that differ by less than this share are equal.
const ROUNDING: f64 = 1e-9;

/// A contact counts as one with the face if its normal is this close (cosine) to the triangle's.
const WITH_FACE: f64 = 0.99;

/// One point: the shortest way out of each other.
pub(super) fn shortest_way_out(a: &Shape, b: &Shape, b_in_a: &Transform) -> Option<Manifold> {
    let out = penetration::shortest_way_out(a, b, b_in_a).filter(|out| out.depth > 0.0)?;
    let mut manifold = Manifold::new(out.normal);
    let (position, depth) = (0.5 * (out.point_a + out.point_b), out.depth);
    manifold.push(ContactPoint { position, depth, feature: FeatureId(0), features: [Feature::Spot; 2] });
    Some(manifold)
}

/// Appends the manifolds of the surface `a` and the convex `shape` placed at `pose`, in the frame of the surface.
pub(super) fn manifolds(
    a: &Shape,
    shape: &Shape,
    pose: &Transform,
    options: &ManifoldOptions,
    known: &mut Roll<ConvexCache>,
    manifolds: &mut Vec<Manifold>,
) {
    Scratch::with(|scratch| {
        let (Some(surface), Some(convex)) = (Surface::of(a), as_convex(shape)) else { return };
        let center = pose.point(convex.center());
        let mut pair = Pair {
            surface,
            shape,
            convex,
            pose,
            options,
            center,
            reach: radius(shape) * (1.0 + ROUNDING) + options.prediction.max(0.0),
            around: shape.local_aabb().expanded(options.prediction.max(0.0)),
            floor: None,
            way_out: None,
            known,
            scratch,
            touches: false,
        };
        if !pair.find() && (pair.touches || surface.contains_point(center)) {
            // Wholly inside, or held by nothing but edges that each leave it to the other.
            manifolds.extend(shortest_way_out(a, shape, pose));
        }
        scratch.candidates.merge_into(manifolds);
    });
}

/// How far a shape reaches from its centre, where that is known.
fn radius(shape: &Shape) -> f64 {
    match shape {
        Shape::Cuboid(cuboid) => cuboid.half_extents().length(),
        Shape::Hull(hull) => hull.bounding_radius(),
        _ => f64::INFINITY,
    }
}

struct Pair<'a, 'b> {
    surface: Surface<'a>,
    shape: &'a Shape,
    convex: &'a dyn Convex,
    pose: &'a Transform,
    options: &'a ManifoldOptions,
    /// The centre of the shape, in the frame of the surface.
    center: DVec3,
    /// The radius of a ball around that, and a box in the frame of the shape, that hold the shape and what is within the prediction of it.
    reach: f64,
    around: Aabb,
    /// The flat region met last.
    floor: Option<Floor>,
    /// The nearest place to come out from the centre, once it is known.
    way_out: Option<Option<PointProjection>>,
    /// What is remembered of the triangles.
    known: &'a mut Roll<'b, ConvexCache>,
    scratch: &'a mut Scratch,
    /// Whether a triangle was crossed whose contact is left to others.
    touches: bool,
}

impl Pair<'_, '_> {
    /// Finds all candidates; `false` if there are none.
    fn find(&mut self) -> bool {
        let region = self.shape.aabb(self.pose).expanded(self.options.prediction.max(0.0));
        self.surface.overlapping(&region, &mut |index| {
            if !self.flat(index) {
                self.triangle(index);
            }
            true
        });
        // Whether the shape has come through the middle of a flat region matters only to what is connected with it.
        if !self.scratch.pending.is_empty() || self.scratch.candidates.is_empty() {
            while let Some(index) = self.scratch.under.pop() {
                self.triangle(index);
            }
        }
        self.spread();
        self.add_spare();
        !self.scratch.candidates.is_empty()
    }

    /// The contact with a triangle amid a flat region; `false` if it is not or must be looked at in full.
    fn flat(&mut self, index: u32) -> bool {
        if self.options.internal_edges == InternalEdges::Keep || !self.surface.is_amid_flat(index) {
            return false;
        }
        let seed = self.surface.flat_seed(index);
        if !self.floor.as_ref().is_some_and(|floor| floor.is_of(seed)) {
            self.floor = Floor::new(self.surface, seed, self.shape, self.pose, self.center);
        }
        let Some(floor) = &self.floor else { return false };
        let Scratch { candidates, under, .. } = &mut *self.scratch;
        let shape = (self.shape, self.pose);
        let add = &mut |candidate| candidates.push(candidate);
        match floor.contacts((self.surface, index), shape, self.center, self.options.prediction, add) {
            Verdict::Done => true,
            Verdict::Under => {
                under.push(index);
                true
            }
            Verdict::Unclear => false,
        }
    }

    /// Whether a triangle is clearly beyond the prediction: outside the ball around the shape, or to one side of the box around it.
    fn is_beside(&self, triangle: &Triangle) -> bool {
        if triangle.closest_point(self.center).point.distance_squared(self.center) > self.reach * self.reach {
            return true;
        }
        let corners = triangle.vertices.map(|vertex| self.pose.inverse_point(vertex));
        !Triangle { vertices: corners }.aabb().overlaps(&self.around)
    }

    /// The contact with one triangle.
    fn triangle(&mut self, index: u32) -> Option<()> {
        let triangle = self.surface.triangle(index);
        let outward = self.facing(index, &triangle)?;
        let depth = self.depth_along(&triangle, outward);
        if depth < -self.options.prediction {
            return None;
        }
        let known = match self.is_beside(&triangle) {
            true => None,
            false => Some(self.known.meet(index)),
        };
        let found = known.and_then(|known| triangle_contact(&triangle, self.shape, self.pose, self.options, known));
        let Some(found) = found else {
            if depth > 0.0 {
                self.scratch.pending.push(index);
            }
            return None;
        };
        let u = found.manifold.normal;
        let crosses = found.manifold.max_depth() > 0.0;
        let along = if self.surface.is_solid() { u.dot(outward) } else { u.dot(outward).abs() };
        let place = Place { surface: self.surface, index, triangle: &triangle, feature: found.feature };
        let keep = self.options.internal_edges == InternalEdges::Keep && (!self.surface.is_solid() || along > 0.0);
        if along > 1.0 - 1e-9 || keep || place.admits(u) {
            if crosses && along > WITH_FACE {
                self.scratch.crossed.push(index);
            }
            if along > WITH_FACE {
                self.add_face(&found.manifold, &triangle, index, found.feature);
            } else {
                self.add(&found.manifold, index, found.feature, 0);
            }
            return Some(());
        }
        if !crosses {
            match self.along(&triangle, outward) {
                Some(manifold) if u.dot(outward) >= 0.0 && manifold.max_depth() <= 0.0 => {
                    self.add_face(&manifold, &triangle, index, TriangleFeature::Face);
                }
                _ => self.scratch.pending.push(index),
            }
            return Some(());
        }
        self.touches = true;
        if self.surface.is_solid() && outward.dot(self.center - triangle.vertices[0]) < 0.0 {
            let nearest = self.way_out.get_or_insert_with(|| self.surface.closest_point(self.center));
            if !nearest.is_some_and(|n| n.distance < 0.0 && n.normal.dot(outward) > 0.0) {
                return None;
            }
        }
        if place.neighbors_part_sooner(depth, |n| self.depth_along(&triangle, n)) {
            return None;
        }
        self.scratch.crossed.push(index);
        match self.along(&triangle, outward) {
            Some(manifold) => self.add_face(&manifold, &triangle, index, TriangleFeature::Face),
            None => self.scratch.spare.push(Spare { index, outward, depth }),
        }
        Some(())
    }

    /// The normal of a triangle on the side where contacts push.
    fn facing(&self, index: u32, triangle: &Triangle) -> Option<DVec3> {
        let face = self.surface.normal(index)?;
        let in_front = self.surface.is_solid() || face.dot(self.center - triangle.vertices[0]) >= 0.0;
        Some(if in_front { face } else { -face })
    }

    /// Adds the contact with the face of a triangle: without points on edges beyond which the plane goes on, and with all corners of
    /// the shape.
    fn add_face(&mut self, manifold: &Manifold, triangle: &Triangle, index: u32, touched: TriangleFeature) {
        let keep = self.options.internal_edges == InternalEdges::Keep;
        let level = if keep { 0 } else { self.surface.level_edges(index) };
        let all = self.add(manifold, index, touched, level);
        // Two or three points of a polyhedron's face are all there are, each with its name.
        let is_complete = all && matches!(self.shape, Shape::Cuboid(_) | Shape::Hull(_));
        if !(is_complete && (2..Manifold::MAX_POINTS).contains(&manifold.points().len())) {
            self.add_corners(triangle, index, manifold.normal);
        }
    }

    /// Adds the points of a manifold but those on level edges of the triangle; `false` if there are such.
    fn add(&mut self, manifold: &Manifold, index: u32, touched: TriangleFeature, level: u8) -> bool {
        let mut all = true;
        let triangle = Triangles { surface: self.surface, index };
        let part_a = self.surface.patch(index);
        for point in manifold.points() {
            let feature = named(point.feature, triangle, touched);
            let features = [point.features[0].of_triangle(index), point.features[1]];
            if is_on_level_edge(features[0], level) {
                all = false;
                continue;
            }
            let point = ContactPoint { feature, features, ..*point };
            self.scratch.candidates.push(Candidate { point, normal: manifold.normal, part_a, part_b: 0 });
        }
        all
    }

    /// The corners of the shape above or below a triangle, which a manifold of four points may have left out.
    fn add_corners(&mut self, triangle: &Triangle, index: u32, normal: DVec3) {
        let (shape, pose, prediction) = (self.shape, self.pose, self.options.prediction);
        corners_on_triangle(triangle, shape, pose, normal, prediction, &mut |corner| {
            self.add(&corner, index, TriangleFeature::Face, 0);
        });
    }

    /// What of the shape lies straight above or below the triangle.
    fn along(&self, triangle: &Triangle, outward: DVec3) -> Option<Manifold> {
        triangle_contact_along(triangle, self.shape, self.pose, outward, self.options.prediction)
    }

    /// The point of the shape that lies lowest along a direction.
    fn lowest(&self, up: DVec3) -> DVec3 {
        self.pose.point(self.convex.support(self.pose.inverse_vector(-up))) - up * self.convex.radius()
    }

    /// How far the shape must go along `n` for a plane across it to part it from the triangle.
    fn depth_along(&self, triangle: &Triangle, n: DVec3) -> f64 {
        triangle.project(n).1 - self.lowest(n).dot(n)
    }

    /// The deepest point under a triangle where the shape's lowest feature lies elsewhere: where the shape, lifted out, touches
    /// the triangle last.
    fn deepest_under(&self, triangle: &Triangle, index: u32, outward: DVec3) -> Option<Candidate> {
        let tolerance = 1e-9 * triangle.aabb().extents().length();
        let end = last_touch(triangle, self.convex, self.pose, outward, 0.0, tolerance)?;
        let (position, depth) = (end.point - outward * (0.5 * end.length), end.length);
        let features = [Feature::Face(0).of_triangle(index), Feature::Spot];
        let point = ContactPoint { position, depth, feature: mixed(FeatureId(0), index), features };
        Some(Candidate { point, normal: outward, part_a: self.surface.patch(index), part_b: 0 })
    }

    /// Heeds the triangles behind which the shape lies, as far as they are connected with those it has come through.
    fn spread(&mut self) {
        let mut next = 0;
        while next < self.scratch.crossed.len() && !self.scratch.pending.is_empty() {
            let index = self.scratch.crossed[next];
            next += 1;
            for edge in 0..3 {
                let Some((neighbor, _)) = self.surface.neighbor(index, edge) else { continue };
                let Some(at) = self.scratch.pending.iter().position(|&p| p == neighbor) else { continue };
                self.scratch.pending.swap_remove(at);
                let triangle = self.surface.triangle(neighbor);
                let Some(outward) = self.facing(neighbor, &triangle) else { continue };
                let Some(here) = self.facing(index, &self.surface.triangle(index)) else { continue };
                // Not round a corner.
                if outward.dot(here) < 0.5 {
                    continue;
                }
                self.scratch.crossed.push(neighbor);
                if let Some(manifold) = self.along(&triangle, outward) {
                    self.add_face(&manifold, &triangle, neighbor, TriangleFeature::Face);
                }
            }
        }
    }

    /// Points under single triangles count where nothing deeper is known that way.
    fn add_spare(&mut self) {
        let mut spare = std::mem::take(&mut self.scratch.spare);
        // Most are not deeper than what is known, however deep they are.
        spare.retain(|s| self.scratch.candidates.lacks(s.outward, s.depth * (1.0 - ROUNDING)));
        // Not against each other.
        let first = self.scratch.candidates.len();
        for Spare { index, outward, .. } in spare.drain(..) {
            if let Some(deepest) = self.deepest_under(&self.surface.triangle(index), index, outward)
                && self.scratch.candidates.lack_among(first, outward, deepest.point.depth)
            {
                self.scratch.candidates.push(deepest);
            }
        }
        self.scratch.spare = spare;
    }
}

/// Whether a feature of a triangle is an edge among these (bits), or a corner between two of them.
fn is_on_level_edge(feature: Feature, level: u8) -> bool {
    let is_level = |edge: u8| level >> (edge % 3) & 1 == 1;
    match feature {
        Feature::Triangle { part: TriangleFeature::Edge(edge), .. } => is_level(edge),
        // Edge `i` begins at corner `i`, edge `i + 2` ends there.
        Feature::Triangle { part: TriangleFeature::Vertex(corner), .. } => is_level(corner) && is_level(corner + 2),
        _ => false,
    }
}
