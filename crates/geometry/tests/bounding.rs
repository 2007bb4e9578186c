//! Bounding volumes against sampling and against the general convex algorithms, which share no code with them.

use fastrand::Rng;
use tumble_geometry::bounding::Volume;
use tumble_geometry::glam::{DQuat, DVec3};
use tumble_geometry::{Aabb, BoundingSphere, BoundingVolume, Obb, Ray, Shape, Transform, Triangle, query};

/// How many random cases a test runs; `TUMBLE_CASES` multiplies it.
fn cases(default: usize) -> usize {
    let factor = std::env::var("TUMBLE_CASES").ok().and_then(|text| text.parse::<usize>().ok()).unwrap_or(1);
    default * factor
}

/// Now and then on a lattice, so that faces line up and edges are parallel.
fn point(rng: &mut Rng, reach: f64) -> DVec3 {
    if rng.u8(..) < 60 {
        DVec3::new(rng.i8(-4..=4).into(), rng.i8(-4..=4).into(), rng.i8(-4..=4).into()) * (reach / 4.0)
    } else {
        (DVec3::new(rng.f64(), rng.f64(), rng.f64()) * 2.0 - DVec3::ONE) * reach
    }
}

fn unit(rng: &mut Rng) -> DVec3 {
    (0..100).find_map(|_| (point(rng, 1.0)).try_normalize()).unwrap_or(DVec3::X)
}

fn rotation(rng: &mut Rng) -> DQuat {
    match rng.u8(..8) {
        0 => DQuat::IDENTITY,
        1 => tumble_geometry::math::rotation_about(unit(rng), std::f64::consts::FRAC_PI_2),
        _ => tumble_geometry::math::rotation_about(unit(rng), rng.f64() * 6.0),
    }
}

fn half_extents(rng: &mut Rng) -> DVec3 {
    DVec3::new(0.05 + rng.f64(), 0.05 + rng.f64(), 0.05 + rng.f64())
}

fn sphere(rng: &mut Rng) -> BoundingSphere {
    BoundingSphere::new(point(rng, 1.8), 0.05 + rng.f64())
}

fn aabb(rng: &mut Rng) -> Aabb {
    Aabb::from_center(point(rng, 1.8), half_extents(rng))
}

fn obb(rng: &mut Rng) -> Obb {
    Obb::new(Transform::new(rotation(rng), point(rng, 1.8)), half_extents(rng))
}

fn volume(rng: &mut Rng, kind: usize) -> Volume {
    match kind {
        0 => sphere(rng).into(),
        1 => aabb(rng).into(),
        _ => obb(rng).into(),
    }
}

/// The same body as a shape and its pose.
fn as_shape(volume: Volume) -> (Shape, Transform) {
    match volume {
        Volume::Sphere(s) => (Shape::sphere(s.radius).expect("positive size"), Transform::from_translation(s.center)),
        Volume::Aabb(b) => {
            (Shape::cuboid(b.half_extents()).expect("positive size"), Transform::from_translation(b.center()))
        }
        Volume::Obb(b) => (Shape::cuboid(b.half_extents).expect("positive size"), b.pose),
    }
}

/// The distance of two volumes, minus the depth if they overlap, by GJK and EPA.
fn gap(a: Volume, b: Volume, motion: DVec3) -> f64 {
    let ((a, mut pose_a), (b, pose_b)) = (as_shape(a), as_shape(b));
    pose_a.translation += motion;
    let b_in_a = pose_a.to_local(&pose_b);
    match query::penetration(&a, &b, &b_in_a) {
        Some(penetration) => -penetration.depth,
        None => query::distance(&a, &b, &b_in_a).distance,
    }
}

fn intersects(a: Volume, b: Volume) -> bool {
    match (a, b) {
        (Volume::Sphere(a), Volume::Sphere(b)) => a.intersects(&b),
        (Volume::Sphere(a), Volume::Aabb(b)) => a.intersects(&b),
        (Volume::Sphere(a), Volume::Obb(b)) => a.intersects(&b),
        (Volume::Aabb(a), Volume::Sphere(b)) => a.intersects(&b),
        (Volume::Aabb(a), Volume::Aabb(b)) => a.intersects(&b),
        (Volume::Aabb(a), Volume::Obb(b)) => a.intersects(&b),
        (Volume::Obb(a), Volume::Sphere(b)) => a.intersects(&b),
        (Volume::Obb(a), Volume::Aabb(b)) => a.intersects(&b),
        (Volume::Obb(a), Volume::Obb(b)) => a.intersects(&b),
    }
}

fn sweep(a: Volume, motion: DVec3, b: Volume) -> Option<f64> {
    match (a, b) {
        (Volume::Sphere(a), Volume::Sphere(b)) => a.sweep(motion, &b),
        (Volume::Sphere(a), Volume::Aabb(b)) => a.sweep(motion, &b),
        (Volume::Sphere(a), Volume::Obb(b)) => a.sweep(motion, &b),
        (Volume::Aabb(a), Volume::Sphere(b)) => a.sweep(motion, &b),
        (Volume::Aabb(a), Volume::Aabb(b)) => a.sweep(motion, &b),
        (Volume::Aabb(a), Volume::Obb(b)) => a.sweep(motion, &b),
        (Volume::Obb(a), Volume::Sphere(b)) => a.sweep(motion, &b),
        (Volume::Obb(a), Volume::Aabb(b)) => a.sweep(motion, &b),
        (Volume::Obb(a), Volume::Obb(b)) => a.sweep(motion, &b),
    }
}

#[test]
fn all_pairs_meet_exactly_when_their_distance_is_zero() {
    let mut rng = Rng::with_seed(1);
    let mut counts = [[0; 2]; 9];
    for case in 0..cases(30_000) {
        let (kind_a, kind_b) = (case % 3, case / 3 % 3);
        let (a, b) = (volume(&mut rng, kind_a), volume(&mut rng, kind_b));
        let gap = gap(a, b, DVec3::ZERO);
        if gap.abs() > 1e-9 {
            assert_eq!(intersects(a, b), gap < 0.0, "{a:?} {b:?} {gap}");
        }
        counts[case % 9][usize::from(gap < 0.0)] += 1;
    }
    assert!(counts.as_flattened().iter().all(|&count| count > 100), "{counts:?}");
}

#[test]
fn sweeps_end_at_first_touch() {
    let mut rng = Rng::with_seed(2);
    let mut counts = [[0; 2]; 9];
    for case in 0..cases(9_000) {
        let (a, b) = (volume(&mut rng, case % 3), volume(&mut rng, case / 3 % 3));
        let motion = if case % 20 == 0 { DVec3::ZERO } else { 3.0 * point(&mut rng, 2.0) };
        let answer = sweep(a, motion, b);
        counts[case % 9][usize::from(answer.is_some())] += 1;
        // Not before: apart at every moment up to the answer, or to the end.
        let end = answer.unwrap_or(1.0);
        for sample in 0..40 {
            let fraction = end * f64::from(sample) / 40.0;
            let gap = gap(a, b, motion * fraction);
            assert!(gap > -1e-9 || end == 0.0, "{a:?} {b:?} {motion} {answer:?}: {gap} at {fraction}");
        }
        // Not after: touching at the answer, unless they overlapped from the start.
        if let Some(fraction) = answer {
            let gap = gap(a, b, motion * fraction);
            assert!(
                if fraction == 0.0 { gap < 1e-9 } else { gap.abs() < 1e-9 },
                "{a:?} {b:?} {motion} {fraction} {gap}"
            );
        }
    }
    assert!(counts.as_flattened().iter().all(|&count| count > 50), "{counts:?}");
}

/// Checks everything a volume answers about points, axes, rays and triangles by its definition as a set.
fn check_single<V: BoundingVolume + std::fmt::Debug>(
    make: impl Fn(&mut Rng) -> V,
    support: impl Fn(&V, DVec3) -> DVec3,
) {
    let mut rng = Rng::with_seed(3);
    let mut hits = 0;
    for _ in 0..cases(5_000) {
        let v = make(&mut rng);
        let axis = point(&mut rng, 2.0);
        let (low, high) = v.project(axis);
        assert!(
            (high - support(&v, axis).dot(axis)).abs() < 1e-13 && (low - support(&v, -axis).dot(axis)).abs() < 1e-13
        );

        // The closest point q of p lies in the set, and no point x of it is nearer: (p − q)·(x − q) ≤ 0.
        let p = point(&mut rng, 5.0);
        let q = v.closest_point(p);
        assert!((p - q).dot(support(&v, p - q) - q) < 1e-12, "{v:?} {p}");
        let inward = q + 1e-9 * (v.center() - q);
        assert!(v.contains_point(inward), "{v:?} {q}");
        assert_eq!(v.contains_point(p), p == q, "{v:?} {p}");
        assert!((v.distance(p) - p.distance(q)).abs() < 1e-14);

        // A ray is outside before it enters, inside just after (unless it only grazes).
        let Ok(ray) = Ray::towards(p, v.center() + point(&mut rng, 1.0)) else { continue };
        match v.cast_ray(&ray, 100.0) {
            Some(distance) => {
                hits += 1;
                assert!(v.distance(ray.at(distance)) < 1e-9, "{v:?} {ray:?}");
                assert_eq!(distance == 0.0, v.contains_point(p) || v.distance(p) == 0.0, "{v:?} {ray:?}");
                assert!(
                    (0..20)
                        .all(|i| !v.contains_point(ray.at(distance * f64::from(i) / 20.0 - 1e-9)) || distance == 0.0)
                );
                assert_eq!(v.cast_ray(&ray, distance * 0.999 - 1e-12), None);
            }
            None => assert!((0..200).all(|i| !v.contains_point(ray.at(0.05 * f64::from(i)))), "{v:?} {ray:?}"),
        }

        // Alternating projections converge to the distance of volume and triangle.
        let triangle = Triangle::new(point(&mut rng, 5.0), point(&mut rng, 5.0), point(&mut rng, 5.0));
        let mut x = v.center();
        for _ in 0..3000 {
            x = v.closest_point(triangle.closest_point(x).point);
        }
        let distance = triangle.distance(x);
        if v.intersects_triangle(&triangle) {
            assert!(distance < 1e-2, "{v:?} {triangle:?} {distance}");
        } else {
            assert!(distance > 0.0, "{v:?} {triangle:?}");
        }

        let other = make(&mut rng);
        let both = v.merged(&other);
        let pose = Transform::new(rotation(&mut rng), point(&mut rng, 3.0));
        let moved = v.transformed(&pose);
        for _ in 0..20 {
            let direction = unit(&mut rng);
            for inner in [v, other] {
                assert!(both.distance(support(&inner, direction)) < 1e-12, "{v:?} {other:?}");
            }
            assert!(moved.distance(pose.point(support(&v, direction))) < 1e-12);
        }
        assert!(moved.volume() > v.volume() * (1.0 - 1e-12) && both.surface_area() > v.surface_area() * (1.0 - 1e-12));
    }
    assert!(hits > 1000, "{hits}");
}

#[test]
fn sphere_is_its_set_of_points() {
    check_single(sphere, |s, d| s.center + d.normalize_or_zero() * s.radius);
    let ball = BoundingSphere::new(DVec3::X, 3.0);
    assert!((ball.volume() - 113.097_335_529_232_55).abs() < 1e-12);
    assert!((ball.surface_area() - 113.097_335_529_232_55).abs() < 1e-12);
}

#[test]
fn aabb_is_its_set_of_points() {
    check_single(aabb, |b, d| b.center() + b.half_extents() * d.signum());
    let unit = Aabb::new(DVec3::ZERO, DVec3::new(1.0, 2.0, 3.0));
    assert_eq!((unit.volume(), unit.surface_area()), (6.0, 22.0));
    assert_eq!((Aabb::EMPTY.volume(), Aabb::EMPTY.surface_area()), (0.0, 0.0));
}

#[test]
fn obb_is_its_set_of_points() {
    check_single(obb, |b, d| b.pose.point(b.half_extents * b.pose.inverse_vector(d).signum()));
    let b = Obb::new(Transform::IDENTITY, DVec3::new(0.5, 1.0, 1.5));
    assert_eq!((b.volume(), b.surface_area()), (6.0, 22.0));
}

#[test]
fn boxes_answer_rays_along_their_faces_and_axes() {
    let b = Aabb::new(DVec3::ZERO, DVec3::ONE);
    for sign in [1.0, -1.0] {
        for zero in [0.0, -0.0] {
            for axis in 0..3 {
                for (u, v, hit) in
                    [(0.5, 0.5, true), (0.0, 0.5, true), (1.0, 0.0, true), (0.5, 1.1, false), (-1e-300, 0.5, false)]
                {
                    let mut direction = DVec3::splat(zero);
                    direction[axis] = sign;
                    let mut origin = DVec3::ZERO;
                    origin[axis] = -2.0 * sign + 0.5;
                    (origin[(axis + 1) % 3], origin[(axis + 2) % 3]) = (u, v);
                    let ray = Ray { origin, direction };
                    assert_eq!(b.cast_ray(&ray, 10.0), hit.then_some(1.5), "{ray:?}");
                    assert_eq!(b.cast_ray(&ray, 1.4), None);
                    assert_eq!(
                        b.cast_ray(&Ray { origin: origin + direction * 2.0, direction }, 10.0),
                        hit.then_some(0.0)
                    );
                    assert_eq!(b.cast_ray(&Ray { origin: origin + direction * 4.0, direction }, 10.0), None);
                }
            }
        }
    }
    let down = Ray { origin: DVec3::new(3.0, 5.0, 4.0), direction: DVec3::NEG_Y };
    let ground = Aabb::new(DVec3::NEG_INFINITY, DVec3::new(f64::INFINITY, 0.0, f64::INFINITY));
    assert_eq!(ground.cast_ray(&down, 100.0), Some(5.0));
    assert_eq!(ground.cast_ray(&Ray { direction: DVec3::X, ..down }, f64::INFINITY), None);
    assert_eq!(Aabb::EVERYTHING.cast_ray(&down, 0.0), Some(0.0));
    assert_eq!(Aabb::EMPTY.cast_ray(&down, f64::INFINITY), None);
}

#[test]
fn infinite_boxes_meet_what_reaches_them() {
    let ground = Aabb::new(DVec3::NEG_INFINITY, DVec3::new(f64::INFINITY, 0.0, f64::INFINITY));
    let ball = |y| BoundingSphere::new(DVec3::new(100.0, y, -7.0), 1.0);
    let turned = Transform::from_axis_angle(DVec3::Z, std::f64::consts::FRAC_PI_4);
    let cube = |y: f64| Obb::new(Transform { translation: DVec3::new(8.0, y, 9.0), ..turned }, DVec3::ONE);
    let root = 2.0_f64.sqrt();
    assert!(ball(0.9).intersects(&ground) && !ball(1.1).intersects(&ground));
    assert!(cube(root - 0.01).intersects(&ground) && !ground.intersects(&cube(root + 0.01)));
    assert!((ball(5.0).sweep(DVec3::NEG_Y * 8.0, &ground).unwrap() - 0.5).abs() < 1e-15);
    assert!((ground.sweep(DVec3::Y * 8.0, &ball(5.0)).unwrap() - 0.5).abs() < 1e-15);
    assert!((cube(4.0 + root).sweep(DVec3::NEG_Y * 8.0, &ground).unwrap() - 0.5).abs() < 1e-15);
    assert_eq!(cube(4.0).sweep(DVec3::X * 8.0, &ground), None);
    assert_eq!(Aabb::new(DVec3::Y * 2.0, DVec3::Y * 3.0).sweep(DVec3::NEG_Y * 4.0, &ground), Some(0.5));
    let standing = Triangle::new(DVec3::new(1.0, -1.0, 1.0), DVec3::new(1e6, 1.0, 1.0), DVec3::new(1.0, 1.0, 2.0));
    assert!(ground.intersects_triangle(&standing));
    assert!(!ground.intersects_triangle(&standing.transformed(&Transform::from_translation(DVec3::Y * 1.1))));
    let moved = ground.transformed(&Transform::from_translation(DVec3::Y));
    assert_eq!(moved, Aabb { max: ground.max + DVec3::Y, ..ground });
}

#[test]
fn enclosing_spheres_are_smallest() {
    let mut rng = Rng::with_seed(4);
    for case in 0..cases(400) {
        let count = 1 + rng.usize(..[4, 12, 200][case % 3]);
        let far = if case % 7 == 0 { DVec3::splat(1e6) } else { DVec3::ZERO };
        let points: Vec<DVec3> = (0..count)
            .map(|_| {
                far + match case / 3 % 5 {
                    0 => unit(&mut rng),
                    1 => point(&mut rng, 1.0).with_y(0.0),
                    2 => DVec3::ONE * rng.f64(),
                    3 => point(&mut rng, 1.0) * DVec3::new(1.0, 1e-3, 1e-6),
                    _ => point(&mut rng, 1.0),
                }
            })
            .collect();
        let sphere = BoundingSphere::enclosing(&points).unwrap();
        let radius_from = |center: DVec3| points.iter().fold(0.0, |r: f64, p| r.max(p.distance(center)));
        assert_eq!(sphere.radius, radius_from(sphere.center), "every point inside, one on the surface");
        // The greatest distance is a convex function of the centre: where no step lowers it, it is least.
        let rounding = 1e-12 + 1e-9 * far.x * 1e-6;
        for _ in 0..200 {
            let step = unit(&mut rng) * [1e-1, 1e-3, 1e-5][rng.usize(..3)];
            assert!(radius_from(sphere.center + step) > sphere.radius - rounding, "{points:?} {sphere:?} {step}");
        }
    }
    assert_eq!(BoundingSphere::enclosing(&[]), None);
    assert_eq!(BoundingSphere::enclosing(&[DVec3::NAN]), None);
}

#[test]
fn spheres_around_spheres_are_within_a_hundredth_of_the_smallest() {
    let mut rng = Rng::with_seed(5);
    for _ in 0..cases(200) {
        let spheres: Vec<BoundingSphere> = (0..1 + rng.usize(..10)).map(|_| sphere(&mut rng)).collect();
        let around = BoundingSphere::around_spheres(&spheres).unwrap();
        let radius_from = |c: DVec3| spheres.iter().fold(0.0, |r: f64, s| r.max(s.center.distance(c) + s.radius));
        assert!(radius_from(around.center) <= around.radius * (1.0 + 1e-15));
        // The smallest by descent with shrinking random steps.
        let (mut best, mut center) = (around.radius, around.center);
        for i in 0..3000 {
            let trial = center + unit(&mut rng) * (around.radius * libm::pow(0.995, f64::from(i)));
            if radius_from(trial) < best {
                (best, center) = (radius_from(trial), trial);
            }
        }
        assert!(around.radius < best * 1.01, "{} {best}", around.radius);
    }
    let pair = BoundingSphere::new(DVec3::ZERO, 1.0).merged(&BoundingSphere::new(DVec3::X * 4.0, 2.0));
    assert_eq!((pair.center, pair.radius), (DVec3::X * 2.5, 3.5));
}

#[test]
fn oriented_boxes_enclose_and_are_tight() {
    let mut rng = Rng::with_seed(6);
    for _ in 0..cases(300) {
        let cloud: Vec<DVec3> = (0..1 + rng.usize(..100)).map(|_| point(&mut rng, 1.0)).collect();
        let fitted = Obb::enclosing(&cloud).unwrap();
        assert!(cloud.iter().all(|&p| fitted.contains_point(p)));
        let straight = Aabb::enclosing(&cloud).unwrap();
        assert!(fitted.volume() <= straight.volume() * (1.0 + 1e-9) + 1e-12, "{cloud:?} {fitted:?} {straight:?}");
        // The corners of a box, with points inside it, give that box back.
        let hidden = obb(&mut rng);
        let mut points: Vec<DVec3> = (0..8).map(|i| hidden.corner(i)).collect();
        points.extend((0..20).map(|_| hidden.pose.point(point(&mut rng, 1.0) * hidden.half_extents)));
        let found = Obb::enclosing(&points).unwrap();
        assert!((found.volume() / hidden.volume() - 1.0).abs() < 1e-9, "{hidden:?} {found:?}");
    }
    let flat: Vec<DVec3> = (0..50).map(|_| point(&mut rng, 1.0) * DVec3::new(1.0, 0.0, 1.0)).collect();
    assert!(Obb::enclosing(&flat).unwrap().half_extents.min_element() < 1e-12);
    let single = Obb::enclosing(&[DVec3::ONE; 3]).unwrap();
    assert_eq!((single.center(), single.half_extents), (DVec3::ONE, DVec3::ZERO));
}

#[test]
fn hostile_numbers_do_not_panic() {
    let bad = [0.0, 1.0, -1.0, -1e308, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 5e-324];
    let mut rng = Rng::with_seed(7);
    let mut p = || DVec3::new(bad[rng.usize(0..8)], bad[rng.usize(0..8)], bad[rng.usize(0..8)]);
    for _ in 0..20_000 {
        let volumes = [
            Volume::Sphere(BoundingSphere::new(p(), p().x)),
            Volume::Aabb(Aabb::new(p(), p())),
            Volume::Obb(Obb::new(Transform::new(DQuat::from_xyzw(p().x, p().y, p().z, 1.0), p()), p())),
        ];
        for a in volumes {
            for b in volumes {
                let _ = (intersects(a, b), sweep(a, p(), b));
            }
        }
        let cloud = [p(), p(), p(), p()];
        let _ = (BoundingSphere::enclosing(&cloud), Obb::enclosing(&cloud), Aabb::enclosing(&cloud));
        let b = Aabb::new(p(), p());
        let ray = Ray { origin: p(), direction: p() };
        let triangle = Triangle::new(p(), p(), p());
        let _ = (b.cast_ray(&ray, p().x), b.intersects_triangle(&triangle), b.closest_point(p()));
    }
}
