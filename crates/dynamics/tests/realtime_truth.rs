//! What the real-time method holds at the step of a game, 1/60 s, at default settings, in scenes on which engines for games fail.
//!
//! Each test prints what it measures; `cargo test -p tumble-dynamics --all-features --test realtime_truth -- --nocapture` shows it.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::{DMat3, DVec3};
use tumble_dynamics::constraint::Ball;
use tumble_dynamics::geometry::math::rotation_about;
use tumble_dynamics::geometry::{MassProperties, Shape};
use tumble_dynamics::method::{Realtime, RealtimeSettings};
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::{Body, BodyId, Material, World};

const DT: f64 = 1.0 / 60.0;

fn world() -> World {
    let settings = RealtimeSettings { time_to_sleep: f64::INFINITY, ..RealtimeSettings::default() };
    World::with_method(Realtime::new().with_settings(settings))
}

fn with_floor() -> World {
    let mut world = world();
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
    world
}

fn cube(half: f64, mass: f64) -> Body {
    Body::dynamic().with_shape(Shape::cuboid([half; 3]).unwrap()).with_mass(mass)
}

fn run(world: &mut World, seconds: f64) {
    for _ in 0..(seconds / DT).round() as usize {
        world.step(DT).unwrap();
    }
}

fn at(world: &World, id: BodyId) -> DVec3 {
    world.body(id).unwrap().position()
}

/// Mean and greatest overlap of all points of contact, in metres.
fn overlap(world: &World) -> (f64, f64) {
    let (mut sum, mut most, mut count) = (0.0, 0.0_f64, 0.0);
    world.visit_contacts(|contact| {
        for point in contact.points() {
            sum += (-point.gap).max(0.0);
            most = most.max(-point.gap);
            count += 1.0;
        }
    });
    (sum / f64::max(count, 1.0), most)
}

/// A tower of boxes with its masses; how far its top has gone after a while.
fn tower(masses: &[f64], seconds: f64) -> f64 {
    let mut world = with_floor();
    let mut top = None;
    for (k, &mass) in masses.iter().enumerate() {
        top = Some(world.add_body(cube(0.5, mass).at([0.0, 0.5 + k as f64, 0.0])).unwrap());
    }
    run(&mut world, seconds);
    (at(&world, top.unwrap()) - DVec3::Y * (masses.len() as f64 - 0.5)).length()
}

#[test]
fn towers_stand() {
    let mut heavy = vec![1.0; 5];
    heavy[4] = 1000.0;
    let twenty = tower(&[1.0; 20], 20.0);
    let forty = tower(&[1.0; 40], 10.0);
    let five = tower(&heavy, 20.0);
    let mut mixed: Vec<f64> = (0..12).map(|k| if k % 2 == 0 { 1.0 } else { 300.0 }).collect();
    mixed[11] = 1000.0;
    let alternating = tower(&mixed, 20.0);
    eprintln!(
        "towers: 20 boxes {twenty:.1e} m, 40 {forty:.1e}, 5 with 1000 on top {five:.1e}, alternating {alternating:.1e}"
    );
    assert!(twenty < 1e-6 && forty < 1e-6 && five < 1e-6 && alternating < 1e-6);
}

/// A pyramid of 210 boxes of a kilogram; the one at the top weighs 500.
#[test]
fn a_pyramid_bears_a_heavy_capstone() {
    let mut world = with_floor();
    let mut top = None;
    for level in 0..20 {
        for k in 0..20 - level {
            let place = DVec3::new(1.02 * k as f64 + 0.51 * level as f64, 0.5 + level as f64, 0.0);
            let mass = if level == 19 { 500.0 } else { 1.0 };
            top = Some(world.add_body(cube(0.5, mass).at(place)).unwrap());
        }
    }
    let start = at(&world, top.unwrap());
    run(&mut world, 4.0);
    let sag = (at(&world, top.unwrap()) - start).length();
    let (mean, most) = overlap(&world);
    eprintln!("capstone: sag {sag:.2e} m, overlap {mean:.1e} mean {most:.1e} most");
    assert!(sag < 1e-2 && most < 5e-3, "{sag} {most}");
}

/// A block lies on a slope of 95 % of the angle of friction for a minute.
#[test]
fn a_block_does_not_creep() {
    for (half, turn) in [(0.5, 0.0), (0.05, 0.6), (1.5, 0.3)] {
        let friction = 0.5;
        let material = Material { static_friction: friction, dynamic_friction: friction, ..Material::default() };
        let angle = 0.95 * libm::atan(friction);
        let mut world = world();
        let slope = Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap()).with_material(material);
        world.add_body(slope.rotated(rotation_about(DVec3::Z, -angle))).unwrap();
        let up = rotation_about(DVec3::Z, -angle) * DVec3::Y;
        let rotation = rotation_about(DVec3::Z, -angle) * rotation_about(DVec3::Y, turn);
        let block = cube(half, 2.0).with_material(material).at(up * half).rotated(rotation);
        let block = world.add_body(block).unwrap();
        run(&mut world, 60.0);
        let creep = (at(&world, block) - up * half).length();
        eprintln!("a block of {half} m creeps by {creep:.1e} m in a minute");
        assert!(creep < 1e-6, "{half}: {creep:e}");
    }
}

/// A free body with three different moments: a minute of Euler's equations.
#[test]
fn a_free_top_keeps_energy_and_momentum() {
    let mut world = world();
    world.set_gravity(DVec3::ZERO);
    let moments = DVec3::new(1.0, 2.0, 2.7);
    let mass = MassProperties { mass: 3.0, center: DVec3::ZERO, inertia: DMat3::from_diagonal(moments) };
    let top = Body::dynamic().with_mass_properties(mass).with_angular_velocity([0.1, 8.0, 0.2]);
    world.add_body(top).unwrap();
    let (energy, momentum) = (world.energy().kinetic, world.angular_momentum(DVec3::ZERO));
    let (mut off_energy, mut off_momentum) = (0.0_f64, 0.0_f64);
    for _ in 0..3600 {
        world.step(DT).unwrap();
        off_energy = off_energy.max((world.energy().kinetic / energy - 1.0).abs());
        off_momentum = off_momentum.max((world.angular_momentum(DVec3::ZERO) - momentum).length() / momentum.length());
    }
    eprintln!("free top, 60 s: energy {off_energy:.1e}, angular momentum {off_momentum:.1e}");
    assert!(off_energy < 1e-3 && off_momentum < 1e-9);
}

/// A gyroscope of 20 turns a second on a pivot precesses at m g l / (I ω), slow and level.
#[test]
fn a_gyroscope_precesses() {
    let mut world = world();
    let (mass, lever, spin) = (1.0, 0.1, 20.0 * std::f64::consts::TAU);
    let moments = DVec3::new(0.005, 0.0025, 0.0025);
    let properties = MassProperties { mass, center: DVec3::ZERO, inertia: DMat3::from_diagonal(moments) };
    let wanted = mass * 9.81 * lever / (moments.x * spin);
    let wheel = Body::dynamic().with_mass_properties(properties).at([lever, 0.0, 0.0]);
    let turning = DVec3::new(spin, wanted, 0.0);
    let wheel = wheel.with_angular_velocity(turning).with_velocity(DVec3::Y.cross(DVec3::X) * (wanted * lever));
    let wheel = world.add_body(wheel).unwrap();
    world.add_joint(Joint::new(JointEnd::World, wheel, Ball::at(DVec3::ZERO))).unwrap();
    let seconds = 5.0;
    let (mut angle, mut last) = (0.0, DVec3::X);
    for _ in 0..(seconds / DT).round() as usize {
        world.step(DT).unwrap();
        let axis = at(&world, wheel).normalize();
        angle += libm::atan2(last.cross(axis).y, last.dot(axis));
        last = axis;
    }
    let off = angle / (wanted * seconds) - 1.0;
    eprintln!("gyroscope: precession off by {off:.1e}");
    assert!(off.abs() < 0.01, "{off}");
}

/// Bullets of 5 cm at 500 m/s: against plates of a millimetre, fixed and free, and against each other.
#[test]
fn bullets_do_not_pass() {
    let bullet = || Body::dynamic().with_shape(Shape::sphere(0.025).unwrap()).with_mass(0.1);
    for offset in [0.0, 0.37, 0.73] {
        for free in [false, true] {
            let mut world = world();
            world.set_gravity(DVec3::ZERO);
            let plate = Shape::cuboid([0.0005, 0.5, 0.5]).unwrap();
            let plate = if free { Body::dynamic().with_mass(5.0) } else { Body::fixed() }.with_shape(plate);
            let plate = world.add_body(plate).unwrap();
            let start = -3.0 - offset * 500.0 * DT;
            // A free plate that is not hit in its middle turns away.
            let aside = if free { 0.0 } else { 0.1 };
            let bullet = bullet().at([start, aside, 0.5 * aside]).with_velocity([500.0, 0.0, 0.0]);
            let bullet = world.add_body(bullet).unwrap();
            run(&mut world, 0.2);
            let ahead = at(&world, bullet).x - at(&world, plate).x;
            assert!(ahead < 0.0, "offset {offset}, free {free}: {ahead} m behind the plate");
        }
        let mut world = world();
        world.set_gravity(DVec3::ZERO);
        let one = bullet().at([-3.0, 0.0, 0.0]).with_velocity([500.0, 0.0, 0.0]);
        let other = bullet().at([3.0 + offset * 500.0 * DT, 0.01, 0.0]).with_velocity([-500.0, 0.0, 0.0]);
        let [one, other] = [one, other].map(|body| world.add_body(body).unwrap());
        run(&mut world, 0.1);
        assert!(at(&world, one).x < at(&world, other).x, "offset {offset}: they passed each other");
    }
}

/// A piston of a tonne in a shaft presses on 100 loose boxes of a kilogram.
#[test]
fn a_piston_presses_on_loose_boxes() {
    let mut world = with_floor();
    for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let half = DVec3::new(if x == 0.0 { 2.0 } else { 0.5 }, 5.0, if z == 0.0 { 2.0 } else { 0.5 });
        let wall = Body::fixed().with_shape(Shape::cuboid(half.to_array()).unwrap());
        world.add_body(wall.at([1.75 * x, 5.0, 1.75 * z])).unwrap();
    }
    let mut random = fastrand::Rng::with_seed(4);
    for k in 0..100 {
        let mut near = || 0.1 * (random.f64() - 0.5);
        let (x, z) = (f64::from(k % 5) - 2.0, f64::from(k / 5 % 5) - 2.0);
        let place = DVec3::new(0.48 * x + near(), 0.3 + 0.5 * f64::from(k / 25), 0.48 * z + near());
        let turn = rotation_about(DVec3::Y, near());
        world.add_body(cube(0.2, 1.0).at(place).rotated(turn)).unwrap();
    }
    let piston = Body::dynamic().with_shape(Shape::cuboid([1.2, 0.3, 1.2]).unwrap()).with_mass(1000.0);
    world.add_body(piston.at([0.0, 2.8, 0.0])).unwrap();
    run(&mut world, 6.0);
    let (mean, most) = overlap(&world);
    let fastest = world.bodies().map(|(_, body)| body.velocity().length()).fold(0.0, f64::max);
    eprintln!("piston: overlap {mean:.1e} mean, {most:.1e} most, fastest {fastest:.1e} m/s");
    assert!(mean < 3e-3 && most < 6e-3 && fastest < 1e-3);
}

/// A shaft of walls and a floor, in which things are piled up.
fn shaft(half: f64) -> World {
    let mut world = with_floor();
    for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let size = |along: f64| if along == 0.0 { half + 1.0 } else { 0.5 };
        let wall = Shape::cuboid([size(x), 20.0, size(z)]).unwrap();
        world.add_body(Body::fixed().with_shape(wall).at([(half + 0.5) * x, 20.0, (half + 0.5) * z])).unwrap();
    }
    world
}

/// Boxes fall into a shaft, anyhow: they hardly overlap on the way, and come to rest.
#[test]
fn a_dumped_pile_comes_to_rest() {
    let mut world = shaft(1.6);
    world.method_mut::<Realtime>().unwrap().set_settings(RealtimeSettings::default());
    let mut random = fastrand::Rng::with_seed(11);
    for k in 0..200 {
        let mut any = || 2.0 * random.f64() - 1.0;
        let place = DVec3::new(1.0 * any(), 1.0 + 0.22 * f64::from(k), 1.0 * any());
        let turn = rotation_about(DVec3::new(any(), any(), any() + 2.0).normalize(), 3.0 * any());
        world.add_body(cube(0.25, 1.0).at(place).rotated(turn)).unwrap();
    }
    let (mut peak, mut seconds) = (0.0_f64, 0.0);
    while world.report().asleep < 200 && seconds < 25.0 {
        world.step(DT).unwrap();
        seconds += DT;
        peak = peak.max(overlap(&world).1);
    }
    let (mean, most) = overlap(&world);
    eprintln!(
        "dumped pile: asleep after {seconds:.1} s, overlap {mean:.1e} mean, {most:.1e} most, {peak:.1e} on the way"
    );
}

/// A tower of twenty boxes stands in the middle of a pile, which leans on it.
#[test]
fn a_tower_stands_in_a_pile() {
    let mut world = shaft(2.1);
    let mut random = fastrand::Rng::with_seed(3);
    let tower: Vec<BodyId> =
        (0..20).map(|k| world.add_body(cube(0.4, 1.0).at([0.0, 0.4 + 0.8 * f64::from(k), 0.0])).unwrap()).collect();
    for k in 0..120 {
        let (x, z) =
            [(-1.0, -1.0), (0.0, -1.0), (1.0, -1.0), (-1.0, 0.0), (1.0, 0.0), (-1.0, 1.0), (0.0, 1.0), (1.0, 1.0)]
                [k % 8];
        let mut near = || 0.02 * (random.f64() - 0.5);
        let place = DVec3::new(1.2 * x + near(), 0.45 + 0.85 * (k / 8) as f64, 1.2 * z + near());
        world.add_body(cube(0.4, 1.0).at(place)).unwrap();
    }
    run(&mut world, 8.0);
    let top = at(&world, tower[19]);
    let sag = 0.4 + 0.8 * 19.0 - top.y;
    eprintln!("tower in a pile: sag {sag:.1e} m, aside {:.1e} m", DVec3::new(top.x, 0.0, top.z).length());
}
