//! The point of an ellipsoid closest to a given point (D. Eberly, "Distance from a Point to an Ellipse, an Ellipsoid, or a
//! Hyperellipsoid").
//!
//! The offset to the closest point x is along the normal there, `p − x = t (x₀/e₀², x₁/e₁², x₂/e₂²)`, so
//! `xᵢ = eᵢ² pᵢ / (t + eᵢ²)`. As x lies on the surface,
//!
//! ```text
//! F(t) = Σ ( eᵢ pᵢ / (t + eᵢ²) )² − 1 = 0.
//! ```
//!
//! F falls and is convex for `t > −e²` with e the shortest semi-axis whose pᵢ is not zero; its root there is the one that counts. Newton's method
//! started left of it comes nearer with every step and never passes it. If p lies in the plane across the shortest axis, deep
//! inside, the closest points are above and below that plane, where F has no root.

use super::PointProjection;
use crate::shape::Ellipsoid;
use glam::DVec3;

/// Newton's steps; each at least reduces the distance to the pole by a third, and close to the root doubles the digits.
const MAX_STEPS: usize = 200;

pub(crate) fn ellipsoid(point: DVec3, ellipsoid: &Ellipsoid) -> PointProjection {
    let radii = ellipsoid.radii();
    let mut order = [0, 1, 2];
    // The longest first; equal ones in their order.
    order.sort_by(|&i, &j| radii[j].total_cmp(&radii[i]));
    let longest = radii[order[0]];
    // In units of the longest semi-axis, in the octant where all coordinates are positive.
    let e = order.map(|i| radii[i] / longest);
    let p = order.map(|i| point[i].abs() / longest);
    let x = closest(e, p);
    let mut found = DVec3::ZERO;
    for (k, &i) in order.iter().enumerate() {
        found[i] = (x[k] * longest).copysign(point[i]);
    }
    let normal = (found / (radii * radii) * (longest * longest)).normalize_or(DVec3::Y);
    PointProjection { point: found, distance: (point - found).dot(normal), normal, part: 0 }
}

/// For semi-axes in falling order and a point with no negative coordinate.
fn closest(e: [f64; 3], p: [f64; 3]) -> [f64; 3] {
    // The coordinates that are not zero, or whose plane the closest point has not left: those up to `count`.
    for count in (1..=3).rev() {
        let last = count - 1;
        if p[last] > 0.0 {
            return on_surface(e, p, count);
        }
        // In the plane across axis `last`. Above or below it, where the point lies too deep inside to have its closest in it.
        let mut x = [0.0; 3];
        let mut left = 1.0;
        let mut is_deep = true;
        for k in 0..last {
            let (pull, spread) = (e[k] * p[k], (e[k] - e[last]) * (e[k] + e[last]));
            is_deep &= pull < spread;
            let share = if pull < spread { pull / spread } else { 0.0 };
            x[k] = e[k] * share;
            left -= share * share;
        }
        if last == 0 || is_deep && left > 0.0 {
            x[last] = e[last] * left.max(0.0).sqrt();
            return x;
        }
    }
    [e[0], 0.0, 0.0]
}

/// By the root of F, in the first `count` coordinates, the last of which is not zero.
fn on_surface(e: [f64; 3], p: [f64; 3], count: usize) -> [f64; 3] {
    let last = count - 1;
    // t = −e² + s, so that s keeps its digits near the pole.
    let gaps: [f64; 3] = std::array::from_fn(|k| if k < count { (e[k] - e[last]) * (e[k] + e[last]) } else { 0.0 });
    let weights: [f64; 3] = std::array::from_fn(|k| if k < count { e[k] * p[k] } else { 0.0 });
    // Left of the root: there the last term alone is one or more.
    let mut s = weights[last];
    for _ in 0..MAX_STEPS {
        let (mut value, mut slope) = (-1.0, 0.0);
        for k in 0..count {
            let ratio = weights[k] / (s + gaps[k]);
            value += ratio * ratio;
            slope -= 2.0 * ratio * ratio / (s + gaps[k]);
        }
        let next = s - value / slope;
        // Rounding ends the way to the right.
        if !(next > s) {
            break;
        }
        s = next;
    }
    std::array::from_fn(|k| if k < count { e[k] * weights[k] / (s + gaps[k]) } else { 0.0 })
}
