//! How the gap under a rim bends within a step.
//!
//! A disc that wobbles on its rim (Euler's disc) touches the ground with one point after the other. The row of a contact point
//! holds the point of the rim that is lowest now; the next one gets below the ground before it is anybody's contact. With the
//! tilt s = sin θ of the rim and a turn of its axis by u h sideways within a step, that is `½ R (u h)²/s`: a tenth of the
//! radius at 1/60 s, and the push that removes it comes late.
//!
//! The gap of a rim above a plane is known in closed form, whichever point is lowest,
//!
//! ```text
//! g = n·(c − p) − R √(1 − (n·a)²)      c centre, a axis, R radius; n, p normal and point of the plane
//! ```
//!
//! so what the row lacks is what g does within the step beyond its linear part: g(h) − g(0) − h ġ, with the bodies moved at
//! their present velocities. It enters the row like the term J̇ẋ of a joint. Where the lowest point jumps to another side of the
//! rim (a disc that slaps down), other points of the manifold have that side.

use super::contact::{PairState, PointState};
use crate::constraint::BodyView;
use crate::constraint::contact::point_jacobian;
use crate::{Id, Model, State};
use glam::DVec3;
use tumble_geometry::math::rotation_from_vector;
use tumble_geometry::primitive::TriangleFeature;
use tumble_geometry::query::{Feature, FeatureGeometry};

/// The lowest point of a rim stays the same one, more or less, while its direction keeps this cosine with itself.
const SAME_SIDE: f64 = 0.5;

/// A circle above a plane, in world coordinates.
struct Rim {
    center: DVec3,
    axis: DVec3,
    radius: f64,
    normal: DVec3,
    /// A point of the plane.
    plane: DVec3,
}

impl Rim {
    /// The direction to the lowest point, and how far that is above the plane. None if the rim is level.
    fn lowest(&self) -> Option<(DVec3, f64)> {
        let cos = self.normal.dot(self.axis);
        let down = (self.axis * cos - self.normal).try_normalize()?;
        let height = self.normal.dot(self.center - self.plane) - self.radius * (1.0 - cos * cos).max(0.0).sqrt();
        Some((down, height))
    }

    /// The same with the bodies of the rim and of the plane moved on for `dt`.
    fn moved(&self, rim: &BodyView, plane: &BodyView, dt: f64) -> Self {
        let turns = [rim, plane].map(|body| rotation_from_vector(body.angular_velocity * dt));
        Self {
            center: rim.center + rim.velocity * dt + turns[0] * (self.center - rim.center),
            axis: turns[0] * self.axis,
            radius: self.radius,
            normal: turns[1] * self.normal,
            plane: plane.center + plane.velocity * dt + turns[1] * (self.plane - plane.center),
        }
    }
}

/// The second derivative of the gap of a contact point, as a mean over the step of `dt` seconds, in m/s²: that of a rim on
/// something flat. Zero for all others.
pub(super) fn bend(
    (model, state): (&Model, &State),
    contact: &PairState,
    point: &PointState,
    bodies: &[BodyView; 2],
    dt: f64,
) -> f64 {
    let Some(side) = (0..2).find(|&side| is_rim(point.features[side]) && is_flat(point.features[1 - side])) else {
        return 0.0;
    };
    let bent = || {
        let collider = model.colliders().get(contact.colliders[side])?;
        let part = if side == 0 { point.key.0 } else { point.key.1 };
        let circle = point.features[side].geometry(&collider.shape, part, DVec3::ZERO)?;
        let place = state.bodies[collider.body.slot()].center_pose() * collider.center_pose;
        let FeatureGeometry::Circle { center, axis, radius, .. } = circle.moved(&place) else { return None };
        let geometry = &point.geometry;
        let normal = if side == 1 { geometry.normal } else { -geometry.normal };
        let rim = Rim { center, axis, radius, normal, plane: geometry.position - normal * (0.5 * geometry.gap) };
        let (down, now) = rim.lowest()?;
        let (down_then, then) = rim.moved(&bodies[side], &bodies[1 - side], dt).lowest()?;
        let jacobian = point_jacobian(bodies, geometry.position, geometry.normal);
        let rate = jacobian.dot(bodies.map(|body| body.velocity), bodies.map(|body| body.angular_velocity));
        let bend = 2.0 * (then - now - dt * rate) / (dt * dt);
        (down.dot(down_then) > SAME_SIDE && bend.is_finite()).then_some(bend)
    };
    bent().unwrap_or(0.0)
}

fn is_rim(feature: Feature) -> bool {
    matches!(feature, Feature::Rim(_))
}

fn is_flat(feature: Feature) -> bool {
    matches!(
        feature,
        Feature::Plane | Feature::Face(_) | Feature::Cap(_) | Feature::Triangle { part: TriangleFeature::Face, .. }
    )
}
