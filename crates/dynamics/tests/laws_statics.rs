//! Laws of statics: what stands carries what is above it.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::solver::{ConstraintSolver, Direct, SequentialImpulses};
use tumble_dynamics::{Body, BodyId, Material, World};

const G: f64 = 9.81;
const DT: f64 = 1.0 / 240.0;

/// At most so many sweeps.
fn sweeps(iterations: usize) -> SequentialImpulses {
    SequentialImpulses { iterations, ..SequentialImpulses::default() }
}

/// A tower of spheres or cubes of one metre on the ground, bottom first: how hard each body is pressed up from below after some
/// seconds, in newtons; and how far any of them has moved.
fn tower(shape: &Shape, masses: &[f64], solver: impl ConstraintSolver + 'static, seconds: f64) -> (Vec<f64>, f64) {
    let mut world = World::with_method(Retroactive::new().with_solver(solver));
    let material = Material::default();
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap()).with_material(material)).unwrap();
    let place = |i: usize| DVec3::Y * (0.5 + i as f64);
    let bodies: Vec<BodyId> = masses
        .iter()
        .enumerate()
        .map(|(i, &mass)| {
            let body = Body::dynamic().with_shape(shape.clone()).with_mass(mass).with_material(material);
            world.add_body(body.at(place(i)).without_sleep()).unwrap()
        })
        .collect();
    for _ in 0..(seconds / DT) as usize {
        world.step(DT).unwrap();
    }
    // The impulse from below on each body: from the contact with the ground or with the body before.
    let forces = bodies.iter().map(|&id| {
        let contacts = world.contacts_of(id).filter(|contact| contact.bodies[1] == id);
        contacts.map(|contact| contact.impulse().y / DT).sum()
    });
    let moved = bodies.iter().enumerate().map(|(i, &id)| (world.body(id).unwrap().position() - place(i)).length());
    (forces.collect(), moved.fold(0.0, f64::max))
}

fn assert_carries(forces: &[f64], masses: &[f64], relative: f64) {
    for (i, force) in forces.iter().enumerate() {
        let exact = G * masses[i..].iter().sum::<f64>();
        let error = (force / exact - 1.0).abs();
        assert!(error < relative, "under body {i}: {force} N instead of {exact}, off by {error:e}");
    }
}

/// A tower of ten spheres: the force under each is the weight of all above, 98.1 N at the bottom. The balance is unstable, but
/// rounding alone does not disturb it.
#[test]
fn a_tower_of_spheres_carries_its_weight() {
    let (forces, moved) = tower(&Shape::sphere(0.5).unwrap(), &[1.0; 10], sweeps(100), 2.0);
    assert_carries(&forces, &[1.0; 10], 1e-12);
    assert!(moved < 1e-11, "{moved:e}");
}

/// One kilogram under a thousand: 9819.81 N on the ground, 9810 N between.
#[test]
fn a_light_box_carries_a_heavy_one() {
    let masses = [1.0, 1000.0];
    let (forces, moved) = tower(&Shape::cuboid([0.5, 0.5, 0.5]).unwrap(), &masses, sweeps(100), 2.0);
    assert_carries(&forces, &masses, 1e-9);
    assert!(moved < 1e-4, "{moved}");
}

/// Ten kilograms under a thousand, ten boxes high: 9908.1 N at the bottom, 9810 N under the top. The hardest case for a solver
/// that goes from contact to contact: it takes more sweeps than usual, sinks by 1.6 mm until it has found the forces, and these then
/// tremble from step to step by a thousandth, now and then by a hundredth. So many moments are looked at.
#[test]
fn ten_light_boxes_carry_a_heavy_one() {
    let masses: Vec<f64> = (0..11).map(|i| if i < 10 { 1.0 } else { 1000.0 }).collect();
    let shape = Shape::cuboid([0.5, 0.5, 0.5]).unwrap();
    let mut errors: Vec<f64> = (0..16)
        .map(|moment| {
            let (forces, moved) = tower(&shape, &masses, sweeps(1000), 1.0 + f64::from(moment) * DT);
            assert!(moved < 2e-3, "{moved}");
            let exact = |i: usize| G * masses[i..].iter().sum::<f64>();
            forces.iter().enumerate().map(|(i, force)| (force / exact(i) - 1.0).abs()).fold(0.0, f64::max)
        })
        .collect();
    errors.sort_by(f64::total_cmp);
    assert!(errors[8] < 3e-3, "half of the time the forces are off by {:e}", errors[8]);
    assert!(errors[15] < 3e-2, "the forces are off by up to {:e}", errors[15]);
}

/// The direct solver solves what holds at once: the same boxes sink by 75 µm until it has found the forces, within a quarter of
/// a second, and then it keeps them at every moment.
#[test]
fn ten_light_boxes_carry_a_heavy_one_at_every_moment() {
    let masses: Vec<f64> = (0..11).map(|i| if i < 10 { 1.0 } else { 1000.0 }).collect();
    for steps in [60.0, 61.0, 62.0, 100.0, 300.0, 400.0, 401.0, 402.0, 700.0] {
        let shape = Shape::cuboid([0.5, 0.5, 0.5]).unwrap();
        let (forces, moved) = tower(&shape, &masses, Direct::default(), (steps + 0.5) * DT);
        assert_carries(&forces, &masses, 1e-8);
        assert!(moved < 1e-4, "{moved:e}");
    }
}
