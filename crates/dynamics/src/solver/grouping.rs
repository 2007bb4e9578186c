//! Which contacts are solved side by side: four that have no body in common (greedy graph colouring).

use super::lanes::WIDTH;

/// The most points of one contact that are solved together; those beyond count as another contact.
pub(super) const MOST_POINTS: usize = 4;

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

impl Plan {
    /// Their numbers.
    pub(super) fn contacts(&self) -> &[usize] {
        &self.contacts[..self.count]
    }
}

/// The groups that contacts were put into.
#[derive(Debug, Default)]
pub(super) struct Grouping {
    pub(super) plans: Vec<Plan>,
    /// Plans that are not full, by how many points their contacts have.
    open: [Vec<usize>; MOST_POINTS],
    count: usize,
}

impl Grouping {
    pub(super) fn clear(&mut self) {
        self.plans.clear();
        self.open.iter_mut().for_each(Vec::clear);
        self.count = 0;
    }

    /// Finds a group for the next contact, of so many points: one that waits and has none of its bodies, or a new one. A body that
    /// nothing moves may be in a group more than once.
    pub(super) fn put(&mut self, points: usize, bodies: impl Fn(usize) -> [u32; 2], moves: impl Fn(u32) -> bool) {
        let Self { plans, open, count } = self;
        let contact = *count;
        *count += 1;
        let own = bodies(contact).map(|body| moves(body).then_some(body));
        let is_apart = |&plan: &usize| {
            let others = plans[plan].contacts().iter().flat_map(|&other| bodies(other));
            others.into_iter().all(|other| !own.contains(&Some(other)))
        };
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

    /// Whether the groups are worth it: not for a few contacts, nor if less than half of the places are taken.
    pub(super) fn is_worth_it(&self) -> bool {
        self.count >= FEWEST && 2 * self.count >= WIDTH * self.plans.len()
    }
}
