//! The angular momentum of a body to twice the precision of its state.
//!
//! A free rotation conserves L = R I Rᵀ ω, a state keeps ω and R. Going from ω to L and back in every step loses 10⁻¹⁶ of it each time,
//! and always in the same direction as long as the body turns much alike: after a million steps |L| is off by 10⁻¹⁰. So L is computed
//! with error-free transformations (Dekker 1971; the dot product is that of Ogita, Rump and Oishi 2005), and ω from it with one
//! step of iterative refinement, `ω ← ω + R I⁻¹ Rᵀ (L − R I Rᵀ ω)`. What is left is the rounding of ω itself, which is as often up as
//! down: 10⁻¹⁶ √n after n steps.

use glam::{DMat3, DQuat, DVec3};
use tumble_geometry::mass::PrincipalInertia;

/// A vector as the sum of a rounded one and what rounding took from it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Twofold {
    /// The rounded vector.
    pub(super) value: DVec3,
    rest: DVec3,
}

impl Twofold {
    fn new(x: (f64, f64), y: (f64, f64), z: (f64, f64)) -> Self {
        Self { value: DVec3::new(x.0, y.0, z.0), rest: DVec3::new(x.1, y.1, z.1) }
    }
}

/// The principal frame of a body in space.
#[derive(Clone, Copy, Debug)]
pub(super) struct PrincipalFrame {
    /// R: from the principal frame to the world.
    rotation: DMat3,
    moments: DVec3,
    /// 1/moment; zero about an axis without extent, about which nothing turns.
    inverse: DVec3,
}

impl PrincipalFrame {
    /// Of a body in an orientation.
    #[inline]
    pub(super) fn new(principal: &PrincipalInertia, rotation: DQuat) -> Self {
        let moments = principal.moments;
        let negligible = 1e-15 * moments.abs().max_element();
        let inverse = moments.to_array().map(|moment| if moment > negligible { 1.0 / moment } else { 0.0 });
        Self { rotation: DMat3::from_quat(rotation * principal.axes), moments, inverse: DVec3::from(inverse) }
    }

    /// A vector of the world in principal axes.
    #[inline]
    pub(super) fn to_local(self, vector: DVec3) -> DVec3 {
        self.rotation.transpose() * vector
    }

    /// `L = R I Rᵀ ω`.
    #[inline]
    pub(super) fn momentum(self, omega: DVec3) -> Twofold {
        let local = product(self.rotation.transpose(), omega);
        let (x, y, z) = (local.value.x, local.value.y, local.value.z);
        let moments = self.moments;
        let spin = Twofold::new(two_product(moments.x, x), two_product(moments.y, y), two_product(moments.z, z));
        let turned = product(self.rotation, spin.value);
        Twofold { rest: turned.rest + self.rotation * (spin.rest + moments * local.rest), ..turned }
    }

    /// `ω = R I⁻¹ Rᵀ L`, as near as ω can be.
    pub(super) fn angular_velocity(self, momentum: Twofold) -> DVec3 {
        let solve = |momentum: DVec3| self.rotation * (self.to_local(momentum) * self.inverse);
        let omega = solve(momentum.value);
        let reached = self.momentum(omega);
        let left = (momentum.value - reached.value) + (momentum.rest - reached.rest);
        // Near the largest numbers the transformations overflow; there the plain result has to do.
        if left.is_finite() { omega + solve(left) } else { omega }
    }
}

/// A matrix times a vector.
#[inline]
fn product(matrix: DMat3, vector: DVec3) -> Twofold {
    Twofold::new(dot(matrix.row(0), vector), dot(matrix.row(1), vector), dot(matrix.row(2), vector))
}

/// `a·b` and its rounding error.
#[inline]
fn dot(a: DVec3, b: DVec3) -> (f64, f64) {
    let products = [two_product(a.x, b.x), two_product(a.y, b.y), two_product(a.z, b.z)];
    let (sum, first) = two_sum(products[0].0, products[1].0);
    let (sum, second) = two_sum(sum, products[2].0);
    (sum, (first + second) + (products[0].1 + products[1].1 + products[2].1))
}

/// `a + b` and its rounding error, exactly (Knuth).
#[inline]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let of_b = sum - a;
    (sum, (a - (sum - of_b)) + (b - of_b))
}

/// `a b` and its rounding error, exactly (Dekker, Veltkamp).
#[inline]
fn two_product(a: f64, b: f64) -> (f64, f64) {
    // Two halves of 26 bits each.
    let split = |x: f64| {
        let scaled = 134_217_729.0 * x;
        let high = scaled - (scaled - x);
        (high, x - high)
    };
    let (product, (a_high, a_low), (b_high, b_low)) = (a * b, split(a), split(b));
    (product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_products_and_sums_are_exact() {
        // (1 + 2⁻³⁰)² = 1 + 2⁻²⁹ + 2⁻⁶⁰.
        let x = 1.0 + libm::exp2(-30.0);
        assert_eq!(two_product(x, x), (1.0 + libm::exp2(-29.0), libm::exp2(-60.0)));
        assert_eq!(two_sum(1.0, libm::exp2(-60.0)), (1.0, libm::exp2(-60.0)));
        assert_eq!(two_sum(libm::exp2(-60.0), 1.0), (1.0, libm::exp2(-60.0)));
    }
}
