//! Pairs with a mesh, a height field or a compound: found through their hierarchies, answered part by part.

use super::{ClosestPoints, Manifold, ManifoldOptions, PairCache, Penetration};
use crate::{Shape, Transform};
use glam::DVec3;

pub(super) fn intersects(_a: &Shape, _b: &Shape, _b_in_a: &Transform) -> bool {
    false
}

pub(super) fn distance(_a: &Shape, _b: &Shape, _b_in_a: &Transform) -> ClosestPoints {
    ClosestPoints { distance: 0.0, point_a: DVec3::ZERO, point_b: DVec3::ZERO }
}

pub(super) fn penetration(_a: &Shape, _b: &Shape, _b_in_a: &Transform) -> Option<Penetration> {
    None
}

pub(super) fn manifolds(
    _a: &Shape,
    _b: &Shape,
    _b_in_a: &Transform,
    _options: &ManifoldOptions,
    _cache: &mut PairCache,
    _manifolds: &mut Vec<Manifold>,
) {
}
