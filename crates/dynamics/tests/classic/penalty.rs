//! The penalty method is stable without tuning: masses 1 to 1000, steps of 1 to 33 ms, and blocks that do not creep.

use glam::DVec3;
use tumble_dynamics::constraint::Ball;
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::method::{Penalty, PenaltySettings};
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::{Body, BodyId, Material, World};

fn world(settings: PenaltySettings) -> World {
    World::with_method(Penalty::new(settings))
}

fn floor(world: &mut World, material: Material, slope: f64) -> DVec3 {
    let (sin, cos) = libm::sincos(slope);
    let normal = DVec3::new(-sin, cos, 0.0);
    world.add_body(Body::fixed().with_shape(Shape::half_space(normal).unwrap()).with_material(material)).unwrap();
    normal
}

fn run(world: &mut World, dt: f64, seconds: f64) {
    for _ in 0..(seconds / dt).round() as usize {
        world.step(dt).unwrap();
    }
}

fn at(world: &World, id: BodyId) -> DVec3 {
    world.body(id).unwrap().position()
}

/// G 2.70: at rest the spring carries the weight, k d = m g.
#[test]
fn a_ball_sinks_by_its_weight_over_the_stiffness() {
    for (mass, stiffness) in [(1.0, 5e3), (40.0, 1e5)] {
        let mut world = world(PenaltySettings { stiffness: Some(stiffness), ..PenaltySettings::default() });
        floor(&mut world, Material::default(), 0.0);
        let ball = Body::dynamic().with_shape(Shape::sphere(0.5).unwrap()).with_mass(mass).at([0.0, 0.5, 0.0]);
        let id = world.add_body(ball).unwrap();
        run(&mut world, 1.0 / 60.0, 5.0);
        let (sunk, expected) = (0.5 - at(&world, id).y, mass * 9.81 / stiffness);
        assert!((sunk / expected - 1.0).abs() < 1e-6, "{sunk} instead of {expected}");
    }
}

/// A thousand kilograms on one, and one on a thousand, with steps from 1 to 33 ms: nothing flies off, and nothing sinks by more than two
/// hundredths of its size.
#[test]
fn it_is_stable_for_all_masses_and_steps() {
    for dt in [0.001, 0.004, 1.0 / 60.0, 0.033] {
        for masses in [[1.0, 1000.0], [1000.0, 1.0], [1.0, 1.0]] {
            let mut world = world(PenaltySettings::default());
            floor(&mut world, Material::default(), 0.0);
            let mut add = |y: f64, mass: f64| {
                let body =
                    Body::dynamic().with_shape(Shape::cuboid([0.5; 3]).unwrap()).with_mass(mass).at([0.0, y, 0.0]);
                world.add_body(body).unwrap()
            };
            let (lower, upper) = (add(0.5, masses[0]), add(1.5, masses[1]));
            // A tonne on springs made for a kilogram rings for a while, but less and less.
            let [first, second] = [0; 2].map(|_| {
                let mut fastest = 0.0_f64;
                for _ in 0..(0.5_f64 / dt).round() as usize {
                    world.step(dt).unwrap();
                    fastest = fastest.max(world.body(upper).unwrap().velocity().length());
                }
                fastest
            });
            assert!(second < first && first < 0.6, "{dt} {masses:?}: {first} m/s, then {second} m/s");
            let (sunk, both) = (0.5 - at(&world, lower).y, 1.5 - at(&world, upper).y);
            assert!((0.0..0.02).contains(&sunk) && (0.0..0.03).contains(&both), "{dt} {masses:?}: {sunk} {both}");
        }
    }
}

/// On a slope of 95 % of the friction angle a block stays where it is; at 110 % it slides as Coulomb says.
#[test]
fn anchors_hold_a_block_below_the_friction_angle() {
    let friction = 0.5;
    let angle = libm::atan(friction);
    let material = Material { static_friction: friction, dynamic_friction: friction, ..Material::default() };
    let place = |slope: f64, seconds: [f64; 2]| {
        let mut world = world(PenaltySettings::default());
        let normal = floor(&mut world, material, slope);
        let turn = tumble_dynamics::geometry::math::rotation_about(DVec3::Z, slope);
        let block = Body::dynamic().with_shape(Shape::cuboid([0.5, 0.25, 0.5]).unwrap()).with_material(material);
        let id = world.add_body(block.at(normal * 0.25).rotated(turn)).unwrap();
        seconds.map(|seconds| {
            run(&mut world, 1.0 / 60.0, seconds);
            at(&world, id)
        })
    };
    let [before, after] = place(0.95 * angle, [2.0, 5.0]);
    assert!((after - before).length() < 1e-6, "it crept by {} m", (after - before).length());
    let slope = 1.1 * angle;
    let [before, after] = place(slope, [1.0, 1.0]);
    let (sin, cos) = libm::sincos(slope);
    let expected = 0.5 * 9.81 * (sin - friction * cos) * (4.0 - 1.0);
    let slid = (after - before).length();
    assert!((slid / expected - 1.0).abs() < 0.03, "{slid} instead of {expected}");
}

#[test]
fn balls_bounce_by_their_restitution_and_joints_are_springs() {
    let material = Material { restitution: 0.7, ..Material::default() };
    let mut world = world(PenaltySettings::default());
    floor(&mut world, material, 0.0);
    let ball = Body::dynamic().with_shape(Shape::sphere(0.25).unwrap()).with_material(material).at([0.0, 1.25, 0.0]);
    let ball = world.add_body(ball).unwrap();
    let bob = Body::dynamic().with_shape(Shape::sphere(0.1).unwrap()).with_mass(2.0).at([4.0, 3.0, 0.0]);
    let bob = world.add_body(bob).unwrap();
    let joint = world.add_joint(Joint::new(JointEnd::World, bob, Ball::at([3.0, 3.0, 0.0]))).unwrap();
    let (mut highest, mut lowest, mut open) = (0.0_f64, 3.0_f64, 0.0_f64);
    for step in 0..60 {
        world.step(1.0 / 60.0).unwrap();
        if step > 30 {
            highest = highest.max(at(&world, ball).y - 0.25);
        }
        lowest = lowest.min(at(&world, bob).y);
        open = open.max(world.joint(joint).unwrap().error());
    }
    assert!((highest - 0.49).abs() < 0.08, "{highest} m instead of 0.49");
    assert!((lowest - 2.0).abs() < 0.02 && open < 0.01, "the pendulum: {lowest}, open by {open}");
}
