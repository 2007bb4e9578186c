//! The frame of a joint: where it holds the two bodies and along which axes, as each body sees it.
//!
//! It is given in world terms when the joint is made: an anchor, a main axis x and, where that matters, the direction of y.
//! From then on each body carries its own copy, and what a joint demands is that the copies agree in some respects. The axes
//! of the copy on body k are called xₖ, yₖ, zₖ, and d is the arrow from the first anchor to the second.

use super::{
    Arrow, BodyView, End, JointView, Measure, Row, Softness, check_direction, check_points, continued,
    relative_rotation,
};
use crate::error::ModelError;
use glam::{DMat3, DQuat, DVec3};
use tumble_geometry::math::orthonormal_pair;

/// A frame fixed to both bodies of a joint, each of which carries a copy of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointFrame {
    /// The anchors in the frames of the bodies, in metres.
    pub anchors: [DVec3; 2],
    /// The rotations from the joint's axes to the frames of the bodies.
    pub rotations: [DQuat; 2],
}

impl JointFrame {
    /// At a world point with the main axis x along `axis` and y as close to `y` as that allows.
    pub(super) fn new(
        what: &'static str,
        bodies: &[BodyView; 2],
        anchor: DVec3,
        axis: DVec3,
        y: Option<DVec3>,
    ) -> Result<Self, ModelError> {
        check_points(what, &[anchor])?;
        let x = check_direction(what, axis)?;
        let (u, _) = orthonormal_pair(x);
        let y = match y {
            Some(y) => (y - x * y.dot(x)).try_normalize().ok_or_else(|| ModelError::OutOfRange {
                what,
                value: format!("{axis} and {y}"),
                allowed: "two directions that are not parallel",
            })?,
            None => u,
        };
        Ok(Self::from_axes(bodies, anchor, DMat3::from_cols(x, y, x.cross(y))))
    }

    /// At a world point with the axes of the world.
    pub(super) fn aligned(what: &'static str, bodies: &[BodyView; 2], anchor: DVec3) -> Result<Self, ModelError> {
        check_points(what, &[anchor])?;
        Ok(Self::from_axes(bodies, anchor, DMat3::IDENTITY))
    }

    fn from_axes(bodies: &[BodyView; 2], anchor: DVec3, axes: DMat3) -> Self {
        let world = DQuat::from_mat3(&axes).normalize();
        Self {
            anchors: bodies.map(|body| body.pose.inverse_point(anchor)),
            rotations: bodies.map(|body| (body.pose.rotation.conjugate() * world).normalize()),
        }
    }

    /// Each body with an anchor and a main axis of its own.
    pub(super) fn separate(
        what: &'static str,
        bodies: &[BodyView; 2],
        anchors: [DVec3; 2],
        axes: [DVec3; 2],
    ) -> Result<Self, ModelError> {
        let first = Self::new(what, bodies, anchors[0], axes[0], None)?;
        let second = Self::new(what, bodies, anchors[1], axes[1], None)?;
        Ok(Self {
            anchors: [first.anchors[0], second.anchors[1]],
            rotations: [first.rotations[0], second.rotations[1]],
        })
    }

    /// The first body's copy turned so that its main axis x₁, now along the second's, points along `center` (world
    /// coordinates), the shortest way.
    pub(super) fn centered(
        mut self,
        what: &'static str,
        bodies: &[BodyView; 2],
        center: Option<DVec3>,
    ) -> Result<Self, ModelError> {
        if let Some(center) = center {
            let center = check_direction(what, center)?;
            let axis = self.second(bodies)[0].value;
            let tilt = bodies[0].pose.rotation.conjugate() * DQuat::from_rotation_arc(axis, center);
            self.rotations[0] = (tilt * bodies[0].pose.rotation * self.rotations[0]).normalize();
        }
        Ok(self)
    }

    /// Where the anchors are, in world coordinates.
    pub(super) fn anchors(&self, bodies: &[BodyView; 2]) -> [DVec3; 2] {
        [bodies[0].pose.point(self.anchors[0]), bodies[1].pose.point(self.anchors[1])]
    }

    /// d: from the first anchor to the second.
    pub(super) fn offset(&self, bodies: &[BodyView; 2]) -> Arrow {
        Arrow::between(bodies, self.anchors)
    }

    /// From the point at `place`, in the joint's axes, of the first body's copy to that of the second's.
    pub(super) fn offset_at(&self, bodies: &[BodyView; 2], place: DVec3) -> Arrow {
        Arrow::between(bodies, [0, 1].map(|k| self.anchors[k] + self.rotations[k] * place))
    }

    /// The axes x₁, y₁, z₁ of the first body's copy.
    pub(super) fn first(&self, bodies: &[BodyView; 2]) -> [Arrow; 3] {
        DVec3::AXES.map(|axis| Arrow::axis(bodies, End::First, self.rotations[0] * axis))
    }

    /// The axes x₂, y₂, z₂ of the second body's copy.
    pub(super) fn second(&self, bodies: &[BodyView; 2]) -> [Arrow; 3] {
        DVec3::AXES.map(|axis| Arrow::axis(bodies, End::Second, self.rotations[1] * axis))
    }

    /// Twice the imaginary part of the quaternion q from the first copy to the second: for small angles the rotation vector
    /// itself. It changes continuously whichever way the bodies turn. Of the two signs of q it takes either, which makes no
    /// difference to the condition that a part of it is zero.
    pub(super) fn rotation(&self, bodies: &[BodyView; 2]) -> [Measure; 3] {
        let [x, y, z, _] = relative_rotation(bodies, self.rotations);
        [x * 2.0, y * 2.0, z * 2.0]
    }

    /// The same, and twice the real part, with the sign that makes the rotation less than a half turn: for limits, which
    /// are on one side of zero.
    pub(super) fn short_rotation(&self, bodies: &[BodyView; 2]) -> [Measure; 4] {
        let q = relative_rotation(bodies, self.rotations);
        let factor = 2.0_f64.copysign(q[3].value);
        q.map(|part| part * factor)
    }

    /// The angle of y₂ about x₁, from y₁: `atan2(z₁·y₂, y₁·y₂)`, in radians between −π and π.
    pub(super) fn angle(&self, bodies: &[BodyView; 2]) -> Measure {
        let ([_, y1, z1], [_, y2, _]) = (self.first(bodies), self.second(bodies));
        Measure::atan2(z1.dot(&y2), y1.dot(&y2))
    }

    /// The same angle, counting the turns of the joint.
    pub(super) fn turned(&self, joint: &JointView) -> Measure {
        counted(self.angle(joint), joint)
    }

    /// The twist about x: the relative rotation is a rotation about x and one about an axis across it, and the first has the
    /// quaternion `(q_w, q_x)`, normalised (T A.25). Its angle `2 atan2(q_x, q_w)` in radians; undefined where x₂ = −x₁.
    pub(super) fn twist(&self, bodies: &[BodyView; 2]) -> Measure {
        let [x, _, _, w] = relative_rotation(bodies, self.rotations);
        Measure::atan2(x, w) * 2.0
    }

    /// Rows that keep the anchors together.
    pub(super) fn hold_point(&self, bodies: &[BodyView; 2], softness: Softness, rows: &mut Vec<Row>) {
        let offset = self.offset(bodies);
        for axis in DVec3::AXES {
            rows.push(offset.dot(&Arrow::axis(bodies, End::World, axis)).equals_zero().with_softness(softness));
        }
    }

    /// Rows that keep x₂ parallel to x₁: it stays perpendicular to y₁ and z₁.
    pub(super) fn hold_axis(&self, bodies: &[BodyView; 2], softness: Softness, rows: &mut Vec<Row>) {
        let ([_, y1, z1], [x2, ..]) = (self.first(bodies), self.second(bodies));
        for across in [y1, z1] {
            rows.push(x2.dot(&across).equals_zero().with_softness(softness));
        }
    }

    /// Rows that keep the copies from turning against each other.
    pub(super) fn hold_rotation(&self, bodies: &[BodyView; 2], softness: Softness, rows: &mut Vec<Row>) {
        rows.extend(self.rotation(bodies).map(|turn| turn.equals_zero().with_softness(softness)));
    }
}

/// An angle on the turn on which the joint has come.
pub(super) fn counted(angle: Measure, joint: &JointView) -> Measure {
    angle + (continued(angle.value, joint.angle) - angle.value)
}
