//! A game loop without a window: steps of one length, pictures at any rate, poses interpolated between the last two steps.
//!
//! `cargo run --release -p tumble --example game_loop`

use tumble::prelude::*;

const STEP: f64 = 1.0 / 60.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y)?))?;
    let ball = Body::dynamic().with_shape(Shape::sphere(0.25)?).with_material(Material::RUBBER).at([0.0, 2.0, 0.0]);
    let ball = world.add_body(ball)?;

    // A screen that draws 144 times a second, now and then late.
    let mut not_yet_simulated = 0.0;
    for frame in 0..72 {
        let passed = if frame % 10 == 9 { 3.0 / 144.0 } else { 1.0 / 144.0 };
        not_yet_simulated += passed;
        while not_yet_simulated >= STEP {
            world.step(STEP)?;
            not_yet_simulated -= STEP;
        }
        let shown = world.interpolated(ball, not_yet_simulated / STEP)?;
        if frame % 6 == 0 {
            let height = shown.translation.y;
            println!("{:5.3} s {}o", world.time(), " ".repeat((30.0 * height) as usize));
        }
    }
    Ok(())
}
