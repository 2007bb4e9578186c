//! Single bodies: what slides, flies, falls, bounces and spins.

use super::cuboid;
use crate::judge::Judge;
use crate::measure::{Build, Engine, Motion, run};
use crate::scene::{Scene, ShapeDesc};
use glam::{DQuat, DVec3};
use std::sync::Arc;

/// The speed of a box that slides without friction over a floor of many pieces.
pub(super) fn slide(build: Build, mesh: bool, yaw: f64) -> Result<f64, String> {
    let mut scene = Scene::new("slide", [0, 0]);
    let cells = 30_usize;
    if mesh {
        let side = cells + 1;
        let vertices: Vec<DVec3> =
            (0..side * side).map(|i| DVec3::new((i % side) as f64 - 5.0, 0.0, (i / side) as f64 - 15.0)).collect();
        let mut triangles = Vec::new();
        for (row, column) in (0..cells).flat_map(|row| (0..cells).map(move |column| (row, column))) {
            let corner = (row * side + column) as u32;
            let next = corner + side as u32;
            triangles.extend([[corner, next, corner + 1], [corner + 1, next, next + 1]]);
        }
        scene.fix(ShapeDesc::Mesh(vertices.into(), Arc::from(triangles)), DVec3::ZERO);
    } else {
        for (x, z) in (0..20).flat_map(|x| (0..8).map(move |z| (x, z))) {
            scene.fix(cuboid(0.5, 0.5, 0.5), DVec3::new(f64::from(x) - 2.0, -0.5, f64::from(z) - 3.7));
        }
    }
    scene.bodies.iter_mut().for_each(|body| body.friction = 0.0);
    let slider = scene.add(cuboid(0.4, 0.3, 0.5), DVec3::Y * 0.3);
    scene.last().friction = 0.0;
    scene.last().velocity = DVec3::X * 4.0;
    scene.last().rotation = DQuat::from_xyzw(0.0, (0.5 * yaw).sin(), 0.0, (0.5 * yaw).cos());
    let mut engine = build(&scene, 1)?;
    Ok(run(engine.as_mut(), 2.0, |_| {})[slider].velocity.x)
}

/// How many of sixteen bullets get through a thin plate.
pub(super) fn bullets(build: Build) -> Result<f64, String> {
    let mut scene = Scene::new("bullets", [0, 0]);
    scene.gravity = DVec3::ZERO;
    scene.fix(cuboid(0.0005, 20.0, 20.0), DVec3::ZERO);
    let first = scene.bodies.len();
    for index in 0..16 {
        scene.add(ShapeDesc::Sphere(0.025), DVec3::new(-20.0 - 0.37 * f64::from(index), f64::from(index) - 8.0, 0.0));
        scene.last().velocity = DVec3::X * 500.0;
        scene.last().fast = true;
    }
    let mut engine = build(&scene, 1)?;
    let motions = run(engine.as_mut(), 0.5, |_| {});
    Ok(motions[first..].iter().filter(|motion| !(motion.position.x < 0.1)).count() as f64)
}

/// How many of sixteen bullets get through thin plates that are free to move.
pub(super) fn bullets_free(build: Build) -> Result<f64, String> {
    passes(build, |scene, y| {
        scene.add(cuboid(0.0005, 0.4, 0.4), DVec3::Y * y);
        scene.last().mass = 2.0;
    })
}

/// How many of sixteen bullets pass another that comes towards them.
pub(super) fn bullets_head_on(build: Build) -> Result<f64, String> {
    passes(build, |scene, y| {
        scene.add(ShapeDesc::Sphere(0.025), DVec3::new(20.0, y, 0.0));
        (scene.last().velocity, scene.last().fast) = (DVec3::NEG_X * 500.0, true);
    })
}

/// Sixteen bullets, each against a target of its own: how many are beyond theirs after a tenth of a second.
fn passes(build: Build, mut target: impl FnMut(&mut Scene, f64)) -> Result<f64, String> {
    let mut scene = Scene::new("bullets", [0, 0]);
    scene.gravity = DVec3::ZERO;
    for index in 0..16 {
        let y = f64::from(index) - 8.0;
        target(&mut scene, y);
        scene.add(ShapeDesc::Sphere(0.025), DVec3::new(-20.0 - 0.37 * f64::from(index), y, 0.0));
        (scene.last().velocity, scene.last().fast) = (DVec3::X * 500.0, true);
    }
    let mut engine = build(&scene, 1)?;
    let motions = run(engine.as_mut(), 0.1, |_| {});
    let beyond = motions.chunks(2).filter(|pair| !(pair[1].position.x < pair[0].position.x));
    Ok(beyond.count() as f64)
}

pub(super) fn free_body(build: Build) -> Result<f64, String> {
    let mut scene = Scene::new("free_body", [0, 0]);
    scene.gravity = DVec3::ZERO;
    scene.add(cuboid(0.5, 0.3, 0.1), DVec3::ZERO);
    scene.last().angular_velocity = DVec3::new(0.05, 5.0, 0.05);
    let judge = Judge::new(&scene);
    let mut engine = build(&scene, 1)?;
    let mut motions = Vec::new();
    engine.read(&mut motions);
    let start = judge.look(&scene, &motions).energy;
    let end = judge.look(&scene, &run(engine.as_mut(), 60.0, |_| {})).energy;
    Ok(100.0 * (end / start - 1.0))
}

/// How far a block creeps down a slope on which friction holds it, in mm.
pub(super) fn creep(build: Build) -> Result<f64, String> {
    let (mut engine, block, down) = slope(build, (0.95 * 0.5_f64).atan(), 0.5)?;
    let mut motions = Vec::new();
    engine.read(&mut motions);
    let start = motions[block].position;
    let end = run(engine.as_mut(), 60.0, |_| {})[block].position;
    Ok(1e3 * (end - start).dot(down).abs())
}

/// The acceleration of a block that slides down a slope, over g (sin α − μ cos α).
pub(super) fn skid(build: Build) -> Result<f64, String> {
    let (angle, friction) = (30.0_f64.to_radians(), 0.3);
    let (mut engine, block, down) = slope(build, angle, friction)?;
    // The first contact may be a small blow: count from a tenth of a second on.
    let first = run(engine.as_mut(), 0.1, |_| {})[block].velocity.dot(down);
    let last = run(engine.as_mut(), 1.5, |_| {})[block].velocity.dot(down);
    Ok((last - first) / 1.5 / (9.81 * (angle.sin() - friction * angle.cos())))
}

/// A block on a slope: the engine, the number of the block, and which way is down.
fn slope(build: Build, angle: f64, friction: f64) -> Result<(Box<dyn Engine>, usize, DVec3), String> {
    let mut scene = Scene::new("slope", [0, 0]);
    let turn = DQuat::from_rotation_z(angle);
    scene.fix(cuboid(20.0, 1.0, 20.0), turn * DVec3::NEG_Y);
    (scene.last().rotation, scene.last().friction) = (turn, friction);
    let block = scene.add(cuboid(0.5, 0.25, 0.5), turn * DVec3::Y * 0.25);
    (scene.last().rotation, scene.last().friction) = (turn, friction);
    Ok((build(&scene, 1)?, block, turn * DVec3::NEG_X))
}

pub(super) fn cradle(build: Build) -> Result<f64, String> {
    let mut scene = Scene::new("cradle", [0, 0]);
    scene.gravity = DVec3::ZERO;
    for index in 0..5 {
        scene.add(ShapeDesc::Sphere(0.5), DVec3::X * if index == 0 { -1.0 } else { f64::from(index) });
        (scene.last().friction, scene.last().restitution) = (0.0, 1.0);
    }
    scene.bodies[0].velocity = DVec3::X * 2.0;
    let mut engine = build(&scene, 1)?;
    Ok(run(engine.as_mut(), 1.0, |_| {})[4].velocity.x / 2.0)
}

pub(super) fn bounce(build: Build) -> Result<f64, String> {
    let mut scene = Scene::new("bounce", [0, 0]);
    scene.floor(10.0);
    scene.last().restitution = 0.8;
    let ball = scene.add(ShapeDesc::Sphere(0.25), DVec3::Y * 1.25);
    (scene.last().restitution, scene.last().friction) = (0.8, 0.0);
    let mut engine = build(&scene, 1)?;
    let (mut peaks, mut before): (Vec<f64>, [f64; 2]) = (Vec::new(), [f64::MAX, f64::MAX]);
    run(engine.as_mut(), 4.0, |motions| {
        let height = motions[ball].position.y - 0.25;
        if before[1] > before[0] && before[1] >= height && before[1] > 1e-3 && before[0] < f64::MAX {
            peaks.push(before[1]);
        }
        before = [before[1], height];
    });
    let exact = 0.8_f64.powi(10);
    Ok(peaks.get(4).map_or(0.0, |peak| peak / exact))
}

pub(super) fn free_fall(build: Build) -> Result<f64, String> {
    let mut scene = Scene::new("free_fall", [0, 0]);
    scene.add(ShapeDesc::Sphere(0.5), DVec3::Y * 1000.0);
    let mut engine = build(&scene, 1)?;
    let motions: Vec<Motion> = run(engine.as_mut(), 10.0, |_| {});
    Ok(motions[0].position.y - (1000.0 - 0.5 * 9.81 * 100.0))
}
