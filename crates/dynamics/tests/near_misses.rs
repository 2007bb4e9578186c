//! Near misses and hits: what passes at a distance is not deflected, and what is aimed at is hit.
//!
//! Speculative contacts are planes without end; ghost collisions are what a method gets that does not ask whether the surfaces
//! are there. Two bodies of random shapes fly past each other, spinning, at 1 to 100 m/s. How close they come is found by an
//! oracle that knows nothing but distances: it follows their free flight, sampled finely, in steps that they need at least to come
//! closer. Then they are shifted until they miss each other by 1 to 10 mm. `TUMBLE_CASES` sets the number of cases.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use std::cell::Cell;
use tumble_dynamics::geometry::math::{rotation_about, rotation_from_vector, rotation_vector};
use tumble_dynamics::geometry::query::{self, Motion};
use tumble_dynamics::geometry::{Shape, Transform};
use tumble_dynamics::method::{Realtime, Retroactive};
use tumble_dynamics::{Body, BodyId, Material, World};

thread_local! {
    /// Makes a world with the method that is tried.
    static NEW: Cell<fn() -> World> = const { Cell::new(World::new) };
}

fn new_world() -> World {
    NEW.get()()
}

/// Runs a test with each method.
fn with_each_method(test: fn()) {
    let methods: [fn() -> World; 2] =
        [|| World::with_method(Retroactive::new()), || World::with_method(Realtime::new())];
    for method in methods {
        NEW.set(method);
        eprintln!("{}", new_world().method().name());
        test();
    }
}

fn cases(default: usize) -> usize {
    std::env::var("TUMBLE_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// How finely free flight is sampled, per step.
const SAMPLES: usize = 16;

fn direction(random: &mut fastrand::Rng) -> DVec3 {
    loop {
        let v = DVec3::from_array([0; 3].map(|_| 2.0 * random.f64() - 1.0));
        if (0.01..1.0).contains(&v.length()) {
            return v.normalize();
        }
    }
}

/// A solid of triangles: the faces of a box, slanted.
fn solid(half: DVec3, slant: f64) -> Shape {
    let corner = |i: u32| {
        let sign = |bit: u32| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        DVec3::new(sign(0) + slant * sign(1), sign(1), sign(2)) * half
    };
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    Shape::mesh((0..8).map(corner).collect(), triangles).unwrap()
}

const KINDS: usize = 9;

/// A shape of some kind, between 5 cm and a metre.
fn shape(kind: usize, random: &mut fastrand::Rng) -> Shape {
    let mut size = || 0.03 + 0.47 * random.f64() * random.f64();
    match kind {
        0 => Shape::sphere(size()).unwrap(),
        1 => Shape::cuboid([size(), size(), size()]).unwrap(),
        2 => Shape::capsule(size(), size()).unwrap(),
        3 => Shape::cylinder(size(), size()).unwrap(),
        4 => Shape::cone(size(), size()).unwrap(),
        5 => {
            let size = size();
            let points: Vec<DVec3> = (0..12).map(|_| direction(random) * size).collect();
            Shape::hull(&points).unwrap()
        }
        6 => solid(DVec3::new(size(), size(), size()), 0.4),
        7 => {
            // An angle iron and a ball on it.
            let (a, b, r) = (size(), size(), 0.5 * size());
            let bar = |x: f64, y: f64| Shape::cuboid([x, y, 0.5 * b]).unwrap();
            let at = |x: f64, y: f64| Transform::from_translation(DVec3::new(x, y, 0.0));
            let ball = (at(a, r), Shape::sphere(r).unwrap());
            Shape::compound(vec![(at(0.0, 0.0), bar(a, 0.02)), (at(-a, b), bar(0.02, b)), ball]).unwrap()
        }
        _ => {
            let size = size();
            let heights = (0..20).map(|_| 0.4 * size * random.f64()).collect();
            Shape::height_field(4, 5, heights, [0.5 * size, 0.4 * size]).unwrap()
        }
    }
}

/// How far a shape reaches from its origin; of a height field, what is above the ground.
fn radius(shape: &Shape) -> f64 {
    match shape {
        Shape::HeightField(field) => field.aabb().extents().length(),
        shape => shape.bounding_sphere().center.length() + shape.bounding_sphere().radius,
    }
}

/// A body in free flight: its poses, `SAMPLES` per step.
struct Flight {
    shape: Shape,
    poses: Vec<Transform>,
    /// The centre of mass in the body frame.
    center: DVec3,
    spacing: f64,
    /// No point of it moves faster, in m/s, apart from its velocity at the start.
    spin: f64,
    /// How far the simulation, with its longer steps, is away from these poses at most.
    uncertain: f64,
}

impl Flight {
    fn new(body: &Body, shape: &Shape, gravity: DVec3, dt: f64, steps: usize) -> Self {
        let alone = |dt: f64, steps: usize| {
            let mut world = new_world();
            world.set_gravity(gravity);
            let id = world.add_body(body.clone()).unwrap();
            let pose = |world: &World| world.body(id).unwrap().pose();
            let mut poses = vec![pose(&world)];
            for _ in 0..steps {
                world.step(dt).unwrap();
                poses.push(pose(&world));
            }
            let read = world.body(id).unwrap();
            let center = read.pose().inverse_point(read.center_of_mass());
            (poses, center, read.angular_velocity().length())
        };
        let spacing = dt / SAMPLES as f64;
        let (poses, center, spin) = alone(spacing, steps * SAMPLES);
        let radius = center.length() + radius(shape);
        let apart = |(coarse, fine): (&Transform, &Transform)| {
            rotation_vector(coarse.rotation * fine.rotation.conjugate()).length() * radius
        };
        let coarse = alone(dt, steps).0;
        let uncertain = coarse.iter().zip(poses.iter().step_by(SAMPLES)).map(apart).fold(0.0, f64::max);
        let spin = 1.5 * spin * radius + gravity.length() * dt * steps as f64;
        Self { shape: shape.clone(), poses, center, spacing, spin, uncertain }
    }

    fn at(&self, time: f64) -> Transform {
        let index = ((time / self.spacing) as usize).min(self.poses.len() - 2);
        let motion = Motion::between(self.poses[index], self.poses[index + 1], self.spacing, self.center);
        motion.at(time - index as f64 * self.spacing)
    }
}

/// Two bodies that fly past each other.
struct Passing {
    bodies: [Body; 2],
    flights: [Flight; 2],
    velocity: DVec3,
    gravity: DVec3,
    /// The direction in which the second is to be shifted.
    aside: DVec3,
    dt: f64,
    steps: usize,
    name: String,
}

impl Passing {
    fn random(seed: u64) -> Self {
        let random = &mut fastrand::Rng::with_seed(seed);
        let kinds = loop {
            let kinds = [random.usize(0..KINDS), random.usize(0..KINDS)];
            if kinds[1] != KINDS - 1 {
                break kinds;
            }
        };
        let shapes = kinds.map(|kind| shape(kind, random));
        let dt = if random.bool() { 1.0 / 60.0 } else { 1.0 / 240.0 };
        let speed = libm::pow(10.0, 2.0 * random.f64());
        let velocity = direction(random) * speed;
        let aside = velocity.any_orthonormal_vector();
        let aside = rotation_about(velocity / speed, 6.3 * random.f64()) * aside;
        let gravity = if random.bool() { DVec3::new(0.0, -9.81, 0.0) } else { DVec3::ZERO };
        // Where they would be nearest, and how much later it ends.
        let meeting = (0.5 + 5.5 * random.f64()) * dt;
        let steps = (meeting / dt) as usize + 4;
        let both_fly = kinds[0] != KINDS - 1 && random.bool();
        let drift = if both_fly { direction(random) * (0.5 * speed) } else { DVec3::ZERO };
        let mut body = |k: usize| {
            let body = if k == 1 || both_fly { Body::dynamic() } else { Body::fixed() };
            let spin = if random.bool() { direction(random) * (20.0 * random.f64()) } else { DVec3::ZERO };
            let turned = rotation_from_vector(direction(random) * (3.0 * random.f64()));
            let body = body.with_shape(shapes[k].clone()).with_material(Material::ICE).rotated(turned).without_sleep();
            match (k, both_fly) {
                (0, false) => body,
                (0, true) => body.with_velocity(drift).with_angular_velocity(spin),
                _ => body.with_velocity(velocity + drift).with_angular_velocity(spin).at(-velocity * meeting),
            }
        };
        let bodies = [body(0), body(1)];
        let flights = [0, 1].map(|k| {
            let gravity = if k == 1 || both_fly { gravity } else { DVec3::ZERO };
            Flight::new(&bodies[k], &shapes[k], gravity, dt, steps)
        });
        let name = format!("seed {seed}: kinds {kinds:?} at {speed:.2} m/s, dt {dt:.4}, both fly: {both_fly}");
        Self { bodies, flights, velocity, gravity, aside, dt, steps, name }
    }

    /// Whether they come nearer to each other than `miss` in free flight, with the second shifted aside.
    fn comes_nearer(&self, shift: f64, miss: f64) -> bool {
        let [a, b] = &self.flights;
        let fastest = self.velocity.length() + a.spin + b.spin;
        let mut time = 0.0;
        while time < self.dt * self.steps as f64 {
            let distance = self.distance(shift, time);
            if distance < miss {
                return true;
            }
            time += (distance - miss).max(1e-4) / fastest;
        }
        false
    }

    /// The distance at some time of free flight.
    fn distance(&self, shift: f64, time: f64) -> f64 {
        let [a, b] = &self.flights;
        let mut pose = b.at(time);
        pose.translation += self.aside * shift;
        query::distance(&a.shape, &b.shape, &a.at(time).to_local(&pose)).distance
    }

    /// Whether the second gets under a height field from the side, where there is no surface to keep a distance from.
    fn goes_under(&self, shift: f64) -> bool {
        let [a, b] = &self.flights;
        let is_under = |index: usize| {
            let mut pose = b.poses[index];
            pose.translation += self.aside * shift;
            query::intersects(&a.shape, &b.shape, &a.poses[index].to_local(&pose))
        };
        matches!(a.shape, Shape::HeightField(_)) && (0..a.poses.len()).any(is_under)
    }

    /// The shift with which they miss each other by so much, up to a fifth of a millimetre.
    fn shift_to_miss_by(&self, miss: f64) -> f64 {
        let reach: f64 = self.flights.iter().map(|flight| radius(&flight.shape)).sum();
        let (mut low, mut high) = (0.0, 4.0 * reach + 0.1);
        while high - low > 1e-4 {
            let middle = 0.5 * (low + high);
            if self.comes_nearer(middle, miss) { low = middle } else { high = middle }
        }
        high
    }

    fn world(&self, shift: f64) -> (World, [BodyId; 2]) {
        let mut world = new_world();
        world.set_gravity(self.gravity);
        let bodies = [0, 1].map(|k| world.add_body(self.bodies[k].clone()).unwrap());
        let position = world.body(bodies[1]).unwrap().position() + self.aside * shift;
        world.body_mut(bodies[1]).unwrap().set_position(position).unwrap();
        (world, bodies)
    }

    /// By how much the velocities of their surfaces differ in the end from those of free flight, relative to their speed.
    fn deflection(&self, world: &World, bodies: [BodyId; 2]) -> f64 {
        let change = |k: usize| {
            let mut alone = new_world();
            alone.set_gravity(self.gravity);
            let id = alone.add_body(self.bodies[k].clone()).unwrap();
            (0..self.steps).for_each(|_| alone.step(self.dt).unwrap());
            let (free, found) = (alone.body(id).unwrap(), world.body(bodies[k]).unwrap());
            let turning = (free.angular_velocity() - found.angular_velocity()).length();
            (free.velocity() - found.velocity()).length() + turning * radius(&self.flights[k].shape)
        };
        (change(0) + change(1)) / self.velocity.length()
    }
}

#[test]
fn near_misses_are_not_deflected() {
    with_each_method(|| {
        let mut deflected = Vec::new();
        let cases = cases(60);
        for seed in 0..cases as u64 {
            let passing = Passing::random(seed);
            let mut random = fastrand::Rng::with_seed(seed ^ 0xabcd);
            let uncertain: f64 = passing.flights.iter().map(|flight| flight.uncertain).sum();
            let miss = 0.001 + 0.009 * random.f64() + uncertain;
            let shift = passing.shift_to_miss_by(miss);
            if passing.goes_under(shift) {
                continue;
            }
            let (mut world, bodies) = passing.world(shift);
            (0..passing.steps).for_each(|_| world.step(passing.dt).unwrap());
            let deflection = passing.deflection(&world, bodies);
            if deflection > 1e-9 {
                deflected.push(format!("{} missed by {:.2} mm: {deflection:.1e}", passing.name, 1e3 * miss));
            }
        }
        assert!(deflected.is_empty(), "{} of {cases} deflected:\n{}", deflected.len(), deflected.join("\n"));
    });
}

/// The mirror image: bodies that would overlap in free flight do not pass through each other as if nothing was there.
#[test]
fn what_is_aimed_at_is_hit() {
    with_each_method(|| {
        let mut missed = Vec::new();
        let cases = cases(60);
        for seed in 0..cases as u64 {
            let passing = Passing::random(seed);
            let shift = 0.7 * passing.shift_to_miss_by(1e-4);
            let overlaps_at_first = passing.distance(shift, 0.0) < 1e-4;
            let is_met_from_the_side = matches!(passing.flights[0].shape, Shape::HeightField(_));
            if overlaps_at_first || is_met_from_the_side || !passing.comes_nearer(shift, 1e-9) {
                continue;
            }
            let (mut world, bodies) = passing.world(shift);
            (0..passing.steps).for_each(|_| world.step(passing.dt).unwrap());
            let deflection = passing.deflection(&world, bodies);
            if deflection < 1e-6 {
                missed.push(format!("{}: deflection {deflection:.1e}", passing.name));
            }
        }
        assert!(missed.is_empty(), "{} of {cases} went through:\n{}", missed.len(), missed.join("\n"));
    });
}

/// Walls with their surface in the plane y = 0: a box, a solid of triangles, a sheet of triangles and a height field.
fn wall(kind: usize, thickness: f64) -> (Shape, DVec3) {
    let corner = |i: u32| DVec3::new(if i.is_multiple_of(2) { -3.0 } else { 3.0 }, 0.0, if i < 2 { -3.0 } else { 3.0 });
    let half = DVec3::new(3.0, 0.5 * thickness, 3.0);
    match kind {
        0 => (Shape::cuboid(half).unwrap(), -half.y * DVec3::Y),
        1 => (solid(half, 0.0), -half.y * DVec3::Y),
        2 => (Shape::mesh((0..4).map(corner).collect(), vec![[0, 2, 1], [1, 2, 3]]).unwrap(), DVec3::ZERO),
        _ => (Shape::height_field(4, 4, vec![0.0; 16], [2.0, 2.0]).unwrap(), DVec3::ZERO),
    }
}

/// What is thrown at a wall, at any angle and speed, stays on its side: balls at one of a millimetre or a sheet, and what an
/// impact makes spin at a thick one.
#[test]
fn walls_hold() {
    with_each_method(|| {
        let mut through = Vec::new();
        let cases = cases(100);
        for seed in 0..cases as u64 {
            let random = &mut fastrand::Rng::with_seed(seed);
            let kind = if random.bool() { 0 } else { random.usize(1..8) };
            let (wall, origin) =
                if kind == 0 { wall(random.usize(0..4), 0.001) } else { wall(random.usize(0..2), 1.0) };
            let speed = libm::pow(10.0, 2.0 * random.f64());
            let dt = if random.bool() { 1.0 / 60.0 } else { 1.0 / 240.0 };
            let shape = shape(kind, random);
            let mut way = direction(random);
            way.y = -way.y.abs().max(0.3);
            let way = way.normalize();
            let mut world = new_world();
            world.add_body(Body::fixed().with_shape(wall).at(origin)).unwrap();
            // As far from where it is to hit as not to touch the wall, and by up to a step's way more.
            let start = -way * ((radius(&shape) + 0.02) / -way.y + speed * dt * random.f64());
            let body = Body::dynamic().with_shape(shape).at(start).with_velocity(way * speed).without_sleep();
            let id = world.add_body(body.rotated(rotation_from_vector(direction(random) * 3.0))).unwrap();
            let steps = 4 + (1.0 / (speed * dt)) as usize;
            (0..steps).for_each(|_| world.step(dt).unwrap());
            let center = world.body(id).unwrap().center_of_mass();
            let is_beside = center.abs().max_element() > 2.0;
            let lowest = if kind == 0 { 0.0 } else { -0.5 };
            if center.y < lowest && !is_beside {
                through.push(format!("seed {seed}: kind {kind}, {speed:.1} m/s, dt {dt:.4}: {center}"));
            }
        }
        assert!(through.is_empty(), "{} of {cases} got through:\n{}", through.len(), through.join("\n"));
    });
}

/// Two that fly at each other, each at up to 100 m/s, do not change places.
#[test]
fn fast_bodies_meet_head_on() {
    with_each_method(|| {
        let mut passed = Vec::new();
        let cases = cases(60);
        for seed in 0..cases as u64 {
            let random = &mut fastrand::Rng::with_seed(seed);
            let dt = if random.bool() { 1.0 / 60.0 } else { 1.0 / 240.0 };
            let mut world = new_world();
            world.set_gravity([0.0; 3]);
            let along = direction(random);
            let bodies = [-1.0, 1.0].map(|side| {
                // Not those with a hole in the middle.
                let shape = shape(random.usize(0..7), random);
                let speed = libm::pow(10.0, 2.0 * random.f64());
                let turned = rotation_from_vector(direction(random) * 3.0);
                let body = Body::dynamic().with_shape(shape).rotated(turned).with_velocity(-side * speed * along);
                let id = world.add_body(body.without_sleep()).unwrap();
                let center = world.body(id).unwrap().center_of_mass();
                world.body_mut(id).unwrap().set_position(side * along * (1.2 + 2.0 * speed * dt) - center).unwrap();
                (id, speed)
            });
            let steps = 6 + (3.0 / (dt * (bodies[0].1 + bodies[1].1))) as usize;
            (0..steps).for_each(|_| world.step(dt).unwrap());
            let [a, b] = bodies.map(|(id, _)| world.body(id).unwrap());
            let apart = (b.velocity() - a.velocity()).dot(along);
            let free = -(bodies[0].1 + bodies[1].1);
            if (b.center_of_mass() - a.center_of_mass()).dot(along) < 0.0 && apart < 0.99 * free {
                passed.push(format!("seed {seed}: {:.1} and {:.1} m/s, dt {dt:.4}", bodies[0].1, bodies[1].1));
            }
        }
        assert!(passed.is_empty(), "{} of {cases} changed places:\n{}", passed.len(), passed.join("\n"));
    });
}
