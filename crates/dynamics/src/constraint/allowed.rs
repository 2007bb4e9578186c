//! Which relative rotations the limits of a joint allow: a cloud of samples to draw (K B.4.4).
//!
//! The second body is turned about its anchor by every rotation vector `φ a` on a grid in the ball |φ| ≤ π, which holds every
//! rotation once, and the inequalities of the joint are looked at. Rows that hold or drive are left out: what is held to a
//! point in some direction has no region there.

use super::{BodyView, Constraint, JointView, Limit, Row};
use glam::{DQuat, DVec3};
use std::f64::consts::PI;
use tumble_geometry::Transform;
use tumble_geometry::math::rotation_from_vector;

/// A sampled rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RotationSample {
    /// The rotation vector of the second body against the pose it was given in, in the frame of the first, in radians.
    pub rotation: DVec3,
    /// The least value of the limits, in radians or without unit: negative where the rotation is not allowed; infinite if there
    /// are no limits.
    pub room: f64,
}

impl RotationSample {
    /// Whether all limits allow the rotation.
    pub fn is_allowed(&self) -> bool {
        self.room >= 0.0
    }
}

/// Samples which rotations of the second body, from the given poses on, the limits of a joint allow: on a grid of `resolution`
/// points along each axis of the space of rotation vectors, from −π to π, as far as it lies in the ball of radius π. A
/// resolution below 2 gives the unturned pose alone; more than 200 counts as 200.
pub fn allowed_rotations(
    constraint: &dyn Constraint,
    bodies: &[BodyView; 2],
    resolution: usize,
) -> Vec<RotationSample> {
    let resolution = resolution.min(200);
    if resolution < 2 {
        return vec![sample(constraint, bodies, DVec3::ZERO)];
    }
    let at = |index: usize| PI * (2.0 * index as f64 / (resolution - 1) as f64 - 1.0);
    let mut samples = Vec::new();
    for x in 0..resolution {
        for y in 0..resolution {
            for z in 0..resolution {
                let rotation = DVec3::new(at(x), at(y), at(z));
                if rotation.length() <= PI {
                    samples.push(sample(constraint, bodies, rotation));
                }
            }
        }
    }
    samples
}

fn sample(constraint: &dyn Constraint, bodies: &[BodyView; 2], rotation: DVec3) -> RotationSample {
    let turn = rotation_from_vector(bodies[0].pose.rotation * rotation);
    RotationSample { rotation, room: room(&rows_when_turned(constraint, bodies, turn, 0.0)) }
}

/// The rows of a joint whose second body is turned about its anchor by a rotation in world coordinates; `angle` is how far the
/// joint is known to have turned.
pub(super) fn rows_when_turned(
    constraint: &dyn Constraint,
    bodies: &[BodyView; 2],
    turn: DQuat,
    angle: f64,
) -> Vec<Row> {
    let anchor = constraint.anchors(bodies)[1];
    let around = |point: DVec3| anchor + turn * (point - anchor);
    let second = &bodies[1];
    let pose = Transform::new((turn * second.pose.rotation).normalize(), around(second.pose.translation));
    let turned = [bodies[0], BodyView { pose, center: around(second.center), ..*second }];
    let mut rows = Vec::new();
    constraint.rows(&JointView { bodies: turned, angle }, &mut rows);
    rows
}

/// The least value of the limits among some rows; infinite if there are none.
pub(super) fn room(rows: &[Row]) -> f64 {
    let limits = rows.iter().filter(|row| row.limit == Limit::AtLeastZero);
    limits.map(|row| row.error).fold(f64::INFINITY, f64::min)
}
