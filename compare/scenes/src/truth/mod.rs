//! Small scenes with known answers: what engines make of them at their default settings.
//!
//! Every test is a number: what should be zero, four or one is said beside it. [`hanging`] is about joints, [`standing`] about stacks,
//! [`moving`] about single bodies.

mod hanging;
mod moving;
mod standing;

use crate::measure::Build;
use crate::scene::ShapeDesc;
use glam::DVec3;
use hanging::{gyroscope, stairs, stretch, swing};
use moving::{bounce, bullets, bullets_free, bullets_head_on, cradle, creep, free_body, free_fall, skid, slide};
use standing::{capstone, piston, tower};

/// A test: its name, what it measures, and what is exact.
pub struct Test {
    pub name: &'static str,
    pub what: &'static str,
    pub exact: f64,
    measure: fn(Build) -> Result<f64, String>,
}

const fn test(name: &'static str, what: &'static str, exact: f64, measure: fn(Build) -> Result<f64, String>) -> Test {
    Test { name, what, exact, measure }
}

/// All tests, in the order of the table.
pub const TESTS: [Test; 26] = [
    test("pendulum", "one-link pendulum, 60 s: change of energy / (m g L / 2)", 0.0, |b| swing(b, 1, 60.0)),
    test("chain", "five-link chain, 30 s: change of energy / range", 0.0, |b| swing(b, 5, 30.0)),
    test("stretch_100", "20 links of 1 kg and 100 kg, hanging: stretch in %", 0.0, |b| stretch(b, 100.0, 0.0)),
    test("stretch_1000", "the same and 1000 kg: stretch in %", 0.0, |b| stretch(b, 1000.0, 0.0)),
    test("swing_1000", "the same, swinging from 60°: stretch in %", 0.0, |b| stretch(b, 1000.0, 60.0)),
    test("stairs", "rag-doll falls down stairs: largest gap of a joint in mm", 0.0, stairs),
    test("gyroscope", "gyroscope at 40 rad/s, 10 s: precession / exact", 1.0, gyroscope),
    test("heavy_100", "5 boxes, the top one 100 × heavier, 10 s: sag in mm", 0.0, |b| tower(b, 5, 100.0, 10.0)),
    test("heavy_1000", "the same, 1000 × heavier: sag in mm", 0.0, |b| tower(b, 5, 1000.0, 10.0)),
    test("under_1000", "10 boxes of 1 kg under one of 1000 kg, 10 s: sag in mm", 0.0, |b| tower(b, 11, 1000.0, 10.0)),
    test("stack_20", "stack of 20 boxes, 60 s: sag in mm", 0.0, |b| tower(b, 20, 1.0, 60.0)),
    test("tower_40", "tower of 40 boxes, 20 s: sag in mm", 0.0, |b| tower(b, 40, 1.0, 20.0)),
    test("capstone", "pyramid of 210 boxes, the capstone 500 × heavier, 10 s: sag in mm", 0.0, capstone),
    test("piston", "1000 kg on 300 boxes of 1 kg between walls, 10 s: largest overlap in mm", 0.0, piston),
    test("mesh_slide", "frictionless box, 4 m/s, triangulated floor, yawed: speed after 2 s", 4.0, |b| {
        slide(b, true, 0.6)
    }),
    test("tiles_aligned", "the same over flush boxes, aligned: speed", 4.0, |b| slide(b, false, 0.0)),
    test("tiles_yawed", "the same over flush boxes, yawed: speed", 4.0, |b| slide(b, false, 0.6)),
    test("bullet", "5 cm ball at 500 m/s, fixed 1 mm plate: passes of 16", 0.0, bullets),
    test("bullet_free", "the same, a free plate of 2 kg: passes of 16", 0.0, bullets_free),
    test("bullet_head_on", "two such balls head-on: passes of 16", 0.0, bullets_head_on),
    test("free_body", "free asymmetric body, 60 s: change of energy in %", 0.0, free_body),
    test("creep", "block at 95 % of the friction angle, 60 s: creep in mm", 0.0, creep),
    test("skid", "block that slides down 30° with friction 0.3: acceleration / exact", 1.0, skid),
    test("cradle", "five touching balls, e = 1: speed of the last / that of the first", 1.0, cradle),
    test("bounce", "e = 0.8 from 1 m: fifth peak / exact", 1.0, bounce),
    test("free_fall", "free fall, 10 s: error in m", 0.0, free_fall),
];

/// Runs a test with an engine. What falls over, flies away or is not a number counts as infinite.
pub fn measure(name: &str, build: Build) -> Result<f64, String> {
    let test = TESTS.iter().find(|test| test.name == name).ok_or_else(|| format!("there is no test {name}"))?;
    (test.measure)(build)
}

fn cuboid(x: f64, y: f64, z: f64) -> ShapeDesc {
    ShapeDesc::Cuboid(DVec3::new(x, y, z))
}
