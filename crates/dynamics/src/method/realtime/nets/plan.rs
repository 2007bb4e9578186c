//! Which of a joint's rows are solved by which kernel.
//!
//! Joints say what they are by their [`JointForm`]. Of those that do not, the rows tell whether they hold a point, which most do; what is
//! left is solved row by row.

use crate::constraint::{Constraint, Freedom};
use crate::constraint::{HingeForm, JointForm, JointFrame, JointView, Limit, Row, Softness, WeldForm};
use glam::{DQuat, DVec3};

/// How a joint is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// The first of three rows that hold a point.
    pub(super) point: Option<u8>,
    /// The first of the rows that hold axes, and which axes.
    pub(super) angles: Option<(u8, [bool; 3])>,
    /// How many rows there are in all.
    pub(super) count: usize,
}

impl Plan {
    /// Of a joint that is known by its form.
    pub(super) fn of_form(form: &JointForm) -> Option<Self> {
        let plan = |point, angles, count| Some(Self { point, angles, count });
        match form {
            JointForm::Ball { softness, .. } if is_rigid(*softness) => plan(Some(0), None, 3),
            JointForm::Hinge { turn, softness, .. } if is_rigid(*softness) => {
                plan(Some(0), axes(form), 5 + acting(turn))
            }
            JointForm::Weld { softness, .. } if is_rigid(*softness) => plan(Some(0), axes(form), 6),
            JointForm::ConstantVelocity { softness, .. } if is_rigid(*softness) => plan(Some(0), axes(form), 4),
            JointForm::OrientationLock { .. } => plan(None, axes(form), 3),
            _ => None,
        }
    }

    /// Of any joint, with its rows.
    pub(super) fn of_rows(form: &JointForm, constraint: &dyn Constraint, view: &JointView, rows: &[Row]) -> Self {
        let point = holds_point(constraint, view, rows).then_some(0);
        Self { point, angles: axes(form), count: rows.len() }
    }

    /// The rows that no kernel knows.
    pub(super) fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let Self { point, angles, count } = *self;
        let point = point.map_or(0..0, |first| usize::from(first)..usize::from(first) + 3);
        let angles = angles.map_or(0..0, |(first, held)| {
            let count = held.into_iter().filter(|&held| held).count();
            usize::from(first)..usize::from(first) + count
        });
        (0..count).filter(move |row| !point.contains(row) && !angles.contains(row))
    }

    /// Whether there are rows that no kernel knows.
    pub(super) fn has_others(&self) -> bool {
        self.others().next().is_some()
    }

    /// The two copies of the frame of a joint that holds axes, as rotations to the world.
    pub(super) fn frames(form: &JointForm, view: &JointView) -> [DQuat; 2] {
        let frame = frame(form).map_or([DQuat::IDENTITY; 2], |frame| frame.rotations);
        [0, 1].map(|side| view.bodies[side].pose.rotation * frame[side])
    }
}

fn is_rigid(softness: Softness) -> bool {
    matches!(softness, Softness::Rigid | Softness::Baumgarte { .. })
}

fn frame(form: &JointForm) -> Option<&JointFrame> {
    match form {
        JointForm::Hinge { frame, .. }
        | JointForm::Weld { frame, .. }
        | JointForm::Slider { frame, .. }
        | JointForm::ConstantVelocity { frame, .. }
        | JointForm::OrientationLock { frame, .. } => Some(frame),
        _ => None,
    }
}

/// How many rows act on a free coordinate.
fn acting(freedom: &Freedom) -> usize {
    let Freedom { min, max, motor, drive, friction, .. } = freedom;
    let limits = if min.is_some() && min == max { 1 } else { usize::from(min.is_some()) + usize::from(max.is_some()) };
    limits + usize::from(motor.is_some()) + usize::from(drive.is_some()) + usize::from(*friction > 0.0)
}

/// Which axes a joint holds by the quaternion, and the first of these rows.
fn axes(form: &JointForm) -> Option<(u8, [bool; 3])> {
    match *form {
        JointForm::Hinge { form: HingeForm::Quaternion, softness, .. } if is_rigid(softness) => {
            Some((3, [false, true, true]))
        }
        JointForm::Weld { form: WeldForm::Orientation, softness, .. } if is_rigid(softness) => Some((3, [true; 3])),
        JointForm::Slider { softness, .. } if is_rigid(softness) => Some((2, [true; 3])),
        JointForm::ConstantVelocity { softness, .. } if is_rigid(softness) => Some((3, [true, false, false])),
        JointForm::OrientationLock { softness, .. } if is_rigid(softness) => Some((0, [true; 3])),
        _ => None,
    }
}

/// Whether the first three rows hold the anchors together along the axes of the world.
fn holds_point(constraint: &dyn Constraint, view: &JointView, rows: &[Row]) -> bool {
    let Some(first) = rows.first_chunk::<3>() else { return false };
    let anchors = constraint.anchors(&view.bodies);
    let close = |a: DVec3, b: DVec3| (a - b).abs().max_element() <= 1e-9 * (1.0 + b.abs().max_element());
    first.iter().zip(DVec3::AXES).all(|(row, axis)| {
        let turned = [0, 1].map(|side| (anchors[side] - view.bodies[side].center).cross(axis));
        row.limit == Limit::Equality
            && is_rigid(row.softness)
            && row.target_rate == 0.0
            && row.jacobian.linear == [-axis, axis]
            && close(row.jacobian.angular[0], -turned[0])
            && close(row.jacobian.angular[1], turned[1])
    })
}
