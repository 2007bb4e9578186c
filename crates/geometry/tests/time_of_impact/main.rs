//! Time of impact against an independent search that knows nothing but distances at given poses, and against formulas.
//!
//! The search walks along the motion in steps that cannot miss more than a moment (the distance divided by the highest speed
//! any point can have, but at least a twenty-thousandth of the time) until the shapes overlap, and bisects the last step.

mod along;
mod motions;

use motions::{Case, Rng, Tally, cases};
use std::f64::consts::{FRAC_PI_2, PI};
use tumble_geometry::glam::DVec3;
use tumble_geometry::math::{rotation_about, rotation_from_vector};
use tumble_geometry::query::{ImpactOptions, ImpactStatus, Motion, cast_shape, time_of_impact};
use tumble_geometry::{GeometryError, Ray, Shape, Transform};

fn at(x: f64, y: f64, z: f64) -> Transform {
    Transform::from_translation(DVec3::new(x, y, z))
}

fn impact_of(a: &Shape, motion_a: &Motion, b: &Shape, motion_b: &Motion) -> Option<(f64, ImpactStatus)> {
    let options = ImpactOptions { max_time: 10.0, ..ImpactOptions::default() };
    time_of_impact(a, motion_a, b, motion_b, &options).map(|impact| (impact.time, impact.status))
}

#[test]
fn convex_pairs_of_all_kinds_against_sampling() {
    let mut rng = Rng::new(1);
    let mut tally = Tally::default();
    for i in 0..cases(20_000) {
        let (a, b) = (rng.convex(i % 7), rng.convex(i / 7 % 7));
        let case = rng.meeting(a, b, 10.0, 30.0);
        tally.check(&case, case.impact(&ImpactOptions::default()), &format!("case {i}"));
    }
    println!("convex: {tally}");
    assert!(tally.hits > tally.total() / 3 && tally.grazing <= 2, "{tally}");
}

#[test]
fn half_spaces_against_sampling() {
    let mut rng = Rng::new(2);
    let mut tally = Tally::default();
    for i in 0..cases(2_000) {
        let (a, b) = (rng.half_space(), rng.convex(i % 7));
        let (a, b) = if i % 2 == 0 { (a, b) } else { (b, a) };
        let case = rng.meeting(a, b, 3.0, 30.0);
        tally.check(&case, case.impact(&ImpactOptions::default()), &format!("case {i}"));
    }
    println!("half-spaces: {tally}");
    assert!(tally.hits > tally.total() / 3 && tally.grazing <= 2, "{tally}");
}

#[test]
fn thin_shapes_in_a_fast_spin_against_sampling() {
    let mut rng = Rng::new(3);
    let mut tally = Tally::default();
    for i in 0..cases(1_000) {
        let mut thin = |kind: usize| {
            let thickness = rng.scale(1e-3, 1e-2);
            match kind {
                0 => Shape::capsule(1.0, thickness),
                1 => Shape::cuboid([1.0, thickness, thickness]),
                2 => Shape::cuboid([1.0, 0.7, thickness]),
                3 => Shape::cylinder(thickness, 1.0),
                _ => Shape::cone(1.0, thickness),
            }
            .expect("sizes are in range")
        };
        let (a, b) = (thin(i % 5), thin(i / 5 % 5));
        let case = rng.meeting(a, b, 100.0, 300.0);
        tally.check(&case, case.impact(&ImpactOptions::default()), &format!("case {i}"));
    }
    println!("thin: {tally}");
    assert!(tally.hits > tally.total() / 4 && tally.grazing <= 2, "{tally}");
}

/// Meshes and compounds with convex shapes and with each other.
#[test]
fn composite_shapes_against_sampling() {
    let mut rng = Rng::new(10);
    let mut tally = Tally::default();
    for i in 0..cases(400) {
        let a = rng.composite(i % 3);
        let b = if i % 4 == 0 { rng.composite(2 * (i / 4 % 2)) } else { rng.convex(i / 3 % 7) };
        let case = rng.meeting(a, b, 3.0, 10.0);
        // A height field is solid below but has no sides: its distance jumps to zero where a shape comes in from the side,
        // which is no impact. Its impacts are compared with those of its triangles, in the tests of the library.
        if i % 3 != 1 {
            tally.check(&case, case.impact(&ImpactOptions::default()), &format!("case {i}"));
        }
    }
    println!("composite: {tally}");
    assert!(tally.hits > tally.total() / 4 && tally.grazing <= 2, "{tally}");
}

#[test]
fn what_starts_inside_a_solid_overlaps_it() {
    let hollow = Rng::new(11).composite(0);
    let hills = Shape::height_field(3, 3, vec![0.0; 9], [2.0, 2.0]).unwrap();
    let ball = Shape::sphere(0.02).unwrap();
    let still = Motion::still(Transform::IDENTITY);
    let rising = Motion::translating(at(0.01, -0.05, 0.02), DVec3::Y);
    for solid in [&hollow, &hills] {
        let inside = Some((0.0, ImpactStatus::Overlapping));
        assert_eq!(impact_of(solid, &still, &ball, &rising), inside);
        assert_eq!(impact_of(&ball, &rising, solid, &still), inside);
    }
}

/// Bullets of 1 cm at 500 m/s through plates of 1 mm, within a sixtieth of a second.
#[test]
fn no_bullet_passes_a_plate() {
    let mut rng = Rng::new(4);
    let bullets = [
        Shape::sphere(0.005).unwrap(),
        Shape::capsule(0.01, 0.004).unwrap(),
        Shape::cone(0.01, 0.004).unwrap(),
        Shape::cuboid([0.004, 0.01, 0.003]).unwrap(),
    ];
    let (corners, triangles) = motions::sheet(40, 0.05);
    let plates = [Shape::cuboid([1.0, 0.0005, 1.0]).unwrap(), Shape::mesh(corners, triangles).unwrap()];
    let options = ImpactOptions { max_time: 1.0 / 60.0, ..ImpactOptions::default() };
    for i in 0..cases(2_000) {
        let (bullet, plate) = (&bullets[i % 4], &plates[i / 4 % 2]);
        // It crosses the plate at some point, from either side, steeply or not.
        let mut velocity = rng.direction();
        velocity.y = if velocity.y < 0.0 { velocity.y.min(-0.2) } else { velocity.y.max(0.2) };
        velocity *= 500.0;
        let crossing = DVec3::new(rng.between(-0.9, 0.9), 0.0, rng.between(-0.9, 0.9));
        let time = rng.between(0.002, 1.0 / 60.0);
        let start = Transform::new(rotation_from_vector(rng.vector() * 3.0), crossing - velocity * time);
        let angular = rng.vector() * rng.scale(1.0, 5000.0);
        let motion = Motion { start, center: DVec3::ZERO, linear: velocity, angular };
        let impact = time_of_impact(plate, &Motion::still(Transform::IDENTITY), bullet, &motion, &options);
        let impact = impact.unwrap_or_else(|| panic!("case {i} passed the plate"));
        assert_eq!(impact.status, ImpactStatus::Hit);
        // The bullet reaches at most 0.015 m ahead of its centre, measured along the normal.
        let early = (time - impact.time) * velocity.y.abs();
        assert!((0.0019..0.016).contains(&early), "case {i}: {early} {impact:?}");
        let case = Case {
            a: plate.clone(),
            motion_a: Motion::still(Transform::IDENTITY),
            b: bullet.clone(),
            motion_b: motion,
        };
        if i % 4 == 0 {
            // A ball touches when its centre is its radius from the plate.
            let thickness = if i / 4 % 2 == 0 { 0.0005 } else { 0.0 };
            let expected = time - (0.005 + thickness) / velocity.y.abs();
            assert!(impact.time <= expected + 1e-15 && impact.time > expected - 1e-12, "case {i}");
        } else if i / 4 % 2 == 0 {
            let (_, touching) = case.sampled_contact(impact.time - 1e-5, 1.0 / 60.0, 1e-6).unwrap();
            assert!((-1e-13..1e-9).contains(&(touching - impact.time)), "case {i}: {touching} {impact:?}");
        }
    }
}

#[test]
fn a_pair_far_from_the_origin_is_computed_as_one_near_it() {
    let mut rng = Rng::new(5);
    let far = DVec3::new(1e6, -2e6, 5e5);
    let on_grid = |v: DVec3| (v * 1048576.0).round() / 1048576.0;
    for i in 0..cases(2_000) {
        let (a, b) = (rng.convex(i % 7), rng.convex(i / 7 % 7));
        let mut case = rng.meeting(a, b, 10.0, 30.0);
        case.motion_a.start.translation = on_grid(case.motion_a.start.translation);
        case.motion_b.start.translation = on_grid(case.motion_b.start.translation);
        let near = case.impact(&ImpactOptions::default());
        case.motion_a.start.translation += far;
        case.motion_b.start.translation += far;
        assert_eq!(case.impact(&ImpactOptions::default()), near, "case {i}");
    }
}

/// |p + v t| = r + s.
#[test]
fn two_balls_meet_when_their_centres_are_two_radii_apart() {
    let mut rng = Rng::new(6);
    for _ in 0..1000 {
        let (r, s) = (rng.between(0.1, 1.0), rng.between(0.1, 1.0));
        let (p, u) = (rng.direction() * rng.between(2.5, 8.0), rng.direction());
        let v = -p + u * rng.between(0.0, 1.5);
        let (pv, vv) = (p.dot(v), v.length_squared());
        let discriminant = pv * pv - vv * (p.length_squared() - (r + s) * (r + s));
        let spin = Motion {
            start: at(1.0, 2.0, 3.0),
            center: DVec3::ZERO,
            linear: rng.vector(),
            angular: rng.vector() * 20.0,
        };
        let moving = Motion::translating(Transform::from_translation(spin.start.translation + p), spin.linear + v);
        let found = impact_of(&Shape::sphere(r).unwrap(), &spin, &Shape::sphere(s).unwrap(), &moving);
        if discriminant < 0.0 {
            assert!(found.is_none());
        } else {
            let time = (-pv - discriminant.sqrt()) / vv;
            let (found, _) = found.unwrap();
            assert!(found <= time + 1e-14 && time - found < 1e-6, "{found} instead of {time}");
        }
    }
}

/// n·(p + v t) = r, for a ball that falls on a plane.
#[test]
fn a_ball_meets_a_plane_when_its_centre_is_a_radius_above() {
    let mut rng = Rng::new(7);
    for _ in 0..1000 {
        let normal = rng.direction();
        let (r, height) = (rng.between(0.1, 1.0), rng.between(1.5, 5.0));
        let start = normal * height + normal.cross(rng.vector()) * 3.0;
        let motion = Motion {
            angular: rng.vector() * 9.0,
            ..Motion::translating(Transform::from_translation(start), rng.vector() * 3.0)
        };
        let plane = Shape::half_space(normal).unwrap();
        let found = impact_of(&plane, &Motion::still(Transform::IDENTITY), &Shape::sphere(r).unwrap(), &motion);
        let time = (height - r) / -normal.dot(motion.linear);
        if (0.0..=10.0).contains(&time) {
            let (found, _) = found.unwrap();
            assert!(found <= time + 1e-14 && time - found < 1e-10, "{found} instead of {time}");
        } else {
            assert!(found.is_none());
        }
    }
}

/// A rod of half length L and half width w, its middle h above a wall, turns from parallel to the wall. Its corner is
/// `L sin θ + w cos θ` below the middle.
#[test]
fn a_turning_rod_meets_a_wall_at_a_known_angle() {
    let (length, width, height) = (2.0_f64, 0.05_f64, 1.2_f64);
    let turning = |rate: f64| Motion { angular: DVec3::Z * rate, ..Motion::still(at(0.0, height, 0.0)) };
    let still = Motion::still(Transform::IDENTITY);
    let plane = Shape::half_space(DVec3::Y).unwrap();
    let wall = Shape::cuboid([5.0, 1.0, 5.0]).unwrap();
    let below = Motion::still(at(0.0, -1.0, 0.0));
    let (corners, triangles) = motions::sheet(11, 1.0);
    let sheet = Shape::mesh(corners, triangles).unwrap();

    let rod = Shape::cuboid([length, width, width]).unwrap();
    let angle = libm::asin(height / libm::hypot(length, width)) - libm::atan(width / length);
    let round_rod = Shape::capsule(length, width).unwrap();
    let round_angle = libm::asin((height - width) / length);
    for rate in [0.1, -1.0, 7.0, 1000.0] {
        for (floor, motion) in [(&plane, &still), (&wall, &below), (&sheet, &still)] {
            let (time, _) =
                impact_of(floor, motion, &rod, &turning(rate)).unwrap_or((f64::INFINITY, ImpactStatus::Hit));
            let expected = angle / f64::abs(rate);
            let expected = if expected > 10.0 { f64::INFINITY } else { expected };
            assert!(
                time == expected || (time <= expected * (1.0 + 1e-15) && expected - time < 1e-10),
                "{time} {expected}"
            );
            // The capsule lies along y: turn it down first.
            let mut upright = turning(rate);
            upright.start.rotation = rotation_about(DVec3::Z, FRAC_PI_2);
            let found = impact_of(floor, motion, &round_rod, &upright);
            let expected = round_angle / f64::abs(rate);
            assert!(found.is_none() == (expected > 10.0));
            if let Some((time, _)) = found {
                assert!(time <= expected * (1.0 + 1e-15) && expected - time < 1e-10, "{time} {expected}");
            }
        }
    }
    // The wall turning about the rod's middle, the other way round, is the same.
    let wall_turning =
        Motion { start: Transform::IDENTITY, center: DVec3::Y * height, linear: DVec3::ZERO, angular: DVec3::Z * -0.5 };
    let rod_still = Motion::still(at(0.0, height, 0.0));
    for floor in [&plane, &sheet] {
        let (time, _) = impact_of(floor, &wall_turning, &rod, &rod_still).unwrap();
        assert!(time <= angle / 0.5 && angle / 0.5 - time < 1e-9, "{time}");
    }
}

/// All kinds of floor with their top at height zero.
fn floors() -> Vec<(Shape, Motion)> {
    let make = || {
        let (corners, triangles) = motions::sheet(21, 0.5);
        let slab = Shape::cuboid([5.0, 0.5, 5.0])?;
        let still = Motion::still(Transform::IDENTITY);
        Ok::<_, GeometryError>(vec![
            (Shape::half_space(DVec3::Y)?, still),
            (slab.clone(), Motion::still(at(0.0, -0.5, 0.0))),
            (Shape::mesh(corners, triangles)?, still),
            (Shape::height_field(21, 21, vec![0.0; 441], [0.5, 0.5])?, still),
            (Shape::compound(vec![(at(0.0, -0.5, 0.0), slab)])?, still),
        ])
    };
    make().expect("all are valid")
}

#[test]
fn touching_shapes_have_an_impact_only_if_they_get_deeper() {
    let crate_box = Shape::cuboid([0.5, 0.25, 0.5]).unwrap();
    let wheel = Shape::cylinder(0.3, 0.25).unwrap();
    let resting = at(0.1, 0.25, 0.2);
    let moving = |linear: DVec3, angular: DVec3| Motion { start: resting, center: DVec3::ZERO, linear, angular };
    let lying = rotation_about(DVec3::X, FRAC_PI_2);
    for (floor, (shape, still)) in floors().into_iter().enumerate() {
        let crate_impact = |motion: Motion| impact_of(&shape, &still, &crate_box, &motion);
        assert_eq!(crate_impact(moving(DVec3::ZERO, DVec3::ZERO)), None, "rests on floor {floor}");
        assert_eq!(crate_impact(moving(DVec3::new(0.1, 0.0, 0.05), DVec3::ZERO)), None, "slides on floor {floor}");
        assert_eq!(crate_impact(moving(DVec3::ZERO, DVec3::Y)), None, "spins on floor {floor}");
        assert_eq!(crate_impact(moving(DVec3::new(0.1, 0.01, 0.0), DVec3::ZERO)), None, "leaves floor {floor}");
        let sinking = Some((0.0, ImpactStatus::Touching));
        assert_eq!(crate_impact(moving(DVec3::new(0.1, -0.01, 0.0), DVec3::ZERO)), sinking, "sinks into floor {floor}");
        assert_eq!(crate_impact(moving(DVec3::ZERO, DVec3::X)), sinking, "tips into floor {floor}");
        // About its lower edge: lifts the rest.
        let tipping = Motion { center: DVec3::new(0.5, -0.25, 0.0), ..moving(DVec3::ZERO, DVec3::Z * -0.1) };
        assert_eq!(crate_impact(tipping), None, "tips over on floor {floor}");
        // Rolls along, its axis along z.
        let rolling =
            Motion { start: Transform::new(lying, resting.translation), ..moving(DVec3::X * 0.1, DVec3::Z * -0.4) };
        assert_eq!(impact_of(&shape, &still, &wheel, &rolling), None, "rolls on floor {floor}");

        let deep = Motion::translating(at(0.1, 0.2, 0.2), DVec3::Y);
        assert_eq!(crate_impact(deep), Some((0.0, ImpactStatus::Overlapping)), "in floor {floor}");
    }
}

/// A rod stands on the floor, turns about its middle and sinks a little: its foot leaves the floor, its head meets it later.
#[test]
fn shapes_that_touch_and_come_apart_can_meet_later() {
    let rod = Shape::capsule(1.0, 0.1).unwrap();
    for (floor, still) in floors() {
        let motion = Motion { angular: DVec3::Z, ..Motion::translating(at(0.0, 1.1, 0.0), DVec3::Y * -0.001) };
        let (time, status) = impact_of(&floor, &still, &rod, &motion).unwrap();
        // 1.1 − 0.001 t = 0.1 + |cos t|, near t = π.
        let height = 1.0 - 0.001 * time + libm::cos(time);
        assert!((2.0..PI).contains(&time) && height.abs() < 1e-9 && status == ImpactStatus::Hit, "{time} {status:?}");
    }
}

#[test]
fn a_thin_ray_and_a_small_ball_meet_the_same_surface() {
    let mut rng = Rng::new(8);
    let radius = 1e-7;
    let ball = Shape::sphere(radius).unwrap();
    let targets: Vec<Shape> =
        (0..7).map(|kind| rng.convex(kind)).chain(floors().into_iter().map(|floor| floor.0)).collect();
    let mut hits = 0;
    for i in 0..cases(3_000) {
        let target = &targets[i % targets.len()];
        let origin = rng.direction() * 3.0;
        let reach = if i % targets.len() < 7 { 0.7 } else { 2.0 };
        let Ok(ray) = Ray::towards(origin, rng.vector() * reach) else { continue };
        // From inside, a ray does not say where the surface is.
        let hit = target.cast_ray(&ray, 10.0).filter(|hit| hit.distance > 0.0);
        let cast = target.cast_shape(&ball, &Transform::from_translation(origin), ray.direction * 10.0);
        if let (Some(hit), Some(cast)) = (hit, cast) {
            hits += 1;
            let slope = hit.normal.dot(ray.direction).abs();
            assert!(
                (hit.distance - cast.distance - radius / slope).abs() < (1e-6 * radius + 1e-11) / slope,
                "case {i}: {hit:?} {cast:?}"
            );
            assert!(hit.normal.distance(cast.normal) < 1e-3, "case {i}: {hit:?} {cast:?}");
        } else if let Some(hit) = hit {
            panic!("case {i}: the ray hits ({hit:?}), the ball does not");
        }
    }
    assert!(hits > 500, "{hits}");
}

#[test]
fn nothing_hangs_or_panics_and_times_are_sane() {
    let mut rng = Rng::new(9);
    let mut shapes: Vec<Shape> = (0..7).map(|kind| rng.convex(kind)).collect();
    shapes.extend(floors().into_iter().map(|floor| floor.0));
    let numbers = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        1e-300,
        1e300,
        -1e30,
        1e9,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MIN_POSITIVE,
    ];
    for i in 0..cases(10_000) {
        let number = |rng: &mut Rng| {
            if rng.0.f64() < 0.8 { rng.between(-2.0, 2.0) } else { *rng.0.choice(&numbers).expect("not empty") }
        };
        let vector = |rng: &mut Rng| DVec3::new(number(rng), number(rng), number(rng));
        let motion = |rng: &mut Rng| Motion {
            start: Transform::new(rotation_from_vector(rng.vector()), vector(rng)),
            center: vector(rng),
            linear: vector(rng),
            angular: vector(rng),
        };
        let (motion_a, motion_b) = (motion(&mut rng), motion(&mut rng));
        let (a, b) = (rng.0.usize(0..shapes.len()), rng.0.usize(0..shapes.len()));
        let options = ImpactOptions {
            max_time: number(&mut rng),
            tolerance: number(&mut rng),
            resting_depth: number(&mut rng),
            max_iterations: rng.0.usize(0..200),
        };
        let impact = time_of_impact(&shapes[a], &motion_a, &shapes[b], &motion_b, &options);
        if let Some(impact) = impact {
            assert!(motion_a.is_valid() && motion_b.is_valid(), "case {i}: {impact:?}");
            assert!(impact.time >= 0.0 && impact.time <= options.max_time, "case {i}: {impact:?}");
            assert!((impact.normal.length() - 1.0).abs() < 1e-9, "case {i}: {impact:?}");
        }
        let _ = cast_shape(&shapes[a], &shapes[b], &motion_b.start, motion_b.linear, &options);
    }
}
