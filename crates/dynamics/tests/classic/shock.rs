//! Shock propagation holds tall towers and heavy on light, at 60 Hz and for a minute.

use glam::DVec3;
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::solver::ShockPropagation;
use tumble_dynamics::{Body, BodyId, World};

/// By how much the highest of a tower of boxes, each with its mass, has sunk after so many seconds.
fn sag(masses: &[f64], seconds: f64) -> f64 {
    let mut world = World::with_method(Retroactive::new().with_solver(ShockPropagation::default()));
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
    let mut top: Option<BodyId> = None;
    for (index, &mass) in masses.iter().enumerate() {
        let block = Body::dynamic().with_shape(Shape::cuboid([0.5; 3]).unwrap()).with_mass(mass);
        top = Some(world.add_body(block.at([0.0, 0.5 + index as f64, 0.0]).without_sleep()).unwrap());
    }
    for _ in 0..(60.0 * seconds) as usize {
        world.step(1.0 / 60.0).unwrap();
    }
    let at = world.body(top.unwrap()).unwrap().position();
    assert!(at.x.abs() + at.z.abs() < 0.05, "the tower leans: {at}");
    masses.len() as f64 - 0.5 - at.y
}

#[test]
fn a_tower_of_forty_boxes_stands() {
    let sunk = sag(&[1.0; 40], 60.0);
    assert!(sunk.abs() < 0.01, "it sank by {sunk} m");
}

#[test]
fn ten_kilograms_carry_a_thousand() {
    let mut masses = vec![1.0; 10];
    masses.push(1000.0);
    let sunk = sag(&masses, 60.0);
    assert!(sunk.abs() < 0.01, "it sank by {sunk} m");
}
