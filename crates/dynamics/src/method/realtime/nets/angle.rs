//! Eight joints at once that keep two bodies from turning against each other about some of the axes of the joint.
//!
//! With q the quaternion from the first copy of the joint's frame to the second (see `constraint::form`), the rows are `2 q_k = 0` for
//! some of the axes k: two for a hinge, three for a weld or a slider, one for a constant-velocity joint. Their gradients are
//!
//! ```text
//! g_k = R₁ (q_w e_k + q_v × e_k),     ċ_k = g_k · (ω₂ − ω₁),     K = G (W₁ + W₂) Gᵀ.
//! ```
//!
//! An axis that is free has a row that nothing moves. As with [points](super::point), what the impulses of the last substep would give along
//! the gradients of today is made up for.

use super::super::lanes::{LANES, Lanes, Symmetric, Vector, Wide, all, larger, load, smaller, store};
use super::ends::{Ends, Pair, inverse, put};
use super::{Shared, Spring};
use fearless_simd::Simd;
use glam::{DQuat, DVec3};

/// The gap in metres that counts as much as an error of a radian.
const LEVER: f32 = 0.25;

/// Eight joints.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct Angles {
    pub(super) ends: Ends,
    /// The two copies of the frame where contacts were found, as rotations to the world.
    frames: [[Lanes; 4]; 2],
    /// One for an axis that is held, zero for one that is free.
    held: [Lanes; 3],
    /// g and c.
    pub(super) gradients: [[Lanes; 3]; 3],
    pub(super) errors: [Lanes; 3],
    mass: [Lanes; 6],
    pub(super) impulse: [Lanes; 3],
    pub(super) total: [Lanes; 3],
    pub(super) worst: Lanes,
}

impl Angles {
    pub(super) const EMPTY: Self = Self {
        ends: Ends::NONE,
        frames: [[[0.0; LANES], [0.0; LANES], [0.0; LANES], [1.0; LANES]]; 2],
        held: [[0.0; LANES]; 3],
        gradients: [[[0.0; LANES]; 3]; 3],
        errors: [[0.0; LANES]; 3],
        mass: [[0.0; LANES]; 6],
        impulse: [[0.0; LANES]; 3],
        total: [[0.0; LANES]; 3],
        worst: [0.0; LANES],
    };

    /// Puts the frames, which axes are held and the impulses of the last substep into a lane.
    pub(super) fn fill(&mut self, lane: usize, frames: [DQuat; 2], held: [bool; 3], impulse: DVec3) {
        for (lanes, frame) in self.frames.iter_mut().zip(frames) {
            for (lanes, part) in lanes.iter_mut().zip(frame.to_array()) {
                lanes[lane] = part as f32;
            }
        }
        for (lanes, held) in self.held.iter_mut().zip(held) {
            lanes[lane] = if held { 1.0 } else { 0.0 };
        }
        put(&mut self.impulse, lane, impulse);
    }
}

/// The product of two quaternions, each as its imaginary and its real part.
#[inline(always)]
fn product<S: Simd>((a, p): (Vector<S>, Wide<S>), (b, q): (Vector<S>, Wide<S>)) -> (Vector<S>, Wide<S>) {
    (b.times(p).plus(a.times(q)).plus(a.cross(b)), p * q - a.dot(b))
}

/// Where bodies are now: gradients and errors.
#[inline(always)]
fn place<S: Simd>(simd: S, block: &mut Angles, shared: &Shared<'_, '_>) -> [Vector<S>; 3] {
    let (zero, two) = (all(simd, 0.0), all(simd, 2.0));
    let [first, second] = block.ends.offsets(simd, shared.offsets);
    let [[x, y, z, w], [x2, y2, z2, w2]] = &block.frames;
    let start = (Vector { x: load(simd, x), y: load(simd, y), z: load(simd, z) }, load(simd, w));
    let start2 = (Vector { x: load(simd, x2), y: load(simd, y2), z: load(simd, z2) }, load(simd, w2));
    let (a, p) = product((first.v, first.w), start);
    let opposite = Vector { x: zero - a.x, y: zero - a.y, z: zero - a.z };
    let (q, w) = product((opposite, p), product((second.v, second.w), start2));
    // Seen from the first copy; then turned into the world.
    let seen = [
        Vector { x: w, y: q.z, z: zero - q.y },
        Vector { x: zero - q.z, y: w, z: q.x },
        Vector { x: q.y, y: zero - q.x, z: w },
    ];
    let errors = [q.x * two, q.y * two, q.z * two];
    let mut gradients = seen;
    let mut largest = load(simd, &block.worst);
    let mut axis = 0;
    while axis < 3 {
        let held = load(simd, &block.held[axis]);
        let across = a.cross(seen[axis]);
        let turned = across.times(p).plus(a.cross(across)).times(two);
        gradients[axis] = seen[axis].plus(turned).times(held);
        gradients[axis].store(&mut block.gradients[axis]);
        let error = errors[axis] * held;
        store(error, &mut block.errors[axis]);
        largest = larger(largest, larger(error, zero - error) * all(simd, LEVER));
        axis += 1;
    }
    store(largest, &mut block.worst);
    gradients
}

/// Adds what the joints gave in the last substep to the sums of their bodies.
#[inline(always)]
pub(super) fn warm<S: Simd>(simd: S, blocks: &mut [Angles], shared: &Shared<'_, '_>) {
    for block in blocks {
        let gradients = place(simd, block, shared);
        let mut pair = Pair::load(simd, &block.ends, shared.motions);
        pair.twist(along(gradients, Vector::load(simd, &block.impulse)));
        pair.store(simd, &block.ends, shared.motions);
    }
}

/// Finds where the bodies are now, and lets the springs act.
#[inline(always)]
pub(super) fn spring<S: Simd>(simd: S, blocks: &mut [Angles], shared: &Shared<'_, '_>, spring: &Spring) {
    let fastest = spring.angular as f32;
    let (rate, most, least) = (all(simd, spring.rate), all(simd, fastest), all(simd, -fastest));
    let (share, leak) = (all(simd, spring.mass_scale), all(simd, spring.impulse_scale));
    for block in blocks {
        let impulse = Vector::load(simd, &block.impulse);
        let [x, y, z] = &block.gradients;
        let before = along([Vector::load(simd, x), Vector::load(simd, y), Vector::load(simd, z)], impulse);
        let gradients = place(simd, block, shared);
        let mut pair = Pair::load(simd, &block.ends, shared.motions);
        pair.twist(along(gradients, impulse).minus(before));
        let mass = effective_mass(simd, block, &pair, gradients);
        let mut entry = 0;
        while entry < 6 {
            store(mass[entry], &mut block.mass[entry]);
            entry += 1;
        }
        let bias = Vector::load(simd, &block.errors).times(rate);
        let bias = Vector {
            x: larger(smaller(bias.x, most), least),
            y: larger(smaller(bias.y, most), least),
            z: larger(smaller(bias.z, most), least),
        };
        let wanted = rates(&pair, gradients).plus(bias);
        let change = Symmetric(mass).times(wanted).times(share).plus(impulse.times(leak));
        solve(simd, block, &mut pair, gradients, impulse.minus(change));
        pair.store(simd, &block.ends, shared.motions);
    }
}

/// What the springs gave is taken back.
#[inline(always)]
pub(super) fn relax<S: Simd>(simd: S, blocks: &mut [Angles], shared: &Shared<'_, '_>) {
    for block in blocks {
        let mut pair = Pair::load(simd, &block.ends, shared.motions);
        let [x, y, z] = &block.gradients;
        let gradients = [Vector::load(simd, x), Vector::load(simd, y), Vector::load(simd, z)];
        let change = Symmetric::load(simd, &block.mass).times(rates(&pair, gradients));
        let impulse = Vector::load(simd, &block.impulse).minus(change);
        solve(simd, block, &mut pair, gradients, impulse);
        Vector::load(simd, &block.total).plus(impulse).store(&mut block.total);
        pair.store(simd, &block.ends, shared.motions);
    }
}

/// Takes over an impulse.
#[inline(always)]
fn solve<S: Simd>(simd: S, block: &mut Angles, pair: &mut Pair<S>, gradients: [Vector<S>; 3], impulse: Vector<S>) {
    let change = impulse.minus(Vector::load(simd, &block.impulse));
    impulse.store(&mut block.impulse);
    pair.twist(along(gradients, change));
}

/// `Gᵀ λ`.
#[inline(always)]
fn along<S: Simd>(gradients: [Vector<S>; 3], impulse: Vector<S>) -> Vector<S> {
    gradients[0].times(impulse.x).plus(gradients[1].times(impulse.y)).plus(gradients[2].times(impulse.z))
}

/// ċ.
#[inline(always)]
fn rates<S: Simd>(pair: &Pair<S>, gradients: [Vector<S>; 3]) -> Vector<S> {
    let turning = pair.motions[1][1].minus(pair.motions[0][1]);
    Vector { x: gradients[0].dot(turning), y: gradients[1].dot(turning), z: gradients[2].dot(turning) }
}

/// K⁻¹. A free axis resists as much as the others together, and has nothing to do with them.
#[inline(always)]
fn effective_mass<S: Simd>(simd: S, block: &Angles, pair: &Pair<S>, gradients: [Vector<S>; 3]) -> [Wide<S>; 6] {
    let one = all(simd, 1.0);
    let mut responses = gradients;
    let mut axis = 0;
    while axis < 3 {
        let first = pair.inertia[0].times(gradients[axis]);
        responses[axis] = first.plus(pair.inertia[1].times(gradients[axis]));
        axis += 1;
    }
    let diagonal = [gradients[0].dot(responses[0]), gradients[1].dot(responses[1]), gradients[2].dot(responses[2])];
    let trace = diagonal[0] + diagonal[1] + diagonal[2];
    let [x, y, z] = &block.held;
    inverse(
        simd,
        [
            diagonal[0] + (one - load(simd, x)) * trace,
            gradients[0].dot(responses[1]),
            gradients[0].dot(responses[2]),
            diagonal[1] + (one - load(simd, y)) * trace,
            gradients[1].dot(responses[2]),
            diagonal[2] + (one - load(simd, z)) * trace,
        ],
    )
}
