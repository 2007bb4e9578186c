//! Laws of motion in force fields and on springs, each against its formula.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use std::f64::consts::TAU;
use std::sync::Arc;
use tumble_dynamics::constraint::{Distance, Softness};
use tumble_dynamics::force::{
    CentralGravity, Drag, Force, ForceContext, Gravity, PointForce, Spring, SpringEnd, Target, Vortex, Wrenches,
};
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::integrator::{CashKarp, Integrator, RungeKutta4, VelocityVerlet};
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::{Body, Id, World};

/// A world without gravity.
fn weightless(integrator: impl Integrator + 'static) -> World {
    let mut world = World::with_method(Retroactive::new().with_integrator(integrator));
    world.set_gravity([0.0; 3]);
    world
}

fn run(world: &mut World, seconds: f64, steps: usize) {
    for _ in 0..steps {
        world.step(seconds / steps as f64).unwrap();
    }
}

/// The pull −k r towards the axis: with k = 4, m = 1 an ellipse x = cos 2t, y = ½ sin 2t with the period π, whatever its size.
#[test]
fn vortex_orbit_is_an_ellipse() {
    let orbit = |world: &mut World, steps: usize| {
        world.add_force(Vortex { axis: DVec3::Z, pull: 4.0, ..Vortex::default() });
        let body = Body::particle(1.0).at([1.0, 0.0, 0.0]).with_velocity([0.0, 1.0, 0.0]).without_sleep();
        let body = world.add_body(body).unwrap();
        let before = world.energy().total();
        run(world, 100.0, steps);
        let energy = (world.energy().total() / before - 1.0).abs();
        let error =
            world.body(body).unwrap().position() - DVec3::new(0.487_187_675_007_005_94, -0.436_648_648_606_997_3, 0.0);
        (error.length(), energy)
    };
    let (error, energy) = orbit(&mut weightless(RungeKutta4::default()), 50_000);
    assert!(error < 5e-10 && energy < 1e-11, "{error:e}, {energy:e}");
    let (error, energy) = orbit(&mut weightless(CashKarp { tolerance: 1e-13, ..CashKarp::default() }), 6_000);
    assert!(error < 9e-12 && energy < 1e-10, "{error:e}, {energy:e}");
    // Velocity Verlet: the phase is off by (2h)²/24 of the angle, the energy only within a step.
    let steps = 24_000;
    let (error, energy) = orbit(&mut weightless(VelocityVerlet::default()), steps);
    let h = 100.0 / steps as f64;
    assert!(error < 1.1 * 200.0 * 4.0 * h * h / 24.0 && energy < 1e-5, "{error:e}, {energy:e}");
}

/// Swirl and lift do work: with −k r + s (a × r) + u a the motion along the axis is u t²/2m and the torque about it s r².
#[test]
fn vortex_drives_around_and_along_its_axis() {
    let vortex = Vortex { axis: DVec3::Z * 3.0, pull: 4.0, swirl: 0.7, lift: 2.0, ..Vortex::default() };
    let mut world = weightless(VelocityVerlet::default());
    let body = world.add_body(Body::particle(1.0).at([0.3, 0.4, 5.0])).unwrap();
    let mut wrenches = Wrenches::zero(1);
    vortex.apply(&ForceContext { model: world.model(), time: 0.0, bodies: &world.state().bodies }, &mut wrenches);
    let force = wrenches.as_slice()[body.slot()].force;
    let r = DVec3::new(0.3, 0.4, 0.0);
    assert!((force - (r * -4.0 + DVec3::new(-0.4, 0.3, 0.0) * 0.7 + DVec3::Z * 2.0)).length() < 1e-15);
    assert!((r.cross(force).z - 0.7 * 0.25).abs() < 1e-15);
    assert!(
        vortex
            .potential_energy(&ForceContext { model: world.model(), time: 0.0, bodies: &world.state().bodies })
            .is_none()
    );
}

/// m ẍ = −k x − c ẋ from x = 1 at rest, m = 1, k = 100: undamped cos 10t, with ζ = 0.1 decaying, with ζ = 1 (1 + 10t) e^{−10t}.
#[test]
fn spring_mass_damper() {
    let times = [0.1, 0.5, 1.0, 2.0];
    for (c, exact) in [
        (0.0, [0.540_302_305_868_139_8, 0.283_662_185_463_226_25, -0.839_071_529_076_452_4, 0.408_082_061_813_391_96]),
        (2.0, [0.568_971_890_946_099_8, 0.098_550_667_618_585_97, -0.336_851_680_590_413_37, 0.079_116_023_618_962_47]),
        (
            20.0,
            [
                0.735_758_882_342_884_7,
                0.040_427_681_994_512_805,
                0.000_499_399_227_387_333_3,
                4.328_422_607_120_971_4e-8,
            ],
        ),
    ] {
        for (time, exact) in times.into_iter().zip(exact) {
            // Anchored ten metres off with a rest length of ten, so that the spring never changes its direction.
            let position = |world: &mut World, steps: usize| {
                let mass = world.add_body(Body::particle(1.0).at([1.0, 0.0, 0.0]).without_sleep()).unwrap();
                let spring = Spring::new(SpringEnd::World, mass).between([-10.0, 0.0, 0.0], [0.0; 3]);
                world.add_force(spring.with_rest_length(10.0).with_damping(c));
                run(world, time, steps);
                world.body(mass).unwrap().position().x
            };
            let x = position(&mut weightless(RungeKutta4::default()), (20_000.0 * time) as usize);
            assert!((x - exact).abs() < 1e-14, "c = {c}, t = {time}: {x} instead of {exact}");
            // The default integrator, of second order, at 240 steps per second.
            let x = position(&mut weightless(VelocityVerlet::default()), (240.0 * time) as usize);
            assert!((x - exact).abs() < 1.5e-3, "c = {c}, t = {time}: {x} instead of {exact}");
        }
    }
}

/// Two bodies on a spring: their centre of mass does not notice, the distance swings with ω² = k (1/m₁ + 1/m₂).
#[test]
fn spring_between_two_bodies() {
    let mut world = weightless(RungeKutta4::default());
    let a = world.add_body(Body::particle(1.0).at([-1.0, 0.0, 0.0]).without_sleep()).unwrap();
    let b = world.add_body(Body::particle(3.0).at([1.0, 0.0, 0.0]).without_sleep()).unwrap();
    world.add_force(Spring::new(a, b).with_rest_length(1.5).with_stiffness(12.0));
    let energy = world.energy().total();
    assert!((energy - 0.5 * 12.0 * 0.25).abs() < 1e-15);
    let period = TAU / (12.0_f64 * (1.0 + 1.0 / 3.0)).sqrt();
    run(&mut world, 1.25 * period, 2000);
    let (a, b) = (world.body(a).unwrap(), world.body(b).unwrap());
    assert!(((b.position() - a.position()).x - 1.5).abs() < 1e-10);
    assert!(((a.position() + b.position() * 3.0).x - 2.0).abs() < 1e-12);
    assert!((world.energy().total() / energy - 1.0).abs() < 1e-10);
}

/// Kepler: in the field μ/r² an orbit that starts at the periapsis r_p with v² = μ (1 + ε)/r_p has the half axis
/// a = r_p/(1 − ε), the period 2π √(a³/μ), and is closed.
#[test]
fn kepler_orbit_closes() {
    let (mu, periapsis, eccentricity): (f64, f64, f64) = (3.0, 1.0, 0.4);
    let mut world = weightless(CashKarp { tolerance: 1e-13, ..CashKarp::default() });
    world.add_force(CentralGravity { parameter: mu, ..CentralGravity::default() });
    let speed = (mu * (1.0 + eccentricity) / periapsis).sqrt();
    let body = Body::particle(2.0).at([periapsis, 0.0, 0.0]).with_velocity([0.0, speed, 0.0]).without_sleep();
    let body = world.add_body(body).unwrap();
    let half_axis = periapsis / (1.0 - eccentricity);
    let period = TAU * (half_axis * half_axis * half_axis / mu).sqrt();
    // E = −μ m / 2a.
    assert!((world.energy().total() + mu * 2.0 / (2.0 * half_axis)).abs() < 1e-14);
    run(&mut world, period, 1000);
    let error = (world.body(body).unwrap().position() - DVec3::X * periapsis).length();
    assert!(error < 1e-11, "{error:e}");
    assert!((world.energy().total() + mu * 2.0 / (2.0 * half_axis)).abs() < 1e-10);
}

/// Every force with a potential is its negative gradient: central gravity, vortex and spring by central differences.
#[test]
fn forces_are_gradients_of_their_energies() {
    let mut world = World::with_method(Retroactive::new());
    let body = world.add_body(Body::dynamic().with_shape(Shape::sphere(0.2).unwrap()).at([0.7, -0.4, 1.1])).unwrap();
    let other = world.add_body(Body::particle(1.0).at([-0.5, 0.3, 0.2])).unwrap();
    let on = Target::from(body);
    let forces: [Box<dyn Force>; 3] = [
        Box::new(CentralGravity { on: on.clone(), parameter: 5.0, softening: 0.3, ..CentralGravity::default() }),
        Box::new(Vortex { on, axis: DVec3::new(1.0, 2.0, 0.5), pull: 3.0, ..Vortex::default() }),
        Box::new(Spring::new(body, other).with_rest_length(0.5)),
    ];
    for force in forces {
        let at = |offset: DVec3| {
            let mut bodies = world.state().bodies.clone();
            bodies[body.slot()].position += offset;
            bodies
        };
        let energy = |offset: DVec3| {
            force.potential_energy(&ForceContext { model: world.model(), time: 0.0, bodies: &at(offset) }).unwrap()
        };
        let mut wrenches = Wrenches::zero(2);
        force.apply(&ForceContext { model: world.model(), time: 0.0, bodies: &at(DVec3::ZERO) }, &mut wrenches);
        let applied = wrenches.as_slice()[body.slot()].force;
        for axis in DVec3::AXES {
            let step = 1e-5;
            let slope = -(energy(axis * step) - energy(axis * -step)) / (2.0 * step);
            assert!((slope - applied.dot(axis)).abs() < 1e-7 * applied.length(), "{force:?}: {applied}, not {slope}");
        }
    }
}

/// Galileo's parabola, and a body that turns freely meanwhile: x = v t + ½ g t², for a sphere with ω = (1, 2, 3).
#[test]
fn a_spinning_projectile_follows_the_parabola() {
    let mut world = World::with_method(Retroactive::new());
    let body = Body::dynamic().with_shape(Shape::sphere(0.1).unwrap()).with_velocity([3.0, 7.0, 11.0]);
    let body = world.add_body(body.with_angular_velocity([1.0, 2.0, 3.0])).unwrap();
    run(&mut world, 1.2345, 10);
    let body = world.body(body).unwrap();
    let exact = DVec3::new(3.7035, 1.166_327_823_75, 13.5795);
    assert!((body.position() - exact).length() < 1e-14);
    assert!((body.angular_velocity() - DVec3::new(1.0, 2.0, 3.0)).length() < 1e-13);
}

/// A steady force at a point off the centre turns the body: I ω̇ = r × F.
#[test]
fn a_force_off_the_centre_turns_the_body() {
    let mut world = weightless(RungeKutta4::default());
    let body = world.add_body(Body::dynamic().with_shape(Shape::sphere(0.5).unwrap()).with_mass(2.0)).unwrap();
    // Fixed to the body, force and lever turn with it: the torque never changes.
    let axes = tumble_dynamics::force::Axes::Body;
    world.add_force(PointForce { on: body.into(), force: DVec3::Y * 3.0, point: DVec3::X * 0.2, axes });
    run(&mut world, 1.0, 240);
    let omega = world.body(body).unwrap().angular_velocity();
    let inertia = 0.4 * 2.0 * 0.25;
    assert!((omega - DVec3::Z * (0.2 * 3.0 / inertia)).length() < 1e-12, "{omega}");
}

/// A soft constraint of 5 Hz and ζ = 0.3 under gravity sags by g/ω² and swings with the damped frequency: released from the
/// unloaded position, 0.1 s later it is 0.013596568755695993 m below, and at last at 0.009939608115313336 m.
#[test]
fn a_soft_constraint_sags_and_swings_as_its_frequency_says() {
    let sag = |seconds: f64, steps: usize| {
        let mut world = World::with_method(Retroactive::new());
        let mass = world.add_body(Body::particle(2.0).without_sleep()).unwrap();
        let softness = Softness::Spring { frequency: 5.0, damping_ratio: 0.3 };
        let joint = Distance::rod([0.0, 10.0, 0.0], [0.0; 3]).with_softness(softness);
        world.add_joint(Joint::new(JointEnd::World, mass, joint)).unwrap();
        run(&mut world, seconds, steps);
        -world.body(mass).unwrap().position().y
    };
    let (late, soon) = (sag(5.0, 5000), sag(0.1, 1000));
    assert!((late / 0.009_939_608_115_313_336 - 1.0).abs() < 1e-12, "{late}");
    assert!((soon / 0.013_596_568_755_695_993 - 1.0).abs() < 1e-6, "{soon}");
}

/// A row by T's coefficients, `J v + β c/h + γ λ/h = 0`, is at rest where γ m g = β c/h: it sags by γ h m g/β, 1.962 mm for
/// γ = 0.005 s/kg, β = 0.2, h = 4 ms and 2 kg.
#[test]
fn a_row_by_coefficients_sags_by_gamma_h_m_g_over_beta() {
    for (gamma, beta, h, mass) in [
        (0.005, 0.2, 0.004, 2.0),
        (0.005, 0.2, 0.001, 2.0),
        (0.02, 0.5, 0.01, 7.0),
        (0.1, 0.8, 0.004, 0.3),
        (1e-3, 0.1, 0.02, 40.0),
    ] {
        let mut world = World::with_method(Retroactive::new());
        let body = world.add_body(Body::particle(mass).without_sleep()).unwrap();
        let softness = Softness::Coefficients { gamma, beta };
        let joint = Distance::rod([0.0, 10.0, 0.0], [0.0; 3]).with_softness(softness);
        world.add_joint(Joint::new(JointEnd::World, body, joint)).unwrap();
        run(&mut world, 4000.0 * h, 4000);
        let (sag, exact) = (-world.body(body).unwrap().position().y, gamma * h * mass * 9.81 / beta);
        assert!((sag / exact - 1.0).abs() < 1e-9, "γ = {gamma}, β = {beta}, h = {h}, m = {mass}: {sag}, not {exact}");
    }
}

/// What a uniform acceleration says is what it does, to bodies of any mass and gravity scale, and through a shared pointer too; no
/// other force claims to be one.
#[test]
fn a_uniform_acceleration_is_what_gravity_does() {
    let mut world = World::with_method(Retroactive::new());
    for (mass, scale) in [(1.0, 1.0), (0.3, 2.5), (70.0, -1.0), (5.0, 0.0)] {
        world.add_body(Body::particle(mass).with_gravity_scale(scale).at([mass, scale, 1.0])).unwrap();
    }
    world.add_body(Body::fixed().with_shape(Shape::sphere(1.0).unwrap())).unwrap();
    let gravity: Arc<dyn Force> = Arc::new(Gravity { acceleration: DVec3::new(1.0, -9.81, 0.5) });
    let acceleration = Force::uniform_acceleration(&gravity).unwrap();
    let mut wrenches = Wrenches::zero(5);
    gravity.apply(&ForceContext { model: world.model(), time: 0.0, bodies: &world.state().bodies }, &mut wrenches);
    for (id, body) in world.model().bodies().iter() {
        let (wrench, exact) = (wrenches.as_slice()[id.slot()], acceleration * body.gravity_scale);
        assert!((wrench.force * body.inverse_mass - exact * body.inverse_mass * body.mass.mass).length() < 1e-14);
        assert_eq!(wrench.torque, DVec3::ZERO);
    }
    assert_eq!(Drag::default().uniform_acceleration(), None);
    assert_eq!(CentralGravity::default().uniform_acceleration(), None);
}
