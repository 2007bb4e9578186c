//! A double pendulum of two hinged rods; prints where its tip is and how well energy is kept.

use tumble::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    let rod = |x: f64| -> Result<Body, ModelError> {
        Ok(Body::dynamic().with_shape(Shape::cuboid([0.5, 0.02, 0.02])?).at([x, 0.0, 0.0]).without_sleep())
    };
    let upper = world.add_body(rod(0.5)?)?;
    let lower = world.add_body(rod(1.5)?)?;
    world.add_joint(Joint::new(JointEnd::World, upper, Hinge::at([0.0, 0.0, 0.0], DVec3::Z)))?;
    world.add_joint(Joint::new(upper, lower, Hinge::at([1.0, 0.0, 0.0], DVec3::Z)))?;

    let start = world.energy().total();
    for tenth in 1..=30 {
        while world.time() < 0.1 * f64::from(tenth) {
            world.step(1.0 / 1000.0)?;
        }
        let tip = world.body(lower)?.pose().point(DVec3::X * 0.5);
        let lost = world.energy().total() - start;
        println!("{:4.1} s  tip at ({:6.3}, {:6.3})  energy {lost:+.1e} J", world.time(), tip.x, tip.y);
    }
    Ok(())
}
