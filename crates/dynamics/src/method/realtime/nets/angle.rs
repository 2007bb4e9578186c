//! Eight joints at once that keep two bodies from turning against each other about some of the axes of the joint.
//!
//! With q the quaternion from the first copy of the joint's frame to the second (see `constraint::form`), the rows are `2 q_k = 0` for
//! some of the axes k: two for a hinge, three for a weld or a slider, one for a constant-velocity joint. Their gradients are
//!
//! ```text
//! g_k = R₁ (q_w e_k + q_v × e_k),     ċ_k = g_k · (ω₂ − ω₁),     K = G (W₁ + W₂) Gᵀ.
//! ```
//!
//! An axis that is free has a row that nothing moves.

use super::super::lanes::{LANES, Lanes, Symmetric, Vector, Wide, all, gather, larger, load, scatter, smaller, store};
use super::hot::UNMOVED;
use super::point::{Resistance, gather_poses, inverse, put};
use super::{ABSENT, Spring};
use fearless_simd::Simd;
use glam::{DQuat, DVec3};

/// The gap in metres that counts as much as an error of a radian.
pub(super) const LEVER: f32 = 0.25;

/// Eight joints.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct Angles {
    pub(super) bodies: [[u32; LANES]; 2],
    pub(super) joints: [u32; LANES],
    /// The two copies of the frame where the sweeps began, as rotations to the world.
    frames: [[Lanes; 4]; 2],
    /// One for an axis that is held, zero for one that is free.
    held: [Lanes; 3],
    /// g.
    pub(super) gradients: [[Lanes; 3]; 3],
    bias: [Lanes; 3],
    mass: [Lanes; 6],
    pub(super) impulse: [Lanes; 3],
    pub(super) total: [Lanes; 3],
}

impl Angles {
    pub(super) const EMPTY: Self = Self {
        bodies: [[UNMOVED; LANES]; 2],
        joints: [ABSENT; LANES],
        frames: [[[0.0; LANES], [0.0; LANES], [0.0; LANES], [1.0; LANES]]; 2],
        held: [[0.0; LANES]; 3],
        gradients: [[[0.0; LANES]; 3]; 3],
        bias: [[0.0; LANES]; 3],
        mass: [[0.0; LANES]; 6],
        impulse: [[0.0; LANES]; 3],
        total: [[0.0; LANES]; 3],
    };

    /// Puts a joint into a lane: its bodies, its frames, which axes it holds and the impulses of the last substep.
    pub(super) fn fill(
        &mut self,
        lane: usize,
        joint: u32,
        bodies: [u32; 2],
        frames: [DQuat; 2],
        held: [bool; 3],
        impulse: DVec3,
    ) {
        self.joints[lane] = joint;
        for side in 0..2 {
            self.bodies[side][lane] = bodies[side];
            for (lanes, part) in self.frames[side].iter_mut().zip(frames[side].to_array()) {
                lanes[lane] = part as f32;
            }
        }
        for axis in 0..3 {
            self.held[axis][lane] = if held[axis] { 1.0 } else { 0.0 };
        }
        put(&mut self.impulse, lane, impulse);
    }
}

#[cfg(test)]
impl Angles {
    /// The error about an axis of a lane, if the spring has the rate one.
    pub(super) fn error(&self, axis: usize, lane: usize) -> f64 {
        self.bias[axis][lane].into()
    }
}

/// The product of two quaternions, each as its imaginary and its real part.
#[inline(always)]
fn product<S: Simd>(
    (a, p): (Vector<S>, Wide<S>),
    (b, q): (Vector<S>, Wide<S>),
) -> (Vector<S>, Wide<S>) {
    (b.times(p).plus(a.times(q)).plus(a.cross(b)), p * q - a.dot(b))
}

/// Where bodies are now: gradients, errors, masses. The impulses of the last substep act again. The largest error is noted.
#[inline(always)]
pub(super) fn prepare<S: Simd>(
    simd: S,
    blocks: &mut [Angles],
    (motions, poses, masses): (&mut [Lanes], &[Lanes], &[Lanes]),
    spring: &Spring,
    worst: &mut Lanes,
) {
    let mut largest = load(simd, worst);
    let (zero, one, two) = (all(simd, 0.0), all(simd, 1.0), all(simd, 2.0));
    let (rate, most, least) = (all(simd, spring.rate), all(simd, spring.most), all(simd, -spring.most));
    for block in blocks {
        let mut frames = [(Vector { x: zero, y: zero, z: zero }, one); 2];
        let mut side = 0;
        while side < 2 {
            let [x, y, z, w] = &block.frames[side];
            let frame = (Vector { x: load(simd, x), y: load(simd, y), z: load(simd, z) }, load(simd, w));
            let (v, w, _) = gather_poses(simd, poses, &block.bodies[side]);
            frames[side] = product((v, w), frame);
            side += 1;
        }
        let [(a, p), second] = frames;
        let opposite = Vector { x: zero - a.x, y: zero - a.y, z: zero - a.z };
        let (q, w) = product((opposite, p), second);
        // Seen from the first copy; then turned into the world.
        let seen = [
            Vector { x: w, y: q.z, z: zero - q.y },
            Vector { x: zero - q.z, y: w, z: q.x },
            Vector { x: q.y, y: zero - q.x, z: w },
        ];
        let errors = [q.x * two, q.y * two, q.z * two];
        let mut gradients = seen;
        let mut bias = [zero; 3];
        let mut axis = 0;
        while axis < 3 {
            let held = load(simd, &block.held[axis]);
            let across = a.cross(seen[axis]);
            let turned = across.times(p).plus(a.cross(across)).times(two);
            gradients[axis] = seen[axis].plus(turned).times(held);
            gradients[axis].store(&mut block.gradients[axis]);
            let error = errors[axis] * held;
            largest = larger(largest, larger(error, zero - error) * all(simd, LEVER));
            bias[axis] = larger(smaller(error * rate, most), least);
            store(bias[axis], &mut block.bias[axis]);
            axis += 1;
        }
        let resistances = [
            Resistance::gather(simd, masses, &block.bodies[0]),
            Resistance::gather(simd, masses, &block.bodies[1]),
        ];
        let mut responses = gradients;
        let mut axis = 0;
        while axis < 3 {
            let first = resistances[0].inertia.times(gradients[axis]);
            responses[axis] = first.plus(resistances[1].inertia.times(gradients[axis]));
            axis += 1;
        }
        // A free axis resists as much as the others together, and has nothing to do with them.
        let diagonal =
            [gradients[0].dot(responses[0]), gradients[1].dot(responses[1]), gradients[2].dot(responses[2])];
        let trace = diagonal[0] + diagonal[1] + diagonal[2];
        let free = [
            (one - load(simd, &block.held[0])) * trace,
            (one - load(simd, &block.held[1])) * trace,
            (one - load(simd, &block.held[2])) * trace,
        ];
        let mobility = [
            diagonal[0] + free[0],
            gradients[0].dot(responses[1]),
            gradients[0].dot(responses[2]),
            diagonal[1] + free[1],
            gradients[1].dot(responses[2]),
            diagonal[2] + free[2],
        ];
        let mass = inverse(simd, mobility);
        let mut entry = 0;
        while entry < 6 {
            store(mass[entry], &mut block.mass[entry]);
            entry += 1;
        }
        let torque = along(gradients, Vector::load(simd, &block.impulse));
        let [v, spin] = gather(simd, motions, &block.bodies[0]);
        scatter(simd, [v, spin.minus(resistances[0].inertia.times(torque))], motions, &block.bodies[0]);
        let [v, spin] = gather(simd, motions, &block.bodies[1]);
        scatter(simd, [v, spin.plus(resistances[1].inertia.times(torque))], motions, &block.bodies[1]);
    }
    store(largest, worst);
}

/// `Gᵀ λ`.
#[inline(always)]
fn along<S: Simd>(gradients: [Vector<S>; 3], impulse: Vector<S>) -> Vector<S> {
    gradients[0].times(impulse.x).plus(gradients[1].times(impulse.y)).plus(gradients[2].times(impulse.z))
}

/// Solves one block after the other: with springs, or without and for the last time in a substep (`RELAX`).
#[inline(always)]
pub(super) fn sweep<S: Simd, const RELAX: bool>(
    simd: S,
    blocks: &mut [Angles],
    motions: &mut [Lanes],
    masses: &[Lanes],
    spring: &Spring,
) {
    let (share, leak) = (all(simd, spring.mass_scale), all(simd, spring.impulse_scale));
    for block in blocks {
        let [x, y, z] = &block.gradients;
        let gradients = [Vector::load(simd, x), Vector::load(simd, y), Vector::load(simd, z)];
        let resistances = [
            Resistance::gather(simd, masses, &block.bodies[0]),
            Resistance::gather(simd, masses, &block.bodies[1]),
        ];
        let first = gather(simd, motions, &block.bodies[0]);
        let second = gather(simd, motions, &block.bodies[1]);
        let mass = Symmetric::load(simd, &block.mass);
        let impulse = Vector::load(simd, &block.impulse);
        let turning = second[1].minus(first[1]);
        let rate =
            Vector { x: gradients[0].dot(turning), y: gradients[1].dot(turning), z: gradients[2].dot(turning) };
        let change = if RELAX {
            mass.times(rate)
        } else {
            let wanted = rate.plus(Vector::load(simd, &block.bias));
            mass.times(wanted).times(share).plus(impulse.times(leak))
        };
        let solved = impulse.minus(change);
        solved.store(&mut block.impulse);
        if RELAX {
            Vector::load(simd, &block.total).plus(solved).store(&mut block.total);
        }
        let torque = along(gradients, solved.minus(impulse));
        scatter(simd, [first[0], first[1].minus(resistances[0].inertia.times(torque))], motions, &block.bodies[0]);
        scatter(simd, [second[0], second[1].plus(resistances[1].inertia.times(torque))], motions, &block.bodies[1]);
    }
}
