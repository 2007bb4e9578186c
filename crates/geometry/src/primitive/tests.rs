//! The primitives against brute force and independent formulas, with random and degenerate input.

use super::*;
use crate::{Aabb, BoundingSphere, Obb, Transform, math};
use fastrand::Rng;

/// A random point; now and then on a small lattice, so that things coincide, line up and touch.
fn point(rng: &mut Rng) -> DVec3 {
    if rng.u8(..) < 80 {
        DVec3::new(rng.i8(-2..=2).into(), rng.i8(-2..=2).into(), rng.i8(-2..=2).into())
    } else {
        DVec3::new(rng.f64() * 4.0 - 2.0, rng.f64() * 4.0 - 2.0, rng.f64() * 4.0 - 2.0)
    }
}

fn pose(rng: &mut Rng) -> Transform {
    let axis = (point(rng) + DVec3::new(0.1, 0.2, 0.3)).normalize();
    Transform::new(math::rotation_about(axis, 6.0 * rng.f64()), point(rng))
}

fn triangle(rng: &mut Rng) -> Triangle {
    Triangle::new(point(rng), point(rng), point(rng))
}

/// The least of a convex function on [0, 1] by golden-section search.
fn minimum(f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..120 {
        let (p, q) = (low + 0.381_966 * (high - low), high - 0.381_966 * (high - low));
        if f(p) < f(q) { high = q } else { low = p }
    }
    f(0.5 * (low + high)).min(f(0.0)).min(f(1.0))
}

#[test]
fn segment_pairs_are_closest_by_nested_search() {
    let mut rng = Rng::with_seed(1);
    for case in 0..2000 {
        let mut a = Segment::new(point(&mut rng), point(&mut rng));
        let mut b = Segment::new(point(&mut rng), point(&mut rng));
        match case % 8 {
            0 => b = Segment::new(b.a, b.a + a.offset() * 1.7),
            1 => b = Segment::new(b.a, b.a + a.offset() + 1e-9 * point(&mut rng)),
            2 => b = Segment::new(a.at(0.5) - a.offset() + 1e-7 * DVec3::X, a.at(0.5) + a.offset() - 1e-7 * DVec3::X),
            3 => b = Segment::new(b.a, b.a),
            4 => (a, b) = (Segment::new(a.a, a.a), Segment::new(b.a, b.a)),
            5 => b = Segment::new(a.at(0.3), a.at(2.0)),
            _ => {}
        }
        let pair = a.closest_to_segment(&b);
        let brute = minimum(|s| minimum(|t| a.at(s).distance(b.at(t))));
        assert!((pair.distance() - brute).abs() < 1e-7, "{a:?} {b:?}: {} against {brute}", pair.distance());
        assert!(pair.distance() < brute + 1e-14, "{a:?} {b:?}: {} against {brute}", pair.distance());
        assert!((a.at(pair.parameter_a) - pair.point_a).length() < 1e-14);
        assert!((b.at(pair.parameter_b) - pair.point_b).length() < 1e-14);
        assert!((b.distance_to_segment(&a) - pair.distance()).abs() < 1e-14);
    }
}

#[test]
fn nearly_parallel_segments_that_cross_have_no_distance() {
    for angle in [1e-3, 1e-5, 1e-7, 1e-9, 1e-11, 1e-13, 1e-15] {
        let a = Segment::new(DVec3::new(-1.0, 0.1, 0.2), DVec3::new(1.1, 0.1, 0.2));
        let b = Segment::new(DVec3::new(-1.0, 0.1 - angle, 0.2), DVec3::new(1.0, 0.1 + angle, 0.2));
        assert!(a.distance_to_segment(&b) < 2e-15, "{angle}: {}", a.distance_to_segment(&b));
    }
}

#[test]
fn segment_measures() {
    let s = Segment::new(DVec3::new(1.0, 2.0, 3.0), DVec3::new(3.0, 5.0, 9.0));
    assert_eq!((s.length_squared(), s.length()), (49.0, 7.0));
    assert_eq!(s.direction(), Some(DVec3::new(2.0, 3.0, 6.0) / 7.0));
    assert_eq!(s.midpoint(), DVec3::new(2.0, 3.5, 6.0));
    assert_eq!(s.reversed().offset(), -s.offset());
    assert_eq!(s.closest_parameter(DVec3::new(-9.0, 0.0, 0.0)), 0.0);
    assert_eq!(Segment::new(s.a, s.a).direction(), None);
    let pose = pose(&mut Rng::with_seed(2));
    assert!((s.transformed(&pose).distance(pose.point(DVec3::X)) - s.distance(DVec3::X)).abs() < 1e-14);
}

#[test]
fn ray_is_closest_at_the_foot_or_its_start() {
    let ray = Ray::towards(DVec3::ONE, DVec3::new(5.0, 1.0, 1.0)).unwrap();
    assert_eq!(ray.direction, DVec3::X);
    assert_eq!(ray.closest_point(DVec3::new(4.0, 5.0, 4.0)), DVec3::new(4.0, 1.0, 1.0));
    assert_eq!(ray.distance(DVec3::new(4.0, 5.0, 4.0)), 5.0);
    assert_eq!(ray.closest_point(DVec3::new(-4.0, 5.0, 4.0)), DVec3::ONE);
    assert!(Ray::towards(DVec3::ONE, DVec3::ONE).is_err());
    assert!(Ray::new(DVec3::NAN, DVec3::X).unwrap_err().to_string().contains("ray point 0 is"));
    assert!(Ray::new(DVec3::ZERO, DVec3::X * f64::INFINITY).unwrap_err().to_string().contains("direction of a ray"));
    let pose = pose(&mut Rng::with_seed(3));
    let back = ray.transformed(&pose).to_local(&pose);
    assert!((back.origin - ray.origin).length() < 1e-14 && (back.direction - ray.direction).length() < 1e-14);
    let twice = ray.mapped(&glam::DMat3::from_diagonal(DVec3::splat(2.0))).unwrap();
    assert_eq!((twice.origin, twice.direction), (DVec3::splat(2.0), DVec3::X));
}

#[test]
fn plane_sides_agree_with_corners() {
    let mut rng = Rng::with_seed(4);
    for _ in 0..3000 {
        let Some(plane) = Plane::through(point(&mut rng), point(&mut rng), point(&mut rng)) else { continue };
        let pose = pose(&mut rng);
        let half = point(&mut rng).abs() + DVec3::splat(0.01);
        let center = point(&mut rng);
        let side = |heights: &[f64]| {
            let (low, high) =
                heights.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &x| (l.min(x), h.max(x)));
            // Touching to rounding may be answered either way.
            if low.abs() < 1e-12 || high.abs() < 1e-12 {
                None
            } else if low > 0.0 {
                Some(Side::Above)
            } else if high < 0.0 {
                Some(Side::Below)
            } else {
                Some(Side::Across)
            }
        };
        let corner =
            |i: usize| DVec3::new([-1.0, 1.0][i & 1], [-1.0, 1.0][(i >> 1) & 1], [-1.0, 1.0][(i >> 2) & 1]) * half;
        let straight: Vec<f64> = (0..8).map(|i| plane.signed_distance(center + corner(i))).collect();
        let turned: Vec<f64> = (0..8).map(|i| plane.signed_distance(pose.point(corner(i)))).collect();
        if let Some(side) = side(&straight) {
            assert_eq!(plane.side_of_aabb(&Aabb::from_center(center, half)), side);
        }
        if let Some(side) = side(&turned) {
            assert_eq!(plane.side_of_obb(&Obb { pose, half_extents: half }), side);
        }
        let height = plane.signed_distance(center);
        if let Some(side) = side(&[height - half.x, height + half.x]) {
            assert_eq!(plane.side_of_sphere(&BoundingSphere { center, radius: half.x }), side);
        }
        let moved = plane.transformed(&pose);
        assert!((moved.signed_distance(pose.point(center)) - height).abs() < 1e-13);
        assert!(plane.signed_distance(plane.project(center)).abs() < 1e-14);
        assert_eq!(plane.flipped().signed_distance(center), -height);
    }
}

#[test]
fn plane_with_infinite_boxes() {
    let ground = Plane::from_point_normal(DVec3::ZERO, DVec3::Y).unwrap();
    let below = Aabb::new(DVec3::NEG_INFINITY, DVec3::new(f64::INFINITY, -1.0, f64::INFINITY));
    assert_eq!(ground.side_of_aabb(&below), Side::Below);
    assert_eq!(ground.side_of_aabb(&Aabb::EVERYTHING), Side::Across);
}

#[test]
fn plane_crossings_lie_on_the_plane() {
    let mut rng = Rng::with_seed(5);
    for _ in 0..3000 {
        let Some(plane) = Plane::from_point_normal(point(&mut rng), point(&mut rng)) else { continue };
        let segment = Segment::new(point(&mut rng), point(&mut rng));
        let (a, b) = (plane.signed_distance(segment.a), plane.signed_distance(segment.b));
        match plane.intersect_segment(&segment) {
            Some(t) => assert!(plane.signed_distance(segment.at(t)).abs() < 1e-14),
            None => assert!(a * b > 0.0),
        }
        let Ok(ray) = Ray::towards(segment.a, segment.b) else { continue };
        match plane.cast_ray(&ray) {
            Some(t) => assert!(plane.signed_distance(ray.at(t)).abs() < 1e-14 * (1.0 + t)),
            None => assert!(a != 0.0 && a * (b - a) >= 0.0),
        }
    }
}

#[test]
fn triangle_closest_point_obeys_the_variational_inequality() {
    // q is closest to p in a convex set exactly if (p − q)·(x − q) ≤ 0 for every corner x.
    let mut rng = Rng::with_seed(6);
    for case in 0..20_000 {
        let mut t = triangle(&mut rng);
        if case % 5 == 0 {
            // Slivers and triangles without area.
            t.vertices[2] = t.edge(0).at(rng.f64()) + [0.0, 1e-3, 1e-9][case / 5 % 3] * point(&mut rng);
        }
        let p = point(&mut rng);
        let closest = t.closest_point(p);
        for vertex in t.vertices {
            assert!((p - closest.point).dot(vertex - closest.point) < 1e-11, "{t:?} {p}");
        }
        assert!((t.at(closest.barycentric) - closest.point).length() < 1e-7, "{t:?} {p} {closest:?}");
        assert!(closest.barycentric.min_element() >= 0.0);
        assert!((closest.barycentric.element_sum() - 1.0).abs() < 1e-14);
        let zeros = closest.barycentric.to_array().iter().filter(|&&w| w == 0.0).count();
        let expected = match closest.feature {
            TriangleFeature::Vertex(i) => {
                assert_eq!(closest.point, t.vertices[usize::from(i)]);
                2
            }
            TriangleFeature::Edge(i) => {
                assert!(t.edge(usize::from(i)).distance(closest.point) < 1e-14);
                1
            }
            TriangleFeature::Face => 0,
        };
        assert_eq!(zeros, expected, "{closest:?}");
    }
}

#[test]
fn triangle_measures() {
    let t = Triangle::new(DVec3::ZERO, DVec3::X * 3.0, DVec3::Y * 4.0);
    assert_eq!((t.area(), t.normal()), (6.0, Some(DVec3::Z)));
    assert_eq!(t.flipped().normal(), Some(-DVec3::Z));
    assert_eq!(t.centroid(), DVec3::new(1.0, 4.0 / 3.0, 0.0));
    assert_eq!(t.edge_offsets().into_iter().sum::<DVec3>(), DVec3::ZERO);
    assert_eq!(t.support(DVec3::new(1.0, 1.0, 0.0)), DVec3::Y * 4.0);
    assert_eq!(t.project(DVec3::new(1.0, -1.0, 0.0)), (-4.0, 3.0));
    assert_eq!(t.aabb(), Aabb::new(DVec3::ZERO, DVec3::new(3.0, 4.0, 0.0)));
    assert_eq!(t.barycentric(DVec3::new(3.0, 0.0, 7.0)), Some(DVec3::Y));
    assert!(t.contains_point(DVec3::new(1.0, 1.0, 1e-10), 1e-9) && !t.contains_point(DVec3::ONE, 1e-9));
    assert_eq!(Triangle::new(DVec3::X, DVec3::X, DVec3::Y).normal(), None);
}

#[test]
fn triangle_rays_agree_with_the_plane_and_barycentric_coordinates() {
    let mut rng = Rng::with_seed(7);
    let mut hits = 0;
    for _ in 0..20_000 {
        let t = triangle(&mut rng);
        let Ok(ray) = Ray::towards(point(&mut rng), point(&mut rng)) else { continue };
        let Some(plane) = Plane::through(t.vertices[0], t.vertices[1], t.vertices[2]) else { continue };
        if plane.normal.dot(ray.direction).abs() < 1e-6 {
            continue;
        }
        let hit = t.cast_ray(&ray, 1e3, Culling::None);
        let expected = plane.cast_ray(&ray).map(|d| (d, t.barycentric(ray.at(d)).unwrap().min_element()));
        match (hit, expected) {
            (Some(hit), Some((distance, margin))) => {
                hits += 1;
                assert!((hit.distance - distance).abs() < 1e-9 && margin > -1e-9, "{t:?} {ray:?}");
                assert!((t.at(hit.barycentric) - ray.at(hit.distance)).length() < 1e-9);
                assert_eq!(hit.front, plane.normal.dot(ray.direction) < 0.0);
                assert_eq!(t.cast_ray(&ray, 1e3, Culling::BackFaces).is_some(), hit.front);
                assert_eq!(t.cast_ray(&ray, 1e3, Culling::FrontFaces).is_some(), !hit.front);
                assert_eq!(t.cast_ray(&ray, hit.distance, Culling::None), Some(hit));
            }
            (None, Some((distance, margin))) => assert!(margin < 1e-9 || distance < 1e-9, "{t:?} {ray:?}"),
            (Some(hit), None) => assert!(hit.distance < 1e-9),
            (None, None) => {}
        }
    }
    assert!(hits > 500, "{hits}");
}

#[test]
fn rays_never_slip_through_the_seams_of_a_closed_surface() {
    // A fan around an apex: rays from inside towards points exactly on edges and corners.
    let mut rng = Rng::with_seed(8);
    for _ in 0..5000 {
        let corners = [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::ONE].map(|v| v * 10.0 + point(&mut rng));
        let body = Tetrahedron { vertices: corners };
        let edge = Segment::new(corners[rng.usize(0..3)], corners[3]);
        let target = if rng.bool() { edge.at(rng.f64()) } else { edge.a };
        let ray = Ray::towards(body.centroid(), target).unwrap();
        assert!((0..4).any(|i| body.face(i).cast_ray(&ray, 100.0, Culling::None).is_some()));
    }
}

#[test]
fn triangle_pairs_meet_exactly_if_a_ray_along_an_edge_says_so() {
    let mut rng = Rng::with_seed(9);
    let mut counts = [0; 2];
    for _ in 0..20_000 {
        let (a, b) = (triangle(&mut rng), triangle(&mut rng));
        let closest = a.closest_to_triangle(&b);
        let meets = a.intersects(&b);
        assert_eq!(meets, b.intersects(&a));
        // The predicate is exact, the distance rounded.
        assert!(if meets { closest.length() < 1e-14 } else { closest.length() > 0.0 || closest.a == closest.b });
        if closest.length() > 1e-14 {
            assert!(!meets, "{a:?} {b:?}");
        }
        counts[usize::from(meets)] += 1;
        // The distance by alternating projections, which converge to it (slowly).
        let mut p = a.centroid();
        for _ in 0..200 {
            p = a.closest_point(b.closest_point(p).point).point;
        }
        let alternating = b.distance(p);
        assert!(closest.length() <= alternating + 1e-14 && closest.length() > alternating - 0.1, "{a:?} {b:?}");
    }
    assert!(counts[0] > 2000 && counts[1] > 2000, "{counts:?}");
}

#[test]
fn touching_and_coplanar_triangles() {
    let t = Triangle::new(DVec3::ZERO, DVec3::X, DVec3::Y);
    let at = |x: f64, y: f64, z: f64| t.transformed(&Transform::from_translation(DVec3::new(x, y, z)));
    assert!(t.intersects(&t) && t.intersects(&t.flipped()));
    assert!(t.intersects(&at(1.0, 0.0, 0.0)), "a shared corner");
    assert!(t.intersects(&at(0.25, 0.25, 0.0)), "coplanar overlap");
    assert!(!t.intersects(&at(1.0, f64::EPSILON, 0.0)) && !t.intersects(&at(0.0, 0.0, 1e-300)));
    let inside = Triangle::new(DVec3::new(0.1, 0.1, 0.0), DVec3::new(0.2, 0.1, 0.0), DVec3::new(0.1, 0.2, 0.0));
    assert!(t.intersects(&inside) && inside.intersects(&t), "one within the other");
    let needle = Triangle::new(DVec3::new(0.2, 0.2, -1.0), DVec3::new(0.2, 0.2, 1.0), DVec3::new(0.2, 0.2, 0.5));
    assert!(t.intersects(&needle) && needle.intersects(&t), "a segment through the face");
}

#[test]
fn tetrahedron_closest_point_and_containment() {
    let mut rng = Rng::with_seed(10);
    for case in 0..10_000 {
        let mut t = Tetrahedron::new(point(&mut rng), point(&mut rng), point(&mut rng), point(&mut rng));
        if case % 10 == 0 {
            t.vertices[3] = Triangle::new(t.vertices[0], t.vertices[1], t.vertices[2]).centroid();
        }
        let p = point(&mut rng);
        let closest = t.closest_point(p);
        for vertex in t.vertices {
            assert!((p - closest.point).dot(vertex - closest.point) < 1e-12, "{t:?} {p}");
        }
        if t.volume() > 1e-6 {
            let weights = t.barycentric(p).unwrap();
            let again: DVec3 = t.vertices.iter().zip(weights).map(|(&v, w)| v * w).sum();
            assert!((again - p).length() < 1e-9);
            for i in 0..4 {
                let face = t.face(i);
                assert!(face.normal().unwrap().dot(t.vertices[i] - face.vertices[0]) < 0.0, "faces look outward");
            }
            // Inside means below all faces.
            let heights = [0, 1, 2, 3].map(|i| {
                let f = t.face(i);
                Plane::through(f.vertices[0], f.vertices[1], f.vertices[2]).unwrap().signed_distance(p)
            });
            let highest = heights.into_iter().fold(f64::NEG_INFINITY, f64::max);
            if highest.abs() > 1e-9 {
                assert_eq!(t.contains_point(p), highest < 0.0);
            }
            let outside = t.centroid() + 100.0 * (p - t.centroid()).normalize_or(DVec3::X);
            let ray = Ray::towards(outside, t.centroid()).unwrap();
            let entry = t.cast_ray(&ray, 200.0).expect("a ray to the centre hits");
            assert!(t.distance(ray.at(entry)) < 1e-9 && t.distance(ray.at(entry - 1e-6)) > 0.0);
            assert_eq!(t.cast_ray(&Ray { origin: t.centroid(), ..ray }, 200.0), Some(0.0));
        }
    }
    let unit = Tetrahedron::new(DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z);
    assert_eq!(unit.signed_volume(), 1.0 / 6.0);
    assert_eq!(unit.centroid(), DVec3::splat(0.25));
    let pose = pose(&mut rng);
    assert!((unit.transformed(&pose).volume() - 1.0 / 6.0).abs() < 1e-15);
}

#[test]
fn hostile_numbers_do_not_panic() {
    let bad = [0.0, 1.0, -1e308, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 5e-324];
    let mut rng = Rng::with_seed(11);
    let mut p = || DVec3::new(bad[rng.usize(0..7)], bad[rng.usize(0..7)], bad[rng.usize(0..7)]);
    for _ in 0..20_000 {
        let t = Triangle::new(p(), p(), p());
        let u = Triangle::new(p(), p(), p());
        let ray = Ray { origin: p(), direction: p() };
        let _ = (t.closest_point(p()), t.cast_ray(&ray, p().x, Culling::None), t.normal(), t.barycentric(p()));
        let _ = (t.intersects(&u), t.closest_to_triangle(&u), t.aabb(), t.project(p()), t.support(p()));
        let s = Segment::new(p(), p());
        let _ = (s.closest_to_segment(&Segment::new(p(), p())), s.closest_point(p()), s.direction());
        let solid = Tetrahedron::new(p(), p(), p(), p());
        let _ = (solid.closest_point(p()), solid.barycentric(p()), solid.cast_ray(&ray, p().x));
        if let Some(plane) = Plane::through(p(), p(), p()) {
            let _ = (plane.cast_ray(&ray), plane.intersect_segment(&s), plane.side_of_aabb(&Aabb::new(p(), p())));
        }
    }
}
