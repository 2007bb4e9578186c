//! The kernels write the rows that joints write themselves.

use super::angle::Angles;
use super::hot::Hot;
use super::point::{Points, take};
use super::*;
use crate::constraint::{Attach, Ball, BodyView, ConstantVelocity, Constraint, Hinge, OrientationLock, Slider, Weld};
use crate::geometry::Transform;
use glam::{DMat3, DQuat};
use std::sync::Arc;

fn vector(random: &mut fastrand::Rng, size: f64) -> DVec3 {
    DVec3::from_array([0; 3].map(|_| (2.0 * random.f64() - 1.0) * size))
}

fn rotation(random: &mut fastrand::Rng) -> DQuat {
    let [x, y, z] = vector(random, 1.0).to_array();
    DQuat::from_xyzw(x, y, z, random.f64() + 0.1).normalize()
}

/// A body far out in the world, its centre of mass anywhere.
fn view(random: &mut fastrand::Rng) -> BodyView {
    let far = DVec3::new(300.0, -200.0, 100.0);
    let pose = Transform::new(rotation(random), far + vector(random, 1.0));
    let center = pose.point(vector(random, 0.3));
    BodyView { pose, center, velocity: DVec3::ZERO, angular_velocity: DVec3::ZERO }
}

/// The same body, moved and turned about its centre of mass.
fn moved(body: &BodyView, shift: DVec3, turn: DQuat) -> BodyView {
    let center = body.center + shift;
    let from_center = turn * (body.pose.translation - body.center);
    BodyView { pose: Transform::new((turn * body.pose.rotation).normalize(), center + from_center), center, ..*body }
}

/// Bodies before and after they have moved, and rows of them as the kernels see them.
struct Moved {
    before: [BodyView; 2],
    after: [BodyView; 2],
    hot: Hot,
}

impl Moved {
    fn random(random: &mut fastrand::Rng, before: [BodyView; 2]) -> Self {
        let ways = [0, 1].map(|_| {
            let [x, y, z] = vector(random, 0.1).to_array();
            (vector(random, 0.2), DQuat::from_xyzw(x, y, z, 1.0).normalize())
        });
        let after = [0, 1].map(|side| moved(&before[side], ways[side].0, ways[side].1));
        let mut hot = Hot::default();
        for (shift, turn) in [(DVec3::ZERO, DQuat::IDENTITY), ways[0], ways[1]] {
            let ([x, y, z, w], [a, b, c]) = (turn.to_array(), shift.to_array());
            hot.poses.push([x, y, z, w, a, b, c, 0.0].map(|part| part as f32));
            hot.motions.push([0.0; LANES]);
            let DMat3 { x_axis: x, y_axis: y, z_axis: z } = DMat3::from_diagonal(DVec3::new(2.0, 3.0, 5.0));
            hot.masses.push([x.x, x.y, x.z, y.y, y.z, z.z, 0.5, 0.0].map(|part| part as f32));
        }
        Self { before, after, hot }
    }

    fn rows(&self, joint: &dyn Constraint) -> Vec<Row> {
        let mut rows = Vec::new();
        joint.rows(&JointView { bodies: self.after, angle: 0.0 }, &mut rows);
        rows
    }
}

/// A spring of rate one and no cap shows the error itself.
fn bare() -> Spring {
    Spring { rate: 1.0, mass_scale: 1.0, impulse_scale: 0.0, most: 1e6, angular: 1e6, h: 0.01, threshold: 1.0 }
}

fn close(kernel: DVec3, row: DVec3, what: &str) {
    assert!((kernel - row).length() <= 1e-5 * (1.0 + row.length()), "{what}: {kernel} {row}");
}

#[test]
fn points_are_the_rows_of_ball_joints() {
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..300 {
        let before = [view(&mut random), view(&mut random)];
        let anchor = before[0].center + vector(&mut random, 1.0);
        let joint = Ball::at(anchor).attach(&before).unwrap();
        let mut moved = Moved::random(&mut random, before);
        let mut block = Points::EMPTY.gathered();
        let arms = moved.before.map(|body| anchor - body.center);
        block.fill(3, 0, [1, 2], arms, DVec3::ZERO, DVec3::ZERO);
        let mut worst = [0.0; LANES];
        let Hot { motions, poses, masses, .. } = &mut moved.hot;
        let mut blocks = [block];
        let spring = bare();
        dispatch!(Level::new(), simd => point::prepare(simd, &mut blocks, (&mut motions[..], poses, masses), &spring, &mut worst));
        let rows = moved.rows(&*joint);
        let error = DVec3::new(rows[0].error, rows[1].error, rows[2].error);
        close(blocks[0].gap(3), error, "gap");
        for side in 0..2 {
            // The angular part of the row along x is ±(r × x).
            let sign = if side == 0 { -1.0 } else { 1.0 };
            for (row, axis) in rows.iter().zip(DVec3::AXES) {
                close(blocks[0].arm(side, 3).cross(axis) * sign, row.jacobian.angular[side], "arm");
            }
        }
        assert!(f64::from(worst[3]) >= error.abs().max_element() - 1e-5);
    }
}

#[test]
fn angles_are_the_rows_of_hinges_welds_and_sliders() {
    let mut random = fastrand::Rng::with_seed(2);
    for case in 0..300 {
        let before = [view(&mut random), view(&mut random)];
        let anchor = before[0].center + vector(&mut random, 1.0);
        let axis = vector(&mut random, 1.0);
        let attach: Arc<dyn Attach> = match case % 5 {
            0 => Arc::new(Hinge::at(anchor, axis)),
            1 => Arc::new(Weld::at(anchor)),
            2 => Arc::new(Slider::at(anchor, axis)),
            3 => Arc::new(ConstantVelocity::at(anchor, axis)),
            _ => Arc::new(OrientationLock::default()),
        };
        let joint = attach.attach(&before).unwrap();
        let mut moved = Moved::random(&mut random, before);
        let rows = moved.rows(&*joint);
        let form = joint.form();
        let plan = Plan::of_form(&form).unwrap_or_else(|| {
            Plan::of_rows(&form, &*joint, &JointView { bodies: before, angle: 0.0 }, &rows)
        });
        let (first, held) = plan.angles.unwrap();
        let frames = Plan::frames(&form, &JointView { bodies: before, angle: 0.0 });
        let mut block = Angles::EMPTY;
        block.fill(5, 0, [1, 2], frames, held, DVec3::ZERO);
        let mut blocks = [block];
        let Hot { motions, poses, masses, .. } = &mut moved.hot;
        let spring = bare();
        let mut worst = [0.0; LANES];
        dispatch!(Level::new(), simd => angle::prepare(simd, &mut blocks, (&mut motions[..], poses, masses), &spring, &mut worst));
        let axes = (0..3).filter(|&axis| held[axis]);
        for (axis, row) in axes.zip(&rows[usize::from(first)..]) {
            close(take(&blocks[0].gradients[axis], 5), row.jacobian.angular[1], "gradient");
            close(-take(&blocks[0].gradients[axis], 5), row.jacobian.angular[0], "gradient");
            let error = blocks[0].error(axis, 5);
            assert!((error - row.error).abs() < 1e-5, "case {case}, axis {axis}: {error} {}", row.error);
        }
    }
}

/// A block of three rows, solved, does what the rows demand, and leaves the momentum as it was.
#[test]
fn a_relaxed_point_does_not_open() {
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..100 {
        let before = [view(&mut random), view(&mut random)];
        let mut moved = Moved::random(&mut random, before);
        for row in &mut moved.hot.motions[1..] {
            *row = hot::as_row(vector(&mut random, 3.0), vector(&mut random, 3.0));
        }
        let arms = [vector(&mut random, 1.0), vector(&mut random, 1.0)];
        let mut blocks = [Points::EMPTY.gathered()];
        blocks[0].fill(0, 0, [1, 2], arms, DVec3::ZERO, DVec3::ZERO);
        let Hot { motions, poses, masses, .. } = &mut moved.hot;
        let (spring, mut worst) = (bare(), [0.0; LANES]);
        let sum = |motions: &[Lanes]| (0..3).map(|part| motions[1][part] + motions[2][part]).sum::<f32>();
        let momentum = sum(motions);
        dispatch!(Level::new(), simd => point::prepare(simd, &mut blocks, (&mut motions[..], poses, masses), &spring, &mut worst));
        dispatch!(Level::new(), simd => point::sweep::<_, true>(simd, &mut blocks, motions, masses, &spring));
        let velocity = |side: usize| {
            let [a, b, c, _, p, q, r, _] = motions[side + 1].map(f64::from);
            DVec3::new(a, b, c) + DVec3::new(p, q, r).cross(blocks[0].arm(side, 0))
        };
        assert!((velocity(1) - velocity(0)).length() < 1e-4, "{}", velocity(1) - velocity(0));
        assert!((sum(motions) - momentum).abs() < 1e-4);
    }
}
