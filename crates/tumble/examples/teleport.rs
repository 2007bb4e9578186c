//! A portal: a sensor that puts what enters it somewhere else, with its velocity, without a collision on the way.
//!
//! `cargo run --release -p tumble --example teleport`

use tumble::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y)?))?;
    world.add_body(Body::fixed().with_shape(Shape::cuboid([0.2, 3.0, 3.0])?).at([4.0, 3.0, 0.0]))?;
    let entrance = Collider::new(Shape::cuboid([0.3, 1.0, 1.0])?).as_sensor();
    world.add_body(Body::fixed().with_collider(entrance).at([3.0, 1.0, 0.0]))?;
    let ball = Body::dynamic().with_shape(Shape::sphere(0.3)?).at([0.0, 0.3, 0.0]).with_velocity([4.0, 0.0, 0.0]);
    let ball = world.add_body(ball)?;
    let beyond_the_wall = Transform::from_translation(DVec3::new(6.0, 0.3, 0.0));
    for _ in 0..90 {
        world.step(1.0 / 60.0)?;
        if world.events().sensors.iter().any(|event| event.phase == Phase::Begin) {
            println!("{:.2} s: the ball enters at x = {:.2} m", world.time(), world.body(ball)?.position().x);
            world.body_mut(ball)?.teleport(beyond_the_wall)?;
        }
    }
    let body = world.body(ball)?;
    println!("{:.2} s: it rolls on at x = {:.2} m with {:.2} m/s", world.time(), body.position().x, body.velocity().x);
    Ok(())
}
