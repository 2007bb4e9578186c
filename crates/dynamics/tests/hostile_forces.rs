//! Forces survive any numbers: a step is taken or refused, and never panics or leaves something that is not finite.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use std::sync::Arc;
use tumble_dynamics::force::{Aerodynamic, Buoyancy, CentralGravity, Drag, Force, Spring, SpringEnd, Target, Vortex};
use tumble_dynamics::geometry::{Shape, Transform};
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::{Body, BodyId, Collider, World};

/// A number that is often anything but sensible.
fn number(random: &mut fastrand::Rng) -> f64 {
    const WILD: [f64; 9] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, 1e-300, 0.0, -1.0, 1e9];
    if random.u32(0..8) == 0 { WILD[random.usize(0..9)] } else { 4.0 * random.f64() }
}

fn vector(random: &mut fastrand::Rng) -> DVec3 {
    DVec3::new(number(random), number(random), number(random)) - DVec3::ONE
}

fn force(random: &mut fastrand::Rng, bodies: &[BodyId]) -> Arc<dyn Force> {
    let on = match random.u32(0..3) {
        0 => Target::All,
        1 => Target::Named("ball".into()),
        _ => Target::from(bodies[random.usize(0..bodies.len())]),
    };
    let mut end = || match random.u32(0..3) {
        0 => SpringEnd::World,
        1 => SpringEnd::Named("ball".into()),
        _ => SpringEnd::Body(bodies[random.usize(0..bodies.len())]),
    };
    let ends = [end(), end()];
    let r = random;
    match r.u32(0..6) {
        0 => Arc::new(Buoyancy {
            on,
            level: number(r),
            density: 1e3 * number(r),
            gravity: vector(r),
            flow: vector(r),
            linear_drag: number(r),
            quadratic_drag: number(r),
        }),
        1 => Arc::new(Aerodynamic { on, density: number(r), wind: vector(r), pressure: number(r), skin: number(r) }),
        2 => Arc::new(CentralGravity { on, center: vector(r), parameter: number(r), softening: number(r) }),
        3 => Arc::new(Drag { on, wind: vector(r), linear: number(r), quadratic: number(r), ..Drag::default() }),
        4 => Arc::new(Vortex { on, axis: vector(r), pull: number(r), radius: Some(number(r)), ..Vortex::default() }),
        _ => Arc::new(Spring {
            ends,
            points: [vector(r), vector(r)],
            rest_length: number(r),
            stiffness: number(r),
            damping: number(r),
        }),
    }
}

#[test]
fn a_world_survives_any_force() {
    let (mut taken, mut refused) = (0, 0);
    for seed in 0..300 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut world = World::with_method(Retroactive::new());
        let sheet = Shape::mesh(vec![DVec3::ZERO, DVec3::X, DVec3::Z], vec![[0, 2, 1]]).unwrap();
        let shapes = [
            Shape::sphere(0.5).unwrap(),
            Shape::cuboid([0.5, 1e-9, 0.5]).unwrap(),
            Shape::capsule(0.5, 1e-6).unwrap(),
            Shape::cylinder(0.1, 0.5).unwrap(),
            Shape::cone(0.5, 0.5).unwrap(),
            Shape::hull(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]).unwrap(),
            sheet,
        ];
        let mut bodies = Vec::new();
        for (i, shape) in shapes.into_iter().enumerate() {
            let pose = Transform::from_translation(DVec3::X * 0.3);
            let body = Body::dynamic().with_collider(Collider::new(shape).with_pose(pose)).with_mass(1.0);
            bodies.push(world.add_body(body.named("ball").at([3.0 * i as f64, 0.2, 0.0])).unwrap());
        }
        // Bodies without an extent, and one that is gone.
        bodies.push(world.add_body(Body::particle(1.0).at([0.0, 5.0, 0.0])).unwrap());
        bodies.push(world.add_body(Body::particle(1.0).at([0.0, 6.0, 0.0])).unwrap());
        world.remove_body(bodies[bodies.len() - 1]).unwrap();
        for _ in 0..3 {
            let id = world.add_force(force(&mut random, &bodies));
            for _ in 0..5 {
                let before = world.state().clone();
                if world.step(1.0 / 60.0).is_ok() {
                    taken += 1;
                } else {
                    refused += 1;
                    assert_eq!(*world.state(), before, "a refused step changed the state");
                }
                let _ = world.energy();
                assert!(world.bodies().all(|(_, body)| body.state().is_finite()));
            }
            world.remove_force(id).unwrap();
        }
    }
    assert!(taken > 1000 && refused > 100, "{taken} steps taken, {refused} refused");
}
