//! The order of convergence of every integrator, measured: on a spring, whose motion is a cosine, and on the free top,
//! whose motion is known through Jacobi's elliptic functions.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::{DMat3, DQuat, DVec3};
use tumble_dynamics::force::Spring;
use tumble_dynamics::geometry::MassProperties;
use tumble_dynamics::integrator::{
    CashKarp, ExplicitEuler, Gyroscopic, Integrator, QuaternionUpdate, RungeKutta4, SemiImplicitEuler, VelocityVerlet,
    Verlet,
};
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::model::JointEnd;
use tumble_dynamics::{Body, World};

/// The logarithm to base 2 of how much the error shrinks when the step is halved.
fn order(error: impl Fn(f64) -> f64, dt: f64) -> f64 {
    let (coarse, fine) = (error(dt), error(0.5 * dt));
    libm::log2(coarse / fine)
}

fn run(world: &mut World, seconds: f64, dt: f64) {
    for _ in 0..(seconds / dt).round() as usize {
        world.step(dt).unwrap();
    }
}

/// The error of position after 1 s of a mass on a spring: x = cos 3t.
fn spring_error(integrator: impl Integrator + 'static, dt: f64) -> f64 {
    let mut world = World::with_method(Retroactive::new().with_integrator(integrator));
    world.set_gravity([0.0; 3]);
    let mass = world.add_body(Body::particle(1.0).at([1.0, 0.0, 0.0]).without_sleep()).unwrap();
    world.add_force(Spring::new(mass, JointEnd::World).with_stiffness(9.0));
    run(&mut world, 1.0, dt);
    (world.body(mass).unwrap().position().x - libm::cos(3.0)).abs()
}

/// The error of the orientation after 2 s of a body with moments 1, 2, 3 that starts with ω = (1, 1, 1).
fn top_error(integrator: impl Integrator + 'static, dt: f64) -> f64 {
    let (rotation, omega) = free_top(integrator, 2.0, dt);
    let exact = DVec3::new(-1.1995807424041676, 0.7490033661159784, 1.0706686318288732);
    (rotation.conjugate() * omega - exact).length()
}

fn free_top(integrator: impl Integrator + 'static, seconds: f64, dt: f64) -> (DQuat, DVec3) {
    let mut world = World::with_method(Retroactive::new().with_integrator(integrator));
    world.set_gravity([0.0; 3]);
    let inertia = DMat3::from_diagonal(DVec3::new(1.0, 2.0, 3.0));
    let properties = MassProperties { mass: 1.0, center: DVec3::ZERO, inertia };
    let top = Body::dynamic().with_mass_properties(properties).with_angular_velocity([1.0, 1.0, 1.0]).without_sleep();
    let top = world.add_body(top).unwrap();
    run(&mut world, seconds, dt);
    let body = world.body(top).unwrap();
    (body.rotation(), body.angular_velocity())
}

fn assert_order(name: &str, measured: f64, expected: f64) {
    assert!((measured - expected).abs() < 0.25, "{name}: order {measured:.2} instead of {expected}");
}

/// Cash–Karp that takes every step whole, so that its order shows.
const UNDIVIDED: CashKarp = CashKarp { tolerance: 1.0, max_parts: 1 };

#[test]
fn orders_on_a_spring() {
    assert_order("explicit Euler", order(|dt| spring_error(ExplicitEuler::default(), dt), 1e-3), 1.0);
    assert_order("semi-implicit Euler", order(|dt| spring_error(SemiImplicitEuler::default(), dt), 1e-3), 1.0);
    assert_order("Verlet", order(|dt| spring_error(Verlet::default(), dt), 1e-2), 2.0);
    assert_order("velocity Verlet", order(|dt| spring_error(VelocityVerlet::default(), dt), 1e-2), 2.0);
    assert_order("Runge-Kutta", order(|dt| spring_error(RungeKutta4::default(), dt), 0.02), 4.0);
    assert_order("Cash-Karp", order(|dt| spring_error(UNDIVIDED, dt), 0.04), 5.0);
}

#[test]
fn orders_on_the_free_top() {
    for gyroscopic in [Gyroscopic::Explicit, Gyroscopic::Implicit] {
        for quaternion in [QuaternionUpdate::FirstOrder, QuaternionUpdate::SecondDerivative, QuaternionUpdate::Exact] {
            let explicit = ExplicitEuler { quaternion, gyroscopic };
            let semi = SemiImplicitEuler { quaternion, gyroscopic };
            assert_order("explicit Euler", order(|dt| top_error(explicit, dt), 1e-3), 1.0);
            assert_order("semi-implicit Euler", order(|dt| top_error(semi, dt), 1e-3), 1.0);
        }
    }
    assert_order("Verlet", order(|dt| top_error(Verlet::default(), dt), 1e-2), 2.0);
    assert_order("velocity Verlet", order(|dt| top_error(VelocityVerlet::default(), dt), 1e-2), 2.0);
    assert_order("Runge-Kutta", order(|dt| top_error(RungeKutta4::default(), dt), 0.02), 4.0);
    assert_order("Cash-Karp", order(|dt| top_error(UNDIVIDED, dt), 0.04), 5.0);
}

#[test]
fn cash_karp_keeps_the_error_near_its_tolerance_whatever_the_step() {
    for tolerance in [1e-6, 1e-9, 1e-12] {
        let integrator = CashKarp { tolerance, ..CashKarp::default() };
        for dt in [0.5, 0.1] {
            let (spring, top) = (spring_error(integrator, dt), top_error(integrator, dt));
            assert!(spring < 100.0 * tolerance && top < 100.0 * tolerance, "{tolerance:e}: {spring:e}, {top:e}");
        }
    }
}

#[test]
fn free_top_after_ten_seconds_is_where_jacobi_says() {
    let (rotation, omega) = free_top(CashKarp { tolerance: 1e-13, ..CashKarp::default() }, 10.0, 0.1);
    let exact = DVec3::new(-0.6034704230925181, -1.2789931385478723, 0.887726788215733);
    assert!((rotation.conjugate() * omega - exact).length() < 1e-9);
    let exact = DQuat::from_xyzw(-0.31433514514460537, 0.049429631279299724, 0.8275275484844138, 0.4625454405546427);
    assert!((rotation * rotation.dot(exact).signum() - exact).length() < 1e-9);
}

#[test]
fn the_second_derivative_makes_a_steady_turn_second_order() {
    // Ten seconds at 1 rad/s about an axis: the quaternion alone is integrated.
    let error = |update: QuaternionUpdate, dt: f64| {
        let mut rotation = DQuat::IDENTITY;
        for _ in 0..(10.0 / dt).round() as usize {
            rotation = update.turn(rotation, DVec3::Z, DVec3::ZERO, dt);
        }
        (rotation.z - libm::sin(5.0)).abs()
    };
    // Scaling back to unit length makes even the first-order update second order in a steady turn; the second
    // derivative shrinks the error further, and the exponential map leaves none.
    assert_order("first order", order(|dt| error(QuaternionUpdate::FirstOrder, dt), 0.1), 2.0);
    assert_order("second derivative", order(|dt| error(QuaternionUpdate::SecondDerivative, dt), 0.1), 2.0);
    assert!(error(QuaternionUpdate::Exact, 0.1) < 1e-13);
}
