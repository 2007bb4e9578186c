//! Constraints against numerical differentiation: `J ẋ` against the rate of change of `c`, `J̇ẋ` against that of `J ẋ`,
//! and joints against the motions they must allow and forbid.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod moving;

use glam::DVec3;
use moving::{check_derivatives, random_vector};
use tumble_dynamics::constraint::{
    Attach, Ball, ConstantVelocity, Cylindrical, Distance, Drive, Freedom, Hinge, HingeForm, Joystick, Lines, OnPlane,
    OrientationLock, Planar, Screw, Slider, Universal, Weld,
};
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::{Body, World};

#[test]
fn derivatives_of_joints_that_hold_points() {
    check_derivatives("ball", |random| Box::new(Ball::at(random_vector(random))));
    check_derivatives("rod", |random| Box::new(Distance::rod(random_vector(random), random_vector(random))));
    check_derivatives("rope", |random| Box::new(Distance::rope(random_vector(random), random_vector(random))));
    check_derivatives("between", |random| {
        Box::new(Distance::rod(random_vector(random), random_vector(random)).between(0.3, 2.0))
    });
    check_derivatives("plane", |random| Box::new(OnPlane::at(random_vector(random), random_vector(random))));
    check_derivatives("lines", |random| {
        let points = [random_vector(random), random_vector(random)];
        Box::new(Lines { points, directions: [random_vector(random), random_vector(random)], ..Lines::default() })
    });
}

#[test]
fn derivatives_of_joints_that_slide_and_turn() {
    let coordinate = Freedom { min: Some(-1.0), max: Some(1.0), friction: 1.0, ..Freedom::FREE };
    let coordinate = coordinate.with_motor(1.0, 2.0).with_drive(Drive::default());
    check_derivatives("slider", |random| {
        Box::new(Slider::at(random_vector(random), random_vector(random)).with_slide(coordinate))
    });
    check_derivatives("cylindrical", |random| {
        let joint = Cylindrical::at(random_vector(random), random_vector(random));
        Box::new(Cylindrical { slide: coordinate, turn: coordinate, ..joint })
    });
    check_derivatives("planar", |random| Box::new(Planar::at(random_vector(random), random_vector(random))));
    check_derivatives("screw", |random| {
        let joint = Screw::at(random_vector(random), random_vector(random), random.f64());
        Box::new(Screw { turn: coordinate, ..joint })
    });
    for form in [HingeForm::DotProduct, HingeForm::TwoPositions, HingeForm::Quaternion, HingeForm::TwoJoysticks] {
        check_derivatives("hinge", |random| {
            Box::new(Hinge::at(random_vector(random), random_vector(random)).with_form(form).with_turn(coordinate))
        });
    }
}

#[test]
fn derivatives_of_joints_that_hold_orientations() {
    check_derivatives("weld", |random| Box::new(Weld::at(random_vector(random))));
    check_derivatives("weld by points", |random| Box::new(Weld::at(random_vector(random)).by_three_points()));
    check_derivatives("orientation lock", |_| Box::new(OrientationLock::default()));
    check_derivatives("joystick", |random| Box::new(Joystick::about(random_vector(random))));
    check_derivatives("joystick limits", |random| Box::new(Joystick::about(random_vector(random)).between(-0.5, 1.0)));
    check_derivatives("universal", |random| {
        let arm = random_vector(random).normalize();
        Box::new(Universal::at(random_vector(random), arm, arm.any_orthogonal_vector()))
    });
    check_derivatives("constant velocity", |random| {
        Box::new(ConstantVelocity::at(random_vector(random), random_vector(random)))
    });
}

/// A rod of 1 m that hangs from a hinge at its end and starts level; `x` in front: level along x.
fn pendulum(joint: impl Attach + 'static) -> (World, tumble_dynamics::BodyId) {
    let mut world = World::with_method(Retroactive::new());
    let rod = Body::dynamic().with_shape(Shape::cuboid([0.5, 0.01, 0.01]).unwrap()).at([0.5, 0.0, 0.0]).without_sleep();
    let rod = world.add_body(rod).unwrap();
    world.add_joint(Joint::new(rod, JointEnd::World, joint)).unwrap();
    (world, rod)
}

#[test]
fn pendulum_keeps_its_energy_and_its_length_for_a_minute() {
    // RATTLE is symplectic: the energy oscillates within a swing, by an amount of the second order in the step, and does
    // not drift.
    for (dt, swing, drift) in [(1.0 / 60.0, 2e-3, 3e-8), (1.0 / 240.0, 1.25e-4, 9e-9)] {
        let (mut world, rod) = pendulum(Hinge::at([0.0; 3], [0.0, 0.0, 1.0]));
        let energy = |world: &World| {
            let body = world.body(rod).unwrap();
            body.kinetic_energy() + body.mass() * 9.81 * body.center_of_mass().y
        };
        let (start, scale) = (energy(&world), world.body(rod).unwrap().mass() * 9.81 * 0.5);
        let mut worst: f64 = 0.0;
        let mut highest_in_the_end = f64::NEG_INFINITY;
        for _ in 0..(60.0 / dt) as usize {
            world.step(dt).unwrap();
            let change = (energy(&world) - start) / scale;
            worst = worst.max(change.abs());
            if world.time() > 55.0 {
                highest_in_the_end = highest_in_the_end.max(change);
            }
            let stretch = world.body(rod).unwrap().center_of_mass().length() - 0.5;
            assert!(stretch.abs() < 1e-9, "stretched by {stretch}");
        }
        assert!(worst < swing, "energy off by {worst} of its range at dt = {dt}");
        assert!(highest_in_the_end.abs() < drift, "energy drifted by {highest_in_the_end:e} of its range at dt = {dt}");
    }
}

#[test]
fn hinged_rod_swings_with_the_period_of_the_elliptic_integral() {
    // T = 4 K(sin²(θ₀/2)) / √(3g/2L) for a release at 90°.
    let exact = 4.0 * 1.854_074_677_301_372 / (1.5 * 9.81_f64).sqrt();
    let (mut world, rod) = pendulum(Hinge::at([0.0; 3], [0.0, 0.0, 1.0]));
    let dt = 1.0 / 240.0;
    let mut turning_points = Vec::new();
    let mut before = 0.0;
    while turning_points.len() < 5 && world.time() < 10.0 {
        world.step(dt).unwrap();
        let rate = world.body(rod).unwrap().angular_velocity().z;
        if before != 0.0 && rate * before < 0.0 {
            turning_points.push(world.time() - dt * rate / (rate - before));
        }
        before = rate;
    }
    let period = (turning_points[4] - turning_points[0]) / 2.0;
    assert!((period / exact - 1.0).abs() < 3e-5, "period {period} instead of {exact}");
}

#[test]
fn welded_boxes_fall_as_one_and_carry_their_reaction() {
    let mut world = World::with_method(Retroactive::new());
    let cube = || Body::dynamic().with_shape(Shape::cuboid([0.5, 0.5, 0.5]).unwrap()).without_sleep();
    let a = world.add_body(cube()).unwrap();
    let b = world.add_body(cube().at([1.0, 0.0, 0.0]).with_angular_velocity([0.3, 0.2, 0.1])).unwrap();
    world.add_joint(Joint::new(a, b, Weld::at([0.5, 0.0, 0.0]))).unwrap();
    for _ in 0..600 {
        world.step(1.0 / 120.0).unwrap();
        let (a, b) = (world.body(a).unwrap(), world.body(b).unwrap());
        let seam = (a.pose().point(DVec3::X * 0.5) - b.pose().point(-DVec3::X * 0.5)).length();
        let twist = (a.rotation().conjugate() * b.rotation()).xyz().length();
        assert!(seam < 1e-3 && twist < 1e-3, "seam {seam}, twist {twist}");
    }
}
