//! How much larger the fat box of a proxy is than its tight one.
//!
//! A fat box that is too small is renewed at every step, and each renewal costs a search for partners; one that is too
//! large makes pairs of things that are far from touching. The margin therefore follows the size of the box, within
//! bounds, and the side the box is heading for gets more.

use crate::Aabb;
use glam::DVec3;

/// The margin rule of a broad phase. Values that are negative or NaN count as zero.
///
/// The margin on every side is `relative` times the longest edge of the tight box, at least `minimum` and at most
/// `maximum`; the sides in the direction of the expected displacement are moved by `stretch` times the displacement
/// on top of that. [`Fixed`](super::Mobility::Fixed) proxies have no margin.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FatMargin {
    /// Margin per length of the longest edge, without unit. Default 0.1.
    pub relative: f64,
    /// The smallest margin in metres. Default 0.
    pub minimum: f64,
    /// The largest margin in metres; wins over `minimum`. Default 0.1. Without it the infinite edges of an unbounded
    /// box would ask for an infinite margin.
    pub maximum: f64,
    /// For how many of the expected displacements there is room, without unit. Default 2: a box in uniform motion is
    /// renewed in every third update at most. Zero ignores displacements.
    pub stretch: f64,
}

impl Default for FatMargin {
    fn default() -> Self {
        Self { relative: 0.1, minimum: 0.0, maximum: 0.1, stretch: 2.0 }
    }
}

impl FatMargin {
    /// No margin at all: fat boxes equal tight boxes, and pairs are exactly the boxes that overlap.
    pub const ZERO: Self = Self::absolute(0.0);

    /// The same margin in metres around every moving box, and no stretching.
    pub const fn absolute(margin: f64) -> Self {
        Self { relative: 0.0, minimum: margin, maximum: margin, stretch: 0.0 }
    }

    /// The fat box for a box that is not empty.
    pub fn fatten(&self, tight: &Aabb, displacement: DVec3) -> Aabb {
        let (margin, ahead) = (self.margin(tight), self.ahead(displacement));
        let fat = tight.expanded(margin);
        Aabb::new(fat.min + ahead.min(DVec3::ZERO), fat.max + ahead.max(DVec3::ZERO))
    }

    /// Whether `fat` no longer serves: `tight` has left it, or it is far larger than a new one would be (as after a
    /// fast flight that ended).
    pub(super) fn outgrown(&self, fat: &Aabb, tight: &Aabb, displacement: DVec3) -> bool {
        if !fat.contains(tight) {
            return true;
        }
        let tolerated = DVec3::splat(4.0 * self.margin(tight)) + self.ahead(displacement).abs();
        let fresh = self.fatten(tight, displacement);
        !Aabb::new(fresh.min - tolerated, fresh.max + tolerated).contains(fat)
    }

    fn margin(&self, tight: &Aabb) -> f64 {
        let longest_edge = tight.extents().max_element();
        // The order of `max` and `min` turns NaN (0 · ∞, or a NaN setting) into the other operand.
        (self.relative * longest_edge).max(self.minimum).min(self.maximum).max(0.0)
    }

    fn ahead(&self, displacement: DVec3) -> DVec3 {
        let ahead = self.stretch.max(0.0) * displacement;
        DVec3::select(ahead.is_nan_mask(), DVec3::ZERO, ahead)
    }
}
