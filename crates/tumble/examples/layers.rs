//! Collision layers: players pass through each other, bullets meet everything but the player who shot them.
//!
//! `cargo run --release -p tumble --example layers`

use tumble::prelude::*;

const PLAYERS: u32 = 1 << 1;
const BULLETS: u32 = 1 << 2;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y)?))?;
    let player = |x: f64, speed: f64| -> Result<Body, ModelError> {
        let body = Body::dynamic().with_shape(Shape::capsule(0.5, 0.3)?).with_locks(Locks::TURNS);
        let layers = Layers::new(PLAYERS, Layers::ALL & !(PLAYERS | BULLETS));
        Ok(body.with_layers(layers).with_material(Material::ICE).at([x, 0.8, 0.0]).with_velocity([speed, 0.0, 0.0]))
    };
    let left = world.add_body(player(-2.0, 3.0)?)?;
    let right = world.add_body(player(2.0, -3.0)?)?;
    for _ in 0..60 {
        world.step(1.0 / 60.0)?;
    }
    let [a, b] = [world.body(left)?.position().x, world.body(right)?.position().x];
    println!("they walked through each other: the left one is at {a:.2} m, the right one at {b:.2} m");

    // A question can be asked by layers too: what would a bullet hit?
    let shot = Ray::new(DVec3::new(a, 0.8, 0.0), DVec3::X)?;
    let bullet = Layers::new(BULLETS, Layers::ALL & !PLAYERS);
    match world.query().meeting(bullet).cast_ray(&shot, 100.0, |_| true) {
        Some(hit) => println!("a bullet would hit something after {:.2} m", hit.distance),
        None => println!("a bullet would hit nothing: players are not in its layers"),
    }
    Ok(())
}
