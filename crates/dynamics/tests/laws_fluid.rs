//! Laws of floating and of drag, each against its formula.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use std::f64::consts::TAU;
use tumble_dynamics::force::{Buoyancy, Force, ForceContext, Wrenches};
use tumble_dynamics::geometry::math::{rotation_about, rotation_from_vector, rotation_vector};
use tumble_dynamics::geometry::{Shape, Transform};
use tumble_dynamics::integrator::RungeKutta4;
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::{Body, BodyId, Collider, Id, World};

const G: f64 = 9.81;

fn run(world: &mut World, seconds: f64, dt: f64) {
    for _ in 0..(seconds / dt).round() as usize {
        world.step(dt).unwrap();
    }
}

fn floating(shape: Shape, density: f64) -> Body {
    Body::dynamic().with_collider(Collider::new(shape).with_density(density)).without_sleep()
}

fn cube() -> Shape {
    Shape::cuboid([0.5, 0.5, 0.5]).unwrap()
}

/// Archimedes: a body of density ρ floats with the fraction ρ/ρ_w of its volume under water. A cube of density 600, kept
/// upright, has the draft 0.6. (Upright it is not stable, see below, so it is built of a heavier bottom and a lighter top.)
#[test]
fn a_cube_of_density_600_floats_with_draft_0_6() {
    let mut world = World::with_method(Retroactive::new());
    world.add_force(Buoyancy { linear_drag: 3.0, ..Buoyancy::default() });
    let slab = |y: f64, density: f64| {
        let shape = Shape::cuboid([0.5, 0.25, 0.5]).unwrap();
        Collider::new(shape).with_density(density).with_pose(Transform::from_translation(DVec3::Y * y))
    };
    let body = Body::dynamic().with_collider(slab(-0.25, 1100.0)).with_collider(slab(0.25, 100.0));
    let body = body.at([0.0, 1.0, 0.0]).rotated(rotation_about(DVec3::Z, 0.3)).without_sleep();
    let body = world.add_body(body).unwrap();
    run(&mut world, 40.0, 1.0 / 120.0);
    let body = world.body(body).unwrap();
    let draft = 0.5 - body.position().y;
    assert!((draft - 0.6).abs() < 1e-6, "draft {draft}");
    assert!((body.rotation() * DVec3::Y - DVec3::Y).length() < 1e-6);
}

/// Small heave: a wall-sided body bobs with the period T = 2π √(d/g), d its draft; for the cube 1.5538925691547858 s. The
/// waterplane is constant, so the spring is linear and any amplitude will do.
#[test]
fn a_floating_cube_heaves_with_its_period() {
    let period = 1.553_892_569_154_785_8;
    let mut world = World::with_method(Retroactive::new().with_integrator(RungeKutta4::default()));
    world.add_force(Buoyancy::default());
    let (draft, amplitude) = (0.6, 0.1);
    let body = world.add_body(floating(cube(), 600.0).at([0.0, 0.5 - draft + amplitude, 0.0])).unwrap();
    let steps = 1000;
    run(&mut world, period, period / f64::from(steps));
    let body = world.body(body).unwrap();
    assert!((body.position().y - (0.5 - draft + amplitude)).abs() < 1e-10, "{}", body.position().y);
    assert!(body.velocity().y.abs() < 1e-9, "{}", body.velocity().y);
}

/// The metacentre lies I/V − (depth of the centre of buoyancy below the centre of mass) above the centre of mass. For the
/// cube of density 600: GM = b²/(12 d) − (h − d)/2 = −0.0611 m, so upright is unstable; for a wide box it is positive, and
/// small rolls have the period 2π √(I/(m g GM)).
#[test]
fn metacentric_height_decides_what_rights_itself() {
    let tilted = |half: [f64; 3], tilt: f64, drag: f64, seconds: f64| {
        let mut world = World::with_method(Retroactive::new());
        world.add_force(Buoyancy { linear_drag: drag, ..Buoyancy::default() });
        let draft = 0.6 * 2.0 * half[1];
        let body = floating(Shape::cuboid(half).unwrap(), 600.0).at([0.0, half[1] - draft, 0.0]);
        let body = world.add_body(body.rotated(rotation_about(DVec3::Z, tilt))).unwrap();
        run(&mut world, seconds, 1.0 / 240.0);
        rotation_vector(world.body(body).unwrap().rotation()).z
    };
    // GM of a box of breadth b and height h.
    let metacentric = |b: f64, h: f64| b * b / (12.0 * 0.6 * h) - (h - 0.6 * h) / 2.0;
    assert!((metacentric(1.0, 1.0) - -0.061_111_111_111_111_11).abs() < 1e-15);
    // The wide box rights itself; the cube falls over, into a stable attitude well away from upright.
    assert!(metacentric(2.0, 1.0) > 0.0);
    assert!(tilted([1.0, 0.5, 1.0], 0.2, 2.0, 30.0).abs() < 1e-4);
    assert!(tilted([0.5, 0.5, 0.5], 0.01, 2.0, 60.0).abs() > 0.3);
    // On either side of GM = 0, which is at b/h = √(12 · 0.6 · 0.2) = 1.2.
    assert!(tilted([0.61, 0.5, 5.0], 0.01, 2.0, 60.0).abs() < 2e-3);
    assert!(tilted([0.59, 0.5, 5.0], 0.01, 2.0, 120.0).abs() > 0.05);
}

#[test]
fn a_wide_box_rolls_with_its_period() {
    let mut world = World::with_method(Retroactive::new().with_integrator(RungeKutta4::default()));
    world.add_force(Buoyancy::default());
    // b = 2, h = 1, d = 0.6: GM = 4/7.2 − 0.2;  I/m = (b² + h²)/12.
    let gm: f64 = 4.0 / 7.2 - 0.2;
    let period = TAU * ((5.0 / 12.0) / (G * gm)).sqrt();
    let body = floating(Shape::cuboid([1.0, 0.5, 1.0]).unwrap(), 600.0).at([0.0, -0.1, 0.0]);
    let tilt = 1e-3;
    let body = world.add_body(body.rotated(rotation_about(DVec3::Z, tilt))).unwrap();
    run(&mut world, period, period / 500.0);
    let state = world.body(body).unwrap();
    // Angle tilt cos(2π t/T) after one period; nonlinear terms are of order tilt³.
    assert!((rotation_vector(state.rotation()).z / tilt - 1.0).abs() < 1e-4);
    assert!(state.angular_velocity().z.abs() < 1e-3 * tilt * TAU / period * 10.0);
}

/// A tall spar with its weight at the bottom floats upright; turned over by a quarter it comes back.
#[test]
fn a_weighted_spar_rights_itself() {
    let mut world = World::with_method(Retroactive::new());
    world.add_force(Buoyancy { linear_drag: 2.0, quadratic_drag: 1.0, ..Buoyancy::default() });
    let tube = Collider::new(Shape::cylinder(1.0, 0.2).unwrap()).with_density(300.0);
    let keel = Collider::new(Shape::sphere(0.2).unwrap()).with_density(3000.0);
    let keel = keel.with_pose(Transform::from_translation(DVec3::Y * -1.2));
    let spar = Body::dynamic().with_collider(tube).with_collider(keel).rotated(rotation_about(DVec3::Z, 1.5));
    let spar = world.add_body(spar.without_sleep()).unwrap();
    run(&mut world, 60.0, 1.0 / 120.0);
    let body = world.body(spar).unwrap();
    assert!((body.rotation() * DVec3::Y).y > 1.0 - 1e-6);
    assert!(body.velocity().length() < 1e-4);
}

fn all_shapes() -> Vec<Shape> {
    let hull: Vec<DVec3> = (0..12).map(|i| rotation_from_vector(DVec3::splat(f64::from(i))) * DVec3::X).collect();
    let corners = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    vec![
        Shape::sphere(0.6).unwrap(),
        Shape::cuboid([0.3, 0.5, 0.7]).unwrap(),
        Shape::capsule(0.5, 0.3).unwrap(),
        Shape::cylinder(0.5, 0.3).unwrap(),
        Shape::cone(0.5, 0.4).unwrap(),
        Shape::hull(&hull).or_else(|_| Shape::hull(&corners)).unwrap(),
        Shape::mesh(corners, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).unwrap(),
    ]
}

/// The wrench of a force on one body.
fn wrench(world: &World, force: &dyn Force, id: BodyId) -> (DVec3, DVec3) {
    let mut wrenches = Wrenches::zero(world.state().bodies.len());
    let context = ForceContext { model: world.model(), time: 0.0, bodies: &world.state().bodies };
    force.apply(&context, &mut wrenches);
    let wrench = wrenches.as_slice()[id.slot()];
    (wrench.force, wrench.torque)
}

/// F = −∂E/∂x and τ = −∂E/∂θ, by central differences, for every solid shape in oblique gravity, half submerged.
#[test]
fn buoyancy_is_the_gradient_of_its_energy() {
    let fluid = Buoyancy { gravity: DVec3::new(1.0, -8.0, 3.0), level: 0.2, density: 800.0, ..Buoyancy::default() };
    for shape in all_shapes() {
        let name = format!("{shape:?}");
        let mut world = World::with_method(Retroactive::new());
        let collider = Collider::new(shape).with_pose(Transform::from_translation(DVec3::new(0.1, 0.2, -0.1)));
        let body = Body::dynamic().with_collider(collider).at([0.1, 0.0, 0.3]);
        let body = world.add_body(body.rotated(rotation_from_vector(DVec3::new(0.3, -0.5, 0.9)))).unwrap();
        let (force, torque) = wrench(&world, &fluid, body);
        assert!(force.length() > 0.0);
        let energy = |offset: DVec3, turn: DVec3| {
            let mut bodies = world.state().bodies.clone();
            let state = &mut bodies[body.slot()];
            state.position += offset;
            state.rotation = rotation_from_vector(turn) * state.rotation;
            fluid.potential_energy(&ForceContext { model: world.model(), time: 0.0, bodies: &bodies }).unwrap()
        };
        let step = 1e-5;
        for axis in DVec3::AXES {
            let f = -(energy(axis * step, DVec3::ZERO) - energy(axis * -step, DVec3::ZERO)) / (2.0 * step);
            let t = -(energy(DVec3::ZERO, axis * step) - energy(DVec3::ZERO, axis * -step)) / (2.0 * step);
            let scale = force.length();
            assert!((f - force.dot(axis)).abs() < 1e-6 * scale, "{name}: force {} along {axis}, not {f}", force);
            assert!((t - torque.dot(axis)).abs() < 1e-6 * scale, "{name}: torque {} about {axis}, not {t}", torque);
        }
    }
}

/// Without drag a floating body keeps its energy: kinetic, in gravity and in the displaced water.
#[test]
fn a_floating_body_keeps_its_energy() {
    for shape in all_shapes() {
        let mut world = World::with_method(Retroactive::new());
        world.add_force(Buoyancy::default());
        let name = format!("{shape:?}");
        world.add_body(floating(shape, 500.0).at([0.0, 0.4, 0.0]).with_angular_velocity([1.0, 0.5, 0.2])).unwrap();
        let start = world.energy().total();
        let scale =
            world.energy().kinetic.max(1.0) + world.model().bodies().iter().map(|(_, b)| b.mass.mass * G).sum::<f64>();
        let mut worst = 0.0_f64;
        for _ in 0..4800 {
            world.step(1.0 / 480.0).unwrap();
            worst = worst.max((world.energy().total() - start).abs() / scale);
        }
        assert!(worst < 1e-4, "{name}: energy off by {worst:e}");
    }
}

/// Far under water the force is the weight of the displaced fluid, and flow carries a body of the fluid's density along.
#[test]
fn flow_carries_what_is_submerged() {
    let mut world = World::with_method(Retroactive::new());
    world.add_force(Buoyancy { flow: DVec3::X * 2.0, linear_drag: 1.5, ..Buoyancy::default() });
    let body = world.add_body(floating(Shape::sphere(0.3).unwrap(), 1000.0).at([0.0, -10.0, 0.0])).unwrap();
    run(&mut world, 2.0, 1.0 / 240.0);
    let body = world.body(body).unwrap();
    // dv/dt = −c (v − flow).
    assert!((body.velocity().x - 2.0 * (1.0 - libm::exp(-3.0))).abs() < 1e-5, "{}", body.velocity().x);
    assert!(body.velocity().y.abs() < 1e-12);
}
