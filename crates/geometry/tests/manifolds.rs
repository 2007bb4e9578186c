//! Contact manifolds of convex pairs: steady from frame to frame, as deep as the shapes overlap, on their surfaces.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![allow(clippy::needless_range_loop, reason = "kinds of shapes are numbers here")]

use fastrand::Rng;
use std::f64::consts::TAU;
use tumble_geometry::glam::{DQuat, DVec2, DVec3};
use tumble_geometry::query::{
    ContactPoint, FeatureId, InternalEdges, Manifold, ManifoldOptions, PairCache, contact_manifolds, distance,
    intersects, penetration,
};
use tumble_geometry::shape::SupportMap;
use tumble_geometry::{Shape, Transform, math};

const PREDICTION: f64 = 0.02;

/// Exact every time, and as it is by default.
const EXACT: ManifoldOptions =
    ManifoldOptions { prediction: PREDICTION, recycling: 0.0, internal_edges: InternalEdges::Correct };
const USUAL: ManifoldOptions =
    ManifoldOptions { prediction: PREDICTION, recycling: 1e-3, internal_edges: InternalEdges::Correct };

fn manifold_with(
    a: &Shape,
    b: &Shape,
    b_in_a: &Transform,
    options: &ManifoldOptions,
    cache: &mut PairCache,
) -> Option<Manifold> {
    let mut manifolds = Vec::new();
    contact_manifolds(a, b, b_in_a, options, cache, &mut manifolds);
    assert!(manifolds.len() <= 1, "a convex pair has one manifold");
    manifolds.pop()
}

fn manifold(a: &Shape, b: &Shape, b_in_a: &Transform, cache: &mut PairCache) -> Option<Manifold> {
    manifold_with(a, b, b_in_a, &USUAL, cache)
}

fn cold(a: &Shape, b: &Shape, b_in_a: &Transform) -> Option<Manifold> {
    manifold(a, b, b_in_a, &mut PairCache::default())
}

/// How many cases a random test tries.
fn cases(default: usize) -> usize {
    std::env::var("TUMBLE_CASES").ok().and_then(|s| s.parse().ok()).unwrap_or(default)
}

fn unit_vector(random: &mut Rng) -> DVec3 {
    loop {
        let v = DVec3::new(random.f64(), random.f64(), random.f64()) * 2.0 - 1.0;
        if (1e-3..1.0).contains(&v.length_squared()) {
            return v.normalize();
        }
    }
}

fn rotation(random: &mut Rng) -> DQuat {
    math::rotation_about(unit_vector(random), TAU * random.f64())
}

/// An ellipsoid, a smooth shape of the user's.
#[derive(Debug)]
struct Ellipsoid(DVec3);

impl SupportMap for Ellipsoid {
    fn support(&self, direction: DVec3) -> DVec3 {
        let scaled = self.0 * direction;
        self.0 * scaled / scaled.length()
    }
}

/// A box that pretends to be the user's.
#[derive(Debug)]
struct Crate(DVec3);

impl SupportMap for Crate {
    fn support(&self, direction: DVec3) -> DVec3 {
        self.0 * direction.signum()
    }
}

fn size(random: &mut Rng) -> f64 {
    0.3 + 0.7 * random.f64()
}

fn cuboid(random: &mut Rng) -> Shape {
    Shape::cuboid([size(random), size(random), size(random)]).unwrap()
}

fn hull(random: &mut Rng) -> Shape {
    let scale = size(random);
    let points: Vec<DVec3> = (0..random.usize(4..24)).map(|_| unit_vector(random) * scale).collect();
    Shape::hull(&points).unwrap_or_else(|_| cuboid(random))
}

/// A shape of one of the kinds with size about 1.
fn shape(kind: usize, random: &mut Rng) -> Shape {
    match kind {
        0 => Shape::sphere(size(random)).unwrap(),
        1 => cuboid(random),
        2 => Shape::capsule(size(random), size(random)).unwrap(),
        3 => Shape::cylinder(size(random), size(random)).unwrap(),
        4 => Shape::cone(size(random), size(random)).unwrap(),
        5 => hull(random),
        6 if random.bool() => Shape::ellipsoid([size(random), size(random), size(random)]).unwrap(),
        6 => Shape::custom(Ellipsoid(DVec3::new(size(random), size(random), size(random)))).unwrap(),
        7 => Shape::custom(Crate(DVec3::new(size(random), size(random), size(random)))).unwrap(),
        8 => Shape::half_space(unit_vector(random)).unwrap(),
        _ => {
            let points: Vec<DVec3> = (0..120).map(|_| unit_vector(random) * DVec3::new(0.5, 0.9, 0.7)).collect();
            Shape::hull(&points).unwrap()
        }
    }
}

const KINDS: [&str; 10] =
    ["sphere", "box", "capsule", "cylinder", "cone", "hull", "ellipsoid", "crate", "half-space", "large hull"];

/// A pose of `b` at which it overlaps `a` by roughly `overlap` (negative: a gap).
fn near_contact(a: &Shape, b: &Shape, overlap: f64, random: &mut Rng) -> Transform {
    let rotation = rotation(random);
    let direction = match a {
        Shape::HalfSpace(ground) => ground.normal(),
        _ => match b {
            Shape::HalfSpace(ground) => rotation * -ground.normal(),
            _ => unit_vector(random),
        },
    };
    let (mut near, mut far) = (-6.0, 6.0);
    for _ in 0..50 {
        let middle = 0.5 * (near + far);
        if middle <= 0.0 || intersects(a, b, &Transform::new(rotation, direction * middle)) {
            near = middle;
        } else {
            far = middle;
        }
    }
    Transform::new(rotation, direction * (near - overlap))
}

/// The signed distance by GJK and EPA.
fn signed_distance(a: &Shape, b: &Shape, pose: &Transform) -> f64 {
    penetration(a, b, pose).map_or_else(|| distance(a, b, pose).distance, |p| -p.depth)
}

/// What every manifold must satisfy.
fn check_laws(m: &Manifold) {
    assert!((m.normal.length() - 1.0).abs() < 1e-9, "normal {}", m.normal);
    assert!(!m.points().is_empty() && m.points().len() <= Manifold::MAX_POINTS);
    for (i, p) in m.points().iter().enumerate() {
        assert!(p.position.is_finite() && p.depth.is_finite());
        assert!(p.depth >= -PREDICTION - 1e-12, "a gap of {} is beyond the prediction", -p.depth);
        assert!(m.points()[..i].iter().all(|q| q.feature != p.feature), "two points with one name: {m:?}");
    }
}

// ---- Flicker

fn ids(m: &Manifold) -> Vec<FeatureId> {
    let mut ids: Vec<FeatureId> = m.points().iter().map(|p| p.feature).collect();
    ids.sort();
    ids
}

/// Moves `b` along `poses`, a tiny step at a time: the manifold keeps its points, and they move by at most `reach` a step (by
/// what recycling allows more, where it ends).
fn assert_steady(what: &str, a: &Shape, b: &Shape, count: usize, poses: impl Iterator<Item = Transform>, reach: f64) {
    let mut exact_cache = PairCache::default();
    let mut usual_cache = PairCache::default();
    let mut last: Option<[Manifold; 3]> = None;
    for (step, pose) in poses.enumerate() {
        // With its memory and without, exact and recycled: all are steady, and equal.
        let manifolds = [
            manifold_with(a, b, &pose, &EXACT, &mut PairCache::default()),
            manifold_with(a, b, &pose, &EXACT, &mut exact_cache),
            manifold_with(a, b, &pose, &USUAL, &mut usual_cache),
        ]
        .map(|m| m.unwrap_or_else(|| panic!("{what}, step {step}: no contact")));
        for (i, m) in manifolds.iter().enumerate() {
            check_laws(m);
            assert_eq!(m.points().len(), count, "{what}, step {step}: {m:?}");
            assert_eq!(ids(&manifolds[0]), ids(m), "{what}, step {step}: with and without memory");
            if let Some(last) = &last {
                let reach = if i == 2 { reach + 1e-3 } else { reach };
                assert_same(&format!("{what}, step {step}"), &last[i], m, reach);
            }
        }
        last = Some(manifolds);
    }
}

/// The same points, moved by at most `reach`.
fn assert_same(what: &str, last: &Manifold, now: &Manifold, reach: f64) {
    assert_eq!(ids(last), ids(now), "{what}");
    assert!((last.normal - now.normal).length() < 1e-4, "{what}: the normal jumped");
    for old in last.points() {
        let new = now.points().iter().find(|p| p.feature == old.feature).unwrap();
        let moved = (new.position - old.position).length();
        assert!(moved <= reach, "{what}: point jumped by {moved}");
        assert!((new.depth - old.depth).abs() <= reach, "{what}: depth jumped");
    }
}

/// `b` resting at `height` above the origin, turned about the vertical in steps of 1e-6.
fn turning(height: f64, start: f64) -> impl Iterator<Item = Transform> {
    (0..5000).map(move |i| {
        let turn = math::rotation_about(DVec3::Y, start + 1e-6 * f64::from(i));
        Transform::new(turn, DVec3::new(0.0, height, 0.0))
    })
}

/// The same place with random tilts and shifts of 1e-6.
fn trembling(height: f64, yaw: f64) -> impl Iterator<Item = Transform> {
    let mut random = Rng::with_seed(1);
    (0..3000).map(move |_| {
        let tilt = math::rotation_from_vector(unit_vector(&mut random) * 1e-6);
        let place = DVec3::new(0.0, height, 0.0) + unit_vector(&mut random) * 1e-6;
        Transform::new((tilt * math::rotation_about(DVec3::Y, yaw)).normalize(), place)
    })
}

/// An eight-sided prism, so that caps are polygons of a hull.
fn prism(radius: f64, half_height: f64) -> Shape {
    let points: Vec<DVec3> = (0..16)
        .map(|i| {
            let angle = TAU * f64::from(i / 2) / 8.0 + 0.1;
            let y = if i % 2 == 0 { half_height } else { -half_height };
            DVec3::new(radius * libm::cos(angle), y, radius * libm::sin(angle))
        })
        .collect();
    Shape::hull(&points).unwrap()
}

fn resting_pairs() -> Vec<(&'static str, Shape, Shape, f64, usize)> {
    let unit = Shape::cuboid([0.5, 0.5, 0.5]).unwrap();
    let wide = Shape::cuboid([2.0, 0.5, 1.5]).unwrap();
    let small = Shape::cuboid([0.3, 0.5, 0.2]).unwrap();
    let plate = Shape::cuboid([1.0, 0.001, 1.0]).unwrap();
    let ground = Shape::half_space(DVec3::Y).unwrap();
    let can = Shape::cylinder(0.5, 0.4).unwrap();
    let drum = Shape::cylinder(0.5, 2.0).unwrap();
    let cone = Shape::cone(0.5, 0.4).unwrap();
    vec![
        ("box on equal box", unit.clone(), unit.clone(), 0.999, 4),
        ("small box on box", wide.clone(), small.clone(), 0.999, 4),
        ("wide box on small box", small.clone(), wide.clone(), 0.999, 4),
        ("plate on box", unit.clone(), plate.clone(), 0.5005, 4),
        ("plate on plate", plate.clone(), plate, 0.0019, 4),
        ("box on half-space", ground.clone(), unit.clone(), 0.499, 4),
        ("prism on prism", prism(0.5, 0.5), prism(0.5, 0.5), 0.999, 4),
        ("prism on box", wide.clone(), prism(0.4, 0.5), 0.999, 4),
        ("box on prism", prism(1.0, 0.5), unit.clone(), 0.999, 4),
        ("cylinder on box", wide.clone(), can.clone(), 0.999, 4),
        ("cylinder on half-space", ground.clone(), can.clone(), 0.499, 4),
        ("cylinder on cylinder", drum.clone(), can, 0.999, 4),
        ("box on cylinder", drum, unit.clone(), 0.999, 4),
        ("cone on box", wide, cone, 0.999, 4),
        ("crate on crate", Shape::custom(Crate(DVec3::splat(0.5))).unwrap(), unit, 0.999, 4),
    ]
}

#[test]
fn resting_bodies_keep_their_points_while_turned() {
    for (what, a, b, height, count) in resting_pairs() {
        for start in [0.2, 0.5] {
            assert_steady(&format!("{what}, turning from {start}"), &a, &b, count, turning(height, start), 2e-5);
        }
    }
}

#[test]
fn resting_bodies_keep_their_points_while_trembling() {
    for (what, a, b, height, count) in resting_pairs() {
        for yaw in [0.0, 0.3] {
            assert_steady(&format!("{what}, trembling at {yaw}"), &a, &b, count, trembling(height, yaw), 2e-4);
        }
    }
}

#[test]
fn aligned_boxes_keep_their_points_while_turned_away() {
    let unit = Shape::cuboid([0.5, 0.5, 0.5]).unwrap();
    assert_steady("equal boxes", &unit, &unit, 4, turning(0.999, 0.0), 1e-4);
    assert_steady("equal boxes", &unit, &unit, 4, turning(0.999, -2.5e-3), 1e-4);
    assert_steady("equal prisms", &prism(0.5, 0.5), &prism(0.5, 0.5), 4, turning(0.999, -2.5e-3), 1e-4);
}

#[test]
fn lying_bodies_have_two_points_and_tilted_ones_one() {
    let floor = Shape::cuboid([3.0, 0.5, 3.0]).unwrap();
    let ground = Shape::half_space(DVec3::Y).unwrap();
    let lying = math::rotation_about(DVec3::Z, 0.5 * std::f64::consts::PI);
    let tilted = math::rotation_about(DVec3::Z, 0.5);
    for (what, body, radius) in
        [("capsule", Shape::capsule(0.5, 0.3).unwrap(), 0.3), ("cylinder", Shape::cylinder(0.5, 0.3).unwrap(), 0.3)]
    {
        for (floor, top) in [(&floor, 0.5), (&ground, 0.0)] {
            let pose = Transform::new(lying, DVec3::new(0.1, top + radius - 1e-3, 0.2));
            let m = cold(floor, &body, &pose).unwrap();
            assert_eq!(m.points().len(), 2, "{what}: {m:?}");
            assert!(
                (m.points()[0].position - m.points()[1].position).length() > 0.99,
                "{what}: the ends are far apart"
            );
            assert!(m.points().iter().all(|p| (p.depth - 1e-3).abs() < 1e-9), "{what}: {m:?}");
        }
        let pose = near_floor(&floor, &body, tilted, 1e-3);
        assert_eq!(cold(&floor, &body, &pose).unwrap().points().len(), 1, "{what} tilted");
    }
    let cone = Shape::cone(0.5, 0.3).unwrap();
    let slope = math::rotation_about(DVec3::Z, 0.5 * std::f64::consts::PI + libm::atan2(0.3, 1.0));
    for sign in [1.0, -1.0] {
        let turn = math::rotation_about(DVec3::Y, sign);
        let pose = near_floor(&floor, &cone, turn * slope, 1e-3);
        let m = cold(&floor, &cone, &pose).unwrap();
        assert_eq!(m.points().len(), 2, "cone on its side: {m:?}");
        assert!((m.points()[0].position - m.points()[1].position).length() > 1.0);
    }
    let a = Shape::capsule(0.5, 0.3).unwrap();
    let beside = cold(&a, &a, &Transform::from_translation(DVec3::new(0.59, 0.2, 0.0))).unwrap();
    assert_eq!(beside.points().len(), 2, "parallel capsules");
    let crossed = cold(&a, &a, &Transform::new(lying, DVec3::new(0.0, 0.0, 0.59))).unwrap();
    assert_eq!(crossed.points().len(), 1, "crossed capsules");
}

/// Lowers `body` along −y until it overlaps the floor by `overlap`.
fn near_floor(floor: &Shape, body: &Shape, rotation: DQuat, overlap: f64) -> Transform {
    let (mut low, mut high) = (0.0, 5.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        let touches = intersects(floor, body, &Transform::new(rotation, DVec3::Y * middle));
        if touches { low = middle } else { high = middle }
    }
    Transform::new(rotation, DVec3::Y * (low - overlap))
}

// ---- Depth, surfaces, order of the shapes

/// The documented slack of the separating axis: twice 2 % of the depth and twice 1e-4 of the size (at most 2 here), and as much
/// again for points as deep as the deepest.
fn slack(depth: f64) -> f64 {
    0.04 * depth.abs() + 6e-4
}

#[test]
fn manifolds_are_as_deep_as_the_shapes_overlap() {
    let mut random = Rng::with_seed(2);
    for a_kind in 0..10 {
        for b_kind in 0..10 {
            for _ in 0..cases(250) {
                let (a, b) = (shape(a_kind, &mut random), shape(b_kind, &mut random));
                if a_kind == 8 && b_kind == 8 {
                    assert!(cold(&a, &b, &Transform::IDENTITY).is_none());
                    continue;
                }
                let overlap = 0.1 * random.f64() - 0.03;
                let pose = near_contact(&a, &b, overlap, &mut random);
                let exact = signed_distance(&a, &b, &pose);
                let name = format!("{}–{} at {pose:?}: {a:?} {b:?}", KINDS[a_kind], KINDS[b_kind]);
                let Some(m) = cold(&a, &b, &pose) else {
                    assert!(exact > PREDICTION - 1e-9, "{name}: no contact at distance {exact}");
                    continue;
                };
                check_laws(&m);
                let depth = m.max_depth();
                // A gap is measured along the normal, which is at most the distance.
                let error = depth + exact;
                assert!(
                    error > -slack(exact) && error < slack(exact).max(if exact > 0.0 { exact } else { 0.0 }),
                    "{name}: {depth} against {exact}"
                );
            }
        }
    }
}

#[test]
fn moving_by_the_depth_along_the_normal_separates() {
    let mut random = Rng::with_seed(3);
    for kind in [1, 5] {
        for _ in 0..cases(3000) {
            let (a, b) = (shape(kind, &mut random), shape(if random.bool() { 1 } else { 5 }, &mut random));
            let pose = near_contact(&a, &b, 0.3 * random.f64(), &mut random);
            let Some(m) = cold(&a, &b, &pose) else { continue };
            let out = Transform::new(pose.rotation, pose.translation + m.normal * m.max_depth());
            let rest = signed_distance(&a, &b, &out);
            assert!(rest > -slack(m.max_depth()), "still overlapping by {rest}: {m:?}");
        }
    }
}

#[test]
fn points_lie_on_both_surfaces() {
    let mut random = Rng::with_seed(4);
    for a_kind in 0..6 {
        for b_kind in 0..6 {
            for _ in 0..cases(500) {
                let (a, b) = (shape(a_kind, &mut random), shape(b_kind, &mut random));
                let pose = near_contact(&a, &b, 0.1 * random.f64() - 0.02, &mut random);
                let Some(m) = cold(&a, &b, &pose) else { continue };
                for p in m.points() {
                    let [on_a, on_b] = surface_points(&m, p);
                    let from_a = a.closest_point(on_a).unwrap().distance;
                    let from_b = b.closest_point(pose.inverse_point(on_b)).unwrap().distance;
                    // Polyhedra exactly. A round cap is an octagon, a flat feature may be off the normal by 3°: the point
                    // then lies as far inside as its depth differs.
                    let tolerance = if [1, 5].contains(&a_kind) && [1, 5].contains(&b_kind) { 1e-9 } else { 2e-2 };
                    let name = format!("{}–{}: {from_a} {from_b} {m:?}", KINDS[a_kind], KINDS[b_kind]);
                    assert!(from_a.abs() < tolerance && from_b.abs() < tolerance, "{name}");
                }
            }
        }
    }
}

/// Where a contact point says the two surfaces are.
fn surface_points(m: &Manifold, p: &ContactPoint) -> [DVec3; 2] {
    let half = m.normal * (0.5 * p.depth);
    [p.position + half, p.position - half]
}

#[test]
fn exchanging_the_shapes_flips_the_manifold() {
    let mut random = Rng::with_seed(5);
    for a_kind in 0..10 {
        for b_kind in 0..10 {
            for _ in 0..cases(50) {
                let (a, b) = (shape(a_kind, &mut random), shape(b_kind, &mut random));
                if a_kind == 8 && b_kind == 8 {
                    continue;
                }
                let pose = near_contact(&a, &b, 0.05 * random.f64() - 0.01, &mut random);
                let forth = cold(&a, &b, &pose);
                let back = cold(&b, &a, &pose.inverse()).map(|m| m.flipped(&pose.inverse()));
                let name = format!("{}–{}: {forth:?} {back:?}", KINDS[a_kind], KINDS[b_kind]);
                assert_eq!(forth.is_some(), back.is_some(), "{name}");
                let (Some(forth), Some(back)) = (forth, back) else { continue };
                assert!((forth.max_depth() - back.max_depth()).abs() <= slack(forth.max_depth()), "{name}");
                if a_kind != b_kind && ![1, 5].contains(&a_kind) {
                    assert!((forth.normal - back.normal).length() < 1e-4, "{name}");
                    assert_eq!(forth.points().len(), back.points().len(), "{name}");
                }
            }
        }
    }
}

#[test]
fn memory_changes_nothing_beyond_the_slack() {
    let mut random = Rng::with_seed(6);
    for a_kind in 0..6 {
        for b_kind in 0..6 {
            for _ in 0..cases(40) {
                let (a, b) = (shape(a_kind, &mut random), shape(b_kind, &mut random));
                let start = near_contact(&a, &b, 0.05 * random.f64(), &mut random);
                let (velocity, spin) = (unit_vector(&mut random) * 2e-3, unit_vector(&mut random) * 5e-3);
                let mut cache = PairCache::default();
                for step in 0..30 {
                    let time = f64::from(step);
                    let turn = math::rotation_from_vector(spin * time);
                    let pose = Transform::new((turn * start.rotation).normalize(), start.translation + velocity * time);
                    let warm = manifold(&a, &b, &pose, &mut cache);
                    let fresh = cold(&a, &b, &pose);
                    let name = format!("{}–{}, step {step}", KINDS[a_kind], KINDS[b_kind]);
                    let (Some(warm), Some(fresh)) = (warm, fresh) else {
                        assert_eq!(warm.is_some(), fresh.is_some(), "{name}");
                        continue;
                    };
                    check_laws(&warm);
                    assert!(
                        (warm.max_depth() - fresh.max_depth()).abs() <= slack(fresh.max_depth()),
                        "{name}: {warm:?} {fresh:?} {}",
                        signed_distance(&a, &b, &pose)
                    );
                }
            }
        }
    }
}

// ---- The four points span the support polygon

/// Twice the area of a convex polygon given in order.
fn area(polygon: &[DVec2]) -> f64 {
    (1..polygon.len().max(2) - 1)
        .map(|i| (polygon[i] - polygon[0]).perp_dot(polygon[i + 1] - polygon[0]))
        .sum::<f64>()
        .abs()
}

/// The part of a convex polygon left of the line from `p` to `q`.
fn left_of(polygon: &[DVec2], p: DVec2, q: DVec2) -> Vec<DVec2> {
    let side = |x: DVec2| (q - p).perp_dot(x - p);
    let mut result = Vec::new();
    for (i, &x) in polygon.iter().enumerate() {
        let y = polygon[(i + 1) % polygon.len()];
        if side(x) >= 0.0 {
            result.push(x);
        }
        if side(x) * side(y) < 0.0 {
            result.push(x + (y - x) * (side(x) / (side(x) - side(y))));
        }
    }
    result
}

#[test]
fn four_points_cover_most_of_the_contact_area() {
    let mut random = Rng::with_seed(7);
    let (mut worst, mut sum, mut count) = (1.0_f64, 0.0, 0);
    for _ in 0..cases(20_000) {
        let (h, k) =
            (DVec2::new(size(&mut random), size(&mut random)), DVec2::new(size(&mut random), size(&mut random)));
        let a = Shape::cuboid([h.x, 0.5, h.y]).unwrap();
        let b = Shape::cuboid([k.x, 0.5, k.y]).unwrap();
        let place = DVec3::new(random.f64() * 1.6 - 0.8, 0.999, random.f64() * 1.6 - 0.8);
        let pose = Transform::new(math::rotation_about(DVec3::Y, TAU * random.f64()), place);
        let corners =
            |s: DVec2| [(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0), (-1.0, 1.0)].map(|(x, z)| s * DVec2::new(x, z));
        let mut full: Vec<DVec2> =
            corners(k).iter().map(|c| pose.point(DVec3::new(c.x, 0.0, c.y))).map(|p| DVec2::new(p.x, p.z)).collect();
        let rectangle = corners(h);
        for i in 0..4 {
            full = left_of(&full, rectangle[(i + 1) % 4], rectangle[i]);
        }
        if area(&full) < 1e-3 {
            continue;
        }
        let m = cold(&a, &b, &pose).unwrap();
        let kept: Vec<DVec2> = m.points().iter().map(|p| DVec2::new(p.position.x, p.position.z)).collect();
        let fraction = area(&kept) / area(&full);
        assert!(fraction < 1.0 + 1e-9, "points outside the contact area");
        worst = worst.min(fraction);
        sum += fraction;
        count += 1;
    }
    assert!(worst > 0.45, "only {worst} of the area is kept");
    assert!(sum / f64::from(count) > 0.85, "on average {} is kept", sum / f64::from(count));
}

// ---- Hostile input

#[test]
fn nothing_panics() {
    let values = [0.0, 1.0, -1.0, 1e-300, 1e300, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-9, 1e9, 1e60];
    let mut shapes: Vec<Shape> = Vec::new();
    let mut random = Rng::with_seed(8);
    for scale in [1e-9, 1e-3, 1.0, 1e3, 1e9] {
        shapes.push(Shape::sphere(scale).unwrap());
        shapes.push(Shape::cuboid([scale, (scale * 1e-3).max(1e-9), scale]).unwrap());
        shapes.push(Shape::capsule(scale, (scale * 1e-3).max(1e-9)).unwrap());
        shapes.push(Shape::cylinder((scale * 1e-3).max(1e-9), scale).unwrap());
        shapes.push(Shape::cone(scale, (scale * 1e-3).max(1e-9)).unwrap());
        let points: Vec<DVec3> = (0..12).map(|_| unit_vector(&mut random) * scale).collect();
        shapes.extend(Shape::hull(&points));
    }
    shapes.push(Shape::half_space(DVec3::Y).unwrap());
    for a in &shapes {
        for b in &shapes {
            for _ in 0..cases(60) {
                let mut pick = || values[random.usize(..values.len())];
                let rotation = DQuat::from_xyzw(pick(), pick(), pick(), pick());
                let translation = DVec3::new(pick(), pick(), pick());
                let prediction = pick();
                for rotation in [rotation, rotation.normalize(), DQuat::IDENTITY] {
                    let mut manifolds = Vec::new();
                    let pose = Transform::new(rotation, translation);
                    let mut cache = PairCache::default();
                    for _ in 0..2 {
                        contact_manifolds(
                            a,
                            b,
                            &pose,
                            &ManifoldOptions { prediction, ..ManifoldOptions::default() },
                            &mut cache,
                            &mut manifolds,
                        );
                    }
                    for m in &manifolds {
                        assert!(pose.is_valid() && m.normal.is_finite(), "{pose:?} {m:?}");
                        assert!(
                            m.points().iter().all(|p| p.depth.is_finite() && p.position.is_finite()),
                            "{pose:?} {m:?}"
                        );
                    }
                }
            }
        }
    }
}
