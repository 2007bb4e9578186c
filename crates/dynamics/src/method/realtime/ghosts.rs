//! Which speculative contacts are real: no ghost collisions.
//!
//! A gap is a plane that bodies must not pass, and a plane has no end, while a surface has. What flies past the edge of a box would
//! bounce off thin air, and what slides over tiles would be stopped by the side of the next one, which is flush with what it slides on.
//! So a patch that is in the way of the free motion has to be confirmed by it: the colliders must [meet](course::meeting) on their
//! courses, and they must still meet if they are **lifted** off what bears them, by what they would sink into it and a little more.
//! What is not confirmed is a ghost, and nobody solves it. A plane that bodies get to just when contacts are looked at again is in doubt
//! too: it would be taken for something that bears them, and borders between tiles would stop what slides over them.
//!
//! Impacts with other bodies may change the course. After the solve those ghosts are looked for that their bodies have run into deeply
//! (what is slight is left to the next look at the contacts); they are real then, and the solve is done again.

use super::bodies::{Bodies, Body, Spin, WORLD};
use super::pairs::{Pair, Pairs, Patch, Spot};
use crate::model::ColliderModel;
use crate::parts::adjacency::Adjacency;
use crate::parts::course::{self, Course, Meeting};
use crate::{BodyId, Id, Model, State, Workers};
use glam::DVec3;
use smallvec::SmallVec;
use std::cmp::Ordering;
use tumble_geometry::math::rotation_vector;

/// By how much bodies are lifted off what bears them, relative to the size of the smaller collider: lower steps stop nobody.
const LIFT: f64 = 1e-3;

/// The same in touch distances, for small colliders.
const LEAST_LIFT: f64 = 4.0;

/// A ghost that was run into by more than this, relative to the size of the smaller collider, calls for another solve.
const DEEP: f64 = 0.1;

/// What bears has to be able to stop this part of the motion into it.
const TRIFLE: f64 = 1e-3;

/// Rounds in which a lift that clears several patches is looked for.
const LIFT_ROUNDS: usize = 8;

/// The fewest doubts, pairs and bodies that are worth a thread of their own.
const LEAST_SHARE: usize = 16;
const LEAST_PAIRS: usize = 256;
const LEAST_BODIES: usize = 256;

/// Within this range of turns in radians it matters that a body tumbles, and it is known how often it turns.
const SLOW_TURN: f64 = 1e-2;
const FAST_TURN: f64 = 3.0;

/// What patches are judged by.
#[derive(Clone, Copy)]
pub(super) struct Outlook<'a> {
    pub(super) model: &'a Model,
    pub(super) state: &'a State,
    pub(super) bodies: &'a Bodies,
    pub(super) workers: &'a Workers,
    pub(super) touch_distance: f64,
    /// By how much of its size the liveliest pair moves in the step, where nothing moves by much: then gaps that neither forces close nor
    /// a push by such a pair are nobody's concern until contacts are looked at anew.
    pub(super) stir: Option<f64>,
    /// The time until contacts are looked at anew, in seconds.
    pub(super) part: f64,
    /// The free motions of the bodies, by number.
    pub(super) free: &'a [FreeMotion],
}

/// How a body moves if only forces act.
#[derive(Clone, Copy, Debug)]
pub(super) struct FreeMotion {
    /// The mean velocities, linear and angular, and by how much they change per second.
    mean: [DVec3; 2],
    change: [DVec3; 2],
}

/// A pair that has patches in doubt.
#[derive(Clone, Debug)]
struct Doubt {
    pair: u32,
    /// Where the colliders meet on their free courses.
    met: Option<Meeting>,
}

/// A patch in doubt whose colliders meet.
#[derive(Clone, Copy, Debug)]
struct Question {
    pair: u32,
    patch: u32,
    met: Meeting,
    /// How deep the free motion gets beyond its plane.
    overlap: f64,
}

/// The ghosts of a world, and room to look for them.
#[derive(Clone, Debug, Default)]
pub(super) struct Ghosts {
    doubts: Vec<Doubt>,
    questions: Vec<Question>,
    /// The pairs of each body, by its number.
    adjacency: Adjacency,
    /// Pair and patch of each ghost.
    list: Vec<[u32; 2]>,
    /// By number of a body.
    free: Vec<FreeMotion>,
}

impl Ghosts {
    /// Finds out which patches are ghosts, and marks them.
    pub(super) fn find(&mut self, pairs: &mut Pairs, outlook: &Outlook<'_>) {
        self.list.clear();
        if pairs.list.iter().all(|pair| pair.patches.is_empty()) {
            return;
        }
        let mut free = std::mem::take(&mut self.free);
        free.clear();
        free.resize(outlook.bodies.list.len(), FreeMotion { mean: [DVec3::ZERO; 2], change: [DVec3::ZERO; 2] });
        outlook.workers.shares(free.len() / LEAST_BODIES, &mut free, |member, free| {
            let bodies = &outlook.bodies.list[member.share(outlook.bodies.list.len())];
            free.iter_mut().zip(bodies).for_each(|(free, body)| *free = FreeMotion::of(body, outlook.part));
        });
        self.judge(pairs, &Outlook { free: &free, ..*outlook });
        self.free = free;
    }

    fn judge(&mut self, pairs: &mut Pairs, outlook: &Outlook<'_>) {
        self.doubts.clear();
        self.questions.clear();
        outlook.workers.shares(pairs.list.len() / LEAST_PAIRS, &mut pairs.list, |_, pairs| {
            for pair in pairs {
                for number in 0..pair.patches.len() {
                    let doubtful = outlook.is_doubtful(pair, &pair.patches[number]);
                    let far = !doubtful && outlook.is_far(pair, &pair.patches[number]);
                    let patch = &mut pair.patches[number];
                    (patch.doubtful, patch.ghost) = (doubtful, far);
                }
                pair.doubtful = pair.patches.iter().any(|patch| patch.doubtful);
                pair.take_stock(outlook.touch_distance);
            }
        });
        let doubts = pairs.list.iter().enumerate().filter(|(_, pair)| pair.doubtful);
        self.doubts.extend(doubts.map(|(index, _)| Doubt { pair: index as u32, met: None }));
        if self.doubts.is_empty() {
            return;
        }
        let list = &pairs.list;
        outlook.workers.for_each(
            &mut self.doubts,
            LEAST_SHARE,
            || (),
            |(), doubt| {
                let pair = &list[doubt.pair as usize];
                let apart = pair.patches.iter().all(|patch| outlook.is_apart(patch));
                doubt.met = if apart { outlook.first_meeting(pair, DVec3::ZERO) } else { Some(Meeting::AT_ONCE) };
            },
        );
        let number = |body: BodyId| Some(outlook.bodies.number(body)).filter(|&number| number != WORLD);
        let rows = |bodies: [BodyId; 2]| bodies.map(|body| number(body).map_or(usize::MAX, |number| number as usize));
        let links = pairs.list.iter().enumerate().filter(|(_, pair)| !pair.patches.is_empty());
        let links = links.map(|(index, pair)| (index as u32, rows(pair.bodies)));
        self.adjacency.rebuild_rows(outlook.bodies.list.len(), links);
        for doubt in &self.doubts {
            let pair = &mut pairs.list[doubt.pair as usize];
            for number in 0..pair.patches.len() {
                if !pair.patches[number].doubtful {
                    continue;
                }
                let patch = &pair.patches[number];
                let overlap = outlook.overlap(pair, patch, &|body| outlook.free_velocities(body));
                match doubt.met {
                    Some(met) => {
                        pair.patches[number].open = true;
                        self.questions.push(Question { pair: doubt.pair, patch: number as u32, met, overlap });
                    }
                    None => {
                        pair.patches[number].ghost = true;
                        self.list.push([doubt.pair, number as u32]);
                    }
                }
            }
        }
        self.ask(pairs, outlook);
        for &[pair, _] in &self.list {
            pairs.list[pair as usize].take_stock(outlook.touch_distance);
        }
    }

    /// Judges the patches in doubt in the order in which they are met, with their bodies lifted off what bears them before that.
    fn ask(&mut self, pairs: &mut Pairs, outlook: &Outlook<'_>) {
        let key = |question: &Question| ([question.met.time, question.overlap], question.pair, question.patch);
        self.questions.sort_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(Ordering::Equal));
        let free = |body: BodyId| outlook.free_velocities(body);
        for index in 0..self.questions.len() {
            let Question { pair: number, patch, met, overlap } = self.questions[index];
            let lift = self.lift(pairs, outlook, [number, patch], &free);
            pairs.list[number as usize].patches[patch as usize].open = false;
            let pair = &pairs.list[number as usize];
            if lift == DVec3::ZERO && met.normal.is_none() {
                continue;
            }
            let sheet = &pair.patches[patch as usize];
            if overlap + outlook.touch_distance <= lift.dot(sheet.normal) {
                continue;
            }
            let met = if lift == DVec3::ZERO { Some(met) } else { outlook.first_meeting(pair, lift) };
            let in_the_way = |other: &&Patch| {
                !other.ghost && other.doubtful && outlook.overlap(pair, other, &free) > lift.dot(other.normal)
            };
            let is_met = |met: Meeting| {
                let mut others = pair.patches.iter().filter(in_the_way);
                met.fits(sheet.parts, sheet.normal) || !others.any(|other| met.fits(other.parts, other.normal))
            };
            if !met.is_some_and(is_met) {
                pairs.list[number as usize].patches[patch as usize].ghost = true;
                self.list.push([number, patch]);
            }
        }
    }

    /// How far the second body of a patch is to be moved, the first staying where it is, to keep both off what bears them: patches that are
    /// not in question, or no more.
    fn lift(
        &self,
        pairs: &Pairs,
        outlook: &Outlook<'_>,
        [number, patch]: [u32; 2],
        velocities: &dyn Fn(BodyId) -> [DVec3; 2],
    ) -> DVec3 {
        let pair = &pairs.list[number as usize];
        let Some(size) = outlook.size(pair) else { return DVec3::ZERO };
        let height = (LIFT * size).max(LEAST_LIFT * outlook.touch_distance);
        // What bears them: the way out of it, and how far that is.
        let mut bearers: SmallVec<[(DVec3, f64); 16]> = SmallVec::new();
        for (side, &body) in pair.bodies.iter().enumerate().filter(|(_, body)| outlook.is_moved(**body)) {
            for &other_number in self.adjacency.row(outlook.bodies.number(body) as usize) {
                let other = &pairs.list[other_number as usize];
                for (index, bearing) in other.patches.iter().enumerate() {
                    if bearing.ghost || bearing.open || [other_number, index as u32] == [number, patch] {
                        continue;
                    }
                    let after = -outlook.overlap(other, bearing, velocities);
                    let need = height - after.min(gap(bearing));
                    if need > 0.0 {
                        let into = if other.bodies[1] == body { bearing.normal } else { -bearing.normal };
                        bearers.push((if side == 1 { into } else { -into }, need));
                    }
                }
            }
        }
        let mut lift = DVec3::ZERO;
        for _ in 0..LIFT_ROUNDS {
            let before = lift;
            for &(way, need) in &bearers {
                lift += way * (need - lift.dot(way)).max(0.0);
            }
            if lift == before {
                break;
            }
        }
        lift
    }

    /// Makes those ghosts real that bodies have run into deeply. Whether there are any.
    pub(super) fn come_true(&mut self, pairs: &mut Pairs, outlook: &Outlook<'_>) -> bool {
        let outlook = &Outlook { free: &self.free, ..*outlook };
        let way = |body: BodyId| outlook.solved_velocities(body);
        let mut any = false;
        for index in 0..self.list.len() {
            let [number, patch] = self.list[index];
            let pair = &pairs.list[number as usize];
            let sheet = &pair.patches[patch as usize];
            let Some(size) = outlook.size(pair) else { continue };
            let overlap = outlook.overlap(pair, sheet, &way);
            if overlap <= DEEP * size {
                continue;
            }
            let lift = self.lift(pairs, outlook, [number, patch], &way);
            if overlap - lift.dot(sheet.normal) <= DEEP * size {
                continue;
            }
            if outlook.meeting(pair, &way, lift).is_some_and(|met| met.fits(sheet.parts, sheet.normal)) {
                let pair = &mut pairs.list[number as usize];
                pair.patches[patch as usize].ghost = false;
                pair.take_stock(outlook.touch_distance);
                any = true;
            }
        }
        self.list.retain(|&[pair, patch]| pairs.list[pair as usize].patches[patch as usize].ghost);
        any
    }
}

/// The least gap of a patch.
fn gap(patch: &Patch) -> f64 {
    patch.spots().iter().map(|spot| spot.gap).fold(f64::INFINITY, f64::min)
}

impl FreeMotion {
    /// Of a body in the next `part` seconds.
    fn of(body: &Body, part: f64) -> Self {
        let (half, mut spin) = (0.5 * part, [body.angular_velocity, body.angular_acceleration]);
        let turn = body.angular_velocity.length() * part;
        // What spins fast about no axis of its own tumbles.
        if matches!(body.spin, Spin::Euler { .. }) && (SLOW_TURN..FAST_TURN).contains(&turn) {
            let mut ahead = *body;
            ahead.drift(part);
            let mean = rotation_vector(ahead.rotation * body.rotation.conjugate()) / part;
            let change = (ahead.angular_velocity - body.angular_velocity) / part;
            spin = [mean, body.angular_acceleration + change];
        }
        let velocity = body.velocity + body.acceleration * half;
        Self { mean: [velocity, spin[0] + body.angular_acceleration * half], change: [body.acceleration, spin[1]] }
    }
}

impl Outlook<'_> {
    fn colliders(&self, pair: &Pair) -> Option<[&ColliderModel; 2]> {
        let [a, b] = pair.colliders.map(|id| self.model.colliders().get(id));
        Some([a?, b?])
    }

    fn size(&self, pair: &Pair) -> Option<f64> {
        self.colliders(pair).map(course::size)
    }

    fn is_moved(&self, body: BodyId) -> bool {
        self.bodies.list[self.bodies.number(body) as usize].is_movable()
    }

    fn free_motion(&self, body: BodyId) -> &FreeMotion {
        &self.free[self.bodies.number(body) as usize]
    }

    fn free_velocities(&self, body: BodyId) -> [DVec3; 2] {
        self.free_motion(body).mean
    }

    /// The mean velocities with which bodies went, once they have been solved.
    fn solved_velocities(&self, body: BodyId) -> [DVec3; 2] {
        match self.bodies.number(body) {
            WORLD => [DVec3::ZERO; 2],
            number => {
                let body = &self.bodies.list[number as usize];
                [body.shift / self.part, body.turn / self.part]
            }
        }
    }

    /// Where the colliders of a pair first meet on their free courses, the second body being lifted. Often points of all patches in doubt
    /// are seen to arrive, and the first of them tells; or all patches in doubt face about the same way, and the colliders overlap in the
    /// end. Else the time of impact is looked for.
    fn first_meeting(&self, pair: &Pair, lift: DVec3) -> Option<Meeting> {
        let free = |body: BodyId| self.free_velocities(body);
        self.first_arrival(pair, lift).or_else(|| self.meeting(pair, &free, lift))
    }

    /// The first meeting, if points of all patches in doubt are seen to arrive, or if these face about the same way, so that whichever is
    /// met is none of the others' wall, and the colliders overlap in the end.
    fn first_arrival(&self, pair: &Pair, lift: DVec3) -> Option<Meeting> {
        let colliders = self.colliders(pair)?;
        let course = |body: BodyId| {
            let FreeMotion { mean, change } = *self.free_motion(body);
            Course::from(self.state.bodies[body.slot()].center_pose(), mean, change)
        };
        let courses = pair.bodies.map(course);
        let free = |body: BodyId| self.free_velocities(body);
        let is_questioned = |patch: &&Patch| {
            patch.doubtful && !patch.ghost && self.overlap(pair, patch, &free) > lift.dot(patch.normal)
        };
        let questioned: SmallVec<[&Patch; 8]> = pair.patches.iter().filter(is_questioned).collect();
        let met = |patch: &Patch, time: f64| Meeting { time, normal: Some(patch.normal), parts: patch.parts };
        let fit = |a: &Patch, b: &Patch| met(a, 0.0).fits(b.parts, b.normal);
        let face_one_way =
            questioned.iter().enumerate().all(|(index, a)| questioned[..index].iter().all(|b| fit(a, b)));
        if !questioned.is_empty() && face_one_way && course::overlap_in_the_end(colliders, &courses, lift, self.part) {
            let meetings = questioned.iter().map(|patch| met(patch, self.closes_after(pair, patch, lift)));
            return meetings.min_by(|a, b| a.time.total_cmp(&b.time));
        }
        let mut first: Option<Meeting> = None;
        for patch in questioned {
            let arrival = |spot: &Spot| {
                // A corner arrives where it is expected; what lies on edges or faces is met elsewhere on them.
                let side = (0..2).find(|&side| spot.features[side].is_tip())?;
                let place = spot.position + patch.normal * (0.5 * spot.gap * if side == 1 { 1.0 } else { -1.0 });
                course::reaches(colliders, &courses, lift, self.part, (side, place))
            };
            let time = patch.spots().iter().find_map(arrival)?;
            if first.is_none_or(|first| time < first.time) {
                first = Some(met(patch, time));
            }
        }
        first
    }

    /// Where the colliders of a pair meet, with mean velocities, the second body being lifted.
    fn meeting(&self, pair: &Pair, velocities: &dyn Fn(BodyId) -> [DVec3; 2], lift: DVec3) -> Option<Meeting> {
        let Some(colliders) = self.colliders(pair) else { return Some(Meeting::AT_ONCE) };
        let course = |body: BodyId| {
            let change = self.free_motion(body).change;
            Course::from(self.state.bodies[body.slot()].center_pose(), velocities(body), change)
        };
        course::meeting(colliders, pair.bodies.map(course), lift, self.part)
    }

    /// Whether what a patch bore can stop more than a trifle of the motion by which bodies get so deep beyond its plane.
    fn bears(&self, pair: &Pair, patch: &Patch, overlap: f64) -> bool {
        let inverse_mass = |body: BodyId| self.bodies.list[self.bodies.number(body) as usize].inverse_mass;
        let response = self.part * self.part * pair.bodies.into_iter().map(inverse_mass).sum::<f64>();
        patch.spots().iter().any(|spot| spot.load * response > TRIFLE * overlap)
    }

    /// How deep bodies get beyond the plane of a patch, `−(c + h J v)`; what they overlap by already does not count.
    fn overlap(&self, pair: &Pair, patch: &Patch, velocities: &dyn Fn(BodyId) -> [DVec3; 2]) -> f64 {
        let [[va, wa], [vb, wb]] = pair.bodies.map(velocities);
        let [a, b] = pair.bodies.map(|body| self.state.bodies[body.slot()].position);
        let overlap = |spot: &Spot| {
            let velocity = (vb + wb.cross(spot.position - b)) - (va + wa.cross(spot.position - a));
            -(spot.gap.max(0.0) + self.part * velocity.dot(patch.normal))
        };
        patch.spots().iter().map(overlap).fold(f64::NEG_INFINITY, f64::max)
    }

    /// After how many seconds of the free motion the first of its points gets to the plane of a patch, the second body being lifted.
    fn closes_after(&self, pair: &Pair, patch: &Patch, lift: DVec3) -> f64 {
        let [[va, wa], [vb, wb]] = pair.bodies.map(|body| self.free_velocities(body));
        let [a, b] = pair.bodies.map(|body| self.state.bodies[body.slot()].position);
        let time = |spot: &Spot| {
            let velocity = (vb + wb.cross(spot.position - b)) - (va + wa.cross(spot.position - a));
            let (gap, approach) = ((spot.gap + lift.dot(patch.normal)).max(0.0), -velocity.dot(patch.normal));
            if approach * self.part > gap { gap / approach } else { self.part }
        };
        patch.spots().iter().map(time).fold(self.part, f64::min)
    }

    /// How far the ways of the points of a patch are from straight because the bodies turn by θ: `½ θ² r`.
    fn curve(&self, pair: &Pair, patch: &Patch) -> f64 {
        let way = |body: BodyId| {
            let turn = self.bodies.list[self.bodies.number(body) as usize].angular_velocity * self.part;
            let center = self.state.bodies[body.slot()].position;
            let lever = patch.spots().iter().map(|spot| (spot.position - center).length()).fold(0.0, f64::max);
            if turn == DVec3::ZERO { 0.0 } else { 0.5 * turn.length_squared() * lever }
        };
        pair.bodies.into_iter().map(way).sum()
    }

    /// Whether the surfaces do not touch yet.
    fn is_apart(&self, patch: &Patch) -> bool {
        gap(patch) > self.touch_distance
    }

    /// Whether a gap stays open even if bodies come to move half as fast again as forces make them, and by a little more, or as much as
    /// the liveliest.
    fn is_far(&self, pair: &Pair, patch: &Patch) -> bool {
        let Some(stir) = self.stir else { return false };
        let Some(size) = self.size(pair).filter(|_| self.is_apart(patch)) else { return false };
        let fall: f64 = pair.bodies.into_iter().map(|body| self.free_motion(body).change[0].length()).sum();
        self.overlap(pair, patch, &|body| self.free_velocities(body))
            < -(fall * self.part * self.part + LIFT.max(stir) * size)
    }

    /// Whether a patch is in the way of the free motion and has not shown to be real: surfaces that touch and bear
    /// have, and so have those that only forces, no motion, press together.
    fn is_doubtful(&self, pair: &Pair, patch: &Patch) -> bool {
        let free = |body: BodyId| self.free_velocities(body);
        let now = |body: BodyId| {
            let body = &self.bodies.list[self.bodies.number(body) as usize];
            [body.velocity, body.angular_velocity]
        };
        if self.is_apart(patch) {
            return self.overlap(pair, patch, &free) + self.curve(pair, patch) > -self.touch_distance;
        }
        let overlap = self.overlap(pair, patch, &now);
        overlap > self.touch_distance && !self.bears(pair, patch, overlap)
    }
}
