//! Going on from another state of the same model: what is kept, what is forgotten, what is refused.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::{DQuat, DVec3};
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::{Body, Material, State, World, Wrench};

const DT: f64 = 1.0 / 120.0;

/// Three boxes that fall on each other.
fn stack() -> World {
    let mut world = World::new();
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
    for level in 0..3 {
        let at = [0.05 * f64::from(level), 0.6 + 1.1 * f64::from(level), 0.0];
        let shape = Shape::cuboid([0.5, 0.5, 0.5]).unwrap();
        world.add_body(Body::dynamic().with_shape(shape).with_material(Material::RUBBER).at(at)).unwrap();
    }
    world
}

fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        world.step(DT).unwrap();
    }
}

/// The method forgets everything, so the run goes on exactly as a world that never was anywhere else.
#[test]
fn a_world_goes_on_from_a_state_as_if_it_had_begun_there() {
    let mut world = stack();
    run(&mut world, 100);
    let middle = world.state().clone();
    run(&mut world, 100);
    world.set_state(&middle).unwrap();
    assert_eq!(world.state().fingerprint(), middle.fingerprint());
    assert_eq!(world.contacts().count(), 0, "contacts of another time are forgotten");
    assert_eq!(world.events().contacts.len(), 0, "and so is what happened then");

    let mut fresh = stack();
    fresh.set_state(&middle).unwrap();
    run(&mut world, 100);
    run(&mut fresh, 100);
    assert_eq!(world.state().fingerprint(), fresh.state().fingerprint());
    assert!(world.contacts().count() > 0);
}

/// Queries see the bodies where they are now, not where they were.
#[test]
fn queries_follow() {
    let mut world = stack();
    let high = world.bodies().last().map(|(id, _)| id).unwrap();
    let start = world.state().clone();
    let up = |world: &World| world.body(high).unwrap().pose().translation.y;
    let before = up(&world);
    run(&mut world, 60);
    assert!(up(&world) < before - 0.1);
    world.set_state(&start).unwrap();
    assert_eq!(up(&world), before);
}

#[test]
fn states_that_do_not_fit_are_refused_and_change_nothing() {
    let mut world = stack();
    run(&mut world, 50);
    let before = world.state().fingerprint();
    let good = world.state().clone();
    let spoil = |spoil: &dyn Fn(&mut State)| {
        let mut state = good.clone();
        spoil(&mut state);
        state
    };
    let bad = [
        State::default(),
        spoil(&|state| state.bodies.truncate(2)),
        spoil(&|state| state.angles = vec![f64::NAN]),
        spoil(&|state| state.applied.set(99, Wrench { force: DVec3::X, torque: DVec3::ZERO })),
        spoil(&|state| state.broken.push(false)),
        spoil(&|state| state.angles.push(0.0)),
        spoil(&|state| state.bodies[1].position.x = f64::NAN),
        spoil(&|state| state.bodies[1].velocity.y = f64::INFINITY),
        spoil(&|state| state.bodies[1].rotation = DQuat::from_xyzw(0.0, 0.0, 0.0, 3.0)),
        spoil(&|state| state.bodies[1].quiet_time = f64::NAN),
        spoil(&|state| state.applied.set(1, Wrench { force: DVec3::ZERO, torque: DVec3::splat(f64::NAN) })),
        spoil(&|state| state.time = f64::NAN),
    ];
    for (number, state) in bad.iter().enumerate() {
        assert!(world.set_state(state).is_err(), "state {number}");
        assert_eq!(world.state().fingerprint(), before, "state {number}");
    }
    world.set_state(&good).unwrap();
}
