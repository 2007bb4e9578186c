//! What acts on the coordinates of a joint is read and changed while the world runs: throttle, steering, servos, brakes.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use std::f64::consts::TAU;
use std::sync::Arc;
use tumble_dynamics::constraint::{
    Attach, Ball, Cylindrical, Drive, Freedom, Hinge, Screw, SixAxes, Slider, Softness, Wheel,
};
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::{Body, BodyId, JointId, World};

const DT: f64 = 1.0 / 240.0;

fn block(world: &mut World) -> BodyId {
    world.add_body(Body::dynamic().with_shape(Shape::cuboid([0.3, 0.2, 0.1]).unwrap()).without_sleep()).unwrap()
}

fn run(world: &mut World, seconds: f64) {
    for _ in 0..(seconds / DT).round() as usize {
        world.step(DT).unwrap();
    }
}

/// A weightless block turning about x.
fn shaft() -> (World, JointId) {
    let mut world = World::new();
    world.set_gravity(DVec3::ZERO);
    let body = block(&mut world);
    let joint = world.add_joint(Joint::new(JointEnd::World, body, Hinge::at(DVec3::ZERO, DVec3::X))).unwrap();
    (world, joint)
}

/// Full speed ahead, then a brake, then a servo that comes back by all the turns made, then a limit: the angle goes on being
/// counted from where the hinge was made.
#[test]
fn a_hinge_is_driven_braked_and_brought_back() {
    let (mut world, joint) = shaft();
    let turn = |world: &World| world.joint(joint).unwrap().coordinate("turn").unwrap();
    let set = |world: &mut World, freedom| world.joint_mut(joint).unwrap().set_freedom("turn", freedom).unwrap();
    set(&mut world, Freedom::FREE.with_motor(TAU, 1e3));
    run(&mut world, 3.0);
    assert!((turn(&world).speed() - TAU).abs() < 1e-9);
    // The first step is half of it at rest.
    assert!((turn(&world).position() - 3.0 * TAU).abs() < TAU * DT, "{}", turn(&world).position());
    set(&mut world, Freedom::FREE.with_motor(0.0, 1e3));
    run(&mut world, 0.1);
    let stopped = turn(&world).position();
    run(&mut world, 1.0);
    assert_eq!(turn(&world).speed(), 0.0);
    assert!((turn(&world).position() - stopped).abs() < 1e-12 && stopped > 2.9 * TAU);
    let spring = Softness::Spring { frequency: 2.0, damping_ratio: 1.0 };
    set(&mut world, Freedom::FREE.with_drive(Drive { target: 1.0, spring, max_force: None }));
    run(&mut world, 4.0);
    assert!((turn(&world).position() - 1.0).abs() < 1e-6, "{}", turn(&world).position());
    set(&mut world, Freedom { max: Some(2.0), ..Freedom::FREE.with_motor(1.0, 10.0) });
    run(&mut world, 2.0);
    assert!((turn(&world).position() - 2.0).abs() < 1e-9, "{}", turn(&world).position());
    assert_eq!(turn(&world).freedom.max, Some(2.0));
    assert_eq!(world.joint(joint).unwrap().angle(), Some(turn(&world).position()));
}

/// A car on one wheel, as it were: each coordinate is set by itself, and leaves the others as they are.
#[test]
fn a_wheel_is_steered_while_it_spins() {
    let mut world = World::new();
    world.set_gravity(DVec3::ZERO);
    let body = block(&mut world);
    let wheel = Wheel::at(DVec3::ZERO, DVec3::Y, DVec3::Z);
    let joint = world.add_joint(Joint::new(JointEnd::World, body, wheel)).unwrap();
    let names: Vec<&str> = world.joint(joint).unwrap().coordinates().iter().map(|c| c.name).collect();
    assert_eq!(names, ["travel", "steering", "spin"]);
    world.joint_mut(joint).unwrap().set_freedom("spin", Freedom::FREE.with_motor(5.0, 1e4)).unwrap();
    run(&mut world, 0.5);
    let spring = Softness::Spring { frequency: 4.0, damping_ratio: 1.0 };
    let steer = Freedom::FREE.with_drive(Drive { target: 0.4, spring, max_force: None });
    world.joint_mut(joint).unwrap().set_freedom("steering", steer).unwrap();
    run(&mut world, 2.0);
    let coordinate = |name: &str| world.joint(joint).unwrap().coordinate(name).unwrap();
    assert!((coordinate("steering").position() - 0.4).abs() < 1e-3, "{}", coordinate("steering").position());
    assert!((coordinate("spin").speed() - 5.0).abs() < 1e-6, "{}", coordinate("spin").speed());
    assert!((coordinate("spin").position() - 12.5).abs() < 0.05, "{}", coordinate("spin").position());
}

/// The speed of every coordinate is how fast its position changes.
#[test]
fn speeds_are_rates_of_positions() {
    let free = [Freedom::FREE; 3];
    let wheel = Wheel::at(DVec3::ZERO, DVec3::Y, DVec3::Z).with_travel(Freedom::FREE).with_steering(Freedom::FREE);
    let joints: Vec<Arc<dyn Attach>> = vec![
        Arc::new(Hinge::at(DVec3::ZERO, DVec3::X)),
        Arc::new(Slider::at(DVec3::ZERO, DVec3::X)),
        Arc::new(Cylindrical::at(DVec3::ZERO, DVec3::X)),
        Arc::new(Screw::at(DVec3::ZERO, DVec3::X, 0.1)),
        Arc::new(wheel),
        Arc::new(SixAxes::at(DVec3::ZERO).with_slide(free).with_turn(free)),
    ];
    let mut seen = 0;
    for joint in joints {
        // The reference: it leaves no gap that a step of a hundred-thousandth of a second would close too fast.
        let mut world = World::with_method(Retroactive::new());
        world.set_gravity(DVec3::ZERO);
        let body = block(&mut world);
        world.body_mut(body).unwrap().set_velocity([0.3, 0.2, -0.1]).unwrap();
        world.body_mut(body).unwrap().set_angular_velocity([0.5, 0.1, 0.2]).unwrap();
        let joint = world.add_joint(Joint::new(JointEnd::World, body, joint)).unwrap();
        run(&mut world, 1.0);
        let before = world.joint(joint).unwrap().coordinates();
        world.step(1e-5).unwrap();
        let after = world.joint(joint).unwrap().coordinates();
        for (before, after) in before.iter().zip(&after) {
            let rate = (after.position() - before.position()) / 1e-5;
            let speed = 0.5 * (before.speed() + after.speed());
            assert!((rate - speed).abs() < 1e-6, "{}: {rate} and {speed}", before.name);
            seen += 1;
        }
    }
    assert_eq!(seen, 1 + 1 + 2 + 1 + 3 + 6);
}

#[test]
fn what_cannot_be_set_is_refused_by_name() {
    let (mut world, joint) = shaft();
    let error = world.joint_mut(joint).unwrap().set_freedom("slide", Freedom::FREE).unwrap_err().to_string();
    assert_eq!(error, "there is no coordinate of this joint named \"slide\"; known are turn");
    let bad = Freedom::FREE.with_motor(f64::NAN, 1.0);
    let error = world.joint_mut(joint).unwrap().set_freedom("turn", bad).unwrap_err().to_string();
    assert!(error.contains("motor speed"), "{error}");
    assert_eq!(world.joint(joint).unwrap().coordinate("turn").unwrap().freedom, Freedom::FREE);
    let body = block(&mut world);
    let ball = world.add_joint(Joint::new(JointEnd::World, body, Ball::at(DVec3::ZERO))).unwrap();
    let error = world.joint_mut(ball).unwrap().set_freedom("turn", Freedom::FREE).unwrap_err().to_string();
    assert!(error.ends_with("known are none"), "{error}");
}
