//! Questions to a world give the answers of a look at every collider, whatever happened to the bodies before.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use tumble_dynamics::geometry::math::rotation_from_vector;
use tumble_dynamics::geometry::{Ray, Shape, Transform, query};
use tumble_dynamics::{Body, BodyId, Collider, ColliderId, Hit, World};

fn vector(random: &mut fastrand::Rng, size: f64) -> DVec3 {
    let mut coordinate = || size * (2.0 * random.f64() - 1.0);
    DVec3::new(coordinate(), coordinate(), coordinate())
}

fn pose(random: &mut fastrand::Rng, size: f64) -> Transform {
    // Some along the axes, where boxes are flat and ties are frequent.
    let turn = if random.u32(0..3) == 0 { DVec3::ZERO } else { vector(random, 3.0) };
    let at = vector(random, size);
    Transform::new(rotation_from_vector(turn), if random.u32(0..3) == 0 { at.round() } else { at })
}

fn shape(random: &mut fastrand::Rng) -> Shape {
    let (a, b) = (0.1 + random.f64(), 0.1 + random.f64());
    let flat = |half: f64| {
        let corner = |x, z| DVec3::new(half * x, 0.0, half * z);
        let corners = vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
        Shape::mesh(corners, vec![[0, 2, 1], [0, 3, 2]])
    };
    match random.u32(0..40) {
        0..=7 => Shape::sphere(a),
        8..=15 => Shape::cuboid([a, b, 0.1 + random.f64()]),
        16..=19 => Shape::capsule(a, b),
        20..=23 => Shape::cylinder(a, b),
        24..=26 => Shape::cone(a, b),
        27..=30 => Shape::hull(&(0..12).map(|_| vector(random, 1.0)).collect::<Vec<_>>()),
        31..=33 => flat(a),
        34..=37 => {
            let parts = (0..3).map(|_| (Transform::from_translation(vector(random, 1.0)), Shape::sphere(0.3).unwrap()));
            Shape::compound(parts.collect())
        }
        38 => Shape::height_field(4, 4, (0..16).map(|_| random.f64()).collect(), [0.7, 0.9]),
        _ => Shape::half_space(vector(random, 1.0)),
    }
    .unwrap()
}

/// A world, with the answers of a look at every collider.
struct Scan<'a>(&'a World);

impl Scan<'_> {
    fn colliders(
        &self,
        filter: impl Fn(ColliderId) -> bool,
    ) -> impl Iterator<Item = (ColliderId, BodyId, &Shape, Transform)> {
        let all = self.0.model().colliders().iter().filter(move |(id, _)| filter(*id));
        all.map(|(id, model)| (id, model.body, &model.shape, self.0.collider_pose(id).unwrap()))
    }

    fn rays(&self, ray: &Ray, reach: f64, filter: impl Fn(ColliderId) -> bool) -> Vec<Hit> {
        let hit = |(collider, body, shape, pose): (ColliderId, BodyId, &Shape, Transform)| {
            let hit = shape.cast_ray(&ray.to_local(&pose), reach)?.transformed(&pose);
            let (normal, distance, part) = (hit.normal, hit.distance, hit.part);
            Some(Hit { collider, body, point: ray.at(distance), normal, distance, part })
        };
        let mut hits: Vec<Hit> = self.colliders(filter).filter_map(hit).collect();
        hits.sort_by(|a, b| a.distance.total_cmp(&b.distance));
        hits
    }

    fn sweep(&self, shape: &Shape, from: &Transform, way: DVec3, filter: impl Fn(ColliderId) -> bool) -> Option<Hit> {
        let hit = |(collider, body, other, pose): (ColliderId, BodyId, &Shape, Transform)| {
            let hit = other.cast_shape(shape, &pose.to_local(from), pose.inverse_vector(way))?;
            let (point, normal) = (pose.point(hit.point_a), pose.vector(hit.normal));
            Some(Hit { collider, body, point, normal, distance: hit.distance, part: hit.part_a })
        };
        self.colliders(filter).filter_map(hit).min_by(|a, b| a.distance.total_cmp(&b.distance))
    }

    fn overlaps(&self, shape: &Shape, at: &Transform, filter: impl Fn(ColliderId) -> bool) -> Vec<ColliderId> {
        let overlaps = |(_, _, other, pose): &(ColliderId, BodyId, &Shape, Transform)| {
            query::intersects(other, shape, &pose.to_local(at))
        };
        self.colliders(filter).filter(overlaps).map(|found| found.0).collect()
    }

    fn closest(&self, point: DVec3, reach: f64, filter: impl Fn(ColliderId) -> bool) -> Option<Hit> {
        let near = |(collider, body, shape, pose): (ColliderId, BodyId, &Shape, Transform)| {
            let found = shape.closest_point(pose.inverse_point(point))?.transformed(&pose);
            let (point, normal, distance, part) = (found.point, found.normal, found.distance, found.part);
            (distance <= reach).then_some(Hit { collider, body, point, normal, distance, part })
        };
        self.colliders(filter).filter_map(near).min_by(|a, b| a.distance.total_cmp(&b.distance))
    }
}

/// Asks a few questions of each kind and counts how many found something.
fn compare(world: &World, random: &mut fastrand::Rng) -> usize {
    let scan = Scan(world);
    let some: usize = random.usize(1..4);
    let filter = move |id: ColliderId| tumble_dynamics::Id::slot(id) % 4 < some;
    let mut found = 0;
    for _ in 0..4 {
        // Now and then from far away, or in the direction of an axis.
        let distance = if random.u32(0..10) == 0 { 1e5 } else { 8.0 };
        let from = vector(random, distance);
        let towards = if random.u32(0..4) == 0 { from.round() + DVec3::X } else { vector(random, 6.0) };
        let Ok(ray) = Ray::towards(from, towards) else { continue };
        let reach = [3.0, 10.0, 1e6, f64::INFINITY][random.usize(0..4)];
        let expected = scan.rays(&ray, reach, filter);
        found += expected.len();
        assert_eq!(world.cast_ray(&ray, reach, filter), expected.first().copied());
        assert_eq!(world.cast_ray_all(&ray, reach, filter), expected);
    }
    let (probe, at) = (shape(random), pose(random, 6.0));
    let way = vector(random, 6.0) * f64::from(random.u8(0..2));
    let expected = scan.sweep(&probe, &at, way, filter);
    found += usize::from(expected.is_some());
    assert_eq!(world.cast_shape(&probe, &at, way, filter), expected);
    let expected = scan.overlaps(&probe, &at, filter);
    found += expected.len();
    assert_eq!(world.overlaps(&probe, &at, filter), expected);
    for reach in [-0.1, 0.0, 1.0, f64::INFINITY] {
        let distance = if random.u32(0..10) == 0 { 1e5 } else { 6.0 };
        let point = vector(random, distance);
        let expected = scan.closest(point, reach, filter);
        found += usize::from(expected.is_some());
        assert_eq!(world.closest_to(point, reach, filter), expected);
    }
    found
}

fn meddle(world: &mut World, bodies: &mut Vec<BodyId>, random: &mut fastrand::Rng) {
    let some = random.usize(0..bodies.len());
    let id = bodies[some];
    let body = |random: &mut fastrand::Rng| {
        let mut body = if random.u32(0..3) == 0 { Body::fixed() } else { Body::dynamic().with_mass(1.0) };
        for _ in 0..random.u32(1..3) {
            body = body.with_collider(Collider::new(shape(random)).with_pose(pose(random, 0.5)));
        }
        body.with_pose(pose(random, 6.0)).with_velocity(vector(random, 1.0)).with_gravity_scale(0.0)
    };
    match random.u32(0..9) {
        0 => bodies.extend(world.add_body(body(random))),
        1 if bodies.len() > 5 => world.remove_body(bodies.swap_remove(some)).unwrap(),
        2 => world.body_mut(id).unwrap().set_pose(pose(random, 6.0)).unwrap(),
        3 => drop(world.add_collider(id, Collider::new(shape(random)))),
        4 => {
            let collider = world.body(id).unwrap().model().colliders[0];
            let _ = world.collider_mut(collider).unwrap().set_shape(shape(random));
            let _ = world.collider_mut(collider).unwrap().set_pose(pose(random, 0.5));
        }
        5 if world.body(id).unwrap().model().colliders.len() > 1 => {
            let _ = world.remove_collider(world.body(id).unwrap().model().colliders[0]);
        }
        6 => {
            // There and back again, with questions on the way.
            let snapshot = world.snapshot();
            let before = bodies.clone();
            for _ in 0..3 {
                meddle(world, bodies, random);
                compare(world, random);
            }
            world.restore(&snapshot);
            *bodies = before;
        }
        7 => drop(
            world
                .body_mut(id)
                .unwrap()
                .set_mass_properties(tumble_dynamics::geometry::MassProperties::point(2.0, vector(random, 0.3))),
        ),
        _ => world.step(0.05).unwrap(),
    }
}

#[test]
fn the_tree_finds_what_a_look_at_every_collider_finds() {
    let mut found = 0;
    for seed in 0..50 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut world = World::new();
        let mut bodies = Vec::new();
        for _ in 0..80 {
            let body =
                if random.bool() { Body::fixed() } else { Body::dynamic().with_mass(1.0).with_gravity_scale(0.0) };
            let body = body.with_shape(shape(&mut random));
            bodies.extend(world.add_body(body.with_pose(pose(&mut random, 6.0))));
        }
        for _ in 0..60 {
            meddle(&mut world, &mut bodies, &mut random);
            found += compare(&world, &mut random);
        }
    }
    assert!(found > 10_000, "only {found} answers");
}

#[test]
fn many_threads_may_ask_at_once() {
    let mut random = fastrand::Rng::with_seed(1);
    let mut world = World::new();
    for _ in 0..200 {
        world.add_body(Body::fixed().with_shape(shape(&mut random)).with_pose(pose(&mut random, 6.0))).unwrap();
    }
    for _ in 0..20 {
        let id = world.model().bodies().ids().nth(random.usize(0..200)).unwrap();
        world.body_mut(id).unwrap().set_pose(pose(&mut random, 6.0)).unwrap();
        let (world, seed) = (&world, random.u64(..));
        std::thread::scope(|scope| {
            (0..4).for_each(|i| {
                drop(scope.spawn(move || compare(world, &mut fastrand::Rng::with_seed(seed.wrapping_add(i)))))
            });
        });
    }
}
