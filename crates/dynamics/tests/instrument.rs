//! What a world draws, seen by a recorder.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use tumble_dynamics::constraint::Ball;
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::instrument::{ACCELERATION_SCALE, Drawn, InstrumentFlags, NORMAL_LENGTH, Recorder, VELOCITY_TIME};
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::{Body, World};

fn drawn(world: &World, flags: InstrumentFlags) -> Vec<Drawn> {
    let mut recorder = Recorder::default();
    world.draw(flags, &mut recorder);
    recorder.drawn
}

fn cube() -> Body {
    Body::dynamic().with_shape(Shape::cuboid([0.5, 0.5, 0.5]).unwrap())
}

/// Two boxes at rest on the ground, far from each other.
fn resting() -> World {
    let mut world = World::new();
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
    world.add_body(cube().at([0.0, 0.5, 0.0])).unwrap();
    world.add_body(cube().at([5.0, 0.5, 0.0])).unwrap();
    world.step(1.0 / 60.0).unwrap();
    world
}

#[test]
fn without_flags_nothing_is_drawn() {
    assert_eq!(drawn(&resting(), InstrumentFlags::default()), []);
    assert!(!drawn(&resting(), InstrumentFlags::ALL).is_empty());
}

#[test]
fn a_box_at_rest_has_four_contact_points_with_normals_upwards() {
    let drawn = drawn(&resting(), InstrumentFlags { contacts: true, ..Default::default() });
    let (mut points, mut normals) = (0, 0);
    for thing in &drawn {
        match thing {
            Drawn::Sphere(center, ..) => {
                points += 1;
                assert!(center.y.abs() < 1e-6 && (center.z.abs() - 0.5).abs() < 1e-6);
            }
            Drawn::Arrow(_, vector, _) => {
                normals += 1;
                assert!((*vector - DVec3::Y * NORMAL_LENGTH).length() < 1e-12);
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!((points, normals), (8, 8));
}

#[test]
fn each_island_has_its_colour() {
    let drawn = drawn(&resting(), InstrumentFlags { islands: true, ..Default::default() });
    let [Drawn::Cuboid(_, size, first), Drawn::Cuboid(_, _, second)] = &drawn[..] else { panic!("{drawn:?}") };
    assert!((*size - DVec3::splat(0.5)).length() < 1e-9);
    assert_ne!(first, second);
}

#[test]
fn boxes_of_finite_colliders_and_of_the_broad_phase_are_drawn() {
    let world = resting();
    assert_eq!(drawn(&world, InstrumentFlags { aabbs: true, ..Default::default() }).len(), 2);
    assert!(!drawn(&world, InstrumentFlags { broad_phase: true, ..Default::default() }).is_empty());
}

#[test]
fn velocities_forces_centres_and_sleep_are_drawn_at_the_centre_of_mass() {
    let mut world = World::new();
    let at = DVec3::new(1.0, 2.0, 3.0);
    let body = world.add_body(cube().at(at).with_velocity([2.0, 0.0, 0.0])).unwrap();
    let only = |drawn: Vec<Drawn>| <[Drawn; 1]>::try_from(drawn).unwrap()[0].clone();

    let Drawn::Arrow(from, along, _) = only(drawn(&world, InstrumentFlags { velocities: true, ..Default::default() }))
    else {
        panic!("a velocity is an arrow")
    };
    assert_eq!((from, along), (at, DVec3::X * 2.0 * VELOCITY_TIME));

    let Drawn::Arrow(from, along, _) = only(drawn(&world, InstrumentFlags { forces: true, ..Default::default() }))
    else {
        panic!("a force is an arrow")
    };
    assert_eq!(from, at);
    assert!((along - DVec3::NEG_Y * 9.81 * ACCELERATION_SCALE).length() < 1e-12);

    let centers = InstrumentFlags { centers_of_mass: true, ..Default::default() };
    assert!(matches!(only(drawn(&world, centers)), Drawn::Sphere(center, ..) if center == at));

    let sleep = InstrumentFlags { sleep: true, ..Default::default() };
    assert_eq!(drawn(&world, sleep), []);
    world.body_mut(body).unwrap().sleep();
    assert!(matches!(only(drawn(&world, sleep)), Drawn::Text(place, text, _) if place == at && text == "asleep"));
}

#[test]
fn a_joint_is_drawn_from_the_centre_to_its_anchor() {
    let mut world = World::new();
    let body = world.add_body(cube().at([1.0, 0.0, 0.0])).unwrap();
    let joint = Joint::new(body, JointEnd::World, Ball::at([0.0, 0.0, 0.0]));
    world.add_joint(joint).unwrap();
    let lines = drawn(&world, InstrumentFlags { joints: true, ..Default::default() });
    let [Drawn::Line(center, anchor, _), Drawn::Line(a, b, _)] = lines[..] else { panic!("{lines:?}") };
    assert_eq!((center, anchor), (DVec3::X, DVec3::ZERO));
    assert_eq!((a, b), (DVec3::ZERO, DVec3::ZERO));
}
