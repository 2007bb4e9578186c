//! What happened: contacts, a sensor, a joint that breaks, bodies that fall asleep.

use tumble::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.add_body(Body::fixed().named("floor").with_shape(Shape::half_space(DVec3::Y)?))?;
    let crate_ = Body::dynamic().named("crate").at([0.0, 3.0, 0.0]).with_shape(Shape::cuboid([0.5, 0.5, 0.5])?);
    let crate_ = world.add_body(crate_)?;
    // It hangs on a rope that bears 20 kN; the crate weighs 9.8 kN, but a bag is about to fall on it.
    let rope = Joint::new(crate_, JointEnd::World, Distance::rope([0.0, 3.5, 0.0], [0.0, 6.0, 0.0]));
    world.add_joint(rope.named("rope").breaking(Breaking { force: 20_000.0, ..Breaking::default() }))?;
    world
        .add_body(Body::dynamic().named("bag").at([0.0, 5.0, 0.0]).with_shape(Shape::sphere(0.3)?).with_mass(500.0))?;
    // A light barrier near the floor.
    let barrier = Collider::new(Shape::cuboid([2.0, 0.05, 2.0])?).as_sensor();
    world.add_body(Body::fixed().named("barrier").at([0.0, 1.5, 0.0]).with_collider(barrier))?;

    while world.time() < 6.0 {
        world.step(1.0 / 240.0)?;
        let name = |id: BodyId| world.body(id).map_or("?", |body| body.model().name.as_str());
        let events = world.events();
        for contact in events.contacts.iter().filter(|contact| contact.phase != Phase::Persist) {
            println!(
                "{:.3} s  {:?} contact of {} and {}",
                contact.time,
                contact.phase,
                name(contact.bodies[0]),
                name(contact.bodies[1])
            );
        }
        for sensor in &events.sensors {
            println!("{:.3} s  {:?} of the barrier", sensor.time, sensor.phase);
        }
        for broken in &events.broken {
            let joint = world.model().joints().get(broken.joint).map_or("?", |joint| joint.name.as_str());
            println!("{:.3} s  the {joint} breaks", broken.time);
        }
        for slept in &events.slept {
            println!("{:.3} s  the {} falls asleep", slept.time, name(slept.body));
        }
    }
    Ok(())
}
