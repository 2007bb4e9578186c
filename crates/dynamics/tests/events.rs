//! What a step tells: contacts that begin, go on and end, impacts, sticking and slipping, limits, sleep, each at its time.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use tumble_dynamics::constraint::{Freedom, Hinge};
use tumble_dynamics::event::{Grip, Phase};
use tumble_dynamics::geometry::{Shape, Transform};
use tumble_dynamics::model::{Joint, JointEnd, Script};
use tumble_dynamics::{Body, BodyId, Material, World};

const G: f64 = 9.81;

fn ground(world: &mut World, material: Material) -> BodyId {
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap()).with_material(material)).unwrap()
}

/// A ball dropped from h meets the ground after √(2h/g) at √(2gh), wherever in a step that is.
#[test]
fn an_impact_is_told_at_its_time_with_its_speed() {
    for dt in [1.0 / 60.0, 1.0 / 240.0] {
        for height in [0.3, 1.0, 2.7] {
            let material = Material { restitution: 0.5, ..Material::default() };
            let mut world = World::new();
            let floor = ground(&mut world, material);
            let ball = Body::dynamic().with_shape(Shape::sphere(0.1).unwrap()).with_material(material);
            let ball = world.add_body(ball.at([0.0, 0.1 + height, 0.0])).unwrap();
            let (exact, speed) = ((2.0 * height / G).sqrt(), (2.0 * G * height).sqrt());
            let (impact, began) = loop {
                world.step(dt).unwrap();
                if let (Some(impact), Some(contact)) = (world.events().impacts.first(), world.events().contacts.first())
                {
                    break (*impact, *contact);
                }
                assert!(world.time() < 2.0);
            };
            assert_eq!((impact.bodies, began.bodies, began.phase), ([floor, ball], [floor, ball], Phase::Begin));
            assert!((impact.time - exact).abs() < 1e-6, "{} s, not {exact}", impact.time);
            assert!((began.time - exact).abs() < 1e-6, "{} s, not {exact}", began.time);
            assert!((impact.speed - speed).abs() < 1e-6 && (impact.normal - DVec3::Y).length() < 1e-12);
            let mass = world.body(ball).unwrap().mass();
            // The ground also bears the ball for a part of the step.
            let beyond = impact.impulse.y - 1.5 * mass * speed;
            assert!((-1e-9..=1.5 * mass * G * dt).contains(&beyond), "{} N s", impact.impulse.y);
            assert_eq!(world.events().points(&began).len(), 1);
        }
    }
}

/// A lift that falls away from under a box with twice the acceleration of gravity.
#[derive(Debug)]
struct Trapdoor;

impl Script for Trapdoor {
    fn pose(&self, time: f64) -> Transform {
        let falling = (time - 0.5).max(0.0);
        Transform::from_translation(DVec3::NEG_Y * G * falling * falling)
    }
}

/// The gap grows by ½ g t², and the end of the contact is told when it began to, not when it has become large.
#[test]
fn the_end_of_a_contact_is_told_when_surfaces_part() {
    for dt in [1.0 / 60.0, 1.0 / 240.0, 1e-3] {
        let mut world = World::new();
        world.add_body(Body::scripted(Trapdoor).with_shape(Shape::cuboid([1.0, 0.1, 1.0]).unwrap())).unwrap();
        let cube = Body::dynamic().with_shape(Shape::cuboid([0.2; 3]).unwrap()).at([0.0, 0.3, 0.0]).without_sleep();
        world.add_body(cube).unwrap();
        let ended = loop {
            world.step(dt).unwrap();
            if let Some(event) = world.events().contacts.iter().find(|event| event.phase == Phase::End) {
                break event.time;
            }
            assert!(world.time() < 1.0, "dt {dt}");
        };
        assert!((ended - 0.5).abs() < dt + 1e-9, "dt {dt}: {ended} s");
    }
}

/// Contacts that go on are told ten times a second, or as often as one likes, or not at all; asking always tells.
#[test]
fn ongoing_contacts_are_told_at_a_chosen_rate() {
    for (rate, expected) in [(10.0, 20), (0.0, 0), (5.0, 10), (f64::INFINITY, 119)] {
        let mut world = World::new();
        world.set_contact_rate(rate).unwrap();
        ground(&mut world, Material::default());
        let cube = Body::dynamic().with_shape(Shape::cuboid([0.5; 3]).unwrap()).at([0.0, 0.5, 0.0]).without_sleep();
        let cube = world.add_body(cube).unwrap();
        let mut told = 0;
        for step in 0..120 {
            world.step(1.0 / 60.0).unwrap();
            let persists = world.events().contacts.iter().filter(|event| event.phase == Phase::Persist);
            persists.clone().for_each(|event| assert_eq!(world.events().points(event).len(), 4));
            told += persists.count();
            assert_eq!(world.events().contacts.iter().any(|event| event.phase == Phase::Begin), step == 0);
            assert_eq!(world.contacts_of(cube).count(), 1);
        }
        assert_eq!(told, expected, "{rate} Hz");
    }
    assert!(World::new().set_contact_rate(-1.0).is_err() && World::new().set_contact_rate(f64::NAN).is_err());
}

/// A block slides to a stop after v/(μ g).
#[test]
fn a_block_slips_and_then_sticks() {
    let material = Material { static_friction: 0.4, dynamic_friction: 0.4, ..Material::default() };
    let mut world = World::new();
    ground(&mut world, material);
    let block = Body::dynamic().with_shape(Shape::cuboid([0.5, 0.1, 0.5]).unwrap()).with_material(material);
    let block = world.add_body(block.at([0.0, 0.1, 0.0]).with_velocity([2.0, 0.0, 0.0])).unwrap();
    let mut grips = Vec::new();
    let mut slept = None;
    while world.time() < 2.0 {
        world.step(1.0 / 240.0).unwrap();
        grips.extend(world.events().grips.iter().map(|event| (event.grip, event.time)));
        slept = slept.or(world.events().slept.first().map(|event| (event.body, event.time)));
    }
    let stop = 2.0 / (0.4 * G);
    assert_eq!(grips.len(), 1, "{grips:?}");
    assert!(grips[0].0 == Grip::Stick && (grips[0].1 - stop).abs() < 0.01, "{grips:?}, not {stop}");
    let (body, time) = slept.unwrap();
    assert!(body == block && (time - stop - 0.5).abs() < 0.05, "{time}");
    world.body_mut(block).unwrap().set_velocity([1.0, 0.0, 0.0]).unwrap();
    world.step(1.0 / 240.0).unwrap();
    assert!(world.events().grips.iter().map(|event| event.grip).eq([Grip::Slip]));
}

/// A bar on a hinge falls to its limit, stays there, and is lifted off again.
#[test]
fn a_limit_is_reached_and_left() {
    let mut world = World::new();
    let bar = Body::dynamic().with_shape(Shape::cuboid([0.5, 0.05, 0.05]).unwrap()).at([0.5, 0.0, 0.0]);
    let bar = world.add_body(bar.without_sleep()).unwrap();
    let turn = Freedom::between(-0.5, 3.0);
    let hinge = Hinge { turn, ..Hinge::at([0.0; 3], DVec3::Z) };
    let joint = world.add_joint(Joint::new(JointEnd::World, bar, hinge)).unwrap();
    let mut told = Vec::new();
    for _ in 0..240 {
        world.step(1.0 / 240.0).unwrap();
        told.extend(world.events().limits.iter().map(|event| (event.joint, event.reached)));
    }
    assert_eq!(told, [(joint, true)]);
    world.body_mut(bar).unwrap().set_angular_velocity([0.0, 0.0, 3.0]).unwrap();
    world.step(1.0 / 240.0).unwrap();
    told.extend(world.events().limits.iter().map(|event| (event.joint, event.reached)));
    assert_eq!(told, [(joint, true), (joint, false)]);
}

/// Something that falls on a sleeping body wakes it, and the events say so.
#[test]
fn waking_is_told() {
    let mut world = World::new();
    ground(&mut world, Material::default());
    let cube = Body::dynamic().with_shape(Shape::cuboid([0.5; 3]).unwrap()).at([0.0, 0.5, 0.0]);
    let cube = world.add_body(cube).unwrap();
    while !world.body(cube).unwrap().is_asleep() {
        world.step(1.0 / 60.0).unwrap();
    }
    assert!(world.events().slept.iter().map(|event| event.body).eq([cube]));
    let ball = Body::dynamic().with_shape(Shape::sphere(0.2).unwrap()).at([0.0, 2.0, 0.0]);
    world.add_body(ball).unwrap();
    let woke = loop {
        world.step(1.0 / 60.0).unwrap();
        if let Some(event) = world.events().woke.first() {
            break *event;
        }
        assert!(world.time() < 3.0);
    };
    assert_eq!(woke.body, cube);
}

/// Ongoing contacts are told at the ends of steps, a tenth of a second apart.
#[test]
fn ongoing_contacts_are_told_at_their_times() {
    let mut world = World::new();
    ground(&mut world, Material::default());
    let cube = Body::dynamic().with_shape(Shape::cuboid([0.5; 3]).unwrap()).at([0.0, 0.5, 0.0]).without_sleep();
    world.add_body(cube).unwrap();
    let mut times = Vec::new();
    for _ in 0..120 {
        world.step(1.0 / 60.0).unwrap();
        for event in world.events().contacts.iter().filter(|event| event.phase == Phase::Persist) {
            assert_eq!(event.time, world.time());
            times.push(event.time);
        }
    }
    assert!(times.len() >= 19 && times.windows(2).all(|w| (w[1] - w[0] - 0.1).abs() < 1e-9), "{times:?}");
}

/// A body at rest falls asleep when it has been quiet for `time_to_sleep`, is told of once, and wakes in the step in which something
/// touches it, at a time within that step.
#[test]
fn sleep_and_waking_are_told_at_their_times() {
    for (dt, steps) in [(1.0 / 60.0, 30), (1.0 / 240.0, 120)] {
        let mut world = World::new();
        ground(&mut world, Material::default());
        let cube = Body::dynamic().with_shape(Shape::cuboid([0.5; 3]).unwrap()).at([0.0, 0.5, 0.0]);
        let cube = world.add_body(cube).unwrap();
        // The first step counts as one in which it came to rest.
        let mut slept = Vec::new();
        for _ in 0..2 * steps {
            world.step(dt).unwrap();
            slept.extend(world.events().slept.iter().map(|event| (event.body, event.time)));
        }
        assert!(slept.len() == 1 && slept[0].0 == cube, "{slept:?}");
        assert!((slept[0].1 - 0.5).abs() <= 2.0 * dt, "dt {dt}: {} s", slept[0].1);
        // A ball dropped from h meets the cube after √(2h/g).
        let (height, start) = (0.5, world.time());
        let ball = Body::dynamic().with_shape(Shape::sphere(0.2).unwrap()).at([0.0, 1.2 + height, 0.0]);
        world.add_body(ball).unwrap();
        let woke = loop {
            world.step(dt).unwrap();
            if let Some(event) = world.events().woke.first() {
                break *event;
            }
            assert!(world.time() < 3.0);
        };
        let exact = start + (2.0 * height / G).sqrt();
        assert!(woke.body == cube && (woke.time - exact).abs() <= 2.0 * dt, "dt {dt}: {} s, not {exact}", woke.time);
        assert!(!world.body(cube).unwrap().is_asleep());
    }
}
