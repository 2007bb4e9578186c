//! When two moving shapes first touch: *continuous collision detection*. A method that only looks at the ends of its steps misses
//! what happens in between, and a fast body passes a thin wall (*tunnelling*).
//!
//! Every pair of shapes, translating and turning. The answer is **never later than the first contact**: it comes from
//! conservative advancement, steps over intervals in which the shapes are certain to be apart. It is as close to the first
//! contact as the tolerance asks, by default to the last few digits.
//!
//! * [`relative`] makes one relative motion out of two,
//! * [`approach`] is the search for one pair: look, march, look again,
//! * [`march`] is the certain step: two values of the gap along a fixed direction and a bound on accelerations,
//! * [`convex`] and [`plane`] give the gap for convex pairs and for half-spaces; [`reach`] the bounds for them,
//! * [`composite`] finds the earliest impact of the [`parts`] of meshes, height fields and compounds, with [`sweep`] to
//!   leave out those that do not meet,
//! * [`along`] cuts any other path into pieces that are nearly motions with constant velocities.

mod along;
mod approach;
mod composite;
mod convex;
mod march;
mod parts;
mod plane;
mod reach;
mod relative;
mod sweep;
#[cfg(test)]
mod tests;

pub use along::time_of_impact_along;

use super::Motion;
use super::closest::Separation;
use crate::{Shape, Transform};
use approach::{Counts, Search, first_impact};
use convex::{ConvexPair, Side};
use glam::DVec3;
use parts::Parts;
use plane::PlanePair;
use reach::{Reach, Solid};
use relative::Relative;

/// How a time of impact is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ImpactOptions {
    /// Impacts after this time (in seconds) are not looked for. May be infinite. Default: 1.
    pub max_time: f64,
    /// How far apart (in metres) shapes may be at what counts as their impact. What rounding allows, 1e-12 of the size of
    /// the shapes, is the least that is ever used, and the default. Larger tolerances are reached in fewer steps; the
    /// answer is earlier then by up to the time the shapes need to close that gap.
    pub tolerance: f64,
    /// How deep (in metres) shapes that touch at time zero must come, without having come apart in between, before
    /// that is an impact. 1e-6 of the size of the shapes is the least that is ever used, and the default.
    pub resting_depth: f64,
    /// How many times the shapes (or pairs of their parts) are looked at before the search gives up. A typical impact of
    /// convex shapes takes fifteen looks, one in a fast spin a hundred or more. Default: 100 000.
    pub max_iterations: usize,
}

impl Default for ImpactOptions {
    fn default() -> Self {
        Self { max_time: 1.0, tolerance: 0.0, resting_depth: 0.0, max_iterations: 100_000 }
    }
}

/// What is known about an impact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ImpactStatus {
    /// The shapes are apart until then, and within the tolerance of each other at that time.
    Hit,
    /// The shapes overlap at time zero.
    Overlapping,
    /// The shapes touch at time zero, and get deeper into each other without coming apart first.
    Touching,
    /// The shapes are apart until then; what comes later is not known, because the iterations were used up or rounding
    /// hides it.
    Unresolved,
}

/// When and where two moving shapes first touch. Points and normal are in the frame of the first shape at that time.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Impact {
    /// The time in seconds, not later than the first contact.
    pub time: f64,
    /// The unit normal of the contact, out of the first shape into the second.
    pub normal: DVec3,
    /// The point of the first shape that touches.
    pub point_a: DVec3,
    /// The point of the second shape that touches; within the tolerance of the other.
    pub point_b: DVec3,
    /// The part of the first shape that touches: the triangle of a mesh or height field, the member of a compound; zero
    /// for a convex shape.
    pub part_a: u32,
    /// The part of the second shape that touches.
    pub part_b: u32,
    /// What is known about it.
    pub status: ImpactStatus,
    /// How many times the shapes were looked at.
    pub iterations: usize,
}

impl Impact {
    fn new(time: f64, at: &Separation, status: ImpactStatus) -> Self {
        let Separation { normal, point_a, point_b, .. } = *at;
        Self { time, normal, point_a, point_b, part_a: 0, part_b: 0, status, iterations: 0 }
    }

    /// The end of the budget: nothing touches before that time.
    fn unresolved(time: f64, normal: DVec3) -> Self {
        let normal = normal.try_normalize().unwrap_or(DVec3::Y);
        let nowhere = Separation { distance: 0.0, normal, point_a: DVec3::ZERO, point_b: DVec3::ZERO };
        Self::new(time, &nowhere, ImpactStatus::Unresolved)
    }

    /// The impact of a part of the first shape in the frame of the whole, where the part has the given pose.
    fn seen_from_whole_a(&self, pose: &Transform) -> Self {
        Self {
            normal: pose.vector(self.normal),
            point_a: pose.point(self.point_a),
            point_b: pose.point(self.point_b),
            ..*self
        }
    }

    /// The same with first and second shape exchanged, given the pose of the second in the frame of the first at the time
    /// of the impact.
    fn flipped(&self, b_in_a: &Transform) -> Self {
        Self {
            normal: b_in_a.inverse_vector(-self.normal),
            point_a: b_in_a.inverse_point(self.point_b),
            point_b: b_in_a.inverse_point(self.point_a),
            part_a: self.part_b,
            part_b: self.part_a,
            ..*self
        }
    }
}

/// When the moving shapes first touch, within `options.max_time`; `None` if they do not.
///
/// The time is never later than the first contact, and the shapes are within `options.tolerance` of each other then.
/// See [`ImpactStatus`] for what else may be the case.
///
/// * Shapes that overlap at time zero have their impact at time zero.
/// * Shapes that **touch** at time zero (within the tolerance) and come apart have no impact there, but may have one later.
///   If they get deeper into each other than [`ImpactOptions::resting_depth`] without having come apart, the impact is at
///   time zero. So a box that lies on the floor and slides has no impact with it, nor has a wheel that rolls. If the
///   floor is a surface or a compound, contacts with other parts of it that begin later count by the same rule.
/// * Shapes that are inside a solid mesh or below a height field at time zero overlap with it; the upright sides of a
///   height field are no surface and stop nothing.
/// * Two half-spaces have no impact, nor have motions with numbers that are not finite or beyond 1e60.
///
/// ```
/// use tumble_geometry::{Shape, Transform, glam::DVec3, query::{ImpactOptions, Motion, time_of_impact}};
///
/// let ball = Shape::sphere(0.5)?;
/// let floor = Shape::half_space(DVec3::Y)?;
/// let falling = Motion::translating(Transform::from_translation(DVec3::Y * 3.5), DVec3::Y * -4.0);
/// let resting = Motion::still(Transform::IDENTITY);
/// let impact = time_of_impact(&floor, &resting, &ball, &falling, &ImpactOptions::default()).expect("it falls on the floor");
/// assert!(impact.time <= 0.75 && impact.time > 0.75 - 1e-9);
/// assert_eq!(impact.normal, DVec3::Y);
/// # Ok::<(), tumble_geometry::GeometryError>(())
/// ```
pub fn time_of_impact(
    a: &Shape,
    motion_a: &Motion,
    b: &Shape,
    motion_b: &Motion,
    options: &ImpactOptions,
) -> Option<Impact> {
    if !(motion_a.is_usable() && motion_b.is_usable() && options.max_time >= 0.0) {
        return None;
    }
    let motion = Relative::new(motion_a, motion_b);
    let mut search = Search::new(options, options.max_iterations);
    let found = first_touch(a, b, &motion, &mut search);
    let overlapping = found.is_some_and(|impact| impact.status == ImpactStatus::Overlapping);
    let inside = if overlapping || search.touching_at_start { None } else { inside_at_start(a, b, &motion) };
    let iterations = options.max_iterations - search.budget;
    inside.or(found).map(|impact| Impact { iterations, ..impact })
}

/// The first impact of the surfaces of two shapes, whatever is inside them.
fn first_touch(a: &Shape, b: &Shape, motion: &Relative, search: &mut Search) -> Option<Impact> {
    let first = |search: &mut Search| {
        composite::impact(Solid::Shape(a), Solid::Shape(b), motion, 0.0, search.options.max_time, search)
    };
    let found = first(search);
    if found.is_some_and(|impact| impact.time > 0.0) && search.touching_at_start && made_of_parts(a, b) {
        search.counts = Counts::Deep;
        return first(search);
    }
    found
}

fn made_of_parts(a: &Shape, b: &Shape) -> bool {
    Parts::of(Solid::Shape(a)).is_some() || Parts::of(Solid::Shape(b)).is_some()
}

/// The first impact of two shapes that are not made of parts.
fn simple_impact(a: Solid, b: Solid, motion: &Relative, from: f64, until: f64, search: &mut Search) -> Option<Impact> {
    match (a, b) {
        (Solid::Shape(Shape::HalfSpace(half_space)), b) => {
            let pair = PlanePair::new(half_space, b.convex()?, Reach::new(b, &motion.b), motion);
            first_impact(&pair, from, until, search)
        }
        (a, Solid::Shape(Shape::HalfSpace(_))) => {
            let exchanged = motion.exchanged();
            let impact = simple_impact(b, a, &exchanged, from, until, search)?;
            Some(impact.flipped(&exchanged.b_in_a(impact.time)))
        }
        (a, b) => {
            let (a, b) = (Side::new(a, &motion.a)?, Side::new(b, &motion.b)?);
            first_impact(&ConvexPair::new(&a, &b, motion), from, until, search)
        }
    }
}

/// One shape within the other at time zero, where their surfaces do not touch.
fn inside_at_start(a: &Shape, b: &Shape, motion: &Relative) -> Option<Impact> {
    let pose = motion.b_in_a(0.0);
    if !(has_hidden_inside(a) || has_hidden_inside(b)) || !super::intersects(a, b, &pose) {
        return None;
    }
    let out = super::penetration(a, b, &pose);
    let normal = out.map_or(pose.translation.try_normalize().unwrap_or(DVec3::Y), |out| out.normal);
    let (point_a, point_b) = out.map_or((pose.translation, pose.translation), |out| (out.point_a, out.point_b));
    let inside = Separation { distance: 0.0, normal, point_a, point_b };
    Some(Impact::new(0.0, &inside, ImpactStatus::Overlapping))
}

/// Whether a shape has an inside that none of its parts fills.
fn has_hidden_inside(shape: &Shape) -> bool {
    match shape {
        Shape::Mesh(mesh) => mesh.is_solid(),
        Shape::HeightField(_) => true,
        Shape::Compound(compound) => compound.parts().iter().any(|(_, part)| has_hidden_inside(part)),
        _ => false,
    }
}
