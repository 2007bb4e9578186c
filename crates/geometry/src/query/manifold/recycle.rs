//! Using a manifold again while the pair has hardly moved.
//!
//! Bodies at rest tremble by micrometres. As long as no point of B has moved in the frame of A by more than a small share of the
//! shapes' size since the manifold was found, its points are kept: each is carried along with B and its depth measured
//! anew along the same normal. With displacement δ and turn θ ≤ δ/reach the depth is off by δθ, to second order only;
//! points that would newly have come within the prediction appear at most δ late.
//!
//! The displacement counts from the pose at which the points were found, so it does not add up.

use super::ManifoldOptions;
use crate::query::Manifold;
use crate::{Shape, Transform};
use glam::DVec3;

/// A manifold, where it was found, and how far the pair may be from there.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Recycled {
    manifold: Manifold,
    pose: Transform,
    prediction: f64,
    /// The square of the shift, and of the sine of half the turn, up to which the manifold is good.
    shift: f64,
    turn: f64,
}

impl Recycled {
    /// Remembers a manifold. `None` for pairs that are quicker done anew.
    #[inline]
    pub(super) fn new(
        a: &Shape,
        b: &Shape,
        pose: &Transform,
        options: &ManifoldOptions,
        manifold: Manifold,
    ) -> Option<Self> {
        let (reach_a, reach_b) = (reach(a)?, reach(b)?);
        // Half of what is allowed for the shift, half for the turn: |Δt| + reach · 2 sin(θ/2) ≤ allowed.
        let shift = 0.5 * options.recycling * reach_a.min(reach_b);
        let turn = 0.5 * shift / reach_b;
        let prediction = options.prediction;
        Some(Self { manifold, pose: *pose, prediction, shift: shift * shift, turn: turn * turn })
    }

    /// The manifold at a new pose, if it is near enough.
    #[inline]
    pub(super) fn at(&self, pose: &Transform, options: &ManifoldOptions) -> Option<Manifold> {
        let shift = (pose.translation - self.pose.translation).length_squared();
        let turn = pose.rotation * self.pose.rotation.conjugate();
        let axis = DVec3::new(turn.x, turn.y, turn.z);
        let is_near = shift <= self.shift && axis.length_squared() <= self.turn;
        if !is_near || options.prediction != self.prediction {
            return None;
        }
        let normal = self.manifold.normal;
        let mut manifold = self.manifold;
        for point in manifold.points_mut() {
            let half = normal * (0.5 * point.depth);
            let (on_a, on_b) = (point.position + half, point.position - half);
            // x + 2w (v × x) + 2 v × (v × x) for the unit quaternion (v, w), about the origin of B.
            let x = on_b - self.pose.translation;
            let vx = axis.cross(x) * 2.0;
            let on_b = x + vx * turn.w + axis.cross(vx) + pose.translation;
            point.depth = normal.dot(on_a - on_b);
            point.position = 0.5 * (on_a + on_b);
            if point.depth < -self.prediction {
                return None;
            }
        }
        Some(manifold)
    }
}

/// How far the shape reaches from its origin. `None` for shapes whose manifolds are not worth remembering (spheres,
/// half-spaces) or whose reach is not known.
fn reach(shape: &Shape) -> Option<f64> {
    let diagonal = |h: f64, r: f64| (h * h + r * r).sqrt();
    match shape {
        Shape::Cuboid(cuboid) => Some(cuboid.half_extents().length()),
        Shape::Capsule(c) => Some(c.half_height() + c.radius()),
        Shape::Cylinder(c) => Some(diagonal(c.half_height(), c.radius())),
        Shape::Cone(c) => Some(diagonal(c.half_height(), c.radius())),
        Shape::Hull(hull) => Some(hull.center().length() + hull.bounding_radius()),
        Shape::Sphere(_) | Shape::Custom(_) | Shape::HalfSpace(_) => None,
        Shape::Mesh(_) | Shape::HeightField(_) | Shape::Compound(_) => None,
    }
}
