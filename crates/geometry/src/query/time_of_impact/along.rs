//! The first contact of bodies on any paths, piece by piece.
//!
//! For a short while a path is nearly a motion with constant velocities: the one that has its pose and velocities in the middle of
//! that while. At a time s from there, the centre is off by at most `½ A s²` and the rotation by an angle ψ with
//! `ψ′ ≤ α s + Ω ψ`, where A, α and Ω bound the accelerations and the angular speed; hence
//!
//! ```text
//! |error of a point at distance ρ from the centre| ≤ ½ A s² + ρ ½ α s² e^(Ω s)
//! ```
//!
//! If only speeds are bounded, a body at rest takes its place, with an error of `S s + ρ Ω s`: plain conservative advancement.
//!
//! As long as the constant motions keep the shapes farther apart than δ, the sum of both errors, the bodies on their paths do not
//! touch. So the search for constant motions is asked when the distance falls to 2δ; from there it goes on with a shorter
//! while. With the distance d and the speed of approach v the next while is 2d/v, so δ falls like d²: Newton's method
//! again, each step of it certain.

use super::parts::Parts;
use super::reach::{Reach, Solid};
use super::relative::{Relative, Turning};
use super::{Impact, ImpactOptions, ImpactStatus, Search, first_touch, time_of_impact};
use crate::query::{Motion, Path, distance};
use crate::{Shape, Transform};
use glam::DVec3;

/// Gaps below this, relative to the size of the shapes, are contact.
const RELATIVE_TOLERANCE: f64 = 4e-12;

/// How deep, relative to their size, shapes that touch from the beginning must come before it is an impact.
const RELATIVE_RESTING_DEPTH: f64 = 1e-6;

/// When shapes on any paths first touch, within `options.max_time` (a finite time); `None` if they do not.
///
/// The rules are those of [`time_of_impact`](super::time_of_impact), for every pair of shapes: the time is never later than the
/// first contact, and the shapes are then within `options.tolerance` of each other (4e-12 of their size at least). Shapes
/// that touch at time zero count as apart once they are a quarter of `options.resting_depth` apart; if they get deeper
/// instead, the impact is at time zero and its points are where that is seen. Only the time is exact: points and normal are
/// those of the straight piece of the path that was looked at last; ask for the distance at that time where they matter.
///
/// ```
/// use tumble_geometry::query::{Ballistic, ImpactOptions, Motion, time_of_impact_along};
/// use tumble_geometry::{Shape, Transform, glam::DVec3};
///
/// let ball = Shape::sphere(0.5)?;
/// let floor = Shape::half_space(DVec3::Y)?;
/// // Thrown upwards at 3 m/s from 2 m above the floor.
/// let launch = Motion::translating(Transform::from_translation(DVec3::Y * 2.5), DVec3::new(1.0, 3.0, 0.0));
/// let flight = Ballistic { launch, acceleration: DVec3::Y * -10.0 };
/// let resting = Motion::still(Transform::IDENTITY);
/// let impact = time_of_impact_along(&floor, &resting, &ball, &flight, &ImpactOptions::default()).expect("it comes down");
/// // 2 + 3 t − 5 t² = 0
/// assert!((impact.time - 1.0).abs() < 1e-9 && impact.time <= 1.0);
/// # Ok::<(), tumble_geometry::GeometryError>(())
/// ```
pub fn time_of_impact_along(
    a: &Shape,
    path_a: &dyn Path,
    b: &Shape,
    path_b: &dyn Path,
    options: &ImpactOptions,
) -> Option<Impact> {
    let (a, b) = (Traveller::new(a, path_a), Traveller::new(b, path_b));
    let is_possible = options.max_time >= 0.0 && options.max_time.is_finite() && a.reach.min(b.reach).is_finite();
    if !is_possible {
        return None;
    }
    let size = [&a, &b].iter().map(|body| body.size()).sum();
    let mut pursuit = Pursuit { a, b, options, size, budget: options.max_iterations };
    let impact = pursuit.first_impact()?;
    Some(Impact { iterations: options.max_iterations - pursuit.budget, ..impact })
}

/// A shape on its path.
struct Traveller<'a> {
    shape: &'a Shape,
    path: &'a dyn Path,
    /// No point of it is farther from the centre of the path; infinite for a half-space.
    reach: f64,
}

impl<'a> Traveller<'a> {
    fn new(shape: &'a Shape, path: &'a dyn Path) -> Self {
        Self { shape, path, reach: reach(shape, path.center()) }
    }

    /// How large the numbers are that positions relative to the centre are computed with.
    fn size(&self) -> f64 {
        self.path.center().length() + if self.reach.is_finite() { self.reach } else { 0.0 }
    }

    /// A motion with constant velocities for the time from `from` to `to`, and how far any point up to `lever` from the centre
    /// is from it during that time.
    fn constant(&self, from: f64, to: f64, lever: f64) -> (Motion, f64) {
        let (middle, s) = (0.5 * (from + to), 0.5 * (to - from));
        let bounds = self.path.bounds(from, to);
        let (pose, center) = (self.path.pose(middle), self.path.center());
        // Without turning there is no error from it, however large the shape.
        let turned = |angle: f64| if angle == 0.0 { 0.0 } else { angle * lever };
        let still = Motion { center, ..Motion::still(pose) };
        let resting = bounds.speed * s + turned(bounds.angular_speed * s);
        let Some([linear, angular]) = self.path.velocity(middle) else { return (still, resting) };
        let grown = 0.5 * bounds.angular_acceleration * s * s;
        let angle = if grown == 0.0 { 0.0 } else { grown * libm::exp(bounds.angular_speed * s) };
        let moving = 0.5 * bounds.acceleration * s * s + turned(angle);
        if moving <= resting {
            let through_middle = Motion { start: pose, center, linear, angular };
            (Motion { start: through_middle.at(-s), ..through_middle }, moving)
        } else {
            (still, resting)
        }
    }
}

/// How far a shape reaches from a point in its frame.
fn reach(shape: &Shape, center: DVec3) -> f64 {
    match shape {
        Shape::HalfSpace(_) => f64::INFINITY,
        Shape::Compound(compound) => {
            let of_part = |(pose, part): &(Transform, Shape)| reach(part, pose.inverse_point(center));
            compound.parts().iter().map(of_part).fold(0.0, f64::max)
        }
        _ => match Parts::of(Solid::Shape(shape)) {
            Some(surface) => Reach::of_box(&surface.aabb(), &Turning::still(center)).from_center,
            None => {
                let sphere = shape.bounding_sphere();
                sphere.center.distance(center) + sphere.radius
            }
        },
    }
}

/// Both bodies for a while.
struct Piece {
    end: f64,
    a: Motion,
    b: Motion,
    /// How far the gap between the bodies on their paths differs from that of the constant motions, at most: δ.
    error: f64,
}

/// The search.
struct Pursuit<'a> {
    a: Traveller<'a>,
    b: Traveller<'a>,
    options: &'a ImpactOptions,
    size: f64,
    budget: usize,
}

impl Pursuit<'_> {
    fn first_impact(&mut self) -> Option<Impact> {
        let end = self.options.max_time;
        let (mut gap, mut tolerance) = self.look(0.0)?;
        let resting_depth = self.options.resting_depth.max(RELATIVE_RESTING_DEPTH * self.size).max(16.0 * tolerance);
        if gap <= tolerance
            && let Some(overlap) = self.overlap(tolerance)
        {
            return Some(overlap);
        }
        let (mut time, mut step) = (0.0, end);
        // Since when the shapes have been touching.
        let mut touching = (gap <= tolerance).then_some(0.0);
        while time < end {
            let error = if touching.is_some() { resting_depth / 16.0 } else { gap / 8.0 };
            let piece = if self.budget > 0 { self.piece(time, (time + step).min(end), error) } else { None };
            let Some(piece) = piece else { return Some(self.unresolved(time)) };
            self.budget -= 1;
            step = 2.0 * (piece.end - time);
            let options = match touching {
                Some(_) => ImpactOptions { tolerance: resting_depth / 4.0, resting_depth, ..*self.options },
                None => ImpactOptions { tolerance: (2.0 * piece.error).max(tolerance / 4.0), ..*self.options },
            };
            let found = self.impact(&piece, piece.end - time, &options);
            let (before, gap_before) = (time, gap);
            time = found.map_or(piece.end, |impact| time + impact.time);
            (gap, tolerance) = self.look(time)?;
            let Some(found) = found else {
                let apart = touching.map_or(tolerance, |_| resting_depth / 4.0);
                // What touches without an impact has come in through the side of a height field.
                touching = if gap > apart { None } else { touching.or(Some(time)) };
                continue;
            };
            if found.status == ImpactStatus::Unresolved {
                return Some(Impact { time, ..found });
            }
            if let Some(since) = touching.take()
                && found.time == 0.0
            {
                let status = if since == 0.0 { ImpactStatus::Touching } else { ImpactStatus::Hit };
                return Some(Impact { time: since, status, ..found });
            }
            if gap <= tolerance {
                return Some(Impact { time, status: ImpactStatus::Hit, ..found });
            }
            if time <= before {
                return Some(self.unresolved(time));
            }
            let approach = (gap_before - gap) / (time - before);
            step = if approach > 0.0 { 2.0 * gap / approach } else { step };
        }
        None
    }

    /// The distance at some time, and below what it counts as contact. `None` if the pose cannot be computed with.
    fn look(&self, time: f64) -> Option<(f64, f64)> {
        let (a, b) = (self.a.path.pose(time), self.b.path.pose(time));
        let gap = distance(self.a.shape, self.b.shape, &a.to_local(&b)).distance;
        let coordinates = a.translation.length() + b.translation.length() + 2.0 * self.size;
        let rounding = 64.0 * f64::EPSILON * coordinates;
        let tolerance = self.options.tolerance.max(RELATIVE_TOLERANCE * self.size).max(rounding);
        (a.is_valid() && b.is_valid() && gap.is_finite() && tolerance.is_finite()).then_some((gap, tolerance))
    }

    /// The overlap at time zero, if there is one deeper than the tolerance.
    fn overlap(&self, tolerance: f64) -> Option<Impact> {
        let [a, b] = [&self.a, &self.b].map(|body| Motion::still(body.path.pose(0.0)));
        let options = ImpactOptions { max_time: 0.0, tolerance, ..*self.options };
        let found = time_of_impact(self.a.shape, &a, self.b.shape, &b, &options);
        found.filter(|impact| impact.status == ImpactStatus::Overlapping)
    }

    /// The longest piece from `from`, at most to `to`, with an error up to the one given.
    fn piece(&self, from: f64, to: f64, error: f64) -> Option<Piece> {
        let mut end = to;
        loop {
            if end <= from {
                return None;
            }
            let apart = {
                let [a, b] = [&self.a, &self.b].map(|body| body.path.pose(from).point(body.path.center()));
                let [a_bounds, b_bounds] = [&self.a, &self.b].map(|body| body.path.bounds(from, end));
                a.distance(b) + (a_bounds.speed + b_bounds.speed) * (end - from)
            };
            // Of an endless shape only what is near the other one matters.
            let (a, error_a) = self.a.constant(from, end, self.a.reach.min(apart + self.b.reach));
            let (b, error_b) = self.b.constant(from, end, self.b.reach.min(apart + self.a.reach));
            let found = error_a + error_b;
            if found <= error {
                return Some(Piece { end, a, b, error: found });
            }
            if found.is_nan() {
                return None;
            }
            // The error grows with the first or second power of the duration.
            let shorter = (0.9 * (error / found).sqrt()).clamp(0.01, 0.7);
            end = from + shorter * (end - from);
        }
    }

    /// The first impact of the constant motions, counted from the beginning of the piece.
    fn impact(&mut self, piece: &Piece, duration: f64, options: &ImpactOptions) -> Option<Impact> {
        if !(piece.a.is_usable() && piece.b.is_usable()) {
            return Some(self.unresolved(0.0));
        }
        let options = ImpactOptions { max_time: duration, ..*options };
        let mut search = Search { options: &options, budget: self.budget, touching_at_start: false, only_deep: false };
        let motion = Relative::new(&piece.a, &piece.b);
        let found = first_touch(self.a.shape, self.b.shape, &motion, &mut search);
        self.budget = search.budget;
        found
    }

    fn unresolved(&self, time: f64) -> Impact {
        let [a, b] = [&self.a, &self.b].map(|body| body.path.pose(time));
        Impact::unresolved(time, a.to_local(&b).translation)
    }
}
