//! Contact manifolds of convex pairs: up to four points that hold one shape on the other.
//!
//! Each kernel works in the frame of the first shape and in three steps: find the axis along which the shapes are
//! farthest apart or overlap least ([`cache`] remembers it), find the features that meet there, and cut them against
//! each other ([`clip`], [`select`]). Points are named by the features that make them ([`name`]).
//!
//! | pair | axis | features |
//! |---|---|---|
//! | box–box | 15 axes in closed form ([`box_box`]) | faces clipped, edges |
//! | boxes, hulls, triangles | separating axes with bounds ([`sat`]) | faces clipped, edges ([`face_contact`]) |
//! | sphere–anything | closest point of the surface ([`round`]) | one point |
//! | capsules | segments in closed form, faces proven ([`round`]) | segment clipped ([`meet`]) |
//! | half-space–anything | its normal ([`half_space`]) | the deepest points |
//! | cylinder, cone, user-defined; large hulls | GJK and EPA ([`general`]) | caps, side lines, faces clipped ([`contour`], [`meet`]) |

mod box_box;
mod cache;
mod clip;
mod contour;
mod face_contact;
mod frame;
mod general;
mod half_space;
mod meet;
mod name;
mod polytope;
mod recycle;
mod round;
mod sat;
mod select;
mod triangle;

use super::Manifold;
use super::closest::is_usable;
use super::composite::{self, CompositeCache};
use crate::{Shape, Transform};
pub(crate) use cache::ConvexCache;
use frame::Frame;
use polytope::BoxParts;
pub(super) use recycle::{Carriage, Known, Reaches, keep_within};
use recycle::{Recycled, convex_reaches};
pub(super) use select::select;
pub(super) use triangle::{
    Underside, corners_on_triangle, feature_along, triangle_contact, triangle_contact_along, triangles_contact,
};

/// How contact manifolds are made.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ManifoldOptions {
    /// Points are reported up to this gap between the surfaces, in metres. Points with a gap are *speculative contacts*: a
    /// method that keeps a gap from closing too far within a step lets nothing through (no *tunnelling*). Default 0.02.
    pub prediction: f64,
    /// While a pair has moved by less than this share of the smaller shape's size since its manifold was found, its
    /// points are kept and only their depths measured anew. Default 1e-3; zero finds every manifold from scratch.
    pub recycling: f64,
    /// What happens at the edges between the triangles of meshes and height fields. Default: [`InternalEdges::Correct`].
    pub internal_edges: InternalEdges,
}

/// What to do with contact normals that belong to an edge or a corner of a triangle.
///
/// A triangle of a floor does not know that the floor goes on beyond its edges. A box that slides over such an edge is
/// therefore stopped by it, or bumps, unless the neighbours are asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum InternalEdges {
    /// A normal that the surface as a whole cannot have there is replaced by the triangle's own. The default.
    #[default]
    Correct,
    /// Each triangle is taken for itself.
    Keep,
}

impl Default for ManifoldOptions {
    fn default() -> Self {
        Self { prediction: 0.02, recycling: 1e-3, internal_edges: InternalEdges::default() }
    }
}

/// What a pair remembers from one call to the next to answer faster and steadily. It belongs to one pair of shapes:
/// start anew if a shape is replaced.
#[derive(Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PairCache {
    convex: ConvexCache,
    recycled: Option<Recycled>,
    parts: Option<Box<CompositeCache>>,
}

/// A copy that uses the memory of what it replaces.
impl Clone for PairCache {
    fn clone(&self) -> Self {
        Self { parts: self.parts.clone(), ..*self }
    }

    fn clone_from(&mut self, other: &Self) {
        (self.convex, self.recycled) = (other.convex, other.recycled);
        self.parts.clone_from(&other.parts);
    }
}

impl PairCache {
    /// Appends the manifold that is known, carried along to where the shapes are now, if that is near enough to where it was found
    /// ([`ManifoldOptions::recycling`]); `false` if [`contact_manifolds`](super::contact_manifolds) has to find it. It would find the same.
    pub fn recycle(
        &self,
        shapes: [&Shape; 2],
        b_in_a: &Transform,
        options: &ManifoldOptions,
        manifolds: &mut Vec<Manifold>,
    ) -> bool {
        match &self.parts {
            Some(parts) => composite::recycle(shapes, b_in_a, options, parts, manifolds),
            None => self.recycled.as_ref().is_some_and(|known| known.append(shapes, b_in_a, options, manifolds)),
        }
    }

    /// The memory of a pair of which one is made of parts.
    pub(super) fn of_parts(&mut self) -> &mut CompositeCache {
        self.parts.get_or_insert_default()
    }
}

pub(super) fn convex_manifold(
    a: &Shape,
    b: &Shape,
    b_in_a: &Transform,
    options: &ManifoldOptions,
    cache: &mut PairCache,
    manifolds: &mut Vec<Manifold>,
) {
    if cache.recycle([a, b], b_in_a, options, manifolds) {
        return;
    }
    let is_in_haste = cache.recycled.take().is_some_and(|recycled| recycled.known.is_far_behind(b_in_a));
    let reaches = convex_reaches(a, b).filter(|_| is_usable(b_in_a));
    let Some((reaches, (known, generous))) = reaches.and_then(|r| Some((r, Known::new(r, b_in_a, options)?))) else {
        manifolds.extend(convex_pair(a, b, b_in_a, options, &mut cache.convex));
        return;
    };
    if !is_in_haste {
        let Some(manifold) = convex_pair(a, b, b_in_a, &generous, &mut cache.convex) else { return };
        let mut asked_for = manifold;
        if keep_within(&mut asked_for, options.prediction) && !asked_for.points().is_empty() {
            cache.recycled = Some(Recycled { known, manifold });
            manifolds.push(asked_for);
            return;
        }
    }
    // Points beyond the prediction stand where others might: without them.
    if let Some(manifold) = convex_pair(a, b, b_in_a, options, &mut cache.convex) {
        cache.recycled = Some(Recycled { known: Known::exactly(reaches, b_in_a, options), manifold });
        manifolds.push(manifold);
    }
}

/// The manifold of two convex shapes.
pub(crate) fn convex_pair(
    a: &Shape,
    b: &Shape,
    b_in_a: &Transform,
    options: &ManifoldOptions,
    cache: &mut ConvexCache,
) -> Option<Manifold> {
    if !is_usable(b_in_a) {
        return None;
    }
    let frame = Frame::new(b_in_a);
    let prediction = options.prediction;
    match (a, b) {
        (Shape::Cuboid(p), Shape::Cuboid(q)) => box_box::box_box(p, q, b_in_a, &frame, prediction, cache),
        (Shape::Hull(p), Shape::Hull(q)) => {
            general::polytopes((&p.as_polytope(), &**p), (&q.as_polytope(), &**q), b_in_a, &frame, prediction, cache)
        }
        (Shape::Cuboid(p), Shape::Hull(q)) => {
            let parts = BoxParts::new(p);
            general::polytopes((&parts.as_polytope(), p), (&q.as_polytope(), &**q), b_in_a, &frame, prediction, cache)
        }
        (Shape::HalfSpace(_), Shape::HalfSpace(_)) => None,
        (Shape::HalfSpace(ground), _) => half_space::half_space(ground.normal(), b, &frame, prediction),
        (_, Shape::Sphere(q)) => round::sphere(a, q, b_in_a.translation, prediction),
        (Shape::Sphere(p), _) => round::sphere_first(p, b, b_in_a, prediction),
        (Shape::Capsule(p), Shape::Capsule(q)) => round::capsule_capsule(p, q, &frame, prediction),
        (Shape::Cuboid(p), Shape::Capsule(q)) => {
            let parts = BoxParts::new(p);
            round::capsule_polytope((&parts.as_polytope(), p), q, b_in_a, &frame, prediction, cache)
        }
        (Shape::Hull(p), Shape::Capsule(q)) => {
            round::capsule_polytope((&p.as_polytope(), &**p), q, b_in_a, &frame, prediction, cache)
        }
        _ if is_first(a, b) => general::shapes(a, b, b_in_a, &frame, prediction, cache),
        // Seen from the other side.
        _ => {
            let a_in_b = b_in_a.inverse();
            convex_pair(b, a, &a_in_b, options, cache).map(|manifold| manifold.flipped(&a_in_b))
        }
    }
}

/// Whether the general kernel takes a pair in this order: kernels for special pairs expect half-spaces, then
/// polyhedra first and spheres and capsules last.
fn is_first(a: &Shape, b: &Shape) -> bool {
    let rank = |shape: &Shape| match shape {
        Shape::HalfSpace(_) => 0,
        Shape::Cuboid(_) => 1,
        Shape::Hull(_) => 2,
        Shape::Cylinder(_) => 3,
        Shape::Cone(_) => 4,
        Shape::Custom(_) | Shape::Ellipsoid(_) => 5,
        Shape::Capsule(_) => 6,
        Shape::Sphere(_) => 7,
        Shape::Mesh(_) | Shape::HeightField(_) | Shape::Torus(_) | Shape::Compound(_) => 8,
    };
    rank(a) <= rank(b)
}
