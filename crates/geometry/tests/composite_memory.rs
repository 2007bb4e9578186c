//! What pairs with meshes, height fields and compounds remember: answers with a memory are those without, and contacts keep
//! their names from call to call.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

use glam::{DVec3, dvec3};
use tumble_geometry::math::{rotation_about, rotation_from_vector};
use tumble_geometry::query::{Feature, FeatureId, Manifold, ManifoldOptions, PairCache, contact_manifolds};
use tumble_geometry::{Shape, Transform, glam};

fn find(a: &Shape, b: &Shape, pose: &Transform, options: &ManifoldOptions, cache: &mut PairCache) -> Vec<Manifold> {
    let mut manifolds = Vec::new();
    contact_manifolds(a, b, pose, options, cache, &mut manifolds);
    manifolds
}

/// A sheet of `cells` × `cells` squares of 10 cm with the given heights.
fn sheet(cells: u32, height: impl Fn(f64, f64) -> f64) -> Shape {
    let side = cells + 1;
    let place = |i: u32| 0.1 * (f64::from(i) - 0.5 * f64::from(cells));
    let corner = |i: u32| {
        let (x, z) = (place(i % side), place(i / side));
        dvec3(x, height(x, z), z)
    };
    let cell = |i: u32| {
        let corner = i / cells * side + i % cells;
        [[corner, corner + side, corner + 1], [corner + 1, corner + side, corner + side + 1]]
    };
    Shape::mesh((0..side * side).map(corner).collect(), (0..cells * cells).flat_map(cell).collect()).unwrap()
}

fn field(points: usize, height: impl Fn(f64, f64) -> f64) -> Shape {
    let place = |i: usize| 0.1 * (i as f64 - 0.5 * (points - 1) as f64);
    let heights = (0..points * points).map(|i| height(place(i % points), place(i / points))).collect();
    Shape::height_field(points, points, heights, [0.1, 0.1]).unwrap()
}

/// A top and four legs; the feet are 0.68 m below the origin.
fn table() -> Shape {
    let place = |x: f64, y: f64, z: f64| Transform::from_translation(dvec3(x, y, z));
    let leg = Shape::cuboid([0.04, 0.35, 0.04]).unwrap();
    let mut parts = vec![(place(0.0, 0.05, 0.0), Shape::cuboid([0.6, 0.03, 0.4]).unwrap())];
    parts.extend([(-0.5, -0.3), (-0.5, 0.3), (0.5, -0.3), (0.5, 0.3)].map(|(x, z)| (place(x, -0.33, z), leg.clone())));
    Shape::compound(parts).unwrap()
}

/// Which contacts there are.
fn keys(manifolds: &[Manifold]) -> Vec<(u32, u32, FeatureId)> {
    let of_manifold = |m: &Manifold| m.points().iter().map(|p| (m.part_a, m.part_b, p.feature)).collect::<Vec<_>>();
    let mut keys: Vec<_> = manifolds.iter().flat_map(of_manifold).collect();
    keys.sort_unstable();
    keys
}

fn grounds() -> Vec<(&'static str, Shape)> {
    let hills = |x: f64, z: f64| 0.02 * (libm::sin(3.0 * x) + libm::cos(2.0 * z)) - 0.02;
    let slab = Shape::cuboid([3.0, 0.5, 3.0]).unwrap();
    vec![
        ("flat mesh", sheet(60, |_, _| 0.0)),
        ("flat field", field(61, |_, _| 0.0)),
        ("hilly mesh", sheet(60, hills)),
        ("hilly field", field(61, hills)),
        ("compound", Shape::compound(vec![(Transform::from_translation(DVec3::Y * -0.5), slab)]).unwrap()),
    ]
}

fn bodies() -> Vec<(&'static str, Shape, f64)> {
    vec![
        ("box", Shape::cuboid([0.5, 0.25, 0.4]).unwrap(), 0.25),
        ("ball", Shape::sphere(0.25).unwrap(), 0.25),
        ("capsule", Shape::capsule(0.3, 0.1).unwrap(), 0.4),
        ("cylinder", Shape::cylinder(0.25, 0.3).unwrap(), 0.25),
        ("table", table(), 0.68),
    ]
}

#[test]
fn answers_with_a_memory_are_those_without() {
    let mut random = fastrand::Rng::with_seed(5);
    for (ground_name, ground) in grounds() {
        for (body_name, body, height) in bodies() {
            for step in [1e-5, 3e-4, 5e-3] {
                let name = format!("{body_name} on {ground_name}, {step}");
                let mut caches = [PairCache::default(), PairCache::default()];
                for i in 0..50 {
                    let tremble = dvec3(random.f64(), random.f64(), random.f64()) * 1e-6;
                    let place = dvec3(-0.4 + step * f64::from(i), height - 0.001, 0.013) + tremble;
                    let pose = Transform::new(rotation_from_vector(tremble + DVec3::Y * 0.3), place);
                    let prediction = 0.004 + 0.001 * random.f64();
                    let options = ManifoldOptions { prediction, ..ManifoldOptions::default() };
                    let exact = ManifoldOptions { recycling: 0.0, ..options };
                    let cold = find(&ground, &body, &pose, &exact, &mut PairCache::default());
                    let warm = find(&ground, &body, &pose, &options, &mut caches[0]);
                    let deepest = |m: &[Manifold]| m.iter().map(Manifold::max_depth).fold(f64::NEG_INFINITY, f64::max);
                    let (expected, found) = (deepest(&cold), deepest(&warm));
                    // Two slacks of the axes, and what a slope of the ground makes of a shift by a thousandth of the size.
                    let allowed = 0.04 * expected.abs() + 3e-4;
                    let at_the_end = expected < -0.003 && found < -0.003;
                    assert!(
                        (expected - found).abs() < allowed || at_the_end,
                        "{name}, call {i}: {found} for {expected}"
                    );
                    for manifold in &warm {
                        assert!(!manifold.points().is_empty(), "{name}, call {i}");
                        assert!(manifold.points().iter().all(|p| p.depth >= -prediction), "{name}, call {i}");
                    }
                    // The other way round it is the same.
                    let flipped = find(&body, &ground, &pose.inverse(), &options, &mut caches[1]);
                    assert!((deepest(&flipped) - expected).abs() < allowed || at_the_end, "{name}, call {i}");
                }
            }
        }
    }
}

/// A resumed run goes on with a copy of the memory, and must give the same bits.
#[test]
fn a_copy_of_the_memory_gives_the_same_bits() {
    let (_, ground) = grounds().swap_remove(2);
    let mut cache = PairCache::default();
    for i in 0..300 {
        let place = dvec3(-0.4 + 2e-4 * f64::from(i), 0.679, 0.013);
        let options = ManifoldOptions { prediction: 0.001 + 1e-5 * f64::from(i % 7), ..ManifoldOptions::default() };
        let mut copy = cache.clone();
        let pose = Transform::from_translation(place);
        let found = find(&ground, &table(), &pose, &options, &mut cache);
        assert_eq!(found, find(&ground, &table(), &pose, &options, &mut copy));
        assert_eq!(cache, copy);
    }
}

/// Slides over triangles of a fifth of its size.
#[test]
fn contacts_keep_their_keys_while_a_body_slides_over_flat_triangles() {
    for (ground_name, ground) in grounds().into_iter().take(2) {
        for (body_name, body, height) in bodies() {
            for remember in [false, true] {
                let mut cache = PairCache::default();
                let mut before: Option<Vec<_>> = None;
                for i in 0..400 {
                    let place = dvec3(0.003 * f64::from(i) - 0.6, height - 0.001, 0.001 * f64::from(i) - 0.2);
                    let turn = rotation_about(DVec3::Y, 0.3);
                    let options = ManifoldOptions { prediction: 0.001, ..ManifoldOptions::default() };
                    if !remember {
                        cache = PairCache::default();
                    }
                    let found = find(&ground, &body, &Transform::new(turn, place), &options, &mut cache);
                    let now = keys(&found);
                    let mut unique = now.clone();
                    unique.dedup();
                    assert_eq!(
                        unique, now,
                        "{body_name} on {ground_name}, call {i}: each contact has a key of its own"
                    );
                    assert!(!now.is_empty(), "{body_name} on {ground_name}, call {i}");
                    if let Some(before) = &before {
                        assert_eq!(*before, now, "{body_name} on {ground_name}, call {i}: {found:?}");
                    }
                    before = Some(now);
                }
            }
        }
    }
}

/// The name of a corner stays while it slides; its feature tells which triangle it is over, from memory to within what memory
/// allows.
#[test]
fn features_tell_the_triangle_a_point_is_over() {
    for (ground_name, ground) in grounds().into_iter().take(4) {
        let triangle_of = |index: u32| match &ground {
            Shape::Mesh(mesh) => mesh.triangle(index as usize),
            Shape::HeightField(field) => field.triangle(index as usize),
            _ => panic!("{ground_name} has no triangles"),
        };
        for (body_name, body, height) in bodies() {
            let mut cache = PairCache::default();
            let mut triangles = std::collections::BTreeSet::new();
            for i in 0..400 {
                let place = dvec3(7e-4 * f64::from(i), height - 0.001, 3e-4 * f64::from(i));
                let pose = Transform::new(rotation_about(DVec3::Y, 0.3), place);
                for manifold in find(&ground, &body, &pose, &ManifoldOptions::default(), &mut cache) {
                    for point in manifold.points() {
                        let name = || format!("{body_name} on {ground_name}, call {i}: {manifold:?}");
                        let Feature::Triangle { triangle: index, .. } = point.features[0] else { panic!("{}", name()) };
                        let on_ground = point.position + manifold.normal * (0.5 * point.depth);
                        let distance = triangle_of(index).closest_point(on_ground).point.distance(on_ground);
                        assert!(distance < 1e-3, "{distance} off, {}", name());
                        assert!(!matches!(point.features[1], Feature::Triangle { .. }), "{}", name());
                        triangles.insert(index);
                    }
                }
            }
            assert!(triangles.len() > 2, "{body_name} on {ground_name}: only {triangles:?}");
        }
    }
}

/// Over gentle hills the normals change all the time; the corners that touch are still recognised.
#[test]
fn contacts_keep_their_keys_on_gentle_hills() {
    for (name, ground) in grounds().into_iter().skip(2).take(2) {
        let ball = Shape::sphere(0.25).unwrap();
        let mut before: Option<Vec<_>> = None;
        let (mut same, mut calls) = (0, 0);
        for i in 0..400 {
            let x = 0.003 * f64::from(i) - 0.6;
            let surface = 0.02 * (libm::sin(3.0 * x) + 1.0) - 0.02;
            let pose = Transform::from_translation(dvec3(x, surface + 0.2495, 0.0));
            let now = keys(&find(&ground, &ball, &pose, &ManifoldOptions::default(), &mut PairCache::default()));
            if let Some(before) = &before {
                calls += 1;
                same += usize::from(now.iter().any(|key| before.contains(key)));
            }
            before = Some(now);
        }
        assert_eq!(same, calls, "{name}");
    }
}
