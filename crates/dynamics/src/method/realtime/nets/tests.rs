//! The kernels write the rows that joints write themselves.

use super::angle::Angles;
use super::point::Points;
use super::*;
use crate::constraint::{Attach, Ball, BodyView, ConstantVelocity, Constraint, Hinge, OrientationLock, Slider, Weld};
use crate::{Body, World};
use glam::DQuat;
use std::sync::Arc;
use tumble_geometry::math::rotation_from_vector;
use tumble_geometry::{Shape, Transform};

fn vector(random: &mut fastrand::Rng, size: f64) -> DVec3 {
    DVec3::from_array([0; 3].map(|_| (2.0 * random.f64() - 1.0) * size))
}

/// A body far out in the world, its centre of mass anywhere.
fn view(random: &mut fastrand::Rng) -> BodyView {
    let far = DVec3::new(300.0, -200.0, 100.0);
    let pose = Transform::new(rotation_from_vector(vector(random, 3.0)), far + vector(random, 1.0));
    let center = pose.point(vector(random, 0.3));
    BodyView { pose, center, velocity: DVec3::ZERO, angular_velocity: DVec3::ZERO }
}

/// The same body, moved and turned about its centre of mass.
fn moved(body: &BodyView, shift: DVec3, turn: DQuat) -> BodyView {
    let center = body.center + shift;
    let from_center = turn * (body.pose.translation - body.center);
    BodyView { pose: Transform::new((turn * body.pose.rotation).normalize(), center + from_center), center, ..*body }
}

/// Two bodies of a kilogram, or so, with their rows.
fn rows() -> BodyRows {
    let mut world = World::new();
    let mut list = Bodies::default();
    let ids: Vec<_> = [[0.5, 0.3, 0.2], [0.3, 0.4, 0.6]]
        .map(|half| world.add_body(Body::dynamic().with_shape(Shape::cuboid(half).unwrap()).with_mass(1.5)).unwrap())
        .to_vec();
    list.load(world.model(), world.state(), [&ids, &[]], &world.state().bodies.clone(), 0.01, DVec3::ZERO);
    let mut rows = BodyRows::default();
    rows.clear();
    rows.add(1, true);
    rows.add(2, true);
    rows.load(&list, 0.01, 1);
    rows
}

/// Bodies after they have moved, and how far that is.
struct Moved {
    after: [BodyView; 2],
    motions: Vec<Lanes>,
    offsets: Vec<Lanes>,
}

impl Moved {
    fn random(random: &mut fastrand::Rng, before: [BodyView; 2]) -> Self {
        let ways = [0, 1].map(|_| (vector(random, 0.2), vector(random, 0.3)));
        let after = [0, 1].map(|side| moved(&before[side], ways[side].0, rotation_from_vector(ways[side].1)));
        let row = |(shift, turn): (DVec3, DVec3)| {
            let ([x, y, z], [p, q, r]) = (shift.to_array(), turn.to_array());
            [x, y, z, 0.0, p, q, r, 0.0].map(|part| part as f32)
        };
        let mut offsets = vec![[0.0; LANES]];
        offsets.extend(ways.map(row));
        Self { after, motions: vec![[0.0; LANES]; 3], offsets }
    }

    fn rows(&self, joint: &dyn Constraint) -> Vec<Row> {
        let mut rows = Vec::new();
        joint.rows(&JointView { bodies: self.after, angle: 0.0 }, &mut rows);
        rows
    }

    #[expect(unsafe_code, reason = "one thread alone uses the rows")]
    fn sweep(&mut self, work: impl Fn(&Shared<'_, '_>)) {
        // SAFETY: one thread alone uses them.
        let (motions, offsets) = unsafe { (Rows::new(&mut self.motions), Rows::new(&mut self.offsets)) };
        work(&Shared { motions: &motions, offsets: &offsets });
    }
}

fn spring() -> Spring {
    Spring::new(0.002, 1.0)
}

fn close(kernel: DVec3, row: DVec3, what: &str) {
    assert!((kernel - row).length() <= 1e-5 * (1.0 + row.length()), "{what}: {kernel} {row}");
}

#[test]
fn points_are_the_rows_of_ball_joints() {
    let (mut random, rows) = (fastrand::Rng::with_seed(1), rows());
    for _ in 0..300 {
        let before = [view(&mut random), view(&mut random)];
        let anchor = before[0].center + vector(&mut random, 1.0);
        let joint = Ball::at(anchor).attach(&before).unwrap();
        let mut moved = Moved::random(&mut random, before);
        let mut block = Points::EMPTY;
        block.ends.fill(3, 0, [1, 2], &rows);
        block.fill(3, before.map(|body| anchor - body.center), DVec3::ZERO, DVec3::ZERO);
        let blocks = std::cell::RefCell::new([block]);
        moved.sweep(|shared| {
            let blocks = &mut *blocks.borrow_mut();
            dispatch!(Level::new(), simd => point::spring(simd, blocks, shared, &spring()));
        });
        let [block] = blocks.into_inner();
        let rows = moved.rows(&*joint);
        let error = DVec3::new(rows[0].error, rows[1].error, rows[2].error);
        close(take(&block.gap, 3), error, "gap");
        for side in 0..2 {
            // The angular part of the row along e is ±(r × e).
            let sign = if side == 0 { -1.0 } else { 1.0 };
            for (row, axis) in rows.iter().zip(DVec3::AXES) {
                close(take(&block.arms[side], 3).cross(axis) * sign, row.jacobian.angular[side], "arm");
            }
        }
        assert!(f64::from(block.worst[3]) >= error.abs().max_element() - 1e-5);
    }
}

#[test]
fn angles_are_the_rows_of_hinges_welds_and_sliders() {
    let (mut random, rows) = (fastrand::Rng::with_seed(2), rows());
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
        let written = moved.rows(&*joint);
        let (form, here) = (joint.form(), JointView { bodies: before, angle: 0.0 });
        let plan = Plan::of_form(&form).unwrap_or_else(|| Plan::of_rows(&form, &*joint, &here, &written));
        assert_eq!(plan.count, written.len());
        let (first, held) = plan.angles.unwrap();
        let mut block = Angles::EMPTY;
        block.ends.fill(5, 0, [1, 2], &rows);
        block.fill(5, Plan::frames(&form, &here), held, DVec3::ZERO);
        let blocks = std::cell::RefCell::new([block]);
        moved.sweep(|shared| {
            let blocks = &mut *blocks.borrow_mut();
            dispatch!(Level::new(), simd => angle::spring(simd, blocks, shared, &spring()));
        });
        let [block] = blocks.into_inner();
        let axes = (0..3).filter(|&axis| held[axis]);
        for (axis, row) in axes.zip(&written[usize::from(first)..]) {
            close(take(&block.gradients[axis], 5), row.jacobian.angular[1], "gradient");
            close(-take(&block.gradients[axis], 5), row.jacobian.angular[0], "gradient");
            let error = f64::from(block.errors[axis][5]);
            assert!((error - row.error).abs() < 1e-5, "case {case}, axis {axis}: {error} {}", row.error);
        }
    }
}

/// A point that was relaxed does not open, and the momentum is as it was.
#[test]
fn a_relaxed_point_does_not_open() {
    let (mut random, rows) = (fastrand::Rng::with_seed(3), rows());
    for _ in 0..100 {
        let before = [view(&mut random), view(&mut random)];
        let mut moved = Moved::random(&mut random, before);
        for row in &mut moved.motions[1..] {
            let ([x, y, z], [p, q, r]) = (vector(&mut random, 3.0).to_array(), vector(&mut random, 3.0).to_array());
            *row = [x, y, z, 0.0, p, q, r, 0.0].map(|part| part as f32);
        }
        let mut block = Points::EMPTY;
        block.ends.fill(0, 0, [1, 2], &rows);
        block.fill(0, [vector(&mut random, 1.0), vector(&mut random, 1.0)], DVec3::ZERO, DVec3::ZERO);
        let sum = |motions: &[Lanes]| (0..3).map(|part| motions[1][part] + motions[2][part]).sum::<f32>();
        let momentum = sum(&moved.motions);
        let blocks = std::cell::RefCell::new([block]);
        moved.sweep(|shared| {
            let blocks = &mut *blocks.borrow_mut();
            dispatch!(Level::new(), simd => point::spring(simd, blocks, shared, &spring()));
            dispatch!(Level::new(), simd => point::relax(simd, blocks, shared));
        });
        let [block] = blocks.into_inner();
        let velocity = |side: usize| {
            let [a, b, c, _, p, q, r, _] = moved.motions[side + 1].map(f64::from);
            DVec3::new(a, b, c) + DVec3::new(p, q, r).cross(take(&block.arms[side], 0))
        };
        assert!((velocity(1) - velocity(0)).length() < 1e-4, "{}", velocity(1) - velocity(0));
        assert!((sum(&moved.motions) - momentum).abs() < 1e-4);
    }
}
