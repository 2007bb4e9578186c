//! Boxes around what moves, for a while.
//!
//! Seen from the first body, a point of the second at r from its centre moves along a curve y(t). Its acceleration there is
//! bounded (Coriolis and centrifugal terms come from the turning of the first body),
//!
//! ```text
//! |y″| ≤ ω_a² (|D| + |r|) + 2 ω_a (|v| + ω_b |r|) + ω_b² |r|
//! ```
//!
//! so within a time h it leaves its chord by at most `h²/8` times that. A box of the second body therefore stays, at any
//! moment, within a box that moves in a straight line: a ray cast against enlarged boxes bounds the time of impact from below.

use super::relative::Relative;
use crate::Aabb;
use crate::bvh::{BoxMover, RaySlopes};
use glam::DVec3;

/// Boxes larger than this are as good as endless.
const MAX_EXTENT: f64 = 1e100;

/// The second body as seen from the first, between two times.
pub(super) struct Sweep {
    pub(super) motion: Relative,
    pub(super) start: f64,
    duration: f64,
    from: BoxMover,
    to: BoxMover,
    /// The greatest distance of the centres.
    apart: f64,
    margin: f64,
}

impl Sweep {
    /// From time `start` to `end`; `margin` is added to all boxes. If `end` is infinite, the centre of the second body must
    /// not move as seen from the first.
    pub(super) fn new(motion: &Relative, start: f64, end: f64, margin: f64) -> Self {
        let end = if end.is_finite() { end } else { start };
        Self {
            start,
            duration: end - start,
            from: BoxMover::new(&motion.b_in_a(start)),
            to: BoxMover::new(&motion.b_in_a(end)),
            motion: *motion,
            apart: motion.offset(start).length().max(motion.offset(end).length()),
            margin,
        }
    }

    /// A box of the second body while it moves. Distances along the ray are fractions of the duration.
    pub(super) fn of(&self, aabb: &Aabb) -> RaySlopes {
        let Relative { a, b, velocity, .. } = &self.motion;
        let (from, to) = (self.from.moved(aabb), self.to.moved(aabb));
        let reach = aabb.center().distance(b.center) + aabb.half_extents().length();
        let turning_b = 2.0 * a.rate * b.rate * reach + b.rate * b.rate * reach;
        let turning_a = a.rate * a.rate * (self.apart + reach) + 2.0 * a.rate * velocity.length();
        let half_extents = from.half_extents().max(to.half_extents());
        self.ray(from.center(), to.center(), half_extents, turning_a + turning_b)
    }

    /// A ball around the centre the second body turns about, while it moves.
    pub(super) fn ball(&self, radius: f64) -> RaySlopes {
        let Relative { a, b, velocity, .. } = &self.motion;
        let center = Aabb::new(b.center, b.center);
        let (from, to) = (self.from.moved(&center), self.to.moved(&center));
        let curvature = a.rate * a.rate * self.apart + 2.0 * a.rate * velocity.length();
        self.ray(from.center(), to.center(), DVec3::splat(radius), curvature)
    }

    fn ray(&self, from: DVec3, to: DVec3, half_extents: DVec3, curvature: f64) -> RaySlopes {
        let bulge = curvature * self.duration * self.duration / 8.0;
        let (direction, half_extents) = (to - from, half_extents + (bulge + self.margin));
        if direction.is_finite() && half_extents.max_element() < MAX_EXTENT {
            RaySlopes::swept(from, direction, half_extents)
        } else {
            RaySlopes::swept(DVec3::ZERO, DVec3::ZERO, DVec3::splat(MAX_EXTENT))
        }
    }

    /// What fraction of the duration has passed at a time.
    pub(super) fn fraction(&self, time: f64) -> f64 {
        if self.duration > 0.0 { (time - self.start) / self.duration } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Transform;
    use crate::math::rotation_from_vector;
    use crate::query::Motion;

    #[test]
    fn no_point_leaves_its_swept_box() {
        let mut rng = fastrand::Rng::with_seed(9);
        let mut vector = |scale: f64| DVec3::new(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5) * scale;
        for _ in 0..300 {
            let mut motion = || Motion {
                start: Transform::new(rotation_from_vector(vector(6.0)), vector(3.0)),
                center: vector(1.0),
                linear: vector(4.0),
                angular: vector(3.0),
            };
            let (motion_a, motion_b) = (motion(), motion());
            let motion = Relative::new(&motion_a, &motion_b);
            let aabb = Aabb::from_center(vector(1.0), vector(1.0).abs());
            let radius = aabb.center().distance(motion_b.center) + aabb.half_extents().length();
            let (start, end) = (0.3, 0.8);
            let sweep = Sweep::new(&motion, start, end, 0.0);
            for i in 0..=20 {
                let time = start + (end - start) * f64::from(i) / 20.0;
                let local = aabb.center() + vector(2.0).clamp(-DVec3::ONE, DVec3::ONE) * aabb.half_extents();
                let place = motion.b_in_a(time).point(local);
                let point = Aabb::from_center(place, DVec3::splat(1e-12));
                for swept in [sweep.of(&aabb), sweep.ball(radius)] {
                    assert!(swept.entry(&point) <= sweep.fraction(time) + 1e-12);
                }
            }
        }
    }
}
