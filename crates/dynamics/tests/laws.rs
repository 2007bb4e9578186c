//! Laws of motion that every simulation with contact must obey, each against its formula.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use tumble_dynamics::geometry::math::rotation_about;
use tumble_dynamics::geometry::{Shape, Transform};
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::{Body, BodyId, Material, World};

const G: f64 = 9.81;

fn with_friction(mu: f64) -> Material {
    Material { static_friction: mu, dynamic_friction: mu, ..Material::default() }
}

fn ground(world: &mut World, material: Material) -> BodyId {
    let plane = Shape::half_space(DVec3::Y).unwrap();
    world.add_body(Body::fixed().with_shape(plane).with_material(material)).unwrap()
}

fn run(world: &mut World, seconds: f64, dt: f64, mut each: impl FnMut(&World)) {
    for _ in 0..(seconds / dt).round() as usize {
        world.step(dt).unwrap();
        each(world);
    }
}

#[test]
fn free_fall_follows_the_parabola_exactly() {
    let mut world = World::with_method(Retroactive::new());
    let ball =
        Body::dynamic().with_shape(Shape::sphere(0.1).unwrap()).with_velocity([3.0, 4.0, -1.0]).at([0.0, 100.0, 0.0]);
    let ball = world.add_body(ball).unwrap();
    run(&mut world, 10.0, 1.0 / 60.0, |_| {});
    let t = world.time();
    let exact = DVec3::new(3.0 * t, 100.0 + 4.0 * t - 0.5 * G * t * t, -t);
    let error = (world.body(ball).unwrap().position() - exact).length();
    assert!(error < 3e-11, "{error:e} m");
}

/// Wherever in a step a ball meets the ground it bounces; also if the step ends a hair above the ground, where it counts as
/// touching but does not press yet.
#[test]
fn a_ball_bounces_wherever_in_a_step_it_lands() {
    let bouncy = Material { restitution: 0.5, ..Material::default() };
    for gap in [-4e-3, -2e-5, -8e-6, 0.0, 2e-6, 5e-6, 9e-6, 2e-5, 4e-3] {
        let mut world = World::with_method(Retroactive::new());
        world.set_gravity([0.0; 3]);
        ground(&mut world, bouncy);
        let ball = Body::dynamic().with_shape(Shape::sphere(0.1).unwrap()).with_material(bouncy);
        let ball = world.add_body(ball.at([0.0, 0.1 + 0.1 + gap, 0.0]).with_velocity([0.0, -1.0, 0.0])).unwrap();
        run(&mut world, 0.15, 0.01, |_| {});
        let speed = world.body(ball).unwrap().velocity().y;
        assert!((speed - 0.5).abs() < 1e-9, "{gap} m above the ground at the end of a step: {speed} m/s");
    }
}

#[test]
fn bouncing_ball_peaks_at_e_squared_to_the_n() {
    for e in [1.0, 0.8, 0.5] {
        let mut world = World::with_method(Retroactive::new());
        let bouncy = Material { restitution: e, ..Material::default() };
        ground(&mut world, bouncy);
        let ball = Body::dynamic().with_shape(Shape::sphere(0.1).unwrap()).with_material(bouncy).at([0.0, 1.1, 0.0]);
        let ball = world.add_body(ball).unwrap();
        let (mut peaks, mut highest, mut rising) = (Vec::new(), 0.0_f64, false);
        run(&mut world, 3.0, 1.0 / 240.0, |world| {
            let body = world.body(ball).unwrap();
            let up = body.velocity().y > 0.0;
            highest = if up || rising { highest.max(body.position().y - 0.1) } else { 0.0 };
            if rising && !up {
                peaks.push(highest);
                highest = 0.0;
            }
            rising = up;
        });
        for (n, peak) in peaks.iter().enumerate().take(6) {
            let exact = (0..=n).fold(1.0, |h, _| h * e * e);
            if exact < 0.01 {
                break;
            }
            assert!((peak / exact - 1.0).abs() < 2e-3, "e = {e}, bounce {n}: {peak} instead of {exact}");
        }
        assert!(peaks.len() >= 3);
    }
}

fn block_on_incline(mu: f64, degrees: f64, seconds: f64) -> f64 {
    let mut world = World::with_method(Retroactive::new());
    let tilt = rotation_about(DVec3::Z, -degrees.to_radians());
    let plane = Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap()).with_material(with_friction(mu));
    world.add_body(plane.with_pose(Transform::from_rotation(tilt))).unwrap();
    let block = Body::dynamic().with_shape(Shape::cuboid([0.1, 0.05, 0.1]).unwrap()).with_material(with_friction(mu));
    let block = world
        .add_body(block.with_pose(Transform::new(tilt, tilt * DVec3::new(0.0, 0.05, 0.0))).without_sleep())
        .unwrap();
    let start = world.body(block).unwrap().position();
    run(&mut world, seconds, 1.0 / 240.0, |_| {});
    (world.body(block).unwrap().position() - start).length()
}

#[test]
fn block_below_the_friction_angle_does_not_creep() {
    let moved = block_on_incline(0.6, 30.0, 10.0);
    assert!(moved < 5e-17, "crept {moved:e} m");
}

#[test]
fn block_above_the_friction_angle_accelerates_by_coulombs_law() {
    let theta = 30.0_f64.to_radians();
    let a = G * (libm::sin(theta) - 0.3 * libm::cos(theta));
    let moved = block_on_incline(0.3, 30.0, 2.0);
    let error = (moved / (0.5 * a * 4.0) - 1.0).abs();
    assert!(error < 3e-14, "slid {moved} m, off by {error:e}");
}

#[test]
fn sliding_sphere_ends_up_rolling_at_five_sevenths() {
    let mut world = World::with_method(Retroactive::new());
    ground(&mut world, with_friction(0.3));
    let sphere = Body::dynamic().with_shape(Shape::sphere(0.1).unwrap()).with_material(with_friction(0.3));
    let sphere = world.add_body(sphere.at([0.0, 0.1, 0.0]).with_velocity([7.0, 0.0, 0.0])).unwrap();
    run(&mut world, 3.0, 1.0 / 240.0, |_| {});
    let body = world.body(sphere).unwrap();
    let errors = [body.velocity().x / 5.0, body.angular_velocity().z / -50.0, body.position().x / 15.679578661230037];
    assert!(errors.iter().all(|ratio| (ratio - 1.0).abs() < 1e-6), "{errors:?}");
}

#[test]
fn stack_of_ten_boxes_stands_for_a_minute() {
    let mut world = World::with_method(Retroactive::new());
    ground(&mut world, Material::default());
    let boxes: Vec<BodyId> = (0..10)
        .map(|i| {
            let body = Body::dynamic().with_shape(Shape::cuboid([0.5, 0.5, 0.5]).unwrap());
            world.add_body(body.at([0.0, 0.5 + f64::from(i), 0.0]).without_sleep()).unwrap()
        })
        .collect();
    let start: Vec<DVec3> = boxes.iter().map(|&id| world.body(id).unwrap().position()).collect();
    run(&mut world, 60.0, 1.0 / 60.0, |_| {});
    for (&id, start) in boxes.iter().zip(&start) {
        let drift = (world.body(id).unwrap().position() - *start).length();
        assert!(drift < 2e-4, "{id:?} drifted {drift:e} m");
    }
}

#[test]
fn isolated_system_keeps_momentum_and_angular_momentum() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut vector = |scale: f64| DVec3::new(random.f64() - 0.5, random.f64() - 0.5, random.f64() - 0.5) * scale;
    let mut world = World::with_method(Retroactive::new());
    world.set_gravity([0.0; 3]);
    let material = Material { restitution: 0.6, ..with_friction(0.4) };
    for i in 0..50 {
        let cell = DVec3::new(f64::from(i % 4), f64::from(i / 4 % 4), f64::from(i / 16)) * 1.2;
        let shape = match i % 3 {
            0 => Shape::sphere(0.4),
            1 => Shape::cuboid([0.4, 0.3, 0.2]),
            _ => Shape::capsule(0.2, 0.25),
        };
        let body = Body::dynamic().with_shape(shape.unwrap()).with_material(material).at(cell);
        let inwards = (DVec3::splat(1.8) - cell) * 1.5;
        world
            .add_body(body.with_velocity(inwards + vector(2.0)).with_angular_velocity(vector(4.0)).without_sleep())
            .unwrap();
    }
    // Momentum and angular momentum about the origin, and the sums of their magnitudes to compare with.
    let momenta = |world: &World| {
        world.model().bodies().ids().fold((DVec3::ZERO, DVec3::ZERO, 0.0, 0.0), |(p, l, p_scale, l_scale), id| {
            let body = world.body(id).unwrap();
            let angular = body.center_of_mass().cross(body.momentum()) + body.spin();
            (p + body.momentum(), l + angular, p_scale + body.momentum().length(), l_scale + angular.length())
        })
    };
    let mut before = momenta(&world);
    let mut contacts = 0;
    run(&mut world, 5.0, 1.0 / 60.0, |world| {
        let after = momenta(world);
        let (p, l) = ((after.0 - before.0).length() / after.2, (after.1 - before.1).length() / after.3);
        assert!(p < 1.8e-15 && l < 1.8e-15, "relative change in one step: momentum {p:e}, angular momentum {l:e}");
        before = after;
        contacts += world.contacts().count();
    });
    assert!(contacts > 100, "only {contacts} contacts: the bodies hardly met");
}
