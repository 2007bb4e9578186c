//! Questions to a world against formulas for balls and planes.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use tumble_dynamics::geometry::{Ray, Shape, Transform};
use tumble_dynamics::{Body, BodyId, ColliderId, World};

type Ball = (BodyId, DVec3, f64);

fn any(_: ColliderId) -> bool {
    true
}

fn vector(random: &mut fastrand::Rng, size: f64) -> DVec3 {
    let mut coordinate = || size * (2.0 * random.f64() - 1.0);
    DVec3::new(coordinate(), coordinate(), coordinate())
}

/// A world of balls, some of which were moved, removed and added after a step.
fn balls(random: &mut fastrand::Rng) -> (World, Vec<Ball>) {
    let mut world = World::new();
    world.set_gravity(DVec3::ZERO);
    let mut balls: Vec<Ball> = Vec::new();
    let add = |world: &mut World, random: &mut fastrand::Rng| {
        let (center, radius) = (vector(random, 10.0), 0.2 + random.f64());
        let body = Body::fixed().with_shape(Shape::sphere(radius).unwrap()).at(center);
        (world.add_body(body).unwrap(), center, radius)
    };
    for _ in 0..30 {
        balls.push(add(&mut world, random));
    }
    world.step(0.01).unwrap();
    for ball in &mut balls[..10] {
        ball.1 = vector(random, 10.0);
        world.body_mut(ball.0).unwrap().set_position(ball.1).unwrap();
    }
    for _ in 0..5 {
        world.remove_body(balls.swap_remove(random.usize(..balls.len())).0).unwrap();
        balls.push(add(&mut world, random));
    }
    (world, balls)
}

/// Where a ray first meets a ball: the smaller root of |o + t d − c|² = r²; zero from inside.
fn ray_meets_ball(ray: &Ray, center: DVec3, radius: f64) -> Option<f64> {
    let (o, d) = (ray.origin - center, ray.direction);
    let (b, c) = (o.dot(d), o.length_squared() - radius * radius);
    if c <= 0.0 {
        return Some(0.0);
    }
    let discriminant = b * b - c;
    (discriminant >= 0.0 && b < 0.0).then(|| -b - discriminant.sqrt())
}

/// The balls with a distance each, the nearest first.
fn sorted(balls: &[Ball], distance: impl Fn(&Ball) -> Option<f64>) -> Vec<(f64, BodyId)> {
    let mut found: Vec<(f64, BodyId)> = balls.iter().filter_map(|ball| Some((distance(ball)?, ball.0))).collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found
}

#[test]
fn rays_meet_balls_where_the_quadratic_equation_says() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut met = 0;
    for _ in 0..20 {
        let (world, balls) = balls(&mut random);
        for _ in 0..500 {
            let ray = Ray::towards(vector(&mut random, 12.0), vector(&mut random, 12.0)).unwrap();
            let reach = 15.0;
            let within = |ball: &Ball| ray_meets_ball(&ray, ball.1, ball.2).filter(|&t| t <= reach);
            let expected: Vec<_> = sorted(&balls, within).into_iter().filter(|(t, _)| *t > 0.0).collect();
            let hits: Vec<_> = world.cast_ray_all(&ray, reach, any);
            assert!(hits.is_sorted_by_key(|hit| hit.distance));
            let outside: Vec<_> = hits.iter().filter(|hit| hit.distance > 0.0).collect();
            assert_eq!(outside.len(), expected.len());
            for (hit, (t, body)) in outside.iter().zip(expected) {
                let center = world.body(body).unwrap().position();
                assert_eq!(hit.body, body);
                assert!((hit.distance - t).abs() < 1e-9);
                assert!((hit.point - ray.at(t)).length() < 1e-9);
                assert!((hit.normal - (hit.point - center).normalize()).length() < 1e-9);
                met += 1;
            }
            let closest = world.cast_ray(&ray, reach, any);
            assert_eq!(closest.map(|hit| hit.distance), hits.first().map(|hit| hit.distance));
            let without_first = closest.and_then(|first| world.cast_ray(&ray, reach, |id| id != first.collider));
            assert_eq!(without_first.map(|hit| hit.collider), hits.get(1).map(|hit| hit.collider));
        }
    }
    assert!(met > 500, "only {met} hits");
}

#[test]
fn a_moving_ball_is_a_ray_to_balls_grown_by_its_radius() {
    let mut random = fastrand::Rng::with_seed(2);
    let mut met = 0;
    for _ in 0..20 {
        let (world, balls) = balls(&mut random);
        let probe = Shape::sphere(0.3).unwrap();
        for _ in 0..20 {
            let (from, to) = (vector(&mut random, 12.0), vector(&mut random, 12.0));
            let ray = Ray::towards(from, to).unwrap();
            let within = |ball: &Ball| ray_meets_ball(&ray, ball.1, ball.2 + 0.3).filter(|&t| t <= from.distance(to));
            let expected = sorted(&balls, within);
            let hit = world.cast_shape(&probe, &Transform::from_translation(from), to - from, any);
            assert_eq!(hit.is_some(), !expected.is_empty());
            let (Some(hit), Some(&(t, body))) = (hit, expected.first()) else { continue };
            assert!((hit.distance - t).abs() < 1e-6, "{} instead of {t}", hit.distance);
            if t > 0.0 {
                let center = world.body(body).unwrap().position();
                assert_eq!(hit.body, body);
                assert!((hit.normal - (ray.at(t) - center).normalize()).length() < 1e-4);
                met += 1;
            }
        }
    }
    assert!(met > 50, "only {met} hits");
}

#[test]
fn overlaps_and_nearest_balls_follow_from_the_distances_of_centres() {
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..20 {
        let (world, balls) = balls(&mut random);
        for _ in 0..20 {
            let point = vector(&mut random, 10.0);
            let pose = Transform::from_translation(point);
            let mut expected = sorted(&balls, |ball| Some(point.distance(ball.1) - ball.2));
            let nearest = world.closest_to(point, f64::INFINITY, any).unwrap();
            assert_eq!(nearest.body, expected[0].1);
            assert!((nearest.distance - expected[0].0).abs() < 1e-9);
            assert!((nearest.point + nearest.normal * nearest.distance - point).length() < 1e-9);
            assert_eq!(world.closest_to(point, expected[0].0 - 1e-6, any), None);

            expected.retain(|&(distance, _)| distance <= 2.0);
            expected.sort_by_key(|&(_, body)| body);
            let found = world.overlaps(&Shape::sphere(2.0).unwrap(), &pose, any);
            let mut found: Vec<_> = found.iter().map(|&id| world.model().colliders().get(id).unwrap().body).collect();
            found.sort();
            assert_eq!(found, expected.iter().map(|&(_, body)| body).collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_box_at_rest_touches_the_ground_in_four_points() {
    let mut world = World::new();
    let ground = world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
    let cube = Body::dynamic().with_shape(Shape::cuboid([0.5, 0.5, 0.5]).unwrap()).at([0.0, 0.5, 0.0]);
    let cube = world.add_body(cube).unwrap();
    assert_eq!(world.contacts_of(cube).count(), 0);
    world.step(1.0 / 60.0).unwrap();
    let contacts: Vec<_> = world.contacts_of(cube).collect();
    assert_eq!(contacts.len(), 1);
    assert_eq!(contacts[0].bodies, [ground, cube]);
    assert_eq!(contacts[0].points().len(), 4);
    world.remove_body(ground).unwrap();
    assert_eq!(world.contacts_of(cube).count(), 0);
}

#[test]
fn numbers_that_are_not_finite_find_nothing() {
    let (world, _) = balls(&mut fastrand::Rng::with_seed(4));
    let nan = DVec3::splat(f64::NAN);
    let shape = Shape::sphere(100.0).unwrap();
    let broken = Transform::from_translation(nan);
    assert_eq!(world.cast_ray(&Ray { origin: nan, direction: DVec3::X }, 1e3, any), None);
    assert_eq!(world.cast_ray(&Ray { origin: DVec3::ZERO, direction: nan }, 1e3, any), None);
    assert_eq!(world.cast_ray(&Ray { origin: DVec3::ZERO, direction: DVec3::X }, f64::NAN, any), None);
    assert_eq!(world.cast_shape(&shape, &broken, DVec3::X, any), None);
    assert_eq!(world.cast_shape(&shape, &Transform::IDENTITY, nan, any), None);
    assert!(world.overlaps(&shape, &broken, any).is_empty());
    assert_eq!(world.closest_to(nan, 1e3, any), None);
    assert_eq!(world.closest_to(DVec3::ZERO, f64::NAN, any), None);
}
