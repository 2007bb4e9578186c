//! Contact rules: a platform that can be jumped through from below, and a belt that carries what lies on it.
//!
//! `cargo run --release -p tumble --example contact_rules`

use tumble::prelude::*;

/// What user data says of a body.
const PLATFORM: u64 = 1;
const BELT: u64 = 2;

fn rule(pair: &ContactPair<'_>, change: &mut ContactChange) {
    for side in 0..2 {
        // From this body to the other.
        let sign = if side == 0 { 1.0 } else { -1.0 };
        match pair.body(side).user_data {
            PLATFORM => {
                let (up, rising) = (sign * pair.normal.y, sign * pair.relative_velocity().y);
                change.solid = up > 0.7 && rising < 0.1 && pair.gap > -0.05;
            }
            BELT => change.surface_velocity = DVec3::X * 2.0 * sign,
            _ => {}
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.set_contact_rule(rule);
    let slab = || -> Result<Body, ModelError> { Ok(Body::fixed().with_shape(Shape::cuboid([2.0, 0.1, 2.0])?)) };
    world.add_body(slab()?.with_user_data(PLATFORM))?;
    world.add_body(slab()?.with_user_data(BELT).at([10.0, 0.0, 0.0]))?;
    let jumper = Body::dynamic().with_shape(Shape::sphere(0.3)?).at([0.0, -2.0, 0.0]).with_velocity([0.0, 8.5, 0.0]);
    let jumper = world.add_body(jumper)?;
    let parcel = world.add_body(Body::dynamic().with_shape(Shape::cuboid([0.2; 3])?).at([9.0, 0.3, 0.0]))?;
    for step in 0..90 {
        world.step(1.0 / 60.0)?;
        if step % 15 == 14 {
            let (jumper, parcel) = (world.body(jumper)?.position(), world.body(parcel)?.position());
            println!(
                "{:.2} s: the jumper is at y = {:5.2} m, the parcel at x = {:5.2} m",
                world.time(),
                jumper.y,
                parcel.x
            );
        }
    }
    Ok(())
}
