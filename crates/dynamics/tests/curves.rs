//! Motors and drives that follow curves.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use tumble_dynamics::constraint::{Drive, Freedom, Hinge, Slider, Softness};
use tumble_dynamics::curve::{Aim, Curve, Expression, FnCurve, KeyFrames};
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::method::{Method, Realtime, Retroactive};
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::{Body, JointId, ModelError, StepError, World};

const METHODS: [fn() -> Box<dyn Method>; 2] = [|| Box::new(Retroactive::new()), || Box::new(Realtime::new())];

/// An arm on a hinge that follows a curve.
fn arm(method: fn() -> Box<dyn Method>, turn: Freedom, aim: Aim, curve: impl Curve + 'static) -> (World, JointId) {
    let mut world = World::new();
    world.set_boxed_method(method());
    let arm = world.add_body(Body::dynamic().with_shape(Shape::cuboid([0.5, 0.1, 0.1]).unwrap())).unwrap();
    let hinge = Hinge::at([0.0, 0.0, 0.0], DVec3::Y).with_turn(turn);
    let joint = Joint::new(JointEnd::World, arm, hinge).following("turn", aim, curve);
    let joint = world.add_joint(joint).unwrap();
    (world, joint)
}

fn angle(world: &World, joint: JointId) -> f64 {
    world.joint(joint).unwrap().coordinate("turn").unwrap().position()
}

/// The angle is the integral of the speed, to second order in the step.
#[test]
fn a_motor_turns_by_the_integral_of_its_curve() {
    for method in METHODS {
        let error = |steps: u32| {
            let speed = Expression::new("3 * sin(2 * t) + t^2").unwrap();
            let (mut world, joint) = arm(method, Freedom::FREE, Aim::Speed, speed);
            (0..steps).for_each(|_| world.step(2.0 / f64::from(steps)).unwrap());
            let exact = 1.5 * (1.0 - libm::cos(4.0)) + 8.0 / 3.0;
            (angle(&world, joint) - exact).abs()
        };
        let [coarse, fine] = [error(60), error(120)];
        assert!(coarse < 1e-3 && fine < 0.35 * coarse, "{coarse:e} {fine:e}");
    }
}

/// A strong servo is where its key frames say.
#[test]
fn a_drive_goes_where_its_curve_goes() {
    for method in METHODS {
        let spring = Softness::Spring { frequency: 20.0, damping_ratio: 1.0 };
        let drive = Freedom::FREE.with_drive(Drive { spring, ..Drive::default() });
        let frames = KeyFrames::new([(0.0, 0.0), (1.0, 1.2), (2.0, -0.4)]).unwrap();
        let (mut world, joint) = arm(method, drive, Aim::Target, frames);
        for (until, expected) in [(1.0, 1.2), (3.0, -0.4)] {
            while world.time() < until - 1e-9 {
                world.step(1.0 / 240.0).unwrap();
            }
            assert!((angle(&world, joint) - expected).abs() < 0.03, "{} at {until} s", angle(&world, joint));
        }
    }
}

/// What rests and sleeps wakes up when its curve begins to move.
#[test]
fn a_curve_wakes_what_sleeps() {
    let lift = FnCurve::new("after three seconds", |t| if t < 3.0 { 0.0 } else { 0.5 });
    let mut world = World::new();
    let cabin = world.add_body(Body::dynamic().with_shape(Shape::cuboid([0.5, 0.5, 0.5]).unwrap())).unwrap();
    let slide = Freedom::FREE.with_motor(0.0, 1e6);
    let slider = Slider::at([0.0, 0.0, 0.0], DVec3::Y).with_slide(slide);
    world.add_joint(Joint::new(JointEnd::World, cabin, slider).following("slide", Aim::Speed, lift)).unwrap();
    let step = |world: &mut World, seconds: u32| (0..60 * seconds).for_each(|_| world.step(1.0 / 60.0).unwrap());
    step(&mut world, 3);
    assert!(world.body(cabin).unwrap().is_asleep(), "it has rested for three seconds");
    step(&mut world, 1);
    let height = world.body(cabin).unwrap().position().y;
    assert!((height - 0.5).abs() < 0.02, "{height}");
}

/// Going back and going on gives the same bits: a curve depends on nothing but the time.
#[test]
fn a_resumed_run_follows_the_same_curve() {
    let curve = Expression::new("2 * cos(5 * t)").unwrap();
    let (mut world, _) = arm(METHODS[0], Freedom::FREE, Aim::Speed, curve);
    (0..50).for_each(|_| world.step(0.01).unwrap());
    let snapshot = world.snapshot();
    let mut run = || {
        (0..50).for_each(|_| world.step(0.01).unwrap());
        let print = world.state().fingerprint();
        world.restore(&snapshot);
        print
    };
    assert_eq!(run(), run());
}

#[test]
fn what_makes_no_sense_is_refused() {
    let mut world = World::new();
    let body = world.add_body(Body::dynamic().with_shape(Shape::sphere(0.5).unwrap())).unwrap();
    let hinge = || Hinge::at([0.0, 0.0, 0.0], DVec3::Y);
    let one = || Expression::new("1").unwrap();
    let refused = world.add_joint(Joint::new(JointEnd::World, body, hinge()).following("slide", Aim::Speed, one()));
    assert!(matches!(&refused, Err(ModelError::UnknownName { known, .. }) if known == "turn"), "{refused:?}");
    assert_eq!(world.model().joints().len(), 0, "a refused joint is not there");

    let pole = Expression::new("1 / (1 - t)").unwrap();
    let joint = Joint::new(JointEnd::World, body, hinge()).named("door").following("turn", Aim::Speed, pole);
    let joint = world.add_joint(joint).unwrap();
    let steps = (0..10).map(|_| world.step(0.4)).find(Result::is_err).unwrap();
    let error = steps.unwrap_err();
    assert!(matches!(error, StepError::CurveNotFinite { .. }), "{error}");
    assert!(error.to_string().contains("door"), "{error}");
    world.joint_mut(joint).unwrap().stop_following();
    world.step(0.4).unwrap();
    // The other way: another curve in its place.
    world.joint_mut(joint).unwrap().follow("turn", Aim::Speed, one()).unwrap();
    world.step(0.4).unwrap();
    world.remove_joint(joint).unwrap();
    world.step(0.4).unwrap();
}
