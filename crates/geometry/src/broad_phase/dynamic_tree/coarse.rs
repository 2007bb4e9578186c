//! When a moving box, or a ray, meets the nodes of a tree at the earliest: the slab test in single precision.
//!
//! Along an axis the moving box and the box of a node overlap while `start.min + v t ≤ node.max` and `start.max + v t ≥ node.min`.
//! The nodes are given in single precision, rounded outwards; the moving box is too. What is left are three roundings of each
//! time, together at most 2⁻²² of it, which are granted: a node is never reached later here than its contents are in truth. What a search
//! finds this way is a candidate, and the true boxes decide.

use crate::broad_phase::MovingBox;
use glam::{BVec4A, DVec3, Vec4};

/// What is granted for the rounding of times.
const GRANTED: f32 = 1.0 / (1 << 21) as f32;
/// Velocities with components beyond these (unless zero), and places beyond the last, are for double precision.
const SLOWEST: f64 = 1e-15;
const FASTEST: f64 = 1e15;

/// A moving box relative to the origin of a tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct CoarseMotion {
    min: Vec4,
    max: Vec4,
    /// The reciprocal velocity; zero where the box stands still.
    inverse: Vec4,
    /// Where it does; the fourth lane too.
    still: BVec4A,
}

impl CoarseMotion {
    /// `None` if single precision is not enough. Nodes may be too small by `slack` metres.
    pub(super) fn new(motion: &MovingBox, origin: DVec3, slack: f64) -> Option<Self> {
        let (min, max) = (motion.start().min - origin - slack, motion.start().max - origin + slack);
        let velocity = motion.velocity();
        let is_moderate = |v: f64| v == 0.0 || (SLOWEST..FASTEST).contains(&v.abs());
        let is_near = min.abs().max(max.abs()).max_element() < FASTEST;
        if !(is_near && velocity.to_array().into_iter().all(is_moderate)) {
            return None;
        }
        // Half a unit in the last place for the conversion, as much for adding the slack.
        let outwards = |v: DVec3, sign: f32| {
            let v = v.as_vec3().extend(0.0);
            v + (v.abs() * (4.0 * f32::EPSILON) + Vec4::splat(1e-37)) * sign
        };
        let inverse = DVec3::from_array(velocity.to_array().map(|v| if v == 0.0 { 0.0 } else { 1.0 / v }));
        let inverse = inverse.as_vec3().extend(0.0);
        Some(Self { min: outwards(min, -1.0), max: outwards(max, 1.0), inverse, still: inverse.cmpeq(Vec4::ZERO) })
    }

    /// A time before which nothing in a box is reached; infinite if nothing is. The fourth lanes mean nothing.
    #[inline]
    pub(super) fn reach(&self, low: Vec4, high: Vec4) -> f32 {
        // Infinite boxes become as large as can be: zero times infinity is not a number.
        let to_min = (low - self.max).max(Vec4::MIN);
        let to_max = (high - self.min).min(Vec4::MAX);
        let (t1, t2) = (to_min * self.inverse, to_max * self.inverse);
        let enter = Vec4::select(self.still, Vec4::ZERO, t1.min(t2)).max(Vec4::ZERO);
        let exit = Vec4::select(self.still, Vec4::INFINITY, t1.max(t2));
        let apart = self.still & (to_min.cmpgt(Vec4::ZERO) | to_max.cmplt(Vec4::ZERO));
        let (enter, exit) = (enter.max_element(), exit.min_element());
        let is_met = enter * (1.0 - GRANTED) <= exit * (1.0 + GRANTED) && apart.bitmask() & 0b111 == 0;
        // A time too long for single precision is not infinite.
        if is_met { (enter * (1.0 - GRANTED)).min(f32::MAX) } else { f32::INFINITY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Aabb;
    use crate::broad_phase::Probe;

    /// Random motions and boxes of many sizes, some touching exactly, some unbounded.
    #[test]
    fn coarse_times_are_never_late() {
        let mut random = fastrand::Rng::with_seed(9);
        let (mut met, mut kept) = (0, 0);
        for case in 0..200_000 {
            let scale = [1e-3, 1.0, 30.0, 1e4][case % 4];
            let mut coordinate = || (random.f64() * 2.0 - 1.0) * scale;
            let mut point = || DVec3::new(coordinate(), coordinate(), coordinate());
            let origin = point();
            let mut node = Aabb::from_points([point(), point()]);
            let mut start = Aabb::from_points([point(), if case % 3 == 0 { origin } else { point() }]);
            if case % 3 == 1 {
                start = Aabb::new(start.min, start.min);
            }
            let mut velocity = point().normalize() * [1.0, 1e3, 1e-3][case % 3];
            match case % 11 {
                0 => velocity.x = 0.0,
                1 => velocity = DVec3::ZERO,
                2 => node.max.y = f64::INFINITY,
                3 => node = Aabb::new(start.max, start.max + node.extents()),
                _ => {}
            }
            let Some(motion) = MovingBox::new(start, velocity) else { continue };
            let true_time = motion.reach(&node);
            // As nodes are rounded.
            let leaf = super::super::node::Node::leaf(0, &node, origin);
            let coarse = CoarseMotion::new(&motion, origin, 0.0).unwrap();
            let time = leaf.reach(&coarse);
            assert!(f64::from(time) <= true_time, "case {case}: {time} for {true_time}");
            met += usize::from(true_time.is_finite());
            kept += usize::from(time.is_finite());
        }
        assert!(kept * 100 < met * 105, "{kept} kept of {met}");
    }
}
