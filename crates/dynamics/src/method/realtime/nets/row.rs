//! Any other joint: its rows as they come, eight joints at once.
//!
//! A row is `J v + b = 0`, or at least zero, with an impulse within bounds ([`crate::constraint::Row`]). The rows of a joint are solved one after the
//! other while its bodies are in registers. They are written by the joint itself, in double precision, whenever contacts are looked at; in between,
//! a row's value follows how far the bodies have gone, `c = c₀ + J Δx`.
//!
//! | row | with springs | relaxed |
//! |---|---|---|
//! | held | spring of the net | `J v = 0` |
//! | limit, c > 0 | `J v ≥ −c/h` (speculative) | only if it pushed |
//! | limit, c ≤ 0 | spring of the net, λ ≥ 0 | `J v ≥ 0`, or as fast as it bounces |
//! | motor, friction | `J v` = wanted, within the bounds of its force | the same |
//! | spring k, d | implicit: `γ = 1/(h (d + h k))`, `b = γ h k c` | not at all |

use super::super::bodies::Body;
use super::super::lanes::{LANES, Lanes, Vector, Wide, all, larger, load, smaller, store};
use super::ends::{Ends, Pair, put, take};
use super::{Shared, Spring};
use crate::constraint::{Limit, Row, Softness};
use fearless_simd::{Simd, prelude::*};
use glam::DVec3;

/// How many rows a block has room for; a joint with more has them in several blocks.
pub(super) const MOST: usize = 4;

/// Rows of eight joints.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct RowBlock {
    pub(super) ends: Ends,
    /// The most rows that one of them has here, and the rows.
    pub(super) count: usize,
    pub(super) rows: [WideRow; MOST],
    /// By lane: the first of these rows among those of the joint that no other kernel knows.
    pub(super) first: [u8; LANES],
}

impl RowBlock {
    pub(super) const EMPTY: Self = Self { ends: Ends::NONE, count: 0, rows: [WideRow::EMPTY; MOST], first: [0; LANES] };
}

/// Eight rows.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(super) struct WideRow {
    linear: [[Lanes; 3]; 2],
    angular: [[Lanes; 3]; 2],
    /// The torque about the second anchor that an impulse of one is.
    torque: [Lanes; 3],
    /// c where contacts were found, and now.
    start: Lanes,
    error: Lanes,
    /// b/c where c is positive and where it is not, and the largest and the smallest b.
    rates: [Lanes; 2],
    most: [Lanes; 2],
    /// The wanted rate, and how fast a limit that was reached bounces.
    target: Lanes,
    bounce: Lanes,
    /// `Δλ = −mass (J v + b) − leak λ` where c is positive and where it is not, and with relaxed springs.
    mass: [Lanes; 2],
    leak: [Lanes; 2],
    relaxed: Lanes,
    /// One for a limit.
    one_sided: Lanes,
    bounds: [Lanes; 2],
    pub(super) impulse: Lanes,
    pub(super) total: Lanes,
}

impl WideRow {
    pub(super) const EMPTY: Self = Self {
        linear: [[[0.0; LANES]; 3]; 2],
        angular: [[[0.0; LANES]; 3]; 2],
        torque: [[0.0; LANES]; 3],
        start: [0.0; LANES],
        error: [0.0; LANES],
        rates: [[0.0; LANES]; 2],
        most: [[0.0; LANES]; 2],
        target: [0.0; LANES],
        bounce: [0.0; LANES],
        mass: [[0.0; LANES]; 2],
        leak: [[0.0; LANES]; 2],
        relaxed: [0.0; LANES],
        one_sided: [0.0; LANES],
        bounds: [[0.0; LANES]; 2],
        impulse: [0.0; LANES],
        total: [0.0; LANES],
    };

    /// What the row of a lane exerted in all substeps: a force, and a torque about the second anchor.
    pub(super) fn exerted(&self, lane: usize) -> (DVec3, DVec3) {
        let total = f64::from(self.total[lane]);
        (take(&self.linear[1], lane) * total, take(&self.torque, lane) * total)
    }

    /// By how much a rigid row of a lane is off, in metres or radians; nothing for motors and springs.
    pub(super) fn violation(&self, lane: usize) -> f32 {
        let error = self.error[lane];
        let held = self.relaxed[lane] > 0.0 && self.rates[0][lane] > 0.0;
        match self.one_sided[lane] > 0.0 {
            _ if !held => 0.0,
            true => (-error).max(0.0),
            false => error.abs(),
        }
    }

    /// Whether the row of a lane is a limit that pushes.
    pub(super) fn pushes(&self, lane: usize) -> bool {
        self.one_sided[lane] > 0.0 && self.impulse[lane] > 0.0
    }

    /// Writes a row of a joint between these bodies into a lane; its impulse stays. `lever` leads from the centre of the second body
    /// to the anchor, `friction` is the most that a row of friction may give.
    pub(super) fn write(
        &mut self,
        lane: usize,
        row: &Row,
        pair: [&Body; 2],
        lever: DVec3,
        spring: &Spring,
        friction: f64,
    ) {
        let response = Response::new(row, pair, spring, friction);
        put(&mut self.torque, lane, row.jacobian.angular[1] - lever.cross(row.jacobian.linear[1]));
        for (side, body) in pair.into_iter().enumerate() {
            put(&mut self.linear[side], lane, row.jacobian.linear[side]);
            let turns = body.spin.turns() || !body.is_movable();
            put(&mut self.angular[side], lane, if turns { row.jacobian.angular[side] } else { DVec3::ZERO });
        }
        let set = |lanes: &mut Lanes, value: f64| lanes[lane] = value as f32;
        set(&mut self.start, row.error);
        set(&mut self.error, row.error);
        for k in 0..2 {
            set(&mut self.rates[k], response.rates[k]);
            set(&mut self.most[k], response.most[k]);
            set(&mut self.mass[k], response.mass[k]);
            set(&mut self.leak[k], response.leak[k]);
            set(&mut self.bounds[k], response.bounds[k]);
        }
        set(&mut self.target, row.target_rate);
        set(&mut self.bounce, response.bounce);
        set(&mut self.relaxed, response.relaxed);
        set(&mut self.one_sided, if row.limit == Limit::AtLeastZero { 1.0 } else { 0.0 });
    }
}

/// How a row responds.
struct Response {
    rates: [f64; 2],
    most: [f64; 2],
    mass: [f64; 2],
    leak: [f64; 2],
    relaxed: f64,
    bounds: [f64; 2],
    bounce: f64,
}

impl Response {
    fn new(row: &Row, pair: [&Body; 2], spring: &Spring, friction: f64) -> Self {
        let mobility: f64 = [0, 1]
            .map(|side| {
                let (linear, angular) = (row.jacobian.linear[side], row.jacobian.angular[side]);
                pair[side].inverse_mass * linear.length_squared() + angular.dot(pair[side].inverse_inertia * angular)
            })
            .iter()
            .sum();
        let mass = if mobility > f64::MIN_POSITIVE { 1.0 / mobility } else { 0.0 };
        let fastest = if row.jacobian.linear == [DVec3::ZERO; 2] { spring.angular } else { f64::from(spring.most) };
        let held = Self {
            rates: [f64::from(spring.rate); 2],
            most: [fastest, -fastest],
            mass: [mass * f64::from(spring.mass_scale); 2],
            leak: [f64::from(spring.impulse_scale); 2],
            relaxed: mass,
            bounds: [f64::NEG_INFINITY, f64::INFINITY],
            bounce: 0.0,
        };
        let held = match soft(row.softness, mass, spring.h) {
            Some((gamma, rate)) => {
                let whole = 1.0 / (mobility + gamma).max(f64::MIN_POSITIVE);
                let unbounded = [f64::INFINITY, f64::NEG_INFINITY];
                Self {
                    rates: [rate; 2],
                    most: unbounded,
                    mass: [whole; 2],
                    leak: [gamma * whole; 2],
                    relaxed: 0.0,
                    ..held
                }
            }
            None => held,
        };
        let free =
            |bounds: [f64; 2]| Self { rates: [0.0; 2], mass: [mass; 2], leak: [0.0; 2], relaxed: mass, bounds, ..held };
        match row.limit {
            Limit::Equality => held,
            Limit::AtLeastZero => Self {
                rates: [1.0 / spring.h, held.rates[1]],
                most: [f64::INFINITY, held.most[1]],
                mass: [mass, held.mass[1]],
                leak: [0.0, held.leak[1]],
                bounds: [0.0, f64::INFINITY],
                bounce: bounce(row, pair, spring.threshold),
                ..held
            },
            Limit::Force { min, max } => {
                let bounds = [min * spring.h, max * spring.h];
                if held.relaxed == 0.0 { Self { bounds, ..held } } else { free(bounds) }
            }
            // A square around the circle.
            Limit::Cone { .. } | Limit::ConeMember => free([-friction, friction]),
        }
    }
}

/// γ and b/c of a soft row in a substep of `h` seconds; none for a rigid one.
fn soft(softness: Softness, mass: f64, h: f64) -> Option<(f64, f64)> {
    let spring = |stiffness: f64, damping: f64| {
        let gamma = 1.0 / (h * (damping + h * stiffness)).max(f64::MIN_POSITIVE);
        Some((gamma, gamma * h * stiffness))
    };
    match softness {
        Softness::Rigid | Softness::Baumgarte { .. } => None,
        Softness::Coefficients { gamma, beta } => Some((gamma / h, beta / h)),
        Softness::Stiffness { stiffness, damping } => spring(stiffness, damping),
        Softness::Spring { frequency, damping_ratio } => {
            let omega = std::f64::consts::TAU * frequency;
            spring(mass * omega * omega, 2.0 * mass * damping_ratio * omega)
        }
    }
}

/// How fast a limit bounces if it is reached now.
fn bounce(row: &Row, pair: [&Body; 2], threshold: f64) -> f64 {
    let approach = -row.jacobian.dot(pair.map(|body| body.velocity), pair.map(|body| body.angular_velocity));
    if approach > threshold { row.restitution * approach } else { 0.0 }
}

/// J of eight rows: linear and angular parts.
type Jacobians<S> = ([Vector<S>; 2], [Vector<S>; 2]);

/// `J v`, of the velocities or of how far the bodies have gone.
#[inline(always)]
fn rate<S: Simd>((linear, angular): &Jacobians<S>, [first, second]: [[Vector<S>; 2]; 2]) -> Wide<S> {
    linear[0].dot(first[0]) + angular[0].dot(first[1]) + linear[1].dot(second[0]) + angular[1].dot(second[1])
}

#[inline(always)]
fn push<S: Simd>(pair: &mut Pair<S>, (linear, angular): &Jacobians<S>, impulse: Wide<S>) {
    pair.push(0, linear[0].times(impulse), angular[0].times(impulse));
    pair.push(1, linear[1].times(impulse), angular[1].times(impulse));
}

/// Adds what the joints gave in the last substep to the sums of their bodies.
#[inline(always)]
pub(super) fn warm<S: Simd>(simd: S, blocks: &mut [RowBlock], shared: &Shared<'_, '_>) {
    for block in blocks {
        let mut pair = Pair::load(simd, &block.ends, shared.motions);
        for row in &block.rows[..block.count] {
            let jacobians = (Vector::load_both(simd, &row.linear), Vector::load_both(simd, &row.angular));
            push(&mut pair, &jacobians, load(simd, &row.impulse));
        }
        pair.store(simd, &block.ends, shared.motions);
    }
}

/// The springs act.
#[inline(always)]
pub(super) fn spring<S: Simd>(simd: S, blocks: &mut [RowBlock], shared: &Shared<'_, '_>) {
    let zero = all(simd, 0.0);
    for block in blocks {
        let mut pair = Pair::load(simd, &block.ends, shared.motions);
        let [first, second] = block.ends.offsets(simd, shared.offsets);
        let gone = [[first.shift, first.turn], [second.shift, second.turn]];
        for row in &mut block.rows[..block.count] {
            let jacobians = (Vector::load_both(simd, &row.linear), Vector::load_both(simd, &row.angular));
            let impulse = load(simd, &row.impulse);
            let error = load(simd, &row.start) + rate(&jacobians, gone);
            store(error, &mut row.error);
            let open = error.simd_gt(zero);
            let bias = error * open.select(load(simd, &row.rates[0]), load(simd, &row.rates[1]));
            let bias = larger(smaller(bias, load(simd, &row.most[0])), load(simd, &row.most[1]));
            let mass = open.select(load(simd, &row.mass[0]), load(simd, &row.mass[1]));
            let leak = open.select(load(simd, &row.leak[0]), load(simd, &row.leak[1]));
            let off = rate(&jacobians, pair.motions) - load(simd, &row.target) + bias;
            let wanted = impulse - mass * off - leak * impulse;
            let solved = larger(smaller(wanted, load(simd, &row.bounds[1])), load(simd, &row.bounds[0]));
            store(solved, &mut row.impulse);
            push(&mut pair, &jacobians, solved - impulse);
        }
        pair.store(simd, &block.ends, shared.motions);
    }
}

/// What the springs gave is taken back.
#[inline(always)]
pub(super) fn relax<S: Simd>(simd: S, blocks: &mut [RowBlock], shared: &Shared<'_, '_>) {
    let zero = all(simd, 0.0);
    for block in blocks {
        let mut pair = Pair::load(simd, &block.ends, shared.motions);
        for row in &mut block.rows[..block.count] {
            let jacobians = (Vector::load_both(simd, &row.linear), Vector::load_both(simd, &row.angular));
            let impulse = load(simd, &row.impulse);
            let pushes = impulse.simd_gt(zero);
            let bounce = pushes.select(load(simd, &row.bounce), zero);
            let off = rate(&jacobians, pair.motions) - load(simd, &row.target) - bounce;
            // A limit that was not reached is left alone.
            let open = load(simd, &row.error).simd_gt(zero).select(load(simd, &row.one_sided), zero);
            let away = pushes.select(zero, open).simd_gt(zero);
            let wanted = impulse - away.select(zero, load(simd, &row.relaxed) * off);
            let solved = larger(smaller(wanted, load(simd, &row.bounds[1])), load(simd, &row.bounds[0]));
            store(solved, &mut row.impulse);
            store(load(simd, &row.total) + solved, &mut row.total);
            push(&mut pair, &jacobians, solved - impulse);
        }
        pair.store(simd, &block.ends, shared.motions);
    }
}
