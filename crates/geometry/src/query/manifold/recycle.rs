//! Using manifolds again while the pair has hardly moved.
//!
//! Bodies at rest tremble by micrometres. As long as no point of B has moved in the frame of A by more than δ, a small share of
//! the shapes' size, since the manifold was found, its points are kept and carried along. A corner on a face is carried exactly, wherever
//! it goes: the corner moves with its shape, the face and the normal with theirs. So is what is round on a face: its centre of
//! curvature moves, not the point that touched. Where edges cross, with displacement δ and turn θ ≤ δ/reach, the depth is off by
//! δθ, to second order only. What a large δ costs is that contacts of other features, or over the border of a face, are noticed
//! late, by δ at most.
//!
//! The displacement counts from the pose at which the points were found, so it does not add up.
//!
//! **Prediction.** Up to which gap points are wanted follows the speeds of the bodies and differs from call to call. So points
//! are looked for up to more than is asked: what is found serves predictions up to p + ¼ max(p, δ), and reaches δ beyond
//! that, so that no point within the prediction is missing when the bodies have come nearer. What lies beyond the
//! prediction that is asked for is left out. Four points were perhaps chosen among more; if some of four have to be left out,
//! others may be missing, and the manifold is of no use. Nor is it if nothing is left at all. A pair that goes farther from call to call
//! than its points are good for has just what it asks for: more would be looked for in vain.

use super::ManifoldOptions;
use super::name::is_of_second_face;
use crate::query::{ContactPoint, Feature, Manifold};
use crate::{Shape, Transform};
use glam::DVec3;

/// The prediction that manifolds are made to serve exceeds the one asked for by this share of it or of δ.
const RESERVE: f64 = 0.25;

/// What has moved by this many times as far as manifolds are good for is in haste.
const HASTE: f64 = 2.0;

/// How far two shapes reach from their origins, in metres; infinite for one without end.
#[derive(Clone, Copy, Debug)]
pub(in crate::query) struct Reaches {
    pub(in crate::query) a: f64,
    pub(in crate::query) b: f64,
}

impl Reaches {
    /// δ: how far a point may have moved.
    fn allowed(&self, options: &ManifoldOptions) -> f64 {
        options.recycling * self.a.min(self.b)
    }
}

/// Where manifolds were found, and how far the pair may be from there for them to be good.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(in crate::query) struct Known {
    pose: Transform,
    /// The greatest prediction that is served.
    prediction: f64,
    /// The square of the shift, and of the sine of half the turn, up to which the manifolds are good.
    shift: f64,
    turn: f64,
}

impl Known {
    /// What is found with the second of these at `pose` can be used again; `None` where that is not wanted.
    #[inline]
    pub(in crate::query) fn new(
        reaches: Reaches,
        pose: &Transform,
        options: &ManifoldOptions,
    ) -> Option<(Self, ManifoldOptions)> {
        let allowed = reaches.allowed(options);
        if !(allowed > 0.0 && allowed.is_finite() && options.prediction.is_finite()) {
            return None;
        }
        let prediction = options.prediction + RESERVE * options.prediction.max(allowed);
        let found_up_to = ManifoldOptions { prediction: prediction + allowed, ..*options };
        Some((Self::serving(prediction, reaches, pose, options), found_up_to))
    }

    /// For manifolds that were found with just the prediction that was asked for: so they serve smaller ones.
    #[inline]
    pub(in crate::query) fn exactly(reaches: Reaches, pose: &Transform, options: &ManifoldOptions) -> Self {
        Self::serving(options.prediction - reaches.allowed(options), reaches, pose, options)
    }

    fn serving(prediction: f64, reaches: Reaches, pose: &Transform, options: &ManifoldOptions) -> Self {
        // Half of what is allowed for the shift, half for the turn: |Δt| + reach · 2 sin(θ/2) ≤ δ.
        let shift = 0.5 * reaches.allowed(options);
        let turn = 0.5 * shift / reaches.b;
        Self { pose: *pose, prediction, shift: shift * shift, turn: turn * turn }
    }

    /// Whether the pair has gone so far since then that it is not worth while to look for more than is asked for: next time it will have
    /// gone as far again.
    #[inline]
    pub(in crate::query) fn is_far_behind(&self, pose: &Transform) -> bool {
        let shift = (pose.translation - self.pose.translation).length_squared();
        let turn = (pose.rotation * self.pose.rotation.conjugate()).xyz().length_squared();
        shift > HASTE * HASTE * self.shift || turn > HASTE * HASTE * self.turn
    }

    /// How to carry the points to a new pose, if it is near enough and the prediction is served.
    #[inline]
    pub(in crate::query) fn moved(&self, pose: &Transform, options: &ManifoldOptions) -> Option<Moved> {
        let shift = (pose.translation - self.pose.translation).length_squared();
        let turn = pose.rotation * self.pose.rotation.conjugate();
        let axis = DVec3::new(turn.x, turn.y, turn.z);
        let is_near = shift <= self.shift && axis.length_squared() <= self.turn;
        let is_served = options.prediction <= self.prediction;
        (is_near && is_served).then_some(Moved { from: self.pose.translation, to: pose.translation, axis, w: turn.w })
    }
}

/// A small displacement of the second shape.
#[derive(Clone, Copy, Debug)]
pub(in crate::query) struct Moved {
    /// Its origin before and after.
    from: DVec3,
    to: DVec3,
    /// The turn, as a quaternion (v, w).
    axis: DVec3,
    w: f64,
}

/// What it takes to carry the points of a pair of shapes along.
#[derive(Clone, Copy, Debug)]
pub(in crate::query) struct Carriage {
    /// The radii of what is round of the two shapes.
    radii: [f64; 2],
    /// Whether the normal turns with the second shape, a face of which it is perpendicular to. Otherwise it stays with the first.
    pub(in crate::query) normal_turns: bool,
}

impl Carriage {
    /// For these shapes, with the normal that of the first.
    #[inline]
    pub(in crate::query) fn new(a: &Shape, b: &Shape) -> Self {
        let radius = |shape: &Shape| match shape {
            Shape::Sphere(sphere) => sphere.radius(),
            Shape::Capsule(capsule) => capsule.radius(),
            Shape::Cylinder(cylinder) => cylinder.radius(),
            _ => 0.0,
        };
        Self { radii: [radius(a), radius(b)], normal_turns: false }
    }

    /// How far the centre of curvature of a feature lies behind the surface.
    #[inline]
    fn radius(&self, side: usize, feature: Feature) -> f64 {
        match feature {
            Feature::Ball | Feature::End(_) | Feature::Segment | Feature::Side => self.radii[side],
            _ => 0.0,
        }
    }
}

/// Which shape a contact point goes with.
#[derive(Clone, Copy, PartialEq)]
enum Anchor {
    /// A corner of the first, on a face of the second.
    First,
    /// A corner of the second, or what is round of it, on a face of the first.
    Second,
    /// Half-way.
    Both,
}

impl Anchor {
    #[inline]
    fn of(features: [Feature; 2]) -> Self {
        match features.map(Feature::is_flat) {
            [true, false] => Self::Second,
            [false, true] => Self::First,
            _ => Self::Both,
        }
    }
}

impl Moved {
    #[inline]
    fn turned(&self, x: DVec3) -> DVec3 {
        // x + 2w (v × x) + 2 v × (v × x) for the unit quaternion (v, w).
        let vx = self.axis.cross(x) * 2.0;
        x + vx * self.w + self.axis.cross(vx)
    }

    /// Carries the points of a manifold along, in place. The centres of curvature are what moves with the shapes.
    #[inline]
    pub(in crate::query) fn carry(&self, manifold: &mut Manifold, carriage: Carriage) {
        let before = manifold.normal;
        let normal = if carriage.normal_turns { self.turned(before) } else { before };
        manifold.normal = normal;
        for point in manifold.points_mut() {
            let half = before * (0.5 * point.depth);
            let [radius_a, radius_b] = [0, 1].map(|side| carriage.radius(side, point.features[side]));
            let center_a = point.position + half - before * radius_a;
            let center_b = point.position - half + before * radius_b;
            let center_b = self.turned(center_b - self.from) + self.to;
            let (on_a, on_b) = (center_a + normal * radius_a, center_b - normal * radius_b);
            point.depth = normal.dot(on_a - on_b);
            point.position = match Anchor::of(point.features) {
                Anchor::First => on_a - normal * (0.5 * point.depth),
                Anchor::Second => on_b + normal * (0.5 * point.depth),
                Anchor::Both => 0.5 * (on_a + on_b),
            };
        }
    }
}

/// Leaves the points of a manifold within the prediction, perhaps none; `false` if others may be missing. The deepest of all points
/// is always among those chosen.
#[inline]
pub(in crate::query) fn keep_within(manifold: &mut Manifold, prediction: f64) -> bool {
    let is_wanted = |point: &ContactPoint| point.depth >= -prediction;
    let wanted = manifold.points().iter().filter(|point| is_wanted(point)).count();
    if wanted == manifold.points().len() {
        return true;
    }
    let complete = wanted == 0 || manifold.points().len() < Manifold::MAX_POINTS;
    manifold.retain(is_wanted);
    complete
}

/// A manifold of two convex shapes, and where it was found.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Recycled {
    pub(super) known: Known,
    pub(super) manifold: Manifold,
}

impl Recycled {
    /// Appends the manifold at a new pose if it is near enough; `false` if it is of no use.
    #[inline]
    pub(super) fn append(
        &self,
        shapes: [&Shape; 2],
        pose: &Transform,
        options: &ManifoldOptions,
        manifolds: &mut Vec<Manifold>,
    ) -> bool {
        let Some(moved) = self.known.moved(pose, options) else { return false };
        let normal_turns = self.manifold.points().iter().any(|point| is_of_second_face(point.feature));
        let carriage = Carriage { normal_turns, ..Carriage::new(shapes[0], shapes[1]) };
        manifolds.push(self.manifold);
        let Some(manifold) = manifolds.last_mut() else { return false };
        moved.carry(manifold, carriage);
        let is_good = keep_within(manifold, options.prediction) && !manifold.points().is_empty();
        if !is_good {
            manifolds.pop();
        }
        is_good
    }
}

/// How far the shapes of a convex pair reach. `None` for pairs that are quicker done anew (spheres, half-spaces) or whose
/// reach is not known.
#[inline]
pub(super) fn convex_reaches(a: &Shape, b: &Shape) -> Option<Reaches> {
    Some(Reaches { a: convex_reach(a)?, b: convex_reach(b)? })
}

fn convex_reach(shape: &Shape) -> Option<f64> {
    let diagonal = |h: f64, r: f64| (h * h + r * r).sqrt();
    match shape {
        Shape::Cuboid(cuboid) => Some(cuboid.half_extents().length()),
        Shape::Capsule(c) => Some(c.half_height() + c.radius()),
        Shape::Cylinder(c) => Some(diagonal(c.half_height(), c.radius())),
        Shape::Cone(c) => Some(diagonal(c.half_height(), c.radius())),
        Shape::Hull(hull) => Some(hull.center().length() + hull.bounding_radius()),
        Shape::Sphere(_) | Shape::Ellipsoid(_) | Shape::Custom(_) | Shape::HalfSpace(_) => None,
        Shape::Mesh(_) | Shape::HeightField(_) | Shape::Torus(_) | Shape::Compound(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{PairCache, convex_manifold};
    use super::*;
    use crate::math::rotation_from_vector;

    /// Calls with a prediction that differs every time. Answers with how many were served from memory, after checking each
    /// against an answer from scratch: the same ids, depths to within what the shift allows.
    fn hits(poses: impl Iterator<Item = Transform>) -> usize {
        let a = Shape::cuboid([2.0, 0.5, 2.0]).unwrap();
        let b = Shape::cuboid([0.5, 0.5, 0.5]).unwrap();
        let mut random = fastrand::Rng::with_seed(4);
        let (mut cache, mut hits) = (PairCache::default(), 0);
        for pose in poses {
            let options = ManifoldOptions { prediction: 2e-3 * random.f64(), ..ManifoldOptions::default() };
            let (mut warm, mut cold) = (Vec::new(), Vec::new());
            convex_manifold(&a, &b, &pose, &options, &mut cache, &mut warm);
            let exact = ManifoldOptions { recycling: 0.0, ..options };
            convex_manifold(&a, &b, &pose, &exact, &mut PairCache::default(), &mut cold);
            hits += usize::from(cache.recycled.is_some_and(|recycled| recycled.known.pose != pose));
            let depth_of = |found: &[Manifold], id| {
                let point = found.iter().flat_map(Manifold::points).find(|point| point.feature == id);
                point.map(|point| point.depth)
            };
            for (some, others) in [(&warm, &cold), (&cold, &warm)] {
                for point in some.iter().flat_map(Manifold::points) {
                    // At the very edge of the prediction either answer is right.
                    let error = depth_of(others, point.feature).map_or(f64::INFINITY, |depth| depth - point.depth);
                    let at_the_edge = point.depth < -options.prediction + 1e-6;
                    assert!(error.abs() < 1e-6 || at_the_edge, "{pose:?}: {warm:?} {cold:?}");
                }
            }
        }
        hits
    }

    #[test]
    fn a_box_at_rest_is_served_from_memory_whatever_the_prediction() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut tremble = move || DVec3::new(random.f64(), random.f64(), random.f64()) * 1e-6;
        let found = hits((0..1000).map(|_| Transform::new(rotation_from_vector(tremble()), DVec3::Y + tremble())));
        assert!(found >= 990, "{found} of 1000");
    }

    #[test]
    fn a_box_that_creeps_is_served_from_memory_most_of_the_time() {
        // 6 mm/s at 60 steps a second; half of δ is 0.43 mm.
        let found = hits((0..1000).map(|i| Transform::from_translation(DVec3::new(1e-4 * f64::from(i), 0.9999, 0.0))));
        assert!(found >= 700, "{found} of 1000");
    }

    /// Its far edge leaves the prediction and comes back: no point within it is ever missing, none beyond it reported.
    #[test]
    fn a_rocking_box_has_the_points_that_are_within_the_prediction() {
        let found = hits((0..2000).map(|i| {
            let tilt = 2e-3 * libm::sin(0.002 * f64::from(i));
            let corner = DVec3::new(-0.5, -0.5, 0.0);
            let rotation = rotation_from_vector(DVec3::Z * tilt);
            Transform::new(rotation, DVec3::new(-0.5, 0.5, 0.0) - rotation * corner)
        }));
        assert!(found > 0, "{found} of 2000");
    }
}
