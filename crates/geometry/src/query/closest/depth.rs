//! Penetration depth measured from outside, to the last digit.
//!
//! Given a direction n in which overlapping cores come apart, the second is moved out along n until there is a clear
//! gap, and the distance there is measured exactly. The normal n′ of that distance is a better direction than n was.
//! With `x = L n` the place of the origin after a move by L, and `h` the support function of the difference D,
//!
//! ```text
//! distance(x, D) = max over m of (L n·m − h(m)) ≥ L − h(n)   ⇒   h(n′) ≤ h(n) − L (1 − n·n′)
//! ```
//!
//! so the depth never grows from one round to the next, and a direction that stays is a (local) minimum of h. On flat
//! faces one round is exact. On a curved boundary of radius R the error shrinks by `(depth + gap)/(R + gap)` per round,
//! slowly where the depth is almost R; extrapolating from the last rounds (Anderson 1965) restores fast convergence.

use super::difference::Difference;
use super::gjk::{self, Gap};
use crate::shape::Convex;
use glam::DVec3;

/// Rounds of improvement. Flat contacts need one, curved ones three to ten.
const MAX_ROUNDS: usize = 32;

/// An improvement of the depth below this, relative to the numbers it is computed from, is none.
const TOLERANCE: f64 = 1e-15;

/// A measured overlap of two cores.
#[derive(Clone, Copy, Debug)]
pub(super) struct Depth {
    /// How far the second core must move along the normal to touch the first; may be negative by rounding.
    pub(super) depth: f64,
    /// The unit normal from the first to the second.
    pub(super) normal: DVec3,
    /// The deepest points of the two cores.
    pub(super) point_a: DVec3,
    pub(super) point_b: DVec3,
}

/// The depth of overlapping cores along the best direction near `normal`.
pub(super) fn measure<A, B>(difference: &Difference<A, B>, normal: DVec3) -> Option<Depth>
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let mut best: Option<Depth> = None;
    let mut normal = normal;
    for _ in 0..MAX_ROUNDS {
        let (next, tolerance) = improve(difference, normal)?;
        let settled = best.is_some_and(|best| next.depth >= best.depth - tolerance);
        if best.is_none_or(|best| next.depth <= best.depth) {
            best = Some(next);
        }
        if settled {
            break;
        }
        normal = next.normal;
    }
    best
}

/// One round: the measured depth near `normal`, and what counts as rounding.
fn improve<A, B>(difference: &Difference<A, B>, normal: DVec3) -> Option<(Depth, f64)>
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let vertex = difference.support(normal);
    let magnitude = vertex.magnitude();
    // Two points in the same place have no size to go by.
    let clearance = if magnitude > 0.0 { 0.1 * magnitude } else { 1.0 };
    let shift = normal * (vertex.point.dot(normal) + clearance);
    let Gap::Apart { normal: better, simplex, .. } = gjk::gap(&difference.moved(shift), normal, f64::INFINITY) else {
        return None;
    };
    let (point_a, point_b) = simplex.witnesses();
    let depth = Depth { depth: difference.overlap(better), normal: better, point_a, point_b: point_b - shift };
    Some((depth, TOLERANCE * magnitude))
}
