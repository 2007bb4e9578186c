//! Questions to a world of a thousand bodies: what does a ray meet, what is near, what is in the way? Prints how long they
//! take.

use std::time::Instant;
use tumble::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y)?))?;
    let shapes = [Shape::sphere(0.4)?, Shape::cuboid([0.4, 0.3, 0.5])?, Shape::capsule(0.3, 0.2)?];
    let axis = DVec3::ONE.normalize();
    for i in 0..1000_i32 {
        let at = DVec3::new(f64::from(i % 10), 0.6 + f64::from(i / 100), f64::from(i / 10 % 10)) * 1.2;
        let shape = shapes[i as usize % shapes.len()].clone();
        world.add_body(Body::dynamic().at(at).rotated(rotation_about(axis, f64::from(i))).with_shape(shape))?;
    }
    world.step(1.0 / 60.0)?;

    // From above, in a spiral of directions around straight down.
    const COUNT: i32 = 100_000;
    let origin = DVec3::new(5.0, 30.0, 5.0);
    let direction = |i: i32| {
        let turn = rotation_about(DVec3::Y, 2.4 * f64::from(i)) * DVec3::X;
        DVec3::NEG_Y + turn * (0.4 * f64::from(i) / f64::from(COUNT))
    };
    let rays: Vec<Ray> = (0..COUNT).filter_map(|i| Ray::new(origin, direction(i)).ok()).collect();

    let begin = Instant::now();
    let hits = rays.iter().filter_map(|ray| world.cast_ray(ray, 100.0, |_| true));
    let mean = hits.map(|hit| hit.distance).sum::<f64>() / f64::from(COUNT);
    println!("{:8.0} rays per second; they end after {mean:.2} m on average", rate(begin));

    let begin = Instant::now();
    let below = rays.iter().map(|ray| world.cast_ray_all(ray, 100.0, |_| true).len()).sum::<usize>();
    println!("{:8.0} rays per second through everything: {below} hits", rate(begin));

    let begin = Instant::now();
    let near = rays.iter().filter_map(|ray| world.closest_to(ray.at(25.0), 1.0, |_| true)).count();
    println!("{:8.0} nearest surfaces per second: {near} within a metre", rate(begin));

    let (probe, begin) = (Shape::sphere(0.2)?, Instant::now());
    let way =
        |ray: &Ray| world.cast_shape(&probe, &Transform::from_translation(origin), ray.direction * 40.0, |_| true);
    let stopped = rays[..1000].iter().filter_map(way).count();
    println!("{:8.0} moving balls per second: {stopped} stopped", rate(begin) / 100.0);
    return Ok(());

    fn rate(begin: Instant) -> f64 {
        f64::from(COUNT) / begin.elapsed().as_secs_f64()
    }
}
