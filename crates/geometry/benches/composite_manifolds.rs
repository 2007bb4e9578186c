//! What contact manifolds of meshes, height fields and compounds cost: found anew, of a body that slides and of one that rests.
//! The prediction differs from call to call, as it does in a simulation.
//!
//! `cargo bench -p tumble-geometry --bench composite_manifolds`
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program that prints a table of valid shapes")]

use std::hint::black_box;
use std::time::Instant;
use tumble_geometry::glam::DVec3;
use tumble_geometry::math::rotation_about;
use tumble_geometry::query::{ManifoldOptions, PairCache, contact_manifolds};
use tumble_geometry::{Shape, Transform};

const CALLS: u32 = 4000;

fn at(x: f64, y: f64, z: f64) -> Transform {
    Transform::from_translation(DVec3::new(x, y, z))
}

/// A sheet of 60 × 60 squares of 10 cm, as a mesh.
fn sheet() -> Shape {
    let side = 61_u32;
    let place = |i: u32| 0.1 * (f64::from(i) - 30.0);
    let corners = (0..side * side).map(|i| DVec3::new(place(i % side), 0.0, place(i / side))).collect();
    let cell = |i: u32| {
        let corner = i / (side - 1) * side + i % (side - 1);
        [[corner, corner + side, corner + 1], [corner + 1, corner + side, corner + side + 1]]
    };
    Shape::mesh(corners, (0..(side - 1) * (side - 1)).flat_map(cell).collect()).unwrap()
}

/// A table: a top and four legs.
fn table() -> Shape {
    let leg = Shape::cuboid([0.04, 0.35, 0.04]).unwrap();
    let mut parts = vec![(at(0.0, 0.05, 0.0), Shape::cuboid([0.6, 0.03, 0.4]).unwrap())];
    parts.extend([(-0.5, -0.3), (-0.5, 0.3), (0.5, -0.3), (0.5, 0.3)].map(|(x, z)| (at(x, -0.33, z), leg.clone())));
    Shape::compound(parts).unwrap()
}

/// Nanoseconds for a call; the body moves by `step` (in metres) from one to the next.
fn measure(a: &Shape, b: &Shape, height: f64, step: f64, remember: bool) -> f64 {
    let mut random = fastrand::Rng::with_seed(3);
    let mut cache = PairCache::default();
    let mut manifolds = Vec::new();
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        for i in 0..CALLS {
            let x = -0.5 + if step > 1e-5 { step * f64::from(i % 500) } else { step * random.f64() };
            let pose = Transform::new(rotation_about(DVec3::Y, 0.3), DVec3::new(x, height, 0.01));
            let options = ManifoldOptions { prediction: 1e-3 + 2e-4 * random.f64(), ..ManifoldOptions::default() };
            if !remember {
                cache = PairCache::default();
            }
            manifolds.clear();
            contact_manifolds(a, b, &pose, &options, &mut cache, &mut manifolds);
            black_box(&manifolds);
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS));
    }
    best
}

fn main() {
    let sheet = sheet();
    let field = Shape::height_field(61, 61, vec![0.0; 61 * 61], [0.1, 0.1]).unwrap();
    let cuboid = Shape::cuboid([0.5, 0.25, 0.4]).unwrap();
    let ball = Shape::sphere(0.25).unwrap();
    let can = Shape::cylinder(0.25, 0.3).unwrap();
    let slab = Shape::cuboid([3.0, 0.5, 3.0]).unwrap();
    println!("| case | new, ns | sliding, ns | resting, ns |");
    println!("|---|---:|---:|---:|");
    for (name, a, b, height) in [
        ("box on mesh", &sheet, &cuboid, 0.2499),
        ("box on height field", &field, &cuboid, 0.2499),
        ("ball on mesh", &sheet, &ball, 0.2499),
        ("cylinder on mesh", &sheet, &can, 0.2499),
        ("table on box", &slab, &table(), 1.1799),
        ("table on mesh", &sheet, &table(), 0.6799),
        ("table on table", &table(), &table(), 0.7599),
    ] {
        let new = measure(a, b, height, 1e-6, false);
        let sliding = measure(a, b, height, 2e-3, true);
        let resting = measure(a, b, height, 1e-6, true);
        println!("| {name} | {new:.0} | {sliding:.0} | {resting:.0} |");
    }
}
