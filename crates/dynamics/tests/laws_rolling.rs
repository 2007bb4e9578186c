//! Laws of rolling, tipping and oblique impact, each against its formula.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::{DMat3, DVec3};
use std::f64::consts::FRAC_PI_2;
use tumble_dynamics::geometry::math::{rotation_about, rotation_vector};
use tumble_dynamics::geometry::{MassProperties, Shape, Transform};
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::{Body, BodyId, Material, World};

const G: f64 = 9.81;
const R: f64 = 0.1;
const DT: f64 = 1.0 / 240.0;

fn with_friction(mu: f64) -> Material {
    Material { static_friction: mu, dynamic_friction: mu, ..Material::default() }
}

fn run(world: &mut World, seconds: f64, dt: f64) {
    for _ in 0..(seconds / dt).round() as usize {
        world.step(dt).unwrap();
    }
}

/// A plane that descends towards +x at the given angle, and the rotation that tilts it.
fn incline(world: &mut World, degrees: f64, material: Material) -> glam::DQuat {
    let tilt = rotation_about(DVec3::Z, -degrees.to_radians());
    let plane = Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap()).with_material(material);
    world.add_body(plane.with_pose(Transform::from_rotation(tilt))).unwrap();
    tilt
}

/// A round body of one kilogram with the moment of inertia k m R² about its rolling axis z.
fn roller(shape: Shape, k: f64, mu: f64) -> Body {
    let inertia = DMat3::from_diagonal(DVec3::splat(k * R * R));
    let mass = MassProperties { mass: 1.0, center: DVec3::ZERO, inertia };
    Body::dynamic().with_shape(shape).with_mass_properties(mass).with_material(with_friction(mu)).without_sleep()
}

/// How far the body rolls down an incline of 30° in two seconds, and the ratio ωR/v at the end.
fn roll_down(shape: Shape, k: f64, mu: f64) -> (f64, f64) {
    let mut world = World::with_method(Retroactive::new());
    let tilt = incline(&mut world, 30.0, with_friction(mu));
    // The axis of the cylinder lies along z.
    let turn =
        if matches!(shape, Shape::Cylinder(_)) { rotation_about(DVec3::X, FRAC_PI_2) } else { glam::DQuat::IDENTITY };
    let start = tilt * DVec3::Y * R;
    let body = world.add_body(roller(shape, k, mu).with_pose(Transform::new(tilt * turn, start))).unwrap();
    run(&mut world, 2.0, DT);
    let body = world.body(body).unwrap();
    ((body.position() - start).length(), body.angular_velocity().length() * R / body.velocity().length())
}

/// a = g sin θ / (1 + k) with the moment of inertia k m R²: 5/7 g sin θ for the solid sphere, 2/3 for the solid cylinder, 3/5
/// for the spherical shell, 1/2 for the hoop.
#[test]
fn rolling_down_an_incline() {
    let sphere = || Shape::sphere(R).unwrap();
    let cylinder = || Shape::cylinder(0.1, R).unwrap();
    for (name, shape, k, exact) in [
        ("sphere", sphere(), 0.4, 7.007_142_857_142_857),
        ("cylinder", cylinder(), 0.5, 6.54),
        ("shell", sphere(), 2.0 / 3.0, 5.886),
        ("hoop", cylinder(), 1.0, 4.905),
    ] {
        let (moved, rolling) = roll_down(shape, k, 0.6);
        assert!((moved / exact - 1.0).abs() < 3e-14, "{name}: {moved} m instead of {exact}");
        assert!((rolling - 1.0).abs() < 3e-14, "{name}: ωR/v = {rolling}");
    }
}

/// The least friction for rolling without slip is μ = tan θ k/(1 + k): 0.165 for the sphere. Below it slips, with
/// a = g (sin θ − μ cos θ).
#[test]
fn least_friction_for_rolling() {
    let least = 0.164_957_219_768_464_5;
    assert!((roll_down(Shape::sphere(R).unwrap(), 0.4, 1.01 * least).1 - 1.0).abs() < 1e-9);
    let (moved, rolling) = roll_down(Shape::sphere(R).unwrap(), 0.4, 0.9 * least);
    assert!(rolling < 0.95, "ωR/v = {rolling}");
    let theta = 30.0_f64.to_radians();
    let a = G * (libm::sin(theta) - 0.9 * least * libm::cos(theta));
    assert!((moved / (2.0 * a) - 1.0).abs() < 1e-12, "{moved}");
}

/// Rolling friction with the lever arm c_rr R slows a sphere by c_rr g/(1 + k) = 5/7 c_rr g; with c_rr = 0.01 it stops after
/// 14.271151885830784 s and 7.135575942915392 m, and then stays.
#[test]
fn rolling_resistance() {
    let material = Material { rolling_friction: 0.01 * R, ..with_friction(0.5) };
    let mut world = World::with_method(Retroactive::new());
    incline(&mut world, 0.0, material);
    let body = Body::dynamic().with_shape(Shape::sphere(R).unwrap()).with_material(material).with_mass(1.0);
    let body = body.at([0.0, R, 0.0]).with_velocity([1.0, 0.0, 0.0]).with_angular_velocity([0.0, 0.0, -1.0 / R]);
    let body = world.add_body(body.without_sleep()).unwrap();
    run(&mut world, 5.0, DT);
    let v = world.body(body).unwrap().velocity().x;
    let t = world.time();
    assert!((v - (1.0 - 0.070_071_428_571_428_58 * t)).abs() < 1e-11, "{v}");
    run(&mut world, 15.0, DT);
    let body = world.body(body).unwrap();
    assert!((body.position().x - 7.135_575_942_915_392).abs() < 1.2e-8, "{}", body.position().x);
    assert!(body.velocity().length() < 1e-12);
}

/// How far a box of breadth b and height h has turned after some seconds on an incline, if it does not slide.
fn turned_on_incline(degrees: f64, b: f64, h: f64) -> f64 {
    let mut world = World::with_method(Retroactive::new());
    let tilt = incline(&mut world, degrees, with_friction(2.0));
    let shape = Shape::cuboid([0.5 * b, 0.5 * h, 0.5 * b]).unwrap();
    let body = Body::dynamic().with_shape(shape).with_material(with_friction(2.0)).without_sleep();
    let body = world.add_body(body.with_pose(Transform::new(tilt, tilt * DVec3::Y * (0.5 * h)))).unwrap();
    run(&mut world, 4.0, DT);
    rotation_vector(world.body(body).unwrap().rotation() * tilt.conjugate()).length()
}

/// A box tips over its lower edge when tan θ > b/h: for b/h = ½ at 26.565°.
#[test]
fn a_box_tips_just_past_its_threshold() {
    let threshold = 26.565_051_177_077_99;
    for degrees in [-0.5, -0.1, -0.02] {
        let turned = turned_on_incline(threshold + degrees, 0.5, 1.0);
        assert!(turned < 1e-12, "{degrees}° below the threshold it turned by {turned}");
    }
    for degrees in [0.02, 0.1, 0.5] {
        let turned = turned_on_incline(threshold + degrees, 0.5, 1.0);
        assert!(turned > 0.5, "{degrees}° above the threshold it turned only by {turned}");
    }
}

/// Pushed at the height H, a box of breadth w tips at F = m g w/(2H) if μ > w/(2H), and otherwise slides at F = μ m g.
#[test]
fn a_pushed_box_tips_or_slides() {
    let push = |force: f64, mu: f64| {
        let mut world = World::with_method(Retroactive::new());
        incline(&mut world, 0.0, with_friction(mu));
        let body =
            Body::dynamic().with_shape(Shape::cuboid([0.25, 0.5, 0.25]).unwrap()).with_material(with_friction(mu));
        let body: BodyId = world.add_body(body.with_mass(1.0).at([0.0, 0.5, 0.0]).without_sleep()).unwrap();
        for _ in 0..240 {
            // At the middle of its top, wherever that is.
            let top = world.body(body).unwrap().pose().point(DVec3::Y * 0.5);
            world.body_mut(body).unwrap().apply_force_at([force, 0.0, 0.0], top).unwrap();
            world.step(DT).unwrap();
        }
        let body = world.body(body).unwrap();
        (body.position().x, rotation_vector(body.rotation()).length())
    };
    let tips_at = 2.4525;
    let (moved, turned) = push(0.995 * tips_at, 0.5);
    assert!(moved.abs() < 1e-6 && turned < 1e-6, "{moved}, {turned}");
    assert!(push(1.005 * tips_at, 0.5).1 > 0.01);
    // With μ = 0.2 < w/(2H) it slides at 1.962 N, upright, with a = F/m − μ g.
    let (moved, turned) = push(0.995 * 1.962, 0.2);
    assert!(moved.abs() < 1e-6 && turned < 1e-6, "{moved}, {turned}");
    let (moved, turned) = push(2.2, 0.2);
    assert!(turned < 1e-12 && (moved / (0.5 * (2.2 - 1.962)) - 1.0).abs() < 1e-12, "{moved}, {turned}");
}

/// A sphere that hits a plane obliquely slips throughout the impact if μ < 2/7 |u|/((1 + e)|v_y|), u = v_x + ωR being the
/// velocity of the point that touches, and then Δv_x = ∓μ (1 + e)|v_y|; otherwise it leaves rolling. No gravity.
/// The same whether it touches at the end of a step or within one.
#[test]
fn oblique_impact_of_a_sphere() {
    for (vx, vy, omega, mu, e, exact) in [
        (5.0, -5.0, 0.0, 0.1, 1.0, [4.0, 5.0, -25.0]),
        (5.0, -5.0, 0.0, 0.5, 1.0, [3.571_428_571_428_571_6, 5.0, -35.714_285_714_285_715]),
        (5.0, -5.0, 0.0, 0.1, 0.5, [4.25, 2.5, -18.75]),
        (5.0, -5.0, 0.0, 0.3, 0.5, [3.571_428_571_428_571_6, 2.5, -35.714_285_714_285_715]),
        (2.0, -5.0, -100.0, 0.2, 0.8, [3.8, 4.0, -55.0]),
        (2.0, -5.0, -100.0, 0.9, 0.8, [4.285_714_285_714_286, 4.0, -42.857_142_857_142_854]),
    ] {
        let material = Material { restitution: e, ..with_friction(mu) };
        // The speeds along x and y and R times the angular velocity after a fall from a height above the plane.
        let after = |height: f64| {
            let mut world = World::with_method(Retroactive::new());
            world.set_gravity([0.0; 3]);
            incline(&mut world, 0.0, material);
            let body = Body::dynamic().with_shape(Shape::sphere(R).unwrap()).with_mass(1.0).with_material(material);
            let body = body.at([0.0, R + height, 0.0]).with_velocity([vx, vy, 0.0]);
            let body = world.add_body(body.with_angular_velocity([0.0, 0.0, omega]).without_sleep()).unwrap();
            run(&mut world, 0.5, DT);
            let body = world.body(body).unwrap();
            DVec3::new(body.velocity().x, body.velocity().y, R * body.angular_velocity().z)
        };
        let exact = DVec3::new(exact[0], exact[1], R * exact[2]);
        for fraction in [0.0, 0.1, 0.2, 0.5, 0.9] {
            let found = after(-vy * (40.0 + fraction) * DT);
            let case = format!("v = ({vx}, {vy}), ω = {omega}, μ = {mu}, e = {e}, {fraction} into a step");
            assert!((found - exact).length() < 1e-11, "{case}: {found}");
        }
    }
}
