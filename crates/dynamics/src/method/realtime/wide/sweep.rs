//! The kernels of heaps: eight patches at a time, each solved twice while its bodies are in registers.
//!
//! **All rows of a patch see one relative motion.** With the velocities `V` and `W` of the second body against the first at the middle of
//! the patch, the gap of a point at x, y along the tangents u and v = n × u opens at
//!
//! ```text
//! n·V + y u·W − x v·W,
//! ```
//!
//! friction meets `u·V`, `v·V` and `n·W`, and rolling friction `u·W` and `v·W`. So bodies are not touched while the rows are solved: what
//! **presses** and tilts, p = (n·V, u·W, v·W), and what **slides** and spins, s = (u·V, v·V, n·W), are six numbers, and impulses P and S
//! in the same directions change them by
//!
//! ```text
//! Δp = A P + X S,   Δs = Xᵀ P + B S,
//! ```
//!
//! with matrices that are found once for all sweeps. A row costs a third of what it costs with two bodies; these are given the sum of
//! all impulses in the end. In the axes n, u, v, with the arm m of a body to the middle, C F = m × F and its inverse inertia I, the
//! matrices are parts of `[1/m + Cᵀ I C, Cᵀ I; I C, I]`, summed over both bodies.

use super::super::contact::MOST;
use super::super::lanes::{Lanes, Symmetric, Vector, Wide, all, gather, larger, load, scatter, smaller, store};
use super::Stiffness;
use super::block::{Block, Points};
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
    pub(super) fn push(&self, blocks: &mut [Block], serial: bool) {
        self.sweep::<false>(blocks, serial);
    }

    /// The bodies have moved: what the springs gave is taken back, and friction acts.
    pub(super) fn relax(&self, blocks: &mut [Block], serial: bool) {
        self.sweep::<true>(blocks, serial);
    }

    fn sweep<const RELAX: bool>(&self, blocks: &mut [Block], serial: bool) {
        let blocks = (blocks, serial);
        let (motions, offsets) = (self.motions, self.offsets);
        let (inverse_h, push) = ((1.0 / self.stiffness.h) as f32, -self.stiffness.push as f32);
        dispatch!(self.level, simd => sweep_blocks::<_, RELAX>(simd, blocks, motions, offsets, inverse_h, push));
    }
}

#[inline(always)]
fn prepare_blocks<S: Simd>(simd: S, blocks: &mut [Block]) {
    for block in blocks {
        let axes = Axes::load(simd, block);
        let zero = all(simd, 0.0);
        let mass = load(simd, &block.inverse_mass[0]) + load(simd, &block.inverse_mass[1]);
        // The columns of Cᵀ I C, of I C and of I.
        let none = Vector { x: zero, y: zero, z: zero };
        let (mut forces, mut mixed, mut torques) = ([none; 3], [none; 3], [none; 3]);
        let mut trace = zero;
        for (inertia, middle) in block.inverse_inertia.iter().zip(&block.middle) {
            let (inertia, m) = (Symmetric::load(simd, inertia), Vector::load(simd, middle));
            trace += inertia.trace();
            let turned = [
                axes.inward(inertia.times(axes.n)),
                axes.inward(inertia.times(axes.u)),
                axes.inward(inertia.times(axes.v)),
            ];
            let crossed = [
                Vector { x: zero, y: m.z, z: zero - m.y },
                Vector { x: zero - m.z, y: zero, z: m.x },
                Vector { x: m.y, y: zero - m.x, z: zero },
            ];
            for k in 0..3 {
                let c = crossed[k];
                let answer = turned[0].times(c.x).plus(turned[1].times(c.y)).plus(turned[2].times(c.z));
                mixed[k] = mixed[k].plus(answer);
                let way = Vector { x: crossed[0].dot(answer), y: crossed[1].dot(answer), z: crossed[2].dot(answer) };
                forces[k] = forces[k].plus(way);
                torques[k] = torques[k].plus(turned[k]);
            }
        }
        // n, then the turns about u and v; u and v, then the turn about n.
        let pressing =
            Symmetric([mass + forces[0].x, mixed[0].y, mixed[0].z, torques[1].y, torques[2].y, torques[2].z]);
        let sliding =
            Symmetric([mass + forces[1].y, forces[2].y, mixed[1].x, mass + forces[2].z, mixed[2].x, torques[0].x]);
        let coupling = [
            Vector { x: forces[1].x, y: forces[2].x, z: mixed[0].x },
            Vector { x: mixed[1].y, y: mixed[2].y, z: torques[0].y },
            Vector { x: mixed[1].z, y: mixed[2].z, z: torques[0].z },
        ];
        for k in 0..6 {
            store(pressing.0[k], &mut block.pressing[k]);
            store(sliding.0[k], &mut block.sliding[k]);
        }
        for (row, lanes) in coupling.into_iter().zip(&mut block.coupling) {
            row.store(lanes);
        }
        for points in &mut block.points[..block.count] {
            let row = points.row(simd);
            let there = load(simd, &points.mass);
            store(there * inverse(simd, row.dot(pressing.times(row))), &mut points.mass);
        }
        let [uu, uv, _, vv, _, nn] = sliding.0;
        // By elimination: the product of two small mobilities would be no number any more.
        let first = inverse(simd, uu);
        let share = uv * first;
        let second = inverse(simd, vv - uv * share);
        store(first + share * share * second, &mut block.friction_mass[0]);
        store(zero - share * second, &mut block.friction_mass[1]);
        store(second, &mut block.friction_mass[2]);
        store(inverse(simd, nn), &mut block.twist_mass);
        // The step of a gradient that cannot overshoot.
        store(inverse(simd, trace), &mut block.roll_mass);
    }
}

/// 1/x; nothing for what cannot be moved.
#[inline(always)]
fn inverse<S: Simd>(simd: S, value: Wide<S>) -> Wide<S> {
    let zero = all(simd, 0.0);
    let moves = value.simd_gt(all(simd, f32::MIN_POSITIVE));
    moves.select(all(simd, 1.0) / moves.select(value, all(simd, 1.0)), zero)
}

impl Points {
    /// How the gap opens by what presses and tilts: (1, y, −x).
    #[inline(always)]
    fn row<S: Simd>(&self, simd: S) -> Vector<S> {
        let [x, y] = &self.place;
        Vector { x: all(simd, 1.0), y: load(simd, y), z: all(simd, 0.0) - load(simd, x) }
    }
}

/// Solves blocks two by two, or one after the other if they are `serial`.
#[inline(always)]
fn sweep_blocks<S: Simd, const RELAX: bool>(
    simd: S,
    (blocks, serial): (&mut [Block], bool),
    motions: &Rows<'_, Lanes>,
    offsets: &Rows<'_, Lanes>,
    inverse_h: f32,
    push: f32,
) {
    let (couples, single) = if serial { (&mut [][..], blocks) } else { blocks.as_chunks_mut::<2>() };
    for couple in couples {
        sweep_some::<_, RELAX, 2>(simd, couple, motions, offsets, inverse_h, push);
    }
    for block in single {
        sweep_some::<_, RELAX, 1>(simd, std::array::from_mut(block), motions, offsets, inverse_h, push);
    }
}

/// Solves blocks side by side: each row waits for the one before it, and the processor has time for those of another block.
#[inline(always)]
fn sweep_some<S: Simd, const RELAX: bool, const K: usize>(
    simd: S,
    blocks: &mut [Block; K],
    motions: &Rows<'_, Lanes>,
    offsets: &Rows<'_, Lanes>,
    inverse_h: f32,
    push: f32,
) {
    let mut axes = [Axes::load(simd, &blocks[0]); K];
    let mut pairs = [Pair::gather(simd, &blocks[0], motions); K];
    for k in 1..K {
        axes[k] = Axes::load(simd, &blocks[k]);
        pairs[k] = Pair::gather(simd, &blocks[k], motions);
    }
    if RELAX {
        for k in 0..K {
            measure_gaps(simd, &mut blocks[k], &axes[k], offsets);
        }
    }
    let mut patches = [Patch::new(simd, &blocks[0], &axes[0], &pairs[0]); K];
    for k in 1..K {
        patches[k] = Patch::new(simd, &blocks[k], &axes[k], &pairs[k]);
    }
    let mut answers = [[patches[0].given.press; K]; MOST];
    for k in 0..K {
        for (answers, points) in answers.iter_mut().zip(&blocks[k].points[..blocks[k].count]) {
            answers[k] = patches[k].pressing.times(points.row(simd));
        }
    }
    for round in 0..ROUNDS {
        let before = patches;
        for (point, answers) in answers.iter().enumerate() {
            for k in 0..K {
                if point < blocks[k].count {
                    let (block, patch) = (&mut blocks[k], &mut patches[k]);
                    solve_normal::<S, RELAX>(simd, block, point, patch, answers[k], [inverse_h, push]);
                }
            }
        }
        for k in 0..K {
            if RELAX {
                let pressed = patches[k].given.press.minus(before[k].given.press);
                patches[k].slide_by(pressed);
                solve_friction(simd, &mut blocks[k], &mut patches[k]);
                if blocks[k].rolls {
                    solve_rolling(simd, &mut blocks[k], &mut patches[k]);
                }
                if round + 1 == ROUNDS {
                    sum_up(simd, &mut blocks[k]);
                }
            }
        }
    }
    for k in 0..K {
        let pushed = pairs[k].push(simd, &blocks[k], &axes[k], patches[k].given);
        pushed.scatter(simd, &blocks[k], motions);
    }
}

/// Adds what points and friction exert to what they have exerted before.
#[inline(always)]
fn sum_up<S: Simd>(simd: S, block: &mut Block) {
    for points in &mut block.points[..block.count] {
        let total = load(simd, &points.total) + load(simd, &points.impulse);
        store(total, &mut points.total);
    }
    for (dragged, friction) in block.dragged.iter_mut().zip(&block.friction) {
        store(load(simd, dragged) + load(simd, friction), dragged);
    }
}

#[inline(always)]
fn warm_blocks<S: Simd>(simd: S, blocks: &mut [Block], given: &Rows<'_, Lanes>) {
    for block in blocks {
        let axes = Axes::load(simd, block);
        let pair = Pair::gather(simd, block, given);
        let [roll_u, roll_v] = &block.roll;
        let mut press = Vector { x: all(simd, 0.0), y: load(simd, roll_u), z: load(simd, roll_v) };
        for points in &block.points[..block.count] {
            press = press.plus(points.row(simd).times(load(simd, &points.impulse)));
        }
        let [u, v] = &block.friction;
        let slide = Vector { x: load(simd, u), y: load(simd, v), z: load(simd, &block.twist) };
        pair.push(simd, block, &axes, Impulse { press, slide }).scatter(simd, block, given);
    }
}

/// The normals of eight patches and two tangents each.
#[derive(Clone, Copy)]
struct Axes<S: Simd> {
    n: Vector<S>,
    u: Vector<S>,
    v: Vector<S>,
}

impl<S: Simd> Axes<S> {
    #[inline(always)]
    fn load(simd: S, block: &Block) -> Self {
        let (n, u) = (Vector::load(simd, &block.normal), Vector::load(simd, &block.tangent));
        Self { n, u, v: n.cross(u) }
    }

    /// A vector of the world along the axes.
    #[inline(always)]
    fn inward(&self, a: Vector<S>) -> Vector<S> {
        Vector { x: self.n.dot(a), y: self.u.dot(a), z: self.v.dot(a) }
    }

    #[inline(always)]
    fn outward(&self, a: Vector<S>) -> Vector<S> {
        self.n.times(a.x).plus(self.u.times(a.y)).plus(self.v.times(a.z))
    }
}

/// Impulses at the middles of eight patches: what presses and tilts, and what slides and spins.
#[derive(Clone, Copy)]
struct Impulse<S: Simd> {
    press: Vector<S>,
    slide: Vector<S>,
}

/// Eight patches while they are solved.
#[derive(Clone, Copy)]
struct Patch<S: Simd> {
    /// The relative motion: what presses and tilts, and what slides and spins.
    press: Vector<S>,
    slide: Vector<S>,
    /// All impulses of this sweep.
    given: Impulse<S>,
    pressing: Symmetric<S>,
    sliding: Symmetric<S>,
    coupling: [Vector<S>; 3],
}

impl<S: Simd> Patch<S> {
    #[inline(always)]
    fn new(simd: S, block: &Block, axes: &Axes<S>, pair: &Pair<S>) -> Self {
        let [first, second] = [axes.inward(pair.first[1]), axes.inward(pair.second[1])];
        let [a, b] = Vector::load_both(simd, &block.middle);
        let shift = axes.inward(pair.second[0].minus(pair.first[0]));
        let shift = shift.plus(second.cross(b).minus(first.cross(a)));
        let turn = second.minus(first);
        let zero = all(simd, 0.0);
        let none = Vector { x: zero, y: zero, z: zero };
        let [x, y, z] = &block.coupling;
        Self {
            press: Vector { x: shift.x, y: turn.y, z: turn.z },
            slide: Vector { x: shift.y, y: shift.z, z: turn.x },
            given: Impulse { press: none, slide: none },
            pressing: Symmetric::load(simd, &block.pressing),
            sliding: Symmetric::load(simd, &block.sliding),
            coupling: [Vector::load(simd, x), Vector::load(simd, y), Vector::load(simd, z)],
        }
    }

    /// Tells what slides of what presses.
    #[inline(always)]
    fn slide_by(&mut self, press: Vector<S>) {
        let [x, y, z] = self.coupling;
        self.slide = self.slide.plus(x.times(press.x)).plus(y.times(press.y)).plus(z.times(press.z));
    }

    /// An impulse that slides and spins.
    #[inline(always)]
    fn drag(&mut self, slide: Vector<S>) {
        let [x, y, z] = self.coupling;
        self.press = self.press.plus(Vector { x: x.dot(slide), y: y.dot(slide), z: z.dot(slide) });
        self.slide = self.slide.plus(self.sliding.times(slide));
        self.given.slide = self.given.slide.plus(slide);
    }
}

/// Eight pairs of bodies: velocity and angular velocity of each.
#[derive(Clone, Copy)]
struct Pair<S: Simd> {
    first: [Vector<S>; 2],
    second: [Vector<S>; 2],
}

impl<S: Simd> Pair<S> {
    #[inline(always)]
    fn gather(simd: S, block: &Block, rows: &Rows<'_, Lanes>) -> Self {
        Self { first: gather(simd, rows, &block.bodies[0]), second: gather(simd, rows, &block.bodies[1]) }
    }

    /// Puts back those bodies that are moved.
    #[inline(always)]
    fn scatter(self, simd: S, block: &Block, rows: &Rows<'_, Lanes>) {
        scatter(simd, self.first, rows, &block.bodies[0], block.moved[0]);
        scatter(simd, self.second, rows, &block.bodies[1], block.moved[1]);
    }

    /// Impulses on the second bodies, and the opposite ones on the first.
    #[inline(always)]
    fn push(self, simd: S, block: &Block, axes: &Axes<S>, Impulse { press, slide }: Impulse<S>) -> Self {
        let force = Vector { x: press.x, y: slide.x, z: slide.y };
        let torque = Vector { x: slide.z, y: press.y, z: press.z };
        let [a, b] = Vector::load_both(simd, &block.middle);
        let [a, b] = [axes.outward(a.cross(force).plus(torque)), axes.outward(b.cross(force).plus(torque))];
        let force = axes.outward(force);
        let [mass_a, mass_b] = &block.inverse_mass;
        let [inertia_a, inertia_b] = &block.inverse_inertia;
        let ([v, w], [v2, w2]) = (self.first, self.second);
        Self {
            first: [v.minus(force.times(load(simd, mass_a))), w.minus(Symmetric::load(simd, inertia_a).times(a))],
            second: [v2.plus(force.times(load(simd, mass_b))), w2.plus(Symmetric::load(simd, inertia_b).times(b))],
        }
    }
}

/// The gaps where the bodies are now, to second order in how far they have turned: along the normal, the turn θ moves the surface
/// at r, curved about c, by `θ·(r × n) + ½ (θ·n θ·c − θ² n·c)`, where `θ·c = (θ × n)·(r × n) + θ·n n·c`. With r = m + (x, y) in the plane,
/// `r × n = (m_v + y, −m_u − x)`, so all points share the slopes `θ_u + ½ θ_n θ_v` and `θ_v − ½ θ_n θ_u`.
#[inline(always)]
fn measure_gaps<S: Simd>(simd: S, block: &mut Block, axes: &Axes<S>, offsets: &Rows<'_, Lanes>) {
    let half = all(simd, 0.5);
    let [shift_a, turn_a] = gather(simd, offsets, &block.bodies[0]);
    let [shift_b, turn_b] = gather(simd, offsets, &block.bodies[1]);
    let [a, b] = [axes.inward(turn_a), axes.inward(turn_b)];
    let [m_a, m_b] = Vector::load_both(simd, &block.middle);
    let (u_a, v_a) = (a.y + half * (a.x * a.z), a.z - half * (a.x * a.y));
    let (u_b, v_b) = (b.y + half * (b.x * b.z), b.z - half * (b.x * b.y));
    let (bend_a, bend_b) = (half * (a.y * a.y + a.z * a.z), half * (b.y * b.y + b.z * b.z));
    let shift = axes.n.dot(shift_b.minus(shift_a)) + (m_b.z * u_b - m_b.y * v_b) - (m_a.z * u_a - m_a.y * v_a);
    let (rise_y, rise_x) = (u_b - u_a, v_b - v_a);
    for points in &mut block.points[..block.count] {
        let [x, y] = &points.place;
        let [height_a, height_b] = &points.height;
        let bend = bend_a * load(simd, height_a) - bend_b * load(simd, height_b);
        let way = load(simd, y) * rise_y - load(simd, x) * rise_x + bend;
        store(load(simd, &points.start) + shift + way, &mut points.gap);
    }
}

/// Solves the row of a point along the normal.
#[inline(always)]
fn solve_normal<S: Simd, const RELAX: bool>(
    simd: S,
    block: &mut Block,
    point: usize,
    patch: &mut Patch<S>,
    answer: Vector<S>,
    [inverse_h, push]: [f32; 2],
) {
    let zero = all(simd, 0.0);
    let one = all(simd, 1.0);
    let points = &mut block.points[point];
    let gap = load(simd, &points.gap);
    let impulse = load(simd, &points.impulse);
    let mass = load(simd, &points.mass);
    let row = points.row(simd);
    let opening = patch.press.x + row.y * patch.press.y + row.z * patch.press.z;
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
    let given = solved - impulse;
    patch.press = patch.press.plus(answer.times(given));
    patch.given.press = patch.given.press.plus(row.times(given));
}

#[inline(always)]
fn solve_friction<S: Simd>(simd: S, block: &mut Block, patch: &mut Patch<S>) {
    let zero = all(simd, 0.0);
    let (mut pressure, mut leverage) = (zero, zero);
    for points in &block.points[..block.count] {
        let impulse = load(simd, &points.impulse);
        pressure += impulse;
        leverage += impulse * load(simd, &points.lever);
    }
    let (stick, slip) = (load(simd, &block.stick), load(simd, &block.slip));

    // The torque about the normal.
    let twist = load(simd, &block.twist);
    let spinning = load(simd, &block.spinning) * pressure;
    let wanted = twist - load(simd, &block.twist_mass) * patch.slide.z;
    let most = stick * leverage + spinning;
    let kept = slip * leverage + spinning;
    let clamped = larger(smaller(wanted, kept), zero - kept);
    let holds = smaller(wanted, zero - wanted).simd_ge(zero - most);
    let solved = holds.select(wanted, clamped);
    store(solved, &mut block.twist);
    let spun = solved - twist;
    let [_, _, un, _, vn, _] = patch.sliding.0;

    // The force in the plane.
    let (x, y) = (patch.slide.x + un * spun, patch.slide.y + vn * spun);
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
    patch.drag(Vector { x: solved[0] - before[0], y: solved[1] - before[1], z: spun });
}

/// Rolling friction: a torque of at most ρ λ in any direction across the normal.
#[inline(always)]
fn solve_rolling<S: Simd>(simd: S, block: &mut Block, patch: &mut Patch<S>) {
    let zero = all(simd, 0.0);
    let mut pressure = zero;
    for points in &block.points[..block.count] {
        pressure += load(simd, &points.impulse);
    }
    let [before_u, before_v] = [load(simd, &block.roll[0]), load(simd, &block.roll[1])];
    let mass = load(simd, &block.roll_mass);
    let (u, v) = (before_u - patch.press.y * mass, before_v - patch.press.z * mass);
    let most = load(simd, &block.rolling) * pressure;
    let square = u * u + v * v;
    let length = larger(square, all(simd, f32::MIN_POSITIVE)).sqrt();
    let scale = square.simd_le(most * most).select(all(simd, 1.0), most / length);
    let (u, v) = (u * scale, v * scale);
    store(u, &mut block.roll[0]);
    store(v, &mut block.roll[1]);
    let roll = Vector { x: zero, y: u - before_u, z: v - before_v };
    patch.press = patch.press.plus(patch.pressing.times(roll));
    patch.given.press = patch.given.press.plus(roll);
    patch.slide_by(roll);
}
