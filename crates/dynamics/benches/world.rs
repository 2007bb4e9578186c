//! What a step costs beyond its method: steps of methods that do nothing, or next to nothing, in large worlds.
//!
//! ```sh
//! cargo bench -p tumble-dynamics --bench world
//! ```

use std::time::{Duration, Instant};
use tumble_dynamics::constraint::{Ball, Hinge};
use tumble_dynamics::geometry::glam::DVec3;
use tumble_dynamics::geometry::{Ray, Shape};
use tumble_dynamics::method::{Method, StepContext};
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::{Body, Id, ModelError, StepError, World};

/// Lets time pass and nothing happen.
#[derive(Clone, Debug)]
struct Idle;

impl Method for Idle {
    fn name(&self) -> &'static str {
        "idle"
    }

    fn step(&mut self, _: &mut StepContext<'_>) -> Result<(), StepError> {
        Ok(())
    }

    fn reset(&mut self) {}

    fn clone_box(&self) -> Box<dyn Method> {
        Box::new(self.clone())
    }
}

/// Moves every body along; `tells` whether the index hears where to.
#[derive(Clone, Debug)]
struct Drift {
    tells: bool,
}

impl Method for Drift {
    fn name(&self) -> &'static str {
        "drift"
    }

    fn step(&mut self, context: &mut StepContext<'_>) -> Result<(), StepError> {
        for body in &mut context.state.bodies {
            body.position += context.dt * body.velocity;
        }
        if !self.tells {
            context.index.all_moved();
            return Ok(());
        }
        for (id, collider) in context.model.colliders().iter() {
            let body = &context.state.bodies[collider.body.slot()];
            let aabb = collider.shape.aabb(&(body.center_pose() * collider.center_pose));
            context.index.relocate(id, &aabb, context.dt * body.velocity);
        }
        context.index.pairs(context.model, |_| ());
        Ok(())
    }

    fn reset(&mut self) {}

    fn clone_box(&self) -> Box<dyn Method> {
        Box::new(self.clone())
    }
}

/// A place in a cubic lattice.
fn place(number: usize) -> DVec3 {
    let [x, y, z] = [number % 64, number / 64 % 64, number / 4096].map(|n| 2.0 * n as f64);
    DVec3::new(x, y, z)
}

fn bodies(world: &mut World, count: usize, kind: fn() -> Body) -> Result<(), ModelError> {
    let shape = Shape::cuboid([0.5; 3])?;
    for number in 0..count {
        let drift = DVec3::new(1.0, (number % 7) as f64 * 0.1, 0.0);
        let body = kind().with_shape(shape.clone()).at(place(number));
        world.add_body(if number % 2 == 0 { body.with_velocity(drift) } else { body })?;
    }
    Ok(())
}

fn jointed(count: usize, hinges: bool) -> Result<World, ModelError> {
    let mut world = World::with_method(Idle);
    bodies(&mut world, count, Body::dynamic)?;
    let ids: Vec<_> = world.bodies().map(|(id, _)| id).collect();
    for (number, id) in ids.into_iter().enumerate() {
        let joint = match hinges {
            true => Joint::new(JointEnd::World, id, Hinge::at(place(number), DVec3::Z)),
            false => Joint::new(JointEnd::World, id, Ball::at(place(number))),
        };
        world.add_joint(joint)?;
    }
    Ok(world)
}

/// The median time of a step.
fn median(world: &mut World, mut after: impl FnMut(&World)) -> Duration {
    let mut times: Vec<Duration> = (0..200)
        .map(|_| {
            let start = Instant::now();
            world.step(1.0 / 60.0).expect("nothing can go wrong");
            after(world);
            start.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}

fn main() -> Result<(), ModelError> {
    let print = |what: &str, time: Duration| println!("{what:60} {:9.4} ms", time.as_secs_f64() * 1e3);
    let with = |method: Box<dyn Method>, count: usize, kind: fn() -> Body| -> Result<World, ModelError> {
        let mut world = World::new();
        world.set_boxed_method(method);
        bodies(&mut world, count, kind)?;
        Ok(world)
    };
    println!("a step of a method that does nothing");
    print("  20 000 bodies", median(&mut with(Box::new(Idle), 20_000, Body::dynamic)?, |_| ()));
    print("  20 000 ball joints", median(&mut jointed(20_000, false)?, |_| ()));
    print("  20 000 hinges", median(&mut jointed(20_000, true)?, |_| ()));
    print("  300 000 fixed boxes", median(&mut with(Box::new(Idle), 300_000, Body::fixed)?, |_| ()));
    println!("a step of a method that only moves its bodies along");
    print("  100 000 bodies", median(&mut with(Box::new(Drift { tells: false }), 100_000, Body::dynamic)?, |_| ()));
    println!("a ray after each step among 10 000 moving bodies");
    let mut world = with(Box::new(Drift { tells: true }), 10_000, Body::dynamic)?;
    let alone = median(&mut world, |_| ());
    print("  the step with its update of the index", alone);
    let ray = Ray::new(DVec3::new(-5.0, 31.0, 1.0), DVec3::X).expect("finite and not zero");
    let mut rays: Vec<Duration> = (0..200)
        .map(|_| {
            world.step(1.0 / 60.0).expect("nothing can go wrong");
            let start = Instant::now();
            std::hint::black_box(world.cast_ray(&ray, 1e3, |_| true));
            start.elapsed()
        })
        .collect();
    rays.sort();
    print("  the ray", rays[rays.len() / 2]);
    Ok(())
}
