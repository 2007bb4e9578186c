//! The same input gives the same bits: across runs, and across a snapshot in the middle.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::geometry::math::rotation_from_vector;
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::solver::SequentialImpulses;
use tumble_dynamics::{Body, Material, World};

const STEPS: usize = 300;
const DT: f64 = 1.0 / 60.0;

/// A thousand bodies of six shapes in a loose block above the ground.
fn pile() -> World {
    let mut random = fastrand::Rng::with_seed(3);
    // Fewer sweeps than the default: this is about bits, not about accuracy.
    let solver = SequentialImpulses { iterations: 20, ..SequentialImpulses::default() };
    let mut world = World::with_method(Retroactive::new().with_solver(solver));
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
    let points: Vec<DVec3> = (0..20).map(|_| rotation_from_vector(vector(&mut random, 6.0)) * DVec3::X * 0.3).collect();
    let shapes = [
        Shape::sphere(0.25).unwrap(),
        Shape::cuboid([0.3, 0.2, 0.25]).unwrap(),
        Shape::capsule(0.2, 0.15).unwrap(),
        Shape::cylinder(0.2, 0.2).unwrap(),
        Shape::cone(0.25, 0.25).unwrap(),
        Shape::hull(&points).unwrap(),
    ];
    let material = Material { restitution: 0.2, perturbation: 0.05, ..Material::default() };
    for i in 0..1000 {
        let cell = DVec3::new(f64::from(i % 10), f64::from(i / 100), f64::from(i / 10 % 10)) * 0.7;
        let at = cell + DVec3::new(0.0, 0.5, 0.0) + vector(&mut random, 0.1);
        let body = Body::dynamic().at(at).rotated(rotation_from_vector(vector(&mut random, 6.0)));
        world.add_body(body.with_shape(shapes[i as usize % shapes.len()].clone()).with_material(material)).unwrap();
    }
    world
}

fn vector(random: &mut fastrand::Rng, scale: f64) -> DVec3 {
    DVec3::new(random.f64() - 0.5, random.f64() - 0.5, random.f64() - 0.5) * scale
}

fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        world.step(DT).unwrap();
    }
}

#[test]
fn a_pile_of_a_thousand_bodies_repeats_itself_bit_for_bit() {
    let mut first = pile();
    run(&mut first, STEPS / 2);
    let middle = first.snapshot();
    run(&mut first, STEPS / 2);
    let fingerprint = first.state().fingerprint();
    assert!(first.state().bodies.iter().all(|body| body.position.is_finite()));

    // The same from the beginning, in another world that is put on the track of the first half-way.
    let mut second = pile();
    run(&mut second, STEPS / 2);
    assert_eq!(second.state(), middle.state(), "two runs differ");
    second.restore(&middle);
    run(&mut second, STEPS / 2);
    assert_eq!(second.state().fingerprint(), fingerprint, "the resumed run differs");
}
