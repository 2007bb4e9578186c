//! The last digits of the distance between curved cores.
//!
//! On a curved surface the simplex of GJK only halves its size from one round to the next. Here the search is for the
//! direction itself. Let x(n) be the support point of the difference along n; the closest point is the one with
//! `n = φ(n)`, where `φ(n) = −x(n)/|x(n)|`. Where the surface holds a straight line (the side of a cylinder, an edge of a
//! box swept along a circle), x(n) jumps from one end to the other; then both ends are asked for, by tilting n to either
//! side along the line, and x(n) is the point of the line closest to the origin.
//!
//! Repeating n ← φ(n) converges, but slowly; a linear extrapolation from the last three steps (Anderson 1965) turns that
//! into the speed of a secant method: each round doubles the digits or better. Nothing is taken on trust: the answer counts
//! only if the bounds of the distance meet.

use super::difference::Difference;
use super::gjk::Gap;
use super::simplex::{Closest, Simplex};
use crate::shape::Convex;
use glam::DVec3;

/// Rounds; four to six are the rule.
const MAX_ROUNDS: usize = 10;

/// How far the normal is tilted to find the ends of a straight line, at most and at least.
const MAX_TILT: f64 = 1e-2;
const MIN_TILT: f64 = 1e-9;

/// One evaluation of φ.
#[derive(Clone, Copy)]
struct Step {
    from: DVec3,
    to: DVec3,
}

/// The distance of cores close to the `simplex` found so far, with bounds that are `slack` apart; if it can be certified to
/// `tolerance`.
pub(super) fn polish<A, B>(
    difference: &Difference<A, B>,
    simplex: &Simplex,
    slack: f64,
    normal: DVec3,
    magnitude: f64,
    tolerance: f64,
) -> Option<Gap>
where
    A: Convex + ?Sized,
    B: Convex + ?Sized,
{
    // On a curved part the vertices draw together with the root of the slack; on a straight line they stay apart.
    let edge = simplex.longest_edge();
    let length = edge.length();
    let line = length * length > 100.0 * slack * magnitude;
    if line && simplex.height_over(edge / length) > (100.0 * slack * magnitude).sqrt() {
        // A flat face: GJK itself is at its best.
        return None;
    }
    let mut along = if line { edge / length } else { DVec3::ZERO };

    let mut slack = slack;
    let mut steps: [Option<Step>; 3] = [None; 3];
    let mut from = normal;
    for round in 0..MAX_ROUNDS {
        // Across the line the normal is known as well as the bounds of the distance allow; a larger tilt would shift the
        // ends where they are round.
        let tilt = (10.0 * slack / length).clamp(MIN_TILT, MAX_TILT);
        let mut simplex = Simplex::new(difference.support(from + along * tilt));
        if line {
            simplex.push(difference.support(from - along * tilt));
            along = simplex.longest_edge().normalize_or(along);
        }
        let Closest::Outside { distance, normal: Some(to) } = simplex.reduce(0.0, f64::INFINITY) else { return None };
        let remaining = distance + difference.overlap(to);
        if remaining <= tolerance {
            return Some(Gap::Apart { distance, normal: to, simplex, certain: true });
        }
        // Three points make a line; the first two may lead astray.
        if remaining > slack * if round < 3 { 30.0 } else { 2.0 } {
            return None;
        }
        slack = remaining;
        steps = [Some(Step { from, to }), steps[0], steps[1]];
        let next = extrapolate(&steps)?;
        from = (next - along * next.dot(along)).try_normalize()?;
    }
    None
}

/// The fixed point of φ, were it linear: `Σ wᵢ φ(nᵢ)` with weights of sum one for which `Σ wᵢ (φ(nᵢ) − nᵢ)` is least.
fn extrapolate(steps: &[Option<Step>; 3]) -> Option<DVec3> {
    let latest = steps[0]?;
    // Half a step only: where the surface is flatter than it is far, φ overshoots.
    let Some(second) = steps[1] else { return (latest.from + latest.to).try_normalize() };
    let residual = |step: Step| step.to - step.from;
    let d1 = residual(latest) - residual(second);
    let (a11, b1) = (d1.length_squared(), residual(latest).dot(d1));
    if let Some(third) = steps[2] {
        let d2 = residual(latest) - residual(third);
        let (a12, a22, b2) = (d1.dot(d2), d2.length_squared(), residual(latest).dot(d2));
        let determinant = a11 * a22 - a12 * a12;
        if determinant > 1e-9 * a11 * a22 {
            let (w1, w2) = ((b1 * a22 - b2 * a12) / determinant, (b2 * a11 - b1 * a12) / determinant);
            return (latest.to - (latest.to - second.to) * w1 - (latest.to - third.to) * w2).try_normalize();
        }
    }
    let w1 = if a11 > 0.0 { b1 / a11 } else { 0.0 };
    (latest.to - (latest.to - second.to) * w1).try_normalize()
}
