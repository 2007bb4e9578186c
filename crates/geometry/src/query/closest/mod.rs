//! Distance and penetration of convex pairs.

use super::{ClosestPoints, Penetration};
use crate::{Shape, Transform};
use glam::DVec3;

pub(super) fn convex_intersects(a: &Shape, b: &Shape, b_in_a: &Transform) -> bool {
    convex_penetration(a, b, b_in_a).is_some()
}

pub(super) fn convex_distance(_a: &Shape, _b: &Shape, _b_in_a: &Transform) -> ClosestPoints {
    ClosestPoints { distance: 0.0, point_a: DVec3::ZERO, point_b: DVec3::ZERO }
}

pub(super) fn convex_penetration(_a: &Shape, _b: &Shape, _b_in_a: &Transform) -> Option<Penetration> {
    None
}
