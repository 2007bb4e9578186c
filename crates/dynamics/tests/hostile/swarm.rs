//! A swarm: bodies so fast that each comes near every other within a step.

use tumble_dynamics::geometry::Shape;
use tumble_dynamics::registry::Registry;
use tumble_dynamics::{Body, BodyId, StepError, World};

const DT: f64 = 1.0 / 60.0;

/// Balls in a row, two metres apart, that fly along it slowly.
fn swarm(method: &str, count: u32) -> World {
    let registry = Registry::default();
    let mut world = World::new();
    world.set_boxed_method(registry.method(method, &serde_json::Value::Null).unwrap());
    world.set_gravity([0.0; 3]);
    for number in 0..count {
        let ball = Body::dynamic().with_shape(Shape::sphere(0.5).unwrap()).at([2.0 * f64::from(number), 0.0, 0.0]);
        world.add_body(ball.with_velocity([0.1, 0.0, 0.0])).unwrap();
    }
    world
}

/// More pairs than are allowed: every method refuses the step before it takes the memory, and as if nothing had happened goes on
/// when it may again. A method that looks only where bodies are after the step (`impact`) finds none.
#[test]
fn too_many_pairs_are_refused() {
    let registry = Registry::default();
    let mut refusing = 0;
    for part in registry.methods.parts() {
        let method = part.name.as_str();
        let (mut world, mut smooth) = (swarm(method, 60), swarm(method, 60));
        let ids: Vec<BodyId> = world.bodies().map(|(id, _)| id).collect();
        let speeds = |world: &mut World, speed: f64| {
            ids.iter().for_each(|&id| world.body_mut(id).unwrap().set_velocity([speed, 0.0, 0.0]).unwrap());
        };
        world.set_most_pairs(1000);
        for step in 0..3 {
            if step == 1 {
                // 60 · 59 / 2 pairs on a way of 2 km within the step.
                speeds(&mut world, 1e5);
                let before = world.save().to_bytes();
                match world.step(DT) {
                    Err(error) => {
                        assert_eq!(error, StepError::TooManyPairs { most: 1000 }, "{method}");
                        assert_eq!(world.save().to_bytes(), before, "{method}");
                        world.validate().unwrap();
                        refusing += 1;
                    }
                    Ok(()) => break,
                }
                speeds(&mut world, 0.1);
                speeds(&mut smooth, 0.1);
            }
            world.step(DT).unwrap();
            smooth.step(DT).unwrap();
            assert_eq!(world.state().fingerprint(), smooth.state().fingerprint(), "{method}, step {step}");
        }
    }
    assert!(refusing >= 5, "{refusing} methods refuse");
}
