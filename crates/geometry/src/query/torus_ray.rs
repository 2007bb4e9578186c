//! A ray against a torus: the first root of a polynomial of the fourth degree.
//!
//! With `p = o + t d` the point at the distance t, and `k = R² − r²`, the ray is on the surface where
//!
//! ```text
//! f(t) = (p² + k)² − 4R² (pₓ² + p_z²) = 0.
//! ```
//!
//! Between neighbouring roots of f′ a polynomial only rises or only falls, so it has one root there or none, and bisection finds it; the roots of f′ are
//! found in the same way from those of f″, and so on down to a straight line. Two steps of Newton's method with the distance
//! itself, `√((ρ − R)² + y²) − r`, restore the last digits.

use super::RayHit;
use super::point;
use crate::Ray;
use crate::shape::Torus;
use glam::DVec3;

pub(crate) fn cast_ray(ray: &Ray, torus: &Torus, max_distance: f64) -> Option<RayHit> {
    let begin = point::torus(ray.origin, torus);
    let goes_in = begin.normal.dot(ray.direction) < 0.0;
    if begin.distance < 0.0 || begin.distance == 0.0 && goes_in {
        return (max_distance >= 0.0).then_some(RayHit { distance: 0.0, normal: -ray.direction, part: 0 });
    }
    // In units of R, from the point nearest the middle on: a ray that comes from afar keeps its digits.
    let unit = torus.radius();
    let r = torus.tube() / unit;
    let start = -ray.origin.dot(ray.direction);
    let (o, d) = (ray.at(start) / unit, ray.direction);
    // Where the ray is within the ball around the torus.
    let half = (1.0 + r) * (1.0 + r) - o.length_squared();
    if half < 0.0 {
        return None;
    }
    let half = half.sqrt();
    let k = 1.0 - r * r;
    // p² = t² + c (o and d are perpendicular up to rounding), pₓ² + p_z² = a t² + 2 b t + q.
    let (b2, c) = (2.0 * o.dot(d), o.length_squared() + k);
    let flat = |u: DVec3, v: DVec3| u.x * v.x + u.z * v.z;
    let (a, b, q) = (flat(d, d), flat(o, d), flat(o, o));
    let f = [c * c - 4.0 * q, 2.0 * b2 * c - 8.0 * b, b2 * b2 + 2.0 * c - 4.0 * a, 2.0 * b2, 1.0];
    let from = (-half).max(-start / unit);
    let mut roots = [0.0; 4];
    let count = roots_between(&f, from, half, &mut roots);
    for &root in &roots[..count] {
        let mut distance = start + root * unit;
        for _ in 0..2 {
            let here = point::torus(ray.at(distance), torus);
            let speed = here.normal.dot(ray.direction);
            // Grazing rays have no better root.
            if speed.abs() > 1e-3 {
                distance -= here.distance / speed;
            }
        }
        let here = point::torus(ray.at(distance), torus);
        // A ray that starts on the surface and leaves has its first root there.
        if here.normal.dot(ray.direction) < 0.0 && distance >= 0.0 {
            return (distance <= max_distance).then_some(RayHit { distance, normal: here.normal, part: 0 });
        }
    }
    None
}

/// The roots of a polynomial (`f[0] + f[1] t + …`) of at most the fourth degree between two places, in order. Returns how many there are.
fn roots_between(f: &[f64], from: f64, to: f64, roots: &mut [f64; 4]) -> usize {
    let degree = f.len() - 1;
    if degree == 0 || from.is_nan() || from >= to {
        return 0;
    }
    let mut derivative = [0.0; 4];
    for (k, slope) in derivative.iter_mut().enumerate().take(degree) {
        *slope = (k + 1) as f64 * f[k + 1];
    }
    let mut turns = [0.0; 4];
    let turning = roots_between(&derivative[..degree], from, to, &mut turns);
    let value = |t: f64| f.iter().rev().fold(0.0, |sum, &factor| sum * t + factor);
    let (mut count, mut low) = (0, from);
    for high in turns[..turning].iter().copied().chain([to]) {
        let (below, above) = (value(low), value(high));
        if (below < 0.0) != (above < 0.0) && count < 4 {
            roots[count] = bisect(&value, low, high);
            count += 1;
        }
        low = high;
    }
    count
}

/// The root between two places where a function has different signs.
fn bisect(value: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let is_negative = value(low) < 0.0;
    // Sixty halvings leave nothing of any bracket.
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if (value(middle) < 0.0) == is_negative {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}
