//! A pile of mixed shapes falls into a heap and goes to sleep; prints how it calms down.

use tumble::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y)?))?;
    let corners = [[0.3, 0.0, 0.0], [-0.3, 0.0, 0.0], [0.0, 0.4, 0.0], [0.0, -0.2, 0.3], [0.0, -0.2, -0.3]];
    let shapes = [
        Shape::sphere(0.25)?,
        Shape::cuboid([0.25, 0.2, 0.3])?,
        Shape::capsule(0.2, 0.15)?,
        Shape::cylinder(0.2, 0.2)?,
        Shape::hull(&corners.map(DVec3::from))?,
    ];
    for i in 0..100_i32 {
        // A spiral, so that nothing falls exactly on top of the other.
        let (angle, height) = (2.4 * f64::from(i), 0.5 + 0.25 * f64::from(i));
        let at = rotation_about(DVec3::Y, angle) * DVec3::new(0.5, height, 0.0);
        let shape = shapes[i as usize % shapes.len()].clone();
        world.add_body(Body::dynamic().at(at).rotated(rotation_about(DVec3::X, angle)).with_shape(shape))?;
    }

    println!("  time   awake  contacts   energy");
    for second in 1..=12 {
        while world.time() < f64::from(second) {
            world.step(1.0 / 60.0)?;
        }
        let awake = world.bodies().filter(|(_, body)| body.mass() > 0.0 && !body.is_asleep()).count();
        println!("{second:4} s  {awake:5}  {:8}  {:8.1} J", world.contacts().count(), world.energy().total());
    }
    Ok(())
}
