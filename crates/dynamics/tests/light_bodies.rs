//! Joints of bodies that weigh next to nothing, or very much more than their neighbours, hold; and rows that say what others
//! have said already are still left out.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::{DMat3, DQuat, DVec3};
use tumble_dynamics::constraint::{Ball, Freedom, Hinge, Motor, Weld};
use tumble_dynamics::geometry::{MassProperties, Shape};
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::{Body, BodyId, JointId, World};

/// A body with a mass and moments of inertia.
fn body(mass: f64, inertia: [f64; 3]) -> Body {
    let properties = MassProperties { mass, center: DVec3::ZERO, inertia: DMat3::from_diagonal(DVec3::from(inertia)) };
    Body::dynamic().with_mass_properties(properties).without_sleep()
}

/// The largest error of a joint, in metres or radians, and the largest residual of the joints, in m/s, in `seconds`.
fn worst(world: &mut World, joints: &[JointId], dt: f64, seconds: f64) -> (f64, f64) {
    let (mut error, mut residual): (f64, f64) = (0.0, 0.0);
    for _ in 0..(seconds / dt).round() as usize {
        world.step(dt).unwrap();
        let errors = joints.iter().map(|&joint| world.joint(joint).unwrap().error());
        error = errors.fold(error, f64::max);
        residual = residual.max(world.report().solved.joint_residual);
    }
    (error, residual)
}

/// Two bodies of a kilogram, joined by two hinges across each other through a body of a milligram, tumble in empty space.
fn light_link() -> (World, Vec<JointId>) {
    let mut world = World::with_method(Retroactive::new());
    world.set_gravity(DVec3::ZERO);
    let one = world.add_body(body(1.0, [0.1; 3]).at([-0.5, 0.0, 0.0]).with_angular_velocity([3.0, 1.0, 0.0])).unwrap();
    let light = world.add_body(body(1e-6, [1e-9; 3])).unwrap();
    let other = world.add_body(body(1.0, [0.1; 3]).at([0.5, 0.0, 0.0]).with_velocity([0.0, 0.0, 1.0])).unwrap();
    let joints = [
        Joint::new(one, light, Hinge::at(DVec3::ZERO, DVec3::X)),
        Joint::new(light, other, Hinge::at(DVec3::ZERO, DVec3::Y)),
    ];
    let joints = joints.map(|joint| world.add_joint(joint).unwrap()).to_vec();
    (world, joints)
}

/// A falling cat: two cylinders whose bend is turned by motors about both their axes, with a cross of a microgram in between.
fn falling_cat() -> (World, Vec<JointId>) {
    let mut world = World::with_method(Retroactive::new());
    world.set_gravity(DVec3::ZERO);
    let inertia = [0.07 / 3.0, 0.07 / 3.0, 0.005];
    let (x, z) = (0.125, 0.125 * 3.0_f64.sqrt());
    let half = |side: f64, spin: f64| {
        body(1.0, inertia)
            .at([x, 0.0, side * z])
            .rotated(DQuat::from_xyzw(0.0, side * 0.258_819_045_102_520_74, 0.0, 0.965_925_826_289_068_3))
            .with_angular_velocity([spin, 0.0, -2.602_407_783_466_486_3])
    };
    let lower = world.add_body(half(-1.0, std::f64::consts::PI)).unwrap();
    let upper = world.add_body(half(1.0, -std::f64::consts::PI)).unwrap();
    let cross = body(1e-9, [1e-11; 3]).with_angular_velocity([0.0, 0.0, 2.838_990_309_236_167_7]).with_velocity([
        0.0,
        -0.354_873_788_654_520_9,
        0.0,
    ]);
    let cross = world.add_body(cross).unwrap();
    let hinge = |axis: [f64; 3], turns: f64| {
        let motor = Motor { speed: turns * std::f64::consts::TAU, max_force: None };
        Hinge::at(DVec3::ZERO, DVec3::from(axis)).with_turn(Freedom { motor: Some(motor), ..Freedom::FREE })
    };
    let (s, c) = (0.5, 0.75_f64.sqrt());
    let joints =
        [Joint::new(lower, cross, hinge([-s, 0.0, c], 1.0)), Joint::new(cross, upper, hinge([s, 0.0, c], -1.0))];
    let joints = joints.map(|joint| world.add_joint(joint).unwrap()).to_vec();
    (world, joints)
}

#[test]
fn a_light_link_between_two_hinges_holds() {
    for (dt, largest) in [(1e-3, 1e-6), (1.0 / 60.0, 1e-3)] {
        let (mut world, joints) = light_link();
        let (error, residual) = worst(&mut world, &joints, dt, 1.0);
        assert!(error < largest && residual < 1e-6, "dt {dt}: error {error:e}, residual {residual:e}");
    }
}

#[test]
fn a_cat_with_a_weightless_spine_holds_together() {
    for (dt, largest) in [(1e-3, 1e-6), (1.0 / 60.0, 1e-3)] {
        let (mut world, joints) = falling_cat();
        let (error, residual) = worst(&mut world, &joints, dt, 1.0);
        assert!(error < largest && residual < 1e-6, "dt {dt}: error {error:e}, residual {residual:e}");
    }
}

/// Chains of bodies whose masses are anything between a milligram and a hundred tons, in random order.
#[test]
fn chains_of_any_masses_hold() {
    let mut random = fastrand::Rng::with_seed(8);
    for case in 0..20 {
        let mut world = World::with_method(Retroactive::new());
        world.set_gravity(DVec3::ZERO);
        let mut joints = Vec::new();
        let mut previous = JointEnd::World;
        for k in 0..8 {
            let place = f64::from(k);
            let mass = libm::pow(10.0, 9.0 * random.f64() - 4.5);
            let spin: DVec3 = std::array::from_fn(|_| random.f64() - 0.5).into();
            let link =
                world.add_body(body(mass, [0.05 * mass; 3]).at([place, 0.0, 0.0]).with_angular_velocity(spin)).unwrap();
            let anchor = DVec3::X * (place - 0.5);
            if previous != JointEnd::World {
                let joint = match random.u8(0..3) {
                    0 => Joint::new(previous, link, Ball::at(anchor)),
                    1 => Joint::new(previous, link, Hinge::at(anchor, DVec3::Y)),
                    _ => Joint::new(previous, link, Hinge::at(anchor, DVec3::Z)),
                };
                joints.push(world.add_joint(joint).unwrap());
            }
            previous = link.into();
        }
        let (error, residual) = worst(&mut world, &joints, 1e-3, 0.3);
        assert!(error < 1e-6 && residual < 1e-6, "case {case}: error {error:e}, residual {residual:e}");
    }
}

/// Bars in a closed loop.
fn ring(masses: &[f64], joint: impl Fn(BodyId, BodyId, DVec3) -> Joint) -> (World, Vec<JointId>) {
    let mut world = World::with_method(Retroactive::new());
    let corners: Vec<DVec3> = (0..masses.len())
        .map(|k| {
            let angle = std::f64::consts::TAU * k as f64 / masses.len() as f64;
            DVec3::new(libm::cos(angle), libm::sin(angle), 0.0)
        })
        .collect();
    let bars: Vec<BodyId> = masses
        .iter()
        .enumerate()
        .map(|(k, &mass)| {
            let middle = 0.5 * (corners[k] + corners[(k + 1) % masses.len()]);
            world.add_body(body(mass, [0.1 * mass; 3]).at(middle).with_angular_velocity([0.0, 0.3, 1.0])).unwrap()
        })
        .collect();
    let joints = (0..masses.len())
        .map(|k| {
            let next = (k + 1) % masses.len();
            world.add_joint(joint(bars[k], bars[next], corners[next])).unwrap()
        })
        .collect();
    (world, joints)
}

/// A four-bar linkage has six rows more than it needs, a ring of welds has six too many: they hold, also with masses that
/// differ by a factor of a million, and the surplus does not lock what is free.
#[test]
fn loops_hold_and_still_move() {
    for masses in [[1.0; 4], [1.0, 1e-6, 1.0, 1e-3]] {
        let (mut linkage, joints) = ring(&masses, |a, b, at| Joint::new(a, b, Hinge::at(at, DVec3::Z)));
        let (error, residual) = worst(&mut linkage, &joints, 1e-3, 1.0);
        assert!(error < 1e-6 && residual < 1e-6, "linkage of {masses:?}: error {error:e}, residual {residual:e}");
        let (mut frame, joints) = ring(&masses, |a, b, at| Joint::new(a, b, Weld::at(at)));
        let (error, residual) = worst(&mut frame, &joints, 1e-3, 1.0);
        assert!(error < 1e-6 && residual < 1e-6, "frame of {masses:?}: error {error:e}, residual {residual:e}");
    }
    // A rhombus that is squeezed keeps its energy: a motor-free linkage whose corners move.
    let (mut linkage, joints) = ring(&[1.0; 4], |a, b, at| Joint::new(a, b, Hinge::at(at, DVec3::Z)));
    let ids: Vec<BodyId> = linkage.bodies().map(|(id, _)| id).collect();
    for (k, &id) in ids.iter().enumerate() {
        let spin = if k % 2 == 0 { 1.0 } else { -1.0 };
        let at = linkage.body(id).unwrap().position();
        let mut bar = linkage.body_mut(id).unwrap();
        bar.set_velocity(DVec3::new(at.x, -at.y, 0.0)).unwrap();
        bar.set_angular_velocity(DVec3::Z * spin).unwrap();
    }
    worst(&mut linkage, &joints, 1e-3, 0.2);
    let relative =
        linkage.body(ids[0]).unwrap().angular_velocity().z - linkage.body(ids[1]).unwrap().angular_velocity().z;
    assert!(relative.abs() > 0.5, "the linkage is locked: {relative}");
}

/// Two motors that want different speeds of one hinge cannot both have their way; that is told.
#[test]
fn what_contradicts_itself_is_told() {
    let mut world = World::with_method(Retroactive::new());
    let door = world
        .add_body(Body::dynamic().with_shape(Shape::cuboid(DVec3::new(0.4, 1.0, 0.02)).unwrap()).at([0.4, 0.0, 0.0]))
        .unwrap();
    for (y, speed) in [(-0.8, 1.0), (0.8, 2.0)] {
        let turn = Freedom { motor: Some(Motor { speed, max_force: None }), ..Freedom::FREE };
        let hinge = Hinge::at(DVec3::new(0.0, y, 0.0), DVec3::Y).with_turn(turn);
        world.add_joint(Joint::new(JointEnd::World, door, hinge)).unwrap();
    }
    world.step(1e-3).unwrap();
    assert!(world.report().solved.joint_residual > 0.4, "{:?}", world.report());
}
