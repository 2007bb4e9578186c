//! The distance of two convex cores: the algorithm of Gilbert, Johnson and Keerthi.
//!
//! A simplex of points of the difference D approaches the point v of D closest to the origin. Each round asks for the
//! support point w of D towards the origin, that is along `n = −v/|v|`. Two bounds enclose the distance:
//!
//! ```text
//! −n·w  ≤  distance  ≤  |v|
//! ```
//!
//! the left one because D lies behind the plane through w with normal n, the right one because v is a point of D. The
//! loop ends when they meet to rounding, so the answer is certified and not merely "no longer changing"; and it ends as
//! soon as the left one passes a limit the caller is interested in.

use super::difference::Difference;
use super::polish::polish;
use super::simplex::{Closest, Simplex};
use crate::shape::Convex;
use glam::DVec3;

/// The rounds after which the search gives up improving. Polytopes need 3 to 10, curved shapes 10 to 30.
const MAX_ROUNDS: usize = 128;

/// The two bounds of the distance count as equal within this, relative to the numbers they are computed from.
const TOLERANCE: f64 = 1e-15;

/// The most that rounding adds to a bound, relative to the numbers.
const ROUNDING: f64 = 1e-14;

/// When the bounds agree to this, relative to the numbers, and still have not met, a search for curved surfaces is tried.
const CURVED: f64 = 1e-3;

/// Rounds without progress before the search ends.
const MAX_STALLED: usize = 4;

/// When the search ends by stalling, its answer is accepted if the bounds agree within this, relative to the numbers.
const ACCEPTED: f64 = 1e-12;

/// The simplex with the closest bounds so far.
struct Best {
    distance: f64,
    /// The lower bound its normal shows.
    bound: f64,
    normal: DVec3,
    simplex: Simplex,
}

/// What is known about the distance of two cores.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Gap {
    /// The cores are apart.
    Apart {
        /// Their distance.
        distance: f64,
        /// The unit vector from the closest point of the first to that of the second.
        normal: DVec3,
        /// The simplex of the difference that holds the closest point.
        simplex: Simplex,
        /// Whether the bounds met. If not, rounding stopped the search: the cores almost touch.
        certain: bool,
    },
    /// The cores are farther apart than the limit.
    Beyond,
    /// The cores share a point: the origin lies in this simplex, up to rounding.
    Overlap { simplex: Simplex },
    /// The numbers are not finite.
    Undefined,
}

/// The distance of the cores, or the knowledge that it exceeds `limit`. `start` is a guess of the normal, of any length.
pub(crate) fn gap<A, B>(difference: &Difference<A, B>, start: DVec3, limit: f64) -> Gap
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    gap_until(difference, start, limit, |_, _| false)
}

/// As [`gap`], but content as soon as `enough` holds of the upper and the lower bound of the distance.
pub(super) fn gap_until<A, B>(
    difference: &Difference<A, B>,
    start: DVec3,
    limit: f64,
    enough: impl Fn(f64, f64) -> bool,
) -> Gap
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    let start = start.try_normalize().unwrap_or(DVec3::Y);
    let first = difference.support(start);
    let mut magnitude = first.magnitude();
    if !first.is_usable() {
        return Gap::Undefined;
    }
    let mut simplex = Simplex::new(first);
    let mut best = Best { distance: f64::INFINITY, bound: f64::NEG_INFINITY, normal: start, simplex };
    // The direction with the best lower bound.
    let mut at_least = f64::NEG_INFINITY;
    let mut shown_by = start;
    let mut shortest = f64::INFINITY;
    let mut stalled = 0;
    let mut try_again = CURVED * magnitude;
    for _ in 0..MAX_ROUNDS {
        let (distance, normal) = match simplex.reduce(magnitude, shortest) {
            Closest::Outside { distance, normal: Some(normal) } if distance > TOLERANCE * magnitude => {
                (distance, normal)
            }
            // A gap that has been shown is not closed by a sliver of rounding.
            _ if at_least > ROUNDING * magnitude => break,
            _ => return Gap::Overlap { simplex },
        };
        // Rounding hides small steps; after such a step often comes a large one.
        stalled = if distance < shortest { 0 } else { stalled + 1 };
        shortest = shortest.min(distance);

        let vertex = difference.support(normal);
        magnitude = magnitude.max(vertex.magnitude());
        if !vertex.is_usable() {
            return Gap::Undefined;
        }
        let bound = -vertex.point.dot(normal);
        if bound > limit + ROUNDING * magnitude {
            return Gap::Beyond;
        }
        if bound > at_least {
            (at_least, shown_by) = (bound, normal);
        }
        if distance - bound < best.distance - best.bound {
            best = Best { distance, bound, normal, simplex };
        }
        if enough(distance, bound) {
            return Gap::Apart { distance, normal, simplex, certain: true };
        }
        let met = distance - bound <= TOLERANCE * magnitude;
        if met || stalled > MAX_STALLED || simplex.contains(vertex.point) {
            break;
        }
        // What comes that close without meeting is curved.
        if distance - bound < try_again {
            let tolerance = TOLERANCE * magnitude;
            if let Some(found) = polish(difference, &simplex, distance - bound, normal, magnitude, tolerance) {
                return found;
            }
            try_again = 0.05 * (distance - bound);
        }
        simplex.push(vertex);
    }
    let certain = best.distance - best.bound <= ACCEPTED * magnitude;
    let normal = if certain { best.normal } else { shown_by };
    Gap::Apart { distance: best.distance, normal, simplex: best.simplex, certain }
}
