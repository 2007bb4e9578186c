//! What stands: towers, heavy on light, a piston.

use super::cuboid;
use crate::judge::Judge;
use crate::measure::{Build, run};
use crate::scene::Scene;
use glam::DVec3;

/// How far the top of a tower sinks, in mm; infinite if it falls.
pub(super) fn tower(build: Build, boxes: usize, top: f64, seconds: f64) -> Result<f64, String> {
    let mut scene = Scene::new("tower", [0, 0]);
    scene.floor(50.0);
    for index in 0..boxes {
        scene.add(cuboid(0.5, 0.5, 0.5), DVec3::Y * (index as f64 + 0.5));
        scene.last().mass = if index + 1 == boxes { top } else { 1.0 };
    }
    let mut engine = build(&scene, 1)?;
    let motions = run(engine.as_mut(), seconds, |_| {});
    Ok(sag(boxes as f64 - 0.5, motions[boxes].position.y))
}

/// How far something sank, in mm; infinite if it fell by more than half a box.
fn sag(from: f64, to: f64) -> f64 {
    let sag = from - to;
    if sag.abs() < 0.5 { 1e3 * sag } else { f64::INFINITY }
}

/// How far the top of a pyramid of cubes sinks that is 500 times as heavy as the others.
pub(super) fn capstone(build: Build) -> Result<f64, String> {
    let mut scene = Scene::new("capstone", [0, 0]);
    scene.floor(50.0);
    let base = 20_u32;
    for row in 0..base {
        for index in 0..base - row {
            let x = f64::from(index) - 0.5 * f64::from(base - row - 1);
            scene.add(cuboid(0.5, 0.5, 0.5), DVec3::new(x, 0.5 + f64::from(row), 0.0));
            scene.last().mass = if row + 1 == base { 500.0 } else { 1.0 };
        }
    }
    let top = scene.bodies.len() - 1;
    let mut engine = build(&scene, 1)?;
    Ok(sag(f64::from(base) - 0.5, run(engine.as_mut(), 10.0, |_| {})[top].position.y))
}

/// How deep anything overlaps under a piston of 1000 kg on 300 cubes of 1 kg in a box.
pub(super) fn piston(build: Build) -> Result<f64, String> {
    let mut scene = Scene::new("piston", [0, 0]);
    scene.floor(50.0);
    let (side, width) = (10, 10.0 * 0.51);
    for (x, z) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let place = DVec3::new(x, 0.0, z) * (0.5 * width + 1.0) + DVec3::Y * 3.0;
        scene.fix(cuboid(1.0 + z.abs() * width, 3.0, 1.0 + x.abs() * width), place);
    }
    for index in 0..3 * side * side {
        let [x, z] = [index % side, index / side % side].map(|i| (f64::from(i) + 0.5) * 0.51 - 0.5 * width);
        scene.add(cuboid(0.25, 0.25, 0.25), DVec3::new(x, 0.255 + 0.51 * f64::from(index / (side * side)), z));
        scene.last().mass = 1.0;
    }
    scene.add(cuboid(0.49 * width, 0.25, 0.49 * width), DVec3::Y * 1.8);
    scene.last().mass = 1000.0;
    let judge = Judge::new(&scene);
    let mut engine = build(&scene, 1)?;
    let end = judge.look(&scene, &run(engine.as_mut(), 10.0, |_| {}));
    Ok(if end.lost == 0 { 1e3 * end.overlap_max } else { f64::INFINITY })
}
