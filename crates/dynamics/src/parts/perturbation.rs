//! Rough surfaces (G 2.6.5): the normal of a new contact is tilted by chance.
//!
//! The numbers come from a counter-based generator: they are a hash (the finaliser of splitmix64) of the seed, the pair of
//! colliders and the step, and not the next of a series. So they do not depend on the order in which contacts are found,
//! nor on what else happens in the world.

use crate::{ColliderId, Id};
use glam::DVec3;

/// A vector with each coordinate uniform in ±ε, for a contact that begins in a step.
pub fn tilt(seed: u64, step: u64, colliders: [ColliderId; 2], epsilon: f64) -> DVec3 {
    let word = |id: ColliderId| (id.slot() as u64) << 32 | u64::from(id.generation());
    let key =
        [seed, step, word(colliders[0]), word(colliders[1])].into_iter().fold(0, |key, word| mix(key ^ mix(word)));
    let uniform = |axis: u64| (mix(key.wrapping_add(axis)) >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0;
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
}
