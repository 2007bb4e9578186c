//! Points on a lattice of 10⁻¹⁸ of the largest coordinate, where orientation is decided exactly.
//!
//! On each axis the lattice has 2⁶¹ steps between zero and the power of two above the largest coordinate or extent. A
//! double keeps 53 bits, so that coordinates down to 2⁻⁹ of that lie on the lattice as they are, and the others move by
//! less than 10⁻¹⁸ of the largest coordinate. All lattice points that come from doubles are doubles again.
//!
//! In steps, coordinates are integers below 2⁶¹, differences below 2⁶², the components of a cross product below 2¹²⁵: all
//! exact in `i64` and `i128`. Hence the side of a plane on which a point lies is known exactly, and the normal of any
//! triangle, be it thin as a needle, is accurate to the last bits.

use crate::Aabb;
use glam::DVec3;
use std::cmp::Ordering;

/// How many bits a coordinate has, without sign.
const BITS: i32 = 61;

/// Distinct points, in order of x, then y, then z.
pub(super) struct Lattice {
    /// The points in metres.
    pub(super) positions: Vec<DVec3>,
    /// The points in steps.
    steps: Vec<[i64; 3]>,
    /// The length of a step along each axis in metres: a power of two.
    spacing: DVec3,
    /// A height computed by [`height`](Self::height) that is farther from zero than this, in metres, has the right sign.
    pub(super) doubt: f64,
}

impl Lattice {
    /// The given points, moved onto the lattice, sorted, each once. They must be finite, not farther than 1e9 from
    /// the origin, and `bounds` around them must have an extent of at least 1e-9.
    pub(super) fn new(points: &[DVec3], bounds: &Aabb) -> Self {
        let extent = bounds.extents().max_element();
        let largest = bounds.min.abs().max(bounds.max.abs()).max(DVec3::splat(extent));
        // frexp gives the e with x < 2ᵉ.
        let spacing =
            DVec3::from_array(largest.to_array().map(|length| libm::ldexp(1.0, libm::frexp(length).1 - BITS)));
        let per_metre = spacing.recip();
        let mut steps: Vec<[i64; 3]> =
            points.iter().map(|&p| (p * per_metre).to_array().map(|x| x.round_ties_even() as i64)).collect();
        steps.sort_unstable();
        steps.dedup();
        let positions = steps.iter().map(|s| DVec3::new(s[0] as f64, s[1] as f64, s[2] as f64) * spacing).collect();
        // A unit normal is off by 4 units of 2⁻⁵³ at most, products and sums by 5 more, relative to |n| |d| ≤ diameter.
        let doubt = libm::ldexp(bounds.extents().length(), -49);
        Self { positions, steps, spacing, doubt }
    }

    /// The unit normal of the triangle `a, b, c`, which is counter-clockwise seen from its tip; zero if it has no area.
    pub(super) fn normal(&self, [a, b, c]: [u32; 3]) -> DVec3 {
        let [x, y, z] = self.cross([a, b, c]);
        let step = self.spacing;
        let scaled =
            DVec3::new(x as f64 * (step.y * step.z), y as f64 * (step.z * step.x), z as f64 * (step.x * step.y));
        scaled.normalize_or_zero()
    }

    /// How far point `p` lies above the plane through point `a` with unit normal `normal`, in metres, to rounding.
    pub(super) fn height(&self, normal: DVec3, a: u32, p: u32) -> f64 {
        normal.dot(self.positions[p as usize] - self.positions[a as usize])
    }

    /// Whether point `p` lies above (`Greater`), on or below the plane of a triangle whose unit normal is `normal`;
    /// exact. `height` is its height as computed.
    pub(super) fn side(&self, triangle: [u32; 3], p: u32, height: f64) -> Ordering {
        if height > self.doubt {
            Ordering::Greater
        } else if height < -self.doubt {
            Ordering::Less
        } else {
            self.exact_side(triangle, p)
        }
    }

    /// `(b − a) × (c − a)` in steps.
    fn cross(&self, [a, b, c]: [u32; 3]) -> [i128; 3] {
        let (u, v) = (self.difference(b, a), self.difference(c, a));
        let minor = |i: usize, j: usize| i128::from(u[i]) * i128::from(v[j]) - i128::from(u[j]) * i128::from(v[i]);
        [minor(1, 2), minor(2, 0), minor(0, 1)]
    }

    fn difference(&self, p: u32, q: u32) -> [i64; 3] {
        let (p, q) = (self.steps[p as usize], self.steps[q as usize]);
        [p[0] - q[0], p[1] - q[1], p[2] - q[2]]
    }

    /// The sign of `(b − a) × (c − a) · (p − a)`. The product needs up to 189 bits: the cross product is split into
    /// `high · 2⁶³ + low`, and so are the sums.
    fn exact_side(&self, triangle: [u32; 3], p: u32) -> Ordering {
        const LOW: i128 = (1 << 63) - 1;
        let cross = self.cross(triangle);
        let offset = self.difference(p, triangle[0]);
        let (mut high, mut low) = (0_i128, 0_i128);
        for (n, d) in cross.into_iter().zip(offset) {
            high += (n >> 63) * i128::from(d);
            low += (n & LOW) * i128::from(d);
        }
        high += low >> 63;
        low &= LOW;
        high.cmp(&0).then(low.cmp(&0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lattice(points: &[DVec3]) -> Lattice {
        Lattice::new(points, &Aabb::from_points(points.iter().copied()))
    }

    #[test]
    fn coordinates_of_similar_size_are_kept_to_the_bit() {
        let points =
            [DVec3::new(0.1, -0.7, 1e6 + 0.3), DVec3::new(0.3, 0.1, 1e6 + 0.1), DVec3::new(0.9, 0.2, 1e6 - 0.1)];
        assert_eq!(lattice(&points).positions, points);
    }

    /// At full 61-bit coordinates: the sign changes with the orientation and only with it, and one step above or below
    /// a plane is seen.
    #[test]
    fn side_is_exact_to_one_step() {
        let big = (1_i64 << 61) - 1;
        let steps = vec![[-big, -big, -big], [big, -big, 12345], [-1, big, big - 7], [0, 0, 0], [1, 0, 0]];
        let mut lattice = lattice(&[DVec3::ZERO, DVec3::ONE]);
        lattice.steps = steps;
        for (a, b, c, p) in [(0, 1, 2, 3), (0, 1, 2, 4), (1, 2, 3, 4), (0, 2, 3, 4)] {
            let side = lattice.exact_side([a, b, c], p);
            assert_eq!(side, lattice.exact_side([a, c, b], p).reverse());
            assert_eq!(side, lattice.exact_side([b, c, a], p));
            assert_eq!(side, lattice.exact_side([b, a, p], c));
        }
        // u = (big, 1, 0), v = (big − 1, 1, 0) span z = 0 with the least area there is; one step up is above.
        lattice.steps = vec![[0, 0, 0], [big, 1, 0], [big - 1, 1, 0], [-big, -big, 0], [-big, -big, 1], [big, big, -1]];
        assert_eq!(lattice.exact_side([0, 1, 2], 3), Ordering::Equal);
        assert_eq!(lattice.exact_side([0, 1, 2], 4), Ordering::Greater);
        assert_eq!(lattice.exact_side([0, 1, 2], 5), Ordering::Less);
    }
}
