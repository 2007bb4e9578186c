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
use super::simplex::{Closest, Simplex};
use crate::shape::Convex;
use glam::DVec3;

/// The rounds after which the search gives up improving. Polytopes need 3 to 10, curved shapes 10 to 30.
const MAX_ROUNDS: usize = 128;

/// The two bounds of the distance count as equal within this, relative to the numbers they are computed from.
const TOLERANCE: f64 = 1e-15;

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
    let start = start.try_normalize().unwrap_or(DVec3::Y);
    let first = difference.support(start);
    let mut magnitude = first.magnitude();
    if !magnitude.is_finite() {
        return Gap::Undefined;
    }
    let mut simplex = Simplex::new(first);
    let mut best = simplex;
    let mut best_distance = f64::INFINITY;
    let mut best_normal = start;
    for _ in 0..MAX_ROUNDS {
        let (distance, normal) = match simplex.reduce(magnitude) {
            Closest::Outside { distance, normal: Some(normal) } if distance > TOLERANCE * magnitude => {
                (distance, normal)
            }
            _ => return Gap::Overlap { simplex },
        };
        // Rounding has the last word: no progress any more.
        if distance >= best_distance {
            break;
        }
        (best, best_distance, best_normal) = (simplex, distance, normal);

        let vertex = difference.support(normal);
        magnitude = magnitude.max(vertex.magnitude());
        if !magnitude.is_finite() {
            return Gap::Undefined;
        }
        let at_least = -vertex.point.dot(normal);
        if at_least > limit {
            return Gap::Beyond;
        }
        if distance - at_least <= TOLERANCE * magnitude || simplex.contains(vertex.point) {
            break;
        }
        simplex.push(vertex);
    }
    Gap::Apart { distance: best_distance, normal: best_normal, simplex: best }
}
