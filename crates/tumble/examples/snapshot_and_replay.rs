//! Snapshots: return to a moment and get the same future, bit for bit, or another one.

use tumble::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y)?))?;
    let mut top = None;
    for i in 0..8_i32 {
        let body = Body::dynamic()
            .at([0.02 * f64::from(i), 0.5 + f64::from(i), 0.0])
            .with_shape(Shape::cuboid([0.5, 0.5, 0.5])?);
        top = Some(world.add_body(body)?);
    }
    let run = |world: &mut World| -> Result<u64, StepError> {
        for _ in 0..120 {
            world.step(1.0 / 60.0)?;
        }
        Ok(world.state().fingerprint())
    };

    run(&mut world)?;
    let moment = world.snapshot();
    let first = run(&mut world)?;
    world.restore(&moment);
    let second = run(&mut world)?;
    println!("two runs from one moment: {first:016x} and {second:016x}");

    world.restore(&moment);
    if let Some(top) = top {
        world.body_mut(top)?.apply_impulse([300.0, 0.0, 0.0])?;
    }
    println!("and with a push:          {:016x}", run(&mut world)?);
    Ok(())
}
