//! The search for the first contact of one pair: look at the shapes, march along the direction that separates them, look
//! again.
//!
//! Each look finds the (signed) distance d and its direction n at time t. The gap along n is d at that time and never
//! more than the distance at others, so a march along n ([`march`]) is certain to end before the shapes touch. Since the
//! gap and the distance have the same derivative where n was found, the looks converge like Newton's method.

use super::march::{Gap, March, march};
use super::relative::Relative;
use super::{Impact, ImpactOptions, ImpactStatus};
use crate::query::closest::Separation;
use glam::DVec3;

/// Gaps below this, relative to the size of the shapes, are contact.
const RELATIVE_TOLERANCE: f64 = 1e-12;

/// How deep, relative to their size, shapes that touch from the beginning must come before it is an impact.
const RELATIVE_RESTING_DEPTH: f64 = 1e-6;

/// Two bodies of which the distance can be measured at any time.
pub(super) trait Approach {
    fn motion(&self) -> &Relative;

    /// How far the bodies reach from their centres, together.
    fn size(&self) -> f64;

    /// The times between which they can come within `margin` of each other at all.
    fn window(&self, margin: f64, max_time: f64) -> Option<(f64, f64)>;

    /// The signed distance in the frame of the first, and a normal along which the gap is that distance, both up to a
    /// thousandth of it and up to `accuracy`. `hint` is a guess of the normal.
    fn separation(&self, time: f64, hint: Option<DVec3>, accuracy: f64) -> Option<Separation>;

    /// The same, measured again with a better normal near the one given: for shapes that almost touch.
    fn closer_look(&self, time: f64, normal: DVec3) -> Option<Separation>;

    /// The gap along the normal found at `time` (in the frame of the first at that time), as a function of time.
    fn gap(&self, time: f64, normal: DVec3) -> impl Gap;
}

/// What one call looks for, and what is left of its means.
pub(super) struct Search<'a> {
    pub(super) options: &'a ImpactOptions,
    /// How many looks and evaluations are left.
    pub(super) budget: usize,
    /// Whether any pair was found to touch at time zero.
    pub(super) touching_at_start: bool,
    pub(super) counts: Counts,
}

impl<'a> Search<'a> {
    pub(super) fn new(options: &'a ImpactOptions, budget: usize) -> Self {
        Self { options, budget, touching_at_start: false, counts: Counts::Begun }
    }
}

/// Which contacts are impacts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Counts {
    /// Those that begin after time zero; those that are there from the beginning if they get deep.
    Begun,
    /// Those that get deep. So it is for shapes made of parts that touch from the beginning: a box that slides over a
    /// floor of triangles touches new ones all the time.
    Deep,
    /// All, from time zero on.
    Touch,
}

/// A contact that is an impact if it gets deeper.
struct Contact {
    time: f64,
    separation: Separation,
}

impl Contact {
    fn impact(&self) -> Impact {
        let status = if self.time == 0.0 { ImpactStatus::Touching } else { ImpactStatus::Hit };
        Impact::new(self.time, &self.separation, status)
    }
}

/// The first impact of the pair from time `from` to `until`. Until `from` they are known to be apart, or at rest.
pub(super) fn first_impact(pair: &impl Approach, from: f64, until: f64, search: &mut Search) -> Option<Impact> {
    let options = search.options;
    let (enter, end) = pair.window(options.tolerance.max(0.0), until)?;
    if end < from {
        return None;
    }
    let size = pair.size();
    let tolerance_at = |time| options.tolerance.max(RELATIVE_TOLERANCE * size).max(pair.motion().rounding(time, size));
    let resting_depth = options.resting_depth.max(RELATIVE_RESTING_DEPTH * size).max(4.0 * tolerance_at(0.0));

    let look_at = |time, hint| pair.separation(time, hint, 0.1 * tolerance_at(time));

    let mut time = enter.max(from);
    let mut look = look_at(time, None)?;
    if time > enter && look.distance <= tolerance_at(time) {
        // In contact already: since when, and how deep, is seen from the beginning only.
        time = enter;
        look = look_at(time, None)?;
    }
    let mut resting: Option<Contact> = None;
    loop {
        let tolerance = tolerance_at(time);
        let mut gap = pair.gap(time, look.normal);
        let mut here = gap.sample(time);
        if here.value < look.distance - 0.25 * tolerance - 0.01 * look.distance.abs() {
            // The normal does not show the gap that was measured. What can be certain is only what some normal shows.
            let closer = pair.closer_look(time, look.normal)?;
            let closer_gap = pair.gap(time, closer.normal);
            let closer_here = closer_gap.sample(time);
            if closer_here.value > here.value {
                (look, gap, here) = (Separation { distance: look.distance, ..closer }, closer_gap, closer_here);
            }
            // Rounding does not make an overlap of a gap, though.
            look.distance = here.value.max(look.distance.min(-tolerance));
        }
        search.touching_at_start |= time == 0.0 && look.distance <= tolerance;
        if time == 0.0 && look.distance < -tolerance {
            return Some(Impact::new(0.0, &look, ImpactStatus::Overlapping));
        }
        if look.distance > tolerance {
            resting = None;
        } else if resting.is_none() {
            let contact = Contact { time, separation: look };
            if search.counts == Counts::Touch || time > 0.0 && search.counts == Counts::Begun {
                return Some(contact.impact());
            }
            resting = Some(contact);
        }
        let aim = match &resting {
            Some(contact) if look.distance <= -0.5 * resting_depth => return Some(contact.impact()),
            Some(_) => -resting_depth,
            None => 0.5 * tolerance,
        };
        if search.budget == 0 {
            return Some(Impact::new(time, &look, ImpactStatus::Unresolved));
        }
        search.budget -= 1;
        match march(&gap, here, end, aim, &mut search.budget) {
            March::Clear => return None,
            March::Until(next) => time = next,
            March::Stuck => return Some(Impact::new(time, &look, ImpactStatus::Unresolved)),
        }
        look = look_at(time, Some(look.normal))?;
    }
}
