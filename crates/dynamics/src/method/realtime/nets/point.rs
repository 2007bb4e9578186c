//! Eight ball joints at once: a point of one body stays at a point of another.
//!
//! With the arms r of the two bodies, which turn with them, and the gap C between the points,
//!
//! ```text
//! C = C₀ + (d₂ + Δr₂) − (d₁ + Δr₁)
//! K = (1/m₁ + 1/m₂) 1 − [r₁] W₁ [r₁] − [r₂] W₂ [r₂]
//! Δλ = −s K⁻¹ (v₂ + ω₂ × r₂ − v₁ − ω₁ × r₁ + ρ C) − l λ
//! ```
//!
//! d is how far a body has gone, W its inverse inertia, and the spring s, ρ, l that of [`Spring`]. All three rows are solved at once.
//!
//! The impulses of the last substep act again by body (see `wide`), at the arms of the last substep; by how much these have turned since,
//! `Δr × λ`, is made up for here. Without that the pull of a taut joint would lag behind, and feed what swings.

use super::super::lanes::{LANES, Lanes, Symmetric, Vector, Wide, all, larger, load, smaller, store};
use super::ends::{Ends, Pair, inverse, put};
use super::{Shared, Spring};
use fearless_simd::Simd;
use glam::DVec3;

/// Eight points.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct Points {
    pub(super) ends: Ends,
    /// The arms where contacts were found, and the gap.
    start_arms: [[Lanes; 3]; 2],
    start_gap: [Lanes; 3],
    pub(super) arms: [[Lanes; 3]; 2],
    /// K⁻¹.
    mass: [Lanes; 6],
    /// λ, and its sum over the substeps.
    pub(super) impulse: [Lanes; 3],
    pub(super) total: [Lanes; 3],
    /// The gap, and the largest component that it has had.
    pub(super) gap: [Lanes; 3],
    pub(super) worst: Lanes,
}

impl Points {
    pub(super) const EMPTY: Self = Self {
        ends: Ends::NONE,
        start_arms: [[[0.0; LANES]; 3]; 2],
        start_gap: [[0.0; LANES]; 3],
        arms: [[[0.0; LANES]; 3]; 2],
        mass: [[0.0; LANES]; 6],
        impulse: [[0.0; LANES]; 3],
        total: [[0.0; LANES]; 3],
        gap: [[0.0; LANES]; 3],
        worst: [0.0; LANES],
    };

    /// Puts the arms, the gap and the impulse of the last substep into a lane.
    pub(super) fn fill(&mut self, lane: usize, arms: [DVec3; 2], gap: DVec3, impulse: DVec3) {
        for (side, arm) in arms.into_iter().enumerate() {
            put(&mut self.start_arms[side], lane, arm);
            put(&mut self.arms[side], lane, arm);
        }
        put(&mut self.start_gap, lane, gap);
        put(&mut self.impulse, lane, impulse);
    }
}

/// Adds what the joints gave in the last substep to the sums of their bodies.
#[inline(always)]
pub(super) fn warm<S: Simd>(simd: S, blocks: &mut [Points], shared: &Shared<'_, '_>) {
    for block in blocks {
        let mut pair = Pair::load(simd, &block.ends, shared.motions);
        let arms = Vector::load_both(simd, &block.arms);
        push(simd, &mut pair, Vector::load(simd, &block.impulse), arms);
        pair.store(simd, &block.ends, shared.motions);
    }
}

/// Finds where the bodies are now, and lets the springs act.
#[inline(always)]
pub(super) fn spring<S: Simd>(simd: S, blocks: &mut [Points], shared: &Shared<'_, '_>, spring: &Spring) {
    let zero = all(simd, 0.0);
    let (rate, most, least) = (all(simd, spring.rate), all(simd, spring.most), all(simd, -spring.most));
    let (share, leak) = (all(simd, spring.mass_scale), all(simd, spring.impulse_scale));
    for block in blocks {
        let mut pair = Pair::load(simd, &block.ends, shared.motions);
        let [first, second] = block.ends.offsets(simd, shared.offsets);
        let start = Vector::load_both(simd, &block.start_arms);
        let before = Vector::load_both(simd, &block.arms);
        let turned = [first.turned(simd, start[0]), second.turned(simd, start[1])];
        let arms = [start[0].plus(turned[0]), start[1].plus(turned[1])];
        arms[0].store(&mut block.arms[0]);
        arms[1].store(&mut block.arms[1]);
        let way = second.shift.plus(turned[1]).minus(first.shift.plus(turned[0]));
        let gap = Vector::load(simd, &block.start_gap).plus(way);
        gap.store(&mut block.gap);
        let largest = larger(larger(gap.x, zero - gap.x), larger(gap.y, zero - gap.y));
        let largest = larger(largest, larger(gap.z, zero - gap.z));
        store(larger(largest, load(simd, &block.worst)), &mut block.worst);

        let mass = effective_mass(simd, &pair, arms);
        let mut entry = 0;
        while entry < 6 {
            store(mass[entry], &mut block.mass[entry]);
            entry += 1;
        }
        let impulse = Vector::load(simd, &block.impulse);
        let none = Vector { x: zero, y: zero, z: zero };
        pair.push(0, none, before[0].minus(arms[0]).cross(impulse));
        pair.push(1, none, arms[1].minus(before[1]).cross(impulse));

        let bias = gap.times(rate);
        let bias = Vector {
            x: larger(smaller(bias.x, most), least),
            y: larger(smaller(bias.y, most), least),
            z: larger(smaller(bias.z, most), least),
        };
        let wanted = opening(&pair, arms).plus(bias);
        let change = Symmetric(mass).times(wanted).times(share).plus(impulse.times(leak));
        impulse.minus(change).store(&mut block.impulse);
        push(simd, &mut pair, none.minus(change), arms);
        pair.store(simd, &block.ends, shared.motions);
    }
}

/// What the springs gave is taken back.
#[inline(always)]
pub(super) fn relax<S: Simd>(simd: S, blocks: &mut [Points], shared: &Shared<'_, '_>) {
    let zero = all(simd, 0.0);
    for block in blocks {
        let mut pair = Pair::load(simd, &block.ends, shared.motions);
        let arms = Vector::load_both(simd, &block.arms);
        let change = Symmetric::load(simd, &block.mass).times(opening(&pair, arms));
        let impulse = Vector::load(simd, &block.impulse).minus(change);
        impulse.store(&mut block.impulse);
        Vector::load(simd, &block.total).plus(impulse).store(&mut block.total);
        push(simd, &mut pair, Vector { x: zero, y: zero, z: zero }.minus(change), arms);
        pair.store(simd, &block.ends, shared.motions);
    }
}

#[inline(always)]
fn effective_mass<S: Simd>(simd: S, pair: &Pair<S>, arms: [Vector<S>; 2]) -> [Wide<S>; 6] {
    let mut mobility = pair.mobility_at(0, arms[0]);
    let second = pair.mobility_at(1, arms[1]);
    let mut entry = 0;
    while entry < 6 {
        mobility[entry] += second[entry];
        entry += 1;
    }
    inverse(simd, mobility)
}

/// How fast the points move apart.
#[inline(always)]
fn opening<S: Simd>(pair: &Pair<S>, arms: [Vector<S>; 2]) -> Vector<S> {
    let [[v, spin], [v2, spin2]] = pair.motions;
    v2.plus(spin2.cross(arms[1])).minus(v.plus(spin.cross(arms[0])))
}

/// An impulse on the second bodies, and the opposite one on the first.
#[inline(always)]
fn push<S: Simd>(simd: S, pair: &mut Pair<S>, impulse: Vector<S>, arms: [Vector<S>; 2]) {
    let zero = all(simd, 0.0);
    let opposite = Vector { x: zero, y: zero, z: zero }.minus(impulse);
    pair.push(0, opposite, arms[0].cross(opposite));
    pair.push(1, impulse, arms[1].cross(impulse));
}
