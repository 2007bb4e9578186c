//! Changing bodies, colliders and joints between steps.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use glam::{DMat3, DVec3};
use std::sync::Arc;
use tumble_dynamics::constraint::{Ball, Distance, Hinge};
use tumble_dynamics::event::Phase;
use tumble_dynamics::force::Gravity;
use tumble_dynamics::geometry::math::rotation_from_vector;
use tumble_dynamics::geometry::{MassProperties, Shape, Transform};
use tumble_dynamics::model::{
    BodyKind, Breaking, CollisionFilter, ContactMaterial, Joint, JointEnd, MaterialMixing, Script, Sleep,
};
use tumble_dynamics::{Body, BodyId, Collider, Material, StepError, World};

const DT: f64 = 1.0 / 60.0;

fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        world.step(DT).unwrap();
    }
}

fn cube() -> Body {
    Body::dynamic().with_shape(Shape::cuboid([0.5, 0.5, 0.5]).unwrap())
}

fn ground(world: &mut World) -> BodyId {
    world.add_body(Body::fixed().with_shape(Shape::half_space(DVec3::Y).unwrap())).unwrap()
}

#[derive(Debug)]
struct Lift;

impl Script for Lift {
    fn pose(&self, time: f64) -> Transform {
        Transform::from_translation(DVec3::new(0.0, 7.0 + time, 0.0))
    }
}

#[derive(Debug)]
struct Nowhere;

impl Script for Nowhere {
    fn pose(&self, _time: f64) -> Transform {
        Transform::from_translation(DVec3::NAN)
    }
}

#[test]
fn a_body_becomes_fixed_scripted_a_particle_and_dynamic_again() {
    let mut world = World::new();
    let id = world.add_body(cube().at([0.0, 10.0, 0.0]).with_angular_velocity([1.0, 0.0, 0.0])).unwrap();
    run(&mut world, 10);
    let place = world.body(id).unwrap().position();

    world.body_mut(id).unwrap().set_kind(BodyKind::Fixed).unwrap();
    run(&mut world, 10);
    let body = world.body(id).unwrap();
    assert!((body.position() - place).length() < 1e-12, "a fixed body stays");
    assert_eq!((body.velocity(), body.mass()), (DVec3::ZERO, 0.0));

    world.body_mut(id).unwrap().set_kind(BodyKind::Scripted(Arc::new(Lift))).unwrap();
    assert_eq!(world.body(id).unwrap().position(), Lift.pose(world.time()).translation);
    run(&mut world, 10);
    assert!((world.body(id).unwrap().position() - Lift.pose(world.time()).translation).length() < 1e-12);
    assert!((world.body(id).unwrap().velocity() - DVec3::Y).length() < 1e-9);

    world.body_mut(id).unwrap().set_kind(BodyKind::Particle).unwrap();
    world.body_mut(id).unwrap().set_velocity([0.0, 0.0, 0.0]).unwrap();
    let error = world.body_mut(id).unwrap().set_angular_velocity([1.0, 0.0, 0.0]).unwrap_err().to_string();
    assert!(error.contains("particle") && error.contains('1'), "{error}");
    let rotation = world.body(id).unwrap().rotation();
    world.body_mut(id).unwrap().apply_torque([9.0, 0.0, 0.0]).unwrap();
    run(&mut world, 10);
    assert_eq!(world.body(id).unwrap().rotation(), rotation);
    assert!((world.body(id).unwrap().velocity().y + 9.81 * 10.0 * DT).abs() < 1e-9, "a particle falls");

    world.body_mut(id).unwrap().set_kind(BodyKind::Dynamic).unwrap();
    assert!((world.body(id).unwrap().mass() - 1000.0).abs() < 1e-9);
    world.body_mut(id).unwrap().apply_torque([9.0, 0.0, 0.0]).unwrap();
    world.step(DT).unwrap();
    assert!(world.body(id).unwrap().angular_velocity().x > 0.0, "a dynamic body turns");
}

#[test]
fn changes_of_kind_that_make_no_sense_are_refused_and_change_nothing() {
    let mut world = World::new();
    let plane = ground(&mut world);
    let empty = world.add_body(Body::fixed()).unwrap();
    let before = world.state().clone();
    assert!(world.body_mut(plane).unwrap().set_kind(BodyKind::Dynamic).is_err(), "a half-space has no mass");
    let error = world.body_mut(empty).unwrap().set_kind(BodyKind::Dynamic).unwrap_err().to_string();
    assert!(error.contains("mass"), "{error}");
    let error = world.body_mut(empty).unwrap().set_kind(BodyKind::Scripted(Arc::new(Nowhere))).unwrap_err();
    assert!(error.to_string().contains("NaN"), "{error}");
    assert!(world.add_body(Body::scripted(Nowhere)).is_err());
    assert_eq!(*world.state(), before);
    world.body_mut(empty).unwrap().set_mass(2.0).unwrap();
    world.body_mut(empty).unwrap().set_kind(BodyKind::Dynamic).unwrap();
    assert_eq!(world.body(empty).unwrap().mass(), 2.0);
}

/// A body whose centre of mass moves within it goes on turning as it did: every point keeps its velocity.
#[test]
fn the_mass_changes_and_the_motion_of_every_point_does_not() {
    let mut world = World::new();
    let id = cube().at([1.0, 2.0, 3.0]).with_velocity([1.0, 0.0, 0.0]).with_angular_velocity([0.0, 2.0, 1.0]);
    let id = world.add_body(id).unwrap();
    let corner = DVec3::new(1.5, 2.5, 3.5);
    let velocity = world.body(id).unwrap().state().velocity_at(corner);
    let pose = world.body(id).unwrap().pose();
    let properties = MassProperties { mass: 7.0, center: DVec3::new(0.3, 0.0, -0.2), inertia: DMat3::IDENTITY };
    world.body_mut(id).unwrap().set_mass_properties(properties).unwrap();
    let body = world.body(id).unwrap();
    assert_eq!(body.mass(), 7.0);
    assert!((body.pose().translation - pose.translation).length() < 1e-12);
    assert!((body.center_of_mass() - pose.point(properties.center)).length() < 1e-12);
    assert!((body.state().velocity_at(corner) - velocity).length() < 1e-12);
    world.body_mut(id).unwrap().set_mass(5.0).unwrap();
    assert_eq!(world.body(id).unwrap().mass(), 5.0);
    world.body_mut(id).unwrap().set_mass_from_colliders().unwrap();
    let body = world.body(id).unwrap();
    assert!((body.mass() - 1000.0).abs() < 1e-9 && (body.center_of_mass() - pose.translation).length() < 1e-12);
}

#[test]
fn mass_follows_shape_density_material_and_sensors() {
    let mut world = World::new();
    let id = world.add_body(cube()).unwrap();
    let first = world.body(id).unwrap().model().colliders[0];
    let mass = |world: &World| world.body(id).unwrap().mass();
    world.collider_mut(first).unwrap().set_density(500.0).unwrap();
    assert!((mass(&world) - 500.0).abs() < 1e-9);
    world.collider_mut(first).unwrap().set_shape(Shape::cuboid([1.0, 0.5, 0.5]).unwrap()).unwrap();
    assert!((mass(&world) - 1000.0).abs() < 1e-9);
    world.body_mut(id).unwrap().set_material(Material::STEEL).unwrap();
    assert!((mass(&world) - 2.0 * 7850.0).abs() < 1e-6);
    let error = world.collider_mut(first).unwrap().make_sensor().unwrap_err().to_string();
    assert!(error.contains("mass"), "a dynamic body needs a mass: {error}");
    let second = Collider::new(Shape::sphere(0.5).unwrap()).with_pose(Transform::from_translation(DVec3::X * 3.0));
    world.add_collider(id, second).unwrap();
    world.collider_mut(first).unwrap().make_sensor().unwrap();
    assert!((world.body(id).unwrap().center_of_mass() - DVec3::X * 3.0).length() < 1e-12);
    world.collider_mut(first).unwrap().make_solid().unwrap();
    assert!(world.body(id).unwrap().center_of_mass().x < 0.2);
    assert!((world.collider(first).unwrap().pose().translation).length() < 1e-12, "the body frame stays");
}

#[test]
fn a_box_that_grows_stands_on_its_new_faces() {
    let mut world = World::new();
    ground(&mut world);
    let id = world.add_body(cube().at([0.0, 0.5, 0.0])).unwrap();
    run(&mut world, 120);
    let collider = world.body(id).unwrap().model().colliders[0];
    world.collider_mut(collider).unwrap().set_shape(Shape::cuboid([0.5, 0.25, 0.5]).unwrap()).unwrap();
    run(&mut world, 120);
    assert!((world.body(id).unwrap().position().y - 0.25).abs() < 1e-3);
    world.collider_mut(collider).unwrap().set_shape(Shape::sphere(0.5).unwrap()).unwrap();
    run(&mut world, 240);
    assert!((world.body(id).unwrap().position().y - 0.5).abs() < 1e-3);
}

#[test]
fn groups_decide_from_the_next_step_on() {
    let mut world = World::new();
    let floor = ground(&mut world);
    world.set_filter(CollisionFilter::new().ignore(("ghosts", "walls")));
    world.body_mut(floor).unwrap().set_groups(["walls"]);
    let id = world.add_body(cube().at([0.0, 0.5, 0.0])).unwrap();
    run(&mut world, 120);
    assert!((world.body(id).unwrap().position().y - 0.5).abs() < 1e-3);
    world.body_mut(id).unwrap().set_groups(["ghosts"]);
    run(&mut world, 30);
    assert!(world.body(id).unwrap().position().y < -0.5, "it falls through the floor");
    assert!(world.contacts_of(id).next().is_none());
}

#[test]
fn a_slope_turned_to_ice_lets_go() {
    let mut world = World::new();
    let slope = Body::fixed().with_shape(Shape::half_space(DVec3::new(0.2, 1.0, 0.0)).unwrap());
    let slope = world.add_body(slope).unwrap();
    let normal = DVec3::new(0.2, 1.0, 0.0).normalize();
    let rotation = glam::DQuat::from_rotation_arc(DVec3::Y, normal);
    let id = world.add_body(cube().at(normal * 0.5).rotated(rotation)).unwrap();
    run(&mut world, 120);
    assert!(world.body(id).unwrap().is_asleep());
    let place = world.body(id).unwrap().position();
    let smooth = Material { static_friction: 0.0, dynamic_friction: 0.0, ..Material::default() };
    world.body_mut(slope).unwrap().set_material(smooth).unwrap();
    run(&mut world, 60);
    // a = g sin α along the slope, with tan α = 0.2.
    let way = 0.5 * 9.81 * (0.2 / 1.04_f64.sqrt());
    assert!((world.body(id).unwrap().position().distance(place) - way).abs() < 0.01 * way);
}

#[test]
fn mixing_can_be_overruled_at_any_time() {
    let mut world = World::new();
    ground(&mut world);
    let id = world.add_body(Body::dynamic().with_shape(Shape::sphere(0.5).unwrap()).at([0.0, 1.0, 0.0])).unwrap();
    let bouncy = |_: &Material, _: &Material| ContactMaterial {
        restitution: 1.0,
        static_friction: 0.0,
        dynamic_friction: 0.0,
        rolling_friction: 0.0,
        spinning_friction: 0.0,
        perturbation: 0.0,
    };
    world.set_mixing(MaterialMixing::Custom(Arc::new(bouncy)));
    run(&mut world, 600);
    let energy = |world: &World| world.energy().total();
    assert!(energy(&world) > 0.9 * world.body(id).unwrap().mass() * 9.81 * 1.0, "it bounces without loss");
    world.set_mixing(MaterialMixing::Standard);
    run(&mut world, 120);
    assert!((world.body(id).unwrap().position().y - 0.5).abs() < 1e-3, "and then no more");
}

#[test]
fn joints_are_broken_mended_attached_anew_and_told_when_to_break() {
    let mut world = World::new();
    let id = world.add_body(cube().at([0.0, -1.0, 0.0])).unwrap();
    let joint = Joint::new(id, JointEnd::World, Ball::at([0.0, 0.0, 0.0])).named("hook");
    let joint = world.add_joint(joint).unwrap();
    assert_eq!(world.joint_named("hook"), Some(joint));
    run(&mut world, 10);
    assert!(world.joint(joint).unwrap().error() < 1e-9);
    world.joint_mut(joint).unwrap().snap();
    run(&mut world, 10);
    assert!(world.joint(joint).unwrap().is_broken() && world.joint(joint).unwrap().error() > 0.01);
    world.joint_mut(joint).unwrap().mend();
    run(&mut world, 120);
    assert!(world.joint(joint).unwrap().error() < 1e-3, "{}", world.joint(joint).unwrap().error());
    let center = world.body(id).unwrap().center_of_mass();
    let rod = Distance::rod([5.0, 0.0, 0.0], center);
    world.joint_mut(joint).unwrap().attach(rod).unwrap();
    assert_eq!(world.joint(joint).unwrap().anchors().map(|anchor| (anchor - center).length() < 6.0), [true; 2]);
    for value in [f64::NAN, -1.0] {
        let breaking = Breaking { force: value, ..Breaking::default() };
        let error = world.joint_mut(joint).unwrap().set_breaking(breaking).unwrap_err().to_string();
        assert!(error.contains("breaking force") && error.contains(&value.to_string()), "{error}");
        assert!(world.add_joint(Joint::new(id, JointEnd::World, Ball::at([0.0; 3])).breaking(breaking)).is_err());
    }
    world.joint_mut(joint).unwrap().set_breaking(Breaking { force: 1.0, ..Breaking::default() }).unwrap();
    run(&mut world, 1);
    assert!(world.events().broken.iter().map(|event| event.joint).eq([joint]));
}

/// A joint that is attached anew counts its angle from there, however often the one before it had gone round.
#[test]
fn a_joint_attached_anew_counts_its_turns_anew() {
    let mut world = World::new();
    world.set_gravity(DVec3::ZERO);
    let id = world.add_body(cube().with_angular_velocity([0.0, 0.0, 5.0])).unwrap();
    let joint = world.add_joint(Joint::new(JointEnd::World, id, Hinge::at(DVec3::ZERO, DVec3::Z))).unwrap();
    run(&mut world, 60);
    assert!((world.joint(joint).unwrap().angle().unwrap() - 5.0).abs() < 1e-9);
    world.joint_mut(joint).unwrap().attach(Hinge::at(DVec3::ZERO, DVec3::Z)).unwrap();
    assert!(world.joint(joint).unwrap().angle().unwrap().abs() < 1e-12);
}

#[test]
fn jointed_bodies_collide_when_told_to() {
    let mut world = World::new();
    world.set_gravity(DVec3::ZERO);
    let a = world.add_body(cube()).unwrap();
    let b = world.add_body(cube().at([0.9, 0.0, 0.0])).unwrap();
    let rope = Distance::rope([0.0, 0.0, 0.0], [0.9, 0.0, 0.0]);
    let joint = world.add_joint(Joint::new(a, b, rope)).unwrap();
    run(&mut world, 2);
    assert!(world.contacts_of(a).next().is_none());
    world.joint_mut(joint).unwrap().let_collide();
    run(&mut world, 2);
    assert!(world.contacts_of(a).next().is_some());
    world.joint_mut(joint).unwrap().keep_from_colliding();
    run(&mut world, 2);
    assert!(world.contacts_of(a).next().is_none());
}

#[test]
fn a_solid_that_becomes_a_sensor_reports_instead_of_touching() {
    let mut world = World::new();
    let floor = ground(&mut world);
    let id = world.add_body(cube().at([0.0, 0.5, 0.0])).unwrap();
    run(&mut world, 5);
    assert!(world.contacts().next().is_some());
    let plane = world.body(floor).unwrap().model().colliders[0];
    world.collider_mut(plane).unwrap().make_sensor().unwrap();
    run(&mut world, 60);
    assert!(world.body(id).unwrap().position().y < -1.0);
    assert!(world.contacts().next().is_none());
    world.body_mut(id).unwrap().set_position([0.0, 3.0, 0.0]).unwrap();
    world.step(DT).unwrap();
    assert_eq!(world.events().sensors.iter().map(|event| event.phase).collect::<Vec<_>>(), [Phase::End]);
}

#[test]
fn small_things_change_too() {
    let mut world = World::new();
    let id = world.add_body(cube()).unwrap();
    let gravity = world.model().forces().ids().next().unwrap();
    world.replace_force(gravity, Gravity { acceleration: DVec3::X }).unwrap();
    world.body_mut(id).unwrap().set_name("die");
    world.body_mut(id).unwrap().set_sleep(Sleep::Never);
    world.body_mut(id).unwrap().set_damping(0.0, 0.0).unwrap();
    assert_eq!(world.body_named("die"), Some(id));
    run(&mut world, 60);
    assert!((world.body(id).unwrap().velocity() - DVec3::X).length() < 1e-9);
    assert!(!world.body(id).unwrap().is_asleep());
}

#[test]
fn a_refused_step_names_the_force_that_is_not_finite() {
    let mut world = World::new();
    let id = world.add_body(cube()).unwrap();
    let force = world.add_force(Gravity { acceleration: DVec3::new(0.0, f64::NAN, 0.0) });
    let before = world.state().clone();
    assert_eq!(world.step(DT), Err(StepError::ForceNotFinite { force, body: id, name: String::new() }));
    assert_eq!(*world.state(), before);
    world.remove_force(force).unwrap();
    world.step(DT).unwrap();
    // Applied by hand, it stays until the step is taken or it is taken back.
    world.body_mut(id).unwrap().set_mass(1e-6).unwrap();
    world.body_mut(id).unwrap().apply_force([1e308, 0.0, 0.0]).unwrap();
    assert_eq!(world.step(DT), Err(StepError::NotFinite { body: id, name: String::new() }));
    world.body_mut(id).unwrap().clear_forces();
    world.step(DT).unwrap();
}

/// Gravity is a force like others: it may be removed, and a snapshot of another world brings its own.
#[test]
fn gravity_can_be_set_whatever_became_of_it() {
    let falls = |world: &mut World, g: f64| {
        world.set_gravity([0.0, -g, 0.0]);
        let id = world.add_body(cube()).unwrap();
        run(world, 60);
        (world.body(id).unwrap().velocity().y + g).abs() < 1e-9
    };
    let mut world = World::new();
    let gravity = world.model().forces().ids().next().unwrap();
    world.remove_force(gravity).unwrap();
    assert!(falls(&mut world, 2.0));
    assert_eq!(world.model().forces().len(), 1);
    let mut other = World::new();
    other.restore(&world.snapshot());
    assert!(falls(&mut other, 3.0));
    assert_eq!(other.model().forces().len(), 1);
}

#[test]
fn only_inertia_tensors_are_taken_for_some() {
    let mut world = World::new();
    let id = world.add_body(cube()).unwrap();
    let mut try_inertia = |inertia| {
        let properties = MassProperties { mass: 1.0, center: DVec3::ZERO, inertia };
        world.body_mut(id).unwrap().set_mass_properties(properties).is_ok()
    };
    let turned = DMat3::from_quat(rotation_from_vector(DVec3::new(0.3, 1.0, -0.7)));
    let tensor = |moments: DVec3| turned * DMat3::from_diagonal(moments) * turned.transpose();
    assert!(try_inertia(DMat3::ZERO) && try_inertia(tensor(DVec3::new(1.0, 2.0, 2.5))));
    assert!(try_inertia(tensor(DVec3::new(1e-20, 2e-20, 2.5e-20))) && try_inertia(tensor(DVec3::new(0.0, 1.0, 1.0))));
    assert!(!try_inertia(tensor(DVec3::new(-1.0, 2.0, 2.5))) && !try_inertia(tensor(DVec3::new(-1.0, -1.0, 2.5))));
    assert!(!try_inertia(DMat3::from_cols(DVec3::X, DVec3::Y, DVec3::new(0.1, 0.0, 1.0))));
    assert!(!try_inertia(DMat3::from_diagonal(DVec3::new(1.0, f64::NAN, 1.0))));
    assert!(!try_inertia(DMat3::from_diagonal(DVec3::splat(f64::INFINITY))));
}

/// Each number that makes no sense is refused with its name and value, and nothing changes.
#[test]
fn errors_name_the_thing_and_the_value() {
    let mut world = World::new();
    let id = world.add_body(cube()).unwrap();
    let collider = world.body(id).unwrap().model().colliders[0];
    let before = world.state().clone();
    let bad = Transform::new(glam::DQuat::from_xyzw(2.0, 0.0, 0.0, 0.0), DVec3::ZERO);
    let friction = Material { static_friction: -0.5, ..Material::default() };
    let messages = [
        world.body_mut(id).unwrap().set_mass(-3.0).unwrap_err().to_string(),
        world.body_mut(id).unwrap().set_mass(f64::NAN).unwrap_err().to_string(),
        world
            .body_mut(id)
            .unwrap()
            .set_mass_properties(MassProperties::point(0.0, DVec3::ZERO))
            .unwrap_err()
            .to_string(),
        world.body_mut(id).unwrap().set_pose(bad).unwrap_err().to_string(),
        world.body_mut(id).unwrap().set_material(friction).unwrap_err().to_string(),
        world.body_mut(id).unwrap().set_gravity_scale(f64::INFINITY).unwrap_err().to_string(),
        world.collider_mut(collider).unwrap().set_density(0.0).unwrap_err().to_string(),
        world.collider_mut(collider).unwrap().set_pose(bad).unwrap_err().to_string(),
        world.collider_mut(collider).unwrap().set_shape(Shape::half_space(DVec3::Y).unwrap()).unwrap_err().to_string(),
    ];
    let named = [
        "mass is -3",
        "mass is NaN",
        "mass properties",
        "body pose",
        "static friction is -0.5",
        "scale is inf",
        "density is 0",
        "collider pose",
        "",
    ];
    for (message, name) in messages.iter().zip(named) {
        assert!(message.contains(name) && !message.is_empty(), "{message}");
    }
    assert_eq!(*world.state(), before);
    assert!((world.body(id).unwrap().mass() - 1000.0).abs() < 1e-9);
    world.remove_body(id).unwrap();
    assert_eq!(world.collider(collider).unwrap_err().to_string(), "there is no collider 0.0");
    assert_eq!(world.collider_mut(collider).unwrap_err().to_string(), "there is no collider 0.0");
    assert_eq!(world.body_mut(id).unwrap_err().to_string(), "there is no body 0.0");
}
