//! Nets of joints, and joints in heaps: eight joints at once, soft, in small substeps.
//!
//! Elimination costs as much for each joint of a chain however long it is, but ever more for each joint of a net ([`tier`]). So the joints of nets,
//! and those of figures that lie in a heap, are swept one after the other like the contacts of heaps: block Gauss–Seidel, which is what
//! all engines for games do. What makes the difference is the substep. A soft joint that bears the force F is open by `F/(m ω²)`, and its frequency
//! ω can be no more than a share of the rate of the substeps. So the gap falls with the **square** of the number of substeps, while more
//! sweeps within a substep change next to nothing. The substeps of nets are therefore their own, and as many as it takes to hold the gap below
//! [`GAP`] ([`NetLoad`]).
//!
//! In a substep, with the springs of [`Spring`] (soft constraints; Catto 2011):
//!
//! 1. forces act, and the impulses of the last substep act again (warm starting);
//! 2. one sweep with springs: gaps close;
//! 3. the bodies move;
//! 4. one sweep without springs: what the springs gave does not remain as velocity. This is what takes energy away, and never gives any.
//!
//! Joints of one colour share no body, so it makes no difference in which order they are solved ([`super::colours`]). Within a colour, those of a
//! kind are side by side: points that are held together ([`point`]), axes that are held parallel ([`angle`]), and any other row ([`row`]).
//! Contacts of the same bodies are swept too: before the joints while there are springs, and after them without, so that what
//! stands on the floor does not sink into it.

mod angle;
mod hot;
mod plan;
mod point;
mod row;
#[cfg(test)]
mod tests;
mod tier;

pub(super) use self::tier::Tiers;

use self::angle::Angles;
use self::hot::Hot;
use self::plan::Plan;
use self::point::{Points, take};
use self::row::{Rows, WideRow};
use super::bodies::{Bodies, Body, WORLD};
use super::colours::{self, Colours};
use super::contact::Contact;
use super::exact::{JointMemory, JointWorld, Swept};
use super::impact;
use super::lanes::{LANES, Lanes};
use super::waves::Wave;
use super::wide::{Stiffness, WideContacts};
use crate::constraint::{JointView, Limit, Row};
use crate::model::{JointEnd, JointModel};
use crate::{Id, JointId};
use fearless_simd::{Level, dispatch};
use glam::DVec3;
use serde::{Deserialize, Serialize};

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

/// After so many substeps, joints write their rows anew.
const WRITE_AGAIN: u32 = 4;

/// The spring of a joint in a substep: `Δλ = −mass_scale m (J v + rate c) − impulse_scale λ`.
#[derive(Clone, Copy, Debug)]
struct Spring {
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
    fn new(h: f64, threshold: f64) -> Self {
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

    /// For rows that turn.
    fn turning(self) -> Self {
        Self { most: self.angular as f32, ..self }
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
    /// The substeps from one look at the contacts to the next, of so many; at least `least` and at most `most` in all.
    pub(super) fn substeps(&self, looks: u32, least: u32, most: u32) -> u32 {
        let wanted = (self.substeps.ceil().min(f64::from(most)) as u32).max(least);
        wanted.div_ceil(looks.max(1))
    }

    /// Takes note of the largest gap, with so many substeps in a step: it falls with their square.
    fn follow(&mut self, gap: f64, substeps: f64) {
        let wanted = substeps * (gap / GAP).sqrt();
        // What is no number is taken for none.
        let rises = wanted > self.substeps;
        self.substeps = if rises { wanted.min(1e3) } else { (self.substeps + FALLS * (wanted - self.substeps)).max(0.0) };
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

/// The blocks of a colour, of all three kinds.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    points: [usize; 2],
    angles: [usize; 2],
    rows: [usize; 2],
}

/// All nets, and all joints of heaps.
#[derive(Clone, Debug, Default)]
pub(super) struct Nets {
    joints: Vec<NetJoint>,
    /// By slot of a joint: how it is solved.
    plans: Vec<Option<(JointId, Plan)>>,
    hot: Hot,
    spans: Vec<Span>,
    points: Vec<Points>,
    angles: Vec<Angles>,
    rows: Vec<Rows>,
    wide_rows: Vec<WideRow>,
    /// The impulses of all rows of all joints.
    impulses: Vec<f64>,
    colours: Colours,
    /// By colour: where its joints begin in `order`, and the joints by colour.
    begins: Vec<u32>,
    colour_of: Vec<u32>,
    order: Vec<u32>,
    /// The bodies that joints hold, and by number of a body whether they do and whether it is moved in double precision.
    held: Vec<u32>,
    is_held: Vec<bool>,
    slow: Vec<bool>,
    /// The bodies of the wave that are not moved in lanes.
    others: Vec<u32>,
    written: Vec<Row>,
    /// The largest component of a gap, in metres; a radian counts as [`angle::LEVER`].
    worst: Lanes,
    substeps: u32,
}

impl Nets {
    /// Forgets all joints.
    pub(super) fn clear(&mut self) {
        self.joints.clear();
        self.impulses.clear();
    }

    /// Takes over the joints of an island.
    pub(super) fn add(&mut self, ids: &[JointId], memory: &[JointMemory], bodies: &Bodies, world: &JointWorld<'_>, h: f64) {
        for &id in ids {
            let Some(joint) = world.model.joints().get(id) else { continue };
            let number = |end: JointEnd| if let JointEnd::Body(id) = end { bodies.number(id) } else { WORLD };
            let numbers = joint.ends.map(number);
            let Some(plan) = self.plan(id, numbers, bodies, world) else { continue };
            let first = self.impulses.len() as u32;
            memory[id.slot()].load_swept(id, plan.count, h, &mut self.impulses);
            self.joints.push(NetJoint { id, bodies: numbers, places: [0; 2], plan, first });
        }
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

    /// All joints of a wave are there: divides them and the bodies up.
    pub(super) fn load(&mut self, wave: &Wave, contacts: &[Contact], bodies: &Bodies, world: &JointWorld<'_>, h: f64) {
        if self.joints.is_empty() {
            return;
        }
        self.find_held(wave, contacts, bodies);
        self.hot.load(bodies, &self.held, &self.slow, h);
        self.others.clear();
        self.others.extend(wave.bodies.iter().filter(|&&number| !self.hot.is_quick(number)));
        self.colour(bodies);
        self.fill(bodies, world, &Spring::new(h, world.threshold));
        (self.worst, self.substeps) = ([0.0; LANES], wave.substeps);
    }

    /// Finds which bodies joints hold, and which of them have to be moved in double precision.
    fn find_held(&mut self, wave: &Wave, contacts: &[Contact], bodies: &Bodies) {
        self.slow.clear();
        self.slow.extend(bodies.list.iter().map(|body| !body.is_movable() || !body.is_plain()));
        for &number in &wave.contacts {
            contacts[number as usize].bodies.into_iter().for_each(|body| self.slow[body as usize] = true);
        }
        self.is_held.clear();
        self.is_held.resize(bodies.list.len(), false);
        for joint in &self.joints {
            for body in joint.bodies.map(|number| number as usize) {
                self.is_held[body] = true;
                self.slow[body] |= joint.plan.has_others();
            }
        }
        self.held.clear();
        let held = self.is_held.iter().enumerate().filter(|&(number, &held)| held && number != WORLD as usize);
        self.held.extend(held.map(|(number, _)| number as u32));
    }

    /// Sorts the joints by colour.
    fn colour(&mut self, bodies: &Bodies) {
        self.colours.reset(bodies.list.len());
        self.colour_of.clear();
        self.begins.clear();
        self.begins.resize(colours::NONE as usize + 2, 0);
        for joint in &mut self.joints {
            joint.places = joint.bodies.map(|number| self.hot.row(number));
            let moved = joint.bodies.map(|number| bodies.list[number as usize].is_movable());
            let colour = self.colours.next(joint.bodies, moved);
            self.colour_of.push(colour);
            self.begins[colour as usize + 1] += 1;
        }
        for colour in 0..=colours::NONE as usize {
            self.begins[colour + 1] += self.begins[colour];
        }
        self.order.clear();
        self.order.resize(self.joints.len(), 0);
        for (joint, &colour) in self.colour_of.iter().enumerate() {
            // Each colour's beginning moves on to its end, which is where the next one begins.
            let place = &mut self.begins[colour as usize];
            self.order[*place as usize] = joint as u32;
            *place += 1;
        }
    }

    /// Puts the joints into lanes, colour by colour.
    fn fill(&mut self, bodies: &Bodies, world: &JointWorld<'_>, spring: &Spring) {
        self.spans.clear();
        self.points.clear();
        self.angles.clear();
        self.rows.clear();
        self.wide_rows.clear();
        let mut begin = 0;
        for colour in 0..=colours::NONE {
            let end = self.begins[colour as usize] as usize;
            if begin == end {
                continue;
            }
            let starts = [self.points.len(), self.angles.len(), self.rows.len()];
            let mut lanes = [LANES; 3];
            for place in begin..end {
                // What has no colour is solved one by one.
                if colour == colours::NONE {
                    lanes = [LANES; 3];
                }
                self.put(self.order[place], &mut lanes, bodies, world, spring);
            }
            self.spans.push(Span {
                points: [starts[0], self.points.len()],
                angles: [starts[1], self.angles.len()],
                rows: [starts[2], self.rows.len()],
            });
            begin = end;
        }
    }

    /// Puts a joint into the next lane of each kind of block that it needs.
    fn put(&mut self, number: u32, lanes: &mut [usize; 3], bodies: &Bodies, world: &JointWorld<'_>, spring: &Spring) {
        let joint = self.joints[number as usize];
        let Some((model, view)) = view(world, joint.id, joint.bodies, bodies) else { return };
        let impulse = |first: u8| DVec3::from_slice(&self.impulses[joint.first as usize + usize::from(first)..][..3]);
        if let Some(first) = joint.plan.point {
            let anchors = model.constraint.anchors(&view.bodies);
            let unmoved = joint.bodies.map(|number| number == WORLD);
            let arms = [0, 1].map(|side| match unmoved[side] {
                true => DVec3::ZERO,
                false => anchors[side] - view.bodies[side].center,
            });
            let lane = next_lane(&mut self.points, &mut lanes[0], || Points::EMPTY);
            if let Some(block) = self.points.last_mut() {
                block.fill(lane, number, joint.places, arms, anchors[1] - anchors[0], impulse(first));
                block.resist(lane, joint.bodies.map(|number| &bodies.list[number as usize]));
            }
        }
        if let Some((first, held)) = joint.plan.angles {
            let frames = Plan::frames(&model.constraint.form(), &view);
            let mut known = self.impulses[joint.first as usize + usize::from(first)..].iter();
            let impulse = held.map(|held| if held { known.next().copied().unwrap_or(0.0) } else { 0.0 });
            let lane = next_lane(&mut self.angles, &mut lanes[1], || Angles::EMPTY);
            if let Some(block) = self.angles.last_mut() {
                block.fill(lane, number, joint.places, frames, held, impulse.into());
            }
        }
        if joint.plan.has_others() {
            let first = self.wide_rows.len();
            let lane = next_lane(&mut self.rows, &mut lanes[2], || Rows::new(first));
            let Some(block) = self.rows.last_mut() else { return };
            block.joints[lane] = number;
            (0..2).for_each(|side| block.bodies[side][lane] = joint.places[side]);
            block.count = block.count.max(joint.plan.others().count());
            self.wide_rows.resize(block.first + block.count, WideRow::EMPTY);
            let wide = &mut self.wide_rows[block.first..];
            for (wide, row) in wide.iter_mut().zip(joint.plan.others()) {
                wide.impulse[lane] = self.impulses[joint.first as usize + row] as f32;
            }
            write_rows(&mut self.written, (model, &view), &joint, lane, wide, bodies, spring);
        }
    }

    /// Joints with rows of their own write them anew, where the bodies are now.
    fn write_again(&mut self, bodies: &Bodies, world: &JointWorld<'_>, spring: &Spring) {
        for block in &self.rows {
            for lane in (0..LANES).filter(|&lane| block.joints[lane] != ABSENT) {
                let joint = &self.joints[block.joints[lane] as usize];
                let Some((model, view)) = view(world, joint.id, joint.bodies, bodies) else { continue };
                let wide = &mut self.wide_rows[block.first..block.first + block.count];
                write_rows(&mut self.written, (model, &view), joint, lane, wide, bodies, spring);
            }
        }
    }

    /// Lets the substeps of a wave pass, of `h` seconds each.
    #[allow(clippy::too_many_arguments, reason = "a stage of the step: what it works on, and what it works with")]
    pub(super) fn pass(
        &mut self,
        wave: &Wave,
        h: f64,
        scripted: &[(u32, Body)],
        bodies: &mut Bodies,
        (contacts, wide): (&mut [Contact], &mut WideContacts),
        stiffness: &Stiffness,
        world: &JointWorld<'_>,
        level: Level,
    ) {
        let spring = Spring::new(h, world.threshold);
        wide.load(contacts, &wave.contacts, bodies, stiffness, level);
        for substep in 0..wave.substeps {
            self.kick(bodies, h, level);
            impact::bounce(contacts, &wave.bouncing, bodies, h, world.threshold);
            wide.push(bodies, stiffness, level);
            if substep > 0 && substep % WRITE_AGAIN == 0 {
                self.write_again(bodies, world, &spring);
            }
            self.hot.show(bodies);
            self.push(&spring, level);
            self.hot.give(bodies);
            self.drift(bodies, scripted, h, level);
            self.hot.show_velocities(bodies);
            self.relax(&spring, level);
            self.hot.give(bodies);
            wide.relax(bodies, stiffness, level);
        }
        wide.store(contacts);
        self.hot.store(bodies);
    }

    fn kick(&mut self, bodies: &mut Bodies, h: f64, level: Level) {
        for &number in &self.others {
            let body = &mut bodies.list[number as usize];
            body.kick(h);
            body.free &= self.hot.row(number) == hot::UNMOVED;
        }
        self.hot.kick(level);
    }

    fn drift(&mut self, bodies: &mut Bodies, scripted: &[(u32, Body)], h: f64, level: Level) {
        let all = self.others.iter().chain(scripted.iter().map(|(number, _)| number));
        for &number in all {
            let body = &mut bodies.list[number as usize];
            body.drift(h);
            body.turn_inertia();
        }
        self.hot.drift(h, level);
    }

    /// The impulses of the last substep act again, and then the springs.
    fn push(&mut self, spring: &Spring, level: Level) {
        let turning = spring.turning();
        let Self { hot, points, angles, rows, wide_rows, spans, worst, .. } = self;
        let Hot { motions, poses, masses, .. } = hot;
        dispatch!(level, simd => point::prepare(simd, points, (&mut motions[..], poses, masses), spring, worst));
        dispatch!(level, simd => angle::prepare(simd, angles, (&mut motions[..], poses, masses), &turning, worst));
        dispatch!(level, simd => row::prepare(simd, rows, wide_rows, motions, masses));
        for &Span { points: p, angles: a, rows: r } in &*spans {
            let (points, angles, rows) = (&mut points[p[0]..p[1]], &mut angles[a[0]..a[1]], &rows[r[0]..r[1]]);
            dispatch!(level, simd => point::sweep::<_, false>(simd, points, motions, masses, spring));
            dispatch!(level, simd => angle::sweep::<_, false>(simd, angles, motions, masses, &turning));
            dispatch!(level, simd => row::sweep::<_, false>(simd, rows, wide_rows, motions, masses));
        }
        dispatch!(level, simd => row::follow(simd, rows, wide_rows, motions, spring.h as f32));
    }

    /// What the springs gave is taken back.
    fn relax(&mut self, spring: &Spring, level: Level) {
        let Self { hot, points, angles, rows, wide_rows, spans, .. } = self;
        let Hot { motions, masses, .. } = hot;
        for &Span { points: p, angles: a, rows: r } in &*spans {
            let (points, angles, rows) = (&mut points[p[0]..p[1]], &mut angles[a[0]..a[1]], &rows[r[0]..r[1]]);
            dispatch!(level, simd => point::sweep::<_, true>(simd, points, motions, masses, spring));
            dispatch!(level, simd => angle::sweep::<_, true>(simd, angles, motions, masses, spring));
            dispatch!(level, simd => row::sweep::<_, true>(simd, rows, wide_rows, motions, masses));
        }
    }

    /// Gives what joints exerted back, and takes note of how far they opened. There are so many looks at the contacts in a step.
    pub(super) fn store(&mut self, memory: &mut [JointMemory], load: &mut NetLoad, looks: u32, h: f64) {
        if self.joints.is_empty() {
            return;
        }
        let mut gap = self.worst.iter().fold(0.0, |most: f32, &part| most.max(part));
        if !gap.is_finite() {
            gap = 0.0;
        }
        load.follow(gap.into(), f64::from(self.substeps * looks));
        for joint in &self.joints {
            memory[joint.id.slot()].begin_swept(joint.id, joint.plan.count);
        }
        let slot = |joint: u32| self.joints[joint as usize].id.slot();
        for block in &self.points {
            for lane in (0..LANES).filter(|&lane| block.joints[lane] != ABSENT) {
                let joint = block.joints[lane];
                let first = usize::from(self.joints[joint as usize].plan.point.unwrap_or(0));
                let impulse = take(&block.impulse, lane).to_array();
                let swept = Swept { first, h, force: take(&block.total, lane), torque: DVec3::ZERO };
                memory[slot(joint)].store_swept(&swept, &impulse);
            }
        }
        for block in &self.angles {
            for lane in (0..LANES).filter(|&lane| block.joints[lane] != ABSENT) {
                let joint = block.joints[lane];
                let Some((first, held)) = self.joints[joint as usize].plan.angles else { continue };
                let (impulse, total) = (take(&block.impulse, lane), take(&block.total, lane));
                let torque = (0..3).map(|axis| take(&block.gradients[axis], lane) * total[axis]).sum();
                let swept = Swept { first: first.into(), h, force: DVec3::ZERO, torque };
                let mut kept = [0.0; 3];
                let axes = (0..3).filter(|&axis| held[axis]);
                let count = axes.zip(&mut kept).map(|(axis, kept)| *kept = impulse[axis]).count();
                memory[slot(joint)].store_swept(&swept, &kept[..count]);
            }
        }
        for block in &self.rows {
            for lane in (0..LANES).filter(|&lane| block.joints[lane] != ABSENT) {
                let joint = &self.joints[block.joints[lane] as usize];
                let wide = &self.wide_rows[block.first..block.first + block.count];
                for (wide, row) in wide.iter().zip(joint.plan.others()) {
                    let (force, torque) = wide.exerted(lane);
                    let swept = Swept { first: row, h, force, torque };
                    memory[joint.id.slot()].store_swept(&swept, &[wide.impulse[lane].into()]);
                    memory[joint.id.slot()].note_limit(row, wide.pushes(lane));
                }
            }
        }
    }
}

/// The next lane of the last block, or the first of a new one.
fn next_lane<T>(blocks: &mut Vec<T>, lane: &mut usize, empty: impl FnOnce() -> T) -> usize {
    if *lane == LANES {
        blocks.push(empty());
        *lane = 0;
    }
    *lane += 1;
    *lane - 1
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

/// A joint writes its rows, other than those of its point and its axes, into a lane.
fn write_rows(
    written: &mut Vec<Row>,
    (model, view): (&JointModel, &JointView),
    joint: &NetJoint,
    lane: usize,
    wide: &mut [WideRow],
    bodies: &Bodies,
    spring: &Spring,
) {
    written.clear();
    model.constraint.rows(view, written);
    let pair = joint.bodies.map(|number| &bodies.list[number as usize]);
    let lever = model.constraint.anchors(&view.bodies)[1] - view.bodies[1].center;
    // What limits the vector of friction under way.
    let mut limit = 0.0;
    for (position, row) in joint.plan.others().enumerate() {
        let Some(row) = written.get(row) else { break };
        let normal = match row.limit {
            Limit::Cone { normal, slip, .. } => {
                let place = joint.plan.others().position(|other| other == normal);
                let pressure = place.map_or(0.0, |place| f64::from(wide[place].impulse[lane]));
                limit = slip * pressure;
                pressure
            }
            _ => limit,
        };
        wide[position].write(lane, row, pair, lever, spring, normal);
    }
}
