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
//! W are the inverse inertias, and the spring s, ρ, l is that of [`Spring`]. All three rows are solved at once.

use super::super::lanes::{LANES, Lanes, Symmetric, Vector, Wide, all, gather, gather_all, larger, load, scatter, smaller, store};
use super::super::bodies::Body;
use super::hot::UNMOVED;
use super::{ABSENT, Spring};
use fearless_simd::{Simd, prelude::*};
use glam::DVec3;

/// Eight points.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct Points {
    /// The rows of the bodies.
    pub(super) bodies: [[u32; LANES]; 2],
    /// Which joints.
    pub(super) joints: [u32; LANES],
    /// Whether all bodies are round, so that their inertia is the same about all axes; then the inverse masses and inertias of the two.
    round: bool,
    weights: [[Lanes; 2]; 2],
    /// The arms where the sweeps began, and the gap.
    start_arms: [[Lanes; 3]; 2],
    start_gap: [Lanes; 3],
    arms: [[Lanes; 3]; 2],
    bias: [Lanes; 3],
    /// K⁻¹.
    mass: [Lanes; 6],
    /// λ, and its sum over the substeps.
    pub(super) impulse: [Lanes; 3],
    pub(super) total: [Lanes; 3],
}

impl Points {
    pub(super) const EMPTY: Self = Self {
        bodies: [[UNMOVED; LANES]; 2],
        joints: [ABSENT; LANES],
        round: true,
        weights: [[[0.0; LANES]; 2]; 2],
        start_arms: [[[0.0; LANES]; 3]; 2],
        start_gap: [[0.0; LANES]; 3],
        arms: [[[0.0; LANES]; 3]; 2],
        bias: [[0.0; LANES]; 3],
        mass: [[0.0; LANES]; 6],
        impulse: [[0.0; LANES]; 3],
        total: [[0.0; LANES]; 3],
    };

    /// Puts a joint into a lane: its bodies, the arms, the gap and the impulse of the last substep.
    pub(super) fn fill(
        &mut self,
        lane: usize,
        joint: u32,
        bodies: [u32; 2],
        arms: [DVec3; 2],
        gap: DVec3,
        impulse: DVec3,
    ) {
        self.joints[lane] = joint;
        for side in 0..2 {
            self.bodies[side][lane] = bodies[side];
            put(&mut self.start_arms[side], lane, arms[side]);
        }
        put(&mut self.start_gap, lane, gap);
        put(&mut self.impulse, lane, impulse);
    }
}

impl Points {
    /// Notes what resists in the bodies of a lane.
    pub(super) fn resist(&mut self, lane: usize, pair: [&Body; 2]) {
        for (weights, body) in self.weights.iter_mut().zip(pair) {
            self.round &= body.is_plain();
            weights[0][lane] = body.inverse_mass as f32;
            weights[1][lane] = body.inverse_inertia.x_axis.x as f32;
        }
    }
}

#[cfg(test)]
impl Points {
    /// What resists is read from the rows of the bodies.
    pub(super) fn gathered(self) -> Self {
        Self { round: false, ..self }
    }

    /// The gap of a lane, if the spring has the rate one.
    pub(super) fn gap(&self, lane: usize) -> DVec3 {
        take(&self.bias, lane)
    }

    pub(super) fn arm(&self, side: usize, lane: usize) -> DVec3 {
        take(&self.arms[side], lane)
    }
}

/// Puts a vector into a lane.
pub(super) fn put(lanes: &mut [Lanes; 3], lane: usize, vector: DVec3) {
    lanes.iter_mut().zip(vector.to_array()).for_each(|(lanes, part)| lanes[lane] = part as f32);
}

/// The vector in a lane.
pub(super) fn take(lanes: &[Lanes; 3], lane: usize) -> DVec3 {
    DVec3::from(lanes.map(|part| f64::from(part[lane])))
}

/// What resists in eight bodies.
#[derive(Clone, Copy)]
pub(super) struct Resistance<S: Simd> {
    pub(super) inertia: Symmetric<S>,
    pub(super) mass: Wide<S>,
}

impl<S: Simd> Resistance<S> {
    #[inline(always)]
    pub(super) fn gather(simd: S, masses: &[Lanes], numbers: &[u32; LANES]) -> Self {
        let [xx, xy, xz, yy, yz, zz, mass, _] = gather_all(simd, masses, numbers);
        Self { inertia: Symmetric([xx, xy, xz, yy, yz, zz]), mass }
    }

    /// That of one side of a block; of round bodies, the block knows it.
    #[inline(always)]
    fn of<const ROUND: bool>(simd: S, block: &Points, side: usize, masses: &[Lanes]) -> Self {
        if ROUND {
            let [mass, inertia] = &block.weights[side];
            let (zero, inertia) = (all(simd, 0.0), load(simd, inertia));
            Self { inertia: Symmetric([inertia, zero, zero, inertia, zero, inertia]), mass: load(simd, mass) }
        } else {
            Self::gather(simd, masses, &block.bodies[side])
        }
    }

    /// `W v`.
    #[inline(always)]
    fn turn<const ROUND: bool>(&self, v: Vector<S>) -> Vector<S> {
        if ROUND { v.times(self.inertia.0[0]) } else { self.inertia.times(v) }
    }

    /// `1/m − [r] W [r]`, by its entries xx, xy, xz, yy, yz, zz.
    #[inline(always)]
    fn at<const ROUND: bool>(&self, r: Vector<S>) -> [Wide<S>; 6] {
        let [xx, xy, xz, yy, yz, zz] = self.inertia.0;
        let Vector { x, y, z } = r;
        if ROUND {
            // Besides the diagonal, all entries of W are zero.
            let (a, b, c, minus) = (x * x, y * y, z * z, xy - xx);
            return [
                self.mass + xx * (b + c),
                minus * (x * y),
                minus * (x * z),
                self.mass + xx * (a + c),
                minus * (y * z),
                self.mass + xx * (a + b),
            ];
        }
        // W (r × e) for the three axes e, and what of (W (r × e)) × r is needed.
        let (ax, ay, az) = (xy * z - xz * y, yy * z - yz * y, yz * z - zz * y);
        let (bx, by, bz) = (xz * x - xx * z, yz * x - xy * z, zz * x - xz * z);
        let (cx, cy) = (xx * y - xy * x, xy * y - yy * x);
        [
            self.mass + (ay * z - az * y),
            az * x - ax * z,
            ax * y - ay * x,
            self.mass + (bz * x - bx * z),
            bx * y - by * x,
            self.mass + (cx * y - cy * x),
        ]
    }
}

/// The inverse of eight symmetric matrices; zero where nothing can be moved.
#[inline(always)]
pub(super) fn inverse<S: Simd>(simd: S, matrix: [Wide<S>; 6]) -> [Wide<S>; 6] {
    let [xx, xy, xz, yy, yz, zz] = matrix;
    let trace = xx + yy + zz;
    let moves = trace.simd_gt(all(simd, f32::MIN_POSITIVE));
    let (zero, one) = (all(simd, 0.0), all(simd, 1.0));
    // Products of three small numbers would be no number any more.
    let scale = one / moves.select(trace, one);
    let (xx, xy, xz) = (xx * scale, xy * scale, xz * scale);
    let (yy, yz, zz) = (yy * scale, yz * scale, zz * scale);
    let (a, b, c) = (yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy);
    let determinant = larger(xx * a + xy * b + xz * c, all(simd, 1e-12));
    let factor = moves.select(scale / determinant, zero);
    [
        a * factor,
        b * factor,
        c * factor,
        (xx * zz - xz * xz) * factor,
        (xy * xz - xx * yz) * factor,
        (xx * yy - xy * xy) * factor,
    ]
}

/// How eight bodies have turned and gone since the sweeps began.
#[inline(always)]
pub(super) fn gather_poses<S: Simd>(
    simd: S,
    poses: &[Lanes],
    numbers: &[u32; LANES],
) -> (Vector<S>, Wide<S>, Vector<S>) {
    let [x, y, z, w, a, b, c, _] = gather_all(simd, poses, numbers);
    (Vector { x, y, z }, w, Vector { x: a, y: b, z: c })
}

/// The bodies of all blocks.
pub(super) type Rows<'a> = (&'a mut [Lanes], &'a [Lanes], &'a [Lanes]);

/// Where bodies are now: arms, gaps, masses. The impulses of the last substep act again. The largest component of a gap is noted.
#[inline(always)]
pub(super) fn prepare<S: Simd>(
    simd: S,
    blocks: &mut [Points],
    (motions, poses, masses): Rows<'_>,
    spring: &Spring,
    worst: &mut Lanes,
) {
    let mut largest = load(simd, worst);
    for block in blocks {
        let gap = match block.round {
            true => prepare_block::<S, true>(simd, block, (motions, poses, masses), spring),
            false => prepare_block::<S, false>(simd, block, (motions, poses, masses), spring),
        };
        largest = larger(largest, gap);
    }
    store(largest, worst);
}

#[inline(always)]
fn prepare_block<S: Simd, const ROUND: bool>(
    simd: S,
    block: &mut Points,
    (motions, poses, masses): Rows<'_>,
    spring: &Spring,
) -> Wide<S> {
    let (zero, two) = (all(simd, 0.0), all(simd, 2.0));
    let mut arms = Vector::load_both(simd, &block.start_arms);
    let mut gap = Vector::load(simd, &block.start_gap);
    let resistances =
        [Resistance::of::<ROUND>(simd, block, 0, masses), Resistance::of::<ROUND>(simd, block, 1, masses)];
    let mut mobility = [zero; 6];
    let mut side = 0;
    while side < 2 {
        let (v, w, shift) = gather_poses(simd, poses, &block.bodies[side]);
        // By how much the arm has turned: 2 (w v × r + v × (v × r)).
        let across = v.cross(arms[side]);
        let turned = across.times(w).plus(v.cross(across)).times(two);
        arms[side] = arms[side].plus(turned);
        let way = shift.plus(turned);
        gap = if side == 0 { gap.minus(way) } else { gap.plus(way) };
        let part = resistances[side].at::<ROUND>(arms[side]);
        let mut entry = 0;
        while entry < 6 {
            mobility[entry] += part[entry];
            entry += 1;
        }
        arms[side].store(&mut block.arms[side]);
        side += 1;
    }
    let mass = inverse(simd, mobility);
    let mut entry = 0;
    while entry < 6 {
        store(mass[entry], &mut block.mass[entry]);
        entry += 1;
    }
    let (rate, most, least) = (all(simd, spring.rate), all(simd, spring.most), all(simd, -spring.most));
    let bias = gap.times(rate);
    let bias = Vector {
        x: larger(smaller(bias.x, most), least),
        y: larger(smaller(bias.y, most), least),
        z: larger(smaller(bias.z, most), least),
    };
    bias.store(&mut block.bias);
    let impulse = Vector::load(simd, &block.impulse);
    let mut pair = [gather(simd, motions, &block.bodies[0]), gather(simd, motions, &block.bodies[1])];
    push::<S, ROUND>(&mut pair, impulse, arms, &resistances);
    scatter(simd, pair[0], motions, &block.bodies[0]);
    scatter(simd, pair[1], motions, &block.bodies[1]);
    let largest = larger(larger(gap.x, zero - gap.x), larger(gap.y, zero - gap.y));
    larger(largest, larger(gap.z, zero - gap.z))
}

/// An impulse on the second bodies, and the opposite one on the first.
#[inline(always)]
fn push<S: Simd, const ROUND: bool>(
    pair: &mut [[Vector<S>; 2]; 2],
    impulse: Vector<S>,
    arms: [Vector<S>; 2],
    resistances: &[Resistance<S>; 2],
) {
    let [first, second] = pair;
    first[0] = first[0].minus(impulse.times(resistances[0].mass));
    first[1] = first[1].minus(resistances[0].turn::<ROUND>(arms[0].cross(impulse)));
    second[0] = second[0].plus(impulse.times(resistances[1].mass));
    second[1] = second[1].plus(resistances[1].turn::<ROUND>(arms[1].cross(impulse)));
}

/// Solves one block after the other: with springs, or without and for the last time in a substep (`RELAX`).
#[inline(always)]
pub(super) fn sweep<S: Simd, const RELAX: bool>(
    simd: S,
    blocks: &mut [Points],
    motions: &mut [Lanes],
    masses: &[Lanes],
    spring: &Spring,
) {
    for block in blocks {
        match block.round {
            true => sweep_block::<S, RELAX, true>(simd, block, motions, masses, spring),
            false => sweep_block::<S, RELAX, false>(simd, block, motions, masses, spring),
        }
    }
}

#[inline(always)]
fn sweep_block<S: Simd, const RELAX: bool, const ROUND: bool>(
    simd: S,
    block: &mut Points,
    motions: &mut [Lanes],
    masses: &[Lanes],
    spring: &Spring,
) {
    let arms = Vector::load_both(simd, &block.arms);
    let resistances =
        [Resistance::of::<ROUND>(simd, block, 0, masses), Resistance::of::<ROUND>(simd, block, 1, masses)];
    let mut pair = [gather(simd, motions, &block.bodies[0]), gather(simd, motions, &block.bodies[1])];
    let mass = Symmetric::load(simd, &block.mass);
    let impulse = Vector::load(simd, &block.impulse);
    let at = [pair[0][0].plus(pair[0][1].cross(arms[0])), pair[1][0].plus(pair[1][1].cross(arms[1]))];
    let opening = at[1].minus(at[0]);
    let change = if RELAX {
        mass.times(opening)
    } else {
        let (share, leak) = (all(simd, spring.mass_scale), all(simd, spring.impulse_scale));
        let wanted = opening.plus(Vector::load(simd, &block.bias));
        mass.times(wanted).times(share).plus(impulse.times(leak))
    };
    let solved = impulse.minus(change);
    solved.store(&mut block.impulse);
    if RELAX {
        Vector::load(simd, &block.total).plus(solved).store(&mut block.total);
    }
    push::<S, ROUND>(&mut pair, solved.minus(impulse), arms, &resistances);
    scatter(simd, pair[0], motions, &block.bodies[0]);
    scatter(simd, pair[1], motions, &block.bodies[1]);
}
