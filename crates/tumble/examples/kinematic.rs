//! Bodies that your program moves: a lift that carries a crate, and a paddle that follows the mouse and bats a ball.
//!
//! `cargo run --release -p tumble --example kinematic`

use tumble::prelude::*;

const STEP: f64 = 1.0 / 60.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    let lift = world.add_body(Body::kinematic().with_shape(Shape::cuboid([1.0, 0.1, 1.0])?).at([0.0, -0.1, 0.0]))?;
    let load = world.add_body(Body::dynamic().with_shape(Shape::cuboid([0.3; 3])?).at([0.0, 0.3, 0.0]))?;

    // With a velocity: it goes on until it is told otherwise.
    world.body_mut(lift)?.set_velocity([0.0, 1.5, 0.0])?;
    for _ in 0..120 {
        world.step(STEP)?;
    }
    world.body_mut(lift)?.set_velocity([0.0; 3])?;
    for _ in 0..60 {
        world.step(STEP)?;
    }
    println!(
        "the lift is at {:.3} m, its load at {:.3} m",
        world.body(lift)?.position().y,
        world.body(load)?.position().y
    );

    // To a place in every frame: what it meets feels how fast it really moves.
    let paddle = Body::kinematic().with_shape(Shape::cuboid([0.1, 0.5, 0.5])?).at([-10.0, 0.0, 0.0]);
    let paddle = world.add_body(paddle)?;
    let ball = Body::dynamic().with_shape(Shape::sphere(0.2)?).with_gravity_scale(0.0).at([-9.0, 0.0, 0.0]);
    let ball = world.add_body(ball)?;
    for frame in 1..=30 {
        let mouse = -10.0 + 0.1 * f64::from(frame);
        world.body_mut(paddle)?.move_to(Transform::from_translation(DVec3::X * mouse), STEP)?;
        world.step(STEP)?;
    }
    println!("the paddle moved at {:.1} m/s, the ball flies at {:.1} m/s", 0.1 / STEP, world.body(ball)?.velocity().x);
    Ok(())
}
