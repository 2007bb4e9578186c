//! Laws of motion through air, each against its formula.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use std::f64::consts::PI;
use tumble_dynamics::force::{Aerodynamic, Drag, Force, ForceContext, Wrenches};
use tumble_dynamics::geometry::math::{rotation_about, rotation_from_vector};
use tumble_dynamics::geometry::shape::SupportMap;
use tumble_dynamics::geometry::{Shape, Transform};
use tumble_dynamics::integrator::{CashKarp, Integrator, RungeKutta4};
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::{Body, BodyId, Collider, Id, World};

const G: f64 = 9.81;
const RHO: f64 = 1.225;

fn run(world: &mut World, seconds: f64, dt: f64) {
    for _ in 0..(seconds / dt).round() as usize {
        world.step(dt).unwrap();
    }
}

/// Force and torque of the air on a body.
fn wrench(world: &World, force: &dyn Force, id: BodyId) -> (DVec3, DVec3) {
    let mut wrenches = Wrenches::zero(world.state().bodies.len());
    force.apply(&ForceContext { model: world.model(), time: 0.0, bodies: &world.state().bodies }, &mut wrenches);
    let wrench = wrenches.as_slice()[id.slot()];
    (wrench.force, wrench.torque)
}

fn push(body: Body, air: &Aerodynamic) -> (DVec3, DVec3) {
    let mut world = World::with_method(Retroactive::new());
    let id = world.add_body(body).unwrap();
    wrench(&world, air, id)
}

fn cuboid(x: f64, y: f64, z: f64) -> Body {
    Body::dynamic().with_shape(Shape::cuboid([x, y, z]).unwrap())
}

fn close(actual: DVec3, expected: DVec3, relative: f64) {
    assert!((actual - expected).length() <= relative * expected.length(), "{actual} instead of {expected}");
}

/// F = ½ ρ C A v² against the motion; the faces at the sides and behind feel nothing.
#[test]
fn a_flat_plate_feels_half_rho_v_squared() {
    let air = Aerodynamic { pressure: 1.2, ..Aerodynamic::default() };
    let (force, torque) = push(cuboid(0.5, 0.01, 0.25).with_velocity([0.0, -3.0, 0.0]), &air);
    close(force, DVec3::Y * (0.5 * RHO * 1.2 * 0.5 * 9.0), 1e-15);
    assert!(torque.length() < 1e-16);
    // Only the difference to the wind counts.
    let wind = Aerodynamic { wind: DVec3::new(0.0, -3.0, 0.0), ..air };
    assert_eq!(push(cuboid(0.5, 0.01, 0.25).with_velocity([0.0, -3.0, 0.0]), &wind).0, DVec3::ZERO);
}

/// A plate at the angle α to the wind is pushed along its normal by ½ ρ C A (v sin α)²: drag sin α of it, lift cos α.
#[test]
fn a_tilted_plate_has_lift() {
    let alpha = 0.3;
    let plate = cuboid(0.5, 1e-6, 0.5).rotated(rotation_about(DVec3::Z, alpha)).with_velocity([10.0, 0.0, 0.0]);
    let (force, _) = push(plate, &Aerodynamic::default());
    let (sin, cos) = libm::sincos(alpha);
    let normal_force = 0.5 * RHO * 100.0 * sin * sin;
    close(force, DVec3::new(-sin, cos, 0.0) * normal_force, 1e-4);
}

#[test]
fn a_falling_tilted_plate_glides_sideways() {
    let mut world = World::with_method(Retroactive::new());
    world.add_force(Aerodynamic { skin: 0.01, ..Aerodynamic::default() });
    // It falls towards its lower edge.
    let plate = cuboid(0.5, 0.005, 0.5).with_mass(1.0).rotated(rotation_about(DVec3::Z, -0.35)).without_sleep();
    let plate = world.add_body(plate).unwrap();
    run(&mut world, 0.6, 1.0 / 240.0);
    let body = world.body(plate).unwrap();
    assert!(body.velocity().x > 0.5, "{}", body.velocity());
    assert!(body.velocity().y > -G * 0.6 * 0.9, "the air carries part of its weight");
    assert!(body.velocity().z.abs() < 1e-12);
}

/// A falling box ends at v = √(2 m g / (ρ C A)), and on the way has v = v_t tanh(g t / v_t).
#[test]
fn terminal_speed_of_a_box() {
    let mut world = World::with_method(Retroactive::new());
    world.add_force(Aerodynamic { pressure: 1.05, ..Aerodynamic::default() });
    let box_ = world.add_body(cuboid(0.2, 0.3, 0.4).with_mass(2.0)).unwrap();
    let terminal = (2.0 * 2.0 * G / (RHO * 1.05 * 0.4 * 0.8)).sqrt();
    run(&mut world, 1.0, 1.0 / 240.0);
    let v = -world.body(box_).unwrap().velocity().y;
    assert!((v / (terminal * libm::tanh(G / terminal)) - 1.0).abs() < 1e-5, "{v}");
    run(&mut world, 20.0, 1.0 / 240.0);
    let v = -world.body(box_).unwrap().velocity().y;
    assert!((v / terminal - 1.0).abs() < 1e-12, "{v} instead of {terminal}");
}

/// A square plate that turns about its middle line: each half moves one of its sides into the air, in all
/// τ = −½ ρ C ω² a · 2 ∫₀^{a/2} s³ ds = −½ ρ C ω² a⁵/32.
#[test]
fn spin_of_a_plate_is_damped() {
    let a = 0.8;
    let plate = || cuboid(0.5 * a, 1e-5, 0.5 * a).with_angular_velocity([0.0, 0.0, 6.0]);
    let (force, torque) = push(plate(), &Aerodynamic::default());
    close(torque, DVec3::NEG_Z * (0.5 * RHO * 36.0 * a * a * a * a * a / 32.0), 1e-10);
    assert!(force.length() < 1e-12);
    // A sheet of two triangles is the same plate.
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, z)| DVec3::new(x, 0.0, z) * 0.5 * a);
    let sheet = Shape::mesh(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let sheet = Body::dynamic().with_shape(sheet).with_angular_velocity([0.0, 0.0, 6.0]);
    close(push(sheet, &Aerodynamic::default()).1, torque, 1e-9);
    // And it does slow down: I ω̇ = −k ω², ω = ω₀ / (1 + k ω₀ t / I).
    let mut world = World::with_method(Retroactive::new());
    world.set_gravity([0.0; 3]);
    world.add_force(Aerodynamic::default());
    let id = world.add_body(plate().with_mass(0.5).without_sleep()).unwrap();
    run(&mut world, 2.0, 1.0 / 240.0);
    let inertia = 0.5 * a * a / 12.0;
    let k = 0.5 * RHO * a * a * a * a * a / 32.0;
    let omega = world.body(id).unwrap().angular_velocity().z;
    assert!((omega / (6.0 / (1.0 + k * 6.0 * 2.0 / inertia)) - 1.0).abs() < 1e-5, "{omega}");
}

#[derive(Debug)]
struct Ellipsoid(DVec3);

impl SupportMap for Ellipsoid {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.0 * (self.0 * direction).normalize_or_zero()
    }
}

/// Newton's pressure on a sphere: half of that on its disc, F = ¼ ρ C π R² v². The same sphere in triangles agrees to the
/// per cent that the triangles are small.
#[test]
fn a_sphere_feels_half_of_what_its_disc_would() {
    let air = Aerodynamic { pressure: 0.9, skin: 0.01, ..Aerodynamic::default() };
    let velocity = DVec3::new(3.0, -4.0, 12.0);
    let moving = |shape: Shape| Body::dynamic().with_shape(shape).with_velocity(velocity);
    let (force, torque) = push(moving(Shape::sphere(0.3).unwrap()), &air);
    let expected = 0.25 * RHO * 0.9 * PI * 0.09 * 169.0 + 0.5 * RHO * 0.01 * 0.75 * PI * PI * 0.09 * 169.0;
    close(force, velocity.normalize() * -expected, 1e-14);
    assert!(torque.length() < 1e-15);
    let (triangles, _) = push(moving(Shape::custom(Ellipsoid(DVec3::splat(0.3))).unwrap()), &air);
    close(triangles, force, 0.015);
    // Spin alone: τ = −½ ρ C_s ¾ π² R⁵ ω².
    let spinning = |shape: Shape| Body::dynamic().with_shape(shape).with_angular_velocity([0.0, 20.0, 0.0]);
    let (_, torque) = push(spinning(Shape::sphere(0.3).unwrap()), &air);
    close(torque, DVec3::NEG_Y * (0.5 * RHO * 0.01 * 0.75 * PI * PI * 0.00243 * 400.0), 1e-13);
    let (_, triangles) = push(spinning(Shape::custom(Ellipsoid(DVec3::splat(0.3))).unwrap()), &air);
    close(triangles, torque, 0.03);
}

/// A cylinder across the wind: ∫cos³ over the windward half gives two thirds of the pressure on its section 2r · 2h.
#[test]
fn a_cylinder_feels_two_thirds_of_its_section() {
    let cylinder = Body::dynamic().with_shape(Shape::cylinder(0.5, 0.2).unwrap()).with_velocity([5.0, 0.0, 0.0]);
    let (force, torque) = push(cylinder, &Aerodynamic::default());
    close(force, DVec3::NEG_X * (0.5 * RHO * 25.0 * 0.4 * 2.0 / 3.0), 0.01);
    assert!(torque.length() < 1e-12);
    let along = Body::dynamic().with_shape(Shape::cylinder(0.5, 0.2).unwrap()).with_velocity([0.0, 5.0, 0.0]);
    close(push(along, &Aerodynamic::default()).0, DVec3::NEG_Y * (0.5 * RHO * 25.0 * PI * 0.04), 0.01);
}

/// Air at rest only ever takes energy: F·v + τ·ω ≤ 0 for any shape in any motion.
#[test]
fn still_air_never_feeds_energy() {
    let mut random = fastrand::Rng::with_seed(11);
    let air = Aerodynamic { skin: 0.05, ..Aerodynamic::default() };
    let mut vector = |scale: f64| DVec3::new(random.f64() - 0.5, random.f64() - 0.5, random.f64() - 0.5) * scale;
    for _ in 0..200 {
        let hull: Vec<DVec3> = (0..10).map(|_| vector(2.0)).collect();
        for shape in [
            Shape::hull(&hull).unwrap(),
            Shape::cone(0.4, 0.3).unwrap(),
            Shape::capsule(0.4, 0.3).unwrap(),
            Shape::sphere(0.3).unwrap(),
            Shape::compound(vec![
                (Transform::from_translation(vector(3.0)), Shape::sphere(0.2).unwrap()),
                (Transform::new(rotation_from_vector(vector(3.0)), vector(3.0)), Shape::cylinder(0.3, 0.2).unwrap()),
            ])
            .unwrap(),
        ] {
            let collider =
                Collider::new(shape).with_pose(Transform::new(rotation_from_vector(vector(4.0)), vector(1.0)));
            let (velocity, omega) = (vector(10.0), vector(10.0));
            let body = Body::dynamic().with_collider(collider).rotated(rotation_from_vector(vector(4.0)));
            let (force, torque) = push(body.with_velocity(velocity).with_angular_velocity(omega), &air);
            assert!(force.dot(velocity) + torque.dot(omega) < 0.0);
        }
    }
}

/// The windward part of a face is found exactly: a face cut into pieces feels the same as the whole.
#[test]
fn a_face_in_pieces_feels_the_same() {
    let (velocity, omega) = (DVec3::new(0.3, -1.0, 0.2), DVec3::new(1.5, -0.7, 2.5));
    let n = 7;
    let point = |i: usize, j: usize| DVec3::new(i as f64 / n as f64 - 0.5, 0.0, j as f64 / n as f64 - 0.5);
    let grid = |n_cells: usize| {
        let step = n / n_cells;
        let mut triangles = Vec::new();
        let mut vertices = Vec::new();
        for i in 0..n_cells {
            for j in 0..n_cells {
                let (a, b, first) = (i * step, j * step, vertices.len() as u32);
                vertices.extend([point(a, b), point(a + step, b), point(a + step, b + step), point(a, b + step)]);
                triangles.extend([[first, first + 2, first + 1], [first, first + 3, first + 2]]);
            }
        }
        let sheet = Shape::mesh(vertices, triangles).unwrap();
        let body = Body::dynamic().with_shape(sheet).with_velocity(velocity).with_angular_velocity(omega);
        push(body, &Aerodynamic::default())
    };
    let ((force, torque), (same_force, same_torque)) = (grid(1), grid(n));
    close(same_force, force, 1e-13);
    close(same_torque, torque, 1e-13);
}

/// One kilogram falls from rest for two seconds through a resisting medium: speed and distance.
fn fall(drag: Drag, integrator: impl Integrator + 'static, dt: f64) -> (f64, f64) {
    let mut world = World::with_method(Retroactive::new().with_integrator(integrator));
    world.add_force(drag);
    let body = world.add_body(Body::particle(1.0).without_sleep()).unwrap();
    run(&mut world, 2.0, dt);
    let body = world.body(body).unwrap();
    (-body.velocity().y, -body.position().y)
}

/// Linear drag, m v̇ = m g − c v: with v_t = m g/c, v = v_t (1 − e^{−ct/m}) and y = v_t (t − v/g).
#[test]
fn linear_drag() {
    let drag = || Drag { linear: 0.5, ..Drag::default() };
    let (v2, y2) = (12.402_205_364_216_302, 14.435_589_271_567_396);
    let (v, y) = fall(drag(), RungeKutta4::default(), 1.0 / 1000.0);
    assert!((v / v2 - 1.0).abs() < 1e-12 && (y / y2 - 1.0).abs() < 1e-12, "{v}, {y}");
    let (v, y) = fall(drag(), CashKarp::default(), 1.0 / 60.0);
    assert!((v / v2 - 1.0).abs() < 1e-9 && (y / y2 - 1.0).abs() < 1e-9, "{v}, {y}");
    // The default integrator is of second order: half the step, a quarter of the error.
    let error = |dt: f64| {
        let mut world = World::with_method(Retroactive::new());
        world.add_force(drag());
        let body = world.add_body(Body::particle(1.0).without_sleep()).unwrap();
        run(&mut world, 2.0, dt);
        world.body(body).unwrap().velocity().y + v2
    };
    let (coarse, fine) = (error(1.0 / 60.0), error(1.0 / 120.0));
    assert!(coarse.abs() < 1e-4 * v2, "{coarse:e}");
    assert!((coarse / fine - 4.0).abs() < 0.1, "order {}", libm::log2(coarse / fine));
}

/// Quadratic drag, m v̇ = m g − k v²: with v_t = √(m g/k), v = v_t tanh(g t/v_t) and y = v_t²/g ln cosh(g t/v_t).
#[test]
fn quadratic_drag() {
    let drag = || Drag { quadratic: 0.1, ..Drag::default() };
    let (v2, y2) = (9.534_645_904_705_057, 13.066_114_178_264_227);
    let (v, y) = fall(drag(), RungeKutta4::default(), 1.0 / 1000.0);
    assert!((v / v2 - 1.0).abs() < 1e-12 && (y / y2 - 1.0).abs() < 1e-12, "{v}, {y}");
    let (v, y) = fall(drag(), CashKarp::default(), 1.0 / 60.0);
    assert!((v / v2 - 1.0).abs() < 1e-9 && (y / y2 - 1.0).abs() < 1e-9, "{v}, {y}");
}
