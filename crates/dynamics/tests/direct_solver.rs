//! Joints solved at once: chains with a load, loops that say the same twice, and the same answers as many sweeps give.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::{DMat3, DVec3};
use tumble_dynamics::constraint::{Ball, Hinge, Jacobian, Nail};
use tumble_dynamics::geometry::{MassProperties, Shape};
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::solver::{Bounds, ConstraintSolver, Direct, Problem, SequentialImpulses, SolverBody, SolverRow};
use tumble_dynamics::{Body, BodyId, World};

fn vector(random: &mut fastrand::Rng) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|_| 2.0 * random.f64() - 1.0))
}

/// A rod of a kilogram and `length` metres along x with its centre at a place.
fn rod(world: &mut World, center: DVec3, length: f64) -> BodyId {
    let across = length * length / 12.0;
    let mass = MassProperties {
        mass: 1.0,
        center: DVec3::ZERO,
        inertia: DMat3::from_diagonal(DVec3::new(1e-3, across, across)),
    };
    world.add_body(Body::dynamic().with_mass_properties(mass).at(center).without_sleep()).unwrap()
}

/// Twenty links of a kilogram, with a load at the end, swing from the horizontal, in steps of a millisecond. The largest opening
/// of a joint in a second, in metres. (A step must resolve how the taut chain trembles, which it does at 770 rad/s under a
/// thousand kilograms.)
fn opening(load: f64, solver: impl ConstraintSolver + 'static) -> f64 {
    let mut world = World::with_method(Retroactive::new().with_solver(solver));
    let mut joints = Vec::new();
    let mut previous = JointEnd::World;
    for k in 0..20 {
        let link = rod(&mut world, DVec3::X * (0.1 + 0.2 * f64::from(k)), 0.2);
        joints.push((previous, link, 0.2 * f64::from(k)));
        previous = link.into();
    }
    let ball = world.add_body(Body::particle(load).at([4.0, 0.0, 0.0]).without_sleep()).unwrap();
    joints.push((previous, ball, 4.0));
    let ids: Vec<_> = joints
        .iter()
        .map(|&(first, second, x)| world.add_joint(Joint::new(first, second, Ball::at(DVec3::X * x))).unwrap())
        .collect();
    let mut worst: f64 = 0.0;
    for _ in 0..1000 {
        world.step(1e-3).unwrap();
        for &id in &ids {
            let [a, b] = world.joint(id).unwrap().anchors();
            worst = worst.max((a - b).length());
        }
    }
    worst
}

#[test]
fn a_chain_of_light_links_bears_a_thousand_kilograms() {
    let direct = opening(1000.0, Direct::default());
    assert!(direct < 3e-11, "{direct:e}");
    let sweeps = opening(1000.0, SequentialImpulses::default());
    assert!(sweeps > 1e5 * direct && sweeps < 2e-5, "{sweeps:e}");
}

/// A door on three hinges, and a shelf on four nails: most of their rows say what others have said already. They hold, and
/// the reactions together bear the weight.
#[test]
fn what_is_held_twice_is_held() {
    let mut world = World::with_method(Retroactive::new());
    let door = world
        .add_body(
            Body::dynamic()
                .with_shape(Shape::cuboid(DVec3::new(0.4, 1.0, 0.02)).unwrap())
                .at([0.4, 0.0, 0.0])
                .without_sleep(),
        )
        .unwrap();
    let hinges: Vec<_> = [-0.8, 0.0, 0.8]
        .map(|y| {
            world.add_joint(Joint::new(JointEnd::World, door, Hinge::at(DVec3::new(0.0, y, 0.0), DVec3::Y))).unwrap()
        })
        .to_vec();
    let shelf = world
        .add_body(
            Body::dynamic()
                .with_shape(Shape::cuboid(DVec3::new(0.5, 0.02, 0.2)).unwrap())
                .at([3.0, 0.0, 0.0])
                .without_sleep(),
        )
        .unwrap();
    let nails: Vec<_> = [[-0.5, -0.2], [-0.5, 0.2], [0.5, -0.2], [0.5, 0.2]]
        .map(|[x, z]| {
            world.add_joint(Joint::new(JointEnd::World, shelf, Nail::at(DVec3::new(3.0 + x, 0.0, z)))).unwrap()
        })
        .to_vec();
    world.body_mut(door).unwrap().set_velocity(DVec3::NEG_Z * 1.2).unwrap();
    world.body_mut(door).unwrap().set_angular_velocity(DVec3::Y * 3.0).unwrap();
    for _ in 0..600 {
        world.step(1.0 / 120.0).unwrap();
    }
    for (body, joints) in [(door, hinges), (shelf, nails)] {
        for &joint in &joints {
            let [a, b] = world.joint(joint).unwrap().anchors();
            assert!((a - b).length() < 1e-9);
        }
        let lifted: f64 = joints.iter().map(|&joint| world.joint(joint).unwrap().reaction().force.y).sum();
        let weight = 9.81 * world.body(body).unwrap().mass();
        assert!((lifted - weight).abs() < 1e-6 * weight, "{lifted} of {weight}");
    }
    // Nothing brakes the door.
    let spin = world.body(door).unwrap().angular_velocity();
    assert!((spin - DVec3::Y * 3.0).length() < 1e-8, "{spin}");
}

/// Rows between random bodies in a tree with a few loops: joints, and contacts and motors that have bounds.
fn random_problem(random: &mut fastrand::Rng) -> (Vec<SolverBody>, Vec<SolverRow>) {
    let bodies: Vec<SolverBody> = (0..10)
        .map(|index| {
            let mass = if index == 0 { 0.0 } else { 0.5 + random.f64() };
            let tilt = glam::DQuat::from_rotation_arc(DVec3::Y, vector(random).normalize());
            let turn = DMat3::from_quat(tilt);
            let inertia = turn * DMat3::from_diagonal(DVec3::ONE + 0.5 * vector(random)) * turn.transpose();
            SolverBody {
                inverse_mass: mass,
                inverse_inertia: if index == 0 { DMat3::ZERO } else { inertia },
                velocity: if index == 0 { DVec3::ZERO } else { vector(random) },
                angular_velocity: if index == 0 { DVec3::ZERO } else { vector(random) },
            }
        })
        .collect();
    let mut rows = Vec::new();
    for child in 1..12_usize {
        let pair = if child < 10 { [random.usize(0..child), child] } else { [random.usize(0..5), random.usize(5..10)] };
        for k in 0..random.usize(1..4) {
            let bounds = match k {
                0 | 1 => Bounds::Free,
                _ if random.bool() => Bounds::NonNegative,
                _ => Bounds::Range { min: -0.1, max: 0.1 },
            };
            let jacobian = Jacobian {
                linear: std::array::from_fn(|_| vector(random)),
                angular: std::array::from_fn(|_| vector(random)),
            };
            let gamma = if random.u8(0..4) == 0 { 0.1 } else { 0.0 };
            let bias = random.f64() - 0.5;
            rows.push(SolverRow { bodies: pair, jacobian, bias, gamma, bounds, error: 0.0, weight: 1.0, impulse: 0.0 });
        }
    }
    (bodies, rows)
}

#[test]
fn the_answer_is_that_of_very_many_sweeps() {
    let mut random = fastrand::Rng::with_seed(11);
    for case in 0..100 {
        let (bodies, rows) = random_problem(&mut random);
        let solve = |solver: &mut dyn ConstraintSolver| {
            let (mut bodies, mut rows) = (bodies.clone(), rows.clone());
            let reached = solver.solve(&mut Problem { bodies: &mut bodies, rows: &mut rows });
            (bodies, reached)
        };
        let (swept, _) =
            solve(&mut SequentialImpulses { iterations: 10_000, tolerance: 1e-13, ..SequentialImpulses::default() });
        let (direct, reached) = solve(&mut Direct { iterations: 1000, ..Direct::default() });
        assert!(reached.residual <= 1e-10, "case {case}: {reached:?}");
        for (a, b) in swept.iter().zip(&direct) {
            let difference = (a.velocity - b.velocity).length() + (a.angular_velocity - b.angular_velocity).length();
            assert!(difference < 1e-6, "case {case}: {difference:e}");
        }
    }
}

/// Joints alone take one solution, whatever they look like.
#[test]
fn joints_alone_take_one_round() {
    let mut random = fastrand::Rng::with_seed(12);
    for case in 0..100 {
        let (mut bodies, mut rows) = random_problem(&mut random);
        rows.retain(|row| row.bounds == Bounds::Free);
        let reached = Direct::default().solve(&mut Problem { bodies: &mut bodies, rows: &mut rows });
        assert_eq!(reached.sweeps, 1);
        let left = rows.iter().map(|row| (row.rate(&bodies) + row.bias + row.gamma * row.impulse).abs());
        let left = left.fold(0.0, f64::max);
        assert!(left < 1e-10, "case {case}: {left:e}");
    }
}

/// Without joints there is nothing to eliminate.
#[test]
fn without_joints_it_is_sequential_impulses() {
    let mut random = fastrand::Rng::with_seed(13);
    let (mut bodies, mut rows) = random_problem(&mut random);
    rows.retain(|row| row.bounds != Bounds::Free);
    assert!(rows.len() > 3);
    let (mut same_bodies, mut same_rows) = (bodies.clone(), rows.clone());
    Direct::default().solve(&mut Problem { bodies: &mut bodies, rows: &mut rows });
    SequentialImpulses::default().solve(&mut Problem { bodies: &mut same_bodies, rows: &mut same_rows });
    assert_eq!((bodies, rows), (same_bodies, same_rows));
}
