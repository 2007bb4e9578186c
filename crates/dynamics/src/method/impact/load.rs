//! What contacts at rest carry, from frame to frame (warm starting).
//!
//! Impacts at rest are found by going through all contacts over and over. From nothing, the weight of a tower takes as many rounds as the square of
//! its height to arrive at the floor, and that of a tonne on a kilogram a thousand; what is missing lets bodies sink, tilt and creep. But a
//! load at rest is the same in every frame. So the rounds begin with what a point exerted in the frame before, and what they
//! have not found in one frame they find in the next.
//!
//! A blow passes through bodies at rest, too, and is over in a frame. So a point begins with no more than it exerted in each of the
//! last *two* frames.

use crate::contact::ContactImpulse;
use crate::method::classic::Mark;
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// What a point at rest exerted lately, in N s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// In this frame, so far.
    pub(super) now: ContactImpulse,
    /// Along the normal, in the frame before.
    before: f64,
}

impl Mark for Load {
    fn is_finite(&self) -> bool {
        self.now.normal.is_finite() && self.now.friction.is_finite() && self.before.is_finite()
    }
}

impl Load {
    /// What a frame begins with, with the normal as it is now.
    pub(super) fn begin(&mut self, normal: DVec3) -> ContactImpulse {
        let steady = self.now.normal.min(self.before).max(0.0);
        let part = if self.now.normal > 0.0 { steady / self.now.normal } else { 0.0 };
        let friction = self.now.friction * part;
        self.before = self.now.normal;
        self.now =
            ContactImpulse { normal: steady, friction: friction - normal * friction.dot(normal), ..Default::default() };
        self.now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(load: &mut Load, exerted: f64) -> f64 {
        let begun = load.begin(DVec3::Y).normal;
        load.now.normal = exerted;
        begun
    }

    #[test]
    fn what_lasts_is_expected_and_a_blow_is_not() {
        let mut load = Load::default();
        let begun = [2.0, 2.0, 2.0, 50.0, 2.0, 0.0, 2.0, 2.0, 2.0].map(|exerted| frame(&mut load, exerted));
        assert_eq!(begun, [0.0, 0.0, 2.0, 2.0, 2.0, 2.0, 0.0, 0.0, 2.0]);
    }

    #[test]
    fn friction_stays_in_the_plane() {
        let mut load = Load::default();
        for _ in 0..2 {
            load.begin(DVec3::Y);
            load.now = ContactImpulse { normal: 2.0, friction: DVec3::X, ..Default::default() };
        }
        let begun = load.begin(DVec3::new(0.6, 0.8, 0.0));
        assert!(begun.friction.dot(DVec3::new(0.6, 0.8, 0.0)).abs() < 1e-15 && begun.normal == 2.0);
    }
}
