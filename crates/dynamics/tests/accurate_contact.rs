//! The accurate method on contacts: events at their times, friction, impacts, against formulas.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::{DQuat, DVec3};
use tumble_dynamics::constraint::Hinge;
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
    assert!((body.position().x - exact).abs() < 1e-8, "{} {exact}", body.position().x);
    assert!((body.velocity().x - 5.0).abs() < 1e-9);
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

/// A box let go on one edge falls flat onto its face, and a block that stands stays.
#[test]
fn boxes_tip_and_stand() {
    let mut world = world(1e-8);
    let rough = material(0.0, 0.8);
    floor(&mut world, rough);
    let turn = rotation_about(DVec3::Z, 0.3);
    let corner = turn * DVec3::new(0.25, -0.5, 0.0);
    let shape = || Shape::cuboid([0.25, 0.5, 0.25]).unwrap();
    let tipped = Body::dynamic().with_shape(shape()).with_mass(1.0).with_material(rough).rotated(turn);
    let tipped = world.add_body(tipped.at([0.0, -corner.y, 0.0])).unwrap();
    let stands = Body::dynamic().with_shape(shape()).with_mass(1.0).with_material(rough).at([5.0, 0.5, 0.0]);
    let stands = world.add_body(stands).unwrap();
    for _ in 0..40 {
        world.step(0.05).unwrap();
        assert_eq!(world.events().storms, []);
    }
    let body = world.body(tipped).unwrap();
    assert!((body.position().y - 0.5).abs() < 1e-6, "{}", body.position());
    assert!(body.position().z.abs() < 1e-9, "{}", body.position());
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
