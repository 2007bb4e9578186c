//! Four boxes side by side, tested together. The loops over lanes have a fixed length and no branches, so that the
//! compiler turns them into vector instructions.

use crate::{Aabb, Ray};
use glam::DVec3;

/// Four boxes, coordinate by coordinate: `min[axis][lane]`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Boxes4 {
    min: [[f64; 4]; 3],
    max: [[f64; 4]; 3],
}

/// A ray prepared for box tests: its origin and the reciprocals of its direction. A box that moves along the ray is as good:
/// it meets others where the ray meets them enlarged by its half extents, that is where its leading corner enters them
/// and before its trailing corner leaves them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RaySlopes {
    leading: [f64; 3],
    trailing: [f64; 3],
    slopes: [f64; 3],
}

impl RaySlopes {
    pub(crate) fn new(ray: &Ray) -> Self {
        Self::swept(ray.origin, ray.direction, DVec3::ZERO)
    }

    /// The box around `center` moving along `direction`, whose length is the unit of distances.
    pub(crate) fn swept(center: DVec3, direction: DVec3, half_extents: DVec3) -> Self {
        // A component of zero becomes a tiny one, so that no product below is 0 · ∞ = NaN: the slab is then entered at
        // ∓∞ (or beyond 1e290 metres) from inside and never from outside, as it should be.
        let slope = |d: f64| 1.0 / if d.abs() < 1e-300 { 1e-300_f64.copysign(d) } else { d };
        let slopes = direction.to_array().map(slope);
        let ahead = half_extents * DVec3::from_array(slopes.map(f64::signum));
        Self { leading: (center + ahead).to_array(), trailing: (center - ahead).to_array(), slopes }
    }

    /// Where the ray enters a box (zero if it starts inside); infinite if it misses.
    pub(crate) fn entry(&self, aabb: &Aabb) -> f64 {
        let mut boxes = Boxes4::EMPTY;
        boxes.set(0, aabb);
        boxes.ray_entry(self)[0]
    }
}

fn less(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

fn greater(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

impl Boxes4 {
    /// Four boxes that contain nothing.
    pub(super) const EMPTY: Self = Self { min: [[f64::INFINITY; 4]; 3], max: [[f64::NEG_INFINITY; 4]; 3] };

    /// Sets one of the boxes.
    pub(super) fn set(&mut self, lane: usize, aabb: &Aabb) {
        for axis in 0..3 {
            self.min[axis][lane] = aabb.min[axis];
            self.max[axis][lane] = aabb.max[axis];
        }
    }

    /// One of the boxes.
    pub(super) fn lane(&self, lane: usize) -> Aabb {
        Aabb::new(DVec3::from_array(self.min.map(|m| m[lane])), DVec3::from_array(self.max.map(|m| m[lane])))
    }

    /// Which boxes share a point with `region`.
    #[inline]
    pub(super) fn overlap(&self, region: &Aabb) -> [bool; 4] {
        let mut overlap = [true; 4];
        for axis in 0..3 {
            let (low, high) = (region.min[axis], region.max[axis]);
            for (lane, overlap) in overlap.iter_mut().enumerate() {
                *overlap &= (self.min[axis][lane] <= high) & (self.max[axis][lane] >= low);
            }
        }
        overlap
    }

    /// The squared distances of the boxes from `region`; infinite for empty lanes. A point is a region of no size.
    #[inline]
    pub(crate) fn distance_squared(&self, region: &Aabb) -> [f64; 4] {
        let mut squares = [0.0; 4];
        for axis in 0..3 {
            // An empty lane goes from +∞ to −∞; its distance from an infinite region would be ∞ − ∞.
            let (low, high) = (greater(region.min[axis], -f64::MAX), less(region.max[axis], f64::MAX));
            for (lane, square) in squares.iter_mut().enumerate() {
                let gap = greater(greater(self.min[axis][lane] - high, low - self.max[axis][lane]), 0.0);
                *square += gap * gap;
            }
        }
        squares
    }

    /// How far above zero the boxes begin along `normal`: `min { normal · x }` over each box; infinite for empty lanes.
    #[inline]
    pub(crate) fn lowest_along(&self, normal: DVec3) -> [f64; 4] {
        let mut lowest = [0.0; 4];
        for axis in 0..3 {
            let n = normal[axis];
            let bounds = if n >= 0.0 { &self.min[axis] } else { &self.max[axis] };
            for (lane, lowest) in lowest.iter_mut().enumerate() {
                // An empty lane has infinite bounds; times zero they would be NaN.
                *lowest += if n == 0.0 { 0.0 } else { n * bounds[lane] };
            }
        }
        for (lane, lowest) in lowest.iter_mut().enumerate() {
            if self.min[0][lane] > self.max[0][lane] {
                *lowest = f64::INFINITY;
            }
        }
        lowest
    }

    /// Where the ray enters each box (zero if it starts inside); infinite where it misses.
    ///
    /// The exit is rounded outwards by three units in the last place, so that a ray along a face or through an edge that two
    /// boxes share never slips between them (Ize 2013, "Robust BVH ray traversal").
    #[inline]
    pub(crate) fn ray_entry(&self, ray: &RaySlopes) -> [f64; 4] {
        let mut enter = [0.0; 4];
        let mut exit = [f64::INFINITY; 4];
        for axis in 0..3 {
            let (leading, trailing, slope) = (ray.leading[axis], ray.trailing[axis], ray.slopes[axis]);
            let (near, far) = if slope >= 0.0 { (&self.min, &self.max) } else { (&self.max, &self.min) };
            for lane in 0..4 {
                enter[lane] = greater((near[axis][lane] - leading) * slope, enter[lane]);
                exit[lane] = less((far[axis][lane] - trailing) * slope, exit[lane]);
            }
        }
        let mut entry = [0.0; 4];
        for lane in 0..4 {
            let hit = enter[lane] <= exit[lane] * (1.0 + 3.0 * f64::EPSILON);
            entry[lane] = if hit { enter[lane] } else { f64::INFINITY };
        }
        entry
    }
}
