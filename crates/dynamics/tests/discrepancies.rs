//! Constraints as discrepancies, and the sequential solver that weighs them.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

mod moving;

use glam::{DMat3, DQuat, DVec3};
use moving::{Moving, check_derivatives, random_vector};
use serde_json::json;
use std::f64::consts::TAU;
use tumble_dynamics::constraint::discrepancy::{AngularMotor, Described, Discrepancies, Discrepancy, Pairs, PointPair};
use tumble_dynamics::constraint::{Attach, Ball, BodyView, Constraint, Jacobian, JointView, Limit, Row, Softness};
use tumble_dynamics::geometry::{Shape, Transform};
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::registry::Registry;
use tumble_dynamics::solver::{
    Bounds, ConstraintSolver, Problem, Sequential, SequentialImpulses, SolverBody, SolverRow,
};
use tumble_dynamics::{Body, World};

fn rows(joint: &dyn Attach, bodies: &[BodyView; 2], later: &[BodyView; 2]) -> Vec<Row> {
    let mut rows = Vec::new();
    joint.attach(bodies).unwrap().rows(&JointView { bodies: *later, angle: 0.0 }, &mut rows);
    rows
}

#[test]
fn derivatives_of_pairs() {
    check_derivatives("pairs", |random| Box::new(Pairs::at([random_vector(random), random_vector(random)])));
}

#[test]
fn one_pair_is_a_ball_joint() {
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..100 {
        let [a, b] = [Moving::random(&mut random), Moving::random(&mut random)];
        let (made, later) = ([a.at(0.0), b.at(0.0)], [a.at(0.3), b.at(0.3)]);
        let point = random_vector(&mut random);
        let pair = rows(&Pairs::at([point]), &made, &later);
        let ball = rows(&Ball { anchor: point, softness: Softness::Baumgarte { beta: 0.8 } }, &made, &later);
        assert_eq!(pair.len(), 3);
        for (pair, ball) in pair.iter().zip(&ball) {
            assert_eq!((pair.limit, pair.softness), (ball.limit, ball.softness));
            assert!((pair.error - ball.error).abs() < 1e-12 && (pair.jdot_v - ball.jdot_v).abs() < 1e-11);
            for k in 0..2 {
                assert!((pair.jacobian.angular[k] - ball.jacobian.angular[k]).length() < 1e-12);
                assert_eq!(pair.jacobian.linear[k], ball.jacobian.linear[k]);
            }
        }
    }
}

/// A bar that hangs level from the world by pairs of points at its end and is let go, sideways too.
fn hung_by(points: &[[f64; 3]], method: Retroactive) -> World {
    let mut world = World::with_method(method);
    let shape = Shape::cuboid([0.5, 0.1, 0.2]).unwrap();
    let bar = Body::dynamic().with_shape(shape).at([0.5, 0.0, 0.0]).with_angular_velocity([1.0, 1.0, 0.0]);
    let bar = world.add_body(bar).unwrap();
    let pair = |&point: &[f64; 3]| PointPair { point: point.into(), ..PointPair::default() };
    let pairs = Pairs { pairs: points.iter().map(pair).collect() };
    world.add_joint(Joint::new(JointEnd::World, bar, pairs)).unwrap();
    // Half a swing and a bit.
    for _ in 0..180 {
        world.step(1.0 / 240.0).unwrap();
    }
    world
}

#[test]
fn two_pairs_are_a_hinge_and_three_are_rigid() {
    let (left, right, above) = ([0.0, 0.0, -0.3], [0.0, 0.0, 0.3], [0.0, 0.3, 0.0]);
    for solver in [false, true] {
        let method = || if solver { Retroactive::new().with_solver(Sequential::default()) } else { Retroactive::new() };
        let allowed = if solver { 0.01 } else { 1e-3 };
        let state = |points: &[[f64; 3]]| {
            let world = hung_by(points, method());
            let error = world.joints().map(|(_, joint)| joint.error()).fold(0.0, f64::max);
            assert!(error < allowed, "open by {error}");
            let body = world.bodies().next().unwrap().1;
            (body.position(), body.rotation())
        };
        let (_, ball) = state(&[left]);
        assert!((ball * DVec3::Z - DVec3::Z).length() > 0.3, "one point lets the axis go");
        let (at, hinge) = state(&[left, right]);
        assert!((hinge * DVec3::Z - DVec3::Z).length() < 3.0 * allowed, "two hold it: {}", hinge * DVec3::Z);
        assert!((at - DVec3::new(0.5, 0.0, 0.0)).length() > 0.2, "and let it swing");
        let (at, rigid) = state(&[left, right, above]);
        assert!((rigid.xyz().length() < 3.0 * allowed) && (at - DVec3::new(0.5, 0.0, 0.0)).length() < 3.0 * allowed);
    }
}

#[test]
fn the_motor_turns_at_its_speed_whatever_solves_it() {
    for solver in ["direct", "sequential_impulses", "sequential", "relaxation"] {
        let registry = Registry::default();
        let properties = json!({ "solver": { "name": solver, "properties": {} } });
        let mut world = World::with_method(Retroactive::new());
        world.set_boxed_method(registry.method("retroactive", &properties).unwrap());
        world.set_gravity(DVec3::ZERO);
        let shape = Shape::cuboid([0.3, 0.2, 0.1]).unwrap();
        let first = world.add_body(Body::dynamic().with_shape(shape.clone())).unwrap();
        let second = world.add_body(Body::dynamic().with_shape(shape).at([0.0, 0.0, 1.0])).unwrap();
        let motor = AngularMotor::about([DVec3::ZERO, DVec3::Z], 3.0);
        let id = world.add_joint(Joint::new(first, second, motor)).unwrap();
        for _ in 0..480 {
            world.step(1.0 / 240.0).unwrap();
        }
        let spin = |id| world.body(id).unwrap().angular_velocity();
        let relative = spin(second) - spin(first);
        assert!((relative - DVec3::Z * 3.0).length() < 1e-3, "{solver}: {relative}");
        // Equal bodies share it, and together they have no angular momentum.
        assert!((spin(second) + spin(first)).length() < 1e-5, "{solver}: {} and {}", spin(first), spin(second));
        let angle = world.joint(id).unwrap().angle().unwrap();
        assert!((angle - 6.0).abs() < 0.05, "{solver}: turned by {angle}");
        let error = world.joint(id).unwrap().error();
        assert!(error < 1e-4, "{solver}: open by {error}");
    }
}

#[test]
fn driven_points_demand_a_velocity_by_any_force() {
    let pairs = Pairs { pairs: vec![PointPair { point: DVec3::X, velocity: DVec3::new(0.0, 3.0, 4.0), factor: 0.4 }] };
    let bodies = [BodyView::WORLD, BodyView { velocity: DVec3::new(7.0, 0.6, 0.8), ..BodyView::WORLD }];
    let rows = rows(&pairs, &bodies, &bodies);
    assert_eq!(rows.len(), 1);
    let rate = rows[0].jacobian.dot(bodies.map(|b| b.velocity), bodies.map(|b| b.angular_velocity));
    assert!((rows[0].target_rate - 5.0).abs() < 1e-12 && (rate - 1.0).abs() < 1e-12);
    assert_eq!(rows[0].limit, Limit::Force { min: f64::NEG_INFINITY, max: f64::INFINITY });
}

/// A constraint a user might write: the second body's origin follows a circle on the first.
#[derive(Debug)]
struct OnCircle;

impl Discrepancies for OnCircle {
    fn discrepancies(&self, bodies: &[BodyView; 2], list: &mut Vec<Discrepancy>) {
        let at = bodies[1].pose.translation;
        let nearest = DVec3::new(at.x, at.y, 0.0).normalize_or(DVec3::X);
        list.push(Discrepancy::held([nearest, at], 1.0));
    }
}

#[test]
fn users_describe_constraints_by_what_is_wrong() {
    let off = BodyView { pose: Transform::new(DQuat::IDENTITY, DVec3::new(0.0, 2.0, 0.5)), ..BodyView::WORLD };
    let mut rows = Vec::new();
    Described(OnCircle).rows(&JointView { bodies: [BodyView::WORLD, off], angle: 0.0 }, &mut rows);
    let errors: Vec<f64> = rows.iter().map(|row| row.error).collect();
    assert_eq!(errors, [0.0, 1.0, 0.5]);
}

fn row(weight: f64, bounds: Bounds) -> SolverRow {
    let jacobian = Jacobian { linear: [DVec3::ZERO, DVec3::X], angular: [DVec3::ZERO; 2] };
    SolverRow { bodies: [1, 0], jacobian, bias: 0.0, gamma: 0.0, bounds, error: 0.0, weight, impulse: 7.0 }
}

fn solve(solver: &mut dyn ConstraintSolver, rows: &mut [SolverRow]) -> f64 {
    let still = SolverBody {
        inverse_mass: 0.0,
        inverse_inertia: DMat3::ZERO,
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
    };
    let mut bodies = [SolverBody { inverse_mass: 0.5, velocity: DVec3::X, ..still }, still];
    solver.solve(&mut Problem { bodies: &mut bodies, rows });
    bodies[0].velocity.x
}

#[test]
fn the_sequential_solver_takes_a_fraction_at_a_time() {
    let any = Bounds::Free;
    for (rounds, weight, correction) in [(1, 1.0, 1.0), (20, 1.0, 1.0), (20, 0.4, 1.0), (50, 0.8, 0.5)] {
        let mut solver = Sequential { rounds, correction, warm_start: false, ..Sequential::default() };
        let mut rows = [row(weight, any)];
        let left = solve(&mut solver, &mut rows);
        let expected = libm::pow(1.0 - weight * correction / rounds as f64, rounds as f64);
        assert!((left - expected).abs() < 1e-12, "{left} of {expected}");
        assert!((rows[0].impulse - 2.0 * (expected - 1.0)).abs() < 1e-12);
    }
    // With whole steps it is Gauss–Seidel, and agrees with the other solver.
    let mut whole = Sequential { fraction: Some(1.0), ..Sequential::default() };
    assert!(solve(&mut whole, &mut [row(1.0, any)]).abs() < 1e-12);
    assert!(solve(&mut SequentialImpulses::default(), &mut [row(1.0, any)]).abs() < 1e-12);
    // Bounds are kept: what must not pull does not, what is given is given whole.
    let mut rows = [row(1.0, Bounds::NonNegative)];
    assert_eq!((solve(&mut Sequential::default(), &mut rows), rows[0].impulse), (1.0, 0.0));
    let mut rows = [row(1.0, Bounds::Range { min: -0.5, max: -0.5 })];
    assert_eq!((solve(&mut Sequential::default(), &mut rows), rows[0].impulse), (0.75, -0.5));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let bodies = [BodyView::WORLD; 2];
    let refused = |joint: &dyn Attach| joint.attach(&bodies).unwrap_err().to_string();
    assert!(refused(&Pairs { pairs: Vec::new() }).contains("number of discrepancies"));
    assert!(refused(&Pairs::at([DVec3::NAN])).contains("point of a discrepancy"));
    let pair = PointPair { factor: 1.5, ..PointPair::default() };
    assert!(refused(&Pairs { pairs: vec![pair] }).contains("factor of a discrepancy is 1.5"));
    assert!(refused(&AngularMotor::about([DVec3::X; 2], TAU)).contains("axis of an angular motor"));
    assert!(refused(&AngularMotor { arm: 0.0, ..AngularMotor::default() }).contains("arm of an angular motor"));
}
