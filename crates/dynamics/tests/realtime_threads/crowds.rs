//! Small versions of the scenes by which engines are compared (`compare/scenes`): everything that a step has to do, in all its ways.

use glam::{DQuat, DVec3};
use tumble_dynamics::constraint::Ball;
use tumble_dynamics::geometry::math::{rotation_about, rotation_from_vector};
use tumble_dynamics::geometry::{Shape, Transform};
use tumble_dynamics::method::Realtime;
use tumble_dynamics::model::{Joint, Script};
use tumble_dynamics::{Body, BodyId, World};

/// A scene: its name, and how to put it into a world.
type Crowd = (&'static str, fn(&mut World));

/// The scenes.
pub(crate) const CROWDS: [Crowd; 12] = [
    ("pyramid", |world| {
        floor(world);
        pyramid(world, 14, DVec3::ZERO);
    }),
    ("many pyramids", |world| {
        floor(world);
        (0..12).for_each(|k| pyramid(world, 4, DVec3::new(7.0 * f64::from(k % 4), 0.0, 4.0 * f64::from(k / 4))));
    }),
    ("box pile", |world| pile(world, |_, _| Shape::cuboid([0.4; 3]).unwrap())),
    ("mixed pile", |world| {
        pile(world, |k, random| match k % 5 {
            0 => Shape::sphere(0.4).unwrap(),
            1 => Shape::cuboid([0.35; 3]).unwrap(),
            2 => Shape::capsule(0.25, 0.25).unwrap(),
            3 => rock(16, 0.42, random),
            _ => Shape::cylinder(0.3, 0.3).unwrap(),
        });
    }),
    ("convex pile", |world| pile(world, |_, random| rock(32, 0.42, random))),
    ("net", net),
    ("figures", |world| {
        floor(world);
        (0..6).for_each(|k| figure(world, DVec3::new(0.4 * f64::from(k % 2), 1.2 + 1.2 * f64::from(k), 0.0)));
    }),
    ("figures on a mesh", |world| {
        hills(world);
        (0..4).for_each(|k| figure(world, DVec3::new(2.5 * f64::from(k) - 4.0, 3.5, 0.3)));
    }),
    ("hulls on a mesh", |world| {
        hills(world);
        let random = &mut fastrand::Rng::with_seed(5);
        for k in 0..60 {
            let at = DVec3::new(2.0 * f64::from(k % 8) - 7.0, 3.5 + random.f64(), 2.0 * f64::from(k / 8) - 7.0);
            let hull = rock(16, 0.5, random);
            world.add_body(Body::dynamic().with_shape(hull).at(at).rotated(turned(random))).unwrap();
        }
    }),
    ("washer", washer),
    ("free flight", |world| {
        world.set_gravity(DVec3::ZERO);
        let random = &mut fastrand::Rng::with_seed(6);
        for k in 0..200 {
            let mut part = || random.f64() * 2.0 - 1.0;
            let at = 1.6 * DVec3::new(f64::from(k % 6), f64::from(k / 6 % 6), f64::from(k / 36));
            let body = Body::dynamic().with_shape(Shape::cuboid([0.3, 0.4, 0.5]).unwrap()).at(at);
            let body = body.with_velocity([part(), part(), part()]);
            world.add_body(body.with_angular_velocity(3.0 * DVec3::new(part(), part(), part()))).unwrap();
        }
    }),
    ("many tiles", |world| {
        for k in 0..1600 {
            let tile = Body::fixed().with_shape(Shape::cuboid([1.0, 0.5, 1.0]).unwrap());
            let at = DVec3::new(2.0 * f64::from(k % 40), -0.5, 2.0 * f64::from(k / 40));
            world.add_body(tile.at(at)).unwrap();
        }
        for k in 0..25 {
            let ball = Body::dynamic().with_shape(Shape::sphere(0.5).unwrap()).with_velocity([5.0, 0.0, 3.0]);
            world.add_body(ball.at([12.3 * f64::from(k % 5) + 4.0, 2.0, 10.1 * f64::from(k / 5) + 4.0])).unwrap();
        }
    }),
];

/// A world with one of the scenes.
pub(crate) fn crowd(build: fn(&mut World), method: Realtime) -> World {
    let mut world = World::with_method(method);
    build(&mut world);
    world
}

fn floor(world: &mut World) {
    let slab = Shape::cuboid([60.0, 1.0, 60.0]).unwrap();
    world.add_body(Body::fixed().with_shape(slab).at([0.0, -1.0, 0.0])).unwrap();
}

fn turned(random: &mut fastrand::Rng) -> DQuat {
    let mut part = || random.f64() * 2.0 - 1.0;
    rotation_from_vector(3.0 * DVec3::new(part(), part(), part()))
}

fn pyramid(world: &mut World, base: i32, at: DVec3) {
    for (row, column) in (0..base).flat_map(|row| (0..base - row).map(move |column| (row, column))) {
        let place = DVec3::new(1.05 * (f64::from(column) + 0.5 * f64::from(row)), 0.5 + f64::from(row), 0.0);
        world.add_body(Body::dynamic().with_shape(Shape::cuboid([0.5; 3]).unwrap()).at(at + place)).unwrap();
    }
}

/// A hull of points around a sphere.
fn rock(points: usize, radius: f64, random: &mut fastrand::Rng) -> Shape {
    let point = |k: usize| {
        let y = 1.0 - 2.0 * (k as f64 + 0.5) / points as f64;
        let angle = 2.4 * k as f64;
        let ring = (1.0 - y * y).sqrt();
        DVec3::new(ring * libm::cos(angle), y, ring * libm::sin(angle)) * radius
    };
    let shaken: Vec<DVec3> = (0..points).map(|k| point(k) * (0.9 + 0.2 * random.f64())).collect();
    Shape::hull(&shaken).unwrap()
}

/// Things dumped between walls.
fn pile(world: &mut World, shape: impl Fn(i32, &mut fastrand::Rng) -> Shape) {
    floor(world);
    for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let size = |along: f64| if along == 0.0 { 4.5 } else { 1.0 };
        let wall = Body::fixed().with_shape(Shape::cuboid([size(x), 10.0, size(z)]).unwrap());
        world.add_body(wall.at([3.5 * x, 10.0, 3.5 * z])).unwrap();
    }
    let random = &mut fastrand::Rng::with_seed(7);
    for k in 0..150 {
        let place = |i: i32| 0.98 * (f64::from(i) - 2.0);
        let at = DVec3::new(place(k % 5), 0.8 + 1.1 * f64::from(k / 25), place(k / 5 % 5));
        let body = Body::dynamic().with_shape(shape(k, random)).at(at).rotated(turned(random));
        world.add_body(body).unwrap();
    }
}

/// A net of balls that is held at one side.
fn net(world: &mut World) {
    let n = 12;
    let mut ids: Vec<BodyId> = Vec::new();
    for k in 0..n * n {
        let at = DVec3::new((k % n) as f64, 0.0, (k / n) as f64);
        let node = if k < n { Body::fixed() } else { Body::dynamic() };
        ids.push(world.add_body(node.with_shape(Shape::sphere(0.4).unwrap()).at(at)).unwrap());
        let mut join = |other: usize, at: DVec3| {
            world.add_joint(Joint::new(ids[other], ids[k], Ball::at(at))).unwrap();
        };
        if k >= n {
            join(k - n, at - 0.5 * DVec3::Z);
            if k % n > 0 {
                join(k - 1, at - 0.5 * DVec3::X);
            }
        }
    }
}

/// A figure of a trunk, a head and four limbs of two parts each.
fn figure(world: &mut World, at: DVec3) {
    let limb = |from: DVec3, to: DVec3, radius: f64| {
        let shape = Shape::capsule(0.5 * (to - from).length() - radius, radius).unwrap();
        let turn = DQuat::from_rotation_arc(DVec3::Y, (to - from).normalize());
        Body::dynamic().with_shape(shape).at(at + 0.5 * (from + to)).rotated(turn)
    };
    let [x, y] = [DVec3::X, DVec3::Y];
    let trunk = world.add_body(limb(DVec3::ZERO, 0.6 * y, 0.12)).unwrap();
    let mut hang = |on: BodyId, from: DVec3, to: DVec3, radius: f64| {
        let part = world.add_body(limb(from, to, radius)).unwrap();
        world.add_joint(Joint::new(on, part, Ball::at(at + from))).unwrap();
        part
    };
    hang(trunk, 0.6 * y, 0.9 * y, 0.1);
    for side in [1.0, -1.0] {
        let (shoulder, hip) = (DVec3::new(0.17 * side, 0.5, 0.0), DVec3::new(0.12 * side, -0.08, 0.0));
        let elbow = shoulder + 0.3 * side * x;
        let arm = hang(trunk, shoulder, elbow, 0.05);
        hang(arm, elbow, elbow + 0.3 * side * x, 0.045);
        let thigh = hang(trunk, hip, hip - 0.4 * y, 0.07);
        hang(thigh, hip - 0.4 * y, hip - 0.8 * y, 0.06);
    }
}

/// A surface of hills.
fn hills(world: &mut World) {
    let (cells, width) = (24_u32, 24.0);
    let side = cells + 1;
    let corner = |k: u32| {
        let place = |i: u32| width * (f64::from(i) / f64::from(cells) - 0.5);
        let (x, z) = (place(k % side), place(k / side));
        DVec3::new(x, libm::sin(0.35 * x) * libm::cos(0.27 * z) + 0.3 * libm::sin(1.3 * x + 0.7 * z), z)
    };
    let squares = (0..cells).flat_map(|row| (0..cells).map(move |column| row * side + column));
    let triangles = squares.flat_map(|k| [[k, k + side, k + 1], [k + 1, k + side, k + side + 1]]).collect();
    let mesh = Shape::mesh((0..side * side).map(corner).collect(), triangles).unwrap();
    world.add_body(Body::fixed().with_shape(mesh)).unwrap();
}

/// Turns about z.
#[derive(Debug)]
struct Drum;

impl Script for Drum {
    fn pose(&self, time: f64) -> Transform {
        Transform::new(rotation_about(DVec3::Z, 0.4 * time), DVec3::ZERO)
    }
}

/// Cubes in a drum of planks that turns.
fn washer(world: &mut World) {
    let mut planks = Vec::new();
    for k in 0..12 {
        let turn = rotation_about(DVec3::Z, std::f64::consts::TAU * f64::from(k) / 12.0);
        let plank = Shape::cuboid([0.5, 1.2, 2.0]).unwrap();
        planks.push((Transform::new(turn, turn * DVec3::X * 4.5), plank));
    }
    for side in [1.0, -1.0] {
        let disc = Shape::cuboid([5.0, 5.0, 0.5]).unwrap();
        planks.push((Transform::from_translation(DVec3::Z * (2.5 * side)), disc));
    }
    world.add_body(Body::scripted(Drum).with_shape(Shape::compound(planks).unwrap())).unwrap();
    let random = &mut fastrand::Rng::with_seed(8);
    for k in 0..100 {
        let at = DVec3::new(f64::from(k % 5) - 2.0, f64::from(k / 20) - 2.0, f64::from(k / 5 % 4) - 1.5);
        let cube = Body::dynamic().with_shape(Shape::cuboid([0.35; 3]).unwrap());
        world.add_body(cube.at(0.95 * at).rotated(turned(random))).unwrap();
    }
}
