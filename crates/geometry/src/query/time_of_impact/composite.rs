//! Pairs with a mesh, a height field or a compound: the earliest impact of any of their parts.
//!
//! The second shape is swept through the hierarchy of the first; nodes it cannot reach before the earliest impact known so
//! far are left out, near ones come first. A body that turns sweeps curves: time is then cut into slabs of a quarter
//! radian (see [`super::sweep`]).

use super::approach::{Search, first_impact};
use super::convex::{ConvexPair, Side};
use super::parts::{Corners, Part, Parts};
use super::plane::PlanePair;
use super::reach::{Reach, Solid};
use super::relative::Relative;
use super::sweep::Sweep;
use super::{Impact, simple_impact};
use crate::bvh::RaySlopes;
use crate::shape::HalfSpace;
use crate::{Aabb, Shape};

/// How far bodies may turn within a slab of time, in radians.
const MAX_TURN: f64 = 0.25;

/// The limit that ends the search of a hierarchy.
const NOTHING_MORE: f64 = -1.0;

/// The first impact of any two shapes from time `from` to `until`. Until `from` they are known to be apart, or at rest.
pub(super) fn impact(
    a: Solid,
    b: Solid,
    motion: &Relative,
    from: f64,
    until: f64,
    search: &mut Search,
) -> Option<Impact> {
    match (Parts::of(a), Parts::of(b)) {
        (Some(a), Some(b)) => Both { a, b }.first_impact(motion, from, until, search),
        (Some(a), None) => against_simple(a, b, motion, from, until, search),
        (None, Some(b)) => {
            let exchanged = motion.exchanged();
            let impact = against_simple(b, a, &exchanged, from, until, search)?;
            Some(impact.flipped(&exchanged.b_in_a(impact.time)))
        }
        (None, None) => simple_impact(a, b, motion, from, until, search),
    }
}

/// Parts against a convex shape or a half-space.
fn against_simple(a: Parts, b: Solid, motion: &Relative, from: f64, until: f64, search: &mut Search) -> Option<Impact> {
    if let Solid::Shape(Shape::HalfSpace(half_space)) = b {
        return against_half_space(a, half_space, motion, from, until, search);
    }
    let side = Side::new(b, &motion.b)?;
    One { a, b, side }.first_impact(motion, from, until, search)
}

/// A half-space meets the corners of a surface, and the parts of a compound one by one.
fn against_half_space(
    a: Parts,
    half_space: &HalfSpace,
    motion: &Relative,
    from: f64,
    until: f64,
    search: &mut Search,
) -> Option<Impact> {
    if let Parts::Compound(compound) = a {
        let half_space = Shape::HalfSpace(*half_space);
        let mut first = First { impact: None, until };
        for (number, (pose, part)) in (0_u32..).zip(compound.parts()) {
            let motion = motion.of_part_a(pose);
            let found = impact(Solid::Shape(part), Solid::Shape(&half_space), &motion, from, first.until, search);
            first.offer(found.map(|found| Impact { part_a: number, ..found.seen_from_whole_a(pose) }));
        }
        return first.impact;
    }
    let exchanged = motion.exchanged();
    let corners = Corners(a);
    let reach = Reach::of_box(&a.aabb(), &motion.a);
    let pair = PlanePair::new(half_space, &corners, reach, &exchanged);
    let found = first_impact(&pair, from, until, search)?;
    let found = found.flipped(&exchanged.b_in_a(found.time));
    Some(Impact { part_a: a.farthest_corner(found.normal).0, ..found })
}

/// The earliest impact so far.
struct First {
    impact: Option<Impact>,
    /// Later ones are of no interest.
    until: f64,
}

impl First {
    /// Gives up if the budget is used up: nothing is known of what comes after `time`.
    fn gives_up(&mut self, motion: &Relative, time: f64, search: &Search) -> bool {
        if search.budget == 0 {
            let normal = motion.a.rotation(time).conjugate() * motion.offset(time);
            self.offer(Some(Impact::unresolved(time, normal)));
        }
        search.budget == 0
    }

    fn offer(&mut self, impact: Option<Impact>) {
        if let Some(impact) = impact
            && self.impact.is_none_or(|first| impact.time < first.time)
        {
            self.until = impact.time;
            self.impact = Some(impact);
        }
    }
}

/// Shapes of which at least the first is made of parts.
trait Sweepable {
    fn first_parts(&self) -> Parts<'_>;

    /// The box of the second shape, in its own frame.
    fn second_box(&self) -> Aabb;

    /// The rate at which the second shape turns, as far as it matters to how its boxes are swept.
    fn sweep_rate(&self, motion: &Relative) -> f64;

    /// The first impact of parts that come together during the sweep.
    fn during(&self, sweep: &Sweep, first: &mut First, search: &mut Search);

    /// Looks for the first impact slab by slab.
    fn first_impact(&self, motion: &Relative, from: f64, until: f64, search: &mut Search) -> Option<Impact> {
        let boxes = [(self.first_parts().aabb(), &motion.a), (self.second_box(), &motion.b)];
        let size: f64 = boxes.iter().map(|(aabb, turning)| Reach::of_box(aabb, turning).from_center).sum();
        let margin = search.options.tolerance.clamp(1e-9 * size, 1e60);
        let (enter, end) = motion.within(size + margin, until)?;
        let step = MAX_TURN / (motion.a.rate + self.sweep_rate(motion));
        let mut start = enter.max(from);
        loop {
            let stop = (start + step).min(end);
            let mut first = First { impact: None, until: stop };
            self.during(&Sweep::new(motion, start, stop, margin), &mut first, search);
            if first.impact.is_some() || stop >= end || first.gives_up(motion, stop, search) {
                return first.impact;
            }
            search.budget -= 1;
            start = stop;
        }
    }
}

/// Parts against one convex shape.
struct One<'a> {
    a: Parts<'a>,
    b: Solid<'a>,
    side: Side<'a>,
}

impl Sweepable for One<'_> {
    fn first_parts(&self) -> Parts<'_> {
        self.a
    }

    fn second_box(&self) -> Aabb {
        self.b.aabb()
    }

    fn sweep_rate(&self, _motion: &Relative) -> f64 {
        // A ball around the centre it turns about is swept instead.
        0.0
    }

    fn during(&self, sweep: &Sweep, first: &mut First, search: &mut Search) {
        let Sweep { motion, start, .. } = sweep;
        let swept = if motion.b.rate == 0.0 { sweep.of(&self.second_box()) } else { sweep.ball(self.side.size()) };
        let bvh = self.a.bvh();
        bvh.nearest_first(
            1.0,
            |boxes| boxes.ray_entry(&swept),
            |range, _| {
                if first.gives_up(motion, *start, search) {
                    return NOTHING_MORE;
                }
                for &item in &bvh.items()[range] {
                    self.a.each(item, &mut |number, part| {
                        if swept.entry(&part.aabb()) > sweep.fraction(first.until) {
                            return;
                        }
                        let found = match part {
                            Part::Triangle(triangle) => {
                                Side::new(Solid::Triangle(&triangle), &motion.a).and_then(|side| {
                                    let pair =
                                        ConvexPair::new(&side, &self.side, motion).with_triangle(triangle.normal());
                                    first_impact(&pair, *start, first.until, search)
                                })
                            }
                            Part::Placed(pose, shape) => {
                                let motion = motion.of_part_a(pose);
                                impact(Solid::Shape(shape), self.b, &motion, *start, first.until, search)
                                    .map(|found| found.seen_from_whole_a(pose))
                            }
                        };
                        first.offer(found.map(|found| Impact { part_a: number, ..found }));
                    });
                }
                sweep.fraction(first.until)
            },
        );
    }
}

/// Parts against parts.
struct Both<'a> {
    a: Parts<'a>,
    b: Parts<'a>,
}

impl Both<'_> {
    /// The first impact of the parts that belong to two items.
    fn items(&self, [item_a, item_b]: [u32; 2], sweep: &Sweep, first: &mut First, search: &mut Search) {
        self.b.each(item_b, &mut |number_b, part_b| {
            let swept = sweep.of(&part_b.aabb());
            self.a.each(item_a, &mut |number_a, part_a| {
                if swept.entry(&part_a.aabb()) > sweep.fraction(first.until) {
                    return;
                }
                let mut motion = sweep.motion;
                if let Part::Placed(pose, _) = part_a {
                    motion = motion.of_part_a(pose);
                }
                if let Part::Placed(pose, _) = part_b {
                    motion = motion.of_part_b(pose);
                }
                let found = impact(part_a.solid(), part_b.solid(), &motion, sweep.start, first.until, search);
                first.offer(found.map(|found| {
                    let seen = if let Part::Placed(pose, _) = part_a { found.seen_from_whole_a(pose) } else { found };
                    Impact { part_a: number_a, part_b: number_b, ..seen }
                }));
            });
        });
    }
}

impl Sweepable for Both<'_> {
    fn first_parts(&self) -> Parts<'_> {
        self.a
    }

    fn second_box(&self) -> Aabb {
        self.b.aabb()
    }

    fn sweep_rate(&self, motion: &Relative) -> f64 {
        motion.b.rate
    }

    fn during(&self, sweep: &Sweep, first: &mut First, search: &mut Search) {
        let (bvh_a, bvh_b) = (self.a.bvh(), self.b.bvh());
        bvh_a.pairs_by(
            bvh_b,
            1.0,
            |aabb| sweep.of(aabb),
            |aabb, swept: &RaySlopes| swept.entry(aabb),
            |range_a, range_b, _| {
                if first.gives_up(&sweep.motion, sweep.start, search) {
                    return NOTHING_MORE;
                }
                search.budget -= 1;
                for &item_a in &bvh_a.items()[range_a] {
                    for &item_b in &bvh_b.items()[range_b.clone()] {
                        self.items([item_a, item_b], sweep, first, search);
                    }
                }
                sweep.fraction(first.until)
            },
        );
    }
}
