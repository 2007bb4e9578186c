//! Forces of your own: a closure, and a type that also knows its potential energy.

use tumble::prelude::*;

/// A bowl: every body is pulled to the y axis as if it lay on a paraboloid.
#[derive(Debug)]
struct Bowl {
    /// In N/m.
    stiffness: f64,
}

impl Force for Bowl {
    fn apply(&self, context: &ForceContext<'_>, wrenches: &mut Wrenches) {
        for (slot, body) in context.bodies.iter().enumerate() {
            let across = DVec3::new(body.position.x, 0.0, body.position.z);
            wrenches.add_force(slot, -self.stiffness * across);
        }
    }

    fn potential_energy(&self, context: &ForceContext<'_>) -> Option<f64> {
        let square = |body: &BodyState| body.position.x * body.position.x + body.position.z * body.position.z;
        Some(0.5 * self.stiffness * context.bodies.iter().map(square).sum::<f64>())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    world.set_gravity([0.0; 3]);
    world.add_force(Bowl { stiffness: 4.0 });
    let marble =
        world.add_body(Body::particle(1.0).at([1.0, 0.0, 0.0]).with_velocity([0.0, 0.0, 1.0]).without_sleep())?;
    let start = world.energy().total();
    for _ in 0..1000 {
        world.step(std::f64::consts::PI / 1000.0)?;
    }
    println!("after one period the marble is back at {:.6}", world.body(marble)?.position());
    println!("energy changed by {:+.1e} J", world.energy().total() - start);

    // A wind that blows for one second, as a closure.
    let until = world.time() + 1.0;
    world.add_force(FnForce::new("gust", move |context: &ForceContext<'_>, wrenches: &mut Wrenches| {
        if context.time < until {
            for slot in 0..context.bodies.len() {
                wrenches.add_force(slot, DVec3::Y);
            }
        }
    }));
    for _ in 0..200 {
        world.step(0.01)?;
    }
    println!("the gust left it rising at {:.3} m/s", world.body(marble)?.velocity().y);
    Ok(())
}
