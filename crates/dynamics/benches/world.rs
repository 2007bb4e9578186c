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
use tumble_dynamics::{Body, Id, ModelError, SavedState, StepError, World};

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
#[derive(Clone, Debug, Default)]
struct Drift {
    tells: bool,
    /// How long its last step took.
    own: Duration,
}

impl Method for Drift {
    fn name(&self) -> &'static str {
        "drift"
    }

    fn step(&mut self, context: &mut StepContext<'_>) -> Result<(), StepError> {
        let start = Instant::now();
        for body in &mut context.state.bodies {
            body.position += context.dt * body.velocity;
        }
        if !self.tells {
            context.index.all_moved();
            self.own = start.elapsed();
            return Ok(());
        }
        context.index.refresh(context.model, context.state);
        for (id, collider) in context.model.colliders().iter() {
            let body = &context.state.bodies[collider.body.slot()];
            let aabb = collider.shape.aabb(&(body.center_pose() * collider.center_pose));
            context.index.relocate(id, &aabb, context.dt * body.velocity);
        }
        context.index.pairs(context.model, |_| ())
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

/// The least and the median time that something takes.
#[derive(Clone, Copy)]
struct Times {
    least: Duration,
    median: Duration,
}

impl Times {
    /// Of some runs; each is prepared without being measured.
    fn of<T>(runs: usize, mut prepare: impl FnMut() -> T, mut run: impl FnMut(T)) -> Self {
        let mut time = || {
            let prepared = prepare();
            let start = Instant::now();
            run(prepared);
            start.elapsed()
        };
        Self::sorted((0..runs).map(|_| time()).collect())
    }

    fn sorted(mut times: Vec<Duration>) -> Self {
        times.sort();
        Self { least: times[0], median: times[times.len() / 2] }
    }

    /// Of the steps of a world.
    fn of_steps(world: &mut World) -> Self {
        Self::of(200, || (), |()| step(world))
    }

    fn print(self, what: &str) {
        let [least, median] = [self.least, self.median].map(|time| time.as_secs_f64() * 1e3);
        println!("{what:50} {least:9.4} {median:9.4}");
    }
}

fn step(world: &mut World) {
    world.step(1.0 / 60.0).expect("nothing can go wrong");
}

/// Boxes side by side on a floor, asleep.
fn resting(count: usize) -> Result<World, ModelError> {
    let mut world = World::new();
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y)?))?;
    let shape = Shape::cuboid([0.5; 3])?;
    for number in 0..count {
        let [x, z] = [number % 100, number / 100].map(|n| 2.0 * n as f64);
        world.add_body(Body::dynamic().with_shape(shape.clone()).at([x, 0.5, z]))?;
    }
    (0..60).for_each(|_| step(&mut world));
    Ok(world)
}

fn main() -> Result<(), ModelError> {
    let with = |method: Box<dyn Method>, count: usize, kind: fn() -> Body| -> Result<World, ModelError> {
        let mut world = World::new();
        world.set_boxed_method(method);
        bodies(&mut world, count, kind)?;
        Ok(world)
    };
    println!("{:50} {:>9} {:>9}", "milliseconds", "least", "median");
    println!("a step of a method that does nothing");
    Times::of_steps(&mut with(Box::new(Idle), 20_000, Body::dynamic)?).print("  20 000 bodies");
    Times::of_steps(&mut jointed(20_000, false)?).print("  20 000 ball joints");
    Times::of_steps(&mut jointed(20_000, true)?).print("  20 000 hinges");
    Times::of_steps(&mut with(Box::new(Idle), 300_000, Body::fixed)?).print("  300 000 fixed boxes");
    println!("a step of a method that only moves its bodies along");
    let mut world = with(Box::<Drift>::default(), 100_000, Body::dynamic)?;
    Times::of_steps(&mut world).print("  100 000 bodies");
    let mut beyond = || {
        let start = Instant::now();
        step(&mut world);
        start.elapsed().saturating_sub(world.method_mut::<Drift>().map_or(Duration::ZERO, |drift| drift.own))
    };
    Times::sorted((0..200).map(|_| beyond()).collect()).print("  of it beyond the method's own work");
    println!("a ray after each step among 10 000 moving bodies");
    let mut world = with(Box::new(Drift { tells: true, ..Drift::default() }), 10_000, Body::dynamic)?;
    Times::of_steps(&mut world).print("  the step with its update of the index");
    let ray = Ray::new(DVec3::new(-5.0, 31.0, 1.0), DVec3::X).expect("finite and not zero");
    let world = std::cell::RefCell::new(world);
    let cast = |()| {
        std::hint::black_box(world.borrow().cast_ray(&ray, 1e3, |_| true));
    };
    Times::of(200, || step(&mut world.borrow_mut()), cast).print("  the ray");
    println!("10 000 boxes that rest on a floor");
    let mut world = resting(10_000)?;
    Times::of(20, || (), |()| drop(world.save().to_bytes())).print("  to save them");
    Times::of(20, || (), |()| drop(world.snapshot())).print("  to take a snapshot");
    let bytes = world.save().to_bytes();
    let load = |()| world.load(&SavedState::from_bytes(&bytes).expect("just saved")).expect("the same world");
    Times::of(20, || (), load).print("  to load them");
    let contacts = world.contacts().count();
    println!("  {} bytes, {} for each of {contacts} contacts", bytes.len(), bytes.len() / contacts.max(1));
    Ok(())
}
