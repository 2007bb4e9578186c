//! Maps of where joints let an axis point: known regions come out as large as they are.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::{DQuat, DVec3};
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::sync::Arc;
use tumble_dynamics::constraint::limit::{ConeLimit, ReachCone, SwingTwist, TwistLimit, WedgeLimit};
use tumble_dynamics::constraint::{
    Attach, Ball, BodyView, Constraint, Freedom, Hinge, Joystick, Swings, Universal, Weld, allowed_swings, allowed_turn,
};
use tumble_dynamics::geometry::Transform;

/// Two bodies, turned and placed somewhere.
fn bodies() -> [BodyView; 2] {
    let place =
        |rotation: DQuat, at: DVec3| BodyView { pose: Transform::new(rotation, at), center: at, ..BodyView::WORLD };
    [
        place(DQuat::from_xyzw(0.1, 0.5, -0.3, 0.8).normalize(), DVec3::new(1.0, 2.0, 3.0)),
        place(DQuat::from_xyzw(-0.4, 0.2, 0.3, 0.7).normalize(), DVec3::new(1.5, 2.0, 3.0)),
    ]
}

fn map(joints: &[&dyn Attach], axis: DVec3, resolution: usize) -> Swings {
    let bodies = bodies();
    let attached: Vec<Arc<dyn Constraint>> = joints.iter().map(|joint| joint.attach(&bodies).unwrap()).collect();
    let constraints: Vec<&dyn Constraint> = attached.iter().map(AsRef::as_ref).collect();
    allowed_swings(&constraints, &bodies, axis, resolution).unwrap()
}

#[track_caller]
fn close(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value} instead of {expected}");
}

#[test]
fn a_cone_is_as_large_as_its_cap() {
    for degrees in [10.0_f64, 30.0, 90.0, 150.0] {
        let angle = degrees.to_radians();
        let swings = map(&[&ConeLimit::around(DVec3::Y, angle)], DVec3::Y, 70);
        let expected = 0.5 * (1.0 - libm::cos(angle));
        close(swings.part_of_directions().unwrap(), expected, 0.003);
        close(swings.part_of_rotations().unwrap(), expected, 0.003);
        swings.reach.iter().for_each(|&reach| close(reach, angle, 1e-5));
        for sample in &swings.samples {
            if (sample.swing - angle).abs() > 1e-9 {
                assert_eq!(sample.twist.is_some(), sample.swing < angle);
            }
            let measured = libm::acos(sample.direction.dot(swings.axis).clamp(-1.0, 1.0));
            close(sample.swing, measured, 1e-7);
        }
    }
}

#[test]
fn a_twist_limit_allows_its_part_of_every_direction() {
    let swings = map(&[&TwistLimit::about(DVec3::X, -0.5, 1.25)], DVec3::X, 40);
    assert_eq!(swings.part_of_directions(), Some(1.0));
    close(swings.part_of_rotations().unwrap(), 1.75 / TAU, 1e-4);
    for sample in &swings.samples {
        let [low, high] = sample.twist.unwrap();
        close(low, -0.5, 1e-4);
        close(high, 1.25, 1e-4);
        close(sample.share, 1.75 / TAU, 1e-4);
    }
}

#[test]
fn limits_together_allow_what_all_of_them_do() {
    let (cone, twist) = (ConeLimit::around(DVec3::Z, 0.6), TwistLimit::about(DVec3::Z, -FRAC_PI_2, FRAC_PI_2));
    let together = map(&[&Ball::at([1.0, 2.0, 3.0]), &cone, &twist], DVec3::Z, 60);
    close(together.part_of_rotations().unwrap(), 0.5 * 0.5 * (1.0 - libm::cos(0.6)), 0.003);
    let joint = SwingTwist::at([1.0, 2.0, 3.0], DVec3::Z, DVec3::X);
    let one = map(&[&joint.with_swing(0.6, 0.6).with_twist(-FRAC_PI_2, FRAC_PI_2)], DVec3::Z, 60);
    close(one.part_of_rotations().unwrap(), together.part_of_rotations().unwrap(), 0.003);
}

#[test]
fn a_wedge_is_as_large_as_its_opening_and_a_reach_cone_as_its_polygon() {
    let wedge = map(&[&WedgeLimit::about(DVec3::Y, DVec3::X, -0.4, 0.8)], DVec3::X, 70);
    close(wedge.part_of_directions().unwrap(), 1.2 / TAU, 0.004);
    // An eighth of the sphere.
    let reach = ReachCone::irregular([1.0, 2.0, 3.0], vec![DVec3::X, DVec3::Y, DVec3::Z]);
    let swings = map(&[&reach], DVec3::X, 70);
    close(swings.part_of_directions().unwrap(), 0.125, 0.004);
}

#[test]
fn without_limits_everything_is_allowed() {
    let swings = map(&[&Ball::at([0.0; 3])], DVec3::Y, 20);
    assert_eq!((swings.part_of_rotations(), swings.held), (Some(1.0), 0));
    assert_eq!(swings.twist(), Some([-PI, PI]));
}

#[test]
fn a_hinge_leads_an_axis_round_a_circle() {
    let hinge = Hinge::at([1.0, 2.0, 3.0], DVec3::Z);
    let swings = map(&[&hinge], DVec3::X, 80);
    assert_eq!((swings.held, swings.part_of_directions()), (2, None));
    let into_first = |v: DVec3| bodies()[0].pose.inverse_vector(v);
    let allowed: Vec<DVec3> =
        swings.samples.iter().filter(|sample| sample.twist.is_some()).map(|sample| sample.direction).collect();
    assert!(allowed.len() > 80, "{}", allowed.len());
    assert!(allowed.iter().all(|direction| direction.dot(into_first(DVec3::Z)).abs() < 0.15));
    // All around.
    // But for the opposite direction, which is all of the rim: no square has its middle there.
    for degrees in (0..360).step_by(10).filter(|degrees| (degrees - 180_i32).abs() > 20) {
        let (sin, cos) = libm::sincos(f64::from(degrees).to_radians());
        let wanted = into_first(DVec3::new(cos, sin, 0.0));
        assert!(allowed.iter().any(|direction| direction.dot(wanted) > libm::cos(0.12)), "{degrees}°");
    }
    assert_eq!(map(&[&Weld::at([0.0; 3])], DVec3::X, 10).held, 3);
    let universal = Universal { first_arm: DVec3::X, second_arm: DVec3::Y, ..Universal::default() };
    assert_eq!(map(&[&universal], DVec3::Z, 10).held, 1);
}

#[test]
fn turns_are_counted_beyond_one() {
    let bodies = bodies();
    let limited = |turn: Freedom| Hinge::at([1.0, 2.0, 3.0], DVec3::Z).with_turn(turn).attach(&bodies).unwrap();
    let degrees = |angle: f64| angle.to_radians();
    for (min, max) in [(-30.0, 45.0), (-500.0, 500.0), (-1.0, 700.0)] {
        let hinge = limited(Freedom::between(degrees(min), degrees(max)));
        let turn = allowed_turn(&[hinge.as_ref()], &bodies).unwrap();
        close(turn.limits[0].unwrap(), degrees(min), 1e-5);
        close(turn.limits[1].unwrap(), degrees(max), 1e-5);
        close(turn.axis.dot(bodies[0].pose.inverse_vector(DVec3::Z)), 1.0, 1e-9);
    }
    let free = limited(Freedom::FREE);
    assert_eq!(allowed_turn(&[free.as_ref()], &bodies).unwrap().limits, [None, None]);
    let ball = Ball::at([0.0; 3]).attach(&bodies).unwrap();
    assert_eq!(allowed_turn(&[ball.as_ref()], &bodies), None);
}

#[test]
fn limits_of_rotation_are_those_of_the_quaternion() {
    // 2 sin(φ/2) n·a ≤ c: about n itself φ ≤ 2 asin(c/2).
    let joystick = Joystick::about(DVec3::Y).between(-0.5, 1.0);
    let swings = map(&[&joystick], DVec3::Y, 21);
    let middle = swings.samples.iter().find(|sample| sample.swing < 1e-9).unwrap();
    let [low, high] = middle.twist.unwrap();
    close(low, -2.0 * libm::asin(0.25), 1e-4);
    close(high, 2.0 * libm::asin(0.5), 1e-4);
}

#[test]
fn an_axis_that_is_none_is_refused() {
    let bodies = bodies();
    for axis in [DVec3::ZERO, DVec3::NAN] {
        assert!(allowed_swings(&[], &bodies, axis, 10).is_err());
    }
}
