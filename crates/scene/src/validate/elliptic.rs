//! Elliptic integrals and functions, for pendulums and free tops.
//!
//! All from the arithmetic-geometric mean: a ← (a + b)/2, b ← √(a b), c ← (a − b)/2 converge quadratically, starting from
//! a = 1, b = √(1 − m), c = √m. m = k² is the parameter.

use std::f64::consts::FRAC_PI_2;

/// More than enough for 53 bits.
const ROUNDS: usize = 10;

/// The complete integral K(m) = ∫ dφ/√(1 − m sin²φ) from 0 to π/2: π/(2 agm(1, √(1 − m))).
pub(super) fn complete(m: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - m).sqrt());
    for _ in 0..ROUNDS {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    FRAC_PI_2 / a
}

/// The amplitude am(u, m): φ with u = ∫ dφ/√(1 − m sin²φ) from 0 to φ. Then sn u = sin φ, cn u = cos φ, dn u = √(1 − m sin²φ).
pub(super) fn amplitude(u: f64, m: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - m).sqrt());
    let mut ratios = [0.0; ROUNDS];
    for ratio in &mut ratios {
        let next = 0.5 * (a + b);
        *ratio = 0.5 * (a - b) / next;
        (a, b) = (next, (a * b).sqrt());
    }
    // φ of the last round is 2ᴺ a u; then sin(2φ' − φ) = c/a sin φ back to the first.
    let mut phi = a * u * (1_u32 << ROUNDS) as f64;
    for ratio in ratios.into_iter().rev() {
        phi = 0.5 * (phi + libm::asin((ratio * libm::sin(phi)).clamp(-1.0, 1.0)));
    }
    phi
}

/// sn, cn and dn of u.
pub(super) fn functions(u: f64, m: f64) -> [f64; 3] {
    let (sn, cn) = libm::sincos(amplitude(u, m));
    [sn, cn, (1.0 - m * sn * sn).sqrt()]
}

/// The integral of a smooth function, by Simpson's rule.
pub(super) fn integral([from, to]: [f64; 2], f: impl Fn(f64) -> f64) -> f64 {
    const PAIRS: usize = 500;
    let h = (to - from) / (2 * PAIRS) as f64;
    let at = |i: usize| f(from + h * i as f64);
    let sum: f64 = (0..PAIRS).map(|i| at(2 * i) + 4.0 * at(2 * i + 1) + at(2 * i + 2)).sum();
    sum * h / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complete_integral() {
        // Abramowitz and Stegun, table 17.1.
        assert!((complete(0.0) - FRAC_PI_2).abs() < 1e-15);
        assert!((complete(0.5) - 1.854_074_677_301_372).abs() < 1e-14);
    }

    #[test]
    fn amplitude_inverts_the_integral() {
        for (phi, m) in [(0.3, 0.5), (1.2, 0.9), (4.0, 0.2), (-2.0, 0.7)] {
            let u = integral([0.0, phi], |phi| 1.0 / (1.0 - m * libm::sin(phi) * libm::sin(phi)).sqrt());
            assert!((amplitude(u, m) - phi).abs() < 1e-9, "{phi}, {m}");
        }
    }
}
