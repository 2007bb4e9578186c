//! The accurate method on contacts: events at their times, friction, impacts, against formulas.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::{DQuat, DVec3};
use std::f64::consts::FRAC_PI_2;
use tumble_dynamics::constraint::Hinge;
use tumble_dynamics::event::Phase;
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::geometry::math::rotation_about;
use tumble_dynamics::method::{Accurate, AccurateSettings};
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::{Body, BodyId, Material, World};

const G: f64 = 9.81;

fn world(tolerance: f64) -> World {
    let settings = AccurateSettings { tolerance, ..AccurateSettings::default() };
    World::with_method(Accurate::new().with_settings(settings).unwrap())
}

fn material(restitution: f64, friction: f64) -> Material {
    Material { restitution, static_friction: friction, dynamic_friction: friction, ..Material::default() }
}

fn floor(world: &mut World, material: Material) {
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap()).with_material(material)).unwrap();
}

fn ball(world: &mut World, material: Material, at: [f64; 3]) -> BodyId {
    let body = Body::dynamic().with_shape(Shape::sphere(0.1).unwrap()).with_mass(1.0).with_material(material).at(at);
    world.add_body(body).unwrap()
}

/// Impacts of a ball that bounces with e = 0.8 are at √(2h/g)(1 + 2e + 2e² + …), and it rests after the sum of all.
#[test]
fn a_ball_bounces_and_comes_to_rest() {
    let mut world = world(1e-10);
    let rubber = material(0.8, 0.0);
    floor(&mut world, rubber);
    let ball = ball(&mut world, rubber, [0.0, 1.1, 0.0]);
    let first = (2.0 / G).sqrt();
    let (mut expected, mut power, mut count) = (first, 1.0, 0);
    for _ in 0..50 {
        world.step(0.1).unwrap();
        for impact in &world.events().impacts {
            if count < 12 {
                assert!((impact.time - expected).abs() < 1e-11, "{count}: {} {expected}", impact.time);
            }
            power *= 0.8;
            expected += 2.0 * power * first;
            count += 1;
        }
    }
    println!("{count} impacts");
    assert!(count > 60);
    assert!((world.body(ball).unwrap().position().y - 0.1).abs() < 1e-9);
    assert!(world.body(ball).unwrap().velocity().length() < 1e-12);
    let force = world.contact_wrench(ball).unwrap().force.y;
    assert!((force - G).abs() < 1e-9, "{force}");
}

/// A ball that slides begins to roll after 2 v/(7 μ g), with 5/7 of its speed.
#[test]
fn a_sliding_ball_comes_to_roll() {
    let mut world = world(1e-10);
    let rough = material(0.0, 0.3);
    floor(&mut world, rough);
    let ball = ball(&mut world, rough, [0.0, 0.1, 0.0]);
    world.body_mut(ball).unwrap().set_velocity([7.0, 0.0, 0.0]).unwrap();
    world.step(3.0).unwrap();
    let time = 2.0 * 7.0 / (7.0 * 0.3 * G);
    let exact = 12.0 * 49.0 / (49.0 * 0.3 * G) + 5.0 * (3.0 - time);
    let body = world.body(ball).unwrap();
    println!("{} {exact} {}", body.position().x, body.velocity().x);
    assert!((body.position().x - exact).abs() < 1e-10, "{} {exact}", body.position().x);
    assert!((body.velocity().x - 5.0).abs() < 1e-11);
}

fn slope(friction: f64) -> (World, BodyId, DVec3) {
    let mut world = world(1e-10);
    let rough = material(0.0, friction);
    let turn = rotation_about(DVec3::Z, 30.0_f64.to_radians());
    let up = turn * DVec3::Y;
    world.add_body(Body::fixed().with_shape(Shape::half_space(up).unwrap()).with_material(rough)).unwrap();
    let body = Body::dynamic().with_shape(Shape::cuboid([0.1, 0.05, 0.1]).unwrap()).with_mass(1.0);
    let id = world.add_body(body.with_material(rough).at(up * 0.05).rotated(turn)).unwrap();
    (world, id, up * 0.05)
}

/// On a slope of 30° a block with μ = 0.6 stays where it is; with μ = 0.3 it slides by ½ g (sin − μ cos) t².
#[test]
fn a_block_on_a_slope_stays_or_slides() {
    let (mut world, id, start) = slope(0.6);
    world.step(2.0).unwrap();
    let creep = world.body(id).unwrap().position().distance(start);
    assert!(creep < 1e-12, "{creep:e}");
    let (mut world, id, start) = slope(0.3);
    world.step(2.0).unwrap();
    let way = world.body(id).unwrap().position().distance(start);
    let exact = 0.5 * G * (0.5 - 0.3 * 0.75_f64.sqrt()) * 4.0;
    assert!((way - exact).abs() < 1e-9, "{way} {exact}");
}

/// Five balls in a row that touch: the last takes all.
#[test]
fn a_row_of_balls_passes_an_impulse_on() {
    let mut world = world(1e-10);
    world.set_gravity([0.0; 3]);
    let steel = material(1.0, 0.0);
    let balls: Vec<BodyId> = (0..5).map(|i| ball(&mut world, steel, [0.2 * f64::from(i), 0.0, 0.0])).collect();
    let first = ball(&mut world, steel, [-0.3, 0.0, 0.0]);
    world.body_mut(first).unwrap().set_velocity([1.0, 0.0, 0.0]).unwrap();
    world.step(0.5).unwrap();
    for (index, &id) in balls.iter().enumerate() {
        let expected = if index == 4 { 1.0 } else { 0.0 };
        assert!((world.body(id).unwrap().velocity().x - expected).abs() < 1e-12);
    }
}

/// A block that stands on four corners stays where it is.
#[test]
fn a_block_stands() {
    let mut world = world(1e-8);
    let rough = material(0.0, 0.8);
    floor(&mut world, rough);
    let shape = Shape::cuboid([0.25, 0.5, 0.25]).unwrap();
    let stands = Body::dynamic().with_shape(shape).with_mass(1.0).with_material(rough).at([5.0, 0.5, 0.0]);
    let stands = world.add_body(stands).unwrap();
    world.step(1.0).unwrap();
    assert_eq!(world.events().storms, []);
    assert!(world.body(stands).unwrap().position().distance(DVec3::new(5.0, 0.5, 0.0)) < 1e-12);
}

/// A door swings against its stop and bounces off at the right angle, at the right time.
#[test]
fn a_door_hits_its_stop() {
    let mut world = world(1e-10);
    world.set_gravity([0.0; 3]);
    let door = Body::dynamic().with_shape(Shape::cuboid([0.5, 1.0, 0.02]).unwrap()).with_mass(10.0).at([0.5, 0.0, 0.0]);
    let door = world.add_body(door.with_angular_velocity([0.0, 1.0, 0.0]).with_velocity([0.0, 0.0, -0.5])).unwrap();
    let mut turn = tumble_dynamics::constraint::Freedom::between(-2.0, 0.7);
    turn.restitution = 0.5;
    world.add_joint(Joint::new(JointEnd::World, door, Hinge::at([0.0; 3], DVec3::Y).with_turn(turn))).unwrap();
    world.step(1.0).unwrap();
    let limit = world.events().limits.first().copied().unwrap();
    assert!((limit.time - 0.7).abs() < 1e-11, "{}", limit.time);
    let body = world.body(door).unwrap();
    assert!((body.angular_velocity().y + 0.5).abs() < 1e-10, "{}", body.angular_velocity());
    let expected: DQuat = rotation_about(DVec3::Y, 0.7 - 0.15);
    assert!(body.rotation().angle_between(expected) < 1e-7);
}

/// The integral of a smooth function, by Gauss and Legendre's rule with five points in each of 400 parts.
fn integral(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    let near = (5.0 - 2.0 * (10.0_f64 / 7.0).sqrt()).sqrt() / 3.0;
    let far = (5.0 + 2.0 * (10.0_f64 / 7.0).sqrt()).sqrt() / 3.0;
    let root = 13.0 * 70.0_f64.sqrt();
    let points = [
        (0.0, 128.0 / 225.0),
        (near, (322.0 + root) / 900.0),
        (-near, (322.0 + root) / 900.0),
        (far, (322.0 - root) / 900.0),
        (-far, (322.0 - root) / 900.0),
    ];
    let half = 0.5 * (to - from) / 400.0;
    let part = |k: i32| from + half * f64::from(2 * k + 1);
    (0..400).map(|k| points.map(|(x, w)| w * f(part(k) + half * x)).iter().sum::<f64>() * half).sum()
}

/// A block on one of its lower edges, leaning by φ against standing, turning about the edge: half its width b, half its height h.
fn leaning(world: &mut World, rough: Material, [b, h]: [f64; 2], phi: f64, omega: f64) -> BodyId {
    let turn = rotation_about(DVec3::Z, -phi);
    let center = turn * DVec3::new(-b, h, 0.0);
    let body = Body::dynamic().with_shape(Shape::cuboid([b, h, 0.2]).unwrap()).with_mass(1.0).with_material(rough);
    let spin = DVec3::new(0.0, 0.0, -omega);
    let body = body.at(center).rotated(turn).with_velocity(spin.cross(center)).with_angular_velocity(spin);
    world.add_body(body).unwrap()
}

/// How fast a block of half the diagonal R turns about its edge where its centre leans by ψ, if it does so by ω₀ at ψ₀.
fn tipping_speed([b, h]: [f64; 2], omega: f64, from: f64, psi: f64) -> f64 {
    let r = libm::hypot(b, h);
    (omega * omega + 1.5 * G / r * (libm::cos(from) - libm::cos(psi))).sqrt()
}

/// A block tips over its edge until its side lies on the ground: the time is an integral of 1/ω, by the energy.
#[test]
fn a_block_tips_over_its_edge() {
    let (sizes, phi, omega) = ([0.5_f64, 0.3], 1.1, 0.2);
    let alpha = libm::atan2(sizes[0], sizes[1]);
    let mut world = world(1e-12);
    let rough = material(0.0, 2.0);
    floor(&mut world, rough);
    let block = leaning(&mut world, rough, sizes, phi, omega);
    let exact = integral(phi, FRAC_PI_2, |phi| 1.0 / tipping_speed(sizes, omega, 1.1 - alpha, phi - alpha));
    let mut landed = None;
    for _ in 0..200 {
        world.step(0.01).unwrap();
        assert_eq!(world.events().storms, []);
        landed = landed.or(world.events().impacts.first().map(|impact| impact.time));
    }
    println!("{landed:?} {exact}");
    assert!((landed.unwrap() - exact).abs() < 1e-12, "{landed:?} {exact}");
    // It lies there; 1 − 3/2 sin² of what it turned is left by the impact, and takes it up on the other edge.
    let body = world.body(block).unwrap();
    assert!(body.position().y > 0.5 - 1e-12);
}

/// A block rocks from edge to edge. At each impact 1 − 3/2 sin²α of its spin is left (Housner 1963).
#[test]
fn a_block_rocks() {
    let sizes = [0.25_f64, 0.5];
    let (b, h) = (sizes[0], sizes[1]);
    let alpha = libm::atan2(b, h);
    let keeps = 1.0 - 1.5 * libm::sin(alpha) * libm::sin(alpha);
    let mut world = world(1e-12);
    let rough = material(0.0, 2.0);
    floor(&mut world, rough);
    leaning(&mut world, rough, sizes, 0.3, 0.0);
    // From the highest point, where it leans by φ, down: with φ' = φ (1 − s²) the integral is smooth.
    let fall = |phi: f64| {
        integral(0.0, 1.0, |s| {
            let at = phi * (1.0 - s * s);
            // cos(φ − α) − cos(φ' − α), without a difference of nearly equal numbers.
            let cosines = -2.0 * libm::sin(0.5 * (phi + at) - alpha) * libm::sin(0.5 * phi * s * s);
            let square = 1.5 * G / libm::hypot(b, h) * cosines;
            if s < 1e-9 { 0.0 } else { 2.0 * phi * s / square.sqrt() }
        })
    };
    // How far it leans if it starts from standing with ω.
    let lean = |omega: f64| alpha - libm::acos(libm::cos(alpha) + omega * omega * libm::hypot(b, h) / (1.5 * G));
    let mut expected = Vec::new();
    let (mut phi, mut time) = (0.3_f64, fall(0.3));
    for _ in 0..8 {
        expected.push(time);
        let omega = keeps * (1.5 * G / libm::hypot(b, h) * (libm::cos(phi - alpha) - libm::cos(alpha))).sqrt();
        phi = lean(omega);
        time += 2.0 * fall(phi);
    }
    let mut times: Vec<f64> = Vec::new();
    while world.time() < expected[7] + 1e-3 {
        world.step(0.01).unwrap();
        assert_eq!(world.events().storms, []);
        times.extend(world.events().impacts.iter().map(|impact| impact.time));
    }
    times.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    println!("{times:?}\n{expected:?}");
    assert_eq!(times.len(), 8);
    for (time, exact) in times.iter().zip(&expected) {
        assert!((time - exact).abs() < 1e-12, "{time} {exact}");
    }
}

/// A ball slides down a fixed ball without friction, and leaves where g cos θ = R θ̇²: from the top, where cos θ = 2/3.
#[test]
fn a_ball_leaves_a_ball() {
    let mut world = world(1e-12);
    let smooth = material(0.0, 0.0);
    world.add_body(Body::fixed().with_shape(Shape::sphere(0.4).unwrap()).with_material(smooth)).unwrap();
    let (reach, start, omega) = (0.5, 0.2_f64, 0.3);
    let at = DVec3::new(libm::sin(start), libm::cos(start), 0.0) * reach;
    let ball = ball(&mut world, smooth, at.to_array());
    let along = DVec3::new(libm::cos(start), -libm::sin(start), 0.0);
    world.body_mut(ball).unwrap().set_velocity(along * (omega * reach)).unwrap();
    let leaves = libm::acos((omega * omega * reach / G + 2.0 * libm::cos(start)) / 3.0);
    let speed = |theta: f64| (omega * omega + 2.0 * G / reach * (libm::cos(start) - libm::cos(theta))).sqrt();
    let exact = integral(start, leaves, |theta| 1.0 / speed(theta));
    let mut left = None;
    for _ in 0..60 {
        world.step(0.01).unwrap();
        let events = world.events();
        left = left.or(events.contacts.iter().find(|event| event.phase == Phase::End).map(|event| event.time));
    }
    println!("{left:?} {exact}");
    assert!((left.unwrap() - exact).abs() < 1e-12, "{left:?} {exact}");
}
