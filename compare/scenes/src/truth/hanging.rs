//! What hangs on joints: pendulums, chains, a figure, a gyroscope.

use super::cuboid;
use crate::judge::Judge;
use crate::measure::{Build, run};
use crate::piles::figure;
use crate::scene::{Scene, ShapeDesc};
use glam::{DQuat, DVec3};

/// Links of one metre that collide with nothing, held out level at the start.
pub(super) fn swing(build: Build, links: usize, seconds: f64) -> Result<f64, String> {
    let mut scene = Scene::new("swing", [0, 0]);
    let length = 1.0;
    for link in 0..links {
        let number = scene.add(cuboid(0.5 * length, 0.05, 0.05), DVec3::X * (link as f64 + 0.5) * length);
        (scene.last().mass, scene.last().ghost) = (1.0, true);
        let before = if link == 0 { None } else { Some(number - 1) };
        scene.join(before, number, DVec3::X * link as f64 * length);
    }
    let judge = Judge::new(&scene);
    let mut engine = build(&scene, 1)?;
    let mut motions = Vec::new();
    engine.read(&mut motions);
    let start = judge.look(&scene, &motions).energy;
    let end = judge.look(&scene, &run(engine.as_mut(), seconds, |_| {})).energy;
    // From level to hanging: each link falls by where its middle is.
    let range: f64 = (0..links).map(|link| 9.81 * (link as f64 + 0.5) * length).sum();
    Ok((end - start) / range)
}

/// By how many per cent a chain of links of 0.2 m with a weight at its end gets longer, at the worst moment of five seconds. It starts
/// straight, so many degrees from hanging. All gaps between links count as length.
pub(super) fn stretch(build: Build, weight: f64, degrees: f64) -> Result<f64, String> {
    let mut scene = Scene::new("stretch", [0, 0]);
    let (links, length) = (20, 0.2);
    let turn = DQuat::from_rotation_z(degrees.to_radians());
    let down = turn * DVec3::NEG_Y;
    for link in 0..links {
        let number = scene.add(cuboid(0.03, 0.5 * length, 0.03), down * (link as f64 + 0.5) * length);
        (scene.last().mass, scene.last().ghost, scene.last().rotation) = (1.0, true, turn);
        let before = if link == 0 { None } else { Some(number - 1) };
        scene.join(before, number, down * link as f64 * length);
    }
    let end = down * links as f64 * length;
    let ball = scene.add(ShapeDesc::Sphere(0.3), end + down * 0.3);
    (scene.last().mass, scene.last().ghost) = (weight, true);
    scene.join(Some(ball - 1), ball, end);
    let judge = Judge::new(&scene);
    let mut engine = build(&scene, 1)?;
    let mut widest = 0.0_f64;
    run(engine.as_mut(), 5.0, |motions| {
        widest = widest.max(judge.look(&scene, motions).joint_mean * scene.joints.len() as f64);
    });
    Ok(100.0 * widest / (links as f64 * length))
}

/// The widest gap of a joint, in mm, while a figure falls down stairs.
pub(super) fn stairs(build: Build) -> Result<f64, String> {
    let mut scene = Scene::new("stairs", [0, 0]);
    scene.floor(50.0);
    for step in 0..10 {
        let height = 0.1 * f64::from(10 - step);
        scene.fix(cuboid(0.15, height, 1.5), DVec3::new(0.3 * f64::from(step), height, 0.0));
    }
    figure(&mut scene, DVec3::new(0.3, 3.4, 0.0));
    scene.bodies.iter_mut().filter(|body| body.mass > 0.0).for_each(|body| body.velocity = DVec3::X * 1.5);
    let judge = Judge::new(&scene);
    let mut engine = build(&scene, 1)?;
    let mut widest = 0.0_f64;
    run(engine.as_mut(), 5.0, |motions| widest = widest.max(judge.look(&scene, motions).joint_max));
    Ok(1e3 * widest)
}

/// A square plate that spins about its axis, held at a point of the axis beside it: with the axis level it goes round at
/// Ω = m g r / (I ω), steadily if it starts so.
pub(super) fn gyroscope(build: Build) -> Result<f64, String> {
    let mut scene = Scene::new("gyroscope", [0, 0]);
    let (reach, spin) = (0.2, 40.0);
    let plate = scene.add(cuboid(0.05, 0.5, 0.5), DVec3::X * reach);
    // About its axis a square plate of side 1 m has I = m / 6.
    let precession = 9.81 * reach / (spin / 6.0);
    scene.last().angular_velocity = DVec3::new(spin, precession, 0.0);
    scene.last().velocity = DVec3::NEG_Z * precession * reach;
    scene.join(None, plate, DVec3::ZERO);
    let mut engine = build(&scene, 1)?;
    let (mut angle, mut before) = (0.0, DVec3::X);
    run(engine.as_mut(), 10.0, |motions| {
        let now = motions[plate].position;
        angle += before.cross(now).y.atan2(before.dot(now) - before.y * now.y);
        before = now;
    });
    Ok(angle / (10.0 * precession))
}
