//! Laws of surfaces, each against its formula: the threshold of restitution, spinning friction, rough normals.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::geometry::math::rotation_about;
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::method::retroactive::RetroactiveSettings;
use tumble_dynamics::{Body, BodyId, Material, World};

const G: f64 = 9.81;
const STEPS: [f64; 3] = [1.0 / 60.0, 1.0 / 240.0, 1e-3];

fn ground(world: &mut World, material: Material) -> BodyId {
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap()).with_material(material)).unwrap()
}

fn frictionless() -> Material {
    Material { static_friction: 0.0, dynamic_friction: 0.0, ..Material::default() }
}

/// How high a ball rises again that is thrown down on the ground so that it arrives at `speed`, and how fast it is soon after.
fn rebound(speed: f64, threshold: f64, restitution: f64, dt: f64) -> f64 {
    let settings = RetroactiveSettings { restitution_threshold: threshold, ..Default::default() };
    let mut world = World::with_method(Retroactive::new().with_settings(settings));
    let material = Material { restitution, ..Material::default() };
    ground(&mut world, material);
    let (radius, height) = (0.1, 0.25 * speed * speed / G);
    let ball = Body::dynamic().with_shape(Shape::sphere(radius).unwrap()).with_material(material).without_sleep();
    let down = -(speed * speed - 2.0 * G * height).sqrt();
    let ball = world.add_body(ball.at([0.0, radius + height, 0.0]).with_velocity([0.0, down, 0.0])).unwrap();
    while world.contacts_of(ball).flat_map(|contact| contact.points()).all(|point| point.impulse.normal <= 0.0) {
        world.step(dt).unwrap();
        assert!(world.time() < 5.0);
    }
    // The highest point of the flight that begins here, by its energy: independent of where in a step it is.
    let ball = world.body(ball).unwrap();
    let up = ball.velocity().y.max(0.0);
    ball.position().y - radius + 0.5 * up * up / G
}

/// Slower than the threshold, surfaces that meet stay together; faster, they separate with e times the speed and the ball rises
/// to e² v²/2g. The threshold is a sharp one, whatever its value and the step.
#[test]
fn impacts_below_the_threshold_do_not_bounce() {
    for dt in STEPS {
        for threshold in [0.05, 0.1, 0.5, 2.0] {
            for restitution in [0.3, 0.8, 1.0] {
                let stays = rebound(0.99 * threshold, threshold, restitution, dt);
                assert!(stays.abs() < 1e-9, "dt {dt}, threshold {threshold}, e {restitution}: rises by {stays} m");
                let speed = 1.01 * threshold;
                let exact = 0.5 * restitution * restitution * speed * speed / G;
                let rises = rebound(speed, threshold, restitution, dt);
                let error = (rises - exact).abs();
                assert!(
                    error < 1e-6 * exact + 1e-9,
                    "dt {dt}, {threshold} m/s, e {restitution}: {rises}, not {exact} m"
                );
            }
        }
    }
}

/// With the threshold at zero even the smallest impact bounces.
#[test]
fn without_a_threshold_everything_bounces() {
    for dt in STEPS {
        let (speed, restitution) = (0.02, 0.9);
        let exact = 0.5 * (restitution * speed) * (restitution * speed) / G;
        let rises = rebound(speed, 0.0, restitution, dt);
        assert!((rises / exact - 1.0).abs() < 1e-3, "dt {dt}: {rises}, not {exact} m");
    }
}

/// Spinning friction σ is a lever arm: the torque of the normal force is σ N against the spin about the normal. So the spin of a
/// body on level ground, I about the vertical, goes down by σ m g/I per second, stops after ω I/(σ m g), and does not come back.
#[test]
fn spinning_friction_stops_a_spin_in_time() {
    for dt in STEPS {
        for sigma in [1e-3, 0.01] {
            for (name, shape, height, inertia) in [
                ("ball", Shape::sphere(0.2).unwrap(), 0.2, 0.4 * 0.2 * 0.2),
                ("disc", Shape::cylinder(0.05, 0.3).unwrap(), 0.05, 0.5 * 0.3 * 0.3),
                ("box", Shape::cuboid([0.3, 0.1, 0.2]).unwrap(), 0.1, (0.3 * 0.3 + 0.2 * 0.2) / 3.0),
            ] {
                let material = Material { spinning_friction: sigma, ..frictionless() };
                let mut world = World::with_method(Retroactive::new());
                ground(&mut world, material);
                let body = Body::dynamic().with_shape(shape).with_material(material).at([0.0, height, 0.0]);
                let body = world.add_body(body.with_angular_velocity([0.0, 3.0, 0.0])).unwrap();
                let rate = sigma * G / inertia;
                let (mut spin, stop) = (3.0_f64, 3.0 / rate);
                while world.time() < stop.min(4.0) - dt {
                    world.step(dt).unwrap();
                    spin = world.body(body).unwrap().angular_velocity().y;
                    let exact = 3.0 - rate * world.time();
                    assert!((spin - exact).abs() < 1e-6, "{name}, σ {sigma}, dt {dt}: {spin}, not {exact} rad/s");
                }
                assert!(spin < 3.0);
                if stop < 4.0 {
                    (0..10).for_each(|_| world.step(dt).unwrap());
                    let rest = world.body(body).unwrap().angular_velocity().length();
                    assert!(rest < 1e-9, "{name}, σ {sigma}, dt {dt}: {rest} rad/s left");
                }
            }
        }
    }
}

/// Balls fall on a rough plane. With a perturbation ε each component of the tilt t is uniform in ±ε, and the ball leaves along the
/// normal n = (n₀ + t)/|n₀ + t|: the slope of n against n₀ has the mean 0 and the variance ε²/3 (to order ε³) along every direction of the
/// plane, however that lies in space.
#[test]
fn rough_normals_are_spread_evenly_about_the_ideal_one() {
    const BALLS: usize = 1500;
    for (degrees, epsilon) in [(0.0, 0.1), (30.0, 0.06)] {
        let turn = rotation_about(DVec3::new(0.6, 0.0, 0.8), f64::to_radians(degrees));
        let (normal, along) = (turn * DVec3::Y, [turn * DVec3::X, turn * DVec3::Z, turn * DVec3::new(0.6, 0.0, 0.8)]);
        let material = Material { perturbation: 0.5 * epsilon, restitution: 1.0, ..frictionless() };
        let mut world = World::with_method(Retroactive::new());
        world.set_gravity([0.0; 3]);
        let plane = Shape::half_space(normal).unwrap();
        world.add_body(Body::fixed().with_shape(plane).with_material(material)).unwrap();
        let ball = Body::dynamic().with_shape(Shape::sphere(0.1).unwrap()).with_material(material);
        let balls: Vec<BodyId> = (0..BALLS)
            .map(|i| {
                let at = turn * DVec3::new((i % 40) as f64, 0.11, (i / 40) as f64);
                world.add_body(ball.clone().at(at).with_velocity(-normal)).unwrap()
            })
            .collect();
        (0..10).for_each(|_| world.step(1.0 / 240.0).unwrap());
        let (mut mean, mut variance) = ([0.0; 3], [0.0; 3]);
        for &ball in &balls {
            // The change of velocity is along n; its slope is that of the normal.
            let kick = world.body(ball).unwrap().velocity() + normal;
            assert!(kick.dot(normal) > 1.0, "{kick}");
            for axis in 0..3 {
                let slope = kick.dot(along[axis]) / kick.dot(normal);
                mean[axis] += slope / BALLS as f64;
                variance[axis] += slope * slope / BALLS as f64;
            }
        }
        let exact = epsilon * epsilon / 3.0;
        for axis in 0..3 {
            // Four standard errors; that of the variance of uniform numbers is √(4/5n) of it.
            let error = 4.0 * (exact / BALLS as f64).sqrt();
            assert!(mean[axis].abs() < error, "{degrees}°: {mean:?}, standard error {}", error / 4.0);
            let error = 4.0 * (0.8 / BALLS as f64).sqrt() + epsilon;
            assert!((variance[axis] / exact - 1.0).abs() < error, "{degrees}°: {variance:?}, not {exact}");
        }
        let mixed: f64 = balls
            .iter()
            .map(|&ball| world.body(ball).unwrap().velocity() + normal)
            .map(|kick| kick.dot(along[0]) / kick.dot(normal) * kick.dot(along[1]) / kick.dot(normal))
            .sum::<f64>()
            / BALLS as f64;
        assert!(mixed.abs() < 4.0 * exact / (BALLS as f64).sqrt(), "{degrees}°: correlation {mixed}, not 0 ± {exact}");
    }
}

/// The tilt of a pair depends on the seed, the pair and the step alone: not on what else there is, nor on the order in which
/// contacts are found.
#[test]
fn rough_normals_do_not_depend_on_others() {
    let material = Material { perturbation: 0.1, restitution: 0.5, ..Material::default() };
    let run = |others: usize| {
        let mut world = World::with_method(Retroactive::new());
        ground(&mut world, material);
        let ball = || Body::dynamic().with_shape(Shape::sphere(0.1).unwrap()).with_material(material);
        let mut random = fastrand::Rng::with_seed(3);
        let watched: Vec<BodyId> = (0..10)
            .map(|i| world.add_body(ball().at([f64::from(i), 0.15 + 0.3 * random.f64(), 0.0])).unwrap())
            .collect();
        for i in 0..others {
            // Before, between and after the others along the axes of the broad phase.
            let at = [random.f64() * 9.0, 0.15 + 0.1 * random.f64(), 3.0 - 6.0 * (i % 2) as f64];
            world.add_body(ball().at(at)).unwrap();
        }
        (0..120).for_each(|_| world.step(1.0 / 120.0).unwrap());
        watched.iter().map(|&id| *world.body(id).unwrap().state()).collect::<Vec<_>>()
    };
    let alone = run(0);
    assert_eq!(alone, run(7));
    assert_eq!(alone, run(60));
    let sideways = alone.iter().filter(|body| body.position.z.abs() > 1e-3).count();
    assert!(sideways > 5, "only {sideways} balls felt the roughness");
}
