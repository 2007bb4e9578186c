//! Convex hulls of ordinary and hostile point sets, each checked against the definition by brute force.
//!
//! `TUMBLE_CASES` sets the number of random sets; each kind of set, placement and noise occurs among any 1000.

mod hull_sets;

use hull_sets::{Expect, PointSet, case_count, on_sphere, random_set};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use tumble_geometry::glam::DVec3;
use tumble_geometry::shape::{Convex, Hull};
use tumble_geometry::{Aabb, GeometryError};

/// The promise of [`Hull::new`], checked independently of the crate: everything from the points, the vertices and the
/// loops of the faces.
fn check(points: &[DVec3], hull: &Hull) -> Result<(), String> {
    hull.validate()?;
    let bounds = Aabb::from_points(points.iter().copied());
    let largest = bounds.min.abs().max(bounds.max.abs()).max_element();
    let tolerance = 1e-12 * bounds.extents().max_element() + 1e-14 * largest;
    if hull.tolerance() > tolerance {
        return Err(format!("tolerance {:e} instead of {tolerance:e}", hull.tolerance()));
    }
    for &vertex in hull.vertices() {
        let nearest = points.iter().map(|p| (*p - vertex).abs().max_element()).fold(f64::INFINITY, f64::min);
        if nearest > 1e-18 * largest {
            return Err(format!("vertex {vertex} is {nearest:e} from the nearest point"));
        }
    }
    check_closed(hull)?;
    check_planes(points, hull, tolerance)?;
    check_reach(points, hull, tolerance)
}

/// Each edge is run through exactly once in each direction, the whole is connected, `V − E + F = 2`.
fn check_closed(hull: &Hull) -> Result<(), String> {
    let mut directed = BTreeMap::new();
    for face in 0..hull.face_count() {
        let corners = hull.face_vertices(face);
        for (k, &a) in corners.iter().enumerate() {
            if directed.insert((a, corners[(k + 1) % corners.len()]), face).is_some() {
                return Err(format!("an edge at {a} is run through twice"));
            }
        }
    }
    if let Some(edge) = directed.keys().find(|(a, b)| !directed.contains_key(&(*b, *a))) {
        return Err(format!("edge {edge:?} has a face on one side only"));
    }
    let (v, e, f) = (hull.vertices().len(), directed.len() / 2, hull.face_count());
    if v + f != e + 2 || hull.edges().len() != e {
        return Err(format!("V {v}, E {e}, F {f}"));
    }
    let mut reached = vec![false; f];
    let mut stack = vec![0];
    while let Some(face) = stack.pop() {
        if !std::mem::replace(&mut reached[face], true) {
            stack.extend(hull.face_neighbors(face).iter().map(|&n| n as usize));
        }
    }
    if reached.contains(&false) { Err("not connected".into()) } else { Ok(()) }
}

/// Every point is below every face, every face is plane and convex. Distances are also taken from differences of
/// positions, which can be trusted far from the origin.
fn check_planes(points: &[DVec3], hull: &Hull, tolerance: f64) -> Result<(), String> {
    for face in 0..hull.face_count() {
        let plane = hull.face_plane(face);
        let corners: Vec<DVec3> = hull.face_vertices(face).iter().map(|&v| hull.vertex(v)).collect();
        let above = points.iter().map(|&p| plane.signed_distance(p)).fold(f64::NEG_INFINITY, f64::max);
        let relative = points.iter().map(|&p| plane.normal.dot(p - corners[0])).fold(f64::NEG_INFINITY, f64::max);
        if above > tolerance || relative > tolerance {
            return Err(format!("a point is {above:e} or {relative:e} above face {face}"));
        }
        for (k, &a) in corners.iter().enumerate() {
            let b = corners[(k + 1) % corners.len()];
            let outwards = (b - a).cross(plane.normal).normalize();
            let reach = corners.iter().map(|&c| outwards.dot(c - a)).fold(f64::NEG_INFINITY, f64::max);
            let off = plane.normal.dot(a - corners[0]).abs();
            if reach > tolerance || off > tolerance {
                return Err(format!("face {face}: {reach:e} beyond side {k}, corner {off:e} off the plane"));
            }
        }
    }
    Ok(())
}

/// In many directions the farthest point is no farther than the farthest vertex.
fn check_reach(points: &[DVec3], hull: &Hull, tolerance: f64) -> Result<(), String> {
    let mut random = fastrand::Rng::with_seed(points.len() as u64);
    let normals = (0..hull.face_count().min(20)).map(|face| hull.face_plane(face).normal);
    let directions: Vec<DVec3> = normals.chain((0..20).map(|_| on_sphere(&mut random))).collect();
    for direction in directions {
        let base = points[0];
        let reach = |list: &[DVec3]| list.iter().map(|&p| direction.dot(p - base)).fold(f64::NEG_INFINITY, f64::max);
        let beyond = reach(points) - reach(hull.vertices());
        if beyond > tolerance {
            return Err(format!("a point is {beyond:e} beyond all vertices in direction {direction}"));
        }
    }
    Ok(())
}

/// Builds and checks the hull of a set, and that it is refused only if it may be.
fn checked_hull(set: &PointSet) -> Result<Option<Hull>, String> {
    use GeometryError::{Degenerate, OutOfRange};
    match (Hull::new(&set.points), set.expect) {
        (Ok(hull), Expect::Solid | Expect::Either) => check(&set.points, &hull).map(|()| Some(hull)),
        (Err(Degenerate { .. } | OutOfRange { .. }), Expect::Flat | Expect::Either) => Ok(None),
        (result, expect) => Err(format!("{expect:?} expected, but {result:?}")),
    }
    .map_err(|problem| format!("{}: {problem}\n{:?}", set.name, set.points))
}

#[test]
fn random_and_adversarial_sets_give_a_convex_polyhedron_or_a_reason() {
    let mut built = 0;
    let mut kinds: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    let cases = case_count(10_000);
    for seed in 0..cases {
        let set = random_set(seed);
        let hull = checked_hull(&set).unwrap();
        built += usize::from(hull.is_some());
        kinds.entry(set.kind.to_string()).or_default()[usize::from(hull.is_some())] += 1;
    }
    println!("{built} of {cases} sets gave a hull; [refused, built] by kind: {kinds:?}");
    assert!(built as u64 > cases / 2, "most kinds are solid");
}

#[test]
fn the_order_of_the_points_does_not_matter() {
    for seed in 0..case_count(10_000) / 10 {
        let mut set = random_set(seed);
        let hull = Hull::new(&set.points);
        fastrand::Rng::with_seed(seed).shuffle(&mut set.points);
        assert_eq!(hull.ok(), Hull::new(&set.points).ok(), "{}", set.name);
    }
}

/// The hull of a hull's vertices is that hull, but for vertices that do not matter.
#[test]
fn building_again_from_the_vertices_changes_nothing_that_matters() {
    for seed in 0..case_count(10_000) / 10 {
        let set = random_set(seed);
        let Ok(hull) = Hull::new(&set.points) else { continue };
        if hull.inner_radius() < 100.0 * hull.tolerance() {
            continue;
        }
        let again = Hull::new(hull.vertices()).unwrap();
        check(hull.vertices(), &again).unwrap();
        // The surface is at most that of the ball around it.
        let surface = 4.0 * std::f64::consts::PI * hull.bounding_radius() * hull.bounding_radius();
        assert!((hull.volume() - again.volume()).abs() <= surface * hull.tolerance(), "{}", set.name);
    }
}

/// Volumes against another library and against the sum of pyramids from a corner, on sets where both work.
#[test]
fn volumes_agree_with_an_independent_computation() {
    use parry3d_f64::math::Vector;
    use parry3d_f64::transformation::try_convex_hull;
    for seed in 0..case_count(10_000) / 20 {
        let mut random = fastrand::Rng::with_seed(seed);
        let count = random.usize(10..200);
        let points: Vec<DVec3> = (0..count).map(|_| on_sphere(&mut random) * random.f64()).collect();
        let hull = Hull::new(&points).unwrap();
        let input: Vec<Vector> = points.iter().map(|p| Vector::new(p.x, p.y, p.z)).collect();
        let (vertices, triangles) = try_convex_hull(&input).unwrap();
        let at = |i: u32| DVec3::new(vertices[i as usize].x, vertices[i as usize].y, vertices[i as usize].z);
        let theirs: f64 = triangles.iter().map(|&[a, b, c]| at(a).cross(at(b)).dot(at(c)) / 6.0).sum();
        assert!((hull.volume() - theirs).abs() < 1e-13, "{} {theirs}", hull.volume());
        let tip = hull.vertex(0);
        let pyramid = |face: usize| {
            let corners: Vec<DVec3> = hull.face_vertices(face).iter().map(|&v| hull.vertex(v)).collect();
            let doubled: DVec3 =
                corners[1..].windows(2).map(|pair| (pair[0] - corners[0]).cross(pair[1] - corners[0])).sum();
            0.5 * doubled.length() * -hull.face_plane(face).signed_distance(tip) / 3.0
        };
        let pyramids: f64 = (0..hull.face_count()).map(pyramid).sum();
        assert!((hull.volume() - pyramids).abs() < 1e-13, "{} {pyramids}", hull.volume());
    }
}

#[test]
fn a_hundred_thousand_points_on_a_sphere() {
    let mut random = fastrand::Rng::with_seed(7);
    let points: Vec<DVec3> = (0..100_000).map(|_| on_sphere(&mut random)).collect();
    let start = std::time::Instant::now();
    let hull = Hull::new(&points).unwrap();
    println!("{:?} for {} vertices, {} faces", start.elapsed(), hull.vertices().len(), hull.face_count());
    check_closed(&hull).unwrap();
    assert!(hull.vertices().len() > 99_900);
    // Each edge bends outwards, and the volume is that of the ball but for slices: hence convex all around.
    for edge in hull.edges() {
        for (this, other) in [(edge.faces[0], edge.faces[1]), (edge.faces[1], edge.faces[0])] {
            let plane = hull.face_plane(this as usize);
            let above = hull.face_vertices(other as usize).iter().map(|&v| plane.signed_distance(hull.vertex(v)));
            assert!(above.fold(f64::NEG_INFINITY, f64::max) <= hull.tolerance());
        }
    }
    let ball = 4.0 / 3.0 * std::f64::consts::PI;
    assert!(hull.volume() < ball && hull.volume() > ball * (1.0 - 3e-4), "{}", hull.volume() / ball);
    // Climbing finds what a scan finds.
    for _ in 0..200 {
        let direction = on_sphere(&mut random);
        let scan = points.iter().map(|p| p.dot(direction)).fold(f64::NEG_INFINITY, f64::max);
        assert!(scan - hull.support(direction).dot(direction) < 1e-15);
    }
}

#[test]
fn support_and_support_face_agree_with_a_scan() {
    for seed in 0..case_count(10_000) / 10 {
        let set = random_set(seed);
        let Ok(hull) = Hull::new(&set.points) else { continue };
        let mut random = fastrand::Rng::with_seed(seed);
        for trial in 0..30 {
            let mut direction = on_sphere(&mut random);
            if trial % 3 == 0 {
                // Along a normal, where all vertices of a face are nearly as far.
                direction = hull.face_plane(random.usize(0..hull.face_count())).normal;
            }
            let reach = |v: u32| direction.dot(hull.vertex(v) - hull.center());
            let scan = (0..hull.vertices().len() as u32).map(reach).fold(f64::NEG_INFINITY, f64::max);
            let hint = random.u32(0..hull.vertices().len() as u32);
            for found in [hull.support_vertex(direction), hull.support_vertex_from(direction, hint)] {
                let short = scan - reach(found);
                assert!(short <= 0.25 * hull.tolerance(), "{}: {short:e} short along {direction}", set.name);
            }
            let along = |face: usize| hull.face_plane(face).normal.dot(direction);
            let best = (0..hull.face_count()).map(along).fold(f64::NEG_INFINITY, f64::max);
            assert_eq!(along(hull.support_face(direction)), best);
        }
    }
}

#[test]
fn hostile_directions_do_not_panic() {
    let hull = Hull::new(&hull_sets::dodecahedron()).unwrap();
    for direction in [DVec3::ZERO, DVec3::NAN, DVec3::INFINITY, DVec3::MAX, DVec3::splat(f64::MIN_POSITIVE)] {
        assert!((hull.support_vertex(direction) as usize) < hull.vertices().len());
        assert!((hull.support_vertex_from(direction, u32::MAX) as usize) < hull.vertices().len());
        assert!(hull.support_face(direction) < hull.face_count());
    }
}

/// How many faces have how many corners.
fn faces_by_corners(hull: &Hull) -> BTreeMap<usize, usize> {
    let mut counts = BTreeMap::new();
    for face in 0..hull.face_count() {
        *counts.entry(hull.face_vertices(face).len()).or_default() += 1;
    }
    counts
}

/// The vertices of each face, in no particular order.
fn face_sets(hull: &Hull) -> BTreeSet<BTreeSet<u32>> {
    (0..hull.face_count()).map(|face| hull.face_vertices(face).iter().copied().collect()).collect()
}

/// Known polyhedra, wherever they are and however they are turned, have the faces they should have.
#[test]
fn known_polyhedra_have_their_faces() {
    let mut random = fastrand::Rng::with_seed(3);
    for (name, points, faces) in hull_sets::known_polyhedra() {
        for trial in 0..60 {
            let placed = if trial == 0 { points.clone() } else { hull_sets::placed(&points, &mut random) };
            let hull = Hull::new(&placed).unwrap();
            check(&placed, &hull).unwrap();
            let expected: BTreeMap<usize, usize> = faces.iter().copied().collect();
            assert_eq!(faces_by_corners(&hull), expected, "{name}, placement {trial}");
        }
    }
}

#[test]
fn points_inside_and_points_again_vanish() {
    let mut points = hull_sets::dodecahedron();
    let hull = Hull::new(&points).unwrap();
    let mut random = fastrand::Rng::with_seed(5);
    for _ in 0..200 {
        let (a, b) = (points[random.usize(0..20)], points[random.usize(0..20)]);
        points.push(a.lerp(b, random.f64()) * 0.999);
        points.push(a);
    }
    let again = Hull::new(&points).unwrap();
    assert_eq!(again.vertices(), hull.vertices());
    assert_eq!(face_sets(&again), face_sets(&hull));
}

/// Two of these points are 3e-9 apart, on the line through the longest side of a needle of width 1e-13; the one beyond
/// the needle's tip once was taken for one near its face.
#[test]
fn a_point_beyond_the_tip_of_a_needle_is_not_lost() {
    let points = [
        DVec3::new(-3.0, 0.0, 3.0),
        DVec3::new(2.0, 0.0, -1.0),
        DVec3::new(-3.0, 0.0, -3.0),
        DVec3::new(-1.0, -3.0, -3.0),
        DVec3::new(0.0, 2.0, 3.0),
        DVec3::new(2.000000002, -3.0, 0.0),
        DVec3::new(0.0, -3.0000000000001, -2.0),
        DVec3::new(2.0, -3.0, -2e-9),
        DVec3::new(0.0, 0.0, 2.0),
    ];
    check(&points, &Hull::new(&points).unwrap()).unwrap();
}

/// Sets on which a careless order of insertion takes time proportional to the square of their number.
#[test]
fn many_points_on_two_circles_take_no_longer_than_others() {
    let count = 50_000;
    let on_circles =
        |i: usize| hull_sets::circle(std::f64::consts::TAU * (i / 2) as f64 / (count / 2) as f64, (i % 2) as f64);
    let cylinder: Vec<DVec3> = (0..count).map(on_circles).collect();
    let hull = Hull::new(&cylinder).unwrap();
    assert_eq!(faces_by_corners(&hull), BTreeMap::from([(4, count / 2), (count / 2, 2)]));
}

#[test]
fn what_is_not_solid_is_refused_with_numbers() {
    let line: Vec<DVec3> = (0..20).map(|i| DVec3::new(1.0, 2.0, 3.0) * f64::from(i)).collect();
    let plane: Vec<DVec3> = (0..25).map(|i| DVec3::new(f64::from(i % 5), f64::from(i / 5), 7.0)).collect();
    let message = |points: &[DVec3]| Hull::new(points).unwrap_err().to_string();
    assert!(message(&line[..3]).contains("3 given, but at least 4 needed"));
    assert!(message(&[]).contains("0 given"));
    assert!(message(&[DVec3::ONE; 9]).contains("all its 9 points at [1, 1, 1]"));
    assert!(message(&line).contains("m of the line from [0, 0, 0] to [19, 38, 57]"), "{}", message(&line));
    assert!(message(&plane).contains("0e0 m of the plane through [0, 0, 7]"), "{}", message(&plane));
    let mut bad = plane.clone();
    bad[7].y = f64::NAN;
    assert!(message(&bad).contains("hull point 7 is [2, NaN, 7]"));
    bad[7].y = f64::NEG_INFINITY;
    assert!(message(&bad).contains("hull point 7"));
    let tiny: Vec<DVec3> = hull_sets::dodecahedron().iter().map(|p| p * 1e-10).collect();
    assert!(message(&tiny).contains("extent of the hull is 0.0000000003"), "{}", message(&tiny));
}

/// Any bit pattern at all, and patterns that are more often ordinary.
fn any_coordinate() -> impl Strategy<Value = f64> {
    prop_oneof![
        1 => any::<u64>().prop_map(f64::from_bits),
        40 => prop::sample::select(vec![0.0, -0.0, 1.0, -1.0, 0.5, 1e-300, 5e-324, 1e9, -1e9, 1e-9, 1.0 + f64::EPSILON]),
        40 => -1.0..1.0,
        20 => (-1.0..1.0).prop_map(|x: f64| x * 1e-12),
        20 => -1e9..1e9,
        20 => (-3..3).prop_map(f64::from),
    ]
}

fn assert_valid_or_refused(points: &[DVec3]) -> Result<(), TestCaseError> {
    match Hull::new(points) {
        Ok(hull) => check(points, &hull).map_err(|problem| TestCaseError::fail(format!("{problem}: {points:?}"))),
        Err(_) => Ok(()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: case_count(10_000) as u32 / 2,
        failure_persistence: None,
        ..Default::default()
    })]

    #[test]
    fn no_bit_pattern_panics(
        coordinates in prop::collection::vec((any_coordinate(), any_coordinate(), any_coordinate()), 0..40)
    ) {
        let points: Vec<DVec3> = coordinates.into_iter().map(|(x, y, z)| DVec3::new(x, y, z)).collect();
        assert_valid_or_refused(&points)?;
    }

    /// Points of a grid, some a little beside their place.
    #[test]
    fn disturbed_grids(
        coordinates in prop::collection::vec((-3..4, -3..4, -3..4, 0..4_usize, -2..3, 0..3_usize), 4..40)
    ) {
        let noise = [0.0, 1e-16, 1e-13, 1e-9];
        let disturbed = |(x, y, z, size, steps, axis): (i32, i32, i32, usize, i32, usize)| {
            let mut p = DVec3::new(f64::from(x), f64::from(y), f64::from(z));
            p[axis] += noise[size] * f64::from(steps);
            p
        };
        let points: Vec<DVec3> = coordinates.into_iter().map(disturbed).collect();
        assert_valid_or_refused(&points)?;
    }
}
