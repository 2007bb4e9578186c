//! Balls and convex parts in place of a mesh: how much of it they cover and how far they go beyond.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod solids;

use solids::Solid;
use tumble_geometry::approximate::{
    DecompositionOptions, PackingOptions, SpherePacking, convex_decomposition, sphere_packing,
};
use tumble_geometry::glam::{DVec3, dvec3};
use tumble_geometry::math;
use tumble_geometry::shape::{Hull, Mesh};

fn pack(solid: &Solid, max_count: usize, tolerance: f64) -> SpherePacking {
    let packing =
        sphere_packing(&solid.mesh(), &PackingOptions { max_count, tolerance, ..PackingOptions::default() }).unwrap();
    assert!(packing.spheres.len() <= max_count);
    assert!(packing.protrusion <= tolerance);
    packing
}

/// The fraction of random points of the solid that lie in a ball, and how far outside of the solid random points on the
/// balls lie at most: both measured in another way than the packing does.
fn measured(mesh: &Mesh, spheres: &[(DVec3, f64)]) -> (f64, f64) {
    let mut random = fastrand::Rng::with_seed(7);
    let bounds = mesh.aabb();
    let (mut inside, mut covered) = (0, 0);
    while inside < 20_000 {
        let point = bounds.min + bounds.extents() * dvec3(random.f64(), random.f64(), random.f64());
        if mesh.contains_point(point) {
            inside += 1;
            covered += usize::from(spheres.iter().any(|&(center, radius)| center.distance(point) <= radius));
        }
    }
    let mut protrusion = 0.0_f64;
    for &(center, radius) in spheres {
        for _ in 0..300 {
            let direction = dvec3(random.f64() - 0.5, random.f64() - 0.5, random.f64() - 0.5).normalize();
            let distance = mesh.closest_point(center + radius * direction).unwrap().distance;
            protrusion = protrusion.max(distance);
        }
    }
    (covered as f64 / 20_000.0, protrusion)
}

#[test]
fn packed_balls_cover_the_solid_and_stay_inside_the_tolerance() {
    let cube = solids::cuboid(DVec3::splat(-1.0), DVec3::ONE);
    let torus = solids::torus(1.0, 0.25, 48, 24);
    let cases = [
        ("box, inside", &cube, 100, 0.0, 0.80),
        ("box", &cube, 100, 0.1, 0.97),
        ("torus, inside", &torus, 48, 0.0, 0.88),
        ("torus", &torus, 32, 0.02, 0.93),
        ("L", &solids::l_shape(), 100, 0.05, 0.95),
        ("dumbbell", &solids::dumbbell(), 12, 0.03, 0.97),
    ];
    for (name, solid, count, tolerance, least) in cases {
        let packing = pack(solid, count, tolerance);
        let mesh = solid.mesh();
        let (coverage, protrusion) = measured(&mesh, &packing.spheres);
        println!(
            "{name}: {} balls cover {:.4} and protrude {:.4}",
            packing.spheres.len(),
            packing.coverage,
            packing.protrusion
        );
        assert!(packing.coverage >= least, "{name}: coverage {}", packing.coverage);
        assert!((packing.coverage - coverage).abs() < 0.015, "{name}: {} but {coverage}", packing.coverage);
        assert!(protrusion <= packing.protrusion + 1e-12, "{name}: {protrusion}");
        assert_eq!(packing, pack(solid, count, tolerance), "{name}: not reproducible");
    }
}

#[test]
fn the_first_balls_are_the_large_ones() {
    // A ball is one ball; a dumbbell begins with its two ends.
    let ball = pack(&solids::uv_sphere(32, 64), 5, 0.01);
    assert!(ball.spheres[0].0.length() < 0.01 && (ball.spheres[0].1 - 1.0).abs() < 0.011);
    let dumbbell = pack(&solids::dumbbell(), 2, 0.0);
    for (center, radius) in dumbbell.spheres {
        assert!((center.z.abs() - 1.5).abs() < 0.05 && radius > 0.95);
    }
}

#[test]
fn more_balls_cover_more() {
    let l = solids::l_shape();
    let coverage = |count| pack(&l, count, 0.02).coverage;
    let coverages = [1, 4, 16, 64].map(coverage);
    assert!(coverages.windows(2).all(|pair| pair[0] < pair[1]), "{coverages:?}");
    let shape = pack(&l, 16, 0.02).to_shape().unwrap();
    assert!(shape.mass_properties(1.0).is_ok());
}

#[test]
fn packing_stops_when_enough_is_covered() {
    let options = PackingOptions { coverage: 0.5, tolerance: 0.05, ..PackingOptions::default() };
    let packing = sphere_packing(&solids::cuboid(DVec3::ZERO, DVec3::ONE).mesh(), &options).unwrap();
    assert_eq!(packing.spheres.len(), 1);
    assert!(packing.coverage > 0.5);
}

/// Whether random points of the solid lie in some hull.
fn assert_contained(mesh: &Mesh, hulls: &[&Hull]) {
    let mut random = fastrand::Rng::with_seed(8);
    let bounds = mesh.aabb();
    let slack = 1e-9 * bounds.extents().length();
    let within =
        |hull: &Hull, point: DVec3| hull.face_planes().iter().all(|plane| plane.signed_distance(point) <= slack);
    let mut points = mesh.vertices().to_vec();
    while points.len() < mesh.vertices().len() + 10_000 {
        let point = bounds.min + bounds.extents() * dvec3(random.f64(), random.f64(), random.f64());
        if mesh.contains_point(point) {
            points.push(point);
        }
    }
    for point in points {
        assert!(hulls.iter().any(|hull| within(hull, point)), "{point} is in no hull");
    }
}

fn decompose(name: &str, solid: &Solid, max_parts: usize, tolerance: f64) -> (usize, f64) {
    let mesh = solid.mesh();
    let options = DecompositionOptions { max_parts, tolerance };
    let decomposition = convex_decomposition(&mesh, &options).unwrap();
    let hulls: Vec<_> = decomposition.parts.iter().map(|part| &part.hull).collect();
    assert_contained(&mesh, &hulls);
    let volume: f64 = decomposition.parts.iter().map(|part| part.volume).sum();
    assert!((volume / mesh.signed_volume() - 1.0).abs() < 1e-9, "{name}: the pieces do not add up");
    assert!(decomposition.parts.len() <= max_parts);
    assert_eq!(decomposition, convex_decomposition(&mesh, &options).unwrap(), "{name}: not reproducible");
    println!("{name}: {} parts, volume ratio {:.4}", hulls.len(), decomposition.volume_ratio());
    (hulls.len(), decomposition.volume_ratio())
}

#[test]
fn an_l_is_two_boxes_wherever_it_stands() {
    let mut random = fastrand::Rng::with_seed(9);
    for case in 0..20 {
        let rotation = math::rotation_from_vector(case as f64 * dvec3(random.f64(), random.f64(), random.f64()));
        let solid = solids::l_shape().map(|v| rotation * v + 3.0 * DVec3::X);
        let decomposition = convex_decomposition(&solid.mesh(), &DecompositionOptions::default()).unwrap();
        assert_eq!(decomposition.parts.len(), 2);
        let mut volumes: Vec<_> = decomposition.parts.iter().map(|part| part.hull.volume()).collect();
        volumes.sort_by(f64::total_cmp);
        assert!((volumes[0] - 1.0).abs() < 1e-12 && (volumes[1] - 2.0).abs() < 1e-12, "{volumes:?}");
        assert!((decomposition.volume_ratio() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn convex_solids_stay_whole() {
    for (name, solid) in [
        ("ball", solids::uv_sphere(16, 32)),
        ("box", solids::cuboid(DVec3::ZERO, dvec3(1.0, 2.0, 3.0))),
        ("prism", solids::regular_prism(32, 0.5, 2.0)),
    ] {
        let (parts, ratio) = decompose(name, &solid, 8, 0.0);
        assert!(parts == 1 && (ratio - 1.0).abs() < 1e-12, "{name}: {parts} parts, {ratio}");
    }
}

#[test]
fn a_torus_becomes_a_ring_of_parts() {
    let torus = solids::torus(1.0, 0.25, 32, 16);
    let (parts, ratio) = decompose("torus", &torus, 32, 0.01);
    assert!((6..=32).contains(&parts) && ratio < 1.15, "{parts} parts, {ratio}");
    let (parts, ratio) = decompose("torus in eight", &torus, 8, 0.01);
    assert!((6..=8).contains(&parts) && ratio < 1.35, "{parts} parts, {ratio}");
    let (parts, _) = decompose("torus in one", &torus, 1, 0.01);
    assert_eq!(parts, 1);
}

#[test]
fn dumbbells_crosses_and_separate_bodies_come_apart() {
    let (parts, ratio) = decompose("dumbbell", &solids::dumbbell(), 16, 0.01);
    assert!((2..=6).contains(&parts) && ratio < 1.05, "{parts} parts, {ratio}");
    // A plus sign in the plane: three boxes.
    let arms = [
        (1.0, 0.0),
        (2.0, 0.0),
        (2.0, 1.0),
        (3.0, 1.0),
        (3.0, 2.0),
        (2.0, 2.0),
        (2.0, 3.0),
        (1.0, 3.0),
        (1.0, 2.0),
        (0.0, 2.0),
        (0.0, 1.0),
        (1.0, 1.0),
    ];
    let triangulation = [
        [0, 1, 2],
        [0, 2, 11],
        [2, 3, 4],
        [2, 4, 5],
        [5, 6, 7],
        [5, 7, 8],
        [8, 9, 10],
        [8, 10, 11],
        [2, 5, 8],
        [2, 8, 11],
    ];
    let (parts, ratio) = decompose("cross", &solids::prism(&arms, &triangulation, 0.0, 1.0), 16, 0.01);
    assert!(parts == 3 && (ratio - 1.0).abs() < 1e-9, "{parts} parts, {ratio}");
    // Two boxes apart, one of them hollow.
    let cube = |half: f64| solids::cuboid(DVec3::splat(-half), DVec3::splat(half));
    let pair = cube(1.0).with(&cube(1.0).map(|v| v + 5.0 * DVec3::X));
    let (parts, ratio) = decompose("two boxes", &pair, 16, 0.01);
    assert!(parts == 2 && (ratio - 1.0).abs() < 1e-9);
    let hollow = cube(1.0).with(&cube(0.9).inside_out());
    let (parts, ratio) = decompose("hollow box", &hollow, 16, 0.01);
    assert!((4..=8).contains(&parts) && ratio < 1.1, "{parts} parts, {ratio}");
}

#[test]
fn meshes_that_are_not_solid_are_refused() {
    let cube = solids::cuboid(DVec3::ZERO, DVec3::ONE);
    let mut open = cube.clone();
    open.triangles.pop();
    for (solid, word) in [(open, "not closed"), (cube.inside_out(), "inside out")] {
        let mesh = solid.mesh();
        let packing = sphere_packing(&mesh, &PackingOptions::default()).unwrap_err().to_string();
        let parts = convex_decomposition(&mesh, &DecompositionOptions::default()).unwrap_err().to_string();
        assert!(packing.contains(word) && parts.contains(word), "{packing} {parts}");
    }
    let mesh = cube.mesh();
    let default = PackingOptions::default();
    for options in [
        PackingOptions { max_count: 0, ..default },
        PackingOptions { tolerance: -1.0, ..default },
        PackingOptions { tolerance: f64::NAN, ..default },
        PackingOptions { coverage: 2.0, ..default },
        PackingOptions { resolution: 0, ..default },
        PackingOptions { resolution: 1 << 40, ..default },
    ] {
        assert!(sphere_packing(&mesh, &options).is_err());
    }
    for options in [
        DecompositionOptions { max_parts: 0, tolerance: 0.1 },
        DecompositionOptions { max_parts: usize::MAX, tolerance: 0.1 },
        DecompositionOptions { max_parts: 1, tolerance: f64::NAN },
    ] {
        assert!(convex_decomposition(&mesh, &options).is_err());
    }
}

#[test]
fn extreme_sizes_are_handled() {
    for (scale, offset) in [(1e-6, 0.0), (1e6, 0.0), (1.0, 1e6)] {
        let solid = solids::l_shape().map(|v| v * scale + offset);
        let packing = pack(&solid, 8, 0.01 * scale);
        assert!(packing.coverage > 0.5);
        let (parts, ratio) = decompose("scaled L", &solid, 8, 0.01);
        assert!(parts == 2 && (ratio - 1.0).abs() < 1e-6);
    }
}
