//! The search for the first contact of one pair: look at the shapes, march along the direction that separates them, look
//! again.
//!
//! Each look finds the (signed) distance d and its direction n at time t. The gap along n is d at that time and never
//! more than the distance at others, so a march along n ([`march`]) is certain to end before the shapes touch. Since the
//! gap and the distance have the same derivative where n was found, the looks converge like Newton's method.
//!
//! Faces that slide or roll along each other turn, and a direction that stays as it was shows their gap for a moment only. So the march
//! goes along one that turns with either shape, where that promises to get farther.
//!
//! Most pairs that come near each other pass. What separates them in the end mostly does so all the way, which two values of the gap
//! certify ([`stays_open`]): so the first look is at the end.

use super::march::{Gap, March, Sample, march, promise, stays_open};
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

    /// A direction in the frame of the first that may part the two all the way: trying it costs a fraction of a look. None by default.
    fn guess(&self) -> Option<DVec3> {
        None
    }

    /// The gap along a direction that turns with the first or the second shape (`side`) and is the normal at `time`, from one time to
    /// another; none if that is nothing new.
    fn turning_gap(&self, time: f64, normal: DVec3, side: usize, span: [f64; 2]) -> Option<impl Gap>;
}

/// The turning gap that promises to get farthest, if it is farther than `least` and not as far as `enough`; and its value now.
fn best_turning_gap(
    pair: &impl Approach,
    [time, end]: [f64; 2],
    normal: DVec3,
    aim: f64,
    least: f64,
) -> Option<(impl Gap, Sample)> {
    let mut best = None;
    let mut farthest = least;
    for side in 0..2 {
        let Some(gap) = (farthest < end - time).then(|| pair.turning_gap(time, normal, side, [time, end])).flatten()
        else {
            continue;
        };
        let here = gap.sample(time);
        let far = promise(&gap, here, aim);
        if far > farthest {
            (best, farthest) = (Some((gap, here)), far);
        }
    }
    best
}

/// How rough the first look is, as a part of the size of the pair.
const ROUGH: f64 = 0.01;

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
    if end > time && end.is_finite() && search.budget > 0 {
        search.budget -= 1;
        let tolerance = tolerance_at(time).max(tolerance_at(end));
        let span = [time, end];
        if pair.guess().is_some_and(|normal| stays_open(&pair.gap(time, normal), span, tolerance)) {
            return None;
        }
        // A rough look: whatever it finds is certified.
        let last = pair.separation(end, pair.guess(), tolerance.max(ROUGH * size))?;
        let turns =
            |side| pair.turning_gap(end, last.normal, side, span).is_some_and(|gap| stays_open(&gap, span, tolerance));
        if last.distance > tolerance
            && (stays_open(&pair.gap(end, last.normal), span, tolerance) || turns(0) || turns(1))
        {
            return None;
        }
    }
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
        let marched = match best_turning_gap(pair, [time, end], look.normal, aim, promise(&gap, here, aim)) {
            Some((gap, here)) => march(&gap, here, end, aim, &mut search.budget),
            None => march(&gap, here, end, aim, &mut search.budget),
        };
        match marched {
            March::Clear => return None,
            March::Until(next) => time = next,
            March::Stuck => return Some(Impact::new(time, &look, ImpactStatus::Unresolved)),
        }
        look = look_at(time, Some(look.normal))?;
    }
}
