//! Which speculative contacts are real: no ghost collisions.
//!
//! A contact point with a gap is a plane that its bodies must not pass within the step, `c + h J v ≥ 0` (speculative contact). The
//! plane has no end, the surface has. A ball that passes the edge of a box would bounce off thin air, and a box that slides over
//! tiles would be stopped by the side of the next one, which is flush with what it slides on (internal edges). So what stands in
//! the way must be confirmed by the motion, which here is done for each **sheet**, the points of a pair with a common normal:
//!
//! 1. **Before the solve**, with the free motion: a sheet in the way is real if the colliders meet on their courses
//!    (`course.rs`, time of impact).
//! 2. What the bodies bear on holds them up. So, in the order of the times of impact, the bodies of each pair that meets are **lifted**
//!    off the sheets that bear them, by what they would sink into them and a little more. If they do not meet then, what they
//!    met was the side of something flush.
//! 3. Ghosts do not take part in the solve. **After it**, with the solved motion, those are put back that the bodies run into by
//!    more than a little, and others are taken out that pushed where nothing was. The neighbourhood is solved again, from the
//!    solution found.
//!
//! At the end of a step the same question is put to sheets that have come to touch without having pushed.

use super::RetroactiveSettings;
use super::contact::{PairState, PointState};
use crate::model::ColliderModel;
use crate::parts::adjacency::Adjacency;
use crate::parts::course::{self, Course, Meeting};
use crate::solver::SolverBody;
use crate::{BodyState, Id, Model, State};
use glam::DVec3;
use std::cmp::Ordering;
use std::ops::Range;

/// By how much bodies are lifted off what bears them, relative to the size of the smaller collider. Steps lower than this do not stop a body.
const LIFT: f64 = 1e-3;

/// The same in touch distances, for small colliders.
const LEAST_LIFT: f64 = 4.0;

/// Overlaps up to this, relative to the size of the smaller collider, are left to the next step and its push.
const LITTLE: f64 = 5e-3;

/// Rounds in which a lift that clears several sheets is looked for.
const LIFT_ROUNDS: usize = 8;

/// What is known of a sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Verdict {
    /// It is not in the way.
    Open,
    /// The colliders meet it, after so many seconds.
    Real(f64),
    /// They do not.
    Ghost,
}

/// The points of a pair with a common normal.
#[derive(Clone, Debug)]
pub(super) struct Sheet {
    /// The number of the contact.
    pub(super) contact: usize,
    /// Which of its points.
    pub(super) points: Range<usize>,
    /// The number of its first point among all points of the island.
    number: usize,
    /// The slots of the bodies.
    bodies: [usize; 2],
    normal: DVec3,
    parts: [u32; 2],
    /// The least gap now.
    gap: f64,
    /// How deep the free motion gets beyond its plane.
    overlap: f64,
    verdict: Verdict,
}

/// What the contacts of an island are judged by.
#[derive(Clone, Copy)]
pub(super) struct Outlook<'a> {
    pub(super) model: &'a Model,
    pub(super) state: &'a State,
    pub(super) settings: &'a RetroactiveSettings,
    pub(super) contacts: &'a [PairState],
    /// Where the free motion leads.
    pub(super) moved: &'a [BodyState],
    /// Its mean velocities.
    pub(super) free: &'a [SolverBody],
    pub(super) dt: f64,
}

/// The sheets of an island.
#[derive(Debug, Default)]
pub(super) struct Sheets {
    list: Vec<Sheet>,
    /// Those of each body, once they are needed.
    adjacency: Adjacency,
    indexed: bool,
}

/// A verdict that has changed.
#[derive(Clone, Debug)]
pub(super) struct Change {
    /// The slots of the bodies.
    pub(super) bodies: [usize; 2],
    /// The numbers of the points among all points of the island.
    pub(super) points: Range<usize>,
    pub(super) real: bool,
}

/// In what order sheets are met: by time, and of those that touch from the beginning those first that are least in the way.
type Order = [f64; 2];

/// After all others.
const LAST: Order = [f64::INFINITY; 2];

impl Sheet {
    fn order(&self) -> Order {
        let time = if let Verdict::Real(time) = self.verdict { time } else { f64::INFINITY };
        [time, self.overlap]
    }

    /// Whether it may be where its colliders meet.
    fn fits(&self, meeting: &Meeting) -> bool {
        meeting.fits(self.parts, self.normal)
    }

    /// The numbers of its points among all points of the island.
    pub(super) fn numbers(&self) -> Range<usize> {
        self.number..self.number + self.points.len()
    }
}

impl Sheets {
    /// The sheets of an island's contacts before the solve for positions, and which of them are ghosts for the free motion.
    pub(super) fn foresee(outlook: &Outlook<'_>, contacts: &[usize]) -> Self {
        let mut sheets = Self::new(outlook, contacts);
        sheets.judge(outlook, |sheet| outlook.is_doubtful(sheet));
        sheets
    }

    /// The same at the end of a step, for what has come to touch without having pushed.
    pub(super) fn look_around(outlook: &Outlook<'_>, contacts: &[usize]) -> Self {
        let mut sheets = Self::new(outlook, contacts);
        sheets.judge(outlook, |sheet| !outlook.is_apart(sheet) && outlook.is_doubtful(sheet));
        sheets
    }

    fn new(outlook: &Outlook<'_>, contacts: &[usize]) -> Self {
        let mut list: Vec<Sheet> = Vec::new();
        let mut number = 0;
        for &contact in contacts {
            let pair = &outlook.contacts[contact];
            for (index, point) in pair.points.iter().enumerate() {
                let (normal, gap, parts) = (point.geometry.normal, point.geometry.gap, [point.key.0, point.key.1]);
                match list.last_mut() {
                    Some(last) if (last.contact, last.parts, last.normal) == (contact, parts, normal) => {
                        last.points.end = index + 1;
                        last.gap = last.gap.min(gap);
                    }
                    _ => list.push(Sheet {
                        contact,
                        points: index..index + 1,
                        number,
                        bodies: pair.bodies.map(Id::slot),
                        normal,
                        parts,
                        gap,
                        overlap: 0.0,
                        verdict: Verdict::Open,
                    }),
                }
                number += 1;
            }
        }
        for sheet in &mut list {
            sheet.overlap = outlook.overlap(sheet, outlook.free);
        }
        Self { list, adjacency: Adjacency::default(), indexed: false }
    }

    /// The ghosts.
    pub(super) fn ghosts(&self) -> impl Iterator<Item = &Sheet> {
        self.list.iter().filter(|sheet| sheet.verdict == Verdict::Ghost)
    }

    /// Judges the sheets that are doubtful by the free motion.
    fn judge(&mut self, outlook: &Outlook<'_>, is_doubtful: impl Fn(&Sheet) -> bool) {
        let doubtful: Vec<usize> = (0..self.list.len()).filter(|&index| is_doubtful(&self.list[index])).collect();
        if doubtful.is_empty() {
            return;
        }
        self.index_bodies(outlook);
        let mut questions: Vec<(Meeting, usize)> = Vec::new();
        let mut met = None;
        for (place, &index) in doubtful.iter().enumerate() {
            let sheet = &self.list[index];
            if place == 0 || self.list[doubtful[place - 1]].contact != sheet.contact {
                let apart = self.of_pair(index).iter().all(|sheet| outlook.is_apart(sheet));
                met = if apart { outlook.meeting(sheet, outlook.free, DVec3::ZERO) } else { Some(Meeting::AT_ONCE) };
            }
            self.list[index].verdict = met.map_or(Verdict::Ghost, |met| Verdict::Real(met.time));
            questions.extend(met.map(|met| (met, index)));
        }
        let key = |&(_, index): &(Meeting, usize)| (self.list[index].order(), index);
        questions.sort_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(Ordering::Equal));
        for (meeting, index) in questions {
            self.judge_lifted(outlook, meeting, index);
        }
    }

    /// Judges a sheet whose pair meets, with its bodies lifted off what bears them before that.
    fn judge_lifted(&mut self, outlook: &Outlook<'_>, meeting: Meeting, index: usize) {
        let lift = self.lift(outlook, outlook.free, index, self.list[index].order());
        let sheet = &self.list[index];
        if sheet.overlap <= lift.dot(sheet.normal) {
            return;
        }
        let meeting = if lift == DVec3::ZERO { Some(meeting) } else { outlook.meeting(sheet, outlook.free, lift) };
        let in_the_way =
            |other: &&Sheet| matches!(other.verdict, Verdict::Real(_)) && other.overlap > lift.dot(other.normal);
        let is_met = |meeting: &Meeting| {
            sheet.fits(meeting) || !self.of_pair(index).iter().filter(in_the_way).any(|other| other.fits(meeting))
        };
        let verdict = meeting.filter(is_met).map_or(Verdict::Ghost, |meeting| Verdict::Real(meeting.time));
        self.list[index].verdict = verdict;
    }

    /// The sheets of the pair to which one belongs.
    fn of_pair(&self, index: usize) -> &[Sheet] {
        let contact = self.list[index].contact;
        let start = self.list[..index].iter().rposition(|sheet| sheet.contact != contact).map_or(0, |last| last + 1);
        let others = self.list[index..].iter().position(|sheet| sheet.contact != contact);
        &self.list[start..others.map_or(self.list.len(), |next| index + next)]
    }

    /// Compares the verdicts with the solved motion. `share` tells what the impulses of the points with these numbers changed
    /// the velocities of their bodies by, if they pushed. The sheets that were judged otherwise, with whether they are real.
    pub(super) fn reconsider(
        &mut self,
        outlook: &Outlook<'_>,
        solved: &[SolverBody],
        share: impl Fn(Range<usize>) -> Option<[[DVec3; 2]; 2]>,
    ) -> Vec<Change> {
        let mut changed = Vec::new();
        for index in 0..self.list.len() {
            let sheet = &self.list[index];
            let little = LITTLE * outlook.size(sheet);
            match sheet.verdict {
                Verdict::Ghost if outlook.overlap(sheet, solved) > little => {
                    let lift = self.lift(outlook, solved, index, LAST);
                    if outlook.overlap(sheet, solved) - lift.dot(sheet.normal) <= little {
                        continue;
                    }
                    let Some(meeting) = outlook.meeting(sheet, solved, lift) else { continue };
                    if sheet.fits(&meeting) || !self.of_pair(index).iter().any(|other| other.fits(&meeting)) {
                        self.list[index].verdict = Verdict::Real(meeting.time);
                        changed.push(self.change(index));
                    }
                }
                Verdict::Open if outlook.is_apart(sheet) => {
                    let Some(share) = share(sheet.numbers()) else { continue };
                    let [a, b] = sheet.bodies;
                    let without = Without { solved, share: [(a, share[0]), (b, share[1])] };
                    if outlook.overlap(sheet, &without) <= little {
                        continue;
                    }
                    self.index_bodies(outlook);
                    let lift = self.lift(outlook, solved, index, LAST);
                    let meeting = outlook.meeting(&self.list[index], &without, lift);
                    self.list[index].verdict = meeting.map_or(Verdict::Ghost, |meeting| Verdict::Real(meeting.time));
                    changed.extend(meeting.is_none().then(|| self.change(index)));
                }
                _ => {}
            }
        }
        changed
    }

    fn change(&self, index: usize) -> Change {
        let sheet = &self.list[index];
        Change { bodies: sheet.bodies, points: sheet.numbers(), real: sheet.verdict != Verdict::Ghost }
    }

    /// How far the second body of a sheet is to be moved, the first staying where it is, to keep both off what bears them: off
    /// sheets that are not in question, and those that are met before.
    fn lift(&self, outlook: &Outlook<'_>, velocities: &[SolverBody], index: usize, order: Order) -> DVec3 {
        let sheet = &self.list[index];
        let height = (LIFT * outlook.size(sheet)).max(LEAST_LIFT * outlook.settings.touch_distance);
        let mut needs: Vec<(DVec3, f64)> = Vec::new();
        for (side, &body) in sheet.bodies.iter().enumerate() {
            if outlook.free[body].inverse_mass == 0.0 {
                continue;
            }
            for &number in self.adjacency.of(outlook.contacts[sheet.contact].bodies[side]) {
                let other = &self.list[number as usize];
                let bears = match other.verdict {
                    Verdict::Open => true,
                    Verdict::Real(_) => (other.order(), number as usize) < (order, index),
                    Verdict::Ghost => false,
                };
                if !bears || number as usize == index {
                    continue;
                }
                let after = -outlook.overlap(other, velocities);
                let need = height - after.min(other.gap);
                if need > 0.0 {
                    let into = if other.bodies[1] == body { other.normal } else { -other.normal };
                    needs.push((if side == 1 { into } else { -into }, need));
                }
            }
        }
        let mut lift = DVec3::ZERO;
        for _ in 0..LIFT_ROUNDS {
            for &(direction, need) in &needs {
                lift += direction * (need - lift.dot(direction)).max(0.0);
            }
        }
        lift
    }

    /// Notes which sheets each body has, once.
    fn index_bodies(&mut self, outlook: &Outlook<'_>) {
        if self.indexed {
            return;
        }
        self.indexed = true;
        let links = self.list.iter().enumerate();
        let links = links.map(|(number, sheet)| (number as u32, outlook.contacts[sheet.contact].bodies));
        self.adjacency.rebuild(outlook.state.bodies.len(), links);
    }
}

impl Outlook<'_> {
    fn colliders(&self, sheet: &Sheet) -> Option<[&ColliderModel; 2]> {
        let [a, b] = self.contacts[sheet.contact].colliders.map(|id| self.model.colliders().get(id));
        Some([a?, b?])
    }

    fn size(&self, sheet: &Sheet) -> f64 {
        self.colliders(sheet).map_or(f64::INFINITY, course::size)
    }

    /// Where the colliders of a sheet meet, with mean velocities, the second body being lifted.
    fn meeting(&self, sheet: &Sheet, velocities: &(impl Velocities + ?Sized), lift: DVec3) -> Option<Meeting> {
        let Some(colliders) = self.colliders(sheet) else { return Some(Meeting::AT_ONCE) };
        let course = |slot: usize| {
            let before_and_after = [&self.state.bodies[slot], &self.moved[slot]];
            Course::new(before_and_after, self.free[slot].angular_velocity, velocities.of(slot), self.dt)
        };
        course::meeting(colliders, sheet.bodies.map(course), lift, self.dt)
    }

    /// How deep the bodies get beyond the plane of a sheet, `−(c + h J v + ½ h² c̈)`; what they overlap by already does not count.
    fn overlap(&self, sheet: &Sheet, velocities: &(impl Velocities + ?Sized)) -> f64 {
        let [a, b] = sheet.bodies;
        let [(va, wa), (vb, wb)] = sheet.bodies.map(|slot| velocities.of(slot));
        // Where impulses act: half-way between the surfaces, or at that of the only body that moves.
        let moves = |slot: usize| f64::from(self.free[slot].inverse_mass > 0.0);
        let towards_second = 0.5 * (moves(b) - moves(a));
        let overlap = |point: &PointState| {
            let place = point.geometry.position + towards_second * point.geometry.gap * sheet.normal;
            let [ra, rb] = sheet.bodies.map(|slot| place - self.state.bodies[slot].position);
            let velocity = (vb + wb.cross(rb)) - (va + wa.cross(ra));
            let bend = 0.5 * self.dt * self.dt * point.bend;
            -(point.geometry.gap.max(0.0) + self.dt * velocity.dot(sheet.normal) + bend)
        };
        let points = &self.contacts[sheet.contact].points[sheet.points.clone()];
        points.iter().map(overlap).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Whether the surfaces do not touch yet.
    fn is_apart(&self, sheet: &Sheet) -> bool {
        sheet.gap > self.settings.touch_distance
    }

    /// Whether a sheet is in the way of the free motion and has not shown to be real: surfaces that touch and bear
    /// have, and so have those that only forces, no motion, press together.
    fn is_doubtful(&self, sheet: &Sheet) -> bool {
        let points = &self.contacts[sheet.contact].points[sheet.points.clone()];
        let bears = || points.iter().any(|point| point.start.normal > 0.0 || point.end.normal > 0.0);
        let approaches = || self.overlap(sheet, &*self.state.bodies) > self.settings.touch_distance;
        sheet.overlap > 0.0 && (self.is_apart(sheet) || (!bears() && approaches()))
    }
}

/// The velocities of bodies by their slots: linear and angular.
trait Velocities {
    fn of(&self, slot: usize) -> (DVec3, DVec3);
}

impl Velocities for [SolverBody] {
    fn of(&self, slot: usize) -> (DVec3, DVec3) {
        (self[slot].velocity, self[slot].angular_velocity)
    }
}

impl Velocities for [BodyState] {
    fn of(&self, slot: usize) -> (DVec3, DVec3) {
        (self[slot].velocity, self[slot].angular_velocity)
    }
}

/// Solved velocities without the share that a sheet has in them, linear and angular, of the bodies in two slots.
struct Without<'a> {
    solved: &'a [SolverBody],
    share: [(usize, [DVec3; 2]); 2],
}

impl Velocities for Without<'_> {
    fn of(&self, slot: usize) -> (DVec3, DVec3) {
        let (mut velocity, mut angular_velocity) = self.solved.of(slot);
        for (_, [linear, angular]) in self.share.iter().filter(|(body, _)| *body == slot) {
            velocity -= *linear;
            angular_velocity -= *angular;
        }
        (velocity, angular_velocity)
    }
}
