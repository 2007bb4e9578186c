//! Small scenes with known answers: what engines make of them at their default settings.

use crate::judge::Judge;
use crate::measure::{Build, Motion, run};
use crate::scene::{Kind, Scene, ShapeDesc};
use glam::{DQuat, DVec3};
use std::sync::Arc;

/// A test: its name, what it measures, and what is exact.
pub struct Test {
    pub name: &'static str,
    pub what: &'static str,
    pub exact: f64,
    measure: fn(Build) -> Result<f64, String>,
}

/// All tests, in the order of the table.
pub const TESTS: [Test; 17] = [
    Test {
        name: "pendulum",
        what: "one-link pendulum, 60 s: change of energy / (m g L / 2)",
        exact: 0.0,
        measure: |b| swing(b, 1, 60.0),
    },
    Test {
        name: "chain",
        what: "five-link chain, 30 s: change of energy / range",
        exact: 0.0,
        measure: |b| swing(b, 5, 30.0),
    },
    Test {
        name: "stretch_100",
        what: "20 links of 1 kg and 100 kg, hanging: stretch in %",
        exact: 0.0,
        measure: |b| stretch(b, 100.0),
    },
    Test {
        name: "stretch_1000",
        what: "the same and 1000 kg: stretch in %",
        exact: 0.0,
        measure: |b| stretch(b, 1000.0),
    },
    Test {
        name: "heavy_100",
        what: "5 boxes, the top one 100 × heavier, 10 s: sag in mm",
        exact: 0.0,
        measure: |b| tower(b, 5, 100.0, 10.0),
    },
    Test {
        name: "heavy_1000",
        what: "the same, 1000 × heavier: sag in mm",
        exact: 0.0,
        measure: |b| tower(b, 5, 1000.0, 10.0),
    },
    Test {
        name: "stack_20",
        what: "stack of 20 boxes, 60 s: sag in mm",
        exact: 0.0,
        measure: |b| tower(b, 20, 1.0, 60.0),
    },
    Test {
        name: "tower_40",
        what: "tower of 40 boxes, 20 s: sag in mm",
        exact: 0.0,
        measure: |b| tower(b, 40, 1.0, 20.0),
    },
    Test {
        name: "mesh_slide",
        what: "frictionless box, 4 m/s, triangulated floor, yawed: speed after 2 s",
        exact: 4.0,
        measure: |b| slide(b, true, 0.6),
    },
    Test {
        name: "tiles_aligned",
        what: "the same over flush boxes, aligned: speed",
        exact: 4.0,
        measure: |b| slide(b, false, 0.0),
    },
    Test {
        name: "tiles_yawed",
        what: "the same over flush boxes, yawed: speed",
        exact: 4.0,
        measure: |b| slide(b, false, 0.6),
    },
    Test {
        name: "bullet",
        what: "5 cm ball at 500 m/s, fixed 1 mm plate: passes of 16",
        exact: 0.0,
        measure: |b| bullets(b),
    },
    Test {
        name: "free_body",
        what: "free asymmetric body, 60 s: change of energy in %",
        exact: 0.0,
        measure: free_body,
    },
    Test { name: "creep", what: "block at 95 % of the friction angle, 60 s: creep in mm", exact: 0.0, measure: creep },
    Test {
        name: "cradle",
        what: "five touching balls, e = 1: speed of the last / that of the first",
        exact: 1.0,
        measure: cradle,
    },
    Test { name: "bounce", what: "e = 0.8 from 1 m: fifth peak / exact", exact: 1.0, measure: bounce },
    Test { name: "free_fall", what: "free fall, 10 s: error in m", exact: 0.0, measure: free_fall },
];

/// Runs a test with an engine. What falls over, flies away or is not a number counts as infinite.
pub fn measure(name: &str, build: Build) -> Result<f64, String> {
    let test = TESTS.iter().find(|test| test.name == name).ok_or_else(|| format!("there is no test {name}"))?;
    (test.measure)(build)
}

fn cuboid(x: f64, y: f64, z: f64) -> ShapeDesc {
    ShapeDesc::Cuboid(DVec3::new(x, y, z))
}

/// Links of half a metre, held out level at the start.
fn swing(build: Build, links: usize, seconds: f64) -> Result<f64, String> {
    let mut scene = Scene::new("swing", [0, 0]);
    let length = 1.0;
    for link in 0..links {
        let number = scene.add(cuboid(0.5 * length, 0.05, 0.05), DVec3::X * (link as f64 + 0.5) * length);
        scene.last().mass = 1.0;
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

/// A chain that hangs with a weight at its end.
fn stretch(build: Build, weight: f64) -> Result<f64, String> {
    let mut scene = Scene::new("stretch", [0, 0]);
    let links = 20;
    for link in 0..links {
        let number = scene.add(cuboid(0.05, 0.25, 0.05), DVec3::NEG_Y * (link as f64 + 0.5) * 0.5);
        scene.last().mass = 1.0;
        scene.join(if link == 0 { None } else { Some(number - 1) }, number, DVec3::NEG_Y * link as f64 * 0.5);
    }
    let end = DVec3::NEG_Y * links as f64 * 0.5;
    let ball = scene.add(ShapeDesc::Sphere(0.3), end + DVec3::NEG_Y * 0.3);
    scene.last().mass = weight;
    scene.join(Some(ball - 1), ball, end);
    let mut engine = build(&scene, 1)?;
    let mut longest = 0.0_f64;
    run(engine.as_mut(), 5.0, |motions| {
        let length = (motions[ball].pose().point(DVec3::Y * 0.3)).length();
        longest = longest.max(if length.is_finite() { length } else { f64::INFINITY });
    });
    Ok(100.0 * (longest / (links as f64 * 0.5) - 1.0))
}

/// How far the top of a tower sinks, in mm; infinite if it falls.
fn tower(build: Build, boxes: usize, top: f64, seconds: f64) -> Result<f64, String> {
    let mut scene = Scene::new("tower", [0, 0]);
    scene.floor(50.0);
    for index in 0..boxes {
        scene.add(cuboid(0.5, 0.5, 0.5), DVec3::Y * (index as f64 + 0.5));
        scene.last().mass = if index + 1 == boxes { top } else { 1.0 };
    }
    let mut engine = build(&scene, 1)?;
    let motions = run(engine.as_mut(), seconds, |_| {});
    let sag = boxes as f64 - 0.5 - motions[boxes].position.y;
    Ok(if sag.is_finite() && sag < 0.5 * boxes.min(2) as f64 { 1e3 * sag } else { f64::INFINITY })
}

/// The speed of a box that slides without friction over a floor of many pieces.
fn slide(build: Build, mesh: bool, yaw: f64) -> Result<f64, String> {
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
fn bullets(build: Build) -> Result<f64, String> {
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

fn free_body(build: Build) -> Result<f64, String> {
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

fn creep(build: Build) -> Result<f64, String> {
    let mut scene = Scene::new("creep", [0, 0]);
    let angle = (0.95 * 0.5_f64).atan();
    let turn = DQuat::from_xyzw(0.0, 0.0, (0.5 * angle).sin(), (0.5 * angle).cos());
    scene.fix(cuboid(20.0, 1.0, 20.0), turn * DVec3::NEG_Y);
    scene.last().rotation = turn;
    let block = scene.add(cuboid(0.5, 0.25, 0.5), turn * DVec3::Y * 0.25);
    scene.last().rotation = turn;
    let mut engine = build(&scene, 1)?;
    let settled = run(engine.as_mut(), 1.0, |_| {})[block].position;
    let end = run(engine.as_mut(), 59.0, |_| {})[block].position;
    Ok(1e3 * (end - settled).length())
}

fn cradle(build: Build) -> Result<f64, String> {
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

fn bounce(build: Build) -> Result<f64, String> {
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

fn free_fall(build: Build) -> Result<f64, String> {
    let mut scene = Scene::new("free_fall", [0, 0]);
    scene.add(ShapeDesc::Sphere(0.5), DVec3::Y * 1000.0);
    debug_assert!(scene.bodies[0].kind == Kind::Dynamic);
    let mut engine = build(&scene, 1)?;
    let motions: Vec<Motion> = run(engine.as_mut(), 10.0, |_| {});
    Ok(motions[0].position.y - (1000.0 - 0.5 * 9.81 * 100.0))
}
