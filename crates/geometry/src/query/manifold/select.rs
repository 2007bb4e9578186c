//! Which four of many contact points to keep.
//!
//! Four points suffice to hold a body as long as they span the support polygon. In the plane of contact:
//! 1. p₀, the deepest; among those as deep to 1e-4 of the extent, the one farthest in a fixed direction.
//! 2. p₁, the farthest from p₀.
//! 3. p₂, the farthest from the line p₀p₁.
//! 4. p₃, the one that adds most area to the triangle p₀p₁p₂.
//!
//! Let L = |p₀p₁| and h₂ ≥ h₃ the greatest distances from the line p₀p₁ on its two sides. All points lie within L of
//! p₀, so the full polygon fits in a strip of length 2L and width h₂ + h₃, and the kept one covers at least
//! ½ L (h₂ + h₃): **at least a quarter of the full area**, usually most of it.
//!
//! There are always ties (a box on a box, a prism on a prism), and the last digit must not decide them. So every measure
//! is tilted by 1 % in the fixed direction, which no shape is likely to be symmetric to: tied points then differ by far
//! more than rounding, and a choice depends on where the points are, not on their order.

use glam::{DVec2, DVec3};

/// The fixed direction, of unit length.
const ASKEW: DVec2 = DVec2::new(0.6, 0.8);
/// How much it counts.
const TILT: f64 = 0.01;
/// Depths that differ by less than this share of the extent are equal.
const EQUAL_DEPTH: f64 = 1e-4;
/// A point that adds less than this share of L² to the area is not worth keeping.
const NO_AREA: f64 = 1e-6;

/// The indices of the kept points in ascending order, and how far they reach.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::query) struct Selection {
    indices: [usize; 4],
    count: usize,
    /// L, the greatest distance from the first point chosen.
    pub(super) extent: f64,
}

impl Selection {
    pub(in crate::query) fn indices(&self) -> &[usize] {
        &self.indices[..self.count]
    }

    fn push(&mut self, index: usize) {
        self.indices[self.count] = index;
        self.count += 1;
    }

    /// Makes sure that a point is among the chosen ones, if need be in the place of the highest of four.
    pub(in crate::query) fn include(&mut self, index: usize, height: impl Fn(usize) -> f64) {
        if self.indices().contains(&index) {
            return;
        }
        if self.count < self.indices.len() {
            self.push(index);
        } else {
            let highest = best(self.count, |k| height(self.indices[k])).0;
            self.indices[highest] = index;
        }
        *self = self.sorted();
    }

    fn sorted(mut self) -> Self {
        self.indices[..self.count].sort_unstable();
        self
    }
}

/// Chooses among `count` points; `at(i)` gives x and y in the plane of contact and the height z above it (depth −z). Points
/// within `grain` of each other are one.
pub(in crate::query) fn select(count: usize, grain: f64, at: impl Fn(usize) -> DVec3) -> Selection {
    let mut chosen = Selection::default();
    if count == 0 {
        return chosen;
    }
    let first = anchor(count, &at);
    chosen.push(first);
    let p0 = at(first).truncate();
    let from_p0 = |i: usize| at(i).truncate() - p0;

    let square = (0..count).fold(0.0, |largest: f64, i| largest.max(from_p0(i).length_squared()));
    let is_apart = square > grain * grain;
    if !is_apart {
        return chosen;
    }
    chosen.extent = square.sqrt();
    let askew = ASKEW * (TILT / chosen.extent);
    let tilted = |value: f64, offset: DVec2| value * (1.0 + offset.dot(askew));

    let second = best(count, |i| tilted(from_p0(i).length_squared(), from_p0(i)));
    chosen.push(second.0);
    let along = from_p0(second.0);

    let third = best(count, |i| tilted(along.perp_dot(from_p0(i)).abs(), from_p0(i)));
    let stands_alone = |i: usize, chosen: &Selection| {
        chosen.indices().iter().all(|&c| (from_p0(i) - from_p0(c)).length_squared() > grain * grain)
    };
    let is_wide = third.1 > NO_AREA * square;
    if !is_wide || !stands_alone(third.0, &chosen) {
        return chosen.sorted();
    }
    chosen.push(third.0);
    let across = from_p0(third.0);

    // Outside the triangle (0, along, across), whichever way round it is, a point adds the area beyond the edge it
    // lies behind.
    let turn = along.perp_dot(across).signum();
    let fourth = best(count, |i| {
        let p = from_p0(i);
        let beyond = [along.perp_dot(p), (across - along).perp_dot(p - along), p.perp_dot(across)];
        tilted(beyond.into_iter().fold(0.0, |most: f64, area| most.max(-turn * area)), p)
    });
    if fourth.1 > NO_AREA * square && stands_alone(fourth.0, &chosen) {
        chosen.push(fourth.0);
    }
    chosen.sorted()
}

/// The deepest point; of several equally deep, the farthest in the fixed direction.
fn anchor(count: usize, at: &impl Fn(usize) -> DVec3) -> usize {
    let (mut lowest, mut min, mut max) = (f64::INFINITY, DVec2::INFINITY, DVec2::NEG_INFINITY);
    for i in 0..count {
        let p = at(i);
        lowest = lowest.min(p.z);
        (min, max) = (min.min(p.truncate()), max.max(p.truncate()));
    }
    let limit = lowest + EQUAL_DEPTH * (max - min).max_element();
    best(count, |i| if at(i).z <= limit { at(i).truncate().dot(ASKEW) } else { f64::NEG_INFINITY }).0
}

/// The first index of the greatest value.
fn best(count: usize, value: impl Fn(usize) -> f64) -> (usize, f64) {
    let mut best = (0, value(0));
    for i in 1..count {
        let v = value(i);
        if v > best.1 {
            best = (i, v);
        }
    }
    best
}
