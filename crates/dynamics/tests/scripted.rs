//! Scripted bodies: they follow their script and nothing else, and others feel it.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use std::sync::Arc;
use tumble_dynamics::geometry::math::{rotation_about, rotation_from_vector, rotation_vector};
use tumble_dynamics::geometry::{MassProperties, Shape, Transform};
use tumble_dynamics::method::Retroactive;
use tumble_dynamics::model::{BodyKind, Script, ScriptMotion};
use tumble_dynamics::{Body, Material, World};

const DT: f64 = 1.0 / 240.0;

fn with_friction(mu: f64) -> Material {
    Material { static_friction: mu, dynamic_friction: mu, ..Material::default() }
}

/// A script given by a function of time.
struct Path<F>(F);

impl<F> std::fmt::Debug for Path<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Path")
    }
}

impl<F: Fn(f64) -> Transform + Send + Sync + 'static> Script for Path<F> {
    fn pose(&self, time: f64) -> Transform {
        (self.0)(time)
    }
}

fn path(pose: impl Fn(f64) -> Transform + Send + Sync + 'static) -> Body {
    Body::scripted(Path(pose))
}

/// Steady motion, with its velocity given.
#[derive(Debug)]
struct Steady {
    from: DVec3,
    velocity: DVec3,
}

impl Script for Steady {
    fn pose(&self, time: f64) -> Transform {
        Transform::from_translation(self.from + self.velocity * time)
    }

    fn motion(&self, time: f64) -> ScriptMotion {
        ScriptMotion { velocity: self.velocity, ..ScriptMotion::at_rest(self.pose(time)) }
    }
}

fn moving(velocity: DVec3, from: DVec3) -> Body {
    Body::scripted(Steady { from, velocity })
}

fn run(world: &mut World, seconds: f64) {
    for _ in 0..(seconds / DT).round() as usize {
        world.step(DT).unwrap();
    }
}

/// The velocity of a block at rest on a smooth floor after a scripted block with 2 m/s has hit it.
fn pushed(restitution: f64) -> DVec3 {
    let mut world = World::with_method(Retroactive::new());
    let smooth = Material { restitution, ..with_friction(0.0) };
    let plane = Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap());
    world.add_body(plane.with_material(with_friction(0.0))).unwrap();
    let cube = || Shape::cuboid([0.5, 0.5, 0.5]).unwrap();
    let pusher = moving(DVec3::X * 2.0, DVec3::new(-1.5, 0.51, 0.0)).with_shape(cube()).with_material(smooth);
    world.add_body(pusher).unwrap();
    let block = Body::dynamic().with_shape(cube()).with_mass(3.0).with_material(smooth).at([0.0, 0.5, 0.0]);
    let block = world.add_body(block.without_sleep()).unwrap();
    run(&mut world, 1.0);
    world.body(block).unwrap().velocity()
}

/// A pusher of endless mass at speed v hits a block at rest: v_after = (1 + e) v, up to the tolerance of the solver, 1e-10.
#[test]
fn keyframed_pusher_without_restitution() {
    let v = pushed(0.0);
    assert!((v - DVec3::X * 2.0).length() < 1e-10, "{v}");
}

#[test]
fn keyframed_pusher() {
    for (e, exact) in [(0.5, 3.0), (1.0, 4.0)] {
        let v = pushed(e);
        assert!((v - DVec3::X * exact).length() < 1e-10, "e = {e}: {v}");
    }
}

/// A platform that moves to and fro by A sin ωt carries a box as long as A ω² < μ g; and slides under it beyond.
#[test]
fn a_moving_platform_carries_a_box_by_friction() {
    let ride = |amplitude: f64, omega: f64| {
        let mut world = World::with_method(Retroactive::new());
        let at = move |t: f64| DVec3::X * amplitude * (1.0 - libm::cos(omega * t));
        let platform =
            path(move |t| Transform::from_translation(at(t))).with_shape(Shape::cuboid([3.0, 0.1, 3.0]).unwrap());
        let platform = world.add_body(platform.with_material(with_friction(0.4))).unwrap();
        let rider =
            Body::dynamic().with_shape(Shape::cuboid([0.2, 0.2, 0.2]).unwrap()).with_material(with_friction(0.4));
        let rider = world.add_body(rider.at([0.0, 0.3, 0.0]).without_sleep()).unwrap();
        let mut slip = 0.0_f64;
        for _ in 0..960 {
            world.step(DT).unwrap();
            let (on, below) = (world.body(rider).unwrap(), world.body(platform).unwrap());
            slip = slip.max((on.position() - below.position() - DVec3::Y * 0.3).length());
        }
        slip
    };
    // μ g = 3.924 m/s².
    let slip = ride(0.97, 2.0);
    assert!(slip < 1e-9, "slipped by {slip} at 3.88 m/s²");
    assert!(ride(1.1, 2.0) > 1e-2, "carried at 4.4 m/s²");
}

/// On a turntable too: a box at radius r stays as long as ω² r < μ g.
#[test]
fn a_turntable_carries_a_box() {
    let ride = |omega: f64| {
        let mut world = World::with_method(Retroactive::new());
        let table = path(move |t| Transform::from_rotation(rotation_about(DVec3::Y, omega * t)));
        let table = table.with_shape(Shape::cylinder(0.1, 3.0).unwrap()).with_material(with_friction(0.5));
        world.add_body(table).unwrap();
        let rider =
            Body::dynamic().with_shape(Shape::cuboid([0.1, 0.1, 0.1]).unwrap()).with_material(with_friction(0.5));
        let start = DVec3::X;
        // It rides along from the start.
        let rider = rider.at(start + DVec3::Y * 0.2).with_velocity([0.0, 0.0, -omega]);
        let rider = world.add_body(rider.with_angular_velocity([0.0, omega, 0.0]).without_sleep()).unwrap();
        run(&mut world, 3.0);
        let back = rotation_about(DVec3::Y, -omega * world.time());
        (back * world.body(rider).unwrap().position() - start - DVec3::Y * 0.2).length()
    };
    // ω = √(μ g / r) = 2.215 rad/s.
    let slip = ride(2.1);
    assert!(slip < 2e-4, "slipped by {slip}");
    assert!(ride(2.4) > 0.1);
}

fn wild(t: f64) -> Transform {
    let turn = rotation_from_vector(DVec3::new(libm::sin(t), 0.3 * t, libm::cos(2.0 * t)));
    Transform::new(turn, DVec3::new(libm::cos(t), libm::sin(3.0 * t), 0.2 * t * t))
}

/// The velocities of a scripted body are the derivatives of its poses, also where only poses are given, and from the moment it
/// is there.
#[test]
fn a_scripts_velocity_is_the_derivative_of_its_poses() {
    let mut world = World::with_method(Retroactive::new());
    let body = world.add_body(path(wild).with_shape(Shape::sphere(0.1).unwrap())).unwrap();
    for _ in 0..300 {
        let (t, h) = (world.time(), 1e-5);
        let body = world.body(body).unwrap();
        let (before, now, after) = (wild(t - h), wild(t), wild(t + h));
        assert!((body.position() - now.translation).length() < 1e-12);
        assert!(body.rotation().angle_between(now.rotation) < 1e-7);
        let velocity = (after.translation - before.translation) / (2.0 * h);
        let omega = rotation_vector(after.rotation * before.rotation.conjugate()) / (2.0 * h);
        // Central differences over ±10 µs are off by a sixth of the third derivative, some 27 m/s³ here, times 1e-10 s².
        assert!((body.velocity() - velocity).length() < 1e-9, "{} {velocity}", body.velocity());
        assert!((body.angular_velocity() - omega).length() < 1e-8, "{} {omega}", body.angular_velocity());
        world.step(0.01).unwrap();
    }
}

/// A body that becomes scripted has the script's velocity at once; its centre of mass that of the point where it is.
#[test]
fn a_body_that_becomes_scripted_moves_at_once() {
    #[derive(Debug)]
    struct Turn;
    impl Script for Turn {
        fn pose(&self, time: f64) -> Transform {
            Transform::from_rotation(rotation_about(DVec3::Z, 3.0 * time))
        }
    }
    let mut world = World::with_method(Retroactive::new());
    let properties =
        MassProperties { center: DVec3::X * 2.0, ..Shape::sphere(0.1).unwrap().mass_properties(1.0).unwrap() };
    let body = Body::dynamic().with_mass_properties(properties).with_velocity([5.0, 5.0, 5.0]);
    let changed = world.add_body(body.clone()).unwrap();
    world.body_mut(changed).unwrap().set_kind(BodyKind::Scripted(Arc::new(Turn))).unwrap();
    let added = world.add_body(Body::scripted(Turn).with_mass_properties(properties)).unwrap();
    for id in [changed, added] {
        let body = world.body(id).unwrap();
        assert!((body.velocity() - DVec3::Y * 6.0).length() < 1e-9, "{}", body.velocity());
        assert!((body.angular_velocity() - DVec3::Z * 3.0).length() < 1e-9, "{}", body.angular_velocity());
    }
}

/// Whatever falls on a scripted body, presses or hits it: it moves as it would alone, to the bit.
#[test]
fn a_scripted_body_is_never_moved_by_contacts() {
    let mut world = World::with_method(Retroactive::new());
    let sway = |t: f64| Transform::new(rotation_about(DVec3::Z, 0.2 * libm::sin(t)), DVec3::Y * libm::sin(2.0 * t));
    let plate = || path(sway).with_shape(Shape::cuboid([2.0, 0.1, 2.0]).unwrap());
    let mut empty = World::with_method(Retroactive::new());
    let (alone, plate) = (empty.add_body(plate()).unwrap(), world.add_body(plate()).unwrap());
    let mut random = fastrand::Rng::with_seed(3);
    for i in 0..20 {
        let at = DVec3::new(random.f64() - 0.5, 1.5 + f64::from(i) * 0.5, random.f64() - 0.5);
        let heavy = Body::dynamic().with_shape(Shape::sphere(0.2).unwrap()).with_mass(1000.0);
        world.add_body(heavy.at(at).with_velocity([0.0, -20.0, 0.0])).unwrap();
    }
    let mut contacts = 0;
    for _ in 0..480 {
        world.step(DT).unwrap();
        contacts += world.contacts().count();
        empty.step(DT).unwrap();
        let (body, alone) = (world.body(plate).unwrap(), empty.body(alone).unwrap());
        assert_eq!(body.pose(), alone.pose());
        assert_eq!((body.velocity(), body.angular_velocity()), (alone.velocity(), alone.angular_velocity()));
        assert!((body.position() - sway(world.time()).translation).length() < 1e-15);
    }
    assert!(contacts > 50, "only {contacts} contacts");
}

/// A lift that rises steadily carries a box with it, and forces and impulses leave the lift alone.
#[test]
fn a_lift_lifts() {
    let mut world = World::with_method(Retroactive::new());
    let lift = world
        .add_body(moving(DVec3::Y * 0.5, DVec3::ZERO).with_shape(Shape::cuboid([1.0, 0.1, 1.0]).unwrap()))
        .unwrap();
    let load = Body::dynamic().with_shape(Shape::cuboid([0.3, 0.3, 0.3]).unwrap()).at([0.0, 0.4, 0.0]);
    let load = world.add_body(load.without_sleep()).unwrap();
    for _ in 0..480 {
        let mut body = world.body_mut(lift).unwrap();
        body.apply_force([1e6, 0.0, 0.0]).unwrap();
        body.apply_impulse([1e6, 0.0, 0.0]).unwrap();
        world.step(DT).unwrap();
    }
    assert!((world.body(lift).unwrap().position() - DVec3::Y).length() < 1e-12);
    let load = world.body(load).unwrap();
    assert!((load.position() - DVec3::Y * 1.4).length() < 1e-12, "{}", load.position());
    assert!((load.velocity() - DVec3::Y * 0.5).length() < 1e-12, "{}", load.velocity());
}
