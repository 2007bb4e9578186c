//! The kernels of heaps: eight patches at a time, each solved twice while its bodies are in registers.

use super::super::contact::MOST;
use super::super::lanes::{Lanes, Symmetric, Vector, Wide, all, gather, larger, load, scatter, smaller, store};
use super::Stiffness;
use super::block::Block;
use crate::workers::Rows;
use fearless_simd::{Level, Simd, dispatch, prelude::*};

/// How often a patch's rows are solved while its bodies are in registers.
const ROUNDS: usize = 2;

/// The speed, in m/s, at which a gap may close that nothing holds open.
const FAR_AWAY: f32 = 1e6;

/// Finds the effective masses of all rows.
pub(super) fn prepare(level: Level, blocks: &mut [Block]) {
    dispatch!(level, simd => prepare_blocks(simd, blocks));
}

/// Adds what contacts gave in the last substep to the sums of their bodies.
pub(super) fn warm(level: Level, blocks: &mut [Block], given: &Rows<'_, Lanes>) {
    dispatch!(level, simd => warm_blocks(simd, blocks, given));
}

/// The two sweeps of a substep.
pub(super) struct Kernel<'a, 'b> {
    pub(super) level: Level,
    pub(super) motions: &'a Rows<'b, Lanes>,
    pub(super) offsets: &'a Rows<'b, Lanes>,
    pub(super) stiffness: Stiffness,
}

impl Kernel<'_, '_> {
    /// The springs of contacts act.
    pub(super) fn push(&self, blocks: &mut [Block]) {
        self.sweep::<false>(blocks);
    }

    /// The bodies have moved: what the springs gave is taken back, and friction acts.
    pub(super) fn relax(&self, blocks: &mut [Block]) {
        self.sweep::<true>(blocks);
    }

    fn sweep<const RELAX: bool>(&self, blocks: &mut [Block]) {
        let (motions, offsets) = (self.motions, self.offsets);
        let (inverse_h, push) = ((1.0 / self.stiffness.h) as f32, -self.stiffness.push as f32);
        dispatch!(self.level, simd => sweep_blocks::<_, RELAX>(simd, blocks, motions, offsets, inverse_h, push));
    }
}

#[inline(always)]
fn prepare_blocks<S: Simd>(simd: S, blocks: &mut [Block]) {
    for block in blocks {
        let pair = Mobility::load(simd, block);
        let normal = Vector::load(simd, &block.normal);
        for points in &mut block.points[..block.count] {
            let [a, b] = Vector::load_both(simd, &points.turning);
            let there = load(simd, &points.mass);
            let mobility = pair.mass + a.dot(pair.inertia[0].times(a)) + b.dot(pair.inertia[1].times(b));
            store(there * inverse(simd, mobility), &mut points.mass);
        }
        let u = Vector::load(simd, &block.tangent);
        let v = normal.cross(u);
        let middle = Vector::load_both(simd, &block.middle);
        let (uu, uv, vv) = (pair.between(middle, u, u), pair.between(middle, u, v), pair.between(middle, v, v));
        // By elimination: the product of two small mobilities would be no number any more.
        let first = inverse(simd, uu);
        let share = uv * first;
        let second = inverse(simd, vv - uv * share);
        store(first + share * share * second, &mut block.friction_mass[0]);
        store(all(simd, 0.0) - share * second, &mut block.friction_mass[1]);
        store(second, &mut block.friction_mass[2]);
        store(inverse(simd, pair.turning(normal)), &mut block.twist_mass);
        // The step of a gradient that cannot overshoot.
        store(inverse(simd, pair.inertia[0].trace() + pair.inertia[1].trace()), &mut block.roll_mass);
    }
}

/// How easily eight pairs of bodies are moved.
struct Mobility<S: Simd> {
    mass: Wide<S>,
    inertia: [Symmetric<S>; 2],
}

impl<S: Simd> Mobility<S> {
    #[inline(always)]
    fn load(simd: S, block: &Block) -> Self {
        Self {
            mass: load(simd, &block.inverse_mass[0]) + load(simd, &block.inverse_mass[1]),
            inertia: [
                Symmetric::load(simd, &block.inverse_inertia[0]),
                Symmetric::load(simd, &block.inverse_inertia[1]),
            ],
        }
    }

    /// `J W Jᵀ` of two directions at the same place.
    #[inline(always)]
    fn between(&self, arms: [Vector<S>; 2], a: Vector<S>, b: Vector<S>) -> Wide<S> {
        let first = arms[0].cross(a).dot(self.inertia[0].times(arms[0].cross(b)));
        let second = arms[1].cross(a).dot(self.inertia[1].times(arms[1].cross(b)));
        a.dot(b) * self.mass + first + second
    }

    /// The same of a turn about an axis.
    #[inline(always)]
    fn turning(&self, axis: Vector<S>) -> Wide<S> {
        axis.dot(self.inertia[0].times(axis)) + axis.dot(self.inertia[1].times(axis))
    }
}

/// 1/x; nothing for what cannot be moved.
#[inline(always)]
fn inverse<S: Simd>(simd: S, value: Wide<S>) -> Wide<S> {
    let zero = all(simd, 0.0);
    let moves = value.simd_gt(all(simd, f32::MIN_POSITIVE));
    moves.select(all(simd, 1.0) / moves.select(value, all(simd, 1.0)), zero)
}

/// Solves one block after the other.
#[inline(always)]
fn sweep_blocks<S: Simd, const RELAX: bool>(
    simd: S,
    blocks: &mut [Block],
    motions: &Rows<'_, Lanes>,
    offsets: &Rows<'_, Lanes>,
    inverse_h: f32,
    push: f32,
) {
    for block in blocks {
        let mut pair = Pair::gather(simd, block, motions);
        if RELAX {
            measure_gaps(simd, block, offsets);
        }
        let mut responses = [[pair.first[1]; 2]; MOST];
        for (response, points) in responses.iter_mut().zip(&block.points[..block.count]) {
            *response = pair.response(Vector::load_both(simd, &points.turning));
        }
        for round in 0..ROUNDS {
            solve_normals::<S, RELAX>(simd, block, &mut pair, &responses, inverse_h, push);
            if RELAX {
                solve_friction(simd, block, &mut pair);
                if block.rolls {
                    solve_rolling(simd, block, &mut pair);
                }
            }
            if RELAX && round + 1 == ROUNDS {
                for points in &mut block.points[..block.count] {
                    let total = load(simd, &points.total) + load(simd, &points.impulse);
                    store(total, &mut points.total);
                }
                for (dragged, friction) in block.dragged.iter_mut().zip(&block.friction) {
                    store(load(simd, dragged) + load(simd, friction), dragged);
                }
            }
        }
        pair.scatter(simd, block, motions);
    }
}

#[inline(always)]
fn warm_blocks<S: Simd>(simd: S, blocks: &mut [Block], given: &Rows<'_, Lanes>) {
    for block in blocks {
        let mut pair = Pair::gather(simd, block, given);
        let normal = Vector::load(simd, &block.normal);
        let u = Vector::load(simd, &block.tangent);
        let v = normal.cross(u);
        for points in &block.points[..block.count] {
            let response = pair.response(Vector::load_both(simd, &points.turning));
            pair.push_along(normal, response, load(simd, &points.impulse));
        }
        let friction = u.times(load(simd, &block.friction[0])).plus(v.times(load(simd, &block.friction[1])));
        pair.push(friction, Vector::load_both(simd, &block.middle));
        pair.twist(normal.times(load(simd, &block.twist)).plus(Vector::load(simd, &block.roll)));
        pair.scatter(simd, block, given);
    }
}

/// Eight pairs of bodies: velocity and angular velocity of each, and what resists.
struct Pair<S: Simd> {
    first: [Vector<S>; 2],
    second: [Vector<S>; 2],
    mass: [Wide<S>; 2],
    inertia: [Symmetric<S>; 2],
}

impl<S: Simd> Pair<S> {
    #[inline(always)]
    fn gather(simd: S, block: &Block, rows: &Rows<'_, Lanes>) -> Self {
        Self {
            first: gather(simd, rows, &block.bodies[0]),
            second: gather(simd, rows, &block.bodies[1]),
            mass: [load(simd, &block.inverse_mass[0]), load(simd, &block.inverse_mass[1])],
            inertia: [
                Symmetric::load(simd, &block.inverse_inertia[0]),
                Symmetric::load(simd, &block.inverse_inertia[1]),
            ],
        }
    }

    /// Puts back those bodies that are moved.
    #[inline(always)]
    fn scatter(self, simd: S, block: &Block, rows: &Rows<'_, Lanes>) {
        scatter(simd, self.first, rows, &block.bodies[0], block.moved[0]);
        scatter(simd, self.second, rows, &block.bodies[1], block.moved[1]);
    }

    /// How fast the second body moves relative to the first at a point.
    #[inline(always)]
    fn velocity_at(&self, arms: [Vector<S>; 2]) -> Vector<S> {
        let second = self.second[0].plus(self.second[1].cross(arms[1]));
        second.minus(self.first[0].plus(self.first[1].cross(arms[0])))
    }

    /// How angular velocities respond to an impulse that turns the bodies like this.
    #[inline(always)]
    fn response(&self, turning: [Vector<S>; 2]) -> [Vector<S>; 2] {
        [self.inertia[0].times(turning[0]), self.inertia[1].times(turning[1])]
    }

    /// An impulse along a direction with this response on the second body, and the opposite one on the first.
    #[inline(always)]
    fn push_along(&mut self, direction: Vector<S>, response: [Vector<S>; 2], impulse: Wide<S>) {
        self.first[0] = self.first[0].minus(direction.times(impulse * self.mass[0]));
        self.first[1] = self.first[1].minus(response[0].times(impulse));
        self.second[0] = self.second[0].plus(direction.times(impulse * self.mass[1]));
        self.second[1] = self.second[1].plus(response[1].times(impulse));
    }

    /// An impulse on the second body, and the opposite one on the first.
    #[inline(always)]
    fn push(&mut self, impulse: Vector<S>, arms: [Vector<S>; 2]) {
        self.first[0] = self.first[0].minus(impulse.times(self.mass[0]));
        self.first[1] = self.first[1].minus(self.inertia[0].times(arms[0].cross(impulse)));
        self.second[0] = self.second[0].plus(impulse.times(self.mass[1]));
        self.second[1] = self.second[1].plus(self.inertia[1].times(arms[1].cross(impulse)));
    }

    /// A torque impulse on the second body, and the opposite one on the first.
    #[inline(always)]
    fn twist(&mut self, impulse: Vector<S>) {
        self.first[1] = self.first[1].minus(self.inertia[0].times(impulse));
        self.second[1] = self.second[1].plus(self.inertia[1].times(impulse));
    }
}

/// The gaps where the bodies are now, to second order in how far they have turned: along the normal, the turn θ moves the surface
/// at r, curved about c, by `θ·(r × n) + ½ (θ·n θ·c − θ² n·c)`, where `θ·c = (θ × n)·(r × n) + θ·n n·c`.
#[inline(always)]
fn measure_gaps<S: Simd>(simd: S, block: &mut Block, offsets: &Rows<'_, Lanes>) {
    let normal = Vector::load(simd, &block.normal);
    let [shift_a, turn_a] = gather(simd, offsets, &block.bodies[0]);
    let [shift_b, turn_b] = gather(simd, offsets, &block.bodies[1]);
    let shift = normal.dot(shift_b.minus(shift_a));
    let (across_a, across_b) = (turn_a.cross(normal), turn_b.cross(normal));
    // θ·n, and what is left of θ².
    let (spin_a, spin_b) = (turn_a.dot(normal), turn_b.dot(normal));
    let (tilt_a, tilt_b) = (across_a.dot(across_a), across_b.dot(across_b));
    let half = all(simd, 0.5);
    for points in &mut block.points[..block.count] {
        let [a, b] = Vector::load_both(simd, &points.turning);
        let bend_a = spin_a * across_a.dot(a) - tilt_a * load(simd, &points.height[0]);
        let bend_b = spin_b * across_b.dot(b) - tilt_b * load(simd, &points.height[1]);
        let way = turn_b.dot(b) - turn_a.dot(a) + half * (bend_b - bend_a);
        store(load(simd, &points.start) + shift + way, &mut points.gap);
    }
}

#[inline(always)]
fn solve_normals<S: Simd, const RELAX: bool>(
    simd: S,
    block: &mut Block,
    pair: &mut Pair<S>,
    responses: &[[Vector<S>; 2]; MOST],
    inverse_h: f32,
    push: f32,
) {
    let normal = Vector::load(simd, &block.normal);
    let zero = all(simd, 0.0);
    let one = all(simd, 1.0);
    for (points, response) in block.points[..block.count].iter_mut().zip(responses) {
        let [turning_a, turning_b] = Vector::load_both(simd, &points.turning);
        let gap = load(simd, &points.gap);
        let impulse = load(simd, &points.impulse);
        let mass = load(simd, &points.mass);
        let opening = normal.dot(pair.second[0].minus(pair.first[0]))
            + (turning_b.dot(pair.second[1]) - turning_a.dot(pair.first[1]));
        let open = gap.simd_gt(zero);
        let closing = gap * all(simd, inverse_h);
        let change = if RELAX {
            // A gap that nothing held open is left to the next substep, and to its impacts.
            let held = impulse.simd_gt(zero);
            let approach = held.select(closing, all(simd, FAR_AWAY));
            zero - mass * (opening + open.select(approach, zero))
        } else {
            let spring = larger(gap * load(simd, &block.rate), all(simd, push));
            let bias = open.select(closing, spring);
            let mass_scale = open.select(one, load(simd, &block.mass_scale));
            let impulse_scale = open.select(zero, load(simd, &block.impulse_scale));
            zero - mass * mass_scale * (opening + bias) - impulse_scale * impulse
        };
        let solved = larger(impulse + change, zero);
        store(solved, &mut points.impulse);
        pair.push_along(normal, *response, solved - impulse);
    }
}

#[inline(always)]
fn solve_friction<S: Simd>(simd: S, block: &mut Block, pair: &mut Pair<S>) {
    let normal = Vector::load(simd, &block.normal);
    let u = Vector::load(simd, &block.tangent);
    let v = normal.cross(u);
    let zero = all(simd, 0.0);
    let (mut pressure, mut leverage) = (zero, zero);
    for points in &block.points[..block.count] {
        let impulse = load(simd, &points.impulse);
        pressure += impulse;
        leverage += impulse * load(simd, &points.lever);
    }
    let (stick, slip) = (load(simd, &block.stick), load(simd, &block.slip));

    // The torque about the normal.
    let spun = normal.dot(pair.second[1].minus(pair.first[1]));
    let twist = load(simd, &block.twist);
    let spinning = load(simd, &block.spinning) * pressure;
    let wanted = twist - load(simd, &block.twist_mass) * spun;
    let most = stick * leverage + spinning;
    let kept = slip * leverage + spinning;
    let clamped = larger(smaller(wanted, kept), zero - kept);
    let holds = smaller(wanted, zero - wanted).simd_ge(zero - most);
    let solved = holds.select(wanted, clamped);
    store(solved, &mut block.twist);
    pair.twist(normal.times(solved - twist));

    // The force in the plane.
    let arms = Vector::load_both(simd, &block.middle);
    let sliding = pair.velocity_at(arms);
    let (x, y) = (u.dot(sliding), v.dot(sliding));
    let [uu, uv, vv] = &block.friction_mass;
    let (uu, uv, vv) = (load(simd, uu), load(simd, uv), load(simd, vv));
    let before = [load(simd, &block.friction[0]), load(simd, &block.friction[1])];
    let wanted = [before[0] - (uu * x + uv * y), before[1] - (uv * x + vv * y)];
    let square = wanted[0] * wanted[0] + wanted[1] * wanted[1];
    let (most, kept) = (stick * pressure, slip * pressure);
    let holds = square.simd_le(most * most);
    let length = larger(square, all(simd, f32::MIN_POSITIVE)).sqrt();
    let scale = holds.select(all(simd, 1.0), kept / length);
    let solved = [wanted[0] * scale, wanted[1] * scale];
    store(solved[0], &mut block.friction[0]);
    store(solved[1], &mut block.friction[1]);
    pair.push(u.times(solved[0] - before[0]).plus(v.times(solved[1] - before[1])), arms);
}

/// Rolling friction: a torque of at most ρ λ in any direction across the normal.
#[inline(always)]
fn solve_rolling<S: Simd>(simd: S, block: &mut Block, pair: &mut Pair<S>) {
    let normal = Vector::load(simd, &block.normal);
    let zero = all(simd, 0.0);
    let mut pressure = zero;
    for points in &block.points[..block.count] {
        pressure += load(simd, &points.impulse);
    }
    let turning = pair.second[1].minus(pair.first[1]);
    let rolling = turning.minus(normal.times(normal.dot(turning)));
    let before = Vector::load(simd, &block.roll);
    let wanted = before.minus(rolling.times(load(simd, &block.roll_mass)));
    let most = load(simd, &block.rolling) * pressure;
    let square = wanted.dot(wanted);
    let length = larger(square, all(simd, f32::MIN_POSITIVE)).sqrt();
    let scale = square.simd_le(most * most).select(all(simd, 1.0), most / length);
    let solved = wanted.times(scale);
    solved.store(&mut block.roll);
    pair.twist(solved.minus(before));
}
