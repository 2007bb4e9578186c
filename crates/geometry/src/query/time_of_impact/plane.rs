//! The gap between a half-space and a convex shape: the direction is known, so the gap is the distance itself.
//!
//! If the half-space turns, so does the direction: `n(t)` in the world. The height of a point of the shape at D + r from
//! the centre the half-space turns about, `f = n·(D + r)`, then accelerates by at most
//!
//! ```text
//! |f″| = |n″·(D + r) + 2 n′·(D + r)′ + n·r″| ≤ ω_a² (|D| + |r|) + 2 ω_a (|v| + ω_b |r|) + ω_b² |r|
//! ```

use super::approach::Approach;
use super::march::{Gap, Sample};
use super::reach::Reach;
use super::relative::{Relative, Turning};
use crate::query::closest::Separation;
use crate::shape::{Convex, HalfSpace};
use glam::DVec3;

/// A half-space (the first) and a convex shape in motion.
pub(super) struct PlanePair<'a> {
    /// The normal in the frame of the half-space.
    normal: DVec3,
    convex: &'a dyn Convex,
    reach: Reach,
    motion: &'a Relative,
}

impl<'a> PlanePair<'a> {
    pub(super) fn new(half_space: &HalfSpace, convex: &'a dyn Convex, reach: Reach, motion: &'a Relative) -> Self {
        Self { normal: half_space.normal(), convex, reach, motion }
    }

    /// The world normal, the lowest point of the core relative to its centre in world directions, and its height.
    fn lowest(&self, time: f64) -> (DVec3, DVec3, f64) {
        let Relative { a, b, .. } = self.motion;
        let normal = a.rotation(time) * self.normal;
        let rotation = b.rotation(time);
        let r = rotation * (self.convex.support(rotation.conjugate() * -normal) - b.center);
        let height = normal.dot(self.motion.offset(time)) + normal.dot(r) + self.normal.dot(a.center);
        (normal, r, height)
    }
}

impl Approach for PlanePair<'_> {
    fn motion(&self) -> &Relative {
        self.motion
    }

    fn size(&self) -> f64 {
        self.reach.from_center + self.convex.radius() + self.motion.a.center.length()
    }

    fn window(&self, _margin: f64, max_time: f64) -> Option<(f64, f64)> {
        Some((0.0, max_time))
    }

    fn separation(&self, time: f64, _hint: Option<DVec3>, _accuracy: f64) -> Option<Separation> {
        let (_, r, height) = self.lowest(time);
        let distance = height - self.convex.radius();
        let to_a = self.motion.a.rotation(time).conjugate();
        let lowest = to_a * (self.motion.offset(time) + r) + self.motion.a.center;
        let (point_a, point_b) = (lowest - self.normal * height, lowest - self.normal * self.convex.radius());
        distance.is_finite().then_some(Separation { distance, normal: self.normal, point_a, point_b })
    }

    fn closer_look(&self, time: f64, _normal: DVec3) -> Option<Separation> {
        self.separation(time, None, 0.0)
    }

    fn gap(&self, time: f64, _normal: DVec3) -> impl Gap {
        let (rate_a, rate_b) = (self.motion.a.rate, self.motion.b.rate);
        if rate_a == 0.0 {
            let seen = self.motion.b.watch(self.motion.a.rotation(time) * self.normal);
            let along = seen.along.dot(self.motion.b.axis);
            let across = seen.across.length();
            return PlaneGap {
                pair: self,
                curvature: rate_b * rate_b * across * self.reach.from_axis,
                envelope: self.reach.of_envelope(-along, across),
                horizon: f64::INFINITY,
            };
        }
        // A radian at a time, so that a shape that comes from afar is not judged by the whole way.
        let ahead = 1.0 / rate_a;
        let (reach, speed) = (self.reach.from_center, self.motion.velocity.length());
        let away = self.motion.offset(time).length() + speed * ahead + reach;
        let curvature = rate_a * rate_a * away + 2.0 * rate_a * (speed + rate_b * reach) + rate_b * rate_b * reach;
        PlaneGap { pair: self, curvature, envelope: f64::INFINITY, horizon: time + ahead }
    }

    fn turning_gap(&self, _time: f64, _normal: DVec3, _side: usize, _span: [f64; 2]) -> Option<impl Gap> {
        // The direction turns with the half-space already.
        None::<PlaneGap<'_>>
    }
}

struct PlaneGap<'a> {
    pair: &'a PlanePair<'a>,
    curvature: f64,
    /// How far the core reaches below its centre at any time; infinite if that is not known.
    envelope: f64,
    horizon: f64,
}

impl Gap for PlaneGap<'_> {
    fn sample(&self, time: f64) -> Sample {
        let motion = self.pair.motion;
        let (normal, r, height) = self.pair.lowest(time);
        // f′ = n·(v + ω_b × r) + (ω_a × n)·(D + r)
        let angular = |turning: &Turning| turning.rotation(time) * turning.axis * turning.rate;
        let slope = normal.dot(motion.velocity + angular(&motion.b).cross(r))
            + angular(&motion.a).cross(normal).dot(motion.offset(time) + r);
        Sample { time, value: height - self.pair.convex.radius(), slope }
    }

    fn curvature(&self) -> f64 {
        self.curvature
    }

    fn envelope(&self, time: f64) -> (f64, f64) {
        let PlanePair { normal, convex, motion, .. } = *self.pair;
        let world_normal = motion.a.rotation(time) * normal;
        let height = world_normal.dot(motion.offset(time)) + normal.dot(motion.a.center);
        (height - self.envelope - convex.radius(), world_normal.dot(motion.velocity))
    }

    fn horizon(&self) -> f64 {
        self.horizon
    }
}
