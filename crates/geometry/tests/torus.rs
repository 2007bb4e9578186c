//! The torus: its own questions against the formula of its distance, its pairs against dense samples of its circle.

use fastrand::Rng;
use std::f64::consts::{PI, TAU};
use tumble_geometry::glam::{DVec3, dvec3};
use tumble_geometry::math::rotation_from_vector;
use tumble_geometry::query::{ManifoldOptions, PairCache, contact_manifolds, distance, intersects};
use tumble_geometry::{Plane, Ray, Shape, Transform};

const RADIUS: f64 = 1.0;
const TUBE: f64 = 0.3;
/// How much farther into the hole the parts reach than the torus: R (1 − cos(π/24)).
const SAGITTA: f64 = 0.008_555_138_626_189_2;

fn torus() -> Shape {
    Shape::torus(RADIUS, TUBE).unwrap()
}

fn vector(rng: &mut Rng) -> DVec3 {
    dvec3(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5) * 2.0
}

fn unit(rng: &mut Rng) -> DVec3 {
    loop {
        let v = vector(rng);
        if (0.1..1.0).contains(&v.length()) {
            return v.normalize();
        }
    }
}

/// `√((ρ − R)² + y²) − r`.
fn formula(p: DVec3) -> f64 {
    let rho = (p.x * p.x + p.z * p.z).sqrt();
    ((rho - RADIUS) * (rho - RADIUS) + p.y * p.y).sqrt() - TUBE
}

#[test]
fn closest_points_are_those_of_the_formula() {
    let (torus, mut rng) = (torus(), Rng::with_seed(1));
    for _ in 0..5000 {
        let point = vector(&mut rng) * 2.0;
        let found = torus.closest_point(point).unwrap();
        assert!((found.distance - formula(point)).abs() < 1e-14, "{point}");
        assert!(formula(found.point).abs() < 1e-14, "{point}");
        assert!((found.point + found.normal * found.distance - point).length() < 1e-14, "{point}");
        assert_eq!(torus.contains_point(point), formula(point) <= 0.0);
    }
}

/// Where a ray hits, the formula is zero, and before that it never is: a march by its own value finds nothing nearer.
#[test]
fn rays_hit_where_the_formula_is_zero_first() {
    let (torus, mut rng) = (torus(), Rng::with_seed(2));
    let (mut hits, mut misses) = (0, 0);
    for _ in 0..5000 {
        let from = unit(&mut rng) * (1.4 + 100.0 * rng.f64() * rng.f64());
        let towards = vector(&mut rng) * 1.5;
        let ray = Ray::new(from, towards - from).unwrap();
        let hit = torus.cast_ray(&ray, 1e3);
        let mut marched = 0.0;
        while marched < 200.0 && formula(ray.at(marched)) > 1e-7 {
            marched += formula(ray.at(marched)).max(1e-9);
        }
        match hit {
            Some(hit) => {
                hits += 1;
                assert!(formula(ray.at(hit.distance)).abs() < 1e-12, "{ray:?}: {hit:?}");
                assert!(hit.normal.dot(ray.direction) < 0.0);
                // Rays that graze are stopped earlier by the march.
                let steep = -hit.normal.dot(ray.direction) > 0.05;
                assert!(!steep || (marched - hit.distance).abs() < 1e-5, "{ray:?}: {hit:?}, {marched}");
            }
            None => {
                misses += 1;
                assert!(marched >= 200.0 || grazes(&ray, marched), "{ray:?}: {marched}");
            }
        }
        assert_eq!(torus.cast_ray(&ray, hit.map_or(1e3, |hit| 0.999 * hit.distance)), None);
    }
    assert!(hits > 1000 && misses > 1000, "{hits} and {misses}");
    // Down the hole, and from inside.
    assert_eq!(torus.cast_ray(&Ray::new(DVec3::Y * 5.0, DVec3::NEG_Y).unwrap(), 100.0), None);
    assert_eq!(torus.cast_ray(&Ray::new(DVec3::X, DVec3::Z).unwrap(), 1.0).unwrap().distance, 0.0);
    let across = torus.cast_ray(&Ray::new(DVec3::ZERO, DVec3::X).unwrap(), 10.0).unwrap();
    assert!((across.distance - 0.7).abs() < 1e-15 && (across.normal - DVec3::NEG_X).length() < 1e-15);
}

/// Whether the ray does not go deeper than the march looks.
fn grazes(ray: &Ray, at: f64) -> bool {
    (0..1000).all(|k| formula(ray.at(at + 1e-5 * f64::from(k))) > -1e-8)
}

/// The distance to a convex shape is that of the circle to it, less the tube's radius: by sampling the circle. Where the other
/// is in the hole, the parts are nearer by the sagitta at most.
#[test]
fn distances_are_those_of_the_circle() {
    let (torus, mut rng) = (torus(), Rng::with_seed(3));
    let others = [
        Shape::sphere(0.25).unwrap(),
        Shape::cuboid([0.2, 0.3, 0.25]).unwrap(),
        Shape::capsule(0.3, 0.1).unwrap(),
        Shape::ellipsoid([0.2, 0.3, 0.4]).unwrap(),
    ];
    let (mut outside, mut inside) = (0, 0);
    for case in 0..400 {
        let other = &others[case % others.len()];
        let pose = Transform::new(rotation_from_vector(vector(&mut rng) * 3.0), vector(&mut rng) * 2.0);
        let near = |angle: f64| {
            let (sin, cos) = libm::sincos(angle);
            let place = dvec3(cos, 0.0, sin) * RADIUS;
            (other.closest_point(pose.inverse_point(place)).unwrap().distance - TUBE, place)
        };
        let samples = (0..720).map(|k| near(TAU * f64::from(k) / 720.0));
        let (least, place) = samples.fold((f64::INFINITY, DVec3::ZERO), |a, b| if a.0 < b.0 { a } else { b });
        let found = distance(&torus, other, &pose);
        if least < 0.0 {
            assert!(intersects(&torus, other, &pose), "{other:?} at {pose:?}");
            continue;
        }
        // Between samples the circle is at most 1e-5 nearer (a chord of 0.5°), or 0.005 where it passes at an angle.
        let looks_out = found.point_b.dot(place) > RADIUS * RADIUS;
        if looks_out {
            outside += 1;
            assert!((found.distance - least).abs() < 2e-4, "{other:?} at {pose:?}: {} and {least}", found.distance);
            assert!(formula(found.point_a).abs() < 1e-9, "{other:?}: {}", formula(found.point_a));
        } else {
            inside += 1;
            let early = least - found.distance;
            assert!(early > -1e-9 && early < SAGITTA + 2e-4, "{other:?} at {pose:?}: {early}");
        }
    }
    assert!(outside > 30 && inside > 30, "{outside} and {inside}");
}

/// On a floor: as deep as its lowest point, upright, tilted or flat.
#[test]
fn contacts_with_a_floor_are_those_of_the_lowest_point() {
    let (torus, floor) = (torus(), Shape::half_space(DVec3::Y).unwrap());
    let mut rng = Rng::with_seed(4);
    for case in 0..200 {
        let turn = if case == 0 { DVec3::ZERO } else { vector(&mut rng) * 3.0 };
        let rotation = rotation_from_vector(turn);
        let axis = rotation * DVec3::Y;
        let lowest = RADIUS * (1.0 - axis.y * axis.y).max(0.0).sqrt() + TUBE;
        let depth = 1e-3 * rng.f64();
        let pose = Transform::new(rotation, DVec3::Y * (lowest - depth));
        let mut manifolds = Vec::new();
        let options = ManifoldOptions { prediction: 1e-3, ..ManifoldOptions::default() };
        contact_manifolds(&floor, &torus, &pose, &options, &mut PairCache::default(), &mut manifolds);
        let deepest = manifolds.iter().map(|m| m.max_depth()).fold(f64::NEG_INFINITY, f64::max);
        assert!((deepest - depth).abs() < 1e-9, "{turn}: {deepest} instead of {depth}");
        if case == 0 {
            let ring: Vec<DVec3> = manifolds.iter().flat_map(|m| m.points().to_vec()).map(|p| p.position).collect();
            let reach = |d: DVec3| ring.iter().map(|p| p.dot(d)).fold(f64::NEG_INFINITY, f64::max);
            assert!([DVec3::X, DVec3::NEG_X, DVec3::Z, DVec3::NEG_Z].into_iter().all(|d| reach(d) > 0.9), "{ring:?}");
        }
    }
}

/// How much is wet: half of it up to its middle, all of it, and as much as of a fine mesh.
#[test]
fn the_wet_part_is_that_of_a_fine_mesh() {
    let torus = torus();
    let volume = 2.0 * PI * PI * RADIUS * TUBE * TUBE;
    let level = |offset: f64| torus.below(&Plane { normal: DVec3::Y, offset }).unwrap();
    assert!((level(0.0).volume / volume - 0.5).abs() < 1e-14 && (level(1.0).volume / volume - 1.0).abs() < 1e-14);
    // A half disc has its centre 4r/3π below.
    assert!((level(0.0).center.y + 4.0 * TUBE / (3.0 * PI)).abs() < 1e-14);
    assert_eq!(level(-0.31).volume, 0.0);
    let mut triangles = Vec::new();
    let mut corners = Vec::new();
    let (around, across) = (256, 64);
    for k in 0..around {
        for m in 0..across {
            let ((sin, cos), (up, out)) =
                (libm::sincos(TAU * f64::from(k) / 256.0), libm::sincos(TAU * f64::from(m) / 64.0));
            corners.push(dvec3((RADIUS + TUBE * out) * cos, TUBE * up, -(RADIUS + TUBE * out) * sin));
            let at = |k: u32, m: u32| (k % around) * across + m % across;
            triangles.push([at(k, m), at(k + 1, m), at(k + 1, m + 1)]);
            triangles.push([at(k, m), at(k + 1, m + 1), at(k, m + 1)]);
        }
    }
    let mesh = Shape::mesh(corners, triangles).unwrap();
    let mut rng = Rng::with_seed(5);
    for _ in 0..50 {
        let plane = Plane { normal: unit(&mut rng), offset: 1.3 * (2.0 * rng.f64() - 1.0) };
        let (exact, close) = (torus.below(&plane).unwrap(), mesh.below(&plane).unwrap());
        // The mesh is smaller by 1.7e-3.
        assert!((exact.volume - close.volume).abs() < 2.5e-3 * volume, "{plane:?}: {exact:?}, {close:?}");
        let moment = exact.center * exact.volume - close.center * close.volume;
        assert!(moment.length() < 3e-3 * volume, "{plane:?}: {exact:?}, {close:?}");
        // What is above is the rest.
        let above = torus.below(&Plane { normal: -plane.normal, offset: -plane.offset }).unwrap();
        assert!((exact.volume + above.volume - volume).abs() < 1e-12 * volume, "{plane:?}");
        let balance = exact.center * exact.volume + above.center * above.volume;
        assert!(balance.length() < 1e-12 * volume, "{plane:?}: {balance}");
    }
}

/// In a compound it weighs what it weighs alone, though it is made of parts there.
#[test]
fn a_compound_keeps_it_whole() {
    let at = |x: f64| Transform::from_translation(DVec3::X * x);
    let pair = Shape::compound(vec![(at(-2.0), torus()), (at(2.0), torus())]).unwrap();
    let nested = Shape::compound(vec![(at(0.0), pair.clone())]).unwrap();
    let alone = torus().volume().unwrap();
    for shape in [&pair, &nested] {
        assert!((shape.volume().unwrap() / (2.0 * alone) - 1.0).abs() < 1e-15);
        let Shape::Compound(compound) = shape else { panic!("{shape:?}") };
        assert_eq!((compound.members().len(), compound.parts().len()), (2, 48));
    }
}
