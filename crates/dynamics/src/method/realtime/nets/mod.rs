//! Nets of joints, and joints in heaps: eight joints at once, soft, in small substeps.
//!
//! Elimination costs as much for each joint of a chain however long it is, but ever more for each joint of a net ([`tier`]). So the joints of nets,
//! and those of figures that lie in a heap, are swept one after the other like the contacts of heaps: block Gauss–Seidel, which is what
//! all engines for games do. What makes the difference is the substep. A soft joint that bears the force F is open by `F/(m ω²)`, and its frequency
//! ω can be no more than a share of the rate of the substeps. So the gap falls with the **square** of the number of substeps, while more
//! sweeps within a substep change next to nothing. The substeps of nets are therefore their own, and as many as it takes to hold the gap below
//! [`GAP`] ([`NetLoad`]).
//!
//! Joints take part in the substeps of heaps (`wide`), with the springs of [`Spring`] (soft constraints; Catto 2011): one sweep with
//! springs, in which gaps close, and after the bodies have moved one without, so that what the springs gave does not remain as velocity. This
//! is what takes energy away, and never gives any. Contacts are swept after the joints, so that what stands on the floor does not sink
//! into it.
//!
//! Joints of one colour share no body, so it makes no difference in which order they are solved, nor on which thread
//! ([`super::colours`]). Within a colour, those of a kind are side by side: points that are held together ([`point`]), axes that are held
//! parallel ([`angle`]), and any other row ([`row`]).

mod angle;
mod ends;
mod plan;
mod point;
mod row;
#[cfg(test)]
mod tests;
mod tier;

pub(super) use self::tier::Tiers;

use self::angle::Angles;
use self::ends::take;
use self::plan::Plan;
use self::point::Points;
use self::row::RowBlock;
use super::bodies::{Bodies, WORLD};
use super::colours::{self, Colours};
use super::exact::{JointMemory, JointWorld, Swept};
use super::lanes::{LANES, Lanes};
use super::wide::BodyRows;
use crate::constraint::{JointView, Limit, Row};
use crate::model::{JointEnd, JointModel};
use crate::workers::{Disjoint, Member, Rows};
use crate::{Id, JointId};
use fearless_simd::{Level, dispatch};
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// The joint of a lane that has none.
const ABSENT: u32 = u32::MAX;

/// The gap, in metres, that nets are to keep below.
const GAP: f64 = 2.5e-3;

/// The frequency of joints as a share of the substeps' rate, and their damping ratio.
const FREQUENCY: f64 = 0.25;
const DAMPING_RATIO: f64 = 2.0;

/// The fastest that errors are removed, in m/s and rad/s.
const LINEAR_RECOVERY: f64 = 3.0;
const ANGULAR_RECOVERY: f64 = 5.0;

/// The spring of a joint in a substep: `Δλ = −mass_scale m (J v + rate c) − impulse_scale λ`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spring {
    rate: f32,
    mass_scale: f32,
    impulse_scale: f32,
    /// The fastest that gaps are closed, in m/s, and angles, in rad/s.
    most: f32,
    angular: f64,
    /// The length of a substep, and the slowest speed at which limits bounce.
    h: f64,
    threshold: f64,
}

impl Spring {
    pub(super) fn new(h: f64, threshold: f64) -> Self {
        let omega = std::f64::consts::TAU * FREQUENCY / h;
        let a1 = 2.0 * DAMPING_RATIO + h * omega;
        let a2 = h * omega * a1;
        let a3 = 1.0 / (1.0 + a2);
        Self {
            rate: (omega / a1) as f32,
            mass_scale: (a2 * a3) as f32,
            impulse_scale: a3 as f32,
            most: LINEAR_RECOVERY as f32,
            angular: ANGULAR_RECOVERY,
            h,
            threshold,
        }
    }
}

/// How many substeps nets take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct NetLoad {
    /// In a step.
    substeps: f64,
}

/// The part by which the number of substeps falls from one look at the contacts to the next.
const FALLS: f64 = 0.05;

impl NetLoad {
    /// The substeps from one look at the contacts to the next, of so many in a step, and no more than `most` in all.
    pub(super) fn substeps(&self, looks: u32, most: u32) -> u32 {
        (self.substeps.ceil().min(f64::from(most)) as u32).div_ceil(looks.max(1))
    }

    /// Takes note of the largest gap, with so many substeps in a step: it falls with their square.
    fn follow(&mut self, gap: f64, substeps: f64) {
        let wanted = substeps * (gap / GAP).sqrt();
        // What is no number is taken for none.
        let rises = wanted > self.substeps;
        self.substeps =
            if rises { wanted.min(1e3) } else { (self.substeps + FALLS * (wanted - self.substeps)).max(0.0) };
    }
}

/// A joint of a net.
#[derive(Clone, Copy, Debug)]
struct NetJoint {
    id: JointId,
    /// The numbers of its bodies, and their rows.
    bodies: [u32; 2],
    places: [u32; 2],
    plan: Plan,
    /// Its first impulse in the list of all.
    first: u32,
}

/// A part of a joint that is solved at once: its point, its axes and the first of its other rows, or some further rows.
#[derive(Clone, Copy, Debug)]
struct Piece {
    joint: u32,
    chunk: u8,
}

/// The blocks of a colour, of all three kinds; one after the other if it is `serial`.
#[derive(Clone, Debug, Default)]
struct Span {
    points: Range<usize>,
    angles: Range<usize>,
    rows: Range<usize>,
    serial: bool,
}

/// All nets, and all joints of heaps.
#[derive(Clone, Debug, Default)]
pub(super) struct Nets {
    joints: Vec<NetJoint>,
    /// By slot of a joint: how it is solved.
    plans: Vec<Option<(JointId, Plan)>>,
    spans: Vec<Span>,
    points: Vec<Points>,
    angles: Vec<Angles>,
    rows: Vec<RowBlock>,
    /// The impulses of all rows of all joints.
    impulses: Vec<f64>,
    colours: Colours,
    pieces: Vec<Piece>,
    colour_of: Vec<u8>,
    /// By colour: where its pieces begin in `order`, and the pieces by colour.
    begins: Vec<u32>,
    order: Vec<u32>,
    written: Vec<Row>,
    substeps: u32,
}

impl Nets {
    /// Forgets all joints.
    pub(super) fn clear(&mut self) {
        self.joints.clear();
        self.impulses.clear();
        self.spans.clear();
        self.points.clear();
        self.angles.clear();
        self.rows.clear();
    }

    /// Whether there are no joints.
    pub(super) fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// How many blocks there are.
    pub(super) fn blocks(&self) -> usize {
        self.points.len() + self.angles.len() + self.rows.len()
    }

    /// Takes over a joint between bodies with these numbers and rows, for substeps of `h` seconds.
    pub(super) fn add(
        &mut self,
        id: JointId,
        [numbers, places]: [[u32; 2]; 2],
        memory: &JointMemory,
        bodies: &Bodies,
        world: &JointWorld<'_>,
        h: f64,
    ) {
        let Some(plan) = self.plan(id, numbers, bodies, world) else { return };
        let first = self.impulses.len() as u32;
        memory.load_swept(id, plan.count, h, &mut self.impulses);
        self.joints.push(NetJoint { id, bodies: numbers, places, plan, first });
    }

    /// How a joint is solved.
    fn plan(&mut self, id: JointId, numbers: [u32; 2], bodies: &Bodies, world: &JointWorld<'_>) -> Option<Plan> {
        if let Some((_, plan)) = self.plans.get(id.slot()).copied().flatten().filter(|(known, _)| *known == id) {
            return Some(plan);
        }
        let (joint, view) = view(world, id, numbers, bodies)?;
        let form = joint.constraint.form();
        let plan = Plan::of_form(&form).unwrap_or_else(|| {
            self.written.clear();
            joint.constraint.rows(&view, &mut self.written);
            Plan::of_rows(&form, &*joint.constraint, &view, &self.written)
        });
        if self.plans.len() <= id.slot() {
            self.plans.resize(id.slot() + 1, None);
        }
        self.plans[id.slot()] = Some((id, plan));
        Some(plan)
    }

    /// Forgets how all joints are solved.
    pub(super) fn forget_plans(&mut self) {
        self.plans.clear();
    }

    /// Forgets how a joint is solved, which may demand something else now.
    pub(super) fn forget_plan(&mut self, id: JointId) {
        if let Some(plan) = self.plans.get_mut(id.slot()) {
            *plan = None;
        }
    }

    /// All joints are there: puts them into lanes, colour by colour.
    pub(super) fn load(
        &mut self,
        rows: &BodyRows,
        bodies: &Bodies,
        world: &JointWorld<'_>,
        spring: &Spring,
        substeps: u32,
    ) {
        self.substeps = substeps;
        self.colour(rows);
        self.spans.clear();
        self.points.clear();
        self.angles.clear();
        self.rows.clear();
        let mut begin = 0;
        for colour in 0..=colours::NONE {
            let end = self.begins[colour as usize] as usize;
            if begin == end {
                continue;
            }
            let serial = colour == colours::NONE;
            let starts = [self.points.len(), self.angles.len(), self.rows.len()];
            let mut lanes = [LANES; 3];
            for place in begin..end {
                if serial {
                    lanes = [LANES; 3];
                }
                self.put(self.pieces[self.order[place] as usize], &mut lanes, rows, bodies, world, spring);
            }
            self.spans.push(Span {
                points: starts[0]..self.points.len(),
                angles: starts[1]..self.angles.len(),
                rows: starts[2]..self.rows.len(),
                serial,
            });
            begin = end;
        }
    }

    /// Sorts the pieces of all joints by colour.
    fn colour(&mut self, rows: &BodyRows) {
        self.colours.reset(rows.len());
        self.pieces.clear();
        self.colour_of.clear();
        self.begins.clear();
        self.begins.resize(colours::NONE as usize + 2, 0);
        for (number, joint) in self.joints.iter().enumerate() {
            let moved = joint.places.map(|place| rows.is_moved(place));
            for chunk in 0..joint.plan.others().count().div_ceil(row::MOST).max(1) {
                let colour = self.colours.next(joint.places, moved);
                self.pieces.push(Piece { joint: number as u32, chunk: chunk as u8 });
                self.colour_of.push(colour as u8);
                self.begins[colour as usize + 1] += 1;
            }
        }
        for colour in 0..=colours::NONE as usize {
            self.begins[colour + 1] += self.begins[colour];
        }
        self.order.clear();
        self.order.resize(self.pieces.len(), 0);
        for (piece, &colour) in self.colour_of.iter().enumerate() {
            // Each colour's beginning moves on to its end, which is where the next one begins.
            let place = &mut self.begins[usize::from(colour)];
            self.order[*place as usize] = piece as u32;
            *place += 1;
        }
    }

    /// Puts a piece of a joint into the next lane of each kind of block that it needs.
    fn put(
        &mut self,
        piece: Piece,
        lanes: &mut [usize; 3],
        rows: &BodyRows,
        bodies: &Bodies,
        world: &JointWorld<'_>,
        spring: &Spring,
    ) {
        let joint = self.joints[piece.joint as usize];
        let Some((model, view)) = view(world, joint.id, joint.bodies, bodies) else { return };
        let known = |first: usize| &self.impulses[joint.first as usize + first..];
        if let Some(first) = joint.plan.point.filter(|_| piece.chunk == 0) {
            let anchors = model.constraint.anchors(&view.bodies);
            let arms = [0, 1].map(|side| match joint.bodies[side] {
                WORLD => DVec3::ZERO,
                _ => anchors[side] - view.bodies[side].center,
            });
            let impulse = DVec3::from_slice(&known(first.into())[..3]);
            let (lane, block) = next_lane(&mut self.points, &mut lanes[0], &Points::EMPTY);
            block.ends.fill(lane, piece.joint, joint.places, rows);
            block.fill(lane, arms, anchors[1] - anchors[0], impulse);
        }
        if let Some((first, held)) = joint.plan.angles.filter(|_| piece.chunk == 0) {
            let frames = Plan::frames(&model.constraint.form(), &view);
            let mut known = known(first.into()).iter();
            let impulse = held.map(|held| if held { known.next().copied().unwrap_or(0.0) } else { 0.0 });
            let (lane, block) = next_lane(&mut self.angles, &mut lanes[1], &Angles::EMPTY);
            block.ends.fill(lane, piece.joint, joint.places, rows);
            block.fill(lane, frames, held, impulse.into());
        }
        if joint.plan.has_others() {
            self.written.clear();
            model.constraint.rows(&view, &mut self.written);
            let first = usize::from(piece.chunk) * row::MOST;
            let (lane, block) = next_lane(&mut self.rows, &mut lanes[2], &RowBlock::EMPTY);
            block.ends.fill(lane, piece.joint, joint.places, rows);
            block.first[lane] = first as u8;
            let lever = model.constraint.anchors(&view.bodies)[1] - view.bodies[1].center;
            let pair = joint.bodies.map(|number| &bodies.list[number as usize]);
            for (k, index) in joint.plan.others().skip(first).take(row::MOST).enumerate() {
                let Some(row) = self.written.get(index) else { break };
                block.count = block.count.max(k + 1);
                let limit = friction_limit(&self.written, index, &self.impulses[joint.first as usize..]);
                block.rows[k].write(lane, row, pair, lever, spring, limit);
                block.rows[k].impulse[lane] = self.impulses[joint.first as usize + index] as f32;
            }
        }
    }

    /// The joints, to be used by several threads at once.
    ///
    /// # Safety
    ///
    /// As for [`Disjoint::new`].
    #[expect(unsafe_code, reason = "passes the promise on")]
    pub(super) unsafe fn share(&mut self, level: Level, spring: Spring) -> SharedNets<'_> {
        // SAFETY: the caller promises it.
        unsafe {
            SharedNets {
                spans: &self.spans,
                points: Disjoint::new(&mut self.points),
                angles: Disjoint::new(&mut self.angles),
                rows: Disjoint::new(&mut self.rows),
                level,
                spring,
            }
        }
    }

    /// The largest gap of a point or error of an axis in any substep, and of any other row in the last one.
    fn largest_gap(&self) -> f32 {
        let worst = self.points.iter().map(|block| &block.worst).chain(self.angles.iter().map(|block| &block.worst));
        let mut gap = worst.flatten().fold(0.0, |most: f32, &part| most.max(part));
        for block in &self.rows {
            for (lane, _) in block.ends.taken() {
                gap = block.rows[..block.count].iter().map(|row| row.violation(lane)).fold(gap, f32::max);
            }
        }
        gap
    }

    /// Gives what joints exerted back, and takes note of how far they opened. There are so many looks at the contacts in a step.
    pub(super) fn store(&self, memory: &mut [JointMemory], load: &mut NetLoad, looks: u32, h: f64) {
        if self.joints.is_empty() {
            *load = NetLoad::default();
            return;
        }
        let gap = self.largest_gap();
        load.follow(if gap.is_finite() { gap.into() } else { 0.0 }, f64::from(self.substeps * looks));
        for joint in &self.joints {
            memory[joint.id.slot()].begin_swept(joint.id, joint.plan.count);
        }
        for block in &self.points {
            for (lane, number) in block.ends.taken() {
                let joint = &self.joints[number as usize];
                let first = usize::from(joint.plan.point.unwrap_or(0));
                let swept = Swept { first, h, force: take(&block.total, lane), torque: DVec3::ZERO };
                memory[joint.id.slot()].store_swept(&swept, &take(&block.impulse, lane).to_array());
            }
        }
        for block in &self.angles {
            for (lane, number) in block.ends.taken() {
                let joint = &self.joints[number as usize];
                let Some((first, held)) = joint.plan.angles else { continue };
                let (impulse, total) = (take(&block.impulse, lane), take(&block.total, lane));
                let torque = (0..3).map(|axis| take(&block.gradients[axis], lane) * total[axis]).sum();
                let swept = Swept { first: first.into(), h, force: DVec3::ZERO, torque };
                let mut kept = [0.0; 3];
                let axes = (0..3).filter(|&axis| held[axis]);
                let count = axes.zip(&mut kept).map(|(axis, kept)| *kept = impulse[axis]).count();
                memory[joint.id.slot()].store_swept(&swept, &kept[..count]);
            }
        }
        for block in &self.rows {
            for (lane, number) in block.ends.taken() {
                let joint = &self.joints[number as usize];
                let others = joint.plan.others().skip(block.first[lane].into());
                for (wide, first) in block.rows[..block.count].iter().zip(others) {
                    let (force, torque) = wide.exerted(lane);
                    let memory = &mut memory[joint.id.slot()];
                    memory.store_swept(&Swept { first, h, force, torque }, &[wide.impulse[lane].into()]);
                    memory.note_limit(first, wide.pushes(lane));
                }
            }
        }
    }
}

/// The rows of the bodies while joints are swept: velocities, or what the impulses of the last substep give; and how far they have gone.
pub(super) struct Shared<'a, 'b> {
    pub(super) motions: &'a Rows<'b, Lanes>,
    pub(super) offsets: &'a Rows<'b, Lanes>,
}

/// What is done with all joints.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sweep {
    /// The impulses of the last substep are added to what joints give their bodies.
    Warm,
    /// The springs act.
    Spring,
    /// What the springs gave is taken back.
    Relax,
}

/// The joints while threads work on them.
pub(super) struct SharedNets<'a> {
    spans: &'a [Span],
    points: Disjoint<'a, Points>,
    angles: Disjoint<'a, Angles>,
    rows: Disjoint<'a, RowBlock>,
    level: Level,
    spring: Spring,
}

impl SharedNets<'_> {
    /// Sweeps over all joints, colour by colour, in each the kinds one after the other; all threads meet after each.
    pub(super) fn sweep(&self, member: &Member<'_>, shared: &Shared<'_, '_>, sweep: Sweep) {
        let (level, spring) = (self.level, &self.spring);
        for span in self.spans {
            let share = |range: &Range<usize>| match span.serial {
                true if member.index() > 0 => range.start..range.start,
                true => range.clone(),
                false => {
                    let share = member.share(range.len());
                    range.start + share.start..range.start + share.end
                }
            };
            if !span.points.is_empty() {
                let blocks = self.points.part(share(&span.points));
                match sweep {
                    Sweep::Warm => dispatch!(level, simd => point::warm(simd, blocks, shared)),
                    Sweep::Spring => dispatch!(level, simd => point::spring(simd, blocks, shared, spring)),
                    Sweep::Relax => dispatch!(level, simd => point::relax(simd, blocks, shared)),
                }
                member.wait();
            }
            if !span.angles.is_empty() {
                let blocks = self.angles.part(share(&span.angles));
                match sweep {
                    Sweep::Warm => dispatch!(level, simd => angle::warm(simd, blocks, shared)),
                    Sweep::Spring => dispatch!(level, simd => angle::spring(simd, blocks, shared, spring)),
                    Sweep::Relax => dispatch!(level, simd => angle::relax(simd, blocks, shared)),
                }
                member.wait();
            }
            if !span.rows.is_empty() {
                let blocks = self.rows.part(share(&span.rows));
                match sweep {
                    Sweep::Warm => dispatch!(level, simd => row::warm(simd, blocks, shared)),
                    Sweep::Spring => dispatch!(level, simd => row::spring(simd, blocks, shared)),
                    Sweep::Relax => dispatch!(level, simd => row::relax(simd, blocks, shared)),
                }
                member.wait();
            }
        }
    }
}

/// The next lane of the last block, or the first of a new one.
fn next_lane<'a, T: Copy>(blocks: &'a mut Vec<T>, lane: &mut usize, empty: &T) -> (usize, &'a mut T) {
    if *lane == LANES || blocks.is_empty() {
        blocks.push(*empty);
        *lane = 0;
    }
    *lane += 1;
    let last = blocks.len() - 1;
    (*lane - 1, &mut blocks[last])
}

/// A joint and its bodies as it sees them.
fn view<'a>(
    world: &JointWorld<'a>,
    id: JointId,
    numbers: [u32; 2],
    bodies: &Bodies,
) -> Option<(&'a JointModel, JointView)> {
    let joint = world.model.joints().get(id)?;
    let angle = world.angles.get(id.slot()).copied().unwrap_or(0.0);
    let of = |side: usize| {
        let number = numbers[side];
        bodies.list[number as usize].view(world.model, world.states, joint.ends[side], number)
    };
    Some((joint, JointView { bodies: [of(0), of(1)], angle }))
}

/// The most that a row of friction may give, by what presses in the last substep; nothing for other rows.
fn friction_limit(rows: &[Row], index: usize, impulses: &[f64]) -> f64 {
    let first = rows[..=index].iter().rposition(|row| row.limit != Limit::ConeMember);
    match first.map(|first| rows[first].limit) {
        Some(Limit::Cone { normal, slip, .. }) => slip * impulses.get(normal).copied().unwrap_or(0.0).max(0.0),
        _ => 0.0,
    }
}

/// The number of the body at an end of a joint.
pub(super) fn number_of(end: JointEnd, bodies: &Bodies) -> u32 {
    if let JointEnd::Body(id) = end { bodies.number(id) } else { WORLD }
}
