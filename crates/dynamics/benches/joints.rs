//! What joints cost in the real-time method, and how well they hold: nets, rag-dolls apart, rag-dolls in a heap.
//!
//! ```sh
//! cargo bench -p tumble-dynamics --bench joints            # all scenes
//! cargo bench -p tumble-dynamics --bench joints -- net     # those whose name contains "net"
//! ```
//!
//! Sleeping is off. The time is the least and the median of the steps that follow the first ten; the gap is the largest error
//! of a joint, in millimetres, in any step.

use std::time::{Duration, Instant};
use tumble_dynamics::constraint::limit::SwingTwist;
use tumble_dynamics::constraint::{Ball, Freedom, Hinge, Weld};
use tumble_dynamics::geometry::Shape;
use tumble_dynamics::geometry::glam::{DQuat, DVec3};
use tumble_dynamics::method::{Realtime, RealtimeSettings};
use tumble_dynamics::model::{CollisionFilter, Joint};
use tumble_dynamics::{Body, BodyId, ModelError, StepError, World};

fn world() -> World {
    let settings = RealtimeSettings { time_to_sleep: f64::INFINITY, ..RealtimeSettings::default() };
    World::with_method(Realtime::new().with_settings(settings))
}

/// What joins the nodes of a net.
#[derive(Clone, Copy)]
enum Kind {
    Ball,
    Hinge,
    Weld,
}

fn join(world: &mut World, pair: [BodyId; 2], at: DVec3, axis: DVec3, kind: Kind) -> Result<(), ModelError> {
    let [a, b] = pair;
    world.add_joint(match kind {
        Kind::Ball => Joint::new(a, b, Ball::at(at)),
        Kind::Hinge => Joint::new(a, b, Hinge::at(at, axis)),
        Kind::Weld => Joint::new(a, b, Weld::at(at)),
    })?;
    Ok(())
}

/// A level net of n by n spheres, a metre apart; some are fixed.
fn net(n: usize, kind: Kind, fixed: impl Fn(usize, usize) -> bool) -> Result<World, ModelError> {
    let mut world = world();
    let shape = Shape::sphere(0.4)?;
    let place = |row: usize, column: usize| DVec3::new(column as f64, 0.0, row as f64);
    let mut ids = Vec::new();
    for (row, column) in (0..n * n).map(|k| (k / n, k % n)) {
        let body = if fixed(row, column) { Body::fixed() } else { Body::dynamic() };
        ids.push(world.add_body(body.with_shape(shape.clone()).at(place(row, column)))?);
    }
    for (row, column) in (0..n * n).map(|k| (k / n, k % n)) {
        let (here, at) = (row * n + column, place(row, column));
        if column + 1 < n && !(fixed(row, column) && fixed(row, column + 1)) {
            join(&mut world, [ids[here], ids[here + 1]], at + 0.5 * DVec3::X, DVec3::Z, kind)?;
        }
        if row + 1 < n {
            join(&mut world, [ids[here], ids[here + n]], at + 0.5 * DVec3::Z, DVec3::X, kind)?;
        }
    }
    Ok(world)
}

/// A doll of eleven capsules, standing with its arms spread, moved by `at`.
fn doll(world: &mut World, at: DVec3, turn: DQuat) -> Result<(), ModelError> {
    let [x, y, z] = DVec3::AXES;
    let center = DVec3::Y;
    let mut add = |from: DVec3, to: DVec3, radius: f64| {
        let (middle, way) = (0.5 * (from + to), to - from);
        let shape = Shape::capsule((0.5 * way.length() - radius).max(0.01), radius)?;
        let rotation = turn * DQuat::from_rotation_arc(y, way.normalize());
        let body = Body::dynamic().with_shape(shape).at(at + turn * (middle - center)).rotated(rotation);
        world.add_body(body.in_group("doll"))
    };
    let pelvis = add(DVec3::new(-0.15, 1.0, 0.0), DVec3::new(0.15, 1.0, 0.0), 0.1)?;
    let chest = add(DVec3::new(0.0, 1.05, 0.0), DVec3::new(0.0, 1.5, 0.0), 0.12)?;
    let head = add(DVec3::new(0.0, 1.5, 0.0), DVec3::new(0.0, 1.8, 0.0), 0.1)?;
    let mut joints = vec![(pelvis, chest, DVec3::new(0.0, 1.05, 0.0), y, 0.5), (chest, head, y * 1.5, y, 0.6)];
    let mut hinges = Vec::new();
    for side in [1.0, -1.0] {
        let (shoulder, elbow) = (DVec3::new(0.2 * side, 1.42, 0.0), DVec3::new(0.5 * side, 1.42, 0.0));
        let upper = add(shoulder, elbow, 0.06)?;
        let lower = add(elbow, elbow + 0.3 * side * x, 0.05)?;
        let (hip, knee) = (DVec3::new(0.1 * side, 0.9, 0.0), DVec3::new(0.1 * side, 0.5, 0.0));
        let thigh = add(hip, knee, 0.08)?;
        let shin = add(knee, knee - 0.45 * y, 0.06)?;
        joints.extend([(chest, upper, shoulder, side * x, 1.2), (pelvis, thigh, hip, -y, 0.9)]);
        hinges.extend([(upper, lower, elbow, -side * y), (thigh, shin, knee, x)]);
    }
    let place = |point: DVec3| at + turn * (point - center);
    for (a, b, anchor, axis, swing) in joints {
        let limits = SwingTwist::at(place(anchor), turn * axis, turn * z);
        world.add_joint(Joint::new(a, b, limits.with_swing(swing, 0.7 * swing).with_twist(-0.5, 0.5)))?;
    }
    for (a, b, anchor, axis) in hinges {
        let hinge = Hinge::at(place(anchor), turn * axis).with_turn(Freedom::between(0.0, 2.3));
        world.add_joint(Joint::new(a, b, hinge))?;
    }
    Ok(())
}

/// So many dolls over a floor, so far apart, in layers of a square.
fn dolls(count: usize, side: usize, apart: f64) -> Result<World, ModelError> {
    let mut world = world();
    // A doll's own parts do not collide with each other; those of others do only in heaps, where dolls are close.
    if apart > 1.0 {
        world.set_filter(CollisionFilter::new().ignore(("doll", "doll")));
    }
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y)?))?;
    for k in 0..count {
        let (layer, row, column) = (k / (side * side), k / side % side, k % side);
        let at = DVec3::new(column as f64 * apart, 1.5 + 1.2 * layer as f64, row as f64 * apart);
        let tilt = 0.1 + 0.3 * (k % 7) as f64;
        let turn = DQuat::from_xyzw(0.5 * tilt, 0.2 * (k % 5) as f64, 0.1, 1.0).normalize();
        doll(&mut world, at, turn)?;
    }
    Ok(world)
}

fn measure(name: &str, mut world: World, steps: usize) -> Result<(), StepError> {
    let ids: Vec<_> = world.joints().map(|(id, _)| id).collect();
    let mut times: Vec<Duration> = Vec::new();
    let mut gap: f64 = 0.0;
    for step in 0..steps {
        let start = Instant::now();
        world.step(1.0 / 60.0)?;
        if step >= 10 {
            times.push(start.elapsed());
        }
        let errors = ids.iter().filter_map(|&id| world.joint(id).ok()).map(|joint| joint.error());
        gap = errors.fold(gap, f64::max);
    }
    times.sort_unstable();
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let (least, median) = (times[0], times[times.len() / 2]);
    println!(
        "{name:<28} {:>8.2} ms least {:>8.2} median   gap {:>8.2} mm   kinetic energy {:.3e} J",
        ms(least),
        ms(median),
        gap * 1e3,
        world.energy().kinetic
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let runs = |name: &str| wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str()));
    let row = |row: usize, _: usize| row == 0;
    type Build<'a> = &'a dyn Fn() -> Result<World, ModelError>;
    let scenes: [(&str, usize, Build<'_>); 8] = [
        ("net of balls 40x40", 200, &|| net(40, Kind::Ball, row)),
        ("net of balls 100x100", 100, &|| net(100, Kind::Ball, row)),
        ("net on corners 30x30", 300, &|| net(30, Kind::Ball, |row, column| row == 0 && column.is_multiple_of(29))),
        ("net of hinges 30x30", 200, &|| net(30, Kind::Hinge, row)),
        ("net of welds 30x30", 200, &|| net(30, Kind::Weld, row)),
        ("dolls 100", 200, &|| dolls(100, 10, 3.0)),
        ("dolls 500", 150, &|| dolls(500, 23, 3.0)),
        ("heap of dolls 40", 200, &|| dolls(40, 2, 0.8)),
    ];
    for (name, steps, make) in scenes {
        if runs(name) {
            measure(name, make()?, steps)?;
        }
    }
    Ok(())
}
