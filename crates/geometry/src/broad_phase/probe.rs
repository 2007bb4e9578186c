//! What a search asks of a box: how far away is it?
//!
//! Every query of a broad phase is the same search with another measure of distance. A box in motion (a ray is the motion
//! of a point, a region a box that does not move) measures how long it takes to touch; a point measures how far it is.
//! The measure never grows when the box grows, rounding included, so that a structure may skip whatever lies in a cell
//! that is too far away, and all structures find the same.

use crate::{Aabb, Ray};
use glam::DVec3;

/// A measure of how far boxes are from what is searched for.
pub trait Probe {
    /// The distance of a box that is not empty, at least zero; infinite if it cannot be reached. At most as large for a
    /// box as for any box in it.
    fn reach(&self, aabb: &Aabb) -> f64;

    /// A box that overlaps every box within `limit`.
    fn bounds(&self, limit: f64) -> Aabb;

    /// A box that overlaps every box within `limit` that has points with coordinates from `low` to `high` along `axis`
    /// (0, 1, 2), as far as the box lies between these two planes.
    fn bounds_between(&self, limit: f64, axis: usize, low: f64, high: f64) -> Aabb {
        let mut bounds = self.bounds(limit);
        bounds.min[axis] = bounds.min[axis].max(low);
        bounds.max[axis] = bounds.max[axis].min(high);
        bounds
    }

    /// The motion of a box that this is, if it is one: structures may have a quicker test for these.
    fn motion(&self) -> Option<&MovingBox> {
        None
    }

    /// Where the search is heading; zero if to all sides.
    fn heading(&self) -> DVec3 {
        DVec3::ZERO
    }
}

/// A box that moves from where it is along `velocity`; the distance is the time of the first touch.
#[derive(Clone, Copy, Debug)]
pub struct MovingBox {
    start: Aabb,
    velocity: DVec3,
    /// 1/velocity; infinite in the components in which the box stands still (or nearly: below 10⁻³⁰⁸).
    inverse: DVec3,
}

impl MovingBox {
    /// `None` if the box is empty or the velocity not finite: it then touches nothing.
    pub fn new(start: Aabb, velocity: DVec3) -> Option<Self> {
        let start = super::proxies::sanitized(start);
        (start != Aabb::EMPTY && velocity.is_finite()).then_some(Self { start, velocity, inverse: velocity.recip() })
    }

    /// A ray as the motion of a point, if it is one.
    pub fn from_ray(ray: &Ray) -> Option<Self> {
        Self::new(Aabb::new(ray.origin, ray.origin), ray.direction)
    }

    pub(super) fn start(&self) -> &Aabb {
        &self.start
    }

    pub(super) fn velocity(&self) -> DVec3 {
        self.velocity
    }

    /// A box that stays: all boxes that overlap it are at distance 0, all others unreachable.
    pub fn at_rest(region: Aabb) -> Option<Self> {
        Self::new(region, DVec3::ZERO)
    }
}

impl Probe for MovingBox {
    fn reach(&self, aabb: &Aabb) -> f64 {
        let (mut enter, mut exit) = (0.0_f64, f64::INFINITY);
        // Along an axis the two overlap while start.min + v t ≤ aabb.max and start.max + v t ≥ aabb.min.
        let (to_min, to_max) = (aabb.min - self.start.max, aabb.max - self.start.min);
        for axis in 0..3 {
            let inverse = self.inverse[axis];
            if inverse.is_finite() {
                let (t1, t2) = (to_min[axis] * inverse, to_max[axis] * inverse);
                enter = enter.max(t1.min(t2));
                exit = exit.min(t1.max(t2));
            } else if to_min[axis] > 0.0 || to_max[axis] < 0.0 {
                return f64::INFINITY;
            }
        }
        if enter <= exit { enter } else { f64::INFINITY }
    }

    fn bounds(&self, limit: f64) -> Aabb {
        self.swept(0.0, limit)
    }

    fn bounds_between(&self, limit: f64, axis: usize, low: f64, high: f64) -> Aabb {
        let inverse = self.inverse[axis];
        let (mut from, mut to) = (0.0, limit);
        if inverse.is_finite() {
            let (t1, t2) = ((low - self.start.max[axis]) * inverse, (high - self.start.min[axis]) * inverse);
            // Rounded times may be late or early by a few units in the last place.
            from = (t1.min(t2) * (1.0 - 1e-12)).max(from);
            to = (t1.max(t2) * (1.0 + 1e-12)).min(to);
            if from > to {
                return Aabb::EMPTY;
            }
        }
        let mut bounds = self.swept(from, to);
        bounds.min[axis] = bounds.min[axis].max(low);
        bounds.max[axis] = bounds.max[axis].min(high);
        bounds
    }

    fn motion(&self) -> Option<&MovingBox> {
        Some(self)
    }

    fn heading(&self) -> DVec3 {
        self.velocity
    }
}

impl MovingBox {
    /// A box around the motion from one time to another, larger than the exact one by more than the rounding errors.
    fn swept(&self, from: f64, to: f64) -> Aabb {
        let mut swept = self.start;
        for axis in 0..3 {
            if self.inverse[axis].is_finite() {
                let (a, b) = (self.velocity[axis] * from, self.velocity[axis] * to);
                let (low, high) = (a.min(b), a.max(b));
                swept.min[axis] += low - 1e-12 * (low.abs() + swept.min[axis].abs());
                swept.max[axis] += high + 1e-12 * (high.abs() + swept.max[axis].abs());
            }
        }
        swept
    }
}

/// A point; the distance is the distance of the point from the box in metres (distances above 10¹⁵⁴ m overflow and
/// count as unreachable).
#[derive(Clone, Copy, Debug)]
pub struct Nearness {
    point: DVec3,
}

impl Nearness {
    /// `None` if the point is not finite.
    pub fn new(point: DVec3) -> Option<Self> {
        point.is_finite().then_some(Self { point })
    }
}

impl Probe for Nearness {
    fn reach(&self, aabb: &Aabb) -> f64 {
        (aabb.min - self.point).max(self.point - aabb.max).max(DVec3::ZERO).length()
    }

    fn bounds(&self, limit: f64) -> Aabb {
        // The slack outweighs the rounding, and the underflow, of the squares in `reach`, and the rounding of this sum.
        let slack = 1e-12 * self.point.abs().max_element() + 1e-150;
        Aabb::new(self.point, self.point).expanded(limit * (1.0 + 1e-12) + slack)
    }
}
