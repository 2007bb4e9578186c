//! Which contacts are solved side by side: four that have no body in common (greedy graph colouring). What is common to those
//! [with](super::contacts) and [without](super::normals) friction.

use super::lanes::{Lanes, WIDTH};
use super::system::System;
use std::ops::Range;

/// The most points of one contact that are solved together; those beyond count as another contact.
const MOST_POINTS: usize = 4;

/// Fewer contacts than these are solved one by one, in order: from the bottom of a stack to its top, what presses from above is
/// found in fewer sweeps than if every second contact waits for the others.
const FEWEST: usize = 32;

/// How many groups wait at the same time for contacts that have no body in common with those they have.
const MOST_OPEN: usize = 16;

/// The contacts that go into a group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    contacts: [usize; WIDTH],
    count: usize,
    /// How many points each has.
    pub(super) points: usize,
}

/// The contacts of a system, which are runs of its points, and the groups that they were put into.
#[derive(Debug, Default)]
pub(super) struct Grouping {
    /// The points of each contact.
    contacts: Vec<Range<usize>>,
    pub(super) plans: Vec<Plan>,
    /// Plans that are not full, by how many points their contacts have.
    open: [Vec<usize>; MOST_POINTS],
}

impl Grouping {
    pub(super) fn clear(&mut self) {
        self.contacts.clear();
        self.plans.clear();
        self.open.iter_mut().for_each(Vec::clear);
    }

    /// Adds the next point: to the last contact, if it continues that one, of which the first point is told.
    pub(super) fn add(&mut self, continues: impl FnOnce(usize) -> bool) {
        let next = self.contacts.last().map_or(0, |last| last.end);
        match self.contacts.last_mut() {
            Some(last) if last.len() < MOST_POINTS && continues(last.start) => last.end += 1,
            _ => self.contacts.push(next..next + 1),
        }
    }

    /// Puts all contacts into groups; `row` tells the first row of a point. Whether it is worth it: not for a few, nor if less than
    /// half of the places would be taken.
    pub(super) fn form(&mut self, system: &System, row: impl Fn(usize) -> usize) -> bool {
        for contact in 0..self.contacts.len() {
            self.put(contact, system, |points| system.rows[row(points.start)].bodies);
        }
        self.contacts.len() >= FEWEST && 2 * self.contacts.len() >= WIDTH * self.plans.len()
    }

    /// Finds a group for a contact: one that waits and has none of its bodies, or a new one. A body that nothing moves may be in
    /// a group more than once.
    fn put(&mut self, contact: usize, system: &System, bodies: impl Fn(&Range<usize>) -> [u32; 2]) {
        let Self { contacts, plans, open } = self;
        let moves = |body: u32| system.scales[body as usize].moves();
        let own = bodies(&contacts[contact]).map(|body| moves(body).then_some(body));
        let is_apart = |&plan: &usize| {
            let Plan { contacts: others, count, .. } = &plans[plan];
            others[..*count].iter().flat_map(|&other| bodies(&contacts[other])).all(|other| !own.contains(&Some(other)))
        };
        let points = contacts[contact].len();
        let open = &mut open[points - 1];
        let Some(place) = open.iter().position(is_apart) else {
            if open.len() == MOST_OPEN {
                open.remove(0);
            }
            open.push(plans.len());
            plans.push(Plan { contacts: [contact; WIDTH], count: 1, points });
            return;
        };
        let plan = &mut plans[open[place]];
        plan.contacts[plan.count] = contact;
        plan.count += 1;
        if plan.count == WIDTH {
            open.remove(place);
        }
    }

    /// The points of the contacts of a group.
    pub(super) fn members<'a>(&'a self, plan: &'a Plan) -> impl Iterator<Item = Range<usize>> + 'a {
        plan.contacts[..plan.count].iter().map(|&contact| self.contacts[contact].clone())
    }
}

/// The bodies of a group. A place without a contact has the body that nothing moves.
#[derive(Clone, Debug)]
pub(super) struct Sides {
    pub(super) bodies: [[u32; WIDTH]; 2],
    /// √(1/m) of the bodies.
    pub(super) scales: [Lanes; 2],
    /// 1/m₁ + 1/m₂.
    pub(super) inverse_mass: Lanes,
}

impl Sides {
    /// Of no contacts.
    pub(super) fn nobody(system: &System) -> Self {
        let nobody = system.bodies.len() as u32;
        Self { bodies: [[nobody; WIDTH]; 2], scales: [Lanes::default(); 2], inverse_mass: Lanes::default() }
    }

    /// Puts the bodies of a row into a lane.
    pub(super) fn put(&mut self, lane: usize, system: &System, row: usize) {
        let bodies = system.rows[row].bodies;
        let scales = bodies.map(|body| system.scales[body as usize].linear);
        for side in 0..2 {
            self.bodies[side][lane] = bodies[side];
            self.scales[side].0[lane] = scales[side];
        }
        self.inverse_mass.0[lane] = scales[0] * scales[0] + scales[1] * scales[1];
    }
}
