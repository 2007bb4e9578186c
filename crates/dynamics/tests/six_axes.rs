//! The joint with six axes turns past 90° about its middle axis, whatever is locked, limited or driven, and makes no energy.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use std::f64::consts::FRAC_PI_2;
use tumble_dynamics::constraint::{Drive, Freedom, SixAxes, Softness};
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::geometry::math::rotation_from_vector;
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::{Body, BodyId, JointId, World};

fn vector(random: &mut fastrand::Rng, size: f64) -> DVec3 {
    DVec3::from_array([0; 3].map(|_| (2.0 * random.f64() - 1.0) * size))
}

/// A box that turns about its centre, held by the joint to the world, without gravity.
fn turning(turn: [Freedom; 3], spin: DVec3) -> (World, BodyId, JointId) {
    let mut world = World::with_method(Retroactive::new());
    world.set_gravity(DVec3::ZERO);
    let body = Body::dynamic().with_shape(Shape::cuboid([0.3, 0.25, 0.2]).unwrap()).with_angular_velocity(spin);
    let body = world.add_body(body.without_sleep()).unwrap();
    let joint = SixAxes::at(DVec3::ZERO).with_turn(turn);
    let joint = world.add_joint(Joint::new(JointEnd::World, body, joint)).unwrap();
    (world, body, joint)
}

/// The largest rise of energy above its least value so far, relative to the first.
fn rise(world: &mut World, dt: f64, seconds: f64) -> f64 {
    let start = world.energy().total();
    let (mut least, mut rise) = (start, 0.0_f64);
    for _ in 0..(seconds / dt) as usize {
        world.step(dt).unwrap();
        let energy = world.energy().total();
        least = least.min(energy);
        rise = rise.max((energy - least) / start);
    }
    rise
}

const LIMITED: Freedom =
    Freedom { min: Some(-0.7), max: Some(0.5), restitution: 0.0, motor: None, drive: None, friction: 0.0 };

/// The middle axis goes all around when one of the others is locked: a universal joint.
#[test]
fn energy_stays_past_a_quarter_turn_of_the_middle_axis() {
    for locked in [0, 2] {
        let mut turn = [Freedom::FREE; 3];
        turn[locked] = Freedom::LOCKED;
        for dt in [1.0 / 60.0, 1.0 / 240.0, 1.0 / 1000.0] {
            let (mut world, body, joint) = turning(turn, DVec3::new(0.3, 3.0, 0.2));
            // What is locked loses its speed at first.
            world.step(dt).unwrap();
            let start = world.energy().kinetic;
            let mut farthest = 0.0_f64;
            for _ in 0..(10.0 / dt) as usize {
                world.step(dt).unwrap();
                let kept = world.energy().kinetic / start;
                assert!((kept - 1.0).abs() < 30.0 * dt * dt + 1e-5, "{locked} locked, {dt}: {kept} of the energy");
                assert!(world.joint(joint).unwrap().error() < 1e-4, "open by {}", world.joint(joint).unwrap().error());
                let beta = world.joint(joint).unwrap().coordinates()[4].position();
                farthest = farthest.max(beta.abs());
            }
            assert!(farthest > 3.0, "β came to {farthest}");
            assert!(world.body(body).unwrap().angular_velocity().length() < 5.0);
        }
    }
}

#[test]
fn no_combination_of_free_limited_and_locked_axes_makes_energy() {
    let choices = [Freedom::FREE, LIMITED, Freedom::LOCKED];
    let mut random = fastrand::Rng::with_seed(2);
    let mut worst = (0.0, String::new());
    for (x, y, z) in (0..27).map(|n| (n % 3, n / 3 % 3, n / 9)) {
        for dt in [1.0 / 60.0, 1.0 / 240.0] {
            for _ in 0..3 {
                let spin = vector(&mut random, 5.0);
                let (mut world, ..) = turning([choices[x], choices[y], choices[z]], spin);
                let rise = rise(&mut world, dt, 3.0);
                if rise > worst.0 {
                    worst = (rise, format!("{x}{y}{z} at {dt}"));
                }
            }
        }
    }
    assert!(worst.0 < 1e-3, "{worst:?}");
}

/// Motors, drives and friction near the place where two of the axes coincide.
#[test]
fn what_drives_the_axes_stays_finite() {
    let motor = Freedom::FREE.with_motor(2.0, 5.0);
    let spring = Softness::Stiffness { stiffness: 20.0, damping: 1.0 };
    let drive = Freedom::FREE.with_drive(Drive { target: 0.4, spring, max_force: None });
    let choices = [Freedom::FREE, LIMITED, Freedom::LOCKED, motor, drive, Freedom::FREE.with_friction(2.0)];
    let mut random = fastrand::Rng::with_seed(3);
    for n in 0..216 {
        let turn = [choices[n % 6], choices[n / 6 % 6], choices[n / 36]];
        let (mut world, body, _) = turning(turn, vector(&mut random, 4.0));
        let mut fastest = 0.0_f64;
        for _ in 0..300 {
            world.step(1.0 / 60.0).unwrap();
            fastest = fastest.max(world.body(body).unwrap().angular_velocity().length());
        }
        // They begin with up to 7 rad/s; a motor of 5 N m gives a box of 1.6 kg m² about 2 rad/s more in the time.
        assert!(fastest < 15.0, "{turn:?}: {fastest} rad/s");
    }
}

/// Angles locked elsewhere than where the joint was made are gone to, up to and beyond a right angle.
#[test]
fn locked_angles_are_reached() {
    let at = |angle: f64| Freedom::between(angle, angle);
    let about = |axis: usize, angle: f64| rotation_from_vector(DVec3::AXES[axis] * angle);
    for (a, b, c) in [(0.5, -0.4, 0.8), (FRAC_PI_2, 0.3, 0.0), (-1.2, FRAC_PI_2, 0.7), (2.0, 0.5, -2.2)] {
        let (mut world, body, _) = turning([at(a), at(b), at(c)], DVec3::ZERO);
        for _ in 0..240 {
            world.step(1.0 / 60.0).unwrap();
        }
        let expected = about(0, a) * about(1, b) * about(2, c);
        let is = world.body(body).unwrap().rotation();
        assert!(is.dot(expected).abs() > 1.0 - 1e-9, "{is} instead of {expected}");
    }
    for locked in 0..3 {
        let mut turn = [Freedom::FREE; 3];
        turn[locked] = at(FRAC_PI_2);
        let (mut world, body, _) = turning(turn, DVec3::ZERO);
        for _ in 0..240 {
            world.step(1.0 / 60.0).unwrap();
        }
        let expected = about(locked, FRAC_PI_2);
        let is = world.body(body).unwrap().rotation();
        assert!(is.dot(expected).abs() > 1.0 - 1e-6, "{locked}: {is} instead of {expected}");
    }
}
