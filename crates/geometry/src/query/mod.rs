//! Questions to pairs of shapes: do they touch, how far apart are they, how deep do they overlap, where are they in
//! contact, when will they touch. Collision detection calls this the *narrow phase*; which pairs are worth asking about is found by
//! the [broad phase](crate::broad_phase).
//!
//! Pair queries take `(a, b, b_in_a)` with `b_in_a` the pose of `b` in the frame of `a` ([`Transform::to_local`]), and
//! answer in the frame of `a`. One table (`dispatch`) chooses the kernel for each pair of kinds. No query panics;
//! poses that are not finite give no contact.

pub(crate) mod closest;
mod composite;
mod dispatch;
mod feature;
mod manifold;
mod motion;
mod path;
pub(crate) mod point;
pub(crate) mod point_ellipsoid;
pub(crate) mod ray;
mod shape_cast;
mod span;
pub(crate) mod support_ray;
mod time_of_impact;
pub(crate) mod torus_ray;
mod types;

pub use closest::{Separation, separation, separation_within};
pub use feature::{Feature, FeatureGeometry, Pole};
pub use manifold::{InternalEdges, ManifoldOptions, PairCache};
pub use motion::Motion;
pub use path::{Ballistic, Path, PathBounds};
pub use shape_cast::{ShapeHit, cast_shape};
pub(crate) use span::Span;
pub use time_of_impact::{Impact, ImpactOptions, ImpactStatus, time_of_impact, time_of_impact_along};
pub use types::{ClosestPoints, ContactPoint, FeatureId, Manifold, Penetration, PointProjection, RayHit};

use crate::{Shape, Transform};

/// Whether the shapes share a point; touching counts.
///
/// Meshes and height fields count with their surface; a closed mesh also with its inside, a height field with all
/// below it.
pub fn intersects(a: &Shape, b: &Shape, b_in_a: &Transform) -> bool {
    (dispatch::kernel(a, b).intersects)(a, b, b_in_a)
}

/// The distance of the shapes and the points where they are closest.
pub fn distance(a: &Shape, b: &Shape, b_in_a: &Transform) -> ClosestPoints {
    (dispatch::kernel(a, b).distance)(a, b, b_in_a)
}

/// How deep the shapes overlap; `None` if they are apart.
///
/// For meshes, height fields and compounds the shortest of several ways out is found, not always the very shortest: moving the
/// second shape by `depth · normal` frees it, and it touches the first all the way there. A mesh that is not solid is a thin
/// sheet, left on the side of the other shape's centre. A height field against a half-space counts with its surface alone.
pub fn penetration(a: &Shape, b: &Shape, b_in_a: &Transform) -> Option<Penetration> {
    (dispatch::kernel(a, b).penetration)(a, b, b_in_a)
}

/// Appends the contact manifolds of the pair to `manifolds`: at most one of up to four points for a convex pair, several
/// where meshes, height fields or compounds are involved.
///
/// `cache` belongs to the pair and makes the next call faster; start with `PairCache::default()`.
pub fn contact_manifolds(
    a: &Shape,
    b: &Shape,
    b_in_a: &Transform,
    options: &ManifoldOptions,
    cache: &mut PairCache,
    manifolds: &mut Vec<Manifold>,
) {
    (dispatch::kernel(a, b).manifolds)(a, b, b_in_a, options, cache, manifolds);
}
