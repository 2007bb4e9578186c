//! The smallest program: a rubber ball falls on the ground and bounces.

use tumble::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y)?).with_material(Material::CONCRETE))?;
    let ball = Body::dynamic().at([0.0, 2.0, 0.0]).with_shape(Shape::sphere(0.1)?).with_material(Material::RUBBER);
    let ball = world.add_body(ball)?;

    let dt = 1.0 / 240.0;
    while world.time() < 3.0 {
        world.step(dt)?;
        for event in &world.events().contacts {
            if event.phase == Phase::Begin {
                println!("{:5.3} s  hits the ground with an impulse of {:.3} N s", event.time, event.impulse.y);
            }
        }
    }
    println!("{:5.3} s  the ball is at {:.3} m", world.time(), world.body(ball)?.position().y);
    Ok(())
}
