//! Nothing a user can do makes a world panic or leaves it with a motion that is not finite: bodies, joints and forces are
//! added, removed, moved and broken at random between steps, with NaN, infinities, zeros, overlaps, distances of 10⁶ m
//! and mass ratios of 10⁶ thrown in. What is refused is refused with an error.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::{DQuat, DVec3};
use tumble_dynamics::constraint::{Ball, Distance, Hinge, Softness, Weld};
use tumble_dynamics::force::{CentralGravity, Drag, PointForce, Spring, Vortex};
use tumble_dynamics::geometry::{Shape, Transform};
use tumble_dynamics::model::{Breaking, Joint, JointEnd};
use tumble_dynamics::{Body, BodyId, Collider, JointId, Material, World};

/// A number that is usually sensible and sometimes anything but.
fn number(random: &mut fastrand::Rng) -> f64 {
    match random.u32(0..40) {
        0 => f64::NAN,
        1 => f64::INFINITY,
        2 => -1.0,
        3 => 0.0,
        4 => 1e6,
        5 => 1e-6,
        6 => 1e300,
        7 => f64::MIN_POSITIVE,
        _ => random.f64(),
    }
}

fn vector(random: &mut fastrand::Rng) -> DVec3 {
    DVec3::new(number(random), number(random), number(random)) * 2.0 - DVec3::ONE
}

fn rotation(random: &mut fastrand::Rng) -> DQuat {
    let q = DQuat::from_xyzw(number(random), number(random), number(random), 1.0);
    if random.bool() { q.normalize() } else { q }
}

fn shape(random: &mut fastrand::Rng) -> Option<Shape> {
    let (a, b) = (number(random), number(random));
    match random.u32(0..7) {
        0 => Shape::sphere(a),
        1 => Shape::cuboid(vector(random).abs()),
        2 => Shape::capsule(a, b),
        3 => Shape::cylinder(a, b),
        4 => Shape::cone(a, b),
        5 => Shape::half_space(vector(random)),
        _ => Shape::hull(&(0..8).map(|_| vector(random)).collect::<Vec<_>>()),
    }
    .ok()
}

fn material(random: &mut fastrand::Rng) -> Material {
    Material {
        density: 1000.0 * number(random),
        restitution: number(random),
        static_friction: number(random),
        dynamic_friction: number(random),
        rolling_friction: number(random) * 0.1,
        spinning_friction: number(random) * 0.1,
        perturbation: number(random) * 0.1,
    }
}

fn body(random: &mut fastrand::Rng) -> Body {
    let mut body = match random.u32(0..6) {
        0 => Body::fixed(),
        1 => Body::particle(number(random)),
        _ => Body::dynamic(),
    };
    for _ in 0..random.u32(0..3) {
        if let Some(shape) = shape(random) {
            let mut collider = Collider::new(shape).with_pose(Transform::new(rotation(random), vector(random) * 0.1));
            if random.u32(0..8) == 0 {
                collider = collider.as_sensor();
            }
            body = body.with_collider(collider);
        }
    }
    if random.bool() {
        body = body.with_material(material(random));
    }
    if random.bool() {
        body = body.with_mass(number(random) * if random.bool() { 1e6 } else { 1.0 });
    }
    body = body.at(vector(random) * 3.0).rotated(rotation(random));
    body.with_velocity(vector(random)).with_angular_velocity(vector(random)).with_gravity_scale(number(random))
}

fn end(random: &mut fastrand::Rng, bodies: &[BodyId]) -> JointEnd {
    match bodies.get(random.usize(0..bodies.len() + 1)) {
        Some(&id) => JointEnd::Body(id),
        None => JointEnd::World,
    }
}

fn joint(random: &mut fastrand::Rng, bodies: &[BodyId]) -> Joint {
    let (a, b) = (end(random, bodies), end(random, bodies));
    let soft = Softness::Spring { frequency: 10.0 * number(random), damping_ratio: number(random) };
    let softness = if random.bool() { Softness::Rigid } else { soft };
    let joint = match random.u32(0..4) {
        0 => Joint::new(a, b, Ball { anchor: vector(random), softness }),
        1 => Joint::new(a, b, Distance::rope(vector(random), vector(random)).with_softness(softness)),
        2 => Joint::new(a, b, Hinge { anchor: vector(random), axis: vector(random), softness }),
        _ => Joint::new(a, b, Weld { anchor: vector(random), softness }),
    };
    if random.bool() { joint.breaking(Breaking { force: 1e4 * number(random), ..Breaking::default() }) } else { joint }
}

/// One random change; whether it is accepted or refused does not matter here.
fn meddle(random: &mut fastrand::Rng, world: &mut World, bodies: &mut Vec<BodyId>, joints: &mut Vec<JointId>) {
    // Mostly of bodies that exist, sometimes of one removed long ago.
    let some = bodies.get(random.usize(0..bodies.len().max(1))).copied();
    match random.u32(0..14) {
        0..=3 => bodies.extend(world.add_body(body(random))),
        4 => {
            if let Some(id) = some {
                let existed = world.body(id).is_ok();
                assert_eq!(world.remove_body(id).is_ok(), existed, "removal of {id:?}");
            }
        }
        5..=6 => joints.extend(world.add_joint(joint(random, bodies))),
        7 => {
            if let Some(&id) = joints.get(random.usize(0..joints.len().max(1))) {
                let _ = world.remove_joint(id);
            }
        }
        8 => {
            if let Some(mut body) = some.and_then(|id| world.body_mut(id).ok()) {
                let _ = body.set_pose(Transform::new(rotation(random), vector(random)));
                let _ = body.set_velocity(vector(random));
                let _ = body.set_angular_velocity(vector(random));
            }
        }
        9 => {
            if let Some(mut body) = some.and_then(|id| world.body_mut(id).ok()) {
                let _ = body.apply_force_at(vector(random) * 1e3, vector(random));
                let _ = body.apply_impulse_at(vector(random), vector(random));
                let _ = body.apply_torque(vector(random));
            }
        }
        10 => {
            if let (Some(id), Some(shape)) = (some, shape(random)) {
                let _ = world.add_collider(id, Collider::new(shape));
            }
        }
        11 => {
            let id = match random.u32(0..5) {
                0 => world.add_force(PointForce { force: vector(random), ..PointForce::default() }),
                1 => world.add_force(CentralGravity { parameter: number(random), ..CentralGravity::default() }),
                2 => world.add_force(Drag { linear: random.f64(), quadratic: random.f64(), ..Drag::default() }),
                3 => world.add_force(Vortex { axis: vector(random), ..Vortex::default() }),
                _ => world.add_force(Spring::new(end(random, bodies), end(random, bodies))),
            };
            // Forces with NaN in them would refuse every step from here on.
            world.remove_force(id).unwrap();
        }
        12 => {
            let snapshot = world.snapshot();
            let _ = world.step(1.0 / 60.0);
            world.restore(&snapshot);
        }
        _ => world.set_gravity(DVec3::new(0.0, -9.81 * random.f64(), 0.0)),
    }
}

#[test]
fn a_world_survives_whatever_is_done_to_it() {
    let (mut steps, mut refused) = (0, 0);
    for seed in 0..40 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut world = World::new();
        let (mut bodies, mut joints) = (Vec::new(), Vec::new());
        for _ in 0..100 {
            for _ in 0..random.u32(0..3) {
                meddle(&mut random, &mut world, &mut bodies, &mut joints);
            }
            steps += 1;
            let before = world.state().clone();
            if world.step(1.0 / 60.0).is_err() {
                refused += 1;
                assert_eq!(*world.state(), before, "a refused step changed the state");
            }
            for (id, body) in world.bodies() {
                assert!(body.state().is_finite(), "{id:?} is not finite");
            }
        }
    }
    assert!(refused * 10 < steps, "{refused} of {steps} steps were refused");
}
