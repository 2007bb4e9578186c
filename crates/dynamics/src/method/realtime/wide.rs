//! Large islands: eight contacts at once, soft, in small substeps (the "soft step" of Catto 2024, with the substeps of Macklin 2019).
//!
//! **Soft contacts.** A contact that overlaps by s pushes back like a damped spring of frequency ω and damping ratio ζ, integrated
//! implicitly over the substep h: with a₁ = 2ζ + hω, a₂ = hω a₁, a₃ = 1/(1 + a₂)
//!
//! ```text
//! Δλ = −m_eff a₂a₃ (v_n + s ω/a₁) − a₃ λ,   λ ≥ 0.
//! ```
//!
//! A gap s > 0 is a speculative contact: it lets the surfaces approach by s and no more, `v_n ≥ −s/h`.
//!
//! **Relaxing.** What the springs pushed must not remain as velocity. After the bodies have moved, the contacts are solved once more
//! without springs, now with friction: so stacks neither bounce nor creep.
//!
//! **Two rounds in registers.** The rows of a patch are solved twice before its bodies are put back: bodies are read and written
//! once, and corners that fight over one box agree sooner.
//!
//! **Warm starting by body.** All impulses of the last substep act again at the beginning of the next. Their sum is kept for each
//! body: what a substep's sweeps change of a velocity they change of the sum, so no pass over the contacts is needed.
//!
//! Velocities are in single precision while a substep is solved; what the solve changed is added to the double precision of the
//! bodies. A body in free flight never meets single precision.

use super::bodies::{Bodies, Body};
use super::colours::{self, Colours};
use super::contact::{Contact, MOST};
use super::lanes::{LANES, Lanes, Symmetric, Vector, Wide, all, gather, larger, load, scatter, smaller, store};
use fearless_simd::{Level, Simd, dispatch, prelude::*};
use glam::{DMat3, DVec3};

/// How often a patch's rows are solved while its bodies are in registers.
const ROUNDS: usize = 2;

/// The speed, in m/s, at which a gap may close that nothing holds open.
const FAR_AWAY: f32 = 1e6;

/// Eight points of contact.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
struct Points {
    arms: [[Lanes; 3]; 2],
    /// The gap where contacts were found, and now.
    start: Lanes,
    gap: Lanes,
    /// 1/(J W Jᵀ); zero for a point that is not there.
    mass: Lanes,
    impulse: Lanes,
    total: Lanes,
    lever: Lanes,
}

/// Eight patches of contact of one colour.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
struct Block {
    bodies: [[u32; LANES]; 2],
    /// Which contacts; those beyond the list are not there.
    contacts: [u32; LANES],
    /// The most points that one of them has.
    count: usize,
    /// Whether one of them has rolling friction.
    rolls: bool,
    inverse_mass: [Lanes; 2],
    inverse_inertia: [[Lanes; 6]; 2],
    normal: [Lanes; 3],
    tangent: [Lanes; 3],
    /// The radii of curvature of the two surfaces.
    round: [Lanes; 2],
    points: [Points; MOST],
    /// ω/a₁, a₂a₃ and a₃ of the springs.
    rate: Lanes,
    mass_scale: Lanes,
    impulse_scale: Lanes,
    middle: [[Lanes; 3]; 2],
    stick: Lanes,
    slip: Lanes,
    /// The inverse of the 2 × 2 matrix of friction: its entries 11, 12, 22.
    friction_mass: [Lanes; 3],
    friction: [Lanes; 2],
    spinning: Lanes,
    twist_mass: Lanes,
    twist: Lanes,
    rolling: Lanes,
    roll_mass: Lanes,
    roll: [Lanes; 3],
}

const ABSENT: u32 = u32::MAX;
const NO_POINTS: Points = Points {
    arms: [[[0.0; LANES]; 3]; 2],
    start: [0.0; LANES],
    gap: [0.0; LANES],
    mass: [0.0; LANES],
    impulse: [0.0; LANES],
    total: [0.0; LANES],
    lever: [0.0; LANES],
};
const EMPTY: Block = Block {
    bodies: [[0; LANES]; 2],
    contacts: [ABSENT; LANES],
    count: 0,
    rolls: false,
    inverse_mass: [[0.0; LANES]; 2],
    inverse_inertia: [[[0.0; LANES]; 6]; 2],
    normal: [[0.0; LANES]; 3],
    tangent: [[0.0; LANES]; 3],
    round: [[0.0; LANES]; 2],
    points: [NO_POINTS; MOST],
    rate: [0.0; LANES],
    mass_scale: [0.0; LANES],
    impulse_scale: [0.0; LANES],
    middle: [[[0.0; LANES]; 3]; 2],
    stick: [0.0; LANES],
    slip: [0.0; LANES],
    friction_mass: [[0.0; LANES]; 3],
    friction: [[0.0; LANES]; 2],
    spinning: [0.0; LANES],
    twist_mass: [0.0; LANES],
    twist: [0.0; LANES],
    rolling: [0.0; LANES],
    roll_mass: [0.0; LANES],
    roll: [[0.0; LANES]; 3],
};

/// How stiff contacts are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stiffness {
    /// The length of a substep in seconds.
    pub(super) h: f64,
    /// The fastest that overlaps are pushed out, in m/s.
    pub(super) push: f64,
}

/// The frequency of contacts as a share of the substeps' rate; against what does not move it is twice that.
const FREQUENCY: f64 = 0.125;
const DAMPING_RATIO: f64 = 10.0;

impl Stiffness {
    /// ω/a₁, a₂a₃ and a₃.
    fn spring(&self, against_fixed: bool) -> [f32; 3] {
        let omega = std::f64::consts::TAU * FREQUENCY / self.h * if against_fixed { 2.0 } else { 1.0 };
        let a1 = 2.0 * DAMPING_RATIO + self.h * omega;
        let a2 = self.h * omega * a1;
        let a3 = 1.0 / (1.0 + a2);
        [(omega / a1) as f32, (a2 * a3) as f32, a3 as f32]
    }
}

/// The contacts of large islands.
#[derive(Clone, Debug, Default)]
pub(super) struct WideContacts {
    /// In the order in which they are solved: one colour after the other.
    blocks: Vec<Block>,
    colours: Colours,
    /// The contacts by colour.
    sorted: Vec<(u32, u32)>,
    /// The velocities of the bodies, and those before the sweeps.
    motions: Vec<Lanes>,
    before: Vec<Lanes>,
    /// What contacts give each body in a substep.
    given: Vec<Lanes>,
    /// How far the bodies have gone since contacts were found.
    offsets: Vec<Lanes>,
    /// The bodies that have contacts here.
    touched: Vec<u32>,
}

impl WideContacts {
    /// Takes over the contacts with these numbers.
    pub(super) fn load(&mut self, contacts: &[Contact], numbers: &[u32], bodies: &Bodies, stiffness: &Stiffness) {
        self.sort(contacts, numbers, bodies);
        self.blocks.clear();
        let mut lane = LANES;
        let mut last = None;
        for &(colour, number) in &self.sorted {
            // What has no colour is solved one by one.
            if lane == LANES || last != Some(colour) || colour == colours::NONE {
                self.blocks.push(EMPTY);
                (lane, last) = (0, Some(colour));
            }
            if let Some(block) = self.blocks.last_mut() {
                block.fill(lane, number, &contacts[number as usize], bodies, stiffness);
            }
            lane += 1;
        }
        self.given.clear();
        self.given.resize(bodies.list.len(), [0.0; LANES]);
        self.offsets.clear();
        self.offsets.resize(bodies.list.len(), [0.0; LANES]);
        self.motions.clear();
        self.motions.resize(bodies.list.len(), [0.0; LANES]);
        self.before.clear();
        self.before.resize(bodies.list.len(), [0.0; LANES]);
        self.find_touched(contacts, numbers, bodies);
        for &number in numbers {
            self.give(&contacts[number as usize], bodies);
        }
    }

    /// How many colours the contacts have.
    pub(super) fn colours(&self) -> usize {
        self.sorted.chunk_by(|a, b| a.0 == b.0).count()
    }

    fn sort(&mut self, contacts: &[Contact], numbers: &[u32], bodies: &Bodies) {
        self.colours.reset(bodies.list.len());
        self.sorted.clear();
        for &number in numbers {
            let pair = contacts[number as usize].bodies;
            let moved = pair.map(|body| bodies.list[body as usize].is_movable());
            self.sorted.push((self.colours.next(pair, moved), number));
        }
        self.sorted.sort_unstable();
    }

    fn find_touched(&mut self, contacts: &[Contact], numbers: &[u32], bodies: &Bodies) {
        self.touched.clear();
        self.touched.extend(numbers.iter().flat_map(|&number| contacts[number as usize].bodies));
        self.touched.retain(|&body| {
            let body = &bodies.list[body as usize];
            body.is_movable() || body.velocity != DVec3::ZERO || body.angular_velocity != DVec3::ZERO
        });
        self.touched.sort_unstable();
        self.touched.dedup();
    }

    /// Adds what a contact gave in the last substep to the sums of its bodies.
    fn give(&mut self, contact: &Contact, bodies: &Bodies) {
        let friction = contact.tangents[0] * contact.friction[0] + contact.tangents[1] * contact.friction[1];
        let twist = contact.normal * contact.twist + contact.roll;
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let body = &bodies.list[contact.bodies[side] as usize];
            if !body.is_movable() {
                continue;
            }
            let mut linear = friction;
            let mut angular = contact.middle[side].cross(friction) + twist;
            for point in contact.points() {
                let impulse = contact.normal * point.impulse;
                linear += impulse;
                angular += point.arms[side].cross(impulse);
            }
            let (linear, angular) = (linear * (sign * body.inverse_mass), body.inverse_inertia * angular * sign);
            let row = &mut self.given[contact.bodies[side] as usize];
            for axis in 0..3 {
                row[axis] += linear[axis] as f32;
                row[axis + 4] += angular[axis] as f32;
            }
        }
    }

    /// The bodies have been kicked: they get what contacts gave them in the last substep, and the springs of the contacts act.
    pub(super) fn push(&mut self, bodies: &mut Bodies, stiffness: &Stiffness, level: Level) {
        for &number in &self.touched {
            let body = &mut bodies.list[number as usize];
            let given = &self.given[number as usize];
            body.free = !body.is_movable() || given.iter().all(|&part| part == 0.0);
            let row = as_row(body.velocity, body.angular_velocity);
            self.before[number as usize] = row;
            self.motions[number as usize] = std::array::from_fn(|part| row[part] + given[part]);
        }
        self.sweep::<false>(stiffness, level);
        self.hand_over(bodies, Sums::Keep);
    }

    /// The bodies have moved: what the springs gave is taken back, and friction acts.
    pub(super) fn relax(&mut self, bodies: &mut Bodies, stiffness: &Stiffness, level: Level) {
        for &number in &self.touched {
            let body = &bodies.list[number as usize];
            self.offsets[number as usize] = as_row(body.shift, body.turn);
            let row = as_row(body.velocity, body.angular_velocity);
            (self.before[number as usize], self.motions[number as usize]) = (row, row);
        }
        self.sweep::<true>(stiffness, level);
        self.hand_over(bodies, Sums::Add);
    }

    /// Adds what the sweeps changed to the velocities of the bodies, and to what contacts give.
    fn hand_over(&mut self, bodies: &mut Bodies, sums: Sums) {
        for &number in &self.touched {
            let body = &mut bodies.list[number as usize];
            if !body.is_movable() {
                continue;
            }
            let (now, before) = (&self.motions[number as usize], &self.before[number as usize]);
            let change: Lanes = std::array::from_fn(|part| now[part] - before[part]);
            body.velocity += DVec3::new(change[0].into(), change[1].into(), change[2].into());
            body.angular_velocity += DVec3::new(change[4].into(), change[5].into(), change[6].into());
            let given = &mut self.given[number as usize];
            match sums {
                // What was given at the beginning is in the change already.
                Sums::Keep => *given = change,
                Sums::Add => given.iter_mut().zip(change).for_each(|(given, change)| *given += change),
            }
            body.free &= change.iter().all(|&part| part == 0.0);
        }
    }

    fn sweep<const RELAX: bool>(&mut self, stiffness: &Stiffness, level: Level) {
        let Self { blocks, motions, offsets, .. } = self;
        let (inverse_h, push) = ((1.0 / stiffness.h) as f32, -stiffness.push as f32);
        dispatch!(level, simd => sweep_blocks::<_, RELAX>(simd, blocks, motions, offsets, inverse_h, push));
    }

    /// Gives the impulses back to the contacts.
    pub(super) fn store(&self, contacts: &mut [Contact]) {
        for block in &self.blocks {
            for lane in 0..LANES {
                if let Some(contact) = contacts.get_mut(block.contacts[lane] as usize) {
                    for (point, wide) in contact.points[..contact.count].iter_mut().zip(&block.points) {
                        point.impulse = wide.impulse[lane].into();
                        point.total += f64::from(wide.total[lane]);
                    }
                    contact.friction = block.friction.map(|friction| friction[lane].into());
                    contact.twist = block.twist[lane].into();
                    contact.roll = DVec3::from(block.roll.map(|roll| f64::from(roll[lane])));
                }
            }
        }
    }
}

/// What becomes of the sums of what contacts give.
#[derive(Clone, Copy)]
enum Sums {
    Keep,
    Add,
}

fn as_row(linear: DVec3, angular: DVec3) -> Lanes {
    let [x, y, z] = linear.to_array().map(|part| part as f32);
    let [p, q, r] = angular.to_array().map(|part| part as f32);
    [x, y, z, 0.0, p, q, r, 0.0]
}

/// Puts a vector into a lane.
fn put(lanes: &mut [Lanes; 3], lane: usize, vector: DVec3) {
    lanes.iter_mut().zip(vector.to_array()).for_each(|(lanes, part)| lanes[lane] = part as f32);
}

impl Block {
    /// Puts a contact into a lane.
    fn fill(&mut self, lane: usize, number: u32, contact: &Contact, bodies: &Bodies, stiffness: &Stiffness) {
        let pair = contact.bodies.map(|body| &bodies.list[body as usize]);
        self.contacts[lane] = number;
        self.count = self.count.max(contact.count);
        self.rolls |= contact.rolling > 0.0;
        for (side, body) in pair.into_iter().enumerate() {
            self.bodies[side][lane] = contact.bodies[side];
            self.inverse_mass[side][lane] = body.inverse_mass as f32;
            let DMat3 { x_axis: x, y_axis: y, z_axis: z } = body.inverse_inertia;
            for (entry, value) in [x.x, x.y, x.z, y.y, y.z, z.z].into_iter().enumerate() {
                self.inverse_inertia[side][entry][lane] = value as f32;
            }
            put(&mut self.middle[side], lane, contact.middle[side]);
            self.round[side][lane] = contact.round[side] as f32;
        }
        put(&mut self.normal, lane, contact.normal);
        put(&mut self.tangent, lane, contact.tangents[0]);
        for (wide, point) in self.points.iter_mut().zip(contact.points()) {
            put(&mut wide.arms[0], lane, point.arms[0]);
            put(&mut wide.arms[1], lane, point.arms[1]);
            (wide.start[lane], wide.gap[lane]) = (point.gap as f32, point.gap as f32);
            wide.mass[lane] = inverse(mobility(pair, point.arms, [contact.normal; 2])) as f32;
            wide.impulse[lane] = point.impulse as f32;
            wide.lever[lane] = point.lever as f32;
        }
        [self.rate[lane], self.mass_scale[lane], self.impulse_scale[lane]] =
            stiffness.spring(!(pair[0].is_movable() && pair[1].is_movable()));
        self.fill_friction(lane, contact, pair);
    }

    fn fill_friction(&mut self, lane: usize, contact: &Contact, pair: [&Body; 2]) {
        let [u, v] = contact.tangents;
        let entry = |a: DVec3, b: DVec3| mobility(pair, contact.middle, [a, b]);
        let (uu, uv, vv) = (entry(u, u), entry(u, v), entry(v, v));
        let scale = inverse(uu * vv - uv * uv);
        for (entry, value) in self.friction_mass.iter_mut().zip([vv * scale, -uv * scale, uu * scale]) {
            entry[lane] = value as f32;
        }
        let turning = |axis: DVec3| pair.iter().map(|body| axis.dot(body.inverse_inertia * axis)).sum::<f64>();
        self.twist_mass[lane] = inverse(turning(contact.normal)) as f32;
        // The step of a gradient that cannot overshoot.
        self.roll_mass[lane] = inverse(DVec3::AXES.into_iter().map(turning).sum()) as f32;
        (self.stick[lane], self.slip[lane]) = (contact.stick as f32, contact.slip as f32);
        (self.spinning[lane], self.rolling[lane]) = (contact.spinning as f32, contact.rolling as f32);
        (self.friction[0][lane], self.friction[1][lane]) = (contact.friction[0] as f32, contact.friction[1] as f32);
        self.twist[lane] = contact.twist as f32;
        put(&mut self.roll, lane, contact.roll);
    }
}

/// `J W Jᵀ` of two directions at the same place.
fn mobility(pair: [&Body; 2], arms: [DVec3; 2], directions: [DVec3; 2]) -> f64 {
    let of = |side: usize| {
        let [a, b] = directions.map(|direction| arms[side].cross(direction));
        directions[0].dot(directions[1]) * pair[side].inverse_mass + a.dot(pair[side].inverse_inertia * b)
    };
    of(0) + of(1)
}

fn inverse(value: f64) -> f64 {
    if value > f64::MIN_POSITIVE { 1.0 / value } else { 0.0 }
}

/// Solves one block after the other.
#[inline(always)]
fn sweep_blocks<S: Simd, const RELAX: bool>(
    simd: S,
    blocks: &mut [Block],
    motions: &mut [Lanes],
    offsets: &[Lanes],
    inverse_h: f32,
    push: f32,
) {
    for block in blocks {
        let mut pair = Pair {
            first: gather(simd, motions, &block.bodies[0]),
            second: gather(simd, motions, &block.bodies[1]),
            mass: [load(simd, &block.inverse_mass[0]), load(simd, &block.inverse_mass[1])],
            inertia: [0, 1].map(|side: usize| Symmetric::load(simd, &block.inverse_inertia[side])),
        };
        if RELAX {
            measure_gaps(simd, block, offsets);
        }
        for round in 0..ROUNDS {
            solve_normals::<S, RELAX>(simd, block, &mut pair, inverse_h, push);
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
            }
        }
        scatter(pair.first, motions, &block.bodies[0]);
        scatter(pair.second, motions, &block.bodies[1]);
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
    /// How fast the second body moves relative to the first at a point.
    #[inline(always)]
    fn velocity_at(&self, arms: [Vector<S>; 2]) -> Vector<S> {
        let second = self.second[0].plus(self.second[1].cross(arms[1]));
        second.minus(self.first[0].plus(self.first[1].cross(arms[0])))
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

/// The gaps where the bodies are now, to second order in how far they have turned.
#[inline(always)]
fn measure_gaps<S: Simd>(simd: S, block: &mut Block, offsets: &[Lanes]) {
    let normal = Vector::load(simd, &block.normal);
    let [shift_a, turn_a] = gather(simd, offsets, &block.bodies[0]);
    let [shift_b, turn_b] = gather(simd, offsets, &block.bodies[1]);
    let shift = shift_b.minus(shift_a);
    let half = all(simd, 0.5);
    let round = block.round.each_ref().map(|radius| load(simd, radius));
    for points in &mut block.points[..block.count] {
        let arms = points.arms.each_ref().map(|arm| Vector::load(simd, arm));
        let turned = |turn: Vector<S>, arm: Vector<S>, center: Vector<S>| {
            turn.cross(arm).plus(turn.cross(turn.cross(center)).times(half))
        };
        let centers = [arms[0].minus(normal.times(round[0])), arms[1].plus(normal.times(round[1]))];
        let way = shift.plus(turned(turn_b, arms[1], centers[1])).minus(turned(turn_a, arms[0], centers[0]));
        store(load(simd, &points.start) + normal.dot(way), &mut points.gap);
    }
}

#[inline(always)]
fn solve_normals<S: Simd, const RELAX: bool>(
    simd: S,
    block: &mut Block,
    pair: &mut Pair<S>,
    inverse_h: f32,
    push: f32,
) {
    let normal = Vector::load(simd, &block.normal);
    let zero = all(simd, 0.0);
    let one = all(simd, 1.0);
    for points in &mut block.points[..block.count] {
        let arms = points.arms.each_ref().map(|arm| Vector::load(simd, arm));
        let gap = load(simd, &points.gap);
        let impulse = load(simd, &points.impulse);
        let mass = load(simd, &points.mass);
        let opening = normal.dot(pair.velocity_at(arms));
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
        pair.push(normal.times(solved - impulse), arms);
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
    let arms = block.middle.each_ref().map(|arm| Vector::load(simd, arm));
    let sliding = pair.velocity_at(arms);
    let (x, y) = (u.dot(sliding), v.dot(sliding));
    let [uu, uv, vv] = block.friction_mass.each_ref().map(|entry| load(simd, entry));
    let before = block.friction.each_ref().map(|entry| load(simd, entry));
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
    let pressure = block.points[..block.count].iter().fold(zero, |sum, points| sum + load(simd, &points.impulse));
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
