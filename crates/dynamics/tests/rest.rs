//! What rests falls asleep, and what accelerates, however slowly, does not.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use tumble_dynamics::constraint::Ball;
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::geometry::math::rotation_about;
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::method::retroactive::RetroactiveSettings;
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::{Body, Material, World};

const G: f64 = 9.81;

/// A block on a slope a little steeper than the angle of friction slides by ½ g (sin α − μ cos α) t².
#[test]
fn a_block_that_slides_off_slowly_stays_awake() {
    for (degrees, friction, seconds) in
        [(20.0_f64, 0.36, 3.0), (10.0, 0.175, 5.0), (30.0, 0.577, 20.0), (35.0, 0.69, 4.0)]
    {
        for dt in [1.0 / 60.0, 1.0 / 240.0] {
            let angle = degrees.to_radians();
            let slope = rotation_about(DVec3::Z, -angle);
            let material = Material { static_friction: friction, dynamic_friction: friction, ..Material::default() };
            let mut world = World::with_method(Retroactive::new());
            let plane = Shape::half_space(slope * DVec3::Y).unwrap();
            world.add_body(Body::fixed().with_shape(plane).with_material(material)).unwrap();
            let block = Body::dynamic().with_shape(Shape::cuboid([0.5, 0.2, 0.5]).unwrap()).with_material(material);
            let block = world.add_body(block.at(slope * DVec3::new(0.0, 0.2, 0.0)).rotated(slope)).unwrap();
            let start = world.body(block).unwrap().position();
            while world.time() < seconds - 1e-9 {
                world.step(dt).unwrap();
            }
            let slid = (world.body(block).unwrap().position() - start).dot(slope * DVec3::X);
            let exact = 0.5 * G * (libm::sin(angle) - friction * libm::cos(angle)) * seconds * seconds;
            assert!(exact > 0.05 && (slid / exact - 1.0).abs() < 0.01, "{degrees}°, dt {dt}: {slid} m, not {exact} m");
        }
    }
}

/// At the friction angle's safe side it does not creep and falls asleep.
#[test]
fn a_block_that_friction_holds_falls_asleep() {
    let slope = rotation_about(DVec3::Z, -20.0_f64.to_radians());
    let material = Material { static_friction: 0.37, dynamic_friction: 0.37, ..Material::default() };
    let mut world = World::with_method(Retroactive::new());
    world
        .add_body(Body::fixed().with_shape(Shape::half_space(slope * DVec3::Y).unwrap()).with_material(material))
        .unwrap();
    let block = Body::dynamic().with_shape(Shape::cuboid([0.5, 0.2, 0.5]).unwrap()).with_material(material);
    let block = world.add_body(block.at(slope * DVec3::new(0.0, 0.2, 0.0)).rotated(slope)).unwrap();
    let start = world.body(block).unwrap().position();
    (0..120).for_each(|_| world.step(1.0 / 60.0).unwrap());
    assert!(world.body(block).unwrap().is_asleep());
    assert!((world.body(block).unwrap().position() - start).length() < 1e-9);
}

fn with_time_to_sleep(time_to_sleep: f64) -> World {
    World::with_method(Retroactive::new().with_settings(RetroactiveSettings { time_to_sleep, ..Default::default() }))
}

/// Even if nobody has to wait, only what is at rest sleeps: not what is let go, nor what is at the top of its flight.
#[test]
fn without_waiting_time_falling_bodies_still_fall() {
    for dt in [1.0 / 60.0, 1e-3, 1e-5] {
        let mut world = with_time_to_sleep(0.0);
        world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
        let ball = || Body::dynamic().with_shape(Shape::sphere(0.5).unwrap());
        let let_go = world.add_body(ball().at([0.0, 3.0, 0.0])).unwrap();
        let thrown = world.add_body(ball().at([3.0, 3.0, 0.0]).with_velocity([0.0, 0.01, 0.0])).unwrap();
        let rests = world.add_body(ball().at([6.0, 0.5, 0.0])).unwrap();
        for _ in 0..(0.1_f64 / dt).round() as usize {
            world.step(dt).unwrap();
            assert!(!world.body(let_go).unwrap().is_asleep() && !world.body(thrown).unwrap().is_asleep());
        }
        assert!(world.body(rests).unwrap().is_asleep());
        let fallen = 3.0 - world.body(let_go).unwrap().position().y;
        assert!((fallen / (0.5 * G * world.time() * world.time()) - 1.0).abs() < 1e-6, "{fallen}");
    }
}

/// A pendulum that swings by a few millimetres is slow all the time and never at rest.
#[test]
fn a_slow_pendulum_swings_on() {
    let mut world = World::with_method(Retroactive::new());
    let bob = Body::dynamic().with_shape(Shape::sphere(0.1).unwrap()).at([0.005, -2.0, 0.0]);
    let bob = world.add_body(bob).unwrap();
    world.add_joint(Joint::new(JointEnd::World, bob, Ball::at([0.0; 3]))).unwrap();
    let mut farthest: f64 = 0.0;
    for step in 0..1800 {
        world.step(1.0 / 60.0).unwrap();
        assert!(!world.body(bob).unwrap().is_asleep());
        if step > 1500 {
            farthest = farthest.max(world.body(bob).unwrap().position().x.abs());
        }
    }
    assert!((farthest - 0.005).abs() < 1e-4, "{farthest}");
}

/// "Never" is a time to sleep.
#[test]
fn bodies_that_must_not_sleep_do_not() {
    let registry = tumble_dynamics::registry::Registry::default();
    let mut world = World::with_method(Retroactive::new());
    let settings = serde_json::json!({ "settings": { "time_to_sleep": "never" } });
    world.set_boxed_method(registry.method("retroactive", &settings).unwrap());
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
    let cube =
        world.add_body(Body::dynamic().with_shape(Shape::cuboid([0.5; 3]).unwrap()).at([0.0, 0.5, 0.0])).unwrap();
    (0..600).for_each(|_| world.step(1.0 / 60.0).unwrap());
    assert!(!world.body(cube).unwrap().is_asleep());
    for wrong in [serde_json::json!(-1.0), serde_json::json!("ever"), serde_json::json!(null)] {
        let settings = serde_json::json!({ "settings": { "time_to_sleep": wrong } });
        assert!(registry.method("retroactive", &settings).is_err(), "{settings}");
    }
}

/// In free space nothing holds a body, and the smallest thrust moves it: by ½ a t², and turns it by ½ α t².
#[test]
fn a_small_thrust_in_free_space_moves_a_body() {
    for acceleration in [1e-2, 1e-4, 1e-5] {
        for dt in [1.0 / 60.0, 1.0 / 240.0] {
            let mut world = World::with_method(Retroactive::new());
            world.set_gravity([acceleration, 0.0, 0.0]);
            let falls = world.add_body(Body::dynamic().with_shape(Shape::cuboid([0.5; 3]).unwrap())).unwrap();
            let ball = Body::dynamic().with_shape(Shape::sphere(0.5).unwrap()).with_gravity_scale(0.0);
            let turned = world.add_body(ball.at([0.0, 5.0, 0.0])).unwrap();
            let mass = world.body(turned).unwrap().mass();
            for _ in 0..(20.0 / dt) as usize {
                world.body_mut(turned).unwrap().apply_torque([0.0, 0.1 * mass * acceleration, 0.0]).unwrap();
                world.step(dt).unwrap();
                world.body_mut(turned).unwrap().clear_forces();
            }
            let exact = 0.5 * acceleration * world.time() * world.time();
            let (way, spin) =
                (world.body(falls).unwrap().position().x, world.body(turned).unwrap().angular_velocity().y);
            assert!((way / exact - 1.0).abs() < 1e-6, "{acceleration} m/s², dt {dt}: {way} m, not {exact}");
            let exact = acceleration * world.time();
            assert!((spin / exact - 1.0).abs() < 1e-6, "{acceleration} rad/s², dt {dt}: {spin} rad/s, not {exact}");
        }
    }
}

/// A block on a slope that exceeds the friction angle by so little that it accelerates at g/1000, and one that falls short of it by as
/// much: the first slides by ½ a t², the second is at rest for a minute to the micrometre, asleep or not. Down to blocks of 8 mm, on
/// slopes up to 40°.
#[test]
fn a_thousandth_of_gravity_decides_between_sliding_and_rest() {
    for (degrees, size) in [(5.0_f64, 0.5), (20.0, 0.5), (20.0, 0.02), (40.0, 0.5), (40.0, 0.008), (40.0, 0.002)] {
        for dt in [1.0 / 60.0, 1.0 / 240.0] {
            let (angle, excess) = (degrees.to_radians(), 1e-3);
            let (sin, cos) = (libm::sin(angle), libm::cos(angle));
            let run = |friction: f64, sleeps: bool, seconds: f64| {
                let slope = rotation_about(DVec3::Z, -angle);
                let material =
                    Material { static_friction: friction, dynamic_friction: friction, ..Material::default() };
                let mut world = World::with_method(Retroactive::new());
                let plane = Shape::half_space(slope * DVec3::Y).unwrap();
                world.add_body(Body::fixed().with_shape(plane).with_material(material)).unwrap();
                let block = Body::dynamic().with_shape(Shape::cuboid([0.5 * size, 0.2 * size, 0.5 * size]).unwrap());
                let block = block.with_material(material).at(slope * DVec3::new(0.0, 0.2 * size, 0.0)).rotated(slope);
                let block = world.add_body(if sleeps { block } else { block.without_sleep() }).unwrap();
                let start = world.body(block).unwrap().position();
                while world.time() < seconds - 1e-9 {
                    world.step(dt).unwrap();
                }
                let block = world.body(block).unwrap();
                ((block.position() - start).dot(slope * DVec3::X), block.is_asleep())
            };
            let (way, asleep) = run(sin / cos - excess / cos, true, 5.0);
            let exact = 0.5 * excess * G * 25.0;
            assert!(!asleep && (way / exact - 1.0).abs() < 0.02, "{degrees}°, {size} m, dt {dt}: {way} m, not {exact}");
            let (way, asleep) = run(sin / cos + excess / cos, true, 60.0);
            assert!(asleep && way.abs() < 1e-6, "{degrees}°, {size} m, dt {dt}: asleep {asleep}, {way} m");
            let (way, _) = run(sin / cos + excess / cos, false, 60.0);
            assert!(way.abs() < 1e-6, "{degrees}°, {size} m, dt {dt}: crept by {way} m");
        }
    }
}
