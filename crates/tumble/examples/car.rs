//! A car on four wheels with suspension, driven and steered while it runs: straight on, a bend to the left, and a stop.
//!
//! `cargo run --release -p tumble --example car`

use tumble::prelude::*;

const STEP: f64 = 1.0 / 240.0;

struct Car {
    chassis: BodyId,
    /// The front wheels first.
    wheels: [JointId; 4],
}

impl Car {
    fn new(world: &mut World) -> Result<Self, Box<dyn std::error::Error>> {
        let chassis = Body::dynamic().at([0.0, 0.7, 0.0]).with_shape(Shape::cuboid([1.8, 0.25, 0.8])?);
        let chassis = world.add_body(chassis.with_mass(1000.0).without_sleep())?;
        let corners = [[1.3, 0.75], [1.3, -0.75], [-1.3, 0.75], [-1.3, -0.75]];
        let mut wheel = |[x, z]: [f64; 2]| -> Result<JointId, Box<dyn std::error::Error>> {
            let center = DVec3::new(x, 0.35, z * 1.2);
            let tyre = Body::dynamic().at(center).with_shape(Shape::sphere(0.35)?).with_material(Material::RUBBER);
            let tyre = world.add_body(tyre.with_mass(20.0).without_sleep())?;
            // The spring moves along y, the wheel turns about z; the car looks along x.
            Ok(world.add_joint(Joint::new(chassis, tyre, Wheel::at(center, DVec3::Y, DVec3::Z)))?)
        };
        let [a, b, c, d] = corners;
        Ok(Self { chassis, wheels: [wheel(a)?, wheel(b)?, wheel(c)?, wheel(d)?] })
    }

    /// Turns all wheels at a speed, in rad/s.
    fn drive(&self, world: &mut World, speed: f64) -> Result<(), ModelError> {
        // Rolling forwards is turning clockwise about z.
        let motor = Freedom::FREE.with_motor(-speed, 400.0);
        self.wheels.iter().try_for_each(|&wheel| world.joint_mut(wheel)?.set_freedom("spin", motor))
    }

    /// Turns the front wheels to the left by an angle, in radians.
    fn steer(&self, world: &mut World, angle: f64) -> Result<(), ModelError> {
        let spring = Softness::Spring { frequency: 5.0, damping_ratio: 1.0 };
        let drive = Freedom::FREE.with_drive(Drive { target: angle, spring, max_force: None });
        self.wheels[..2].iter().try_for_each(|&wheel| world.joint_mut(wheel)?.set_freedom("steering", drive))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y)?))?;
    let car = Car::new(&mut world)?;
    let acts = [("straight on", 20.0, 0.0), ("to the left", 20.0, 0.3), ("a stop", 0.0, 0.0)];
    for (act, speed, angle) in acts {
        car.drive(&mut world, speed)?;
        car.steer(&mut world, angle)?;
        (0..720).try_for_each(|_| world.step(STEP))?;
        let chassis = world.body(car.chassis)?;
        let ahead = chassis.pose().vector(DVec3::X);
        println!(
            "{act}: at {:.1}, looking along {:.2}, {:.1} m/s fast",
            chassis.position(),
            ahead,
            chassis.velocity().length()
        );
    }
    let chassis = world.body(car.chassis)?;
    assert!(chassis.velocity().length() < 0.1, "it stands");
    assert!(chassis.pose().vector(DVec3::Y).y > 0.99, "on its wheels");
    assert!(chassis.pose().vector(DVec3::X).z < -0.1, "and has turned to the left");
    Ok(())
}
