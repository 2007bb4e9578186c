//! Impact dynamics at the frames of film and video: rest as a series of impacts, stick and slip, stacks, schedules and blends.

use glam::DVec3;
use tumble_dynamics::geometry::{Shape, Transform};
use tumble_dynamics::method::impact::{Blend, Schedule};
use tumble_dynamics::method::{ImpactDynamics, ImpactSettings};
use tumble_dynamics::model::Script;
use tumble_dynamics::{Body, BodyId, Material, World};

fn world(settings: ImpactSettings) -> World {
    World::with_method(ImpactDynamics::new(settings))
}

fn floor(world: &mut World, material: Material, slope: f64) -> DVec3 {
    let (sin, cos) = libm::sincos(slope);
    let normal = DVec3::new(-sin, cos, 0.0);
    world.add_body(Body::fixed().with_shape(Shape::half_space(normal).unwrap()).with_material(material)).unwrap();
    normal
}

fn run(world: &mut World, dt: f64, seconds: f64) {
    for _ in 0..(seconds / dt).round() as usize {
        world.step(dt).unwrap();
    }
}

fn at(world: &World, id: BodyId) -> DVec3 {
    world.body(id).unwrap().position()
}

/// H 5.2: what lies on the floor loses in an impact what it gained during the frame, and stays where it is.
#[test]
fn a_stack_stands_for_ten_seconds_at_thirty_frames() {
    for dt in [1.0 / 30.0, 1.0 / 24.0] {
        let mut world = world(ImpactSettings::default());
        floor(&mut world, Material::default(), 0.0);
        let mut add = |y: f64| {
            let body = Body::dynamic().with_shape(Shape::cuboid([0.5; 3]).unwrap()).at([0.0, y, 0.0]);
            world.add_body(body).unwrap()
        };
        let boxes = [0.5, 1.5, 2.5, 3.5].map(&mut add);
        run(&mut world, dt, 10.0);
        for (index, id) in boxes.into_iter().enumerate() {
            let off = at(&world, id) - DVec3::new(0.0, 0.5 + index as f64, 0.0);
            assert!(off.length() < 0.01, "box {index} at {dt} s: off by {off}");
        }
    }
}

/// By how much the bodies of a pile of boxes, each with its half size and mass, have moved after a minute at most, as a part of their size.
fn creep(boxes: &[(f64, f64)], turn: f64, dt: f64) -> f64 {
    let mut world = world(ImpactSettings::default());
    floor(&mut world, Material::default(), 0.0);
    let mut height = 0.0;
    let placed: Vec<(BodyId, DVec3, f64)> = boxes
        .iter()
        .enumerate()
        .map(|(index, &(half, mass))| {
            let at = DVec3::new(0.0, height + half, 0.0);
            height += 2.0 * half;
            let rotation = tumble_dynamics::geometry::math::rotation_about(DVec3::Y, turn * index as f64);
            let body = Body::dynamic().with_shape(Shape::cuboid([half; 3]).unwrap()).with_mass(mass);
            (world.add_body(body.at(at).rotated(rotation)).unwrap(), at, 2.0 * half)
        })
        .collect();
    run(&mut world, dt, 60.0);
    placed.iter().map(|&(id, start, size)| (at(&world, id) - start).length() / size).fold(0.0, f64::max)
}

/// What stands in the first frame stands after a minute, where it stood to a hundredth of its size: tall towers, towers of turned boxes, and heavy
/// on light.
#[test]
fn what_rests_does_not_creep() {
    // In frames of 1/24 s a tonne on a turned kilogram falls.
    for (dt, count) in [(1.0 / 30.0, 6), (1.0 / 24.0, 4)] {
        let piles = [
            ("five boxes", vec![(0.5, 1.0); 5], 0.0),
            ("ten boxes", vec![(0.3, 2.0); 10], 0.0),
            ("eight turned boxes", vec![(0.25, 1.0); 8], 0.3),
            ("a tonne on a kilogram", vec![(0.5, 1.0), (0.5, 1000.0)], 0.0),
            ("a tonne on a turned kilogram", vec![(0.4, 1.0), (0.5, 1000.0)], 0.5),
            ("a hundred kilograms on three boxes", vec![(0.5, 1.0), (0.5, 1.0), (0.5, 1.0), (0.5, 100.0)], 0.0),
        ];
        for (name, boxes, turn) in piles.into_iter().take(count) {
            let crept = creep(&boxes, turn, dt);
            assert!(crept < 0.01, "{name} at {dt} s: by {crept} of their size");
        }
    }
}

#[test]
fn blocks_hold_or_slide_as_coulomb_says() {
    let material = Material { static_friction: 0.5, dynamic_friction: 0.5, ..Material::default() };
    let moved = |slope: f64| {
        let mut world = world(ImpactSettings::default());
        let normal = floor(&mut world, material, slope);
        let turn = tumble_dynamics::geometry::math::rotation_about(DVec3::Z, slope);
        let block = Body::dynamic().with_shape(Shape::cuboid([0.5, 0.25, 0.5]).unwrap()).with_material(material);
        let start = normal * 0.25;
        let id = world.add_body(block.at(start).rotated(turn)).unwrap();
        run(&mut world, 1.0 / 30.0, 2.0);
        (at(&world, id) - start).length()
    };
    let angle = libm::atan(0.5);
    assert!(moved(0.95 * angle) < 0.01, "it crept by {}", moved(0.95 * angle));
    let slope = 1.3 * angle;
    let (sin, cos) = libm::sincos(slope);
    let expected = 0.5 * 9.81 * (sin - 0.5 * cos) * 4.0;
    assert!((moved(slope) / expected - 1.0).abs() < 0.05, "{} instead of {expected}", moved(slope));
}

/// A ball with backspin grips the floor: for a solid ball that sticks, v' = (5 v + 2 r ω)/7.
#[test]
fn a_spinning_ball_grips() {
    let material = Material { restitution: 0.0, static_friction: 2.0, dynamic_friction: 2.0, ..Material::default() };
    let mut world = world(ImpactSettings::default());
    floor(&mut world, material, 0.0);
    let ball = Body::dynamic().with_shape(Shape::sphere(0.5).unwrap()).with_material(material).at([0.0, 0.52, 0.0]);
    let id = world.add_body(ball.with_velocity([2.0, -2.0, 0.0]).with_angular_velocity([0.0, 0.0, 8.0])).unwrap();
    run(&mut world, 1.0 / 30.0, 1.0);
    let body = world.body(id).unwrap();
    let expected = (5.0 * 2.0 - 2.0 * 0.5 * 8.0) / 7.0;
    assert!((body.velocity().x - expected).abs() < 1e-9, "{} instead of {expected}", body.velocity().x);
    assert!((body.velocity().x + 0.5 * body.angular_velocity().z).abs() < 1e-9, "it rolls");
}

/// H 6: the same shove moves a body less if its mass is scheduled to be larger.
#[test]
fn properties_are_functions_of_time() {
    let speed = |schedules: Vec<Schedule>| {
        let mut world = world(ImpactSettings { schedules, ..ImpactSettings::default() });
        world.set_gravity([0.0; 3]);
        let elastic = Material { restitution: 1.0, ..Material::default() };
        let mut add = |name: &str, x: f64, v: f64| {
            let ball = Body::dynamic().with_shape(Shape::sphere(0.5).unwrap()).with_material(elastic).with_mass(1.0);
            world.add_body(ball.named(name).at([x, 0.0, 0.0]).with_velocity([v, 0.0, 0.0])).unwrap()
        };
        add("hammer", 0.0, 3.0);
        let anvil = add("anvil", 2.0, 0.0);
        run(&mut world, 1.0 / 30.0, 1.0);
        world.body(anvil).unwrap().velocity().x
    };
    assert!((speed(Vec::new()) - 3.0).abs() < 1e-9);
    let heavy = Schedule { on: "anvil".into(), times: vec![0.0, 1.0], mass: vec![3.0, 3.0], ..Schedule::default() };
    // v' = 2 m₁ v/(m₁ + m₂).
    assert!((speed(vec![heavy]) - 1.5).abs() < 1e-9);
    let dead = Schedule { on: "anvil".into(), times: vec![0.0], restitution: vec![0.0], ..Schedule::default() };
    assert!((speed(vec![dead]) - 1.5).abs() < 1e-9);
}

/// Moves along x at 1 m/s.
#[derive(Debug)]
struct Along;

impl Script for Along {
    fn pose(&self, time: f64) -> Transform {
        Transform::from_translation(DVec3::X * time)
    }
}

/// H 6: with all the weight on the script a body follows it through anything; with little and a small mass it is stopped.
#[test]
fn scripted_bodies_blend_with_impacts() {
    let way = |blends: Vec<Blend>| {
        let mut world = world(ImpactSettings { blends, ..ImpactSettings::default() });
        world.set_gravity([0.0; 3]);
        let ball = Shape::sphere(0.5).unwrap();
        let mass = ball.mass_properties(1000.0).unwrap().scaled_to_mass(1.0).unwrap();
        let pusher = Body::scripted(Along).named("pusher").with_shape(ball.clone()).with_mass_properties(mass);
        let pusher = world.add_body(pusher).unwrap();
        world.add_body(Body::dynamic().with_shape(ball).with_mass(1000.0).at([1.5, 0.0, 0.0])).unwrap();
        run(&mut world, 1.0 / 30.0, 2.0);
        at(&world, pusher).x
    };
    let blend = |weight, mass| vec![Blend { on: "pusher".into(), weight, mass }];
    assert!((way(Vec::new()) - 2.0).abs() < 1e-9, "a script is followed");
    assert!((way(blend(1.0, 1e6)) - 2.0).abs() < 1e-9);
    let pushed = way(blend(0.02, 1.0));
    assert!(pushed < 1.0, "it is stopped at {pushed} m");
}

/// Who has no script cannot follow it in part, and says so instead of falling as if nobody had asked.
#[test]
fn a_blend_of_a_body_without_script_is_refused() {
    let blends = vec![Blend { on: "ball".into(), weight: 0.5, mass: 1.0 }];
    let mut world = world(ImpactSettings { blends, ..ImpactSettings::default() });
    world.add_body(Body::dynamic().named("ball").with_shape(Shape::sphere(0.1).unwrap())).unwrap();
    let error = world.step(0.01).unwrap_err().to_string();
    assert!(error.contains("\"ball\", which lacks a script"), "{error}");
}
