//! The real-time method at the step of a game, 1/60 s, against laws: what games get wrong.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use tumble_dynamics::constraint::{Ball, Hinge};
use tumble_dynamics::geometry::{MassProperties, Shape};
use tumble_dynamics::method::{Realtime, RealtimeSettings};
use tumble_dynamics::model::{Joint, JointEnd};
use tumble_dynamics::{Body, BodyId, Material, World};

const DT: f64 = 1.0 / 60.0;
const G: f64 = 9.81;

fn awake() -> RealtimeSettings {
    RealtimeSettings { time_to_sleep: f64::INFINITY, ..RealtimeSettings::default() }
}

fn world() -> World {
    World::with_method(Realtime::new().with_settings(awake()))
}

fn with_floor(material: Material) -> World {
    let mut world = world();
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap()).with_material(material)).unwrap();
    world
}

fn cube() -> Shape {
    Shape::cuboid([0.5; 3]).unwrap()
}

fn run(world: &mut World, seconds: f64) {
    for _ in 0..(seconds / DT).round() as usize {
        world.step(DT).unwrap();
    }
}

#[test]
fn free_fall_follows_the_parabola() {
    let mut world = world();
    let stone = Body::dynamic().with_shape(Shape::cuboid([0.5, 0.3, 0.1]).unwrap());
    let stone = world.add_body(stone.with_velocity([1.0, 2.0, 3.0]).with_angular_velocity([1.0, 2.0, 3.0])).unwrap();
    run(&mut world, 10.0);
    let exact = DVec3::new(1.0, 2.0, 3.0) * 10.0 - DVec3::Y * (0.5 * G * 100.0);
    let off = (world.body(stone).unwrap().position() - exact).length();
    assert!(off < 1e-9, "{off:e}");
}

/// Ten boxes, the top a thousand times as heavy: nothing sags and nothing moves.
#[test]
fn stacks_stand_whatever_lies_on_top() {
    for heavy in [1.0, 1000.0] {
        let mut world = with_floor(Material::default());
        let place = |k: usize| DVec3::Y * (0.5 + k as f64);
        let boxes: Vec<BodyId> = (0..10)
            .map(|k| {
                let mass = if k == 9 { heavy } else { 1.0 };
                world.add_body(Body::dynamic().at(place(k)).with_shape(cube()).with_mass(mass)).unwrap()
            })
            .collect();
        run(&mut world, 10.0);
        for (k, &id) in boxes.iter().enumerate() {
            let moved = (world.body(id).unwrap().position() - place(k)).length();
            assert!(moved < 1e-9, "top of {heavy} kg: box {k} moved {moved:e}");
        }
    }
}

/// A pyramid of 210 boxes is solved by sweeps: it sinks by millimetres and comes to rest.
#[test]
fn a_pyramid_comes_to_rest() {
    let mut world = with_floor(Material::default());
    let mut boxes = Vec::new();
    for row in 0..20 {
        for column in 0..20 - row {
            let at = DVec3::new(1.02 * f64::from(column) + 0.51 * f64::from(row), 0.5 + f64::from(row), 0.0);
            boxes.push((at, world.add_body(Body::dynamic().at(at).with_shape(cube())).unwrap()));
        }
    }
    run(&mut world, 3.0);
    for (at, id) in boxes {
        let body = world.body(id).unwrap();
        let (moved, speed) = ((body.position() - at).length(), body.velocity().length());
        assert!(moved < 0.02 && speed < 1e-3, "{at}: moved {moved}, speed {speed:e}");
    }
}

/// On a slope the block slides with a = g (sin θ − μ cos θ), or not at all.
#[test]
fn friction_is_that_of_coulomb() {
    let angle: f64 = 0.35;
    let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
    for (share, seconds) in [(0.95, 3.0), (1.05, 20.0)] {
        let friction = share * sine / cosine;
        let material = Material { static_friction: friction, dynamic_friction: friction, ..Material::default() };
        let mut world = with_floor(material);
        world.set_gravity(DVec3::new(sine, -cosine, 0.0) * G);
        let block = Body::dynamic().at([0.0, 0.5, 0.0]).with_shape(cube()).with_material(material);
        let block = world.add_body(block).unwrap();
        run(&mut world, seconds);
        let moved = world.body(block).unwrap().position().x;
        let exact = (0.5 * G * (sine - friction * cosine) * seconds * seconds).max(0.0);
        assert!((moved - exact).abs() < 1e-3 * exact + 1e-6, "{share}: {moved} instead of {exact}");
    }
}

/// A ball dropped from a metre peaks at e²ⁿ, wherever in a step it hits.
#[test]
fn bounces_have_the_right_height() {
    let material = Material { restitution: 0.8, ..Material::default() };
    for dt in [1.0 / 60.0, 1.0 / 47.0] {
        let mut world = with_floor(material);
        let ball = Body::dynamic().at([0.0, 1.1, 0.0]).with_shape(Shape::sphere(0.1).unwrap());
        let ball = world.add_body(ball.with_material(material)).unwrap();
        let (mut peak, mut rises) = (0.64, false);
        let mut peaks = 0;
        while peaks < 5 {
            world.step(dt).unwrap();
            let (y, v) = (world.body(ball).unwrap().position().y, world.body(ball).unwrap().velocity().y);
            if rises && v <= 0.0 {
                let height = y - 0.1 + v * v / (2.0 * G);
                assert!((height / peak - 1.0).abs() < 1e-9, "peak {peaks}: {height} instead of {peak}");
                (peak, peaks) = (0.64 * peak, peaks + 1);
            }
            rises = v > 0.0;
        }
    }
}

#[test]
fn a_cradle_passes_the_impact_on() {
    for hitting in 1..5 {
        let mut world = world();
        world.set_gravity([0.0; 3]);
        let material = Material { restitution: 1.0, ..Material::default() };
        let balls: Vec<BodyId> = (0..5)
            .map(|k| {
                let moves = k < hitting;
                let x = 0.2 * f64::from(k) - if moves { 0.5 } else { 0.0 };
                let ball = Body::dynamic().at([x, 0.0, 0.0]).with_shape(Shape::sphere(0.1).unwrap());
                let velocity = [if moves { 2.0 } else { 0.0 }, 0.0, 0.0];
                world.add_body(ball.with_material(material).with_velocity(velocity)).unwrap()
            })
            .collect();
        run(&mut world, 1.0);
        for (k, &id) in (0..5).zip(&balls) {
            let exact = if k >= 5 - hitting { 2.0 } else { 0.0 };
            let speed = world.body(id).unwrap().velocity().x;
            assert!((speed - exact).abs() < 1e-9, "{hitting} hit: ball {k} has {speed}");
        }
    }
}

/// What slides begins to roll at 5/7 of its speed, and stays on the floor.
#[test]
fn a_sliding_ball_ends_up_rolling() {
    let mut world = with_floor(Material::default());
    let ball = Body::dynamic().at([0.0, 0.1, 0.0]).with_shape(Shape::sphere(0.1).unwrap());
    let ball = world.add_body(ball.with_velocity([7.0, 0.0, 0.0])).unwrap();
    run(&mut world, 3.0);
    let (velocity, position) = (world.body(ball).unwrap().velocity(), world.body(ball).unwrap().position());
    assert!((velocity - DVec3::X * 5.0).length() < 1e-4 && (position.y - 0.1).abs() < 1e-5, "{velocity} {position}");
}

fn link(mass: f64, length: f64) -> Body {
    let across = mass * length * length / 12.0;
    let inertia = glam::DMat3::from_diagonal(DVec3::new(0.1 * across, across, across));
    Body::dynamic().with_mass_properties(MassProperties { mass, center: DVec3::ZERO, inertia })
}

/// Links of a metre along x, let go level, with a load at the end if that weighs something.
fn chain(links: u32, load: f64) -> World {
    let mut world = world();
    let mut last = JointEnd::World;
    for k in 0..links {
        let at = DVec3::X * f64::from(k);
        let body = world.add_body(link(1.0, 1.0).at(at + DVec3::X * 0.5)).unwrap();
        world.add_joint(Joint::new(last, body, Ball::at(at))).unwrap();
        last = body.into();
    }
    if load > 0.0 {
        let at = DVec3::X * f64::from(links);
        let body = world.add_body(link(load, 1.0).at(at + DVec3::X * 0.5)).unwrap();
        world.add_joint(Joint::new(last, body, Ball::at(at))).unwrap();
    }
    world
}

/// The largest gap of a joint and the largest change of the energy, relative to the largest kinetic energy.
fn swing(world: &mut World, seconds: f64) -> (f64, f64) {
    let start = world.energy().total();
    let (mut gap, mut change, mut kinetic): (f64, f64, f64) = (0.0, 0.0, 0.0);
    for _ in 0..(seconds / DT) as usize {
        world.step(DT).unwrap();
        let energy = world.energy();
        change = change.max((energy.total() - start).abs());
        kinetic = kinetic.max(energy.kinetic);
        let ids: Vec<_> = world.model().joints().ids().collect();
        gap = ids.into_iter().map(|id| world.joint(id).unwrap().error()).fold(gap, f64::max);
    }
    (gap, change / kinetic)
}

#[test]
fn pendulums_keep_their_energy() {
    let mut world = world();
    let rod = world.add_body(link(1.0, 1.0).at([0.5, 0.0, 0.0])).unwrap();
    world.add_joint(Joint::new(JointEnd::World, rod, Hinge::at(DVec3::ZERO, DVec3::Z))).unwrap();
    let (gap, change) = swing(&mut world, 60.0);
    assert!(gap < 1e-5 && change < 1e-3, "a rod: gap {gap:e}, energy {change:e}");
    let (gap, change) = swing(&mut chain(5, 0.0), 30.0);
    assert!(gap < 1e-4 && change < 0.02, "five links: gap {gap:e}, energy {change:e}");
}

#[test]
fn a_chain_bears_a_thousand_times_its_links() {
    let (gap, _) = swing(&mut chain(10, 1000.0), 5.0);
    assert!(gap < 1e-4, "{gap:e}");
}

/// A run goes on bit for bit from a snapshot, and from a saved state.
#[test]
fn runs_are_resumed_bit_for_bit() {
    let mut world = with_floor(Material::default());
    for k in 0..40 {
        let at = DVec3::new(0.3 * f64::from(k % 3), 0.6 + 1.1 * f64::from(k), 0.2 * f64::from(k % 2));
        world.add_body(Body::dynamic().at(at).with_shape(cube())).unwrap();
    }
    run(&mut world, 0.5);
    let snapshot = world.snapshot();
    let saved = world.save();
    run(&mut world, 0.5);
    let there = world.state().fingerprint();
    world.restore(&snapshot);
    run(&mut world, 0.5);
    assert_eq!(world.state().fingerprint(), there, "after a snapshot");
    world.load(&saved).unwrap();
    run(&mut world, 0.5);
    assert_eq!(world.state().fingerprint(), there, "after a saved state");
}

/// A step that fails leaves no trace.
#[test]
fn a_failed_step_is_undone() {
    let mut world = with_floor(Material::default());
    world.add_body(Body::dynamic().at([0.0, 0.6, 0.0]).with_shape(cube())).unwrap();
    run(&mut world, 0.5);
    world.set_gravity([0.0, f64::INFINITY, 0.0]);
    let before = world.state().fingerprint();
    assert!(world.step(DT).is_err());
    assert_eq!(world.state().fingerprint(), before);
    world.set_gravity([0.0, -G, 0.0]);
    run(&mut world, 0.5);
}

/// So many small islands in motion are swept and not solved exactly; the laws are the same.
#[test]
fn a_throng_slides_and_bounces_like_one() {
    let friction = Material { static_friction: 0.4, dynamic_friction: 0.4, ..Material::default() };
    let mut world = with_floor(friction);
    let thrown: Vec<(BodyId, f64)> = (0..60)
        .map(|i| {
            let speed = 2.0 + 0.05 * f64::from(i);
            let at = [0.0, 0.5, 3.0 * f64::from(i)];
            let block = Body::dynamic().with_shape(cube()).with_material(friction).at(at);
            (world.add_body(block.with_velocity([speed, 0.0, 0.0])).unwrap(), speed)
        })
        .collect();
    run(&mut world, 3.0);
    for (block, speed) in thrown {
        let (way, expected) = (world.body(block).unwrap().position().x, speed * speed / (2.0 * 0.4 * G));
        assert!((way / expected - 1.0).abs() < 0.01, "{speed} m/s: {way} m, {expected} m expected");
    }

    let elastic = Material { restitution: 0.8, ..Material::default() };
    let mut world = with_floor(elastic);
    let ball = |i: u32| {
        let ball = Body::dynamic().with_shape(Shape::sphere(0.25).unwrap()).with_material(elastic);
        ball.at([0.0, 1.25 + 0.01 * f64::from(i), f64::from(i)])
    };
    let balls: Vec<BodyId> = (0..60).map(|i| world.add_body(ball(i)).unwrap()).collect();
    // The peaks of each, told by where it turns.
    let mut peaks: Vec<Vec<f64>> = vec![Vec::new(); balls.len()];
    let mut rising = vec![false; balls.len()];
    for _ in 0..240 {
        world.step(DT).unwrap();
        for (i, &ball) in balls.iter().enumerate() {
            let (height, speed) =
                (world.body(ball).unwrap().position().y - 0.25, world.body(ball).unwrap().velocity().y);
            if rising[i] && speed <= 0.0 {
                // A parabola is as high as its energy says.
                peaks[i].push(height + speed * speed / (2.0 * G));
            }
            rising[i] = speed > 0.0;
        }
    }
    for (i, peaks) in peaks.iter().enumerate() {
        let mut expected = 1.0 + 0.01 * i as f64;
        assert!(peaks.len() >= 3, "{peaks:?}");
        for peak in peaks.iter().take(3) {
            expected *= 0.64;
            assert!((peak / expected - 1.0).abs() < 0.01, "ball {i}: {peaks:?}");
        }
    }
}

/// A platform takes blocks along that stand on it, alone and stacked: the friction that is told of them is what accelerates them, in every
/// step, however it is divided.
#[test]
fn the_friction_that_is_told_is_what_accelerates() {
    for count in [1, 3, 12] {
        let mut world = world();
        let platform = Body::kinematic().with_shape(Shape::cuboid([20.0, 0.1, 2.0]).unwrap()).at([0.0, -0.1, 0.0]);
        let platform = world.add_body(platform).unwrap();
        let block = |k: usize| Body::dynamic().with_shape(cube()).with_mass(5.0).at([0.0, 0.5 + k as f64, 0.0]);
        for k in 0..count {
            world.add_body(block(k)).unwrap();
        }
        run(&mut world, 0.5);
        for step in 0..60 {
            let momentum = |world: &World| {
                let blocks = world.bodies().filter(|(id, _)| *id != platform);
                blocks.map(|(_, body)| 5.0 * body.velocity().x).sum::<f64>()
            };
            let before = momentum(&world);
            world.body_mut(platform).unwrap().set_velocity([1.5 * DT * f64::from(step + 1), 0.0, 0.0]).unwrap();
            world.step(DT).unwrap();
            let impulses = |contact: tumble_dynamics::contact::Contact<'_>| {
                let sign = if contact.bodies[0] == platform { 1.0 } else { -1.0 };
                let touches = contact.bodies.contains(&platform);
                let all: DVec3 = contact.points().map(|point| point.impulse.friction).sum();
                if touches { all.x * sign } else { 0.0 }
            };
            let told: f64 = world.contacts().map(impulses).sum();
            let acts = momentum(&world) - before;
            assert!((told - acts).abs() < 1e-3 * acts.abs() + 1e-4, "{count} blocks, step {step}: {told} of {acts}");
        }
    }
}
