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

/// One of each.
fn all() -> Vec<(&'static str, Box<dyn Integrator>)> {
    vec![
        ("explicit Euler", Box::new(ExplicitEuler::default())),
        ("explicit gyroscopic", Box::new(SemiImplicitEuler { gyroscopic: Gyroscopic::Explicit, ..Default::default() })),
        ("semi-implicit Euler", Box::new(SemiImplicitEuler::default())),
        ("Verlet", Box::new(Verlet::default())),
        ("velocity Verlet", Box::new(VelocityVerlet::default())),
        ("Runge-Kutta", Box::new(RungeKutta4::default())),
        ("Cash-Karp", Box::new(CashKarp::default())),
    ]
}

/// An integrator as a box.
#[derive(Debug)]
struct Boxed(Box<dyn Integrator>);

impl Integrator for Boxed {
    fn advance(
        &mut self,
        equations: &dyn tumble_dynamics::integrator::EquationsOfMotion,
        time: f64,
        dt: f64,
        bodies: &mut [tumble_dynamics::BodyState],
    ) {
        self.0.advance(equations, time, dt, bodies);
    }

    fn clone_box(&self) -> Box<dyn Integrator> {
        Box::new(Self(self.0.clone_box()))
    }
}

fn world_with(integrator: Box<dyn Integrator>) -> World {
    World::with_method(Retroactive::new().with_integrator(Boxed(integrator)))
}

/// v = v₀ e^{−ξt} and ω = ω₀ e^{−ξt} after any step, however long: velocities never turn round or grow.
#[test]
fn damping_is_exponential_whatever_the_step() {
    const DT: f64 = 0.1;
    for decay in [0.0, 1e-3, 0.1, 0.9, 1.5, 2.5, 7.0, 50.0, 1e4, 1e8] {
        for (name, integrator) in all() {
            let mut world = world_with(integrator);
            world.set_gravity([0.0; 3]);
            let properties = MassProperties {
                mass: 2.0,
                center: DVec3::ZERO,
                inertia: DMat3::from_diagonal(DVec3::new(1.0, 2.0, 3.0)),
            };
            let body = Body::dynamic().with_mass_properties(properties).without_sleep();
            let body = body.with_velocity([3.0, 0.0, 0.0]).with_angular_velocity([0.0, 0.0, 2.0]);
            let rate = decay / DT;
            let body = body.with_linear_damping(rate).with_angular_damping(rate);
            let body = world.add_body(body).unwrap();
            for step in 1..=8 {
                world.step(DT).unwrap();
                let body = world.body(body).unwrap();
                let exact = libm::exp(-decay * f64::from(step));
                let (v, omega) = (body.velocity().x / 3.0, body.angular_velocity().z / 2.0);
                let off = |value: f64| (value - exact).abs() > 1e-11 * exact + 1e-300;
                assert!(v >= 0.0 && omega >= 0.0, "{name}, ξh = {decay}: {v} {omega}");
                assert!(!off(v) && !off(omega), "{name}, ξh = {decay}: {v} {omega}, not {exact}");
            }
        }
    }
}

/// A falling body that is damped ends up at g/ξ, at any step.
#[test]
fn a_damped_fall_has_the_right_speed_at_last() {
    for decay in [0.01, 0.5, 3.0, 100.0] {
        for (name, integrator) in all() {
            let mut world = world_with(integrator);
            let body = world.add_body(Body::particle(2.0).with_linear_damping(decay / 0.1).without_sleep()).unwrap();
            for _ in 0..(40.0 / decay) as usize + 2 {
                world.step(0.1).unwrap();
            }
            let (v, exact) = (-world.body(body).unwrap().velocity().y, 9.81 * 0.1 / decay);
            assert!((v / exact - 1.0).abs() < 1e-11, "{name}, ξh = {decay}: {v}, not {exact}");
        }
    }
}

/// Damping leaves every integrator its order: x = e^{−t/2} (cos ωt + sin ωt/2ω) with ω² = 9 − ¼ for ξ = 1/s.
#[test]
fn orders_on_a_damped_spring() {
    fn error(integrator: impl Integrator + 'static, dt: f64) -> f64 {
        let mut world = World::with_method(Retroactive::new().with_integrator(integrator));
        world.set_gravity([0.0; 3]);
        let mass = Body::particle(1.0).at([1.0, 0.0, 0.0]).with_linear_damping(1.0).without_sleep();
        let mass = world.add_body(mass).unwrap();
        world.add_force(Spring::new(mass, JointEnd::World).with_stiffness(9.0));
        run(&mut world, 1.0, dt);
        let omega = libm::sqrt(8.75);
        let exact = libm::exp(-0.5) * (libm::cos(omega) + libm::sin(omega) / (2.0 * omega));
        (world.body(mass).unwrap().position().x - exact).abs()
    }
    assert_order("explicit Euler", order(|dt| error(ExplicitEuler::default(), dt), 1e-3), 1.0);
    assert_order("semi-implicit Euler", order(|dt| error(SemiImplicitEuler::default(), dt), 1e-3), 1.0);
    assert_order("Verlet", order(|dt| error(Verlet::default(), dt), 1e-2), 2.0);
    assert_order("velocity Verlet", order(|dt| error(VelocityVerlet::default(), dt), 1e-2), 2.0);
    assert_order("Runge-Kutta", order(|dt| error(RungeKutta4::default(), dt), 0.02), 4.0);
    assert_order("Cash-Karp", order(|dt| error(UNDIVIDED, dt), 0.04), 5.0);
}

/// Verlet's damping is that of B 4.1, x⁺ = (1 + ξ) x − ξ x⁻ + h² a, with ξ = 1 − damping; the rotation likewise, by a slerp.
#[test]
fn verlet_loses_a_fraction_per_step() {
    const DT: f64 = 0.01;
    for damping in [0.0, 0.1, 0.6, 1.0] {
        let xi = 1.0 - damping;
        let mut world = World::with_method(Retroactive::new().with_integrator(Verlet::with_damping(damping)));
        let ball = Body::dynamic().with_shape(tumble_dynamics::geometry::Shape::sphere(0.5).unwrap()).without_sleep();
        let ball = world.add_body(ball.with_velocity([1.0, 2.0, 0.0]).with_angular_velocity([0.0, 0.0, 3.0])).unwrap();
        let g = DVec3::Y * -9.81;
        let (mut before, mut now) = (DVec3::new(-1.0, -2.0, 0.0) * DT + g * (0.5 * DT * DT), DVec3::ZERO);
        let (mut turn, mut angle) = (3.0 * DT, 0.0);
        for _ in 0..50 {
            world.step(DT).unwrap();
            (before, now) = (now, now * (1.0 + xi) - before * xi + g * (DT * DT));
            turn *= xi;
            angle += turn;
            let ball = world.body(ball).unwrap();
            assert!((ball.position() - now).length() < 1e-13, "ξ = {xi}: {} {now}", ball.position());
            let rotation = ball.rotation();
            assert!((2.0 * libm::atan2(rotation.z, rotation.w) - angle).abs() < 1e-13, "ξ = {xi}: {rotation} {angle}");
        }
    }
}

/// A tolerance that cannot be met and no end to the parts allowed: the step ends all the same.
#[test]
fn cash_karp_divides_a_step_into_so_many_parts_only() {
    let (_, omega) = free_top(CashKarp { tolerance: 1e-300, max_parts: usize::MAX }, 0.01, 0.01);
    assert!((omega - DVec3::ONE).length() < 0.1, "{omega}");
}
