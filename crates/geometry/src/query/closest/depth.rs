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

use super::Separation;
use super::difference::Difference;
use super::gjk::{self, Gap};
use crate::math::orthonormal_pair;
use crate::shape::Convex;
use glam::{DMat2, DVec2, DVec3};

/// Rounds of improvement. Flat contacts need one, curved ones three to ten.
const MAX_ROUNDS: usize = 32;

/// How far apart the cores are moved, relative to the numbers behind them. Far for the direction to keep all its digits; if
/// that does not converge, nearer: on curved parts the convergence is the faster the smaller the clearance is.
const CLEARANCES: [f64; 2] = [0.1, 1e-3];

/// Doublings of a step.
const MAX_STRIDES: usize = 32;

/// Rounds without improvement before the search ends.
const MAX_STALLED: usize = 2;

/// The points fit the normal well enough when they are this little off, relative to the numbers they are computed from.
const SETTLED: f64 = 1e-13;

/// Off by more than this, they have not converged.
const NEARLY_SETTLED: f64 = 1e-6;

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
    let (mut best, magnitude) = improve(difference, normal, CLEARANCES[0])?;
    for clearance in CLEARANCES {
        best = converge(difference, best, clearance, magnitude)?;
        if best.excess().length() <= NEARLY_SETTLED * magnitude {
            break;
        }
    }
    Some(align(difference, best))
}

/// Repeats measurements at one clearance until they no longer improve.
fn converge<A, B>(difference: &Difference<A, B>, start: Depth, clearance: f64, magnitude: f64) -> Option<Depth>
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let mut best = start;
    let (mut from, mut to) = (start.normal, start.normal);
    let mut next = to;
    let mut stalled = 0;
    for _ in 0..MAX_ROUNDS {
        if best.excess().length() <= SETTLED * magnitude || stalled > MAX_STALLED {
            break;
        }
        let (depth, _) = improve(difference, next, clearance)?;
        let better = depth.is_better_than(&best, TOLERANCE * magnitude);
        stalled = if better { 0 } else { stalled + 1 };
        if better {
            best = depth;
        }
        let leap = extrapolate((from, to), (next, depth.normal));
        (from, to) = (next, depth.normal);
        // A leap must pay.
        next = leap
            .filter(|&leap| difference.overlap(leap) <= depth.depth)
            .unwrap_or_else(|| stride(difference, &depth, depth.normal - next));
    }
    Some(best)
}

/// Ever longer steps from a measured depth in one direction, as long as they go downhill. Where a small shape sits in the
/// middle of a large round one, all steps are short and of the same length: the secant sees no end.
fn stride<A, B>(difference: &Difference<A, B>, start: &Depth, step: DVec3) -> DVec3
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let (mut least, mut normal) = (start.depth, start.normal);
    let mut step = 2.0 * step;
    for _ in 0..MAX_STRIDES {
        let Some(farther) = (start.normal + step).try_normalize() else { break };
        let depth = difference.overlap(farther);
        if depth >= least || depth.is_nan() {
            break;
        }
        (least, normal) = (depth, farther);
        step *= 2.0;
    }
    normal
}

/// Where a sequence of directions is heading, from its last two steps `from → to`: the secant method (Anderson's with one
/// step of memory), scaled to unit length.
fn extrapolate(before: (DVec3, DVec3), latest: (DVec3, DVec3)) -> Option<DVec3> {
    let (step_before, step) = (before.1 - before.0, latest.1 - latest.0);
    let change = step - step_before;
    let square = change.length_squared();
    let ahead = if square > 0.0 { step.dot(change) / square } else { 0.0 };
    (latest.1 - (latest.1 - before.1) * ahead).try_normalize()
}

impl From<Depth> for Separation {
    fn from(found: Depth) -> Self {
        let Depth { depth, normal, point_a, point_b } = found;
        Self { distance: -depth, normal, point_a, point_b }
    }
}

impl Depth {
    /// The part of the vector between the points that is not along the normal; zero at an exact minimum.
    fn excess(&self) -> DVec3 {
        self.point_a - self.point_b - self.normal * self.depth
    }

    fn is_better_than(&self, other: &Self, tolerance: f64) -> bool {
        self.depth < other.depth - tolerance
            || (self.depth <= other.depth + tolerance
                && self.excess().length_squared() < other.excess().length_squared())
    }
}

/// Makes the points span exactly `depth · normal`.
///
/// Rounding leaves the normal of a curved contact uncertain by √ε, some 1e-8, and the points off each other by that much
/// sideways. Each point slides along its surface to take its share: if the normal turns by φ (a vector in the tangent
/// plane), the support points move by `A φ` and `−B φ`, A and B being the matrices of the radii of curvature. The φ that
/// makes up for the excess e is `(A + B)⁻¹ e`; the shares are `A φ` and `B φ`.
fn align<A, B>(difference: &Difference<A, B>, depth: Depth) -> Depth
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let Depth { normal, point_a, point_b, .. } = depth;
    let excess = depth.excess();
    if excess.length_squared() == 0.0 {
        return depth;
    }
    let (u, v) = orthonormal_pair(normal);
    let flat = |vector: DVec3| DVec2::new(vector.dot(u), vector.dot(v));
    let (by_u, by_v) = (turned(difference, normal, u), turned(difference, normal, v));
    let radii_a = DMat2::from_cols(flat(by_u.0), flat(by_v.0));
    let radii_b = DMat2::from_cols(flat(by_u.1), flat(by_v.1));
    let excess = flat(excess);
    let mut share = radii_a * ((radii_a + radii_b).inverse() * excess);
    if !share.is_finite() || share.length_squared() > 1e4 * excess.length_squared() {
        // Both flat, or both sharp: the one with the larger radius in that direction moves.
        let larger = (radii_a * excess).dot(excess) >= (radii_b * excess).dot(excess);
        share = if larger { excess } else { DVec2::ZERO };
    }
    let rest = excess - share;
    Depth { point_a: point_a - (u * share.x + v * share.y), point_b: point_b + (u * rest.x + v * rest.y), ..depth }
}

/// How far the support points of the first core and of the reversed second move when the normal turns a little towards
/// `side`: by an angle that is small, but large against the uncertainty of the normal.
fn turned<A, B>(difference: &Difference<A, B>, normal: DVec3, side: DVec3) -> (DVec3, DVec3)
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let [one, other] = [1e-6, -1e-6].map(|angle| difference.support((normal + side * angle).normalize()));
    (one.a - other.a, other.b - one.b)
}

/// One round: the measured depth near `normal`, and the size of the numbers behind it.
fn improve<A, B>(difference: &Difference<A, B>, normal: DVec3, clearance: f64) -> Option<(Depth, f64)>
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let front = difference.support(normal);
    let magnitude = front.magnitude().max(difference.support(-normal).magnitude());
    // Two points in the same place have no size to go by.
    let clearance = if magnitude > 0.0 { clearance * magnitude } else { 1.0 };
    let shift = normal * (front.point.dot(normal) + clearance);
    let Gap::Apart { normal: better, simplex, .. } = gjk::gap(&difference.moved(shift), normal, f64::INFINITY) else {
        return None;
    };
    let (point_a, point_b) = simplex.witnesses();
    let depth = Depth { depth: difference.overlap(better), normal: better, point_a, point_b: point_b - shift };
    Some((depth, magnitude))
}
