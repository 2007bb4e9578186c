//! Conservative advancement: bounces at their exact times, and no overlap ever.

use glam::DVec3;
use tumble_dynamics::geometry::{Shape, query};
use tumble_dynamics::method::Advancing;
use tumble_dynamics::{Body, BodyId, Material, World};

fn elastic(restitution: f64) -> Material {
    Material { restitution, static_friction: 0.0, dynamic_friction: 0.0, ..Material::default() }
}

/// Dropped from h, a ball hits the floor at t₁ = √(2h/g) and then after 2 eᵏ t₁ each.
#[test]
fn bounces_are_found_to_a_nanosecond() {
    let mut world = World::with_method(Advancing::default());
    let material = elastic(0.8);
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap()).with_material(material)).unwrap();
    let ball = Body::dynamic().with_shape(Shape::sphere(0.1).unwrap()).with_material(material).at([0.0, 1.1, 0.0]);
    world.add_body(ball).unwrap();
    let mut times = Vec::new();
    while times.len() < 6 {
        world.step(1.0 / 60.0).unwrap();
        times.extend(world.events().impacts.iter().map(|impact| impact.time));
    }
    let first = (2.0_f64 / 9.81).sqrt();
    let (mut expected, mut flight) = (first, 2.0 * first);
    for (bounce, time) in times.into_iter().enumerate() {
        assert!((time - expected).abs() < 1e-9, "bounce {bounce} at {time} instead of {expected}");
        flight *= 0.8;
        expected += flight;
    }
}

/// The deepest overlap of any two colliders, in metres.
fn deepest(world: &World) -> f64 {
    let model = world.model();
    let poses: Vec<_> = model
        .colliders()
        .iter()
        .map(|(_, collider)| {
            (&collider.shape, collider.body, world.body(collider.body).unwrap().pose() * collider.pose)
        })
        .collect();
    let mut worst = 0.0_f64;
    for (i, (a, owner, pose)) in poses.iter().enumerate() {
        for (b, other, there) in poses[i + 1..].iter().filter(|(_, other, _)| other != owner) {
            assert_ne!(owner, other);
            let deep = query::penetration(a, b, &pose.to_local(there)).map_or(0.0, |deep| deep.depth);
            worst = worst.max(deep);
        }
    }
    worst
}

/// Balls and boxes that bounce about in a room of walls, fast and spinning: never more than a millionth of a metre inside each other.
#[test]
fn nothing_is_ever_inside_anything() {
    let mut world = World::with_method(Advancing::default());
    let material = elastic(0.95);
    for normal in [DVec3::Y, -DVec3::Y, DVec3::X, -DVec3::X, DVec3::Z, -DVec3::Z] {
        let wall = Body::fixed().with_shape(Shape::half_space(normal).unwrap()).with_material(material);
        world.add_body(wall.at(-normal * 2.0)).unwrap();
    }
    let mut random = fastrand::Rng::with_seed(12);
    for i in 0..8 {
        let mut vector = || DVec3::from([0; 3].map(|_| 2.0 * random.f64() - 1.0));
        let (velocity, spin) = (6.0 * vector(), 10.0 * vector());
        let at = DVec3::new(f64::from(i % 2), f64::from(i / 2 % 2), f64::from(i / 4)) * 1.4 - 0.7;
        let shape = if i % 2 == 0 { Shape::sphere(0.3) } else { Shape::cuboid([0.3, 0.2, 0.25]) };
        let body = Body::dynamic().with_shape(shape.unwrap()).with_material(material).at(at);
        world.add_body(body.with_velocity(velocity).with_angular_velocity(spin)).unwrap();
    }
    let (mut worst, mut hits) = (0.0_f64, 0);
    for _ in 0..90 {
        world.step(1.0 / 60.0).unwrap();
        worst = worst.max(deepest(&world));
        hits += world.events().impacts.len();
    }
    assert!(hits > 50, "{hits} impacts");
    assert!(worst < 1e-6, "{worst} m deep");
}

/// At rest a body hops by less than anybody sees; a box on a slope below its friction angle hardly moves.
#[test]
fn rest_is_a_train_of_hops() {
    let mut world = World::with_method(Advancing::default());
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap();
    let ball: BodyId =
        world.add_body(Body::dynamic().with_shape(Shape::sphere(0.5).unwrap()).at([0.0, 0.6, 0.0])).unwrap();
    let block =
        world.add_body(Body::dynamic().with_shape(Shape::cuboid([0.5; 3]).unwrap()).at([3.0, 0.5, 0.0])).unwrap();
    for _ in 0..60 {
        world.step(1.0 / 60.0).unwrap();
        assert!(deepest(&world) < 1e-6);
    }
    for id in [ball, block] {
        let body = world.body(id).unwrap();
        assert!((body.position().y - 0.5).abs() < 1e-3 && body.velocity().length() < 0.05, "{}", body.position());
    }
}
