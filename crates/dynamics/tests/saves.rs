//! Saved states are small, and carry the settings of the world.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use tumble_dynamics::event::Phase;
use tumble_dynamics::force::Spring;
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::integrator::ExplicitEuler;
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::model::JointEnd;
use tumble_dynamics::{Body, EnergyWatch, SavedState, World};

const DT: f64 = 1.0 / 60.0;

/// Boxes on a floor, some of them on others.
fn boxes() -> World {
    let mut world = World::with_method(Retroactive::new());
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
    for number in 0..200 {
        let [x, y, z] = [number % 10, number / 10 % 2, number / 20].map(f64::from);
        let shape = Shape::cuboid([0.5; 3]).unwrap();
        world.add_body(Body::dynamic().with_shape(shape).at([1.5 * x, y + 0.5, 1.5 * z])).unwrap();
    }
    world
}

/// All that a resting world needs, bodies included, for each contact of four points.
#[test]
fn a_resting_world_takes_less_than_a_kilobyte_per_contact() {
    let mut world = boxes();
    for step in 0..90 {
        world.step(DT).unwrap();
        if step % 30 == 29 {
            let bytes = world.save().to_bytes().len();
            let (contacts, points) = world.contacts().fold((0, 0), |(n, m), c| (n + 1, m + c.points().len()));
            println!("step {step}: {bytes} bytes, {contacts} contacts, {points} points");
            assert!(contacts == 200 && points == 800);
            assert!(bytes < 1000 * contacts, "{bytes} bytes, {contacts} contacts");
        }
    }
}

/// How many times a contact that goes on is told within a second.
fn told(world: &mut World) -> usize {
    let ongoing = |world: &World| world.events().contacts.iter().filter(|e| e.phase == Phase::Persist).count();
    (0..60).map(|_| world.step(DT).map(|()| ongoing(world)).unwrap()).sum()
}

#[test]
fn the_contact_rate_is_restored_and_loaded() {
    let build = || {
        let mut world = World::with_method(Retroactive::new());
        world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
        world.add_body(Body::dynamic().with_shape(Shape::sphere(0.5).unwrap()).at([0.0, 0.5, 0.0])).unwrap();
        world
    };
    for rate in [0.0, 20.0, f64::INFINITY] {
        let mut world = build();
        world.set_contact_rate(rate).unwrap();
        world.step(DT).unwrap();
        let (snapshot, bytes) = (world.snapshot(), world.save().to_bytes());
        let expected = told(&mut world);
        let (mut restored, mut loaded) = (build(), build());
        restored.restore(&snapshot);
        loaded.load(&SavedState::from_bytes(&bytes).unwrap()).unwrap();
        assert_eq!([restored.contact_rate(), loaded.contact_rate()], [rate; 2]);
        assert_eq!([told(&mut restored), told(&mut loaded)], [expected; 2], "{rate} per second");
    }
}

/// Explicit Euler gains energy on a circle, a little in every step: the watch speaks up when it has become too much, and that is
/// a matter of what it remembers.
#[test]
fn the_energy_watch_goes_on_where_it_was() {
    let build = || {
        let mut world = World::with_method(Retroactive::new().with_integrator(ExplicitEuler::default()));
        world.set_gravity([0.0; 3]);
        let bob = world.add_body(Body::particle(1.0).at([1.0, 0.0, 0.0]).with_velocity([0.0, 1.0, 0.0])).unwrap();
        world.add_force(Spring { stiffness: 100.0, ..Spring::new(JointEnd::World, bob) });
        world
    };
    let first_told = |world: &mut World| {
        let is_told = |world: &mut World| world.step(0.001).map(|()| !world.events().energy.is_empty()).unwrap();
        (0..2000).find(|_| is_told(world)).unwrap()
    };
    let mut world = build();
    world.set_energy_watch(EnergyWatch::Warn);
    (0..100).for_each(|_| world.step(0.001).unwrap());
    let (snapshot, bytes) = (world.snapshot(), world.save().to_bytes());
    let expected = first_told(&mut world);
    let (mut restored, mut loaded) = (build(), build());
    restored.restore(&snapshot);
    loaded.load(&SavedState::from_bytes(&bytes).unwrap()).unwrap();
    assert_eq!([restored.energy_watch(), loaded.energy_watch()], [EnergyWatch::Warn; 2]);
    assert_eq!([first_told(&mut restored), first_told(&mut loaded)], [expected; 2]);
}
