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

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: Aabb = Aabb::new(DVec3::ZERO, DVec3::ONE);

    #[test]
    fn the_margin_follows_the_longest_edge_within_its_bounds() {
        let margin = FatMargin { relative: 0.1, minimum: 0.05, maximum: 0.5, stretch: 0.0 };
        for (edge, expected) in [(0.1, 0.05), (1.0, 0.1), (2.0, 0.2), (100.0, 0.5), (f64::INFINITY, 0.5)] {
            let tight = Aabb::new(DVec3::ZERO, DVec3::new(0.01, edge, 0.01));
            assert_eq!(margin.fatten(&tight, DVec3::ONE).min, DVec3::splat(-expected), "{edge}");
        }
    }

    #[test]
    fn only_the_sides_ahead_are_stretched() {
        let margin = FatMargin { stretch: 3.0, ..FatMargin::ZERO };
        let fat = margin.fatten(&UNIT, DVec3::new(1.0, -2.0, 0.0));
        assert_eq!(fat, Aabb::new(DVec3::new(0.0, -6.0, 0.0), DVec3::new(4.0, 1.0, 1.0)));
    }

    #[test]
    fn nonsense_counts_as_zero() {
        let margin = FatMargin { relative: f64::NAN, minimum: -1.0, maximum: 1.0, stretch: f64::NAN };
        assert_eq!(margin.fatten(&UNIT, DVec3::ONE), UNIT);
        assert_eq!(FatMargin::default().fatten(&UNIT, DVec3::NAN), UNIT.expanded(0.1));
    }

    #[test]
    fn a_fat_box_is_renewed_when_left_and_when_the_flight_is_over() {
        let margin = FatMargin::default();
        let flying = margin.fatten(&UNIT, DVec3::X * 10.0);
        let after = |distance: f64| Aabb::new(UNIT.min + DVec3::X * distance, UNIT.max + DVec3::X * distance);
        assert!(!margin.outgrown(&flying, &after(10.0), DVec3::X * 10.0), "still flying");
        assert!(margin.outgrown(&flying, &after(10.0), DVec3::ZERO), "landed");
        assert!(margin.outgrown(&flying, &after(21.0), DVec3::X * 10.0), "left");
        let resting = margin.fatten(&UNIT, DVec3::ZERO);
        assert!(!margin.outgrown(&resting, &after(0.05), DVec3::ZERO), "a small move");
    }
}
