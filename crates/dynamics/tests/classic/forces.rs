//! Forces between pairs, and forces as functions of time.

use glam::DVec3;
use std::f64::consts::TAU;
use tumble_dynamics::force::{Coulomb, Gravitation, TimedForce};
use tumble_dynamics::{Body, BodyId, World};

fn empty() -> World {
    let mut world = World::new();
    world.set_gravity([0.0; 3]);
    world
}

fn at(world: &World, id: BodyId) -> DVec3 {
    world.body(id).unwrap().position()
}

/// Kepler's third law for two equal bodies on a circle: ω² d³ = G (m₁ + m₂). After a turn they are back, and energy and momentum are kept.
#[test]
fn two_bodies_circle_each_other_as_kepler_says() {
    let mut world = empty();
    world.add_force(Gravitation { constant: 1.0, ..Gravitation::default() });
    let (masses, d) = ([3.0_f64, 1.0], 2.0);
    let omega = ((masses[0] + masses[1]) / (d * d * d)).sqrt();
    let radii = [d * masses[1] / 4.0, d * masses[0] / 4.0];
    let ids = [(-radii[0], 0), (radii[1], 1)].map(|(x, k)| {
        world.add_body(Body::particle(masses[k]).at([x, 0.0, 0.0]).with_velocity([0.0, omega * x, 0.0])).unwrap()
    });
    let start = world.energy().total();
    assert!((start - (0.5 * 4.0 * 0.75 * omega * omega - 3.0 / d) - 0.0).abs() < 2.0, "{start}");
    let steps = 2000;
    for _ in 0..steps {
        world.step(TAU / omega / f64::from(steps)).unwrap();
    }
    assert!((at(&world, ids[0]) - DVec3::new(-radii[0], 0.0, 0.0)).length() < 1e-4);
    assert!((world.energy().total() / start - 1.0).abs() < 1e-6);
    let momentum: DVec3 = ids.iter().zip(masses).map(|(&id, mass)| world.body(id).unwrap().velocity() * mass).sum();
    assert!(momentum.length() < 1e-12);
}

/// Two equal charges at rest fly apart; far away all of k q²/d has become kinetic energy.
#[test]
fn charges_repel_and_keep_their_energy() {
    let mut world = empty();
    let charges = [("a".to_owned(), 1e-5), ("b".to_owned(), 1e-5)].into_iter().collect();
    world.add_force(Coulomb { charges, ..Coulomb::default() });
    let ids = [("a", -0.5), ("b", 0.5)]
        .map(|(name, x)| world.add_body(Body::particle(1.0).named(name).at([x, 0.0, 0.0])).unwrap());
    let start = world.energy().total();
    assert!((start - 8.987_551_787_368_176e9 * 1e-10).abs() < 1e-9, "{start}");
    for _ in 0..2000 {
        world.step(0.001).unwrap();
    }
    assert!((world.energy().total() / start - 1.0).abs() < 1e-5);
    assert!(at(&world, ids[1]).x > 1.0 && (at(&world, ids[0]) + at(&world, ids[1])).length() < 1e-12);
}

/// A ramp from 0 to 6 N in a second: v(1) = 3 m/s for a kilogram, x(1) = 1 m.
#[test]
fn a_timed_force_ramps_up_and_shakes() {
    let mut world = empty();
    let ramp = TimedForce { force: DVec3::X, times: vec![0.0, 1.0], values: vec![0.0, 6.0], ..TimedForce::default() };
    assert!((ramp.strength(0.25) - 1.5).abs() < 1e-15 && ramp.strength(7.0) == 6.0 && ramp.strength(-1.0) == 0.0);
    world.add_force(ramp.clone());
    let id = world.add_body(Body::particle(1.0)).unwrap();
    for _ in 0..1000 {
        world.step(0.001).unwrap();
    }
    assert!((world.body(id).unwrap().velocity().x - 3.0).abs() < 1e-5 && (at(&world, id).x - 1.0).abs() < 1e-5);
    let shaker = TimedForce { amplitude: 2.0, frequency: 0.25, ..TimedForce::default() };
    assert!((shaker.strength(1.0) - 3.0).abs() < 1e-12);
    assert!(TimedForce { times: vec![1.0], ..ramp }.validate().is_err());
}
