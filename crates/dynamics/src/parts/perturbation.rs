//! Rough surfaces (G 2.6.5): the normal of a contact is tilted, by chance when it begins or by a smooth function of the place.
//!
//! In the spherical cap of directions m with `m·n ≥ 1 − σ` equal areas have equal heights (Archimedes), so that the cosine of a direction at
//! random in it is uniform between 1 − σ and 1. The smooth function is value noise: random numbers at the corners of a lattice, and between
//! them an interpolation whose slope is zero at the corners.
//!
//! The numbers come from a counter-based generator: they are a hash (the finaliser of splitmix64) of the seed, the pair of
//! colliders and the step, and not the next of a series. So they do not depend on the order in which contacts are found,
//! nor on what else happens in the world.

use crate::model::Roughness;
use crate::{ColliderId, Id, Model, State};
use glam::DVec3;
use std::f64::consts::TAU;
use tumble_geometry::math::orthonormal_pair;

/// What a contact that begins with this normal adds to it for as long as it lasts.
pub fn begin(model: &Model, state: &State, colliders: [ColliderId; 2], epsilon: f64, normal: DVec3) -> DVec3 {
    match model.mixing().roughness() {
        Roughness::Cube => tilt(state.random, state.steps, colliders, epsilon),
        Roughness::Cap => in_cap(normal, epsilon, tilt(state.random, state.steps, colliders, 0.5) + 0.5) - normal,
        Roughness::Noise { .. } => DVec3::ZERO,
    }
}

/// What a contact adds to its normal where it is now.
pub fn here(model: &Model, state: &State, epsilon: f64, place: DVec3) -> DVec3 {
    match model.mixing().roughness() {
        Roughness::Noise { scale } if epsilon > 0.0 => noise(state.random, place / scale.clamp(1e-6, 1e6)) * epsilon,
        _ => DVec3::ZERO,
    }
}

/// The direction in the cap around a normal that two numbers between 0 and 1 choose.
fn in_cap(normal: DVec3, sigma: f64, chance: DVec3) -> DVec3 {
    let cosine = 1.0 - sigma.clamp(0.0, 1.0) * chance.x;
    let (sin, cos) = libm::sincos(TAU * chance.y);
    let (u, v) = orthonormal_pair(normal);
    normal * cosine + (u * cos + v * sin) * (1.0 - cosine * cosine).max(0.0).sqrt()
}

/// Value noise with a lattice of unit cubes: each coordinate is between −1 and 1.
fn noise(seed: u64, place: DVec3) -> DVec3 {
    // Beyond 2⁵³ there is nothing between whole numbers.
    let place = place.clamp(DVec3::splat(-1e15), DVec3::splat(1e15));
    let corner = place.floor();
    let part = place - corner;
    let smooth = part * part * (DVec3::splat(3.0) - 2.0 * part);
    let mut sum = DVec3::ZERO;
    for index in 0..8 {
        let offset = DVec3::new(f64::from(index & 1), f64::from(index >> 1 & 1), f64::from(index >> 2));
        let at = corner + offset;
        let key = [at.x, at.y, at.z].into_iter().fold(seed, |key, x| mix(key ^ mix((x as i64) as u64)));
        let uniform = |axis: u64| unit(mix(key.wrapping_add(axis))) * 2.0 - 1.0;
        let weights = offset * smooth + (DVec3::ONE - offset) * (DVec3::ONE - smooth);
        sum += DVec3::new(uniform(1), uniform(2), uniform(3)) * weights.element_product();
    }
    sum
}

/// A number from 0 to 1 out of 64 random bits.
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

/// A vector with each coordinate uniform in ±ε, for a contact that begins in a step.
pub fn tilt(seed: u64, step: u64, colliders: [ColliderId; 2], epsilon: f64) -> DVec3 {
    let word = |id: ColliderId| (id.slot() as u64) << 32 | u64::from(id.generation());
    let key =
        [seed, step, word(colliders[0]), word(colliders[1])].into_iter().fold(0, |key, word| mix(key ^ mix(word)));
    let uniform = |axis: u64| unit(mix(key.wrapping_add(axis))) * 2.0 - 1.0;
    epsilon * DVec3::new(uniform(1), uniform(2), uniform(3))
}

/// Every bit of the result depends on every bit of the number.
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tilts_are_uniform_and_independent() {
        let tilts: Vec<DVec3> = (0..20_000)
            .map(|n: u32| tilt(7, u64::from(n % 100), [ColliderId::new(n / 100, 0), ColliderId::new(n + 1, 3)], 0.5))
            .collect();
        let count = tilts.len() as f64;
        let mean = tilts.iter().sum::<DVec3>() / count;
        let square: DVec3 = tilts.iter().map(|&t| t * t).sum::<DVec3>() / count;
        let mixed: DVec3 = tilts.iter().map(|t| DVec3::new(t.x * t.y, t.y * t.z, t.z * t.x)).sum::<DVec3>() / count;
        let next: DVec3 = tilts.windows(2).map(|w| w[0] * w[1]).sum::<DVec3>() / count;
        // The variance of a uniform number in ±ε is ε²/3; the means of 20 000 deviate by less than four standard errors.
        assert!(mean.abs().max_element() < 4.0 * 0.5 / 3.0_f64.sqrt() / count.sqrt(), "{mean}");
        assert!((square - 0.25 / 3.0).abs().max_element() < 0.003, "{square}");
        assert!(mixed.abs().max_element() < 0.003 && next.abs().max_element() < 0.003, "{mixed} {next}");
        assert!(tilts.iter().all(|t| t.abs().max_element() <= 0.5));
    }

    /// Directions in a cap are within it, uniform over its area, and the same all round.
    #[test]
    fn caps_are_filled_evenly() {
        let normal = DVec3::new(1.0, -2.0, 0.5).normalize();
        let chance = |n: u32| tilt(3, u64::from(n), [ColliderId::new(0, 0), ColliderId::new(1, 0)], 0.5) + 0.5;
        let directions: Vec<DVec3> = (0..20_000).map(|n| in_cap(normal, 0.3, chance(n))).collect();
        assert!(directions.iter().all(|m| (m.length() - 1.0).abs() < 1e-12 && m.dot(normal) >= 0.7 - 1e-12));
        let mean = directions.iter().sum::<DVec3>() / 20_000.0;
        // By Archimedes the mean cosine is that of the middle height.
        assert!((mean.dot(normal) - 0.85).abs() < 0.003, "{mean}");
        assert!((mean - normal * mean.dot(normal)).length() < 0.01, "{mean}");
    }

    /// Noise is between −1 and 1, continuous, the same at the same place, and other with another seed.
    #[test]
    fn noise_is_smooth() {
        let mut far = 0.0_f64;
        for n in 0..5000 {
            let place = DVec3::new(0.013 * f64::from(n), 0.007 * f64::from(n) - 20.0, 3.0 - 0.003 * f64::from(n));
            let (here, near) = (noise(7, place), noise(7, place + DVec3::splat(1e-6)));
            assert!(here.abs().max_element() <= 1.0 && (here - near).length() < 1e-4, "{place}: {here} {near}");
            assert_eq!(here, noise(7, place));
            far = far.max((here - noise(8, place)).length());
        }
        assert!(far > 0.5, "{far}");
        assert!(noise(7, DVec3::splat(f64::MAX)).is_finite());
    }
}
