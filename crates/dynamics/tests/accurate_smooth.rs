//! The accurate method on smooth motion: the error follows the tolerance.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::{DMat3, DQuat, DVec3};
use tumble_dynamics::constraint::{Ball, Hinge};
use tumble_dynamics::geometry::MassProperties;
use tumble_dynamics::method::{Accurate, AccurateSettings};
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::{Body, World};

fn world(tolerance: f64) -> World {
    let settings = AccurateSettings { tolerance, error_estimate: tolerance > 1e-12, ..AccurateSettings::default() };
    World::with_method(Accurate::new().with_settings(settings).unwrap())
}

/// Thin rods on hinges about z, let go level.
fn chain(tolerance: f64, count: usize, length: f64) -> World {
    let mut world = world(tolerance);
    let moment = length * length / 12.0;
    let inertia = DMat3::from_diagonal(DVec3::new(1e-3 * moment, moment, moment));
    let mass = MassProperties { mass: 1.0, center: DVec3::ZERO, inertia };
    let mut last = JointEnd::World;
    for i in 0..count {
        let x = length * i as f64;
        let body = Body::dynamic().with_mass_properties(mass).at([x + 0.5 * length, 0.0, 0.0]);
        let id = world.add_body(body).unwrap();
        world.add_joint(Joint::new(last, id, Hinge::at([x, 0.0, 0.0], DVec3::Z))).unwrap();
        last = id.into();
    }
    world
}

/// A fast top on a nail.
fn top(tolerance: f64) -> World {
    let mut world = world(tolerance);
    let inertia = DMat3::from_diagonal(DVec3::new(0.0025, 0.005, 0.0025));
    let mass = MassProperties { mass: 1.0, center: DVec3::ZERO, inertia };
    let rotation = DQuat::from_xyzw(0.0, 0.0, -0.5, 0.75_f64.sqrt());
    let axis = rotation * DVec3::Y;
    let body = Body::dynamic().with_mass_properties(mass).at(axis * 0.05).rotated(rotation);
    let id = world.add_body(body.with_angular_velocity(axis * 60.0)).unwrap();
    world.add_joint(Joint::new(JointEnd::World, id, Ball::at([0.0; 3]))).unwrap();
    world
}

/// Where the bodies are, and the error that the method says they have.
fn places(mut world: World, until: f64) -> (Vec<DVec3>, f64) {
    world.step(until).unwrap();
    let places = world.state().bodies.iter().map(|body| body.position).collect();
    (places, world.report().accuracy.estimated_error.unwrap_or(0.0))
}

fn error(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

/// The error falls by at least fifty for each hundredth of the tolerance, and the method's own estimate of it is within ten times.
fn follows(name: &str, until: f64, make: impl Fn(f64) -> World) {
    let (exact, _) = places(make(1e-13), until);
    let mut before = f64::INFINITY;
    for exponent in [4, 6, 8, 10] {
        let tolerance = [1e-4, 1e-6, 1e-8, 1e-10][exponent / 2 - 2];
        let (found, estimate) = places(make(tolerance), until);
        let now = error(&found, &exact);
        println!("{name}: tolerance {tolerance:e}, error {now:e}, estimate {estimate:e}");
        let told = (0.1 * now..10.0 * now).contains(&estimate);
        assert!(told || now < 1e-12, "{name} at {tolerance:e}: {now:e}, told to be {estimate:e}");
        assert!(now <= before / 50.0 || now < 1e-12, "{name} at {tolerance:e}: {now:e} after {before:e}");
        before = now;
    }
}

#[test]
fn the_error_of_a_pendulum_follows_the_tolerance() {
    follows("pendulum", 3.0, |tolerance| chain(tolerance, 1, 1.0));
}

#[test]
fn the_error_of_a_double_pendulum_follows_the_tolerance() {
    follows("double pendulum", 2.0, |tolerance| chain(tolerance, 2, 1.0));
}

#[test]
fn the_error_of_a_top_follows_the_tolerance() {
    follows("top", 1.0, top);
}

#[test]
fn the_error_of_a_chain_follows_the_tolerance() {
    follows("chain of 25", 0.4, |tolerance| chain(tolerance, 25, 0.04));
}

/// A chain of a thousand links needs hardly more evaluations for a moment than one of ten: less than a power of 0.2 of the number of links, let go level and
/// looked at after the start. An evaluation costs a time in proportion to the links.
#[test]
fn long_chains_take_steps_nearly_as_long_as_short_ones() {
    let evaluations = |links: usize| {
        let mut world = chain(1e-6, links, 0.1);
        world.step(0.02).unwrap();
        world.step(0.1).unwrap();
        println!("{links} links: {} evaluations", world.report().accuracy.evaluations);
        world.report().accuracy.evaluations as f64
    };
    let [short, long] = [10, 1000].map(evaluations);
    assert!(long < short * libm::pow(100.0, 0.2), "{short} {long}");
}
