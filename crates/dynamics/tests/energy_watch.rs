//! The energy watch: silent while energy comes from somewhere, and heard when it does not.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use tumble_dynamics::constraint::{Ball, Distance, Freedom, Hinge, Motor, Softness};
use tumble_dynamics::force::{FnForce, ForceContext, Spring, Wrenches};
use tumble_dynamics::geometry::{Shape, Transform};
use tumble_dynamics::integrator::ExplicitEuler;
use tumble_dynamics::method::{Realtime, Retroactive};
use tumble_dynamics::model::{Joint, JointEnd, Script};
use tumble_dynamics::{Body, EnergyWatch, Id, Material, StepError, World};

const DT: f64 = 1.0 / 60.0;

fn watched() -> World {
    let mut world = World::with_method(Retroactive::new());
    world.set_energy_watch(EnergyWatch::Warn);
    world
}

fn warnings(world: &mut World, seconds: f64) -> usize {
    let mut count = 0;
    while world.time() < seconds {
        world.step(DT).unwrap();
        count += world.events().energy.len();
    }
    count
}

fn ground(world: &mut World) {
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
}

/// Rises by three metres within three seconds, from rest to rest: 3 s² − 2 s³.
#[derive(Debug)]
struct Lift;

impl Script for Lift {
    fn pose(&self, time: f64) -> Transform {
        let s = (time / 3.0).clamp(0.0, 1.0);
        Transform::from_translation(DVec3::Y * (3.0 * s * s * (3.0 - 2.0 * s)))
    }
}

/// What a lift does while it slows down is as much its work as what it does before.
#[test]
fn a_lift_does_the_work_of_lifting() {
    for mass in [1.0, 125.0] {
        let worlds = [World::with_method(Retroactive::new()), World::with_method(Realtime::new())];
        for mut world in worlds {
            world.set_energy_watch(EnergyWatch::Warn);
            let floor = Shape::cuboid([1.0, 0.1, 1.0]).unwrap();
            world.add_body(Body::scripted(Lift).with_shape(floor)).unwrap();
            let parcel = Body::dynamic().at([0.0, 0.35, 0.0]).with_shape(Shape::cuboid([0.25; 3]).unwrap());
            let parcel = world.add_body(parcel.with_mass(mass)).unwrap();
            assert_eq!(warnings(&mut world, 5.0), 0, "{} kg with {}", mass, world.method().name());
            assert!((world.body(parcel).unwrap().position().y - 3.35).abs() < 1e-3);
        }
    }
}

/// Goes up and down by a metre.
#[derive(Debug)]
struct Shaker;

impl Script for Shaker {
    fn pose(&self, time: f64) -> Transform {
        Transform::from_translation(DVec3::Y * libm::sin(3.0 * time))
    }
}

#[test]
fn nothing_is_told_while_energy_comes_from_somewhere() {
    // Things that fall, bounce and come to rest.
    let mut world = watched();
    ground(&mut world);
    let bouncy = Material { restitution: 1.0, ..Material::default() };
    for i in 0..12 {
        let shape = if i % 2 == 0 { Shape::sphere(0.3) } else { Shape::cuboid([0.3, 0.2, 0.4]) };
        let at = DVec3::new(0.3 * f64::from(i % 3), 1.0 + 0.7 * f64::from(i), 0.2 * f64::from(i % 2));
        let material = if i % 3 == 0 { bouncy } else { Material::default() };
        world.add_body(Body::dynamic().with_shape(shape.unwrap()).with_material(material).at(at)).unwrap();
    }
    assert_eq!(warnings(&mut world, 5.0), 0, "a pile");

    // A motor that turns a heavy wheel.
    let mut world = watched();
    let wheel = Body::dynamic().with_shape(Shape::cylinder(1.0, 0.2).unwrap());
    let wheel = world.add_body(wheel).unwrap();
    let turn = Freedom { motor: Some(Motor { speed: 20.0, max_force: Some(500.0) }), ..Freedom::default() };
    world.add_joint(Joint::new(JointEnd::World, wheel, Hinge { turn, ..Hinge::at([0.0; 3], DVec3::Y) })).unwrap();
    assert_eq!(warnings(&mut world, 5.0), 0, "a motor");

    // Something that is shaken, and something that hangs on what shakes.
    let mut world = watched();
    let plate = Body::scripted(Shaker).with_shape(Shape::cuboid([2.0, 0.1, 2.0]).unwrap());
    let plate = world.add_body(plate).unwrap();
    world.add_body(Body::dynamic().with_shape(Shape::cuboid([0.2; 3]).unwrap()).at([0.0, 0.3, 0.0])).unwrap();
    let bob = world.add_body(Body::dynamic().with_shape(Shape::sphere(0.2).unwrap()).at([1.5, -1.0, 0.0])).unwrap();
    world.add_joint(Joint::new(plate, bob, Ball::at([1.5, -0.1, 0.0]))).unwrap();
    assert_eq!(warnings(&mut world, 5.0), 0, "a script");

    // A soft rod that is stretched at first, a spring, and a wind without potential.
    let mut world = watched();
    let soft = Softness::Spring { frequency: 1.0, damping_ratio: 0.0 };
    let bob = world.add_body(Body::dynamic().with_mass(1.0).at([2.0, 0.0, 0.0])).unwrap();
    let rod = Distance { min: Some(1.0), max: Some(1.0), softness: soft, ..Distance::rod([0.0; 3], [2.0, 0.0, 0.0]) };
    world.add_joint(Joint::new(JointEnd::World, bob, rod)).unwrap();
    let other = world.add_body(Body::dynamic().with_mass(1.0).at([9.0, 0.0, 0.0])).unwrap();
    let points = [DVec3::new(7.0, 0.0, 0.0), DVec3::ZERO];
    world.add_force(Spring { points, stiffness: 50.0, rest_length: 1.0, ..Spring::new(JointEnd::World, other) });
    let wind = move |_: &ForceContext<'_>, wrenches: &mut Wrenches| wrenches.add_force(other.slot(), DVec3::Z * 3.0);
    world.add_force(FnForce::new("wind", wind));
    assert_eq!(warnings(&mut world, 5.0), 0, "springs");
}

/// Explicit Euler gains energy in every step of an oscillation.
fn gaining(watch: EnergyWatch) -> World {
    let mut world = World::with_method(Retroactive::new().with_integrator(ExplicitEuler::default()));
    world.set_gravity([0.0; 3]);
    let bob = world.add_body(Body::dynamic().named("bob").with_mass(1.0).at([1.0, 0.0, 0.0])).unwrap();
    world.add_force(Spring { stiffness: 400.0, ..Spring::new(JointEnd::World, bob) });
    world.set_energy_watch(watch);
    world
}

#[test]
fn energy_out_of_nothing_is_told() {
    let mut world = gaining(EnergyWatch::Warn);
    let mut told = Vec::new();
    for _ in 0..60 {
        world.step(DT).unwrap();
        told.extend(world.events().energy.iter().copied());
    }
    let bob = world.body_named("bob").unwrap();
    assert!(told.len() > 3 && told.iter().all(|event| event.excess > 0.0 && event.bodies[0] == Some(bob)), "{told:?}");
    let mut silent = gaining(EnergyWatch::Off);
    (0..60).for_each(|_| silent.step(DT).unwrap());
    assert_eq!(silent.state(), world.state(), "watching changes nothing");
}

#[test]
fn a_step_that_gains_is_refused_and_has_not_happened() {
    let mut world = gaining(EnergyWatch::Refuse);
    let error = loop {
        let before = (world.state().fingerprint(), world.time(), world.events().clone());
        if let Err(error) = world.step(DT) {
            assert_eq!((world.state().fingerprint(), world.time(), world.events().clone()), before);
            break error;
        }
        assert!(world.time() < 1.0);
    };
    assert!(matches!(&error, StepError::EnergyRose { bodies, .. } if bodies[0].contains("bob")), "{error}");
}
