//! The same input gives the same bits: across runs, across a snapshot in the middle, and across a file.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use serde_json::json;
use tumble_dynamics::constraint::Ball;
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::geometry::math::rotation_from_vector;
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::model::{Breaking, Joint, JointEnd};
use tumble_dynamics::registry::Registry;
use tumble_dynamics::solver::SequentialImpulses;
use tumble_dynamics::{Body, Collider, Material, SavedState, World};

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
    let (middle, saved) = (first.snapshot(), first.save());
    run(&mut first, STEPS / 2);
    let fingerprint = first.state().fingerprint();
    assert!(first.state().bodies.iter().all(|body| body.position.is_finite()));

    // The same from a file, in a world that never lived through the first half.
    let bytes = saved.to_bytes();
    let mut third = pile();
    third.load(&SavedState::from_bytes(&bytes).unwrap()).unwrap();
    run(&mut third, STEPS / 2);
    assert_eq!(third.state().fingerprint(), fingerprint, "the run resumed from a file differs");

    // The same from the beginning, in another world that is put on the track of the first half-way.
    let mut second = pile();
    run(&mut second, STEPS / 2);
    assert_eq!(second.state(), middle.state(), "two runs differ");
    second.restore(&middle);
    run(&mut second, STEPS / 2);
    assert_eq!(second.state().fingerprint(), fingerprint, "the resumed run differs");
}

/// Joints, sensors, all integrators, a half-space, bodies asleep, removed and just moved: saved at every step, resumed from a
/// file for a few.
#[test]
fn a_world_resumed_from_a_file_goes_on_as_before() {
    let registry = Registry::default();
    for integrator in registry.integrators.parts() {
        let build = || {
            let method = json!({ "integrator": { "name": integrator.name } });
            let mut world = World::with_method(Retroactive::new());
            world.set_boxed_method(registry.method("retroactive", &method).unwrap());
            let plane = Shape::half_space(DVec3::new(0.1, 1.0, 0.0)).unwrap();
            world.add_body(Body::fixed().with_shape(plane)).unwrap();
            let mut random = fastrand::Rng::with_seed(5);
            let rough = Material { restitution: 0.5, perturbation: 0.1, rolling_friction: 0.01, ..Material::default() };
            let mut bodies = Vec::new();
            for i in 0..20 {
                let shape = if i % 2 == 0 { Shape::cuboid([0.3; 3]) } else { Shape::capsule(0.2, 0.2) };
                let body = Body::dynamic().with_shape(shape.unwrap()).with_material(rough);
                let body = body.at(vector(&mut random, 2.0) + DVec3::Y * 3.0);
                bodies.push(world.add_body(body.with_velocity(vector(&mut random, 2.0))).unwrap());
            }
            world.remove_body(bodies[3]).unwrap();
            let sensor = Collider::new(Shape::sphere(1.0).unwrap()).as_sensor();
            world.add_body(Body::fixed().with_collider(sensor).at([0.0, 1.0, 0.0])).unwrap();
            world.add_joint(Joint::new(bodies[4], bodies[5], Ball::at([0.0, 3.0, 0.0]))).unwrap();
            let hook = Breaking { force: 1e4, ..Breaking::default() };
            world.add_joint(Joint::new(bodies[6], JointEnd::World, Ball::at([0.0, 4.0, 0.0])).breaking(hook)).unwrap();
            (world, bodies)
        };
        let (mut world, bodies) = build();
        for step in 0..120 {
            if step % 10 == 7 {
                world.body_mut(bodies[7]).unwrap().set_position([0.0, 2.0, 0.0]).unwrap();
                world.body_mut(bodies[8]).unwrap().apply_force([0.0, 1e3, 0.0]).unwrap();
            }
            if step % 10 < 8 {
                run(&mut world, 1);
                continue;
            }
            let bytes = world.save().to_bytes();
            let (mut other, _) = build();
            other.load(&SavedState::from_bytes(&bytes).unwrap()).unwrap();
            assert_eq!(other.save(), world.save());
            for _ in 0..5 {
                run(&mut world, 1);
                run(&mut other, 1);
                assert_eq!(world.state(), other.state(), "{} at {step}", integrator.name);
                assert_eq!(world.events(), other.events());
            }
        }
    }
}

#[test]
fn a_saved_state_that_does_not_fit_is_refused() {
    let world = pile();
    let saved = serde_json::to_value(world.save()).unwrap();
    let refuse = |path: &str, value: serde_json::Value| {
        let mut changed = saved.clone();
        *changed.pointer_mut(path).unwrap() = value;
        let mut other = pile();
        let before = other.state().clone();
        let result =
            serde_json::from_value::<SavedState>(changed).map(|saved| other.load(&saved).unwrap_err().to_string());
        assert_eq!(*other.state(), before);
        result.unwrap_or_else(|error| error.to_string())
    };
    assert!(refuse("/method", json!("other")).contains("other"));
    assert!(refuse("/memory", json!([])).contains("the memory of the method"));
    assert!(refuse("/memory", json!([255, 255, 255, 255, 1])).contains("the memory of the method"));
    assert!(refuse("/state/bodies", json!([])).contains("0 rows of bodies"));
    assert!(refuse("/state/bodies/3/rotation", json!([0.0, 0.0, 0.0, 2.0])).contains("unit quaternion"));
    assert!(!refuse("/state/bodies/3/position", json!([0.0, null, 0.0])).is_empty());
    assert!(refuse("/state/broken", json!([true])).contains("1 rows of joints"));
}
