//! Locks: a game in two dimensions in a world of three, and a figure that does not fall over.
//!
//! `cargo run --release -p tumble --example locks`

use tumble::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y)?))?;
    // Pushed out of the plane, it stays in it.
    let flat = Body::dynamic().with_shape(Shape::cuboid([0.5; 3])?).with_locks(Locks::PLANE_XY).at([0.0, 2.0, 0.0]);
    let flat = world.add_body(flat)?;
    // Pushed at its head, it slides and stays upright.
    let figure = Body::dynamic().with_shape(Shape::capsule(0.6, 0.3)?).with_locks(Locks::TURNS).at([5.0, 0.9, 0.0]);
    let figure = world.add_body(figure)?;
    for _ in 0..120 {
        world.body_mut(flat)?.apply_force([300.0, 0.0, 5000.0])?;
        let head = world.body(figure)?.position() + DVec3::Y;
        let push = 8.0 * world.body(figure)?.mass();
        world.body_mut(figure)?.apply_force_at([push, 0.0, 0.0], head)?;
        world.step(1.0 / 60.0)?;
    }
    println!("the cube is at {:.3}", world.body(flat)?.position());
    println!(
        "the figure is at {:.3}, upright to {:.1e}",
        world.body(figure)?.position(),
        1.0 - world.body(figure)?.rotation().w
    );
    Ok(())
}
