//! Which four of many contact points to keep.
//!
//! Four points suffice to hold a body as long as they span the support polygon. In the plane of contact:
//! 1. p₀, the deepest; among those as deep to 1e-4 of the extent, the one farthest from the middle.
//! 2. p₁, the farthest from p₀.
//! 3. p₂, the farthest from the line p₀p₁.
//! 4. p₃, the one that adds most area to the triangle p₀p₁p₂.
//!
//! Let L = |p₀p₁| and h₂ ≥ h₃ the greatest distances from the line p₀p₁ on its two sides. All points lie within L of
//! p₀, so the full polygon fits in a strip of length 2L and width h₂ + h₃, and the kept one covers at least
//! ½ L (h₂ + h₃): **at least a quarter of the full area**, usually most of it.
//!
//! A candidate replaces an earlier one only if it is better by more than 1 %, so that ties (there are always ties: a box
//! on a box) are decided by the order of the points, which is that of the shapes' corners, and not by the last digit.

use glam::{DVec2, DVec3};

/// A candidate counts as better only beyond this factor.
const CLEARLY: f64 = 1.01;
/// Depths that differ by less than this share of the extent are equal.
const EQUAL_DEPTH: f64 = 1e-4;
/// A point that adds less than this share of L² to the area is not worth keeping.
const NO_AREA: f64 = 1e-6;

/// The indices of the kept points in ascending order, and how far they reach.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Selection {
    indices: [usize; 4],
    count: usize,
    /// L, the greatest distance from the first point chosen.
    pub(super) extent: f64,
}

impl Selection {
    pub(super) fn indices(&self) -> &[usize] {
        &self.indices[..self.count]
    }

    fn push(&mut self, index: usize) {
        self.indices[self.count] = index;
        self.count += 1;
    }

    fn sorted(mut self) -> Self {
        self.indices[..self.count].sort_unstable();
        self
    }
}

/// Chooses among `count` points; `at(i)` gives x and y in the plane of contact and the height z above it (depth −z).
pub(super) fn select(count: usize, at: impl Fn(usize) -> DVec3) -> Selection {
    let mut chosen = Selection::default();
    if count == 0 {
        return chosen;
    }
    let first = anchor(count, &at);
    chosen.push(first);
    let p0 = at(first).truncate();

    let (second, square) = best(count, |i| at(i).truncate().distance_squared(p0));
    let is_apart = square > 0.0;
    if !is_apart {
        return chosen;
    }
    chosen.extent = square.sqrt();
    chosen.push(second);
    let p1 = at(second).truncate();

    let area = |a: DVec2, b: DVec2, c: DVec2| (b - a).perp_dot(c - a);
    let (third, twice) = best(count, |i| area(p0, p1, at(i).truncate()).abs());
    let is_wide = twice > NO_AREA * square;
    if !is_wide {
        return chosen.sorted();
    }
    chosen.push(third);
    let p2 = at(third).truncate();

    // Outside the triangle, whichever way round it is, a point adds the area beyond the edge it lies behind.
    let turn = area(p0, p1, p2).signum();
    let (fourth, added) = best(count, |i| {
        let p = at(i).truncate();
        -(turn * area(p0, p1, p)).min(turn * area(p1, p2, p)).min(turn * area(p2, p0, p))
    });
    if added > NO_AREA * square {
        chosen.push(fourth);
    }
    chosen.sorted()
}

/// The deepest point; of several equally deep, the farthest from the middle of all.
fn anchor(count: usize, at: &impl Fn(usize) -> DVec3) -> usize {
    let (mut sum, mut lowest) = (DVec3::ZERO, f64::INFINITY);
    for i in 0..count {
        let p = at(i);
        sum += p;
        lowest = lowest.min(p.z);
    }
    let middle = (sum / count as f64).truncate();
    let mut widest = 0.0_f64;
    for i in 0..count {
        widest = widest.max(at(i).truncate().distance_squared(middle));
    }
    let limit = lowest + EQUAL_DEPTH * widest.sqrt();
    best(count, |i| {
        let p = at(i);
        if p.z <= limit { p.truncate().distance_squared(middle) } else { -1.0 }
    })
    .0
}

/// The first index whose value no later one exceeds clearly.
fn best(count: usize, value: impl Fn(usize) -> f64) -> (usize, f64) {
    let mut best = (0, value(0));
    for i in 1..count {
        let v = value(i);
        if v > best.1 * CLEARLY || best.1 <= 0.0 && v > best.1 {
            best = (i, v);
        }
    }
    best
}
