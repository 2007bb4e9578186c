//! Single bodies: what spins, flies, slides and hits.

use super::{DT, G, at, run, with_slab, world};
use glam::{DMat3, DVec3};
use tumble_dynamics::constraint::Ball;
use tumble_dynamics::geometry::math::{rotation_about, rotation_vector};
use tumble_dynamics::geometry::{MassProperties, Shape};
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::{Body, Material, World};

/// Free bodies with three different moments, thrown about the middle one and about all: a minute of Euler's equations.
#[test]
fn a_free_top_keeps_energy_and_momentum() {
    let tops = [
        (DVec3::new(1.0, 2.0, 2.7), DVec3::new(0.1, 8.0, 0.2)),
        (DVec3::new(0.02, 0.5, 0.51), DVec3::new(6.0, 7.0, -5.0)),
        (DVec3::new(0.087, 0.017, 0.093), DVec3::new(5.0, 0.05, 0.05)),
    ];
    for (moments, spin) in tops {
        let mut world = world();
        world.set_gravity(DVec3::ZERO);
        let mass = MassProperties { mass: 3.0, center: DVec3::ZERO, inertia: DMat3::from_diagonal(moments) };
        world.add_body(Body::dynamic().with_mass_properties(mass).with_angular_velocity(spin)).unwrap();
        let (energy, momentum) = (world.energy().kinetic, world.angular_momentum(DVec3::ZERO));
        let (mut off_energy, mut off_momentum) = (0.0_f64, 0.0_f64);
        for _ in 0..3600 {
            world.step(DT).unwrap();
            off_energy = off_energy.max((world.energy().kinetic / energy - 1.0).abs());
            let now = world.angular_momentum(DVec3::ZERO);
            off_momentum = off_momentum.max((now - momentum).length() / momentum.length());
        }
        eprintln!("free top {moments}, 60 s: energy {off_energy:.1e}, angular momentum {off_momentum:.1e}");
        assert!(off_energy < 1e-3 && off_momentum < 1e-9, "{moments}: {off_energy} {off_momentum}");
    }
}

/// A gyroscope on a pivot, its axis level, precesses at m g l / (I ω).
#[test]
fn gyroscopes_precess() {
    let moments = [DVec3::new(0.005, 0.0025, 0.0025), DVec3::new(1.0 / 6.0, 0.0842, 0.0842)];
    for (moments, lever, spin) in [(moments[0], 0.1, 20.0 * std::f64::consts::TAU), (moments[1], 0.2, 40.0)] {
        let mut world = world();
        let mass = 1.0;
        let properties = MassProperties { mass, center: DVec3::ZERO, inertia: DMat3::from_diagonal(moments) };
        // Steady precession of a level axis: the torque turns the spin, I ω Ω, and nothing else has a moment about the axis it turns.
        let wanted = mass * G * lever / (moments.x * spin);
        let wheel = Body::dynamic().with_mass_properties(properties).at([lever, 0.0, 0.0]);
        let turning = DVec3::new(spin, wanted, 0.0);
        let wheel = wheel.with_angular_velocity(turning).with_velocity(DVec3::Y.cross(DVec3::X) * (wanted * lever));
        let wheel = world.add_body(wheel).unwrap();
        world.add_joint(Joint::new(JointEnd::World, wheel, Ball::at(DVec3::ZERO))).unwrap();
        let seconds = 10.0;
        let (mut angle, mut last) = (0.0, DVec3::X);
        for _ in 0..(seconds / DT).round() as usize {
            world.step(DT).unwrap();
            let axis = at(&world, wheel).normalize();
            angle += libm::atan2(last.cross(axis).y, last.dot(axis));
            last = axis;
        }
        let off = angle / (wanted * seconds) - 1.0;
        eprintln!("gyroscope at {spin:.0} rad/s: precession off by {off:.1e}");
        assert!(off.abs() < 0.01, "{spin}: {off}");
    }
}

/// Bullets of 5 cm at 500 m/s, balls and boxes: against plates of a millimetre, fixed and free, and against each other, wherever in a
/// step they meet.
#[test]
fn bullets_do_not_pass() {
    let shapes = [Shape::sphere(0.025).unwrap(), Shape::cuboid([0.025, 0.02, 0.015]).unwrap()];
    let cases = shapes.iter().flat_map(|shape| (0..16).map(move |k| (shape, f64::from(k) / 16.0)));
    for (shape, offset) in cases {
        let bullet = || Body::dynamic().with_shape(shape.clone()).with_mass(0.1);
        for (free, mass) in [(false, 0.0), (true, 5.0), (true, 0.5)] {
            let mut world = world();
            world.set_gravity(DVec3::ZERO);
            let plate = Shape::cuboid([0.0005, 0.5, 0.5]).unwrap();
            let plate = if free { Body::dynamic().with_mass(mass) } else { Body::fixed() }.with_shape(plate);
            let plate = world.add_body(plate).unwrap();
            let start = -3.0 - offset * 500.0 * DT;
            // A free plate that is not hit in its middle turns away.
            let aside = if free { 0.0 } else { 0.1 };
            let bullet = bullet().at([start, aside, 0.5 * aside]).with_velocity([500.0, 0.0, 0.0]);
            let bullet = world.add_body(bullet).unwrap();
            run(&mut world, 0.2);
            let ahead = at(&world, bullet).x - at(&world, plate).x;
            assert!(ahead < 0.0, "offset {offset}, plate of {mass} kg: {ahead} m behind the plate");
        }
        for aside in [0.0, 0.01] {
            let mut world = world();
            world.set_gravity(DVec3::ZERO);
            let one = bullet().at([-3.0, 0.0, 0.0]).with_velocity([500.0, 0.0, 0.0]);
            let other = bullet().at([3.0 + offset * 500.0 * DT, aside, 0.0]).with_velocity([-500.0, 0.0, 0.0]);
            let [one, other] = [one, other].map(|body| world.add_body(body).unwrap());
            run(&mut world, 0.1);
            // What does not meet in its middle glides on.
            let left = [one, other].map(|id| world.body(id).unwrap().velocity().x.abs());
            let passed = at(&world, one).x > at(&world, other).x && aside == 0.0;
            assert!(!passed && left.iter().all(|&left| left < 250.0), "offset {offset}: they pass with {left:?} m/s");
        }
    }
}

const SLIPPERY: Material = Material { static_friction: 0.0, dynamic_friction: 0.0, restitution: 0.0, ..Material::ICE };

/// What a floor of many pieces is made of.
#[derive(Clone, Copy, Debug)]
enum Pieces {
    Triangles,
    Boxes,
    HeightField,
}

/// A floor at y = 0 from x = −4 to 12, of squares of a size.
fn add_floor(world: &mut World, pieces: Pieces, size: f64) {
    let n = (16.0 / size) as u32;
    let floor = || Body::fixed().with_material(SLIPPERY);
    match pieces {
        Pieces::Triangles => {
            let side = n + 1;
            let corner = |i: u32| DVec3::new(size * f64::from(i % side) - 4.0, 0.0, size * f64::from(i / side) - 8.0);
            let squares = (0..n).flat_map(|row| (0..n).map(move |column| row * side + column));
            let triangles = squares.flat_map(|i| [[i, i + side, i + 1], [i + 1, i + side, i + side + 1]]).collect();
            let mesh = Shape::mesh((0..side * side).map(corner).collect(), triangles).unwrap();
            world.add_body(floor().with_shape(mesh)).unwrap();
        }
        Pieces::Boxes => {
            let tile = Shape::cuboid([0.5 * size; 3]).unwrap();
            for (x, z) in (0..n).flat_map(|x| (0..8).map(move |z| (f64::from(x), f64::from(z) - 3.7))) {
                let place = DVec3::new(size * x - 4.0, -0.5 * size, size * z);
                world.add_body(floor().with_shape(tile.clone()).at(place)).unwrap();
            }
        }
        Pieces::HeightField => {
            let side = n as usize + 1;
            let field = Shape::height_field(side, side, vec![0.0; side * side], [size, size]).unwrap();
            world.add_body(floor().with_shape(field).at([4.0, 0.0, 0.0])).unwrap();
        }
    }
}

/// A cuboid at 4 m/s without friction goes over floors of many pieces as over one, aligned and yawed.
#[test]
fn a_cuboid_slides_over_floors_of_many_pieces() {
    for pieces in [Pieces::Triangles, Pieces::Boxes, Pieces::HeightField] {
        for (size, half) in [(1.0, [0.4, 0.3, 0.5]), (0.5, [0.2, 0.1, 0.15]), (1.0, [0.8, 0.05, 0.3])] {
            for yaw in [0.0, 35.0, 34.4, 90.0] {
                let mut world = world();
                add_floor(&mut world, pieces, size);
                let cuboid = Body::dynamic().with_shape(Shape::cuboid(half).unwrap()).with_material(SLIPPERY);
                let cuboid = cuboid.rotated(rotation_about(DVec3::Y, f64::to_radians(yaw)));
                let cuboid = cuboid.at([0.013, half[1], 0.021]).with_velocity([4.0, 0.0, 0.0]);
                let cuboid = world.add_body(cuboid).unwrap();
                let (mut slowest, mut turned) = (4.0_f64, 0.0_f64);
                let start = world.body(cuboid).unwrap().rotation();
                for _ in 0..120 {
                    world.step(DT).unwrap();
                    let body = world.body(cuboid).unwrap();
                    slowest = slowest.min(body.velocity().x);
                    turned = turned.max(rotation_vector(body.rotation() * start.conjugate()).length());
                }
                eprintln!("over {pieces:?} of {size} m, yawed by {yaw}°: {slowest:.5} m/s, turned by {turned:.1e} rad");
                assert!(slowest > 3.99 && turned < 5e-3, "{pieces:?} {size} {yaw}: {slowest} m/s, {turned} rad");
            }
        }
    }
}

/// Balls of several sizes, dropped from a metre on a slab, peak at e²ⁿ.
#[test]
fn bounces_have_the_right_height() {
    for (radius, restitution) in [(0.25, 0.8), (0.05, 0.8), (1.0, 0.9), (0.1, 0.7)] {
        let material = Material { restitution, ..Material::default() };
        let mut world = with_slab();
        let floor = world.bodies().next().unwrap().0;
        world.body_mut(floor).unwrap().set_material(material).unwrap();
        let ball = Body::dynamic().with_shape(Shape::sphere(radius).unwrap()).with_material(material);
        let ball = world.add_body(ball.at([0.0, 1.0 + radius, 0.0])).unwrap();
        let (mut exact, mut rises, mut peaks) = (1.0, false, 0);
        while peaks < 5 {
            world.step(DT).unwrap();
            let (height, speed) = (at(&world, ball).y - radius, world.body(ball).unwrap().velocity().y);
            if rises && speed <= 0.0 {
                (exact, peaks) = (exact * restitution * restitution, peaks + 1);
                let peak = height + speed * speed / (2.0 * G);
                assert!((peak / exact - 1.0).abs() < 1e-6, "{radius} {restitution}, peak {peaks}: {peak}");
            }
            rises = speed > 0.0;
        }
    }
}

/// Of touching balls that are hit at one end the last leaves, also if they hang on threads and whatever their size.
#[test]
fn cradles_pass_impacts_on() {
    for (count, radius, speed) in [(5, 0.5, 2.0), (5, 0.02, 0.9), (7, 0.1, 5.0)] {
        let mut world = world();
        world.set_gravity(DVec3::ZERO);
        let material = Material { restitution: 1.0, ..Material::default() };
        let mut add = |k: i32| {
            let (x, v) = if k == 0 { (-2.7 * radius, speed) } else { (2.0 * radius * f64::from(k), 0.0) };
            let ball = Body::dynamic().with_shape(Shape::sphere(radius).unwrap()).with_material(material);
            world.add_body(ball.at([x, 0.0, 0.0]).with_velocity([v, 0.0, 0.0])).unwrap()
        };
        let balls: Vec<_> = (0..count).map(&mut add).collect();
        run(&mut world, 1.0);
        for (k, &ball) in (1..).zip(&balls) {
            let (now, exact) = (world.body(ball).unwrap().velocity().x, if k == count { speed } else { 0.0 });
            assert!((now - exact).abs() < 1e-6 * speed, "{count} of {radius} m: ball {k} has {now} m/s");
        }
    }
}
