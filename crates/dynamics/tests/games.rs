//! What games need: interpolation, kinematic bodies, layers, contact rules, teleport, locks, numbers of your own. With both methods.

#![cfg(feature = "registry")]
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::DVec3;
use tumble_dynamics::geometry::math::rotation_about;
use tumble_dynamics::geometry::{Ray, Shape, Transform};
use tumble_dynamics::method::{Realtime, Retroactive};
use tumble_dynamics::model::{ContactChange, ContactPair, Layers, Locks, Script};
use tumble_dynamics::registry::Registry;
use tumble_dynamics::{Body, BodyId, Collider, Material, SavedState, World};

const DT: f64 = 1.0 / 60.0;

fn worlds() -> [World; 2] {
    [World::with_method(Realtime::new()), World::with_method(Retroactive::new())]
}

fn cube(size: f64) -> Body {
    Body::dynamic().with_shape(Shape::cuboid([0.5 * size; 3]).unwrap())
}

fn ground() -> Body {
    Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())
}

fn run(world: &mut World, steps: usize) {
    (0..steps).for_each(|_| world.step(DT).unwrap());
}

fn at(position: [f64; 3]) -> Transform {
    Transform::from_translation(position.into())
}

#[test]
fn interpolated_poses_lie_between_the_last_two_steps() {
    let mut world = World::new();
    let rod = Body::dynamic()
        .with_collider(Collider::new(Shape::cuboid([0.1, 0.2, 0.3]).unwrap()).with_pose(at([0.4, 0.0, 0.0])))
        .with_velocity([1.0, 2.0, 3.0])
        .with_angular_velocity([0.3, 2.0, -1.0]);
    let id = world.add_body(rod).unwrap();
    assert_eq!(world.interpolated(id, 0.3).unwrap(), world.body(id).unwrap().pose(), "no step yet");
    run(&mut world, 3);
    let before = world.body(id).unwrap().pose();
    run(&mut world, 1);
    let now = world.body(id).unwrap().pose();
    let near = |a: Transform, b: Transform| {
        (a.translation - b.translation).length() < 1e-12 && a.rotation.dot(b.rotation).abs() > 1.0 - 1e-12
    };
    for (alpha, pose) in [(0.0, before), (1.0, now), (-3.0, before), (7.0, now), (f64::NAN, now)] {
        assert!(near(world.interpolated(id, alpha).unwrap(), pose), "{alpha}");
    }
    // The centre of mass goes straight, at the middle it is in the middle.
    let center = DVec3::new(0.4, 0.0, 0.0);
    let middle = world.interpolated(id, 0.5).unwrap().point(center);
    assert!((middle - 0.5 * (before.point(center) + now.point(center))).length() < 1e-12);
    let all: Vec<_> = world.interpolated_bodies(0.25).collect();
    assert_eq!(all, [(id, world.interpolated(id, 0.25).unwrap())]);

    world.body_mut(id).unwrap().teleport(at([50.0, 0.0, 0.0])).unwrap();
    assert_eq!(world.interpolated(id, 0.0).unwrap().translation.x, 50.0, "nobody is drawn on the way of a teleport");
    let moment = world.snapshot();
    run(&mut world, 1);
    world.restore(&moment);
    assert_eq!(world.interpolated(id, 0.0).unwrap(), world.body(id).unwrap().pose());
    world.remove_body(id).unwrap();
    let other = world.add_body(cube(1.0).at([9.0, 9.0, 9.0])).unwrap();
    assert_eq!(world.interpolated(other, 0.0).unwrap().translation, DVec3::splat(9.0), "a new body in an old slot");
    assert!(world.interpolated(id, 0.0).is_err());
}

/// A lift carries what stands on it, exactly as fast as it goes.
#[test]
fn a_kinematic_body_goes_where_it_is_sent_and_takes_others_along() {
    for mut world in worlds() {
        let name = world.method().name();
        let lift = Body::kinematic().with_shape(Shape::cuboid([2.0, 0.1, 2.0]).unwrap()).at([0.0, -0.1, 0.0]);
        let lift = world.add_body(lift).unwrap();
        let load = world.add_body(cube(1.0).at([0.0, 0.5, 0.0])).unwrap();
        run(&mut world, 30);
        for frame in 1..=120 {
            let height = 0.02 * f64::from(frame);
            world.body_mut(lift).unwrap().move_to(at([0.0, height - 0.1, 0.0]), DT).unwrap();
            world.step(DT).unwrap();
            assert!((world.body(lift).unwrap().position().y - (height - 0.1)).abs() < 1e-12, "{name}");
        }
        let carried = world.body(load).unwrap();
        assert!((carried.velocity().y - 0.02 / DT).abs() < 0.05, "{name}: {}", carried.velocity());
        assert!((carried.position().y - 2.9).abs() < 0.02, "{name}: {}", carried.position());
        // It has arrived and stays; the load stops on it.
        run(&mut world, 120);
        assert!((world.body(lift).unwrap().position().y - 2.3).abs() < 1e-12, "{name}");
        assert!((world.body(load).unwrap().position().y - 2.9).abs() < 5e-3, "{name}");
    }
}

#[test]
fn a_kinematic_body_moves_with_the_velocity_it_is_given() {
    for mut world in worlds() {
        let name = world.method().name();
        let id = world.add_body(Body::kinematic().with_shape(Shape::sphere(0.3).unwrap())).unwrap();
        world.body_mut(id).unwrap().set_velocity([3.0, 0.0, 0.0]).unwrap();
        world.body_mut(id).unwrap().set_angular_velocity([0.0, 2.0, 0.0]).unwrap();
        run(&mut world, 60);
        let body = world.body(id).unwrap();
        assert!((body.position() - DVec3::X * 3.0).length() < 1e-12, "{name}: {}", body.position());
        assert!(body.rotation().dot(rotation_about(DVec3::Y, 2.0)).abs() > 1.0 - 1e-12, "{name}");
        assert_eq!((body.velocity(), body.angular_velocity()), (DVec3::X * 3.0, DVec3::Y * 2.0), "{name}");
        // Put elsewhere, it goes on from there.
        world.body_mut(id).unwrap().set_position([0.0, 7.0, 0.0]).unwrap();
        run(&mut world, 60);
        assert!((world.body(id).unwrap().position() - DVec3::new(3.0, 7.0, 0.0)).length() < 1e-12, "{name}");
    }
}

/// Courses are saved: a world that loads a state goes on as the one that saved it.
#[test]
fn kinematic_bodies_are_saved_and_loaded() {
    let build = |method: usize| {
        let mut world = worlds().into_iter().nth(method).unwrap();
        world.add_body(ground()).unwrap();
        let pusher = Body::kinematic().with_shape(Shape::cuboid([0.2, 0.5, 0.5]).unwrap()).at([-1.0, 0.5, 0.0]);
        let pusher = world.add_body(pusher).unwrap();
        world.add_body(cube(1.0).at([0.0, 0.5, 0.0])).unwrap();
        (world, pusher)
    };
    for method in 0..2 {
        let (mut world, pusher) = build(method);
        run(&mut world, 10);
        world.body_mut(pusher).unwrap().move_to(at([0.3, 0.5, 0.0]), 0.7).unwrap();
        run(&mut world, 20);
        let bytes = world.save().to_bytes();
        let (mut other, _) = build(method);
        other.load(&SavedState::from_bytes(&bytes).unwrap()).unwrap();
        for step in 0..60 {
            world.step(DT).unwrap();
            other.step(DT).unwrap();
            assert_eq!(world.state().fingerprint(), other.state().fingerprint(), "step {step}");
        }
        let mut third = build(method).0;
        third.set_state(world.state()).unwrap();
        run(&mut third, 1);
        assert_eq!(third.body(pusher).unwrap().position(), world.body(pusher).unwrap().position());
    }
}

/// Courses, locks, layers and numbers of your own come back with a whole world; a rule of your own cannot, and that is said.
#[test]
fn what_games_need_is_saved_with_the_whole_world() {
    let registry = Registry::default();
    for mut world in worlds() {
        world.add_body(ground()).unwrap();
        let pusher = Body::kinematic().with_shape(Shape::cuboid([0.2, 0.5, 0.5]).unwrap()).at([-1.0, 0.5, 0.0]);
        let pusher = world.add_body(pusher).unwrap();
        let flat = cube(1.0).with_locks(Locks::PLANE_XY).with_layers(Layers::new(3, 7)).with_user_data(42);
        let flat = world.add_body(flat.at([0.0, 0.5, 0.0])).unwrap();
        world.body_mut(pusher).unwrap().set_velocity([1.0, 0.0, 0.0]).unwrap();
        run(&mut world, 20);
        let saved = world.save_whole(&registry).unwrap();
        let mut other = World::from_saved(&saved, &registry).unwrap();
        run(&mut world, 60);
        run(&mut other, 60);
        assert_eq!(world.state().fingerprint(), other.state().fingerprint());
        let body = other.body(flat).unwrap();
        assert_eq!((body.user_data(), body.model().locks), (42, Locks::PLANE_XY));
        other.body_mut(flat).unwrap().set_locks(Locks::NONE).unwrap();
        assert_eq!(other.joints().count(), 0, "the joint that held the locks is gone");
        world.set_contact_rule(|_, _| {});
        let refused = world.save_whole(&registry).unwrap_err().to_string();
        assert!(refused.contains("contact rule"), "{refused}");
    }
}

#[test]
fn what_has_no_effect_is_an_error() {
    #[derive(Debug)]
    struct Still;
    impl Script for Still {
        fn pose(&self, _time: f64) -> Transform {
            Transform::IDENTITY
        }
    }
    let mut world = World::new();
    let scripted = world.add_body(Body::scripted(Still).named("clock")).unwrap();
    let dynamic = world.add_body(cube(1.0).named("crate")).unwrap();
    let mut body = world.body_mut(scripted).unwrap();
    let refused = [body.set_position([1.0, 0.0, 0.0]), body.set_velocity([1.0, 0.0, 0.0]), body.teleport(at([1.0; 3]))];
    for result in refused {
        let text = result.unwrap_err().to_string();
        assert!(text.contains("clock") && text.contains("follows a script"), "{text}");
    }
    let text = world.body_mut(dynamic).unwrap().move_to(at([1.0; 3]), DT).unwrap_err().to_string();
    assert!(text.contains("crate") && text.contains("not kinematic"), "{text}");
    let kinematic = world.add_body(Body::kinematic()).unwrap();
    for duration in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(world.body_mut(kinematic).unwrap().move_to(at([1.0; 3]), duration).is_err(), "{duration}");
    }
    assert!(world.body_mut(kinematic).unwrap().move_to(at([f64::NAN; 3]), DT).is_err());
    assert_eq!(world.body(kinematic).unwrap().position(), DVec3::ZERO);
}

#[test]
fn layers_meet_only_if_both_agree() {
    const GHOST: u32 = 1 << 5;
    for mut world in worlds() {
        let name = world.method().name();
        world.add_body(ground()).unwrap();
        let ghost = Layers::new(GHOST, Layers::ALL & !GHOST);
        let lower = world.add_body(cube(1.0).with_layers(ghost).at([0.0, 0.5, 0.0])).unwrap();
        let upper = world.add_body(cube(1.0).with_layers(ghost).at([0.0, 2.0, 0.0])).unwrap();
        let solid = world.add_body(cube(1.0).at([0.0, 3.2, 0.0])).unwrap();
        run(&mut world, 120);
        let height = |world: &World, id: BodyId| world.body(id).unwrap().position().y;
        assert!((height(&world, lower) - 0.5).abs() < 0.01 && (height(&world, upper) - 0.5).abs() < 0.01, "{name}");
        assert!((height(&world, solid) - 1.5).abs() < 0.01, "{name}: {}", height(&world, solid));
        // A ground that is in no layer that they meet.
        let collider = world.model().colliders().ids().next().unwrap();
        world.collider_mut(collider).unwrap().set_layers(Layers::new(1, 0)).unwrap();
        run(&mut world, 60);
        assert!(height(&world, lower) < -2.0 && height(&world, solid) < -1.0, "{name}");
    }
}

#[test]
fn questions_pass_sensors_and_ask_by_layers() {
    let mut world = World::new();
    let sphere = || Collider::new(Shape::sphere(1.0).unwrap());
    let zone = world.add_body(Body::fixed().with_collider(sphere().as_sensor())).unwrap();
    let wall = Body::fixed().with_collider(sphere().with_layers(Layers::new(2, Layers::ALL))).at([5.0, 0.0, 0.0]);
    let wall = world.add_body(wall).unwrap();
    let ray = Ray::new(DVec3::X * -5.0, DVec3::X).unwrap();
    let first = |hit: Option<tumble_dynamics::Hit>| hit.map(|hit| hit.body);
    assert_eq!(first(world.cast_ray(&ray, 100.0, |_| true)), Some(wall));
    assert_eq!(first(world.query().with_sensors().cast_ray(&ray, 100.0, |_| true)), Some(zone));
    assert_eq!(first(world.query().meeting(Layers::new(1, 1)).cast_ray(&ray, 100.0, |_| true)), None);
    let ball = Shape::sphere(0.1).unwrap();
    assert_eq!(first(world.cast_shape(&ball, &at([-5.0, 0.0, 0.0]), DVec3::X * 20.0, |_| true)), Some(wall));
    assert!(world.overlaps(&ball, &at([0.0; 3]), |_| true).is_empty());
    assert_eq!(world.query().with_sensors().overlaps(&ball, &at([0.0; 3]), |_| true).len(), 1);
    assert_eq!(first(world.closest_to([0.0; 3], 100.0, |_| true)), Some(wall));
}

/// A belt carries what lies on it at its speed; acceleration on the way is that of friction: v = μ g t.
#[test]
fn a_belt_carries_what_lies_on_it() {
    let grip = Material { static_friction: 0.4, dynamic_friction: 0.4, ..Material::default() };
    for mut world in worlds() {
        let name = world.method().name();
        world.add_body(ground().with_material(grip).with_user_data(1)).unwrap();
        let load = world.add_body(cube(1.0).with_material(grip).at([0.0, 0.5, 0.0])).unwrap();
        world.set_contact_rule(|pair: &ContactPair<'_>, change: &mut ContactChange| {
            let running = DVec3::new(3.0, 0.0, 0.0);
            if pair.body(0).user_data == 1 {
                change.surface_velocity = running;
            } else if pair.body(1).user_data == 1 {
                change.surface_velocity = -running;
            }
        });
        run(&mut world, 30);
        let speed = world.body(load).unwrap().velocity().x;
        assert!((speed - 0.4 * 9.81 * 0.5).abs() < 0.03, "{name}: {speed}");
        run(&mut world, 60);
        let body = world.body(load).unwrap();
        assert!((body.velocity() - DVec3::X * 3.0).length() < 1e-3, "{name}: {}", body.velocity());
        assert!((body.position().y - 0.5).abs() < 1e-3, "{name}");
        world.remove_contact_rule();
        run(&mut world, 90);
        assert!(world.body(load).unwrap().velocity().length() < 1e-3, "{name}");
    }
}

/// A turntable takes along what lies on it: it turns as fast as the table, and goes with the speed ω r.
#[test]
fn a_turntable_carries_what_lies_on_it() {
    for mut world in worlds() {
        let name = world.method().name();
        let table = Body::kinematic().with_shape(Shape::cuboid([2.0, 0.1, 2.0]).unwrap()).at([0.0, -0.1, 0.0]);
        let table = world.add_body(table).unwrap();
        let load = world.add_body(cube(0.2).at([0.5, 0.1, 0.0])).unwrap();
        world.body_mut(table).unwrap().set_angular_velocity([0.0, 1.0, 0.0]).unwrap();
        run(&mut world, 120);
        let body = world.body(load).unwrap();
        let along = DVec3::Y.cross(body.position());
        assert!((body.angular_velocity() - DVec3::Y).length() < 0.02, "{name}: {}", body.angular_velocity());
        assert!((body.velocity() - along).length() < 0.02, "{name}: {}, not {along}", body.velocity());
        assert!((body.position().length() - 0.5).abs() < 0.1, "{name}: {}", body.position());
    }
}

/// What comes from below passes, what comes from above stands.
#[test]
fn a_platform_can_be_passed_from_below() {
    for mut world in worlds() {
        let name = world.method().name();
        let slab = Body::fixed().with_shape(Shape::cuboid([2.0, 0.1, 2.0]).unwrap()).with_user_data(2);
        world.add_body(slab).unwrap();
        world.set_contact_rule(|pair: &ContactPair<'_>, change: &mut ContactChange| {
            let up = match [0, 1].map(|side| pair.body(side).user_data) {
                [2, _] => 1.0,
                [_, 2] => -1.0,
                _ => return,
            };
            let (normal, rising) = (up * pair.normal.y, up * pair.relative_velocity().y);
            change.solid = normal > 0.7 && rising < 0.1 && pair.gap > -0.05;
        });
        let ball = Body::dynamic().with_shape(Shape::sphere(0.3).unwrap());
        let ball = world.add_body(ball.at([0.0, -2.0, 0.0]).with_velocity([0.0, 9.0, 0.0])).unwrap();
        let mut highest = f64::MIN;
        for _ in 0..240 {
            world.step(DT).unwrap();
            highest = highest.max(world.body(ball).unwrap().position().y);
        }
        assert!((highest - (9.0 * 9.0 / (2.0 * 9.81) - 2.0)).abs() < 0.02, "{name}: not slowed down: {highest}");
        assert!((world.body(ball).unwrap().position().y - 0.4).abs() < 0.01, "{name}");
    }
}

/// A rule that answers nonsense spoils nothing.
#[test]
fn rules_that_make_no_sense_do_no_harm() {
    for mut world in worlds() {
        world.add_body(ground()).unwrap();
        let id = world.add_body(cube(1.0).at([0.0, 0.6, 0.0])).unwrap();
        world.set_contact_rule(|_: &ContactPair<'_>, change: &mut ContactChange| {
            change.material.static_friction = f64::NAN;
            change.material.restitution = -5.0;
            change.surface_velocity = DVec3::INFINITY;
        });
        run(&mut world, 60);
        assert!((world.body(id).unwrap().position().y - 0.5).abs() < 0.01);
    }
}

#[test]
fn a_teleport_meets_nothing_on_its_way() {
    for mut world in worlds() {
        let name = world.method().name();
        world.add_body(ground()).unwrap();
        let wall = Body::fixed().with_shape(Shape::cuboid([0.1, 5.0, 5.0]).unwrap()).at([5.0, 5.0, 0.0]);
        let wall = world.add_body(wall).unwrap();
        let traveller = world.add_body(cube(1.0).at([0.0, 0.5, 0.0])).unwrap();
        let rider = world.add_body(cube(0.5).at([0.0, 1.25, 0.0])).unwrap();
        run(&mut world, 120);
        world.body_mut(traveller).unwrap().teleport(at([10.0, 0.5, 0.0])).unwrap();
        for _ in 0..60 {
            world.step(DT).unwrap();
            assert!(world.contacts_of(wall).next().is_none(), "{name}");
        }
        assert!((world.body(traveller).unwrap().position() - DVec3::new(10.0, 0.5, 0.0)).length() < 1e-3, "{name}");
        assert!(
            (world.body(rider).unwrap().position().y - 0.25).abs() < 0.01,
            "{name}: what it left has woken and falls"
        );
    }
}

#[test]
fn locked_directions_and_axes_stay() {
    for mut world in worlds() {
        let name = world.method().name();
        world.add_body(ground()).unwrap();
        // A game in two dimensions: a slanted pile in the plane of x and y.
        let mut ids = Vec::new();
        for index in 0..4 {
            let turned = cube(1.0).rotated(rotation_about(DVec3::Z, 0.3 * f64::from(index)));
            let body =
                turned.with_locks(Locks::PLANE_XY).with_velocity([1.0, 0.0, 5.0]).with_angular_velocity([3.0; 3]);
            ids.push(world.add_body(body.at([0.2 * f64::from(index), 1.0 + 1.5 * f64::from(index), 0.0])).unwrap());
        }
        // A figure that stays upright, pushed above its top by more than friction holds: 6000 N > μ m g = 4905 N.
        let upright = cube(1.0).with_locks(Locks::TURNS).at([20.0, 0.5, 0.0]);
        let upright = world.add_body(upright).unwrap();
        for _ in 0..180 {
            world.body_mut(upright).unwrap().apply_force_at([6000.0, 0.0, 0.0], [20.0, 9.0, 0.0]).unwrap();
            world.step(DT).unwrap();
        }
        for &id in &ids {
            let body = world.body(id).unwrap();
            assert!(body.position().z.abs() < 1e-5, "{name}: {}", body.position());
            let axis = body.rotation() * DVec3::Z;
            assert!((axis - DVec3::Z).length() < 1e-5, "{name}: {axis}");
            assert!(body.position().y > 0.4, "{name}");
        }
        let figure = world.body(upright).unwrap();
        let slid = 0.5 * (6.0 - 0.5 * 9.81) * 3.0 * 3.0;
        assert!((figure.position().x - 20.0 - slid).abs() < 0.05, "{name}: {}", figure.position());
        assert!(figure.rotation().w.abs() > 1.0 - 1e-12, "{name}: {}", figure.rotation());
        // Unlocked, it tips.
        world.body_mut(upright).unwrap().set_locks(Locks::NONE).unwrap();
        let pushed = world.body(upright).unwrap().position() + DVec3::Y * 3.0;
        world.body_mut(upright).unwrap().apply_force_at([9000.0, 0.0, 0.0], pushed).unwrap();
        run(&mut world, 5);
        assert!(world.body(upright).unwrap().angular_velocity().z < -0.01, "{name}");
    }
}

#[test]
fn numbers_of_your_own_stay_with_bodies_and_colliders() {
    let mut world = World::new();
    let collider = Collider::new(Shape::sphere(1.0).unwrap()).with_user_data(u64::MAX);
    let id = world.add_body(Body::dynamic().with_collider(collider).with_user_data(42)).unwrap();
    let moment = world.snapshot();
    world.body_mut(id).unwrap().set_user_data(43);
    run(&mut world, 2);
    assert_eq!(world.body(id).unwrap().user_data(), 43);
    world.restore(&moment);
    assert_eq!(world.body(id).unwrap().user_data(), 42);
    let collider = world.body(id).unwrap().model().colliders[0];
    assert_eq!(world.collider(collider).unwrap().model().user_data, u64::MAX);
}
