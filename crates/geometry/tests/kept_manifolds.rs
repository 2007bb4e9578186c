//! Manifolds that are kept while a pair moves by up to a twentieth of its size: along random paths their depths are those of a
//! search from scratch, and their points stay on the shapes.
#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use glam::{DVec3, dvec3};
use tumble_geometry::math::{rotation_about, rotation_from_vector};
use tumble_geometry::query::{Manifold, ManifoldOptions, PairCache, contact_manifolds, distance};
use tumble_geometry::{Shape, Transform, glam};

const KEPT: f64 = 0.05;

fn find(a: &Shape, b: &Shape, pose: &Transform, options: &ManifoldOptions, cache: &mut PairCache) -> Vec<Manifold> {
    let mut manifolds = Vec::new();
    contact_manifolds(a, b, pose, options, cache, &mut manifolds);
    manifolds
}

fn deepest(manifolds: &[Manifold]) -> f64 {
    manifolds.iter().map(Manifold::max_depth).fold(f64::NEG_INFINITY, f64::max)
}

/// Bodies, and how high their centres are when they stand on the ground.
fn bodies() -> Vec<(&'static str, Shape, f64)> {
    let corners: Vec<DVec3> = (0..12)
        .map(|i| {
            let angle = f64::from(i % 6) * std::f64::consts::FRAC_PI_3;
            dvec3(0.4 * libm::cos(angle), if i < 6 { -0.3 } else { 0.3 }, 0.4 * libm::sin(angle))
        })
        .collect();
    vec![
        ("box", Shape::cuboid([0.5, 0.25, 0.4]).unwrap(), 0.25),
        ("ball", Shape::sphere(0.25).unwrap(), 0.25),
        ("capsule", Shape::capsule(0.3, 0.1).unwrap(), 0.4),
        ("cylinder", Shape::cylinder(0.25, 0.3).unwrap(), 0.25),
        ("prism", Shape::hull(&corners).unwrap(), 0.3),
    ]
}

fn grounds() -> Vec<(&'static str, Shape)> {
    let flat = Shape::height_field(41, 41, vec![0.0; 41 * 41], [0.15, 0.15]).unwrap();
    let corners = vec![dvec3(-3.0, 0.0, -3.0), dvec3(-3.0, 0.0, 3.0), dvec3(3.0, 0.0, 3.0), dvec3(3.0, 0.0, -3.0)];
    let sheet = Shape::mesh(corners, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let slab =
        Shape::compound(vec![(Transform::from_translation(DVec3::Y * -0.5), Shape::cuboid([3.0, 0.5, 3.0]).unwrap())]);
    vec![("field", flat), ("sheet", sheet), ("slab", slab.unwrap())]
}

/// The body trembles, creeps, leans and turns about the vertical, each as much as a few steps make of it.
#[test]
fn depths_along_random_paths_are_those_of_a_search_from_scratch() {
    let mut random = fastrand::Rng::with_seed(8);
    let mut unit = || random.f64() * 2.0 - 1.0;
    for (ground_name, ground) in grounds() {
        for (body_name, body, height) in bodies() {
            let (mut kept, mut calls) = (0, 0);
            for path in 0..12 {
                let mut cache = PairCache::default();
                let (drift, spin) = (dvec3(unit(), 0.0, unit()) * 4e-3, unit() * 8e-3);
                let (lean, phase) = (dvec3(unit(), 0.0, unit()) * 6e-3, unit());
                let mut before: Option<Vec<Manifold>> = None;
                for step in 0..40 {
                    let time = f64::from(step);
                    let wave = libm::sin(0.3 * time + phase);
                    let turn = rotation_from_vector(lean * wave) * rotation_about(DVec3::Y, 0.3 + spin * time);
                    let place = dvec3(-0.2, height - 2e-3, 0.1) + drift * time + DVec3::Y * (1e-3 * wave);
                    let pose = Transform::new(turn, place);
                    let options = ManifoldOptions { prediction: 0.03, recycling: KEPT, ..ManifoldOptions::default() };
                    let exact = ManifoldOptions { recycling: 0.0, ..options };
                    let warm = find(&ground, &body, &pose, &options, &mut cache);
                    let cold = find(&ground, &body, &pose, &exact, &mut PairCache::default());
                    let (found, expected) = (deepest(&warm), deepest(&cold));
                    let context =
                        || format!("{body_name} on {ground_name}, path {path}, step {step}: {warm:?} {cold:?}");
                    // A five-hundredth of the size: of a face with six corners, four are kept, and another may become the deepest.
                    assert!((found - expected).abs() < 1e-3, "{found} for {expected}, {}", context());
                    // Corners of the body stay corners of the body.
                    for point in warm.iter().flat_map(|m| m.points().iter().map(move |p| (m.normal, p))) {
                        let (normal, point) = point;
                        let on_body = point.position - normal * (0.5 * point.depth);
                        let speck = Shape::sphere(1e-6).unwrap();
                        let off = distance(&body, &speck, &Transform::from_translation(pose.inverse_point(on_body)));
                        assert!(off.distance < 1e-3, "{} off the body, {}", off.distance, context());
                    }
                    let names = |found: &[Manifold]| {
                        found.iter().flat_map(|m| m.points().iter().map(|p| p.feature)).collect::<Vec<_>>()
                    };
                    calls += 1;
                    kept += usize::from(before.is_some_and(|before| names(&before) == names(&warm)));
                    before = Some(warm);
                }
            }
            assert!(kept * 2 > calls, "{body_name} on {ground_name}: the same points in {kept} of {calls} calls only");
        }
    }
}
